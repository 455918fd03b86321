//! LAE: Learning, Accumulation, Ensemble (Gao et al., ICCV 2023, section 4 and Algorithm 1).
//!
//! * Learning: local cross-entropy over the present task's classes; from the second task on the
//!   PET stands still for some epochs while the new head settles.
//! * Accumulation: the offline PET is an exact copy when the second task begins and then follows,
//!   off ← α·off + (1 − α)·on, after every optimiser step, frozen epochs included.
//! * Ensemble: both experts share the heads; the answer is the element-wise maximum of their
//!   softmaxes.
//!
//! Each part can be switched off alone (paper Tables 5 and 6): without Accumulation the offline PET
//! stays the snapshot after the first task; without Ensemble the offline PET answers alone; with
//! everything off this is the Baseline.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::adam::Adam;
use super::{Logits, Method};
use crate::backbone::Backbone;
use crate::expert::{Head, Heads, read_pets, relative_distance, write_pets};
use crate::pet::{Hooks, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::Switches;
use crate::tensors::Named;

/// What defines LAE beside backbone and PET.
#[derive(Clone, Copy, Debug)]
pub struct LaeSettings {
    /// Which parts act.
    pub switches: Switches,
    /// Epochs with the PET frozen, from the second task on.
    pub freeze_epochs: usize,
    /// α of the moving average.
    pub ema: f64,
    /// Adam's learning rate, as used.
    pub learning_rate: f64,
    /// Seed of the heads' initial values.
    pub seed: u64,
}

/// LAE's state over a run.
pub struct Lae {
    backbone: Arc<dyn Backbone>,
    settings: LaeSettings,
    online: PetStack,
    /// None until the second task begins, or always when neither Accumulation nor Ensemble acts.
    offline: Option<PetStack>,
    /// The online PET at the end of the first task, from which drift is measured.
    origin: Option<PetStack>,
    heads: Heads,
    adam: Adam,
}

impl Lae {
    /// Before the first task, with a freshly initialised PET on the backbone's device.
    pub fn new(backbone: Arc<dyn Backbone>, pets: PetStack, settings: LaeSettings) -> Self {
        Self {
            backbone,
            settings,
            online: pets,
            offline: None,
            origin: None,
            heads: Heads::default(),
            adam: Adam::new(settings.learning_rate),
        }
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

    /// Loss of a batch and the gradients of PET and last head, without any update.
    ///
    /// # Errors
    /// A Problem when no task has begun or the PET's equation does not fit.
    pub fn gradients(
        &self,
        images: Tensor<4>,
        labels: &[usize],
        frozen: bool,
    ) -> Result<Gradients> {
        let head = self.heads.0.last();
        let head = head
            .ok_or_else(|| Problem::new("learning began before any task"))?
            .tracked();
        let pets = if frozen {
            self.online.clone()
        } else {
            self.online.tracked()
        };
        let features = self.backbone.features(images, &pets)?;
        let loss = local_cross_entropy(head.forward(features), labels, &self.device());
        let mut all = loss.backward();
        let missing = |name: &str| Problem::new(format!("{name} received no gradient"));
        let weight = head
            .weight
            .grad_remove(&mut all)
            .ok_or_else(|| missing("the head"))?;
        let bias = head
            .bias
            .grad_remove(&mut all)
            .ok_or_else(|| missing("the head"))?;
        let mut of_pets = Vec::new();
        for (name, tensor, _) in pets
            .parameters()
            .filter(|(.., trained)| *trained && !frozen)
        {
            // A parameter that the equations in use do not mention has none.
            if let Some(gradient) = tensor.grad_remove(&mut all) {
                of_pets.push((name.to_string(), gradient));
            }
        }
        Ok(Gradients {
            loss: loss.inner(),
            weight,
            bias,
            pets: of_pets,
        })
    }

    /// Adam on the last head and, unless frozen, on the online PET.
    fn update(&mut self, gradients: Gradients) {
        let Gradients {
            weight, bias, pets, ..
        } = gradients;
        if let Some(head) = self.heads.0.last_mut() {
            head.weight = self.adam.step("head.weight", head.weight.clone(), weight);
            head.bias = self.adam.step("head.bias", head.bias.clone(), bias);
        }
        let mut gradients: BTreeMap<String, Tensor<2>> = pets.into_iter().collect();
        let adam = &mut self.adam;
        self.online = self
            .online
            .with(|name, value, _| match gradients.remove(name) {
                Some(gradient) => adam.step(&format!("pet.{name}"), value.clone(), gradient),
                None => value.clone(),
            });
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

/// What one batch asks to change.
pub struct Gradients {
    /// Local cross-entropy, one value, plain.
    pub loss: Tensor<1>,
    /// Of the last head's weight.
    pub weight: Tensor<2>,
    /// Of the last head's bias.
    pub bias: Tensor<2>,
    /// Of the online PET's trained parameters, by name; empty while frozen.
    pub pets: Vec<(String, Tensor<2>)>,
}

/// Mean cross-entropy over the logits of the present task's classes alone ("local CE").
pub(super) fn local_cross_entropy(
    logits: Tensor<2>,
    labels: &[usize],
    device: &Device,
) -> Tensor<1> {
    let [batch, classes] = logits.dims();
    let mut target = vec![0f32; batch * classes];
    for (row, &label) in labels.iter().enumerate() {
        target[row * classes + label] = -1.0 / batch as f32;
    }
    let target = Tensor::<2>::from_data(TensorData::new(target, [batch, classes]), device);
    (log_softmax(logits, 1) * target).sum()
}

impl Method for Lae {
    fn begin_task(&mut self, classes: usize) -> Result<()> {
        let task = self.heads.0.len();
        if task == 1 && self.wants_offline() {
            self.offline = Some(self.online.clone());
        }
        let seed = self
            .settings
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(task as u64 + 1);
        let width = self.backbone.feature_width();
        self.heads
            .0
            .push(Head::new(width, classes, seed, &self.device()));
        self.adam = Adam::new(self.settings.learning_rate);
        Ok(())
    }

    fn frozen(&self, epoch: usize) -> bool {
        let later = self.heads.0.len() > 1;
        self.settings.switches.learning && later && epoch < self.settings.freeze_epochs
    }

    fn learn(&mut self, images: Tensor<4>, labels: &[usize], frozen: bool) -> Result<Tensor<1>> {
        let gradients = self.gradients(images, labels, frozen)?;
        let loss = gradients.loss.clone();
        self.update(gradients);
        self.accumulate();
        Ok(loss)
    }

    fn judge(&self, images: Tensor<4>) -> Result<Logits> {
        let depth = self.backbone.blocks().len();
        // Up to the first PET both experts see the same, so that part runs once.
        let shared = self.online.first_block().unwrap_or(depth).min(depth);
        let tokens = self.backbone.embed(images)?;
        let tokens = self.backbone.run(tokens, 0..shared, &PetStack::empty())?;
        let ask = |tokens, pets: &PetStack| -> Result<Tensor<2>> {
            let tokens = self.backbone.run(tokens, shared..depth, pets)?;
            Ok(self.heads.forward(&self.backbone.pool(tokens)?))
        };
        let offline = match &self.offline {
            Some(pets) => Some(ask(tokens.clone(), pets)?),
            None => None,
        };
        Ok(Logits {
            online: ask(tokens, &self.online)?,
            offline,
        })
    }

    fn end_task(&mut self) {
        if self.heads.0.len() == 1 {
            self.origin = Some(self.online.clone());
        }
    }

    fn drift(&self) -> Result<(f64, f64)> {
        let Some(origin) = &self.origin else {
            return Ok((0.0, 0.0));
        };
        let of = |pets: Option<&PetStack>| pets.map_or(Ok(0.0), |p| relative_distance(p, origin));
        Ok((of(Some(&self.online))?, of(self.offline.as_ref())?))
    }

    fn snapshot(&self) -> Result<Named> {
        let mut named = Named::new();
        write_pets(&self.online, "online", &mut named)?;
        if let Some(offline) = &self.offline {
            write_pets(offline, "offline", &mut named)?;
        }
        self.heads.write(&mut named)?;
        Ok(named)
    }

    fn checkpoint(&self) -> Result<Named> {
        let mut named = self.snapshot()?;
        if let Some(origin) = &self.origin {
            write_pets(origin, "origin", &mut named)?;
        }
        self.adam.write(&mut named)?;
        Ok(named)
    }

    fn restore(&mut self, state: &Named, tasks: usize) -> Result<()> {
        let device = self.device();
        let stored = |prefix: &str| {
            let here = state
                .keys()
                .any(|name| name.starts_with(&format!("{prefix}.")));
            here.then(|| read_pets(&self.online, prefix, state, &device))
                .transpose()
        };
        let (offline, origin) = (stored("offline")?, stored("origin")?);
        self.online = read_pets(&self.online, "online", state, &device)?;
        (self.offline, self.origin) = (offline, origin);
        self.heads = Heads::read(state, tasks, &device)?;
        self.adam = Adam::read(self.settings.learning_rate, state, &device)?;
        Ok(())
    }
}
