//! `gpu-prepare`, which [`crate::device::prepare`] runs in a child process: each variant is tried on
//! a card, one line of JSON for each. And what people see of it.

use std::collections::BTreeMap;

use super::End;
use super::output::{Table, complain, say, tell};
use crate::backbone::architecture::Family;
use crate::backbone::families::FAMILIES;
use crate::device::{self, AdapterKind, DeviceInfo, Prepared, Tried};
use crate::experiment::prepare::{Fault, Trial};
use crate::nn::ComputeVariant;
use crate::problem::{Problem, Result};

/// The variable of the environment that puts in a mistake on purpose: `wrong:`, `die:` or `hang:`
/// and the name of a variant.
const FAULT: &str = "LAE_STUDIO_PREPARE_FAULT";

/// Options of `gpu-prepare`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A selector, number or name of a device
    #[arg(value_name = "DEVICE")]
    device: String,
    /// The family of backbones
    #[arg(value_name = "FAMILY")]
    family: String,
    /// Names of variants
    #[arg(value_name = "VARIANT", required = true)]
    variants: Vec<ComputeVariant>,
}

/// Tries the variants, as far as the device goes.
pub(super) fn run(args: &Args) -> Result<End> {
    let told = |problem: Problem| say(&format!("{}\n", problem.what.replace('\n', " ")));
    let trial = match trial(args) {
        Ok(trial) => trial,
        Err(problem) => {
            told(problem)?;
            return Ok(End::Failed);
        }
    };
    for variant in &args.variants {
        let tried = trial.of(*variant);
        let failed = tried.is_err();
        let tried = tried.unwrap_or_else(|problem| Tried::refused(*variant, problem.what));
        let json = serde_json::to_string(&tried)
            .map_err(|error| Problem::new(format!("no JSON can be made of this: {error}")))?;
        say(&format!("{json}\n"))?;
        if failed {
            // The device may be lost: another process goes on.
            break;
        }
    }
    Ok(End::Done)
}

fn trial(args: &Args) -> Result<Trial> {
    let info = device::choose(&args.device)?;
    let fault = std::env::var(FAULT).ok();
    let fault = fault.and_then(|text| Fault::parse(&text));
    let software = info.kind == AdapterKind::SoftwareGpu;
    Trial::new(&args.family, device::open(&info)?, software, fault)
}

/// The cards that `--device` means: one, or all of them but those imitated by the processor.
fn cards(wanted: Option<&str>) -> Result<Vec<DeviceInfo>> {
    if let Some(wanted) = wanted {
        let info = device::choose(wanted)?;
        return match info.is_cpu() {
            false => Ok(vec![info]),
            true => Err(
                Problem::new("the CPU has a single variant: there is nothing to prepare")
                    .at("--device")
                    .advise("name a card of `lae-studio devices`"),
            ),
        };
    }
    let hardware = device::list()
        .iter()
        .filter(|info| info.kind.is_hardware_gpu());
    let cards: Vec<DeviceInfo> = hardware.cloned().collect();
    if cards.is_empty() {
        return Err(
            Problem::new("this machine shows no hardware graphics adapter")
                .at("--prepare")
                .advise("name another adapter of `lae-studio devices` with --device"),
        );
    }
    Ok(cards)
}

/// Prepares cards anew, one after the other, for these families or all; false when one could not be.
pub(super) fn prepare(wanted: Option<&str>, family: Option<&str>) -> Result<bool> {
    let wanted_of = |known: &&Family| family.is_none_or(|name| name == known.name);
    let families: Vec<&Family> = FAMILIES.into_iter().filter(wanted_of).collect();
    let mut fine = true;
    for info in cards(wanted)? {
        for family in &families {
            let (all, family) = (family.variants(), family.name);
            tell(format!("preparing {} for {family}", info.name));
            let mut before = None;
            let found = device::prepare(&info, family, &all, &mut |done, of| {
                if before.replace(done) != Some(done) && done < of {
                    tell(format!("  {} of {of}: {}", done + 1, all[done].words()));
                }
                true
            });
            let kept = found.and_then(|found| device::keep_prepared(&info, family, &found));
            if let Err(problem) = kept {
                complain(&problem);
                fine = false;
            }
        }
    }
    Ok(fine)
}

/// What preparing a card found, as a table.
pub(super) fn table(info: &DeviceInfo, prepared: &BTreeMap<String, Prepared>) -> String {
    let mut text = format!("\n{}, as it was prepared:\n", info.name);
    let mut table = Table::new(&[
        "family",
        "variant",
        ">error",
        ">of gradients",
        ">images/s",
        "",
    ]);
    for (family, found) in prepared {
        let best = found.best();
        for tried in &found.tried {
            table.row([
                family.clone(),
                tried.variant.to_string(),
                error(tried.forward_error),
                error(tried.gradient_error),
                tried
                    .images_per_second
                    .map_or_else(|| "–".into(), |speed| format!("{speed:.1}")),
                match &tried.refused {
                    Some(why) => format!("refused: {why}"),
                    None if best == Some(tried.variant) => "used".into(),
                    None => String::new(),
                },
            ]);
        }
    }
    text += &table.to_string();
    text
}

fn error(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.1e}"))
}
