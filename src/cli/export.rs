//! `export`: exports a trained model for other programs.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::CommandOutcome;
use super::output::print_message;
use super::run_args::{from_one, snapshot};
use crate::export::{Format, export};
use crate::problem::Result;
use crate::session::formatting::format_bytes;
use crate::store;

/// Options of `export`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Format of the export
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    format: Format,
    /// Folder to write; it must be new or empty [default: NAME-FORMAT in the current folder]
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Export the state after this task (from 1) [default: the last one]
    #[arg(long, value_name = "N", value_parser = from_one)]
    task: Option<u64>,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Returns the parser of an export format.
fn formats() -> impl TypedValueParser<Value = Format> {
    let all = Format::ALL.iter();
    let values = all.map(|(_, key, help)| PossibleValue::new(*key).help(*help));
    PossibleValuesParser::new(values).try_map(|key| {
        let entry = Format::ALL.iter().find(|(_, name, _)| *name == key);
        entry.map(|(format, ..)| *format).ok_or("unknown format")
    })
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let folder = store::find_run(&store::runs_root(args.out.as_deref()), &args.run)?;
    let task = snapshot(&folder, args.task)?;
    let to = args.to.clone().unwrap_or_else(|| {
        let name = store::run_name(&folder);
        PathBuf::from(format!("{name}-{}", args.format.key()))
    });
    let exported = export(&folder, task, args.format, &to, true)?;
    print_message(format_args!(
        "{} contains {}, {}",
        exported.folder.display(),
        exported.files.join(", "),
        format_bytes(exported.bytes),
    ));
    Ok(CommandOutcome::Done)
}
