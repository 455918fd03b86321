//! `grid --search`: which settings serve each method best, on a validation share of the training images.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;

use super::super::End;
use super::super::output::{Table, tell};
use super::asked::pairs;
use super::progress::GridReporter;
use super::{Args, before, several, tell_end};
use crate::counts::{count_text, counted};
use crate::experiment::Stock;
use crate::experiment::grid::search::{Contest, Measured, Search, Verdict};
use crate::experiment::grid::{Cells, GridEnd, GridPlan, Overrides};
use crate::problem::{Problem, Result, listed};
use crate::run::event::Control;
use crate::run::grid::Grid;
use crate::run::job::SearchBy;
use crate::store::{self, spread_text};
use crate::texts::Message;

/// Raised when a field of the JSON changes its meaning.
const VERSION: u32 = 1;
/// So many titles are named in a sentence.
const MOST_TITLES: usize = 4;

/// Options of a search.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Options {
    /// Choose among its rows, for each method, on a validation share of the training images: halving trains all for a few
    /// epochs and goes on with the better half, all trains each with all epochs
    #[arg(long, value_name = "HOW", requires = "grid",
          conflicts_with_all = ["slurm", "place", "shard", "cells", "only"])]
    search: Option<How>,
    /// Training passes for each method [default: what its settings take, where they are fewest]
    #[arg(long, value_name = "PASSES", requires = "search", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// The validation share, where the grid names none
    #[arg(long, value_name = "SHARE", requires = "search", default_value_t = 0.2, value_parser = share)]
    validation: f64,
    /// Write a grid of what was chosen to this file, to be run on the test images
    #[arg(long, value_name = "FILE", requires = "search")]
    winners: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum How {
    Halving,
    All,
}

impl How {
    fn strategy(self) -> SearchBy {
        match self {
            Self::Halving => SearchBy::Halving,
            Self::All => SearchBy::All,
        }
    }
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "give a share between 0 and 1, such as 0.2".into())
}

impl Options {
    /// Whether something is to be chosen.
    pub fn is_wanted(&self) -> bool {
        self.search.is_some()
    }
}

/// A search for scripts.
#[derive(Serialize)]
struct SearchReport {
    version: u32,
    grid: String,
    /// `halving` or `all`.
    search: String,
    /// Training passes that each contest may take.
    budget: usize,
    contests: Vec<ContestReport>,
    /// The grid's file of what was chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    winners: String,
}

/// What competed, and what became of it.
#[derive(Serialize)]
struct ContestReport {
    title: String,
    /// Settings that took part, and those that the budget left out.
    tried: usize,
    left_out: usize,
    passes: usize,
    chosen: Option<Chosen>,
}

#[derive(Serialize)]
struct Chosen {
    title: String,
    settings: BTreeMap<String, String>,
    /// A_N on the validation images, in percent.
    mean: f64,
    std: Option<f64>,
    runs: usize,
    /// The next best, how many points behind, and the standard error of that.
    second: Option<String>,
    difference: Option<f64>,
    error: Option<f64>,
    /// Others that are not told apart from it.
    level: Vec<String>,
}

/// Chooses.
pub(super) fn run(args: &Args, grid: &Grid, control: &Control) -> Result<End> {
    let Some(how) = args.search.search else {
        return Ok(End::Done);
    };
    if several::devices(args.device.as_deref())?.is_some() {
        let problem = Problem::new("a search is done on one device").at("--device");
        return Err(
            problem.advise("give one; another program may search in the same folder on another")
        );
    }
    let overrides = Overrides {
        device: args.device.clone(),
        data: pairs(&args.data, "--data")?,
        ..Overrides::default()
    };
    let root = store::runs_root(args.out.as_deref());
    let cells = Cells::of(grid.clone(), &root, &overrides)?;
    let budget = args.search.budget.map(|budget| budget as usize);
    let stock = Stock::default();
    let how_much = (how.strategy(), args.search.validation);
    let search = Search::new(cells, how_much, budget, &stock, control)?;
    if args.list {
        let report = report(&search, grid, how, &[], String::new());
        args.json.give(&report, &plan_text(&search))?;
        return Ok(End::Done);
    }
    if !args.quiet {
        tell(plan_text(&search).trim_end());
    }
    let mut left = search.begin();
    let mut measured = Measured::new();
    for round in 0..search.rounds() {
        if !one_round(
            args,
            &search,
            (round, &mut left),
            &mut measured,
            &stock,
            control,
        )? {
            return Ok(End::Stopped);
        }
    }
    let verdicts: Vec<Option<Verdict>> = left
        .iter()
        .map(|rows| search.verdict(rows, &measured))
        .collect();
    let winners = search.contests.iter().zip(&verdicts);
    let winners = winners
        .filter_map(|(contest, verdict)| Some((contest.title.clone(), verdict.as_ref()?.row)));
    let winners: Vec<(String, usize)> = winners.collect();
    if winners.is_empty() {
        return Err(Problem::new("no run of this search could be finished")
            .advise("what went wrong is told above; the same command tries again"));
    }
    let file = search.file_of(&winners)?;
    let saved = args
        .search
        .winners
        .as_ref()
        .map(|path| store::write_file(path, file.as_bytes()));
    let text = verdict_text(&search, &verdicts);
    let next = match &args.search.winners {
        Some(path) => format!("on the test images: lae-studio grid {}\n", path.display()),
        None => format!("\n{file}"),
    };
    args.json.give(
        &report(&search, grid, how, &verdicts, file),
        &format!("{text}{next}"),
    )?;
    saved.transpose()?;
    let failed = verdicts.iter().any(Option::is_none);
    Ok(if failed { End::Failed } else { End::Done })
}

