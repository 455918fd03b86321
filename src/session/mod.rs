//! The open workspace: it owns the engine's handle and the helper threads, and folds everything
//! they tell into plain views. Pages read the views; nothing here waits or draws.

mod about;
pub mod advice;
mod album;
pub mod backend;
pub mod bin;
pub mod board;
mod cards;
pub mod chooser;
pub mod collection;
pub mod companion;
mod comparison;
pub mod data_sets;
pub mod differences;
pub mod doubts;
pub mod downloads;
pub mod drawing;
pub mod estimate;
mod events;
pub mod export;
pub mod first_task;
pub mod folders;
pub mod former;
pub mod inside;
pub mod inventory;
pub mod learn;
mod lesson;
mod line;
pub mod mended;
pub mod notices;
pub mod of_data;
pub mod opening;
pub mod paired;
pub mod pins;
pub mod plain;
mod planning;
pub mod predict;
pub mod presets;
pub mod quality;
mod refusal;
pub mod report;
pub mod row;
pub mod run_view;
pub mod sheet;
mod sources;
pub mod split;
pub mod story;
mod tasks;
mod tested;
pub mod tour;
mod train;
pub mod units;
pub mod views;
pub mod words;
pub mod worst;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Command, RunHeader, Wish};
use crate::run::job::JobId;
use crate::run::queue::Line;
use backend::Backend;
use chooser::Choosing;
use collection::Collection;
use former::Former;
use inside::Insides;
use inventory::Inventory;
use learn::Learn;
use notices::Notices;
use opening::Opening;
use pins::Pins;
use planning::Planning;
use predict::PredictView;
use run_view::RunView;
use tasks::Tasks;
use views::{DataView, Fetch, Plan, RunRow};

pub use sources::{Disk, Sources};

/// Wakes the window.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The open workspace.
pub struct Session {
    backend: Box<dyn Backend>,
    tasks: Tasks,
    /// The settings being edited.
    pub draft: RunConfig,
    /// Whether Baseline is to be trained beside the settings, and both be compared.
    pub beside: bool,
    /// The preset that the settings were taken from, by name; they may have been changed since.
    pub preset: Option<String>,
    comparison: comparison::Comparison,
    /// Which run Train draws beside the one on show.
    pub beside_shown: companion::Beside,
    /// The settings that other data sets were used with.
    kept: of_data::Kept,
    suiting: of_data::Suiting,
    /// What the last window left.
    pub former: Former,
    /// The data set of the settings.
    pub data: Fetch<Arc<DataView>>,
    /// What the settings come to; kept until a newer one is there.
    pub plan: Plan,
    planning: Planning,
    /// What settings can be made of.
    pub inventory: Inventory,
    /// The stored runs.
    pub runs: Fetch<Arc<Vec<RunRow>>>,
    /// The folders they are listed from beside the usual one.
    pub folders: folders::Folders,
    /// The deleted runs, once somebody looked for them.
    pub deleted: Fetch<Arc<Vec<bin::DeletedRun>>>,
    /// The run at work, or the one that ended last.
    pub live: Option<Arc<RunView>>,
    /// What waits, as the engine told.
    line: Line,
    /// A stored run, opened on Train.
    pub opened: Option<Arc<RunView>>,
    /// The stored run that is being opened.
    awaited: Option<PathBuf>,
    /// The Predict page's picture and answers.
    pub predict: PredictView,
    /// Pictures being gathered in the window.
    pub collection: Collection,
    /// Pinned pictures and what runs say to them.
    pub pins: Pins,
    /// How certain runs were of mistakes that did not note it.
    worst: worst::Certainties,
    /// Training pictures of runs that look like another class.
    doubts: doubts::Doubts,
    /// The table of a folder that was asked for last.
    pub sheet: Option<sheet::SheetView>,
    /// What was seen inside runs.
    pub insides: Insides,
    /// What the page Learn shows.
    pub learn: Learn,
    sets: data_sets::DataSets,
    /// Files and folders being chosen in dialogs of the desktop.
    pub choosing: Choosing,
    /// What a report of a problem would hold, once it was asked for.
    pub report: Fetch<Arc<report::Report>>,
    /// What the person was told.
    pub notices: Notices,
    /// Files being written by helper threads, each with what stops it.
    exports: Vec<Arc<Opening>>,
    tickets: u64,
}

impl Session {
    /// A workspace over the real engine; `runs_root` holds the run folders.
    ///
    /// # Errors
    /// A Problem when the engine's thread cannot be started.
    pub fn open(runs_root: PathBuf, draft: RunConfig, wake: Wake) -> Result<Self> {
        let backend = sources::engine(runs_root.clone(), wake.clone())?;
        Ok(Self::with(backend, Disk::at(runs_root), draft, wake))
    }

