//! What the page Train shows: the run at work or a stored one that was opened, and what waits.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::at_places::AtPlace;
use super::clusters::Clusters;
use super::companion::Beside;
use super::doubts::Doubts;
use super::grid_at_work::GridAtWork;
use super::grids::GridView;
use super::loads::{Load, Lookup};
use super::pupil::Pupil;
use super::run_view::RunView;
use super::views::Fetch;
use super::worst::Certainties;
use crate::data::FULL_DEPTH;
use crate::problem::Result;
use crate::run::event::RunHeader;
use crate::run::job::JobId;
use crate::run::queue::Queue;
use crate::store::Glance;

/// The runs on show, and what is found out about their mistakes.
#[derive(Default)]
pub struct Train {
    /// The run at work, or the one that ended last.
    pub live: Option<Arc<RunView>>,
    /// The jobs at other machines, by the place's name.
    pub places: BTreeMap<String, AtPlace>,
    /// The place whose run is on show before the one here.
    pub(super) watched: Option<String>,
    /// A stored run that was opened.
    pub opened: Option<Arc<RunView>>,
    /// The stored run that is being opened.
    pub(super) awaited: Option<PathBuf>,
    /// The run that was read again last, and how its files stood then.
    reread: Option<(PathBuf, Glance)>,
    /// What a run is to be taught.
    pub(super) pupil: Pupil,
    /// What waits, as the engine told.
    pub(super) queue: Queue,
    /// The grid at work, or the last one that was.
    pub grid: Option<Arc<GridAtWork>>,
    /// Grids that wait in the queue, as far as somebody looked at their runs.
    pub(super) planned: HashMap<JobId, Fetch<Arc<GridView>>>,
    /// Grids on clusters.
    pub clusters: Clusters,
    /// Which run is drawn beside the one on show.
    pub beside: Beside,
    /// How certain runs were of mistakes that did not note it.
    pub(super) worst: Certainties,
    /// Training pictures of runs that look like another class.
    pub(super) doubts: Doubts,
}

type LiveRun<'a> = &'a mut Option<Arc<RunView>>;
type LiveGrid<'a> = &'a mut Option<Arc<GridAtWork>>;

impl Train {
    /// The run at work.
    pub fn running(&self) -> Option<&Arc<RunView>> {
        self.live.as_ref().filter(|run| run.stage.is_live())
    }

    /// The run at work here, or at this place, and the grid that it is of.
    pub(super) fn at_work(&mut self, place: Option<&str>) -> Option<(LiveRun<'_>, LiveGrid<'_>)> {
        match place {
            None => Some((&mut self.live, &mut self.grid)),
            Some(name) => self
                .places
                .get_mut(name)
                .map(|at| (&mut at.live, &mut at.grid)),
        }
    }

    /// The run on show.
    pub fn shown(&self) -> Option<&Arc<RunView>> {
        let away = self.watched().and_then(|(_, at)| at.live.as_ref());
        self.opened.as_ref().or(away).or(self.live.as_ref())
    }

    /// The place whose run is on show, unless a stored one is.
    pub fn watched(&self) -> Option<(&str, &AtPlace)> {
        let (name, at) = self.places.get_key_value(self.watched.as_ref()?)?;
        (self.opened.is_none() && at.live.is_some()).then_some((name, at))
    }

    /// Whether something is at work or waits at a place or on a cluster.
    pub fn is_busy_elsewhere(&self) -> bool {
        self.places.values().any(|at| !at.is_idle())
            || self.clusters.grids.iter().any(|grid| !grid.is_over())
    }

    /// The run at work at a place that comes home to this folder.
    pub fn away_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let mut all = self.places.values().filter_map(AtPlace::running);
        all.find(|run| run.header.as_ref().is_some_and(|h| h.folder == folder))
    }

    /// The grid at work.
    pub fn running_grid(&self) -> Option<&Arc<GridAtWork>> {
        self.grid.as_ref().filter(|grid| grid.live)
    }

    /// How the runs of a grid stand that waits in the queue; asked for where nobody did.
    pub fn planned(&self, job: JobId) -> Lookup<Arc<GridView>> {
        match self.planned.get(&job) {
            None => Lookup::Unread(Load::Grid(job)),
            Some(view) => view.ready().cloned().map_or(Lookup::Absent, Lookup::Found),
        }
    }

    /// The run in this folder, if it is at work or open.
    pub fn run_in(&self, folder: &Path) -> Option<&Arc<RunView>> {
        let away = self.places.values().map(|at| &at.live);
        let mut open = [&self.live, &self.opened].into_iter().chain(away).flatten();
        open.find(|run| run.header.as_ref().is_some_and(|h| h.folder == folder))
    }
}

