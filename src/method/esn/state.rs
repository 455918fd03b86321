//! ESN's state during a run: the prompt, the stages of the tasks begun, the votes.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::answers::{self, Answer, argmax};
use super::super::backward::targets;
use super::super::optimiser::{Gradients, Optimiser};
use super::super::pet_tuning::sgd;
use super::super::replay::StepRecorder;
use super::super::task::no_task_problem;
use super::super::{
    Backward, Batch, CancelToken, ConfiguredMethod, Features, Method, Pass, PassWork, Setup, State,
    StepSettings, Task, task_seed,
};
use super::PRINTED;
use super::stage::{EnergyTerm, EsnStage};
use super::stage_selection::{self, Separation, count_votes, winning_stage};
use crate::backbone::Backbone;
use crate::message;
use crate::metrics::Expert;
use crate::pet::{Hooks, Init};
use crate::problem::{Problem, Result};
use crate::run::event::ClassPrediction;
use crate::tensors::{HostTensor, get_tensor};

/// Separates the random stream of the prompt from that of the stages.
const PROMPT_STREAM: u64 = 1 << 32;

/// A hook that inserts the prompt before the first block. All tokens are read after the last block.
struct PromptHook(Tensor<3>);

impl Hooks for PromptHook {
    fn first_block(&self) -> Option<usize> {
        Some(0)
    }

    fn acts_in(&self, _block: usize) -> bool {
        false
    }

    fn prompt_tokens(&self) -> Option<Tensor<3>> {
        Some(self.0.clone())
    }

    fn reads_tokens(&self) -> bool {
        true
    }
}

/// Images, targets, prompt and stage.
type Inputs = ((Tensor<4>, Tensor<2>), (Tensor<2>, EsnStage));

/// ESN's state during a run.
pub struct Esn {
    backbone: Arc<dyn Backbone>,
    /// The energy term of the loss.
    energy: EnergyTerm,
    /// Whether the prompt is frozen after the first task.
    freeze_prompt: bool,
    /// Seed of the initial values.
    seed: u64,
    /// How a step splits its batch.
    step: StepSettings,
    heads: usize,
    /// tokens × width.
    pub prompt: Tensor<2>,
    /// The stages, one for each task begun.
    stages: Vec<EsnStage>,
    /// The optimiser of the current task.
    pub optimiser: Optimiser,
    /// Repeats recorded steps on a GPU.
    recorder: StepRecorder,
    task: Option<Task>,
    /// How often the newest stage wins against the earlier ones at each temperature.
    pub separation: Separation,
    /// The selected temperatures, as indices into [`stage_selection::TEMPERATURES`], one for each finished task.
    temperatures: Vec<usize>,
}

impl Esn {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem for unsuitable settings.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let seed = setup.config.seed;
        let backbone = setup.backbone.clone();
        let width = backbone.feature_width();
        let bound = 1.0 / (width as f64).sqrt();
        let shape = [chosen.count("prompt_length")?, width];
        let uniform = Init::Uniform(-bound, bound);
        Ok(Self {
            prompt: uniform.draw_tensor(shape, seed, PROMPT_STREAM, &backbone.device()),
            heads: backbone.blocks().last().map_or(1, |block| block.heads.max(1)),
            backbone,
            energy: EnergyTerm {
                weight: chosen.real("lambda")?,
                anchor: chosen.real("anchor")?,
                as_printed: chosen.text("energy")? == PRINTED,
            },
            freeze_prompt: chosen.flag("freeze_prompt")?,
            seed,
            step: StepSettings::from_config(setup.config),
            stages: Vec::new(),
            optimiser: Optimiser::new(sgd(&chosen)?),
            recorder: StepRecorder::default(),
            task: None,
            separation: Separation::default(),
            temperatures: Vec::new(),
        })
    }

    /// Returns the temperatures that vote, one for each finished task.
    pub fn temperatures(&self) -> Vec<f64> {
        let indices = self.temperatures.iter();
        indices.map(|index| stage_selection::TEMPERATURES[*index]).collect()
    }

    fn trains_prompt(&self) -> bool {
        !self.freeze_prompt || self.stages.len() < 2
    }

    fn tokens(&self, images: Tensor<4>, prompt: &Tensor<2>) -> Result<Tensor<3>> {
        let hooks = PromptHook(prompt.clone().unsqueeze());
        Ok(self.backbone.tokens(images, &hooks)?.values)
    }

    /// Returns the loss of a batch and the gradients of all trained parameters (`prompt`, `stage.…`), without an
    /// update; labels are relative to the task.
    ///
    /// # Errors
    /// Returns a Problem if no task has begun or the device failed.
    pub fn gradients(&self, images: Tensor<4>, labels: &[usize]) -> Result<(Tensor<1>, Gradients)> {
        self.compute_gradients(self.step_inputs(images, labels)?)
    }

    fn step_inputs(&self, images: Tensor<4>, labels: &[usize]) -> Result<Inputs> {
        let stage = self.stages.last().ok_or_else(no_task_problem)?;
        let device = self.backbone.device();
        let targets = targets(labels, stage.classes(), self.step.smoothing, &device);
        Ok(((images, targets), (self.prompt.clone(), stage.clone())))
    }

    fn compute_gradients(
        &self,
        ((images, targets), (prompt, stage)): Inputs,
    ) -> Result<(Tensor<1>, Gradients)> {
        let stage = stage.tracked();
        let prompt = match self.trains_prompt() {
            true => prompt.autodiff().require_grad(),
            false => prompt,
        };
        let logits = stage.forward(self.tokens(images, &prompt)?);
        let energy = self.energy.loss(logits.clone());
        let backward = Backward::new(logits, targets, Some(energy));
        let stage_leaves = stage.parameters();
        let stage_leaves = stage_leaves.map(|(name, leaf)| (format!("stage.{name}"), leaf));
        let prompt = self.trains_prompt().then_some(("prompt", &prompt));
        Ok(backward.with_gradients(stage_leaves)?.with_gradients(prompt)?.into_parts())
    }

    fn train(&mut self, batch: &Batch<'_>) -> Result<Tensor<1>> {
        let task = self.task.as_ref().ok_or_else(no_task_problem)?;
        let (loss, gradients) = self.step.learn(batch, |part| {
            let labels = part.batch.local_labels(task);
            let inputs = self.step_inputs(part.batch.images.clone(), &labels)?;
            self.recorder.run(false, inputs, |inputs| self.compute_gradients(inputs))
        })?;
        self.optimiser.step(gradients, batch.position(), |step| {
            self.prompt = step.update("prompt", self.prompt.clone());
            if let Some(stage) = self.stages.last_mut() {
                *stage =
                    stage.map(|name, value| step.update(&format!("stage.{name}"), value.clone()));
            }
        });
        Ok(loss)
    }

    /// Returns the logits of each stage for its own features, on the host: image → stage → class.
    fn stage_logits(&self, features: &Features) -> Result<Vec<Vec<Vec<f32>>>> {
        let stages = self.stages.iter().zip(features.parts(Expert::ANSWER));
        let logits = stages.map(|(stage, features)| stage.classify(features.clone()));
        let stages = logits.map(|logits| answers::read_rows(&logits));
        let stages: Vec<Vec<Vec<f32>>> = stages.collect::<Result<_>>()?;
        let images = stages.first().map_or(0, Vec::len);
        let image_rows = |image: usize| stages.iter().map(|rows| rows[image].clone()).collect();
        Ok((0..images).map(image_rows).collect())
    }

    /// Returns the answer for one image: the class predicted by its elected stage. The probabilities are each stage's
    /// softmax times its share of the votes.
    fn answer_image(&self, stages: &[Vec<f32>]) -> Answer {
        let logits: Vec<&[f32]> = stages.iter().map(Vec::as_slice).collect();
        let votes = count_votes(&logits, &self.temperatures);
        let winner = winning_stage(&votes);
        let first_class: usize = stages[..winner].iter().map(Vec::len).sum();
        let vote_count = votes.iter().sum::<usize>().max(1) as f32;
        let shares = stages.iter().zip(&votes).flat_map(|(logits, votes)| {
            let share = *votes as f32 / vote_count;
            let prediction = answers::predict_class(Expert::ANSWER, logits);
            prediction.probabilities.into_iter().map(move |p| p * share)
        });
        Answer {
            predictions: vec![ClassPrediction {
                expert: Expert::ANSWER,
                class: first_class + argmax(&stages[winner]),
                probabilities: shares.collect(),
                energy: None,
            }],
            decided_by: Expert::ANSWER,
            scores: stages.concat(),
        }
    }
}

