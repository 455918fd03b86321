//! SimpleCIL (Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models, 2023): nothing is trained. A
//! class is the mean feature of its training images; an image is assigned to the class with the largest cosine.
//! Prototypes of earlier classes are unchanged.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::answers::{self, Answer};
use super::prototypes::{Prototypes, Sums};
use super::{
    AnswerRule, Batch, CancelToken, ExportedClassifier, Features, Method, MethodSpec, Pass, State,
    Task, plain,
};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::Result;
use crate::run::event::Scores;

/// SimpleCIL.
pub const SPEC: MethodSpec = MethodSpec {
    key: "simplecil",
    title: "SimpleCIL",
    summary: "Trains nothing: each class is the mean feature of its images; the nearest mean wins",
    paper: "Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models: \
            Generalizability and Adaptivity are All You Need, IJCV 2024",
    seeded: false,
    scores: |_| Ok(Scores::Cosines),
    passes: |_, _| Ok(vec![Pass::measuring()]),
    build: |setup| {
        Ok(Box::new(SimpleCil {
            backbone: setup.backbone,
            sums: Sums::default(),
            prototypes: Prototypes::default(),
        }))
    },
    ..MethodSpec::USUAL
};

struct SimpleCil {
    backbone: Arc<dyn Backbone>,
    sums: Sums,
    prototypes: Prototypes,
}

impl Method for SimpleCil {
    fn trained_parameters(&self) -> usize {
        0
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.prototypes.reach(task.classes.end);
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, _pass: &Pass) -> Result<Option<Tensor<1>>> {
        let features = plain(&*self.backbone, batch.images.clone())?;
        self.sums.add(&features, batch.labels)?;
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, _go_on: &mut CancelToken<'_>) -> Result<()> {
        self.prototypes.extend(self.sums.take_means());
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        Ok(Features::alone(plain(&*self.backbone, images)?))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let scores = self.prototypes.scores(features.of(Expert::ANSWER)?)?;
        answers::by_cosine(Expert::ANSWER, &scores)
    }

    fn recipe(&self) -> Result<ExportedClassifier> {
        let reading = AnswerRule::of_prototypes(&self.prototypes, vec![0])?;
        Ok(ExportedClassifier::of_one(PetStack::empty(), reading))
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<()> {
        let width = self.backbone.feature_width();
        self.prototypes.state(width, state)
    }
}
