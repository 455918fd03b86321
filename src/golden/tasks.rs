//! Golden files with a whole run of tasks: training steps, the pass over the training images for closed-form
//! solutions, and the predictions after each task, computed by the methods as in a run.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::case::Case;
use super::comparer::Comparer;
use super::file::{GoldenFile, architecture_of, backbone_of, in_memory, ours_of, theirs_of};
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::backbone::weights::Tensors;
use crate::method::finetune;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::tuning::{DROPOUT, MOMENTUM};
use crate::method::{Batch, CancelToken, Method, Pass, PetPlan, Setup, Task, named_method};
use crate::nn::WeightPlacement;
use crate::pet::PetSettings;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
use crate::tensors::{HostTensor, Named};

/// Images per forward pass in measurements and predictions; fewer than all of them, as in runs.
const AT_ONCE: usize = 7;

/// The PET of files without a PET name.
const STREAM_ADAPTER: &str = "streamadapter";

/// Checks one file.
pub(super) fn check(
    file: &GoldenFile,
    place: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    TaskFile::new(file, place)?.run(tolerance)
}

/// A file ready to run.
struct TaskFile<'a> {
    file: &'a GoldenFile,
    backbone: Arc<dyn Backbone>,
    tasks: Vec<Range<usize>>,
    device: Device,
    config: RunConfig,
    pet: Option<PetPlan>,
    steps: usize,
    steps_per_epoch: usize,
}

impl<'a> TaskFile<'a> {
    /// Reads the metadata.
    fn new(file: &'a GoldenFile, place: &WeightPlacement) -> Result<Self> {
        let backbone = backbone_of(file, place)?;
        let width = backbone.feature_width();
        let method = match file.text("method")? {
            "seqft" => finetune::SEQUENTIAL.key,
            "jointft" => finetune::JOINT.key,
            key => key,
        };
        let mut config = RunConfig {
            method: method.into(),
            ..RunConfig::default()
        };
        let steps: usize = file.optional("steps")?.unwrap_or(0);
        let steps_per_epoch = file.optional("steps_per_epoch")?.unwrap_or(steps).max(1);
        if file.text("steps").is_ok() {
            let rate: f64 = file.number("lr")?;
            let batch = file.tensor("task.0.target")?.shape.last().copied();
            config.batch = batch.unwrap_or(1);
            config.base_lr = rate * 256.0 / config.batch as f64;
            config.epochs = steps / steps_per_epoch;
            // Files for Adam have no momentum.
            if file
                .optional("momentum")?
                .is_some_and(|given: f64| given != MOMENTUM)
            {
                return Err(Problem::new("the momentum is not 0.9"));
            }
        }
        for setting in named_method(method)?.settings {
            let key = setting.key;
            let Ok(text) = file.text(key) else { continue };
            if key == DROPOUT.key {
                continue;
            }
            // These settings determine the size of tensors: projections² and prompt tokens × width.
            match (key, text.trim().parse()) {
                ("projection", Ok(size)) => file.check_sizes(key, &[size, size])?,
                ("prompt_length", Ok(size)) => file.check_sizes(key, &[size, width])?,
                _ => {}
            }
            let whole = text.parse().map(Setting::Whole).ok();
            let real = text.parse().map(Setting::Real).ok();
            let text = Setting::Text(text.to_string().into());
            let value = whole.or(real).unwrap_or(text);
            config.settings.insert(key.to_string(), value);
        }
        let pet = match file.optional("adapter_size")? {
            Some(size) => {
                file.check_sizes("adapter_size", &[size, width])?;
                let plugin = file.text("pet").unwrap_or(STREAM_ADAPTER);
                if plugin == STREAM_ADAPTER {
                    // The reference values are computed without dropout.
                    let off = Setting::Flag(false);
                    config.settings.insert(DROPOUT.key.into(), off);
                }
                Some(PetPlan::of(
                    PluginLibrary::with_folders(Vec::new()).get(plugin)?,
                    PetSettings::of_size(size),
                    (0..backbone.blocks().len()).collect(),
                ))
            }
            None => None,
        };
        let classes = file.classes("classes", width)?;
        let mut seen = 0;
        let tasks = classes.into_iter().map(|classes| {
            seen += classes;
            seen - classes..seen
        });
        Ok(Self {
            file,
            backbone,
            tasks: tasks.collect(),
            device: place.device.clone(),
            config,
            pet,
            steps,
            steps_per_epoch,
        })
    }

