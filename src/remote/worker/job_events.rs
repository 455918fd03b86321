//! Handles events of jobs and downloads their runs: the end of a run is reported once it is completely downloaded.

use super::{FollowedRun, PendingEvent, Ticket, Worker};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::download::Mirror;
use crate::remote::ssh::is_disk_full;
use crate::remote::{Peer, RemoteEvent};
use crate::run::event::Event;
use crate::run::grid::CellState;
use crate::run::job::JobId;
use crate::run::prediction_table::WorkState;
use crate::run::queue::JobEvent;
use crate::run::wire::{self, ClientRequest};
use crate::store;
use crate::texts::Value;

impl Worker {
    pub(super) fn handle_event(&mut self, job_event: JobEvent) {
        let Ok(mut job_event) =
            wire::with_absolute_runs(job_event, self.peer.root(), self.is_child())
        else {
            return; // The event names a path that no correct program sends.
        };
        if let Event::Failed { problem, .. } = &mut job_event.event {
            self.add_place_name(problem);
        }
        let finished_run = match &job_event.event {
            Event::Cell { standing: CellState::Done(folder), .. } => Some(store::run_name(folder)),
            _ => None,
        };
        self.track_job(&mut job_event);
        let Some(job) = job_event.job else {
            // An event without a job does not wait for a download.
            return self.emit(RemoteEvent::Event(Box::new(job_event)));
        };
        // A finished run of a grid ends only its own download.
        let open_index = self.open_run_index(job, finished_run.as_deref());
        match open_index.map(|index| &mut self.followed_runs[index]) {
            Some(following) if is_end_of_run(&job_event.event) => {
                following.mirror.mark_ended();
                self.pending_events
                    .push_back(PendingEvent::AwaitingDownload(following.mirror.run.clone()));
                following.end = Some(job_event);
            }
            Some(following) => {
                if matches!(job_event.event, Event::TaskEvaluated { .. } | Event::TakenUp { .. }) {
                    following.mirror.list_soon();
                }
                self.pending_events.push_back(PendingEvent::Ready(job_event));
            }
            None => self.pending_events.push_back(PendingEvent::Ready(job_event)),
        }
        self.send_ready_events();
    }

    /// Returns the index of the job's run (the one with this name, if given) that is being downloaded and whose end was
    /// not reported yet.
    fn open_run_index(&self, job: JobId, run: Option<&str>) -> Option<usize> {
        let is_open = |f: &FollowedRun| {
            f.job == Some(job) && f.end.is_none() && run.is_none_or(|run| f.mirror.run == run)
        };
        self.followed_runs.iter().position(is_open)
    }

    /// Reports the events in order, up to the end of a run that is still being downloaded.
    fn send_ready_events(&mut self) {
        let is_ready = |due: &mut PendingEvent| matches!(due, PendingEvent::Ready(_));
        while let Some(PendingEvent::Ready(event)) = self.pending_events.pop_front_if(is_ready) {
            self.emit(RemoteEvent::Event(Box::new(event)));
        }
    }

    /// Reports the end of a run, whose download is complete or was given up.
    fn report_run_end(&mut self, run: &str, end: JobEvent) {
        let is_waiting = |due: &&mut PendingEvent| matches!(due, PendingEvent::AwaitingDownload(name) if name == run);
        match self.pending_events.iter_mut().find(is_waiting) {
            Some(due) => *due = PendingEvent::Ready(end),
            None => self.pending_events.push_back(PendingEvent::Ready(end)),
        }
        self.send_ready_events();
    }

    /// Adds the name of the other machine to a Problem that occurred there.
    pub(super) fn add_place_name(&self, problem: &mut Problem) {
        if self.is_child() {
            return;
        }
        let name = self.peer.name();
        let place = match problem.place.is_empty() {
            true => name.to_string(),
            false => format!("{name}: {}", problem.place),
        };
        if is_disk_full(&problem.what) {
            let what: Value = problem.what_text().into();
            let full = message!("place-disk-full-what", place = name, what);
            *problem = Problem::new(full).advise(message!("place-disk-full-advice"));
        }
        problem.place = place;
    }

