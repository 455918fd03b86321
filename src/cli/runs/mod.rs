//! `runs`: lists runs, and makes tables and figures of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

mod table;

use self::table::TableOptions;
pub(super) use self::table::text as table_text;
use super::End;
use super::output::{Json, Table, percent, tell};
use super::remote;
use super::signals::stop_on_ctrl_c;
use crate::counts::counted;
use crate::experiment::grid::{self, GridPlan, Overrides};
use crate::experiment::{ResourceCache, sample_pictures};
use crate::problem::{Problem, Result};
use crate::run::about::{MadeOf, Search};
use crate::run::event::ControlRequest;
use crate::session::row::title_of;
use crate::store::export::{Format, export};
use crate::store::figure::FigureOfRuns;
use crate::store::groups::{Progress, none_measured};
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
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with = "json"
    )]
    export: Option<PathBuf>,
    /// The figure for --export: accuracy (all runs), or matrix, confusion or loss (one run)
    #[arg(
        long,
        value_name = "FIGURE",
        help_heading = "Output",
        requires = "export"
    )]
    figure: Option<String>,
    #[command(flatten)]
    json: Json,
}

impl Args {
    /// Returns the arguments that request the same list or table from the program on another machine.
    fn words_there(&self) -> Vec<String> {
        let mut words = self.runs.clone();
        let tags = self.tags.iter().map(|tag| ("--tag", tag));
        let text = self.text.iter().map(|text| ("--text", text));
        for (option, value) in tags.chain(text) {
            words.push(format!("{option}={value}"));
        }
        words.extend(self.table.words());
        words
    }

    /// Checks that no option is without effect.
    fn check(&self) -> Result<()> {
        let format = self.export.as_deref().map(Format::from_path).transpose()?;
        let is_figure = matches!(format, Some(Format::Svg | Format::Pdf | Format::Png));
        if self.figure.is_some() && !is_figure {
            return Err(
                Problem::new("this export is not a figure, so --figure has no effect")
                    .at("--figure")
                    .advise("give a file that ends in .svg, .pdf or .png, or omit the option"),
            );
        }
        if self.table.unfinished && !self.table.asks_for_table() && self.export.is_none() {
            return Err(
                Problem::new("the list contains all runs, so --unfinished has no effect")
                    .at("--unfinished")
                    .advise("omit it, or request a table, for example with --by method"),
            );
        }
        Ok(())
    }
}

/// An entry of the JSON output.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Whole(Box<Summary>),
    Damaged {
        run: &'a str,
        folder: String,
        problem: &'a Problem,
    },
}

/// Lists runs or exports them.
pub(super) fn run(args: &Args) -> Result<End> {
    args.check()?;
    if let Some(place) = &args.place {
        return remote::runs(place, &args.words_there(), &args.json);
    }
    let root = store::runs_root(args.out.as_deref());
    let (mut listed, any) = find_runs(args, &root)?;
    let format = args.export.as_deref().map(Format::from_path).transpose()?;
    let is_table = matches!(format, Some(Format::Markdown | Format::Latex));
    let is_table = is_table || args.table.asks_for_table();
    // A run that is named explicitly is included even if it is unfinished.
    let mut unfinished = args.table.unfinished || !args.runs.is_empty();
    if !args.table.conditions.is_empty() || is_table {
        let whole = listed.iter().filter_map(|e| e.summary.as_ref().ok());
        let (chosen, asked) = args.table.chosen(whole.map(TableRun::of).collect())?;
        unfinished |= asked;
        if is_table {
            return give_table(args, &chosen, unfinished);
        }
        let kept = chosen.iter().map(|run| run.header.folder.clone());
        let kept: HashSet<PathBuf> = kept.collect();
        listed.retain(|entry| kept.contains(&entry.folder));
    }
    if let (Some(path), Some(format)) = (&args.export, format) {
        let mut runs = intact_summaries(listed);
        if !unfinished {
            leave_out_unfinished(&mut runs)?;
        }
        return write(args, path, format, &runs);
    }
    if listed.is_empty() && any {
        tell("no run matches");
    }
    if !any {
        tell(format!("no runs in {} yet", root.display()));
    }
    let text = text(&listed);
    let entries = || listed.iter().map(entry).collect::<Vec<_>>();
    args.json.print_many(entries, &text)?;
    Ok(End::Done)
}

/// Returns the requested runs before conditions are applied, and whether there are any runs at all.
fn find_runs(args: &Args, root: &Path) -> Result<(Vec<ListedRun>, bool)> {
    let mut listed = if args.runs.is_empty() {
        store::list(root)
    } else {
        let wanted = |name: &String| {
            let folder = store::find(root, name)?;
            Ok(store::entry(&folder))
        };
        args.runs.iter().map(wanted).collect::<Result<_>>()?
    };
    let any = !listed.is_empty();
    if let Some(grid) = &args.grid {
        let own = folders_of(grid, root)?;
        listed.retain(|entry| own.contains(&entry.folder));
    }
    let search = Search {
        text: args.text.clone().unwrap_or_default(),
        tags: args.tags.clone(),
    };
    if !search.is_empty() {
        listed.retain(|entry| search.finds(&entry.about, &made_of(entry)));
    }
    for remark in listed.iter().filter_map(|entry| entry.remark.as_ref()) {
        tell(remark);
    }
    Ok((listed, any))
}

