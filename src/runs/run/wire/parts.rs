//! The parts of a message outside its JSON (pixels), and the paths of runs in it.

use std::path::{Component, Path, PathBuf};

use super::{ClientMessage, ClientRequest, ServerMessage};
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Event};
use crate::run::grid::CellState;
use crate::run::inside::{InspectionContent, InspectionTarget};
use crate::run::job::{Job, JobWork};
use crate::run::queue::JobEvent;

/// A message that can be sent to another process.
pub trait TransferableMessage {
    /// Returns the command or event in it.
    fn content(&mut self) -> Option<&mut dyn TransferableMessage> {
        None
    }

    /// Returns its pixel buffers, in a fixed order.
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        self.content().map_or_else(Vec::new, |inner| inner.pixels())
    }

    /// Returns the folders of the runs in it.
    fn runs(&mut self) -> Vec<&mut PathBuf> {
        self.content().map_or_else(Vec::new, |inner| inner.runs())
    }
}

impl TransferableMessage for Command {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Self::Predict(request) => vec![&mut request.picture.rgb],
            Self::Inside(request) => match &mut request.look {
                InspectionTarget::Picture(picture) => vec![&mut picture.rgb],
                InspectionTarget::Run { .. } => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn runs(&mut self) -> Vec<&mut PathBuf> {
        match self {
            Self::Queue(job) => run_folders(job),
            Self::Predict(request) => vec![&mut request.run],
            Self::Inside(request) => vec![&mut request.run],
            Self::Sheet(request) => vec![&mut request.run],
            Self::Doubts(request) => vec![&mut request.run],
            _ => Vec::new(),
        }
    }
}

impl TransferableMessage for Event {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Self::Predicted(prediction) => vec![&mut prediction.seen],
            Self::Inside(inspection) => match &mut inspection.seen {
                InspectionContent::Picture(picture) => vec![&mut picture.seen],
                InspectionContent::Run(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn runs(&mut self) -> Vec<&mut PathBuf> {
        match self {
            Self::Queued { job, .. } => run_folders(job),
            Self::Started(header) => vec![&mut header.folder],
            Self::Grid(grid) => {
                let cells = grid.lines.iter_mut();
                cells.filter_map(|cell| cell_run_folder(&mut cell.standing)).collect()
            }
            Self::Cell { standing, .. } => cell_run_folder(standing).into_iter().collect(),
            Self::Predicted(prediction) => vec![&mut prediction.run],
            Self::Inside(inspection) => vec![&mut inspection.run],
            _ => Vec::new(),
        }
    }
}

impl TransferableMessage for JobEvent {
    fn content(&mut self) -> Option<&mut dyn TransferableMessage> {
        Some(&mut self.event)
    }
}

impl TransferableMessage for ClientMessage {
    fn content(&mut self) -> Option<&mut dyn TransferableMessage> {
        match &mut self.ask {
            ClientRequest::Command(command) => Some(&mut **command),
            _ => None,
        }
    }
}

impl TransferableMessage for ServerMessage {
    fn content(&mut self) -> Option<&mut dyn TransferableMessage> {
        match self {
            Self::Event { event, .. } => Some(&mut **event),
            _ => None,
        }
    }
}

fn run_folders(job: &mut Job) -> Vec<&mut PathBuf> {
    match &mut job.work {
        JobWork::Resume(run) | JobWork::Teach { run, .. } | JobWork::Check { run, .. } => vec![run],
        _ => Vec::new(),
    }
}

/// Returns the folder of a finished run of a grid.
fn cell_run_folder(state: &mut CellState) -> Option<&mut PathBuf> {
    match state {
        CellState::Done(folder) => Some(folder),
        _ => None,
    }
}

/// Returns the message with the folders of its runs relative to the folder of runs. Other runs keep their paths.
pub fn with_relative_runs<M: TransferableMessage>(mut message: M, root: &Path) -> M {
    for run in message.runs() {
        if let Ok(inner) = run.strip_prefix(root) {
            *run = inner.to_path_buf();
        }
    }
    message
}

/// Returns the message with the relative folders of its runs joined to this folder of runs.
///
/// # Errors
/// Returns a Problem for another path, unless it is absolute and `allow_absolute` is true.
pub fn with_absolute_runs<M: TransferableMessage>(
    mut message: M,
    root: &Path,
    allow_absolute: bool,
) -> Result<M> {
    for run in message.runs() {
        let is_allowed = allow_absolute && run.is_absolute();
        if !is_allowed {
            let inner = run.to_str().and_then(safe_relative_path);
            let inner = inner.ok_or_else(|| outside_problem(run))?;
            *run = root.join(inner);
        }
    }
    Ok(message)
}

/// Returns a relative path that stays below the folder to which it is joined; `None` for any other path.
pub fn safe_relative_path(path: &str) -> Option<PathBuf> {
    let is_valid = !path.is_empty() && path.len() <= 4096 && !path.contains(['\\', ':', '\0']);
    let path = Path::new(path);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_valid && is_inside).then(|| path.to_path_buf())
}

fn outside_problem(run: &Path) -> Problem {
    Problem::new("the run is in another folder")
        .at_path(run)
        .advise("give the run's folder inside the folder of runs")
}
