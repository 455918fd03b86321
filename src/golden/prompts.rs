//! Files of L2P, DualPrompt and CODA-Prompt: two tasks from given start to end, with everything
//! that must come out on the way, through the code that trains and predicts.

use burn::tensor::{Device, Tensor};
use serde::de::DeserializeOwned;

use super::comparer::Comparer;
use super::file::{GoldenFile, backbone_of, head_of, theirs_of};
use super::{GoldenReport, Tolerance};
use crate::method::optimiser::{Schedule, StepPosition};
use crate::method::prompt::choice::similarity;
use crate::method::prompt::coda::{self, Coda};
use crate::method::prompt::dualprompt::DualPrompt;
use crate::method::prompt::l2p::L2p;
use crate::method::prompt::{Leaves, PromptGradients, Prompted, Scheme, Training};
use crate::nn::Place;
use crate::pet::Init;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// The methods these files are of.
#[derive(Clone)]
enum Method {
    L2p(L2p),
    DualPrompt(DualPrompt),
    Coda(Coda),
}

impl Method {
    /// The method with the file's settings; `classes` of each task.
    fn of(file: &GoldenFile, classes: &[usize]) -> Result<Self> {
        fn args<T: DeserializeOwned>(file: &GoldenFile) -> Result<T> {
            serde_json::from_value(file.json("method_args")?).map_err(|e| {
                Problem::new(format!("\"method_args\" in the metadata is invalid: {e}"))
            })
        }
        Ok(match file.text("method")? {
            "l2p" => Self::L2p(args(file)?),
            "dualprompt" => Self::DualPrompt(DualPrompt {
                tasks: classes.len(),
                ..args(file)?
            }),
            _ => Self::Coda(args(file)?),
        })
    }

    /// Refuses prompts that are larger than the file.
    fn check_sizes(&self, file: &GoldenFile, width: usize) -> Result<()> {
        let prompts = match self {
            Self::L2p(own) => vec![[1, own.pool, own.length], [1, own.pool, own.top_k]],
            Self::DualPrompt(own) => vec![
                [2 * own.e_blocks.len(), own.pool, own.e_length],
                [2 * own.g_blocks.len(), 1, own.g_length],
            ],
            Self::Coda(own) => vec![[own.blocks.len(), own.pool, own.length], [1, 1, own.tasks]],
        };
        let mut sizes = prompts.iter().map(|[a, b, c]| [*a, *b, *c, width]);
        sizes.try_for_each(|sizes| file.check_sizes("method_args", &sizes))
    }

    fn scheme(&self) -> Box<dyn Scheme> {
        match self.clone() {
            Self::L2p(l2p) => Box::new(l2p),
            Self::DualPrompt(dualprompt) => Box::new(dualprompt),
            Self::Coda(coda) => Box::new(coda),
        }
    }

    /// Prompts chosen per image, and the weight of their pull; `None` if all are mixed.
    fn choice(&self) -> Option<f64> {
        match self {
            Self::L2p(l2p) => Some(l2p.pull),
            Self::DualPrompt(dualprompt) => Some(dualprompt.pull),
            Self::Coda(_) => None,
        }
    }
}

/// Runs the file.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let backbone = backbone_of(file, place)?;
    let width = backbone.feature_width();
    let classes = file.classes("classes_per_task", width)?;
    let method = Method::of(file, &classes)?;
    method.check_sizes(file, width)?;
    let rates: Vec<f64> = serde_json::from_value(file.json("lr")?)
        .map_err(|_| Problem::new("\"lr\" in the metadata is not a list of numbers"))?;
    let training = Training {
        learning_rate: rates.first().copied().unwrap_or_default(),
        schedule: match method {
            Method::Coda(_) => Schedule::LaggingCosine,
            _ => Schedule::Constant,
        },
        clip: file.number("clip")?,
    };
    let prompted = Prompted::new(backbone, method.scheme(), training, 0)?;
    let mut run = Run {
        file,
        device: place.device.clone(),
        comparer: Comparer::new(file, tolerance),
        limit: tolerance.single,
        method,
        prompted,
        rates,
        classes,
    };
    run.all()?;
    Ok(run.comparer.report())
}

