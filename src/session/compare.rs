//! The state of the page Compare: the stored runs and their folders, and runs that were started together and are
//! compared when all have ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::dataset_settings::SetUp;
use super::deleted_runs::DeletedRun;
use super::differences::DistinguishingSettings;
use super::folders::Folders;
use super::presets;
use super::run_table::RunTable;
use super::run_view::RunView;
use super::views::{Fetch, Rows, RunRow};
use crate::method::lae;
use crate::run::event::Event;
use crate::run::job::JobId;
use crate::store::run_name;

/// The listed runs, and the comparisons of runs.
#[derive(Default)]
pub struct Compare {
    /// The stored runs.
    pub runs: Fetch<Rows>,
    /// The settings that distinguish runs of the same name.
    pub distinguishing_settings: DistinguishingSettings,
    /// The folders of runs in addition to the default one.
    pub folders: Folders,
    /// The deleted runs, once they are requested.
    pub deleted: Fetch<Arc<Vec<DeletedRun>>>,
    /// The table of runs.
    pub table: RunTable,
    /// The runs that were started together.
    pub(super) comparison: Comparison,
}

/// How long a job may take to appear in the queue.
const MAX_QUEUE_DELAY: Duration = Duration::from_secs(1);

/// The last start from the settings on Experiment.
pub(super) struct LastStart {
    set_up: SetUp,
    machine: Option<String>,
    jobs: Vec<JobId>,
    started_at: Instant,
}

/// The comparison in progress.
#[derive(Default)]
pub(super) struct Comparison {
    /// Its runs that have not ended.
    pub jobs: Vec<JobId>,
    /// The folders of its running and finished runs.
    folders: Vec<(JobId, PathBuf)>,
    /// The folders of the runs of a comparison that has just ended.
    done: Option<Vec<PathBuf>>,
    /// The folders of all runs of the latest comparison.
    pub latest: Vec<PathBuf>,
    /// The runs of `latest` that have ended, in their final state.
    pub ended: Vec<Arc<RunView>>,
}

impl Session {
    /// Returns the rows of the list of runs read so far, the newest first.
    pub fn rows(&self) -> impl Iterator<Item = &RunRow> {
        let rows = self.compare.runs.ready().into_iter();
        rows.flat_map(|rows| rows.iter()).map(|row| &**row)
    }

    /// Returns a row of the list of runs.
    pub fn row(&self, folder: &Path) -> Option<&RunRow> {
        // Comparing names first is much faster than comparing thousands of paths with a common prefix.
        let name = run_name(folder);
        self.rows().find(|row| row.name == name && row.folder == folder)
    }

    /// Returns whether Baseline is trained in addition to the settings.
    pub fn trains_baseline(&self) -> bool {
        self.experiment.with_baseline && self.experiment.draft.method != lae::BASELINE.key
    }

    /// Trains the settings, and also Baseline if that is selected. Returns whether the runs were queued.
    pub fn start(&mut self) -> bool {
        let Some(jobs) = self.queue_runs() else {
            return false;
        };
        self.experiment.started = Some(LastStart {
            set_up: self.experiment.set_up(),
            machine: self.experiment.machine.clone(),
            jobs,
            started_at: Instant::now(),
        });
        true
    }

    /// Queues the runs of the settings or their grid. Returns the jobs; empty for a grid.
    fn queue_runs(&mut self) -> Option<Vec<JobId>> {
        if self.has_grid() {
            return self.start_grid().then(Vec::new);
        }
        let draft = self.experiment.draft.clone();
        if self.trains_baseline() {
            let baseline = presets::baseline(&draft);
            return self.train_together(vec![draft, baseline], Vec::new());
        }
        Some(vec![self.train(draft)])
    }

    /// Returns whether the current settings were just started, or whether a run of the last start is waiting or
    /// training.
    pub fn is_started(&self) -> bool {
        let Some(started) = &self.experiment.started else {
            return false;
        };
        let is_active = |job: &JobId| {
            let mut places = self.train.machines.values();
            self.running_job() == Some(*job)
                || self.waiting().any(|waiting| waiting.id == *job)
                || places.any(|at| at.job() == Some(*job) || at.queue.position(*job).is_some())
        };
        let is_same_setup = self.experiment.matches_set_up(&started.set_up)
            && self.experiment.machine == started.machine;
        is_same_setup
            && (started.started_at.elapsed() < MAX_QUEUE_DELAY
                || started.jobs.iter().any(is_active))
    }

    /// Returns the folders of a comparison once after all its runs have ended.
    pub fn take_comparison(&mut self) -> Option<Vec<PathBuf>> {
        self.compare.comparison.done.take()
    }

    /// Compares these runs when the last of them has ended.
    pub(super) fn compare_when_done(&mut self, jobs: Vec<JobId>) {
        self.compare.comparison =
            Comparison { jobs, done: self.compare.comparison.done.take(), ..Comparison::default() };
    }

    /// Requests the side-by-side view of these runs; does nothing for a single run.
    pub(super) fn request_side_by_side(&mut self, folders: Vec<PathBuf>) {
        self.compare.comparison.done = Some(folders).filter(|folders| folders.len() > 1);
    }

    /// Keeps the displayed run before another run replaces it, if it belongs to the latest comparison.
    pub(super) fn retain_compared_run(&mut self) {
        let Some(run) = &self.train.live else { return };
        let mut latest = self.compare.comparison.latest.iter();
        if latest.any(|folder| run.folder() == Some(folder.as_path())) {
            self.compare.comparison.ended.push(run.clone());
        }
    }

    /// Updates the runs of the comparison from an event.
    pub(super) fn follow_comparison(&mut self, job: JobId, event: &Event) {
        let Comparison { jobs, folders, latest, .. } = &mut self.compare.comparison;
        if !jobs.contains(&job) {
            return;
        }
        match event {
            // The run was restarted during training because of too little memory.
            Event::Started(_) if folders.iter().any(|(other, _)| *other == job) => {}
            Event::Started(header) => {
                folders.push((job, header.folder.clone()));
                latest.push(header.folder.clone());
            }
            Event::Finished { .. } => jobs.retain(|other| *other != job),
            Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                jobs.retain(|other| *other != job);
                folders.retain(|(other, _)| *other != job);
            }
            _ => return,
        }
        if jobs.is_empty() && folders.len() > 1 {
            let done = std::mem::take(folders);
            self.compare.comparison.done =
                Some(done.into_iter().map(|(_, folder)| folder).collect());
        }
    }
}
