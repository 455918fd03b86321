//! A PET and a cosine head trained together by SGD: the first session of APER and RanPAC, every session of EASE. The
//! head is dropped afterwards.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::backward::targets;
use super::optimiser::{Gradients, Optimiser, OptimiserSettings, Rule, Schedule, Step};
use super::pets::PetPlan;
use super::prototypes::MIN_NORM;
use super::replay::{StepInputs, StepRecorder};
use super::{
    Backward, Batch, ConfiguredMethod, Pass, SettingKind, SettingSpec, Setup, State, StepSettings,
    StoredState, Task, TrainedPet, real_kind, task_seed,
};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::nn;
use crate::pet::{DropoutSeed, Init, PetStack};
use crate::problem::Result;

/// Momentum of all methods that use SGD.
pub const MOMENTUM: f64 = 0.9;

/// The weight decay of the methods that use SGD.
pub const WEIGHT_DECAY: SettingSpec = SettingSpec {
    key: "weight_decay",
    title: "weight decay",
    meaning: "Weight decay: every step subtracts this share of each trainable parameter, multiplied by the learning rate",
    kind: real_kind(5e-4, 0.0, 1.0),
    ..SettingSpec::OWN
};

/// Whether dropout is active in PETs while they are tuned.
pub const DROPOUT: SettingSpec = SettingSpec {
    key: "dropout",
    title: "dropout",
    meaning: "Apply the dropout in the plugin's equation during training (a tenth in the adapter)",
    kind: SettingKind::Flag(true),
    ..SettingSpec::OWN
};

/// The settings of tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuningSettings {
    /// The update rule with its rate.
    pub optimiser: OptimiserSettings,
    /// Seed of the run, for initial values and dropout.
    pub seed: u64,
    /// Whether the PET's equation has `dropout` that is active in training.
    pub dropout: bool,
    /// How a step splits its batch.
    pub step: StepSettings,
}

impl TuningSettings {
    /// Returns the values in the settings of a run.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        Ok(Self {
            optimiser: sgd(&chosen)?,
            seed: setup.config.seed,
            dropout: chosen.flag(DROPOUT.key)? && setup.pet.is_some_and(PetPlan::uses_dropout),
            step: StepSettings::from_config(setup.config),
        })
    }
}

/// Returns SGD with momentum 0.9, the `weight_decay` of a run's settings, and a cosine schedule by epochs.
///
/// # Errors
/// Returns a Problem for a setting out of range.
pub fn sgd(chosen: &ConfiguredMethod<'_>) -> Result<OptimiserSettings> {
    Ok(OptimiserSettings {
        rule: Rule::Sgd { momentum: MOMENTUM, weight_decay: chosen.real(WEIGHT_DECAY.key)? },
        learning_rate: chosen.learning_rate(),
        schedule: Schedule::CosineEpoch,
        clip: None,
    })
}

/// Images, targets, head and PET.
type Inputs = ((Tensor<4>, Tensor<2>), (CosineHead, PetStack));

/// One session: the trained parameters, and the optimiser's state.
pub struct Tuning {
    /// The PET.
    pub pets: PetStack,
    /// The head over the session's classes.
    pub head: CosineHead,
    backbone: Arc<dyn Backbone>,
    settings: TuningSettings,
    /// The optimiser of the session.
    pub optimiser: Optimiser,
    /// Repeats recorded steps on a GPU.
    recorder: StepRecorder,
    task: Task,
}

impl Tuning {
    /// Returns the state before the first step of a task's session, with a new PET and a head drawn from the seed.
    pub fn new(
        pets: PetStack,
        task: &Task,
        backbone: &Arc<dyn Backbone>,
        settings: TuningSettings,
    ) -> Self {
        let (width, classes) = (backbone.feature_width(), task.classes.len());
        let seed = task_seed(settings.seed, task.index);
        Self {
            pets,
            head: CosineHead::new(width, classes, seed, &backbone.device()),
            backbone: backbone.clone(),
            settings,
            optimiser: Optimiser::new(settings.optimiser),
            recorder: StepRecorder::default(),
            task: task.clone(),
        }
    }

    /// Returns the loss of a batch and the gradients of all trained parameters (`pet.…`, `head.weight`, `head.sigma`),
    /// without an update; labels are relative to the task.
    ///
    /// # Errors
    /// Returns a Problem if the PET's equation does not fit or the device failed.
    pub fn gradients(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        self.compute_gradients(self.step_inputs(images, labels), dropout_seed)
    }

