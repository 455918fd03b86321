//! The queue of waiting jobs, and the events of jobs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::job::{Job, JobId};

/// An event with its job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobEvent {
    /// The job; `None` if the event belongs to no job.
    pub job: Option<JobId>,
    /// The event.
    pub event: Event,
}

/// Returns the job that a change of the queue concerns; `None` for other events.
pub fn changed_job_id(change: &Event) -> Option<JobId> {
    match change {
        Event::Queued { job, .. } => Some(job.id),
        Event::Began(job) | Event::Removed(job) => Some(*job),
        _ => None,
    }
}

/// Waiting jobs, in the order in which they start.
#[derive(Clone, Debug, Default)]
pub struct Queue(VecDeque<Job>);

impl Queue {
    /// Returns the jobs, the next one first.
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &Job> {
        self.0.iter()
    }

    /// Returns the position of a job, from 0.
    pub fn position(&self, id: JobId) -> Option<usize> {
        self.0.iter().position(|job| job.id == id)
    }

    /// Inserts a job at a position, or at the end if that is too large, and removes it from its previous position.
    pub fn insert(&mut self, job: Job, place: usize) -> Event {
        self.remove(job.id);
        let place = place.min(self.0.len());
        self.0.insert(place, job.clone());
        Event::Queued { job: Box::new(job), place }
    }

    /// Removes a job.
    pub fn remove(&mut self, id: JobId) -> Option<Job> {
        self.0.remove(self.position(id)?)
    }

    /// Moves a job to another position; `None` if it is no longer in the queue.
    pub fn move_to(&mut self, id: JobId, place: usize) -> Option<Event> {
        let job = self.remove(id)?;
        Some(self.insert(job, place))
    }

    /// Puts all jobs on hold or releases them; returns an event for each job that changed.
    pub fn set_held(&mut self, held: bool) -> Vec<Event> {
        let jobs = self.0.iter_mut().enumerate();
        let changed = jobs.filter(|(_, job)| job.held != held);
        let events = changed.map(|(place, job)| {
            job.held = held;
            let job = Box::new(job.clone());
            Event::Queued { job, place }
        });
        events.collect()
    }

    /// Releases a job on hold; `None` if it is not on hold or not in the queue.
    pub fn release(&mut self, id: JobId) -> Option<Event> {
        let place = self.position(id)?;
        let job = self.0.get_mut(place).filter(|job| job.held)?;
        job.held = false;
        let job = Box::new(job.clone());
        Some(Event::Queued { job, place })
    }

    /// Removes and returns the first job that is not on hold.
    pub fn pop_next(&mut self) -> Option<Job> {
        let place = self.0.iter().position(|job| !job.held)?;
        self.0.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::run::config::RunConfig;

    fn titles(queue: &Queue) -> Vec<&str> {
        queue.jobs().map(|job| job.title.as_str()).collect()
    }

    fn queue(titles: &[&str]) -> (Queue, Vec<JobId>) {
        let mut queue = Queue::default();
        let ids = titles.iter().map(|title| {
            let job = Job::resume(PathBuf::new(), None, (*title).to_string());
            let id = job.id;
            queue.insert(job, usize::MAX);
            id
        });
        let ids = ids.collect();
        (queue, ids)
    }

    #[test]
    fn jobs_are_moved_removed_and_skipped_while_held() {
        let (mut queue, ids) = queue(&["a", "b", "c"]);
        queue.move_to(ids[2], 0).unwrap();
        assert_eq!(titles(&queue), ["c", "a", "b"]);
        queue.move_to(ids[2], 99).unwrap();
        assert_eq!(titles(&queue), ["a", "b", "c"]);
        assert_eq!(queue.remove(ids[1]).unwrap().title, "b");
        assert!(queue.move_to(ids[1], 0).is_none());
        assert_eq!(queue.set_held(true).len(), 2);
        assert!(queue.set_held(true).is_empty() && queue.pop_next().is_none());
        queue.insert(Job::train(RunConfig::default(), "d".into()), usize::MAX);
        assert_eq!(queue.pop_next().unwrap().title, "d");
        assert!(queue.release(ids[2]).is_some() && queue.release(ids[2]).is_none());
        queue.set_held(false);
        assert_eq!(queue.pop_next().unwrap().title, "a");
        assert_eq!(titles(&queue), ["c"]);
    }
}
