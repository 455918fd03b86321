//! Sending a job to a place with the files that it needs. Sending can be cancelled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use super::Message;
use super::work::Work;
use crate::experiment::grid::collect_grid_attachments;
use crate::experiment::{RunAttachments, check_untaught, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{Peer, Remote};
use crate::run::event::{Command, Event};
use crate::run::job::{Job, JobAttachments, JobId, JobWork};
use crate::store;

impl Work {
    pub(super) fn stop(&mut self, id: JobId) {
        match self.carrying.remove(&id) {
            Some(stop) => {
                stop.store(true, Ordering::Relaxed);
                self.forget(id);
                self.send_event(Some(id), Event::Removed(id));
            }
            None => self.remote.send(Command::Stop(id)),
        }
    }

    /// Sends a job, after the files that it needs.
    pub(super) fn send_off(&mut self, mut job: Job) {
        let attachments = match self.prepare(&mut job) {
            Ok(attachments) => attachments,
            Err(problem) => return self.refuse(job.id, problem),
        };
        self.put(&job);
        if attachments.is_text_alone() {
            job.own = attachments.own;
            return self.remote.send(Command::Queue(Box::new(job)));
        }
        let stop = Arc::<AtomicBool>::default();
        self.carrying.insert(job.id, Arc::clone(&stop));
        // A separate connection is used, because the main connection reports on running jobs at the same time.
        let (peer, own, id) = (self.peer(), self.own.clone(), job.id);
        let (name, turn) = (self.place.name.clone(), Arc::clone(&self.turn));
        let carry = move || {
            // Jobs wait for each other, because the next job often needs the same files, which are then already there.
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let go_on = || !stop.load(Ordering::Relaxed);
            let tell = |what: crate::texts::Message, files| {
                let words = message!(
                    "doing-copying-files",
                    n = files,
                    what = what,
                    place = name.as_str()
                );
                let _ = own.send(Message::Carrying(id, words.into()));
            };
            let there = Remote::start(peer, true, Arc::new(|| {}))
                .and_then(|remote| remote.upload_attachments(attachments, &go_on, &tell));
            let _ = own.send(Message::Carried(id, there));
        };
        let thread = std::thread::Builder::new().name("carry".into());
        if let Err(error) = thread.spawn(carry) {
            self.carried(id, Err(Problem::no_thread(&error)));
        }
    }

    pub(super) fn carried(&mut self, id: JobId, own: Result<JobAttachments>) {
        if self.carrying.remove(&id).is_none() {
            return; // It was removed meanwhile.
        }
        let kept = self.jobs.iter().find(|kept| kept.job.id == id);
        match (own, kept.map(|kept| kept.job.clone())) {
            (Ok(own), Some(job)) => {
                let job = Box::new(Job { own, ..job });
                self.remote.send(Command::Queue(job));
            }
            (Err(problem), _) => self.refuse(id, problem),
            (Ok(_), None) => {}
        }
    }

    /// Returns the job as the place runs it, and the files to send. A run can be resumed only where it was trained.
    fn prepare(&self, job: &mut Job) -> Result<RunAttachments> {
        let (name, device) = (&self.place.name, self.place.device.clone());
        match &mut job.work {
            JobWork::Train(config) => {
                config.device = device.unwrap_or_else(|| "auto".into());
                collect_attachments(config, &self.place.data)
            }
            JobWork::Resume(run) if store::about(run).0.place == *name => {
                job.device = device;
                let stored = store::load(run)?;
                check_untaught(&stored)?;
                let mut config = stored.header.config;
                // The run's folder there already has the initial weights of its PET.
                config.pet_start = None;
                let attachments = collect_attachments(&mut config, &self.place.data);
                *run = self.root.join(self.remote_name(&store::run_name(run)));
                attachments
            }
            JobWork::Resume(run) | JobWork::Teach { run, .. } => Err(Problem::new(message!(
                "place-run-trained-elsewhere",
                name = name.as_str()
            ))
            .at_path(run)
            .advise(message!("place-run-trained-elsewhere-advice"))),
            JobWork::Grid(work) => {
                job.device = Some(device.unwrap_or_else(|| "auto".into()));
                collect_grid_attachments(work, &self.root, &self.place.data)
            }
            JobWork::Try(_)
            | JobWork::TryBackbones(..)
            | JobWork::TryPet(_)
            | JobWork::Check { .. } => Err(Problem::new(message!(
                "place-trials-local-only",
                name = name.as_str()
            ))
            .advise(message!("place-trials-local-only-advice"))),
        }
    }

    /// Returns the name of a run at the place, which can differ from its name here.
    pub(super) fn remote_name(&self, run: &str) -> String {
        store::remote_name(&self.root.join(run), &self.place.name)
    }

    fn peer(&self) -> Peer {
        Peer::Ssh {
            place: self.place.clone(),
            root: self.root.clone(),
        }
    }
}
