//! The loop itself. State that a kill may not cost lies in the run's folder after every epoch and
//! every task; all else is derived from the settings.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use burn::tensor::Tensor;

use crate::data::Sample;
use crate::data::loader::{Batch, Loader, LoaderOptions};
use crate::method::{Lae, Method};
use crate::metrics::Answers;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Phase, Progress, RunHeader, Sink, TaskReport};
use crate::store::{Checkpoint, RunFolder};
use crate::tensors::HostTensor;

use super::evaluate::verdicts;
use super::meter::Meter;
use super::{Outcome, Plan, upload};

/// Images judged at once. The result does not depend on it.
const JUDGE_BATCH: usize = 48;

/// Images with their labels (positions in the class order).
type Labelled = Arc<Vec<(Sample, i64)>>;

/// One run in progress.
pub(super) struct Trainer<'a> {
    plan: Plan,
    header: RunHeader,
    folder: RunFolder,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    method: Lae,
    meter: Meter,
    /// Where to go on: the task, its finished epochs, and seconds spent on it so far.
    task: usize,
    epochs_done: usize,
    task_seconds: f64,
    /// Places of the images that were told to be unreadable.
    unreadable: HashSet<String>,
}

impl<'a> Trainer<'a> {
    /// At the beginning of the first task.
    pub fn new(
        plan: Plan,
        header: RunHeader,
        folder: RunFolder,
        sink: &'a mut dyn Sink,
        control: &'a Control,
    ) -> Result<Self> {
        let method = plan.method()?;
        let mut trainer = Self {
            meter: Meter::new(0.0),
            method,
            plan,
            header,
            folder,
            sink,
            control,
            task: 0,
            epochs_done: 0,
            task_seconds: 0.0,
            unreadable: HashSet::new(),
        };
        let tasks = trainer.header.tasks.len();
        trainer.meter = Meter::new((0..tasks).map(|task| trainer.work_of(task)).sum());
        trainer
            .sink
            .event(Event::Started(Box::new(trainer.header.clone())));
        Ok(trainer)
    }

    /// Takes up a run whose first tasks are saved, with these reports.
    pub fn take_up(&mut self, mut reports: Vec<TaskReport>) -> Result<()> {
        let saved = reports.len();
        let Some(checkpoint) = self.folder.load_checkpoint()? else {
            if saved == 0 {
                return Ok(());
            }
            return Err(Problem::new("the saved training state of this run is gone")
                .at_path(self.folder.path())
                .advise("its finished tasks can still be looked at; train a new run"));
        };
        if checkpoint.task >= self.header.tasks.len() {
            return Err(
                Problem::new("the saved training state belongs to another run")
                    .at_path(self.folder.path())
                    .advise("its finished tasks can still be looked at; train a new run"),
            );
        }
        self.method
            .restore(&checkpoint.tensors, checkpoint.task + 1)?;
        (self.task, self.epochs_done) = (checkpoint.task, checkpoint.epochs_done);
        self.task_seconds = checkpoint.get("task_seconds")?;
        if saved > checkpoint.task {
            // Killed between saving a task and the first epoch of the next.
            (self.task, self.epochs_done, self.task_seconds) = (saved, 0, 0.0);
            self.method.end_task();
        }
        let whole: f64 = (0..self.task).map(|task| self.work_of(task)).sum();
        let epochs: f64 = (0..self.epochs_done)
            .map(|epoch| self.epoch_work(self.task, epoch))
            .sum();
        self.meter.skip(whole + epochs);
        reports.truncate(self.task);
        let run = self.header.run.clone();
        self.sink.event(Event::TakenUp { run, reports });
        Ok(())
    }

    /// Runs to the end, or until the person stops it.
    pub fn run(mut self) -> Result<Outcome> {
        let ended = self.all_tasks();
        // Another run may come late or never: its memory is better free.
        self.plan.pixels.forget_originals();
        if ended?.is_break() {
            return Ok(Outcome::Stopped(self.header));
        }
        self.folder.finish()?;
        Ok(Outcome::Finished(self.header))
    }

