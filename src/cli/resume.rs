//! `resume`: continues a stopped or killed run from its last finished epoch.

use super::CommandOutcome;
use super::progress::Reporter;
use super::remote::{self, PlaceArgs};
use super::run_args::MovedFiles;
use super::run_report::{RunOutput, print_finished, print_not_started, print_stopped};
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Changes, Outcome};
use crate::problem::{Problem, Result};
use crate::store;

/// Options of `resume`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Resume on another device: cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Pass this many images of a batch through the network at once from now on, with the same result
    #[arg(long, value_name = "N")]
    micro_batch: Option<usize>,
    #[command(flatten)]
    moved: MovedFiles,
    #[command(flatten)]
    at: PlaceArgs,
    #[command(flatten)]
    pub output: RunOutput,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let output = &args.output;
    output.json.check()?;
    let root = store::runs_root(output.out.as_deref());
    let (device, micro_batch) = (args.device.as_deref(), args.micro_batch);
    let changes = Changes { device, micro_batch };
    if let Some(place) = &args.at.place {
        if args.moved.data.is_some() || args.moved.weights.is_some() {
            return Err(Problem::new(
                "--data and --weights name files on this computer, but the run continues at a place",
            )
            .at("--place")
            .advise("omit them, or resume the run here"));
        }
        let (detach, control) = (args.at.detach, stop_on_ctrl_c()?);
        return remote::resume(place, &args.run, &changes, detach, output, &root, &control);
    }
    let folder = store::find_run(&root, &args.run)?;
    let control = stop_on_ctrl_c()?;
    let mut reporter = Reporter::new(output.quiet);
    let cache = args.moved.cache(&store::load_facts(&folder)?.0.config);
    let outcome = experiment::resume_with(&folder, &changes, &cache, &mut reporter, &control)
        .inspect_err(|_| reporter.report_failure())?;
    drop(reporter);
    let stored = store::load_run(&folder)?;
    match outcome {
        Outcome::Finished(_) => print_finished(&stored, output),
        Outcome::Stopped(_) => print_stopped(&stored, output),
        Outcome::NotStarted => Ok(print_not_started()),
    }
}
