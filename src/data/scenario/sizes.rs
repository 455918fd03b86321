//! Task sizes: the number of classes per task.

use std::fmt;
use std::ops::Range;

use crate::message;
use crate::problem::{Problem, Result};

/// The number of classes of each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskSizes {
    /// The same number for every task; the last one may be smaller.
    Every(usize),
    /// The size of the first task, and that of every other.
    First(usize, usize),
    /// The size of each task.
    Each(Vec<usize>),
}

impl fmt::Display for TaskSizes {
    /// Writes the form that `--classes-per-task` takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every(every) => write!(f, "{every}"),
            Self::First(first, every) => write!(f, "{first}+{every}"),
            Self::Each(each) => {
                let each: Vec<String> = each.iter().map(ToString::to_string).collect();
                f.write_str(&each.join(","))
            }
        }
    }
}

impl TaskSizes {
    /// Parses `10` (every task), `6,5,5,5,5` (each task) or `50+10` (the first task, then the others).
    ///
    /// # Errors
    /// Returns a Problem for another text or a size of 0.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid_sizes = || {
            Problem::new(message!("problem-classes-per-task-invalid", text))
                .at("--classes-per-task")
                .advise(message!("advice-classes-per-task-forms"))
        };
        let number = |part: &str| part.trim().parse::<usize>().map_err(|_| invalid_sizes());
        let sizes = if let Some((first, every)) = text.split_once('+') {
            Self::First(number(first)?, number(every)?)
        } else if text.contains(',') {
            Self::Each(text.split(',').map(number).collect::<Result<_>>()?)
        } else {
            Self::Every(number(text)?)
        };
        sizes.checked()
    }

    fn checked(self) -> Result<Self> {
        let empty = match &self {
            Self::Every(every) => *every == 0,
            Self::First(first, every) => *first == 0 || *every == 0,
            Self::Each(each) => each.is_empty() || each.contains(&0),
        };
        if empty {
            return Err(
                Problem::new(message!("problem-task-without-classes")).at("--classes-per-task")
            );
        }
        Ok(self)
    }

    /// Returns the tasks as ranges of positions in the class order.
    ///
    /// # Errors
    /// Returns a Problem if the sizes do not add up to the number of classes.
    pub fn ranges(&self, classes: usize) -> Result<Vec<Range<usize>>> {
        let sizes: Vec<usize> = match self {
            Self::Every(every) => split_sizes(classes, *every, *every),
            Self::First(first, every) => split_sizes(classes, *first, *every),
            Self::Each(each) => each.clone(),
        };
        let total: usize = sizes.iter().fold(0, |sum, size| sum.saturating_add(*size));
        if total != classes || sizes.contains(&0) {
            return Err(Problem::new(message!(
                "problem-classes-per-task-sum",
                total = message!("count-classes", n = total),
                classes = classes.to_string()
            ))
            .at("--classes-per-task")
            .advise(message!("advice-sum-to-class-count")));
        }
        Ok(consecutive_ranges(sizes))
    }
}

/// Returns consecutive ranges of these sizes.
pub(super) fn consecutive_ranges(sizes: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |size| {
        start += size;
        start - size..start
    };
    sizes.into_iter().map(range).collect()
}

fn split_sizes(classes: usize, first: usize, every: usize) -> Vec<usize> {
    let mut sizes = vec![first.min(classes)];
    let mut remaining = classes.saturating_sub(first);
    while remaining > 0 && every > 0 {
        sizes.push(every.min(remaining));
        remaining = remaining.saturating_sub(every);
    }
    sizes
}
