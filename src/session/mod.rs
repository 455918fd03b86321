//! The open workspace. It owns the engine's handle and the helper threads, and applies their events to plain data.
//! Pages read this data; nothing here blocks or draws.

mod added_task;
pub mod advice;
mod annotations;
pub mod augmented_samples;
pub mod backend;
mod background;
pub mod board;
pub mod bug_report;
pub mod by_class;
pub mod class_schedule;
pub mod classify;
pub mod clusters;
pub mod collection;
pub mod comparable;
pub mod compare;
pub mod comparison_run;
pub mod corrected_labels;
pub mod dataset_settings;
pub mod datasets;
pub mod deleted_runs;
pub mod differences;
pub mod downloads;
pub mod drafts;
pub mod drawing;
pub mod editor;
pub mod estimate;
mod events;
pub mod experiment;
pub mod explanation;
pub mod exports;
pub mod file_dialog;
pub mod findings;
pub mod first_task;
pub mod folders;
pub mod forgetting;
pub mod formatting;
pub mod grid_progress;
pub mod grids;
mod image_cache;
pub mod image_folder;
mod index_check;
pub mod inside;
pub mod inventory;
pub mod label_noise;
pub mod last_window;
pub mod lessons;
pub mod loads;
pub mod mistakes;
pub mod notices;
pub mod paired;
pub mod pins;
mod planning;
pub mod predict;
pub mod prediction_table;
pub mod progress;
mod queue;
mod remote_backend;
pub mod remote_jobs;
pub mod run_row;
pub mod run_table;
pub mod run_view;
mod sources;
pub mod split;
pub mod tour;
pub mod train;
pub mod trials;
pub mod views;
pub mod window_terms;

use std::path::PathBuf;
use std::sync::Arc;

use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Command, ControlRequest};
use backend::{Backend, EngineHost};
use background::Tasks;
use classify::ModelState;
use collection::Collection;
use compare::Compare;
use experiment::Experiment;
use file_dialog::FileSelection;
use inventory::Inventory;
use last_window::LastWindow;
use lessons::Lessons;
use notices::Notices;
use predict::PredictView;
use remote_jobs::Machines;
use tour::Tour;
use train::Train;
use views::Fetch;

pub use crate::experiment::presets;
pub use sources::{Disk, Sources};

/// A callback that wakes the window.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The tour and the lessons.
#[derive(Default)]
pub struct Learn {
    /// The tour; `None` while it is closed.
    pub tour: Option<Tour>,
    /// The lessons.
    pub lessons: Lessons,
}

/// The open workspace.
pub struct Session {
    backend: Box<dyn Backend>,
    tasks: Tasks,
    /// The state of the page Experiment.
    pub experiment: Experiment,
    /// State of the last window.
    pub former: LastWindow,
    /// The available choices for settings.
    pub inventory: Inventory,
    /// The other machines that can train runs, and the clusters.
    pub machines: Machines,
    /// The state of the page Compare.
    pub compare: Compare,
    /// The state of the page Train.
    pub train: Train,
    /// The state of the page Predict.
    pub predict: PredictView,
    /// The state of making a model for a user's own images.
    pub classify: ModelState,
    /// The images that are collected in the window.
    pub collection: Collection,
    /// State of saving and checking the collected images.
    pub saving_collection: Fetch<()>,
    drafts: drafts::DraftState,
    /// The plugin that is being edited.
    pub editor: editor::Editor,
    /// The state of the page Learn.
    pub learn: Learn,
    datasets: datasets::Datasets,
    /// State of file dialogs and dropped files.
    pub file_selection: FileSelection,
    /// The bug report, once it is requested.
    pub bug_report: Fetch<Arc<bug_report::BugReport>>,
    /// State of saving the bug report.
    pub saving_report: Fetch<()>,
    /// Notices to the user.
    pub notices: Notices,
    exports: exports::Exports,
    tickets: u64,
}

impl Session {
    /// Opens a workspace with the real engine in the requested place (a thread or a child process). `runs_root` contains
    /// the run folders.
    ///
    /// # Errors
    /// Returns a Problem if the engine cannot be started.
    pub fn open(
        runs_root: PathBuf,
        draft: RunConfig,
        engine_host: EngineHost,
        wake: Wake,
    ) -> Result<Self> {
        let backend = sources::engine(runs_root.clone(), engine_host, wake.clone())?;
        Ok(Self::with_backend(backend, Disk::new(runs_root), draft, wake))
    }

    /// Opens a workspace with any backend and any sources.
    pub fn with_backend(
        backend: Box<dyn Backend>,
        sources: impl Sources + 'static,
        draft: RunConfig,
        wake: Wake,
    ) -> Self {
        let mut session = Self {
            backend,
            tasks: Tasks::new(Arc::new(sources), wake),
            experiment: Experiment { draft, ..Experiment::default() },
            former: LastWindow::default(),
            inventory: Inventory::default(),
            machines: Machines::default(),
            compare: Compare::default(),
            train: Train::default(),
            predict: PredictView::default(),
            classify: ModelState::default(),
            collection: Collection::default(),
            drafts: drafts::DraftState::default(),
            editor: editor::Editor::default(),
            learn: Learn::default(),
            datasets: datasets::Datasets::default(),
            file_selection: FileSelection::default(),
            bug_report: Fetch::Nothing,
            saving_report: Fetch::Nothing,
            saving_collection: Fetch::Nothing,
            notices: Notices::default(),
            exports: exports::Exports::default(),
            tickets: 0,
        };
        session.read_plugins();
        session.read_backbones();
        session.read_devices();
        session.load_machines();
        session.list_runs();
        session.open_data(&session.experiment.draft.data.clone());
        session
    }

    /// Processes everything that the engine and the helper threads have sent since the last call, without blocking.
    /// Returns whether anything changed.
    pub fn drain(&mut self) -> bool {
        let mut changed = false;
        while let Some(event) = self.backend.try_recv() {
            self.handle_event(event);
            self.update_tour();
            changed = true;
        }
        changed |= self.drain_machines();
        while let Some(apply) = self.tasks.try_recv() {
            apply(self);
            changed = true;
        }
        if changed {
            self.repredict_after_undo();
            self.request_pin_predictions();
            self.predict_next_error();
            self.update_tour();
            self.update_lesson();
        }
        self.refresh_data();
        self.refresh_plan();
        self.train_planned_model();
        self.refresh_grid();
        self.refresh_idle();
        self.refresh_editor();
        changed
    }

    /// Returns a new number for a request, so that its answer can be recognised.
    fn next_ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// Returns whether helper threads are busy.
    pub fn is_busy(&self) -> bool {
        self.tasks.is_busy()
    }
}

#[cfg(test)]
impl Session {
    /// Returns a session that cannot store runs, and its backend, which records the commands.
    fn for_test(draft: RunConfig) -> (Self, backend::RecordedBackend) {
        let backend = backend::RecordedBackend::default();
        let boxed = Box::new(backend.clone());
        (Self::with_backend(boxed, Disk::nowhere(), draft, Arc::new(|| {})), backend)
    }

    /// Processes results until the helper threads are idle.
    fn wait_until_idle(&mut self) {
        while self.is_busy() {
            self.drain();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave_tour();
        self.end_exports();
        self.backend.control_running(ControlRequest::Stop);
        self.backend.send(Command::Shutdown);
    }
}
