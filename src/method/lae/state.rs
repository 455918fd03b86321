//! Training of LAE: the online PET, the offline one that follows it, and their shared heads (paper Algorithm 1).

use std::sync::Arc;

use burn::tensor::{Device, Tensor};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::answers;
use super::super::backward::targets;
use super::super::heads::{Head, Heads};
use super::super::optimiser::{Gradients, Optimiser, OptimiserSettings, StepPosition};
use super::super::prototypes::FeatureSums;
use super::super::replay::StepRecorder;
use super::super::single_class::EarlierClasses;
use super::super::task::no_task_problem;
use super::super::{
    Backward, Batch, ConfiguredMethod, Features, Method, MethodSpec, Pass, PetPlan, Setup,
    StepSettings, Task, task_seed,
};
use super::penalty::{self, EwcPenalty};
use super::{LaeSettings, Switches};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::nn;
use crate::pet::{DropoutSeed, PetStack};
use crate::problem::Result;

/// Images, targets, the last head and the online PET.
type Inputs = ((Tensor<4>, Tensor<2>), (Head, PetStack));

/// The logits of both experts for a batch of images, over all classes learned so far.
#[derive(Clone, Debug)]
pub struct Logits {
    /// batch × classes.
    pub online: Tensor<2>,
    /// batch × classes; `None` without an offline expert.
    pub offline: Option<Tensor<2>>,
}

/// LAE's state during a run.
pub struct Lae {
    pub(super) backbone: Arc<dyn Backbone>,
    /// The experts that answer: LAE's three, or the online expert alone.
    pub(super) experts: &'static [Expert],
    pub(super) task: Option<Task>,
    pub(super) settings: LaeSettings,
    /// The PET before the first task.
    pub(super) initial_pets: PetStack,
    /// The online PET.
    pub online: PetStack,
    /// `None` until the second task begins, or always if both Accumulation and Ensemble are off.
    pub offline: Option<PetStack>,
    /// The online PET at the end of the first task, the origin of drift.
    pub(super) origin: Option<PetStack>,
    /// The heads of the tasks begun so far.
    pub heads: Heads,
    pub(super) adam: Optimiser,
    /// EWC's addition to the loss.
    pub(crate) penalty: Option<EwcPenalty>,
    /// Sums of the features of earlier classes, before an added task of a single class.
    pub(super) measured: FeatureSums,
    /// The earlier classes in the loss of an added task of a single class.
    earlier: Option<EarlierClasses>,
    step: StepSettings,
    /// Whether `dropout` in the PET's equation is active in training.
    has_dropout: bool,
    /// Replays training steps on a GPU.
    pub recorder: StepRecorder,
}

impl Lae {
    /// Returns the state before the first task, with a newly initialised PET on the backbone's device.
    pub fn new(backbone: Arc<dyn Backbone>, pets: PetStack, settings: LaeSettings) -> Self {
        Self {
            backbone,
            experts: super::LAE.experts,
            task: None,
            settings,
            initial_pets: pets.clone(),
            online: pets,
            offline: None,
            origin: None,
            heads: Heads::default(),
            adam: Optimiser::new(OptimiserSettings::adam(settings.learning_rate)),
            penalty: None,
            measured: FeatureSums::default(),
            earlier: None,
            step: StepSettings::default(),
            has_dropout: false,
            recorder: StepRecorder::default(),
        }
    }

    pub(crate) fn from_setup(
        setup: &Setup<'_>,
        spec: &'static MethodSpec,
        switches: Switches,
    ) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let settings = LaeSettings {
            switches,
            // The Baseline has no moving average, so it has no `ema` setting.
            ema: if switches.accumulation { chosen.real("ema")? } else { 0.0 },
            learning_rate: chosen.learning_rate(),
            seed: setup.config.seed,
        };
        let pets = setup.init_pets(setup.config.seed)?;
        let lae = Self::new(setup.backbone.clone(), pets, settings);
        Ok(Self {
            experts: spec.experts,
            step: StepSettings::from_config(setup.config),
            has_dropout: setup.pet.is_some_and(PetPlan::uses_dropout),
            ..lae
        })
    }

    pub(super) fn device(&self) -> Device {
        self.backbone.device()
    }

    /// Returns ‖θ − θ₀‖ / ‖θ₀‖ of the online and the offline PET since the end of the first task.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn drift(&self) -> Result<[f64; 2]> {
        let Some(origin) = &self.origin else {
            return Ok([0.0; 2]);
        };
        let distance = |pets: Option<&PetStack>| pets.map_or(Ok(0.0), |p| p.distance_from(origin));
        let offline = self.offline.as_ref();
        Ok([distance(Some(&self.online))?, distance(offline)?])
    }

    /// Returns the loss of a batch and the gradients of the last head (`head.…`) and, unless frozen, of the online PET
    /// (`pet.…`), without an update. `dropout_seed` is the random source of dropout; without it, dropout is off.
    ///
    /// # Errors
    /// Returns a Problem if no task has begun or the PET's equation does not fit.
    pub fn gradients(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        frozen: bool,
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        self.compute_gradients(self.step_inputs(images, labels)?, frozen, dropout_seed)
    }

    fn step_inputs(&self, images: Tensor<4>, labels: &[usize]) -> Result<Inputs> {
        let head = self.heads.last()?;
        let earlier = self.earlier.as_ref().map_or(0, EarlierClasses::count);
        let labels: Vec<usize> = labels.iter().map(|label| earlier + label).collect();
        let classes = earlier + head.classes();
        let targets = targets(&labels, classes, self.step.smoothing, &self.device());
        Ok(((images, targets), (head.clone(), self.online.clone())))
    }

    fn compute_gradients(
        &self,
        ((images, targets), (head, online)): Inputs,
        frozen: bool,
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let head = head.tracked();
        let pets = if frozen { online } else { online.tracked() }.in_training(dropout_seed);
        let features = self.backbone.features(images, &pets)?;
        let backward = match &self.earlier {
            Some(earlier) => earlier.backward(features, targets, self.step.smoothing, &head),
            None => {
                let logits = head.forward(features);
                let penalty = self.penalty.as_ref().and_then(|ewc| ewc.loss(&pets));
                Backward::new(logits, targets, penalty)
            }
        };
        let backward = backward.with_gradients(head.leaves("head"))?;
        Ok(match frozen {
            true => backward,
            false => backward.with_pet_gradients(&pets),
        }
        .into_parts())
    }

    /// Returns what [`Lae::gradients`] returns; on a GPU from a replay if possible.
    fn replay_gradients(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        frozen: bool,
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let inputs = self.step_inputs(images, labels)?;
        // Dropout masks and prototypes' targets are sent to the GPU in every step.
        if dropout_seed.is_some() || self.earlier.is_some() {
            return self.compute_gradients(inputs, frozen, dropout_seed);
        }
        self.recorder.run(frozen, inputs, |inputs| self.compute_gradients(inputs, frozen, None))
    }

    /// Updates the last head and, unless frozen, the online PET with Adam; then the offline PET. Returns the loss.
    fn apply_gradients(&mut self, (loss, gradients): (Tensor<1>, Gradients)) -> Result<Tensor<1>> {
        self.adam.step(gradients, StepPosition::CONSTANT, |step| {
            if let Some(head) = self.heads.0.last_mut() {
                head.step("head", step);
            }
            self.online = step.update_pets(&self.online);
        });
        self.accumulate();
        Ok(loss)
    }

    /// Updates the offline PET: off ← α·off + (1 − α)·on.
    fn accumulate(&mut self) {
        let (Some(offline), true) = (&mut self.offline, self.settings.switches.accumulation) else {
            return;
        };
        let alpha = self.settings.ema;
        // Both stacks have the same structure, so their values have the same order.
        let (previous, online) = (offline.trained_values(), self.online.trained_values());
        *offline = offline.with_trained_values(nn::blend_all(previous, online, alpha));
    }
}

