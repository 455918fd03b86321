//! Checks files of L2P, DualPrompt and CODA-Prompt: trains two tasks from a given state with the methods' own code,
//! and compares the state on the way.

use burn::tensor::{Device, Tensor};
use serde::de::DeserializeOwned;

use super::comparer::Comparer;
use super::file::{GoldenFile, read_backbone, read_head, transpose_if};
use super::{GoldenReport, Tolerance};
use crate::method::optimiser::{Gradients, OptimiserSettings, Schedule, StepPosition};
use crate::method::prompt::coda::{self, Coda};
use crate::method::prompt::dualprompt::DualPrompt;
use crate::method::prompt::l2p::L2p;
use crate::method::prompt::selection::similarity;
use crate::method::prompt::{PromptMethod, Scheme};
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, get_tensor};

/// Returns the settings of the file's method.
fn args<T: DeserializeOwned>(file: &GoldenFile) -> Result<T> {
    serde_json::from_value(file.json("method_args")?)
        .map_err(|e| Problem::new(format!("`method_args` in the metadata is invalid: {e}")))
}

/// Checks one file.
pub(super) fn check(
    file: &GoldenFile,
    placement: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let backbone = read_backbone(file, placement)?;
    let width = backbone.feature_width();
    let classes = file.classes("classes_per_task", width)?;
    let (scheme, pull, coda, sizes): (Box<dyn Scheme>, _, _, _) = match file.text("method")? {
        "l2p" => {
            let settings: L2p = args(file)?;
            let sizes = [[1, settings.pool, settings.length], [1, settings.pool, settings.top_k]];
            (Box::new(settings.clone()), Some(settings.pull), None, sizes)
        }
        "dualprompt" => {
            let tasks = classes.len();
            let settings = DualPrompt { tasks, ..args(file)? };
            let pool = [2 * settings.e_blocks.len(), settings.pool, settings.e_length];
            let sizes = [pool, [2 * settings.g_blocks.len(), 1, settings.g_length]];
            (Box::new(settings.clone()), Some(settings.pull), None, sizes)
        }
        _ => {
            let settings: Coda = args(file)?;
            let sizes =
                [[settings.blocks.len(), settings.pool, settings.length], [1, 1, settings.tasks]];
            (Box::new(settings.clone()), None, Some(settings), sizes)
        }
    };
    for [blocks, pool, length] in sizes {
        file.check_sizes("method_args", &[blocks, pool, length, width])?;
    }
    let rates: Vec<f64> = serde_json::from_value(file.json("lr")?)
        .map_err(|_| Problem::new("`lr` in the metadata is not a list of numbers"))?;
    let training = OptimiserSettings {
        schedule: match coda {
            Some(_) => Schedule::LaggingCosine,
            None => Schedule::Constant,
        },
        clip: Some(file.number("clip")?).filter(|clip| *clip > 0.0),
        ..OptimiserSettings::adam(rates.first().copied().unwrap_or_default())
    };
    let mut run = Run {
        file,
        device: placement.device.clone(),
        comparer: Comparer::new(file, tolerance),
        limit: tolerance.single,
        pull,
        coda,
        prompted: PromptMethod::new(backbone, scheme, training, 0)?,
        rates,
    };
    run.run_tasks(&classes)?;
    Ok(run.comparer.report())
}

struct Run<'a> {
    file: &'a GoldenFile,
    device: Device,
    comparer: Comparer<'a>,
    /// Largest error that is currently accepted.
    limit: f64,
    /// Weight of the pull term, for methods that select prompts per image.
    pull: Option<f64>,
    /// CODA-Prompt, which mixes all prompts.
    coda: Option<Coda>,
    prompted: PromptMethod,
    /// The learning rate of each step of a task.
    rates: Vec<f64>,
}

