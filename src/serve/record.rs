//! Stores the engine's events on disk, so that a new engine knows how the jobs of an earlier one ended.
//!
//! The file is a sequence of frames: one that identifies the journal, one with the number after which its writer
//! counts, then events as clients get them, without progress events. A truncated file is read up to its last complete
//! frame.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files;
use crate::message;
use crate::problem::Problem;
use crate::run::event::Event;
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::{self, Frame, Hello, ServerMessage};

/// Maximum number of ended jobs whose events are kept.
const MAX_ENDED_JOBS: usize = 64;
/// Size in bytes above which the file is rewritten without old events.
const MAX_BYTES: usize = 128 << 20;

/// Maximum number of event numbers per process, including those of events that are not stored.
const NUMBERS_PER_PROCESS: u64 = 1 << 32;

/// A frame to send to a client.
pub(super) type Outgoing = Arc<Frame>;

/// The file of a journal.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    /// Its instance identifies the journal; later processes keep it.
    pub hello: Hello,
    /// The event numbers of this process are larger than this one.
    pub number_base: u64,
    /// `None` after a failed write.
    file: Option<File>,
    bytes: usize,
}

/// An event of an earlier process with its number.
pub(super) type NumberedEvent = (u64, JobEvent);

/// Continues the file of an earlier process, if there is one. Returns the record and the earlier events, to which an
/// end is added for each job that was running.
pub(super) fn continue_record(path: &Path, mut hello: Hello) -> (Record, Vec<NumberedEvent>) {
    let (mut number_base, mut events) = (0, Vec::new());
    if let Some(former) = read_record(path) {
        let last = former.events.last().map_or(0, |(number, _)| *number);
        number_base =
            (last.max(former.number_base) / NUMBERS_PER_PROCESS + 1) * NUMBERS_PER_PROCESS;
        (hello.instance, events) = (former.instance, former.events);
    }
    let record = Record { path: path.to_path_buf(), hello, number_base, file: None, bytes: 0 };
    (record, add_missing_ends(events, number_base))
}

/// The content of an earlier process's file.
struct FormerRecord {
    instance: u64,
    number_base: u64,
    events: Vec<NumberedEvent>,
}

fn read_record(path: &Path) -> Option<FormerRecord> {
    let mut input = BufReader::new(files::open(path).ok()?);
    let Ok(Some((ServerMessage::Hello(hello), _))) = wire::read::<ServerMessage>(&mut input) else {
        return None;
    };
    hello.check().ok()?;
    let mut former = FormerRecord { instance: hello.instance, number_base: 0, events: Vec::new() };
    loop {
        match wire::read::<ServerMessage>(&mut input) {
            Ok(Some((ServerMessage::Took(number), _))) => former.number_base = number,
            Ok(Some((ServerMessage::Event { number, event }, _))) => {
                former.events.push((number, *event));
            }
            _ => return Some(former),
        }
    }
}

/// Returns the events of jobs that still matter, and adds the end of runs that were being trained.
fn add_missing_ends(events: Vec<NumberedEvent>, number_base: u64) -> Vec<NumberedEvent> {
    let mut ends: Vec<JobId> = Vec::new();
    let mut runs: HashMap<JobId, String> = HashMap::new();
    let mut restarting: HashSet<JobId> = HashSet::new();
    for (_, event) in &events {
        let Some(id) = event.job else { continue };
        match &event.event {
            Event::Queued { job, .. } if job.restarts_from_scratch() => drop(restarting.insert(id)),
            Event::Started(header) => drop(runs.insert(id, header.run.clone())),
            Event::Removed(_) => ends.push(id),
            event if event.ends_job() => ends.push(id),
            _ => {}
        }
    }
    let forgotten_count = ends.len().saturating_sub(MAX_ENDED_JOBS);
    let old: HashSet<JobId> = ends[..forgotten_count].iter().copied().collect();
    let has_ended: HashSet<JobId> = ends.into_iter().collect();
    let mut result = events;
    result.retain(|(_, event)| event.job.is_some_and(|id| !old.contains(&id)));
    // A job without a run, or one that consists of more than its run, is queued again instead.
    let unfinished = runs.into_iter();
    let unfinished =
        unfinished.filter(|(id, _)| !has_ended.contains(id) && !restarting.contains(id));
    for (number, (id, run)) in (number_base + 1..).zip(unfinished) {
        let problem = Problem::new(message!("engine-stopped-during-run"))
            .advise(message!("engine-stopped-during-run-advice"));
        let (job, event) = (Some(id), Event::Failed { run, problem });
        result.push((number, JobEvent { job, event }));
    }
    result
}

impl Record {
    /// Stores an event; `frames` are the events to keep if the file has become too large and is rewritten.
    pub fn append<'a>(&mut self, frame: &Outgoing, frames: impl Iterator<Item = &'a Outgoing>) {
        if self.bytes > MAX_BYTES {
            return self.write_all(frames);
        }
        let Some(file) = &mut self.file else { return };
        self.bytes += frame.as_bytes().len();
        // A partial frame would make all later frames unreadable.
        if file.write_all(frame.as_bytes()).is_err() {
            self.file = None;
        }
    }

    /// Rewrites the file with these events.
    pub fn write_all<'a>(&mut self, frames: impl Iterator<Item = &'a Outgoing>) {
        (self.file, self.bytes) = (None, 0);
        let new_path = self.path.with_extension("new");
        let rewritten = (|| {
            let mut file = File::create(&new_path).ok()?;
            let hello = ServerMessage::Hello(self.hello.clone());
            for message in [hello, ServerMessage::Took(self.number_base)] {
                file.write_all(Frame::new(message, &[]).ok()?.as_bytes()).ok()?;
            }
            for frame in frames {
                file.write_all(frame.as_bytes()).ok()?;
                self.bytes += frame.as_bytes().len();
            }
            std::fs::rename(&new_path, &self.path).ok()?;
            files::open_to_append(&self.path).ok()
        })();
        self.file = rewritten;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: u64, event: JobEvent) -> Outgoing {
        let event = Box::new(event);
        Arc::new(Frame::new(ServerMessage::Event { number, event }, &[]).unwrap())
    }

    #[test]
    fn restart_restores_events_without_reusing_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let hello = || Hello::new("/runs".into(), 7);
        let (mut record, earlier) = continue_record(&path, hello());
        assert!(earlier.is_empty());
        record.write_all([].iter());
        let (done, removed) = (JobId::generate(), JobId::generate());
        let finished = Event::Finished { run: "a".into() };
        let events =
            [(done, Event::Began(done)), (done, finished), (removed, Event::Removed(removed))];
        for (number, (id, event)) in (1..).zip(events) {
            let job = Some(id);
            record.append(&frame(number, JobEvent { job, event }), [].iter());
        }
        drop(record);
        // The file ends in the middle of a frame.
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(b"LAE\x01\xff\0\0\0");
        std::fs::write(&path, bytes).unwrap();
        let other = Hello { instance: 9, ..hello() };
        let (record, restored) = continue_record(&path, other);
        assert_eq!((record.hello.instance, restored.len()), (7, 3));
        assert_eq!(restored[2].0, 3);
        // A later process never reuses the number of an event that was sent but not stored.
        let mut number_bases = vec![record.number_base];
        let mut record = record;
        for _ in 0..2 {
            record.write_all([].iter());
            record = continue_record(&path, hello()).0;
            number_bases.push(record.number_base);
        }
        assert!(number_bases[0] > 3 && number_bases.is_sorted_by(|a, b| a < b), "{number_bases:?}");
    }
}
