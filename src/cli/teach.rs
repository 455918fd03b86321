//! `teach`: adds the classes of a folder to a finished run as one more task.

use serde::Serialize;
use serde_json::json;

use super::CommandOutcome;
use super::output::{Table, format_duration, format_percent, print_message};
use super::progress::Reporter;
use super::run_report::RunOutput;
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Outcome, ResourceCache};
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_shell;
use crate::run::event::AddedTask;
use crate::session::formatting::format_count;
use crate::store::{self, AddedTaskFigures, StoredRun};

/// Options of `teach`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// The new classes: a folder with one subfolder of images per class; 5 to 50 images each are enough
    #[arg(value_name = "FOLDER", required_unless_present = "undo", conflicts_with = "undo")]
    folder: Option<String>,
    /// Undo the last added task, and restore the run to its previous state
    #[arg(long)]
    undo: bool,
    /// Train on another device: cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", conflicts_with = "undo")]
    device: Option<String>,
    #[command(flatten)]
    pub output: RunOutput,
}

/// The JSON output of an added task.
#[derive(Serialize)]
struct TeachReport<'a> {
    run: &'a str,
    folder: String,
    /// Number of the task, from 1.
    task: usize,
    #[serde(rename = "lesson")]
    added_task: &'a AddedTask,
    expert: Expert,
    #[serde(flatten)]
    figures: AddedTaskFigures,
    /// Total time, including the preparation.
    seconds: f64,
    training_seconds: f64,
}

/// Adds a task or undoes one.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let output = &args.output;
    output.json.check()?;
    let root = store::runs_root(output.out.as_deref());
    let run = store::find_run(&root, &args.run)?;
    let Some(folder) = &args.folder else {
        return undo(&run, output);
    };
    let began = std::time::Instant::now();
    let control = stop_on_ctrl_c()?;
    let mut reporter = Reporter::for_added_task(output.quiet);
    let device = args.device.as_deref();
    let cache = ResourceCache::default();
    let outcome = experiment::teach(&run, folder, device, &cache, &mut reporter, &control)?;
    drop(reporter);
    if !matches!(outcome, Outcome::Finished(_)) {
        print_message("stopped; the run is unchanged");
        return Ok(CommandOutcome::Stopped);
    }
    print_result(&store::load_run(&run)?, began.elapsed().as_secs_f64(), output)
}

/// Prints the result of an added task.
fn print_result(run: &StoredRun, seconds: f64, output: &RunOutput) -> Result<CommandOutcome> {
    let header = &run.header;
    let (Some(added_task), Some(report)) = (header.added_tasks.last(), run.reports.last()) else {
        return Err(
            Problem::new("the added task is not in the run's folder").at_path(&header.folder)
        );
    };
    let Some(figures) = store::added_task_figures(header, &run.reports) else {
        return Err(Problem::new("the added task was not measured").at_path(&header.folder));
    };
    let mut table = Table::new(&["", ">classes", ">test images", ">before", ">after"]);
    for (title, group) in [("old classes", &figures.old), ("new classes", &figures.new)] {
        table.add_row([
            title.to_string(),
            group.classes.len().to_string(),
            format_count(group.images),
            format_percent(group.before),
            format_percent(group.after),
        ]);
    }
    let text = format!(
        "{table}{} learned in {}; to undo: lae-studio teach {} --undo\n",
        crate::problem::join_some(&added_task.classes, 8),
        format_duration(seconds),
        quote_for_shell(&header.folder.display().to_string()),
    );
    let teach_report = TeachReport {
        run: &header.run,
        folder: header.folder.display().to_string(),
        task: header.tasks.len(),
        added_task,
        expert: header.answering_expert(),
        figures,
        seconds,
        training_seconds: report.costs.training_seconds,
    };
    output.json.finish(&teach_report, &text)
}

fn undo(run: &std::path::Path, output: &RunOutput) -> Result<CommandOutcome> {
    let added_task = store::undo_added_task(run)?;
    let undone = json!({
        "run": store::run_name(run),
        "folder": run.display().to_string(),
        "undone": added_task,
    });
    let text = format!(
        "added task undone: {}; the run is as it was before\n",
        crate::problem::join_some(&added_task.classes, 8)
    );
    output.json.finish(&undone, &text)
}
