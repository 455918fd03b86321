//! Golden files that hold a whole run of tasks: training steps, the look at the training images that
//! closed forms need, and the answers after each task, through the methods as runs use them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::file::{GoldenFile, backbone_of, ours_of, theirs_of};
use super::ledger::Ledger;
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::{Batch, GoOn, Method, Pass, PetPlan, Setup, Task};
use crate::nn::Place;
use crate::pet::PetSettings;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
use crate::tensors::{HostTensor, Named};

/// Images measured or answered at once: fewer than there are, as in runs.
const AT_ONCE: usize = 7;

/// The PET of files that name none.
const STREAM_ADAPTER: &str = "streamadapter";

/// A method as a file needs it.
pub(super) trait Case {
    /// The method itself.
    fn method(&mut self) -> &mut dyn Method;

    /// Puts what the file starts a task with in place of what was drawn; the task has begun.
    fn start(&mut self, file: &GoldenFile, task: usize, device: &Device) -> Result<()>;

    /// What the present task trains, by our names; empty where it trains nothing.
    fn trained(&mut self) -> Result<Named>;

    /// Loss and gradients of a batch by our names, without an update.
    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Loss>;

    /// The learning rate of a step.
    fn rate(&mut self, now: StepPosition) -> f64;

    /// Compares what is the method's own, after a task.
    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, test: &Tensor<4>) -> Result<()>;

    /// Whether the highest score is the answer.
    fn answers_by_score(&self) -> bool {
        true
    }
}

/// A loss and its gradients.
pub(super) type Loss = (Tensor<1>, Gradients);

/// What methods without gradient steps say when they are asked for some.
pub(super) fn trains_nothing<T>() -> Result<T> {
    Err(Problem::new("this method trains nothing in this task"))
}

/// A file ready to run.
pub(super) struct TaskFile<'a> {
    pub(super) file: &'a GoldenFile,
    pub(super) backbone: Arc<dyn Backbone>,
    pub(super) config: RunConfig,
    pub(super) pet: Option<PetPlan>,
    pub(super) tasks: Vec<Range<usize>>,
    device: Device,
}

