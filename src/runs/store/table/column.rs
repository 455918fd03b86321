//! The columns of a table of runs: facts, settings and figures.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::TableRun;
use super::text::latex_text;
use crate::message;
use crate::metrics::Expert;
use crate::names::{closest_name, with_suggestion};
use crate::problem::{Problem, Result};
use crate::run::config::{RunSetting, SETTINGS, Setting, capitalize, setting};
use crate::store::Figures;
use crate::store::figures::{FIGURES, FigureSpec};
use crate::store::json::EXPERT_FIGURES;
use crate::texts::translate_entry;
use crate::tr;

/// The value of a column for one run.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number; figures are in percent.
    Number(f64),
    /// A text.
    Text(String),
    /// No value.
    Nothing,
}

impl Cell {
    fn number(value: Option<f64>) -> Self {
        let finite = value.filter(|value| value.is_finite());
        finite.map_or(Self::Nothing, Self::Number)
    }

    fn text(text: &str) -> Self {
        match text {
            "" => Self::Nothing,
            text => Self::Text(text.to_string()),
        }
    }

    fn setting(value: Option<Setting>) -> Self {
        match value {
            None => Self::Nothing,
            Some(Setting::Whole(number)) => Self::Number(number as f64),
            Some(Setting::Real(number)) => Self::Number(number),
            Some(other) => Self::text(&other.to_string()),
        }
    }

    /// Compares cells for sorting: numbers by value, texts alphabetically, numbers before texts.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Number(_), _) => Ordering::Less,
            (_, Self::Number(_)) => Ordering::Greater,
            (a, b) => a.to_string().cmp(&b.to_string()),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Nothing => f.write_str("–"),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::Nothing => serializer.serialize_none(),
        }
    }
}

/// A fact that is neither a setting nor a figure.
#[derive(Debug)]
pub struct FactSpec {
    /// The name of the column.
    pub key: &'static str,
    compute: fn(&TableRun<'_>) -> Cell,
}

/// All facts. A fact with the name of a setting shows the value in effect.
pub static FACTS: [FactSpec; 17] = [
    fact("run", |run| Cell::text(&run.header.run)),
    fact("name", |run| Cell::text(&run.header.about.name)),
    fact("tags", |run| Cell::text(&run.header.about.tags.join(", "))),
    fact("state", |run| Cell::text(run.state.name())),
    // Repetitions of one experiment share this value; tables show it in words.
    fact(EXPERIMENT, |run| match &run.group {
        Some(group) => Cell::text(&group.key.experiment),
        None => Cell::Nothing,
    }),
    fact("tasks_done", |run| Cell::Number(run.saved_tasks() as f64)),
    fact("measured_on", |run| Cell::text(run.header.config.evaluation_split())),
    fact("started", |run| Cell::text(&run.header.started)),
    fact("version", |run| Cell::text(&run.header.version)),
    fact("variant", |run| Cell::text(&run.header.method.variant.join(", "))),
    // A method without a PET has PET settings that it does not use.
    fact("pet", |run| match run.header.method.uses_pet {
        true => Cell::text(&run.header.config.pet),
        false => Cell::Nothing,
    }),
    fact("pet_size", |run| {
        let size = run.header.method.pet_size(&run.header.config);
        Cell::number(size.map(|size| size as f64))
    }),
    fact("device", |run| Cell::text(&run.header.device_label())),
    fact("tasks", |run| Cell::Number(run.header.tasks.len() as f64)),
    fact("classes", |run| Cell::Number(run.header.class_order.len() as f64)),
    fact("trained_parameters", |run| Cell::Number(run.header.trained_parameters as f64)),
    fact("seconds", |run| Cell::number(Some(run.seconds))),
];

/// The name of the fact by which repetitions of an experiment are grouped.
pub(super) const EXPERIMENT: &str = "experiment";

const fn fact(key: &'static str, compute: fn(&TableRun<'_>) -> Cell) -> FactSpec {
    FactSpec { key, compute }
}

