//! A run from end to end: tasks → epochs → batches → evaluation.
//!
//! `train` begins a run in a folder of its own, `resume` continues one from its last finished
//! epoch. Both report to a [`Sink`](crate::run::event::Sink) and obey a
//! [`Control`](crate::run::event::Control) between any two batches.

pub mod doubt;
pub mod estimate;
mod fitting;
pub mod footprint;
pub mod gpu_check;
pub mod grid;
mod images;
pub mod inside;
mod meter;
mod oom_retry;
pub mod overrides;
mod own;
pub mod pet_costs;
pub mod pet_trial;
mod plan;
pub mod predict;
pub mod predictor_cache;
mod prefetch;
pub mod presets;
pub mod proof;
mod provenance;
pub mod recorded_backbone;
mod resources;
mod run_identity;
mod samples;
pub mod sheet;
mod silent_sink;
pub mod speed;
pub mod suggested_settings;
mod teach;
mod trainer;
pub mod trial;
mod unreadable_images;
pub mod upload;

use std::path::Path;

use crate::memory;
use crate::message;
use crate::method::{self, Chosen, passes_of};
use crate::problem::{Problem, Result, listed};
use crate::run::config::RunConfig;
use crate::run::diary::Noted;
use crate::run::event::{Control, ControlRequest, RunHeader, Sink};
use crate::store::{self, RunFolder, StoredRun, StoredState};

pub use fitting::{has_bf16, weight_type};
pub use own::{Along, take_along};
pub use plan::{TrainingPlan, put_back};
pub use resources::{ResourceCache, augment_of, open_options};
pub use samples::sample_pictures;
pub use teach::{Found, found, teach};
use trainer::Trainer;

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All tasks were learned and saved.
    Finished(RunHeader),
    /// The user stopped it; it can be continued.
    Stopped(RunHeader),
    /// The user stopped it while it was being prepared, or while it was an added task; nothing has
    /// changed on the disk.
    NotBegun,
}

impl Outcome {
    /// The run's facts, if it began.
    pub fn header(&self) -> Option<&RunHeader> {
        match self {
            Self::Finished(header) | Self::Stopped(header) => Some(header),
            Self::NotBegun => None,
        }
    }
}

/// Trains a new run with these settings, kept in a new folder under `runs_root`.
///
/// # Errors
/// Returns a Problem for settings, data, weights or plugin that do not fit, and for a device or disk that
/// fails on the way; what was saved by then can be continued.
pub fn train(
    config: &RunConfig,
    runs_root: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    begin(config, None, runs_root, cache, sink, control)
}

/// Trains the run of these facts and this plugin text again as a new one, with settings that may lead elsewhere to
/// its data, weights and device.
///
/// # Errors
/// As [`train`].
pub(crate) fn train_again(
    config: &RunConfig,
    once: (&RunHeader, &str),
    runs_root: &Path,
    cache: &ResourceCache,
    (sink, control): (&mut dyn Sink, &Control),
) -> Result<Outcome> {
    begin(config, Some(once), runs_root, cache, sink, control)
}

fn begin(
    config: &RunConfig,
    once: Option<(&RunHeader, &str)>,
    runs_root: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    memory::begin_run();
    let sink = &mut Noted(sink);
    sink.prepare("a run is prepared", config);
    check(config)?;
    let mut config = config.clone();
    if once.is_none() {
        config.stored_names.clear();
    }
    let plan = TrainingPlan::prepare(&config, once, cache, sink, control);
    let Some(plan) = unless_stopped(plan, control)? else {
        return Ok(Outcome::NotBegun);
    };
    let method = plan.method()?;
    let (images, prints) = plan.data.prints();
    let mut header = plan.header(&*method, images)?;
    let folder = RunFolder::create(runs_root, &mut header, plan.plugin_text())?;
    plan.start()
        .map_or(Ok(()), |start| folder.keep_start(start))?;
    folder.keep_provenance(&plan.provenance(), &prints)?;
    let place = header.folder.clone();
    oom_retry::to_the_end(&place, cache, sink, control, |sink| {
        Trainer::new((plan.kit(), method), header, folder, sink, control)?.run()
    })
}

/// Checks settings as far as they can be checked alone.
///
/// # Errors
/// One Problem that names all that is wrong.
pub fn check(config: &RunConfig) -> Result<()> {
    all_at_once(method::problems(config))
}

