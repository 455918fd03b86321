//! Adam as PyTorch defines it: bias-corrected moments, epsilon outside the root, no weight decay.
//!
//! Own code rather than the framework's optimiser because the parameters are a changing set of
//! named tensors: while a PET is frozen its moments must not exist, and its step count starts at 1
//! when it thaws while the head's carries on. State is read and written by name for exact resume.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor};

use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// First and second moment of one parameter, and how many steps made them.
#[derive(Clone, Debug)]
struct Moments {
    first: Tensor<2>,
    second: Tensor<2>,
    steps: i32,
}

/// The optimiser of one task.
#[derive(Clone, Debug)]
pub struct Adam {
    learning_rate: f64,
    moments: BTreeMap<String, Moments>,
}

impl Adam {
    /// Without any state yet.
    pub fn new(learning_rate: f64) -> Self {
        Self {
            learning_rate,
            moments: BTreeMap::new(),
        }
    }

    /// The value of parameter `name` after one step along its gradient (same shapes).
    pub fn step(&mut self, name: &str, value: Tensor<2>, gradient: Tensor<2>) -> Tensor<2> {
        let square = gradient.clone() * gradient.clone() * (1.0 - BETA2);
        let gentle = gradient * (1.0 - BETA1);
        let (first, second, steps) = match self.moments.remove(name) {
            Some(old) => (
                old.first * BETA1 + gentle,
                old.second * BETA2 + square,
                old.steps + 1,
            ),
            None => (gentle, square, 1),
        };
        let root = second.clone().sqrt() / (1.0 - BETA2.powi(steps)).sqrt() + EPSILON;
        let rate = self.learning_rate / (1.0 - BETA1.powi(steps));
        let moved = value - (first.clone() / root) * rate;
        self.moments.insert(
            name.to_string(),
            Moments {
                first,
                second,
                steps,
            },
        );
        moved
    }

    /// Adds the state as `adam.first.<name>` and `adam.second.<name>`, and the step counts as
    /// `adam.steps.<name>` with one value.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn write(&self, into: &mut Named) -> Result<()> {
        for (name, moments) in &self.moments {
            into.insert(
                format!("adam.first.{name}"),
                HostTensor::read(&moments.first)?,
            );
            into.insert(
                format!("adam.second.{name}"),
                HostTensor::read(&moments.second)?,
            );
            let steps = HostTensor {
                shape: vec![1],
                values: vec![moments.steps as f32],
            };
            into.insert(format!("adam.steps.{name}"), steps);
        }
        Ok(())
    }

    /// Reads such state back.
    ///
    /// # Errors
    /// A Problem that names a missing or mis-shaped tensor.
    pub fn read(learning_rate: f64, from: &Named, device: &Device) -> Result<Self> {
        let mut adam = Self::new(learning_rate);
        for (key, steps) in from {
            let Some(name) = key.strip_prefix("adam.steps.") else {
                continue;
            };
            let steps = *steps.values.first().ok_or_else(|| {
                Problem::new(format!("the optimiser's step count of {name} is empty"))
            })?;
            let moments = Moments {
                first: named(from, &format!("adam.first.{name}"))?.to_device(device)?,
                second: named(from, &format!("adam.second.{name}"))?.to_device(device)?,
                steps: steps as i32,
            };
            adam.moments.insert(name.to_string(), moments);
        }
        Ok(adam)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The same rule for one number, in f64.
    fn reference(gradients: &[f64], rate: f64) -> f64 {
        let (mut x, mut m, mut v) = (1.0, 0.0, 0.0);
        for (step, g) in gradients.iter().enumerate() {
            let t = step as i32 + 1;
            m = BETA1 * m + (1.0 - BETA1) * g;
            v = BETA2 * v + (1.0 - BETA2) * g * g;
            let (m_hat, v_hat) = (m / (1.0 - BETA1.powi(t)), v / (1.0 - BETA2.powi(t)));
            x -= rate * m_hat / (v_hat.sqrt() + EPSILON);
        }
        x
    }

    #[test]
    fn steps_follow_the_definition_and_survive_the_file_form() {
        let device = Device::flex();
        let gradients = [0.3, -1.2, 0.01, 4.0, -0.5];
        let mut adam = Adam::new(0.05);
        let mut x = Tensor::<2>::ones([1, 1], &device);
        for (i, g) in gradients.iter().enumerate() {
            if i == 3 {
                let mut named = Named::new();
                adam.write(&mut named).unwrap();
                adam = Adam::read(0.05, &named, &device).unwrap();
            }
            x = adam.step("x", x, Tensor::full([1, 1], *g, &device));
        }
        let got = f64::from(HostTensor::read(&x).unwrap().values[0]);
        assert!((got - reference(&gradients, 0.05)).abs() < 1e-6, "{got}");
    }
}
