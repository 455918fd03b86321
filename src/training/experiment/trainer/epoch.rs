//! Trains a pass over a task's images: its batches, its losses, and its end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::Trainer;
use crate::data::Sample;
use crate::data::loader::{self, ImageLoader, LoaderOptions, NextBatch};
use crate::experiment::augmentation;
use crate::experiment::images::Labelled;
use crate::experiment::unreadable_images::UnreadableImages;
use crate::message;
use crate::method::{
    Batch, CancelToken, Method, Pass, PassImages, PassWork, StepSettings, epochs_for_task,
};
use crate::metrics::mean;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Phase, RunProgress};
use crate::tensors::{HostTensor, not_finite_problem};

/// Maximum time to wait for a batch before commands are read again.
const BATCH_TIMEOUT: Duration = Duration::from_millis(100);

impl Trainer<'_> {
    /// Returns the training images of a pass.
    fn samples(&self, pass: &Pass) -> Result<Labelled> {
        let images_of = |task| self.context.images.training_samples(task);
        let images: Vec<_> = match pass.source {
            PassImages::Task => images_of(self.task),
            PassImages::AllTasks => (0..=self.task).flat_map(images_of).collect(),
            PassImages::WithExemplars { .. } => {
                let mut images = self.exemplars()?;
                images.extend(images_of(self.task));
                images
            }
        };
        let shown = std::iter::repeat_n(images, self.repeats(pass));
        Ok(Arc::new(shown.flatten().collect()))
    }

    /// Returns the exemplars of earlier tasks that the method keeps, in its order.
    fn exemplars(&self) -> Result<Vec<(Sample, i64)>> {
        let task_images: Vec<_> =
            (0..self.task).map(|task| self.context.images.training_samples(task)).collect();
        let exemplars = self.method.exemplars();
        let found = exemplars
            .iter()
            .filter_map(|exemplar| task_images.get(exemplar.task)?.get(exemplar.image));
        let found: Vec<_> = found.cloned().collect();
        if found.len() == exemplars.len() {
            return Ok(found);
        }
        let what = message!(
            "problem-kept-images-missing",
            kept = message!("count-training-images", n = exemplars.len()),
            found = (exemplars.len() - found.len()).to_string()
        );
        Err(Problem::new(what).advise(message!("advice-restore-dataset")))
    }

    /// Returns the number of passes of the task that learn by gradients.
    fn epochs(&self) -> usize {
        let passes = self.passes[self.task].iter();
        passes.filter(|pass| pass.is_learning()).count()
    }

    /// Returns the number of epochs of the tasks before this one, so that no two epochs of a run are augmented alike.
    fn first_epoch(&self) -> usize {
        let before = 0..self.task;
        before.map(|task| epochs_for_task(&self.header, task)).sum()
    }

    pub(super) fn run_pass(&mut self, index: usize) -> Result<ControlFlow<()>> {
        let (pass, phase) = (self.passes[self.task][index], self.phase(index));
        self.report_phase(phase.clone());
        let samples = self.samples(&pass)?;
        let batch_size = self.context.config.batch;
        let images = pass.processed_images(samples.len(), batch_size);
        let steps = images.div_ceil(batch_size);
        let (mut losses, mut all_losses) = (Vec::new(), Vec::new());
        let mut loader = self.train_loader(&samples, index, &pass)?;
        let mut unreadable = UnreadableImages::new(images);
        let mut shown = 0;
        loop {
            let batch = match self.next_batch(&mut loader, &phase, &mut unreadable)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => break,
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            };
            self.meter.start();
            shown += batch.labels.len();
            let labels: Vec<usize> = batch.labels.iter().map(|l| *l as usize).collect();
            let method_batch = Batch {
                images: self.images(&batch),
                labels: &labels,
                samples: &batch.indices,
                pass: index,
                epochs: self.epochs(),
                step: loader.position() - 1,
                steps,
            };
            losses.extend(self.learn(&method_batch, &pass)?);
            // Reading a loss waits for the device, so it is done only when a report is due.
            let is_due = self.meter.is_report_due() || loader.position() == steps;
            if is_due {
                self.read_losses(&mut losses, &mut all_losses)?;
            }
            self.meter.add_trained(&pass, labels.len());
            if is_due {
                self.report_progress(index, (loader.position() - 1, steps), pass.is_frozen())?;
            }
        }
        unreadable.check_any_read(shown)?;
        self.read_losses(&mut losses, &mut all_losses)?;
        self.losses.extend(mean(&all_losses));
        Ok(ControlFlow::Continue(()))
    }

    /// Reads the collected losses in one transfer, and adds them to the next report and to those of the pass.
    fn read_losses(
        &mut self,
        collected: &mut Vec<Tensor<1>>,
        of_pass: &mut Vec<f64>,
    ) -> Result<()> {
        if collected.is_empty() {
            return Ok(());
        }
        let values = HostTensor::read(&Tensor::cat(std::mem::take(collected), 0))?.values;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(not_finite_problem("the loss"));
        }
        of_pass.extend(values.iter().copied().map(f64::from));
        self.meter.add_losses(values);
        Ok(())
    }

    /// Lets the method finish a pass.
    pub(super) fn end_pass(&mut self, index: usize) -> Result<ControlFlow<()>> {
        self.finish_step(index, |method, cancel_token| method.end_pass(index, cancel_token))
    }

    /// Lets the method finish the task, after its last pass.
    pub(super) fn end_task(&mut self) -> Result<ControlFlow<()>> {
        let last = self.passes[self.task].len().saturating_sub(1);
        self.finish_step(last, |method, cancel_token| method.end_task(cancel_token))
    }

    /// Lets the method finish a pass or the task. Meanwhile executes short jobs, reports progress and reads commands.
    fn finish_step(
        &mut self,
        index: usize,
        finish: impl FnOnce(&mut dyn Method, &mut CancelToken<'_>) -> Result<()>,
    ) -> Result<ControlFlow<()>> {
        let (phase, run, task) = (self.phase(index), &self.header.run, self.task);
        let (sink, meter, interruption_time) =
            (&mut *self.sink, &mut self.meter, &mut self.interruption_time);
        let mut stopped = false;
        let mut should_continue = |batch, batches| {
            let start = Instant::now();
            stopped |= !self.control.wait_while_paused(run, sink, &phase);
            *interruption_time += start.elapsed();
            if meter.is_report_due() {
                let position =
                    RunProgress { task, epoch: index, batch, batches, ..RunProgress::default() };
                let (run, progress) = (run.clone(), meter.progress(position));
                sink.event(Event::Progress { run, progress });
            }
            !stopped
        };
        let result =
            finish(&mut *self.method, &mut CancelToken::with_callback(&mut should_continue));
        if stopped {
            return Ok(ControlFlow::Break(()));
        }
        result.map(ControlFlow::Continue)
    }

    /// Passes a batch to the method. A batch that is only measured is split into micro-batches here; a method that
    /// learns splits it itself.
    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work != PassWork::Measure {
            return self.method.learn_in_pool(batch, pass);
        }
        for part in StepSettings::from_config(&self.context.config).parts(batch) {
            self.method.learn_in_pool(&part.batch, pass)?;
        }
        Ok(None)
    }

    /// Returns the next batch that contains an image; `None` at the end. While it waits, executes short jobs and
    /// reads commands.
    pub(super) fn next_batch(
        &mut self,
        loader: &mut ImageLoader,
        phase: &Phase,
        unreadable: &mut UnreadableImages,
    ) -> Result<ControlFlow<(), Option<loader::ImageBatch>>> {
        loop {
            let next = loader.next_timeout(BATCH_TIMEOUT);
            if matches!(next, NextBatch::End) {
                return Ok(ControlFlow::Continue(None));
            }
            let start = Instant::now();
            let should_continue =
                self.control.wait_while_paused(&self.header.run, self.sink, phase);
            self.interruption_time += start.elapsed();
            if !should_continue {
                return Ok(ControlFlow::Break(()));
            }
            if let NextBatch::Batch(batch) = next {
                self.report_unreadable(&batch.unreadable);
                unreadable.add_unreadable(&batch.unreadable)?;
                if !batch.is_empty() {
                    return Ok(ControlFlow::Continue(Some(batch)));
                }
            }
        }
    }

    fn train_loader(&self, samples: &Labelled, index: usize, pass: &Pass) -> Result<ImageLoader> {
        let config = &self.context.config;
        ImageLoader::new(
            samples.clone(),
            LoaderOptions {
                augment: pass.augment.then(|| augmentation(config)),
                drop_last: pass.drop_last
                    && pass.processed_images(samples.len(), config.batch) >= config.batch,
                shuffle: pass.shuffle,
                max_images: pass.max_images,
                seed: config.seed,
                epoch: (self.first_epoch() + index) as u64,
                cache: Some(self.context.pixels.clone()),
                ..LoaderOptions::inference(self.context.backbone.input, config.batch)
            },
        )
    }
}