impl Session {
    /// Whether a run is at work.
    pub fn is_training(&self) -> bool {
        self.train.running().is_some()
    }

    /// Whether a job is at work on this computer, or is about to begin; those of the tour do not count.
    pub fn is_at_work(&self) -> bool {
        let waiting = self.waiting().filter(|job| !job.held).map(|job| job.id);
        let mut jobs = self.running_job().into_iter().chain(waiting);
        jobs.any(|job| !self.is_toured(job))
    }

    /// The job at work.
    pub fn running_job(&self) -> Option<JobId> {
        self.train.running()?.job
    }

    /// The folder of the run at work, or of one that the last window was closed on. A run of the
    /// tour is none: nobody goes on with it.
    pub fn unfinished(&self) -> Option<&Path> {
        let live = self.train.running();
        let live = live.filter(|run| !run.job.is_some_and(|job| self.is_toured(job)));
        // A grid that is begun again goes on with its run by itself.
        let live = live.filter(|_| self.train.running_grid().is_none());
        live.and_then(|run| run.header.as_ref())
            .map(|header| header.folder.as_path())
            .or(self.former.interrupted.as_deref())
    }

    /// The facts of the run in this folder, as far as it is open or listed.
    pub fn header_of(&self, folder: &Path) -> Option<&RunHeader> {
        match self.train.run_in(folder) {
            Some(run) => run.header.as_ref(),
            None => self.row(folder)?.header.as_ref(),
        }
    }

    /// Returns the bit depth of the run in this folder if it is open or listed, else the default.
    pub(super) fn bit_depth_of(&self, folder: &Path) -> usize {
        self.header_of(folder)
            .map_or(FULL_DEPTH, |header| header.config.bit_depth)
    }

    /// The number of finished tasks of the run in this folder, as far as it is open or listed.
    pub fn finished_tasks(&self, folder: &Path) -> usize {
        match self.train.run_in(folder) {
            Some(run) => run.reports.len(),
            None => self
                .row(folder)
                .map_or(0, |row| row.answers().accuracy.len()),
        }
    }

    /// Opens a stored run; of several asked for the last one counts.
    pub fn open_run(&mut self, folder: PathBuf) {
        self.train.awaited = Some(folder.clone());
        let asked = folder.clone();
        self.task(
            move |sources| sources.run(&folder),
            move |session, run| session.take_opened(&asked, run),
        );
    }

    /// Shows no stored run any more, nor one that is still being read.
    pub fn close_opened(&mut self) {
        self.train.opened = None;
        self.train.awaited = None;
        self.train.watched = None;
    }

    /// Looks how the opened run stands on disk: another program may train or teach it.
    pub fn look_at_opened(&mut self) {
        let opened = self
            .train
            .opened
            .as_ref()
            .and_then(|run| run.header.as_ref());
        if let Some(folder) = opened.map(|header| header.folder.clone()) {
            self.list_run(folder);
        }
    }

    /// Reads the opened run again where its row has other tasks than are on show: once as its files stand, for what
    /// cannot be read stays so until they change.
    pub(super) fn follow_opened(&mut self) {
        let Some(run) = &self.train.opened else {
            return;
        };
        let Some(header) = &run.header else { return };
        let awaited = self.train.awaited.as_ref();
        if awaited.is_some_and(|awaited| *awaited != header.folder) {
            // The person opens another run.
            return;
        }
        let row = self.row(&header.folder).filter(|row| row.header.is_some());
        let Some(row) = row else { return };
        let now = (row.tasks(), row.answers().accuracy.len());
        let reread = Some((header.folder.clone(), row.glance.clone()));
        if now != (header.tasks.len(), run.reports.len()) && reread != self.train.reread {
            let folder = header.folder.clone();
            self.train.reread = reread;
            self.open_run(folder);
        }
    }

    fn take_opened(&mut self, folder: &Path, run: Result<RunView>) {
        if self.train.awaited.as_deref() != Some(folder) {
            return;
        }
        match run {
            Ok(run) => self.train.opened = Some(Arc::new(run)),
            Err(problem) => {
                self.train.awaited = None;
                self.take_unopened(folder, problem);
            }
        }
    }
}
