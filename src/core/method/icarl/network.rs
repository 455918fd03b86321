//! The trained part of iCaRL, and its copy from before the current task.

use std::ops::Range;

use burn::tensor::Tensor;

use super::super::heads::{Head, Heads};
use crate::backbone::Backbone;
use crate::pet::PetStack;
use crate::problem::Result;
use crate::tensors::Named;

/// What is trained.
#[derive(Clone)]
pub(super) struct Network {
    pub pets: PetStack,
    pub heads: Heads,
}

impl Network {
    /// Returns a copy with gradient tracking.
    pub fn tracked(&self) -> Self {
        Self {
            pets: self.pets.tracked(),
            heads: Heads(self.heads.0.iter().map(Head::tracked).collect()),
        }
    }

    /// Returns the logits of all its classes: batch × classes.
    ///
    /// # Errors
    /// As [`Backbone::features`].
    pub fn logits(&self, backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
        Ok(self.heads.forward(&backbone.features(images, &self.pets)?))
    }

    /// Adds its tensors with names that start with `prefix`.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn write(&self, prefix: &str, into: &mut Named) -> Result<()> {
        let mut own = Named::new();
        self.pets.write("pet", &mut own)?;
        self.heads.write(&mut own)?;
        let own = own.into_iter();
        into.extend(own.map(|(name, tensor)| (format!("{prefix}{name}"), tensor)));
        Ok(())
    }

    /// Returns a copy with the stored values of these tasks.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    pub fn read(
        &self,
        prefix: &str,
        from: &Named,
        tasks: &[Range<usize>],
        backbone: &dyn Backbone,
    ) -> Result<Self> {
        let own = from.iter().filter_map(|(name, tensor)| {
            let name = name.strip_prefix(prefix)?;
            Some((name.to_string(), tensor.clone()))
        });
        let (own, device): (Named, _) = (own.collect(), backbone.device());
        Ok(Self {
            pets: self.pets.read("pet", &own, &device)?,
            heads: Heads::read(&own, tasks, backbone.feature_width(), &device)?,
        })
    }
}
