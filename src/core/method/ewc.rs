//! EWC, elastic weight consolidation (Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, PNAS
//! 2017): the Baseline with a quadratic penalty. Parameters that mattered for earlier tasks are kept near their values
//! by λ/2 · Σ Fᵢ·(θᵢ − θᵢ*)² in the loss (their Eq. 3).
//!
//! θ are the parameters of the PET; the heads of earlier tasks are frozen anyway. F is the diagonal of the Fisher
//! information for the task's own classes: the mean over images of the squared gradient of ln p(y), with y sampled from
//! the network's prediction. As in Schwarz et al., Progress & Compress, ICML 2018 (their Eq. 9), each parameter has one
//! penalty: F ← γ·F + F of the new task, and θ* are the newest values.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lae::{BASELINE, Lae, RATE, Switches};
use super::task::none_begun;
use super::{
    Answer, Backward, Batch, Chosen, Features, GoOn, Heads, Measurement, Method, MethodSpec,
    Moment, Pass, PassWork, PetUse, Recipe, SettingKind, SettingSpec, Setup, Task, TrainedPet,
    answers, task_seed,
};
use crate::backbone::Backbone;
use crate::pet::PetStack;
use crate::problem::Result;
use crate::tensors::Named;

/// EWC.
pub const SPEC: MethodSpec = MethodSpec {
    key: "ewc",
    title: "EWC",
    summary: "Trains one PET task after task and keeps parameters that mattered for earlier tasks near their values",
    paper: "Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, PNAS 2017",
    experts: BASELINE.experts,
    settings: &[
        SettingSpec {
            key: "ewc_lambda",
            title: "λ",
            meaning: "Strength of the penalty on important parameters; 0 is the Baseline",
            kind: SettingKind::Real {
                default: 1000.0,
                least: 0.0,
                most: f64::MAX,
            },
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "ewc_gamma",
            title: "γ",
            meaning: "Share of earlier tasks' importance that is kept when a new task is added",
            kind: SettingKind::Real {
                default: 1.0,
                least: 0.0,
                most: 1.0,
            },
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: IMAGES,
            title: "images for importance",
            meaning: "Number of training images per task that the importance is measured on, one by one",
            kind: SettingKind::Whole {
                default: 200,
                least: 1,
                most: i64::MAX,
            },
            ..SettingSpec::OWN
        },
    ],
    pet: Some(PetUse::USUAL),
    rate: Some(RATE),
    needs_state: true,
    passes: |chosen, _| {
        let look = Pass {
            shuffle: true,
            most: Some(chosen.count(IMAGES)?),
            ..Pass::measuring()
        };
        let mut passes = vec![Pass::learning(false); chosen.config.epochs];
        passes.push(look);
        Ok(passes)
    },
    // A finished run stores the importance and anchor of each parameter, and two moments of Adam.
    stored: |_, sizes| {
        let pets = (sizes.tasks + 5) * sizes.trained;
        Ok((pets + sizes.classes * sizes.width) as f64)
    },
    build: |setup| Ok(Box::new(Ewc::from_setup(&setup)?)),
    ..MethodSpec::USUAL
};

const IMAGES: &str = "fisher_images";

struct Ewc {
    baseline: Lae,
    backbone: Arc<dyn Backbone>,
    lambda: f64,
    gamma: f64,
    seed: u64,
    task: Option<Task>,
    springs: Option<Springs>,
    /// Sum of squared gradients in the current pass, and the number of images.
    measured: Option<(PetStack, usize)>,
}

/// The penalty on the PET, from the end of the first task on.
struct Springs {
    /// F.
    importance: PetStack,
    /// θ*.
    anchor: PetStack,
}

impl Springs {
    /// Returns λ/2 · Σ Fᵢ·(θᵢ − θᵢ*)² (one value); `None` if nothing is trained.
    fn penalty(&self, pets: &PetStack, lambda: f64) -> Option<Tensor<1>> {
        let still = self.importance.parameters().zip(self.anchor.parameters());
        let each = pets.parameters().zip(still);
        let each = each.filter(|((.., trained), _)| *trained);
        let each = each.map(|((_, now, _), ((_, importance, _), (_, anchor, _)))| {
            let moved = now.clone() - anchor.clone();
            (moved.clone() * moved * importance.clone()).sum()
        });
        each.reduce(|a, b| a + b).map(|sum| sum * (lambda / 2.0))
    }
}

impl Ewc {
    fn from_setup(setup: &Setup<'_>) -> Result<Self> {
        let chosen = Chosen::of(setup.config)?;
        Ok(Self {
            baseline: Lae::from_setup(setup, &SPEC, Switches::NONE)?,
            backbone: setup.backbone.clone(),
            lambda: chosen.real("ewc_lambda")?,
            gamma: chosen.real("ewc_gamma")?,
            seed: setup.config.seed,
            task: None,
            springs: None,
            measured: None,
        })
    }

