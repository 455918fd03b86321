//! The loop itself: tasks, the passes that the method wants over each, evaluation. State that a
//! kill may not cost lies in the run's folder after every pass and every task; all else is derived
//! from the settings.

mod saving;
mod testing;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use crate::data::Sample;
use crate::data::loader::{self, Loader, LoaderOptions, Next};
use crate::method::{Batch, Chosen, Method, Pass, Source, Task, Work};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Phase, Progress, RunHeader, Sink, TaskReport};
use crate::store::RunFolder;
use crate::tensors::{HostTensor, not_finite};

use super::meter::Meter;
use super::reading::Reading;
use super::{Outcome, Plan, upload};

/// How long a batch is waited for before the person is heard again.
const PATIENCE: Duration = Duration::from_millis(100);

/// Images with their labels (positions in the class order).
type Labelled = Arc<Vec<(Sample, i64)>>;

/// One run in progress.
pub(super) struct Trainer<'a> {
    plan: Plan,
    header: RunHeader,
    folder: RunFolder,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    method: Box<dyn Method>,
    /// The passes of each task.
    passes: Vec<Vec<Pass>>,
    meter: Meter,
    /// Tasks that the method knows of.
    begun: usize,
    /// Where to go on: the task, its finished passes, and seconds spent on it so far.
    task: usize,
    passes_done: usize,
    task_seconds: f64,
    training_seconds: f64,
    /// Size of the method's state after the latest pass.
    kept_bytes: u64,
    /// Places of the images that were told to be unreadable.
    told: HashSet<String>,
    /// Places of the unreadable images of the task, and their number before it was taken up.
    unreadable: (HashSet<String>, usize),
}

