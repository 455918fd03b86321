//! The question before a task, and the result after it.

use super::PresentedRun;
use crate::problem::listed;
use crate::session::comparison_run::Companion;
use crate::session::forgetting::most_lost;
use crate::session::words::percent;
use crate::tr;
use crate::ui::widgets::names::shortened;

/// Maximum number of classes named.
const NAMED: usize = 6;
/// Maximum number of characters of all named classes. At least one class is named.
const LETTERS: usize = 60;
/// Maximum number of characters of a single name.
const OF_NAME: usize = 40;

/// Returns the names of a task's classes, as many as fit in a sentence.
fn classes(run: &Companion<'_>, task: usize) -> String {
    let names = run.header.class_names(task).iter();
    let names: Vec<String> = names.map(|name| shortened(name, OF_NAME)).collect();
    let mut counts = (1..=NAMED.min(names.len())).rev();
    let fits = |most: &usize| listed(&names, *most).chars().count() <= LETTERS;
    listed(&names, counts.find(fits).unwrap_or(1))
}

/// Returns the question before a task.
pub(super) fn asked(run: &Companion<'_>, task: usize) -> String {
    let next = classes(run, task);
    let waits = task >= run.history.matrix.len();
    if waits && !run.live {
        return tr!("present-ended-early", next);
    }
    if task == 0 {
        return tr!("present-guess-first-task", next);
    }
    let first = classes(run, 0);
    let key = match waits {
        true => "present-guess-learning",
        false => "present-guess",
    };
    tr!(key, next, first)
}

/// Returns the result after a task in words: the accuracy of each run on the first task.
pub(super) fn became(shown: &[PresentedRun<'_>], task: usize) -> String {
    let each = shown.iter().filter_map(|shown| {
        let now = *shown.run.history.matrix.get(task)?.first()?;
        let name = shortened(&shown.name, OF_NAME);
        now.is_finite()
            .then(|| tr!("present-of-run", name, share = percent(now, 0)))
    });
    let each: Vec<String> = each.collect();
    let Some(PresentedRun { run, .. }) = shown.first().filter(|_| !each.is_empty()) else {
        return String::new();
    };
    let key = match task {
        0 => "present-correct",
        _ => "present-still-correct",
    };
    tr!(key, first = classes(run, 0), each = each.join(", "))
}

/// Returns what a run forgot up to a task in words; `None` if it has no earlier tasks.
pub(super) fn forgot(shown: &PresentedRun<'_>, task: usize) -> Option<String> {
    let PresentedRun { name, run } = shown;
    let name = shortened(name, OF_NAME);
    let measured = run.history.matrix.get(task)?.iter();
    if !measured.take(task).any(|share| share.is_finite()) {
        return None;
    }
    let Some(lost) = most_lost(run.history, task) else {
        return Some(tr!("present-nothing-forgotten", name));
    };
    let key = match lost.most {
        true => "present-most-forgotten",
        false => "present-accuracy-fell",
    };
    let rounded = |digits| [lost.best, lost.now].map(|share| percent(share, digits));
    let [best, now] = rounded(0);
    // With thousands of test images, a drop of less than a percent can be significant.
    let [best, now] = if best == now { rounded(1) } else { [best, now] };
    let classes = classes(run, lost.task);
    let task = lost.task + 1;
    Some(tr!(key, name, task, classes, best, now))
}
