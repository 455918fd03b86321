//! What an added task stands on: whether the run can be taught, its method as it was after the last whole
//! task, and its old test images, where they are at hand.

use crate::data::scenario::{ClassOrder, TaskSizes};
use crate::experiment::images::Own;
use crate::experiment::plan::scenario;
use crate::experiment::{Stock, all_at_once};
use crate::message;
use crate::method::{self, Chosen, GoOn, Method, passes_of};
use crate::problem::{Problem, Result};
use crate::store::{self, RunFolder, StoredRun, StoredState};

/// Checks that a run can be taught; gives its method's title.
pub(super) fn teachable(stored: &StoredRun) -> Result<String> {
    let header = &stored.header;
    let chosen = Chosen::of(&header.config)?;
    let title = chosen.spec.title.to_string();
    if chosen.spec.all_at_once {
        return Err(Problem::new(message!(
            "problem-learns-all-classes-at-once-from",
            title = title.to_string()
        ))
        .at_path(&header.folder)
        .advise(message!("try-teach-run-of-another-method")));
    }
    if stored.reports.is_empty() {
        return Err(
            Problem::new(message!("problem-this-run-has-not-finished-task"))
                .at_path(&header.folder)
                .advise(message!("try-continue-it-until-its-first-task")),
        );
    }
    all_at_once(method::problems(&header.config))?;
    Ok(title)
}

/// The method as it was after the last whole task.
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
        let taken = method.take_up(&|task| store::load_snapshot(folder, task), known);
        match stored.state {
            StoredState::Finished => taken?,
            _ => taken.map_err(|problem| not_kept(stored, title, &problem.what))?,
        }
    }
    method.end_task(&mut GoOn::to_the_end())
}

/// What a method needs to learn another task is not there.
fn not_kept(stored: &StoredRun, title: &str, what: &str) -> Problem {
    let (why, remedy) = match stored.state {
        StoredState::Finished => (
            "problem-not-kept-older-version",
            "try-train-again-same-settings",
        ),
        _ => ("problem-not-kept-stopped", "try-continue-to-the-end"),
    };
    let what = match what {
        "it" => message!(why, title = title),
        what => message!(
            "problem-cannot-learn-another-task",
            title = title,
            what = what
        ),
    };
    Problem::new(what)
        .at_path(&stored.header.folder)
        .advise(message!(remedy))
}

/// A method whose settings leave no room for another task.
pub(super) fn full(title: &str, problem: Problem) -> Problem {
    let what = problem.what.as_str();
    Problem::new(message!(
        "problem-no-room-for-another-task",
        title = title,
        what = what
    ))
    .at(problem.place)
    .advise(message!("try-undo-earlier-added-task-or-train"))
}

/// The run's own data set, if it is at hand and still has the test images of the run.
pub(in crate::experiment) fn own_images(
    stored: &StoredRun,
    stock: &Stock,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Own> {
    let header = &stored.header;
    let config = &header.config;
    let data = stock.data(config, go_on)?;
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
    if same && images.is_none_or(|images| images.test == data.test_fingerprint(images.kind)) {
        return Ok(Own { data, scenario });
    }
    Err(Problem::new(message!(
        "problem-test-images-of-runs-data-set"
    )))
}
