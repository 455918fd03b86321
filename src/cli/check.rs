//! `check`: whether a run, or a packed one, is what it says.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::End;
use super::output::{Json, duration, tell};
use super::progress::Reporter;
use super::train::stop_on_ctrl_c;
use crate::experiment::Stock;
use crate::experiment::proof::{CheckRequest, Report, Verdict, check_run};
use crate::files::names::portable;
use crate::problem::{Problem, Result};
use crate::store;

/// Options of `check`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A packed run, or a run: its folder, its name (or how it begins), or `latest`
    #[arg(value_name = "FILE|RUN")]
    run: String,
    /// Where its data lies here, if not where the run's settings say
    #[arg(long, value_name = "PATH")]
    data: Option<String>,
    /// The file of its backbone's weights, if not where the run's settings say
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Compute on this device: cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Answer so many test pictures after each task, evenly spaced, and not all
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Train it once more, too, in a temporary folder
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

/// The JSON.
#[derive(Serialize)]
struct Checked<'a> {
    verdict: Verdict,
    #[serde(flatten)]
    report: &'a Report,
    seconds: f64,
}

/// Checks.
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let began = Instant::now();
    let packed = Path::new(&args.run);
    let work = (store::is_packed(packed) && packed.exists())
        .then(tempfile::tempdir)
        .transpose()
        .map_err(|error| Problem::io("make a folder to unpack in", std::env::temp_dir(), &error))?;
    let (folder, changed) = match &work {
        None => {
            let root = store::runs_root(args.out.as_deref());
            (store::find(&root, &args.run)?, Vec::new())
        }
        Some(work) => {
            let folder = work.path().join("run");
            let extracted = store::extract(packed, &folder)?;
            let named = work.path().join(portable(&extracted.run));
            let folder = match std::fs::rename(&folder, &named) {
                Ok(()) => named,
                Err(_) => folder,
            };
            (folder, extracted.changed)
        }
    };
    let asked = CheckRequest {
        data: args.data.as_deref(),
        weights: args.weights.as_deref(),
        device: args.device.as_deref(),
        limit: args.limit,
        train: args.train,
        changed: work.is_some().then_some(&changed),
    };
    let control = stop_on_ctrl_c()?;
    let mut reporter = Reporter::new(args.quiet);
    let report = check_run(&folder, &asked, &Stock::default(), &mut reporter, &control);
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
    args.json.give(&checked, &text(&report, seconds))?;
    Ok(match verdict {
        Verdict::Differs => End::Failed,
        Verdict::Equal | Verdict::EqualWithinRounding => End::Done,
    })
}

/// The report for people. Writing into a String does not fail.
fn text(report: &Report, seconds: f64) -> String {
    let mut text = String::new();
    let verdict = match report.verdict() {
        Verdict::Equal => "equal to the last bit, as far as compared",
        Verdict::EqualWithinRounding => "equal within rounding",
        Verdict::Differs => "differs",
    };
    let _ = writeln!(text, "{}: {verdict} ({})", report.run, duration(seconds));
    for difference in report.differences.iter().filter(|one| !one.rounding) {
        let more = match difference.count {
            0 | 1 => String::new(),
            count => format!(" (the first of {count})"),
        };
        let _ = writeln!(text, "differs    {}{more}", difference.told);
    }
    let parts = [
        ("rounding", &report.rounding),
        ("equal", &report.equal),
        ("unchecked", &report.unchecked),
        ("unknown", &report.unknown),
        ("machine", &report.machines),
    ];
    for (what, lines) in parts {
        for line in lines {
            let _ = writeln!(text, "{what:<9}  {line}");
        }
    }
    text
}
