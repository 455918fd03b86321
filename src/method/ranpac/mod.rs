//! RanPAC (McDonnell et al., NeurIPS 2023): a random projection h = ReLU(f·R) of frozen features, and a ridge
//! regression on it, solved in closed form after every task: W = (G + λI)⁻¹Q with G = Σ HᵀH and Q = Σ HᵀY over all
//! images so far. λ is selected for each task from its own images. Scores are h·W, without normalisation.
//!
//! An added task keeps the λ of the run, because a few images cannot determine one for all classes. Its images of a
//! class that the run already has are added to that class's column of Q; the added task's own column for them stays
//! empty and is never predicted.
//!
//! With a first session, a PET is tuned in the first task, and f is the feature of the tuned backbone. Without it, f is
//! the feature of the original backbone.

mod crossfit;
mod gram;
mod projection;
mod regression;
mod ridge;
mod state;

use super::aper::{ADAPTER, imagenet_r_values};
use super::pet_tuning::{DROPOUT, FirstSession, WEIGHT_DECAY};
use super::{
    ClosedForm, ConfiguredMethod, MemoryEstimate, MethodSpec, Pass, PetUse, PublishedValues, Rate,
    SettingKind, SettingSpec, Workload, unused_settings, whole_kind,
};
use crate::problem::Result;
use crate::run::event::ScoreKind;

pub use crossfit::cross_fit;
pub use projection::Projection;
pub use regression::Regression;
pub use ridge::{RidgeChoice, TaskFeatures};
pub use state::RanPac;

/// RanPAC.
pub const SPEC: MethodSpec = MethodSpec {
    key: "ranpac",
    title: "RanPAC",
    summary: "Projects features at random and solves a ridge regression over all images so far",
    paper: "McDonnell et al., RanPAC: Random Projections and Pre-trained Models for Continual \
            Learning, NeurIPS 2023",
    scores: |_| Ok(ScoreKind::Regression),
    settings: &[
        SettingSpec {
            key: "projection",
            title: "projections",
            meaning: "Length M of the projected feature; needs 8·M² bytes of memory (10000: 800 MB)",
            kind: whole_kind(10_000, 1, 30_000),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "first_session",
            title: "first session",
            meaning: "In the first task, tune a PET (adapter) or nothing (none)",
            kind: SettingKind::Choice(&[NONE, ADAPTED]),
            ..SettingSpec::OWN
        },
        WEIGHT_DECAY,
        DROPOUT,
    ],
    pet: Some(PetUse { is_trained: uses_first_session, ..ADAPTER }),
    rate: Some(Rate::at_batch(0.01, 48)),
    published: &[
        PublishedValues::for_dataset("cifar-100", 20),
        imagenet_r_values("imagenet-r", 10),
        imagenet_r_values("domainnet", 10),
    ],
    // G and Q cannot be recovered from the weights of the classifier.
    needs_state: true,
    passes: |chosen, task| {
        let epochs = if uses_first_session(chosen)? { chosen.config.epochs } else { 0 };
        let mut passes = FirstSession::passes(epochs, task);
        // The order determines which images are used for fitting and which for the selection of λ.
        passes.push(Pass { shuffle: true, ..Pass::measuring() });
        Ok(passes)
    },
    memory: |chosen, _| {
        Ok(MemoryEstimate {
            bytes: 8.0 * (chosen.count("projection")? as f64).powi(2),
            ..MemoryEstimate::NONE
        })
    },
    workload: |chosen, _| {
        let outputs = chosen.count("projection")? as f64;
        Ok(Workload {
            // Each image adds an outer product to G, in f64.
            closed_form: ClosedForm { per_image: outputs.powi(2), per_task: outputs.powi(3) },
            ..Workload::DEFAULT
        })
    },
    stored_values: |chosen, sizes| {
        let outputs = chosen.count("projection")? as f64;
        // W is stored after every task. The upper half of G, and Q, are stored in double precision.
        let weights = outputs * sizes.classes_over_tasks();
        let state = outputs.powi(2) + 3.0 * outputs * sizes.classes as f64;
        Ok(weights + state + 2.0 * sizes.trained as f64)
    },
    unused_settings: |chosen| {
        let keys: &[_] = match uses_first_session(chosen)? {
            true => &[],
            false => &[WEIGHT_DECAY.key, DROPOUT.key],
        };
        Ok(unused_settings::from_keys(keys, "unused-no-first-session"))
    },
    build: |setup| Ok(Box::new(RanPac::new(&setup)?)),
    ..MethodSpec::DEFAULT
};

const NONE: &str = "none";
const ADAPTED: &str = "adapter";

/// Returns whether these settings tune a PET in the first task.
fn uses_first_session(chosen: &ConfiguredMethod<'_>) -> Result<bool> {
    Ok(chosen.text("first_session")? == ADAPTED)
}
