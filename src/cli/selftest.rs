//! The child processes that `device` starts. `gpu-selftest` prints its result as JSON, or one line that says what is
//! wrong; the exit code distinguishes them. `gpu-list` prints the devices as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use burn::tensor::{DType, Device};
use serde::Serialize;

use super::CommandOutcome;
use super::output::print_text;

use crate::backbone::families::FAMILIES;
use crate::device::{DeviceInfo, SelfTestResult};
use crate::experiment::gpu_check::check_family;
use crate::nn::{self, WeightType, plans, trials};
use crate::problem::{Problem, Result};
use crate::{device, selftest};

/// Options of `gpu-selftest`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A selector, number or name of a device
    #[arg(value_name = "DEVICE")]
    device: String,
    /// Do not use the program's own kernels
    #[arg(long)]
    without_kernels: bool,
    /// Do not use cooperative matrices
    #[arg(long)]
    without_cooperative_matrices: bool,
    /// Test only products with cooperative matrices
    #[arg(long)]
    only_cooperative_matrices: bool,
    /// Maximum time for choosing tiles [default: 20; 0 for a software adapter]
    #[arg(long, value_name = "SECONDS")]
    measure: Option<u64>,
}

pub(super) fn list_devices() -> Result<CommandOutcome> {
    print_text(&to_json(device::list())?)?;
    Ok(CommandOutcome::Done)
}

fn to_json(result: &(impl Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(result)
        .map_err(|error| Problem::new(format!("the result cannot be written as JSON: {error}")))
}

/// Maximum time to choose tiles on a hardware GPU, in seconds. All kernels are compiled again.
const PLANS_LIMIT: u64 = 20;

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    match run_tests(args) {
        Ok(result) => {
            print_text(&format!("{}\n", to_json(&result)?))?;
            Ok(CommandOutcome::Done)
        }
        Err(problem) => {
            print_text(&format!("{}\n", problem.what.replace('\n', " ")))?;
            Ok(CommandOutcome::Failed)
        }
    }
}

fn run_tests(args: &Args) -> Result<SelfTestResult> {
    let info = device::choose(&args.device)?;
    let device = device::open(&info)?;
    if args.only_cooperative_matrices {
        return test_cooperative(&info, &device);
    }
    let (error, refusal) = measure_errors(&device, !args.without_kernels)?;
    let kernels = nn::uses_own_gpu_kernels();
    let mut half = is_half_correct(&device);
    let mut refused = BTreeMap::new();
    for family in FAMILIES {
        match check_family(family, &device, WeightType::F32) {
            Ok(_) => half = half && check_family(family, &device, WeightType::F16).is_ok(),
            // It runs on the CPU, so its half precision does not matter.
            Err(problem) => drop(refused.insert(family.name.to_string(), problem.what)),
        }
    }
    // On a software adapter the choice would take minutes and gain nothing.
    let default_seconds = match info.kind.is_hardware_gpu() {
        true => PLANS_LIMIT,
        false => 0,
    };
    let plans = match Duration::from_secs(args.measure.unwrap_or(default_seconds)) {
        limit if kernels && !limit.is_zero() => {
            let fragments =
                device::cooperative_matrices(&info).filter(|_| !args.without_cooperative_matrices);
            trials::measure_plans(&device, fragments, limit)?
        }
        _ => plans::Plans::default(),
    };
    let mut note = format!("largest relative error {error:.1e}");
    if kernels {
        note += ", with the program's own kernels";
    }
    if let Some(problem) = refusal {
        note += &format!(", without the program's own kernels: {}", problem.what);
    }
    if plans.has_cooperative() {
        note += ", cooperative matrices";
    }
    if half {
        note += ", half precision too";
    }
    Ok(SelfTestResult { good: true, note, half, kernels, plans, refused })
}

/// Tests products with cooperative matrices. The field `kernels` of the result says whether the device supports them.
///
/// # Errors
/// Returns a Problem that names the tiles whose product is wrong.
fn test_cooperative(info: &DeviceInfo, device: &Device) -> Result<SelfTestResult> {
    let fragments = device::cooperative_matrices(info);
    let error = match fragments {
        Some(fragments) => trials::check_cooperative(fragments, device)?,
        None => 0.0,
    };
    Ok(SelfTestResult {
        good: true,
        note: format!("largest relative error of products like f32 {error:.1e}, {fragments:?}"),
        kernels: fragments.is_some(),
        ..SelfTestResult::default()
    })
}

/// Returns whether half precision is supported and correct.
fn is_half_correct(device: &Device) -> bool {
    device.supports_dtype(DType::F16) && selftest::run(device, WeightType::F16).is_ok()
}

/// Returns the largest error of the network with the program's own kernels. If they are wrong, returns that with the
/// framework's kernels, and what is wrong.
fn measure_errors(device: &Device, own_kernels: bool) -> Result<(f64, Option<Problem>)> {
    let mut refusal = None;
    if own_kernels {
        let result = injected_fault()
            .and_then(|()| trials::check_tiles(device))
            .and_then(|_| selftest::check_layers(device))
            .and_then(|_| selftest::check_updates(device))
            .and_then(|_| selftest::run(device, WeightType::F32));
        match result {
            Ok(error) => return Ok((error, None)),
            Err(problem) => refusal = Some(problem),
        }
    }
    nn::use_own_gpu_kernels(false);
    Ok((selftest::run(device, WeightType::F32)?, refusal))
}

/// Environment variable that injects a fault into the program's own kernels: `wrong`, `die` or `hang`.
const FAULT: &str = "LAE_STUDIO_SELFTEST_FAULT";

/// Injects the requested fault, to check that the self-test finds it.
fn injected_fault() -> Result<()> {
    match std::env::var(FAULT).as_deref() {
        Ok("wrong") => Err(Problem::new(format!("a fault was injected by {FAULT}"))),
        Ok("die") => std::process::abort(),
        Ok("hang") => loop {
            std::thread::park();
        },
        _ => Ok(()),
    }
}
