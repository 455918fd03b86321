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
use crate::names::{closest, meant};
use crate::problem::{Problem, Result};
use crate::run::config::{RunSetting, SETTINGS, Setting, capitalised};
use crate::store::Figures;
use crate::store::figures::{FIGURES, FigureSpec};
use crate::store::json::OF_EXPERT;
use crate::texts::of_list;
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
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(to),
            Self::Text(text) => text.serialize(to),
            Self::Nothing => to.serialize_none(),
        }
    }
}

/// A fact that is neither a setting nor a figure.
#[derive(Debug)]
pub struct FactSpec {
    /// The name of the column.
    pub key: &'static str,
    of: fn(&TableRun<'_>) -> Cell,
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
    fact("tasks_done", |run| Cell::Number(run.saved() as f64)),
    fact("measured_on", |run| {
        Cell::text(run.header.config.measured_on())
    }),
    fact("started", |run| Cell::text(&run.header.started)),
    fact("version", |run| Cell::text(&run.header.version)),
    fact("variant", |run| {
        Cell::text(&run.header.method.variant.join(", "))
    }),
    // A method without a PET has PET settings that it does not use.
    fact("pet", |run| match run.header.method.uses_pet {
        true => Cell::text(&run.header.config.pet),
        false => Cell::Nothing,
    }),
    fact("pet_size", |run| {
        let size = run.header.method.pet_size(&run.header.config);
        Cell::number(size.map(|size| size as f64))
    }),
    fact("device", |run| Cell::text(&run.header.computed_on())),
    fact("tasks", |run| Cell::Number(run.header.tasks.len() as f64)),
    fact("classes", |run| {
        Cell::Number(run.header.class_order.len() as f64)
    }),
    fact("trained_parameters", |run| {
        Cell::Number(run.header.trained_parameters as f64)
    }),
    fact("seconds", |run| Cell::number(Some(run.seconds))),
];

/// The name of the fact by which repetitions of an experiment are grouped.
pub(super) const EXPERIMENT: &str = "experiment";

const fn fact(key: &'static str, of: fn(&TableRun<'_>) -> Cell) -> FactSpec {
    FactSpec { key, of }
}