/// Writes a figure, a report or the metrics of each task to a file.
fn write(args: &Args, path: &Path, format: Format, runs: &[RunSummary]) -> Result<End> {
    let (cache, control) = (ResourceCache::default(), stop_on_ctrl_c()?);
    let go_on = || control.request() != ControlRequest::Stop;
    let pictures = |run: &RunSummary| sample_pictures(&cache, run, &go_on);
    let figure = args.figure.as_deref().map(FigureOfRuns::named).transpose();
    let figure = figure.map_err(|p| p.at("--figure"))?.unwrap_or_default();
    store::write_file(path, &export(runs, (format, figure), &pictures)?)?;
    Ok(End::Done)
}

/// Returns the runs that could be read.
fn intact_summaries(listed: Vec<ListedRun>) -> Vec<RunSummary> {
    listed.into_iter().filter_map(|e| e.summary.ok()).collect()
}

/// Removes unfinished runs, and reports this.
fn leave_out_unfinished(runs: &mut Vec<RunSummary>) -> Result<()> {
    let all = runs.len();
    runs.retain(|run| Progress::new(run).is_complete());
    let left_out = counted(all - runs.len(), "run");
    match all - runs.len() {
        0 => Ok(()),
        _ if runs.is_empty() => Err(none_finished()),
        _ => {
            tell(format!(
                "omitted because unfinished: {left_out}; --unfinished shows them"
            ));
            Ok(())
        }
    }
}

fn none_finished() -> Problem {
    Problem::new("none of these runs is finished")
        .at("--export")
        .advise("add --unfinished to include them")
}

/// Prints a table with selected columns, or writes it to a file.
fn give_table(args: &Args, runs: &[TableRun<'_>], unfinished: bool) -> Result<End> {
    let request = args.table.request(unfinished, args.export.is_some());
    let table = request.table(runs)?;
    if table.rows().is_empty() && args.export.is_some() {
        return Err(match table.left_out() {
            0 => none_measured(),
            _ => none_finished(),
        });
    }
    // Notes cannot be part of the file, or of JSON on standard output.
    if args.export.is_some() || args.json.on_stdout() {
        table.notes().iter().for_each(tell);
    }
    match &args.export {
        Some(path) => {
            let text = table.export(Format::from_path(path)?)?;
            store::write_file(path, text.as_bytes())?;
        }
        None => args
            .json
            .print_many(|| table.json(), &table::text(&table))?,
    }
    Ok(End::Done)
}

/// Returns the text of a run for searches.
fn made_of(entry: &ListedRun) -> MadeOf {
    let summary = entry.summary.as_ref();
    summary.map_or_else(|_| MadeOf::unread(&entry.run), |run| run.header.made_of())
}

fn entry(listed: &ListedRun) -> Entry<'_> {
    match &listed.summary {
        Ok(summary) => Entry::Whole(Box::new(summary.for_scripts())),
        Err(problem) => Entry::Damaged {
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
                let figures = run.figures(&run.histories()).of_answer().map(percent);
                let state = match entry.about.place.as_str() {
                    "" => state(run),
                    place => format!("{} ({place})", state(run)),
                };
                let cells = [entry.run.clone(), state, title_of(&run.header)];
                table.row(cells.into_iter().chain(figures));
            }
            Err(problem) => {
                table.row([entry.run.as_str(), "damaged", problem.what.as_str()]);
            }
        }
    }
    table.to_string()
}

fn state(run: &RunSummary) -> String {
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
fn folders_of(grid: &str, root: &Path) -> Result<HashSet<PathBuf>> {
    let (grid, _) = grid::find(grid)?;
    let plan = GridPlan::without_devices(grid, root, &Overrides::default())?;
    let cells = 0..plan.cells.cells.len();
    let unknown: Vec<_> = cells
        .clone()
        .filter(|cell| plan.key(*cell).is_none())
        .collect();
    if let Some(first) = unknown.first() {
        let why = plan.forecasts[*first].as_ref().err();
        let why = why.map_or_else(String::new, |problem| format!(": {}", problem.what));
        tell(format!(
            "note: the runs of {} of this grid cannot be determined{why}",
            counted(unknown.len(), "cell")
        ));
    }
    let runs = cells.filter_map(|cell| plan.run_of(cell));
    Ok(runs.map(|run| run.header.folder.clone()).collect())
}
