//! The cells and rows of a grid as tables and as JSON.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::super::output::{Table, duration, percent, size};
use crate::counts::count_text;
use crate::experiment::grid::slurm::SlurmTask;
use crate::experiment::grid::{CellForecast, GridCosts, GridPlan, RowFigures};
use crate::problem::Problem;
use crate::run::grid::CellStanding;
use crate::store::{RunKey, Summary, mean_and_spread, run_name, spread_text};

/// Version of the JSON; increased when a field changes its meaning.
const VERSION: u32 = 1;
/// Maximum length of a class order that is shown.
const LONGEST_ORDER: usize = 24;

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
    rows: Vec<RowFigures>,
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
            costs: plan.costs(cells),
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
    let has_run = matches!(state, CellStanding::Done(_) | CellStanding::Stopped { .. });
    let run = plan.run_of(cell).filter(|_| has_run);
    let folder = run.map(|run| run.header.folder.as_path());
    let (name, problem) = match state {
        CellStanding::Done(_) => ("done", None),
        CellStanding::Stopped { .. } => ("stopped", None),
        CellStanding::Elsewhere | CellStanding::AtWork => ("elsewhere", None),
        CellStanding::ToDo => ("to_do", None),
        CellStanding::Refused(problem) => ("refused", Some(problem)),
    };
    let forecast = plan.forecast(cell);
    let seconds = plan.seconds(cell);
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
        memory_bytes: forecast.map(|known| known.memory),
        disk_bytes: forecast.map(|known| known.disk),
        problem,
        task: None,
    }
}

/// Returns the title of a cell: row, class order and seed.
pub(super) fn title_of(plan: &GridPlan, cell: usize) -> String {
    let rows = plan.cells.rows.iter();
    let row = rows.clone().find(|row| row.cells.contains(&cell));
    let title = row.map_or("", |row| row.title.as_str());
    describe_cell(plan, cell, title)
}

fn describe_cell(plan: &GridPlan, cell: usize, title: &str) -> String {
    let config = &plan.cells.cells[cell].config;
    let title = plan.cells.title(title);
    let order = match config.order.chars().nth(LONGEST_ORDER) {
        Some(_) => "given",
        None => &config.order,
    };
    format!("{title}, order {order}, seed {}", config.seed)
}

/// Returns the cells as a table. The states in `known` replace those of the plan.
pub(super) fn listing(plan: &GridPlan, cells: &[usize], known: &HashMap<usize, String>) -> String {
    let titles = plan.cells.titles();
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    let columns = [
        ">run", "what", "state", ">A_N", ">Ā_N", ">F_N", ">time", ">memory", ">disk",
    ];
    let mut table = Table::new(&columns);
    for cell in sorted {
        let state = plan.state(cell);
        let run = plan
            .run_of(cell)
            .filter(|_| matches!(state, CellStanding::Done(_)));
        let figures = run.map(|run| run.figures(&run.histories()).of_answer());
        let figures = figures.unwrap_or_default().map(percent);
        let seconds = plan.seconds(cell);
        let seconds = seconds.map_or_else(|| "–".into(), |(seconds, _)| duration(seconds));
        let bytes = |of: fn(&CellForecast) -> u64| size(plan.forecast(cell).map(of));
        let cells = [
            (cell + 1).to_string(),
            describe_cell(plan, cell, titles[cell].first().unwrap_or(&"")),
            known
                .get(&cell)
                .cloned()
                .unwrap_or_else(|| state_text(&state)),
        ];
        let cells = cells.into_iter().chain(figures);
        table.row(cells.chain([
            seconds,
            bytes(|known| known.memory),
            bytes(|known| known.disk),
        ]));
    }
    format!("{table}{}\n", super::before(plan, cells))
}

fn state_text(state: &CellStanding) -> String {
    match state {
        CellStanding::Done(_) => "done".into(),
        CellStanding::Stopped { saved, tasks } => format!("stopped in task {}/{tasks}", saved + 1),
        CellStanding::Elsewhere | CellStanding::AtWork => "running elsewhere".into(),
        CellStanding::ToDo => "to do".into(),
        CellStanding::Refused(problem) => format!("cannot be run: {}", problem.what),
    }
}

/// Returns the rows as a table: metrics of the runs' predictions, mean ± std over class orders and seeds.
pub(super) fn table(plan: &GridPlan, cells: &[usize]) -> String {
    let columns = ["", ">runs", ">A_N", ">Ā_N", ">F_N", ">trainable parameters"];
    let mut table = Table::new(&columns);
    let mut studies = String::new();
    let rows = plan.rows(cells);
    for row in &rows {
        let runs = &row.figures.runs;
        let number = match row.missing {
            0 => count_text(runs.len()),
            missing => format!(
                "{} of {}",
                count_text(runs.len()),
                count_text(runs.len() + missing)
            ),
        };
        let title = plan.cells.title(&row.title).to_string();
        let cell = |at: usize| mean_and_spread(&row.figures, |f| f.of_answer()[at], " ± ");
        let trained = runs.first();
        let trained = trained.map_or_else(|| "–".into(), |run| count_text(run.trained_parameters));
        studies += &study(&title, runs);
        table.row(
            [title, number]
                .into_iter()
                .chain([0, 1, 2].map(cell))
                .chain([trained]),
        );
    }
    format!("{table}{studies}mean ± std over class orders and seeds, in percent\n")
}

/// Returns how often images selected the prompts of their task after the last task, and A_N with the prompts of each
/// task alone; empty if this was not studied.
fn study(title: &str, runs: &[Summary]) -> String {
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
