//! The file form of a PET stack, and how far two stacks lie apart.

use burn::tensor::Device;

use super::stack::PetStack;
use crate::problem::Result;
use crate::tensors::{HostTensor, Named, named};

impl PetStack {
    /// Adds the parameters as `<prefix>.<block>.<parameter>`.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn write(&self, prefix: &str, into: &mut Named) -> Result<()> {
        for (name, tensor, _) in self.parameters() {
            into.insert(format!("{prefix}.{name}"), HostTensor::read(tensor)?);
        }
        Ok(())
    }

    /// A stack of the same structure with the values stored under `prefix`.
    ///
    /// # Errors
    /// A Problem that names a missing or mis-shaped tensor.
    pub fn read(&self, prefix: &str, from: &Named, device: &Device) -> Result<Self> {
        let mut stack = self.clone();
        for (name, ..) in self.parameters() {
            let stored = named(from, &format!("{prefix}.{name}"))?;
            stack.set(name, stored.to_device(device)?)?;
        }
        Ok(stack)
    }

    /// ‖θ − θ₀‖ / ‖θ₀‖ over all trained parameters of two stacks of the same structure; 0 for an
    /// empty stack.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn distance_from(&self, origin: &Self) -> Result<f64> {
        let (mut moved, mut length) = (0.0, 0.0);
        let pairs = self.parameters().zip(origin.parameters());
        for ((_, now, _), (_, then, _)) in pairs.filter(|((.., trained), _)| *trained) {
            let (now, then) = (HostTensor::read(now)?, HostTensor::read(then)?);
            for (a, b) in now.values.iter().zip(&then.values) {
                moved += f64::from(a - b).powi(2);
                length += f64::from(*b).powi(2);
            }
        }
        Ok(if length > 0.0 {
            (moved / length).sqrt()
        } else {
            0.0
        })
    }
}
