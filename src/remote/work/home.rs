//! Handles events of jobs and downloads their runs: the end of a run is reported once it is completely downloaded.

use super::{Following, PendingEvent, Ticket, Work};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::mirror::Mirror;
use crate::remote::ssh::is_full;
use crate::remote::{News, Peer};
use crate::run::event::Event;
use crate::run::grid::CellStanding;
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::{self, ClientRequest};
use crate::store;
use crate::texts::Value;

impl Work {
    pub(super) fn handle_event(&mut self, told: JobEvent) {
        let Ok(mut told) = wire::with_absolute_runs(told, self.peer.root(), self.is_child()) else {
            return; // The event names a path that no correct program sends.
        };
        if let Event::Failed { problem, .. } = &mut told.event {
            self.name_place(problem);
        }
        self.follow(&mut told);
        let Some(job) = told.job else {
            // An event without a job does not wait for a download.
            return self.send_news(News::Event(Box::new(told)));
        };
        let open = self.open_run(job).map(|at| &mut self.following[at]);
        match open {
            Some(following) if is_end_of_run(&told.event) => {
                following.mirror.ends();
                self.due
                    .push_back(PendingEvent::Home(following.mirror.run.clone()));
                following.end = Some(told);
            }
            Some(following) => {
                if matches!(
                    told.event,
                    Event::TaskEvaluated { .. } | Event::TakenUp { .. }
                ) {
                    following.mirror.soon();
                }
                self.due.push_back(PendingEvent::Now(told));
            }
            None => self.due.push_back(PendingEvent::Now(told)),
        }
        self.tell_due();
    }

    /// Returns the index of the job's run that is being downloaded and whose end was not reported yet.
    fn open_run(&self, job: JobId) -> Option<usize> {
        let open = |f: &Following| f.job == Some(job) && f.end.is_none();
        self.following.iter().position(open)
    }

    /// Reports the events in order, up to the end of a run that is still being downloaded.
    fn tell_due(&mut self) {
        let is_ready = |due: &mut PendingEvent| matches!(due, PendingEvent::Now(_));
        while let Some(PendingEvent::Now(event)) = self.due.pop_front_if(is_ready) {
            self.send_news(News::Event(Box::new(event)));
        }
    }

    /// Reports the end of a run, whose download is complete or was given up.
    fn ended_at_home(&mut self, run: &str, end: JobEvent) {
        let waits =
            |due: &&mut PendingEvent| matches!(due, PendingEvent::Home(known) if known == run);
        match self.due.iter_mut().find(waits) {
            Some(due) => *due = PendingEvent::Now(end),
            None => self.due.push_back(PendingEvent::Now(end)),
        }
        self.tell_due();
    }

    /// Adds the name of the other machine to a Problem that occurred there.
    pub(super) fn name_place(&self, problem: &mut Problem) {
        if self.is_child() {
            return;
        }
        let name = self.peer.name();
        let place = match problem.place.is_empty() {
            true => name.to_string(),
            false => format!("{name}: {}", problem.place),
        };
        if is_full(&problem.what) {
            let what: Value = problem.words().into();
            let full = message!("place-disk-full-what", place = name, what);
            *problem = Problem::new(full).advise(message!("place-disk-full-advice"));
        }
        problem.place = place;
    }

