//! What `device` runs in a child process. `gpu-selftest`: one line on stdout says what was found, the
//! exit code whether it is good. `gpu-list`: the devices as JSON.

use burn::tensor::DType;

use super::End;
use super::output::say;
use crate::device::HALF_IS_RIGHT;
use crate::nn::WeightType;
use crate::problem::{Problem, Result};
use crate::{device, selftest};

/// Options of `gpu-selftest`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A selector, number or name of a device
    #[arg(value_name = "DEVICE")]
    device: String,
}

/// Lists.
pub(super) fn list() -> Result<End> {
    let json = serde_json::to_string(device::list())
        .map_err(|error| Problem::new(format!("no JSON can be made of this: {error}")))?;
    say(&json)?;
    Ok(End::Done)
}

/// Tests.
pub(super) fn run(args: &Args) -> Result<End> {
    let tested = device::choose(&args.device)
        .and_then(|info| device::open(&info))
        .and_then(|device| Ok((selftest::run(&device, WeightType::F32)?, device)));
    match tested {
        Ok((error, device)) => {
            let half = device.supports_dtype(DType::F16)
                && selftest::run(&device, WeightType::F16).is_ok();
            let too = if half {
                format!(", {HALF_IS_RIGHT}")
            } else {
                String::new()
            };
            say(&format!("largest relative error {error:.1e}{too}\n"))?;
            Ok(End::Done)
        }
        Err(problem) => {
            say(&format!("{}\n", problem.what.replace('\n', " ")))?;
            Ok(End::Failed)
        }
    }
}