struct Run<'a> {
    file: &'a GoldenFile,
    device: Device,
    comparer: Comparer<'a>,
    /// Largest error that is currently accepted.
    limit: f64,
    method: Method,
    prompted: Prompted,
    /// The learning rate of each step of a task.
    rates: Vec<f64>,
    /// Of each task.
    classes: Vec<usize>,
}

impl Run<'_> {
    fn all(&mut self) -> Result<()> {
        let mut leaves = Leaves::new();
        for (name, leaf) in self.prompted.leaves() {
            let values = self.file.tensor(&format!("init.{name}"))?.values.clone();
            let shape = leaf.dims().to_vec();
            let stored = HostTensor { shape, values };
            leaves.insert(name.clone(), stored.to_device(&self.device)?);
        }
        let query = self.prompted.query(self.images("test.input")?)?;
        self.compare("test.query", &query)?;
        let mut old_classes = 0;
        for (task, classes) in self.classes.clone().into_iter().enumerate() {
            self.begin(task, leaves)?;
            self.learn(task, old_classes)?;
            self.compare_state(&format!("task{task}.end"))?;
            self.compare_answers(task, &query)?;
            leaves = self.prompted.leaves().clone();
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

    /// What a task starts from, with the file's draws in place of our own.
    fn begin(&mut self, task: usize, mut leaves: Leaves) -> Result<()> {
        let file = self.file;
        match &self.method {
            Method::Coda(coda) => {
                let mut missing = None;
                coda.start_components(task, &mut leaves, |name, row, _, columns| {
                    let name = format!("task{task}.draw.{name}");
                    let own = row % (coda.pool / coda.tasks) * columns;
                    match file.tensor(&name) {
                        Ok(draws) => draws.values[own..own + columns].to_vec(),
                        Err(problem) => {
                            missing = Some(problem);
                            Init::Normal(1.0).draw([1, columns], 0, row as u64)
                        }
                    }
                })?;
                if let Some(problem) = missing {
                    return Err(problem);
                }
            }
            other => other.scheme().begin_task(task, &mut leaves, 0)?,
        }
        let mut heads = self.prompted.heads().clone();
        let head = head_of(file, &format!("init.head.{task}"), &self.device)?;
        heads.0.push(head);
        self.prompted.begin_with(leaves, heads);
        self.limit = match task {
            0 => self.comparer.tolerance.single,
            _ => self.comparer.tolerance.trajectory,
        };
        self.compare_state(&format!("task{task}.start"))
    }

    /// All trained tensors under `prefix`.
    fn compare_state(&mut self, prefix: &str) -> Result<()> {
        for (name, leaf) in self.prompted.leaves().clone() {
            self.compare(&format!("{prefix}.{name}"), &leaf)?;
        }
        let heads = self.prompted.heads();
        self.comparer.compare_heads(prefix, heads, self.limit)
    }

    /// The steps of a task: gradients of the first, the numbers of all.
    fn learn(&mut self, task: usize, old_classes: usize) -> Result<()> {
        let (steps, mut seen) = (self.rates.len(), Seen::default());
        let epochs = self.file.number("epochs").unwrap_or(1);
        for step in 0..steps {
            let now = StepPosition {
                step,
                steps,
                epoch: step * epochs / steps,
                epochs,
            };
            let images = self.images(&format!("task{task}.input.{step}"))?;
            let labels = format!("task{task}.target.{step}");
            let labels = self.file.labels(&labels, old_classes)?;
            let gradients = self.prompted.gradients(images, None, &labels)?;
            seen.note(&gradients, self.prompted.rate(now))?;
            if step == 0 {
                self.compare_gradients(task, &gradients)?;
            }
            self.prompted.update(gradients.of, now);
        }
        let key = |what: &str| format!("task{task}.{what}");
        self.limit = self.comparer.tolerance.trajectory;
        let comparer = &mut self.comparer;
        let mut compare = |name, values: &[f32]| comparer.compare(&key(name), values, self.limit);
        compare("loss", &seen.losses)?;
        compare("ce", &seen.cross_entropies)?;
        match self.method.choice() {
            Some(pull) => {
                let pulls: Vec<f32> = seen.penalties.iter().map(|p| -p / pull as f32).collect();
                compare("pull", &pulls)?;
                compare("grad_norm", &seen.norms)?;
                self.compare_choice(&key("choice"), &seen.choice)?;
            }
            None => compare("penalty", &seen.penalties)?,
        }
        let rate_differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * b.abs();
        if seen.rates.iter().zip(&self.rates).any(rate_differs) {
            let (ours, theirs) = (&seen.rates, &self.rates);
            let what = format!("the learning rates are {ours:?} instead of {theirs:?}");
            return Err(Problem::new(what));
        }
        Ok(())
    }

    fn compare_gradients(&mut self, task: usize, gradients: &PromptGradients) -> Result<()> {
        for (name, gradient) in gradients.of.iter() {
            let of = format!("task{task}.grad.{name}");
            let mut values = HostTensor::read(gradient)?;
            if name.ends_with("weight") {
                let width = self.prompted.heads().0[task].weight.dims()[0];
                values.shape = vec![width, values.values.len() / width];
                values = theirs_of(&values, true);
            }
            self.comparer.compare(&of, &values.values, self.limit)?;
        }
        Ok(())
    }

    /// Which prompts, exactly.
    fn compare_choice(&mut self, name: &str, choice: &[Vec<usize>]) -> Result<()> {
        let chosen = choice.iter().flatten().map(|prompt| *prompt as f32);
        self.comparer
            .compare(name, &chosen.collect::<Vec<_>>(), 0.0)
    }

    fn compare_answers(&mut self, task: usize, query: &Tensor<2>) -> Result<()> {
        let key = |what: &str| format!("task{task}.test.{what}");
        let images = self.images("test.input")?;
        let (asked, features) = self.prompted.asked_features(images.clone())?;
        self.compare(&key("feature"), &features)?;
        self.compare(&key("logits"), &self.prompted.logits(images)?)?;
        let leaves = self.prompted.leaves().clone();
        let leaf = |name: &str| {
            let leaf = leaves.get(name).cloned();
            leaf.ok_or_else(|| Problem::new(format!("the tensor {name} is missing")))
        };
        if let Method::Coda(coda) = self.method.clone() {
            let rows = (task + 1) * (coda.pool / coda.tasks);
            for block in &coda.blocks {
                let part = |part: &str| -> Result<Tensor<2>> {
                    Ok(leaf(&format!("coda.{block}.{part}"))?.slice_dim(0, 0..rows))
                };
                let weights = coda::weights(query, &part("a")?, &part("k")?);
                self.compare(&key(&format!("weight.{block}")), &weights)?;
            }
            return Ok(());
        }
        self.compare(&key("similarity"), &similarity(query, &leaf("key")?))?;
        self.compare_choice(&key("choice"), &asked.choice)
    }
}

/// What the steps of a task showed.
#[derive(Default)]
struct Seen {
    losses: Vec<f32>,
    cross_entropies: Vec<f32>,
    penalties: Vec<f32>,
    norms: Vec<f32>,
    rates: Vec<f64>,
    choice: Vec<Vec<usize>>,
}

impl Seen {
    fn note(&mut self, gradients: &PromptGradients, rate: f64) -> Result<()> {
        let first_value = |tensor: Option<&Tensor<1>>| -> Result<f32> {
            let values = tensor.map(HostTensor::read).transpose()?;
            let first = values.and_then(|tensor| tensor.values.first().copied());
            Ok(first.unwrap_or_default())
        };
        self.losses.push(first_value(Some(&gradients.loss))?);
        self.cross_entropies
            .push(first_value(Some(&gradients.cross_entropy))?);
        self.penalties
            .push(first_value(gradients.penalty.as_ref())?);
        self.norms.push(first_value(gradients.of.norm().as_ref())?);
        self.rates.push(rate);
        self.choice.extend(gradients.choice.iter().cloned());
        Ok(())
    }
}
