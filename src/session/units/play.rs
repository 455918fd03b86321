//! The open unit: which of its runs are finished, in progress or missing, their results, and the user's answers.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::figures::Figures;
use super::library::{UnitEntry, entries, own_folder};
use super::open_lesson::{UnitRun, UnitRunState};
use super::{RunFigures, RunPlan, Teach, Unit, UnitPart};
use crate::method::filled;
use crate::run::about;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::run::job::{Job, JobWork};
use crate::session::Session;
use crate::session::row::settings_of;
use crate::session::run_view::{RunView, Stage};
use crate::session::views::{Fetch, RunRow, RunState};

impl Session {
    /// Reads the units, including those of the teacher's folder.
    pub fn read_units(&mut self) {
        self.learn.units.list = Fetch::Busy;
        self.task(
            |_| Ok(entries()),
            |session, entries| session.accept_units(entries.unwrap_or_default()),
        );
    }

    fn accept_units(&mut self, entries: Vec<UnitEntry>) {
        self.learn.units.list = Fetch::Ready(Arc::new(entries));
        self.learn.units.folder = own_folder();
    }

    /// Opens a unit; `None` returns to the list.
    pub fn open_unit(&mut self, unit: Option<Arc<Unit>>) {
        self.learn.units.open = unit;
        self.fold_unit();
    }

    /// Restarts the open unit: removes the answers, so that guesses precede their results again. With `again`, the
    /// existing runs are not reused.
    pub fn restart_unit(&mut self, again: bool) {
        let units = &mut self.learn.units;
        if let Some(unit) = &units.open {
            units.answers.remove(&unit.name);
            if again {
                let now = Timestamp::now().to_string();
                units.retrained.insert(unit.name.clone(), now);
            }
        }
        self.fold_unit();
    }

    /// Returns whether a run can belong to the open unit, that is, it started after the unit was last restarted with
    /// `again`.
    fn counts(&self, header: &RunHeader) -> bool {
        let units = &self.learn.units;
        let unit = units.open.as_ref();
        let Some(since) = unit.and_then(|unit| units.retrained.get(&unit.name)) else {
            return true;
        };
        let time = |text: &str| text.parse::<Timestamp>().ok();
        time(&header.started) >= time(since)
    }

    /// Queues those runs of a block that are neither finished nor in progress. `part` is the index of the block in the
    /// unit.
    pub fn run_unit(&mut self, part: usize) {
        let Some(unit) = self.learn.units.open.clone() else {
            return;
        };
        let Some(UnitPart::Runs(block)) = unit.parts.get(part) else {
            return;
        };
        let (mut wanted, mut names) = (Vec::new(), Vec::new());
        for plan in &block.runs {
            let runs = self.learn.units.of(&plan.name).iter();
            let missing = runs.zip(&plan.configs).zip(1..);
            for ((_, config), nth) in missing.filter(|((run, _), _)| run.is_missing()) {
                wanted.push(RunConfig {
                    device: self.experiment.draft.device.clone(),
                    cache_mb: self.experiment.draft.cache_mb,
                    ..config.clone()
                });
                names.push(Some(run_name(&unit, plan, nth)));
            }
        }
        if let Some(jobs) = self.train_together(wanted.clone(), names) {
            self.learn.units.asked.extend(jobs.into_iter().zip(wanted));
        }
        self.fold_unit();
    }

    /// Queues the added task of a block.
    pub fn teach_unit(&mut self, teach: &Teach) {
        if let Some(folder) = self.run_to_teach(teach) {
            self.add_task(&folder, teach.source.clone());
        }
        self.fold_unit();
    }

    /// Returns the folder of the run that gets this added task, if the run is finished.
    pub fn run_to_teach(&self, teach: &Teach) -> Option<PathBuf> {
        let run = self.learn.units.of(&teach.run).first()?;
        matches!(run.state, UnitRunState::Done(_)).then(|| run.folder.clone())?
    }

    /// Updates the runs and results of the open unit.
    pub(in crate::session) fn fold_unit(&mut self) {
        let (mut runs, mut figures) = (BTreeMap::new(), Figures::new());
        let unit = self.learn.units.open.clone();
        for plan in unit.iter().flat_map(|unit| unit.plans()) {
            let found = plan.configs.iter().map(|config| self.find(config));
            let (these, known): (Vec<_>, Vec<_>) = found.unzip();
            figures.insert(plan.name.clone(), known);
            runs.insert(plan.name.clone(), these);
        }
        self.learn.units.runs = runs;
        for teach in unit.iter().flat_map(|unit| unit.lessons()) {
            let (run, known) = self.find_taught(teach);
            self.learn.units.runs.insert(teach.name.clone(), vec![run]);
            figures.insert(teach.name.clone(), vec![known]);
        }
        // The results are replaced only if they changed, because charts are then redrawn.
        if *self.learn.units.figures != figures {
            self.learn.units.figures = Arc::new(figures);
        }
    }

