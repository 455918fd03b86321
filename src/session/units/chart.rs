//! Figures of a unit as plain data, which can be drawn or written as text.

use serde::Deserialize;

use super::Unit;
use super::blocks::{block, known};
use super::figures::{Figures, RunFigures};
use super::formula::Formula;
use super::text::number;
use crate::message;
use crate::metrics::{mean, std_dev};
use crate::palette::Shade;
use crate::problem::{Problem, Result};
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

/// The kind of a figure.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Curves,
    Matrix,
    Bars(Vec<Formula>, String),
    Spread(Vec<Formula>, String),
    /// A table: the column titles, and for each run one formula per column.
    Table(Vec<String>, Vec<Vec<Formula>>),
    Distance,
}

/// The data of one run in a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct RunValues<T> {
    /// The display name of the run.
    pub title: String,
    /// Its colour.
    pub shade: Shade,
    /// The values that are available.
    pub values: Vec<T>,
}

/// A figure with the data that is available.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// A curve over tasks for each run, in percent.
    Curves {
        /// The label of each task.
        tasks: Vec<String>,
        /// Values by task.
        lines: Vec<RunValues<f64>>,
    },
    /// The accuracy matrix of a run, as shares.
    Matrix {
        /// Its rows.
        rows: Vec<Vec<f64>>,
        /// Number of tasks.
        tasks: usize,
    },
    /// Values of each run. A repeated run has several values.
    Bars {
        /// For each run, one value per repetition.
        rows: Vec<RunValues<f64>>,
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
        passes: usize,
        /// Number of tasks.
        tasks: usize,
        /// Points (epochs since the start, distance) of each run.
        lines: Vec<RunValues<[f64; 2]>>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
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

/// The kinds of figures.
const KINDS: [&str; 6] = ["curves", "matrix", "bars", "spread", "table", "distance"];
/// Maximum number of columns of a table.
const MOST_COLUMNS: usize = 12;
/// The default columns of a table.
const COLUMNS: [(&str, &str); 3] = [
    ("A_N", "accuracy(run)"),
    ("Ā_N", "average(run)"),
    ("F_N", "forgetting(run)"),
];

impl Figure {
    /// Parses the block.
    pub(super) fn read(text: &str, runs: &[String]) -> Result<Self> {
        let words: Words = block(text)?;
        words.runs.iter().try_for_each(|name| known(name, runs))?;
        if words.runs.is_empty() || words.runs.len() > 8 {
            return Err(Problem::new(message!("lesson-figure-run-count"))
                .advise(message!("lesson-figure-run-count-advice")));
        }
        let value = || match &words.value {
            Some(value) => each(value, &words.runs),
            None => Err(Problem::new(message!(
                "lesson-figure-value-missing",
                kind = words.kind.as_str()
            ))
            .advise(message!("lesson-figure-value-missing-advice"))),
        };
        let kind = match words.kind.as_str() {
            "curves" => Shape::Curves,
            "matrix" => Shape::Matrix,
            "distance" => Shape::Distance,
            "bars" => Shape::Bars(value()?, words.unit.clone()),
            "spread" => Shape::Spread(value()?, words.unit.clone()),
            "table" => table(&words)?,
            other => {
                return Err(
                    Problem::new(message!("lesson-no-such-figure", kind = other)).advise(message!(
                        "lesson-no-such-figure-advice",
                        names = KINDS.join(", ")
                    )),
                );
            }
        };
        Ok(Self {
            title: words.title,
            runs: words.runs,
            kind,
        })
    }

    /// Returns the figure with the available data.
    pub fn chart(&self, unit: &Unit, figures: &Figures, language: Language) -> Chart {
        let figures_of = |name: &String| figures.get(name).map_or(&[][..], Vec::as_slice);
        let title = |name: &String| unit.title_of(name).to_string();
        let shades = Shade::each(self.runs.iter().map(|name| unit.method_of(name)));
        let runs = || self.runs.iter().zip(shades.iter().copied());
        let values = |formulas: &[Formula]| {
            let row = |((name, shade), formula): ((&String, Shade), &Formula)| RunValues {
                title: title(name),
                shade,
                values: formula.values(figures).unwrap_or_default(),
            };
            runs().zip(formulas).map(row).collect()
        };
        match &self.kind {
            Shape::Curves => Chart::Curves {
                tasks: task_labels(self.runs.iter().flat_map(figures_of)),
                lines: runs()
                    .map(|(name, shade)| RunValues {
                        title: title(name),
                        shade,
                        values: curve(figures_of(name)),
                    })
                    .collect(),
            },
            Shape::Matrix => {
                let run = self.runs.first().and_then(|name| figures_of(name).first());
                Chart::Matrix {
                    rows: run.map_or_else(Vec::new, |run| run.history.answer().matrix.clone()),
                    tasks: run.map_or(0, RunFigures::tasks),
                }
            }
            Shape::Bars(formulas, unit) | Shape::Spread(formulas, unit) => Chart::Bars {
                rows: values(formulas),
                unit: unit.clone(),
                spread: matches!(self.kind, Shape::Spread(..)),
            },
            Shape::Table(columns, rows) => {
                let rows = self.runs.iter().zip(rows).map(|(name, formulas)| {
                    let cells = formulas.iter().map(|formula| {
                        let values = formula.values(figures).unwrap_or_default();
                        mean_and_spread(&values, language)
                    });
                    std::iter::once(title(name)).chain(cells).collect()
                });
                Chart::Table {
                    columns: columns.clone(),
                    rows: rows.collect(),
                }
            }
            Shape::Distance => {
                let first = self.runs.iter().flat_map(figures_of).next();
                let lines = runs().filter_map(|(name, shade)| {
                    Some(RunValues {
                        title: title(name),
                        shade,
                        values: distance(figures_of(name).first()?),
                    })
                });
                Chart::Distance {
                    passes: first.map_or(0, |run| run.passes),
                    tasks: first.map_or(0, RunFigures::tasks),
                    lines: lines.collect(),
                }
            }
        }
    }
}

impl Chart {
    /// Returns whether there is nothing to draw yet.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Curves { lines, .. } => lines.iter().all(|line| line.values.is_empty()),
            Self::Bars { rows, .. } => rows.iter().all(|row| row.values.is_empty()),
            Self::Matrix { rows, .. } => rows.is_empty(),
            Self::Table { rows, .. } => rows
                .iter()
                .all(|row| row.iter().skip(1).all(|cell| cell == "–")),
            Self::Distance { lines, .. } => lines.iter().all(|line| line.values.is_empty()),
        }
    }

    /// Returns all numbers of the figure as text, with one line for each run or row.
    pub fn text(&self, language: Language) -> String {
        let say = |value: &f64| number(*value, language);
        let row = |title: &str, values: Vec<String>| format!("{title}: {}\n", values.join("  "));
        match self {
            Self::Curves { lines, .. } => lines
                .iter()
                .map(|line| row(&line.title, line.values.iter().map(say).collect()))
                .collect(),
            Self::Matrix { rows, .. } => rows
                .iter()
                .zip(1..)
                .map(|(cells, task)| {
                    let cells = cells.iter().map(|share| say(&(share * 100.0)));
                    row(&task.to_string(), cells.collect())
                })
                .collect(),
            Self::Bars { rows, unit, .. } => rows
                .iter()
                .map(|RunValues { title, values, .. }| {
                    let told = match values.len() {
                        0 | 1 => mean_and_spread(values, language),
                        _ => {
                            let each: Vec<String> = values.iter().map(say).collect();
                            format!(
                                "{}  ({})",
                                mean_and_spread(values, language),
                                each.join("  ")
                            )
                        }
                    };
                    format!("{title}: {told} {unit}").trim_end().to_string() + "\n"
                })
                .collect(),
            Self::Table { columns, rows } => rows
                .iter()
                .map(|cells| {
                    let named = columns.iter().zip(&cells[1..]);
                    let named = named.map(|(column, cell)| format!("{column} {cell}"));
                    row(&cells[0], named.collect())
                })
                .collect(),
            Self::Distance { lines, .. } => lines
                .iter()
                .map(|line| {
                    let values = line.values.iter().map(|[_, y]| say(y));
                    row(&line.title, values.collect())
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
    let centre = number(centre, language);
    match std_dev(values) {
        Some(spread) => format!("{centre} ± {}", number(spread, language)),
        None => centre,
    }
}

/// Returns one formula for each run: `value` with the word `run` replaced by the name of the run.
fn each(value: &str, runs: &[String]) -> Result<Vec<Formula>> {
    let with = |name: &String| {
        let mut text = String::new();
        let mut word = String::new();
        for c in value.chars().chain([' ']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            text.push_str(if word == "run" { name } else { &word });
            word.clear();
            text.push(c);
        }
        let mut all = runs.to_vec();
        all.push(name.clone());
        Formula::read_as(&text, &all, false)
    };
    runs.iter().map(with).collect()
}

fn table(words: &Words) -> Result<Shape> {
    let usual: Vec<Column> = COLUMNS
        .map(|(title, value)| Column {
            title: title.into(),
            value: value.into(),
        })
        .into();
    let columns = if words.columns.is_empty() {
        &usual
    } else {
        &words.columns
    };
    if columns.len() > MOST_COLUMNS {
        let what = message!("lesson-too-many-columns", n = columns.len());
        return Err(
            Problem::new(what).advise(message!("lesson-too-many-columns-advice", n = MOST_COLUMNS))
        );
    }
    let mut rows = vec![Vec::new(); words.runs.len()];
    for column in columns {
        let formulas = each(&column.value, &words.runs)?;
        for (row, formula) in rows.iter_mut().zip(formulas) {
            row.push(formula);
        }
    }
    let titles = columns.iter().map(|column| column.title.clone());
    Ok(Shape::Table(titles.collect(), rows))
}

/// Returns the mean of A_i over the repetitions, in percent, for the tasks that all repetitions have finished.
fn curve(runs: &[RunFigures]) -> Vec<f64> {
    let all = runs.iter().map(|run| run.history.answer());
    let all: Vec<&[f64]> = all.map(|history| history.accuracy.as_slice()).collect();
    let length = all.iter().map(|values| values.len()).min().unwrap_or(0);
    let at = |i: usize| all.iter().map(|values| values[i] * 100.0).sum::<f64>() / all.len() as f64;
    (0..length).map(at).collect()
}

/// Returns a label for each task: its number, and its classes if they are the same in all runs.
fn task_labels<'a>(runs: impl Iterator<Item = &'a RunFigures>) -> Vec<String> {
    let all: Vec<&RunFigures> = runs.collect();
    let Some(longest) = all.iter().max_by_key(|run| run.tasks()) else {
        return Vec::new();
    };
    let same = all
        .iter()
        .all(|run| longest.classes.starts_with(&run.classes));
    let label = |(task, names): (usize, &Vec<String>)| {
        let names = names.join(",");
        match same && names.chars().count() <= 9 {
            true => format!("{} · {names}", task + 1),
            false => (task + 1).to_string(),
        }
    };
    longest.classes.iter().enumerate().map(label).collect()
}

/// Returns points (epochs since the start, distance in percent), from the epoch where there are two experts on.
fn distance(run: &RunFigures) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    for (task, passes) in run.distance.iter().enumerate() {
        let skipped = run.passes.saturating_sub(passes.len());
        let here = passes.iter().zip(1..).map(|(distance, pass)| {
            let at = task * run.passes + skipped + pass;
            [at as f64, distance * 100.0]
        });
        points.extend(here);
    }
    let begun = (run.distance.len() * run.passes) as f64;
    points.extend(
        run.distance_now
            .iter()
            .map(|[at, distance]| [begun + at, distance * 100.0]),
    );
    points
}
