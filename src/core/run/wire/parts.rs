//! What of a message does not travel in its JSON: pixels, and where runs lie.

use std::path::{Component, Path, PathBuf};

use super::{Ask, Said, Told};
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Event};
use crate::run::inside::{Look, Seen};
use crate::run::job::{Job, JobWork};
use crate::run::queue::JobEvent;

/// What can be sent.
pub trait Carried {
    /// Its pixels, in a fixed order.
    fn pixels(&mut self) -> Vec<&mut Vec<u8>>;
    /// The folder of the run that it is about.
    fn run(&mut self) -> Option<&mut PathBuf>;
}

impl Carried for Command {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Self::Predict(request) => vec![&mut request.picture.rgb],
            Self::Inside(request) => match &mut request.look {
                Look::Picture(picture) => vec![&mut picture.rgb],
                Look::Run { .. } => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn run(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::Queue(job) => run_of(job),
            Self::Predict(request) => Some(&mut request.run),
            Self::Inside(request) => Some(&mut request.run),
            Self::Sheet(request) => Some(&mut request.run),
            Self::Doubts(request) => Some(&mut request.run),
            _ => None,
        }
    }
}

impl Carried for Event {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Self::Predicted(prediction) => vec![&mut prediction.seen],
            Self::Inside(insight) => match &mut insight.seen {
                Seen::Picture(picture) => vec![&mut picture.seen],
                Seen::Run(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn run(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::Queued { job, .. } => run_of(job),
            Self::Started(header) => Some(&mut header.folder),
            Self::Predicted(prediction) => Some(&mut prediction.run),
            Self::Inside(insight) => Some(&mut insight.run),
            _ => None,
        }
    }
}

impl Carried for JobEvent {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        self.event.pixels()
    }

    fn run(&mut self) -> Option<&mut PathBuf> {
        self.event.run()
    }
}

impl Carried for Said {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match &mut self.ask {
            Ask::Command(command) => command.pixels(),
            _ => Vec::new(),
        }
    }

    fn run(&mut self) -> Option<&mut PathBuf> {
        match &mut self.ask {
            Ask::Command(command) => command.run(),
            _ => None,
        }
    }
}

impl Carried for Told {
    fn pixels(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Self::Event { event, .. } => event.pixels(),
            _ => Vec::new(),
        }
    }

    fn run(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::Event { event, .. } => event.run(),
            _ => None,
        }
    }
}

fn run_of(job: &mut Job) -> Option<&mut PathBuf> {
    match &mut job.work {
        JobWork::Train(_) => None,
        JobWork::Resume(run) | JobWork::Teach { run, .. } => Some(run),
    }
}

/// The same message with its run named from the folder of runs on. A run that lies elsewhere keeps its path.
pub fn sent_home<M: Carried>(mut message: M, root: &Path) -> M {
    if let Some(run) = message.run()
        && let Ok(inner) = run.strip_prefix(root)
    {
        *run = inner.to_path_buf();
    }
    message
}

/// The same message with its run in this folder of runs.
///
/// # Errors
/// A Problem for a run that lies elsewhere, unless `anywhere` allows a whole path.
pub fn home<M: Carried>(mut message: M, root: &Path, anywhere: bool) -> Result<M> {
    if let Some(run) = message.run() {
        let whole = anywhere && run.is_absolute();
        if !whole {
            let inner = run.to_str().and_then(inner_path);
            let inner = inner.ok_or_else(|| elsewhere(run))?;
            *run = root.join(inner);
        }
    }
    Ok(message)
}

/// A path that stays below the folder it is joined to; none for any other.
pub fn inner_path(path: &str) -> Option<PathBuf> {
    let fits = !path.is_empty() && path.len() <= 4096 && !path.contains(['\\', ':', '\0']);
    let path = Path::new(path);
    let stays = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (fits && stays).then(|| path.to_path_buf())
}

fn elsewhere(run: &Path) -> Problem {
    Problem::new("a run of another folder was named")
        .at_path(run)
        .advise("name a run by its folder below the folder of runs")
}
