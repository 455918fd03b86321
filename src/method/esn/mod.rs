//! ESN (Wang et al., Isolation and Impartial Aggregation: A Paradigm of Incremental Learning without Interference, AAAI
//! 2023). Every task adds a stage with its own classifier (`stage`), trained separately; energies at several
//! temperatures vote for the stage that answers (`stage_selection`). A prompt next to the patch tokens is trained in
//! every task, as in the released code: earlier stages then read the tokens of the current prompt.
//!
//! The loss is cross-entropy plus λ·mean((E − anchor)²) with E = −logsumexp(−z), the energy of the negated logits, as
//! in the released code; the paper prints −logsumexp(z), which a setting selects.

pub mod stage;
pub mod stage_selection;
mod state;

use super::pet_tuning::WEIGHT_DECAY;
use super::{
    MemoryEstimate, MethodSpec, Pass, PublishedValues, Rate, SettingKind, SettingSpec, Workload,
    real_kind, whole_kind,
};
use crate::message;
use crate::problem::Problem;
use crate::run::event::ScoreKind;

use stage::EsnStage;
pub use state::Esn;

/// ESN.
pub const SPEC: MethodSpec = MethodSpec {
    key: "esn",
    title: "ESN",
    summary: "Trains one stage with its own classifier per task; energies decide which stage answers",
    paper: "Wang et al., Isolation and Impartial Aggregation: A Paradigm of Incremental Learning \
            without Interference, AAAI 2023",
    scores: |_| Ok(ScoreKind::Votes),
    settings: &[
        SettingSpec {
            key: "prompt_length",
            title: "prompt tokens",
            meaning: "Prompt tokens in addition to the patch tokens; every task continues to train them",
            kind: whole_kind(100, 1, 1000),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "freeze_prompt",
            title: "freeze prompt",
            meaning: "Freeze the prompt after the first task; the authors train it in all tasks",
            kind: SettingKind::Flag(false),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "lambda",
            title: "λ",
            meaning: "Weight of the energy term in the loss",
            kind: real_kind(0.1, 0.0, 100.0),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "anchor",
            title: "anchor",
            meaning: "Target energy for all images of a task",
            kind: real_kind(-10.0, -1000.0, 1000.0),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "energy",
            title: "energy",
            meaning: "Energy in the loss: from negated logits as in the authors' code (released), or as \
                      in the paper (printed)",
            kind: SettingKind::Choice(&["released", PRINTED]),
            ..SettingSpec::OWN
        },
        WEIGHT_DECAY,
    ],
    rate: Some(Rate::at_batch(0.01, 128)),
    published: &[
        PublishedValues::for_dataset("cifar-100", 30),
        PublishedValues::for_dataset("imagenet-r", 10),
        PublishedValues::for_dataset("domainnet", 10),
    ],
    passes: |chosen, task| {
        let mut passes = vec![Pass::learning(false); chosen.config.epochs];
        if task > 0 {
            passes.push(Pass::measuring());
        }
        Ok(passes)
    },
    memory: |_, _| Ok(MemoryEstimate::from_block(0)),
    workload: |chosen, _| {
        Ok(Workload { tokens: chosen.count("prompt_length")?, ..Workload::DEFAULT })
    },
    stored_values: |chosen, sizes| {
        let prompt = sizes.tasks as f64 * chosen.count("prompt_length")? as f64;
        let stages = (sizes.tasks * EsnStage::size(sizes.width)) as f64;
        Ok((prompt + sizes.classes as f64) * sizes.width as f64 + stages)
    },
    check: |_, context| match context.map(|context| context.architecture) {
        Some(architecture) if architecture.has_class_token() => Ok(()),
        Some(_) => Err(Problem::new(message!("problem-esn-needs-class-token"))
            .at("--method esn")
            .advise(message!("advice-choose-vit-or-method"))),
        None => Ok(()),
    },
    build: |setup| Ok(Box::new(Esn::new(&setup)?)),
    is_exportable: false,
    ..MethodSpec::DEFAULT
};

const PRINTED: &str = "printed";
