//! Figures of stored runs, selected by name.

use super::{ChartLine, Figure, Heatmap, LineChart};
use crate::message;
use crate::names::with_suggestion;
use crate::palette::RunStyle;
use crate::problem::{Problem, Result};
use crate::store::groups::{groups, no_finished_task_problem};
use crate::store::summary::RunSummary;
use crate::tr;

/// A figure of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunFigure {
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

impl RunFigure {
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
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(key, _)| *key == name);
        found.map(|(_, figure)| figure).ok_or_else(|| {
            let problem = Problem::new(message!("problem-run-figure-not-found", name));
            with_suggestion(problem, name, Self::ALL.map(|(key, _)| key))
        })
    }

    /// Returns the figure of these runs. If it needs the predictions of a run, they are read.
    ///
    /// # Errors
    /// Returns a Problem if no run has a finished task, if a figure of one run is requested for several runs, or if the
    /// run cannot be read.
    pub fn build(self, runs: &[RunSummary]) -> Result<Figure> {
        if self == Self::Accuracy {
            let groups = groups(runs);
            return match groups.is_empty() {
                true => Err(no_finished_task_problem()),
                false => {
                    Ok(Figure::line_chart(tr!("figure-accuracy"), LineChart::from_groups(&groups)))
                }
            };
        }
        let measured: Vec<&RunSummary> = runs.iter().filter(|run| run.saved_tasks() > 0).collect();
        let run = match &measured[..] {
            [] => return Err(no_finished_task_problem()),
            [run] => run,
            several => {
                let what =
                    message!("problem-figure-shows-one-run", several = several.len().to_string());
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
    let matrix = &history.for_expert(run.header.answering_expert()).matrix;
    let title = format!("{}: {}", tr!("figure-accuracy-matrix"), run.header.title());
    Figure::heatmap(title, Heatmap::accuracy(matrix))
}

fn confusion(run: &RunSummary) -> Result<Figure> {
    let (header, last) = (&run.header, run.latest_report()?);
    let class_count = header.tasks.get(last.task).map_or(0, |task| task.end);
    let classes = last.answers.confusion(header.answering_expert(), class_count);
    let name = |index: usize| header.class_order.get(index).cloned().unwrap_or_default();
    let title = tr!("figure-confusion-of", n = last.task + 1, name = header.title());
    Ok(Figure::heatmap(title, Heatmap::confusion(&classes, &name)))
}

fn loss(run: &RunSummary) -> Result<Figure> {
    let tasks = run.reports().into_iter().map(|report| report.losses);
    let losses: Vec<f64> = tasks.flatten().collect();
    if losses.is_empty() {
        let what = message!("problem-no-loss-recorded");
        return Err(Problem::new(what).at_path(&run.header.folder));
    }
    let highest = losses.iter().copied().filter(|loss| loss.is_finite());
    let points = losses.iter().enumerate();
    let points = points.map(|(epoch, loss)| [(epoch + 1) as f64, *loss]);
    let shade = RunStyle::for_method(&run.header.config.method);
    let line = ChartLine::new(run.header.title(), Some(shade), points);
    let lines = LineChart {
        axis_label: tr!("figure-mean-loss-of-passes", n = losses.len()),
        x_labels: Vec::new(),
        y_range: [0.0, highest.fold(0.0, f64::max) * 1.05],
        lines: vec![line],
    };
    Ok(Figure::line_chart(tr!("figure-training-loss"), lines))
}
