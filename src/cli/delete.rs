//! `delete` and `restore`: moves runs to the trash, restores them, or deletes them permanently.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::End;
use super::output::{Json, Table, complain, size, tell};
use crate::problem::{Problem, Result, listed};
use crate::run::config::shell_word;
use crate::session::row::title_of;
use crate::store::{self, Deleted, run_name};

/// Options of `delete`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The runs: folders, names (or the start of them), names you gave them, or `latest`
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Delete runs from the trash permanently; they cannot be restored
    #[arg(long)]
    for_good: bool,
    /// Look for the runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Options of `restore`.
#[derive(clap::Args)]
pub(super) struct RestoreArgs {
    /// The deleted runs to restore, by name (or the start of it); without any, list them
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// The folder of runs
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// A deleted run in the JSON output.
#[derive(Serialize)]
struct Entry {
    run: String,
    title: String,
    folder: String,
    bytes: u64,
}

pub(super) fn run(args: &Args) -> Result<End> {
    let root = store::runs_root(args.out.as_deref());
    if args.for_good {
        let places = in_trash(&root, &args.runs)?;
        return each(places, |place| {
            store::erase(place)?;
            Ok(format!("{} is permanently deleted", run_name(place)))
        });
    }
    // All runs must be found before the first one is deleted.
    let folders = args.runs.iter().map(|run| store::find(&root, run));
    let folders: Vec<PathBuf> = folders.collect::<Result<_>>()?;
    each(folders, |folder| {
        let place = store::delete(folder, &root)?;
        let (run, name) = (run_name(folder), shell_word(&run_name(&place)));
        Ok(format!(
            "{run} is in the trash; to restore it: lae-studio restore {name}"
        ))
    })
}

/// Restores runs, or lists the deleted ones.
pub(super) fn restore(args: &RestoreArgs) -> Result<End> {
    args.json.check()?;
    let root = store::runs_root(args.out.as_deref());
    if args.runs.is_empty() {
        return list(&root, &args.json);
    }
    let places = in_trash(&root, &args.runs)?;
    each(places, |place| {
        let folder = store::restore(place)?;
        Ok(format!("{} is restored", run_name(&folder)))
    })
}

/// Does something with each run, even if others fail, and prints the result.
fn each(runs: Vec<PathBuf>, act: impl Fn(&Path) -> Result<String>) -> Result<End> {
    let mut end = End::Done;
    for run in runs {
        match act(&run) {
            Ok(done) => tell(done),
            Err(problem) => {
                complain(&problem);
                end = End::Failed;
            }
        }
    }
    Ok(end)
}

/// Returns the places in the trash of the deleted runs that the arguments name.
fn in_trash(root: &Path, wanted: &[String]) -> Result<Vec<PathBuf>> {
    let deleted = store::deleted(root);
    let find = |wanted: &String| {
        let is = |run: &&Deleted| run.run.run == *wanted || run.run.about.name == *wanted;
        let begins = |run: &&Deleted| run.run.run.starts_with(wanted.as_str());
        let mut fitting: Vec<&Deleted> = deleted.iter().filter(is).collect();
        if fitting.is_empty() {
            fitting = deleted.iter().filter(begins).collect();
        }
        let names = |runs: &[&Deleted]| -> Vec<String> {
            runs.iter().map(|run| run.run.run.clone()).collect()
        };
        match fitting.as_slice() {
            [only] => Ok(only.run.folder.clone()),
            [] => {
                let all: Vec<&Deleted> = deleted.iter().collect();
                let remedy = match all.is_empty() {
                    true => "the trash is empty".to_string(),
                    false => format!("choose one of {}", listed(&names(&all), 5)),
                };
                let problem = Problem::new(format!("there is no deleted run named \"{wanted}\""));
                Err(problem.at_path(root).advise(remedy))
            }
            several => {
                let what = format!("\"{wanted}\" matches {} deleted runs", several.len());
                let remedy = format!("give more of the name: {}", listed(&names(several), 5));
                Err(Problem::new(what).at_path(root).advise(remedy))
            }
        }
    };
    wanted.iter().map(find).collect()
}

fn list(root: &Path, json: &Json) -> Result<End> {
    let entry = |deleted: Deleted| Entry {
        title: match &deleted.run.summary {
            Ok(stored) => title_of(&stored.header),
            Err(problem) => problem.what.clone(),
        },
        folder: deleted.run.folder.display().to_string(),
        run: deleted.run.run,
        bytes: deleted.bytes,
    };
    let entries: Vec<Entry> = store::deleted(root).into_iter().map(entry).collect();
    let mut table = Table::new(&["deleted run", "what", ">size"]);
    for entry in &entries {
        let bytes = size(Some(entry.bytes));
        table.row([entry.run.clone(), entry.title.clone(), bytes]);
    }
    let text = match entries.is_empty() {
        true => {
            tell("there are no deleted runs");
            String::new()
        }
        false => table.to_string(),
    };
    json.finish(&entries, &text)
}
