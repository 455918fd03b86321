//! `runs`: lists runs, and makes tables and figures of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

mod table;

use self::table::TableOptions;
pub(super) use self::table::text as table_text;
use super::CommandOutcome;
use super::output::{JsonOutput, Table, format_percent, print_message};
use super::remote;
use super::signals::stop_on_ctrl_c;
use crate::counts::count_with_noun;
use crate::experiment::grid::{self, GridPlan, Overrides};
use crate::experiment::{ResourceCache, sample_images};
use crate::problem::{Problem, Result};
use crate::run::annotations::{Search, SearchText};
use crate::session::run_row::title_of;
use crate::store::export::{Format, export};
use crate::store::figure::RunFigure;
use crate::store::groups::{Progress, no_finished_task_problem};
use crate::store::table::TableRun;
use crate::store::{self, ListedRun, RunSummary, StoredState, Summary};

/// Options of `runs`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only these runs: folders, names (or the start of them), or `latest`
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Only runs with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only runs with all of these words in name, tags, note, method, data or settings ("base-lr 0.03")
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Only the runs of this grid: a .toml file or a name
    #[arg(long, value_name = "FILE|NAME", conflicts_with_all = ["place", "runs"])]
    grid: Option<String>,
    #[command(flatten)]
    table: TableOptions,
    /// List the runs on a remote machine, a place of `lae-studio places`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["out", "export"])]
    place: Option<String>,
    /// Look in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write a table (.csv, .md, .tex), a figure (.svg, .pdf, .png) or a report with both (.html) of the runs; runs
    /// that differ only in class order or seed are shown as mean ± std
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "json")]
    export: Option<PathBuf>,
    /// The figure for --export: accuracy (all runs), or matrix, confusion or loss (one run)
    #[arg(long, value_name = "FIGURE", help_heading = "Output", requires = "export")]
    figure: Option<String>,
    #[command(flatten)]
    json: JsonOutput,
}

impl Args {
    /// Returns the arguments that request the same list or table from the program on another machine.
    fn remote_arguments(&self) -> Vec<String> {
        let mut arguments = self.runs.clone();
        let tags = self.tags.iter().map(|tag| ("--tag", tag));
        let text = self.text.iter().map(|text| ("--text", text));
        for (option, value) in tags.chain(text) {
            arguments.push(format!("{option}={value}"));
        }
        arguments.extend(self.table.to_arguments());
        arguments
    }

    /// Checks that no option is without effect.
    fn check(&self) -> Result<()> {
        let format = self.export.as_deref().map(Format::from_path).transpose()?;
        let is_figure = matches!(format, Some(Format::Svg | Format::Pdf | Format::Png));
        if self.figure.is_some() && !is_figure {
            return Err(Problem::new("this export is not a figure, so --figure has no effect")
                .at("--figure")
                .advise("give a file that ends in .svg, .pdf or .png, or omit the option"));
        }
        if self.table.unfinished && !self.table.asks_for_table() && self.export.is_none() {
            return Err(Problem::new("the list contains all runs, so --unfinished has no effect")
                .at("--unfinished")
                .advise("omit it, or request a table, for example with --by method"));
        }
        Ok(())
    }
}

/// An entry of the JSON output.
#[derive(Serialize)]
#[serde(untagged)]
enum RunEntry<'a> {
    Whole(Box<Summary>),
    Damaged { run: &'a str, folder: String, problem: &'a Problem },
}

