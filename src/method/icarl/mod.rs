//! iCaRL (Rebuffi et al., iCaRL: Incremental Classifier and Representation Learning, CVPR 2017) with a PET instead of
//! the whole network: the only method here that replays images of earlier tasks.
//!
//! * Training (Algorithm 3): exemplars and new images together; each class has its own output σ(z). New classes learn
//!   their labels by binary cross-entropy, earlier ones the outputs of the network before the task.
//! * Exemplars (Algorithms 4 and 5): one budget for all classes, selected by herding; the last selected are removed
//!   first.
//! * Prediction (Algorithm 1): the class with the nearest mean of exemplars, among features of length 1.

mod loss;

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::answers::{self, Answer};
use super::exemplars::{Exemplars, mean};
use super::heads::{Head, Heads};
use super::lae::RATE;
use super::optimiser::{Gradients, Optimiser, OptimiserSettings, StepPosition};
use super::pets::PetPlan;
use super::prototypes::{MIN_NORM, Prototypes};
use super::replay::{StepInputs, StepRecorder};
use super::task::no_task_problem;
use super::{
    AnswerRule, Backward, Batch, BatchPart, CancelToken, ConfiguredMethod, Exemplar,
    ExportedClassifier, Features, Method, MethodSpec, Pass, PassImages, PassWork, PetUse,
    PublishedValues, SettingSpec, Setup, State, StepSettings, StoredState, Task, TrainedPet,
    Workload, task_seed, whole_kind,
};
use crate::backbone::Backbone;
use crate::message;
use crate::metrics::Expert;
use crate::nn;
use crate::pet::{DropoutSeed, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::event::ScoreKind;

use loss::{binary_cross_entropy, targets};

/// iCaRL.
pub const SPEC: MethodSpec = MethodSpec {
    key: "icarl",
    title: "iCaRL",
    summary: "Replays a few stored images of each class with the new ones; the nearest mean of the stored images wins",
    paper: "Rebuffi et al., iCaRL: Incremental Classifier and Representation Learning, CVPR 2017",
    scores: |_| Ok(ScoreKind::Cosines),
    settings: &[SettingSpec {
        key: EXEMPLARS,
        title: "exemplars",
        meaning: "Total number of stored training images, divided evenly among the classes seen",
        kind: whole_kind(200, 1, 1_000_000),
        ..SettingSpec::OWN
    }],
    pet: Some(PetUse::DEFAULT),
    rate: Some(RATE),
    published: &[PublishedValues::for_dataset("cifar-100", 5)
        .with_settings(&[(EXEMPLARS, Setting::Whole(2000))])],
    passes: |chosen, _| {
        let source = PassImages::WithExemplars { limit: chosen.count(EXEMPLARS)? };
        let learning = Pass { source, ..Pass::learning(false) };
        let measuring = Pass { source, ..Pass::measuring() };
        let mut passes = vec![learning; chosen.config.epochs];
        passes.push(measuring);
        Ok(passes)
    },
    workload: |_, task| {
        // From the second task on, the previous network gives the targets of the earlier classes.
        let teachers = if task > 0 { 1.0 } else { 0.0 };
        Ok(Workload { teachers, ..Workload::DEFAULT })
    },
    stored_values: |_, sizes| {
        let means = sizes.classes_over_tasks() * sizes.width as f64;
        Ok((sizes.tasks * sizes.trained + sizes.classes * sizes.width) as f64 + means)
    },
    check: |chosen, context| {
        let (budget, classes) = (chosen.count(EXEMPLARS)?, context.map_or(0, |ctx| ctx.classes));
        if budget >= classes {
            return Ok(());
        }
        let what = message!(
            "problem-too-few-exemplars",
            budget,
            classes = message!("count-classes", n = classes)
        );
        Err(Problem::new(what)
            .at(format!("--set {EXEMPLARS}"))
            .advise(message!("advice-use-more-exemplars", classes)))
    },
    build: |setup| Ok(Box::new(Icarl::from_setup(&setup)?)),
    ..MethodSpec::DEFAULT
};

const EXEMPLARS: &str = "exemplars";

struct Icarl {
    backbone: Arc<dyn Backbone>,
    /// The PET before the first task.
    initial_pets: PetStack,
    network: Network,
    /// The network before the current task; `None` in the first task.
    previous: Option<Network>,
    adam: Optimiser,
    /// Repeats recorded steps on a GPU.
    recorder: StepRecorder,
    has_dropout: bool,
    step: StepSettings,
    seed: u64,
    budget: usize,
    task: Option<Task>,
    exemplars: Exemplars,
    prototypes: Prototypes,
    /// The feature of length 1 and the class of each image, by the image's index in the current pass.
    measured: BTreeMap<usize, (usize, Vec<f32>)>,
}

/// Prefix of the previous network's tensors in a checkpoint.
const PREVIOUS_PREFIX: &str = "former.";

impl Icarl {
    fn from_setup(setup: &Setup<'_>) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let pets = setup.init_pets(setup.config.seed)?;
        Ok(Self {
            backbone: setup.backbone.clone(),
            initial_pets: pets.clone(),
            network: Network { pets, heads: Heads::default() },
            previous: None,
            adam: Optimiser::new(OptimiserSettings::adam(chosen.learning_rate())),
            recorder: StepRecorder::default(),
            has_dropout: setup.pet.is_some_and(PetPlan::uses_dropout),
            step: StepSettings::from_config(setup.config),
            seed: setup.config.seed,
            budget: chosen.count(EXEMPLARS)?,
            task: None,
            exemplars: Exemplars::default(),
            prototypes: Prototypes::default(),
            measured: BTreeMap::new(),
        })
    }

    /// Returns the loss of a part of a batch, and the gradients of all heads and of the PET; on a GPU from a replay if
    /// possible.
    fn gradients(&self, part: &BatchPart<'_>, task: &Task) -> Result<(Tensor<1>, Gradients)> {
        let device = self.backbone.device();
        let targets = targets(part.batch.labels, task, self.step.smoothing, &device);
        let inputs = ((part.batch.images.clone(), targets), self.network.clone());
        if self.has_dropout {
            // Dropout masks are sent to the GPU in every step.
            let seed = part.dropout_seed(self.seed, task.index);
            return self.compute_gradients(inputs, Some(seed));
        }
        self.recorder.run(false, inputs, |inputs| self.compute_gradients(inputs, None))
    }

    fn compute_gradients(
        &self,
        ((images, target), network): Inputs,
        dropout_seed: Option<DropoutSeed>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let backbone = &*self.backbone;
        // Computed in the same way as the trained network, so that at the first step of a task both outputs are
        // identical. Otherwise rounding errors would move heads that should stay, because Adam divides by the size of a
        // gradient.
        let teacher_logits = self.previous.as_ref();
        let teacher_logits =
            teacher_logits.map(|previous| previous.tracked().logits(backbone, images.clone()));
        let target = match teacher_logits.transpose()? {
            Some(logits) => Tensor::cat(vec![sigmoid(logits.inner()), target], 1),
            None => target,
        };
        let mut tracked = network.tracked();
        tracked.pets = tracked.pets.in_training(dropout_seed);
        let loss = binary_cross_entropy(tracked.logits(backbone, images)?, target);
        let mut backward = Backward::from_loss(loss);
        for (index, head) in tracked.heads.0.iter().enumerate() {
            backward = backward.with_gradients(head.leaves(&format!("head.{index}")))?;
        }
        Ok(backward.with_pet_gradients(&tracked.pets).into_parts())
    }

    /// Stores the normalised features and classes of a batch.
    fn measure(&mut self, batch: &Batch<'_>) -> Result<()> {
        let features = self.backbone.features(batch.images.clone(), &self.network.pets)?;
        let rows = answers::read_rows(&nn::unit_rows(features, MIN_NORM))?;
        let measured = batch.samples.iter().zip(batch.labels).zip(rows);
        self.measured.extend(measured.map(|((sample, label), row)| (*sample, (*label, row))));
        Ok(())
    }
}

/// Images, targets of the task's own classes, and the network.
type Inputs = ((Tensor<4>, Tensor<2>), Network);

/// The trained PETs and heads, or their copy from before the current task.
#[derive(Clone)]
struct Network {
    pets: PetStack,
    heads: Heads,
}

impl StepInputs for Network {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.heads.0.iter().for_each(|head| head.append_values(values));
        self.pets.append_values(values);
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        let heads = self.heads.0.iter().map(|head| head.with_values(values)).collect();
        Self { heads: Heads(heads), pets: self.pets.with_values(values) }
    }
}

