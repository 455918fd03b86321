//! `grid --place`: runs a grid on another machine; each run is downloaded when it ends.

use std::path::Path;

use super::super::End;
use super::super::output::tell;
use super::super::remote::{JobEnd, RemoteConnection};
use super::super::run_report::not_begun;
use super::asked::pairs;
use super::progress::GridReporter;
use super::{Args, before, end_of, print_end, rows};
use crate::data::is_here;
use crate::experiment::grid::{GridEnd, GridPlan, GridSink, collect_grid_attachments};
use crate::problem::Result;
use crate::run::event::{Control, Event, Sink};
use crate::run::grid::CellStanding;
use crate::run::job::{GridWork, Job, JobWork};
use crate::run::places::RemoteMachine;
use crate::store;

/// Trains those of these cells that are not finished here on the other machine; runs that are finished there are only
/// downloaded.
pub(super) fn run(
    args: &Args,
    place: &RemoteMachine,
    plan: &mut GridPlan,
    chosen: &[usize],
    text: &str,
    control: &Control,
) -> Result<End> {
    if !args.quiet {
        tell(before(plan, chosen));
    }
    let is_here = |cell: &usize| matches!(plan.state(*cell), CellStanding::Done(_));
    let mut wanted: Vec<usize> = chosen
        .iter()
        .copied()
        .filter(|cell| !is_here(cell))
        .collect();
    wanted.sort_unstable();
    let mut end = GridEnd::Done { failed: 0 };
    if !wanted.is_empty() {
        let root = args.root(None);
        let Some(there) = RemoteConnection::reach(&place.name, &root, control)? else {
            return Ok(not_begun());
        };
        let work = GridWork {
            name: plan.cells.grid.name.clone(),
            text: text.to_string(),
            runs: wanted.len(),
            search: None,
            cells: wanted,
            data: data(args)?,
        };
        let Some(ended) = worked(args, there, plan, work, &root, control)? else {
            tell(format!(
                "it continues at {}; run the same command again to follow it and copy finished runs here",
                place.name
            ));
            return Ok(End::Done);
        };
        end = ended;
    }
    rows::print_rows(args, plan, chosen, None)?;
    print_end(&end, false);
    Ok(end_of(&end))
}

/// Returns the absolute paths of datasets on this computer; those that the other machine lacks are uploaded.
fn data(args: &Args) -> Result<Vec<(String, String)>> {
    let whole = |place: String| match std::path::absolute(&place) {
        Ok(path) if is_here(&path.to_string_lossy()) => path.display().to_string(),
        _ => place,
    };
    let pairs = pairs(&args.data, "--data")?.into_iter();
    Ok(pairs.map(|(name, place)| (name, whole(place))).collect())
}

/// Starts the grid on the other machine, or follows it if it already runs there; returns `None` if it continues there
/// without this program.
fn worked(
    args: &Args,
    there: RemoteConnection,
    plan: &mut GridPlan,
    mut work: GridWork,
    root: &Path,
    control: &Control,
) -> Result<Option<GridEnd>> {
    let along = collect_grid_attachments(&mut work, root, &there.place.data)?;
    let same = |job: &&Job| matches!(&job.work, JobWork::Grid(other) if (&other.name, &other.text) == (&work.name, &work.text));
    let known = there.jobs.iter().find(same).cloned();
    let cells = match known.as_ref().map(|job| &job.work) {
        Some(JobWork::Grid(other)) => other.cells.clone(),
        _ => work.cells.clone(),
    };
    let mut sink = RemoteGridSink {
        reporter: GridReporter::new(args.quiet, plan, &cells),
        plan,
        cells,
        failed: 0,
    };
    let detach = args.at.detach;
    let ended = match known {
        Some(job) => there.follow_job(job.id, detach, &mut sink, control),
        None => {
            let own = there.carried(along, control)?;
            let device = args.device.clone().or_else(|| there.place.device.clone());
            let title = sink.plan.standing().title;
            let job = Job {
                own,
                ..Job::grid(work, device, title)
            };
            there.work(job, detach, &mut sink, control)
        }
    };
    sink.reporter.close();
    match ended {
        Ok(JobEnd::Left) => Ok(None),
        Ok(JobEnd::Stopped(_)) => Ok(Some(GridEnd::Stopped { saved: false })),
        Ok(JobEnd::Finished(_)) => Ok(Some(GridEnd::Done { failed: 0 })),
        // The failures were already reported.
        Err(_) if sink.failed > 0 => Ok(Some(GridEnd::Done {
            failed: sink.failed,
        })),
        Err(problem) => Err(problem),
    }
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
            CellStanding::Done(folder) => self.plan.adopt_run(cell, &store::run_name(folder)),
            CellStanding::Refused(_) => self.failed += 1,
            _ => {}
        }
        self.reporter.report_cell(self.plan, cell, &standing);
    }
}
