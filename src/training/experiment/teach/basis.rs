//! The state that an added task starts from: whether the run can be taught, its method after the last complete task,
//! and its old images, if they are available.

use crate::data::Split;
use crate::experiment::images::RunDataset;
use crate::experiment::plan::{
    build_scenario, check_same_classes, matches_run, parse_tasks, restore_advice,
};
use crate::experiment::{ResourceCache, join_problems};
use crate::message;
use crate::method::{self, CancelToken, ConfiguredMethod, Method, passes_for_task};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::{self, RunFolder, StoredRun, StoredState};

/// Checks that a run can learn an added task; returns the title of its method.
pub(super) fn check_teachable(stored_run: &StoredRun) -> Result<String> {
    let header = &stored_run.header;
    let chosen = ConfiguredMethod::from_config(&header.config)?;
    let title = chosen.spec.title.to_string();
    if chosen.spec.all_at_once {
        return Err(Problem::new(message!(
            "problem-joint-method-cannot-add",
            title = title.as_str()
        ))
        .at_path(&header.folder)
        .advise(message!("advice-use-run-of-other-method")));
    }
    if stored_run.reports.is_empty() {
        return Err(Problem::new(message!("problem-no-finished-task"))
            .at_path(&header.folder)
            .advise(message!("advice-resume-until-first-task")));
    }
    join_problems(method::problems(&header.config))?;
    Ok(title)
}

/// Restores the method's state after the last complete task.
pub(super) fn restore_method(
    method: &mut dyn Method,
    stored_run: &StoredRun,
    run: &RunFolder,
    title: &str,
) -> Result<()> {
    let header = &stored_run.header;
    let last = stored_run.reports.len() - 1;
    let learned_tasks = &header.tasks[..=last];
    let chosen = ConfiguredMethod::from_config(&header.config)?;
    if chosen.spec.needs_state {
        let passes = passes_for_task(header, last)?.len();
        let state = run.load_state(last)?;
        let complete = state.filter(|(state, _)| state.epochs_done == passes);
        let Some((state, path)) = complete else {
            return Err(missing_state_problem(stored_run, title, "it"));
        };
        method.restore(&state.tensors, learned_tasks)?;
        method.restore_generated(&|name| match state.tensors.get(name) {
            Some(tensor) => Ok(tensor.clone()),
            None => store::load_bulk(&path, name),
        })?;
    } else {
        let folder = &header.folder;
        let restored =
            method.restore_snapshot(&|task| store::load_snapshot(folder, task), learned_tasks);
        match stored_run.state {
            StoredState::Finished => restored?,
            _ => restored
                .map_err(|problem| missing_state_problem(stored_run, title, &problem.what))?,
        }
    }
    method.end_task(&mut CancelToken::never())
}

/// Returns the Problem that something the method needs to learn another task is missing.
fn missing_state_problem(stored_run: &StoredRun, title: &str, what: &str) -> Problem {
    let (why, remedy) = match stored_run.state {
        StoredState::Finished => ("problem-learning-data-older-version", "advice-train-run-again"),
        _ => ("problem-learning-data-run-stopped", "advice-resume-then-add-task"),
    };
    let what = match what {
        "it" => message!(why, title),
        what => message!("problem-cannot-learn-another-task", title, what),
    };
    Problem::new(what).at_path(&stored_run.header.folder).advise(message!(remedy))
}

/// Returns the Problem that the method's settings leave no room for another task.
pub(super) fn no_room_problem(title: &str, problem: Problem) -> Problem {
    let what = problem.what.as_str();
    Problem::new(message!("problem-no-room-for-task", title, what))
        .at(problem.place)
        .advise(message!("advice-undo-added-task-or-train"))
}

/// Checks that the dataset has the training images that the run learned from. Runs of older versions without
/// fingerprints are compared by their numbers of images.
pub(in crate::experiment) fn check_training_images(
    header: &RunHeader,
    dataset: &RunDataset,
) -> Result<()> {
    let tasks = 0..header.original_task_count();
    let same = match &header.images {
        Some(images) => dataset.data.split_matches_fingerprints(Split::Train, images),
        None => tasks
            .map(|task| dataset.scenario.train_samples(&dataset.data, task).len())
            .eq(header.train_images[..header.original_task_count()].iter().copied()),
    };
    match same {
        true => Ok(()),
        false => Err(Problem::new(message!("problem-training-images-changed"))
            .at(&header.config.data)
            .advise(restore_advice(&dataset.data, "advice-restore-images-or-train"))),
    }
}

/// Checks that the run's own training images are available; they represent its classes while a single class is
/// learned.
pub(super) fn check_earlier_images(
    header: &RunHeader,
    title: &str,
    cache: &ResourceCache,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<()> {
    let dataset = open_run_dataset(header, cache, should_continue);
    let checked = dataset.and_then(|dataset| check_training_images(header, &dataset));
    checked.map_err(|problem| {
        Problem::new(message!(
            "problem-single-class-needs-dataset",
            title,
            why = problem.what_text()
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
    dataset: Option<&RunDataset>,
    title: &str,
) -> Result<()> {
    let own_tasks = header.original_task_count();
    let exemplars = method.exemplars().iter();
    let replayed = exemplars.filter(|exemplar| exemplar.task < own_tasks).count();
    if replayed == 0 {
        return Ok(());
    }
    let Some(dataset) = dataset else {
        return Err(Problem::new(message!(
            "problem-exemplars-without-dataset",
            title,
            n = replayed
        ))
        .at(&header.config.data)
        .advise(message!("advice-restore-dataset")));
    };
    check_training_images(header, dataset).map_err(|_| {
        Problem::new(message!("problem-exemplars-changed", title, n = replayed))
            .at(&header.config.data)
            .advise(message!("advice-restore-dataset"))
    })
}

/// Returns the run's own dataset, if it is available and still has the test images of the run.
pub(in crate::experiment) fn open_run_dataset(
    header: &RunHeader,
    cache: &ResourceCache,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<RunDataset> {
    let config = &header.config;
    let data = cache.data(config, should_continue)?;
    check_same_classes(header, &data)?;
    let (order, sizes) = parse_tasks(config)?;
    let scenario = build_scenario(&ConfiguredMethod::from_config(config)?, &order, sizes, &data)?;
    let own_tasks = header.original_task_count();
    let count = |task| scenario.test_samples(&data, task).len();
    let same = matches_run(&scenario, &data, header)
        && (0..own_tasks).map(count).eq(header.test_images[..own_tasks].iter().copied());
    let images = header.images.as_ref();
    if same && images.is_none_or(|images| data.split_matches_fingerprints(Split::Test, images)) {
        return Ok(RunDataset { data, scenario });
    }
    Err(Problem::new(message!("problem-test-images-changed"))
        .advise(restore_advice(&data, "advice-restore-images-or-train")))
}
