//! The variants of computing a backbone on a card, each checked against the CPU device and timed.
//!
//! This runs in a child process (see [`crate::device::prepare`]). A small network of the family,
//! with PETs in all blocks but the first, learns one batch the way training does it: logits, loss
//! and every gradient are compared with the CPU's. Then steps of a larger one are timed.

use std::time::{Duration, Instant};

use burn::tensor::{DType, Device, Tensor};

use super::upload;
use crate::backbone::architecture::Architecture;
use crate::backbone::families;
use crate::backbone::library::Normalisation;
use crate::device::Tried;
use crate::method::lae::Switches;
use crate::method::{Lae, LaeSettings};
use crate::nn::{ComputeVariant, WeightType};
use crate::pet::library::PluginLibrary as Plugins;
use crate::pet::{PetSettings, PetStack};
use crate::problem::Result;
use crate::selftest::TOLERANCE;
use crate::tensors::HostTensor;

/// Largest error of the answers, relative to the largest of them, that rounding the weights of the
/// small network to half precision explains.
const ROUNDING: f64 = 3e-2;
/// Classes of the head.
const CLASSES: usize = 5;
/// Width of the PETs.
const PET_SIZE: usize = 4;

/// A mistake put in on purpose, to see that it is found: `wrong:`, `die:` or `hang:` and the name
/// of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The gradients are half as large again.
    Wrong(ComputeVariant),
    /// The process ends as by a crash of the driver.
    Die(ComputeVariant),
    /// No answer comes.
    Hang(ComputeVariant),
}

impl Fault {
    /// What a text means; none where it means none.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, variant) = text.split_once(':')?;
        let variant = variant.parse().ok()?;
        match kind {
            "wrong" => Some(Self::Wrong(variant)),
            "die" => Some(Self::Die(variant)),
            "hang" => Some(Self::Hang(variant)),
            _ => None,
        }
    }
}

/// How thoroughly variants are timed.
#[derive(Clone, Copy, Debug)]
struct Effort {
    batch: usize,
    warm_up: usize,
    steps: usize,
    least: Duration,
}

/// What a card is tried with.
pub struct Trial {
    device: Device,
    small: Architecture,
    timed: Architecture,
    effort: Effort,
    fault: Option<Fault>,
}

impl Trial {
    /// For a family of backbones; a processor that imitates a card gets less to do.
    ///
    /// # Errors
    /// A Problem for an unknown family.
    pub fn new(family: &str, device: Device, software: bool, fault: Option<Fault>) -> Result<Self> {
        let family = families::named(family).map_err(|problem| problem.at("--family"))?;
        let [small, large] = (family.trial)();
        let (timed, effort) = match software {
            true => (small.clone(), SOFTWARE),
            false => (large, HARDWARE),
        };
        Ok(Self {
            device,
            small,
            timed,
            effort,
            fault,
        })
    }

    /// Checks a variant and, where it is right, times it.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn of(&self, variant: ComputeVariant) -> Result<Tried> {
        self.fall(variant);
        if variant.weights == WeightType::F16 && !self.device.supports_dtype(DType::F16) {
            return Ok(Tried::refused(variant, "the card has no half precision"));
        }
        let [forward, gradient] = self.errors(variant)?;
        let mut tried = Tried {
            variant,
            forward_error: Some(forward),
            gradient_error: Some(gradient),
            images_per_second: None,
            refused: None,
        };
        for (what, error) in [("answers", forward), ("gradients", gradient)] {
            if error > TOLERANCE && tried.refused.is_none() {
                tried.refused = Some(format!("its {what} are off by {error:.1e}"));
            }
        }
        if variant.weights == WeightType::F16 && tried.refused.is_none() {
            let rounding = rounding(&self.small)?;
            if rounding > ROUNDING {
                tried.refused = Some(format!("rounding moves its answers by {rounding:.1e}"));
            }
        }
        if tried.refused.is_none() {
            tried.images_per_second = Some(self.speed(variant)?);
        }
        Ok(tried)
    }

    /// What was put in on purpose.
    fn fall(&self, variant: ComputeVariant) {
        match self.fault {
            Some(Fault::Die(of)) if of == variant => std::process::abort(),
            Some(Fault::Hang(of)) if of == variant => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            _ => {}
        }
    }

    /// Largest relative error of what the network answers, and of the gradients.
    fn errors(&self, variant: ComputeVariant) -> Result<[f64; 2]> {
        let on_cpu = ComputeVariant::PLAIN.with_weights(variant.weights);
        let expected = outcome(&self.small, &Device::flex(), on_cpu)?;
        let mut found = outcome(&self.small, &self.device, variant)?;
        if self.fault == Some(Fault::Wrong(variant)) {
            let gradients = found.gradients.iter_mut().flat_map(|of| &mut of.values);
            gradients.for_each(|value| *value *= 1.5);
        }
        let worst = |found: &[HostTensor], expected: &[HostTensor]| {
            let errors = found.iter().zip(expected);
            errors
                .map(|(a, b)| a.relative_error(b))
                .fold(0f64, f64::max)
        };
        Ok([
            worst(&found.answers, &expected.answers),
            worst(&found.gradients, &expected.gradients),
        ])
    }

    /// Images learned from in a second; a loss is read after every step, as a report does it.
    fn speed(&self, variant: ComputeVariant) -> Result<f64> {
        let Effort {
            batch,
            warm_up,
            steps,
            least,
        } = self.effort;
        let mut network = Network::new(&self.timed, &self.device, variant, batch)?;
        for _ in 0..warm_up {
            network.step()?;
        }
        let began = Instant::now();
        let mut done = 0;
        while done < steps || began.elapsed() < least {
            network.step()?;
            done += 1;
        }
        Ok((done * batch) as f64 / began.elapsed().as_secs_f64())
    }
}

