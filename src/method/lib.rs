//! Continual-learning methods: what is trained in a task, and how images are classified.
//!
//! The trainer in `experiment` handles tasks, passes and batches. A method defines its passes and implements the steps:
//! start of a task, batch, end of a pass, end of a task, prediction, stored state. Everything else in the program
//! (settings, checks, window, files) reads the method's [`MethodSpec`]. To add a method, write its file and add one row
//! to [`METHODS`].

pub mod answers;
pub mod aper;
mod backward;
pub mod ease;
mod epochs;
pub mod esn;
mod ewc;
mod exemplars;
mod exported_classifier;
pub mod finetune;
pub mod heads;
mod icarl;
mod initial_lora;
pub mod lae;
mod method_settings;
pub mod optimiser;
pub mod pet_tuning;
mod pets;
pub mod prompt;
pub mod prototypes;
pub mod ranpac;
pub mod replay;
mod simplecil;
mod single_class;
mod spec;
mod state;
mod step_settings;
mod task;
mod unused_settings;

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use lae_base::{counts, message, metrics, names, problem, sync, texts};
use lae_compute::{nn, tensors};
use lae_data as data;
use lae_network::{backbone, pet};
use lae_runs::{run, store};

use crate::backbone::Backbone;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
pub use crate::run::config::{SettingKind, SettingSpec};
use crate::tensors::{GeneratedTensors, HostTensor, NamedTensors};

pub use answers::{Answer, Features, TEMPERATURE, plain_features};
pub use backward::Backward;
pub use epochs::{epochs_for_task, frozen_pet_problem, passes_for_task, steps_for_task};
pub use exemplars::Exemplar;
pub use exported_classifier::{AnswerRule, CosinePart, ExportedClassifier, LogitSource};
pub use heads::Heads;
pub use initial_lora::check_start;
pub use lae::{Lae, LaeSettings};
pub use method_settings::{
    apply_assignment, apply_pet_defaults, apply_published_values, find_method, problems, run_title,
    switch_method, train_command, with_explicit_settings,
};
pub use pets::{PetPlan, TrainedPet};
pub use single_class::{SingleClassTasks, learns_by_gradients, single_class_tasks};
pub use spec::{
    ClosedForm, ConfiguredMethod, Context, MemoryEstimate, MethodSpec, PetUse, PublishedValues,
    Rate, RunSizes, UnusedSetting, Workload,
};
pub(crate) use spec::{real_kind, whole_kind};
pub use state::{State, StoredState};
pub use step_settings::{BatchPart, StepSettings};
pub use task::{
    Batch, CancelToken, MeasuredValue, Measurement, Moment, Pass, PassImages, PassWork, Task,
};
pub use unused_settings::Plugin;

/// All methods, in display order.
pub const METHODS: &[&MethodSpec] = &[
    &lae::LAE,
    &lae::BASELINE,
    &finetune::SEQUENTIAL,
    &finetune::JOINT,
    &prompt::l2p::SPEC,
    &prompt::dualprompt::SPEC,
    &prompt::coda::SPEC,
    &simplecil::SPEC,
    &aper::SPEC,
    &ranpac::SPEC,
    &ease::SPEC,
    &esn::SPEC,
    &ewc::SPEC,
    &icarl::SPEC,
];

/// A continual-learning method during a run.
pub trait Method: Send + Sync {
    /// Returns the number of trainable parameters without heads.
    fn trained_parameters(&self) -> usize;

    /// Returns remarks on valid settings, before the first task.
    fn remarks(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Uses training images of earlier classes (positions in the class order), preprocessed like test images, to
    /// represent these classes in the next task. Only called before an added task of a single class; see
    /// [`MethodSpec::supports_single_class`].
    ///
    /// # Errors
    /// Returns a Problem if an equation does not fit or the device failed.
    fn measure_earlier(&mut self, _images: Tensor<4>, _classes: &[usize]) -> Result<()> {
        Ok(())
    }

    /// Adds the classes of the next task.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn begin_task(&mut self, task: &Task) -> Result<()>;

    /// Processes one batch of a pass. Returns the loss of a training batch, which stays on the device (one value: local
    /// cross-entropy and the method's own terms) because reading it waits for the device. `None` for a batch of a
    /// measuring pass.
    ///
    /// # Errors
    /// Returns a Problem if an equation does not fit or the device failed.
    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>>;

    /// Called at the end of a pass (from 0, within the task); closed forms are solved here. Long computations report
    /// their steps to `cancel_token` and end when it cancels; the method must not be used afterwards.
    ///
    /// # Errors
    /// Returns a Problem if there is no solution, the device failed, or `cancel_token` cancelled the computation.
    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        Ok(())
    }

