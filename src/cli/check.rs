//! `check`: verifies a run, or a packed one.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, format_duration, print_message};
use super::progress::Reporter;
use super::run_args::{MovedFiles, from_one};
use super::signals::stop_on_ctrl_c;
use crate::experiment::ResourceCache;
use crate::experiment::verification::{CheckReport, CheckRequest, Verdict, check_path};
use crate::problem::Result;
use crate::store;

/// Options of `check`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A packed run, or a run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "FILE|RUN")]
    run: String,
    #[command(flatten)]
    moved: MovedFiles,
    /// Compute on this device: cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Classify only this many test images after each task, evenly spaced
    #[arg(long, value_name = "N", value_parser = from_one)]
    limit: Option<u64>,
    /// Also train the run again, in a temporary folder
    #[arg(long)]
    train: bool,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOutput,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct CheckOutput<'a> {
    verdict: Verdict,
    #[serde(flatten)]
    report: &'a CheckReport,
    seconds: f64,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let start = Instant::now();
    let packed = Path::new(&args.run);
    let path = match store::is_packed(packed) && packed.exists() {
        true => packed.to_path_buf(),
        false => store::find_run(&store::runs_root(args.out.as_deref()), &args.run)?,
    };
    let request = CheckRequest {
        data: args.moved.data.as_deref(),
        weights: args.moved.weights.as_deref(),
        device: args.device.as_deref(),
        limit: args.limit.map(|limit| limit as usize),
        train: args.train,
        changed: None,
    };
    let control = stop_on_ctrl_c()?;
    let mut reporter = Reporter::new(args.quiet);
    let report = check_path(&path, &request, &ResourceCache::default(), &mut reporter, &control);
    drop(reporter);
    let Some(report) = report? else {
        print_message("stopped; nothing was changed");
        return Ok(CommandOutcome::Stopped);
    };
    let seconds = start.elapsed().as_secs_f64();
    let verdict = report.verdict();
    let output = CheckOutput { verdict, report: &report, seconds };
    args.json.print_results(&output, &text(&report, seconds))?;
    Ok(CommandOutcome::from_success(verdict != Verdict::Differs && report.had_inputs()))
}

/// Returns the report as text.
fn text(report: &CheckReport, seconds: f64) -> String {
    let mut text = format!("{} ({})\n", report.sentence(), format_duration(seconds));
    for (what, line) in report.lines() {
        text += &format!("{what:<9}  {line}\n");
    }
    text
}