/// Lists runs or exports them.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.check()?;
    if let Some(place) = &args.place {
        return remote::list_runs(place, &args.remote_arguments(), &args.json);
    }
    let root = store::runs_root(args.out.as_deref());
    if root.is_file() {
        return Err(Problem::new("this is a file, not a folder of runs")
            .at_path(&root)
            .advise("give a folder; unpack a packed run with `lae-studio unpack` first"));
    }
    let (mut listed, has_runs) = find_runs(args, &root)?;
    let format = args.export.as_deref().map(Format::from_path).transpose()?;
    let is_table = matches!(format, Some(Format::Markdown | Format::Latex));
    let is_table = is_table || args.table.asks_for_table();
    // A run that is named explicitly is included even if it is unfinished.
    let mut unfinished = args.table.unfinished || !args.runs.is_empty();
    if !args.table.conditions.is_empty() || is_table {
        let summaries = listed.iter().filter_map(|e| e.summary.as_ref().ok());
        let (selected, includes_progress) =
            args.table.select_runs(summaries.map(TableRun::new).collect())?;
        unfinished |= includes_progress;
        if is_table {
            return output_table(args, &selected, unfinished);
        }
        let folders = selected.iter().map(|run| run.header.folder.clone());
        let folders: HashSet<PathBuf> = folders.collect();
        listed.retain(|entry| folders.contains(&entry.folder));
    }
    if let (Some(path), Some(format)) = (&args.export, format) {
        // Runs that could not be read are left out.
        let mut runs: Vec<RunSummary> =
            listed.into_iter().filter_map(|run| run.summary.ok()).collect();
        if !unfinished {
            remove_unfinished(&mut runs)?;
        }
        return write_export(args, path, format, &runs);
    }
    if listed.is_empty() && has_runs {
        print_message("no run matches");
    }
    if !has_runs {
        print_message(format!("no runs in {} yet", root.display()));
    }
    let text = text(&listed);
    let to_entries = || listed.iter().map(to_entry).collect::<Vec<_>>();
    args.json.print_lazily(to_entries, &text)?;
    Ok(CommandOutcome::Done)
}

/// Returns the requested runs before conditions are applied, and whether there are any runs at all.
fn find_runs(args: &Args, root: &Path) -> Result<(Vec<ListedRun>, bool)> {
    let mut listed = if args.runs.is_empty() {
        store::list_runs(root)
    } else {
        let find_entry = |name: &String| {
            let folder = store::find_run(root, name)?;
            Ok(store::load_entry(&folder))
        };
        args.runs.iter().map(find_entry).collect::<Result<_>>()?
    };
    let has_runs = !listed.is_empty();
    if let Some(grid) = &args.grid {
        let grid_folders = grid_run_folders(grid, root)?;
        listed.retain(|entry| grid_folders.contains(&entry.folder));
    }
    let search = Search { text: args.text.clone().unwrap_or_default(), tags: args.tags.clone() };
    if !search.is_empty() {
        listed.retain(|entry| search.matches(&entry.about, &search_text(entry)));
    }
    for remark in listed.iter().filter_map(|entry| entry.remark.as_ref()) {
        print_message(remark);
    }
    Ok((listed, has_runs))
}

/// Writes a figure, a report or the metrics of each task to a file.
fn write_export(
    args: &Args,
    path: &Path,
    format: Format,
    runs: &[RunSummary],
) -> Result<CommandOutcome> {
    let (cache, control) = (ResourceCache::default(), stop_on_ctrl_c()?);
    let should_continue = || control.should_continue();
    let load_images = |run: &RunSummary| sample_images(&cache, run, &should_continue);
    let figure = args.figure.as_deref().map(RunFigure::from_name).transpose();
    let figure = figure.map_err(|p| p.at("--figure"))?.unwrap_or_default();
    store::write_file(path, &export(runs, (format, figure), &load_images)?)?;
    Ok(CommandOutcome::Done)
}

/// Removes unfinished runs, and reports this.
fn remove_unfinished(runs: &mut Vec<RunSummary>) -> Result<()> {
    let all = runs.len();
    runs.retain(|run| Progress::new(run).is_complete());
    let removed = count_with_noun(all - runs.len(), "run");
    match all - runs.len() {
        0 => Ok(()),
        _ if runs.is_empty() => Err(none_finished_problem()),
        _ => {
            print_message(format!(
                "omitted because unfinished: {removed}; --unfinished shows them"
            ));
            Ok(())
        }
    }
}

