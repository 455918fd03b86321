//! A run's model for other programs: which one, where it goes, and what is said when it is there.

use std::path::{Path, PathBuf};

use super::Session;
use super::chooser::DialogPurpose;
use crate::export::{Format, export};
use crate::problem::Problem;
use crate::store;
use crate::tr;

/// What is taken along: a run, as it was after a task (from 0), or after its last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenAlong {
    /// The run's folder.
    pub run: PathBuf,
    /// The task.
    pub task: Option<usize>,
}

impl Session {
    /// Asks for the folder that a model's own folder goes into.
    pub fn pick_model(&mut self, taken: TakenAlong, format: Format) {
        self.tickets += 1;
        self.compare.to_take = taken;
        self.pick(DialogPurpose::Model(format, self.tickets));
    }

    /// Writes the model that one was asked for into a new folder of this one.
    pub fn export_model(&mut self, format: Format, into: &Path) {
        let TakenAlong { run, task } = std::mem::take(&mut self.compare.to_take);
        let to = into.join(format!("{}-{}", store::run_name(&run), format.key()));
        self.task_or_tell(
            move |_| {
                let saved = store::summarize(&run)?.saved();
                let newest = saved
                    .checked_sub(1)
                    .ok_or_else(|| Problem::new(tr!("story-told-no-task")).at_path(&run))?;
                // On the processor: no graphics card is touched from here.
                export(&run, task.unwrap_or(newest), format, &to, false)
            },
            |session, exported| {
                let told = Problem::new(tr!("story-told-model"));
                let told = told.at_path(&exported.folder);
                session.notify(told.advise(tr!("story-told-model-advice")), false);
            },
        );
    }
}
