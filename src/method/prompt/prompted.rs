//! A prompt method during a run: both passes over a batch, the gradients of all trained tensors, and the implementation
//! of `Method`.

use std::collections::HashMap;
use std::sync::Arc;

use burn::tensor::{Tensor, TensorData};

use super::super::answers::{self, Answer, argmax};
use super::super::backward::targets;
use super::super::heads::{Head, Heads};
use super::super::optimiser::{self, Optimiser, OptimiserSettings, StepPosition};
use super::super::replay::{StepInputs, StepRecorder};
use super::super::task::no_task_problem;
use super::super::{
    Backward, Batch, CancelToken, Features, Measurement, Method, Moment, Pass, Setup, State,
    StepSettings, Task, plain_features,
};
use super::selection::one_hot;
use super::slot_study::{self, Study};
use super::{Choice, Leaves, PromptPurpose, PromptQuery, PromptRequest, Scheme, no_class_token};
use crate::backbone::{Backbone, Tokens};
use crate::metrics::{Expert, SlotResult};
use crate::pet::{Init, PetStack};
use crate::problem::{Problem, Result};
use crate::tensors::get_tensor;

/// Separates the random stream of heads from that of prompts.
const HEAD_STREAM: u64 = 1 << 32;

/// The gradients of one batch.
pub struct PromptGradients {
    /// The minimised loss: one value without gradient tracking.
    pub loss: Tensor<1>,
    /// The cross-entropy part of the loss.
    pub cross_entropy: Tensor<1>,
    /// The additional loss term; `None` if there is none.
    pub penalty: Option<Tensor<1>>,
    /// The selected prompts.
    pub choice: Choice,
    /// Gradients of every trained tensor, including the current head, by name.
    pub gradients: optimiser::Gradients,
}

/// A batch after its pass through the plain backbone.
#[derive(Clone, Debug)]
pub struct FirstPass {
    tokens: Tokens,
    query: Tensor<2>,
}

impl StepInputs for FirstPass {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.tokens.values.append_values(values);
        self.query.append_values(values);
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        let tokens = Tokens { values: self.tokens.values.with_values(values), ..self.tokens };
        Self { tokens, query: self.query.with_values(values) }
    }
}

/// The tensors that a training step reads: a batch with the rows that select its prompts, the targets, the prompts and
/// the last head.
type Inputs = ((FirstPass, Option<Tensor<2>>), (Tensor<2>, (Leaves, Head)));

/// A prompt method during a run: its tensors, its heads, its current task.
pub struct PromptMethod {
    backbone: Arc<dyn Backbone>,
    class_position: Tensor<3>,
    scheme: Box<dyn Scheme>,
    seed: u64,
    /// The trained tensors besides the heads.
    pub leaves: Leaves,
    /// The heads of the tasks begun so far.
    pub heads: Heads,
    /// The optimiser of the current task.
    pub optimiser: Optimiser,
    task: Option<Task>,
    /// The current task's queries by sample, cached if training images are the same in every epoch.
    queries: Option<HashMap<usize, Vec<f32>>>,
    step: StepSettings,
    /// Repeats recorded steps on a GPU.
    recorder: StepRecorder,
    study: Study,
}

impl PromptMethod {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem if the backbone has no class token or the settings do not fit it.
    pub fn new(
        backbone: Arc<dyn Backbone>,
        scheme: Box<dyn Scheme>,
        optimiser: OptimiserSettings,
        seed: u64,
    ) -> Result<Self> {
        let Some(class_position) = backbone.class_position() else {
            return Err(no_class_token(&*scheme));
        };
        let width = backbone.feature_width();
        scheme.check(width, backbone.blocks().len())?;
        let device = backbone.device();
        let start = scheme.initial_tensors(width, seed).into_iter();
        let tensors = start.map(|(name, values)| Ok((name, values.to_device(&device)?)));
        Ok(Self {
            leaves: tensors.collect::<Result<_>>()?,
            backbone,
            class_position,
            scheme,
            seed,
            heads: Heads::default(),
            optimiser: Optimiser::new(optimiser),
            task: None,
            queries: None,
            step: StepSettings::default(),
            recorder: StepRecorder::default(),
            study: Study::default(),
        })
    }

