//! Figures of stored runs, selected by name.

use super::{Cells, Figure, FigureLine, Lines};
use crate::message;
use crate::names::meant;
use crate::palette::Shade;
use crate::problem::{Problem, Result};
use crate::store::groups::{groups, none_measured};
use crate::store::summary::RunSummary;
use crate::tr;

/// A figure of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigureOfRuns {
    /// Accuracy on all classes so far, after each task, with a line for each experiment.
    #[default]
    Accuracy,
    /// Accuracy of each task after each task, for one run.
    Matrix,
    /// Confusion matrix of the test images at the end, for one run.
    Confusion,
    /// Mean training loss of each epoch, for one run.
    Loss,
}

impl FigureOfRuns {
    /// All figures with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("accuracy", Self::Accuracy),
        ("matrix", Self::Matrix),
        ("confusion", Self::Confusion),
        ("loss", Self::Loss),
    ];

    /// Returns the figure with this name.
    ///
    /// # Errors
    /// Returns a Problem that lists the names if there is no such figure.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(own, _)| *own == name);
        found.map(|(_, figure)| figure).ok_or_else(|| {
            let problem = Problem::new(message!("problem-run-figure-not-found", name));
            meant(problem, name, Self::ALL.map(|(own, _)| own))
        })
    }

    /// Returns the figure of these runs. If it needs the predictions of a run, they are read.
    ///
    /// # Errors
    /// Returns a Problem if no run has a finished task, if a figure of one run is requested for several runs, or if the
    /// run cannot be read.
    pub fn of(self, runs: &[RunSummary]) -> Result<Figure> {
        if self == Self::Accuracy {
            let groups = groups(runs);
            return match groups.is_empty() {
                true => Err(none_measured()),
                false => Ok(Figure::lines(
                    tr!("figure-accuracy"),
                    Lines::of_groups(&groups),
                )),
            };
        }
        let measured: Vec<&RunSummary> = runs.iter().filter(|run| run.saved() > 0).collect();
        let run = match &measured[..] {
            [] => return Err(none_measured()),
            [run] => run,
            several => {
                let what = message!(
                    "problem-figure-shows-one-run",
                    several = several.len().to_string()
                );
                return Err(Problem::new(what).advise(message!("advice-name-run-or-latest")));
            }
        };
        match self {
            Self::Accuracy | Self::Matrix => Ok(matrix(run)),
            Self::Confusion => confusion(run),
            Self::Loss => loss(run),
        }
    }
}

fn matrix(run: &RunSummary) -> Figure {
    let history = run.histories();
    let matrix = &history.of(run.header.answering()).matrix;
    let title = format!("{}: {}", tr!("figure-accuracy-matrix"), run.header.title());
    Figure::cells(title, Cells::accuracy(matrix))
}

fn confusion(run: &RunSummary) -> Result<Figure> {
    let (header, last) = (&run.header, run.latest_report()?);
    let seen = header.tasks.get(last.task).map_or(0, |task| task.end);
    let classes = last.answers.confusion(header.answering(), seen);
    let name = |at: usize| header.class_order.get(at).cloned().unwrap_or_default();
    let title = tr!(
        "figure-confusion-of",
        n = last.task + 1,
        name = header.title()
    );
    Ok(Figure::cells(title, Cells::confusion(&classes, &name)))
}

fn loss(run: &RunSummary) -> Result<Figure> {
    let tasks = run.reports().into_iter().map(|report| report.losses);
    let passes: Vec<f64> = tasks.flatten().collect();
    if passes.is_empty() {
        let what = message!("problem-no-loss-recorded");
        return Err(Problem::new(what).at_path(&run.header.folder));
    }
    let highest = passes.iter().copied().filter(|loss| loss.is_finite());
    let points = passes.iter().enumerate();
    let points = points.map(|(pass, loss)| [(pass + 1) as f64, *loss]);
    let shade = Shade::of(&run.header.config.method);
    let line = FigureLine::new(run.header.title(), Some(shade), points);
    let lines = Lines {
        about: tr!("figure-mean-loss-of-passes", n = passes.len()),
        places: Vec::new(),
        range: [0.0, highest.fold(0.0, f64::max) * 1.05],
        lines: vec![line],
    };
    Ok(Figure::lines(tr!("figure-training-loss"), lines))
}
