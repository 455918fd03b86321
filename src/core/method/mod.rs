//! Continual-learning methods: what is trained in a task, and who answers.
//!
//! The trainer in `experiment` knows tasks, passes and batches; a method says which passes it
//! wants and knows the moments of them: a task begins, a batch comes, a pass ends, a task ends,
//! images are to be answered, the state is kept. Everything else in the program — settings,
//! checks, window, files — reads the method's [`MethodSpec`]. To add a method: write its file,
//! add one row to [`METHODS`].

pub mod answers;
pub mod aper;
mod backward;
mod chosen;
pub mod cosine;
pub mod ease;
mod epochs;
pub mod esn;
mod ewc;
mod exemplars;
mod features;
pub mod finetune;
mod frozen;
mod go_on;
pub mod heads;
mod icarl;
mod idle;
pub mod lae;
mod measurement;
pub mod optimiser;
mod pets;
pub mod prompt;
pub mod prototypes;
pub mod ranpac;
mod recipe;
mod simplecil;
mod single_class;
mod spec;
mod start;
mod step;
mod task;
pub mod tuning;

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use crate::backbone::Backbone;
use crate::message;
use crate::nn;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
pub use crate::run::config::{SettingKind, SettingSpec};
use crate::tensors::{Bulk, HostTensor, Named};

pub use answers::{Answer, TEMPERATURE};
pub use backward::Backward;
pub use chosen::{
    BackboneShape, adopt, adopt_published, command, filled, named_method, problems, run_title, set,
    usual_pet,
};
pub use epochs::{epochs_of, passes_of, steps_of};
pub use exemplars::Exemplar;
pub use features::{Features, plain};
pub use frozen::all_frozen;
pub use go_on::GoOn;
pub use heads::Heads;
pub use idle::Plugin;
pub use lae::{Lae, LaeSettings};
pub use measurement::{Measured, Measurement, Moment};
pub use pets::{PetPlan, TrainedPet};
pub use recipe::{CosinePart, Reading, Recipe, Voice};
pub use single_class::{SingleClassTasks, learns, single_class_tasks};
pub use spec::{
    Chosen, ClosedForm, Context, Idle, MemoryEstimate, MethodSpec, PetUse, PublishedValues, Rate,
    RunSizes, Workload,
};
pub use start::check_start;
pub use step::{BatchPart, StepSettings};
pub use task::{Batch, Pass, PassImages, PassWork, Task};

/// All methods, in the order they are offered.
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

/// A continual-learning method at work.
pub trait Method: Send + Sync {
    /// Numbers that are trained, heads not counted.
    fn trained_parameters(&self) -> usize;

    /// Warnings about valid settings, before the first task.
    fn remarks(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Makes room for the classes of the next task.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn begin_task(&mut self, task: &Task) -> Result<()>;

    /// Takes one batch of a pass. The loss of a learned batch stays on the device (one value,
    /// local cross-entropy with what the method adds): reading it waits for the device. `None` for a
    /// batch that was only measured.
    ///
    /// # Errors
    /// Returns a Problem if an equation does not fit or the device failed.
    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>>;

    /// Called at the end of a pass (from 0, within the task): closed forms are solved here. What
    /// takes long reports its steps to `go_on` and ends where that says so; the method is then of no
    /// more use.
    ///
    /// # Errors
    /// Returns a Problem if there is no solution, the device failed, or `go_on` ended it.
    fn end_pass(&mut self, _pass: usize, _go_on: &mut GoOn<'_>) -> Result<()> {
        Ok(())
    }

    /// Called when a task's passes are done, before its evaluation.
    ///
    /// # Errors
    /// As [`Method::end_pass`].
    fn end_task(&mut self, _go_on: &mut GoOn<'_>) -> Result<()> {
        Ok(())
    }

    /// The first step of an answer: what the heads read of a batch of normalised images. Where
    /// images go through the network several times, the last pass is the last expert's.
    ///
    /// # Errors
    /// Returns a Problem if an equation does not fit or the device failed.
    fn features(&self, images: Tensor<4>) -> Result<Features>;

    /// The second step: what the experts say to such features, to each row by itself.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn classify(&self, features: &Features) -> Result<Vec<Answer>>;

    /// Answers a batch of normalised images, each by itself.
    ///
    /// # Errors
    /// Those of the two steps.
    fn predict(&self, images: Tensor<4>) -> Result<Vec<Answer>> {
        self.classify(&self.features(images)?)
    }

    /// The training images of earlier tasks that it keeps to learn again, in the order in which
    /// [`PassImages::WithExemplars`] shows them; empty for most methods.
    fn exemplars(&self) -> &[Exemplar] {
        &[]
    }

    /// The linear heads that classify, one for each task begun, for what acts on them after a task;
    /// `None` if features are classified in another way.
    fn heads_mut(&mut self) -> Option<&mut Heads> {
        None
    }

    /// The PETs that answer now; empty for a method that trains no PET.
    ///
    /// # Errors
    /// Returns a Problem if a fresh one cannot be formed.
    fn pets(&self) -> Result<Vec<TrainedPet>> {
        Ok(Vec::new())
    }

    /// How it answers, as plain numbers for other programs.
    ///
    /// # Errors
    /// Returns a Problem if that takes more than features and scores, before anything was learned, or when
    /// the device failed.
    fn recipe(&self) -> Result<Recipe> {
        Err(Recipe::none())
    }

    /// What [`Method::study`] takes for an image after this task (from 0), against answering it; 0 for
    /// a method that studies no test images.
    fn study_cost(&self, _task: usize) -> f64 {
        0.0
    }

    /// Takes normalised test images with their classes in, for what it measures of them beside its
    /// answers. [`Method::end_task`] resets that.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn study(&mut self, _images: Tensor<4>, _classes: &[i64]) -> Result<()> {
        Ok(())
    }

