//! A search as tables and as JSON: the candidates and their cost, and the chosen row.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use super::super::super::output::{Table, format_duration};
use crate::counts::{count_with_noun, format_count};
use crate::experiment::ResourceCache;
use crate::experiment::grid::search::{Contest, ContestResult, Search, Winner, max_cost};
use crate::experiment::grid::{GridCosts, GridPlan};
use crate::run::event::Control;
use crate::run::grid::CellState;
use crate::run::job::SearchBy;
use crate::run::search_result::{ChosenRow, EdgeSetting};
use crate::store::spread_text;

/// Version of the JSON; increased when a field changes its meaning.
const VERSION: u32 = 2;

/// The JSON output of a search.
#[derive(Serialize)]
pub(super) struct SearchReport {
    version: u32,
    grid: String,
    /// `halving` or `all`.
    search: SearchBy,
    /// Maximum number of training steps per contest.
    budget: usize,
    contests: Vec<ContestReport>,
    /// The grid file with the chosen rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    winners: String,
}

/// A contest and its result.
#[derive(Serialize)]
struct ContestReport {
    title: String,
    /// Number of rows that take part, and of those that exceed the budget.
    tried: usize,
    left_out: usize,
    rounds: u32,
    /// Maximum number of training steps, and the steps of all rows with all epochs.
    steps: usize,
    steps_of_all: usize,
    /// Maximum seconds of the runs that do not exist yet; with `--list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    rows: Vec<RowReport>,
    chosen: Option<WinnerReport>,
    /// Rows of which a run could not be finished.
    unranked: Vec<String>,
}

/// A row of a contest, or one that exceeds the budget.
#[derive(Serialize)]
struct RowReport {
    title: String,
    settings: BTreeMap<String, String>,
    left_out: bool,
    runs: usize,
    /// Training steps of its runs in the first round.
    steps: usize,
    /// Seconds of its runs that do not exist yet; with `--list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct WinnerReport {
    title: String,
    settings: BTreeMap<String, String>,
    /// A_N on the validation images, in percent.
    mean: f64,
    std: Option<f64>,
    runs: usize,
    /// The next best row, its difference in percentage points, the standard error of the difference, and its
    /// corrected p-value.
    second: Option<String>,
    difference: Option<f64>,
    error: Option<f64>,
    p: Option<f64>,
    /// Other rows that do not differ significantly from it.
    level: Vec<String>,
    /// Its settings with the lowest or highest value that was tried.
    edges: Vec<EdgeSetting>,
}

/// Estimated costs of each row in each round.
pub(super) struct Forecast {
    rounds: Vec<HashMap<usize, RowForecast>>,
}

/// Estimated costs of a row in a round.
#[derive(Clone, Default)]
struct RowForecast {
    costs: GridCosts,
    /// The state of its runs.
    state: String,
}

impl Forecast {
    /// Estimates all rounds before anything runs; `None` if the user stopped it.
    pub fn estimate(
        search: &Search,
        root: &Path,
        cache: &ResourceCache,
        control: &Control,
    ) -> Option<Self> {
        let all_rows = search.initial_rows();
        let mut rounds = Vec::new();
        for round in 0..search.rounds() {
            let (cells, numbers) = search.round_cells(round, &all_rows);
            let plan = GridPlan::build(cells, root, false, cache, control)?;
            let rows = numbers.into_iter().zip(&plan.cells.rows);
            let rows = rows.map(|(number, row)| {
                let (costs, state) =
                    (plan.estimate_costs(&row.cells), state_text(&plan, &row.cells));
                (number, RowForecast { costs, state })
            });
            rounds.push(rows.collect());
        }
        Some(Self { rounds })
    }

    fn row_forecast(&self, row: usize, round: u32) -> RowForecast {
        let round = self.rounds.get(round as usize);
        let forecast = round.and_then(|rows| rows.get(&row));
        forecast.cloned().unwrap_or_default()
    }