    fn all_tasks(&mut self) -> Result<ControlFlow<()>> {
        while self.task < self.header.tasks.len() {
            if self.task_to_end()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            (self.task, self.epochs_done, self.task_seconds) = (self.task + 1, 0, 0.0);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn task_to_end(&mut self) -> Result<ControlFlow<()>> {
        let task = self.task;
        if self.method.heads().0.len() == task {
            self.method.begin_task(self.header.tasks[task].len())?;
        }
        let samples: Labelled = Arc::new(self.plan.scenario.train_of(&self.plan.data, task));
        for epoch in self.epochs_done..self.plan.config.epochs {
            let began = Instant::now();
            if self.epoch(&samples, epoch)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.task_seconds += began.elapsed().as_secs_f64();
            self.save_epoch(epoch)?;
        }
        self.method.end_task();
        // The next task has other training pictures; what is tested comes back after every task.
        self.plan.pixels.forget_originals();
        let began = Instant::now();
        let Some(answers) = self.evaluate()? else {
            return Ok(ControlFlow::Break(()));
        };
        self.task_seconds += began.elapsed().as_secs_f64();
        self.save_task(answers)?;
        Ok(ControlFlow::Continue(()))
    }

    fn epoch(&mut self, samples: &Labelled, epoch: usize) -> Result<ControlFlow<()>> {
        let (task, frozen) = (self.task, self.method.frozen(epoch));
        let phase = Phase::Training {
            task,
            epoch,
            frozen,
        };
        self.say(phase.clone());
        let first = self.header.tasks[task].start as i64;
        let batches = samples.len() / self.plan.config.batch;
        let mut losses = Vec::new();
        let mut loader = self.train_loader(samples, epoch)?;
        while let Some(batch) = loader.next() {
            if !self.control.gate(&self.header.run, self.sink, &phase) {
                return Ok(ControlFlow::Break(()));
            }
            self.meter.begin();
            self.report_unreadable(&batch.unreadable);
            let labels: Vec<usize> = batch.labels.iter().map(|l| (l - first) as usize).collect();
            losses.push(self.method.learn(self.images(&batch), &labels, frozen)?);
            // Reading a loss waits for the device, so it is done only when a report is due.
            let due = self.meter.due() || loader.position() == batches;
            if due {
                let values = read_losses(std::mem::take(&mut losses))?;
                self.meter.losses(values);
            }
            self.meter.trained(labels.len(), frozen);
            if due {
                self.progress(epoch, loader.position() - 1, batches, frozen);
            }
        }
        // Batches at the end that could not be read bring no report of their own.
        self.report_unreadable(&loader.take_left_over());
        self.meter.losses(read_losses(losses)?);
        Ok(ControlFlow::Continue(()))
    }

    fn train_loader(&self, samples: &Labelled, epoch: usize) -> Result<Loader> {
        let config = &self.plan.config;
        Loader::new(
            samples.clone(),
            LoaderOptions {
                augment: Some(self.plan.augment()),
                drop_last: true,
                shuffle: true,
                seed: config.seed,
                epoch: (self.task * config.epochs + epoch) as u64,
                cache: Some(self.plan.pixels.clone()),
                ..LoaderOptions::inference(self.plan.input(), config.batch)
            },
        )
    }

    fn images(&self, batch: &Batch) -> Tensor<4> {
        let scale = &self.plan.backbone.normalisation;
        upload::images(&batch.pixels, batch.size, scale, &self.plan.ready.device)
    }

    /// Judges every test image of the tasks seen so far; none when the person stopped it.
    fn evaluate(&mut self) -> Result<Option<Answers>> {
        let phase = Phase::Evaluating { task: self.task };
        self.say(phase.clone());
        let seen = self
            .plan
            .tasks_up_to(self.task)
            .last()
            .map_or(0, |task| task.end);
        let (indices, samples) = self.tests_below(seen);
        let switches = self.plan.config.switches();
        let mut answers = Answers::default();
        let options = LoaderOptions {
            cache: Some(self.plan.pixels.clone()),
            ..LoaderOptions::inference(self.plan.input(), JUDGE_BATCH)
        };
        let mut loader = Loader::new(samples, options)?;
        for batch in loader.by_ref() {
            if !self.control.gate(&self.header.run, self.sink, &phase) {
                return Ok(None);
            }
            self.meter.begin();
            self.report_unreadable(&batch.unreadable);
            let logits = self.method.judge(self.images(&batch))?;
            for (row, verdict) in verdicts(&logits, switches)?.into_iter().enumerate() {
                answers.samples.push(indices[batch.indices[row]]);
                answers.labels.push(batch.labels[row] as usize);
                answers.online.push(verdict.online.best().0);
                answers.offline.push(verdict.offline.best().0);
                answers.ensemble.push(verdict.ensemble.best().0);
            }
            self.meter.judged(batch.labels.len());
            if self.meter.due() {
                let epochs = self.plan.config.epochs;
                self.progress(epochs.saturating_sub(1), 0, 0, false);
            }
        }
        self.report_unreadable(&loader.take_left_over());
        Ok(Some(answers))
    }

    /// Test images whose class lies below `seen`, with their indices in the test split.
    fn tests_below(&self, seen: usize) -> (Vec<usize>, Labelled) {
        let (mut indices, mut samples) = (Vec::new(), Vec::new());
        for (index, sample) in self.plan.data.test.iter().enumerate() {
            let label = self.plan.scenario.label_of(sample.class as usize);
            if label < seen {
                indices.push(index);
                samples.push((sample.clone(), label as i64));
            }
        }
        (indices, Arc::new(samples))
    }

    fn save_epoch(&mut self, epoch: usize) -> Result<()> {
        let mut checkpoint = Checkpoint {
            task: self.task,
            epochs_done: epoch + 1,
            tensors: self.method.checkpoint()?,
            ..Checkpoint::default()
        };
        checkpoint.set("task_seconds", self.task_seconds);
        self.folder.save_checkpoint(&checkpoint)?;
        Ok(())
    }

    fn save_task(&mut self, answers: Answers) -> Result<()> {
        let (online_drift, offline_drift) = self.method.drift()?;
        let report = TaskReport {
            task: self.task,
            answers,
            seconds: self.task_seconds,
            images_per_second: self.meter.end_task(),
            online_drift,
            offline_drift,
        };
        let bytes = self.folder.save_task(&report, &self.method.snapshot()?)?;
        let (run, what) = (self.header.run.clone(), format!("task {}", self.task + 1));
        let told = Event::TaskEvaluated {
            run: run.clone(),
            report: Box::new(report),
        };
        self.sink.event(told);
        self.sink.event(Event::Saved { run, what, bytes });
        Ok(())
    }

    fn say(&mut self, phase: Phase) {
        self.sink.event(Event::Phase {
            run: self.header.run.clone(),
            phase,
        });
    }

    fn report_unreadable(&mut self, images: &[(usize, Problem)]) {
        for (_, problem) in images {
            // Once a run: the same image fails in every epoch.
            if !self.unreadable.insert(problem.place.clone()) {
                continue;
            }
            let (run, problem) = (self.header.run.clone(), problem.clone());
            self.sink.event(Event::Remark { run, problem });
        }
    }

    fn progress(&mut self, epoch: usize, batch: usize, batches: usize, frozen: bool) {
        let (losses, done, images_per_second, seconds_left) = self.meter.report();
        let progress = Progress {
            task: self.task,
            epoch,
            batch,
            batches,
            done,
            losses,
            images_per_second,
            seconds_left,
            frozen,
        };
        self.sink.event(Event::Progress {
            run: self.header.run.clone(),
            progress,
        });
    }

    /// Work of one epoch; whether it is frozen depends on the task alone, not on the method's state.
    fn epoch_work(&self, task: usize, epoch: usize) -> f64 {
        let config = &self.plan.config;
        let frozen = config.switches().learning && task > 0 && epoch < config.freeze_epochs;
        let images = self.header.train_images[task] / config.batch * config.batch;
        Meter::train_work(images, frozen)
    }

    fn work_of(&self, task: usize) -> f64 {
        let epochs = 0..self.plan.config.epochs;
        let train: f64 = epochs.map(|epoch| self.epoch_work(task, epoch)).sum();
        train + Meter::judge_work(self.header.test_images[..=task].iter().sum())
    }
}

/// Reads the waiting losses in one go; a value that is not finite ends the run.
fn read_losses(losses: Vec<Tensor<1>>) -> Result<Vec<f32>> {
    if losses.is_empty() {
        return Ok(Vec::new());
    }
    let values = HostTensor::read(&Tensor::cat(losses, 0))?.values;
    if values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    Err(
        Problem::new("the loss is no longer a finite number, so training cannot go on")
            .advise("use a smaller --base-lr; on a GPU, try --device cpu to rule the device out"),
    )
}
