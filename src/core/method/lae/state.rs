//! LAE over a run: the online PET that learns, the offline one that follows, the heads they share
//! (paper Algorithm 1).

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::super::answers::{self, Answer};
use super::super::heads::{Head, Heads};
use super::super::optimiser::{Gradients, Optimiser, OptimiserSettings, StepPosition};
use super::super::task::none_begun;
use super::super::{
    Backward, Batch, Chosen, Features, GoOn, Measurement, Method, MethodSpec, Moment, Pass,
    PetPlan, Recipe, Setup, Snapshots, StepSettings, Task, TrainedPet, task_seed,
};
use super::verdict::verdict;
use super::{DISTANCE, DRIFTS, LaeSettings, Switches};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::pet::{Drawing, DropoutSeed, Hooks, PetStack};
use crate::problem::Result;
use crate::tensors::Named;

/// What the experts say to a batch of images, over all classes taught so far.
#[derive(Clone, Debug)]
pub struct Logits {
    /// batch × classes.
    pub online: Tensor<2>,
    /// batch × classes; none where no offline expert exists.
    pub offline: Option<Tensor<2>>,
}

/// What a method adds to the loss, made of the online PET.
pub(in crate::method) type Added<'a> = dyn Fn(&PetStack) -> Option<Tensor<1>> + 'a;

/// LAE's state over a run.
pub struct Lae {
    backbone: Arc<dyn Backbone>,
    /// Who answers: LAE's three, or the online one alone.
    pub(super) experts: &'static [Expert],
    task: Option<Task>,
    pub(super) settings: LaeSettings,
    /// The PET before the first task.
    fresh: PetStack,
    online: PetStack,
    /// None until the second task begins, or always when neither Accumulation nor Ensemble acts.
    offline: Option<PetStack>,
    /// The online PET at the end of the first task, from which drift is measured.
    pub(super) origin: Option<PetStack>,
    heads: Heads,
    adam: Optimiser,
    step: StepSettings,
    /// Whether `dropout` in the PET's equation acts while learning.
    drops: bool,
}

impl Lae {
    /// Before the first task, with a freshly initialised PET on the backbone's device.
    pub fn new(backbone: Arc<dyn Backbone>, pets: PetStack, settings: LaeSettings) -> Self {
        Self {
            backbone,
            experts: super::LAE.experts,
            task: None,
            settings,
            fresh: pets.clone(),
            online: pets,
            offline: None,
            origin: None,
            heads: Heads::default(),
            adam: Optimiser::new(OptimiserSettings::adam(settings.learning_rate)),
            step: StepSettings::default(),
            drops: false,
        }
    }

    pub(in crate::method) fn from_setup(
        setup: &Setup<'_>,
        spec: &'static MethodSpec,
        switches: Switches,
    ) -> Result<Self> {
        let chosen = Chosen::of(setup.config)?;
        let settings = LaeSettings {
            switches,
            // The Baseline has no average.
            ema: if switches.accumulation {
                chosen.real("ema")?
            } else {
                0.0
            },
            learning_rate: chosen.learning_rate(),
            seed: setup.config.seed,
        };
        let pets = setup.fresh_pets(setup.config.seed)?;
        let lae = Self::new(setup.backbone.clone(), pets, settings);
        Ok(Self {
            experts: spec.experts,
            step: StepSettings::of(setup.config),
            drops: setup.pet.is_some_and(drops),
            ..lae
        })
    }

    /// Puts given values in place of the drawn ones: PETs of both experts and all heads.
    pub fn set_experts(&mut self, online: PetStack, offline: Option<PetStack>, heads: Heads) {
        self.online = online;
        self.offline = offline;
        self.heads = heads;
    }

    /// The online PET.
    pub fn online(&self) -> &PetStack {
        &self.online
    }

    /// The offline PET, if it exists by now.
    pub fn offline(&self) -> Option<&PetStack> {
        self.offline.as_ref()
    }

    /// The heads of the tasks begun so far.
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    fn device(&self) -> Device {
        self.backbone.device()
    }

    fn wants_offline(&self) -> bool {
        self.settings.switches.accumulation || self.settings.switches.ensemble
    }

    /// Loss of a batch and the gradients of the last head (`head.…`) and, unless frozen, of the
    /// online PET (`pet.…`), without any update. `draws` is what dropout draws from; without, it
    /// does nothing.
    ///
    /// # Errors
    /// A Problem when no task has begun or the PET's equation does not fit.
    pub fn gradients(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        frozen: bool,
        draws: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        self.gradients_with(images, labels, (frozen, draws), &|_| None)
    }

