//! A backbone's own weights as named leaves of any rank, for methods that train them: they are
//! handed out, replaced, tracked, kept in files and read back.
//!
//! Names and shapes are timm's (a linear map is out × in, a convolution out × in × rows × columns),
//! whatever the layers make of them: what was trained is an ordinary weight file. Tables that a file
//! holds for another resolution are handed out resized, as timm resizes them before training.

use std::collections::BTreeMap;

use burn::tensor::{Device, Gradients, Tensor, TensorData};

use super::weights::Tensors;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

/// One weight tensor.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Lengths of its axes.
    pub shape: Vec<usize>,
    /// Its numbers, row by row.
    pub values: Tensor<1>,
}

/// All weights of a backbone by name.
#[derive(Clone, Debug, Default)]
pub struct Weights(BTreeMap<String, Leaf>);

impl Weights {
    /// Leaves of these values.
    pub(super) fn of(values: Vec<(String, HostTensor)>, device: &Device) -> Self {
        let leaves = values
            .into_iter()
            .map(|(name, HostTensor { shape, values })| {
                let values = row(values, device);
                (name, Leaf { shape, values })
            });
        Self(leaves.collect())
    }

    /// The leaf of a name.
    pub fn get(&self, name: &str) -> Option<&Leaf> {
        self.0.get(name)
    }

    /// All leaves, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Leaf)> {
        self.0.iter().map(|(name, leaf)| (name.as_str(), leaf))
    }

    /// Number of weights.
    pub fn count(&self) -> usize {
        let sizes = self.0.values().map(|leaf| leaf.values.dims()[0]);
        sizes.sum()
    }

    /// The same names and shapes with the values that `f` makes of the old ones.
    #[must_use]
    pub fn with(self, mut f: impl FnMut(&str, Tensor<1>) -> Tensor<1>) -> Self {
        let leaves = self.0.into_iter().map(|(name, Leaf { shape, values })| {
            let values = f(&name, values);
            (name, Leaf { shape, values })
        });
        Self(leaves.collect())
    }

    /// Copies whose gradients are recorded.
    #[must_use]
    pub fn tracked(&self) -> Self {
        self.clone()
            .with(|_, values| values.autodiff().require_grad())
    }

    /// Takes the gradients of tracked leaves out of `all`; a leaf that had no part in the result
    /// has none.
    pub fn gradients(&self, all: &mut Gradients) -> Vec<(String, Tensor<1>)> {
        let found = self.iter().filter_map(|(name, leaf)| {
            let gradient = leaf.values.grad_remove(all)?;
            Some((name.to_string(), gradient))
        });
        found.collect()
    }

    /// Adds them as `<prefix>.<name>` with their shapes.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn write(&self, prefix: &str, into: &mut Named) -> Result<()> {
        for (name, leaf) in self.iter() {
            let shape = leaf.shape.clone();
            let values = HostTensor::read(&leaf.values)?.values;
            into.insert(format!("{prefix}.{name}"), HostTensor { shape, values });
        }
        Ok(())
    }

    /// Their values by name, in host memory. Each leaf is released once it was read.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn into_named(self) -> Result<Named> {
        let leaves = self.0.into_iter();
        let read = leaves.map(|(name, Leaf { shape, values })| {
            let values = HostTensor::read(&values)?.values;
            Ok((name, HostTensor { shape, values }))
        });
        read.collect()
    }

    /// Leaves of the same names and shapes with the values stored under `prefix`.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    pub fn read(&self, prefix: &str, from: &Named) -> Result<Self> {
        let leaves = self.iter().map(|(name, leaf)| {
            let full = format!("{prefix}.{name}");
            let stored = from
                .get(&full)
                .ok_or_else(|| Problem::new(format!("the tensor {full} is missing")))?;
            if stored.shape != leaf.shape {
                return Err(Problem::new(format!(
                    "the tensor {full} is {:?} instead of {:?}",
                    stored.shape, leaf.shape
                )));
            }
            let read = Leaf {
                shape: leaf.shape.clone(),
                values: row(stored.values.clone(), &leaf.values.device().inner()),
            };
            Ok((name.to_string(), read))
        });
        Ok(Self(leaves.collect::<Result<_>>()?))
    }
}

fn row(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

/// Number of weights in tensors of these shapes.
pub(super) fn count(wanted: &[(String, Vec<usize>)]) -> usize {
    // A table may claim any dimensions.
    let size = |shape: &[usize]| shape.iter().fold(1, |all: usize, n| all.saturating_mul(*n));
    let sizes = wanted.iter().map(|(_, shape)| size(shape));
    sizes.fold(0, usize::saturating_add)
}

/// Where a backbone's weights came from.
pub(super) enum Origin {
    /// A plan has none.
    Nothing,
    /// A weight file.
    File(Tensors),
    /// Random numbers of this seed.
    Random(u64),
    /// Leaves.
    Given(Weights),
}
