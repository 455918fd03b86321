//! `report`: collects information for a bug report in one file, and lists its content.

use std::path::PathBuf;

use super::CommandOutcome;
use super::output::{Table, print_message, print_text};
use crate::problem::Result;
use crate::session::bug_report::BugReport;
use crate::session::formatting::{format_bytes, with_timestamp};
use crate::store;
use crate::ui::settings::Settings;

/// Options of `report`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// File to write [default: lae-studio-report-TIME.zip in the current folder; none with --show]
    #[arg(value_name = "OUT.zip")]
    file: Option<PathBuf>,
    /// Print the whole report; without OUT.zip, no file is written
    #[arg(long)]
    show: bool,
    /// The folder of runs to report on
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let root = store::runs_root(args.out.as_deref());
    let report = BugReport::gather(&root, Settings::file().as_deref(), &[]);
    let mut table = Table::new(&["file", ">size", ""]);
    for part in &report.parts {
        let bytes = format_bytes(part.text.len() as u64);
        table.add_row([part.name.clone(), bytes, part.about.to_string()]);
    }
    let mut text = table.to_string();
    if args.show {
        for part in &report.parts {
            text += &format!("\n== {}\n{}", part.name, part.text);
        }
    }
    print_text(&text)?;
    let path = match (&args.file, args.show) {
        (None, true) => return Ok(CommandOutcome::Done),
        (Some(file), _) => file.clone(),
        (None, false) => (with_timestamp("lae-studio-report") + ".zip").into(),
    };
    report.save(&path)?;
    print_message(format!(
        "the report is in {}; it contains no images and no names of classes or data; `--show` prints all of it",
        path.display()
    ));
    Ok(CommandOutcome::Done)
}
