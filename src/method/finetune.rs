//! Fine-tuning of the whole network: all weights of the backbone and the head of the current task,
//! by local cross-entropy.
//!
//! Seq-FT trains task after task without protection against forgetting: earlier heads do not change, but the backbone
//! does. Joint-FT trains one task of all classes, for comparison. The default values are the fine-tuning recipe of
//! Dosovitskiy et al., An Image is Worth 16x16 Words, ICLR 2021, which the authors of LAE use for both: SGD with
//! momentum, no weight decay, gradients clipped to norm 1, a cosine schedule over the steps.

use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;

use super::answers::{self, Answer};
use super::backward::targets;
use super::heads::{Head, Heads};
use super::optimiser::{Gradients, Optimiser, OptimiserSettings, Schedule, StepPosition};
use super::pet_tuning::{self, sgd};
use super::replay::StepRecorder;
use super::task::no_task_problem;
use super::{
    AnswerRule, Backward, Batch, CancelToken, ConfiguredMethod, Context, ExportedClassifier,
    Features, LogitSource, MemoryEstimate, Method, MethodSpec, Pass, PublishedValues, Rate,
    SettingKind, SettingSpec, Setup, State, StepSettings, Task, plain_features, real_kind,
    task_seed,
};
use crate::backbone::Backbone;
use crate::backbone::parameters::Weights;
use crate::message;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::run::config::Precision;

/// Seq-FT.
pub const SEQUENTIAL: MethodSpec = MethodSpec {
    key: "seq-ft",
    title: "Seq-FT",
    summary: "Trains the whole network task after task, without protection against forgetting",
    paper: "Dosovitskiy et al., An Image is Worth 16x16 Words, ICLR 2021 (the recipe)",
    settings: &[
        SCHEDULE,
        CLIPPING,
        WEIGHT_DECAY,
        SettingSpec {
            key: "keep_weights",
            title: "stored weights",
            meaning: "Store the whole network only after the last task (last), or after every task \
                      (every), which is needed to use the run as it was after an earlier task",
            kind: SettingKind::Choice(&["last", EVERY]),
            ..SettingSpec::OWN
        },
    ],
    rate: Some(RATE),
    published: PUBLISHED,
    memory: |_, _| Ok(MemoryEstimate { weights: true, ..MemoryEstimate::from_block(0) }),
    stored_values: |chosen, sizes| {
        let copies = match chosen.spec.all_at_once || chosen.text("keep_weights")? != EVERY {
            true => 1,
            false => sizes.tasks,
        };
        Ok((copies * sizes.parameters + sizes.classes * sizes.width) as f64)
    },
    check,
    build: |setup| Ok(Box::new(FineTune::new(&setup)?)),
    ..MethodSpec::DEFAULT
};

/// Joint-FT.
pub const JOINT: MethodSpec = MethodSpec {
    key: "joint-ft",
    title: "Joint-FT",
    summary: "Trains the whole network on all classes at once: the accuracy without tasks, for comparison",
    settings: &[SCHEDULE, CLIPPING, WEIGHT_DECAY],
    all_at_once: true,
    ..SEQUENTIAL
};

const SCHEDULE: SettingSpec = SettingSpec {
    key: "schedule",
    title: "schedule",
    meaning: "Learning rate schedule within a task: a cosine over steps or epochs, or constant",
    kind: SettingKind::Choice(&["cosine", "cosine_epoch", "constant"]),
    ..SettingSpec::OWN
};
const CLIPPING: SettingSpec = SettingSpec {
    key: "clip_grad_norm",
    title: "clipping",
    meaning: "Maximum total gradient norm per step; 0 for no limit",
    kind: real_kind(1.0, 0.0, f64::MAX),
    ..SettingSpec::OWN
};
/// The weight decay; 0 by default.
const WEIGHT_DECAY: SettingSpec =
    SettingSpec { kind: real_kind(0.0, 0.0, 1.0), ..pet_tuning::WEIGHT_DECAY };
