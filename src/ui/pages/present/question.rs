//! The question before a task, and the result after it.

use super::PresentedRun;
use crate::problem::join_some;
use crate::session::comparison_run::Companion;
use crate::session::forgetting::most_forgotten;
use crate::session::formatting::format_percent;
use crate::tr;
use crate::ui::widgets::elided_text::shorten_name;

/// Maximum number of classes named.
const MAX_CLASSES: usize = 6;
/// Maximum number of characters of all named classes. At least one class is named.
const MAX_CLASSES_CHARS: usize = 60;
/// Maximum number of characters of a single name.
const MAX_NAME_CHARS: usize = 40;

/// Returns the names of a task's classes, as many as fit in a sentence.
fn classes(run: &Companion<'_>, task: usize) -> String {
    let names = run.header.class_names(task).iter();
    let names: Vec<String> = names.map(|name| shorten_name(name, MAX_NAME_CHARS)).collect();
    let mut counts = (1..=MAX_CLASSES.min(names.len())).rev();
    let fits = |count: &usize| join_some(&names, *count).chars().count() <= MAX_CLASSES_CHARS;
    join_some(&names, counts.find(fits).unwrap_or(1))
}

/// Returns the question before a task.
pub(super) fn question_text(run: &Companion<'_>, task: usize) -> String {
    let next = classes(run, task);
    let is_pending = task >= run.history.matrix.len();
    if is_pending && !run.live {
        return tr!("present-ended-early", next);
    }
    if task == 0 {
        return tr!("present-guess-first-task", next);
    }
    let first = classes(run, 0);
    let key = match is_pending {
        true => "present-guess-learning",
        false => "present-guess",
    };
    tr!(key, next, first)
}

/// Returns the result after a task in words: the accuracy of each run on the first task.
pub(super) fn result_text(shown: &[PresentedRun<'_>], task: usize) -> String {
    let parts = shown.iter().filter_map(|shown| {
        let accuracy = *shown.run.history.matrix.get(task)?.first()?;
        let name = shorten_name(&shown.name, MAX_NAME_CHARS);
        accuracy
            .is_finite()
            .then(|| tr!("present-of-run", name, share = format_percent(accuracy, 0)))
    });
    let parts: Vec<String> = parts.collect();
    let Some(PresentedRun { run, .. }) = shown.first().filter(|_| !parts.is_empty()) else {
        return String::new();
    };
    let key = match task {
        0 => "present-correct",
        _ => "present-still-correct",
    };
    tr!(key, first = classes(run, 0), each = parts.join(", "))
}

/// Returns what a run forgot up to a task in words; `None` if it has no earlier tasks.
pub(super) fn forgetting_text(shown: &PresentedRun<'_>, task: usize) -> Option<String> {
    let PresentedRun { name, run } = shown;
    let name = shorten_name(name, MAX_NAME_CHARS);
    let measured = run.history.matrix.get(task)?.iter();
    if !measured.take(task).any(|share| share.is_finite()) {
        return None;
    }
    let Some(lost) = most_forgotten(run.history, task) else {
        return Some(tr!("present-nothing-forgotten", name));
    };
    let key = match lost.is_largest {
        true => "present-most-forgotten",
        false => "present-accuracy-fell",
    };
    let rounded = |digits| [lost.best, lost.current].map(|share| format_percent(share, digits));
    let [best, now] = rounded(0);
    // With thousands of test images, a drop of less than a percent can be significant.
    let [best, now] = if best == now { rounded(1) } else { [best, now] };
    let classes = classes(run, lost.task);
    let task = lost.task + 1;
    Some(tr!(key, name, task, classes, best, now))
}
