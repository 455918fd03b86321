//! `name`: shows or changes name, note and tags of a run.

use std::path::PathBuf;

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, print_message};
use crate::problem::Result;
use crate::run::annotations::Annotations;
use crate::store;

/// Options of `name`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), the name you gave it, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Give it this name; "" removes the name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Set its tags, replacing the previous ones; may be given several times, "" for none
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Set its note, replacing the previous one; "" removes it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOutput,
}

/// The JSON output.
#[derive(Serialize)]
struct NameReport<'a> {
    run: String,
    folder: String,
    name: &'a str,
    tags: &'a [String],
    note: &'a str,
}

/// Changes the name, note and tags if they are given, and prints them.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let folder = store::find_run(&store::runs_root(args.out.as_deref()), &args.run)?;
    let (mut about, remark) = store::load_annotations(&folder);
    if let Some(remark) = remark {
        print_message(remark);
    }
    if args.name.is_some() || args.note.is_some() || !args.tags.is_empty() {
        let updated = Annotations {
            name: args.name.clone().unwrap_or(about.name),
            tags: match args.tags.is_empty() {
                true => about.tags,
                false => args.tags.clone(),
            },
            note: args.note.clone().unwrap_or(about.note),
            ..about
        };
        about = store::set_annotations(&folder, &updated)?;
    }
    let report = NameReport {
        run: store::run_name(&folder),
        folder: folder.display().to_string(),
        name: &about.name,
        tags: &about.tags,
        note: &about.note,
    };
    args.json.finish(&report, &text(&report))
}

fn text(report: &NameReport<'_>) -> String {
    let mut text = format!("run   {}\n", report.run);
    let tags = report.tags.join(", ");
    for (title, value) in [("name", report.name), ("tags", &tags), ("note", report.note)] {
        for (index, line) in value.lines().enumerate() {
            let title = if index == 0 { title } else { "" };
            text += &format!("{title:<6}{line}\n");
        }
    }
    text
}
