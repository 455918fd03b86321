//! Prompts for a frozen ViT with a class token: L2P (Wang et al., CVPR 2022), DualPrompt (Wang et
//! al., ECCV 2022) and CODA-Prompt (Smith et al., CVPR 2023).
//!
//! An image first passes the plain backbone; its class token after the final norm is the *query*
//! that says which prompts, or how much of each, the image gets in its second pass. What is learned
//! are those prompts, their keys and the present task's head; this module holds what the three
//! share, [`Scheme`] what sets them apart. Every choice is made per image, in training and after.

pub mod coda;
pub mod dualprompt;
pub mod l2p;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};

use super::answers::{self, Verdict};
use super::heads::{Head, Heads};
use super::optimiser::{self, Optimiser, OptimiserSettings, Progress, Rule, Schedule};
use super::{Batch, Ground, Method, Pass, Setup, Task, local_cross_entropy};
use crate::backbone::architecture::Architecture;
use crate::backbone::{Backbone, Tokens};
use crate::metrics::Expert;
use crate::pet::{Hooks, Init, PetStack};
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named};

/// A method's trained tensors beside the heads, by name, each as a matrix.
pub type Leaves = BTreeMap<String, Tensor<2>>;

/// Prompts as a backbone takes them.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    /// 1 or batch × prompt tokens × width, behind the class token.
    entering: Option<Tensor<3>>,
    /// Keys and values (1 or batch × tokens × width each) of some blocks.
    prefixes: BTreeMap<usize, [Tensor<3>; 2]>,
}

impl Hooks for Prompts {
    fn first_block(&self) -> Option<usize> {
        match self.entering {
            Some(_) => Some(0),
            None => self.prefixes.keys().next().copied(),
        }
    }

    fn acts_in(&self, block: usize) -> bool {
        self.prefixes.contains_key(&block)
    }

    fn entering(&self) -> Option<Tensor<3>> {
        self.entering.clone()
    }

    fn prefix(&self, block: usize) -> Option<[Tensor<3>; 2]> {
        self.prefixes.get(&block).cloned()
    }

    fn reads_tokens(&self) -> bool {
        self.entering.is_some()
    }
}

/// What the queries of a batch ask for.
pub struct Asked {
    /// The prompts of the second pass.
    pub prompts: Prompts,
    /// What is added to the cross-entropy, one value; none where nothing is.
    pub penalty: Option<Tensor<1>>,
    /// Prompts chosen per image, best first; empty where all are mixed.
    pub choice: Vec<Vec<usize>>,
}

/// Who asks for prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A training batch of the present task.
    Learning,
    /// Images of any task.
    Answering,
}

/// A batch that asks for its prompts.
pub struct Question {
    /// Its queries, batch × width, plain.
    pub query: Tensor<2>,
    /// The present task, from 0.
    pub task: usize,
    /// Why it asks.
    pub occasion: Occasion,
    /// The position embedding of the class token, 1 × 1 × width.
    pub class_position: Tensor<3>,
}

/// What sets one prompt method apart from the others.
pub trait Scheme: Send + Sync {
    /// The name people read.
    fn title(&self) -> &'static str;

    /// The first block whose tokens differ from the plain backbone's.
    fn first_block(&self) -> usize;

    /// Says what does not fit a backbone of this width and depth.
    ///
    /// # Errors
    /// In the paper's terms.
    fn check(&self, width: usize, depth: usize) -> Result<()>;

    /// Trained tensors before the first task: names, rows, columns and values, drawn on the host.
    fn start(&self, width: usize, seed: u64) -> BTreeMap<String, HostTensor>;

    /// Changes the tensors when a task (from 0) begins.
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn begin_task(&self, task: usize, leaves: &mut Leaves, seed: u64) -> Result<()>;

    /// The prompts for a batch from these tensors, tracked or not.
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn ask(&self, leaves: &Leaves, question: &Question) -> Result<Asked>;

    /// The feature (batch × width) that the head reads, from the tokens after the last block.
    ///
    /// # Errors
    /// As [`Backbone::pool`].
    fn feature(&self, backbone: &dyn Backbone, tokens: Tokens) -> Result<Tensor<2>> {
        backbone.pool(tokens)
    }

    /// How a new head's weight (rows: features) and bias start.
    fn head_start(&self, _width: usize) -> [Init; 2] {
        [Init::Normal(0.02), Init::Constant(0.0)]
    }
}

/// What one batch asks to change.
pub struct Gradients {
    /// What is minimised, one value, plain.
    pub loss: Tensor<1>,
    /// The cross-entropy in it.
    pub cross_entropy: Tensor<1>,
    /// What was added to that; none where nothing was.
    pub penalty: Option<Tensor<1>>,
    /// Prompts chosen per image, best first.
    pub choice: Vec<Vec<usize>>,
    /// Of every trained tensor, the present head's included, by name.
    pub of: optimiser::Gradients,
}

