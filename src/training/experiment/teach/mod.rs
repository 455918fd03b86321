//! Added tasks: the classes of a folder become one more task of a run that has ended, with the run's own method and
//! without its old images.
//!
//! The method resumes from its state after the last complete task: from the snapshots, or from the state stored with
//! the run if snapshots do not suffice. The task is learned from copies of the images in the run's folder. Its results
//! are written to a separate folder and become part of the run all at once; if it is stopped or killed before, the run
//! is unchanged.

mod basis;
mod images;
mod schedule;

use std::path::Path;
use std::sync::Arc;

use crate::backbone::library::OpenedBackbone;
use crate::data::PixelCache;
use crate::data::loader::inference_inputs;
use crate::device;
use crate::memory;
use crate::message;
use crate::method::{self, ConfiguredMethod, Context, Method, PetPlan, Setup};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{AddedTask, Control, RunHeader, Sink};
use crate::run::event_log::LoggedSink;
use crate::store::{self, AddedImages, NewAddedTask, RunFolder, StoredRun};
use crate::texts::{Message, Words};

use super::images::{Images, RunDataset, sample_evenly};
use super::predict::{check_weights, stored_pet};
use super::run_device::prediction_weight_type;
use super::trainer::{TrainContext, Trainer};
use super::{Outcome, ResourceCache, none_if_stopped, preparing_event, upload};
use basis::{check_exemplars, check_teachable, no_room_problem, restore_method};
pub(super) use basis::{check_training_images, open_run_dataset};
use images::TaughtImages;
pub use images::{SourcePreview, preview_source};
use schedule::TaskSchedule;

/// Number of images that pass through the network together before an added task.
const BATCH_SIZE: usize = 48;

/// Training images that represent an earlier class while a single class is learned; more where other classes have fewer.
const IMAGES_PER_EARLIER_CLASS: usize = 20;

/// Teaches the run in `folder` the classes of the images at `source` (a folder or another dataset), on this device or
/// the one it was trained on.
///
/// # Errors
/// Returns a Problem if the run or its method cannot learn more classes, the images are unsuitable, or device or disk
/// fail; the run is then unchanged.
pub fn teach(
    folder: &Path,
    source: &str,
    device: Option<&str>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    memory::begin_run();
    let run = RunFolder::open(folder)?;
    let stored_run = store::load_run(folder)?;
    let sink = &mut LoggedSink(sink);
    sink.log_added_task(source, &stored_run.header.config);
    let title = check_teachable(&stored_run)?;
    report_preparing(sink, message!("doing-checking-dataset-images"));
    let should_continue = || control.should_continue();
    let after = stored_run.reports.len();
    let images = TaughtImages::open(&stored_run.header, after, source, (cache, &should_continue));
    let Some(images) = none_if_stopped(images, control)? else {
        return Ok(Outcome::NotStarted);
    };
    let teacher = Teacher::prepare(&stored_run, images, device, cache, sink, control);
    let Some(teacher) = none_if_stopped(teacher, control)? else {
        return Ok(Outcome::NotStarted);
    };
    let mut method = teacher.method().map_err(|problem| no_room_problem(&title, problem))?;
    restore_method(&mut *method, &stored_run, &run, &title)?;
    check_exemplars(&*method, &stored_run.header, teacher.dataset.as_ref(), &title)?;
    let (task_folder, added_task) = run.begin_added_task(stored_run.reports.len())?;
    let result = teacher.teach(method, stored_run, (task_folder, &added_task), sink, control);
    let result = result.map_err(|problem| problem.context("problem-run-unchanged"));
    match none_if_stopped(result, control) {
        Ok(Some(Some(header))) => Ok(Outcome::Finished(header)),
        Ok(_) => {
            added_task.discard();
            Ok(Outcome::NotStarted)
        }
        Err(problem) => {
            added_task.discard();
            Err(problem)
        }
    }
}

fn report_preparing(sink: &mut dyn Sink, what: Message) {
    sink.event(preparing_event(what));
}

/// Everything that an added task needs, opened and checked for consistency.
struct Teacher {
    /// The run with the added task, some of whose facts are still unknown.
    header: RunHeader,
    taught_images: TaughtImages,
    schedule: TaskSchedule,
    /// The run's settings with batch size and learning rate of the added task.
    config: RunConfig,
    dataset: Option<RunDataset>,
    backbone: Arc<OpenedBackbone>,
    pet: Option<PetPlan>,
}