    /// Returns the state for the settings of a run.
    pub(super) fn from_setup(
        setup: &Setup<'_>,
        scheme: Box<dyn Scheme>,
        optimiser: OptimiserSettings,
    ) -> Result<Self> {
        let config = setup.config;
        let method = Self::new(setup.backbone.clone(), scheme, optimiser, config.seed)?;
        // Queries can be cached only if augmentation does not change the images; a crop scale of 1 is the whole image.
        let images_are_constant = config.crop_scale == [1.0, 1.0] && !config.flip;
        Ok(Self {
            queries: images_are_constant.then(HashMap::new),
            step: StepSettings::from_config(config),
            ..method
        })
    }

    /// Adds the classes of the next task.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn start_task(&mut self, classes: usize) -> Result<()> {
        let task = self.heads.0.len();
        self.optimiser.clear();
        self.scheme.begin_task(task, &mut self.leaves, self.seed)?;
        let width = self.backbone.feature_width();
        let device = self.backbone.device();
        let [weight, bias] = self.scheme.head_init(width);
        let draw = |init: Init, rows: usize, part: u64| {
            let stream = HEAD_STREAM | (task as u64) << 1 | part;
            init.draw_tensor([rows, classes], self.seed, stream, &device)
        };
        self.heads.0.push(Head { weight: draw(weight, width, 0), bias: draw(bias, 1, 1) });
        Ok(())
    }

    /// Returns the plain backbone's features (batch × width), which determine an image's prompts.
    ///
    /// # Errors
    /// As [`Backbone::features`].
    pub fn query(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        plain_features(&*self.backbone, images)
    }

    /// Returns the queries of a batch (batch × width): the cached ones if all images were seen before, else computed
    /// and cached; `None` if training images differ between epochs.
    fn cached_queries(&mut self, batch: &Batch<'_>) -> Result<Option<Tensor<2>>> {
        let Some(queries) = &mut self.queries else {
            return Ok(None);
        };
        let cached_rows = batch.samples.iter().map(|sample| queries.get(sample));
        let cached_rows = cached_rows.map(|row| row.map(Vec::as_slice));
        if let Some(rows) = cached_rows.collect::<Option<Vec<&[f32]>>>()
            && let Some(first) = rows.first()
        {
            let data = TensorData::new(rows.concat(), [rows.len(), first.len()]);
            return Ok(Some(Tensor::from_data(data, &self.backbone.device())));
        }
        let computed = plain_features(&*self.backbone, batch.images.clone())?;
        let rows = answers::read_rows(&computed)?;
        queries.extend(batch.samples.iter().copied().zip(rows));
        Ok(Some(computed))
    }

    /// Computes the first pass over a batch: its tokens before the first block with prompts, and its queries, unless
    /// `cached_query` is given.
    ///
    /// # Errors
    /// As [`Backbone::features`].
    pub fn first_pass(
        &self,
        images: Tensor<4>,
        cached_query: Option<Tensor<2>>,
    ) -> Result<FirstPass> {
        let (backbone, plain) = (&*self.backbone, PetStack::empty());
        let depth = backbone.blocks().len();
        // Both passes compute the same tokens up to the first prompt, so this part runs once.
        let shared_blocks = self.scheme.first_block().min(depth);
        let tokens = backbone.run(backbone.embed(images)?, 0..shared_blocks, &plain)?;
        let query = match cached_query {
            Some(query) => query,
            None => backbone.pool(backbone.run(tokens.clone(), shared_blocks..depth, &plain)?)?,
        };
        Ok(FirstPass { tokens, query })
    }

    /// Returns the current task, from 0.
    fn current_task(&self) -> usize {
        self.heads.0.len().saturating_sub(1)
    }

    /// Returns the prompts that queries (batch × width) select.
    fn choose(&self, query: &Tensor<2>, purpose: PromptPurpose) -> Result<Choice> {
        self.scheme.choose(&self.leaves, query, self.current_task(), purpose)
    }

    /// Returns the rows that select these prompts; `None` if all prompts are mixed.
    fn selection(&self, choice: &Choice) -> Option<Tensor<2>> {
        (!choice.is_empty()).then(|| one_hot(choice, self.scheme.pool(), &self.backbone.device()))
    }

    /// Computes the second pass with the selected prompts, read from these tensors. Returns the prompts and the
    /// features (batch × width).
    fn second_pass(
        &self,
        first: FirstPass,
        selection: Option<Tensor<2>>,
        leaves: &Leaves,
        purpose: PromptPurpose,
    ) -> Result<(PromptRequest, Tensor<2>)> {
        let backbone = &*self.backbone;
        let prompt_query = PromptQuery {
            query: first.query,
            selection,
            task: self.current_task(),
            purpose,
            class_position: self.class_position.clone(),
        };
        let request = self.scheme.prompts_for(leaves, &prompt_query)?;
        let tokens = backbone.insert_prompts(first.tokens, &request.prompts)?;
        let depth = backbone.blocks().len();
        let remaining_blocks = self.scheme.first_block().min(depth)..depth;
        let tokens = backbone.run(tokens, remaining_blocks, &request.prompts)?;
        let features = self.scheme.feature(backbone, tokens)?;
        Ok((request, features))
    }

    /// Returns the prompts selected for this purpose, and the features with them (batch × width).
    fn features_for(
        &self,
        first: FirstPass,
        purpose: PromptPurpose,
    ) -> Result<(Choice, Tensor<2>)> {
        let choice = self.choose(&first.query, purpose)?;
        let selection = self.selection(&choice);
        let (_, features) = self.second_pass(first, selection, &self.leaves, purpose)?;
        Ok((choice, features))
    }

    /// Returns the prompts that images select, and the features with them (batch × width).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn prompted_features(&self, images: Tensor<4>) -> Result<(Choice, Tensor<2>)> {
        self.features_for(self.first_pass(images, None)?, PromptPurpose::Prediction)
    }

    /// Returns logits (batch × all classes so far) of images.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn logits(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        Ok(self.heads.forward(&self.prompted_features(images)?.1))
    }

    /// Returns the prompts selected for this purpose, and the logits with them (batch × all classes so far).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn logits_for(
        &self,
        first: FirstPass,
        purpose: PromptPurpose,
    ) -> Result<(Choice, Tensor<2>)> {
        let (choice, features) = self.features_for(first, purpose)?;
        Ok((choice, self.heads.forward(&features)))
    }

    /// Returns for each normalised image the slot that it selects, and its predicted class with the prompts of every
    /// task so far.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn slot_views(&self, images: Tensor<4>) -> Result<Vec<SlotResult>> {
        let first = self.first_pass(images, None)?;
        let choice = self.choose(&first.query, PromptPurpose::Prediction)?;
        let chosen = choice.iter().map(|slots| slots.first().copied());
        let mut views: Vec<SlotResult> = chosen
            .map(|slot| SlotResult { chosen: slot.unwrap_or_default(), classes: Vec::new() })
            .collect();
        for slot in 0..self.heads.0.len() {
            let (_, logits) = self.logits_for(first.clone(), PromptPurpose::Slot(slot))?;
            for (view, row) in views.iter_mut().zip(answers::read_rows(&logits)?) {
                view.classes.push(argmax(&row));
            }
        }
        Ok(views)
    }

    /// Returns the loss of a batch and the gradients of all trained tensors, without an update. Queries are computed if
    /// `cached_query` is `None`. Labels are relative to the current task.
    ///
    /// # Errors
    /// Returns a Problem if no task has begun or the device failed.
    pub fn gradients(
        &self,
        images: Tensor<4>,
        cached_query: Option<Tensor<2>>,
        labels: &[usize],
    ) -> Result<PromptGradients> {
        let (choice, inputs) = self.step_inputs(images, cached_query, labels)?;
        Ok(PromptGradients { choice, ..self.compute_gradients(inputs)? })
    }

    /// Returns the prompts that a batch selects, and the tensors that its training step reads.
    fn step_inputs(
        &self,
        images: Tensor<4>,
        cached_query: Option<Tensor<2>>,
        labels: &[usize],
    ) -> Result<(Choice, Inputs)> {
        let head = self.heads.last()?;
        let first = self.first_pass(images, cached_query)?;
        let choice = self.choose(&first.query, PromptPurpose::Training)?;
        let selection = self.selection(&choice);
        let device = self.backbone.device();
        let targets = targets(labels, head.classes(), self.step.smoothing, &device);
        Ok((choice, ((first, selection), (targets, (self.leaves.clone(), head.clone())))))
    }

    /// Returns what [`PromptMethod::gradients`] returns, without the choice.
    fn compute_gradients(
        &self,
        ((first, selection), (targets, (leaves, head))): Inputs,
    ) -> Result<PromptGradients> {
        let tracked = |(name, leaf): (String, Tensor<2>)| (name, leaf.autodiff().require_grad());
        let leaves: Leaves = leaves.into_iter().map(tracked).collect();
        let head = head.tracked();
        let (request, features) =
            self.second_pass(first, selection, &leaves, PromptPurpose::Training)?;
        let backward = Backward::new(head.forward(features), targets, request.penalty.clone());
        let cross_entropy = backward.cross_entropy.clone();
        // A prompt that no image of the batch selected still moves by its momentum.
        let backward = backward
            .with_gradients_or_zeros(leaves.iter().map(|(name, leaf)| (name.as_str(), leaf)));
        let (loss, gradients) =
            backward.with_gradients(head.leaves(&self.head_name()))?.into_parts();
        Ok(PromptGradients {
            loss,
            cross_entropy,
            penalty: request.penalty.map(Tensor::inner),
            choice: Choice::new(),
            gradients,
        })
    }

    /// Updates every trained tensor, including the current head.
    pub fn update(&mut self, gradients: optimiser::Gradients, position: StepPosition) {
        let head_name = self.head_name();
        self.optimiser.step(gradients, position, |step| {
            for (name, leaf) in &mut self.leaves {
                *leaf = step.update(name, leaf.clone());
            }
            if let Some(head) = self.heads.0.last_mut() {
                head.step(&head_name, step);
            }
        });
    }

    /// Returns the name of the current task's head in the optimiser.
    fn head_name(&self) -> String {
        format!("head.{}", self.current_task())
    }
}