/// The value of `keep_weights` that stores the network after every task.
const EVERY: &str = "every";
const RATE: Rate = Rate::at_batch(0.005, 64);
const PUBLISHED: &[PublishedValues] = &[
    PublishedValues::for_dataset("cifar-100", 5),
    PublishedValues::for_dataset("imagenet-r", 50),
    PublishedValues::for_dataset("domainnet", 50),
];

fn check(chosen: &ConfiguredMethod<'_>, _context: Option<&Context<'_>>) -> Result<()> {
    if !matches!(chosen.config.precision, Precision::F16 | Precision::Bf16) {
        return Ok(());
    }
    let title = chosen.spec.title;
    let key = chosen.config.precision.key();
    let what = message!("problem-precision-not-trainable", title, key);
    Err(Problem::new(what).at("--precision").advise(message!("advice-choose-f32-or-method")))
}

/// Images, targets, the last head and the weights of the backbone.
type Inputs = ((Tensor<4>, Tensor<2>), (Head, Weights));

/// The state of fine-tuning during a run.
pub struct FineTune {
    /// The opened backbone; its current weights are in `weights`.
    backbone: Arc<dyn Backbone>,
    weights: Weights,
    heads: Heads,
    /// Seed of the heads' initial values.
    seed: u64,
    /// The number of first tasks whose snapshots do not contain the backbone's weights.
    without_weights: usize,
    /// Whether all classes form one task.
    all_at_once: bool,
    /// How a step splits its batch.
    step: StepSettings,
    /// The optimiser of the current task.
    pub optimiser: Optimiser,
    /// Repeats recorded steps on a GPU.
    recorder: StepRecorder,
    task: Option<Task>,
    /// The network with the current weights, built when it is first used after a step.
    current_network: OnceLock<Arc<dyn Backbone>>,
}

impl FineTune {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem if a setting is out of range, or if the backbone's weights cannot be trained.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let clip = chosen.real(CLIPPING.key)?;
        let schedule = match chosen.text(SCHEDULE.key)?.as_str() {
            "constant" => Schedule::Constant,
            "cosine_epoch" => Schedule::CosineEpoch,
            _ => Schedule::Cosine,
        };
        let stores_every_task = chosen.spec.all_at_once || chosen.text("keep_weights")? == EVERY;
        let optimiser =
            OptimiserSettings { schedule, clip: (clip > 0.0).then_some(clip), ..sgd(&chosen)? };
        Ok(Self {
            weights: setup.backbone.weights()?,
            backbone: setup.backbone.clone(),
            heads: Heads::default(),
            seed: setup.config.seed,
            without_weights: if stores_every_task { 0 } else { setup.tasks.len() - 1 },
            all_at_once: chosen.spec.all_at_once,
            step: StepSettings::from_config(setup.config),
            optimiser: Optimiser::new(optimiser),
            recorder: StepRecorder::default(),
            task: None,
            current_network: OnceLock::new(),
        })
    }

    /// Returns the loss of a batch (one value without gradient tracking) and the gradients of all weights
    /// (`backbone.<name>`) and of the last head, without an update; labels are relative to the current task.
    ///
    /// # Errors
    /// Returns a Problem if no task has begun.
    pub fn gradients(&self, images: Tensor<4>, labels: &[usize]) -> Result<(Tensor<1>, Gradients)> {
        self.compute_gradients(self.step_inputs(images, labels)?)
    }

    fn step_inputs(&self, images: Tensor<4>, labels: &[usize]) -> Result<Inputs> {
        let head = self.heads.last()?;
        let device = self.backbone.device();
        let targets = targets(labels, head.classes(), self.step.smoothing, &device);
        Ok(((images, targets), (head.clone(), self.weights.clone())))
    }

    fn compute_gradients(
        &self,
        ((images, targets), (head, weights)): Inputs,
    ) -> Result<(Tensor<1>, Gradients)> {
        let (head, weights) = (head.tracked(), weights.tracked());
        let features = plain_features(&*self.backbone.with_weights(&weights)?, images)?;
        let backward =
            Backward::new(head.forward(features), targets, None).with_backbone_gradients(&weights);
        Ok(backward.with_gradients(head.leaves("head"))?.into_parts())
    }

    /// Updates all weights and the last head.
    fn update(&mut self, gradients: Gradients, position: StepPosition) {
        self.current_network = OnceLock::new();
        self.optimiser.step(gradients, position, |step| {
            let weights = std::mem::take(&mut self.weights);
            self.weights =
                weights.map_values(|name, values| step.update(&format!("backbone.{name}"), values));
            if let Some(head) = self.heads.0.last_mut() {
                head.step("head", step);
            }
        });
    }
}

