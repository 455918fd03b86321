//! `devices`: what this machine can compute on.

use serde::Serialize;

use super::End;
use super::output::{Json, Table};
use crate::device::{self, DeviceInfo};
use crate::problem::Result;

/// Options of `devices`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    json: Json,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    info: &'a DeviceInfo,
    /// Whether `--device auto` takes it.
    default: bool,
}

/// Lists.
pub(super) fn run(args: &Args) -> Result<End> {
    let chosen = device::choose("auto")?.index;
    let mut table = Table::new(&[">", "name", "kind", "reached through", "driver", ""]);
    let mut entries = Vec::new();
    for info in device::list() {
        let default = info.index == chosen;
        let mark = if default { "chosen by itself" } else { "" };
        table.row([
            info.index.to_string(),
            info.name.clone(),
            info.kind.title().to_string(),
            info.api.title().to_string(),
            info.driver.clone(),
            mark.to_string(),
        ]);
        entries.push(Entry { info, default });
    }
    args.json.give(&entries, &table.to_string())?;
    Ok(End::Done)
}