    /// Returns the maximum seconds of a contest.
    fn seconds(&self, contest: &Contest) -> f64 {
        max_cost(&contest.rows, contest.rounds, |row, round| {
            self.row_forecast(row, round).costs.seconds
        })
    }

    /// Returns whether the estimates of all remaining runs are based on earlier runs.
    fn is_measured(&self) -> bool {
        let rows = self.rounds.iter().flat_map(HashMap::values);
        let mut costs = rows.map(|row| row.costs);
        costs.all(|costs| costs.measured || costs.runs == 0)
    }
}

/// Returns the state of a row's runs, or why one of them cannot start.
fn state_text(plan: &GridPlan, cells: &[usize]) -> String {
    let mut done = 0;
    for cell in cells {
        match plan.state(*cell) {
            CellState::Refused(problem) => return format!("cannot be run: {}", problem.what),
            CellState::Done(_) => done += 1,
            _ => {}
        }
    }
    match done {
        0 => "to do".into(),
        done => format!("{} done", format_count(done)),
    }
}

/// Returns a table of all rows and the estimated costs.
pub(super) fn listing(search: &Search, forecast: &Forecast) -> String {
    let mut table = Table::new(&["", "row", ">runs", "state", ">steps", ">time"]);
    for contest in &search.contests {
        for &row in &contest.rows {
            let row_forecast = forecast.row_forecast(row, 0);
            let steps = search.row_steps(row, contest.rounds, 0);
            table.add_row([
                contest.title.clone(),
                search.row(row).title.clone(),
                format_count(search.row(row).cells.len()),
                row_forecast.state,
                format_count(steps),
                format_duration(row_forecast.costs.seconds),
            ]);
        }
        for &row in &contest.excluded_rows {
            let placeholders = ["over budget", "–", "–"].map(String::from);
            let runs = format_count(search.row(row).cells.len());
            let cells = [contest.title.clone(), search.row(row).title.clone(), runs];
            table.add_row(cells.into_iter().chain(placeholders));
        }
    }
    let halves = search.contests.iter().any(|contest| contest.rounds > 1);
    let note = match halves {
        true => "steps and time are for the first round\n",
        false => "",
    };
    format!("{table}{note}{}", plan_text(search, Some(forecast)))
}

/// Returns a line for each contest, and the budget.
pub(super) fn plan_text(search: &Search, forecast: Option<&Forecast>) -> String {
    let mut text = String::new();
    for contest in &search.contests {
        let mut parts = vec![count_with_noun(contest.rows.len(), "row")];
        if !contest.excluded_rows.is_empty() {
            let left_out = format_count(contest.excluded_rows.len());
            parts.push(format!("{left_out} over budget"));
        }
        let steps = count_with_noun(contest.steps, "training step");
        parts.push(match (contest.rounds, search.strategy) {
            (1, SearchBy::Halving) if contest.rows.len() > 1 => {
                format!("{steps} with all epochs, because halving would not save any")
            }
            (1, _) => steps,
            (rounds, _) => {
                let rows = (0..rounds).map(|round| format_count(contest.rows_in(round)));
                format!(
                    "at most {steps} in rounds of {} rows (all rows with all epochs: {})",
                    rows.collect::<Vec<_>>().join(", "),
                    format_count(contest.steps_of_all)
                )
            }
        });
        if let Some(forecast) = forecast {
            parts.push(format!("about {}", format_duration(forecast.seconds(contest))));
        }
        text += &format!("{}: {}\n", contest.title, parts.join(", "));
    }
    let budget = count_with_noun(search.budget, "training step");
    text += &format!("budget per method: {budget}\n");
    if let Some(forecast) = forecast {
        let seconds = search.contests.iter().map(|contest| forecast.seconds(contest));
        let how = match forecast.is_measured() {
            true => "based on earlier runs",
            false => "a rough guess until a similar run has finished here",
        };
        text += &format!("total: about {} ({how})\n", format_duration(seconds.sum()));
    }
    text
}