    /// Figures of its own about the state it is in, and what it studied.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn measurements(&self, _moment: Moment) -> Result<Vec<Measurement>> {
        Ok(Vec::new())
    }

    /// Numbers that it holds to answer beside those of a snapshot: what is drawn again from the seed.
    fn drawn_numbers(&self) -> usize {
        0
    }

    /// The tensors that answer: what a snapshot holds.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn snapshot(&self) -> Result<Named>;

    /// Everything needed to resume exactly as if nothing had happened.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    fn checkpoint(&self) -> Result<Named> {
        self.snapshot()
    }

    /// What a checkpoint holds besides, where a copy of it would take too much memory.
    fn bulk(&self) -> Bulk<'_> {
        Bulk::new()
    }

    /// Takes back, after a checkpoint, what [`Method::bulk`] gave; `read` reads a tensor by name.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    fn restore_bulk(&mut self, _read: &dyn Fn(&str) -> Result<HostTensor>) -> Result<()> {
        Ok(())
    }

    /// Takes back a snapshot or a checkpoint; these tasks were begun by then.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    fn restore(&mut self, state: &Named, tasks: &[Range<usize>]) -> Result<()>;

    /// Takes up a run after these whole tasks from its snapshots, to learn another one; `snapshot`
    /// reads that of a task (from 0).
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    fn take_up(&mut self, snapshot: &Snapshots<'_>, tasks: &[Range<usize>]) -> Result<()> {
        let last = tasks.len().saturating_sub(1);
        self.restore(&snapshot(last)?, tasks)
    }
}

impl dyn Method {
    /// [`Method::learn`] on threads that compute for nothing else; see [`nn::together`].
    ///
    /// # Errors
    /// As [`Method::learn`].
    pub fn learn_together(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        nn::together(&batch.images, || self.learn(batch, pass))
    }

    /// [`Method::predict`] on such threads.
    ///
    /// # Errors
    /// As [`Method::predict`].
    pub fn predict_together(&self, images: Tensor<4>) -> Result<Vec<Answer>> {
        nn::together(&images.clone(), || self.predict(images))
    }
}

/// Reads the snapshot of a task (from 0).
pub type Snapshots<'a> = dyn Fn(usize) -> Result<Named> + 'a;

/// What a method is made from.
pub struct Setup<'a> {
    /// All settings of the run.
    pub config: &'a RunConfig,
    /// The network.
    pub backbone: Arc<dyn Backbone>,
    /// The PET plugin in its form, where the settings train one.
    pub pet: Option<&'a PetPlan>,
    /// The classes of each task of the run, its added tasks included.
    pub tasks: &'a [Range<usize>],
    /// Tasks that the run was set up with.
    pub planned: usize,
    /// How many of `tasks`, the first, are the run's own; the others are added tasks.
    pub own: usize,
    /// Positions of added tasks that count for the class of another, each with that.
    pub again: &'a [(usize, usize)],
}

impl Setup<'_> {
    /// Freshly initialised PETs.
    ///
    /// # Errors
    /// Returns a Problem if there is no PET, or its parameters cannot be formed.
    pub fn fresh_pets(&self, seed: u64) -> Result<PetStack> {
        let plan = self
            .pet
            .ok_or_else(|| Problem::new(message!("problem-this-method-needs-pet-plugin")))?;
        plan.stack(&*self.backbone, seed)
    }
}

/// The methods that a trial sets beside the chosen one, each with what is proposed other than its usual settings: 2000
/// projections answer few images as well as 10000 and are solved in a second.
pub const SET_BESIDE: &[(&MethodSpec, &[(&str, Setting)])] = &[
    (&simplecil::SPEC, &[]),
    (&ranpac::SPEC, &[("projection", Setting::Whole(2000))]),
    (&lae::LAE, &[]),
];

/// The method that these settings name, before its first task.
///
/// # Errors
/// Returns a Problem for an unknown method or settings that do not fit.
pub fn build(setup: Setup<'_>) -> Result<Box<dyn Method>> {
    (named_method(&setup.config.method)?.build)(setup)
}

/// The seed of the initial values a task brings (from 0), from the run's seed.
pub(crate) fn task_seed(seed: u64, task: usize) -> u64 {
    seed.wrapping_mul(1_000_003).wrapping_add(task as u64 + 1)
}