impl Network {
    /// Returns a copy with gradient tracking.
    fn tracked(&self) -> Self {
        Self {
            pets: self.pets.tracked(),
            heads: Heads(self.heads.0.iter().map(Head::tracked).collect()),
        }
    }

    /// Returns the logits of all classes so far: batch × classes.
    fn logits(&self, backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
        Ok(self.heads.forward(&backbone.features(images, &self.pets)?))
    }

    /// Writes or reads the tensors of PETs and heads, with names that start with `prefix`.
    fn sync_state(
        &mut self,
        prefix: &str,
        backbone: &dyn Backbone,
        state: &mut State<'_>,
    ) -> Result<()> {
        state.sync_pets(&format!("{prefix}pet"), &mut self.pets)?;
        let dimensions = (backbone.feature_width(), &backbone.device());
        self.heads.sync_state(&format!("{prefix}head"), dimensions, state)
    }
}

impl Method for Icarl {
    fn trained_parameters(&self) -> usize {
        self.network.pets.trained_count()
    }

    fn remarks(&self) -> Vec<Problem> {
        let images = message!("count-training-images", n = self.budget);
        vec![
            Problem::new(message!("problem-replay-memory", images))
                .advise(message!("advice-compare-with-replay-note")),
        ]
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.previous = (task.index > 0).then(|| self.network.clone());
        let seed = task_seed(self.seed, task.index);
        let (width, device) = (self.backbone.feature_width(), self.backbone.device());
        let head = Head::new(width, task.classes.len(), seed, &device);
        self.network.heads.0.push(head);
        self.adam.clear();
        self.prototypes.grow_to(task.classes.end);
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work == PassWork::Measure {
            // The pass needs the memory, and the next task has another previous network.
            self.recorder.clear();
            self.measure(batch)?;
            return Ok(None);
        }
        let task = self.task.as_ref().ok_or_else(no_task_problem)?;
        let (loss, gradients) = self.step.learn(batch, |part| self.gradients(part, task))?;
        self.adam.step(gradients, StepPosition::CONSTANT, |step| {
            for (index, head) in self.network.heads.0.iter_mut().enumerate() {
                head.step(&format!("head.{index}"), step);
            }
            self.network.pets = step.update_pets(&self.network.pets);
        });
        Ok(Some(loss))
    }

