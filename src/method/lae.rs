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
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::answers::{self, Verdict, argmax, log_probabilities, opinion};
use super::heads::{Head, Heads};
use super::optimiser::{self, Optimiser, OptimiserSettings, Progress};
use super::{
    Batch, Chosen, Kind, Method, MethodSpec, Pass, PetUse, Published, Rate, SettingSpec, Setup,
    Task, local_cross_entropy, task_seed,
};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::pet::{Hooks, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::event::{Opinion, TaskReport};
use crate::tensors::Named;

const PAPER: &str = "Gao et al., A Unified Continual Learning Framework with General Parameter-Efficient Tuning, ICCV 2023";

/// LAE.
pub const LAE: MethodSpec = MethodSpec {
    key: "lae",
    title: "LAE",
    summary: "Learns with the PET frozen at first, accumulates it in a slow offline copy, answers with both",
    paper: PAPER,
    experts: Expert::OF_LAE,
    settings: &[
        SettingSpec {
            key: "learning",
            title: "Learning",
            meaning: "New classes settle while the PET is frozen, so that old knowledge is not overrun",
            kind: Kind::Flag(true),
        },
        SettingSpec {
            key: "accumulation",
            title: "Accumulation",
            meaning: "The offline PET follows the online one slowly and keeps what it learned",
            kind: Kind::Flag(true),
        },
        SettingSpec {
            key: "ensemble",
            title: "Ensemble",
            meaning: "Both experts answer together: the larger of their two probabilities wins",
            kind: Kind::Flag(true),
        },
        SettingSpec {
            key: "freeze_epochs",
            title: "frozen epochs",
            meaning: "Of the epochs, so many with the PET frozen, from the second task on",
            kind: Kind::Whole {
                default: 3,
                least: 0,
                most: i64::MAX,
            },
        },
        SettingSpec {
            key: "ema",
            title: "α",
            meaning: "How much of itself the offline PET keeps in every step; 0.9999 is the paper's value, 0.999 suits short runs",
            kind: Kind::Real {
                default: 0.999,
                least: 0.0,
                most: 1.0,
            },
        },
    ],
    pet: Some(PetUse {
        calibrated_by: Some("learning"),
        ..PetUse::USUAL
    }),
    rate: Some(RATE),
    published: &[
        published("cifar-100", 5, 0.03, LONG_MEMORY),
        published("imagenet-r", 50, 0.005, MANY_EPOCHS),
        published("domainnet", 50, 0.005, MANY_EPOCHS),
    ],
    all_at_once: false,
    passes: |chosen, task| {
        let frozen = match chosen.flag("learning")? && task > 0 {
            true => chosen.count("freeze_epochs")?,
            false => 0,
        };
        let epochs = 0..chosen.config.epochs;
        Ok(epochs.map(|epoch| Pass::learning(epoch < frozen)).collect())
    },
    check: |chosen, _| {
        let epochs = chosen.config.epochs;
        if !chosen.flag("learning")? || chosen.count("freeze_epochs")? <= epochs {
            return Ok(());
        }
        let problem = Problem::new("more epochs are frozen than there are");
        Err(problem
            .at("--freeze-epochs")
            .advise("give a number up to --epochs"))
    },
    build: |setup| {
        Ok(Box::new(Lae::from_setup(
            &setup,
            &LAE,
            Switches::of(&setup)?,
        )?))
    },
};

/// The naive baseline: LAE with everything off.
pub const BASELINE: MethodSpec = MethodSpec {
    key: "baseline",
    title: "Baseline",
    summary: "Trains the same PET task after task and does nothing against forgetting",
    paper: PAPER,
    experts: &[Expert::Online],
    settings: &[],
    pet: Some(PetUse::USUAL),
    rate: Some(RATE),
    published: &[
        published("cifar-100", 5, 0.03, &[]),
        published("imagenet-r", 50, 0.005, &[]),
        published("domainnet", 50, 0.005, &[]),
    ],
    all_at_once: false,
    passes: |chosen, _| Ok(vec![Pass::learning(false); chosen.config.epochs]),
    check: |_, _| Ok(()),
    build: |setup| {
        Ok(Box::new(Lae::from_setup(
            &setup,
            &BASELINE,
            Switches::NONE,
        )?))
    },
};

/// A third of the paper's rate for CIFAR-100: better on the small embedded sets.
const RATE: Rate = Rate {
    base: 0.01,
    scaled: true,
};
const LONG_MEMORY: &[(&str, Setting)] = &[("ema", Setting::Real(0.9999))];
const MANY_EPOCHS: &[(&str, Setting)] = &[
    ("ema", Setting::Real(0.9999)),
    ("freeze_epochs", Setting::Whole(30)),
];

const fn published(
    data: &'static str,
    epochs: usize,
    base_lr: f64,
    settings: &'static [(&'static str, Setting)],
) -> Published {
    Published {
        data,
        epochs,
        base_lr: Some(base_lr),
        settings,
    }
}