    /// Called after a task's passes, before its evaluation.
    ///
    /// # Errors
    /// As [`Method::end_pass`].
    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        Ok(())
    }

    /// Computes the first step of an answer: the input of the heads for a batch of normalised images. If images pass
    /// through the network several times, the last pass is that of the last expert.
    ///
    /// # Errors
    /// Returns a Problem if an equation does not fit or the device failed.
    fn features(&self, images: Tensor<4>) -> Result<Features>;

    /// Computes the second step: the answers for such features, row by row.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn classify(&self, features: &Features) -> Result<Vec<Answer>>;

    /// Classifies a batch of normalised images, each independently.
    ///
    /// # Errors
    /// As for the two steps.
    fn predict(&self, images: Tensor<4>) -> Result<Vec<Answer>> {
        self.classify(&self.features(images)?)
    }

    /// Returns the stored training images of earlier tasks, in the order in which [`PassImages::WithExemplars`] uses
    /// them; empty for most methods.
    fn exemplars(&self) -> &[Exemplar] {
        &[]
    }

    /// Returns the linear heads, one for each task begun, so that they can be changed after a task; `None` if the
    /// method does not use linear heads.
    fn heads_mut(&mut self) -> Option<&mut Heads> {
        None
    }

    /// Returns the current PETs; empty for a method without PETs.
    ///
    /// # Errors
    /// Returns a Problem if an initial PET cannot be created.
    fn pets(&self) -> Result<Vec<TrainedPet>> {
        Ok(Vec::new())
    }

    /// Returns the computation of the answers as plain numbers, for other programs.
    ///
    /// # Errors
    /// Returns a Problem if the answers cannot be computed from features and scores alone, if nothing was learned yet,
    /// or if the device failed.
    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        Err(ExportedClassifier::unsupported_problem())
    }

    /// Returns the time of [`Method::study`] per image after this task (from 0), relative to the time of an answer; 0
    /// for a method without a study.
    fn study_cost(&self, _task: usize) -> f64 {
        0.0
    }

    /// Measures normalised test images with their classes, in addition to the answers. [`Method::end_task`] resets the
    /// measurements.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn study(&mut self, _images: Tensor<4>, _classes: &[i64]) -> Result<()> {
        Ok(())
    }

    /// Returns measurements of the current state and the results of [`Method::study`].
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn measurements(&self, _moment: Moment) -> Result<Vec<Measurement>> {
        Ok(Vec::new())
    }

    /// Returns the number of values in memory that answers need but snapshots do not contain, because they are
    /// generated.
    fn generated_value_count(&self) -> usize {
        0
    }

    /// Writes or reads the tensors of the method's state, each under its own name.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor, or if the device failed.
    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()>;

    /// Returns the tensors needed for answers: the content of a snapshot. The method does not change.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn snapshot(&mut self) -> Result<NamedTensors> {
        let mut tensors = NamedTensors::new();
        self.sync_state(&mut State::Snapshot(&mut tensors))?;
        Ok(tensors)
    }

    /// Returns everything needed to resume exactly. The method does not change.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn checkpoint(&mut self) -> Result<NamedTensors> {
        let mut tensors = NamedTensors::new();
        self.sync_state(&mut State::Checkpoint(&mut tensors))?;
        Ok(tensors)
    }

    /// Returns the tensors of a checkpoint that are too large to copy.
    fn generated_tensors(&self) -> GeneratedTensors<'_> {
        GeneratedTensors::new()
    }

    /// Restores the tensors of [`Method::generated_tensors`] after a checkpoint; `read` reads a tensor by name.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    fn restore_generated(&mut self, _read: &dyn Fn(&str) -> Result<HostTensor>) -> Result<()> {
        Ok(())
    }

    /// Restores a snapshot or a checkpoint made after these tasks had begun. After an error the method may be partly
    /// restored and must not be used.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    fn restore(&mut self, tensors: &NamedTensors, tasks: &[Range<usize>]) -> Result<()> {
        self.sync_state(&mut State::Restore(StoredState { tensors, tasks }))
    }

    /// Restores a run from its snapshots after these complete tasks, to learn another task; `snapshot` reads the
    /// snapshot of a task (from 0).
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    fn restore_snapshot(
        &mut self,
        snapshot: &SnapshotReader<'_>,
        tasks: &[Range<usize>],
    ) -> Result<()> {
        let last = tasks.len().saturating_sub(1);
        self.restore(&snapshot(last)?, tasks)
    }
}

