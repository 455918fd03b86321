//! The question before a task and the result after it.

use super::Pair;
use super::bars::{Shown, runs};
use crate::problem::listed;
use crate::session::forgotten::most_lost;
use crate::session::words::percent;
use crate::tr;

/// Maximum number of classes named.
const NAMED: usize = 6;

/// Returns the question before a task.
pub(super) fn asked(pair: &Pair<'_>, task: usize) -> String {
    let run = pair.run;
    let next = listed(run.class_names(task), NAMED);
    let waits = task >= run.reports.len();
    if waits && !run.stage.is_live() {
        return tr!("present-ended-early", next = next);
    }
    if task == 0 {
        return tr!("present-guess-first-task", next = next);
    }
    let first = listed(run.class_names(0), NAMED);
    let key = match waits {
        true => "present-guess-learning",
        false => "present-guess",
    };
    tr!(key, next = next, first = first)
}

/// Returns the result of a task: for each run its accuracy on the first task, and the task it forgot most.
pub(super) fn became(pair: &Pair<'_>, task: usize) -> String {
    let first = listed(pair.run.class_names(0), NAMED);
    let shown = runs(pair);
    let each = shown.iter().filter_map(|run| {
        let now = *run.history.matrix.get(task)?.first()?;
        now.is_finite()
            .then(|| tr!("present-of-run", name = run.name, share = percent(now, 0)))
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() {
        return String::new();
    }
    let key = match task {
        0 => "present-correct",
        _ => "present-still-correct",
    };
    let mut words = tr!(key, first = first, each = each.join(", "));
    let most = shown
        .iter()
        .filter_map(|run| most_forgotten(pair, run, task));
    for told in most {
        words.push(' ');
        words.push_str(&told);
    }
    words
}

/// Returns the task that a run forgot most up to this one.
fn most_forgotten(pair: &Pair<'_>, run: &Shown<'_>, row: usize) -> Option<String> {
    let lost = most_lost(run.history, row)?;
    let classes = listed(pair.run.class_names(lost.task), NAMED);
    Some(tr!(
        "present-most-forgotten",
        name = run.name,
        task = lost.task + 1,
        classes = classes,
        best = percent(lost.best, 0),
        now = percent(lost.now, 0)
    ))
}
