//! `devices`: lists the compute devices of this machine and tests them.

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_message, print_problem};
use crate::device::{self, DeviceInfo};
use crate::problem::{Problem, Result};

/// Options of `devices`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Test GPUs again, and choose the fastest kernels
    #[arg(long)]
    prepare: bool,
    /// Test only this device: a number or name from the list [default: all hardware GPUs]
    #[arg(long, value_name = "DEVICE", requires = "prepare")]
    device: Option<String>,
    #[command(flatten)]
    json: JsonOutput,
}

#[derive(Serialize)]
struct DeviceEntry<'a> {
    #[serde(flatten)]
    info: &'a DeviceInfo,
    /// Whether `--device auto` selects it.
    default: bool,
}

/// Lists the devices, after testing them if requested.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let passed = !args.prepare || test_gpus(args.device.as_deref())?;
    let chosen = device::choose("auto")?.index;
    let mut table = Table::new(&[">", "name", "kind", "API", "driver", ""]);
    let mut entries = Vec::new();
    for info in device::list() {
        let default = info.index == chosen;
        let mark = if default { "default" } else { "" };
        table.add_row([
            info.index.to_string(),
            info.name.clone(),
            info.kind.title().to_string(),
            info.api.title().to_string(),
            info.driver.clone(),
            mark.to_string(),
        ]);
        entries.push(DeviceEntry { info, default });
    }
    args.json.print_results(&entries, &table.to_string())?;
    Ok(CommandOutcome::from_success(passed))
}

/// Tests the GPUs selected by `--device`; returns whether all passed.
fn test_gpus(selector: Option<&str>) -> Result<bool> {
    let mut passed = true;
    for info in select_gpus(selector)? {
        print_message(format!("testing {}", info.name));
        match device::retest(&info) {
            Ok(verdict) => {
                print_message(format!("  {}", verdict.note));
                for (family, why) in verdict.refused {
                    print_message(format!("  {family} runs on the CPU: {why}"));
                }
            }
            Err(problem) => {
                print_problem(&problem);
                passed = false;
            }
        }
    }
    Ok(passed)
}

/// Returns the GPUs selected by `--device`: one, or all hardware GPUs.
fn select_gpus(selector: Option<&str>) -> Result<Vec<DeviceInfo>> {
    if let Some(selector) = selector {
        let info = device::choose(selector)?;
        return match info.is_cpu() {
            false => Ok(vec![info]),
            true => Err(Problem::new("the CPU does not need a test")
                .at("--device")
                .advise("choose a GPU from `lae-studio devices`")),
        };
    }
    let hardware = device::list().iter().filter(|info| info.kind.is_hardware_gpu());
    let gpus: Vec<DeviceInfo> = hardware.cloned().collect();
    if gpus.is_empty() {
        return Err(Problem::new("this machine has no hardware GPU")
            .at("--prepare")
            .advise("choose another device from `lae-studio devices` with --device"));
    }
    Ok(gpus)
}