impl<'a> TaskFile<'a> {
    /// Reads what the metadata say; `settings` are the method's own, by the names of the files.
    pub(super) fn new(file: &'a GoldenFile, place: &Place, settings: &[&str]) -> Result<Self> {
        let backbone = backbone_of(file, place)?;
        let width = backbone.feature_width();
        let mut config = RunConfig {
            method: file.text("method")?.into(),
            ..RunConfig::default()
        };
        if file.text("steps").is_ok() {
            let steps: usize = file.number("steps")?;
            let rate: f64 = file.number("lr")?;
            config.batch = file
                .tensor("task.0.target")?
                .shape
                .last()
                .copied()
                .unwrap_or(1);
            config.base_lr = rate * 256.0 / config.batch as f64;
            config.epochs = steps / file.number::<usize>("steps_per_epoch")?.max(1);
            // Adam has none.
            if file.text("momentum").is_ok()
                && file.number::<f64>("momentum")? != crate::method::tuning::MOMENTUM
            {
                return Err(Problem::new("the momentum is not 0.9"));
            }
        }
        for key in settings.iter().filter(|key| file.text(key).is_ok()) {
            let text = file.text(key)?;
            // What sizes a tensor: the square of the projections, the tokens of a prompt.
            match (*key, text.trim().parse()) {
                ("projection", Ok(size)) => file.bear(key, &[size, size])?,
                ("prompt_length", Ok(size)) => file.bear(key, &[size, width])?,
                _ => {}
            }
            let whole = text.parse().map(Setting::Whole).ok();
            let real = text.parse().map(Setting::Real).ok();
            let text = Setting::Text(text.to_string().into());
            let value = whole.or(real).unwrap_or(text);
            config.settings.insert((*key).to_string(), value);
        }
        let pet = match file.text("adapter_size") {
            Ok(_) => {
                let size = file.number("adapter_size")?;
                file.bear("adapter_size", &[size, width])?;
                let plugin = file.text("pet").unwrap_or(STREAM_ADAPTER);
                if plugin == STREAM_ADAPTER {
                    // The files drop nothing.
                    config
                        .settings
                        .insert("dropout".into(), Setting::Flag(false));
                }
                Some(PetPlan::of(
                    PluginLibrary::with_folders(Vec::new()).get(plugin)?,
                    PetSettings::of_size(size),
                    (0..backbone.blocks().len()).collect(),
                ))
            }
            Err(_) => None,
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
            config,
            pet,
            tasks: tasks.collect(),
            device: place.device.clone(),
        })
    }

    /// What the method is made from.
    pub(super) fn setup(&self) -> Setup<'_> {
        Setup {
            config: &self.config,
            backbone: self.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.tasks,
            planned: self.tasks.len(),
            own: self.tasks.len(),
            again: &[],
        }
    }

    /// Runs all tasks.
    pub(super) fn run(&self, case: &mut dyn Case, tolerance: Tolerance) -> Result<GoldenReport> {
        let mut ledger = Ledger::new(self.file, tolerance);
        let test: Tensor<4> = self.file.tensor("test.input")?.to_device(&self.device)?;
        for (index, classes) in self.tasks.iter().enumerate() {
            let classes = classes.clone();
            case.method().begin_task(&Task { index, classes })?;
            case.start(self.file, index, &self.device)?;
            if self.file.tensor(&format!("task.{index}.input")).is_ok() {
                self.train(case, &mut ledger, index)?;
            }
            self.measure(case.method(), index)?;
            case.method().end_task(&mut GoOn::to_the_end())?;
            case.compare(&mut ledger, index, &test)?;
            let images = test.dims()[0];
            let mut answers = Vec::new();
            for start in (0..images).step_by(AT_ONCE) {
                let end = (start + AT_ONCE).min(images);
                let batch = test.clone().narrow(0, start, end - start);
                answers.extend(case.method().predict(batch)?);
            }
            ledger.compare_answers(index, &answers, case.answers_by_score())?;
        }
        Ok(ledger.report())
    }

    fn train(&self, case: &mut dyn Case, ledger: &mut Ledger<'_>, task: usize) -> Result<()> {
        let steps: usize = self.file.number("steps")?;
        let before = case.trained()?;
        let wanted = self.wanted_before(task, &before)?;
        let first = self.tasks[task].start;
        let (mut losses, mut rates) = (Vec::new(), Vec::new());
        for step in 0..steps {
            if step == 0 {
                let (images, labels) = self.shown(task, step)?;
                let local: Vec<usize> = labels.iter().map(|label| label - first).collect();
                let (_, gradients) = case.gradients(images, &local)?;
                let theirs = self.file.under(&format!("task.{task}.grad."));
                ledger.compare_gradients(
                    task,
                    &by_their_names(&gradients, &before, task)?,
                    &theirs,
                );
            }
            rates.push(case.rate(StepPosition {
                step,
                steps,
                epoch: step / self.steps_per_epoch()?,
                epochs: self.config.epochs,
            }));
            losses.extend(self.learn(case.method(), task, step)?);
        }
        let losses = HostTensor::read(&Tensor::cat(losses, 0))?;
        let single = ledger.tolerance.single;
        ledger.compare(&format!("task.{task}.loss"), &losses.values, single)?;
        ledger.compare_doubles(&format!("task.{task}.lr"), &rates, 1e-12)?;
        let after = case.trained()?;
        let ours = [&before, &after].map(|named| renamed(named, task));
        let theirs = [wanted, self.file.under(&format!("task.{task}.after."))];
        ledger.compare_state(task, ours.each_ref(), theirs.each_ref())
    }

    fn steps_per_epoch(&self) -> Result<usize> {
        let steps: usize = self.file.number("steps")?;
        Ok((steps / self.config.epochs.max(1)).max(1))
    }

    /// The images of a step, and their classes.
    fn shown(&self, task: usize, step: usize) -> Result<(Tensor<4>, Vec<usize>)> {
        let (file, input) = (self.file, format!("task.{task}.input"));
        let labels = file.batch_labels(&format!("task.{task}.target"), step, 0)?;
        Ok((file.images(&input, step, &self.device)?, labels))
    }

    /// Lets a method learn the batch of a step. Gives its loss.
    pub(super) fn learn(
        &self,
        method: &mut dyn Method,
        task: usize,
        step: usize,
    ) -> Result<Option<Tensor<1>>> {
        let ((images, labels), each) = (self.shown(task, step)?, self.steps_per_epoch()?);
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
            method.end_pass(step / each, &mut GoOn::to_the_end())?;
        }
        Ok(loss)
    }

    /// What the file says everything trained was when a task began: what an earlier task left, else
    /// what it starts with.
    fn wanted_before(&self, task: usize, ours: &Named) -> Result<Named> {
        let names = renamed(ours, task).into_keys();
        let each = names.map(|name| {
            let earlier = (0..task)
                .rev()
                .map(|task| format!("task.{task}.after.{name}"));
            let mut known = earlier.chain([name.clone()]);
            let found = known.find_map(|full| self.file.tensor(&full).ok().cloned());
            let found = found.ok_or_else(|| Problem::new(format!("the file lacks {name}")));
            Ok((name, found?))
        });
        each.collect()
    }

    /// Shows the task's training images as they are.
    pub(super) fn measure(&self, method: &mut dyn Method, task: usize) -> Result<()> {
        let name = format!("task.{task}.train");
        let all: Tensor<4> = self
            .file
            .tensor(&format!("{name}.input"))?
            .to_device(&self.device)?;
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
        method.end_pass(self.config.epochs, &mut GoOn::to_the_end())
    }
}

