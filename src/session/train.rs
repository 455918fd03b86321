//! The state of the page Train: the current run or an opened stored run, and the queue.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::added_task::TaskPreview;
use super::clusters::Clusters;
use super::comparison_run::SideRun;
use super::grid_at_work::GridAtWork;
use super::grids::GridView;
use super::label_noise::Doubts;
use super::loads::Lookup;
use super::remote_jobs::AtPlace;
use super::run_view::RunView;
use super::views::Fetch;
use super::worst::Certainties;
use crate::data::FULL_DEPTH;
use crate::problem::Result;
use crate::run::event::RunHeader;
use crate::run::job::JobId;
use crate::run::queue::Queue;
use crate::store::FileStamps;

/// The runs, the queue, and the analysis of errors on the page Train.
#[derive(Default)]
pub struct Train {
    /// The current run, or the last run.
    pub live: Option<Arc<RunView>>,
    /// The jobs on other machines, by the place's name.
    pub places: BTreeMap<String, AtPlace>,
    /// The place whose run is shown instead of the run on this computer.
    pub(super) watched: Option<String>,
    /// The stored run that is open.
    pub opened: Option<Arc<RunView>>,
    /// The stored run that is being opened.
    pub(super) awaited: Option<PathBuf>,
    /// The open run that was read again last, and the state of its files at that time.
    reread: Option<(PathBuf, FileStamps)>,
    /// The preview of the images that a run would learn in an added task.
    pub(super) preview: TaskPreview,
    /// The engine's queue.
    pub(super) queue: Queue,
    /// The grid in progress, or the last grid.
    pub grid: Option<Arc<GridAtWork>>,
    /// The state of the runs of queued grids, as far as it was requested.
    pub(super) planned: HashMap<JobId, Fetch<Arc<GridView>>>,
    /// Grids on clusters.
    pub clusters: Clusters,
    /// The run that is drawn next to the displayed run.
    pub beside: SideRun,
    /// Certainties of errors, computed for runs that did not record them.
    pub(super) worst: Certainties,
    /// Checks for training images that look like another class than their label.
    pub(super) doubts: Doubts,
}

type LiveRun<'a> = &'a mut Option<Arc<RunView>>;
type LiveGrid<'a> = &'a mut Option<Arc<GridAtWork>>;

impl Train {
    /// Returns the current run.
    pub fn running(&self) -> Option<&Arc<RunView>> {
        self.live.as_ref().filter(|run| run.stage.is_live())
    }

    /// Returns the current run and grid on this computer, or at this place.
    pub(super) fn at_work(&mut self, place: Option<&str>) -> Option<(LiveRun<'_>, LiveGrid<'_>)> {
        match place {
            None => Some((&mut self.live, &mut self.grid)),
            Some(name) => self
                .places
                .get_mut(name)
                .map(|at| (&mut at.live, &mut at.grid)),
        }
    }

    /// Returns the displayed run.
    pub fn shown(&self) -> Option<&Arc<RunView>> {
        let away = self.watched().and_then(|(_, at)| at.live.as_ref());
        self.opened.as_ref().or(away).or(self.live.as_ref())
    }

    /// Returns the place whose run is displayed; `None` while a stored run is displayed.
    pub fn watched(&self) -> Option<(&str, &AtPlace)> {
        let (name, at) = self.places.get_key_value(self.watched.as_ref()?)?;
        (self.opened.is_none() && at.live.is_some()).then_some((name, at))
    }

    /// Returns whether a job runs or waits at a place or on a cluster.
    pub fn is_busy_elsewhere(&self) -> bool {
        self.places.values().any(|at| !at.is_idle())
            || self.clusters.grids.iter().any(|grid| !grid.is_over())
    }

    /// Returns the run in progress at a place that will be copied to this folder.
    pub fn away_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let mut all = self.places.values().filter_map(AtPlace::running);
        all.find(|run| run.folder() == Some(folder))
    }

    /// Returns the grid in progress.
    pub fn running_grid(&self) -> Option<&Arc<GridAtWork>> {
        self.grid.as_ref().filter(|grid| grid.live)
    }

    /// Returns the state of the runs of a queued grid, or the request for it.
    pub fn planned(&self, job: JobId) -> Lookup<Arc<GridView>> {
        match self.planned.get(&job) {
            None => Lookup::unread(move |session| session.load_grid(job)),
            Some(view) => view.ready().cloned().map_or(Lookup::Absent, Lookup::Found),
        }
    }

    /// Returns the run in this folder, if it is running or open.
    pub fn run_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let away = self.places.values().map(|at| &at.live);
        let mut open = [&self.live, &self.opened].into_iter().chain(away).flatten();
        open.find(|run| run.folder() == Some(folder))
    }
}

