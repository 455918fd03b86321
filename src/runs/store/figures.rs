//! The figures of a run that tables, files and conditions use, each with its computation.

use super::summary::LatestFigures;
use crate::metrics::{Histories, History};
use crate::texts::translate_entry;

/// What the figures of a run are computed from.
pub struct FigureInputs<'a> {
    /// Accuracies of the run's predictions, task by task.
    pub answer: &'a History,
    /// Accuracies of all experts.
    pub histories: &'a Histories,
    /// The predictions after the latest task.
    pub latest: Option<&'a LatestFigures>,
}

/// The description of a figure, with a function that computes it.
#[derive(Debug)]
pub struct FigureSpec {
    /// The name in JSON and on the command line.
    pub key: &'static str,
    /// A shorter name that conditions also accept.
    pub short: &'static str,
    /// The heading of its column, in English.
    pub title: &'static str,
    /// The heading in LaTeX.
    pub latex: &'static str,
    /// What the figure means, as a sentence without a full stop, in English.
    pub meaning: &'static str,
    /// Whether lower values are better.
    pub lower_is_better: bool,
    /// Computes the value (0..=1).
    pub(super) compute: fn(&FigureInputs<'_>) -> Option<f64>,
}

/// Returns the forgetting of an expert; `None` after a single task, because nothing can be forgotten yet.
pub(super) fn forgetting(history: &History) -> Option<f64> {
    let several = history.accuracy.len() > 1;
    history.forgetting().filter(|_| several)
}

/// All figures of a run's predictions; the four that every table shows come first.
pub static FIGURES: [FigureSpec; 9] = [
    FigureSpec {
        key: "final_accuracy",
        short: "final",
        title: "Final accuracy",
        latex: "$A_N$",
        meaning: "accuracy on all classes after the last task (Aₙ)",
        lower_is_better: false,
        compute: |run| run.answer.last_accuracy(),
    },
    FigureSpec {
        key: "average_accuracy",
        short: "average",
        title: "Average accuracy",
        latex: "$\\bar{A}_N$",
        meaning: "mean over tasks of the accuracy on all classes so far (Āₙ)",
        lower_is_better: false,
        compute: |run| run.answer.average_accuracy(),
    },
    FigureSpec {
        key: "task_averaged_accuracy",
        short: "task_averaged",
        title: "Task-averaged accuracy",
        latex: "task-averaged $A$",
        meaning: "mean over tasks of their accuracy at the end",
        lower_is_better: false,
        compute: |run| run.answer.task_averaged(),
    },
    FigureSpec {
        key: "forgetting",
        short: "f",
        title: "Forgetting",
        latex: "$F_N$",
        meaning: "mean over earlier tasks of the best accuracy before the end minus that at the end (Fₙ)",
        lower_is_better: true,
        compute: |run| forgetting(run.answer),
    },
    FigureSpec {
        key: "backward_transfer",
        short: "bwt",
        title: "Backward transfer",
        latex: "BWT",
        meaning: "mean over earlier tasks of the accuracy at the end minus that right after learning",
        lower_is_better: false,
        compute: |run| run.answer.backward_transfer(),
    },
    FigureSpec {
        key: "learning_accuracy",
        short: "learning",
        title: "Learning accuracy",
        latex: "learning $A$",
        meaning: "mean over tasks of their accuracy right after learning",
        lower_is_better: false,
        compute: |run| run.answer.learning_accuracy(),
    },
    FigureSpec {
        key: "balanced_accuracy",
        short: "balanced",
        title: "Balanced accuracy",
        latex: "balanced $A_N$",
        meaning: "mean over classes of their accuracy after the last task",
        lower_is_better: false,
        compute: |run| run.latest?.classes.balanced_accuracy(),
    },
    FigureSpec {
        key: "final_accuracy_task_given",
        short: "task_given",
        title: "Final accuracy, task given",
        latex: "$A_N$, task given",
        meaning: "accuracy after the last task when the task of each image is known, which is easier",
        lower_is_better: false,
        compute: |run| run.histories.task_given.last().copied().flatten(),
    },
    FigureSpec {
        key: "calibration_error",
        short: "ece",
        title: "Calibration error",
        latex: "ECE",
        meaning: "expected calibration error of the answers after the last task (15 bins), for methods whose scores are probabilities",
        lower_is_better: true,
        compute: |run| run.latest?.calibration_error,
    },
];

impl FigureSpec {
    /// Returns the heading of its column, in the language of this thread.
    pub fn title(&self) -> &'static str {
        translate_entry("column", self.key, "title", self.title)
    }

    /// Returns what the figure means, in the language of this thread.
    pub fn meaning(&self) -> &'static str {
        translate_entry("column", self.key, "meaning", self.meaning)
    }

    /// Returns the figure with this name or short name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|f| f.key == name || f.short == name)
    }
}