/// Which of LAE's three parts act (paper Tables 5 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Freeze epochs, and the calibrated form of a PET that has one.
    pub learning: bool,
    /// The offline PET follows the online one by a moving average.
    pub accumulation: bool,
    /// Both experts answer together.
    pub ensemble: bool,
}

impl Switches {
    /// LAE.
    pub const ALL: Self = Self {
        learning: true,
        accumulation: true,
        ensemble: true,
    };
    /// The Baseline.
    pub const NONE: Self = Self {
        learning: false,
        accumulation: false,
        ensemble: false,
    };

    /// Those that settings of LAE name.
    ///
    /// # Errors
    /// A Problem for settings of another method.
    pub fn chosen(chosen: &Chosen<'_>) -> Result<Self> {
        Ok(Self {
            learning: chosen.flag("learning")?,
            accumulation: chosen.flag("accumulation")?,
            ensemble: chosen.flag("ensemble")?,
        })
    }

    fn of(setup: &Setup<'_>) -> Result<Self> {
        Self::chosen(&Chosen::of(setup.config)?)
    }
}

/// What defines LAE beside backbone and PET.
#[derive(Clone, Copy, Debug)]
pub struct LaeSettings {
    /// Which parts act.
    pub switches: Switches,
    /// α of the moving average.
    pub ema: f64,
    /// Adam's learning rate, as used.
    pub learning_rate: f64,
    /// Seed of the heads' initial values.
    pub seed: u64,
}

/// What the experts say to a batch of images, over all classes taught so far.
#[derive(Clone, Debug)]
pub struct Logits {
    /// batch × classes.
    pub online: Tensor<2>,
    /// batch × classes; none where no offline expert exists.
    pub offline: Option<Tensor<2>>,
}

/// LAE's state over a run.
pub struct Lae {
    backbone: Arc<dyn Backbone>,
    /// Who answers: LAE's three, or the online one alone.
    experts: &'static [Expert],
    task: Option<Task>,
    settings: LaeSettings,
    online: PetStack,
    /// None until the second task begins, or always when neither Accumulation nor Ensemble acts.
    offline: Option<PetStack>,
    /// The online PET at the end of the first task, from which drift is measured.
    origin: Option<PetStack>,
    heads: Heads,
    adam: Optimiser,
}

impl Lae {
    /// Before the first task, with a freshly initialised PET on the backbone's device.
    pub fn new(backbone: Arc<dyn Backbone>, pets: PetStack, settings: LaeSettings) -> Self {
        Self {
            backbone,
            experts: Expert::OF_LAE,
            task: None,
            settings,
            online: pets,
            offline: None,
            origin: None,
            heads: Heads::default(),
            adam: Optimiser::new(OptimiserSettings::adam(settings.learning_rate)),
        }
    }

    fn from_setup(
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
        let mut all = optimiser::Gradients::default();
        all.insert("head.weight", gradients.weight);
        all.insert("head.bias", gradients.bias);
        for (name, gradient) in gradients.pets {
            all.insert(format!("pet.{name}"), gradient);
        }
        // The rate is constant, so it does not matter where in the task the step lies.
        let mut step = self.adam.step(all, Progress::of((0, 1), (0, 1)));
        if let Some(head) = self.heads.0.last_mut() {
            head.weight = step.moved("head.weight", head.weight.clone());
            head.bias = step.moved("head.bias", head.bias.clone());
        }
        self.online = self
            .online
            .with(|name, value, _| step.moved(&format!("pet.{name}"), value.clone()));
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

    /// Learns one batch; labels are counted within the present task. Gives the loss.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    pub fn step(&mut self, images: Tensor<4>, labels: &[usize], frozen: bool) -> Result<Tensor<1>> {
        let gradients = self.gradients(images, labels, frozen)?;
        let loss = gradients.loss.clone();
        self.update(gradients);
        self.accumulate();
        Ok(loss)
    }

    /// What both experts say to a batch.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    pub fn judge(&self, images: Tensor<4>) -> Result<Logits> {
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

    /// ‖θ − θ₀‖ / ‖θ₀‖ of the online and the offline PET since the end of the first task.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn drift(&self) -> Result<(f64, f64)> {
        let Some(origin) = &self.origin else {
            return Ok((0.0, 0.0));
        };
        let of = |pets: Option<&PetStack>| pets.map_or(Ok(0.0), |p| p.distance_from(origin));
        Ok((of(Some(&self.online))?, of(self.offline.as_ref())?))
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
        let task = self.task.as_ref();
        let task = task.ok_or_else(|| Problem::new("learning began before any task"))?;
        let labels = batch.local_labels(task);
        self.step(batch.images.clone(), &labels, pass.frozen())
            .map(Some)
    }

    fn end_task(&mut self) -> Result<()> {
        if self.heads.0.len() == 1 {
            self.origin = Some(self.online.clone());
        }
        Ok(())
    }

    fn predict(&self, images: Tensor<4>) -> Result<Vec<Verdict>> {
        let logits = self.judge(images)?;
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

    fn gauges(&self) -> Result<BTreeMap<String, f64>> {
        let (online, offline) = self.drift()?;
        Ok(BTreeMap::from([
            (ONLINE_DRIFT.to_string(), online),
            (OFFLINE_DRIFT.to_string(), offline),
        ]))
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
        self.heads = Heads::read(state, tasks.len(), &device)?;
        let adam = OptimiserSettings::adam(self.settings.learning_rate);
        self.adam = Optimiser::read(adam, state, &device)?;
        self.task = tasks.last().map(|classes| Task {
            index: tasks.len() - 1,
            classes: classes.clone(),
        });
        Ok(())
    }
}