/// Says whether the scheme fits the network of a run, before any weight is read.
///
/// # Errors
/// In the paper's terms.
pub fn check(scheme: &dyn Scheme, ground: &Ground<'_>) -> Result<()> {
    match ground.architecture {
        Architecture::Vit(config) if config.class_token => scheme.check(config.width, config.depth),
        _ => Err(no_class_token(scheme)),
    }
}

fn no_class_token(scheme: &dyn Scheme) -> Problem {
    let title = scheme.title();
    Problem::new(format!(
        "{title}'s prompts stand beside a class token: only a ViT has one"
    ))
    .at(format!("--method {}", title.to_lowercase()))
    .advise("choose a ViT, or another method")
}

/// How a prompt method is trained: Adam, new for each task.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    /// The learning rate, as used, before the schedule.
    pub learning_rate: f64,
    /// How it changes within a task.
    pub schedule: Schedule,
    /// Largest norm of all gradients together; 0 where they are not clipped.
    pub clip: f64,
    /// Epochs of a task.
    pub epochs: usize,
}

impl Training {
    fn optimiser(self) -> OptimiserSettings {
        OptimiserSettings {
            rule: Rule::Adam,
            learning_rate: self.learning_rate,
            schedule: self.schedule,
            clip: (self.clip > 0.0).then_some(self.clip),
        }
    }
}

/// A prompt method over a run: its tensors, its heads, the task it is in.
pub struct Prompted {
    backbone: Arc<dyn Backbone>,
    class_position: Tensor<3>,
    scheme: Box<dyn Scheme>,
    training: Training,
    seed: u64,
    leaves: Leaves,
    heads: Heads,
    optimiser: Optimiser,
    task: Option<Task>,
}

impl Prompted {
    /// Before the first task.
    ///
    /// # Errors
    /// When the backbone has no class token or the settings do not fit it.
    pub fn new(
        backbone: Arc<dyn Backbone>,
        scheme: Box<dyn Scheme>,
        training: Training,
        seed: u64,
    ) -> Result<Self> {
        let Some(class_position) = backbone.class_position() else {
            return Err(no_class_token(&*scheme));
        };
        let width = backbone.feature_width();
        scheme.check(width, backbone.blocks().len())?;
        let device = backbone.device();
        let start = scheme.start(width, seed).into_iter();
        let placed = start.map(|(name, values)| Ok((name, values.to_device(&device)?)));
        Ok(Self {
            leaves: placed.collect::<Result<_>>()?,
            backbone,
            class_position,
            scheme,
            seed,
            heads: Heads::default(),
            optimiser: Optimiser::new(training.optimiser()),
            training,
            task: None,
        })
    }

    /// As the settings of a run say.
    fn from_setup(setup: &Setup<'_>, scheme: Box<dyn Scheme>, training: Training) -> Result<Self> {
        Self::new(setup.backbone.clone(), scheme, training, setup.config.seed)
    }

    /// The trained tensors beside the heads.
    pub fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// The heads of the tasks begun so far.
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    /// Begins a task with these tensors and these heads, the task's own included.
    pub fn begin_with(&mut self, leaves: Leaves, heads: Heads) {
        (self.leaves, self.heads) = (leaves, heads);
        self.optimiser.clear();
    }