    fn step_inputs(&self, images: Tensor<4>, labels: &[usize]) -> Inputs {
        let (classes, device) = (self.head.weight.dims()[0], self.backbone.device());
        let targets = targets(labels, classes, self.settings.step.smoothing, &device);
        ((images, targets), (self.head.clone(), self.pets.clone()))
    }

    fn compute_gradients(
        &self,
        ((images, targets), (head, pets)): Inputs,
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let (head, pets) = (head.tracked(), pets.tracked().in_training(dropout_seed));
        let features = self.backbone.features(images, &pets)?;
        let backward = Backward::new(head.forward(features), targets, None);
        Ok(backward.with_gradients(head.leaves())?.with_pet_gradients(&pets).into_parts())
    }

    /// Trains on one batch. Returns its loss before the update.
    ///
    /// # Errors
    /// As [`Tuning::gradients`].
    pub fn learn(&mut self, batch: &Batch<'_>) -> Result<Tensor<1>> {
        let (loss, gradients) = self.settings.step.learn(batch, |part| {
            let labels = part.batch.local_labels(&self.task);
            let inputs = self.step_inputs(part.batch.images.clone(), &labels);
            if self.settings.dropout {
                // Dropout masks are sent to the GPU in every step.
                let seed = part.dropout_seed(self.settings.seed, self.task.index);
                return self.compute_gradients(inputs, Some(seed));
            }
            self.recorder.run(false, inputs, |inputs| self.compute_gradients(inputs, None))
        })?;
        self.optimiser.step(gradients, batch.position(), |step| {
            self.head.step(step);
            self.pets = step.update_pets(&self.pets);
        });
        Ok(loss)
    }

    /// Returns whether these tensors have the state of a session.
    pub(super) fn is_stored_in(stored: StoredState<'_>) -> bool {
        stored.tensors.contains_key("tuning.head.weight")
    }

    /// Writes or reads everything as `tuning.…`; the optimiser's state has its own names. It is not part of a snapshot.
    pub(super) fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        if state.is_snapshot() {
            return Ok(());
        }
        state.sync_pets("tuning.pet", &mut self.pets)?;
        state.sync_tensor("tuning.head.weight", &mut self.head.weight)?;
        state.sync_tensor("tuning.head.sigma", &mut self.head.sigma)?;
        self.optimiser.sync_state(&self.backbone.device(), state)
    }
}

/// The cosine head with a learned scale: logits = σ·norm(f)·norm(W)ᵀ (Hou et al., CVPR 2019). It contains W and σ of
/// one task's classes.
#[derive(Clone, Debug)]
pub struct CosineHead {
    /// classes × feature width.
    pub weight: Tensor<2>,
    /// 1 × 1.
    pub sigma: Tensor<2>,
}

impl CosineHead {
    /// Returns a head with W uniform in ±1/√width, drawn on the host, and σ = 1.
    pub fn new(width: usize, classes: usize, seed: u64, device: &Device) -> Self {
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        let uniform = Init::Uniform(-bound, bound);
        Self {
            weight: uniform.draw_tensor([classes, width], seed, 0, device),
            sigma: Tensor::ones([1, 1], device),
        }
    }

    /// Computes σ·norm(f)·norm(W)ᵀ: features (batch × width) → logits (batch × classes).
    pub fn forward(&self, features: Tensor<2>) -> Tensor<2> {
        nn::cosines(features, self.weight.clone(), MIN_NORM) * self.sigma.clone()
    }

    /// Returns W and σ with the names that the optimiser uses.
    pub fn leaves(&self) -> [(&'static str, &Tensor<2>); 2] {
        [("head.weight", &self.weight), ("head.sigma", &self.sigma)]
    }

    /// Updates W and σ by an optimiser step.
    pub fn step(&mut self, step: &mut Step<'_>) {
        self.weight = step.update("head.weight", self.weight.clone());
        self.sigma = step.update("head.sigma", self.sigma.clone());
    }

    /// Returns copies with gradient tracking.
    #[must_use]
    pub fn tracked(&self) -> Self {
        Self {
            weight: self.weight.clone().autodiff().require_grad(),
            sigma: self.sigma.clone().autodiff().require_grad(),
        }
    }
}

impl StepInputs for CosineHead {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.weight.append_values(values);
        self.sigma.append_values(values);
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        Self { weight: self.weight.with_values(values), sigma: self.sigma.with_values(values) }
    }
}