    /// Adds the squared gradients of one image (1 × 3 × side × side) to those of the pass.
    fn measure(&mut self, image: Tensor<4>, sample: usize) -> Result<()> {
        let task = self.task.as_ref().ok_or_else(none_begun)?;
        let pets = self.baseline.online().tracked();
        let head = self.baseline.heads().tracked_last()?;
        let logits = head.forward(self.backbone.features(image, &pets)?);
        let row = answers::rows(&logits.clone().inner())?.concat();
        let seed = task_seed(self.seed, task.index).wrapping_add(sample as u64);
        let drawn = drawn(&row, ChaCha8Rng::seed_from_u64(seed).random());
        let learned = Backward::new(logits, (&[drawn], 0.0), None, &self.backbone.device());
        let (_, gradients) = learned.of_pets(&pets).taken();
        let (sum, count) = self.measured.take().unwrap_or_else(|| {
            let zeros = |_: &str, tensor: &Tensor<2>, _| tensor.zeros_like();
            (self.baseline.online().with(zeros), 0)
        });
        let sum = sum.with(|name, sum, _| match gradients.get(&format!("pet.{name}")) {
            Some(gradient) => {
                let gradient = gradient.clone().reshape(sum.dims());
                sum.clone() + gradient.clone() * gradient
            }
            None => sum.clone(),
        });
        self.measured = Some((sum, count + 1));
        Ok(())
    }
}

/// Samples a class from the softmax with `unit` (0 to 1).
fn drawn(logits: &[f32], unit: f32) -> usize {
    let shares = answers::opinion(crate::metrics::Expert::ANSWER, logits).probabilities;
    let mut sum = 0.0;
    let passed = shares.iter().take_while(|share| {
        sum += **share;
        sum < unit
    });
    passed.count().min(logits.len().saturating_sub(1))
}

impl Method for Ewc {
    fn trained_parameters(&self) -> usize {
        self.baseline.trained_parameters()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.task = Some(task.clone());
        self.baseline.begin_task(task)
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work == PassWork::Measure {
            for (row, &sample) in batch.samples.iter().enumerate() {
                self.measure(batch.images.clone().slice_dim(0, row..row + 1), sample)?;
            }
            return Ok(None);
        }
        let (springs, lambda) = (&self.springs, self.lambda);
        let penalty = |pets: &PetStack| springs.as_ref()?.penalty(pets, lambda);
        self.baseline.learn_with(batch, pass, &penalty).map(Some)
    }

    fn end_pass(&mut self, _pass: usize, _go_on: &mut GoOn<'_>) -> Result<()> {
        let Some((sum, count)) = self.measured.take() else {
            return Ok(());
        };
        let earlier = self.springs.take().map(|springs| springs.importance);
        let earlier = earlier.unwrap_or_else(|| sum.with(|_, sum, _| sum.zeros_like()));
        let mut sums = sum.parameters();
        let importance = earlier.with(|_, earlier, _| match sums.next() {
            Some((_, sum, _)) => earlier.clone() * self.gamma + sum.clone() / count as f64,
            None => earlier.clone(),
        });
        self.springs = Some(Springs {
            importance,
            anchor: self.baseline.online().clone(),
        });
        Ok(())
    }

    fn end_task(&mut self, go_on: &mut GoOn<'_>) -> Result<()> {
        self.baseline.end_task(go_on)
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        self.baseline.features(images)
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        self.baseline.classify(features)
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        self.baseline.heads_mut()
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        self.baseline.pets()
    }

    fn recipe(&self) -> Result<Recipe> {
        self.baseline.recipe()
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        self.baseline.measurements(moment)
    }

    fn snapshot(&self) -> Result<Named> {
        self.baseline.snapshot()
    }

    fn checkpoint(&self) -> Result<Named> {
        let mut named = self.baseline.checkpoint()?;
        if let Some(springs) = &self.springs {
            springs.importance.write("importance", &mut named)?;
            springs.anchor.write("anchor", &mut named)?;
        }
        Ok(named)
    }

    fn restore(&mut self, state: &Named, tasks: &[Range<usize>]) -> Result<()> {
        self.baseline.restore(state, tasks)?;
        self.task = Task::newest(tasks);
        let (device, online) = (self.backbone.device(), self.baseline.online());
        let held = state.keys().any(|name| name.starts_with("importance."));
        let read = |prefix| online.read(prefix, state, &device);
        self.springs = held
            .then(|| {
                Ok(Springs {
                    importance: read("importance")?,
                    anchor: read("anchor")?,
                })
            })
            .transpose()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_drawn_as_often_as_the_softmax_says() {
        let logits = [1f32, 3.0, 2.0].map(f32::ln);
        let draws = (0..600).map(|i| drawn(&logits, (i as f32 + 0.5) / 600.0));
        let mut counts = [0; 3];
        draws.for_each(|class| counts[class] += 1);
        assert_eq!(counts, [100, 300, 200]);
        assert_eq!(drawn(&logits, 1.0), 2);
    }
}