fn none_finished_problem() -> Problem {
    Problem::new("none of these runs is finished")
        .at("--export")
        .advise("add --unfinished to include them")
}

/// Prints a table with selected columns, or writes it to a file.
fn output_table(args: &Args, runs: &[TableRun<'_>], unfinished: bool) -> Result<CommandOutcome> {
    let request = args.table.request(unfinished, args.export.is_some());
    let table = request.build(runs)?;
    if table.rows().is_empty() && args.export.is_some() {
        return Err(match table.omitted_count() {
            0 => no_finished_task_problem(),
            _ => none_finished_problem(),
        });
    }
    // Notes cannot be part of the file, or of JSON on standard output.
    if args.export.is_some() || args.json.is_stdout() {
        table.notes().iter().for_each(print_message);
    }
    match &args.export {
        Some(path) => {
            let text = table.export(Format::from_path(path)?)?;
            store::write_file(path, text.as_bytes())?;
        }
        None => args.json.print_lazily(|| table.to_json_rows(), &table::text(&table))?,
    }
    Ok(CommandOutcome::Done)
}

/// Returns the text of a run for searches.
fn search_text(entry: &ListedRun) -> SearchText {
    let summary = entry.summary.as_ref();
    summary.map_or_else(|_| SearchText::from_name(&entry.run), |run| run.header.search_text())
}

fn to_entry(listed: &ListedRun) -> RunEntry<'_> {
    match &listed.summary {
        Ok(summary) => RunEntry::Whole(Box::new(summary.for_scripts())),
        Err(problem) => RunEntry::Damaged {
            run: &listed.run,
            folder: listed.folder.display().to_string(),
            problem,
        },
    }
}

fn text(listed: &[ListedRun]) -> String {
    if listed.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["run", "state", "what", ">A_N", ">Ā_N", ">F_N"]);
    for entry in listed {
        match &entry.summary {
            Ok(run) => {
                let figures = run.figures(&run.histories()).answer_figures().map(format_percent);
                let state = match entry.about.place.as_str() {
                    "" => state_text(run),
                    place => format!("{} ({place})", state_text(run)),
                };
                let cells = [entry.run.clone(), state, title_of(&run.header)];
                table.add_row(cells.into_iter().chain(figures));
            }
            Err(problem) => {
                table.add_row([entry.run.as_str(), "damaged", problem.what.as_str()]);
            }
        }
    }
    table.to_string()
}

fn state_text(run: &RunSummary) -> String {
    match run.state {
        StoredState::Finished => "finished".to_string(),
        StoredState::Running => format!("running, {}", Progress::new(run)),
        StoredState::Interrupted { task, epoch } => {
            let tasks = run.header.tasks.len();
            format!("stopped in task {}/{tasks} after epoch {epoch}", task + 1)
        }
    }
}

/// Returns the folders of the runs that a grid has below `root`, finished or not.
fn grid_run_folders(grid: &str, root: &Path) -> Result<HashSet<PathBuf>> {
    let (grid, _) = grid::find(grid)?;
    let plan = GridPlan::without_devices(grid, root, &Overrides::default())?;
    let cells = 0..plan.cells.cells.len();
    let unknown: Vec<_> = cells.clone().filter(|cell| plan.key(*cell).is_none()).collect();
    if let Some(first) = unknown.first() {
        let why = plan.forecasts[*first].as_ref().err();
        let why = why.map_or_else(String::new, |problem| format!(": {}", problem.what));
        print_message(format!(
            "note: the runs of {} of this grid cannot be determined{why}",
            count_with_noun(unknown.len(), "cell")
        ));
    }
    let runs = cells.filter_map(|cell| plan.run_for(cell));
    Ok(runs.map(|run| run.header.folder.clone()).collect())
}
