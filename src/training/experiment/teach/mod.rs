//! Added tasks: the classes of a folder become one more task of a run that has ended, with the run's own method and
//! without its old images.
//!
//! The method resumes from its state after the last complete task: from the snapshots, or from the state stored with
//! the run if snapshots do not suffice. The task is learned from copies of the images in the run's folder. Its results
//! are written to a separate folder and become part of the run all at once; if it is stopped or killed before, the run
//! is unchanged.

mod basis;
mod material;
mod schedule;

use std::path::Path;
use std::sync::Arc;

use crate::backbone::library::Opened;
use crate::data::PixelCache;
use crate::data::loader::inputs_of;
use crate::device;
use crate::memory;
use crate::message;
use crate::method::{self, Chosen, Context, Method, PetPlan, Setup};
use crate::pet::PetSpec;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::diary::LoggedSink;
use crate::run::event::{AddedTask, Control, ControlRequest, RunHeader, Sink};
use crate::store::{self, AddedPictures, NewAddedTask, PetStart, RunFolder, StoredRun};
use crate::texts::{Message, Words};

use super::fitting::answering_weights;
use super::images::{Images, RunDataset, evenly};
use super::trainer::{TrainContext, Trainer};
use super::{Outcome, ResourceCache, none_if_stopped, preparing, upload};
use basis::{check_exemplars, full, restore, teachable};
pub(super) use basis::{check_training_images, own_images};
use material::TaughtImages;
pub use material::{SourcePreview, found};
use schedule::TaskSchedule;

/// Number of images that pass through the network together before an added task.
const AT_ONCE: usize = 48;

/// Training images that represent an earlier class while a single class is learned; more where other classes have fewer.
const OF_EARLIER: usize = 20;

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
    let stored = store::load(folder)?;
    let sink = &mut LoggedSink(sink);
    sink.added_task(source, &stored.header.config);
    let title = teachable(&stored)?;
    prepare(sink, message!("doing-checking-dataset-images"));
    let go_on = || control.request() != ControlRequest::Stop;
    let after = stored.reports.len();
    let material = TaughtImages::open(&stored.header, after, source, (cache, &go_on));
    let Some(material) = none_if_stopped(material, control)? else {
        return Ok(Outcome::NotBegun);
    };
    let teacher = Teacher::prepare(&stored, material, device, cache, sink, control);
    let Some(teacher) = none_if_stopped(teacher, control)? else {
        return Ok(Outcome::NotBegun);
    };
    let mut method = teacher.method().map_err(|problem| full(&title, problem))?;
    restore(&mut *method, &stored, &run, &title)?;
    check_exemplars(&*method, &stored.header, teacher.own.as_ref(), &title)?;
    let (aside, added_task) = run.begin_added_task(stored.reports.len())?;
    let taught = teacher.teach(method, stored, (aside, &added_task), sink, control);
    let taught = taught.map_err(|problem| problem.inside("problem-run-unchanged"));
    match none_if_stopped(taught, control) {
        Ok(Some(Some(header))) => Ok(Outcome::Finished(header)),
        Ok(_) => {
            added_task.discard();
            Ok(Outcome::NotBegun)
        }
        Err(problem) => {
            added_task.discard();
            Err(problem)
        }
    }
}

fn prepare(sink: &mut dyn Sink, what: Message) {
    sink.event(preparing(what));
}

/// Everything that an added task needs, opened and checked for consistency.
struct Teacher {
    /// The run with the added task, some of whose facts are still unknown.
    header: RunHeader,
    material: TaughtImages,
    drill: TaskSchedule,
    /// The run's settings with batch size and learning rate of the added task.
    config: RunConfig,
    own: Option<RunDataset>,
    backbone: Arc<Opened>,
    pet: Option<PetPlan>,
}

