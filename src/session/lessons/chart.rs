//! Figures of a lesson as plain data, which can be drawn or written as text.

use serde::Deserialize;

use super::Lesson;
use super::blocks::{block, check_run_exists};
use super::figures::{Figures, RunFigures};
use super::formula::Formula;
use super::text::format_value;
use crate::message;
use crate::metrics::{mean, std_dev};
use crate::palette::RunStyle;
use crate::problem::{Problem, Result};
use crate::store::figure::{Bar, ChartLine};
use crate::texts::Language;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its title.
    pub title: String,
    /// The names of its runs.
    pub runs: Vec<String>,
    kind: Shape,
}

/// The kind of a figure. In its formulas, `run` is each of its runs in turn.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Curves,
    Matrix,
    Bars {
        value: Formula,
        unit: String,
        spread: bool,
    },
    /// The title and the formula of each column.
    Table(Vec<(String, Formula)>),
    Distance,
}

/// A figure with the data that is available.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// A curve over tasks for each run, in percent.
    Curves {
        /// The label of each task.
        tasks: Vec<String>,
        /// Points (task from 0, percent) of each run.
        lines: Vec<ChartLine>,
    },
    /// The accuracy matrix of a run, as shares.
    Matrix {
        /// Its rows.
        rows: Vec<Vec<f64>>,
        /// Number of tasks.
        tasks: usize,
    },
    /// Values of each run.
    Bars {
        /// For each run, its mean and one value per repetition.
        rows: Vec<(Bar, Vec<f64>)>,
        /// The unit shown after a number.
        unit: String,
        /// Whether each value is shown in addition to the mean.
        spread: bool,
    },
    /// A table of texts and numbers. Its first column is the run.
    Table {
        /// Titles.
        columns: Vec<String>,
        /// Cells.
        rows: Vec<Vec<String>>,
    },
    /// Distance between the experts of each run, in percent, over epochs.
    Distance {
        /// Number of epochs of a task.
        epochs: usize,
        /// Number of tasks.
        tasks: usize,
        /// Points (epochs since the start, distance) of each run.
        lines: Vec<ChartLine>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureFields {
    kind: String,
    #[serde(default)]
    title: String,
    runs: Vec<String>,
    value: Option<String>,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    columns: Vec<Column>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    title: String,
    value: String,
}

/// The name of each run in the formulas of a figure.
const RUN: &str = "run";
/// The kinds of figures.
const KINDS: [&str; 6] = ["curves", "matrix", "bars", "spread", "table", "distance"];
/// Maximum number of columns of a table.
const MAX_COLUMNS: usize = 12;
/// The default columns of a table.
const COLUMNS: [(&str, &str); 3] =
    [("A_N", "accuracy(run)"), ("Ā_N", "average(run)"), ("F_N", "forgetting(run)")];

impl Figure {
    /// Parses the block.
    pub(super) fn parse(text: &str, runs: &[String]) -> Result<Self> {
        let fields: FigureFields = block(text)?;
        fields.runs.iter().try_for_each(|name| check_run_exists(name, runs))?;
        if fields.runs.is_empty() || fields.runs.len() > 8 {
            return Err(Problem::new(message!("lesson-figure-run-count"))
                .advise(message!("lesson-figure-run-count-advice")));
        }
        let mut names = fields.runs.clone();
        names.push(RUN.into());
        let formula = |text: &str| Formula::parse(text, &names, false);
        let kind = match fields.kind.as_str() {
            "curves" => Shape::Curves,
            "matrix" => Shape::Matrix,
            "distance" => Shape::Distance,
            kind @ ("bars" | "spread") => {
                let missing = || {
                    Problem::new(message!("lesson-figure-value-missing", kind))
                        .advise(message!("lesson-figure-value-missing-advice"))
                };
                Shape::Bars {
                    value: formula(fields.value.as_ref().ok_or_else(missing)?)?,
                    unit: fields.unit,
                    spread: kind == "spread",
                }
            }
            "table" => {
                if fields.columns.len() > MAX_COLUMNS {
                    let message = message!("lesson-too-many-columns", n = fields.columns.len());
                    let advice = message!("lesson-too-many-columns-advice", n = MAX_COLUMNS);
                    return Err(Problem::new(message).advise(advice));
                }
                let columns = fields.columns.iter();
                let columns = columns.map(|column| (column.title.as_str(), column.value.as_str()));
                let defaults = COLUMNS.into_iter().filter(|_| fields.columns.is_empty());
                let column = |(title, value): (&str, &str)| Ok((title.into(), formula(value)?));
                Shape::Table(columns.chain(defaults).map(column).collect::<Result<_>>()?)
            }
            other => {
                let message = message!("lesson-no-such-figure", kind = other);
                let names = KINDS.join(", ");
                let advice = message!("lesson-no-such-figure-advice", names);
                return Err(Problem::new(message).advise(advice));
            }
        };
        Ok(Self { title: fields.title, runs: fields.runs, kind })
    }

    /// Returns the figure with the available data.
    pub fn chart(&self, lesson: &Lesson, figures: &Figures, language: Language) -> Chart {
        let figures_of = |name: &String| figures.get(name).map_or(&[][..], Vec::as_slice);
        let title = |name: &String| lesson.title_of(name).to_string();
        let shades = RunStyle::for_runs(self.runs.iter().map(|name| lesson.method_of(name)));
        let runs = || self.runs.iter().zip(shades.iter().copied());
        let lines = |points: fn(&[RunFigures]) -> Option<Vec<[f64; 2]>>| {
            let line = |(name, shade)| {
                let points = points(figures_of(name))?;
                Some(ChartLine::new(title(name), Some(shade), points))
            };
            runs().filter_map(line).collect()
        };
        // In a formula, `run` is this run.
        let values = |formula: &Formula, run: &str| {
            let results = |name: &str| {
                let name = if name == RUN { run } else { name };
                figures.get(name).map(Vec::as_slice)
            };
            formula.values_with(&results).unwrap_or_default()
        };
        match &self.kind {
            Shape::Curves => Chart::Curves {
                tasks: task_labels(self.runs.iter().flat_map(figures_of)),
                lines: lines(|runs| Some(curve(runs))),
            },
            Shape::Matrix => {
                let run = self.runs.first().and_then(|name| figures_of(name).first());
                Chart::Matrix {
                    rows: run
                        .map_or_else(Vec::new, |run| run.history.answer_history().matrix.clone()),
                    tasks: run.map_or(0, RunFigures::tasks),
                }
            }
            Shape::Bars { value, unit, spread } => {
                let row = |(name, shade): (&String, RunStyle)| {
                    let values = values(value, name);
                    let bar = Bar {
                        name: title(name),
                        shade,
                        value: mean(&values).unwrap_or(f64::NAN),
                        text: format!("{} {unit}", mean_and_spread(&values, language)),
                    };
                    (bar, values)
                };
                Chart::Bars { rows: runs().map(row).collect(), unit: unit.clone(), spread: *spread }
            }
            Shape::Table(columns) => {
                let row = |name: &String| {
                    let cell = |(_, formula): &(String, Formula)| {
                        mean_and_spread(&values(formula, name), language)
                    };
                    let cells = columns.iter().map(cell);
                    std::iter::once(title(name)).chain(cells).collect()
                };
                Chart::Table {
                    columns: columns.iter().map(|(title, _)| title.clone()).collect(),
                    rows: self.runs.iter().map(row).collect(),
                }
            }
            Shape::Distance => {
                let first = self.runs.iter().flat_map(figures_of).next();
                Chart::Distance {
                    epochs: first.map_or(0, |run| run.epochs),
                    tasks: first.map_or(0, RunFigures::tasks),
                    lines: lines(|runs| runs.first().map(distance)),
                }
            }
        }
    }
}

impl Chart {
    /// Returns whether there is nothing to draw yet.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Curves { lines, .. } | Self::Distance { lines, .. } => {
                lines.iter().all(|line| line.points.is_empty())
            }
            Self::Bars { rows, .. } => rows.iter().all(|(_, values)| values.is_empty()),
            Self::Matrix { rows, .. } => rows.is_empty(),
            Self::Table { rows, .. } => {
                rows.iter().all(|row| row.iter().skip(1).all(|cell| cell == "–"))
            }
        }
    }

    /// Returns all numbers of the figure as text, with one line for each run or row.
    pub fn text(&self, language: Language) -> String {
        let to_text = |value: f64| format_value(value, language);
        let row = |title: &str, values: Vec<String>| format!("{title}: {}\n", values.join("  "));
        match self {
            Self::Curves { lines, .. } | Self::Distance { lines, .. } => lines
                .iter()
                .map(|line| row(&line.name, line.points.iter().map(|p| to_text(p.y)).collect()))
                .collect(),
            Self::Matrix { rows, .. } => rows
                .iter()
                .zip(1..)
                .map(|(cells, task)| {
                    let cells = cells.iter().map(|share| to_text(share * 100.0));
                    row(&task.to_string(), cells.collect())
                })
                .collect(),
            Self::Bars { rows, unit, .. } => rows
                .iter()
                .map(|(bar, values)| {
                    let mut text = mean_and_spread(values, language);
                    if values.len() > 1 {
                        let texts: Vec<String> = values.iter().copied().map(to_text).collect();
                        text += &format!("  ({})", texts.join("  "));
                    }
                    format!("{}: {text} {unit}", bar.name).trim_end().to_string() + "\n"
                })
                .collect(),
            Self::Table { columns, rows } => rows
                .iter()
                .map(|cells| {
                    let labelled = columns.iter().zip(&cells[1..]);
                    let labelled = labelled.map(|(column, cell)| format!("{column} {cell}"));
                    row(&cells[0], labelled.collect())
                })
                .collect(),
        }
    }
}