    /// Returns the setup of the method.
    fn setup(&self) -> Setup<'_> {
        Setup {
            config: &self.config,
            backbone: self.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.tasks,
            planned: self.tasks.len(),
            own: self.tasks.len(),
            repeated_classes: &[],
        }
    }

    /// Runs all tasks.
    fn run(&self, tolerance: Tolerance) -> Result<GoldenReport> {
        let case = &mut Case::new(self.file, self.setup())?;
        let mut comparer = Comparer::new(self.file, tolerance);
        let test: Tensor<4> = self.file.tensor("test.input")?.to_device(&self.device)?;
        case.replace_random_values(self.file, &self.device)?;
        for (index, classes) in self.tasks.iter().enumerate() {
            let classes = classes.clone();
            case.method().begin_task(&Task { index, classes })?;
            self.start(case, index)?;
            if self.file.tensor(&format!("task.{index}.input")).is_ok() {
                self.train(case, &mut comparer, index)?;
            }
            self.measure(case.method(), index)?;
            case.method().end_task(&mut CancelToken::never())?;
            case.compare(&mut comparer, index, &test)?;
            let images = test.dims()[0];
            let mut answers = Vec::new();
            for start in (0..images).step_by(AT_ONCE) {
                let end = (start + AT_ONCE).min(images);
                let batch = test.clone().narrow(0, start, end - start);
                answers.extend(case.method().predict(batch)?);
            }
            comparer.compare_answers(index, &answers, case.answers_by_score())?;
        }
        Ok(comparer.report())
    }

    /// Replaces the random values of a task that has begun by those of the file.
    fn start(&self, case: &mut Case, task: usize) -> Result<()> {
        let mut state = case.method().checkpoint()?;
        let mut given = self.file.under(&format!("task.{task}.start."));
        for kept in state.keys() {
            if let Some(name) = case.trained_name(kept, task).filter(|name| name != kept) {
                let (theirs, transposed) = case.their_name(&name, task);
                given.insert(
                    kept.clone(),
                    ours_of(self.file.tensor(&theirs)?, transposed),
                );
            }
        }
        if given.is_empty() {
            return Ok(());
        }
        for (name, given) in given {
            let drawn = state.get_mut(&name);
            let drawn = drawn.filter(|drawn| drawn.shape == given.shape);
            *drawn.ok_or_else(|| Problem::new(format!("no initial value is named {name}")))? =
                given;
        }
        case.method().restore(&state, &self.tasks[..=task])
    }

    fn train(&self, case: &mut Case, comparer: &mut Comparer<'_>, task: usize) -> Result<()> {
        let key = |what: &str| format!("task.{task}.{what}");
        let single = comparer.tolerance.single;
        let with_norms = self.file.tensor(&key("grad_norm")).is_ok();
        let before = trained(case, task)?;
        let (mut losses, mut norms, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for step in 0..self.steps {
            if step == 0 || with_norms {
                let (images, labels) = self.shown(task, step)?;
                let first = self.tasks[task].start;
                // Labels of earlier tasks become 0; the gradients for these exemplars are not compared.
                let local = labels.iter().map(|label| label.saturating_sub(first));
                let local: Vec<usize> = local.collect();
                if let Some(gradients) = case.gradients(images, &local)? {
                    norms.extend(gradients.norm());
                    if step == 0 {
                        let ours = by_their_names(case, &gradients, &before, task)?;
                        let theirs = self.under(&key("grad."))?;
                        comparer.compare_gradients(task, &ours, &theirs);
                    }
                }
            }
            rates.extend(case.rate(StepPosition {
                step,
                steps: self.steps,
                epoch: step / self.steps_per_epoch,
                epochs: self.config.epochs,
            }));
            losses.extend(self.learn(case.method(), task, step)?);
        }
        let limit = case.loss_limit(comparer.tolerance);
        comparer.compare_tensor(&key("loss"), &Tensor::cat(losses, 0), limit)?;
        if with_norms {
            comparer.compare_tensor(&key("grad_norm"), &Tensor::cat(norms, 0), single)?;
        }
        if !rates.is_empty() {
            comparer.compare_doubles(&key("lr"), &rates, 1e-12)?;
        }
        let after = trained(case, task)?;
        let ours = [&before, &after].map(|named| renamed(case, named, task));
        let theirs = [self.before(task)?, self.under(&key("after."))?];
        comparer.compare_state(task, ours.each_ref(), theirs.each_ref())?;
        comparer.compare_checkpoint(&key("adam."), &after, "adam.")
    }

    /// Returns the images of a step and their classes.
    fn shown(&self, task: usize, step: usize) -> Result<(Tensor<4>, Vec<usize>)> {
        let (file, input) = (self.file, format!("task.{task}.input"));
        let labels = file.batch_labels(&format!("task.{task}.target"), step)?;
        Ok((file.images(&input, step, &self.device)?, labels))
    }

    /// Trains on the batch of a step; returns its loss.
    fn learn(
        &self,
        method: &mut dyn Method,
        task: usize,
        step: usize,
    ) -> Result<Option<Tensor<1>>> {
        let ((images, labels), each) = (self.shown(task, step)?, self.steps_per_epoch);
        let batch = Batch {
            images,
            labels: &labels,
            samples: &labels,
            pass: step / each,
            epochs: self.config.epochs,
            step: step % each,
            steps: each,
        };
        let loss = method.learn(&batch, &Pass::learning(false))?;
        if (step + 1).is_multiple_of(each) {
            method.end_pass(step / each, &mut CancelToken::never())?;
        }
        Ok(loss)
    }

    /// Returns the file's tensors that start with a prefix, without the prefix, with the backbone's tensors under
    /// their current names.
    fn under(&self, prefix: &str) -> Result<Named> {
        let mut found = self.file.under(prefix);
        let (mut own, mut backbone) = (Named::new(), Tensors::new());
        while let Some((name, tensor)) = found.pop_first() {
            match name.strip_prefix("backbone.") {
                Some(name) => backbone.insert(name, in_memory(&tensor)),
                None => drop(own.insert(name, tensor)),
            }
        }
        let backbone = (architecture_of(self.file)?.family().renamed)(backbone)?;
        for name in backbone.names() {
            let shape = backbone.shape(name).unwrap_or_default().to_vec();
            let values = backbone.read(name)?;
            own.insert(format!("backbone.{name}"), HostTensor { shape, values });
        }
        Ok(own)
    }

    /// Returns the trained parameters at the start of a task, according to the file: the initial
    /// values, or what an earlier task left.
    fn before(&self, task: usize) -> Result<Named> {
        let mut known = self.under("")?;
        for earlier in 0..task {
            known.extend(self.under(&format!("task.{earlier}.after."))?);
        }
        known.extend(self.under(&format!("task.{task}.start."))?);
        Ok(known)
    }

    /// Passes on the task's training images without augmentation, if the file has them.
    fn measure(&self, method: &mut dyn Method, task: usize) -> Result<()> {
        let name = format!("task.{task}.train");
        let Ok(all) = self.file.tensor(&format!("{name}.input")) else {
            return Ok(());
        };
        let all: Tensor<4> = all.to_device(&self.device)?;
        let labels = self.file.labels(&format!("{name}.target"), 0)?;
        let steps = labels.len().div_ceil(AT_ONCE);
        let samples: Vec<usize> = (0..labels.len()).collect();
        let batches = labels.chunks(AT_ONCE).zip(samples.chunks(AT_ONCE));
        for (step, (labels, samples)) in batches.enumerate() {
            let batch = Batch {
                images: all.clone().narrow(0, step * AT_ONCE, labels.len()),
                labels,
                samples,
                pass: self.config.epochs,
                epochs: self.config.epochs,
                step,
                steps,
            };
            method.learn(&batch, &Pass::measuring())?;
        }
        method.end_pass(self.config.epochs, &mut CancelToken::never())
    }
}

