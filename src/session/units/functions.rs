//! The functions that formulas can use.

use std::ops::RangeInclusive;

use super::figures::{Outcome, RunFigures};
use crate::metrics::{Expert, History, mean, std_dev};

/// A function that formulas can use.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// A description of its result.
    pub about: &'static str,
    /// The number of numeric arguments that follow the run.
    pub numbers: RangeInclusive<usize>,
    /// Whether an expert can be given as an argument.
    pub by_expert: bool,
    pub(super) of: FunctionBody,
}

/// How a function is evaluated.
#[derive(Debug)]
pub(super) enum FunctionBody {
    Run(fn(&RunFigures, &[usize], Option<Expert>) -> Outcome<f64>),
    Numbers(fn(&[f64]) -> Option<f64>),
}

const fn of_run(
    name: &'static str,
    numbers: RangeInclusive<usize>,
    by_expert: bool,
    about: &'static str,
    of: fn(&RunFigures, &[usize], Option<Expert>) -> Outcome<f64>,
) -> Function {
    Function {
        name,
        about,
        numbers,
        by_expert,
        of: FunctionBody::Run(of),
    }
}

const fn of_numbers(
    name: &'static str,
    about: &'static str,
    of: fn(&[f64]) -> Option<f64>,
) -> Function {
    Function {
        name,
        about,
        numbers: 0..=0,
        by_expert: false,
        of: FunctionBody::Numbers(of),
    }
}

/// All functions of formulas. Accuracies and forgetting are in percent.
pub static FUNCTIONS: [Function; 14] = [
    of_run(
        "accuracy",
        0..=0,
        true,
        "accuracy(run): A_N",
        |run, _, expert| run.at_end(expert, History::last),
    ),
    of_run(
        "average",
        0..=0,
        true,
        "average(run): mean of A_1 to A_N",
        |run, _, expert| run.at_end(expert, History::average),
    ),
    of_run(
        "forgetting",
        0..=0,
        true,
        "forgetting(run): F_N",
        |run, _, expert| run.at_end(expert, History::forgetting),
    ),
    of_run(
        "given",
        0..=0,
        false,
        "given(run): accuracy at the end when the task is given",
        |run, _, _| run.task_given(),
    ),
    of_run(
        "old",
        0..=0,
        true,
        "old(run): accuracy at the end on all tasks but the last",
        |run, _, expert| run.on_old(expert),
    ),
    of_run(
        "seen",
        1..=1,
        true,
        "seen(run, i): A_i",
        |run, at, expert| run.after(expert, at[0]),
    ),
    of_run(
        "cell",
        2..=2,
        true,
        "cell(run, i, j): accuracy on task j after task i",
        |run, at, expert| run.cell(expert, at[0], at[1]),
    ),
    of_run(
        "drop",
        1..=1,
        true,
        "drop(run, j): best accuracy on task j before the end minus the final one",
        |run, at, expert| run.at_end(expert, |h| h.drops().get(at[0] - 1).copied()),
    ),
    of_run(
        "apart",
        0..=2,
        false,
        "apart(run, task, epoch): distance between online and offline expert, in percent of the latter's norm",
        |run, at, _| run.distance(at),
    ),
    of_numbers("mean", "mean(…)", mean),
    of_numbers("spread", "spread(…): standard deviation", std_dev),
    of_numbers("least", "least(…)", |values| {
        values.iter().copied().reduce(f64::min)
    }),
    of_numbers("most", "most(…)", |values| {
        values.iter().copied().reduce(f64::max)
    }),
    of_numbers("abs", "abs(x)", |values| {
        values.first().map(|value| value.abs())
    }),
];

/// Returns the function with this name.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
