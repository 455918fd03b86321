//! `grid --place`: runs a grid on another machine; each run is downloaded when it ends.

use std::collections::HashSet;
use std::path::Path;

use super::super::CommandOutcome;
use super::super::output::print_message;
use super::super::remote::{JobOutcome, RemoteConnection};
use super::super::run_report::print_not_started;
use super::progress::GridReporter;
use super::selection::parse_pairs;
use super::{Args, command_outcome, plan_summary, print_end, rows};
use crate::data::is_available;
use crate::experiment::grid::{GridEnd, GridPlan, GridSink, collect_grid_attachments};
use crate::problem::Result;
use crate::run::event::{Control, Event, Sink};
use crate::run::grid::CellState;
use crate::run::job::{GridWork, Job, JobWork};
use crate::run::remote_machines::RemoteMachine;
use crate::store;

/// Trains those of these cells that are not finished here on the other machine; runs that are finished there are only
/// downloaded.
pub(super) fn run(
    args: &Args,
    place: &RemoteMachine,
    plan: &mut GridPlan,
    cells: &[usize],
    text: &str,
    control: &Control,
) -> Result<CommandOutcome> {
    if !args.quiet {
        print_message(plan_summary(plan, cells));
    }
    let is_finished_here = |cell: &usize| matches!(plan.state(*cell), CellState::Done(_));
    let mut missing: Vec<usize> =
        cells.iter().copied().filter(|cell| !is_finished_here(cell)).collect();
    missing.sort_unstable();
    let mut end = GridEnd::Done { failed: 0 };
    if !missing.is_empty() {
        let root = args.root(None);
        let Some(connection) = RemoteConnection::connect(&place.name, &root, control)? else {
            return Ok(print_not_started());
        };
        let work = GridWork {
            name: plan.cells.grid.name.clone(),
            text: text.to_string(),
            runs: missing.len(),
            search: None,
            cells: missing,
            data: absolute_data_paths(args)?,
        };
        let Some(outcome) = run_remotely(args, connection, plan, work, &root, control)? else {
            print_message(format!(
                "it continues at {}; run the same command again to follow it and copy finished runs here",
                place.name
            ));
            return Ok(CommandOutcome::Done);
        };
        end = outcome;
    }
    rows::print_rows(args, plan, cells, None)?;
    print_end(&end, false);
    Ok(command_outcome(&end))
}

/// Returns the absolute paths of datasets on this computer; those that the other machine lacks are uploaded.
fn absolute_data_paths(args: &Args) -> Result<Vec<(String, String)>> {
    let to_absolute = |source: String| match std::path::absolute(&source) {
        Ok(path) if is_available(&path.to_string_lossy()) => path.display().to_string(),
        _ => source,
    };
    let pairs = parse_pairs(&args.data, "--data")?.into_iter();
    Ok(pairs.map(|(name, source)| (name, to_absolute(source))).collect())
}

/// Starts the grid on the other machine, or follows a job there that trains all of its cells; returns `None` if it
/// continues there without this program.
fn run_remotely(
    args: &Args,
    connection: RemoteConnection,
    plan: &mut GridPlan,
    mut work: GridWork,
    root: &Path,
    control: &Control,
) -> Result<Option<GridEnd>> {
    let attachments = collect_grid_attachments(&mut work, root, &connection.place.data)?;
    let existing = connection.jobs.iter().find_map(|job| {
        let cells = cells_of_same_grid(job, &work, plan.cells.cells.len())?;
        Some((job.id, cells))
    });
    let cells = existing.as_ref().map_or(&work.cells, |(_, cells)| cells).clone();
    let mut sink = RemoteGridSink {
        reporter: GridReporter::new(args.quiet, plan, &cells),
        plan,
        cells,
        failed: 0,
    };
    let detach = args.at.detach;
    let outcome = match existing {
        Some((id, _)) => connection.follow_job(id, detach, &mut sink, control),
        None => {
            let uploaded = connection.upload_attachments(attachments, control)?;
            let device = args.device.clone().or_else(|| connection.place.device.clone());
            let title = sink.plan.status().title;
            let job = Job { own: uploaded, ..Job::grid(work, device, title) };
            connection.run_job(job, detach, &mut sink, control)
        }
    };
    sink.reporter.finish();
    match outcome {
        Ok(JobOutcome::Detached) => Ok(None),
        Ok(JobOutcome::Stopped(_)) => Ok(Some(GridEnd::Stopped { saved: false })),
        Ok(JobOutcome::Finished(_)) => Ok(Some(GridEnd::Done { failed: 0 })),
        // The failures were already reported.
        Err(_) if sink.failed > 0 => Ok(Some(GridEnd::Done { failed: sink.failed })),
        Err(problem) => Err(problem),
    }
}

/// Returns the cells of a job, by their indices, if it trains all cells of `work`; `all` is the number of cells of the
/// grid.
fn cells_of_same_grid(job: &Job, work: &GridWork, all: usize) -> Option<Vec<usize>> {
    let JobWork::Grid(other) = &job.work else {
        return None;
    };
    let is_same = (&other.name, &other.text, other.search) == (&work.name, &work.text, None);
    // A job without numbers trains all cells.
    let cells = match other.cells.is_empty() {
        true => (0..all).collect(),
        false => other.cells.clone(),
    };
    let trained: HashSet<usize> = cells.iter().copied().collect();
    (is_same && work.cells.iter().all(|cell| trained.contains(cell))).then_some(cells)
}

/// Reports a grid on another machine in the same way as a local one.
struct RemoteGridSink<'a> {
    reporter: GridReporter,
    plan: &'a mut GridPlan,
    /// The cells that run there, by their indices here.
    cells: Vec<usize>,
    failed: usize,
}

impl Sink for RemoteGridSink<'_> {
    fn event(&mut self, event: Event) {
        let Event::Cell { cell, standing, .. } = event else {
            return self.reporter.event(event);
        };
        let Some(&cell) = self.cells.get(cell) else {
            return;
        };
        match &standing {
            CellState::Done(folder) => self.plan.adopt_run(cell, &store::run_name(folder)),
            CellState::Refused(_) => self.failed += 1,
            _ => {}
        }
        self.reporter.report_cell(self.plan, cell, &standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::job::SearchBy;

    #[test]
    fn follows_only_jobs_that_train_all_cells() {
        let work = |cells: &[usize], search| GridWork {
            name: "a".into(),
            text: "epochs = 1".into(),
            runs: 3,
            search,
            cells: cells.to_vec(),
            data: Vec::new(),
        };
        let found = |cells: &[usize], search| {
            let job = Job::grid(work(cells, search), None, String::new());
            cells_of_same_grid(&job, &work(&[0, 2], None), 3)
        };
        assert_eq!(found(&[2, 0], None), Some(vec![2, 0]));
        assert_eq!(found(&[], None), Some(vec![0, 1, 2]));
        assert_eq!(found(&[0, 1], None), None);
        assert_eq!(found(&[], Some(SearchBy::All)), None);
    }
}
