//! Prompts for a frozen ViT with a class token: L2P (Wang et al., CVPR 2022), DualPrompt (Wang et
//! al., ECCV 2022) and CODA-Prompt (Smith et al., CVPR 2023).
//!
//! An image first passes the plain backbone; its class token after the final norm is the *query*
//! that says which prompts, or how much of each, the image gets in its second pass. What is learned
//! are those prompts, their keys and the present task's head; this module holds what the three
//! share, [`Scheme`] what sets them apart. Every choice is made per image, in training and after.

pub mod choice;
pub mod coda;
pub mod dualprompt;
pub mod l2p;
mod prompted;
mod queries;
mod slots;
mod study;

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use super::optimiser::{OptimiserSettings, Rule, Schedule};
use super::{Chosen, Context};
use crate::backbone::{Backbone, Tokens};
use crate::message;
use crate::pet::{Hooks, Init};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

pub use prompted::{FirstPass, PromptGradients, Prompted};

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
pub struct PromptRequest {
    /// The prompts of the second pass.
    pub prompts: Prompts,
    /// What is added to the cross-entropy, one value; `None` if nothing is.
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
    /// Images that are all given this slot, where the method has slots.
    Given(usize),
}

/// A batch that asks for its prompts.
pub struct PromptQuery {
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

    /// Warnings about valid settings.
    fn remark(&self) -> Option<Problem> {
        None
    }

    /// Whether every task has its own slot and their study is requested.
    fn studied(&self) -> bool {
        false
    }

    /// Trained tensors before the first task: names, rows, columns and values, drawn on the host.
    fn start(&self, width: usize, seed: u64) -> BTreeMap<String, HostTensor>;

    /// Changes the tensors when a task (from 0) begins.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn begin_task(&self, task: usize, leaves: &mut Leaves, seed: u64) -> Result<()>;

    /// A stored tensor as it is here, where it may hold more by now: an added task brings a task that the
    /// run was not set up with. `fresh` is the tensor before the first task.
    ///
    /// # Errors
    /// Returns a Problem if its shape fits neither.
    fn grown(&self, name: &str, stored: &HostTensor, fresh: &Tensor<2>) -> Result<HostTensor> {
        same(name, stored, fresh.dims())
    }

    /// The prompts for a batch from these tensors, tracked or not.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn ask(&self, leaves: &Leaves, question: &PromptQuery) -> Result<PromptRequest>;

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

/// Says whether the scheme fits the network of a run, before any weight is read.
///
/// # Errors
/// In the paper's terms.
pub fn check(scheme: &dyn Scheme, context: &Context<'_>) -> Result<()> {
    let network = context.architecture;
    match network.has_class_token() {
        true => scheme.check(network.feature_width(), network.blocks().len()),
        false => Err(no_class_token(scheme)),
    }
}

fn no_class_token(scheme: &dyn Scheme) -> Problem {
    let title = scheme.title();
    Problem::new(message!(
        "problem-s-prompts-stand-beside-class-token",
        title = title.to_string()
    ))
    .at(format!("--method {}", title.to_lowercase()))
    .advise(message!("try-choose-vit-or-another-method"))
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
}

impl Training {
    /// At a constant rate, with the gradients clipped.
    pub(super) fn clipped(chosen: &Chosen<'_>) -> Result<Self> {
        Ok(Self {
            learning_rate: chosen.learning_rate(),
            schedule: Schedule::Constant,
            clip: chosen.real("clip")?,
        })
    }

    fn optimiser(self) -> OptimiserSettings {
        OptimiserSettings {
            rule: Rule::Adam,
            learning_rate: self.learning_rate,
            schedule: self.schedule,
            clip: (self.clip > 0.0).then_some(self.clip),
        }
    }
}

/// Says which of the blocks the backbone lacks.
fn check_blocks(what: &str, blocks: &[usize], depth: usize) -> Result<()> {
    match blocks.iter().find(|block| **block >= depth) {
        Some(block) => {
            let what = format!("{what} cannot be in block {block}: the backbone has {depth}");
            Err(Problem::new(what).advise(message!(
                "try-name-blocks-from-0-to",
                depth = (depth - 1).to_string()
            )))
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

/// A stored tensor, if it has this shape.
fn same(name: &str, stored: &HostTensor, shape: [usize; 2]) -> Result<HostTensor> {
    if stored.shape == shape {
        return Ok(stored.clone());
    }
    let found = &stored.shape;
    Err(Problem::new(message!(
        "problem-tensor-is-not",
        name = name.to_string(),
        found = format!("{found:?}"),
        shape = format!("{shape:?}")
    )))
}

/// A trained tensor by name.
fn leaf<'a>(leaves: &'a Leaves, name: &str) -> Result<&'a Tensor<2>> {
    leaves.get(name).ok_or_else(|| {
        Problem::new(message!(
            "problem-tensor-is-missing",
            name = name.to_string()
        ))
    })
}