/// Returns a single value, or mean ± standard deviation of several values; a dash if there are none.
pub fn mean_and_spread(values: &[f64], language: Language) -> String {
    let Some(centre) = mean(values) else {
        return "–".into();
    };
    let centre = format_value(centre, language);
    match std_dev(values) {
        Some(spread) => format!("{centre} ± {}", format_value(spread, language)),
        None => centre,
    }
}

/// Returns points (task from 0, mean of A_i over the repetitions in percent) for the tasks that all repetitions have
/// finished.
fn curve(runs: &[RunFigures]) -> Vec<[f64; 2]> {
    let histories = runs.iter().map(|run| run.history.answer_history());
    let accuracies: Vec<&[f64]> = histories.map(|history| history.accuracy.as_slice()).collect();
    let length = accuracies.iter().map(|values| values.len()).min().unwrap_or(0);
    let mean_at = |i: usize| {
        accuracies.iter().map(|values| values[i] * 100.0).sum::<f64>() / accuracies.len() as f64
    };
    (0..length).map(|i| [i as f64, mean_at(i)]).collect()
}

/// Returns a label for each task: its number, and its classes if they are the same in all runs.
fn task_labels<'a>(runs: impl Iterator<Item = &'a RunFigures>) -> Vec<String> {
    let all: Vec<&RunFigures> = runs.collect();
    let Some(longest) = all.iter().max_by_key(|run| run.tasks()) else {
        return Vec::new();
    };
    let same_classes = all.iter().all(|run| longest.classes.starts_with(&run.classes));
    let label = |(task, names): (usize, &Vec<String>)| {
        let names = names.join(",");
        match same_classes && names.chars().count() <= 9 {
            true => format!("{} · {names}", task + 1),
            false => (task + 1).to_string(),
        }
    };
    longest.classes.iter().enumerate().map(label).collect()
}

/// Returns points (epochs since the start, distance in percent), from the epoch where there are two experts on.
fn distance(run: &RunFigures) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    for (task, distances) in run.distance.iter().enumerate() {
        let skipped = run.epochs.saturating_sub(distances.len());
        let task_points = distances.iter().zip(1..).map(|(distance, epoch)| {
            let x = task * run.epochs + skipped + epoch;
            [x as f64, distance * 100.0]
        });
        points.extend(task_points);
    }
    let start = (run.distance.len() * run.epochs) as f64;
    points.extend(run.distance_now.iter().map(|[x, distance]| [start + x, distance * 100.0]));
    points
}