impl Teacher {
    fn prepare(
        stored: &StoredRun,
        mut material: TaughtImages,
        device: Option<&str>,
        cache: &ResourceCache,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Self> {
        let before = &stored.header;
        let after = stored.reports.len();
        prepare(sink, message!("doing-opening-run-dataset"));
        let own = match own_images(before, cache, &|| control.request() != ControlRequest::Stop) {
            Ok(own) => Some(own),
            Err(problem) if control.request() == ControlRequest::Stop => return Err(problem),
            Err(problem) => {
                let remark = message!("teach-forgetting-unmeasured", why = problem.words());
                material.notes.push(remark.into());
                None
            }
        };
        if after < before.tasks.len() {
            let remark = message!(
                "teach-run-was-stopped",
                task = after + 1,
                of = before.tasks.len()
            );
            material.notes.push(remark.into());
        }
        let chosen = Chosen::of(&before.config)?;
        let usual = &before.train_images[..before.own_tasks().min(after)];
        let drill = TaskSchedule::new(&chosen, after, material.data.train.len(), usual);
        material
            .notes
            .extend(drill.note(&before.config).map(Words::from));
        let config = RunConfig {
            batch: drill.batch,
            base_lr: drill.base_lr,
            ..before.config.clone()
        };
        prepare(sink, message!("doing-opening-device"));
        let ready = match device {
            Some(device) => device::ready(device)?,
            None => device::ready(&config.device).or_else(|_| device::ready("auto"))?,
        };
        prepare(sink, message!("doing-loading-backbone"));
        let mut progress = |what: Message| {
            prepare(sink, what);
            control.request() != ControlRequest::Stop
        };
        let weights = answering_weights(before, &ready);
        let backbone = cache.backbone(config.chosen_backbone(), weights, &ready, &mut progress)?;
        if backbone.sha256 != before.weights_sha256 {
            return Err(Problem::new(message!("problem-backbone-weights-changed"))
                .at(&config.backbone)
                .advise(message!("advice-restore-weight-file")));
        }
        let added_task = material.added_task(&drill, before.planned_tasks());
        let header = before.clone().taught(after, added_task);
        let shapes = backbone.backbone.blocks();
        let context = Context {
            architecture: &backbone.entry.architecture,
            blocks: shapes,
            tasks: before.planned_tasks(),
            classes: header.class_order.len(),
        };
        let chosen = Chosen::of(&config)?;
        (chosen.spec.check)(&chosen, Some(&context))?;
        let pet = chosen.trains_pet()?.then(|| {
            let spec = PetSpec::parse(&stored.plugin, "the run's plugin.toml")?;
            let plan = PetPlan::new(&chosen, spec, shapes)?;
            Ok(plan
                .drawn(before.drawing)
                .starting(PetStart::of_run(before)?))
        });
        let pet = pet.transpose()?;
        Ok(Self {
            header,
            material,
            drill,
            own,
            pet,
            config,
            backbone,
        })
    }

    fn method(&self) -> Result<Box<dyn Method>> {
        method::build(Setup {
            config: &self.config,
            backbone: self.backbone.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.header.tasks,
            planned: self.header.planned_tasks(),
            own: self.header.own_tasks(),
            repeated_classes: &self.header.repeated_classes(),
        })
    }

    /// Copies the images, learns, tests, and makes the results part of the run. `None` if the user stopped it.
    fn teach(
        mut self,
        mut method: Box<dyn Method>,
        stored: StoredRun,
        (aside, place): (RunFolder, &NewAddedTask),
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Option<RunHeader>> {
        prepare(sink, message!("doing-copying-images"));
        let data = &self.material.data;
        let go_on = || control.request() != ControlRequest::Stop;
        let depth = data.options.bit_depth;
        let pictures = AddedPictures::copy(aside.path(), &data.train, &data.test, depth, &go_on)?;
        let before = self.right_before(&*method, &pictures, &stored.header)?;
        let images = self.images(&stored, &pictures, sink)?;
        if self.material.single_class {
            prepare(sink, message!("doing-measuring-earlier-classes"));
            self.measure_earlier(&mut *method, &images, control)?;
        }
        let added_task = self.complete(pictures.fingerprint.clone(), before);
        let kit = TrainContext {
            config: self.config,
            images,
            pixels: Arc::new(PixelCache::new(
                self.header.config.cache_mb.saturating_mul(1 << 20),
            )),
            backbone: self.backbone,
            repeats: self.drill.repeats,
        };
        let header = self.header.clone();
        let trainer = Trainer::new((kit, method), header, aside, sink, control)?;
        let Some(told) = trainer.run_added_task(stored.reports)? else {
            return Ok(None);
        };
        place.publish(&added_task)?;
        told.into_iter().for_each(|event| sink.event(event));
        Ok(Some(self.header))
    }

    /// Sets the facts of the added task that were unknown before.
    fn complete(&mut self, fingerprint: String, before: Option<f64>) -> AddedTask {
        let planned = self.header.planned_tasks();
        let mut added_task = self.material.added_task(&self.drill, planned);
        added_task.fingerprint = fingerprint;
        added_task.before = before;
        if let Some(last) = self.header.added_tasks.last_mut() {
            last.clone_from(&added_task);
        }
        added_task
    }

    /// Returns the accuracy on the added task's test images before it is learned. Images of unknown classes count as
    /// wrong.
    fn right_before(
        &self,
        method: &dyn Method,
        pictures: &AddedPictures,
        before: &RunHeader,
    ) -> Result<Option<f64>> {
        let tests = pictures.test();
        if tests.is_empty() {
            return Ok(None);
        }
        let known: Vec<(usize, _)> = tests
            .iter()
            .filter_map(|sample| {
                let of = self.material.known(sample.class as usize)?;
                Some((of, sample.clone()))
            })
            .collect();
        let (again, spec) = (before.repeated_classes(), self.backbone.input);
        let mut right = 0;
        for chunk in known.chunks(AT_ONCE) {
            let samples: Vec<_> = chunk.iter().map(|(_, sample)| sample.clone()).collect();
            let inputs: Vec<Vec<u8>> = inputs_of(&samples, spec)
                .into_iter()
                .collect::<Result<_>>()?;
            let images = upload::for_backbone(&inputs.concat(), &self.backbone);
            for (verdict, (of, _)) in method.predict(images)?.into_iter().zip(chunk) {
                let verdict = verdict.checked()?.merge_repeated_classes(&again);
                let answer = verdict.opinions.last();
                right += usize::from(answer.is_some_and(|answer| answer.class == *of));
            }
        }
        Ok(Some(right as f64 / tests.len() as f64))
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
        let own = header.class_at(earlier);
        let images = (0..tasks.len() - 1).flat_map(|task| images.train_of(task));
        let images = images.map(|(sample, label)| (sample, label as usize));
        let images: Vec<_> = images
            .filter(|(_, label)| header.class_at(*label) != own)
            .collect();
        let labels: Vec<usize> = images.iter().map(|(_, label)| *label).collect();
        let chosen = evenly(&labels, earlier, earlier * OF_EARLIER);
        let chunks = chosen.chunks(AT_ONCE);
        // The trainer reports a stop.
        for chunk in chunks.take_while(|_| control.request() != ControlRequest::Stop) {
            let samples: Vec<_> = chunk.iter().map(|at| images[*at].0.clone()).collect();
            let inputs = inputs_of(&samples, self.backbone.input).into_iter();
            let read = inputs.zip(chunk);
            let read = read.filter_map(|(input, at)| Some((input.ok()?, labels[*at])));
            let (inputs, labels): (Vec<Vec<u8>>, Vec<usize>) = read.unzip();
            if !labels.is_empty() {
                let images = upload::for_backbone(&inputs.concat(), &self.backbone);
                method.measure_earlier(images, &labels)?;
            }
        }
        Ok(())
    }

    /// Returns the images of the run and of its added tasks.
    fn images(
        &mut self,
        stored: &StoredRun,
        pictures: &AddedPictures,
        sink: &mut dyn Sink,
    ) -> Result<Images> {
        let tasks = &self.header.tasks;
        let own = self.header.own_tasks();
        let mut images = Images::new(self.own.take(), own, tasks[own - 1].end);
        let mut taught = Vec::new();
        let earlier = stored.header.added_tasks.iter().zip(own..);
        for (added_task, task) in earlier {
            prepare(sink, message!("doing-opening-earlier-images"));
            let (run, depth) = (&stored.header.folder, stored.header.config.bit_depth);
            let kept = store::added_task_pictures(run, task, added_task, depth)?;
            kept.check_tests()?;
            images.push(&kept, tasks[task].start);
            taught.extend(kept.train());
        }
        if let Some(task) = tasks.last() {
            images.push(pictures, task.start);
        }
        taught.extend(pictures.train());
        prepare(sink, message!("doing-searching-copies"));
        let note = images.leave_out_copies(&taught);
        self.material.notes.extend(note.map(Words::from));
        Ok(images)
    }
}
