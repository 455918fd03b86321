//! `check`: verifies a run, or a packed one.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::End;
use super::output::{Json, duration, tell};
use super::progress::Reporter;
use super::run_args::MovedFiles;
use super::signals::stop_on_ctrl_c;
use crate::experiment::ResourceCache;
use crate::experiment::proof::{CheckRequest, Report, Verdict, check_place};
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
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Also train the run again, in a temporary folder
    #[arg(long)]
    train: bool,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct Checked<'a> {
    verdict: Verdict,
    #[serde(flatten)]
    report: &'a Report,
    seconds: f64,
}

pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let began = Instant::now();
    let packed = Path::new(&args.run);
    let place = match store::is_packed(packed) && packed.exists() {
        true => packed.to_path_buf(),
        false => store::find(&store::runs_root(args.out.as_deref()), &args.run)?,
    };
    let asked = CheckRequest {
        data: args.moved.data.as_deref(),
        weights: args.moved.weights.as_deref(),
        device: args.device.as_deref(),
        limit: args.limit,
        train: args.train,
        changed: None,
    };
    let control = stop_on_ctrl_c()?;
    let mut reporter = Reporter::new(args.quiet);
    let report = check_place(
        &place,
        &asked,
        &ResourceCache::default(),
        &mut reporter,
        &control,
    );
    drop(reporter);
    let Some(report) = report? else {
        tell("stopped; nothing was changed");
        return Ok(End::Stopped);
    };
    let seconds = began.elapsed().as_secs_f64();
    let verdict = report.verdict();
    let checked = Checked {
        verdict,
        report: &report,
        seconds,
    };
    args.json.print_results(&checked, &text(&report, seconds))?;
    Ok(End::from_success(verdict != Verdict::Differs))
}

/// Returns the report as text.
fn text(report: &Report, seconds: f64) -> String {
    let mut text = format!("{} ({})\n", report.sentence(), duration(seconds));
    for (what, line) in report.lines() {
        text += &format!("{what:<9}  {line}\n");
    }
    text
}
