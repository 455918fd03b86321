//! EWC, elastic weight consolidation (Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, PNAS
//! 2017): the Baseline with an [`EwcPenalty`].

use super::lae::{BASELINE, EwcPenalty, Lae, RATE, Switches};
use super::{ConfiguredMethod, MethodSpec, Pass, PetUse, SettingSpec, real_kind, whole_kind};

/// EWC.
pub const SPEC: MethodSpec = MethodSpec {
    key: "ewc",
    title: "EWC",
    summary: "Trains one PET task after task and keeps parameters that mattered for earlier tasks near their values",
    paper: "Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, PNAS 2017",
    experts: BASELINE.experts,
    settings: &[
        SettingSpec {
            key: LAMBDA,
            title: "λ",
            meaning: "Weight λ of the penalty on changes of important parameters; 0 is the Baseline",
            kind: real_kind(1000.0, 0.0, f64::MAX),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: GAMMA,
            title: "γ",
            meaning: "Share of earlier tasks' importance that is kept when a new task is added",
            kind: real_kind(1.0, 0.0, 1.0),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: IMAGES,
            title: "images for importance",
            meaning: "Number of training images per task used to measure the importance, one at a time",
            kind: whole_kind(200, 1, i64::MAX),
            ..SettingSpec::OWN
        },
    ],
    pet: Some(PetUse::DEFAULT),
    rate: Some(RATE),
    needs_state: true,
    passes: |chosen, _| {
        let importance_pass =
            Pass { shuffle: true, max_images: Some(chosen.count(IMAGES)?), ..Pass::measuring() };
        let mut passes = vec![Pass::learning(false); chosen.config.epochs];
        passes.push(importance_pass);
        Ok(passes)
    },
    // A finished run stores the importance and anchor of each parameter, and two moments of Adam.
    stored_values: |_, sizes| {
        let pets = (sizes.tasks + 5) * sizes.trained;
        Ok((pets + sizes.classes * sizes.width) as f64)
    },
    build: |setup| {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let (lambda, gamma) = (chosen.real(LAMBDA)?, chosen.real(GAMMA)?);
        let mut baseline = Lae::from_setup(&setup, &SPEC, Switches::NONE)?;
        baseline.penalty = Some(EwcPenalty::new(lambda, gamma));
        Ok(Box::new(baseline))
    },
    ..MethodSpec::DEFAULT
};

const LAMBDA: &str = "ewc_lambda";
const GAMMA: &str = "ewc_gamma";
const IMAGES: &str = "fisher_images";
