//! Views inside a run after a task: features, energies and predictions on a fixed probe set of test images, attention
//! for one image, and the movement of its PETs.
//!
//! Everything is computed from the snapshot with the method of the run. The probe set is processed in small batches, so
//! that training never waits longer than for one batch.

mod axes;
mod probe_pass;

pub use axes::{Axes, Features};
pub use probe_pass::{MAX_PROBE_IMAGES, ProbePass, ProbeSet, probe_inside};

use std::path::Path;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::ResourceCache;
use super::predict::Predictor;
use crate::data::transform::InputSpec;
use crate::message;
use crate::method::plain_features;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::run::inside::{AttentionMap, ImageInspection, Movement, ProbeInspection, RunInspection};

/// Computes the view of the run in `folder` after `task`; the axes of the map are those of the snapshot after `anchor`.
/// If the probe set is not available, the result says so.
///
/// # Errors
/// See [`Predictor::open`]; also returns a Problem if the device failed.
pub fn inspect_run(
    folder: &Path,
    [anchor, task]: [usize; 2],
    device: Option<&str>,
    cache: &ResourceCache,
) -> Result<(Predictor, RunInspection)> {
    let predictor = Predictor::open(folder, task, device, cache, true)?;
    let mut inside = RunInspection { probe: None, problem: None, movement: predictor.movement()? };
    let probe = match ProbeSet::gather(folder, predictor.input(), cache) {
        Ok(probe) => Arc::new(probe),
        Err(problem) => {
            inside.problem = Some(problem);
            return Ok((predictor, inside));
        }
    };
    let probe_pass = ProbePass::run(probe.clone(), &predictor)?;
    let axes = match anchor == task {
        true => probe_pass.axes()?,
        false => {
            let predictor = Predictor::open(folder, anchor, device, cache, true)?;
            ProbePass::run(probe, &predictor)?.axes()?
        }
    };
    inside.probe = Some(probe_inside(&probe_pass, &axes, anchor));
    Ok((predictor, inside))
}

/// Returns the predictions for a sample of a run's test images, without a map.
///
/// # Errors
/// Returns a Problem if the test images are not available, or the device failed.
pub fn predict_sample(
    folder: &Path,
    predictor: &Predictor,
    cache: &ResourceCache,
) -> Result<ProbeInspection> {
    let probe = Arc::new(ProbeSet::gather(folder, predictor.input(), cache)?);
    let probe_pass = ProbePass::run(probe, predictor)?;
    Ok(probe_inside(&probe_pass, &ByExpert::default(), predictor.task()))
}

impl Predictor {
    /// Returns the specification of the network's input.
    pub fn input(&self) -> InputSpec {
        self.backbone.input
    }

    /// Returns the movement of the PETs since their initialisation, by block.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn movement(&self) -> Result<Movement> {
        let pets = self.method.pets()?;
        let mut movement = Movement::default();
        for pet in &pets {
            let blocks = pet.current.distances_from(&pet.initial)?;
            movement.since_start.push((pet.expert, blocks));
        }
        if let [first, second] = &pets[..]
            && first.expert != second.expert
        {
            movement.distance = second.current.distances_from(&first.current)?;
        }
        Ok(movement)
    }

    /// Returns the attention maps of an image; after the first task also those of the network without PETs.
    ///
    /// # Errors
    /// Returns a Problem if the image's size does not match its pixels, a plugin's attention has no weights, or the
    /// device failed.
    pub fn attention_maps(&self, picture: &NamedImage) -> Result<ImageInspection> {
        let input = self.network_input(picture)?;
        let images = self.images(&input);
        let compute = || self.method.features(images.clone());
        let (features, passes) = self.recorded.record(compute)?;
        let experts: Vec<Expert> = features.experts().collect();
        // The last passes are those of the experts; a pass that selects prompts may precede them.
        let preceding = passes.len().saturating_sub(experts.len());
        let last: Vec<AttentionMap> =
            passes.into_iter().skip(preceding).filter_map(first_map).collect();
        let before = match self.task() {
            0 => {
                let compute_plain = || self.plain_features(images.clone());
                let (_, passes) = self.recorded.record(compute_plain)?;
                passes.into_iter().find_map(first_map)
            }
            _ => None,
        };
        let attention_maps: Vec<(Expert, AttentionMap)> = experts.into_iter().zip(last).collect();
        if attention_maps.is_empty() {
            return Err(Problem::new(message!("problem-no-attention-maps")));
        }
        Ok(ImageInspection { attention_maps, before, seen: input, seen_size: self.input_size() })
    }

    /// Returns the features of normalised images from the backbone only (batch × width).
    pub(super) fn plain_features(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        plain_features(&*self.recorded, images)
    }
}

fn first_map(pass: Vec<AttentionMap>) -> Option<AttentionMap> {
    pass.into_iter().next()
}