impl Teacher {
    fn prepare(
        stored_run: &StoredRun,
        mut taught_images: TaughtImages,
        device: Option<&str>,
        cache: &ResourceCache,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Self> {
        let before = &stored_run.header;
        let after = stored_run.reports.len();
        report_preparing(sink, message!("doing-opening-run-dataset"));
        let dataset = match open_run_dataset(before, cache, &|| control.should_continue()) {
            Ok(dataset) => Some(dataset),
            Err(problem) if !control.should_continue() => return Err(problem),
            Err(problem) => {
                let remark = message!("teach-forgetting-unmeasured", why = problem.what_text());
                taught_images.notes.push(remark.into());
                None
            }
        };
        if after < before.tasks.len() {
            let remark =
                message!("teach-run-was-stopped", task = after + 1, of = before.tasks.len());
            taught_images.notes.push(remark.into());
        }
        let chosen = ConfiguredMethod::from_config(&before.config)?;
        let usual = &before.train_images[..before.original_task_count().min(after)];
        let schedule = TaskSchedule::new(&chosen, after, taught_images.data.train.len(), usual);
        taught_images.notes.extend(schedule.note(&before.config).map(Words::from));
        let config =
            RunConfig { batch: schedule.batch, base_lr: schedule.base_lr, ..before.config.clone() };
        report_preparing(sink, message!("doing-opening-device"));
        let ready = match device {
            Some(device) => device::prepare(device)?,
            None => device::prepare(&config.device).or_else(|_| device::prepare("auto"))?,
        };
        report_preparing(sink, message!("doing-loading-backbone"));
        let mut progress = |what: Message| {
            report_preparing(sink, what);
            control.should_continue()
        };
        let weights = prediction_weight_type(before, &ready);
        let backbone = cache.backbone(config.backbone_choice(), weights, &ready, &mut progress)?;
        check_weights(before, &backbone)?;
        let added_task = taught_images.added_task(&schedule, before.planned_tasks());
        let header = before.clone().with_added_task(after, added_task);
        let shapes = backbone.backbone.blocks();
        let context = Context {
            architecture: &backbone.entry.architecture,
            blocks: shapes,
            tasks: before.planned_tasks(),
            classes: header.class_order.len(),
        };
        let chosen = ConfiguredMethod::from_config(&config)?;
        (chosen.spec.check)(&chosen, Some(&context))?;
        let pet = stored_pet(&chosen, before, &stored_run.plugin, shapes)?;
        Ok(Self { header, taught_images, schedule, dataset, pet, config, backbone })
    }

    fn method(&self) -> Result<Box<dyn Method>> {
        method::build(Setup {
            config: &self.config,
            backbone: self.backbone.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.header.tasks,
            planned_tasks: self.header.planned_tasks(),
            own_tasks: self.header.original_task_count(),
            repeated_classes: &self.header.repeated_classes(),
        })
    }

    /// Copies the images, learns, tests, and makes the results part of the run. `None` if the user stopped it.
    fn teach(
        mut self,
        mut method: Box<dyn Method>,
        stored_run: StoredRun,
        (task_folder, new_task): (RunFolder, &NewAddedTask),
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Option<RunHeader>> {
        report_preparing(sink, message!("doing-copying-images"));
        let data = &self.taught_images.data;
        let should_continue = || control.should_continue();
        let depth = data.options.bit_depth;
        let added_images = AddedImages::copy(
            task_folder.path(),
            &data.train,
            &data.test,
            depth,
            &should_continue,
        )?;
        let accuracy_before = self.accuracy_before(&*method, &added_images, &stored_run.header)?;
        let images = self.collect_images(&stored_run, &added_images, sink)?;
        if self.taught_images.single_class {
            report_preparing(sink, message!("doing-measuring-earlier-classes"));
            self.measure_earlier(&mut *method, &images, control)?;
        }
        let added_task = self.complete(added_images.fingerprint.clone(), accuracy_before);
        let context = TrainContext {
            config: self.config,
            images,
            pixels: Arc::new(PixelCache::new(self.header.config.cache_mb.saturating_mul(1 << 20))),
            backbone: self.backbone,
            repeats: self.schedule.repeats,
        };
        let header = self.header.clone();
        let trainer = Trainer::new((context, method), header, task_folder, sink, control)?;
        let Some(events) = trainer.run_added_task(stored_run.reports)? else {
            return Ok(None);
        };
        new_task.publish(&added_task)?;
        events.into_iter().for_each(|event| sink.event(event));
        Ok(Some(self.header))
    }

    /// Sets the facts of the added task that were unknown before.
    fn complete(&mut self, fingerprint: String, before: Option<f64>) -> AddedTask {
        let planned = self.header.planned_tasks();
        let mut added_task = self.taught_images.added_task(&self.schedule, planned);
        added_task.fingerprint = fingerprint;
        added_task.before = before;
        if let Some(last) = self.header.added_tasks.last_mut() {
            last.clone_from(&added_task);
        }
        added_task
    }

    /// Returns the accuracy on the added task's test images before it is learned. Images of unknown classes count as
    /// wrong.
    fn accuracy_before(
        &self,
        method: &dyn Method,
        added_images: &AddedImages,
        before: &RunHeader,
    ) -> Result<Option<f64>> {
        let tests = added_images.test();
        if tests.is_empty() {
            return Ok(None);
        }
        let known_tests: Vec<(usize, _)> = tests
            .iter()
            .filter_map(|sample| {
                let class = self.taught_images.repeated_class(sample.class as usize)?;
                Some((class, sample.clone()))
            })
            .collect();
        let (repeated_classes, spec) = (before.repeated_classes(), self.backbone.input);
        let mut correct = 0;
        for chunk in known_tests.chunks(BATCH_SIZE) {
            let samples: Vec<_> = chunk.iter().map(|(_, sample)| sample.clone()).collect();
            let inputs: Vec<Vec<u8>> =
                inference_inputs(&samples, spec).into_iter().collect::<Result<_>>()?;
            let images = upload::normalise_for_backbone(&inputs.concat(), &self.backbone);
            for (verdict, (class, _)) in method.predict(images)?.into_iter().zip(chunk) {
                let verdict = verdict.ensure_finite()?.merge_repeated_classes(&repeated_classes);
                let answer = verdict.predictions.last();
                correct += usize::from(answer.is_some_and(|answer| answer.class == *class));
            }
        }
        Ok(Some(correct as f64 / tests.len() as f64))
    }

    /// Gives the method training images of the earlier classes. A class that is learned again is not measured: the new
    /// output must not be distinguished from its old one.
    fn measure_earlier(
        &self,
        method: &mut dyn Method,
        images: &Images,
        control: &Control,
    ) -> Result<()> {
        let (header, tasks) = (&self.header, &self.header.tasks);
        let earlier = tasks.last().map_or(0, |task| task.start);
        let repeated_class = header.class_at(earlier);
        let images = (0..tasks.len() - 1).flat_map(|task| images.training_samples(task));
        let images = images.map(|(sample, label)| (sample, label as usize));
        let images: Vec<_> =
            images.filter(|(_, label)| header.class_at(*label) != repeated_class).collect();
        let labels: Vec<usize> = images.iter().map(|(_, label)| *label).collect();
        let chosen = sample_evenly(&labels, earlier, earlier * IMAGES_PER_EARLIER_CLASS);
        let chunks = chosen.chunks(BATCH_SIZE);
        // The trainer reports a stop.
        for chunk in chunks.take_while(|_| control.should_continue()) {
            let samples: Vec<_> = chunk.iter().map(|at| images[*at].0.clone()).collect();
            let inputs = inference_inputs(&samples, self.backbone.input).into_iter();
            let readable = inputs.zip(chunk);
            let readable = readable.filter_map(|(input, at)| Some((input.ok()?, labels[*at])));
            let (inputs, labels): (Vec<Vec<u8>>, Vec<usize>) = readable.unzip();
            if !labels.is_empty() {
                let images = upload::normalise_for_backbone(&inputs.concat(), &self.backbone);
                method.measure_earlier(images, &labels)?;
            }
        }
        Ok(())
    }

    /// Returns the images of the run and of its added tasks.
    fn collect_images(
        &mut self,
        stored_run: &StoredRun,
        added_images: &AddedImages,
        sink: &mut dyn Sink,
    ) -> Result<Images> {
        let tasks = &self.header.tasks;
        let own_tasks = self.header.original_task_count();
        let classes = self.header.original_classes().len();
        let mut images = Images::new(self.dataset.take(), own_tasks, classes);
        let mut training_samples = Vec::new();
        let earlier = stored_run.header.added_tasks.iter().zip(own_tasks..);
        for (added_task, task) in earlier {
            report_preparing(sink, message!("doing-opening-earlier-images"));
            let (run, depth) = (&stored_run.header.folder, stored_run.header.config.bit_depth);
            let earlier_images = store::added_task_images(run, task, added_task, depth)?;
            earlier_images.check_test_images()?;
            images.push(&earlier_images, tasks[task].start);
            training_samples.extend(earlier_images.train());
        }
        if let Some(task) = tasks.last() {
            images.push(added_images, task.start);
        }
        training_samples.extend(added_images.train());
        report_preparing(sink, message!("doing-searching-copies"));
        let note = images.exclude_copies(&training_samples);
        self.taught_images.notes.extend(note.map(Words::from));
        Ok(images)
    }
}