impl Run<'_> {
    fn run_tasks(&mut self, classes: &[usize]) -> Result<()> {
        for (name, leaf) in &mut self.prompted.leaves {
            let values = self.file.tensor(&format!("init.{name}"))?.values.clone();
            let shape = leaf.dims().to_vec();
            *leaf = HostTensor { shape, values }.to_device(&self.device)?;
        }
        let query = self.prompted.query(self.images("test.input")?)?;
        self.compare("test.query", &query)?;
        let mut old_classes = 0;
        for (task, classes) in classes.iter().enumerate() {
            self.begin_task(task, *classes)?;
            self.learn(task, old_classes)?;
            self.compare_state(&format!("task{task}.end"))?;
            self.compare_predictions(task, &query)?;
            old_classes += classes;
        }
        Ok(())
    }

    fn images(&self, name: &str) -> Result<Tensor<4>> {
        self.file.tensor(name)?.to_device(&self.device)
    }

    fn compare<const D: usize>(&mut self, name: &str, tensor: &Tensor<D>) -> Result<()> {
        self.comparer.compare_tensor(name, tensor, self.limit)
    }

    /// Begins a task with the random draws of the file instead of our own.
    fn begin_task(&mut self, task: usize, classes: usize) -> Result<()> {
        self.prompted.start_task(classes)?;
        let PromptMethod { leaves, heads, .. } = &mut self.prompted;
        if let Some(coda) = &self.coda {
            let draws = self.file.with_prefix(&format!("task{task}.draw."));
            for name in leaves.keys() {
                get_tensor(&draws, name)?;
            }
            coda.start_components(task, leaves, |name, row, _, columns| {
                let offset = row % (coda.pool / coda.tasks) * columns;
                let draws = draws.get(name).map(|draws| &draws.values[offset..offset + columns]);
                draws.unwrap_or_default().to_vec()
            })?;
        }
        heads.0.pop();
        heads.0.push(read_head(self.file, &format!("init.head.{task}"), &self.device)?);
        self.limit = match task {
            0 => self.comparer.tolerance.single,
            _ => self.comparer.tolerance.trajectory,
        };
        self.compare_state(&format!("task{task}.start"))
    }

    /// Compares all trained tensors with those of the file that start with `prefix`.
    fn compare_state(&mut self, prefix: &str) -> Result<()> {
        for (name, leaf) in self.prompted.leaves.clone() {
            self.compare(&format!("{prefix}.{name}"), &leaf)?;
        }
        let heads = &self.prompted.heads;
        self.comparer.compare_heads(prefix, heads, self.limit)
    }

    /// Trains the steps of a task; compares the gradients of the first step and the metrics of all steps.
    fn learn(&mut self, task: usize, old_classes: usize) -> Result<()> {
        let (steps, epochs) = (self.rates.len(), self.file.number("epochs").unwrap_or(1));
        let (mut losses, mut entropies, mut penalties) = (Vec::new(), Vec::new(), Vec::new());
        let (mut norms, mut rates, mut choice) = (Vec::new(), Vec::new(), Vec::new());
        for step in 0..steps {
            let epoch = step * epochs / steps;
            let position = StepPosition { step, steps, epoch, epochs };
            let images = self.images(&format!("task{task}.input.{step}"))?;
            let labels = format!("task{task}.target.{step}");
            let labels = self.file.labels(&labels, old_classes)?;
            let output = self.prompted.gradients(images, None, &labels)?;
            if step == 0 {
                self.compare_gradients(task, &output.gradients)?;
            }
            rates.push(self.prompted.optimiser.rate(position));
            norms.extend(output.gradients.norm());
            penalties.push(output.penalty.unwrap_or_else(|| output.loss.zeros_like()));
            losses.push(output.loss);
            entropies.push(output.cross_entropy);
            choice.extend(output.choice);
            self.prompted.update(output.gradients, position);
        }
        self.limit = self.comparer.tolerance.trajectory;
        let key = |what: &str| format!("task{task}.{what}");
        self.compare(&key("loss"), &Tensor::cat(losses, 0))?;
        self.compare(&key("ce"), &Tensor::cat(entropies, 0))?;
        let penalties = Tensor::cat(penalties, 0);
        match self.pull {
            Some(pull) => {
                self.compare(&key("pull"), &(penalties.neg() / pull))?;
                self.compare(&key("grad_norm"), &Tensor::cat(norms, 0))?;
                self.compare_choice(&key("choice"), &choice)?;
            }
            None => self.compare(&key("penalty"), &penalties)?,
        }
        let rate_differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * b.abs();
        if rates.iter().zip(&self.rates).any(rate_differs) {
            let expected = &self.rates;
            let message = format!("the learning rates are {rates:?} instead of {expected:?}");
            return Err(Problem::new(message));
        }
        Ok(())
    }

    fn compare_gradients(&mut self, task: usize, gradients: &Gradients) -> Result<()> {
        for (name, gradient) in gradients.iter() {
            let key = format!("task{task}.grad.{name}");
            let mut values = HostTensor::read(gradient)?;
            if name.ends_with("weight") {
                let width = self.prompted.heads.0[task].weight.dims()[0];
                values.shape = vec![width, values.values.len() / width];
                values = transpose_if(&values, true);
            }
            self.comparer.compare(&key, &values.values, self.limit)?;
        }
        Ok(())
    }

    /// Compares the numbers of the selected prompts exactly.
    fn compare_choice(&mut self, name: &str, choice: &[Vec<usize>]) -> Result<()> {
        let selected = choice.iter().flatten().map(|prompt| *prompt as f32);
        self.comparer.compare(name, &Vec::from_iter(selected), 0.0)
    }

    fn compare_predictions(&mut self, task: usize, query: &Tensor<2>) -> Result<()> {
        let key = |what: &str| format!("task{task}.test.{what}");
        let images = self.images("test.input")?;
        let (choice, features) = self.prompted.prompted_features(images.clone())?;
        self.compare(&key("feature"), &features)?;
        self.compare(&key("logits"), &self.prompted.logits(images)?)?;
        let leaves = self.prompted.leaves.clone();
        let leaf = |name: &str| {
            let leaf = leaves.get(name).cloned();
            leaf.ok_or_else(|| Problem::new(format!("the tensor {name} is missing")))
        };
        let Some(coda) = self.coda.clone() else {
            self.compare(&key("similarity"), &similarity(query, &leaf("key")?))?;
            return self.compare_choice(&key("choice"), &choice);
        };
        let rows = (task + 1) * (coda.pool / coda.tasks);
        for block in &coda.blocks {
            let part = |part: &str| -> Result<Tensor<2>> {
                Ok(leaf(&format!("coda.{block}.{part}"))?.slice_dim(0, 0..rows))
            };
            let weights = coda::weights(query, &part("a")?, &part("k")?);
            self.compare(&key(&format!("weight.{block}")), &weights)?;
        }
        Ok(())
    }
}
