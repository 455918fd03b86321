//! What is heard of jobs, and how their runs come home: the end of a run is told when all of it is here.

use super::{Due, Following, Work};
use crate::problem::{Problem, Result};
use crate::remote::mirror::Mirror;
use crate::remote::ssh::{MAKE_ROOM, is_full};
use crate::remote::{News, Peer};
use crate::run::event::Event;
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::{self, Ask, Told};

impl Work {
    pub(super) fn hear_event(&mut self, told: JobEvent) {
        let Ok(mut told) = wire::home(told, self.peer.root(), self.is_child()) else {
            return; // Of a run that no program of this kind would name.
        };
        if let Event::Failed { problem, .. } = &mut told.event {
            self.name_place(problem);
        }
        self.follow(&mut told);
        let job = told.job;
        let ends = is_end(&told.event);
        let following = self
            .following
            .iter_mut()
            .find(|f| job.is_some() && f.job == job);
        match (following, job) {
            (Some(following), Some(job)) if ends => {
                following.mirror.ends();
                following.end = Some(told);
                self.due.push_back(Due::Home(job));
            }
            (Some(following), _) => {
                if matches!(
                    told.event,
                    Event::TaskEvaluated { .. } | Event::TakenUp { .. }
                ) {
                    following.mirror.soon();
                }
                self.due.push_back(Due::Now(told));
            }
            (None, Some(_)) => self.due.push_back(Due::Now(told)),
            // What is told of no job waits for none.
            (None, None) => self.tell(News::Event(Box::new(told))),
        }
        self.tell_due();
    }

    /// Tells what is due, up to the end of a run that is still on its way.
    fn tell_due(&mut self) {
        while let Some(Due::Now(_)) = self.due.front() {
            if let Some(Due::Now(event)) = self.due.pop_front() {
                self.tell(News::Event(Box::new(event)));
            }
        }
    }

    /// Tells the end of a job's run, which is here, or will never be.
    fn ended_at_home(&mut self, end: JobEvent) {
        let waits = |due: &&mut Due| matches!(due, Due::Home(job) if Some(*job) == end.job);
        match self.due.iter_mut().find(waits) {
            Some(due) => *due = Due::Now(end),
            None => self.due.push_back(Due::Now(end)),
        }
        self.tell_due();
    }

    /// Says of what went wrong on another machine that it did so there.
    pub(super) fn name_place(&self, problem: &mut Problem) {
        if self.is_child() {
            return;
        }
        let name = self.peer.name();
        problem.place = match problem.place.is_empty() {
            true => name.to_string(),
            false => format!("{name}: {}", problem.place),
        };
        if is_full(&problem.what) {
            problem.what = format!("the disk of {name} is full: {}", problem.what);
            problem.remedy = MAKE_ROOM.to_string();
        }
    }

    /// Keeps in mind what is at work and what is answered, and begins to bring home a run that was asked for here.
    fn follow(&mut self, told: &mut JobEvent) {
        match &mut told.event {
            Event::Began(id) => self.running = Some((*id, String::new())),
            Event::Started(header) => {
                if let Some((_, run)) = &mut self.running {
                    run.clone_from(&header.run);
                }
                let mine = told.job.filter(|id| self.mine.contains(id));
                if let (Some(_), Peer::Ssh { place, root }) = (mine, &self.peer)
                    && let Ok(mirror) = Mirror::of(&header.run, &place.name, root)
                {
                    **header = mirror.header((**header).clone());
                    // One that was short of memory on the way is told to begin again.
                    let known = self.following.iter().any(|f| f.job == told.job);
                    if !known {
                        self.following.push(Following {
                            job: told.job,
                            mirror,
                            end: None,
                        });
                    }
                }
            }
            event if is_end(event) => self.running = None,
            Event::Predicted(prediction) => self.answered(prediction.ticket, 1),
            Event::Inside(insight) => self.answered(insight.ticket, 1),
            Event::NotPredicted { ticket, .. } | Event::NotInside { ticket, .. } => {
                self.answered(*ticket, usize::MAX);
            }
            _ => {}
        }
    }

    pub(super) fn bring(&mut self, run: &str, job: Option<JobId>) {
        let Peer::Ssh { place, root } = &self.peer else {
            return;
        };
        match Mirror::of(run, &place.name, root) {
            Ok(mut mirror) => {
                if job.is_none() {
                    mirror.ends();
                }
                self.mine.extend(job);
                self.following.push(Following {
                    job,
                    mirror,
                    end: None,
                });
            }
            Err(problem) => self.tell(News::Answer(Told::Refused(problem), Vec::new())),
        }
    }

    /// Goes on with a run on its way home.
    pub(super) fn step(&mut self, run: &str, act: impl FnOnce(&mut Mirror) -> Result<Option<Ask>>) {
        let Some(at) = self.following.iter().position(|f| f.mirror.run == run) else {
            return;
        };
        match act(&mut self.following[at].mirror) {
            Ok(Some(ask)) => self.say(ask, &[]),
            Ok(None) if self.following[at].mirror.is_home => {
                let following = self.following.swap_remove(at);
                match following.end {
                    Some(end) => self.ended_at_home(end),
                    None => self.tell(News::Home(following.mirror.folder)),
                }
            }
            Ok(None) => {}
            Err(problem) => self.fail(at, problem),
        }
    }

    /// What was asked for a run on its way home failed: it is asked for again, or that is told.
    pub(super) fn fail(&mut self, at: usize, problem: Problem) {
        let mirror = &mut self.following[at].mirror;
        let run = mirror.run.clone();
        let Some(problem) = mirror.fails(problem) else {
            return;
        };
        let following = self.following.swap_remove(at);
        match following.end {
            Some(end) => {
                let event = Event::Failed { run, problem };
                let job = end.job;
                self.ended_at_home(JobEvent { job, event });
            }
            None => self.tell(News::Answer(Told::Refused(problem), Vec::new())),
        }
    }
}

fn is_end(event: &Event) -> bool {
    matches!(
        event,
        Event::Finished { .. } | Event::Stopped { .. } | Event::Failed { .. }
    )
}
