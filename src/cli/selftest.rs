//! What `device` runs in a child process. `gpu-selftest`: one line on stdout says what was found, the
//! exit code whether it is good. `gpu-list`: the devices as JSON.

use burn::tensor::{DType, Device};

use super::End;
use super::output::say;

use crate::device::{HALF_IS_RIGHT, KERNELS_ARE_RIGHT};
use crate::nn::{self, WeightType};
use crate::problem::{Problem, Result};
use crate::{device, selftest};

/// Options of `gpu-selftest`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A selector, number or name of a device
    #[arg(value_name = "DEVICE")]
    device: String,
    /// Leave out the program's own kernels, which crashed the driver or hung
    #[arg(long)]
    without_kernels: bool,
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
        .and_then(|device| Ok((errors(&device, !args.without_kernels)?, device)));
    match tested {
        Ok((error, device)) => {
            let mut line = format!("largest relative error {error:.1e}");
            if nn::uses_own_gpu_kernels() {
                line += &format!(", {KERNELS_ARE_RIGHT}");
            }
            let half = device.supports_dtype(DType::F16)
                && selftest::run(&device, WeightType::F16).is_ok();
            if half {
                line += &format!(", {HALF_IS_RIGHT}");
            }
            say(&format!("{line}\n"))?;
            Ok(End::Done)
        }
        Err(problem) => {
            say(&format!("{}\n", problem.what.replace('\n', " ")))?;
            Ok(End::Failed)
        }
    }
}

/// Returns the largest error of the network with the program's own kernels, or with the framework's where those are wrong.
fn errors(device: &Device, own_kernels: bool) -> Result<f64> {
    if own_kernels {
        match selftest::layers(device).and_then(|_| selftest::run(device, WeightType::F32)) {
            Ok(error) => return Ok(error),
            Err(problem) => tracing::warn!("own kernels: {problem}"),
        }
    }
    nn::use_own_gpu_kernels(false);
    selftest::run(device, WeightType::F32)
}
