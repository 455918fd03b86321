//! The part of a run that saves: the method's state after every pass, what answers and what was
//! measured after every task.

use super::Trainer;
use crate::metrics::{Answers, SlotCounts};
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, Event, TaskReport};
use crate::store::Checkpoint;
use crate::tensors::{Bulk, Named, all_finite};

impl Trainer<'_> {
    pub(super) fn save_pass(&mut self, index: usize) -> Result<()> {
        let mut checkpoint = Checkpoint {
            task: self.task,
            epochs_done: index + 1,
            tensors: self.method.checkpoint()?,
            ..Checkpoint::default()
        };
        // A loss tells of the weights before its step; the last step shows here alone.
        all_finite(&checkpoint.tensors)?;
        let bulk = self.method.bulk();
        let numbers = numbers(&checkpoint.tensors) + made(&bulk);
        self.kept_bytes = 4 * numbers as u64;
        checkpoint.set("kept_bytes", self.kept_bytes);
        checkpoint.set("task_seconds", self.task_seconds);
        checkpoint.set("training_seconds", self.training_seconds);
        checkpoint.set("unreadable", self.unreadable_images());
        if let Err(problem) = self.folder.save_checkpoint(&checkpoint, bulk) {
            // A disk that is full tonight may have room after the next pass; the run goes on, and
            // the checkpoint before stays.
            let run = self.header.run.clone();
            let problem = Problem {
                what: format!("this pass is not saved, training goes on: {}", problem.what),
                ..problem
            };
            self.sink.event(Event::Remark { run, problem });
        }
        Ok(())
    }

    pub(super) fn save_task(&mut self, answers: Answers, slots: Vec<SlotCounts>) -> Result<()> {
        let snapshot = self.method.snapshot()?;
        all_finite(&snapshot)?;
        let (images_per_second, prediction_seconds) = self.meter.end_task();
        let report = TaskReport {
            task: self.task,
            answers,
            slots,
            seconds: self.task_seconds,
            images_per_second,
            unreadable: self.unreadable_images(),
            costs: Costs {
                images_seen: self.images_seen(self.task),
                training_seconds: self.training_seconds,
                prediction_seconds,
                stored_parameters: numbers(&snapshot),
                kept_bytes: self.kept_bytes,
            },
            gauges: self.method.gauges()?,
        };
        let bytes = self.folder.save_task(&report, &snapshot)?;
        let (run, what) = (self.header.run.clone(), format!("task {}", self.task + 1));
        let told = Event::TaskEvaluated {
            run: run.clone(),
            report: Box::new(report),
        };
        self.sink.event(told);
        self.sink.event(Event::Saved { run, what, bytes });
        Ok(())
    }
}

/// How many numbers these tensors will have.
fn made(bulk: &Bulk<'_>) -> usize {
    bulk.values()
        .map(|m| m.shape.iter().product::<usize>())
        .sum()
}

/// How many numbers these tensors hold.
pub(super) fn numbers(tensors: &Named) -> usize {
    tensors.values().map(|tensor| tensor.values.len()).sum()
}