/// Returns the tensors that the current task trains, by our names.
fn trained(case: &mut Case, task: usize) -> Result<Named> {
    let checkpoint = case.method().checkpoint()?.into_iter();
    let own =
        checkpoint.filter_map(|(kept, tensor)| Some((case.trained_name(&kept, task)?, tensor)));
    Ok(own.collect())
}

/// Returns gradients by the file's names and in its orientation.
fn by_their_names(case: &Case, gradients: &Gradients, like: &Named, task: usize) -> Result<Named> {
    let mut found = Named::new();
    for (name, gradient) in gradients.iter() {
        let shape = like.get(name).map(|tensor| tensor.shape.clone());
        let missing = || Problem::new(format!("{name} has a gradient but is not trained"));
        let tensor = HostTensor {
            shape: shape.ok_or_else(missing)?,
            values: HostTensor::read(gradient)?.values,
        };
        found.insert(name.to_string(), tensor);
    }
    Ok(renamed(case, &found, task))
}

/// Returns tensors by the file's names and in its orientation.
fn renamed(case: &Case, named: &Named, task: usize) -> Named {
    let each = named.iter().map(|(name, tensor)| {
        let (name, transposed) = case.their_name(name, task);
        (name, theirs_of(tensor, transposed))
    });
    each.collect()
}