    /// Records the running job and answered requests, and starts to download a run that was requested here.
    fn track_job(&mut self, job_event: &mut JobEvent) {
        let job = job_event.job;
        match &mut job_event.event {
            Event::Began(id) => self.running = Some((*id, String::new())),
            Event::Started(header) => {
                if let Some((_, run)) = &mut self.running {
                    run.clone_from(&header.run);
                }
                let run = header.run.clone();
                if let Some(mirror) = self.create_mirror(job, &run) {
                    **header = mirror.header((**header).clone());
                    // A run that ran out of memory starts again, and a run of a grid resumes if its program was
                    // restarted.
                    if job.and_then(|job| self.open_run_index(job, Some(&run))).is_none() {
                        self.start_download(job, mirror);
                    }
                }
            }
            Event::Cell { standing: CellState::Done(folder), .. } => {
                if let Some(mirror) = self.create_mirror(job, &store::run_name(folder)) {
                    folder.clone_from(&mirror.folder);
                    let is_same = |f: &FollowedRun| f.job == job && f.mirror.run == mirror.run;
                    let is_followed = self.followed_runs.iter().any(is_same);
                    // A run that existed before is already downloaded.
                    if !is_followed && !mirror.was_downloaded() {
                        self.start_download(job, mirror);
                    }
                }
            }
            Event::Queued { job, .. } => drop(self.running.take_if(|(id, _)| *id == job.id)),
            event if event.ends_job() => self.running = None,
            Event::Predicted(prediction) => self.count_answers(prediction.ticket, 1),
            Event::Inside(insight) => self.count_answers(insight.ticket, 1),
            Event::NotPredicted { ticket, .. } | Event::NotInside { ticket, .. } => {
                self.count_answers(*ticket, usize::MAX);
            }
            Event::Sheet { ticket, state } if !matches!(state, WorkState::Working(_)) => {
                self.count_answers(*ticket, 1);
            }
            Event::Doubts { ticket, state } if !matches!(state, WorkState::Working(_)) => {
                self.count_answers(*ticket, 1);
            }
            _ => {}
        }
    }

    /// Returns a new download of this job's run, if the job was requested here.
    fn create_mirror(&self, job: Option<JobId>, run: &str) -> Option<Mirror> {
        let Peer::Ssh { place, root } = &self.peer else {
            return None;
        };
        job.filter(|id| self.own_jobs.contains(id))?;
        Mirror::new(run, &place.name, root).ok()
    }

    fn start_download(&mut self, job: Option<JobId>, mirror: Mirror) {
        let end = None;
        self.followed_runs.push(FollowedRun { job, mirror, end });
    }

    /// Counts the answers to a request.
    fn count_answers(&mut self, number: u64, answers: usize) {
        let is_same = |ticket: &&mut Ticket| ticket.number == number;
        for ticket in self.tickets.iter_mut().filter(is_same) {
            ticket.answers = ticket.answers.saturating_sub(answers);
        }
        self.tickets.retain(|ticket| ticket.answers > 0);
    }

    pub(super) fn fetch_run(&mut self, run: &str, job: Option<JobId>) {
        let Peer::Ssh { place, root } = &self.peer else {
            return;
        };
        match Mirror::new(run, &place.name, root) {
            Ok(mut mirror) => {
                if job.is_none() {
                    mirror.mark_ended();
                }
                self.own_jobs.extend(job);
                self.start_download(job, mirror);
            }
            Err(problem) => self.emit(RemoteEvent::DownloadFailed(run.to_string(), problem)),
        }
    }

    /// Continues the download of a run with `advance`.
    pub(super) fn continue_download(
        &mut self,
        run: &str,
        advance: impl FnOnce(&mut Mirror) -> Result<Option<ClientRequest>>,
    ) {
        // A run can be followed twice, but only one of its downloads waits for this answer.
        let is_asking = |f: &FollowedRun| f.mirror.run == run && f.mirror.is_asking();
        let Some(index) = self.followed_runs.iter().position(is_asking) else {
            return;
        };
        match advance(&mut self.followed_runs[index].mirror) {
            Ok(Some(request)) => self.send_request(request, &[]),
            Ok(None) if self.followed_runs[index].mirror.is_complete => {
                let following = self.followed_runs.swap_remove(index);
                match following.end {
                    Some(end) => self.report_run_end(&following.mirror.run, end),
                    None => {
                        let Mirror { run, folder, .. } = following.mirror;
                        self.emit(RemoteEvent::RunDownloaded(run, folder));
                    }
                }
            }
            Ok(None) => {}
            Err(problem) => self.handle_download_failure(index, problem),
        }
    }

    /// Handles a failed request of a download: it is repeated, or the failure is reported.
    pub(super) fn handle_download_failure(&mut self, index: usize, problem: Problem) {
        let mirror = &mut self.followed_runs[index].mirror;
        let run = mirror.run.clone();
        let Some(problem) = mirror.record_failure(problem) else {
            return;
        };
        let following = self.followed_runs.swap_remove(index);
        match following.end {
            Some(end) => self.report_run_end(&run, to_download_failure(end, problem)),
            None => self.emit(RemoteEvent::DownloadFailed(run, problem)),
        }
    }
}

/// Returns whether the event means that the job no longer works on its current run.
fn is_end_of_run(event: &Event) -> bool {
    match event {
        Event::Cell { standing, .. } => *standing != CellState::AtWork,
        Event::Removed(_) => true,
        event => event.ends_job(),
    }
}

/// Converts the end of a run that could not be downloaded to a failure.
pub(super) fn to_download_failure(JobEvent { job, event }: JobEvent, problem: Problem) -> JobEvent {
    let event = match event {
        Event::Cell { cell, seconds_left, .. } => {
            Event::Cell { cell, standing: CellState::Refused(problem), seconds_left }
        }
        _ => {
            let run = String::new();
            Event::Failed { run, problem }
        }
    };
    JobEvent { job, event }
}
