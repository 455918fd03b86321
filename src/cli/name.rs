//! `name`: shows or changes name, note and tags of a run.

use std::path::PathBuf;

use serde::Serialize;

use super::End;
use super::output::{Json, tell};
use crate::problem::Result;
use crate::run::about::About;
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
    json: Json,
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
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let folder = store::find(&store::runs_root(args.out.as_deref()), &args.run)?;
    let (mut about, remark) = store::about(&folder);
    if let Some(remark) = remark {
        tell(remark);
    }
    if args.name.is_some() || args.note.is_some() || !args.tags.is_empty() {
        let said = About {
            name: args.name.clone().unwrap_or(about.name),
            tags: match args.tags.is_empty() {
                true => about.tags,
                false => args.tags.clone(),
            },
            note: args.note.clone().unwrap_or(about.note),
            ..about
        };
        about = store::set_about(&folder, &said)?;
    }
    let said = NameReport {
        run: store::run_name(&folder),
        folder: folder.display().to_string(),
        name: &about.name,
        tags: &about.tags,
        note: &about.note,
    };
    args.json.finish(&said, &text(&said))
}

fn text(said: &NameReport<'_>) -> String {
    let mut text = format!("run   {}\n", said.run);
    let tags = said.tags.join(", ");
    for (title, words) in [("name", said.name), ("tags", &tags), ("note", said.note)] {
        for (at, line) in words.lines().enumerate() {
            let title = if at == 0 { title } else { "" };
            text += &format!("{title:<6}{line}\n");
        }
    }
    text
}
