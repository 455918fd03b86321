//! `delete` and `restore`: moves runs to the trash, restores them, or deletes them permanently.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_message, print_problem};
use crate::problem::{Problem, Result, join_some};
use crate::run::config::quote_for_shell;
use crate::session::formatting::format_bytes;
use crate::session::run_row::title_of;
use crate::store::{self, TrashedRun, run_name};

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
    json: JsonOutput,
}

/// A deleted run in the JSON output.
#[derive(Serialize)]
struct TrashEntry {
    run: String,
    title: String,
    folder: String,
    bytes: u64,
}

impl TrashEntry {
    fn new(deleted: &TrashedRun) -> Self {
        Self {
            run: deleted.run.run.clone(),
            title: match &deleted.run.summary {
                Ok(stored) => title_of(&stored.header),
                Err(problem) => problem.what.clone(),
            },
            folder: deleted.run.folder.display().to_string(),
            bytes: deleted.bytes,
        }
    }
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let root = store::runs_root(args.out.as_deref());
    if args.for_good {
        let deleted = find_in_trash(&root, &args.runs)?;
        return for_each_run(deleted, |deleted| {
            store::erase_run(&deleted.run.folder)?;
            Ok(format!("{} is permanently deleted", deleted.run.run))
        });
    }
    // All runs must be found before the first one is deleted.
    let folders = args.runs.iter().map(|run| store::find_run(&root, run));
    let folders: Vec<PathBuf> = folders.collect::<Result<_>>()?;
    for_each_run(folders, |folder| {
        let trashed = store::delete_run(folder, &root)?;
        let (run, name) = (run_name(folder), quote_for_shell(&run_name(&trashed)));
        let place = out_option(&trashed);
        Ok(format!("{run} is in the trash; to restore it: lae-studio restore {name}{place}"))
    })
}

/// Returns the option with which `restore` finds this deleted run; empty if it is in the default folder of runs.
fn out_option(trashed: &Path) -> String {
    let default = std::path::absolute(store::runs_root(None)).ok();
    match trashed.ancestors().nth(2) {
        Some(root) if default.as_deref() != Some(root) => {
            format!(" --out {}", quote_for_shell(&root.display().to_string()))
        }
        _ => String::new(),
    }
}

/// Restores runs, or lists the deleted ones.
pub(super) fn restore(args: &RestoreArgs) -> Result<CommandOutcome> {
    args.json.check()?;
    let root = store::runs_root(args.out.as_deref());
    if args.runs.is_empty() {
        return list(&root, &args.json);
    }
    let deleted = find_in_trash(&root, &args.runs)?;
    let mut restored = Vec::new();
    let outcome = for_each_run(deleted, |deleted| {
        let folder = store::restore_run(&deleted.run.folder)?;
        let run = run_name(&folder);
        let done = format!("{run} is restored");
        restored.push(TrashEntry {
            run,
            folder: folder.display().to_string(),
            ..TrashEntry::new(deleted)
        });
        Ok(done)
    })?;
    args.json.print_results(&restored, "")?;
    Ok(outcome)
}

/// Does something with each run, even if others fail, and prints the result.
fn for_each_run<R>(
    runs: Vec<R>,
    mut act: impl FnMut(&R) -> Result<String>,
) -> Result<CommandOutcome> {
    let mut end = CommandOutcome::Done;
    for run in &runs {
        match act(run) {
            Ok(done) => print_message(done),
            Err(problem) => {
                print_problem(&problem);
                end = CommandOutcome::Failed;
            }
        }
    }
    Ok(end)
}

/// Returns the deleted runs that the arguments name.
fn find_in_trash(root: &Path, arguments: &[String]) -> Result<Vec<TrashedRun>> {
    let deleted = store::list_deleted(root);
    let find = |argument: &String| {
        let matches_name =
            |run: &&TrashedRun| run.run.run == *argument || run.run.about.name == *argument;
        let matches_prefix = |run: &&TrashedRun| run.run.run.starts_with(argument.as_str());
        let mut matching: Vec<&TrashedRun> = deleted.iter().filter(matches_name).collect();
        if matching.is_empty() {
            matching = deleted.iter().filter(matches_prefix).collect();
        }
        let names = |runs: &[&TrashedRun]| -> Vec<String> {
            runs.iter().map(|run| run.run.run.clone()).collect()
        };
        match matching.as_slice() {
            [only] => Ok(TrashedRun::clone(only)),
            [] => {
                let all: Vec<&TrashedRun> = deleted.iter().collect();
                let remedy = match all.is_empty() {
                    true => "the trash is empty".to_string(),
                    false => format!("choose one of {}", join_some(&names(&all), 5)),
                };
                let problem = Problem::new(format!("there is no deleted run named `{argument}`"));
                Err(problem.at_path(root).advise(remedy))
            }
            several => {
                let what = format!("`{argument}` matches {} deleted runs", several.len());
                let remedy = format!("give more of the name: {}", join_some(&names(several), 5));
                Err(Problem::new(what).at_path(root).advise(remedy))
            }
        }
    };
    arguments.iter().map(find).collect()
}

fn list(root: &Path, json: &JsonOutput) -> Result<CommandOutcome> {
    let entries: Vec<TrashEntry> = store::list_deleted(root).iter().map(TrashEntry::new).collect();
    let mut table = Table::new(&["deleted run", "what", ">size"]);
    for entry in &entries {
        let bytes = format_bytes(entry.bytes);
        table.add_row([entry.run.clone(), entry.title.clone(), bytes]);
    }
    let text = match entries.is_empty() {
        true => {
            print_message("there are no deleted runs");
            String::new()
        }
        false => table.to_string(),
    };
    json.finish(&entries, &text)
}
