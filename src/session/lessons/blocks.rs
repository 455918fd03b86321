//! The blocks of a lesson that train runs, add tasks and check conditions. They are written as TOML in a fence.

use serde::Deserialize;
use toml::Table;

use super::formula::Formula;
use crate::message;
use crate::method;
use crate::problem::{Problem, Result, line_and_column, list_value};
use crate::run::config::RunConfig;

/// Maximum number of runs of a block, including repetitions.
const MAX_RUNS: usize = 20;

/// Runs that a button trains together.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The label of the button; `None` for the default.
    pub button: Option<String>,
    /// The runs.
    pub runs: Vec<RunPlan>,
}

/// A run with a name, and its repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Its name in formulas.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// The settings of each repetition.
    pub configs: Vec<RunConfig>,
}

/// A block that adds a task to a run of the lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedTaskBlock {
    /// The name of the run with the added task in formulas.
    pub name: String,
    /// Its display name.
    #[serde(default)]
    pub title: String,
    /// The run that gets the added task. If the run is repeated, its first repetition gets it.
    pub run: String,
    /// The images to learn: an embedded dataset or a folder.
    pub source: String,
    /// The label of the button; `None` for the default.
    pub button: Option<String>,
}

/// A condition that must be true.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The condition.
    pub formula: Formula,
    /// Its line in the file.
    pub line: usize,
}

/// Keys of a run block that are not settings.
const RESERVED_KEYS: [&str; 4] = ["name", "title", "button", "orders"];

#[derive(Deserialize)]
struct RunsFields {
    button: Option<String>,
    runs: Option<Vec<Table>>,
    /// The settings that all runs share, or the only run.
    #[serde(flatten)]
    shared: Table,
}

#[derive(Deserialize)]
struct RunFields {
    name: Option<String>,
    title: Option<String>,
    #[serde(default)]
    orders: Vec<String>,
    #[serde(flatten)]
    settings: Table,
}

impl Runs {
    /// Parses the block.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let fields: RunsFields = block(text)?;
        let tables = fields.runs.unwrap_or_else(|| vec![Table::new()]);
        check_run_count(tables.len())?;
        let read_plan = |overrides| {
            let mut table = fields.shared.clone();
            table.extend(overrides);
            RunPlan::parse(table)
        };
        let runs: Vec<RunPlan> = tables.into_iter().map(read_plan).collect::<Result<_>>()?;
        check_run_count(runs.iter().map(|plan| plan.configs.len()).sum())?;
        let button = fields.button;
        Ok(Self { button, runs })
    }
}

impl RunPlan {
    fn parse(table: Table) -> Result<Self> {
        let fields: RunFields = table.try_into().map_err(|error| block_problem(&error, ""))?;
        let nameless = || Problem::new(message!("lesson-run-without-name"));
        let name = fields.name;
        let name = name.ok_or_else(|| nameless().advise(message!("lesson-name-advice")))?;
        check_name(&name)?;
        check_run_count(fields.orders.len().max(1))?;
        let settings = fields.settings.to_string();
        let mut config = RunConfig::from_toml(&settings, "").map_err(|problem| {
            let keys = RESERVED_KEYS.join(", ");
            Problem::new(problem.what_text())
                .advise(message!("lesson-setting-advice", names = keys))
        })?;
        if !fields.settings.contains_key("base_lr")
            && let Some(rate) = method::find_method(&config.method)?.rate
        {
            config.base_lr = rate.base;
        }
        let with_order = |order| RunConfig { order, ..config.clone() };
        let configs: Vec<RunConfig> = match fields.orders.is_empty() {
            true => vec![config],
            false => fields.orders.into_iter().map(with_order).collect(),
        };
        if let Some(problem) = configs.iter().flat_map(method::problems).next() {
            let message = message!("lesson-problem-in-run", name, what = problem.what_text());
            return Err(Problem::new(message).advise(problem.messages.text(1, &problem.remedy)));
        }
        let title = match fields.title {
            Some(title) => title,
            None => method::find_method(&configs[0].method)?.title.to_string(),
        };
        Ok(Self { name, title, configs })
    }
}

/// Returns a Problem if a block has no runs or too many, before they are created.
fn check_run_count(count: usize) -> Result<()> {
    match (1..=MAX_RUNS).contains(&count) {
        true => Ok(()),
        false => Err(Problem::new(message!("lesson-block-too-many-runs", n = count))
            .advise(message!("lesson-block-too-many-runs-advice", n = MAX_RUNS))),
    }
}

impl AddedTaskBlock {
    pub(super) fn parse(text: &str, runs: &[String]) -> Result<Self> {
        let mut added_task: Self = block(text)?;
        check_name(&added_task.name)?;
        check_run_exists(&added_task.run, runs)?;
        if added_task.title.is_empty() {
            added_task.title.clone_from(&added_task.name);
        }
        Ok(added_task)
    }
}

impl Expectation {
    /// Parses one condition per line.
    pub(super) fn parse(text: &str, first_line: usize, runs: &[String]) -> Result<Vec<Self>> {
        let lines = text.lines().zip(first_line..);
        let lines = lines.filter(|(condition, _)| {
            !condition.trim().is_empty() && !condition.trim().starts_with('#')
        });
        let parse_line = |(condition, line): (&str, usize)| {
            let formula = Formula::parse(condition, runs, true)
                .map_err(|problem| Problem { place: format!("line {line}"), ..problem })?;
            Ok(Self { formula, line })
        };
        lines.map(parse_line).collect()
    }
}

/// Checks that a name can be used in formulas.
pub(super) fn check_name(name: &str) -> Result<()> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_valid =
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_allowed);
    let reserved = ["run", "and", "or", "online", "offline", "ensemble", "answer"];
    match is_valid && name.len() <= 40 && !reserved.contains(&name) {
        true => Ok(()),
        false => Err(Problem::new(message!("lesson-name-invalid", name))
            .advise(message!("lesson-name-advice"))),
    }
}

/// Returns a Problem if there is no run with this name.
pub(super) fn check_run_exists(name: &str, runs: &[String]) -> Result<()> {
    if runs.iter().any(|run| run == name) {
        return Ok(());
    }
    let advice = message!("lesson-no-such-run-advice", names = list_value(runs, 20));
    Err(Problem::new(message!("lesson-no-such-run", name)).advise(advice))
}

/// Parses a block as TOML.
pub(super) fn block<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| block_problem(&error, text))
}

/// Converts a TOML error to a Problem with the line within the block.
fn block_problem(error: &toml::de::Error, text: &str) -> Problem {
    let line = error.span().map_or(1, |span| line_and_column(text, span.start).0);
    let why = error.message().trim();
    Problem::new(message!("lesson-block-unreadable", why))
        .at(format!("line {line} of the block"))
        .advise(message!("lesson-block-unreadable-advice"))
}
