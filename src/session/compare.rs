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
const MOMENT: Duration = Duration::from_secs(1);

/// The last start from the settings on Experiment.
pub(super) struct LastStart {
    set_up: SetUp,
    place: Option<String>,
    jobs: Vec<JobId>,
    at: Instant,
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
        self.rows()
            .find(|row| row.name == name && row.folder == folder)
    }

    /// Returns whether Baseline is trained in addition to the settings.
    pub fn with_baseline(&self) -> bool {
        self.experiment.beside && self.experiment.draft.method != lae::BASELINE.key
    }

    /// Trains the settings, and also Baseline if that is selected. Returns whether the runs were queued.
    pub fn start(&mut self) -> bool {
        let Some(jobs) = self.begin() else {
            return false;
        };
        self.experiment.started = Some(LastStart {
            set_up: self.experiment.set_up(),
            place: self.experiment.place.clone(),
            jobs,
            at: Instant::now(),
        });
        true
    }

    /// Queues the runs of the settings or their grid. Returns the jobs; empty for a grid.
    fn begin(&mut self) -> Option<Vec<JobId>> {
        if self.has_grid() {
            return self.start_grid().then(Vec::new);
        }
        let draft = self.experiment.draft.clone();
        if self.with_baseline() {
            let then = presets::baseline(&draft);
            return self.train_together(vec![draft, then], Vec::new());
        }
        Some(vec![self.train(draft)])
    }

    /// Returns whether the current settings were just started, or whether a run of the last start is waiting or
    /// training.
    pub fn is_started(&self) -> bool {
        let Some(started) = &self.experiment.started else {
            return false;
        };
        let under_way = |job: &JobId| {
            let mut places = self.train.places.values();
            self.running_job() == Some(*job)
                || self.waiting().any(|waiting| waiting.id == *job)
                || places.any(|at| at.job() == Some(*job) || at.queue.place(*job).is_some())
        };
        let same = self.experiment.is(&started.set_up) && self.experiment.place == started.place;
        same && (started.at.elapsed() < MOMENT || started.jobs.iter().any(under_way))
    }

    /// Returns the folders of a comparison once after all its runs have ended.
    pub fn take_comparison(&mut self) -> Option<Vec<PathBuf>> {
        self.compare.comparison.done.take()
    }

    /// Compares these runs when the last of them has ended.
    pub(super) fn compare_when_done(&mut self, jobs: Vec<JobId>) {
        self.compare.comparison = Comparison {
            jobs,
            done: self.compare.comparison.done.take(),
            ..Comparison::default()
        };
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
        let Comparison {
            jobs,
            folders,
            latest,
            ..
        } = &mut self.compare.comparison;
        if !jobs.contains(&job) {
            return;
        }
        match event {
            // The run was restarted during training because of too little memory.
            Event::Started(_) if folders.iter().any(|(known, _)| *known == job) => {}
            Event::Started(header) => {
                folders.push((job, header.folder.clone()));
                latest.push(header.folder.clone());
            }
            Event::Finished { .. } => jobs.retain(|known| *known != job),
            Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                jobs.retain(|known| *known != job);
                folders.retain(|(known, _)| *known != job);
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
