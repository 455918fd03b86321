//! The training loop: tasks, the passes that the method needs over each, evaluation. The state that must survive a kill
//! is saved in the run's folder after every pass and every task; everything else is derived from the settings.

mod epoch;
mod probe;
mod saving;
mod testing;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use crate::backbone::library::OpenedBackbone;
use crate::data::PixelCache;
use crate::data::loader;
use crate::method::{
    ConfiguredMethod, Measurement, Method, Moment, Pass, PassWork, Task, passes_for_task,
};
use crate::metrics::tasks_by_class;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Event, Phase, RunHeader, RunProgress, Sink, TaskReport};
use crate::store::{Checkpoint, RunFolder, SnapshotWriter};

pub(super) use testing::add_prediction;

use super::images::Images;
use super::meter::Meter;
use super::{Outcome, upload};

/// The inputs of the training loop.
pub(super) struct TrainContext {
    /// The settings of the run.
    pub config: RunConfig,
    /// The images of all tasks.
    pub images: Images,
    /// Decoded images that are kept between epochs and tasks.
    pub pixels: Arc<PixelCache>,
    /// The frozen network.
    pub backbone: Arc<OpenedBackbone>,
    /// Number of times a training pass shows each image: more than one for added tasks with few images.
    pub repeats: usize,
}

/// One run in progress.
pub(super) struct Trainer<'a> {
    context: TrainContext,
    header: RunHeader,
    /// The task of each class.
    task_by_class: Vec<Option<usize>>,
    /// Positions that count for the class at another position, each with that position.
    repeated_classes: Vec<(usize, usize)>,
    /// Whether this is an added task, which has no effect until it is complete.
    added_task: bool,
    folder: RunFolder,
    snapshots: SnapshotWriter,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    method: Box<dyn Method>,
    /// Whether added tasks need the content of the last checkpoint.
    needs_state: bool,
    /// The passes of each task.
    passes: Vec<Vec<Pass>>,
    meter: Meter,
    /// Number of tasks that the method has started.
    started_tasks: usize,
    /// Where to resume: the task, the number of its finished passes, and the seconds it has taken so far.
    task: usize,
    passes_done: usize,
    task_seconds: f64,
    training_seconds: f64,
    /// Time between batches since the clock was started, paused or serving other requests. It is not part of a task's
    /// duration.
    interruption_time: Duration,
    /// Size of the method's state after the latest pass.
    state_bytes: u64,
    /// Paths of unreadable images that were reported.
    reported: HashSet<String>,
    /// Whether the latest checkpoint could be saved.
    checkpointed: bool,
    /// When the latest checkpoint was saved, or when the run started.
    saved_at: Instant,
    /// The state after the latest pass, if saving it was postponed.
    pending_checkpoint: Option<Checkpoint>,
    /// What the method measured after each pass of the task, by name.
    pass_measurements: BTreeMap<String, Vec<f64>>,
    /// Mean loss of each training pass of the task.
    losses: Vec<f64>,
    /// Results of the task's test, by name.
    measurements: BTreeMap<String, f64>,
    /// Events of an added task that are reported once it is complete.
    held_events: Vec<Event>,
    /// Paths of the task's unreadable images, and their number before the task was resumed.
    unreadable: (HashSet<String>, usize),
}

