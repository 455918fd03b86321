//! Reading and writing the state dict of a PET stack, and the distance between two stacks.

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use super::stack::PetStack;
use crate::problem::Result;
use crate::tensors::{HostTensor, NamedTensors, get_tensor};

impl PetStack {
    /// Adds the parameters as `<prefix>.<block>.<parameter>`.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn write(&self, prefix: &str, tensors: &mut NamedTensors) -> Result<()> {
        for (name, tensor, _) in self.parameters() {
            tensors.insert(format!("{prefix}.{name}"), HostTensor::read(tensor)?);
        }
        Ok(())
    }

    /// Returns a stack of the same structure with the values stored under `prefix`.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    pub fn read(&self, prefix: &str, tensors: &NamedTensors) -> Result<Self> {
        let mut stack = self.clone();
        for (name, tensor, _) in self.parameters() {
            let stored = get_tensor(tensors, &format!("{prefix}.{name}"))?;
            stack.set(name, stored.to_device(&tensor.device())?)?;
        }
        Ok(stack)
    }

    /// Returns ‖θ − θ₀‖ / ‖θ₀‖ over all trained parameters, where θ₀ is `origin`, a stack of the same structure; 0
    /// for an empty stack.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn distance_from(&self, origin: &Self) -> Result<f64> {
        let blocks = self.sums_by_block(origin)?.into_values();
        let total = blocks.fold([0.0; 2], |[a, b], [moved, length]| [a + moved, b + length]);
        Ok(relative(total))
    }

    /// Returns the distance as in [`PetStack::distance_from`], for each block separately.
    ///
    /// # Errors
    /// As [`PetStack::distance_from`].
    pub fn distances_from(&self, origin: &Self) -> Result<Vec<(usize, f64)>> {
        let blocks = self.sums_by_block(origin)?.into_iter();
        Ok(blocks.map(|(block, sums)| (block, relative(sums))).collect())
    }

    /// Returns the squared norms of θ − θ₀ and of θ₀ by block.
    fn sums_by_block(&self, origin: &Self) -> Result<BTreeMap<usize, [f64; 2]>> {
        let mut blocks: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
        let (current, original) = (self.trained_vector()?, origin.trained_vector()?);
        let mut pairs = current.iter().zip(&original);
        for (name, tensor, _) in self.parameters().filter(|(.., trained)| *trained) {
            let block = name.split('.').next().and_then(|block| block.parse().ok());
            let [moved, length] = blocks.entry(block.unwrap_or_default()).or_default();
            for (a, b) in pairs.by_ref().take(tensor.shape().num_elements()) {
                *moved += f64::from(a - b).powi(2);
                *length += f64::from(*b).powi(2);
            }
        }
        Ok(blocks)
    }

    /// Returns all trained parameters in one vector. They are concatenated on the device, because each read waits for
    /// it.
    fn trained_vector(&self) -> Result<Vec<f32>> {
        let flat = self.trained_values();
        match flat.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(HostTensor::read(&Tensor::cat(flat, 0))?.values),
        }
    }
}

fn relative([moved, length]: [f64; 2]) -> f64 {
    match length > 0.0 {
        true => (moved / length).sqrt(),
        false => 0.0,
    }
}
