//! `grid --search`: finds the best settings for each method, on a validation share of the training images.

mod report;

use std::path::PathBuf;

use clap::ValueEnum;

use super::super::End;
use super::super::output::tell;
use super::asked::pairs;
use super::progress::GridReporter;
use super::{Args, before, devices, print_end};
use crate::counts::counted;
use crate::experiment::ResourceCache;
use crate::experiment::grid::search::Search;
use crate::experiment::grid::{Cells, GridEnd, Overrides};
use crate::problem::{Problem, Result};
use crate::run::config::shell_word;
use crate::run::event::Control;
use crate::run::grid::Grid;
use crate::run::job::SearchBy;
use crate::store;
use report::{Forecast, SearchReport, listing, plan_text, verdict_text};

/// Options of a search.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Options {
    /// Choose the best row for each method on a validation share of the training images: halving (successive halving)
    /// trains all rows for a few epochs and continues with the better half, all trains every row for all epochs
    #[arg(long, value_name = "HOW", requires = "grid",
          conflicts_with_all = ["slurm", "place", "shard", "cells", "only"])]
    search: Option<SearchStrategy>,
    /// Maximum training steps per method [default: enough for as many rows as the method with the fewest rows has]
    #[arg(long, value_name = "STEPS", requires = "search", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// The validation share, if the grid has none
    #[arg(long, value_name = "SHARE", requires = "search", default_value_t = 0.2, value_parser = share)]
    validation: f64,
    /// Write the chosen rows as a grid to this file, to run them on the test images
    #[arg(long, value_name = "FILE", requires = "search")]
    winners: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SearchStrategy {
    Halving,
    All,
}

impl SearchStrategy {
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
    /// Returns whether a search is requested.
    pub fn is_wanted(&self) -> bool {
        self.search.is_some()
    }
}

/// Runs the search.
pub(super) fn run(args: &Args, grid: &Grid, control: &Control) -> Result<End> {
    let Some(how) = args.search.search else {
        return Ok(End::Done);
    };
    if devices::devices(args.device.as_deref())?.is_some() {
        let problem = Problem::new("a search uses a single device").at("--device");
        return Err(problem.advise(
            "give one device; another process can search in the same folder on another device",
        ));
    }
    let overrides = Overrides {
        device: args.device.clone(),
        data: pairs(&args.data, "--data")?,
        ..Overrides::default()
    };
    let root = store::runs_root(args.out.as_deref());
    let cells = Cells::of(grid.clone(), &root, &overrides)?;
    let budget = args.search.budget.map(|budget| budget as usize);
    let cache = ResourceCache::default();
    let how_much = (how.strategy(), args.search.validation);
    let search = Search::new(cells, how_much, budget, &cache, control)?;
    if args.list {
        let Some(forecast) = Forecast::make(&search, &root, &cache, control) else {
            print_end(&GridEnd::Stopped(None), false);
            return Ok(End::Stopped);
        };
        let report = SearchReport::of(&search, grid, how.strategy(), Some(&forecast));
        let text = listing(&search, how.strategy(), &forecast);
        args.json.print_results(&report, &text)?;
        return Ok(End::Done);
    }
    if !args.quiet {
        tell(plan_text(&search, how.strategy(), None).trim_end());
    }
    let mut stopped_run = None;
    let verdicts = search.run(&root, &cache, control, |plan, order, round| {
        if !args.quiet {
            let (at, of) = (round + 1, search.rounds());
            let rows = counted(plan.cells.rows.len(), "row");
            let before = before(plan, order);
            tell(format!("round {at} of {of}, {rows}: {before}"));
        }
        let mut sink = GridReporter::new(args.quiet, plan, order, &cache, control);
        let end = plan.run(order, &mut sink);
        sink.close();
        if let GridEnd::Stopped(run) = &end {
            stopped_run.clone_from(run);
        }
        end
    })?;
    let Some(verdicts) = verdicts else {
        print_end(&GridEnd::Stopped(stopped_run), false);
        return Ok(End::Stopped);
    };
    let file = search.file_of(&verdicts)?;
    let saved = args
        .search
        .winners
        .as_ref()
        .map(|path| store::write_file(path, file.as_bytes()));
    let text = verdict_text(&search, &verdicts);
    let next = match &args.search.winners {
        Some(path) => {
            let file = shell_word(&path.display().to_string());
            format!("To run these on the test images: lae-studio grid {file}\n")
        }
        None => format!("\n{file}"),
    };
    let report = SearchReport::of(&search, grid, how.strategy(), None);
    let report = report.with(&search, &verdicts, file);
    args.json.print_results(&report, &format!("{text}{next}"))?;
    saved.transpose()?;
    let failed = verdicts
        .iter()
        .any(|verdict| verdict.winner.is_none() || !verdict.unranked.is_empty());
    Ok(if failed { End::Failed } else { End::Done })
}