impl Method for FineTune {
    fn remarks(&self) -> Vec<Problem> {
        if self.all_at_once {
            return Vec::new();
        }
        let megabytes = (4 * self.weights.count()).div_ceil(1_000_000);
        let (what, remedy) = if self.without_weights == 0 {
            ("problem-network-saved-every-task", "advice-save-last-network")
        } else {
            ("problem-network-saved-last-task", "advice-save-every-network")
        };
        let what = message!(what, megabytes = megabytes.to_string());
        vec![Problem::new(what).advise(message!(remedy))]
    }

    fn trained_parameters(&self) -> usize {
        self.weights.count()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        let width = self.backbone.feature_width();
        let seed = task_seed(self.seed, task.index);
        let device = self.backbone.device();
        let head = Head::new(width, task.classes.len(), seed, &device);
        self.heads.0.push(head);
        self.optimiser.clear();
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, _pass: &Pass) -> Result<Option<Tensor<1>>> {
        let task = self.task.as_ref().ok_or_else(no_task_problem)?;
        let (loss, gradients) = self.step.learn(batch, |part| {
            let labels = part.batch.local_labels(task);
            let inputs = self.step_inputs(part.batch.images.clone(), &labels)?;
            self.recorder.run(false, inputs, |inputs| self.compute_gradients(inputs))
        })?;
        self.update(gradients, batch.position());
        Ok(Some(loss))
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        // Testing needs the memory.
        self.recorder.clear();
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let backbone = match self.current_network.get() {
            Some(backbone) => backbone.clone(),
            None => {
                let network = self.backbone.with_weights(&self.weights)?;
                self.current_network.get_or_init(|| network).clone()
            }
        };
        Ok(Features::single(plain_features(&*backbone, images)?))
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let logits = self.heads.forward(&features.concatenated(Expert::ANSWER)?);
        answers::answers_from_logits(Expert::ANSWER, &logits)
    }

    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let experts = vec![(Expert::ANSWER, LogitSource::Network(0))];
        let answer_rule = AnswerRule::from_heads(&self.heads, experts)?;
        Ok(ExportedClassifier {
            weights: Some(self.weights.clone()),
            ..ExportedClassifier::from_single_network(PetStack::empty(), answer_rule)
        })
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        Some(&mut self.heads)
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        if let Some(stored) = state.stored() {
            if !stored.has_prefix("backbone.") {
                let tasks = stored.tasks.len();
                let what = message!("problem-network-not-saved", tasks = tasks.to_string());
                return Err(Problem::new(what).advise(message!("advice-choose-last-task")));
            }
            self.current_network = OnceLock::new();
            self.task = Task::last(stored.tasks);
        }
        if !state.is_snapshot() || self.heads.0.len() > self.without_weights {
            state.sync_part(
                &mut self.weights,
                |weights, tensors| weights.write("backbone", tensors),
                |weights, stored| weights.read("backbone", stored.tensors),
            )?;
        }
        let (width, device) = (self.backbone.feature_width(), self.backbone.device());
        self.heads.sync_state("head", (width, &device), state)?;
        self.optimiser.sync_state(&device, state)
    }
}
