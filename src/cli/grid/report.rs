//! The cells and rows of a grid as tables and as JSON.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::super::output::{Table, format_duration, format_percent, format_size};
use crate::counts::format_count;
use crate::experiment::grid::slurm::SlurmTask;
use crate::experiment::grid::{CellForecast, GridCosts, GridPlan, RowSummary};
use crate::problem::Problem;
use crate::run::grid::CellState;
use crate::store::{RunKey, Summary, mean_and_spread, run_name, spread_text};

/// Version of the JSON; increased when a field changes its meaning.
const VERSION: u32 = 1;
/// Maximum length of a class order that is shown.
const MAX_ORDER_LENGTH: usize = 24;

/// The JSON output of `grid`.
#[derive(Serialize)]
pub(super) struct GridReport<'a> {
    /// Version of these fields.
    version: u32,
    /// The name of the file without its ending.
    grid: &'a str,
    title: &'a str,
    about: &'a str,
    /// Estimated costs of the remaining runs.
    costs: GridCosts,
    /// The runs.
    cells: Vec<CellReport<'a>>,
    /// The rows of its table.
    rows: Vec<RowSummary>,
}

/// A run of a grid.
#[derive(Serialize)]
struct CellReport<'a> {
    /// Its index, from 0, independent of the selection; `--shard I/N` selects the indices that are I − 1 modulo N.
    number: usize,
    /// The titles of its rows.
    rows: Vec<&'a str>,
    /// `done`, `stopped`, `elsewhere` (another program is running it), `to_do` or `refused`.
    state: &'static str,
    /// Name and folder of the run, if it exists.
    run: Option<String>,
    folder: Option<String>,
    /// Its key; `None` while weights must be downloaded first to know their hash.
    key: Option<&'a RunKey>,
    order: &'a str,
    seed: u64,
    device: &'a str,
    /// Estimated seconds, and whether they are based on earlier runs.
    seconds: Option<f64>,
    measured: bool,
    memory_bytes: Option<u64>,
    disk_bytes: Option<u64>,
    /// Why it cannot run.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
    /// Its task on a cluster, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a SlurmTask>,
}

impl<'a> GridReport<'a> {
    /// Returns the report of these cells with their tasks on a cluster, if there are any.
    pub fn new(
        plan: &'a GridPlan,
        cells: &[usize],
        tasks: Option<&'a BTreeMap<usize, SlurmTask>>,
    ) -> Self {
        let grid = &plan.cells.grid;
        let titles = plan.cells.titles();
        let mut sorted = cells.to_vec();
        sorted.sort_unstable();
        let reports = sorted.iter();
        Self {
            version: VERSION,
            grid: &grid.name,
            title: &grid.title,
            about: &grid.about,
            costs: plan.estimate_costs(cells),
            cells: reports
                .map(|cell| CellReport {
                    task: tasks.and_then(|tasks| tasks.get(cell)),
                    ..cell_report(plan, *cell, &titles)
                })
                .collect(),
            rows: plan.rows(cells),
        }
    }
}

