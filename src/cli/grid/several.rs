//! Several devices that share a grid.

use crate::device::{self, DeviceInfo};
use crate::experiment::grid::GridPlan;
use crate::problem::{Problem, Result};

/// The word for all hardware GPUs.
const ALL: &str = "all-gpus";
/// Returns the devices that `--device` names, if it names several: a list with commas, or all GPUs.
///
/// # Errors
/// Returns a Problem if there is no GPU, or a device does not exist.
pub(super) fn devices(wanted: Option<&str>) -> Result<Option<Vec<String>>> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    if wanted.trim() == ALL {
        let cards = device::list()
            .iter()
            .filter(|info| info.kind.is_hardware_gpu());
        let mut cards: Vec<&DeviceInfo> = cards.collect();
        // A GPU can appear under several graphics interfaces; the best one is listed first.
        let api = cards.first().map(|info| info.api);
        cards.retain(|info| Some(info.api) == api);
        let names: Vec<String> = cards.iter().map(|info| info.index.to_string()).collect();
        if names.is_empty() {
            return Err(Problem::new("this machine has no hardware GPU")
                .at("--device")
                .advise("run `lae-studio devices` to see all devices, or use --device cpu"));
        }
        return Ok(Some(names));
    }
    let names: Vec<String> = wanted
        .split(',')
        .map(|name| name.trim().to_string())
        .collect();
    if names.len() < 2 {
        return Ok(None);
    }
    names
        .iter()
        .try_for_each(|name| device::choose(name).map(drop))?;
    Ok(Some(names))
}

/// Checks that all devices produce the same runs.
///
/// # Errors
/// Returns a Problem if the keys differ.
pub(super) fn agree(plans: &[(String, GridPlan)]) -> Result<()> {
    let Some(((first, plan), others)) = plans.split_first() else {
        return Ok(());
    };
    for (name, other) in others {
        if (0..plan.cells.cells.len()).any(|cell| plan.key(cell) != other.key(cell)) {
            let what = format!(
                "{first} and {name} would not compute the same runs: they store weights in different number formats"
            );
            return Err(Problem::new(what)
                .at("--device")
                .advise("set precision = \"f32\" in the grid, or give devices of the same kind"));
        }
    }
    Ok(())
}
