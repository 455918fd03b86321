//! The figures of a run that tables, files and conditions use.

use crate::store::json::Figures;
use crate::texts::of_list;

/// The description of a figure, with a function that returns it.
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
    pub less_is_better: bool,
    /// Returns the value in percent.
    pub of: fn(&Figures) -> Option<f64>,
}

/// All figures of a run's predictions; the four that every table shows come first.
pub static FIGURES: [FigureSpec; 9] = [
    FigureSpec {
        key: "final_accuracy",
        short: "final",
        title: "Final accuracy",
        latex: "$A_N$",
        meaning: "accuracy on all classes after the last task (Aₙ)",
        less_is_better: false,
        of: |f| f.final_accuracy,
    },
    FigureSpec {
        key: "average_accuracy",
        short: "average",
        title: "Average accuracy",
        latex: "$\\bar{A}_N$",
        meaning: "mean over tasks of the accuracy on all classes so far (Āₙ)",
        less_is_better: false,
        of: |f| f.average_accuracy,
    },
    FigureSpec {
        key: "task_averaged_accuracy",
        short: "task_averaged",
        title: "Task-averaged accuracy",
        latex: "task-averaged $A$",
        meaning: "mean over tasks of their accuracy at the end",
        less_is_better: false,
        of: |f| f.task_averaged_accuracy,
    },
    FigureSpec {
        key: "forgetting",
        short: "f",
        title: "Forgetting",
        latex: "$F_N$",
        meaning: "mean over earlier tasks of the best accuracy before the end minus that at the end (Fₙ)",
        less_is_better: true,
        of: |f| f.forgetting,
    },
    FigureSpec {
        key: "backward_transfer",
        short: "bwt",
        title: "Backward transfer",
        latex: "BWT",
        meaning: "mean over earlier tasks of the accuracy at the end minus that right after learning",
        less_is_better: false,
        of: |f| f.backward_transfer,
    },
    FigureSpec {
        key: "learning_accuracy",
        short: "learning",
        title: "Learning accuracy",
        latex: "learning $A$",
        meaning: "mean over tasks of their accuracy right after learning",
        less_is_better: false,
        of: |f| f.learning_accuracy,
    },
    FigureSpec {
        key: "balanced_accuracy",
        short: "balanced",
        title: "Balanced accuracy",
        latex: "balanced $A_N$",
        meaning: "mean over classes of their accuracy after the last task",
        less_is_better: false,
        of: |f| f.balanced_accuracy,
    },
    FigureSpec {
        key: "final_accuracy_task_given",
        short: "task_given",
        title: "Final accuracy, task given",
        latex: "$A_N$, task given",
        meaning: "accuracy after the last task when the task of each image is known, which is easier",
        less_is_better: false,
        of: |f| f.final_accuracy_task_given,
    },
    FigureSpec {
        key: "calibration_error",
        short: "ece",
        title: "Calibration error",
        latex: "ECE",
        meaning: "expected calibration error of the answers after the last task (15 bins), for methods whose scores are probabilities",
        less_is_better: true,
        of: |f| f.calibration_error,
    },
];

impl FigureSpec {
    /// Returns the heading of its column, in the language of this thread.
    pub fn title(&self) -> &'static str {
        of_list("column", self.key, "title", self.title)
    }

    /// Returns what the figure means, in the language of this thread.
    pub fn meaning(&self) -> &'static str {
        of_list("column", self.key, "meaning", self.meaning)
    }

    /// Returns the figure with this name or short name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|f| f.key == name || f.short == name)
    }
}