impl<'a> Trainer<'a> {
    /// Creates a trainer at the start of the first task.
    pub fn new(
        (context, method): (TrainContext, Box<dyn Method>),
        header: RunHeader,
        folder: RunFolder,
        sink: &'a mut dyn Sink,
        control: &'a Control,
    ) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(&context.config)?;
        let tasks = 0..header.tasks.len();
        let passes = tasks.clone().map(|task| passes_for_task(&header, task));
        let mut trainer = Self {
            meter: Meter::new(0.0),
            passes: passes.collect::<Result<_>>()?,
            needs_state: chosen.spec.needs_state,
            method,
            context,
            task_by_class: tasks_by_class(&header.tasks),
            repeated_classes: header.repeated_classes(),
            added_task: false,
            header,
            folder,
            snapshots: SnapshotWriter::default(),
            sink,
            control,
            started_tasks: 0,
            task: 0,
            passes_done: 0,
            task_seconds: 0.0,
            training_seconds: 0.0,
            interruption_time: Duration::ZERO,
            state_bytes: 0,
            reported: HashSet::new(),
            checkpointed: false,
            saved_at: Instant::now(),
            pending_checkpoint: None,
            pass_measurements: BTreeMap::new(),
            losses: Vec::new(),
            measurements: BTreeMap::new(),
            held_events: Vec::new(),
            unreadable: Default::default(),
        };
        trainer.meter = Meter::new(tasks.map(|task| trainer.task_work(task)).sum());
        trainer.sink.event(Event::Started(Box::new(trainer.header.clone())));
        for problem in trainer.method.remarks() {
            trainer.report_remark(problem);
        }
        Ok(trainer)
    }

    /// Trains until the end, or until the user stops it.
    pub fn run(mut self) -> Result<Outcome> {
        let result = self.train_all_tasks();
        self.save_unsaved();
        // The next run may start late or never, so the memory is freed.
        self.context.pixels.clear_originals();
        if result?.is_break() {
            return Ok(Outcome::Stopped(self.header));
        }
        let keep = self.checkpointed && self.needs_state;
        // Everything is saved by now, so a checkpoint that cannot be removed is not an error.
        if let Err(problem) = self.folder.finish(keep) {
            self.report_remark(problem);
        }
        Ok(Outcome::Finished(self.header))
    }

    /// Learns only the last task, an added one. `reports` are those of the tasks before, and the method is in the state
    /// after them. Returns the events to report once the added task is complete; `None` if the user stopped it.
    pub fn run_added_task(mut self, reports: Vec<TaskReport>) -> Result<Option<Vec<Event>>> {
        let task = reports.len();
        self.added_task = true;
        self.started_tasks = task;
        self.start_at(task);
        self.meter = Meter::new(self.task_work(task));
        let run = self.header.run.clone();
        self.sink.event(Event::TakenUp { run, reports });
        let added_task = self.header.added_tasks.last();
        let notes = added_task.map_or_else(Vec::new, |added_task| added_task.notes.clone());
        self.sink.event(Event::Assumed(notes));
        if self.train_task()?.is_break() {
            return Ok(None);
        }
        self.save_state()?;
        Ok(Some(self.held_events))
    }

    fn start_at(&mut self, task: usize) {
        (self.task, self.passes_done) = (task, 0);
        (self.task_seconds, self.training_seconds) = (0.0, 0.0);
        self.unreadable = Default::default();
        self.pass_measurements.clear();
        self.losses.clear();
        self.measurements.clear();
    }

    fn train_all_tasks(&mut self) -> Result<ControlFlow<()>> {
        while self.task < self.header.tasks.len() {
            if self.train_task()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.start_at(self.task + 1);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn train_task(&mut self) -> Result<ControlFlow<()>> {
        let task = self.task;
        if self.started_tasks == task {
            self.method
                .begin_task(&Task { index: task, classes: self.header.tasks[task].clone() })?;
            self.started_tasks += 1;
        }
        for index in self.passes_done..self.passes[task].len() {
            let start = self.start_clock();
            if self.run_pass(index)?.is_break() || self.end_pass(index)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            for (name, value) in self.measure()? {
                self.pass_measurements.entry(name).or_default().push(value);
            }
            let seconds = self.seconds_since(start);
            self.task_seconds += seconds;
            self.training_seconds += seconds;
            self.save_pass(index)?;
        }
        if self.end_task()?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        // The next task has other training images; test images are needed again after every task.
        self.context.pixels.clear_originals();
        let start = self.start_clock();
        let Some(answers) = self.evaluate()? else {
            return Ok(ControlFlow::Break(()));
        };
        self.task_seconds += self.seconds_since(start);
        // The backbone is tested only for runs with poor accuracy: included in their duration, it would make them look
        // slower than others.
        if self.probe_backbone(&answers)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.save_task(answers)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Starts the clock for a part of a task.
    fn start_clock(&mut self) -> Instant {
        self.interruption_time = Duration::ZERO;
        Instant::now()
    }

    /// Returns the seconds of work since the clock was started.
    fn seconds_since(&self, start: Instant) -> f64 {
        start.elapsed().saturating_sub(self.interruption_time).as_secs_f64()
    }

    fn images(&self, batch: &loader::ImageBatch) -> Tensor<4> {
        upload::normalise_for_backbone(&batch.pixels, &self.context.backbone)
    }
}

/// Reports of a run, and the work to expect.
impl Trainer<'_> {
    fn report_phase(&mut self, phase: Phase) {
        self.sink.event(Event::Phase { run: self.header.run.clone(), phase });
    }

    /// Returns the phase of a pass of the task.
    fn phase(&self, index: usize) -> Phase {
        let task = self.task;
        match self.passes[task].get(index).map(|pass| pass.work) {
            Some(PassWork::Learn { frozen }) => Phase::Training { task, epoch: index, frozen },
            _ => Phase::Measuring { task },
        }
    }

    fn report_remark(&mut self, problem: Problem) {
        let run = self.header.run.clone();
        self.sink.event(Event::Remark { run, problem });
    }

    fn report_unreadable(&mut self, images: &[(usize, Problem)]) {
        for (_, problem) in images {
            self.unreadable.0.insert(problem.place.clone());
            // Reported once per run, because the same image fails in every epoch.
            if !self.reported.insert(problem.place.clone()) {
                continue;
            }
            self.report_remark(problem.clone());
        }
    }

    /// Returns the number of unreadable images of the task so far.
    fn unreadable_images(&self) -> usize {
        let (paths, before) = &self.unreadable;
        paths.len().max(*before)
    }

    /// Returns what the method measures at every pass, by name.
    fn measure(&self) -> Result<BTreeMap<String, f64>> {
        let measurements = self.method.measurements(Moment::Pass)?;
        Ok(measurements.iter().filter_map(Measurement::as_number).collect())
    }

    fn report_progress(
        &mut self,
        epoch: usize,
        (batch, batches): (usize, usize),
        frozen: bool,
    ) -> Result<()> {
        let progress = self.meter.progress(RunProgress {
            task: self.task,
            epoch,
            batch,
            batches,
            frozen,
            measured: self.measure()?,
            ..RunProgress::default()
        });
        self.sink.event(Event::Progress { run: self.header.run.clone(), progress });
        Ok(())
    }

    /// Returns the number of images that a pass of a task shows.
    fn shown_images(&self, task: usize, pass: &Pass) -> usize {
        let images = pass.source.count(task, &self.header.train_images);
        let images = images.unwrap_or_default() * self.repeats(pass);
        pass.processed_images(images, self.context.config.batch)
    }

    /// Returns how often a pass shows each of its images.
    fn repeats(&self, pass: &Pass) -> usize {
        match pass.work {
            PassWork::Learn { .. } => self.context.repeats,
            PassWork::Measure => 1,
        }
    }

    fn images_seen(&self, task: usize) -> usize {
        let passes = self.passes[task].iter();
        passes.map(|pass| self.shown_images(task, pass)).sum()
    }

    fn pass_work(&self, task: usize, pass: &Pass) -> f64 {
        Meter::pass_work(pass, self.shown_images(task, pass))
    }

    fn task_work(&self, task: usize) -> f64 {
        let passes = self.passes[task].iter();
        let train: f64 = passes.map(|pass| self.pass_work(task, pass)).sum();
        let tested = self.header.test_images[..=task].iter().sum();
        let cost = 1.0 + self.method.study_cost(task);
        train + Meter::test_work(tested) * cost
    }
}