impl Method for PromptMethod {
    fn remarks(&self) -> Vec<Problem> {
        self.scheme.remark().into_iter().collect()
    }

    fn trained_parameters(&self) -> usize {
        let sizes = self.leaves.values().map(Tensor::dims);
        sizes.map(|[rows, columns]| rows * columns).sum()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.recorder.clear();
        self.start_task(task.classes.len())?;
        self.queries.iter_mut().for_each(HashMap::clear);
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, _pass: &Pass) -> Result<Option<Tensor<1>>> {
        let task = self.task.clone().ok_or_else(no_task_problem)?;
        let (loss, gradients) = self.step.learn(batch, |part| {
            let labels = part.batch.local_labels(&task);
            let cached_query = self.cached_queries(&part.batch)?;
            let (_, inputs) = self.step_inputs(part.batch.images.clone(), cached_query, &labels)?;
            self.recorder.run(false, inputs, |inputs| {
                let PromptGradients { loss, gradients, .. } = self.compute_gradients(inputs)?;
                Ok((loss, gradients))
            })
        })?;
        self.update(gradients, batch.position());
        Ok(Some(loss))
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        Ok(Features::single(self.prompted_features(images)?.1))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let logits = self.heads.forward(&features.concatenated(Expert::ANSWER)?);
        answers::answers_from_logits(Expert::ANSWER, &logits)
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        Some(&mut self.heads)
    }

    fn study_cost(&self, task: usize) -> f64 {
        slot_study::cost(&*self.scheme, task)
    }

    fn study(&mut self, images: Tensor<4>, classes: &[i64]) -> Result<()> {
        let views = self.slot_views(images)?;
        self.study.add(&views, classes, &self.heads);
        Ok(())
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        // Testing needs the memory.
        self.recorder.clear();
        self.study = Study::new(&*self.scheme, self.heads.0.len());
        Ok(())
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        Ok(self.study.as_measurement(moment).into_iter().collect())
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        let device = self.backbone.device();
        for (name, leaf) in &mut self.leaves {
            match state.stored() {
                Some(stored) => {
                    let extended =
                        self.scheme.extend_stored(name, get_tensor(stored.tensors, name)?, leaf)?;
                    *leaf = extended.to_device(&device)?;
                }
                None => state.sync_tensor(name, leaf)?,
            }
        }
        if let Some(stored) = state.stored() {
            self.queries.iter_mut().for_each(HashMap::clear);
            self.task = Task::last(stored.tasks);
        }
        let width = self.backbone.feature_width();
        self.heads.sync_state("head", (width, &device), state)?;
        self.optimiser.sync_state(&device, state)
    }
}
