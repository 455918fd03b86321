//! Prompts for a frozen ViT with a class token: L2P (Wang et al., CVPR 2022), DualPrompt (Wang et
//! al., ECCV 2022) and CODA-Prompt (Smith et al., CVPR 2023).
//! An image first passes through the plain backbone. Its class token after the final norm is the *query*, which
//! determines which prompts, or how much of each, are used in the second pass. The prompts, their keys and the current
//! task's head are trained. Prompts are selected per image, in training and prediction. This module contains what the
//! three methods share; [`Scheme`] contains their differences.

pub mod coda;
pub mod dualprompt;
pub mod l2p;
mod prompted;
pub mod selection;
mod slot_study;

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use super::optimiser::OptimiserSettings;
use super::{ConfiguredMethod, Context, Method, Setup};
use crate::backbone::{Backbone, Tokens};
use crate::message;
use crate::pet::{Hooks, Init};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

pub use prompted::{FirstPass, PromptGradients, PromptMethod};

/// A method's trained tensors except the heads, each as a matrix, by name.
pub type Leaves = BTreeMap<String, Tensor<2>>;

/// Prompts in the form that a backbone accepts.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    /// Prompt tokens inserted after the class token (1 or batch × prompt tokens × width).
    entering: Option<Tensor<3>>,
    /// Keys and values that are prepended in some blocks (1 or batch × tokens × width each).
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

    fn prompt_tokens(&self) -> Option<Tensor<3>> {
        self.entering.clone()
    }

    fn prefix(&self, block: usize) -> Option<[Tensor<3>; 2]> {
        self.prefixes.get(&block).cloned()
    }

    fn reads_tokens(&self) -> bool {
        self.entering.is_some()
    }
}

/// The prompts requested by the queries of a batch.
pub struct PromptRequest {
    /// The prompts of the second pass.
    pub prompts: Prompts,
    /// The loss term besides the cross-entropy, one value; `None` if there is none.
    pub penalty: Option<Tensor<1>>,
}

/// Indices of the prompts selected for each image, best first; empty if all prompts are mixed.
pub type Choice = Vec<Vec<usize>>;

/// The purpose of a request for prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPurpose {
    /// A training batch of the current task.
    Training,
    /// Prediction for images of any task.
    Prediction,
    /// Images that all use the slot with this index, if the method has slots.
    Slot(usize),
}

/// The input for requesting the prompts of a batch.
pub struct PromptQuery {
    /// The queries of the batch, batch × width, without gradient tracking.
    pub query: Tensor<2>,
    /// One row per selected prompt, with a 1 in its column: (images · choices) × prompts; `None` if all prompts are
    /// mixed.
    pub selection: Option<Tensor<2>>,
    /// The current task, from 0.
    pub task: usize,
    /// The purpose of the request.
    pub purpose: PromptPurpose,
    /// The position embedding of the class token, 1 × 1 × width.
    pub class_position: Tensor<3>,
}

impl PromptQuery {
    /// Returns the rows that select prompts.
    fn selection(&self) -> Result<&Tensor<2>> {
        let missing = || Problem::new(message!("problem-tensor-missing", name = "selection"));
        self.selection.as_ref().ok_or_else(missing)
    }
}

