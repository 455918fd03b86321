//! Golden files with a whole run of tasks: training steps, the pass over the training images for closed-form
//! solutions, and the predictions after each task, computed by the methods as in a run.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::case::Case;
use super::comparer::Comparer;
use super::file::{
    GoldenFile, read_architecture, read_backbone, to_parameter, to_stored_tensor, transpose_if,
};
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::backbone::weights::Tensors;
use crate::method::finetune;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::pet_tuning::{DROPOUT, MOMENTUM};
use crate::method::{Batch, CancelToken, Method, Pass, PetPlan, Setup, Task, find_method};
use crate::nn::WeightPlacement;
use crate::pet::PetSettings;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
use crate::tensors::{HostTensor, NamedTensors};

/// Images per forward pass in measurements and predictions; fewer than all of them, as in runs.
const BATCH_SIZE: usize = 7;

/// The PET of files without a PET name.
const STREAM_ADAPTER: &str = "streamadapter";

/// Checks one file.
pub(super) fn check(
    file: &GoldenFile,
    placement: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    TaskFile::new(file, placement)?.run(tolerance)
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
    fn new(file: &'a GoldenFile, placement: &WeightPlacement) -> Result<Self> {
        let backbone = read_backbone(file, placement)?;
        let width = backbone.feature_width();
        let method = match file.text("method")? {
            "seqft" => finetune::SEQUENTIAL.key,
            "jointft" => finetune::JOINT.key,
            key => key,
        };
        let mut config = RunConfig { method: method.into(), ..RunConfig::default() };
        let steps: usize = file.optional_number("steps")?.unwrap_or(0);
        let steps_per_epoch = file.optional_number("steps_per_epoch")?.unwrap_or(steps).max(1);
        if file.text("steps").is_ok() {
            let rate: f64 = file.number("lr")?;
            let batch = file.tensor("task.0.target")?.shape.last().copied();
            config.batch = batch.unwrap_or(1);
            config.base_lr = rate * 256.0 / config.batch as f64;
            config.epochs = steps / steps_per_epoch;
            // Files for Adam have no momentum.
            if file.optional_number("momentum")?.is_some_and(|momentum: f64| momentum != MOMENTUM) {
                return Err(Problem::new("the momentum is not 0.9"));
            }
        }
        for setting in find_method(method)?.settings {
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
            let integer = text.parse().map(Setting::Whole).ok();
            let real = text.parse().map(Setting::Real).ok();
            let text = Setting::Text(text.to_string().into());
            let value = integer.or(real).unwrap_or(text);
            config.settings.insert(key.to_string(), value);
        }
        let pet = match file.optional_number("adapter_size")? {
            Some(size) => {
                file.check_sizes("adapter_size", &[size, width])?;
                let plugin = file.text("pet").unwrap_or(STREAM_ADAPTER);
                if plugin == STREAM_ADAPTER {
                    // The reference values are computed without dropout.
                    let disabled = Setting::Flag(false);
                    config.settings.insert(DROPOUT.key.into(), disabled);
                }
                Some(PetPlan::with_settings(
                    PluginLibrary::with_folders(Vec::new()).get(plugin)?,
                    PetSettings::with_size(size),
                    (0..backbone.blocks().len()).collect(),
                ))
            }
            None => None,
        };
        let classes = file.classes("classes", width)?;
        let mut class_count = 0;
        let tasks = classes.into_iter().map(|classes| {
            class_count += classes;
            class_count - classes..class_count
        });
        Ok(Self {
            file,
            backbone,
            tasks: tasks.collect(),
            device: placement.device.clone(),
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
            planned_tasks: self.tasks.len(),
            own_tasks: self.tasks.len(),
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
            self.set_initial_values(case, index)?;
            if self.file.tensor(&format!("task.{index}.input")).is_ok() {
                self.train(case, &mut comparer, index)?;
            }
            self.measure(case.method(), index)?;
            case.method().end_task(&mut CancelToken::never())?;
            case.compare(&mut comparer, index, &test)?;
            let images = test.dims()[0];
            let mut predictions = Vec::new();
            for start in (0..images).step_by(BATCH_SIZE) {
                let end = (start + BATCH_SIZE).min(images);
                let batch = test.clone().narrow(0, start, end - start);
                predictions.extend(case.method().predict(batch)?);
            }
            comparer.compare_predictions(index, &predictions, case.predicts_by_score())?;
        }
        Ok(comparer.report())
    }

    /// Replaces the random values of a task that has begun by those of the file.
    fn set_initial_values(&self, case: &mut Case, task: usize) -> Result<()> {
        let mut state = case.method().checkpoint()?;
        let mut initial = self.file.with_prefix(&format!("task.{task}.start."));
        for stored_name in state.keys() {
            if let Some(name) =
                case.trained_name(stored_name, task).filter(|name| name != stored_name)
            {
                let (reference_name, transposed) = case.reference_name(&name, task);
                initial.insert(
                    stored_name.clone(),
                    to_parameter(self.file.tensor(&reference_name)?, transposed),
                );
            }
        }
        if initial.is_empty() {
            return Ok(());
        }
        for (name, value) in initial {
            let drawn = state.get_mut(&name);
            let drawn = drawn.filter(|drawn| drawn.shape == value.shape);
            *drawn.ok_or_else(|| Problem::new(format!("no initial value is named {name}")))? =
                value;
        }
        case.method().restore(&state, &self.tasks[..=task])
    }

    fn train(&self, case: &mut Case, comparer: &mut Comparer<'_>, task: usize) -> Result<()> {
        let key = |what: &str| format!("task.{task}.{what}");
        let single = comparer.tolerance.single;
        let with_norms = self.file.tensor(&key("grad_norm")).is_ok();
        let before = trained_parameters(case, task)?;
        let (mut losses, mut norms, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for step in 0..self.steps {
            if step == 0 || with_norms {
                let (images, labels) = self.load_batch(task, step)?;
                let first = self.tasks[task].start;
                // Labels of earlier tasks become 0; the gradients for these exemplars are not compared.
                let local = labels.iter().map(|label| label.saturating_sub(first));
                let local: Vec<usize> = local.collect();
                if let Some(gradients) = case.gradients(images, &local)? {
                    norms.extend(gradients.norm());
                    if step == 0 {
                        let ours = gradients_by_reference_name(case, &gradients, &before, task)?;
                        let theirs = self.tensors_with_prefix(&key("grad."))?;
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
        let after = trained_parameters(case, task)?;
        let ours = [&before, &after].map(|named| to_reference_names(case, named, task));
        let theirs = [self.initial_parameters(task)?, self.tensors_with_prefix(&key("after."))?];
        comparer.compare_state(task, ours.each_ref(), theirs.each_ref())?;
        comparer.compare_checkpoint(&key("adam."), &after, "adam.")
    }

    /// Returns the images of a step and their classes.
    fn load_batch(&self, task: usize, step: usize) -> Result<(Tensor<4>, Vec<usize>)> {
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
        let ((images, labels), per_epoch) = (self.load_batch(task, step)?, self.steps_per_epoch);
        let batch = Batch {
            images,
            labels: &labels,
            samples: &labels,
            pass: step / per_epoch,
            epochs: self.config.epochs,
            step: step % per_epoch,
            steps: per_epoch,
        };
        let loss = method.learn(&batch, &Pass::learning(false))?;
        if (step + 1).is_multiple_of(per_epoch) {
            method.end_pass(step / per_epoch, &mut CancelToken::never())?;
        }
        Ok(loss)
    }

    /// Returns the file's tensors that start with a prefix, without the prefix, with the backbone's tensors under
    /// their current names.
    fn tensors_with_prefix(&self, prefix: &str) -> Result<NamedTensors> {
        let mut found = self.file.with_prefix(prefix);
        let (mut tensors, mut backbone) = (NamedTensors::new(), Tensors::new());
        while let Some((name, tensor)) = found.pop_first() {
            match name.strip_prefix("backbone.") {
                Some(name) => backbone.insert(name, to_stored_tensor(&tensor)),
                None => drop(tensors.insert(name, tensor)),
            }
        }
        let backbone = (read_architecture(self.file)?.family().rename_tensors)(backbone)?;
        for name in backbone.names() {
            let shape = backbone.shape(name).unwrap_or_default().to_vec();
            let values = backbone.read(name)?;
            tensors.insert(format!("backbone.{name}"), HostTensor { shape, values });
        }
        Ok(tensors)
    }

    /// Returns the trained parameters at the start of a task, according to the file: the initial
    /// values, or what an earlier task left.
    fn initial_parameters(&self, task: usize) -> Result<NamedTensors> {
        let mut parameters = self.tensors_with_prefix("")?;
        for earlier in 0..task {
            parameters.extend(self.tensors_with_prefix(&format!("task.{earlier}.after."))?);
        }
        parameters.extend(self.tensors_with_prefix(&format!("task.{task}.start."))?);
        Ok(parameters)
    }

    /// Passes on the task's training images without augmentation, if the file has them.
    fn measure(&self, method: &mut dyn Method, task: usize) -> Result<()> {
        let name = format!("task.{task}.train");
        let Ok(images) = self.file.tensor(&format!("{name}.input")) else {
            return Ok(());
        };
        let images: Tensor<4> = images.to_device(&self.device)?;
        let labels = self.file.labels(&format!("{name}.target"), 0)?;
        let steps = labels.len().div_ceil(BATCH_SIZE);
        let samples: Vec<usize> = (0..labels.len()).collect();
        let batches = labels.chunks(BATCH_SIZE).zip(samples.chunks(BATCH_SIZE));
        for (step, (labels, samples)) in batches.enumerate() {
            let batch = Batch {
                images: images.clone().narrow(0, step * BATCH_SIZE, labels.len()),
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
fn trained_parameters(case: &mut Case, task: usize) -> Result<NamedTensors> {
    let checkpoint = case.method().checkpoint()?.into_iter();
    let parameters = checkpoint
        .filter_map(|(stored_name, tensor)| Some((case.trained_name(&stored_name, task)?, tensor)));
    Ok(parameters.collect())
}

/// Returns gradients by the file's names and in its orientation.
fn gradients_by_reference_name(
    case: &Case,
    gradients: &Gradients,
    parameters: &NamedTensors,
    task: usize,
) -> Result<NamedTensors> {
    let mut tensors = NamedTensors::new();
    for (name, gradient) in gradients.iter() {
        let shape = parameters.get(name).map(|tensor| tensor.shape.clone());
        let missing = || Problem::new(format!("{name} has a gradient but is not trained"));
        let tensor = HostTensor {
            shape: shape.ok_or_else(missing)?,
            values: HostTensor::read(gradient)?.values,
        };
        tensors.insert(name.to_string(), tensor);
    }
    Ok(to_reference_names(case, &tensors, task))
}

/// Returns tensors by the file's names and in its orientation.
fn to_reference_names(case: &Case, named: &NamedTensors, task: usize) -> NamedTensors {
    let tensors = named.iter().map(|(name, tensor)| {
        let (name, transposed) = case.reference_name(name, task);
        (name, transpose_if(tensor, transposed))
    });
    tensors.collect()
}
