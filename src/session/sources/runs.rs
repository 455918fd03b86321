//! The stored runs of all folders that are open, deleted ones, and what is done with them.

use std::path::{Path, PathBuf};

use crate::method::lae;
use crate::metrics::{ByExpert, Expert, Histories};
use crate::problem::{Problem, Result};
use crate::run::about::MadeOf;
use crate::run::event::TaskReport;
use crate::session::bin::{Deed, DeletedRun, Done};
use crate::session::folders::{MOST, RunsFolder, Shelf};
use crate::session::quality::Quality;
use crate::session::row::{Elsewhere, title_of};
use crate::session::views::{RunRow, RunState};
use crate::store::{self, Answered, Figures, Kin};

/// The stored runs of the usual folder and of the others.
pub(super) fn shelf(root: &Path, others: Vec<PathBuf>) -> Shelf {
    let mut folders: Vec<RunsFolder> = others.into_iter().map(look).collect();
    // The usual folder may have been another one when these were remembered.
    let usual = real(root);
    let open = folders
        .iter()
        .filter(|folder| folder.problem.is_none() && real(&folder.path) != usual);
    let roots: Vec<&Path> = std::iter::once(root)
        .chain(open.map(|folder| folder.path.as_path()))
        .collect();
    let mut rows: Vec<RunRow> = store::list_of(&roots).into_iter().map(run_row).collect();
    for folder in &mut folders {
        for row in &mut rows {
            if row.folder.parent() == Some(&folder.path) && folder.path != root {
                folder.runs += 1;
                row.elsewhere = Some(Elsewhere {
                    folder: folder.path.clone(),
                    read_only: folder.read_only,
                });
            }
        }
    }
    Shelf { rows, folders }
}

fn look(path: PathBuf) -> RunsFolder {
    let seen = std::fs::read_dir(&path);
    let problem = seen.err().map(|error| {
        Problem::new(format!("a folder of runs is not there any more: {error}"))
            .at_path(&path)
            .advise("bring it back, or take it off the list on Compare")
    });
    RunsFolder {
        read_only: problem.is_none() && is_read_only(&path),
        path,
        runs: 0,
        problem,
    }
}

fn real(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Whether nothing can be written into a folder. Asked by making a file that has no name.
fn is_read_only(path: &Path) -> bool {
    let marked = std::fs::metadata(path).is_ok_and(|about| about.permissions().readonly());
    marked || tempfile::tempfile_in(path).is_err()
}

/// The folder of runs that a person means by a path: the folder itself, or of a run the one around
/// it.
pub(super) fn folder_of_runs(root: &Path, path: &Path, known: &[PathBuf]) -> Result<PathBuf> {
    let found = dunce::canonicalize(path)
        .map_err(|error| Problem::io("open this folder of runs", path, &error))?;
    let folder = match found.parent() {
        Some(around) if store::is_run(&found) => around.to_path_buf(),
        _ => found,
    };
    if real(root) == folder || known.iter().any(|known| real(known) == folder) {
        return Err(Problem::new("the runs of this folder are listed already").at_path(folder));
    }
    if known.len() >= MOST {
        let what = format!("{MOST} other folders of runs are open already");
        return Err(Problem::new(what).advise("take one off the list first"));
    }
    if !store::holds_runs(&folder) {
        return Err(Problem::new("there is no run in this folder")
            .at_path(folder)
            .advise("choose the folder that the folders of the runs lie in"));
    }
    Ok(folder)
}

/// Does a deed with each of these runs.
pub(super) fn done(root: &Path, deed: Deed, places: Vec<PathBuf>) -> Done {
    let one = |place: PathBuf| {
        let now = match deed {
            Deed::Delete => store::delete(&place, root),
            Deed::Restore => store::restore(&place),
            Deed::Erase => store::erase(&place).map(|()| place.clone()),
        };
        (place, now)
    };
    places.into_iter().map(one).collect()
}

/// The deleted runs of all folders.
pub(super) fn deleted(root: &Path, others: &[PathBuf]) -> Vec<DeletedRun> {
    let roots = std::iter::once(root).chain(others.iter().map(PathBuf::as_path));
    let runs = roots.flat_map(store::deleted);
    let row = |deleted: store::Deleted| {
        let title = match &deleted.run.stored {
            Ok(stored) => title_of(&stored.header),
            Err(_) => deleted.run.run.clone(),
        };
        DeletedRun {
            title,
            name: deleted.run.run,
            place: deleted.run.folder,
            bytes: deleted.bytes,
        }
    };
    runs.map(row).collect()
}

fn run_row(listed: store::Listed) -> RunRow {
    let mut row = RunRow {
        made_of: MadeOf::unread(&listed.run),
        name: listed.run,
        folder: listed.folder,
        about: listed.about,
        remark: listed.remark,
        elsewhere: None,
        header: None,
        state: RunState::Finished,
        plugin: String::new(),
        kin: None,
        figures: Figures::default(),
        history: Default::default(),
        quality: Default::default(),
        quality_of_first: None,
        answered: None,
        images_per_second: 0.0,
        drift: Vec::new(),
        apart: Vec::new(),
        gauges: Vec::new(),
        costs: Default::default(),
    };
    match listed.stored {
        Err(problem) => row.state = RunState::Damaged(problem),
        Ok(run) => {
            row.kin = Kin::of(&run);
            row.figures = store::summary(&run).figures;
            row.history = histories(&run);
            row.quality = quality(&run);
            row.quality_of_first = quality_of_first(&run);
            row.answered = Answered::of(&run);
            row.costs = run.costs();
            row.images_per_second = run.images_per_second();
            row.drift = run.reports.iter().filter_map(lae::drift_of).collect();
            row.apart = run.reports.iter().map(TaskReport::apart).collect();
            row.gauges = run.reports.iter().map(|r| r.gauges.clone()).collect();
            row.state = match run.state {
                store::RunState::Finished => RunState::Finished,
                store::RunState::Interrupted { task, .. } => RunState::Unfinished(task),
                store::RunState::Running => RunState::Busy,
            };
            row.made_of = run.header.made_of();
            row.header = Some(run.header);
            row.plugin = run.plugin;
        }
    }
    row
}

fn quality(run: &store::StoredRun) -> ByExpert<Quality> {
    let Some(latest) = run.reports.last() else {
        return ByExpert::default();
    };
    let of = |expert: &Expert| (*expert, Quality::of(&latest.answers, *expert));
    latest.answers.given.keys().map(of).collect()
}

/// How the images of the first task are answered now; none where none of them were at hand.
fn quality_of_first(run: &store::StoredRun) -> Option<Quality> {
    let (latest, first) = (run.reports.last()?, run.header.tasks.first()?);
    let quality = Quality::within(&latest.answers, run.header.answering(), first);
    (quality.images > 0).then_some(quality)
}

fn histories(run: &store::StoredRun) -> Histories {
    let mut histories = Histories::default();
    for report in &run.reports {
        histories.push(&report.answers, &run.header.tasks[..=report.task]);
    }
    histories
}
