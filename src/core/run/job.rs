//! What is to be trained: jobs, each with an id from the moment it is asked for, and the line they
//! wait in.
//!
//! The engine alone owns the line; whoever shows it folds the events that each change gives. A job
//! that is held stays where it is and lets others pass.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::config::RunConfig;
use super::event::Event;

/// Tells jobs apart, those of earlier starts of the program included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(u64);

impl JobId {
    /// An id that no job has: the time in microseconds, or one more than the last id.
    pub fn fresh() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |time| time.as_micros() as u64);
        let next = |last: u64| now.max(last + 1);
        let before = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |l| Some(next(l)));
        let (Ok(before) | Err(before)) = before;
        Self(next(before))
    }

    /// The number itself.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Trains a new run with these settings.
    Train(Box<RunConfig>),
    /// Continues the stopped or killed run in this folder.
    Resume(PathBuf),
    /// Teaches a run that has ended new classes.
    Teach {
        /// The run's folder.
        run: PathBuf,
        /// Where the pictures lie.
        source: String,
    },
}

impl Work {
    /// The folder of the run it goes on with or teaches; none for a new one.
    pub fn run(&self) -> Option<&Path> {
        match self {
            Self::Train(_) => None,
            Self::Resume(run) | Self::Teach { run, .. } => Some(run),
        }
    }
}

/// Something to be trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What people call it.
    pub title: String,
    /// What it does.
    pub work: Work,
    /// The device on which a run is continued or taught, where it is not the one it began on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether it stays in line until it is let go.
    #[serde(skip)]
    pub held: bool,
}

impl Job {
    /// Trains a new run with these settings, called so.
    pub fn train(config: RunConfig, title: String) -> Self {
        Self {
            id: JobId::fresh(),
            title,
            work: Work::Train(Box::new(config)),
            device: None,
            held: false,
        }
    }

    /// Continues the stopped or killed run in this folder, on another device where one is given.
    pub fn resume(run: PathBuf, device: Option<String>, title: String) -> Self {
        Self {
            id: JobId::fresh(),
            title,
            work: Work::Resume(run),
            device,
            held: false,
        }
    }
}

impl Job {
    /// Teaches the run in this folder the classes of the pictures at `source`.
    pub fn teach(run: PathBuf, source: String, title: String) -> Self {
        Self {
            id: JobId::fresh(),
            title,
            work: Work::Teach { run, source },
            device: None,
            held: false,
        }
    }

    /// Whether it leaves nothing behind unless it comes to its end.
    pub fn is_lesson(&self) -> bool {
        matches!(self.work, Work::Teach { .. })
    }
}

/// An event and the job it belongs to; none for what belongs to no job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The job.
    pub job: Option<JobId>,
    /// What happened.
    pub event: Event,
}

/// The job that a change of the line is about.
pub fn job_of(change: &Event) -> Option<JobId> {
    match change {
        Event::Queued { job, .. } => Some(job.id),
        Event::Began(job) | Event::Removed(job) => Some(*job),
        _ => None,
    }
}

/// Jobs that wait, in the order in which they begin.
#[derive(Clone, Debug, Default)]
pub struct Line(VecDeque<Job>);

impl Line {
    /// The jobs, the next one first.
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &Job> {
        self.0.iter()
    }

    /// The place of a job, from 0.
    pub fn place(&self, id: JobId) -> Option<usize> {
        self.0.iter().position(|job| job.id == id)
    }

    /// Puts a job at a place (or the end), away from where it was.
    pub fn put(&mut self, job: Job, place: usize) -> Event {
        self.take(job.id);
        let place = place.min(self.0.len());
        self.0.insert(place, job.clone());
        Event::Queued {
            job: Box::new(job),
            place,
        }
    }

    /// Takes a job out.
    pub fn take(&mut self, id: JobId) -> Option<Job> {
        self.0.remove(self.place(id)?)
    }

    /// Moves a job to another place; none where it is not in line any more.
    pub fn shift(&mut self, id: JobId, place: usize) -> Option<Event> {
        let job = self.take(id)?;
        Some(self.put(job, place))
    }

    /// Holds every job, or lets every job go; tells those that changed.
    pub fn hold(&mut self, held: bool) -> Vec<Event> {
        let others = self.0.iter_mut().enumerate();
        let changed = others.filter(|(_, job)| job.held != held);
        let told = changed.map(|(place, job)| {
            job.held = held;
            let job = Box::new(job.clone());
            Event::Queued { job, place }
        });
        told.collect()
    }

    /// Takes out the first job that is not held.
    pub fn begin(&mut self) -> Option<Job> {
        let place = self.0.iter().position(|job| !job.held)?;
        self.0.remove(place)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn titles(line: &Line) -> Vec<&str> {
        line.jobs().map(|job| job.title.as_str()).collect()
    }

    fn line(titles: &[&str]) -> (Line, Vec<JobId>) {
        let mut line = Line::default();
        let ids = titles.iter().map(|title| {
            let job = Job::resume(PathBuf::new(), None, (*title).to_string());
            let id = job.id;
            line.put(job, usize::MAX);
            id
        });
        let ids = ids.collect();
        (line, ids)
    }

    #[test]
    fn no_two_jobs_have_one_id() {
        let ids: Vec<JobId> = (0..1000).map(|_| JobId::fresh()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn jobs_are_moved_taken_out_and_passed_while_they_are_held() {
        let (mut line, ids) = line(&["a", "b", "c"]);
        line.shift(ids[2], 0).unwrap();
        assert_eq!(titles(&line), ["c", "a", "b"]);
        line.shift(ids[2], 99).unwrap();
        assert_eq!(titles(&line), ["a", "b", "c"]);
        assert_eq!(line.take(ids[1]).unwrap().title, "b");
        assert!(line.shift(ids[1], 0).is_none());
        assert_eq!(line.hold(true).len(), 2);
        assert!(line.hold(true).is_empty() && line.begin().is_none());
        line.put(Job::train(RunConfig::default(), "d".into()), usize::MAX);
        assert_eq!(line.begin().unwrap().title, "d");
        line.hold(false);
        assert_eq!(line.begin().unwrap().title, "a");
        assert_eq!(titles(&line), ["c"]);
    }
}
