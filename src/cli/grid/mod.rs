//! `grid`: series of runs from a file, or one of the tables that come with the program. Existing runs are not repeated.

mod devices;
mod progress;
mod remote;
mod report;
mod rows;
mod search;
mod selection;
mod slurm;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, format_duration, print_message, print_problem, print_text};
use super::remote::{PlaceArgs, find_machine};
use super::signals::stop_on_signals;
use crate::counts::{count_with_noun, format_count};
use crate::experiment::ResourceCache;
use crate::experiment::grid::{self, Cells, GridEnd, GridPlan, Overrides};
use crate::problem::{Problem, Result};
use crate::run::event::Control;
use crate::run::grid::{CellState, Grid};
use crate::run::remote_machines::RemoteMachine;
use crate::session::formatting::format_bytes;
use crate::store;
use devices::Worker;
use progress::GridReporter;
use report::run_table;
use selection::{
    RunNumbers, check_setting_key, numbers, parse_pairs, report_unused_data, select_cells, shard,
};

/// Options of `grid`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The grid: a .toml file or a name; without it, the built-in grids are listed
    #[arg(value_name = "FILE|NAME")]
    grid: Option<String>,
    /// List the runs with their state, time and memory, without running any
    #[arg(long, requires = "grid", conflicts_with = "detach")]
    list: bool,
    /// Print the grid file, as a starting point for your own
    #[arg(long, requires = "grid", conflicts_with_all = ["list", "json"])]
    text: bool,
    /// Run only every Nth run, starting with the Ith: N processes with I from 1 to N divide the grid among them
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Run only the runs with these numbers, as shown by --list: 3,5-7
    #[arg(long, value_name = "N,N-N", value_parser = numbers)]
    cells: Option<RunNumbers>,
    /// Run only runs with this value of a setting, or with these words in the title of their row (row=Adapter); several
    /// values of one setting are alternatives
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    only: Vec<String>,
    /// Train on this device: cpu, gpu, or a number or name from `lae-studio devices`; several devices (1,2, or
    /// all-gpus) share the runs, one process per device [default: the grid's]
    #[arg(long, value_name = "DEVICE|DEVICE,…")]
    device: Option<String>,
    /// Path of a dataset used in the grid, for example imagenet-r=/data/imagenet-r; may be given several times
    #[arg(long, value_name = "NAME=PATH")]
    data: Vec<String>,
    #[command(flatten)]
    at: PlaceArgs,
    #[command(flatten)]
    slurm: slurm::Options,
    #[command(flatten)]
    search: search::Options,
    #[command(flatten)]
    rows: rows::Options,
    /// Keep runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOutput,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
    /// Write events as lines of JSON, for the program that started this one
    #[arg(long, hide = true)]
    worker: bool,
}

/// A built-in grid, for scripts.
#[derive(Serialize)]
struct GridInfo {
    name: &'static str,
    title: String,
    about: String,
    rows: usize,
    runs: u64,
}

