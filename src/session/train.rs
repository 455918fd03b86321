//! The state of the page Train: the current run or an opened stored run, and the queue.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::added_task::TaskPreview;
use super::clusters::Clusters;
use super::comparison_run::SideRun;
use super::grid_progress::GridProgress;
use super::grids::GridView;
use super::label_noise::LabelChecks;
use super::loads::Lookup;
use super::mistakes::Certainties;
use super::remote_jobs::MachineJobs;
use super::run_view::RunView;
use super::views::Fetch;
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
    /// The jobs on other machines, by the machine's name.
    pub machines: BTreeMap<String, MachineJobs>,
    /// The machine whose run is shown instead of the run on this computer.
    pub(super) watched_machine: Option<String>,
    /// The stored run that is open.
    pub opened: Option<Arc<RunView>>,
    /// The stored run that is being opened.
    pub(super) opening: Option<PathBuf>,
    /// The open run that was read again last, and the state of its files at that time.
    last_reread: Option<(PathBuf, FileStamps)>,
    /// The preview of the images that a run would learn in an added task.
    pub(super) preview: TaskPreview,
    /// The engine's queue.
    pub(super) queue: Queue,
    /// The grid in progress, or the last grid.
    pub grid: Option<Arc<GridProgress>>,
    /// The state of the runs of queued grids, as far as it was requested.
    pub(super) planned_grids: HashMap<JobId, Fetch<Arc<GridView>>>,
    /// Grids on clusters.
    pub clusters: Clusters,
    /// The run that is drawn next to the displayed run.
    pub side_run: SideRun,
    /// Certainties of errors, computed for runs that did not record them.
    pub(super) certainties: Certainties,
    /// Checks for training images that look like another class than their label.
    pub(super) label_checks: LabelChecks,
}

type LiveRun<'a> = &'a mut Option<Arc<RunView>>;
type LiveGrid<'a> = &'a mut Option<Arc<GridProgress>>;

impl Train {
    /// Returns the current run.
    pub fn running(&self) -> Option<&Arc<RunView>> {
        self.live.as_ref().filter(|run| run.stage.is_live())
    }

    /// Returns the current run and grid on this computer, or on this remote machine.
    pub(super) fn active_run_and_grid(
        &mut self,
        machine: Option<&str>,
    ) -> Option<(LiveRun<'_>, LiveGrid<'_>)> {
        match machine {
            None => Some((&mut self.live, &mut self.grid)),
            Some(name) => self.machines.get_mut(name).map(|at| (&mut at.live, &mut at.grid)),
        }
    }

    /// Returns the displayed run.
    pub fn displayed_run(&self) -> Option<&Arc<RunView>> {
        let remote = self.watched_machine().and_then(|(_, at)| at.live.as_ref());
        self.opened.as_ref().or(remote).or(self.live.as_ref())
    }

    /// Returns the machine whose run is displayed; `None` while a stored run is displayed.
    pub fn watched_machine(&self) -> Option<(&str, &MachineJobs)> {
        let (name, jobs) = self.machines.get_key_value(self.watched_machine.as_ref()?)?;
        (self.opened.is_none() && jobs.live.is_some()).then_some((name, jobs))
    }

    /// Returns whether a job runs or waits on a remote machine or a cluster.
    pub fn is_busy_elsewhere(&self) -> bool {
        self.machines.values().any(|at| !at.is_idle())
            || self.clusters.grids.iter().any(|grid| !grid.has_ended())
    }

    /// Returns the run in progress on a remote machine that will be copied to this folder.
    pub fn remote_run_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let mut runs = self.machines.values().filter_map(MachineJobs::running);
        runs.find(|run| run.folder() == Some(folder))
    }

    /// Returns the grid in progress.
    pub fn running_grid(&self) -> Option<&Arc<GridProgress>> {
        self.grid.as_ref().filter(|grid| grid.is_live)
    }

    /// Returns the state of the runs of a queued grid, or the request for it.
    pub fn planned_grid(&self, job: JobId) -> Lookup<Arc<GridView>> {
        match self.planned_grids.get(&job) {
            None => Lookup::unread(move |session| session.load_grid(job)),
            Some(view) => view.ready().cloned().map_or(Lookup::Absent, Lookup::Found),
        }
    }

    /// Returns the run in this folder, if it is running or open.
    pub fn run_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let remote = self.machines.values().map(|at| &at.live);
        let mut open = [&self.live, &self.opened].into_iter().chain(remote).flatten();
        open.find(|run| run.folder() == Some(folder))
    }
}

impl Session {
    /// Returns whether a run is in progress.
    pub fn is_training(&self) -> bool {
        self.train.running().is_some()
    }

    /// Returns whether a job on this computer is running or about to start, ignoring jobs of the tour.
    pub fn has_active_job(&self) -> bool {
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
    pub fn unfinished_run(&self) -> Option<&Path> {
        let live = self.train.running();
        let live = live.filter(|run| !run.job.is_some_and(|job| self.is_tour_job(job)));
        // Grids are ignored because a restarted grid resumes its run itself.
        let live = live.filter(|_| self.train.running_grid().is_none());
        live.and_then(|run| run.folder()).or(self.former.interrupted.as_deref())
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
        self.header_of(folder).map_or(FULL_DEPTH, |header| header.config.bit_depth)
    }

    /// Returns the number of finished tasks of the run in this folder, if it is open or listed.
    pub fn finished_tasks(&self, folder: &Path) -> usize {
        match self.train.run_in(folder) {
            Some(run) => run.reports.len(),
            None => self.row(folder).map_or(0, |row| row.answer_history().accuracy.len()),
        }
    }

    /// Opens a stored run. If several are requested, the last one is shown.
    pub fn open_run(&mut self, folder: PathBuf) {
        self.train.opening = Some(folder.clone());
        let requested = folder.clone();
        self.task(
            move |sources| sources.load_run(&folder),
            move |session, run| session.accept_opened_run(&requested, run),
        );
    }

    /// Closes the open run, or stops opening one.
    pub fn close_opened_run(&mut self) {
        self.train.opened = None;
        self.train.opening = None;
        self.train.watched_machine = None;
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
    pub(super) fn reread_opened_run(&mut self) {
        let Some(run) = &self.train.opened else {
            return;
        };
        let Some(header) = &run.header else { return };
        let opening = self.train.opening.as_ref();
        if opening.is_some_and(|opening| *opening != header.folder) {
            // The user is opening another run.
            return;
        }
        let row = self.row(&header.folder).filter(|row| row.header.is_some());
        let Some(row) = row else { return };
        let current = (row.tasks(), row.answer_history().accuracy.len());
        let reread = Some((header.folder.clone(), row.file_stamps.clone()));
        if current != (header.tasks.len(), run.reports.len()) && reread != self.train.last_reread {
            let folder = header.folder.clone();
            self.train.last_reread = reread;
            self.open_run(folder);
        }
    }

    fn accept_opened_run(&mut self, folder: &Path, run: Result<RunView>) {
        if self.train.opening.as_deref() != Some(folder) {
            return;
        }
        match run {
            Ok(run) => self.train.opened = Some(Arc::new(run)),
            Err(problem) => {
                self.train.opening = None;
                self.accept_unopened_run(folder, problem);
            }
        }
    }
}
