//! A PET tried in some twenty seconds: trained on the embedded digits beside Adapter, each with its usual size and otherwise
//! the same settings, and judged on a share of the training images that is held back.

use super::ResourceCache;
use super::trial::{Comparison, Contender};
use crate::pet::PetSpec;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Control, Sink};
use crate::run::job::Own;
use crate::run::trial_result::Trial;

/// Seconds that both together are planned to take at most.
const PLANNED: f64 = 16.0;
/// The data set.
const DATA: &str = "digits";
/// What it is tried beside.
const BESIDE: &str = "adapter";

/// Tries the PET that the job brings along. `None` if the user stopped it.
///
/// # Errors
/// Returns a Problem for a PET that cannot be trained, and for a device that fails. That one of them did not come to
/// its end is said in its row.
pub fn try_pet(
    chosen: &RunConfig,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let plain = cache.with_own(&Own::default());
    let of = |spec: &PetSpec, cache| Contender {
        title: spec.name.clone(),
        config: of(chosen, spec),
        cache,
    };
    let (spec, other) = (cache.plugin(&chosen.pet)?, plain.plugin(BESIDE)?);
    let comparison = Comparison {
        all: vec![of(&spec, cache), of(&other, &plain)],
        // Whatever the tried one is, the other can be prepared.
        timed: 1,
        planned: PLANNED,
        losses: true,
    };
    comparison.run(sink, control)
}

/// The usual settings for this PET on the device that is chosen.
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
