//! A look inside a run after a task: features, energies and answers over a fixed probe set of test
//! images, what the network gathers from one image, how far its PETs have moved.
//!
//! Everything comes from the snapshot itself, through the method that the run was trained with. The
//! probe set is processed in small pieces, so training never waits longer than for a
//! batch.

mod axes;
mod probe_set;
mod survey;

pub use axes::{Axes, Features};
pub(super) use probe_set::evenly;
pub use probe_set::{MOST, ProbeSet};
pub use survey::{Survey, probe_inside};

use std::path::Path;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::Stock;
use super::predict::Predictor;
use crate::data::transform::InputSpec;
use crate::message;
use crate::method::plain;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::run::inside::{AttentionMap, Movement, PictureInside, ProbeInside, RunInside};

/// Looks into the run in `folder` after `task` at once; the axes of the map are those of the
/// snapshot after `anchor`. A probe set that is not available is reported in the answer.
///
/// # Errors
/// As [`Predictor::open`], or the device failed.
pub fn look(
    folder: &Path,
    [anchor, task]: [usize; 2],
    device: Option<&str>,
    stock: &Stock,
) -> Result<(Predictor, RunInside)> {
    let predictor = Predictor::open(folder, task, device, stock, true)?;
    let mut inside = RunInside {
        probe: None,
        problem: None,
        movement: predictor.movement()?,
    };
    let probe = match ProbeSet::gather(folder, predictor.input(), stock) {
        Ok(probe) => Arc::new(probe),
        Err(problem) => {
            inside.problem = Some(problem);
            return Ok((predictor, inside));
        }
    };
    let whole = |predictor: &Predictor| {
        let mut survey = Survey::new(probe.clone());
        while !survey.is_whole() {
            survey.step(predictor)?;
        }
        Ok(survey)
    };
    let survey = whole(&predictor)?;
    let axes = match anchor == task {
        true => survey.axes()?,
        false => whole(&Predictor::open(folder, anchor, device, stock, true)?)?.axes()?,
    };
    inside.probe = Some(probe_inside(&survey, &axes, anchor));
    Ok((predictor, inside))
}

/// What a sample of a run's test images is to a predictor, without a map.
///
/// # Errors
/// Returns a Problem if the test images are not available, or the device failed.
pub fn sample(folder: &Path, predictor: &Predictor, stock: &Stock) -> Result<ProbeInside> {
    let probe = Arc::new(ProbeSet::gather(folder, predictor.input(), stock)?);
    let mut survey = Survey::new(probe);
    while !survey.is_whole() {
        survey.step(predictor)?;
    }
    Ok(probe_inside(
        &survey,
        &ByExpert::default(),
        predictor.task(),
    ))
}

impl Predictor {
    /// How the network wants its images.
    pub fn input(&self) -> InputSpec {
        self.backbone.input
    }

    /// How far the PETs have moved since they were drawn, block by block.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn movement(&self) -> Result<Movement> {
        let pets = self.method.pets()?;
        let mut movement = Movement::default();
        for pet in &pets {
            let blocks = pet.now.distances_from(&pet.began)?;
            movement.since_start.push((pet.expert, blocks));
        }
        if let [first, second] = &pets[..]
            && first.expert != second.expert
        {
            movement.distance = second.now.distances_from(&first.now)?;
        }
        Ok(movement)
    }

    /// What the network gathers from an image. After the first task it also reports what the
    /// network gathered before it.
    ///
    /// # Errors
    /// Returns a Problem if the image's size contradicts its pixels, a plugin's attention has no
    /// shares, or the device failed.
    pub fn attention_maps(&self, picture: &Picture) -> Result<PictureInside> {
        let seen = self.seen(picture)?;
        let images = self.images(&seen);
        let watch = || self.method.features(images.clone());
        let (features, passes) = self.watched.during(watch)?;
        let experts: Vec<Expert> = features.experts().collect();
        // The last passes are the experts'; before them there may be one that chooses prompts.
        let own = passes.len().saturating_sub(experts.len());
        let last: Vec<AttentionMap> = passes.into_iter().skip(own).filter_map(first).collect();
        let before = match self.task() {
            0 => {
                let plain = || self.plain_features(images.clone());
                let (_, passes) = self.watched.during(plain)?;
                passes.into_iter().find_map(first)
            }
            _ => None,
        };
        let attention_maps: Vec<(Expert, AttentionMap)> = experts.into_iter().zip(last).collect();
        if attention_maps.is_empty() {
            return Err(Problem::new(message!("problem-no-attention-maps")));
        }
        Ok(PictureInside {
            attention_maps,
            before,
            seen,
            seen_size: self.input_size(),
        })
    }

    /// What the backbone alone makes of normalised images (batch × width).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub(super) fn plain_features(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        plain(&*self.watched, images)
    }
}

fn first(pass: Vec<AttentionMap>) -> Option<AttentionMap> {
    pass.into_iter().next()
}
