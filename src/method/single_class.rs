//! Tasks of a single class, from which a loss over the task's own classes learns nothing.
//!
//! Local cross-entropy uses the softmax over the classes of the current task. Over one class it is 1 whatever the
//! logit, so the loss and its gradient are 0: the class's weights keep their initial values, and nothing else changes
//! either.

use std::ops::Range;

use super::spec::Chosen;
use super::task::{PassImages, PassWork};
use crate::message;
use crate::problem::{Problem, some_of};

/// A warning about tasks of a single class, and task sizes without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleClassTasks {
    /// The tasks, and the consequence.
    pub problem: Problem,
    /// Sizes with at least two classes per task, in the syntax of the setting.
    pub sizes: String,
}

/// Returns whether the method learns by gradients from the images of this task (from 0) alone.
pub fn learns(chosen: &Chosen<'_>, task: usize) -> bool {
    let passes = chosen.kinds(task).unwrap_or_default();
    let by_itself = |work| matches!(work, PassWork::Learn { .. });
    let mut own = passes.iter().filter(|pass| pass.source == PassImages::Task);
    own.any(|pass| by_itself(pass.work))
}

/// Returns the tasks of a single class that the method would learn by gradients; `None` if there are none, or if the
/// method uses all classes at once.
pub fn single_class_tasks(chosen: &Chosen<'_>, tasks: &[Range<usize>]) -> Option<SingleClassTasks> {
    let alone = tasks.iter().enumerate().filter(|(_, task)| task.len() == 1);
    let single: Vec<String> = alone
        .filter(|(task, _)| learns(chosen, *task))
        .map(|(task, _)| (task + 1).to_string())
        .collect();
    if single.is_empty() || tasks.len() < 2 {
        return None;
    }
    let sizes: Vec<String> = company(tasks).iter().map(usize::to_string).collect();
    let sizes = sizes.join(",");
    let problem = Problem::new(match single.as_slice() {
        [task] => message!("problem-single-class-task", task = task.as_str()),
        tasks => message!("problem-single-class-tasks", tasks = some_of(tasks, 8)),
    });
    Some(SingleClassTasks {
        problem: problem.at("--classes-per-task").advise(message!(
            "advice-two-classes-per-task",
            sizes = sizes.to_string()
        )),
        sizes,
    })
}

/// Returns sizes without a 1: neighbouring single classes are combined, others join the previous task (the first one
/// the next task).
fn company(tasks: &[Range<usize>]) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::new();
    for size in tasks.iter().map(ExactSizeIterator::len) {
        match sizes.last_mut() {
            Some(last) if *last == 1 && size == 1 => *last = 2,
            _ => sizes.push(size),
        }
    }
    while sizes.len() > 1
        && let Some(single) = sizes.iter().position(|size| *size == 1)
    {
        sizes.remove(single);
        sizes[single.saturating_sub(1)] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use lae_base::tr;

    fn cut(sizes: &[usize]) -> Vec<Range<usize>> {
        let mut first = 0;
        let range = |size: &usize| {
            let from = first;
            first += size;
            from..first
        };
        sizes.iter().map(range).collect()
    }

    #[test]
    fn every_class_gets_company() {
        for (sizes, wanted) in [
            (&[3, 3, 3, 1][..], &[3, 3, 4][..]),
            (&[1, 1, 1, 1], &[2, 2]),
            (&[1, 1, 1], &[3]),
            (&[1, 4], &[5]),
            (&[2, 1, 2], &[3, 2]),
        ] {
            assert_eq!(company(&cut(sizes)), wanted, "{sizes:?}");
        }
    }

    #[test]
    fn what_learns_by_gradients_is_warned_of_and_prototypes_are_not() {
        let told = |method: &str, sizes: &[usize]| {
            let config = RunConfig {
                method: method.into(),
                ..RunConfig::default()
            };
            let chosen = Chosen::of(&config).ok()?;
            single_class_tasks(&chosen, &cut(sizes))
        };
        let single = told("lae", &[3, 3, 3, 1]);
        assert!(single.is_some_and(|single| {
            single.sizes == "3,3,4"
                && single.problem.what == tr!("problem-single-class-task", task = 4)
        }));
        assert!(told("lae", &[5, 5]).is_none() && told("simplecil", &[3, 1]).is_none());
        // APER learns only in its first session.
        assert!(told("aper", &[3, 1]).is_none() && told("aper", &[1, 3]).is_some());
    }
}