    /// Records the running job and answered requests, and starts to download a run that was requested here.
    fn follow(&mut self, told: &mut JobEvent) {
        let job = told.job;
        match &mut told.event {
            Event::Began(id) => self.running = Some((*id, String::new())),
            Event::Started(header) => {
                if let Some((_, run)) = &mut self.running {
                    run.clone_from(&header.run);
                }
                let run = header.run.clone();
                if let Some(mirror) = self.mirror(job, &run) {
                    **header = mirror.header((**header).clone());
                    // A run that ran out of memory starts again, and a run of a grid resumes if its program was
                    // restarted.
                    let open = job.and_then(|job| self.open_run(job));
                    if open.is_none_or(|at| self.following[at].mirror.run != run) {
                        self.begin_to_bring(job, mirror);
                    }
                }
            }
            Event::Cell {
                standing: CellStanding::Done(folder),
                ..
            } => {
                if let Some(mirror) = self.mirror(job, &store::run_name(folder)) {
                    folder.clone_from(&mirror.folder);
                    let open = job.and_then(|job| self.open_run(job));
                    // A run that existed before is already downloaded.
                    if open.is_none() && !mirror.was_brought() {
                        self.begin_to_bring(job, mirror);
                    }
                }
            }
            Event::Queued { job, .. } => drop(self.running.take_if(|(id, _)| *id == job.id)),
            event if event.ends_job() => self.running = None,
            Event::Predicted(prediction) => self.answered(prediction.ticket, 1),
            Event::Inside(insight) => self.answered(insight.ticket, 1),
            Event::NotPredicted { ticket, .. } | Event::NotInside { ticket, .. } => {
                self.answered(*ticket, usize::MAX);
            }
            _ => {}
        }
    }

    /// Returns a new download of this job's run, if the job was requested here.
    fn mirror(&self, job: Option<JobId>, run: &str) -> Option<Mirror> {
        let Peer::Ssh { place, root } = &self.peer else {
            return None;
        };
        job.filter(|id| self.mine.contains(id))?;
        Mirror::new(run, &place.name, root).ok()
    }

    fn begin_to_bring(&mut self, job: Option<JobId>, mirror: Mirror) {
        let end = None;
        self.following.push(Following { job, mirror, end });
    }

    /// Counts the answers to a request.
    fn answered(&mut self, number: u64, answers: usize) {
        let same = |ticket: &&mut Ticket| ticket.number == number;
        for ticket in self.tickets.iter_mut().filter(same) {
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
                    mirror.ends();
                }
                self.mine.extend(job);
                self.begin_to_bring(job, mirror);
            }
            Err(problem) => self.send_news(News::Refused(problem)),
        }
    }

    /// Continues the download of a run with `act`.
    pub(super) fn step(
        &mut self,
        run: &str,
        act: impl FnOnce(&mut Mirror) -> Result<Option<ClientRequest>>,
    ) {
        let Some(at) = self.following.iter().position(|f| f.mirror.run == run) else {
            return;
        };
        match act(&mut self.following[at].mirror) {
            Ok(Some(ask)) => self.send_request(ask, &[]),
            Ok(None) if self.following[at].mirror.is_home => {
                let following = self.following.swap_remove(at);
                match following.end {
                    Some(end) => self.ended_at_home(&following.mirror.run, end),
                    None => {
                        let Mirror { run, folder, .. } = following.mirror;
                        self.send_news(News::Home(run, folder));
                    }
                }
            }
            Ok(None) => {}
            Err(problem) => self.fail(at, problem),
        }
    }

    /// Handles a failed request of a download: it is repeated, or the failure is reported.
    pub(super) fn fail(&mut self, at: usize, problem: Problem) {
        let mirror = &mut self.following[at].mirror;
        let run = mirror.run.clone();
        let Some(problem) = mirror.fails(problem) else {
            return;
        };
        let following = self.following.swap_remove(at);
        match following.end {
            Some(end) => self.ended_at_home(&run, unbrought(end, problem)),
            None => self.send_news(News::Refused(problem)),
        }
    }
}

/// Returns whether the event means that the job no longer works on its current run.
fn is_end_of_run(event: &Event) -> bool {
    match event {
        Event::Cell { standing, .. } => *standing != CellStanding::AtWork,
        Event::Removed(_) => true,
        event => event.ends_job(),
    }
}

/// Converts the end of a run that could not be downloaded to a failure.
pub(super) fn unbrought(JobEvent { job, event }: JobEvent, problem: Problem) -> JobEvent {
    let event = match event {
        Event::Cell {
            cell, seconds_left, ..
        } => Event::Cell {
            cell,
            standing: CellStanding::Refused(problem),
            seconds_left,
        },
        _ => {
            let run = String::new();
            Event::Failed { run, problem }
        }
    };
    JobEvent { job, event }
}