    fn end_pass(&mut self, _pass: usize, cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if self.measured.is_empty() {
            return Ok(());
        }
        let task = self.task.as_ref().ok_or_else(no_task_problem)?;
        let mut measured = std::mem::take(&mut self.measured);
        let old_count = self.exemplars.as_slice().len();
        let new = measured.split_off(&old_count);
        self.exemplars.retain(|index| measured.contains_key(&index));
        let old_features: Vec<Vec<f32>> = measured.into_values().map(|(_, row)| row).collect();
        let mut by_class: BTreeMap<usize, Vec<(usize, Vec<f32>)>> = BTreeMap::new();
        for (sample, (class, row)) in new {
            by_class.entry(class).or_default().push((sample - old_count, row));
        }
        let (index, budget) = (task.index, self.budget);
        let features =
            self.exemplars.update(index, &old_features, &by_class, budget, cancel_token)?;
        self.previous = None;
        self.prototypes = Prototypes::default();
        self.prototypes.grow_to(task.classes.end);
        let means = features.into_iter().map(|(class, rows)| {
            let mean = mean(&rows).into_iter();
            (class, mean.map(|value| value as f32).collect())
        });
        self.prototypes.extend(means);
        Ok(())
    }

    fn exemplars(&self) -> &[Exemplar] {
        self.exemplars.as_slice()
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let features = self.backbone.features(images, &self.network.pets)?;
        Ok(Features::single(features))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let scores = self.prototypes.scores(features.concatenated(Expert::ANSWER)?)?;
        answers::answers_from_cosines(Expert::ANSWER, &scores)
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        Ok(vec![TrainedPet {
            expert: Expert::ANSWER,
            initial: self.initial_pets.clone(),
            current: self.network.pets.clone(),
        }])
    }

    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let reading = AnswerRule::from_prototypes(&self.prototypes, vec![0])?;
        Ok(ExportedClassifier::from_single_network(self.network.pets.clone(), reading))
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        let backbone = &*self.backbone;
        self.network.sync_state("", backbone, state)?;
        self.prototypes.sync_state(backbone.feature_width(), state)?;
        self.exemplars.sync_state(state)?;
        match (state.stored(), &mut self.previous) {
            (Some(stored), previous) => {
                *previous = stored.has_prefix(PREVIOUS_PREFIX).then(|| self.network.clone());
                let tasks = &stored.tasks[..stored.tasks.len().saturating_sub(1)];
                if let Some(previous) = previous {
                    let mut earlier_state = State::Restore(StoredState { tasks, ..stored });
                    previous.sync_state(PREVIOUS_PREFIX, backbone, &mut earlier_state)?;
                }
                self.task = Task::last(stored.tasks);
            }
            (None, Some(previous)) if !state.is_snapshot() => {
                previous.sync_state(PREVIOUS_PREFIX, backbone, state)?;
            }
            (None, _) => {}
        }
        self.adam.sync_state(&backbone.device(), state)
    }
}