/// On a card.
const HARDWARE: Effort = Effort {
    batch: 16,
    warm_up: 3,
    steps: 5,
    least: Duration::from_secs(1),
};
/// On a processor that imitates one.
const SOFTWARE: Effort = Effort {
    batch: 4,
    warm_up: 1,
    steps: 2,
    least: Duration::ZERO,
};

/// How far rounding the weights moves the answers, on the CPU.
fn rounding(architecture: &Architecture) -> Result<f64> {
    let [whole, half] = [WeightType::F32, WeightType::F16]
        .map(|weights| outcome(architecture, &Device::flex(), weights.into()));
    Ok(half?.answers[0].relative_error(&whole?.answers[0]))
}

/// What a network says to a batch and what it would learn from it.
struct Outcome {
    /// Logits and loss.
    answers: Vec<HostTensor>,
    gradients: Vec<HostTensor>,
}

fn outcome(
    architecture: &Architecture,
    device: &Device,
    variant: ComputeVariant,
) -> Result<Outcome> {
    /// Images of the batch.
    const BATCH: usize = 4;
    let network = Network::new(architecture, device, variant, BATCH)?;
    let logits = network.method.judge(network.images())?.online;
    let (loss, gradients) =
        network
            .method
            .gradients(network.images(), &network.labels, false, None)?;
    let answers = [HostTensor::read(&logits)?, HostTensor::read(&loss)?];
    let all = gradients
        .iter()
        .map(|(_, gradient)| HostTensor::read(gradient));
    Ok(Outcome {
        answers: answers.into(),
        gradients: all.collect::<Result<_>>()?,
    })
}

/// A network that learns, and a batch for it.
struct Network {
    method: Lae,
    pixels: Vec<u8>,
    labels: Vec<usize>,
    side: usize,
    device: Device,
    variant: ComputeVariant,
}

impl Network {
    fn new(
        architecture: &Architecture,
        device: &Device,
        variant: ComputeVariant,
        batch: usize,
    ) -> Result<Self> {
        let backbone = architecture.random(7, (device, variant))?;
        let spec = Plugins::with_folders(Vec::new()).get("adapter")?;
        let settings = PetSettings::of_size(PET_SIZE);
        let blocks: Vec<usize> = (1..backbone.blocks().len()).collect();
        let fresh = PetStack::init(&spec, &settings, backbone.blocks(), &blocks, 3, device)?;
        // A fresh PET does nothing, and half of its gradients are 0.
        let mut shift = 0;
        let pets = fresh.with(|_, value, _| {
            shift += 1;
            value.clone() + numbers(value.dims(), shift, device) * 0.2
        });
        let settings = LaeSettings {
            switches: Switches::NONE,
            ema: 0.0,
            learning_rate: 1e-3,
            seed: 1,
        };
        let mut method = Lae::new(backbone, pets, settings);
        method.begin(CLASSES);
        let side = architecture.input_size();
        let bytes = 0..batch * side * side * 3;
        Ok(Self {
            method,
            pixels: bytes.map(|i| (i * 7919 % 251) as u8).collect(),
            labels: (0..batch).map(|i| i % CLASSES).collect(),
            side,
            device: device.clone(),
            variant,
        })
    }

    fn images(&self) -> Tensor<4> {
        let to = (&self.device, self.variant.upload);
        upload::images(&self.pixels, self.side, &Normalisation::IMAGENET, to)
    }

    /// Learns the batch once; reading the loss waits until the device has done it.
    fn step(&mut self) -> Result<()> {
        let loss = self.method.step(self.images(), &self.labels, false)?;
        HostTensor::read(&loss).map(drop)
    }
}

/// Fixed numbers between −1 and 1.
fn numbers(shape: [usize; 2], shift: usize, device: &Device) -> Tensor<2> {
    let value = |i: usize| ((i * 7919 + shift * 104_729) % 997) as f32 / 498.5 - 1.0;
    let values: Vec<f32> = (0..shape[0] * shape[1]).map(value).collect();
    Tensor::from_data(burn::tensor::TensorData::new(values, shape), device)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// On the CPU device the attention has a kernel of its own, and everything agrees.
    #[test]
    fn every_network_is_alive_and_a_mistake_put_in_is_found() {
        for family in families::names() {
            let flex = Device::flex();
            let fault = Fault::parse("wrong:f32-decomposed-bytes");
            let trial = Trial::new(family, flex.clone(), true, fault).unwrap();
            let of = outcome(&trial.small, &flex, ComputeVariant::PLAIN).unwrap();
            for tensor in of.answers.iter().chain(&of.gradients) {
                let largest = tensor.values.iter().fold(0f32, |most, v| most.max(v.abs()));
                assert!(largest > 1e-6, "{family}: {largest}");
            }
            let right = trial.of(ComputeVariant::PLAIN).unwrap();
            assert_eq!(right.forward_error, Some(0.0));
            assert!(right.speed().unwrap() > 0.0);
            let half = trial.of(WeightType::F16.into()).unwrap();
            assert_eq!(half.refused, None, "{family}");
            assert!(rounding(&trial.small).unwrap() > 1e-5);
            let wrong = trial.of("f32-decomposed-bytes".parse().unwrap()).unwrap();
            assert!(wrong.speed().is_none());
            assert!(wrong.refused.unwrap().contains("gradients are off"));
        }
        assert!(Trial::new("resnet", Device::flex(), true, None).is_err());
    }
}
