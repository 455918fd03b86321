//! Jobs that are more than one run: a grid, whose cells run one after the other, a search among its rows, and trials of
//! methods and checks of runs, which keep no run.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::sink::JobSink;
use crate::experiment::grid::search::Search;
use crate::experiment::grid::{Cells, GridEnd, GridPlan, GridSink, Overrides, Pace};
use crate::experiment::trial::VALIDATION_SHARE;
use crate::experiment::verification::{CheckRequest, check_path};
use crate::experiment::{ResourceCache, preparing_event};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Sink};
use crate::run::grid::{CellState, Grid};
use crate::run::job::{GridWork, SearchBy};
use crate::run::search_result::SearchResult;
use crate::{files, store};

/// Runs the unfinished cells of a grid; returns the event that ends the job.
pub(super) fn run_grid(
    work: &GridWork,
    device: Option<&str>,
    runs_root: &Path,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let grid = Grid::parse(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides {
        device: device.map(ToString::to_string),
        data: work.data.clone(),
        attachments: cache.attachments().clone(),
    };
    let cells = Cells::from_grid(grid, runs_root, &overrides)?.filter_cells(&work.cells);
    if let Some(by) = work.search {
        let searched = run_search(cells, by, runs_root, cache, (&mut *sink, control))?;
        return Ok(finish(searched, sink));
    }
    sink.event(preparing_event(message!("doing-listing-runs")));
    sink.between_batches();
    let Some(mut plan) = GridPlan::build(cells, runs_root, true, cache, control) else {
        return Ok(finish(None, sink));
    };
    sink.event(Event::Grid(Box::new(plan.status())));
    let order = plan.execution_order();
    let mut cells = CellSink::new(&plan, &order, sink);
    let end = plan.run(&order, &mut cells);
    let run = String::new();
    Ok(match end {
        GridEnd::Stopped { .. } => Event::Stopped { run },
        GridEnd::Done { failed: 0 } => Event::Finished { run },
        GridEnd::Done { failed } => {
            Event::Failed { run, problem: failed_cells_problem(failed, cells.problem.as_ref()) }
        }
    })
}

/// Returns the Problem of a grid in which some cells could not run.
fn failed_cells_problem(failed: usize, first: Option<&Problem>) -> Problem {
    let summary = Problem::new(message!("problem-grid-runs-failed", n = failed));
    match first {
        Some(problem) => {
            summary.advise(message!("advice-fix-first-error", what = problem.what_text()))
        }
        None => summary,
    }
}

/// Runs a search; returns its result, or `None` if the user stopped it.
fn run_search(
    cells: Cells,
    by: SearchBy,
    runs_root: &Path,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Option<Event>> {
    sink.event(preparing_event(message!("doing-counting-candidates")));
    let search = Search::new(cells, (by, VALIDATION_SHARE), None, cache, control)?;
    let verdicts = search.run(runs_root, cache, control, |plan, order, round| {
        let mut status = plan.status();
        status.title += &format!(" · round {} of {}", round + 1, search.rounds());
        sink.event(Event::Grid(Box::new(status)));
        let mut cells = CellSink::new(plan, order, sink);
        plan.run(order, &mut cells)
    })?;
    let Some(verdicts) = verdicts else {
        return Ok(None);
    };
    Ok(Some(Event::Searched(Box::new(SearchResult {
        contests: search.summarise_contests(&verdicts),
        file: save_chosen(
            runs_root,
            &search.cells.grid.name,
            &search.format_chosen_grid(&verdicts)?,
        )?,
    }))))
}

/// Writes the grid of the rows chosen in a search of the grid `name` to the folder of runs. Does not overwrite the
/// file of another search.
fn save_chosen(runs_root: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let numbered = (2..).map(|number| format!("{name}-best-{number}.toml"));
    let names = std::iter::once(format!("{name}-best.toml")).chain(numbered);
    let mut files = names.map(|name| runs_root.join(name));
    let is_free = |file: &PathBuf| match files::read_text(file, files::TEXT) {
        Ok(existing) => existing == text,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    // The disk is full before the numbers run out.
    let file = files.find(is_free).unwrap_or_default();
    store::write_file(&file, text.as_bytes())?;
    Ok(file)
}

/// Reports the result of a job that keeps no run, `None` if the user stopped it; returns the event that ends the job.
pub(super) fn finish(result: Option<Event>, sink: &mut JobSink<'_>) -> Event {
    let run = String::new();
    let Some(result) = result else {
        return Event::Stopped { run };
    };
    sink.event(result);
    Event::Finished { run }
}

/// Checks a run, or a packed one; returns the event that ends the job.
pub(super) fn run_check(
    (place, train): (&Path, bool),
    device: Option<&str>,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let request = CheckRequest { device, train, ..CheckRequest::default() };
    let report = check_path(place, &request, cache, &mut Phases(sink), control)?;
    Ok(finish(report.map(|report| Event::Checked(Box::new(report))), sink))
}

/// Forwards only phases and remarks, because the run that a check trains is temporary.
struct Phases<'a, 'b>(&'a mut JobSink<'b>);

impl Sink for Phases<'_, '_> {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Phase { .. } | Event::Remark { .. }) {
            self.0.event(event);
        }
    }

    fn between_batches(&mut self) {
        self.0.between_batches();
    }
}

/// Reports the results of the cells.
pub(super) struct CellSink<'a, 'b> {
    sink: &'a mut JobSink<'b>,
    pace: Pace,
    /// The Problem of the first cell that failed.
    pub problem: Option<Problem>,
    /// Remarks that were already reported, because most runs of a grid have the same ones.
    reported: HashSet<String>,
}

impl<'a, 'b> CellSink<'a, 'b> {
    /// Creates a sink for the cells of a plan, which run in this order.
    pub fn new(plan: &GridPlan, order: &[usize], sink: &'a mut JobSink<'b>) -> Self {
        Self { pace: Pace::new(plan, order), sink, problem: None, reported: HashSet::new() }
    }
}

impl Sink for CellSink<'_, '_> {
    fn event(&mut self, event: Event) {
        let note = match &event {
            Event::Remark { problem, .. } => Some(problem.to_string()),
            _ => None,
        };
        if note.is_none_or(|note| self.reported.insert(note)) {
            self.sink.event(event);
        }
    }

    fn between_batches(&mut self) {
        self.sink.between_batches();
    }
}

impl GridSink for CellSink<'_, '_> {
    fn report_cell(&mut self, _: &GridPlan, cell: usize, state: &CellState) {
        self.pace.record(cell, state);
        if let CellState::Refused(problem) = state {
            self.problem.get_or_insert_with(|| problem.clone());
            self.sink.handle_run_failure();
        }
        self.sink.event(Event::Cell {
            cell,
            standing: state.clone(),
            seconds_left: self.pace.seconds_left(),
        });
        self.sink.between_batches();
    }

    fn report_waiting(&mut self, cells: usize) {
        self.event(preparing_event(message!("doing-waiting-for-runs", n = cells)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_search_result_preserves_earlier_results() {
        let root = tempfile::tempdir().unwrap();
        let save = |text: &str| {
            let file = save_chosen(root.path(), "rates", text).unwrap();
            file.file_name().unwrap().to_str().unwrap().to_string()
        };
        assert_eq!(save("a"), "rates-best.toml");
        assert_eq!(save("b"), "rates-best-2.toml");
        assert_eq!(save("c"), "rates-best-3.toml");
        // The same search, repeated, gives the same file.
        assert_eq!(save("b"), "rates-best-2.toml");
        for (name, text) in [("rates-best.toml", "a"), ("rates-best-2.toml", "b")] {
            assert_eq!(std::fs::read_to_string(root.path().join(name)).unwrap(), text);
        }
    }
}
