//! The weights of a backbone as named leaf tensors of any rank, for methods that train them. They can be replaced,
//! tracked, written to files and read back.
//!
//! Names and shapes are timm's (a linear layer is out × in, a convolution out × in × rows × columns), even if the
//! layers store them differently, so that trained weights form an ordinary weight file. Tables for another resolution
//! have the size after timm's resizing.

use std::collections::BTreeMap;

use burn::tensor::{Device, Gradients, Tensor, TensorData};

use super::weights::Tensors;
use crate::problem::Result;
use crate::tensors::{HostTensor, NamedTensors, get_tensor_with_shape};

/// A weight tensor.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The sizes of its axes.
    pub shape: Vec<usize>,
    /// Its values, row-major.
    pub values: Tensor<1>,
}

/// All weights of a backbone by name.
#[derive(Clone, Debug, Default)]
pub struct Weights(BTreeMap<String, Leaf>);

impl Weights {
    /// Creates leaves with these values on a device.
    pub(super) fn new(values: Vec<(String, HostTensor)>, device: &Device) -> Self {
        let leaves = values.into_iter().map(|(name, HostTensor { shape, values })| {
            let values = row(values, device);
            (name, Leaf { shape, values })
        });
        Self(leaves.collect())
    }

    /// Returns the leaf with this name.
    pub fn get(&self, name: &str) -> Option<&Leaf> {
        self.0.get(name)
    }

    /// Returns all leaves, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Leaf)> {
        self.0.iter().map(|(name, leaf)| (name.as_str(), leaf))
    }

    /// Returns the number of weights.
    pub fn count(&self) -> usize {
        let sizes = self.0.values().map(|leaf| leaf.values.dims()[0]);
        sizes.sum()
    }

    /// Returns the leaves with the values of each replaced by `f` of (name, values).
    #[must_use]
    pub fn map_values(self, mut f: impl FnMut(&str, Tensor<1>) -> Tensor<1>) -> Self {
        let leaves = self.0.into_iter().map(|(name, Leaf { shape, values })| {
            let values = f(&name, values);
            (name, Leaf { shape, values })
        });
        Self(leaves.collect())
    }

    /// Returns the leaves as leaves of a new autodiff graph, so that their gradients are recorded.
    #[must_use]
    pub fn tracked(&self) -> Self {
        self.clone().map_values(|_, values| values.autodiff().require_grad())
    }

    /// Removes the gradients of tracked leaves from `graph_gradients`; returns them by name. Leaves not contributing to
    /// the result have none.
    pub fn take_gradients(&self, graph_gradients: &mut Gradients) -> Vec<(String, Tensor<1>)> {
        let found = self.iter().filter_map(|(name, leaf)| {
            let gradient = leaf.values.grad_remove(graph_gradients)?;
            Some((name.to_string(), gradient))
        });
        found.collect()
    }

    /// Adds the leaves as `<prefix>.<name>` with their shapes.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn write(&self, prefix: &str, tensors: &mut NamedTensors) -> Result<()> {
        for (name, leaf) in self.iter() {
            let shape = leaf.shape.clone();
            let values = HostTensor::read(&leaf.values)?.values;
            tensors.insert(format!("{prefix}.{name}"), HostTensor { shape, values });
        }
        Ok(())
    }

    /// Returns the values by name, in host memory. Each leaf is released after it is read.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn into_named(self) -> Result<NamedTensors> {
        let leaves = self.0.into_iter();
        let read = leaves.map(|(name, Leaf { shape, values })| {
            let values = HostTensor::read(&values)?.values;
            Ok((name, HostTensor { shape, values }))
        });
        read.collect()
    }

    /// Returns leaves of the same names and shapes with the values stored under `prefix`.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    pub fn read(&self, prefix: &str, tensors: &NamedTensors) -> Result<Self> {
        let leaves = self.iter().map(|(name, leaf)| {
            let stored = get_tensor_with_shape(tensors, &format!("{prefix}.{name}"), &leaf.shape)?;
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

/// Returns the number of weights in tensors of these shapes.
pub(super) fn count(requested: &[(String, Vec<usize>)]) -> usize {
    // Saturating, because the dimensions in a table may have any size.
    let size = |shape: &[usize]| shape.iter().fold(1, |all: usize, n| all.saturating_mul(*n));
    let sizes = requested.iter().map(|(_, shape)| size(shape));
    sizes.fold(0, usize::saturating_add)
}

/// The source of a backbone's weights.
#[derive(Clone)]
pub(super) enum Origin {
    /// None: the network is only a plan, for these tensors if there are any.
    Plan(Option<Tensors>),
    /// A weight file.
    File(Tensors),
    /// Random numbers with this seed.
    Random(u64),
    /// Leaf tensors.
    Given(Weights),
}