    /// A workspace over any backend and any sources.
    pub fn with(
        backend: Box<dyn Backend>,
        sources: impl Sources + 'static,
        draft: RunConfig,
        wake: Wake,
    ) -> Self {
        let mut session = Self {
            backend,
            tasks: Tasks::new(Arc::new(sources), wake),
            draft,
            beside: false,
            preset: None,
            comparison: comparison::Comparison::default(),
            beside_shown: companion::Beside::default(),
            kept: of_data::Kept::new(),
            suiting: of_data::Suiting::default(),
            former: Former::default(),
            data: Fetch::Nothing,
            plan: Plan::default(),
            planning: Planning::default(),
            inventory: Inventory::default(),
            runs: Fetch::Nothing,
            folders: folders::Folders::default(),
            deleted: Fetch::Nothing,
            live: None,
            line: Line::default(),
            opened: None,
            awaited: None,
            predict: PredictView::default(),
            collection: Collection::default(),
            pins: Pins::default(),
            worst: worst::Certainties::default(),
            doubts: doubts::Doubts::default(),
            sheet: None,
            insides: Insides::default(),
            learn: Learn::default(),
            sets: data_sets::DataSets::default(),
            choosing: Choosing::default(),
            report: Fetch::Nothing,
            notices: Notices::default(),
            exports: Vec::new(),
            tickets: 0,
        };
        session.read_plugins();
        session.read_backbones();
        session.read_devices();
        session.list_runs();
        session.open_data(&session.draft.data.clone());
        session
    }

    /// Takes in everything that engine and helper threads have told since. Never waits. Returns
    /// whether anything changed.
    pub fn drain(&mut self) -> bool {
        let mut changed = false;
        while let Some(told) = self.backend.try_recv() {
            self.take_event(told);
            self.follow_tour();
            changed = true;
        }
        while let Some(take) = self.tasks.try_recv() {
            take(self);
            changed = true;
        }
        if changed {
            self.ask_undone();
            self.ask_pins();
            self.look_on();
            self.follow_tour();
            self.fold_unit();
        }
        self.refresh_data();
        self.refresh_plan();
        changed
    }

    /// Whether helper threads are at work.
    pub fn busy(&self) -> bool {
        self.tasks.busy()
    }

    /// Whether a run is at work.
    pub fn is_training(&self) -> bool {
        self.live.as_ref().is_some_and(|run| run.stage.is_live())
    }

    /// The job at work.
    pub fn at_work(&self) -> Option<JobId> {
        self.live.as_ref().filter(|run| run.stage.is_live())?.job
    }

    /// The folder of the run at work, or of one that the last window was closed on. A run of the
    /// tour is none: nobody goes on with it.
    pub fn unfinished(&self) -> Option<&Path> {
        let live = self.live.as_ref().filter(|run| run.stage.is_live());
        let live = live.filter(|run| !run.job.is_some_and(|job| self.is_toured(job)));
        let at_work = live.and_then(|run| run.header.as_ref());
        at_work
            .map(|header| header.folder.as_path())
            .or(self.former.left_off.as_deref())
    }

    /// The run that Train shows.
    pub fn shown_run(&self) -> Option<&Arc<RunView>> {
        self.opened.as_ref().or(self.live.as_ref())
    }

    /// The facts of the run in this folder, as far as it is open or listed.
    pub fn header_of(&self, folder: &Path) -> Option<&RunHeader> {
        let open = [self.live.as_ref(), self.opened.as_ref()];
        let mut headers = open
            .into_iter()
            .flatten()
            .filter_map(|run| run.header.as_ref());
        headers
            .find(|header| header.folder == folder)
            .or_else(|| self.row(folder)?.header.as_ref())
    }

    /// A row of the list of runs.
    pub fn row(&self, folder: &Path) -> Option<&RunRow> {
        self.runs.ready()?.iter().find(|row| row.folder == folder)
    }

    /// The run in this folder, as far as it is open or listed: class order and number of finished
    /// tasks.
    pub fn finished_tasks(&self, folder: &Path) -> usize {
        let open = [self.live.as_ref(), self.opened.as_ref()];
        let of = |run: &&Arc<RunView>| run.header.as_ref().is_some_and(|h| h.folder == folder);
        if let Some(run) = open.into_iter().flatten().find(of) {
            return run.reports.len();
        }
        self.row(folder)
            .map_or(0, |row| row.answers().accuracy.len())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave_tour();
        self.end_exports();
        self.backend.wish(Wish::Stop);
        self.backend.send(Command::Shutdown);
    }
}