/// Checks, before the first of several runs begins, what can be said of all of them without their
/// device and backbone: settings, class orders, tasks and images. `None` if the user stopped it.
///
/// # Errors
/// Returns a Problem that names the run that could not begin.
pub fn check_all(
    configs: &[RunConfig],
    cache: &ResourceCache,
    control: &Control,
) -> Result<Option<()>> {
    let fits = |config: &RunConfig| {
        check(config)?;
        let data = cache.data(config, &|| control.request() != ControlRequest::Stop)?;
        plan::fits(config, &data)
    };
    for (number, config) in (1..).zip(configs) {
        let checked = fits(config).map_err(|problem| Problem {
            what: format!(
                "run {number} of {} (class order {}) cannot begin: {}",
                configs.len(),
                config.order,
                problem.what
            ),
            ..problem
        });
        if unless_stopped(checked, control)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Continues the stopped or killed run in `folder` from its last finished epoch. On the CPU device
/// the result equals that of an uninterrupted run.
///
/// # Errors
/// As `train`; besides, a Problem when the run is finished, is in another program's hands, or its
/// data or weights are no longer what they were.
pub fn resume(
    folder: &Path,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    resume_on(folder, &Changes::default(), cache, sink, control)
}

/// What a run resumes with that it did not begin with; it then says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Another device.
    pub device: Option<&'a str>,
    /// This many images at once.
    pub micro_batch: Option<usize>,
}

/// As [`resume`], with what is changed.
///
/// # Errors
/// As [`resume`].
pub fn resume_on(
    folder: &Path,
    changes: &Changes<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    let sink = &mut Noted(sink);
    oom_retry::to_the_end(folder, cache, sink, control, |sink| {
        go_on(folder, changes, cache, sink, control)
    })
}

/// Takes a run up once.
fn go_on(
    folder: &Path,
    changes: &Changes<'_>,
    cache: &ResourceCache,
    sink: &mut Noted<'_>,
    control: &Control,
) -> Result<Outcome> {
    memory::begin_run();
    let lock = RunFolder::open(folder)?;
    let mut stored = store::load(folder)?;
    let Changes {
        device,
        micro_batch,
    } = *changes;
    if let Some(device) = device {
        stored.header.config.device = device.to_string();
    }
    stored.header.config.micro_batch = micro_batch.or(stored.header.config.micro_batch);
    check_untaught(&stored)?;
    if stored.state == StoredState::Finished {
        // Killed in its last moment, it left its checkpoint, which resuming it cleans up.
        let _ = lock.finish(for_added_tasks(&stored.header, &lock));
        return Err(Problem::new(message!("problem-run-finished"))
            .at_path(folder)
            .advise(message!("advice-start-new-run")));
    }
    sink.prepare("a run is prepared to resume", &stored.header.config);
    // The file may have been edited.
    all_at_once(method::problems(&stored.header.config))?;
    let begun = Some((&stored.header, stored.plugin.as_str()));
    let plan = TrainingPlan::prepare(&stored.header.config, begun, cache, sink, control);
    let Some(plan) = unless_stopped(plan, control)? else {
        return Ok(Outcome::NotBegun);
    };
    plan.agrees_with(&stored.header)?;
    // What a place has of it is older from now on, and must not be downloaded over it.
    store::forget_place(folder)?;
    let (name, gpu_weights) = (&plan.ready.info.name, plan.gpu_weights());
    let header = &stored.header;
    let changed = device.is_some() || micro_batch.is_some() || lock.is_older();
    if changed || header.device != *name || header.gpu_weights != gpu_weights {
        stored.header.device.clone_from(name);
        stored.header.gpu_weights = gpu_weights;
        lock.save_header(&stored.header)?;
    }
    lock.goes_on_at(provenance::machine(&plan.ready.info, stored.reports.len()))?;
    let method = plan.method()?;
    let mut trainer = Trainer::new((plan.kit(), method), stored.header, lock, sink, control)?;
    trainer.take_up(stored.reports)?;
    trainer.run()
}

/// Checks that a run's next task is one of the run's own tasks: a run that was stopped and then taught cannot resume.
///
/// # Errors
/// Returns a Problem if it was.
pub fn check_untaught(stored: &StoredRun) -> Result<()> {
    let header = &stored.header;
    if header.planned_tasks() == header.own_tasks() {
        return Ok(());
    }
    Err(
        Problem::new(message!("problem-stopped-run-has-added-tasks"))
            .at_path(&header.folder)
            .advise(message!("advice-undo-added-tasks")),
    )
}

/// Whether the checkpoint that a finished run left is what its added tasks need: that of its own last task,
/// after all passes.
fn for_added_tasks(header: &RunHeader, folder: &RunFolder) -> bool {
    let last = header.own_tasks().saturating_sub(1);
    let whole = Chosen::of(&header.config).and_then(|chosen| {
        let passes = passes_of(header, last)?.len();
        Ok(chosen.spec.needs_state && folder.checkpointed() == Some((last, passes)))
    });
    whole.unwrap_or(false)
}

/// `None` for a preparation that failed because the user stopped it.
fn unless_stopped<T>(prepared: Result<T>, control: &Control) -> Result<Option<T>> {
    unless(prepared, || control.request() != ControlRequest::Stop)
}

/// The same for work that continues only while it is needed.
fn unless<T>(prepared: Result<T>, go_on: impl Fn() -> bool) -> Result<Option<T>> {
    match prepared {
        Err(_) if !go_on() => Ok(None),
        prepared => prepared.map(Some),
    }
}

/// One Problem out of several, so that a caller with one error channel still names them all.
///
/// # Errors
/// That Problem, where there is any.
pub fn all_at_once(problems: Vec<Problem>) -> Result<()> {
    let mut rest = problems.into_iter();
    let Some(first) = rest.next() else {
        return Ok(());
    };
    let others: Vec<Problem> = rest.collect();
    if others.is_empty() {
        return Err(first);
    }
    let mut whats = vec![first.what];
    let mut places = vec![first.place];
    let mut remedies = vec![first.remedy];
    for problem in others {
        whats.push(problem.what);
        places.push(problem.place);
        remedies.push(problem.remedy);
    }
    Err(Problem::new(whats.join("; "))
        .at(listed(&places, 12))
        .advise(remedies.join("; ")))
}
