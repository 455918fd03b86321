//! EASE with any PET plugin (Zhou et al., Expandable Subspace Ensemble for Pre-Trained Model-Based Class-Incremental
//! Learning, CVPR 2024). Every task tunes its own PET with a cosine head that is dropped; each PET alone on the
//! backbone defines a subspace. A class has a prototype in every subspace, measured or estimated (`prototypes`). Its
//! score is the sum of the cosines; those outside its own task's subspace have weight α/t.

pub mod prototypes;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::answers::{self, Answer};
use super::aper::{ADAPTER, imagenet_r_values};
use super::pet_tuning::{DROPOUT, Tuning, TuningSettings, WEIGHT_DECAY};
use super::prototypes::FeatureSums;
use super::task::no_task_problem;
use super::{
    AnswerRule, Batch, CancelToken, ConfiguredMethod, CosinePart, ExportedClassifier, Features,
    Method, MethodSpec, Pass, PassWork, PetPlan, PublishedValues, Rate, SettingSpec, Setup, State,
    Task, TrainedPet, Workload, real_kind, task_seed,
};
use crate::backbone::Backbone;
use crate::message;
use crate::metrics::Expert;
use crate::pet::{Hooks, PetStack};
use crate::problem::{Problem, Result};
use crate::run::event::ScoreKind;
use crate::tensors::HostTensor;
use prototypes::{Scorer, Subspaces};

/// EASE.
pub const SPEC: MethodSpec = MethodSpec {
    key: "ease",
    title: "EASE",
    summary: "Tunes a PET for each task; each class has a prototype in the feature subspace of every PET",
    paper: "Zhou et al., Expandable Subspace Ensemble for Pre-Trained Model-Based \
            Class-Incremental Learning, CVPR 2024",
    scores: |_| Ok(ScoreKind::Cosines),
    settings: &[
        SettingSpec {
            key: "alpha",
            title: "α",
            meaning: "Total weight of the subspaces of other tasks; a task's own subspace has weight 1",
            kind: real_kind(0.1, 0.0, 10.0),
            ..SettingSpec::OWN
        },
        WEIGHT_DECAY,
        DROPOUT,
    ],
    pet: Some(ADAPTER),
    rate: Some(Rate::at_batch(0.025, 48)),
    published: &[
        PublishedValues::for_dataset("cifar-100", 20),
        imagenet_r_values("imagenet-r", 20),
        imagenet_r_values("domainnet", 20),
    ],
    passes: |chosen, _| {
        let mut passes = vec![Pass::learning(false); chosen.config.epochs];
        passes.push(Pass::measuring());
        Ok(passes)
    },
    workload: |_, task| Ok(Workload { networks: (task + 1) as f64, ..Workload::DEFAULT }),
    stored_values: |_, sizes| {
        // A class has a prototype in every subspace; those of earlier tasks are estimated.
        let prototypes = sizes.classes_over_tasks() * sizes.width as f64;
        Ok((sizes.tasks * sizes.trained) as f64 + prototypes)
    },
    build: |setup| Ok(Box::new(Ease::new(&setup)?)),
    ..MethodSpec::DEFAULT
};

/// EASE's state during a run.
pub struct Ease {
    backbone: Arc<dyn Backbone>,
    plan: PetPlan,
    settings: TuningSettings,
    alpha: f64,
    /// The initial PET of the first task; all PETs have its structure.
    initial_pets: PetStack,
    /// The PETs of finished tasks.
    finished_pets: Vec<PetStack>,
    /// The PET of the current task.
    pub tuning: Option<Tuning>,
    /// The current task's classes.
    classes: Range<usize>,
    /// The sums of features in each subspace, during the measuring pass.
    sums: Vec<FeatureSums>,
    /// The prototypes in all subspaces.
    pub subspaces: Subspaces,
    /// The classifier; `None` before the first task was measured.
    scorer: Option<Scorer>,
}

impl Ease {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem for an unsuitable PET or settings.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        let plan = setup.pet.cloned();
        Ok(Self {
            initial_pets: setup.init_pets(task_seed(setup.config.seed, 0))?,
            backbone: setup.backbone.clone(),
            plan: plan.ok_or_else(|| Problem::new(message!("problem-method-needs-pet")))?,
            settings: TuningSettings::from_setup(setup)?,
            alpha: ConfiguredMethod::from_config(setup.config)?.real("alpha")?,
            finished_pets: Vec::new(),
            tuning: None,
            classes: 0..0,
            sums: Vec::new(),
            subspaces: Subspaces::default(),
            scorer: None,
        })
    }

    /// Returns the PETs of all tasks so far.
    fn all_pets(&self) -> impl Iterator<Item = &PetStack> {
        self.finished_pets.iter().chain(self.tuning.as_ref().map(|tuning| &tuning.pets))
    }

    fn untrained_pets(&self, task: usize) -> Result<PetStack> {
        self.plan.init_stack(&*self.backbone, task_seed(self.settings.seed, task))
    }

    fn rebuild_scorer(&mut self) -> Result<()> {
        let device = self.backbone.device();
        self.scorer = match self.subspaces.tasks() {
            0 => None,
            _ => Some(Scorer::new(&self.subspaces, self.alpha, &device)?),
        };
        Ok(())
    }
}