/// Returns the chosen rows as a table, followed by notes.
pub(super) fn verdict_text(search: &Search, verdicts: &[ContestResult]) -> String {
    let columns = ["", ">tried", ">steps", "chosen", ">runs", ">A_N", "next best", ">behind by"];
    let mut table = Table::new(&columns);
    for (contest, verdict) in search.contests.iter().zip(verdicts) {
        let tried = [format_count(contest.rows.len()), format_count(contest.steps)];
        let row = [contest.title.clone()].into_iter().chain(tried);
        let Some(winner) = &verdict.winner else {
            table.add_row(row.chain(["–"; 5].map(String::from)));
            continue;
        };
        let second = winner.second.as_ref();
        let behind = second.map(|second| spread_text(Some(second.difference), second.error, " ± "));
        table.add_row(row.chain([
            search.row(winner.row).title.clone(),
            format_count(winner.runs),
            spread_text(Some(winner.mean), winner.std, " ± "),
            second.map_or_else(|| "–".into(), |second| search.row(second.row).title.clone()),
            behind.unwrap_or_else(|| "–".into()),
        ]));
    }
    let ends = search.summarise_contests(verdicts);
    let notes = ends.iter().flat_map(|end| {
        let notes = end.notes().into_iter();
        notes.map(|note| format!("{}: {}\n", end.title, note.english()))
    });
    format!(
        "{table}A_N on validation images, mean ± std over class orders and seeds; behind by: mean ± standard error of the \
         paired differences, in points\n{}",
        notes.collect::<String>()
    )
}

impl SearchReport {
    /// Returns the report of a search with its costs, if they were estimated, and its results, if there are any.
    pub fn new(
        search: &Search,
        forecast: Option<&Forecast>,
        verdicts: &[ContestResult],
        winners: String,
    ) -> Self {
        let mut results = verdicts.iter().zip(search.summarise_contests(verdicts));
        let contests = search.contests.iter().map(|contest| {
            let (verdict, end) = results.next().unzip();
            let end = end.unwrap_or_default();
            let winner = verdict.and_then(|verdict| verdict.winner.as_ref());
            ContestReport {
                title: contest.title.clone(),
                tried: contest.rows.len(),
                left_out: contest.excluded_rows.len(),
                rounds: contest.rounds,
                steps: contest.steps,
                steps_of_all: contest.steps_of_all,
                seconds: forecast.map(|forecast| forecast.seconds(contest)),
                rows: row_reports(search, contest, forecast),
                chosen: winner
                    .zip(end.chosen)
                    .map(|(winner, end)| winner_report(search, winner, end)),
                unranked: end.unranked,
            }
        });
        Self {
            version: VERSION,
            grid: search.cells.grid.name.clone(),
            search: search.strategy,
            budget: search.budget,
            contests: contests.collect(),
            winners,
        }
    }
}

fn row_reports(search: &Search, contest: &Contest, forecast: Option<&Forecast>) -> Vec<RowReport> {
    let row = |row: &usize, left_out: bool| RowReport {
        title: search.row(*row).title.clone(),
        settings: search.row(*row).varied.iter().cloned().collect(),
        left_out,
        runs: search.row(*row).cells.len(),
        steps: search.row_steps(*row, contest.rounds, 0),
        seconds: forecast
            .filter(|_| !left_out)
            .map(|forecast| forecast.row_forecast(*row, 0).costs.seconds),
    };
    let tried = contest.rows.iter().map(|number| row(number, false));
    let left_out = contest.excluded_rows.iter().map(|number| row(number, true));
    tried.chain(left_out).collect()
}

fn winner_report(search: &Search, winner: &Winner, end: ChosenRow) -> WinnerReport {
    let runner_up = winner.second.as_ref();
    let (second, difference) = end.second.unzip();
    WinnerReport {
        title: end.title,
        settings: search.row(winner.row).varied.iter().cloned().collect(),
        mean: end.mean,
        std: winner.std,
        runs: end.runs,
        second,
        difference,
        error: runner_up.and_then(|second| second.error),
        p: runner_up.and_then(|second| second.p),
        level: end.level,
        edges: end.edges,
    }
}
