//! The state that an added task starts from: whether the run can be taught, its method after the last complete task,
//! and its old images, if they are available.

use crate::data::Split;
use crate::data::scenario::{ClassOrder, TaskSizes};
use crate::experiment::images::RunDataset;
use crate::experiment::plan::{restore_advice, same_classes, scenario};
use crate::experiment::{ResourceCache, all_at_once};
use crate::message;
use crate::method::{self, CancelToken, Chosen, Method, passes_of};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::{self, RunFolder, StoredRun, StoredState};

/// Checks that a run can learn an added task; returns the title of its method.
pub(super) fn teachable(stored: &StoredRun) -> Result<String> {
    let header = &stored.header;
    let chosen = Chosen::of(&header.config)?;
    let title = chosen.spec.title.to_string();
    if chosen.spec.all_at_once {
        return Err(Problem::new(message!(
            "problem-joint-method-cannot-add",
            title = title.as_str()
        ))
        .at_path(&header.folder)
        .advise(message!("advice-use-run-of-other-method")));
    }
    if stored.reports.is_empty() {
        return Err(Problem::new(message!("problem-no-finished-task"))
            .at_path(&header.folder)
            .advise(message!("advice-resume-until-first-task")));
    }
    all_at_once(method::problems(&header.config))?;
    Ok(title)
}

/// Restores the method's state after the last complete task.
pub(super) fn restore(
    method: &mut dyn Method,
    stored: &StoredRun,
    run: &RunFolder,
    title: &str,
) -> Result<()> {
    let header = &stored.header;
    let last = stored.reports.len() - 1;
    let known = &header.tasks[..=last];
    let chosen = Chosen::of(&header.config)?;
    if chosen.spec.needs_state {
        let passes = passes_of(header, last)?.len();
        let state = run.load_state(last)?;
        let whole = state.filter(|(state, _)| state.epochs_done == passes);
        let Some((state, path)) = whole else {
            return Err(not_kept(stored, title, "it"));
        };
        method.restore(&state.tensors, known)?;
        method.restore_bulk(&|name| match state.tensors.get(name) {
            Some(tensor) => Ok(tensor.clone()),
            None => store::load_bulk(&path, name),
        })?;
    } else {
        let folder = &header.folder;
        let taken = method.restore_snapshot(&|task| store::load_snapshot(folder, task), known);
        match stored.state {
            StoredState::Finished => taken?,
            _ => taken.map_err(|problem| not_kept(stored, title, &problem.what))?,
        }
    }
    method.end_task(&mut CancelToken::never())
}

/// Returns the Problem that something the method needs to learn another task is missing.
fn not_kept(stored: &StoredRun, title: &str, what: &str) -> Problem {
    let (why, remedy) = match stored.state {
        StoredState::Finished => (
            "problem-learning-data-older-version",
            "advice-train-run-again",
        ),
        _ => (
            "problem-learning-data-run-stopped",
            "advice-resume-then-add-task",
        ),
    };
    let what = match what {
        "it" => message!(why, title),
        what => message!("problem-cannot-learn-another-task", title, what),
    };
    Problem::new(what)
        .at_path(&stored.header.folder)
        .advise(message!(remedy))
}

/// Returns the Problem that the method's settings leave no room for another task.
pub(super) fn full(title: &str, problem: Problem) -> Problem {
    let what = problem.what.as_str();
    Problem::new(message!("problem-no-room-for-task", title, what))
        .at(problem.place)
        .advise(message!("advice-undo-added-task-or-train"))
}

/// Checks that the dataset has the training images that the run learned from. Runs of older versions without
/// fingerprints are compared by their numbers of images.
pub(in crate::experiment) fn check_training_images(
    header: &RunHeader,
    own: &RunDataset,
) -> Result<()> {
    let tasks = 0..header.own_tasks();
    let same = match &header.images {
        Some(images) => own.data.has_images_of(Split::Train, images),
        None => tasks
            .map(|task| own.scenario.train_of(&own.data, task).len())
            .eq(header.train_images[..header.own_tasks()].iter().copied()),
    };
    match same {
        true => Ok(()),
        false => Err(Problem::new(message!("problem-training-images-changed"))
            .at(&header.config.data)
            .advise(restore_advice(&own.data, "advice-restore-images-or-train"))),
    }
}

/// Checks that the run's own training images are available; they represent its classes while a single class is
/// learned.
pub(super) fn check_earlier_images(
    header: &RunHeader,
    title: &str,
    cache: &ResourceCache,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<()> {
    let own = own_images(header, cache, go_on);
    let checked = own.and_then(|own| check_training_images(header, &own));
    checked.map_err(|problem| {
        Problem::new(message!(
            "problem-single-class-needs-dataset",
            title,
            why = problem.words()
        ))
        .at(&header.config.data)
        .advise(message!("advice-restore-dataset-or-add-class"))
    })
}

/// Checks that the method will replay the images that it chose. Exemplars are indices into the training images of the
/// run's tasks, so they would name other images if the dataset changed.
pub(super) fn check_exemplars(
    method: &dyn Method,
    header: &RunHeader,
    own: Option<&RunDataset>,
    title: &str,
) -> Result<()> {
    let own_tasks = header.own_tasks();
    let kept = method.exemplars().iter();
    let replayed = kept.filter(|kept| kept.task < own_tasks).count();
    if replayed == 0 {
        return Ok(());
    }
    let Some(own) = own else {
        return Err(Problem::new(message!(
            "problem-exemplars-without-dataset",
            title,
            n = replayed
        ))
        .at(&header.config.data)
        .advise(message!("advice-restore-dataset")));
    };
    check_training_images(header, own).map_err(|_| {
        Problem::new(message!("problem-exemplars-changed", title, n = replayed))
            .at(&header.config.data)
            .advise(message!("advice-restore-dataset"))
    })
}

/// Returns the run's own dataset, if it is available and still has the test images of the run.
pub(in crate::experiment) fn own_images(
    header: &RunHeader,
    cache: &ResourceCache,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<RunDataset> {
    let config = &header.config;
    let data = cache.data(config, go_on)?;
    same_classes(header, &data)?;
    let (order, sizes) = (
        ClassOrder::parse(&config.order)?,
        TaskSizes::parse(&config.classes_per_task)?,
    );
    let scenario = scenario(&Chosen::of(config)?, &order, sizes, &data)?;
    let names = scenario.names(&data.classes);
    let own = header.own_tasks();
    let classes = header.tasks[..own].last().map_or(0, |task| task.end);
    let count = |task| scenario.test_of(&data, task).len();
    let same = names.get(..classes) == Some(&header.class_order[..classes])
        && scenario.tasks.get(..own) == Some(&header.tasks[..own])
        && (0..own)
            .map(count)
            .eq(header.test_images[..own].iter().copied());
    let images = header.images.as_ref();
    if same && images.is_none_or(|images| data.has_images_of(Split::Test, images)) {
        return Ok(RunDataset { data, scenario });
    }
    Err(Problem::new(message!("problem-test-images-changed"))
        .advise(restore_advice(&data, "advice-restore-images-or-train")))
}
