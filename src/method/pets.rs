//! The PET of a run: plugin, form and blocks.

use std::sync::Arc;

use super::initial_lora::apply_start;
use super::optimiser::Step;
use super::spec::ConfiguredMethod;
use crate::backbone::{Backbone, BlockShape};
use crate::metrics::Expert;
use crate::pet::{PetSettings, PetSpec, PetStack, StreamScheme};
use crate::problem::Result;
use crate::store::PetStart;

/// A trained PET and its initial state.
pub struct TrainedPet {
    /// The expert that uses it.
    pub expert: Expert,
    /// Its initial state.
    pub initial: PetStack,
    /// Its current state.
    pub current: PetStack,
}

impl Step<'_> {
    /// Returns a PET after a step. Its parameters are named `pet.<name>`, as in
    /// [`Backward::with_pet_gradients`](super::Backward::with_pet_gradients).
    #[must_use]
    pub fn update_pets(&mut self, pets: &PetStack) -> PetStack {
        pets.map_tensors(|name, value, _| self.update(&format!("pet.{name}"), value.clone()))
    }
}

/// The PET of a run: plugin, form and blocks.
#[derive(Clone)]
pub struct PetPlan {
    /// The compiled plugin.
    pub spec: Arc<PetSpec>,
    /// Sizes and variant.
    pub settings: PetSettings,
    /// The numbers of the blocks with a PET.
    pub blocks: Vec<usize>,
    /// The initial values, if they are not random.
    pub start: Option<PetStart>,
}

impl PetPlan {
    /// Selects sizes, form and blocks from the settings, and checks that the backbone offers what the plugin needs.
    ///
    /// # Errors
    /// Returns a Problem for a size out of range, an unknown form, or blocks or sites that do not exist.
    pub fn new(
        chosen: &ConfiguredMethod<'_>,
        spec: Arc<PetSpec>,
        shapes: &[BlockShape],
    ) -> Result<Self> {
        let blocks = chosen.config.parse_blocks(shapes.len())?;
        let settings = Self::settings(chosen, &spec)?;
        spec.matching_sites(shapes, &blocks)?;
        Ok(Self::with_settings(spec, settings, blocks))
    }

    /// Returns the plan of this plugin with these sizes in these blocks, with random initial values.
    pub fn with_settings(spec: Arc<PetSpec>, settings: PetSettings, blocks: Vec<usize>) -> Self {
        Self { spec, settings, blocks, start: None }
    }

    /// Uses the values of an adapter as initial values, if there is one.
    #[must_use]
    pub fn with_start(self, start: Option<PetStart>) -> Self {
        Self { start, ..self }
    }

    /// Uses the same scheme of random draws as the run that is resumed.
    #[must_use]
    pub fn with_stream_scheme(mut self, drawing: StreamScheme) -> Self {
        self.settings.drawing = drawing;
        self
    }

    /// Returns whether the plugin's equations may contain dropout. It has no effect in runs started by older versions.
    pub(super) fn uses_dropout(&self) -> bool {
        self.settings.drawing != StreamScheme::ByPlace && self.spec.source.text.contains("dropout")
    }

    /// Returns size and form of the PET. The form is the selected one, or the plugin's form without LAE's Learning if
    /// Learning is off.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn settings(chosen: &ConfiguredMethod<'_>, spec: &PetSpec) -> Result<PetSettings> {
        let variant = match &chosen.config.pet_variant {
            Some(name) => Some(name.clone()),
            None if !chosen.is_calibrated()? => spec.without_learning.clone(),
            None => None,
        };
        let mut settings =
            PetSettings { variant, ..PetSettings::with_size(chosen.config.pet_size) };
        let numbers = chosen.config.pet_set.as_deref().unwrap_or_default();
        let choice = spec.apply_assignments(&mut settings, numbers);
        choice.map_err(|problem| problem.at("--pet-set"))?;
        Ok(settings)
    }

    /// Returns newly initialised PETs on the backbone's device; equal for the same seed on every device.
    ///
    /// # Errors
    /// Returns a Problem if the shape of a parameter is invalid.
    pub fn init_stack(&self, backbone: &dyn Backbone, seed: u64) -> Result<PetStack> {
        let stack = PetStack::init(
            &self.spec,
            &self.settings,
            backbone.blocks(),
            &self.blocks,
            seed,
            &backbone.device(),
        )?;
        match &self.start {
            Some(start) => apply_start(stack, start, backbone),
            None => Ok(stack),
        }
    }
}
