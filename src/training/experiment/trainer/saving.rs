//! Saves a run: the method's state after every pass, and snapshot and results after every task. Resumes a stopped or
//! killed run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::Trainer;
use crate::message;
use crate::method::{CancelToken, MeasuredValue, Moment};
use crate::metrics::{Predictions, SlotCounts};
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, Event, TaskReport};
use crate::store::{Checkpoint, join_numbers, parse_numbers};
use crate::tensors::{GeneratedTensors, NamedTensors, check_finite};

/// Checkpoints up to this many bytes are written after every pass.
const SMALL_CHECKPOINT_BYTES: u64 = 16 << 20;
/// Maximum number of bytes per second of training that larger checkpoints write.
const CHECKPOINT_BYTES_PER_SECOND: u64 = 2 << 20;
/// Maximum time between two checkpoints, unless a pass takes longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Returns how long no other checkpoint is written after one of this many bytes.
fn pause_after(bytes: u64) -> Duration {
    match bytes {
        ..=SMALL_CHECKPOINT_BYTES => Duration::ZERO,
        larger => Duration::from_secs(larger / CHECKPOINT_BYTES_PER_SECOND).min(LONGEST_PAUSE),
    }
}

impl Trainer<'_> {
    pub(super) fn save_pass(&mut self, index: usize) -> Result<()> {
        let mut checkpoint = self.make_checkpoint(index + 1)?;
        // Each loss belongs to the weights before its step, so only this check covers the last step.
        check_finite(&checkpoint.tensors)?;
        let bulk = self.method.generated_tensors();
        let value_count = count_values(&checkpoint.tensors) + count_generated_values(&bulk);
        self.state_bytes = 4 * value_count as u64 + self.exemplar_bytes();
        if self.added_task {
            // An interrupted added task has no effect, so it needs no checkpoint.
            return Ok(());
        }
        checkpoint.set("kept_bytes", self.state_bytes);
        checkpoint.set("task_seconds", self.task_seconds);
        checkpoint.set("training_seconds", self.training_seconds);
        checkpoint.set("unreadable", self.unreadable_images());
        for (name, values) in &self.pass_measurements {
            checkpoint.set(name, join_numbers(values));
        }
        checkpoint.set("losses", join_numbers(&self.losses));
        let is_last = index + 1 == self.passes[self.task].len();
        let is_early = self.saved_at.elapsed() < pause_after(4 * value_count as u64);
        // Bulk tensors are computed while they are written, so they cannot be saved later.
        if is_early && !is_last && bulk.is_empty() {
            self.pending_checkpoint = Some(checkpoint);
            return Ok(());
        }
        self.pending_checkpoint = None;
        let saved = self.folder.save_checkpoint(&checkpoint, bulk);
        self.handle_save_result(saved);
        Ok(())
    }

    /// Saves the state after the latest pass, if that was postponed; needed when the run ends early.
    pub(super) fn save_unsaved(&mut self) {
        if let Some(checkpoint) = self.pending_checkpoint.take() {
            let saved = self.folder.save_checkpoint(&checkpoint, GeneratedTensors::new());
            self.handle_save_result(saved);
        }
    }

    fn handle_save_result(&mut self, saved: Result<u64>) {
        self.checkpointed = saved.is_ok();
        match saved {
            Ok(_) => self.saved_at = Instant::now(),
            // A full disk may have space after the next pass. The run continues, and the previous checkpoint remains.
            Err(problem) => self.report_remark(problem.context("problem-epoch-not-saved")),
        }
    }

    /// Returns the size of the method's exemplars as network input, with one byte per colour value. The run stores
    /// only their indices; the images remain in the dataset.
    fn exemplar_bytes(&self) -> u64 {
        let side = self.context.backbone.input.size as u64;
        3 * side * side * self.method.exemplars().len() as u64
    }

    pub(super) fn save_task(&mut self, answers: Predictions) -> Result<()> {
        let snapshot = self.method.snapshot()?;
        check_finite(&snapshot)?;
        let (measurements, slots) = self.collect_measurements()?;
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
                stored_parameters: count_values(&snapshot),
                kept_bytes: self.state_bytes,
            },
            losses: self.losses.clone(),
            measurements,
        };
        // The last task is saved completely in one file, so that a finished run can predict from it.
        let last = self.added_task || self.task + 1 == self.header.tasks.len();
        let bytes = match last {
            true => self.folder.save_task(&report, &snapshot)?,
            false => {
                let writer = &mut self.snapshots;
                self.folder.save_task_incremental(&report, snapshot, writer)?
            }
        };
        let (run, what) = (self.header.run.clone(), format!("task {}", self.task + 1));
        let evaluated = Event::TaskEvaluated { run: run.clone(), report: Box::new(report) };
        let saved = Event::Saved { run, what, bytes };
        match self.added_task {
            true => self.held_events.extend([evaluated, saved]),
            false => [evaluated, saved].into_iter().for_each(|event| self.sink.event(event)),
        }
        Ok(())
    }

    /// Returns all measurements of the task (of the method, of the test, and of each pass), and the slot counts of
    /// the method's study.
    fn collect_measurements(&self) -> Result<(BTreeMap<String, f64>, Vec<SlotCounts>)> {
        let (mut measurements, mut slots) = (BTreeMap::new(), Vec::new());
        for measurement in self.method.measurements(Moment::Task)? {
            measurements.extend(measurement.as_number());
            if let MeasuredValue::Study(counts) = measurement.value {
                slots = counts;
            }
        }
        measurements.extend(self.measurements.clone());
        for (name, values) in &self.pass_measurements {
            let passes = (1..).zip(values);
            measurements.extend(passes.map(|(pass, value)| (format!("{name}_{pass}"), *value)));
        }
        Ok((measurements, slots))
    }

    /// Saves the state that the next added task needs in addition to the snapshot.
    pub(super) fn save_state(&mut self) -> Result<()> {
        if !self.needs_state {
            return Ok(());
        }
        let state = self.make_checkpoint(self.passes[self.task].len())?;
        self.folder.save_state(&state, self.method.generated_tensors()).map(drop)
    }

    /// Restores the state of a run whose first tasks are saved with these reports.
    pub(in crate::experiment) fn restore_tasks(
        &mut self,
        mut reports: Vec<TaskReport>,
    ) -> Result<()> {
        let saved = reports.len();
        let checkpoint = self.folder.load_checkpoint()?;
        let Some(checkpoint) = checkpoint.filter(|checkpoint| checkpoint.task <= saved) else {
            if saved > 0 {
                let problem = Problem::new(message!("problem-training-state-missing"));
                let problem = problem.at_path(self.folder.path());
                self.report_remark(problem.advise(message!("advice-tasks-trained-again")));
            }
            return Ok(());
        };
        // Absent in checkpoints of older versions.
        self.state_bytes =
            checkpoint.get("kept_bytes").unwrap_or(4 * count_values(&checkpoint.tensors) as u64);
        self.started_tasks = checkpoint.task + 1;
        self.method.restore(&checkpoint.tensors, &self.header.tasks[..self.started_tasks])?;
        self.method.restore_generated(&|name| match checkpoint.tensors.get(name) {
            // Older versions stored these tensors in the checkpoint itself.
            Some(tensor) => Ok(tensor.clone()),
            None => self.folder.load_bulk(name),
        })?;
        (self.task, self.passes_done) = (checkpoint.task, checkpoint.epochs_done);
        self.task_seconds = checkpoint.get("task_seconds")?;
        // Absent in checkpoints of older versions.
        self.training_seconds = checkpoint.get("training_seconds").unwrap_or(self.task_seconds);
        self.unreadable.1 = checkpoint.get("unreadable").unwrap_or(0);
        // Absent in checkpoints of older versions.
        let load_list = |name| {
            checkpoint.get::<String>(name).map_or_else(|_| Vec::new(), |l| parse_numbers(&l))
        };
        self.losses = load_list("losses");
        for measurement in self.method.measurements(Moment::Pass)? {
            self.pass_measurements
                .insert(measurement.name.to_string(), load_list(measurement.name));
        }
        let learned = self.passes_done >= self.passes[self.task].len();
        if saved == self.task + 1 && learned {
            // The process was killed between saving a task and the first pass of the next one.
            self.start_at(saved);
            self.method.end_task(&mut CancelToken::never())?;
        }
        // If later passes could not be saved, their tasks are trained again.
        let finished_tasks_work: f64 = (0..self.task).map(|task| self.task_work(task)).sum();
        let done = self.passes[self.task.min(self.passes.len() - 1)].iter().take(self.passes_done);
        let passes: f64 = done.map(|pass| self.pass_work(self.task, pass)).sum();
        self.meter.skip(finished_tasks_work + passes);
        reports.truncate(self.task);
        let run = self.header.run.clone();
        self.sink.event(Event::TakenUp { run, reports });
        Ok(())
    }

    /// Returns a checkpoint of the method after this number of passes of the task.
    fn make_checkpoint(&mut self, passes: usize) -> Result<Checkpoint> {
        Ok(Checkpoint {
            task: self.task,
            epochs_done: passes,
            tensors: self.method.checkpoint()?,
            ..Checkpoint::default()
        })
    }
}

/// Returns the number of values of these tensors before they are computed.
fn count_generated_values(bulk: &GeneratedTensors<'_>) -> usize {
    bulk.values().map(|m| m.shape.iter().product::<usize>()).sum()
}

/// Returns the number of values in these tensors.
fn count_values(tensors: &NamedTensors) -> usize {
    tensors.values().map(|tensor| tensor.values.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_checkpoints_are_written_at_least_every_five_minutes() {
        assert_eq!(pause_after(0), Duration::ZERO);
        assert_eq!(pause_after(SMALL_CHECKPOINT_BYTES), Duration::ZERO);
        assert_eq!(pause_after(30 << 20), Duration::from_secs(15));
        // Weights and momentum of a ViT-B, as Seq-FT stores them.
        assert_eq!(pause_after(690_000_000), LONGEST_PAUSE);
        assert_eq!(pause_after(u64::MAX), LONGEST_PAUSE);
    }
}
