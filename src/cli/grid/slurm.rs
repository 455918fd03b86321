//! `grid --slurm`: runs a grid as a job array of a cluster.

use std::collections::BTreeMap;

use super::super::CommandOutcome;
use super::super::output::{print_message, print_text};
use super::Args;
use super::report::{GridReport, cell_title, run_table};
use crate::counts::count_with_noun;
use crate::experiment::grid::GridPlan;
use crate::experiment::grid::slurm::{self, SlurmTask, SubmitOptions, TEMPLATE, TaskState};
use crate::problem::{Problem, Result};
use crate::run::grid::CellState;
use crate::run::remote_machines::{RemoteMachine, RemoteMachines};
use crate::texts::Message;

/// Options of a grid on a cluster.
#[derive(clap::Args)]
#[command(next_help_heading = "Slurm")]
pub(super) struct Options {
    /// Submit the missing runs as a job array; with --list, show the state of its tasks. PLACE is a cluster in
    /// places.toml, with the resources of a task [default: the cluster's defaults]
    #[arg(long, value_name = "PLACE", num_args = 0..=1, requires = "grid", conflicts_with_all = ["place", "detach"])]
    slurm: Option<Option<String>>,
    /// Cancel the grid's tasks, both queued and running; their runs are saved
    #[arg(long, requires = "slurm", conflicts_with_all = ["list", "json", "place", "search"])]
    cancel: bool,
    /// Maximum number of tasks that run at once
    #[arg(long, value_name = "N", requires = "slurm", conflicts_with_all = ["place", "search"],
          value_parser = clap::value_parser!(u32).range(1..))]
    at_once: Option<u32>,
    /// Print the script of a task, as a template for the key `script` of a place
    #[arg(long, conflicts_with_all = ["grid", "json"])]
    pub template: bool,
}

impl Options {
    /// Returns the requested cluster; `None` if there is no `--slurm`.
    ///
    /// # Errors
    /// Returns a Problem if the place does not exist, or is not a cluster.
    pub fn place(&self) -> Result<Option<RemoteMachine>> {
        let Some(wanted) = &self.slurm else {
            return Ok(None);
        };
        let Some(name) = wanted else {
            return Ok(Some(RemoteMachine::local_cluster()));
        };
        let places = RemoteMachines::load()?;
        let place = places.get(name)?;
        if place.slurm.is_none() {
            let problem = Problem::new(format!("the place {name} is not a cluster"));
            return Err(problem.at("--slurm").advise("set slurm = true for it in places.toml"));
        }
        Ok(Some(place.clone()))
    }
}

/// Prints the included template of the script.
pub(super) fn template() -> Result<CommandOutcome> {
    print_text(TEMPLATE)?;
    Ok(CommandOutcome::Done)
}

/// Submits the runs, lists their tasks, or cancels them.
pub(super) fn run(
    args: &Args,
    place: &RemoteMachine,
    plan: &mut GridPlan,
    cells: &[usize],
    text: &str,
) -> Result<CommandOutcome> {
    if args.slurm.cancel {
        let tasks = slurm::cancel_cells(plan, cells, place)?;
        match tasks {
            0 => print_message("this grid has no tasks in the queue"),
            tasks => print_message(format!(
                "{} cancelled; saved progress is kept",
                count_with_noun(tasks, "task")
            )),
        }
        return Ok(CommandOutcome::Done);
    }
    if !args.list {
        let submit_options = SubmitOptions {
            text,
            device: args.device.as_deref(),
            data: &args.data,
            max_parallel_tasks: args.slurm.at_once.map(|number| number as usize),
        };
        let mut on_message = |what: Message| {
            if !args.quiet {
                print_message(what);
            }
            true
        };
        print_message(slurm::submit(plan, cells, place, &submit_options, &mut on_message)?);
    }
    let mut tasks_by_cell = SlurmTask::by_cell(plan, cells, place)?;
    // The state of a finished run is more reliable than that of its task.
    let is_over = |cell| matches!(plan.state(cell), CellState::Done(_) | CellState::Refused(_));
    tasks_by_cell.retain(|cell, task| !is_over(*cell) || task.state.is_queued());
    let texts =
        tasks_by_cell.iter().map(|(cell, task)| (*cell, state_text(task, &plan.state(*cell))));
    let text = run_table(plan, cells, &texts.collect());
    let json = GridReport::new(plan, cells, Some(&tasks_by_cell));
    args.json.finish(&json, &format!("{text}{}", failure_text(plan, &tasks_by_cell)))
}

fn state_text(task: &SlurmTask, state: &CellState) -> String {
    let id = &task.id;
    let saved = match state {
        CellState::Stopped { saved, tasks } => format!(", saved in task {}/{tasks}", saved + 1),
        _ => String::new(),
    };
    let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
    let reason = task.reason.as_ref();
    let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    match task.state {
        TaskState::Waiting => format!("waiting as {id}{because}"),
        TaskState::Running => {
            let (node, elapsed) = (or_empty(&task.node), or_empty(&task.elapsed));
            format!("running as {id} on {node} for {elapsed}")
        }
        TaskState::Done => format!("done by {id}"),
        TaskState::Cancelled => format!("cancelled ({id}){saved}"),
        TaskState::Stopped => format!("stopped ({id}){because}{saved}"),
        TaskState::Failed => format!("failed ({id}){saved}"),
    }
}

/// Returns the reasons of failed tasks, with tasks of the same reason together.
fn failure_text(plan: &GridPlan, tasks_by_cell: &BTreeMap<usize, SlurmTask>) -> String {
    let mut text = String::new();
    for (first, number) in slurm::group_failures(tasks_by_cell.values()) {
        let cell = tasks_by_cell.iter().find(|(_, task)| task.id == first.id);
        let title = cell.map_or_else(String::new, |(cell, _)| cell_title(plan, *cell));
        let more = match number - 1 {
            0 => String::new(),
            others => format!(", and {} for the same reason", count_with_noun(others, "more run")),
        };
        let reason = first.reason.as_deref().unwrap_or_default();
        text += &format!("\nfailed: {title}{more}: {reason}\n");
        for line in &first.last_lines {
            text += &format!("  | {line}\n");
        }
        text += &format!("  {}\n", first.log);
    }
    if !text.is_empty() {
        text += "run the same command without --list to submit these again\n";
    }
    text
}