impl Lae {
    /// Begins a task: adds the head for its classes and, in the second task, the offline PET.
    pub fn start_task(&mut self, classes: usize) {
        let task = self.heads.0.len();
        let switches = self.settings.switches;
        if task == 1 && (switches.accumulation || switches.ensemble) {
            self.offline = Some(self.online.clone());
        }
        self.earlier = EarlierClasses::new(self.measured.take_means(), &self.heads, &self.device());
        let seed = task_seed(self.settings.seed, task);
        let width = self.backbone.feature_width();
        self.heads.0.push(Head::new(width, classes, seed, &self.device()));
        self.adam.clear();
    }

    /// Trains on one batch without dropout; labels are relative to the current task. Returns the loss.
    ///
    /// # Errors
    /// Returns a Problem if the PET's equation does not fit or the device failed.
    pub fn step(&mut self, images: Tensor<4>, labels: &[usize], frozen: bool) -> Result<Tensor<1>> {
        let outcome = self.replay_gradients(images, labels, frozen, None)?;
        self.apply_gradients(outcome)
    }

    /// Trains on one batch of the trainer. Returns the loss.
    pub(super) fn train(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Tensor<1>> {
        let task = self.task.as_ref().ok_or_else(no_task_problem)?;
        let outcome = self.step.learn(batch, |part| {
            let labels = part.batch.local_labels(task);
            let images = part.batch.images.clone();
            let dropout_seed =
                self.has_dropout.then(|| part.dropout_seed(self.settings.seed, task.index));
            self.replay_gradients(images, &labels, pass.is_frozen(), dropout_seed)
        })?;
        self.apply_gradients(outcome)
    }

    /// Adds each image of a batch to the importance that is being measured for the penalty.
    pub(super) fn measure_importance(&mut self, batch: &Batch<'_>) -> Result<()> {
        let (task, device) = (self.task.as_ref().ok_or_else(no_task_problem)?, self.device());
        let Some(penalty) = &mut self.penalty else {
            return Ok(());
        };
        for (row, &sample) in batch.samples.iter().enumerate() {
            let image = batch.images.clone().slice_dim(0, row..row + 1);
            let (pets, head) = (self.online.tracked(), self.heads.last()?.tracked());
            let logits = head.forward(self.backbone.features(image, &pets)?);
            let row = answers::read_rows(&logits.clone().inner())?.concat();
            let seed = task_seed(self.settings.seed, task.index).wrapping_add(sample as u64);
            let uniform = ChaCha8Rng::seed_from_u64(seed).random();
            let label = penalty::sample_class(&row, uniform);
            let targets = targets(&[label], head.classes(), 0.0, &device);
            let backward = Backward::new(logits, targets, None);
            let (_, gradients) = backward.with_pet_gradients(&pets).into_parts();
            penalty.add(&self.online, &gradients);
        }
        Ok(())
    }

    /// Returns the logits of both experts for a batch.
    ///
    /// # Errors
    /// Returns a Problem if the PET's equation does not fit or the device failed.
    pub fn image_logits(&self, images: Tensor<4>) -> Result<Logits> {
        self.logits(&self.features(images)?)
    }

    /// Computes the logits of both experts, which share the heads.
    pub(super) fn logits(&self, features: &Features) -> Result<Logits> {
        let offline = features.parts(Expert::OFFLINE).first();
        Ok(Logits {
            online: self.heads.forward(&features.concatenated(Expert::ONLINE)?),
            offline: offline.map(|features| self.heads.forward(features)),
        })
    }
}