impl dyn Method {
    /// Calls [`Method::learn`] on the pool of threads for tensor work; see [`nn::run_in_thread_pool`].
    ///
    /// # Errors
    /// As [`Method::learn`].
    pub fn learn_in_pool(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        nn::run_in_thread_pool(&batch.images, || self.learn(batch, pass))
    }

    /// Calls [`Method::features`] on the pool of threads for tensor work; see [`nn::run_in_thread_pool`].
    ///
    /// # Errors
    /// As [`Method::features`].
    pub fn features_in_pool(&self, images: Tensor<4>) -> Result<Features> {
        nn::run_in_thread_pool(&images.clone(), || self.features(images))
    }

    /// Calls [`Method::classify`] for the features of `images` on the pool of threads for tensor work; see
    /// [`nn::run_in_thread_pool`].
    ///
    /// # Errors
    /// As [`Method::classify`].
    pub fn classify_in_pool(&self, images: &Tensor<4>, features: &Features) -> Result<Vec<Answer>> {
        nn::run_in_thread_pool(images, || self.classify(features))
    }

    /// Calls [`Method::predict`] on the pool of threads for tensor work; see [`nn::run_in_thread_pool`].
    ///
    /// # Errors
    /// As [`Method::predict`].
    pub fn predict_in_pool(&self, images: Tensor<4>) -> Result<Vec<Answer>> {
        nn::run_in_thread_pool(&images.clone(), || self.predict(images))
    }
}

/// A function that reads the snapshot of a task (from 0).
pub type SnapshotReader<'a> = dyn Fn(usize) -> Result<NamedTensors> + 'a;

/// The input for creating a method.
pub struct Setup<'a> {
    /// All settings of the run.
    pub config: &'a RunConfig,
    /// The backbone.
    pub backbone: Arc<dyn Backbone>,
    /// The PET plugin with its sizes and blocks, if the settings train a PET.
    pub pet: Option<&'a PetPlan>,
    /// The classes of each task of the run, including added tasks.
    pub tasks: &'a [Range<usize>],
    /// Number of tasks that the run was set up with.
    pub planned_tasks: usize,
    /// Number of the run's own tasks, the first in `tasks`; the others are added tasks.
    pub own_tasks: usize,
    /// Output positions of added tasks that belong to a known class, each with the position of that class.
    pub repeated_classes: &'a [(usize, usize)],
}

impl Setup<'_> {
    /// Returns newly initialised PETs.
    ///
    /// # Errors
    /// Returns a Problem if there is no PET, or its parameters cannot be created.
    pub fn init_pets(&self, seed: u64) -> Result<PetStack> {
        let plan = self.pet.ok_or_else(|| Problem::new(message!("problem-method-needs-pet")))?;
        plan.init_stack(&*self.backbone, seed)
    }
}

/// The methods that a trial compares with the selected one, each with settings that differ from the defaults. On few
/// images, 2000 projections are as accurate as 10000 and are solved in a second. The first method trains nothing.
pub const TRIAL_METHODS: &[(&MethodSpec, &[(&str, Setting)])] = &[
    (&simplecil::SPEC, &[]),
    (&ranpac::SPEC, &[("projection", Setting::Whole(2000))]),
    (&lae::LAE, &[]),
];

/// Returns the method that these settings name, before its first task.
///
/// # Errors
/// Returns a Problem for an unknown method or unsuitable settings.
pub fn build(setup: Setup<'_>) -> Result<Box<dyn Method>> {
    (find_method(&setup.config.method)?.build)(setup)
}

/// Returns the seed of the initial values of a task (from 0), derived from the run's seed.
pub(crate) fn task_seed(seed: u64, task: usize) -> u64 {
    seed.wrapping_mul(1_000_003).wrapping_add(task as u64 + 1)
}
