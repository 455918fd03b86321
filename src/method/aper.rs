//! APER with any PET plugin (Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models, IJCV 2024;
//! "ADAM" in its first version). The PET is tuned in the first task only, with a cosine head that is dropped
//! afterwards. A feature is the concatenation of the features of the original and the tuned backbone, without
//! normalisation. Each class is the mean feature of its images; cosines decide.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::answers::{self, Answer};
use super::pet_tuning::{DROPOUT, FirstSession, WEIGHT_DECAY};
use super::prototypes::{FeatureSums, Prototypes};
use super::{
    AnswerRule, Batch, CancelToken, ExportedClassifier, Features, Method, MethodSpec, Pass,
    PassWork, PetUse, PublishedValues, Rate, Setup, State, Task, TrainedPet, Workload,
};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::pet::{Hooks, PetStack};
use crate::problem::Result;
use crate::run::config::Setting;
use crate::run::event::ScoreKind;

/// APER.
pub const SPEC: MethodSpec = MethodSpec {
    key: "aper",
    title: "APER",
    summary: "Tunes a PET in the first task; each class is then the mean of original and tuned features",
    paper: "Zhou et al., Revisiting Class-Incremental Learning with Pre-Trained Models: \
            Generalizability and Adaptivity are All You Need, IJCV 2024",
    scores: |_| Ok(ScoreKind::Cosines),
    settings: &[WEIGHT_DECAY, DROPOUT],
    pet: Some(ADAPTER),
    rate: Some(Rate::at_batch(0.01, 48)),
    published: &[
        PublishedValues::for_dataset("cifar-100", 20),
        imagenet_r_values("imagenet-r", 10),
        imagenet_r_values("domainnet", 10),
    ],
    passes: |chosen, task| {
        let mut passes = FirstSession::passes(chosen.config.epochs, task);
        passes.push(Pass::measuring());
        Ok(passes)
    },
    workload: |_, _| Ok(Workload { networks: 2.0, ..Workload::DEFAULT }),
    // The PET is frozen after the first task.
    stored_values: |_, sizes| Ok((sizes.trained + 2 * sizes.classes * sizes.width) as f64),
    build: |setup| Ok(Box::new(Aper::new(&setup)?)),
    ..MethodSpec::DEFAULT
};

/// The adapter of APER, RanPAC and EASE: in every block, with a bottleneck of 64 channels for width 768.
pub const ADAPTER: PetUse = PetUse {
    plugin: Some("streamadapter"),
    size: Some(|width| (width / 12).max(1)),
    every_block: true,
    ..PetUse::DEFAULT
};

/// Returns the authors' values on ImageNet-R: rate 0.05 at batch 16, ten times the weight decay.
pub const fn imagenet_r_values(data: &'static str, epochs: usize) -> PublishedValues {
    PublishedValues::for_dataset(data, epochs)
        .with_base_lr(Rate::at_batch(0.05, 16).base)
        .with_settings(&[("weight_decay", Setting::Real(5e-3))])
}

/// APER's state during a run.
pub struct Aper {
    backbone: Arc<dyn Backbone>,
    /// The session of the first task.
    pub session: FirstSession,
    sums: FeatureSums,
    prototypes: Prototypes,
}

impl Aper {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem for an unsuitable PET or settings.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        Ok(Self {
            backbone: setup.backbone.clone(),
            session: FirstSession::new(setup)?,
            sums: FeatureSums::default(),
            prototypes: Prototypes::default(),
        })
    }
}

impl Method for Aper {
    fn trained_parameters(&self) -> usize {
        self.session.pets().trained_count()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.session.begin_task(task);
        self.prototypes.grow_to(task.classes.end);
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work != PassWork::Measure {
            return self.session.learn(batch);
        }
        let features = self.features(batch.images.clone())?;
        self.sums.add(&features.concatenated(Expert::ANSWER)?, batch.labels)?;
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        self.prototypes.extend(self.sums.take_means());
        Ok(())
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        self.session.end_task();
        Ok(())
    }

    /// Returns the features of the original backbone, followed by those of the tuned one.
    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let hooks: [&dyn Hooks; 2] = [&PetStack::empty(), self.session.pets()];
        let features = self.backbone.features_for_each(images, &hooks)?;
        Ok(Features::single(Tensor::cat(features, 1)))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let scores = self.prototypes.scores(features.concatenated(Expert::ANSWER)?)?;
        answers::answers_from_cosines(Expert::ANSWER, &scores)
    }

    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let tuned = self.session.pets().clone();
        Ok(ExportedClassifier {
            networks: vec![("plain".into(), PetStack::empty()), ("tuned".into(), tuned)],
            weights: None,
            answer_rule: AnswerRule::from_prototypes(&self.prototypes, vec![0, 1])?,
        })
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        Ok(vec![self.session.trained_pet()])
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        self.session.sync_state(state)?;
        let width = 2 * self.backbone.feature_width();
        self.prototypes.sync_state(width, state)
    }
}