impl<'a> Trainer<'a> {
    /// At the beginning of the first task.
    pub fn new(
        (plan, method): (Plan, Box<dyn Method>),
        header: RunHeader,
        folder: RunFolder,
        sink: &'a mut dyn Sink,
        control: &'a Control,
    ) -> Result<Self> {
        let chosen = Chosen::of(&plan.config)?;
        let tasks = 0..header.tasks.len();
        let passes = tasks.clone().map(|task| chosen.passes(task));
        let mut trainer = Self {
            meter: Meter::new(0.0),
            passes: passes.collect::<Result<_>>()?,
            method,
            plan,
            header,
            folder,
            sink,
            control,
            begun: 0,
            task: 0,
            passes_done: 0,
            task_seconds: 0.0,
            training_seconds: 0.0,
            kept_bytes: 0,
            told: HashSet::new(),
            unreadable: Default::default(),
        };
        trainer.meter = Meter::new(tasks.map(|task| trainer.work_of(task)).sum());
        trainer
            .sink
            .event(Event::Started(Box::new(trainer.header.clone())));
        for problem in trainer.method.remarks() {
            let run = trainer.header.run.clone();
            trainer.sink.event(Event::Remark { run, problem });
        }
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
        // Absent in checkpoints of older versions.
        self.kept_bytes = checkpoint
            .get("kept_bytes")
            .unwrap_or(4 * saving::numbers(&checkpoint.tensors) as u64);
        self.begun = checkpoint.task + 1;
        self.method
            .restore(&checkpoint.tensors, &self.header.tasks[..self.begun])?;
        self.method
            .restore_bulk(&|name| match checkpoint.tensors.get(name) {
                // Older versions wrote nothing apart.
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
        if saved > checkpoint.task {
            // Killed between saving a task and the first pass of the next.
            self.begin_at(saved);
            self.method.end_task()?;
        }
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

    fn begin_at(&mut self, task: usize) {
        (self.task, self.passes_done) = (task, 0);
        (self.task_seconds, self.training_seconds) = (0.0, 0.0);
        self.unreadable = Default::default();
    }

    fn all_tasks(&mut self) -> Result<ControlFlow<()>> {
        while self.task < self.header.tasks.len() {
            if self.task_to_end()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.begin_at(self.task + 1);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn task_to_end(&mut self) -> Result<ControlFlow<()>> {
        let task = self.task;
        if self.begun == task {
            self.method.begin_task(&Task {
                index: task,
                classes: self.header.tasks[task].clone(),
            })?;
            self.begun += 1;
        }
        for index in self.passes_done..self.passes[task].len() {
            let began = Instant::now();
            if self.pass(index)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.method.end_pass(index)?;
            self.task_seconds += began.elapsed().as_secs_f64();
            self.training_seconds += began.elapsed().as_secs_f64();
            self.save_pass(index)?;
        }
        self.method.end_task()?;
        // The next task has other training pictures; what is tested comes back after every task.
        self.plan.pixels.forget_originals();
        let began = Instant::now();
        let Some((answers, slots)) = self.evaluate()? else {
            return Ok(ControlFlow::Break(()));
        };
        self.task_seconds += began.elapsed().as_secs_f64();
        self.save_task(answers, slots)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Training images of a pass.
    fn samples(&self, pass: &Pass) -> Labelled {
        let of = |task| self.plan.scenario.train_of(&self.plan.data, task);
        Arc::new(match pass.source {
            Source::Task => of(self.task),
            Source::Seen => (0..=self.task).flat_map(of).collect(),
        })
    }

    fn pass(&mut self, index: usize) -> Result<ControlFlow<()>> {
        let (task, pass) = (self.task, self.passes[self.task][index]);
        let phase = match pass.work {
            Work::Learn { frozen } => Phase::Training {
                task,
                epoch: index,
                frozen,
            },
            Work::Measure => Phase::Measuring { task },
        };
        self.say(phase.clone());
        let samples = self.samples(&pass);
        let batch_size = self.plan.config.batch;
        let steps = pass.shown(samples.len(), batch_size).div_ceil(batch_size);
        let mut losses = Vec::new();
        let mut loader = self.train_loader(&samples, index, &pass)?;
        let mut reading = Reading::of(samples.len());
        let mut shown = 0;
        loop {
            let batch = match self.bring(&mut loader, &phase, &mut reading)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => break,
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            };
            self.meter.begin();
            shown += batch.labels.len();
            let labels: Vec<usize> = batch.labels.iter().map(|l| *l as usize).collect();
            let given = Batch {
                images: self.images(&batch),
                labels: &labels,
                samples: &batch.indices,
                pass: index,
                step: loader.position() - 1,
                steps,
            };
            losses.extend(self.method.learn(&given, &pass)?);
            // Reading a loss waits for the device, so it is done only when a report is due.
            let due = self.meter.due() || loader.position() == steps;
            if due {
                let values = read_losses(std::mem::take(&mut losses))?;
                self.meter.losses(values);
            }
            self.meter.trained(&pass, labels.len());
            if due {
                self.progress(index, (loader.position() - 1, steps), pass.frozen());
            }
        }
        reading.ended(shown)?;
        self.meter.losses(read_losses(losses)?);
        Ok(ControlFlow::Continue(()))
    }

    /// The next batch with an image in it; none at the end. While it is waited for, short jobs are
    /// served and the person is heard.
    fn bring(
        &mut self,
        loader: &mut Loader,
        phase: &Phase,
        reading: &mut Reading,
    ) -> Result<ControlFlow<(), Option<loader::Batch>>> {
        loop {
            let next = loader.next_within(PATIENCE);
            if matches!(next, Next::End) {
                return Ok(ControlFlow::Continue(None));
            }
            if !self.control.gate(&self.header.run, self.sink, phase) {
                return Ok(ControlFlow::Break(()));
            }
            if let Next::Batch(batch) = next {
                self.report_unreadable(&batch.unreadable);
                reading.lost(&batch.unreadable)?;
                if !batch.is_empty() {
                    return Ok(ControlFlow::Continue(Some(batch)));
                }
            }
        }
    }

    fn train_loader(&self, samples: &Labelled, index: usize, pass: &Pass) -> Result<Loader> {
        let config = &self.plan.config;
        Loader::new(
            samples.clone(),
            LoaderOptions {
                augment: pass.augment.then(|| self.plan.augment()),
                drop_last: pass.drop_last && samples.len() >= config.batch,
                shuffle: pass.shuffle,
                seed: config.seed,
                epoch: (self.task * config.epochs + index) as u64,
                cache: Some(self.plan.pixels.clone()),
                ..LoaderOptions::inference(self.plan.input(), config.batch)
            },
        )
    }

    fn images(&self, batch: &loader::Batch) -> Tensor<4> {
        let scale = &self.plan.backbone.normalisation;
        upload::images(&batch.pixels, batch.size, scale, &self.plan.ready.device)
    }

    fn say(&mut self, phase: Phase) {
        self.sink.event(Event::Phase {
            run: self.header.run.clone(),
            phase,
        });
    }

    fn report_unreadable(&mut self, images: &[(usize, Problem)]) {
        for (_, problem) in images {
            self.unreadable.0.insert(problem.place.clone());
            // Once a run: the same image fails in every epoch.
            if !self.told.insert(problem.place.clone()) {
                continue;
            }
            let (run, problem) = (self.header.run.clone(), problem.clone());
            self.sink.event(Event::Remark { run, problem });
        }
    }

    /// Images of the task that could not be read so far.
    fn unreadable_images(&self) -> usize {
        let (places, before) = &self.unreadable;
        places.len().max(*before)
    }

    fn progress(&mut self, epoch: usize, (batch, batches): (usize, usize), frozen: bool) {
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

    /// Images that a pass of a task shows.
    fn shown(&self, task: usize, pass: &Pass) -> usize {
        let images = match pass.source {
            Source::Task => self.header.train_images[task],
            Source::Seen => self.header.train_images[..=task].iter().sum(),
        };
        pass.shown(images, self.plan.config.batch)
    }

    fn images_seen(&self, task: usize) -> usize {
        let passes = self.passes[task].iter();
        passes.map(|pass| self.shown(task, pass)).sum()
    }

    fn pass_work(&self, task: usize, pass: &Pass) -> f64 {
        Meter::pass_work(pass, self.shown(task, pass))
    }

    fn work_of(&self, task: usize) -> f64 {
        let passes = self.passes[task].iter();
        let train: f64 = passes.map(|pass| self.pass_work(task, pass)).sum();
        let tested = self.header.test_images[..=task].iter().sum();
        let study = match self.method.studies_slots() {
            true => Meter::study_work(task, tested),
            false => 0.0,
        };
        train + Meter::judge_work(tested) + study
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
    Err(not_finite("the loss"))
}
