//! SimpleCIL (Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models, 2023): nothing is trained. A
//! class is the mean feature of its training images; an image is assigned to the class with the largest cosine.
//! Prototypes of earlier classes are unchanged.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::answers::{self, Answer};
use super::prototypes::{FeatureSums, Prototypes};
use super::{
    AnswerRule, Batch, CancelToken, ExportedClassifier, Features, Method, MethodSpec, Pass, State,
    Task, plain_features,
};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::Result;
use crate::run::event::ScoreKind;

/// SimpleCIL.
pub const SPEC: MethodSpec = MethodSpec {
    key: "simplecil",
    title: "SimpleCIL",
    summary: "Trains nothing: each class is the mean feature of its images; the nearest mean wins",
    paper: "Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models: \
            Generalizability and Adaptivity are All You Need, IJCV 2024",
    seeded: false,
    scores: |_| Ok(ScoreKind::Cosines),
    passes: |_, _| Ok(vec![Pass::measuring()]),
    build: |setup| {
        Ok(Box::new(SimpleCil {
            backbone: setup.backbone,
            sums: FeatureSums::default(),
            prototypes: Prototypes::default(),
        }))
    },
    ..MethodSpec::DEFAULT
};

struct SimpleCil {
    backbone: Arc<dyn Backbone>,
    sums: FeatureSums,
    prototypes: Prototypes,
}

impl Method for SimpleCil {
    fn trained_parameters(&self) -> usize {
        0
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.prototypes.grow_to(task.classes.end);
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, _pass: &Pass) -> Result<Option<Tensor<1>>> {
        let features = plain_features(&*self.backbone, batch.images.clone())?;
        self.sums.add(&features, batch.labels)?;
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        self.prototypes.extend(self.sums.take_means());
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        Ok(Features::single(plain_features(&*self.backbone, images)?))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let scores = self.prototypes.scores(features.concatenated(Expert::ANSWER)?)?;
        answers::answers_from_cosines(Expert::ANSWER, &scores)
    }

    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let answer_rule = AnswerRule::from_prototypes(&self.prototypes, vec![0])?;
        Ok(ExportedClassifier::from_single_network(PetStack::empty(), answer_rule))
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        let width = self.backbone.feature_width();
        self.prototypes.sync_state(width, state)
    }
}
