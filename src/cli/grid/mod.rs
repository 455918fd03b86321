//! `grid`: series of runs from a file, or one of the tables that come with the program. What is there is not run again.

mod progress;
mod report;

use std::path::PathBuf;

use serde::Serialize;

use super::End;
use super::output::{Json, Table, complain, duration, say, size, tell};
use super::train::stop_on_ctrl_c;
use crate::counts::{count_text, counted};
use crate::experiment::Stock;
use crate::experiment::grid::{self, CellState, Cells, GridEnd, GridPlan, Overrides};
use crate::method::METHODS;
use crate::names::meant;
use crate::problem::{Problem, Result};
use crate::run::config::{self, SETTINGS};
use crate::store;
use progress::GridReporter;
use report::{GridReport, listing, table};

/// Options of `grid`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The grid: a file that ends in .toml, or a name; without it, those that come with the program are listed
    #[arg(value_name = "FILE|NAME")]
    grid: Option<String>,
    /// List its runs, how each stands and what it will cost, and run none
    #[arg(long, requires = "grid")]
    list: bool,
    /// Print its file, to be changed
    #[arg(long, requires = "grid", conflicts_with = "list")]
    text: bool,
    /// Only every Nth run, from the Ith on: N programs with I from 1 to N run all of them
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Only runs with this value of a setting, or with these words in the title of their row (row=Adapter); of one setting
    /// several are alternatives
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    only: Vec<String>,
    /// Train on this device: cpu, gpu, or a number or name from `lae-studio devices` [default: the file's]
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Where a data set lies that the grid names, as imagenet-r=/data/imagenet-r; may be given several times
    #[arg(long, value_name = "NAME=PATH")]
    data: Vec<String>,
    /// Keep runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// Reads `2/8`.
fn shard(text: &str) -> std::result::Result<(usize, usize), String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(own, all)| Some((own.parse().ok()?, all.parse().ok()?)));
    parts
        .filter(|(own, all): &(usize, usize)| (1..=*all).contains(own))
        .ok_or_else(|| "give two whole numbers like 2/8, the first from 1 to the second".into())
}

/// A grid that comes with the program, for scripts.
#[derive(Serialize)]
struct Shipped {
    name: &'static str,
    title: String,
    about: String,
    rows: usize,
    runs: u64,
}

/// Lists, plans or runs.
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let Some(wanted) = &args.grid else {
        return list_shipped(&args.json);
    };
    let (grid, text) = grid::find(wanted)?;
    if args.text {
        say(&text)?;
        return Ok(End::Done);
    }
    let root = store::runs_root(args.out.as_deref());
    let overrides = Overrides {
        device: args.device.clone(),
        data: pairs(&args.data, "--data")?,
    };
    let only = pairs(&args.only, "--only")?;
    only.iter().try_for_each(|(key, _)| known(key))?;
    let control = stop_on_ctrl_c()?;
    let stock = Stock::default();
    let cells = Cells::of(grid, &root, &overrides)?;
    let mut tell_quietly = |what: &str| {
        if !args.quiet {
            tell(what);
        }
    };
    let opens = !args.list;
    let plan = GridPlan::make(cells, &root, opens, &stock, &control, &mut tell_quietly);
    let Some(mut plan) = plan else {
        tell("stopped before a run had begun; nothing was changed");
        return Ok(End::Stopped);
    };
    let chosen = chosen(&plan, args.shard, &only)?;
    if args.list {
        let report = GridReport::of(&plan, &chosen);
        args.json.give(&report, &listing(&plan, &chosen))?;
        return Ok(End::Done);
    }
    if !args.quiet {
        tell(before(&plan, &chosen));
    }
    let mut sink = GridReporter::new(args.quiet, &plan, &chosen, &stock, &control);
    let end = plan.run(&chosen, &mut sink);
    sink.close();
    let report = GridReport::of(&plan, &chosen);
    args.json.give(&report, &table(&plan, &chosen))?;
    Ok(ended(&end))
}

/// Says how it ended.
fn ended(end: &GridEnd) -> End {
    match end {
        GridEnd::Done { failed: 0 } => End::Done,
        GridEnd::Done { failed } => {
            let cannot = counted(*failed, "run");
            tell(format!(
                "{cannot} could not be finished, as told above; the same command tries these alone again"
            ));
            End::Failed
        }
        GridEnd::Stopped(run) => {
            let saved = match run {
                Some(_) => "stopped and saved",
                None => "stopped; nothing was left half done",
            };
            tell(format!(
                "{saved}; the same command goes on, with the same options"
            ));
            End::Stopped
        }
    }
}