    /// The same with what `added` makes of the online PET, tracked unless frozen, in the loss (one value).
    fn gradients_with(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        (frozen, draws): (bool, Option<DropoutSeed>),
        added: &Added<'_>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let head = self.heads.tracked_last()?;
        let mut pets = if frozen {
            self.online.clone()
        } else {
            self.online.tracked()
        };
        if let Some(draws) = draws {
            pets = pets.in_training(draws);
        }
        let features = self.backbone.features(images, &pets)?;
        let logits = head.forward(features);
        let targets = (labels, self.step.smoothing);
        let learned = Backward::new(logits, targets, added(&pets), &self.device());
        let learned = learned.of(head.leaves("head"))?;
        Ok(match frozen {
            true => learned,
            false => learned.of_pets(&pets),
        }
        .taken())
    }

    /// Adam on the last head and, unless frozen, on the online PET.
    fn update(&mut self, gradients: Gradients) {
        // The rate is constant, so it does not matter where in the task the step lies.
        let mut step = self.adam.step(gradients, StepPosition::of((0, 1), (0, 1)));
        if let Some(head) = self.heads.0.last_mut() {
            head.step("head", &mut step);
        }
        self.online = step.moved_pets(&self.online);
    }

    /// off ← α·off + (1 − α)·on.
    fn accumulate(&mut self) {
        let (Some(offline), true) = (&mut self.offline, self.settings.switches.accumulation) else {
            return;
        };
        let alpha = self.settings.ema;
        // Both stacks have one structure, so their parameters come in the same order.
        let mut online = self.online.parameters();
        *offline = offline.with(|_, old, trained| match online.next() {
            Some((_, new, _)) if trained => old.clone() * alpha + new.clone() * (1.0 - alpha),
            _ => old.clone(),
        });
    }
}

/// Whether a run with this PET drops anything: those that were begun by older versions do not.
fn drops(pet: &PetPlan) -> bool {
    pet.settings.drawing != Drawing::ByPlace
}

impl Lae {
    /// Makes room for so many new classes.
    pub fn begin(&mut self, classes: usize) {
        let task = self.heads.0.len();
        if task == 1 && self.wants_offline() {
            self.offline = Some(self.online.clone());
        }
        let seed = task_seed(self.settings.seed, task);
        let width = self.backbone.feature_width();
        self.heads
            .0
            .push(Head::new(width, classes, seed, &self.device()));
        self.adam.clear();
    }

    /// Learns one batch without dropout; labels are counted within the present task. Gives the loss.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    pub fn step(&mut self, images: Tensor<4>, labels: &[usize], frozen: bool) -> Result<Tensor<1>> {
        let (loss, gradients) = self.gradients(images, labels, frozen, None)?;
        self.update(gradients);
        self.accumulate();
        Ok(loss)
    }

    /// Learns one batch as the trainer hands it over, with what `added` makes of the tracked online PET in the loss (one
    /// value). Gives the loss.
    ///
    /// # Errors
    /// As [`Lae::step`], or that no task has begun.
    pub(in crate::method) fn learn_with(
        &mut self,
        batch: &Batch<'_>,
        pass: &Pass,
        added: &Added<'_>,
    ) -> Result<Tensor<1>> {
        let task = self.task.as_ref().ok_or_else(none_begun)?;
        let (loss, gradients) = self.step.learn(batch, |part| {
            let labels = part.batch.local_labels(task);
            let images = part.batch.images.clone();
            let draws = self
                .drops
                .then(|| part.dropout_seed(self.settings.seed, task.index));
            self.gradients_with(images, &labels, (pass.frozen(), draws), added)
        })?;
        self.update(gradients);
        self.accumulate();
        Ok(loss)
    }

    /// What both experts say to a batch.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    pub fn judge(&self, images: Tensor<4>) -> Result<Logits> {
        self.logits(&self.features(images)?)
    }

    /// Both experts share the heads.
    fn logits(&self, features: &Features) -> Result<Logits> {
        let offline = features.parts(Expert::OFFLINE).first();
        Ok(Logits {
            online: self.heads.forward(&features.of(Expert::ONLINE)?),
            offline: offline.map(|features| self.heads.forward(features)),
        })
    }
}