impl Session {
    /// Returns whether a run is in progress.
    pub fn is_training(&self) -> bool {
        self.train.running().is_some()
    }

    /// Returns whether a job on this computer is running or about to start, ignoring jobs of the tour.
    pub fn is_at_work(&self) -> bool {
        let waiting = self.waiting().filter(|job| !job.held).map(|job| job.id);
        let mut jobs = self.running_job().into_iter().chain(waiting);
        jobs.any(|job| !self.is_tour_job(job))
    }

    /// Returns the running job.
    pub fn running_job(&self) -> Option<JobId> {
        self.train.running()?.job
    }

    /// Returns the folder of the current run, or of the run that was interrupted when the last window closed. Runs of
    /// the tour are ignored because they are never resumed.
    pub fn unfinished(&self) -> Option<&Path> {
        let live = self.train.running();
        let live = live.filter(|run| !run.job.is_some_and(|job| self.is_tour_job(job)));
        // Grids are ignored because a restarted grid resumes its run itself.
        let live = live.filter(|_| self.train.running_grid().is_none());
        live.and_then(|run| run.folder())
            .or(self.former.interrupted.as_deref())
    }

    /// Returns the header of the run in this folder, if it is open or listed.
    pub fn header_of(&self, folder: &Path) -> Option<&RunHeader> {
        match self.train.run_in(folder) {
            Some(run) => run.header.as_ref(),
            None => self.row(folder)?.header.as_ref(),
        }
    }

    /// Returns the bit depth of the run in this folder if it is open or listed; otherwise the default.
    pub(super) fn bit_depth_of(&self, folder: &Path) -> usize {
        self.header_of(folder)
            .map_or(FULL_DEPTH, |header| header.config.bit_depth)
    }

    /// Returns the number of finished tasks of the run in this folder, if it is open or listed.
    pub fn finished_tasks(&self, folder: &Path) -> usize {
        match self.train.run_in(folder) {
            Some(run) => run.reports.len(),
            None => self
                .row(folder)
                .map_or(0, |row| row.answers().accuracy.len()),
        }
    }

    /// Opens a stored run. If several are requested, the last one is shown.
    pub fn open_run(&mut self, folder: PathBuf) {
        self.train.awaited = Some(folder.clone());
        let asked = folder.clone();
        self.task(
            move |sources| sources.run(&folder),
            move |session, run| session.accept_opened_run(&asked, run),
        );
    }

    /// Closes the open run, or stops opening one.
    pub fn close_opened(&mut self) {
        self.train.opened = None;
        self.train.awaited = None;
        self.train.watched = None;
    }

    /// Checks whether the files of the open run have changed, because another program may train it.
    pub fn check_opened_run(&mut self) {
        let opened = self.train.opened.as_ref().and_then(|run| run.folder());
        if let Some(folder) = opened.map(Path::to_path_buf) {
            self.list_run(folder);
        }
    }

    /// Reads the open run again if its row has other tasks than displayed. This is done once per state of its files,
    /// because an error persists until they change.
    pub(super) fn follow_opened(&mut self) {
        let Some(run) = &self.train.opened else {
            return;
        };
        let Some(header) = &run.header else { return };
        let awaited = self.train.awaited.as_ref();
        if awaited.is_some_and(|awaited| *awaited != header.folder) {
            // The user is opening another run.
            return;
        }
        let row = self.row(&header.folder).filter(|row| row.header.is_some());
        let Some(row) = row else { return };
        let now = (row.tasks(), row.answers().accuracy.len());
        let reread = Some((header.folder.clone(), row.file_stamps.clone()));
        if now != (header.tasks.len(), run.reports.len()) && reread != self.train.reread {
            let folder = header.folder.clone();
            self.train.reread = reread;
            self.open_run(folder);
        }
    }

    fn accept_opened_run(&mut self, folder: &Path, run: Result<RunView>) {
        if self.train.awaited.as_deref() != Some(folder) {
            return;
        }
        match run {
            Ok(run) => self.train.opened = Some(Arc::new(run)),
            Err(problem) => {
                self.train.awaited = None;
                self.accept_unopened_run(folder, problem);
            }
        }
    }
}
