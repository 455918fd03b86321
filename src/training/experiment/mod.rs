//! Runs a whole training: tasks → epochs → batches → evaluation.
//!
//! `train` starts a run in a new folder, and `resume` continues a run after its last finished epoch. Both report to a
//! [`Sink`](crate::run::event::Sink) and obey a [`Control`](crate::run::event::Control) between any two batches.

mod attachments;
pub mod estimate;
pub mod footprint;
pub mod gpu_check;
pub mod grid;
mod images;
pub mod inside;
pub mod label_noise;
mod meter;
mod oom_retry;
pub mod overrides;
pub mod pet_costs;
mod plan;
pub mod predict;
pub mod prediction_table;
pub mod predictor_cache;
mod prefetch;
pub mod presets;
mod progress_sink;
mod provenance;
pub mod recorded_backbone;
mod resources;
mod run_device;
mod run_identity;
mod samples;
pub mod speed;
pub mod suggested_settings;
mod teach;
mod trainer;
pub mod trial;
mod unreadable_images;
pub mod upload;
pub mod verification;

use std::path::Path;

use crate::memory;
use crate::message;
use crate::method::{self, ConfiguredMethod, passes_for_task};
use crate::problem::{Problem, Result, join_some};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Event, Phase, RunHeader, Sink};
use crate::run::event_log::LoggedSink;
use crate::store::{self, RunFolder, StoredRun, StoredState};
use crate::texts::Words;

pub use attachments::{RunAttachments, collect_attachments};
pub use plan::{TrainingPlan, restore_advice};
pub use resources::{ResourceCache, augmentation, open_options};
pub use run_device::{check_bf16, weight_type};
pub use samples::sample_images;
pub use teach::{SourcePreview, preview_source, teach};
use trainer::Trainer;

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All tasks were learned and saved.
    Finished(RunHeader),
    /// The user stopped it; it can be continued.
    Stopped(RunHeader),
    /// The user stopped it while it was being prepared, or during an added task; nothing on the disk has changed.
    NotStarted,
}

impl Outcome {
    /// Returns the header of the run, if it began.
    pub fn header(&self) -> Option<&RunHeader> {
        match self {
            Self::Finished(header) | Self::Stopped(header) => Some(header),
            Self::NotStarted => None,
        }
    }
}

/// Trains a new run with these settings and stores it in a new folder under `runs_root`.
///
/// # Errors
/// Returns a Problem if the settings are invalid, if data, weights or plugin do not fit them, or if the device or the
/// disk fails during training. A run can be resumed from what was saved before the failure.
pub fn train(
    config: &RunConfig,
    runs_root: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    start_run(config, None, runs_root, cache, sink, control)
}

/// Trains a new run, or a stored run again as a new run, from its header and its plugin text (`original_run`); the
/// settings may then name other paths of its data and weights and another device.
pub(crate) fn start_run(
    config: &RunConfig,
    original_run: Option<(&RunHeader, &str)>,
    runs_root: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    memory::begin_run();
    let sink = &mut LoggedSink(sink);
    sink.log_preparation("a run is prepared", config);
    check(config)?;
    let mut config = config.clone();
    if original_run.is_none() {
        config.stored_names.clear();
    }
    let plan = TrainingPlan::prepare(&config, original_run, cache, sink, control);
    let Some(plan) = none_if_stopped(plan, control)? else {
        return Ok(Outcome::NotStarted);
    };
    let method = plan.method()?;
    let (images, prints) = plan.data.detailed_fingerprints();
    let mut header = plan.header(&*method, images)?;
    let folder = RunFolder::create(runs_root, &mut header, plan.plugin_text())?;
    plan.start().map_or(Ok(()), |start| start.copy_to_run(folder.path()))?;
    folder.save_provenance(&plan.provenance(), &prints)?;
    let run_path = header.folder.clone();
    oom_retry::run_with_retries(&run_path, &Changes::default(), cache, sink, control, |sink| {
        Trainer::new((plan.into_context(), method), header, folder, sink, control)?.run()
    })
}

/// Checks settings on their own, without data or device.
///
/// # Errors
/// Returns one Problem that names everything that is invalid.
pub fn check(config: &RunConfig) -> Result<()> {
    join_problems(method::problems(config))
}