impl Method for Esn {
    fn trained_parameters(&self) -> usize {
        // All stages have the same size except for their classifiers.
        self.prompt.shape().num_elements() + EsnStage::size(self.backbone.feature_width())
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        let token = self.backbone.class_token();
        let token = token.ok_or_else(|| Problem::new(message!("problem-no-class-token")))?;
        let token = token.reshape([1, self.backbone.feature_width()]);
        let seed = task_seed(self.seed, task.index);
        let (classes, device) = (task.classes.len(), self.backbone.device());
        self.stages.push(EsnStage::new(token, self.heads, classes, seed, &device));
        self.optimiser.clear();
        self.separation = Separation::default();
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work != PassWork::Measure {
            return self.train(batch).map(Some);
        }
        for stages in self.stage_logits(&self.features(batch.images.clone())?)? {
            let logits: Vec<&[f32]> = stages.iter().map(Vec::as_slice).collect();
            self.separation.add(&logits);
        }
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if self.separation.images() > 0 {
            self.temperatures.push(self.separation.best());
        }
        Ok(())
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        // Testing needs the memory.
        self.recorder.clear();
        // The first task has no earlier stages to compare with, so it uses the smallest temperature.
        self.temperatures.resize(self.stages.len(), 0);
        Ok(())
    }

    /// Returns the features with one part for each stage.
    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let tokens = self.tokens(images, &self.prompt)?;
        let stages = self.stages.iter();
        let parts = stages.map(|stage| stage.features(tokens.clone()));
        Ok(Features::default().with_expert(Expert::ANSWER, parts.collect()))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let rows = self.stage_logits(features)?;
        Ok(rows.iter().map(|stages| self.answer_image(stages)).collect())
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        let (width, device) = (self.backbone.feature_width(), self.backbone.device());
        state.sync_tensor("prompt", &mut self.prompt)?;
        state.sync_tasks(
            &mut self.stages,
            |classes| EsnStage::zeros(width, self.heads, classes.len(), &device),
            |state, task, stage| stage.sync_state(&format!("stage.{task}"), state),
        )?;
        state.sync_part(
            &mut self.temperatures,
            |temperatures, tensors| {
                let indices = temperatures.iter().map(|index| *index as f32);
                let values = HostTensor::vector(indices.collect());
                tensors.insert("temperatures".into(), values);
                Ok(())
            },
            |_, stored| {
                let values = get_tensor(stored.tensors, "temperatures")?.values.iter();
                let last = stage_selection::TEMPERATURES.len() - 1;
                Ok(values.map(|value| last.min(*value as usize)).collect())
            },
        )?;
        if let Some(stored) = state.stored() {
            self.task = Task::last(stored.tasks);
            self.separation = Separation::default();
        }
        self.optimiser.sync_state(&device, state)
    }
}