fn cell_report<'a>(plan: &'a GridPlan, cell: usize, titles: &[Vec<&'a str>]) -> CellReport<'a> {
    let config = &plan.cells.cells[cell].config;
    let state = plan.state(cell);
    let has_run = matches!(state, CellState::Done(_) | CellState::Stopped { .. });
    let run = plan.run_for(cell).filter(|_| has_run);
    let folder = run.map(|run| run.header.folder.as_path());
    let (name, problem) = match state {
        CellState::Done(_) => ("done", None),
        CellState::Stopped { .. } => ("stopped", None),
        CellState::Elsewhere | CellState::AtWork => ("elsewhere", None),
        CellState::ToDo => ("to_do", None),
        CellState::Refused(problem) => ("refused", Some(problem)),
    };
    let forecast = plan.forecast(cell);
    let seconds = plan.estimate_seconds(cell);
    CellReport {
        number: cell,
        rows: titles[cell].clone(),
        state: name,
        run: folder.map(run_name),
        folder: folder.map(|folder| folder.display().to_string()),
        key: plan.key(cell),
        order: &config.order,
        seed: config.seed,
        device: &config.device,
        seconds: seconds.map(|(seconds, _)| seconds),
        measured: seconds.is_some_and(|(_, basis)| basis.is_some()),
        memory_bytes: forecast.map(|costs| costs.memory),
        disk_bytes: forecast.map(|costs| costs.disk),
        problem,
        task: None,
    }
}

/// Returns the title of a cell: row, class order and seed.
pub(super) fn cell_title(plan: &GridPlan, cell: usize) -> String {
    let rows = plan.cells.rows.iter();
    let row = rows.clone().find(|row| row.cells.contains(&cell));
    let title = row.map_or("", |row| row.title.as_str());
    describe_cell(plan, cell, title)
}

fn describe_cell(plan: &GridPlan, cell: usize, title: &str) -> String {
    let config = &plan.cells.cells[cell].config;
    let title = plan.cells.title(title);
    let order = match config.order.chars().nth(MAX_ORDER_LENGTH) {
        Some(_) => "given",
        None => &config.order,
    };
    format!("{title}, order {order}, seed {}", config.seed)
}

/// Returns the cells as a table. The entries of `states` replace those of the plan.
pub(super) fn run_table(
    plan: &GridPlan,
    cells: &[usize],
    states: &HashMap<usize, String>,
) -> String {
    let titles = plan.cells.titles();
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    let columns = [">run", "what", "state", ">A_N", ">Ā_N", ">F_N", ">time", ">memory", ">disk"];
    let mut table = Table::new(&columns);
    for cell in sorted {
        let state = plan.state(cell);
        let run = plan.run_for(cell).filter(|_| matches!(state, CellState::Done(_)));
        let figures = run.map(|run| run.figures(&run.histories()).answer_figures());
        let figures = figures.unwrap_or_default().map(format_percent);
        let seconds = plan.estimate_seconds(cell);
        let seconds = seconds.map_or_else(|| "–".into(), |(seconds, _)| format_duration(seconds));
        let bytes = |field: fn(&CellForecast) -> u64| format_size(plan.forecast(cell).map(field));
        let cells = [
            (cell + 1).to_string(),
            describe_cell(plan, cell, titles[cell].first().unwrap_or(&"")),
            states.get(&cell).cloned().unwrap_or_else(|| state_text(&state)),
        ];
        let cells = cells.into_iter().chain(figures);
        table.add_row(cells.chain([
            seconds,
            bytes(|costs| costs.memory),
            bytes(|costs| costs.disk),
        ]));
    }
    format!("{table}{}\n", super::plan_summary(plan, cells))
}

fn state_text(state: &CellState) -> String {
    match state {
        CellState::Done(_) => "done".into(),
        CellState::Stopped { saved, tasks } => format!("stopped in task {}/{tasks}", saved + 1),
        CellState::Elsewhere | CellState::AtWork => "running elsewhere".into(),
        CellState::ToDo => "to do".into(),
        CellState::Refused(problem) => format!("cannot be run: {}", problem.what),
    }
}

/// Returns the rows as a table: metrics of the runs' predictions, mean ± std over class orders and seeds.
pub(super) fn row_table(plan: &GridPlan, cells: &[usize]) -> String {
    let columns = ["", ">runs", ">A_N", ">Ā_N", ">F_N", ">trainable parameters"];
    let mut table = Table::new(&columns);
    let mut studies = String::new();
    let rows = plan.rows(cells);
    for row in &rows {
        let runs = &row.figures.runs;
        let number = match row.missing {
            0 => format_count(runs.len()),
            missing => {
                format!("{} of {}", format_count(runs.len()), format_count(runs.len() + missing))
            }
        };
        let title = plan.cells.title(&row.title).to_string();
        let cell =
            |index: usize| mean_and_spread(&row.figures, |f| f.answer_figures()[index], " ± ");
        let trained = runs.first();
        let trained =
            trained.map_or_else(|| "–".into(), |run| format_count(run.trained_parameters));
        studies += &study_text(&title, runs);
        table.add_row([title, number].into_iter().chain([0, 1, 2].map(cell)).chain([trained]));
    }
    format!("{table}{studies}mean ± std over class orders and seeds, in percent\n")
}

/// Returns how often images selected the prompts of their task after the last task, and A_N with the prompts of each
/// task alone; empty if this was not studied.
fn study_text(title: &str, runs: &[Summary]) -> String {
    let studies = runs.iter().filter_map(|run| run.prompt_study.as_ref());
    studies
        .map(|study| {
            let chosen = spread_text(study.selection.last().copied(), None, "");
            let list = |values: &[f64]| {
                let each: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
                each.join(", ")
            };
            format!(
                "{title}: images that selected the prompts of their task at the end: {chosen} %; A_N with the prompts of \
                 each task alone: {} %\n",
                list(&study.last)
            )
        })
        .collect()
}
