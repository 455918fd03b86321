//! Export of a run's model for other programs: the selection, the dialog and the notice at the end.

use std::path::{Path, PathBuf};

use super::Session;
use super::chooser::DialogPurpose;
use crate::export::{Format, export};
use crate::problem::Problem;
use crate::store;
use crate::tr;

/// A model to export: the run after a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelToExport {
    /// The run's folder.
    pub run: PathBuf,
    /// The task, from 0; `None` for the last task.
    pub task: Option<usize>,
}

impl Session {
    /// Opens the dialog that asks for the folder in which the model's folder is created.
    pub fn pick_model(&mut self, taken: ModelToExport, format: Format) {
        self.tickets += 1;
        self.compare.to_export_model = taken;
        self.pick(DialogPurpose::Model(format, self.tickets));
    }

    /// Exports the model of the dialog into a new subfolder of this folder.
    pub fn export_model(&mut self, format: Format, into: &Path) {
        let ModelToExport { run, task } = std::mem::take(&mut self.compare.to_export_model);
        let to = into.join(format!("{}-{}", store::run_name(&run), format.key()));
        self.task_or_notify(
            move |_| {
                let saved = store::summarize(&run)?.saved();
                let newest = saved
                    .checked_sub(1)
                    .ok_or_else(|| Problem::new(tr!("story-no-finished-task")).at_path(&run))?;
                // Exports on the CPU, because only the engine's thread may use a GPU.
                export(&run, task.unwrap_or(newest), format, &to, false)
            },
            |session, exported| {
                let told = Problem::new(tr!("story-model-exported"));
                let told = told.at_path(&exported.folder);
                session.notify(told.advise(tr!("story-model-exported-advice")), false);
            },
        );
    }
}
