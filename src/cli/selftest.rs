//! `gpu-selftest`: what `device::trust` runs in a child process. One line on stdout says what was
//! found; the exit code whether it is good.

use super::End;
use super::output::say;
use crate::problem::Result;
use crate::{device, selftest};

/// Options of `gpu-selftest`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A selector, number or name of a device
    #[arg(value_name = "DEVICE")]
    device: String,
}

/// Tests.
pub(super) fn run(args: &Args) -> Result<End> {
    let tested = device::choose(&args.device)
        .and_then(|info| device::open(&info))
        .and_then(|device| selftest::run(&device));
    match tested {
        Ok(error) => {
            say(&format!("largest relative error {error:.1e}\n"))?;
            Ok(End::Done)
        }
        Err(problem) => {
            say(&format!("{}\n", problem.what.replace('\n', " ")))?;
            Ok(End::Failed)
        }
    }
}