impl Method for Ease {
    fn trained_parameters(&self) -> usize {
        self.initial_pets.trained_count()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        let pets = self.untrained_pets(task.index)?;
        self.classes = task.classes.clone();
        self.tuning = Some(Tuning::new(pets, task, &self.backbone, self.settings));
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if let (PassWork::Learn { .. }, Some(tuning)) = (pass.work, &mut self.tuning) {
            return tuning.learn(batch).map(Some);
        }
        let features = self.features(batch.images.clone())?;
        let parts = features.parts(Expert::ANSWER);
        self.sums.resize_with(parts.len(), FeatureSums::default);
        for (sums, features) in self.sums.iter_mut().zip(parts) {
            sums.add(features, batch.labels)?;
        }
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if self.sums.is_empty() {
            return Ok(());
        }
        let (width, classes) = (self.backbone.feature_width(), self.classes.clone());
        let sums = std::mem::take(&mut self.sums);
        let rows = sums.into_iter().map(|mut sums| {
            let means: BTreeMap<usize, Vec<f32>> = sums.take_means().collect();
            let row = |class| means.get(&class).cloned();
            // A class without a readable image has a prototype of zeros.
            let row = |class| row(class).unwrap_or_else(|| vec![0.0; width]);
            HostTensor {
                shape: vec![classes.len(), width],
                values: classes.clone().flat_map(row).collect(),
            }
        });
        self.subspaces.push(rows.collect())?;
        self.rebuild_scorer()
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if let Some(tuning) = self.tuning.take() {
            self.finished_pets.push(tuning.pets);
        }
        Ok(())
    }

    /// Returns the computation of the answers with one network for each subspace.
    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let scorer = self.scorer.as_ref().ok_or_else(no_task_problem)?;
        let all_pets = self.all_pets().enumerate();
        let part = |(network, rows)| CosinePart { networks: vec![network], rows };
        Ok(ExportedClassifier {
            networks: all_pets
                .map(|(index, pets)| (format!("task_{}", index + 1), pets.clone()))
                .collect(),
            weights: None,
            answer_rule: AnswerRule::Cosine {
                parts: scorer.rows()?.into_iter().enumerate().map(part).collect(),
                absent: Vec::new(),
            },
        })
    }

    /// Returns the features with one part for each subspace.
    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let hooks: Vec<&dyn Hooks> = self.all_pets().map(|pets| pets as &dyn Hooks).collect();
        let parts = self.backbone.features_for_each(images, &hooks)?;
        Ok(Features::default().with_expert(Expert::ANSWER, parts))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let scorer = self.scorer.as_ref();
        let scorer = scorer.ok_or_else(|| Problem::new(message!("problem-nothing-learned")))?;
        let scores = scorer.scores(features.parts(Expert::ANSWER).to_vec())?;
        answers::answers_from_cosines(Expert::ANSWER, &scores)
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        let newest = self.all_pets().enumerate().last().map(|(task, current)| {
            Ok(TrainedPet {
                expert: Expert::ANSWER,
                initial: self.untrained_pets(task)?,
                current: current.clone(),
            })
        });
        newest.into_iter().collect()
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        state.sync_tasks(
            &mut self.finished_pets,
            |_| self.initial_pets.clone(),
            |state, task, pets| state.sync_pets(&format!("pet.{task}"), pets),
        )?;
        if let Some(stored) = state.stored() {
            self.classes = stored.tasks.last().cloned().unwrap_or(0..0);
            let task = Task::last(stored.tasks).filter(|_| Tuning::is_stored_in(stored));
            let pets = task.as_ref().and_then(|_| self.finished_pets.pop());
            let tuning = |(task, pets)| Tuning::new(pets, &task, &self.backbone, self.settings);
            self.tuning = task.zip(pets).map(tuning);
        }
        if let Some(tuning) = &mut self.tuning {
            state.sync_pets(&format!("pet.{}", self.finished_pets.len()), &mut tuning.pets)?;
            tuning.sync_state(state)?;
        }
        match state {
            State::Snapshot(tensors) | State::Checkpoint(tensors) => {
                self.subspaces.write(tensors);
                Ok(())
            }
            State::Restore(stored) => {
                self.subspaces = Subspaces::read(*stored, self.backbone.feature_width())?;
                self.rebuild_scorer()
            }
        }
    }
}