/// The differences between prompt methods.
pub trait Scheme: Send + Sync {
    /// Returns the settings for a network of this depth, and for the planned and the current number of tasks.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    fn from_method(
        chosen: &ConfiguredMethod<'_>,
        depth: usize,
        tasks: (usize, usize),
    ) -> Result<Self>
    where
        Self: Sized;

    /// Returns the settings of the optimiser: Adam with a constant rate and clipped gradients, reset for each task.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    fn optimiser_settings(chosen: &ConfiguredMethod<'_>) -> Result<OptimiserSettings>
    where
        Self: Sized,
    {
        let clip = chosen.real(selection::CLIP.key)?;
        Ok(OptimiserSettings {
            clip: (clip > 0.0).then_some(clip),
            ..OptimiserSettings::adam(chosen.learning_rate())
        })
    }

    /// Returns the display name.
    fn title(&self) -> &'static str;

    /// Returns the first block whose tokens differ from the plain backbone's.
    fn first_block(&self) -> usize;

    /// Checks the settings against a backbone of this width and depth.
    ///
    /// # Errors
    /// Returns a Problem that uses the terms of the paper.
    fn check(&self, width: usize, depth: usize) -> Result<()>;

    /// Returns a remark on valid settings.
    fn remark(&self) -> Option<Problem> {
        None
    }

    /// Returns whether every task has its own slot and the study of the slots is on.
    fn has_study(&self) -> bool {
        false
    }

    /// Returns the trained tensors before the first task by name, drawn on the host.
    fn initial_tensors(&self, width: usize, seed: u64) -> BTreeMap<String, HostTensor>;

    /// Changes the tensors at the start of a task (from 0).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn begin_task(&self, task: usize, leaves: &mut Leaves, seed: u64) -> Result<()>;

    /// Returns a stored tensor, extended to the size of `initial` if an added task exceeds the planned number of tasks.
    /// `initial` is the tensor before the first task.
    ///
    /// # Errors
    /// Returns a Problem if its shape matches neither.
    fn extend_stored(
        &self,
        name: &str,
        stored: &HostTensor,
        initial: &Tensor<2>,
    ) -> Result<HostTensor> {
        stored.check_shape(name, &initial.dims())?;
        Ok(stored.clone())
    }

    /// Returns the number of prompts from which images select.
    fn pool(&self) -> usize;

    /// Returns the prompts that the queries of a batch (batch × width) select in this task (from 0).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn choose(
        &self,
        _leaves: &Leaves,
        _query: &Tensor<2>,
        _task: usize,
        _purpose: PromptPurpose,
    ) -> Result<Choice> {
        Ok(Choice::new())
    }

    /// Returns the prompts for a batch, computed from these tensors. They track gradients if the tensors do.
    ///
    /// # Errors
    /// Returns a Problem if a tensor is missing.
    fn prompts_for(&self, leaves: &Leaves, prompt_query: &PromptQuery) -> Result<PromptRequest>;

    /// Returns the feature (batch × width) that the head reads, from the tokens after the last block.
    ///
    /// # Errors
    /// As [`Backbone::pool`].
    fn feature(&self, backbone: &dyn Backbone, tokens: Tokens) -> Result<Tensor<2>> {
        backbone.pool(tokens)
    }

    /// Returns the initialisation of a new head's weight (one row per feature) and bias.
    fn head_init(&self, _width: usize) -> [Init; 2] {
        [Init::Normal(0.02), Init::Constant(0.0)]
    }
}

/// Checks the settings against the network of a run, before any weight is read.
fn check<S: Scheme>(chosen: &ConfiguredMethod<'_>, context: Option<&Context<'_>>) -> Result<()> {
    let Some(context) = context else {
        return Ok(());
    };
    let tasks = (context.tasks, context.tasks);
    let scheme = S::from_method(chosen, context.blocks.len(), tasks)?;
    let network = context.architecture;
    match network.has_class_token() {
        true => scheme.check(network.feature_width(), network.blocks().len()),
        false => Err(no_class_token(&scheme)),
    }
}

/// Creates the method before its first task.
fn build<S: Scheme + 'static>(setup: Setup<'_>) -> Result<Box<dyn Method>> {
    let chosen = ConfiguredMethod::from_config(setup.config)?;
    let optimiser = S::optimiser_settings(&chosen)?;
    let tasks = (setup.planned_tasks, setup.tasks.len());
    let scheme = S::from_method(&chosen, setup.backbone.blocks().len(), tasks)?;
    Ok(Box::new(PromptMethod::from_setup(&setup, Box::new(scheme), optimiser)?))
}

fn no_class_token(scheme: &dyn Scheme) -> Problem {
    let title = scheme.title();
    Problem::new(message!("problem-prompts-need-class-token", title))
        .at(format!("--method {}", title.to_lowercase()))
        .advise(message!("advice-choose-vit-or-method"))
}

/// Returns a Problem if the setting lists a block that the backbone does not have.
fn check_blocks(setting: &str, blocks: &[usize], depth: usize) -> Result<()> {
    match blocks.iter().find(|block| **block >= depth) {
        Some(block) => {
            let what = message!(
                "problem-no-block-for-prompts",
                setting,
                block = block.to_string(),
                depth = depth.to_string()
            );
            Err(Problem::new(what)
                .advise(message!("advice-use-block-numbers", depth = (depth - 1).to_string())))
        }
        None => Ok(()),
    }
}

/// Returns a matrix of values drawn on the host.
fn random_tensor(init: Init, shape: [usize; 2], seed: u64, stream: u64) -> HostTensor {
    HostTensor { shape: shape.to_vec(), values: init.draw(shape, seed, stream) }
}

/// Returns a trained tensor by name.
fn get_leaf<'a>(leaves: &'a Leaves, name: &str) -> Result<&'a Tensor<2>> {
    leaves.get(name).ok_or_else(|| Problem::new(message!("problem-tensor-missing", name)))
}