/// A column of a table of runs.
#[derive(Clone, Debug)]
pub enum Column {
    /// A fact.
    Fact(&'static FactSpec),
    /// A setting of every run.
    Setting(&'static RunSetting),
    /// A setting of a method, by its key.
    MethodSetting(String),
    /// A figure of the run's predictions.
    Figure(&'static FigureSpec),
    /// A figure of an expert: the index of A_N, Ā_N or F_N in `EXPERT_FIGURES`, and the expert.
    ExpertFigure(usize, Expert),
    /// The titles of rows that the caller has grouped.
    RowTitle,
}

impl Column {
    /// Returns the column with this name: a fact, a setting (with `-` or `_`), a figure or its short name,
    /// `FIGURE_EXPERT`, or a method's own setting that one of the runs has.
    ///
    /// # Errors
    /// Returns a Problem with the nearest name if there is no such column.
    pub fn from_name(name: &str, runs: &[TableRun<'_>]) -> Result<Self> {
        let key = name.trim().to_lowercase().replace('-', "_");
        if let Some(fact) = FACTS.iter().find(|fact| fact.key == key) {
            return Ok(Self::Fact(fact));
        }
        if let Some(setting) = setting(&key) {
            return Ok(Self::Setting(setting));
        }
        if let Some(figure) = FigureSpec::from_name(&key) {
            return Ok(Self::Figure(figure));
        }
        let experts = runs.iter().flat_map(|run| run.figures.by_expert.keys());
        for &expert in experts {
            let matches_key = |figure_key: &str| key == format!("{figure_key}_{}", expert.key());
            if let Some(index) =
                EXPERT_FIGURES.iter().position(|figure_key| matches_key(figure_key))
            {
                return Ok(Self::ExpertFigure(index, expert));
            }
        }
        let has_setting = |run: &TableRun<'_>| run.header.config.settings.contains_key(&key);
        if runs.iter().any(has_setting) {
            return Ok(Self::MethodSetting(key));
        }
        Err(unknown_column(&key, runs))
    }

    /// Returns the name of the column, as [`Column::from_name`] takes it.
    pub fn key(&self) -> String {
        match self {
            Self::Fact(fact) => fact.key.into(),
            Self::Setting(setting) => setting.spec.key.into(),
            Self::MethodSetting(key) => key.clone(),
            Self::Figure(figure) => figure.key.into(),
            Self::ExpertFigure(index, expert) => {
                format!("{}_{}", EXPERT_FIGURES[*index], expert.key())
            }
            Self::RowTitle => "row".into(),
        }
    }

    /// Returns the column's heading.
    pub fn title(&self) -> String {
        match self {
            Self::Figure(figure) => figure.title().into(),
            Self::ExpertFigure(_, expert) => {
                let figure = self.figure_spec().map_or("", FigureSpec::title);
                format!("{figure} {}", expert.key())
            }
            Self::Setting(setting) => setting.spec.heading(),
            Self::RowTitle => tr!("compare-table-row").into(),
            other => {
                let key = other.key();
                let default_title = || {
                    let english = capitalize(&key.replace('_', " "));
                    translate_entry("column", &key, "title", &english).to_string()
                };
                setting(&key).map_or_else(default_title, |setting| setting.spec.heading())
            }
        }
    }

    /// Returns the column's heading in LaTeX, with the symbols of figures in math mode.
    pub fn latex_title(&self) -> String {
        match self {
            Self::Figure(figure) => figure.latex.into(),
            Self::ExpertFigure(_, expert) => {
                let figure = self.figure_spec().map_or("", |figure| figure.latex);
                format!("{figure} {}", latex_text(expert.key()))
            }
            other => latex_text(&other.title()),
        }
    }

    /// Returns the figure of the column, including those of experts.
    pub fn figure_spec(&self) -> Option<&'static FigureSpec> {
        match self {
            Self::Figure(figure) => Some(figure),
            Self::ExpertFigure(index, _) => FigureSpec::from_name(EXPERT_FIGURES[*index]),
            _ => None,
        }
    }

    /// Returns the cell of one run.
    pub fn cell(&self, run: &TableRun<'_>) -> Cell {
        match self {
            Self::Fact(fact) => (fact.compute)(run),
            Self::Setting(setting) => Cell::setting((setting.get)(&run.header.config)),
            Self::MethodSetting(key) => Cell::setting(run.header.config.settings.get(key).cloned()),
            _ => Cell::number(self.figure(&run.figures)),
        }
    }

    /// Returns a cell in readable form, given a run that has this value: the title of a method, the name of a dataset,
    /// or the file name of weights.
    pub fn display_text(&self, cell: &Cell, run: &TableRun<'_>) -> String {
        let (header, key) = (run.header, self.key());
        match key.as_str() {
            _ if *cell == Cell::Nothing => cell.to_string(),
            "method" => header.method.title.clone(),
            "data" => header.config.dataset_name(),
            "backbone" => {
                let name = Path::new(&header.config.backbone).file_name();
                name.map_or_else(|| cell.to_string(), |name| name.to_string_lossy().into())
            }
            EXPERIMENT => header.title(),
            _ => cell.to_string(),
        }
    }

    /// Returns the value of this column's figure; `None` for other kinds of columns.
    pub fn figure(&self, figures: &Figures) -> Option<f64> {
        match self {
            Self::Figure(figure) => figures.get(figure.key),
            Self::ExpertFigure(index, expert) => {
                figures.by_expert.get(expert).and_then(|all| all[*index])
            }
            _ => None,
        }
    }

    /// Returns whether the column is a figure, of which rows with several runs show the mean.
    pub fn is_figure(&self) -> bool {
        matches!(self, Self::Figure(_) | Self::ExpertFigure(..))
    }
}

/// A column that the user can choose for some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    /// Its name, for [`Column::from_name`].
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether the column is a figure; otherwise, runs can be grouped by it.
    pub is_figure: bool,
}

impl ColumnChoice {
    /// Returns the columns to choose from: figures that one of the runs has, then facts and settings in which the runs
    /// differ, and those that are always offered.
    pub fn available(runs: &[TableRun<'_>]) -> Vec<Self> {
        let facts = FACTS.iter().map(Column::Fact);
        let is_not_fact = |setting: &&RunSetting| {
            let same = |fact: &FactSpec| fact.key == setting.spec.key;
            !FACTS.iter().any(same)
        };
        let settings = SETTINGS.iter().filter(is_not_fact).map(Column::Setting);
        let method_settings = runs.iter().flat_map(|run| run.header.config.settings.keys());
        let method_settings: BTreeSet<&String> = method_settings.collect();
        let method_settings = method_settings.into_iter().cloned().map(Column::MethodSetting);
        let differs = |column: &Column| {
            let mut cells = runs.iter().map(|run| column.cell(run));
            let first = cells.next();
            cells.any(|cell| Some(&cell) != first.as_ref())
        };
        let is_always_offered = |column: &Column| matches!(column, Column::Fact(fact) if ALWAYS_OFFERED.contains(&fact.key));
        let run_columns = facts.chain(settings).chain(method_settings);
        let run_columns = run_columns.filter(|column| is_always_offered(column) || differs(column));
        let mut experts: Vec<Expert> = Vec::new();
        for &expert in runs.iter().flat_map(|run| run.figures.by_expert.keys()) {
            if !experts.contains(&expert) {
                experts.push(expert);
            }
        }
        let expert_columns = experts.iter().flat_map(|expert| {
            (0..EXPERT_FIGURES.len()).map(|index| Column::ExpertFigure(index, *expert))
        });
        let has_values =
            |column: &Column| runs.iter().any(|run| column.figure(&run.figures).is_some());
        let figures = FIGURES.iter().map(Column::Figure).chain(expert_columns);
        let figures = figures.filter(has_values);
        let choice = |column: Column| Self {
            key: column.key(),
            title: column.title(),
            is_figure: column.is_figure(),
        };
        figures.chain(run_columns).map(choice).collect()
    }
}

/// Facts that can be chosen even if the runs do not differ in them.
const ALWAYS_OFFERED: [&str; 3] = ["pet", "seconds", "trained_parameters"];

fn unknown_column(key: &str, runs: &[TableRun<'_>]) -> Problem {
    let method_settings = runs.iter().flat_map(|run| run.header.config.settings.keys());
    let names = FACTS.iter().map(|fact| fact.key);
    let names = names.chain(SETTINGS.iter().map(|setting| setting.spec.key));
    let names = names.chain(FIGURES.iter().flat_map(|figure| [figure.key, figure.short]));
    let names: Vec<&str> = names.chain(method_settings.map(String::as_str)).collect();
    let problem = Problem::new(message!("problem-run-column-not-found", key));
    if closest_name(key, names.iter().copied()).is_some() {
        return with_suggestion(problem, key, names);
    }
    let figures: Vec<&str> = FIGURES.iter().map(|figure| figure.key).collect();
    problem.advise(message!("advice-use-metric-or-setting", figures = figures.join(", ")))
}