/// Runs the subcommand: lists, plans or runs a grid.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    args.rows.check()?;
    if args.slurm.template {
        return slurm::template();
    }
    let Some(wanted) = &args.grid else {
        return list_builtin_grids(&args.json);
    };
    let (grid, text) = grid::find(wanted)?;
    if args.text {
        print_text(&text)?;
        return Ok(CommandOutcome::Done);
    }
    let only = parse_pairs(&args.only, "--only")?;
    only.iter().try_for_each(|(key, _)| check_setting_key(key))?;
    let control = stop_on_signals(!args.worker)?;
    if let Some(strategy) = args.search.search {
        return search::run(args, strategy, grid, &control);
    }
    let machine = args.at.place.as_deref().map(find_machine).transpose()?;
    let place = args.slurm.place()?.or(machine);
    let devices = match &place {
        Some(_) => None,
        None => devices::select_devices(args.device.as_deref())?,
    };
    let plan = open_plan(args, &grid, place.as_ref(), devices.as_deref(), &control)?;
    let Some(mut plan) = plan else {
        print_message("stopped before any run started; nothing was changed");
        return Ok(CommandOutcome::Stopped);
    };
    let selected = select_cells(&plan, args, &only)?;
    match &place {
        Some(place) if place.slurm.is_some() => {
            return slurm::run(args, place, &mut plan, &selected, &text);
        }
        Some(place) if !args.list => {
            return remote::run(args, place, &mut plan, &selected, &text, &control);
        }
        _ => {}
    }
    if args.list {
        if place.is_none() {
            plan.find_devices().iter().for_each(print_problem);
        }
        let table = run_table(&plan, &selected, &HashMap::new());
        rows::print_rows(args, &plan, &selected, Some(table))?;
        return Ok(CommandOutcome::Done);
    }
    if args.worker {
        let end = plan.run(&selected, &mut Worker::new(&control)?);
        return Ok(command_outcome(&end));
    }
    if !args.quiet {
        print_message(plan_summary(&plan, &selected));
    }
    let has_several_devices = devices.is_some();
    let end = match devices {
        Some(devices) => devices::run(args, &mut plan, &selected, &devices, &control)?,
        None => {
            let mut sink = GridReporter::new(args.quiet, &plan, &selected);
            let end = plan.run(&selected, &mut sink);
            sink.finish();
            end
        }
    };
    rows::print_rows(args, &plan, &selected, None)?;
    print_end(&end, has_several_devices);
    Ok(command_outcome(&end))
}

impl Args {
    /// Returns the paths of datasets as `NAME=PATH`: the given ones precede those of the cluster.
    fn data_paths(&self, place: Option<&RemoteMachine>) -> Vec<String> {
        let cluster = place.filter(|place| place.slurm.is_some());
        let cluster_data = cluster.into_iter().flat_map(|place| &place.data);
        let cluster_data = cluster_data.map(|(name, path)| format!("{name}={path}"));
        self.data.iter().cloned().chain(cluster_data).collect()
    }

    /// Returns the folder of runs; those of another machine are downloaded to it.
    fn root(&self, place: Option<&RemoteMachine>) -> PathBuf {
        let folder = place
            .filter(|place| place.slurm.is_some())
            .and_then(|place| place.folder.as_deref())
            .map(Path::new);
        store::runs_root(self.out.as_deref().or(folder))
    }
}

/// Opens everything that the cells need; `None` if the user stopped it. All devices must produce the same runs.
fn open_plan(
    args: &Args,
    grid: &Grid,
    place: Option<&RemoteMachine>,
    devices: Option<&[String]>,
    control: &Control,
) -> Result<Option<GridPlan>> {
    let root = args.root(place);
    // A login host does not have the devices of its nodes, nor this computer those of another one.
    let opens = !args.list && place.is_none();
    let cache = ResourceCache::default();
    let place_device = || place.and_then(|place| place.device.clone());
    let mut names: Vec<Option<String>> = match devices {
        Some(devices) => devices.iter().cloned().map(Some).collect(),
        None => vec![args.device.clone().or_else(place_device)],
    };
    names.sort();
    names.dedup();
    let given_data = parse_pairs(&args.data, "--data")?;
    let data = parse_pairs(&args.data_paths(place), "--data")?;
    let mut plans = Vec::new();
    for device in names {
        let name = device.clone().unwrap_or_default();
        let data = data.clone();
        let overrides = Overrides { device, data, ..Overrides::default() };
        let cells = Cells::from_grid(grid.clone(), &root, &overrides)?;
        if plans.is_empty() && !args.worker {
            report_unused_data(&given_data, &cells);
        }
        let grid_plan = GridPlan::build(cells, &root, opens, &cache, control);
        let Some(grid_plan) = grid_plan else {
            return Ok(None);
        };
        plans.push((name, grid_plan));
    }
    devices::check_same_runs(&plans)?;
    Ok(plans.into_iter().next().map(|(_, plan)| plan))
}