    /// Makes room for so many classes of the next task.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn begin(&mut self, classes: usize) -> Result<()> {
        let task = self.heads.0.len();
        self.optimiser.clear();
        self.scheme.begin_task(task, &mut self.leaves, self.seed)?;
        let width = self.backbone.feature_width();
        let device = self.backbone.device();
        let [weight, bias] = self.scheme.head_start(width);
        let draw = |init: Init, rows: usize, part: u64| {
            let stream = HEADS | (task as u64) << 1 | part;
            let values = init.draw([rows, classes], self.seed, stream);
            Tensor::from_data(TensorData::new(values, [rows, classes]), &device)
        };
        self.heads.0.push(Head {
            weight: draw(weight, width, 0),
            bias: draw(bias, 1, 1),
        });
        Ok(())
    }

    /// The plain backbone's features (batch × width), which say what an image asks for.
    ///
    /// # Errors
    /// As [`Backbone::features`].
    pub fn query(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        self.backbone.features(images, &PetStack::empty())
    }

    /// Both passes over a batch: what its queries asked for, and the features (batch × width).
    fn pass(
        &self,
        images: Tensor<4>,
        leaves: &Leaves,
        occasion: Occasion,
    ) -> Result<(Asked, Tensor<2>)> {
        let backbone = &*self.backbone;
        let (plain, depth) = (PetStack::empty(), backbone.blocks().len());
        // Up to the first prompt both passes are the same.
        let shared = self.scheme.first_block().min(depth);
        let tokens = backbone.run(backbone.embed(images)?, 0..shared, &plain)?;
        let query = backbone.pool(backbone.run(tokens.clone(), shared..depth, &plain)?)?;
        let question = Question {
            query,
            task: self.heads.0.len().saturating_sub(1),
            occasion,
            class_position: self.class_position.clone(),
        };
        let asked = self.scheme.ask(leaves, &question)?;
        let tokens = backbone.enter(tokens, &asked.prompts)?;
        let tokens = backbone.run(tokens, shared..depth, &asked.prompts)?;
        let features = self.scheme.feature(backbone, tokens)?;
        Ok((asked, features))
    }

    /// Features (batch × width) of images, with what they asked for.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn features(&self, images: Tensor<4>) -> Result<(Asked, Tensor<2>)> {
        self.pass(images, &self.leaves, Occasion::Answering)
    }

    /// Logits (batch × all classes so far) of images.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn logits(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        Ok(self.heads.forward(&self.features(images)?.1))
    }

    /// Loss of a batch and the gradients of all trained tensors, without any update. A label is a
    /// class counted within the present task.
    ///
    /// # Errors
    /// A Problem when no task has begun or the device failed.
    pub fn gradients(&self, images: Tensor<4>, labels: &[usize]) -> Result<Gradients> {
        let task = self.heads.0.len();
        let head = self.heads.0.last();
        let head = head
            .ok_or_else(|| Problem::new("learning began before any task"))?
            .tracked();
        let tracked = |(name, leaf): (&String, &Tensor<2>)| {
            (name.clone(), leaf.clone().autodiff().require_grad())
        };
        let leaves: Leaves = self.leaves.iter().map(tracked).collect();
        let (asked, features) = self.pass(images, &leaves, Occasion::Learning)?;
        let cross_entropy =
            local_cross_entropy(head.forward(features), labels, &self.backbone.device());
        let loss = match &asked.penalty {
            Some(penalty) => cross_entropy.clone() + penalty.clone(),
            None => cross_entropy.clone(),
        };
        let mut all = loss.backward();
        let mut of = optimiser::Gradients::default();
        let head = [("weight", &head.weight), ("bias", &head.bias)];
        let head = head.map(|(part, leaf)| (format!("head.{}.{part}", task - 1), leaf));
        for (name, leaf) in leaves.iter().map(|(n, l)| (n.clone(), l)).chain(head) {
            // What this batch did not touch still moves by its momentum.
            let gradient = leaf.grad_remove(&mut all);
            let gradient = gradient.unwrap_or_else(|| leaf.clone().inner().zeros_like());
            of.insert(name, gradient);
        }
        Ok(Gradients {
            loss: loss.inner(),
            cross_entropy: cross_entropy.inner(),
            penalty: asked.penalty.map(Tensor::inner),
            choice: asked.choice,
            of,
        })
    }

    /// The learning rate of a step.
    pub fn rate(&self, now: Progress) -> f64 {
        self.optimiser.rate(now)
    }

    /// Moves every trained tensor, the present head's included.
    pub fn update(&mut self, gradients: optimiser::Gradients, now: Progress) {
        let mut step = self.optimiser.step(gradients, now);
        for (name, leaf) in &mut self.leaves {
            *leaf = step.moved(name, leaf.clone());
        }
        let task = self.heads.0.len();
        if let Some(head) = self.heads.0.last_mut() {
            let name = |part: &str| format!("head.{}.{part}", task - 1);
            head.weight = step.moved(&name("weight"), head.weight.clone());
            head.bias = step.moved(&name("bias"), head.bias.clone());
        }
    }
}

impl Method for Prompted {
    fn trained_parameters(&self) -> usize {
        let sizes = self.leaves.values().map(|leaf| leaf.dims());
        sizes.map(|[rows, columns]| rows * columns).sum()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.begin(task.classes.len())?;
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, _pass: &Pass) -> Result<Option<Tensor<1>>> {
        let task = self.task.as_ref();
        let task = task.ok_or_else(|| Problem::new("learning began before any task"))?;
        let labels = batch.local_labels(task);
        let gradients = self.gradients(batch.images.clone(), &labels)?;
        let epochs = (batch.pass, self.training.epochs);
        self.update(
            gradients.of,
            Progress::of(epochs, (batch.step, batch.steps)),
        );
        Ok(Some(gradients.loss))
    }