/// Gradients by the file's names and in its orientation.
fn by_their_names(gradients: &Gradients, like: &Named, task: usize) -> Result<Named> {
    let mut found = BTreeMap::new();
    for (name, gradient) in gradients.iter() {
        let shape = like.get(name).map(|tensor| tensor.shape.clone());
        let missing = || Problem::new(format!("{name} has a gradient but is not trained"));
        let tensor = HostTensor {
            shape: shape.ok_or_else(missing)?,
            values: HostTensor::read(gradient)?.values,
        };
        found.insert(name.to_string(), tensor);
    }
    Ok(renamed(&found, task))
}

/// How the adapter's parameters are named in the files: ours, theirs, and whether theirs lies transposed
/// (weights of a Linear are out × in there).
const OF_ADAPTER: [(&str, &str, bool); 4] = [
    ("down", "down_proj.weight", true),
    ("b_down", "down_proj.bias", false),
    ("up", "up_proj.weight", true),
    ("b_up", "up_proj.bias", false),
];

/// The file's name of one of our parameters in a task, and whether it lies transposed there.
fn their_name(ours: &str, task: usize) -> (String, bool) {
    match ours.split_once('.') {
        Some(("pet", rest)) => {
            let (block, name) = rest.split_once('.').unwrap_or(("", rest));
            let known = OF_ADAPTER.iter().find(|(own, ..)| *own == name);
            let (theirs, transposed) = known.map_or((name, false), |(_, t, x)| (*t, *x));
            (format!("adapter.{task}.{block}.{theirs}"), transposed)
        }
        Some(("stage", rest)) => {
            let (layer, part) = rest.split_once('.').unwrap_or((rest, ""));
            let own = match layer {
                "token" => "task_tokens".to_string(),
                "classifier" => format!("classifiers.{part}"),
                "norm1" | "norm2" => format!("tabs.{layer}.{part}"),
                "fc1" | "fc2" => format!("tabs.mlp.{layer}.{part}"),
                _ => format!("tabs.attn.{layer}.{part}"),
            };
            let transposed = part == "weight" && !layer.starts_with("norm");
            (format!("stage.{task}.{own}"), transposed)
        }
        Some(("head", part)) => (format!("head.{task}.{part}"), false),
        _ => (ours.to_string(), false),
    }
}

/// Tensors by the file's names and in its orientation.
fn renamed(named: &Named, task: usize) -> Named {
    let each = named.iter().map(|(name, tensor)| {
        let (name, transposed) = their_name(name, task);
        (name, theirs_of(tensor, transposed))
    });
    each.collect()
}

/// The file's tensor for one of our parameters, of rank 2 as ours are.
pub(super) fn stored(file: &GoldenFile, ours: &str, task: usize) -> Result<HostTensor> {
    let (name, transposed) = their_name(ours, task);
    let tensor = file.tensor(&name)?;
    let last = tensor.shape.last().copied().unwrap_or(1);
    let flat = HostTensor {
        // A token lies behind two axes of length 1.
        shape: vec![tensor.values.len() / last.max(1), last],
        values: tensor.values.clone(),
    };
    Ok(ours_of(&flat, transposed))
}