fn command_outcome(end: &GridEnd) -> CommandOutcome {
    match end {
        GridEnd::Done { failed: 0 } => CommandOutcome::Done,
        GridEnd::Done { .. } => CommandOutcome::Failed,
        GridEnd::Stopped { .. } => CommandOutcome::Stopped,
    }
}

/// Reports how the grid ended.
fn print_end(end: &GridEnd, has_several_devices: bool) {
    match end {
        GridEnd::Done { failed: 0 } => {}
        GridEnd::Done { failed } => {
            let cannot = count_with_noun(*failed, "run");
            print_message(format!(
                "{cannot} failed, see above; run the same command again to retry only these"
            ));
        }
        GridEnd::Stopped { saved } => {
            let saved = match (*saved, has_several_devices) {
                (true, _) => "stopped and saved",
                (false, true) => "stopped, all started runs are saved",
                (false, false) => "stopped; no run is unfinished",
            };
            print_message(format!(
                "{saved}; run the same command with the same options to continue"
            ));
        }
    }
}

fn list_builtin_grids(json: &JsonOutput) -> Result<CommandOutcome> {
    let mut rows = Vec::new();
    for builtin in grid::shipped() {
        let grid = builtin.read()?;
        let count_runs =
            |part: &crate::run::grid::GridPart| part.row_count() as u64 * part.repetitions();
        rows.push(GridInfo {
            name: builtin.name,
            rows: grid.row_count(),
            runs: grid.parts.iter().map(count_runs).sum(),
            title: grid.title,
            about: grid.about,
        });
    }
    let mut table = Table::new(&["grid", ">rows", ">runs", ""]);
    for row in &rows {
        let numbers = [row.rows as u64, row.runs].map(|number| number.to_string());
        let cells = [row.name.to_string()].into_iter().chain(numbers);
        table.add_row(cells.chain([row.title.clone()]));
    }
    let text = format!(
        "{table}\nTo see runs, time and memory: lae-studio grid NAME --list\nTo print the file as a template: lae-studio grid NAME --text\n"
    );
    json.finish(&rows, &text)
}

/// Returns the number of runs in each state, and the estimated time of the missing ones.
fn plan_summary(plan: &GridPlan, cells: &[usize]) -> String {
    let states: Vec<CellState> = cells.iter().map(|cell| plan.state(*cell)).collect();
    let count = |which: fn(&CellState) -> bool| states.iter().filter(|state| which(state)).count();
    let parts = [
        (count(|s| matches!(s, CellState::Done(_))), "done"),
        (count(|s| matches!(s, CellState::Stopped { .. })), "stopped"),
        (count(|s| matches!(s, CellState::Elsewhere)), "running in another process"),
        (count(|s| matches!(s, CellState::Refused(_))), "cannot be run"),
        (count(|s| matches!(s, CellState::ToDo)), "to do"),
    ];
    let nonzero = parts.iter().filter(|(number, _)| *number > 0);
    let texts: Vec<String> =
        nonzero.map(|(number, what)| format!("{} {what}", format_count(*number))).collect();
    let mut text = format!("{}: {}", count_with_noun(cells.len(), "run"), texts.join(", "));
    let costs = plan.estimate_costs(cells);
    if costs.runs > 0 {
        let how = match (costs.same_method, costs.measured) {
            (true, _) => "based on earlier runs",
            (false, true) => "estimated from earlier runs with other settings",
            (false, false) => {
                "a rough guess from the size of the network, until a run has finished on this device"
            }
        };
        text += &format!(
            "\nabout {} ({how}), {} of memory in addition to the decoded images, {} of disk space",
            format_duration(costs.seconds),
            format_bytes(costs.memory_bytes),
            format_bytes(costs.disk_bytes),
        );
    }
    text
}

/// Reports a Problem of a cell with its name.
fn print_cell_problem(title: &str, problem: &Problem) {
    print_problem(&Problem { what: format!("{title}: {}", problem.what), ..problem.clone() });
}
