//! `grid --search`: finds the best settings for each method, on a validation share of the training images.

mod report;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

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
    /// trains all rows for a few epochs and continues with the better half; all trains every row for all epochs
    #[arg(long, value_name = "HOW", requires = "grid",
          conflicts_with_all = ["slurm", "place", "shard", "cells", "only"], value_parser = strategies())]
    pub search: Option<SearchBy>,
    /// Maximum training steps per method [default: enough for the smallest number of rows that a method has]
    #[arg(long, value_name = "STEPS", requires = "search", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// The validation share, if the grid has none
    #[arg(long, value_name = "SHARE", requires = "search", default_value_t = 0.2, value_parser = share)]
    validation: f64,
    /// Write the chosen rows as a grid to this file, to run them on the test images
    #[arg(long, value_name = "FILE", requires = "search")]
    winners: Option<PathBuf>,
}

fn strategies() -> impl TypedValueParser<Value = SearchBy> {
    PossibleValuesParser::new(["halving", "all"]).map(|word| match word.as_str() {
        "halving" => SearchBy::Halving,
        _ => SearchBy::All,
    })
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "give a share between 0 and 1, such as 0.2".into())
}

/// Runs the search.
pub(super) fn run(args: &Args, by: SearchBy, grid: Grid, control: &Control) -> Result<End> {
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
    let cells = Cells::of(grid, &root, &overrides)?;
    let budget = args.search.budget.map(|budget| budget as usize);
    let cache = ResourceCache::default();
    let search = Search::new(cells, (by, args.search.validation), budget, &cache, control)?;
    if args.list {
        let Some(forecast) = Forecast::make(&search, &root, &cache, control) else {
            print_end(&GridEnd::Stopped { saved: false }, false);
            return Ok(End::Stopped);
        };
        let report = SearchReport::new(&search, Some(&forecast), &[], String::new());
        args.json
            .print_results(&report, &listing(&search, &forecast))?;
        return Ok(End::Done);
    }
    if !args.quiet {
        tell(plan_text(&search, None).trim_end());
    }
    let mut is_saved = false;
    let verdicts = search.run(&root, &cache, control, |plan, order, round| {
        if !args.quiet {
            let (at, of) = (round + 1, search.rounds());
            let rows = counted(plan.cells.rows.len(), "row");
            let before = before(plan, order);
            tell(format!("round {at} of {of}, {rows}: {before}"));
        }
        let mut sink = GridReporter::new(args.quiet, plan, order);
        let end = plan.run(order, &mut sink);
        sink.close();
        is_saved = matches!(end, GridEnd::Stopped { saved: true });
        end
    })?;
    let Some(verdicts) = verdicts else {
        print_end(&GridEnd::Stopped { saved: is_saved }, false);
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
    let report = SearchReport::new(&search, None, &verdicts, file);
    args.json.print_results(&report, &format!("{text}{next}"))?;
    saved.transpose()?;
    let failed = verdicts
        .iter()
        .any(|verdict| verdict.winner.is_none() || !verdict.unranked.is_empty());
    Ok(if failed { End::Failed } else { End::Done })
}