/// Gauge: how far the online PET has moved since the first task.
const ONLINE_DRIFT: &str = "online_drift";
/// The same for the offline PET.
const OFFLINE_DRIFT: &str = "offline_drift";

/// How far the online and the offline PET had moved after a task; none for other methods.
pub fn drift_of(report: &TaskReport) -> Option<(f64, f64)> {
    let of = |name| report.gauges.get(name).copied();
    Some((of(ONLINE_DRIFT)?, of(OFFLINE_DRIFT)?))
}

/// What the run answers from its two experts: their maximum (paper Eq. 9), or one of them where
/// LAE's Ensemble is off (paper Table 5: the offline one with Accumulation, else the online one).
fn verdict(online: &[f32], offline: Option<&[f32]>, switches: Switches) -> Verdict {
    let two = offline.is_some();
    // The offline expert is the online one again where there is none (before the second task).
    let offline = offline.unwrap_or(online);
    let (on, off) = (
        opinion(Expert::Online, online),
        opinion(Expert::Offline, offline),
    );
    let named = |opinion: &Opinion| Opinion {
        expert: Expert::Ensemble,
        ..opinion.clone()
    };
    let (answer, decided_by, scores) = match (switches.ensemble, switches.accumulation) {
        (true, _) => both(&on, &off, online, offline),
        (false, true) if two => (named(&off), Expert::Offline, offline.to_vec()),
        (false, _) => (named(&on), Expert::Online, online.to_vec()),
    };
    Verdict {
        opinions: vec![on, off, answer],
        // With one expert only, the answer is the online one's.
        decided_by: if two { decided_by } else { Expert::Online },
        scores,
    }
}

/// Element-wise maximum of two softmaxes, the lower energy, who holds the winner, and the maximum
/// of the logarithms.
fn both(
    on: &Opinion,
    off: &Opinion,
    online: &[f32],
    offline: &[f32],
) -> (Opinion, Expert, Vec<f32>) {
    let pairs = on.probabilities.iter().zip(&off.probabilities);
    let probabilities: Vec<f32> = pairs.map(|(a, b)| a.max(*b)).collect();
    let class = argmax(&probabilities);
    let lower = on.energy.zip(off.energy).map(|(a, b)| a.min(b));
    let by_offline = on.probabilities[class] < probabilities[class];
    let logs = log_probabilities(online)
        .into_iter()
        .zip(log_probabilities(offline));
    let answer = Opinion {
        expert: Expert::Ensemble,
        class,
        probabilities,
        energy: lower,
    };
    let decided_by = match by_offline {
        true => Expert::Offline,
        false => Expert::Online,
    };
    (answer, decided_by, logs.map(|(a, b)| a.max(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdict: &Verdict) -> &Opinion {
        &verdict.opinions[2]
    }

    #[test]
    fn the_ensemble_is_the_maximum_of_both_softmaxes() {
        let v = verdict(&[2.0, 0.0, 0.0], Some(&[0.0, 5.0, 0.0]), Switches::ALL);
        let [on, off, _] = &v.opinions[..] else {
            return assert_eq!(v.opinions.len(), 3);
        };
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::Offline));
        assert_eq!(answer(&v).probabilities[0], on.probabilities[0]);
        assert_eq!(answer(&v).probabilities[1], off.probabilities[1]);
        assert!(answer(&v).probabilities.iter().sum::<f32>() > 1.0);
        assert_eq!((v.within(&(0..1)), v.within(&(1..3))), (0, 1));
    }

    #[test]
    fn without_ensemble_one_expert_answers_alone() {
        let (on, off) = ([9.0, 0.0], [0.0, 1.0]);
        let only = Switches {
            ensemble: false,
            ..Switches::ALL
        };
        let v = verdict(&on, Some(&off), only);
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::Offline));
        assert_eq!(answer(&v).probabilities, v.opinions[1].probabilities);
        let none = Switches {
            accumulation: false,
            ..only
        };
        let v = verdict(&on, Some(&off), none);
        assert_eq!((answer(&v).class, v.decided_by), (0, Expert::Online));
        assert_eq!(answer(&v).probabilities, v.opinions[0].probabilities);
    }
}
