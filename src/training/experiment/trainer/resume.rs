//! Resumes a stopped or killed run.

use std::path::Path;

use super::{Trainer, saving};
use crate::message;
use crate::method::{CancelToken, Moment};
use crate::problem::{Problem, Result};
use crate::run::event::{Event, TaskReport};
use crate::store::parted;

impl Trainer<'_> {
    /// Restores the state of a run whose first tasks are saved with these reports.
    pub(in crate::experiment) fn restore_tasks(
        &mut self,
        mut reports: Vec<TaskReport>,
    ) -> Result<()> {
        let saved = reports.len();
        let checkpoint = self.folder.load_checkpoint()?;
        let Some(checkpoint) = checkpoint.filter(|checkpoint| checkpoint.task <= saved) else {
            if saved > 0 {
                self.remark(begins_anew(self.folder.path()));
            }
            return Ok(());
        };
        // Absent in checkpoints of older versions.
        self.kept_bytes = checkpoint
            .get("kept_bytes")
            .unwrap_or(4 * saving::numbers(&checkpoint.tensors) as u64);
        self.begun = checkpoint.task + 1;
        self.method
            .restore(&checkpoint.tensors, &self.header.tasks[..self.begun])?;
        self.method
            .restore_bulk(&|name| match checkpoint.tensors.get(name) {
                // Older versions stored these tensors in the checkpoint itself.
                Some(tensor) => Ok(tensor.clone()),
                None => self.folder.load_bulk(name),
            })?;
        (self.task, self.passes_done) = (checkpoint.task, checkpoint.epochs_done);
        self.task_seconds = checkpoint.get("task_seconds")?;
        // Absent in checkpoints of older versions.
        self.training_seconds = checkpoint
            .get("training_seconds")
            .unwrap_or(self.task_seconds);
        self.unreadable.1 = checkpoint.get("unreadable").unwrap_or(0);
        // Absent in checkpoints of older versions.
        let list = |name| {
            checkpoint
                .get::<String>(name)
                .map_or_else(|_| Vec::new(), |l| parted(&l))
        };
        self.losses = list("losses");
        for one in self.method.measurements(Moment::Pass)? {
            self.measured.insert(one.name.to_string(), list(one.name));
        }
        let learned = self.passes_done >= self.passes[self.task].len();
        if saved == self.task + 1 && learned {
            // The process was killed between saving a task and the first pass of the next one.
            self.begin_at(saved);
            self.method.end_task(&mut CancelToken::never())?;
        }
        // If later passes could not be saved, their tasks are trained again.
        let whole: f64 = (0..self.task).map(|task| self.work_of(task)).sum();
        let done = self.passes[self.task.min(self.passes.len() - 1)]
            .iter()
            .take(self.passes_done);
        let passes: f64 = done.map(|pass| self.pass_work(self.task, pass)).sum();
        self.meter.skip(whole + passes);
        reports.truncate(self.task);
        let run = self.header.run.clone();
        self.sink.event(Event::TakenUp { run, reports });
        Ok(())
    }
}

/// Returns the remark for a run with saved tasks but without a checkpoint.
fn begins_anew(folder: &Path) -> Problem {
    Problem::new(message!("problem-training-state-missing"))
        .at_path(folder)
        .advise(message!("advice-tasks-trained-again"))
}
