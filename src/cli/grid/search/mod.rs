//! `grid --search`: finds the best settings for each method, on a validation share of the training images.

mod report;

use std::path::PathBuf;

use clap::builder::TypedValueParser;

use super::super::CommandOutcome;
use super::super::output::{check_output_file, print_message};
use super::super::settings::keyed;
use super::progress::GridReporter;
use super::selection::parse_pairs;
use super::{Args, devices, plan_summary, print_end};
use crate::counts::count_with_noun;
use crate::experiment::ResourceCache;
use crate::experiment::grid::search::Search;
use crate::experiment::grid::{Cells, GridEnd, Overrides};
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_shell;
use crate::run::event::Control;
use crate::run::grid::Grid;
use crate::run::job::SearchBy;
use crate::store;
use report::{Forecast, SearchReport, listing, plan_text, verdict_text};

/// Options that a search does not accept. Each of its options lists them, because clap ignores `requires = "search"` if
/// one of them is given.
const NOT_SEARCHED: [&str; 6] = ["slurm", "place", "detach", "shard", "cells", "only"];

/// Options of a search.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Options {
    /// Choose the best row for each method on a validation share of the training images: halving (successive halving)
    /// trains all rows for a few epochs and continues with the better half; all trains every row for all epochs
    #[arg(long, value_name = "HOW", requires = "grid", conflicts_with_all = NOT_SEARCHED, value_parser = strategies())]
    pub search: Option<SearchBy>,
    /// Maximum training steps per method [default: enough for the smallest number of rows that a method has]
    #[arg(long, value_name = "STEPS", requires = "search", conflicts_with_all = NOT_SEARCHED,
          value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// The validation share, if the grid has none
    #[arg(long, value_name = "SHARE", requires = "search", conflicts_with_all = NOT_SEARCHED, default_value_t = 0.2,
          value_parser = share)]
    validation: f64,
    /// Write the chosen rows as a grid to this file, to run them on the test images
    #[arg(long, value_name = "FILE", requires = "search", conflicts_with_all = NOT_SEARCHED)]
    winners: Option<PathBuf>,
}

fn strategies() -> impl TypedValueParser<Value = SearchBy> {
    keyed([(SearchBy::Halving, "halving"), (SearchBy::All, "all")])
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "give a share between 0 and 1, such as 0.2".into())
}

/// Runs the search.
pub(super) fn run(
    args: &Args,
    strategy: SearchBy,
    grid: Grid,
    control: &Control,
) -> Result<CommandOutcome> {
    if devices::select_devices(args.device.as_deref())?.is_some() {
        let problem = Problem::new("a search uses a single device").at("--device");
        return Err(problem.advise(
            "give one device; another process can search in the same folder on another device",
        ));
    }
    if let Some(path) = &args.search.winners {
        check_output_file(path, "--winners")?;
    }
    let overrides = Overrides {
        device: args.device.clone(),
        data: parse_pairs(&args.data, "--data")?,
        ..Overrides::default()
    };
    let root = store::runs_root(args.out.as_deref());
    let cells = Cells::from_grid(grid, &root, &overrides)?;
    let budget = args.search.budget.map(|budget| budget as usize);
    let cache = ResourceCache::default();
    let search = Search::new(cells, (strategy, args.search.validation), budget, &cache, control)?;
    if args.list {
        let Some(forecast) = Forecast::estimate(&search, &root, &cache, control) else {
            print_end(&GridEnd::Stopped { saved: false }, false);
            return Ok(CommandOutcome::Stopped);
        };
        let report = SearchReport::new(&search, Some(&forecast), &[], String::new());
        return args.json.finish(&report, &listing(&search, &forecast));
    }
    if !args.quiet {
        print_message(plan_text(&search, None).trim_end());
    }
    let mut is_saved = false;
    let verdicts = search.run(&root, &cache, control, |plan, cells, round| {
        if !args.quiet {
            let (at, of) = (round + 1, search.rounds());
            let rows = count_with_noun(plan.cells.rows.len(), "row");
            let summary = plan_summary(plan, cells);
            print_message(format!("round {at} of {of}, {rows}: {summary}"));
        }
        let mut sink = GridReporter::new(args.quiet, plan, cells);
        let end = plan.run(cells, &mut sink);
        sink.finish();
        is_saved = matches!(end, GridEnd::Stopped { saved: true });
        end
    })?;
    let Some(verdicts) = verdicts else {
        print_end(&GridEnd::Stopped { saved: is_saved }, false);
        return Ok(CommandOutcome::Stopped);
    };
    let file = search.format_chosen_grid(&verdicts)?;
    let saved = args.search.winners.as_ref().map(|path| store::write_file(path, file.as_bytes()));
    let text = verdict_text(&search, &verdicts);
    let next = match &args.search.winners {
        Some(path) => {
            let file = quote_for_shell(&path.display().to_string());
            let options = repeated_options(args);
            format!("To run these on the test images: lae-studio grid {file}{options}\n")
        }
        None => format!("\n{file}"),
    };
    let report = SearchReport::new(&search, None, &verdicts, file);
    args.json.print_results(&report, &format!("{text}{next}"))?;
    saved.transpose()?;
    let succeeded =
        verdicts.iter().all(|verdict| verdict.winner.is_some() && verdict.unranked.is_empty());
    Ok(CommandOutcome::from_success(succeeded))
}

/// Returns the options that a command for the chosen rows needs too: data, device and folder of runs.
fn repeated_options(args: &Args) -> String {
    let data = args.data.iter().map(|data| ("data", data.clone()));
    let device = args.device.iter().map(|device| ("device", device.clone()));
    let out = args.out.iter().map(|out| ("out", out.display().to_string()));
    let options = data.chain(device).chain(out);
    options.map(|(name, value)| format!(" --{name} {}", quote_for_shell(&value))).collect()
}
