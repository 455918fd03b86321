//! The PET of a run: which plugin, in which form, in which blocks.

use std::sync::Arc;

use super::optimiser::Step;
use super::spec::Chosen;
use super::start::started;
use crate::backbone::{Backbone, BlockShape};
use crate::metrics::Expert;
use crate::pet::{Drawing, PetSettings, PetSpec, PetStack};
use crate::problem::Result;
use crate::store::PetStart;

/// A PET that was trained, and how it began.
pub struct TrainedPet {
    /// Whose it is.
    pub expert: Expert,
    /// As it was drawn, before its first task.
    pub began: PetStack,
    /// As it is.
    pub now: PetStack,
}

impl Step<'_> {
    /// A PET after the step. Its parameters are called as [`Backward::of_pets`](super::Backward::of_pets)
    /// calls them, `pet.<name>`.
    #[must_use]
    pub fn moved_pets(&mut self, pets: &PetStack) -> PetStack {
        pets.with(|name, value, _| self.moved(&format!("pet.{name}"), value.clone()))
    }
}

/// The PET of a run: which plugin, in which form, in which blocks.
#[derive(Clone)]
pub struct PetPlan {
    /// The checked plugin.
    pub spec: Arc<PetSpec>,
    /// Sizes and variant.
    pub settings: PetSettings,
    /// Block numbers.
    pub blocks: Vec<usize>,
    /// What it starts from, where that is not drawn.
    pub start: Option<PetStart>,
}

impl PetPlan {
    /// Chooses sizes, form and blocks as the settings say; checks that the backbone offers what
    /// the plugin needs.
    ///
    /// # Errors
    /// Returns a Problem for a size out of range, an unknown form, or blocks or sites that do not exist.
    pub fn new(chosen: &Chosen<'_>, spec: Arc<PetSpec>, shapes: &[BlockShape]) -> Result<Self> {
        let blocks = chosen.config.block_list(shapes.len())?;
        let settings = Self::settings(chosen, &spec)?;
        spec.fits(shapes, &blocks)?;
        Ok(Self::of(spec, settings, blocks))
    }

    /// This plugin with these sizes in these blocks.
    pub fn of(spec: Arc<PetSpec>, settings: PetSettings, blocks: Vec<usize>) -> Self {
        Self {
            spec,
            settings,
            blocks,
            start: None,
        }
    }

    /// The same, started from an adapter.
    #[must_use]
    pub fn starting(self, start: Option<PetStart>) -> Self {
        Self { start, ..self }
    }

    /// The same with random draws kept apart as by a run that has begun.
    #[must_use]
    pub fn drawn(mut self, drawing: Drawing) -> Self {
        self.settings.drawing = drawing;
        self
    }

    /// Size and form of the PET: the form asked for, else the plugin's for LAE without Learning
    /// where that is switched off.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn settings(chosen: &Chosen<'_>, spec: &PetSpec) -> Result<PetSettings> {
        let variant = match &chosen.config.pet_variant {
            Some(name) => Some(name.clone()),
            None if !chosen.calibrated()? => spec.without_learning.clone(),
            None => None,
        };
        let mut settings = PetSettings {
            variant,
            ..PetSettings::of_size(chosen.config.pet_size)
        };
        let numbers = chosen.config.pet_set.as_deref().unwrap_or_default();
        let fits = spec.choose(&mut settings, numbers);
        fits.map_err(|problem| problem.at("--pet-set"))?;
        Ok(settings)
    }

    /// Freshly initialised PETs on the backbone's device; the same for the same seed on every
    /// device.
    ///
    /// # Errors
    /// Returns a Problem if a parameter's shape cannot be formed.
    pub fn stack(&self, backbone: &dyn Backbone, seed: u64) -> Result<PetStack> {
        let fresh = PetStack::init(
            &self.spec,
            &self.settings,
            backbone.blocks(),
            &self.blocks,
            seed,
            &backbone.device(),
        )?;
        match &self.start {
            Some(start) => started(fresh, start, backbone),
            None => Ok(fresh),
        }
    }
}