/// Runs a round of those that are left, and keeps the better ones; false when the person stopped it.
fn one_round(
    args: &Args,
    search: &Search,
    (round, left): (u32, &mut [Vec<usize>]),
    measured: &mut Measured,
    stock: &Stock,
    control: &Control,
) -> Result<bool> {
    let root = store::runs_root(args.out.as_deref());
    let (cells, numbers) = search.round(round, left);
    let mut say = |what: Message| {
        if !args.quiet {
            tell(what);
        }
    };
    let plan = GridPlan::make(cells, &root, true, stock, control, &mut say);
    let Some(mut plan) = plan else {
        tell_end(&GridEnd::Stopped(None), false);
        return Ok(false);
    };
    let all = plan.in_order();
    if !args.quiet {
        let (at, of) = (round + 1, search.rounds());
        tell(format!(
            "round {at} of {of}, {}: {}",
            counted(numbers.len(), "row"),
            before(&plan, &all)
        ));
    }
    let mut sink = GridReporter::new(args.quiet, &plan, &all, stock, control);
    let end = plan.run(&all, &mut sink);
    sink.close();
    if matches!(end, GridEnd::Stopped(_)) {
        tell_end(&end, false);
        return Ok(false);
    }
    measured.extend(numbers.into_iter().zip(plan.rows(&all)));
    search.keep(round, left, measured);
    Ok(true)
}

fn plan_text(search: &Search) -> String {
    let mut text = String::new();
    for contest in &search.contests {
        let Contest {
            title,
            rows,
            left_out,
            passes,
        } = contest;
        let out = match left_out {
            0 => String::new(),
            left_out => format!(", {} left out by the budget", count_text(*left_out)),
        };
        text += &format!(
            "{title}: {}{out}, {}\n",
            counted(rows.len(), "row"),
            counted(*passes, "training pass")
        );
    }
    text + &format!(
        "budget of each: {}\n",
        counted(search.budget, "training pass")
    )
}

fn verdict_text(search: &Search, verdicts: &[Option<Verdict>]) -> String {
    let columns = [
        "",
        ">tried",
        ">passes",
        "chosen",
        ">runs",
        ">A_N",
        "next best",
        ">behind by",
    ];
    let mut table = Table::new(&columns);
    let mut notes = String::new();
    for (contest, verdict) in search.contests.iter().zip(verdicts) {
        let tried = [count_text(contest.rows.len()), count_text(contest.passes)];
        let Some(verdict) = verdict else {
            let none = ["–"; 5].map(String::from);
            table.row([contest.title.clone()].into_iter().chain(tried).chain(none));
            continue;
        };
        let second = verdict.second.as_ref();
        let behind = second.map(|second| spread_text(Some(second.difference), second.error, " ± "));
        let cells = [
            search.title(verdict.row).to_string(),
            count_text(verdict.runs),
            spread_text(Some(verdict.mean), verdict.std, " ± "),
            second.map_or_else(|| "–".into(), |second| search.title(second.row).to_string()),
            behind.unwrap_or_else(|| "–".into()),
        ];
        table.row(
            [contest.title.clone()]
                .into_iter()
                .chain(tried)
                .chain(cells),
        );
        if !verdict.level.is_empty() {
            let titles: Vec<&str> = verdict.level.iter().map(|row| search.title(*row)).collect();
            notes += &format!(
                "{}: {} cannot be told from what was chosen; more class orders or seeds might\n",
                contest.title,
                listed(&titles, MOST_TITLES)
            );
        }
    }
    format!(
        "{table}A_N on validation images, mean ± std over class orders and seeds; behind by: mean ± standard error of the \
         paired differences, in points\n{notes}"
    )
}

fn report(
    search: &Search,
    grid: &Grid,
    how: How,
    verdicts: &[Option<Verdict>],
    winners: String,
) -> SearchReport {
    let contests = search
        .contests
        .iter()
        .enumerate()
        .map(|(number, contest)| ContestReport {
            title: contest.title.clone(),
            tried: contest.rows.len(),
            left_out: contest.left_out,
            passes: contest.passes,
            chosen: verdicts
                .get(number)
                .and_then(Option::as_ref)
                .map(|verdict| chosen(search, verdict)),
        });
    SearchReport {
        version: VERSION,
        grid: grid.name.clone(),
        search: match how {
            How::Halving => "halving".into(),
            How::All => "all".into(),
        },
        budget: search.budget,
        contests: contests.collect(),
        winners,
    }
}

fn chosen(search: &Search, verdict: &Verdict) -> Chosen {
    let second = verdict.second.as_ref();
    Chosen {
        title: search.title(verdict.row).to_string(),
        settings: search.varied(verdict.row).iter().cloned().collect(),
        mean: verdict.mean,
        std: verdict.std,
        runs: verdict.runs,
        second: second.map(|second| search.title(second.row).to_string()),
        difference: second.map(|second| second.difference),
        error: second.and_then(|second| second.error),
        level: verdict
            .level
            .iter()
            .map(|row| search.title(*row).to_string())
            .collect(),
    }
}