/// A column of a table of runs.
#[derive(Clone, Debug)]
pub enum Column {
    /// A fact.
    Fact(&'static FactSpec),
    /// A setting of every run.
    Setting(&'static RunSetting),
    /// A setting of a method, by its key.
    OwnSetting(String),
    /// A figure of the run's predictions.
    Figure(&'static FigureSpec),
    /// A figure of an expert: the index of A_N, Ā_N or F_N in `OF_EXPERT`, and the expert.
    FigureOfExpert(usize, Expert),
    /// The titles of rows that the caller has grouped.
    Given,
}

impl Column {
    /// Returns the column with this name: a fact, a setting (with `-` or `_`), a figure or its short name,
    /// `FIGURE_EXPERT`, or a method's own setting that one of the runs has.
    ///
    /// # Errors
    /// Returns a Problem with the nearest name if there is no such column.
    pub fn named(name: &str, runs: &[TableRun<'_>]) -> Result<Self> {
        let key = name.trim().to_lowercase().replace('-', "_");
        if let Some(fact) = FACTS.iter().find(|fact| fact.key == key) {
            return Ok(Self::Fact(fact));
        }
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.spec.key == key) {
            return Ok(Self::Setting(setting));
        }
        if let Some(figure) = FigureSpec::named(&key) {
            return Ok(Self::Figure(figure));
        }
        let experts = runs.iter().flat_map(|run| run.figures.by_expert.keys());
        for &expert in experts {
            let figure = |of: &str| key == format!("{of}_{}", expert.name());
            if let Some(at) = OF_EXPERT.iter().position(|of| figure(of)) {
                return Ok(Self::FigureOfExpert(at, expert));
            }
        }
        let own = |run: &TableRun<'_>| run.header.config.settings.contains_key(&key);
        if runs.iter().any(own) {
            return Ok(Self::OwnSetting(key));
        }
        Err(unknown(&key, runs))
    }

    /// Returns the name of the column, as [`Column::named`] takes it.
    pub fn key(&self) -> String {
        match self {
            Self::Fact(fact) => fact.key.into(),
            Self::Setting(setting) => setting.spec.key.into(),
            Self::OwnSetting(key) => key.clone(),
            Self::Figure(figure) => figure.key.into(),
            Self::FigureOfExpert(at, expert) => format!("{}_{}", OF_EXPERT[*at], expert.name()),
            Self::Given => "row".into(),
        }
    }

    /// Returns the column's heading.
    pub fn title(&self) -> String {
        match self {
            Self::Figure(figure) => figure.title().into(),
            Self::FigureOfExpert(_, expert) => {
                let figure = self.figure_spec().map_or("", FigureSpec::title);
                format!("{figure} {}", expert.name())
            }
            Self::Setting(setting) => setting.spec.heading(),
            Self::Given => tr!("compare-table-row").into(),
            other => {
                let key = other.key();
                let setting = SETTINGS.iter().find(|setting| setting.spec.key == key);
                let words = || {
                    let english = capitalised(&key.replace('_', " "));
                    of_list("column", &key, "title", &english).to_string()
                };
                setting.map_or_else(words, |setting| setting.spec.heading())
            }
        }
    }

    /// Returns the column's heading in LaTeX, with the symbols of figures in math mode.
    pub fn latex(&self) -> String {
        match self {
            Self::Figure(figure) => figure.latex.into(),
            Self::FigureOfExpert(_, expert) => {
                let figure = self.figure_spec().map_or("", |figure| figure.latex);
                format!("{figure} {}", latex_text(expert.name()))
            }
            other => latex_text(&other.title()),
        }
    }

    /// Returns the figure of the column, including those of experts.
    pub fn figure_spec(&self) -> Option<&'static FigureSpec> {
        match self {
            Self::Figure(figure) => Some(figure),
            Self::FigureOfExpert(at, _) => FigureSpec::named(OF_EXPERT[*at]),
            _ => None,
        }
    }

    /// Returns the cell of one run.
    pub fn of(&self, run: &TableRun<'_>) -> Cell {
        match self {
            Self::Fact(fact) => (fact.of)(run),
            Self::Setting(setting) => Cell::setting((setting.get)(&run.header.config)),
            Self::OwnSetting(key) => Cell::setting(run.header.config.settings.get(key).cloned()),
            _ => Cell::number(self.figure(&run.figures)),
        }
    }

    /// Returns a cell in readable form, given a run that has this value: the title of a method, the name of a dataset,
    /// or the file name of weights.
    pub fn shown(&self, cell: &Cell, run: &TableRun<'_>) -> String {
        let (header, key) = (run.header, self.key());
        match key.as_str() {
            _ if *cell == Cell::Nothing => cell.to_string(),
            "method" => header.method.title.clone(),
            "data" => header.config.data_name(),
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
            Self::FigureOfExpert(at, expert) => {
                figures.by_expert.get(expert).and_then(|all| all[*at])
            }
            _ => None,
        }
    }

    /// Returns whether the column is a figure, of which rows with several runs show the mean.
    pub fn is_figure(&self) -> bool {
        matches!(self, Self::Figure(_) | Self::FigureOfExpert(..))
    }
}

/// A column that the user can choose for some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name, for [`Column::named`].
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether the column is a figure; otherwise, runs can be grouped by it.
    pub is_figure: bool,
}

impl Choice {
    /// Returns the columns to choose from: figures that one of the runs has, then facts and settings in which the runs
    /// differ, and those that are always offered.
    pub fn of(runs: &[TableRun<'_>]) -> Vec<Self> {
        let facts = FACTS.iter().map(Column::Fact);
        let named_alike = |setting: &&RunSetting| {
            let same = |fact: &FactSpec| fact.key == setting.spec.key;
            !FACTS.iter().any(same)
        };
        let settings = SETTINGS.iter().filter(named_alike).map(Column::Setting);
        let own = runs
            .iter()
            .flat_map(|run| run.header.config.settings.keys());
        let own: BTreeSet<&String> = own.collect();
        let own = own.into_iter().cloned().map(Column::OwnSetting);
        let differs = |column: &Column| {
            let mut cells = runs.iter().map(|run| column.of(run));
            let first = cells.next();
            cells.any(|cell| Some(&cell) != first.as_ref())
        };
        let kept =
            |column: &Column| matches!(column, Column::Fact(fact) if ALWAYS.contains(&fact.key));
        let of_runs = facts.chain(settings).chain(own);
        let of_runs = of_runs.filter(|column| kept(column) || differs(column));
        let mut experts: Vec<Expert> = Vec::new();
        for &expert in runs.iter().flat_map(|run| run.figures.by_expert.keys()) {
            if !experts.contains(&expert) {
                experts.push(expert);
            }
        }
        let of_experts = experts
            .iter()
            .flat_map(|expert| (0..OF_EXPERT.len()).map(|at| Column::FigureOfExpert(at, *expert)));
        let there = |column: &Column| runs.iter().any(|run| column.figure(&run.figures).is_some());
        let figures = FIGURES.iter().map(Column::Figure).chain(of_experts);
        let figures = figures.filter(there);
        let choice = |column: Column| Self {
            key: column.key(),
            title: column.title(),
            is_figure: column.is_figure(),
        };
        figures.chain(of_runs).map(choice).collect()
    }
}

/// Facts that can be chosen even if the runs do not differ in them.
const ALWAYS: [&str; 3] = ["pet", "seconds", "trained_parameters"];

fn unknown(key: &str, runs: &[TableRun<'_>]) -> Problem {
    let own = runs
        .iter()
        .flat_map(|run| run.header.config.settings.keys());
    let names = FACTS.iter().map(|fact| fact.key);
    let names = names.chain(SETTINGS.iter().map(|setting| setting.spec.key));
    let names = names.chain(FIGURES.iter().flat_map(|figure| [figure.key, figure.short]));
    let names: Vec<&str> = names.chain(own.map(String::as_str)).collect();
    let problem = Problem::new(message!("problem-run-column-not-found", key));
    if closest(key, names.iter().copied()).is_some() {
        return meant(problem, key, names);
    }
    let figures: Vec<&str> = FIGURES.iter().map(|figure| figure.key).collect();
    problem.advise(message!(
        "advice-use-metric-or-setting",
        figures = figures.join(", ")
    ))
}
