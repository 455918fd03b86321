//! `devices`: what this machine can compute on, and in which variants its cards do it.

use std::collections::BTreeMap;

use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::End;
use super::output::{Json, Table};
use super::prepare;
use crate::backbone::families;
use crate::device::{self, DeviceInfo, Prepared};
use crate::nn::ComputeVariant;
use crate::problem::Result;

/// Options of `devices`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Try the variants on the cards anew, check each against the CPU and keep the fastest right one
    #[arg(long)]
    prepare: bool,
    /// Prepare this device alone: a number or name of the list [default: all hardware cards]
    #[arg(long, value_name = "DEVICE", requires = "prepare")]
    device: Option<String>,
    /// Prepare for this family of backbones alone
    #[arg(long, value_name = "FAMILY", requires = "prepare",
          value_parser = PossibleValuesParser::new(families::names()))]
    family: Option<String>,
    #[command(flatten)]
    json: Json,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    info: &'a DeviceInfo,
    /// Whether `--device auto` takes it.
    default: bool,
    /// What preparing it found, by family of backbones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    prepared: BTreeMap<String, Prepared>,
    /// The variant each family is computed with.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    used: BTreeMap<String, Option<ComputeVariant>>,
}

/// Lists, after preparing where that is wanted.
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let fine = !args.prepare || prepare::prepare(args.device.as_deref(), args.family.as_deref())?;
    let chosen = device::choose("auto")?.index;
    let mut table = Table::new(&[">", "name", "kind", "reached through", "driver", ""]);
    let mut entries = Vec::new();
    let mut details = String::new();
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
        let prepared = device::prepared(info);
        if !prepared.is_empty() {
            details += &prepare::table(info, &prepared);
        }
        let used = prepared.iter();
        entries.push(Entry {
            info,
            default,
            used: used
                .map(|(family, found)| (family.clone(), found.best()))
                .collect(),
            prepared,
        });
    }
    args.json.give(&entries, &format!("{table}{details}"))?;
    Ok(if fine { End::Done } else { End::Failed })
}