impl Method for Lae {
    fn trained_parameters(&self) -> usize {
        self.online.trained_count()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.begin(task.classes.len());
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        self.learn_with(batch, pass, &|_| None).map(Some)
    }

    fn end_task(&mut self, _go_on: &mut GoOn<'_>) -> Result<()> {
        if self.heads.0.len() == 1 {
            self.origin = Some(self.online.clone());
        }
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let depth = self.backbone.blocks().len();
        // Up to the first PET both experts see the same, so that part runs once.
        let shared = self.online.first_block().unwrap_or(depth).min(depth);
        let tokens = self.backbone.embed(images)?;
        let tokens = self.backbone.run(tokens, 0..shared, &PetStack::empty())?;
        let features = |tokens, pets: &PetStack| -> Result<Vec<Tensor<2>>> {
            let tokens = self.backbone.run(tokens, shared..depth, pets)?;
            Ok(vec![self.backbone.pool(tokens)?])
        };
        let online = features(tokens.clone(), &self.online)?;
        let found = Features::default().with(Expert::ONLINE, online);
        Ok(match &self.offline {
            Some(offline) => found.with(Expert::OFFLINE, features(tokens, offline)?),
            None => found,
        })
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let logits = self.logits(features)?;
        if let [only] = self.experts {
            return answers::alone(*only, &logits.online);
        }
        let online = answers::rows(&logits.online)?;
        let offline = logits.offline.as_ref().map(answers::rows).transpose()?;
        let switches = self.settings.switches;
        let verdicts = online.iter().enumerate().map(|(row, online)| {
            let offline = offline.as_ref().and_then(|rows| rows.get(row));
            verdict(online, offline.map(Vec::as_slice), switches)
        });
        Ok(verdicts.collect())
    }

    fn recipe(&self) -> Result<Recipe> {
        self.told()
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        Some(&mut self.heads)
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        let trained = |(expert, now): (Expert, &PetStack)| TrainedPet {
            expert,
            began: self.fresh.clone(),
            now: now.clone(),
        };
        let offline = self.offline.iter().map(|pets| (Expert::OFFLINE, pets));
        let online = std::iter::once((Expert::ONLINE, &self.online));
        Ok(online.chain(offline).map(trained).collect())
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        if moment == Moment::Task {
            let drifts = DRIFTS.into_iter().zip(self.drift()?);
            return Ok(drifts
                .map(|(name, value)| Measurement::figure(name, value))
                .collect());
        }
        let Some(offline) = &self.offline else {
            return Ok(Vec::new());
        };
        // Against the length of the offline one.
        let distance = self.online.distance_from(offline)?;
        Ok(vec![Measurement::figure(DISTANCE, distance)])
    }

    fn snapshot(&self) -> Result<Named> {
        let mut named = Named::new();
        self.online.write("online", &mut named)?;
        if let Some(offline) = &self.offline {
            offline.write("offline", &mut named)?;
        }
        self.heads.write(&mut named)?;
        Ok(named)
    }

    fn checkpoint(&self) -> Result<Named> {
        let mut named = self.snapshot()?;
        if let Some(origin) = &self.origin {
            origin.write("origin", &mut named)?;
        }
        self.adam.write(&mut named)?;
        Ok(named)
    }

    fn restore(&mut self, state: &Named, tasks: &[Range<usize>]) -> Result<()> {
        let device = self.device();
        let stored = |prefix: &str| {
            let here = state
                .keys()
                .any(|name| name.starts_with(&format!("{prefix}.")));
            here.then(|| self.online.read(prefix, state, &device))
                .transpose()
        };
        let (offline, origin) = (stored("offline")?, stored("origin")?);
        self.online = self.online.read("online", state, &device)?;
        (self.offline, self.origin) = (offline, origin);
        self.heads = Heads::read(state, tasks, self.backbone.feature_width(), &device)?;
        self.adam = self.adam.read(state, &device)?;
        self.task = Task::newest(tasks);
        Ok(())
    }

    fn take_up(&mut self, snapshot: &Snapshots<'_>, tasks: &[Range<usize>]) -> Result<()> {
        self.restore(&snapshot(tasks.len().saturating_sub(1))?, tasks)?;
        if tasks.len() > 1 {
            // What the first task left is where drift is measured from.
            let first = self.online.read("online", &snapshot(0)?, &self.device())?;
            self.origin = Some(first);
        }
        Ok(())
    }
}
