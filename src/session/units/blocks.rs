//! The blocks of a unit that train runs, add tasks and check conditions. They are written as TOML in a fence.

use serde::Deserialize;
use toml::Table;

use super::formula::Formula;
use crate::message;
use crate::method;
use crate::problem::{Problem, Result, line_and_column, some_of};
use crate::run::config::RunConfig;

/// Maximum number of runs of a block, including repetitions.
const MOST_RUNS: usize = 20;

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

/// A block that adds a task to a run of the unit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Teach {
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
pub struct Expect {
    /// The condition.
    pub formula: Formula,
    /// Its line in the file.
    pub line: usize,
}

/// Keys of a run block that are not settings.
const OWN: [&str; 4] = ["name", "title", "button", "orders"];

#[derive(Deserialize)]
struct RunsWords {
    button: Option<String>,
    runs: Option<Vec<Table>>,
    /// The settings that all runs share, or the only run.
    #[serde(flatten)]
    shared: Table,
}

#[derive(Deserialize)]
struct RunWords {
    name: Option<String>,
    title: Option<String>,
    #[serde(default)]
    orders: Vec<String>,
    #[serde(flatten)]
    settings: Table,
}

impl Runs {
    /// Parses the block.
    pub(super) fn read(text: &str) -> Result<Self> {
        let words: RunsWords = block(text)?;
        let own = words.runs.unwrap_or_else(|| vec![Table::new()]);
        few_runs(own.len())?;
        let read_plan = |own| {
            let mut table = words.shared.clone();
            table.extend(own);
            RunPlan::read(table)
        };
        let runs: Vec<RunPlan> = own.into_iter().map(read_plan).collect::<Result<_>>()?;
        few_runs(runs.iter().map(|plan| plan.configs.len()).sum())?;
        let button = words.button;
        Ok(Self { button, runs })
    }
}

impl RunPlan {
    fn read(table: Table) -> Result<Self> {
        let words: RunWords = table.try_into().map_err(|error| in_line(&error, ""))?;
        let nameless = || Problem::new(message!("lesson-run-without-name"));
        let name = words.name;
        let name = name.ok_or_else(|| nameless().advise(message!("lesson-name-advice")))?;
        check_name(&name)?;
        few_runs(words.orders.len().max(1))?;
        let settings = words.settings.to_string();
        let mut config = RunConfig::from_toml(&settings, "").map_err(|problem| {
            let known = OWN.join(", ");
            Problem::new(problem.words()).advise(message!("lesson-setting-advice", names = known))
        })?;
        if !words.settings.contains_key("base_lr")
            && let Some(rate) = method::named_method(&config.method)?.rate
        {
            config.base_lr = rate.base;
        }
        let with_order = |order| RunConfig {
            order,
            ..config.clone()
        };
        let configs: Vec<RunConfig> = match words.orders.is_empty() {
            true => vec![config],
            false => words.orders.into_iter().map(with_order).collect(),
        };
        if let Some(problem) = configs.iter().flat_map(method::problems).next() {
            let what = message!("lesson-problem-in-run", name, what = problem.words());
            return Err(Problem::new(what).advise(problem.messages.words(1, &problem.remedy)));
        }
        let title = match words.title {
            Some(title) => title,
            None => method::named_method(&configs[0].method)?.title.to_string(),
        };
        Ok(Self {
            name,
            title,
            configs,
        })
    }
}

/// Returns a Problem if a block has no runs or too many, before they are created.
fn few_runs(count: usize) -> Result<()> {
    match (1..=MOST_RUNS).contains(&count) {
        true => Ok(()),
        false => Err(
            Problem::new(message!("lesson-block-too-many-runs", n = count))
                .advise(message!("lesson-block-too-many-runs-advice", n = MOST_RUNS)),
        ),
    }
}

impl Teach {
    pub(super) fn read(text: &str, runs: &[String]) -> Result<Self> {
        let mut teach: Self = block(text)?;
        check_name(&teach.name)?;
        known(&teach.run, runs)?;
        if teach.title.is_empty() {
            teach.title.clone_from(&teach.name);
        }
        Ok(teach)
    }
}

impl Expect {
    /// Parses one condition per line.
    pub(super) fn read(text: &str, first: usize, runs: &[String]) -> Result<Vec<Self>> {
        let lines = text.lines().zip(first..);
        let lines = lines.filter(|(row, _)| !row.trim().is_empty() && !row.trim().starts_with('#'));
        let read_row = |(row, line): (&str, usize)| {
            let formula = Formula::read(row, runs, true).map_err(|problem| Problem {
                place: format!("line {line}"),
                ..problem
            })?;
            Ok(Self { formula, line })
        };
        lines.map(read_row).collect()
    }
}

/// Checks that a name can be used in formulas.
pub(super) fn check_name(name: &str) -> Result<()> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let good = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letters);
    let taken = [
        "run", "and", "or", "online", "offline", "ensemble", "answer",
    ];
    match good && name.len() <= 40 && !taken.contains(&name) {
        true => Ok(()),
        false => Err(Problem::new(message!("lesson-name-invalid", name))
            .advise(message!("lesson-name-advice"))),
    }
}

/// Returns a Problem if there is no run with this name.
pub(super) fn known(name: &str, runs: &[String]) -> Result<()> {
    if runs.iter().any(|known| known == name) {
        return Ok(());
    }
    let advice = message!("lesson-no-such-run-advice", names = some_of(runs, 20));
    Err(Problem::new(message!("lesson-no-such-run", name)).advise(advice))
}

/// Parses a block as TOML.
pub(super) fn block<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| in_line(&error, text))
}

/// Converts a TOML error to a Problem with the line within the block.
fn in_line(error: &toml::de::Error, text: &str) -> Problem {
    let line = error
        .span()
        .map_or(1, |span| line_and_column(text, span.start).0);
    let why = error.message().trim();
    Problem::new(message!("lesson-block-unreadable", why))
        .at(format!("line {line} of the block"))
        .advise(message!("lesson-block-unreadable-advice"))
}