/// A PET that is tuned in the first task and frozen afterwards.
pub struct FirstSession {
    backbone: Arc<dyn Backbone>,
    settings: TuningSettings,
    /// The initial PET.
    initial_pets: PetStack,
    /// The PET before and after the session.
    pets: PetStack,
    /// The PET and head that the session trains; `None` outside the first task.
    pub tuning: Option<Tuning>,
}

impl FirstSession {
    /// Returns a session with a new PET.
    ///
    /// # Errors
    /// Returns a Problem for an unsuitable PET or settings.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        let initial_pets = setup.init_pets(setup.config.seed)?;
        Ok(Self {
            backbone: setup.backbone.clone(),
            settings: TuningSettings::from_setup(setup)?,
            pets: initial_pets.clone(),
            initial_pets,
            tuning: None,
        })
    }

    /// Returns the passes of a task (from 0) before its images are measured.
    pub fn passes(epochs: usize, task: usize) -> Vec<Pass> {
        vec![Pass::learning(false); if task == 0 { epochs } else { 0 }]
    }

    /// Returns the current PET.
    pub fn pets(&self) -> &PetStack {
        self.tuning.as_ref().map_or(&self.pets, |tuning| &tuning.pets)
    }

    /// Returns the PET with its initial state.
    pub fn trained_pet(&self) -> TrainedPet {
        TrainedPet {
            expert: Expert::ANSWER,
            initial: self.initial_pets.clone(),
            current: self.pets().clone(),
        }
    }

    /// Starts the session in the first task.
    pub fn begin_task(&mut self, task: &Task) {
        self.tuning = (task.index == 0)
            .then(|| Tuning::new(self.pets.clone(), task, &self.backbone, self.settings));
    }

    /// Trains on one batch of the first task. Returns its loss.
    ///
    /// # Errors
    /// As [`Tuning::learn`].
    pub fn learn(&mut self, batch: &Batch<'_>) -> Result<Option<Tensor<1>>> {
        let tuning = self.tuning.as_mut();
        tuning.map(|tuning| tuning.learn(batch)).transpose()
    }

    /// Ends a task: keeps the tuned PET and drops the head.
    pub fn end_task(&mut self) {
        if let Some(tuning) = self.tuning.take() {
            self.pets = tuning.pets;
        }
    }

    /// Writes or reads the PET as `pet.…`, and the state of the session, if it is in progress.
    pub(super) fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        if let Some(stored) = state.stored() {
            let task = Task::last(stored.tasks).filter(|task| task.index == 0);
            let task = task.filter(|_| Tuning::is_stored_in(stored));
            let tuning =
                |task| Tuning::new(self.pets.clone(), &task, &self.backbone, self.settings);
            self.tuning = task.map(tuning);
        }
        match &mut self.tuning {
            Some(tuning) => {
                state.sync_pets("pet", &mut tuning.pets)?;
                tuning.sync_state(state)
            }
            None => state.sync_pets("pet", &mut self.pets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::HostTensor;

    /// The derivative of the summed logits with respect to σ is their sum at σ = 1; the one with respect to W is
    /// orthogonal to W, because a cosine does not depend on the length of a vector.
    #[test]
    fn gradients_match_scaled_cosine() {
        let device = Device::flex();
        let head = CosineHead::new(6, 3, 4, &device).tracked();
        let logits = head.forward(Init::Normal(1.0).draw_tensor([5, 6], 1, 0, &device));
        let total = logits.clone().inner().sum().into_scalar::<f32>();
        let graph = logits.sum().backward();
        let sigma = HostTensor::read(&head.sigma.grad(&graph).unwrap()).unwrap();
        assert!((sigma.values[0] - total).abs() < 1e-5);
        let dot_products = head.weight.grad(&graph).unwrap() * head.weight.clone().inner();
        let sums = HostTensor::read(&dot_products.sum_dim(1)).unwrap();
        assert!(sums.values.iter().all(|value| value.abs() < 1e-5));
        let bound = 1.0 / 6f32.sqrt();
        let weight = HostTensor::read(&head.weight.inner()).unwrap();
        assert!(weight.values.iter().all(|value| value.abs() <= bound));
    }
}