fn list_shipped(json: &Json) -> Result<End> {
    let mut rows = Vec::new();
    for known in grid::shipped() {
        let grid = known.read()?;
        let runs = |part: &crate::run::grid::GridPart| part.rows() as u64 * part.repetitions();
        rows.push(Shipped {
            name: known.name,
            rows: grid.rows(),
            runs: grid.parts.iter().map(runs).sum(),
            title: grid.title,
            about: grid.about,
        });
    }
    let mut table = Table::new(&["grid", ">rows", ">runs", ""]);
    for row in &rows {
        let numbers = [row.rows as u64, row.runs].map(|number| number.to_string());
        let cells = [row.name.to_string()].into_iter().chain(numbers);
        table.row(cells.chain([row.title.clone()]));
    }
    let text = format!(
        "{table}\nWhat it will cost: lae-studio grid NAME --list\nThe file, to be changed: lae-studio grid NAME --text\n"
    );
    json.give(&rows, &text)?;
    Ok(End::Done)
}

/// Texts of the form `KEY=VALUE`.
fn pairs(texts: &[String], option: &str) -> Result<Vec<(String, String)>> {
    let pair = |text: &String| {
        let parts = text
            .split_once('=')
            .filter(|(key, _)| !key.trim().is_empty());
        let (key, value) = parts.ok_or_else(|| {
            let problem = Problem::new(format!("\"{text}\" names no value")).at(option);
            problem.advise(match option {
                "--data" => "write it as NAME=PATH, for example imagenet-r=/data/imagenet-r",
                _ => "write it as KEY=VALUE, for example method=lae",
            })
        })?;
        Ok((key.trim().replace('-', "_"), value.trim().to_string()))
    };
    let data = |text: &String| {
        // Names of data sets have dashes.
        let (_, value) = pair(text)?;
        let name = text.split_once('=').map_or("", |(name, _)| name.trim());
        Ok((name.to_string(), value))
    };
    match option {
        "--data" => texts.iter().map(data).collect(),
        _ => texts.iter().map(pair).collect(),
    }
}

/// Refuses what `--only` cannot be about.
fn known(key: &str) -> Result<()> {
    let own = || METHODS.iter().flat_map(|method| method.settings);
    if key == "row" || config::setting(key).is_some() || own().any(|spec| spec.key == key) {
        return Ok(());
    }
    let all = SETTINGS.iter().map(|setting| setting.spec.key);
    let all = all.chain(own().map(|spec| spec.key)).chain(["row"]);
    let problem = Problem::new(format!("there is no setting \"{key}\"")).at("--only");
    Err(meant(problem, key, all))
}

/// The cells that are asked for, in the order in which they are run.
fn chosen(
    plan: &GridPlan,
    shard: Option<(usize, usize)>,
    only: &[(String, String)],
) -> Result<Vec<usize>> {
    let mut cells = plan.in_order();
    cells.retain(|cell| {
        let fits = |(key, _): &(String, String)| {
            let mut values = only.iter().filter(|(known, _)| known == key);
            values.any(|(_, value)| plan.has(*cell, key, value))
        };
        only.iter().all(fits)
    });
    if cells.is_empty() {
        let told: Vec<String> = only
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let what = format!("no run of this grid has {}", told.join(" and "));
        let remedy = "`lae-studio grid NAME --list` shows which there are";
        return Err(Problem::new(what).at("--only").advise(remedy));
    }
    cells.retain(|cell| shard.is_none_or(|(own, all)| cell % all == own - 1));
    Ok(cells)
}

/// What there is and what the rest will cost.
fn before(plan: &GridPlan, cells: &[usize]) -> String {
    let states: Vec<CellState> = cells.iter().map(|cell| plan.state(*cell)).collect();
    let count = |which: fn(&CellState) -> bool| states.iter().filter(|state| which(state)).count();
    let parts = [
        (count(|s| matches!(s, CellState::Done(_))), "there"),
        (count(|s| matches!(s, CellState::Stopped { .. })), "stopped"),
        (
            count(|s| matches!(s, CellState::Elsewhere)),
            "run by another program",
        ),
        (
            count(|s| matches!(s, CellState::Refused(_))),
            "that cannot be run",
        ),
        (count(|s| matches!(s, CellState::ToDo)), "to do"),
    ];
    let told = parts.iter().filter(|(number, _)| *number > 0);
    let told: Vec<String> = told
        .map(|(number, what)| format!("{} {what}", count_text(*number)))
        .collect();
    let mut text = format!("{}: {}", counted(cells.len(), "run"), told.join(", "));
    let costs = plan.costs(cells);
    if costs.runs > 0 {
        let how = match costs.measured {
            true => "as earlier runs took",
            false => "guessed from the size of the network until a run is finished here",
        };
        text += &format!(
            "\nabout {} ({how}), {} of memory besides the decoded pictures, {} on the disk",
            duration(costs.seconds),
            size(Some(costs.memory_bytes)),
            size(Some(costs.disk_bytes)),
        );
    }
    text
}

/// A Problem of a cell, told with its name.
fn complain_of(title: &str, problem: &Problem) {
    complain(&Problem {
        what: format!("{title}: {}", problem.what),
        ..problem.clone()
    });
}