    /// Returns the state and the results of the run with these settings.
    fn find(&self, config: &RunConfig) -> (UnitRun, RunFigures) {
        let nothing = RunFigures::default;
        let live = self
            .train
            .live
            .as_deref()
            .filter(|run| run.header.as_ref().is_none_or(|header| self.counts(header)))
            .filter(|run| self.is_run_of(run, config));
        if let Some(run) = live.filter(|run| run.stage.is_live() || run.stage == Stage::Finished) {
            return of_view(run);
        }
        let waits =
            |work: &JobWork| matches!(work, JobWork::Train(other) if same_settings(other, config));
        if let Some(job) = self.waiting().find(|job| waits(&job.work)) {
            return (UnitRun::of(in_queue(job)), nothing());
        }
        let wanted = LazyCell::new(|| settings_of(config));
        let mut rows = self.rows().filter(|row| {
            let header = row.header.as_ref();
            let alike = header
                .is_some_and(|header| may_be_same(&header.config, config) && self.counts(header));
            alike && row.state == RunState::Finished
        });
        if let Some(row) = rows.find(|row| *row.settings() == **wanted) {
            let mine = self
                .learn
                .units
                .asked
                .iter()
                .any(|(_, asked)| same_settings(asked, config));
            return of_row(row, mine, false);
        }
        match live {
            Some(run) => (
                UnitRun::of(UnitRunState::Ended(run.problem.clone())),
                nothing(),
            ),
            None => (UnitRun::of(UnitRunState::Missing), nothing()),
        }
    }

    /// Returns whether the current run has these settings. Before it has a header, its job decides.
    fn is_run_of(&self, run: &RunView, config: &RunConfig) -> bool {
        if let Some(header) = &run.header {
            return same_settings(&header.config, config);
        }
        let mut asked = self.learn.units.asked.iter();
        asked.any(|(job, asked)| Some(*job) == run.job && same_settings(asked, config))
    }

    fn find_taught(&self, teach: &Teach) -> (UnitRun, RunFigures) {
        let missing = || (UnitRun::of(UnitRunState::Missing), RunFigures::default());
        let Some(folder) = self.run_to_teach(teach) else {
            return missing();
        };
        let waits = |work: &JobWork| matches!(work, JobWork::Teach { run, .. } if *run == folder);
        if let Some(job) = self.waiting().find(|job| waits(&job.work)) {
            return (UnitRun::of(in_queue(job)), RunFigures::default());
        }
        let live = self
            .train
            .live
            .as_deref()
            .and_then(|run| Some((run, run.header.as_ref()?)));
        if let Some((run, header)) = live.filter(|(_, header)| header.folder == folder)
            && !header.added_tasks.is_empty()
        {
            let standing = standing_of(run);
            let figures = figures_of(header, run, true);
            return (
                UnitRun {
                    state: standing,
                    folder: Some(folder),
                },
                figures,
            );
        }
        let row = self.row(&folder);
        let taught = row.filter(|row| {
            row.header
                .as_ref()
                .is_some_and(|h| !h.added_tasks.is_empty())
        });
        taught.map_or_else(missing, |row| of_row(row, true, true))
    }
}

/// Returns the name of a lesson's run: the lesson, the run, and the number of the repetition if there are several.
fn run_name(unit: &Unit, plan: &RunPlan, nth: usize) -> String {
    let mut name = format!("{}: {}", unit.title, plan.title);
    if plan.configs.len() > 1 {
        name += &format!(" {nth}");
    }
    name.chars().take(about::NAME).collect()
}

fn standing_of(run: &RunView) -> UnitRunState {
    match run.stage {
        Stage::Running | Stage::Paused => UnitRunState::Working {
            done: run.done(),
            seconds_left: run
                .progress
                .as_ref()
                .and_then(|progress| progress.seconds_left),
        },
        Stage::Finished => UnitRunState::Done(None),
        Stage::Stopped | Stage::Failed => UnitRunState::Ended(run.problem.clone()),
    }
}

/// Returns the results of a displayed run from its history.
fn figures_of(header: &RunHeader, run: &RunView, taught: bool) -> RunFigures {
    let measurements = run.reports.iter().map(|report| &report.measurements);
    RunFigures::new(header, &run.history, measurements, taught)
}

fn in_queue(job: &Job) -> UnitRunState {
    match job.held {
        true => UnitRunState::Held,
        false => UnitRunState::Waiting,
    }
}

fn of_view(run: &RunView) -> (UnitRun, RunFigures) {
    let Some(header) = &run.header else {
        return (UnitRun::of(standing_of(run)), RunFigures::default());
    };
    let mut figures = figures_of(header, run, false);
    let standing = match header.added_tasks.is_empty() {
        true => standing_of(run),
        // Only an added task is in progress; the training of the run itself is finished.
        false => UnitRunState::Done(None),
    };
    if standing != UnitRunState::Done(None) {
        figures.distance_now.clone_from(&run.distance);
    }
    let folder = Some(header.folder.clone());
    (
        UnitRun {
            state: standing,
            folder,
        },
        figures,
    )
}

fn of_row(row: &RunRow, mine: bool, taught: bool) -> (UnitRun, RunFigures) {
    let figures = row
        .header
        .as_ref()
        .map(|header| RunFigures::new(header, &row.history, row.measurements.iter(), taught));
    let run = UnitRun {
        state: UnitRunState::Done((!mine).then(|| row.name.clone())),
        folder: Some(Path::to_path_buf(&row.folder)),
    };
    (run, figures.unwrap_or_default())
}

/// Returns whether two runs have the same settings, ignoring the device.
pub fn same_settings(a: &RunConfig, b: &RunConfig) -> bool {
    may_be_same(a, b) && filled(a).anywhere() == filled(b).anywhere()
}

/// Returns whether two runs agree in the settings in which most runs differ. This is a fast check before the full
/// comparison.
fn may_be_same(a: &RunConfig, b: &RunConfig) -> bool {
    (&a.method, &a.data, &a.order, a.seed) == (&b.method, &b.data, &b.order, b.seed)
}

#[cfg(test)]
#[path = "play_tests.rs"]
mod tests;
