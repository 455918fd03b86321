//! Tries a PET in about twenty seconds. Trains it and Adapter on the embedded digits, with the usual size of each and
//! otherwise equal settings, and tests both on held-out training images.

use super::ResourceCache;
use super::trial::{Comparison, TrialCandidate};
use crate::pet::PetSpec;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Control, Sink};
use crate::run::job::JobAttachments;
use crate::run::trial_result::Trial;

/// Planned maximum of seconds for both PETs together.
const PLANNED: f64 = 16.0;
/// The dataset.
const DATA: &str = "digits";
/// The PET to compare with.
const BESIDE: &str = "adapter";

/// Tries the PET of the job. Returns `None` if the user stopped it.
///
/// # Errors
/// Returns a Problem if the PET cannot be trained or the device fails. A failure of one contender during training is
/// reported in its row instead.
pub fn try_pet(
    chosen: &RunConfig,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let plain = cache.with_own(&JobAttachments::default());
    let of = |spec: &PetSpec, cache| TrialCandidate {
        title: spec.name.clone(),
        config: of(chosen, spec),
        cache,
    };
    let (spec, other) = (cache.plugin(&chosen.pet)?, plain.plugin(BESIDE)?);
    let comparison = Comparison {
        all: vec![of(&spec, cache), of(&other, &plain)],
        // The speed is measured with Adapter, which can always be prepared.
        timed: 1,
        planned: PLANNED,
        losses: true,
    };
    comparison.run(sink, control)
}

/// Returns the usual settings for this PET on the chosen device.
fn of(chosen: &RunConfig, spec: &PetSpec) -> RunConfig {
    let usual = RunConfig::default();
    RunConfig {
        data: DATA.into(),
        device: chosen.device.clone(),
        pet: spec.name.to_lowercase(),
        pet_size: spec.default_size().unwrap_or(usual.pet_size),
        ..usual
    }
}