/// Checks several runs before the first of them begins: settings, class orders, tasks and images, but not device and
/// backbone. Returns `None` if the user stopped the check.
///
/// # Errors
/// Returns a Problem that names the run that cannot begin.
pub fn check_all(
    configs: &[RunConfig],
    cache: &ResourceCache,
    control: &Control,
) -> Result<Option<()>> {
    let check_run = |config: &RunConfig| {
        check(config)?;
        let data = cache.data(config, &|| control.should_continue())?;
        plan::check_data(config, &data)
    };
    for (number, config) in (1..).zip(configs) {
        let checked = check_run(config).map_err(|problem| Problem {
            what: format!(
                "run {number} of {} (class order {}) cannot begin: {}",
                configs.len(),
                config.order,
                problem.what
            ),
            ..problem
        });
        if none_if_stopped(checked, control)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Continues the stopped or killed run in `folder` after its last finished epoch. On the CPU the result equals that
/// of an uninterrupted run.
///
/// # Errors
/// See [`train`]. Also returns a Problem if the run is finished, is open in another program, or if its data or
/// weights have changed.
pub fn resume(
    folder: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    resume_with(folder, &Changes::default(), cache, sink, control)
}

/// Settings of a run that change when it resumes; the run records the change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Name of another device.
    pub device: Option<&'a str>,
    /// Another micro-batch size, in images.
    pub micro_batch: Option<usize>,
}

/// Resumes a run as [`resume`] does, with changed settings.
///
/// # Errors
/// See [`resume`].
pub fn resume_with(
    folder: &Path,
    changes: &Changes<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    let sink = &mut LoggedSink(sink);
    oom_retry::run_with_retries(folder, changes, cache, sink, control, |sink| {
        resume_once(folder, changes, cache, sink, control)
    })
}

/// Resumes the run once; [`oom_retry::run_with_retries`] repeats it with smaller micro-batches.
fn resume_once(
    folder: &Path,
    changes: &Changes<'_>,
    cache: &ResourceCache,
    sink: &mut LoggedSink<'_>,
    control: &Control,
) -> Result<Outcome> {
    memory::begin_run();
    let lock = RunFolder::open(folder)?;
    let mut stored_run = store::load_run(folder)?;
    let Changes { device, micro_batch } = *changes;
    if let Some(device) = device {
        stored_run.header.config.device = device.to_string();
    }
    stored_run.header.config.micro_batch = micro_batch.or(stored_run.header.config.micro_batch);
    check_no_added_tasks(&stored_run)?;
    if stored_run.state == StoredState::Finished {
        // A process that was killed in its last moment left its checkpoint; finishing the run again removes it.
        let _ = lock.finish(is_checkpoint_for_added_tasks(&stored_run.header, &lock));
        return Err(Problem::new(message!("problem-run-finished"))
            .at_path(folder)
            .advise(message!("advice-start-new-run")));
    }
    sink.log_preparation("a run is prepared to resume", &stored_run.header.config);
    // The user may have edited the settings file.
    join_problems(method::problems(&stored_run.header.config))?;
    let original_run = Some((&stored_run.header, stored_run.plugin.as_str()));
    let plan = TrainingPlan::prepare(&stored_run.header.config, original_run, cache, sink, control);
    let Some(plan) = none_if_stopped(plan, control)? else {
        return Ok(Outcome::NotStarted);
    };
    plan.check_unchanged(&stored_run.header)?;
    // The copy on a remote computer is outdated from now on and must not be downloaded over this run.
    store::detach_from_remote(folder)?;
    let (name, gpu_weights) = (&plan.device.info.name, plan.gpu_weights());
    let header = &stored_run.header;
    let changed = device.is_some() || micro_batch.is_some() || lock.has_older_format();
    if changed || header.device != *name || header.gpu_weights != gpu_weights {
        stored_run.header.device.clone_from(name);
        stored_run.header.gpu_weights = gpu_weights;
        lock.save_header(&stored_run.header)?;
    }
    lock.record_machine(provenance::describe_machine(&plan.device.info, stored_run.reports.len()))?;
    let method = plan.method()?;
    let mut trainer =
        Trainer::new((plan.into_context(), method), stored_run.header, lock, sink, control)?;
    trainer.restore_tasks(stored_run.reports)?;
    trainer.run()
}

/// Checks that no tasks were added to a stopped run: such a run cannot resume.
///
/// # Errors
/// Returns a Problem if tasks were added.
pub fn check_no_added_tasks(stored_run: &StoredRun) -> Result<()> {
    let header = &stored_run.header;
    if header.planned_tasks() == header.original_task_count() {
        return Ok(());
    }
    Err(Problem::new(message!("problem-stopped-run-has-added-tasks"))
        .at_path(&header.folder)
        .advise(message!("advice-undo-added-tasks")))
}

/// Returns whether the checkpoint of a finished run is the one that added tasks need: that of the run's own last task
/// after all passes, for a method that keeps state.
fn is_checkpoint_for_added_tasks(header: &RunHeader, folder: &RunFolder) -> bool {
    let last = header.original_task_count().saturating_sub(1);
    let is_needed = ConfiguredMethod::from_config(&header.config).and_then(|chosen| {
        let passes = passes_for_task(header, last)?.len();
        Ok(chosen.spec.needs_state && folder.checkpointed() == Some((last, passes)))
    });
    is_needed.unwrap_or(false)
}

/// Returns the event that says what is being prepared.
pub(crate) fn preparing_event(what: impl Into<Words>) -> Event {
    Event::Phase { run: String::new(), phase: Phase::Preparing(what.into()) }
}

/// Returns `None` if the preparation failed because the user stopped it.
fn none_if_stopped<T>(prepared: Result<T>, control: &Control) -> Result<Option<T>> {
    none_if_cancelled(prepared, || control.should_continue())
}

/// Returns `None` if the preparation failed after `should_continue` had become false.
fn none_if_cancelled<T>(
    prepared: Result<T>,
    should_continue: impl Fn() -> bool,
) -> Result<Option<T>> {
    match prepared {
        Err(_) if !should_continue() => Ok(None),
        prepared => prepared.map(Some),
    }
}

/// Joins several Problems into one, for callers that can return only one.
///
/// # Errors
/// Returns that Problem, unless `problems` is empty.
pub fn join_problems(mut problems: Vec<Problem>) -> Result<()> {
    if problems.len() < 2 {
        return problems.pop().map_or(Ok(()), Err);
    }
    let collect_parts =
        |part: fn(&Problem) -> &str| problems.iter().map(part).collect::<Vec<&str>>();
    Err(Problem::new(collect_parts(|problem| problem.what.as_str()).join("; "))
        .at(join_some(&collect_parts(|problem| problem.place.as_str()), 12))
        .advise(collect_parts(|problem| problem.remedy.as_str()).join("; ")))
}