    fn predict(&self, images: Tensor<4>) -> Result<Vec<Verdict>> {
        answers::alone(Expert::Answer, &self.logits(images)?)
    }

    fn snapshot(&self) -> Result<Named> {
        let mut file = Named::new();
        for (name, leaf) in &self.leaves {
            file.insert(name.clone(), HostTensor::read(leaf)?);
        }
        self.heads.write(&mut file)?;
        Ok(file)
    }

    fn checkpoint(&self) -> Result<Named> {
        let mut file = self.snapshot()?;
        self.optimiser.write(&mut file)?;
        Ok(file)
    }

    fn restore(&mut self, state: &Named, tasks: &[Range<usize>]) -> Result<()> {
        let device = self.backbone.device();
        for (name, leaf) in &mut self.leaves {
            let stored = named(state, name)?;
            if stored.shape != leaf.dims() {
                let what = format!(
                    "the tensor {name} is {:?}, not {:?}",
                    stored.shape,
                    leaf.dims()
                );
                return Err(Problem::new(what));
            }
            *leaf = stored.to_device(&device)?;
        }
        self.heads = Heads::read(state, tasks.len(), &device)?;
        self.optimiser = Optimiser::read(self.training.optimiser(), state, &device)?;
        self.task = tasks.last().map(|classes| Task {
            index: tasks.len() - 1,
            classes: classes.clone(),
        });
        Ok(())
    }
}

/// Keeps the draws of heads apart from those of prompts.
const HEADS: u64 = 1 << 32;

/// Says which of the blocks the backbone lacks.
fn check_blocks(what: &str, blocks: &[usize], depth: usize) -> Result<()> {
    match blocks.iter().find(|block| **block >= depth) {
        Some(block) => {
            let what = format!("{what} cannot be in block {block}: the backbone has {depth}");
            Err(Problem::new(what).advise(format!("name blocks from 0 to {}", depth - 1)))
        }
        None => Ok(()),
    }
}

/// A matrix of values drawn on the host.
fn drawn(init: Init, shape: [usize; 2], seed: u64, stream: u64) -> HostTensor {
    HostTensor {
        shape: shape.to_vec(),
        values: init.draw(shape, seed, stream),
    }
}

/// A trained tensor by name.
fn leaf<'a>(leaves: &'a Leaves, name: &str) -> Result<&'a Tensor<2>> {
    leaves
        .get(name)
        .ok_or_else(|| Problem::new(format!("the tensor {name} is missing")))
}

/// Each row divided by its length: x·(max(Σx², 10⁻¹²))^−½.
fn normalised(x: Tensor<2>) -> Tensor<2> {
    let length = x.clone().powi_scalar(2).sum_dim(1).clamp_min(1e-12).sqrt();
    x / length
}

/// Cosine between every query (batch × width) and every key (prompts × width): batch × prompts.
pub fn similarity(query: &Tensor<2>, keys: &Tensor<2>) -> Tensor<2> {
    normalised(query.clone()).matmul(normalised(keys.clone()).transpose())
}

/// The `count` most similar prompts of each image, best first; of equals the one with the lowest
/// index.
///
/// # Errors
/// A Problem when the device failed.
pub fn best(similarity: &Tensor<2>, count: usize) -> Result<Vec<Vec<usize>>> {
    let prompts = similarity.dims()[1];
    let rows = HostTensor::read(&similarity.clone())?.values;
    let chosen = rows.chunks_exact(prompts.max(1)).map(|row| {
        let mut order: Vec<usize> = (0..prompts).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        order.truncate(count);
        order
    });
    Ok(chosen.collect())
}

/// A row per chosen prompt with 1 at its place: (images · choices) × prompts.
fn one_hot(choice: &[Vec<usize>], prompts: usize, device: &Device) -> Tensor<2> {
    let chosen: Vec<usize> = choice.iter().flatten().copied().collect();
    let mut values = vec![0f32; chosen.len() * prompts];
    for (row, prompt) in chosen.iter().enumerate() {
        values[row * prompts + prompt] = 1.0;
    }
    Tensor::from_data(TensorData::new(values, [chosen.len(), prompts]), device)
}

/// Mean over the images of the sum of the similarities (batch × prompts) of what they chose, one
/// value.
fn pulled(similarity: Tensor<2>, choice: &[Vec<usize>], device: &Device) -> Tensor<1> {
    let [batch, prompts] = similarity.dims();
    let mut values = vec![0f32; batch * prompts];
    for (row, chosen) in choice.iter().enumerate() {
        for prompt in chosen {
            values[row * prompts + prompt] = 1.0 / batch as f32;
        }
    }
    let weights = Tensor::<2>::from_data(TensorData::new(values, [batch, prompts]), device);
    (similarity * weights).sum()
}
