//! The thread's loop: it serves what is asked, and takes one job after the other to its end.

use std::path::Path;

use super::Desk;
use crate::experiment::{self, Changes, Outcome};
use crate::fence::fenced;
use crate::run::event::{Event, Sink, Wish};
use crate::run::job::{Job, JobId, Work};

/// What a running job sees of the engine: a place for its events, and short jobs in between.
struct JobSink<'a> {
    desk: &'a mut Desk,
    job: JobId,
    run: String,
}

impl Sink for JobSink<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Started(header) = &event {
            self.run.clone_from(&header.run);
            // From here on its folder knows of it.
            let lesson = self.desk.unborn.as_ref().is_some_and(Job::is_lesson);
            if !lesson {
                self.desk.unborn = None;
                self.desk.keep();
            }
        }
        self.desk.tell(Some(self.job), event);
    }

    fn between_batches(&mut self) {
        self.desk.take_in();
        if self.desk.ending {
            self.desk.control.set(Wish::Stop);
        }
        // One piece per batch keeps training moving while a slider is played.
        self.desk.serve_one();
    }
}

/// The thread's loop.
pub(super) fn serve(mut desk: Desk, runs_root: &Path) {
    desk.restore();
    loop {
        desk.take_in();
        if desk.ending {
            return;
        }
        if desk.serve_one() {
            continue;
        }
        if let Some(job) = desk.line.begin() {
            work(&mut desk, job, runs_root);
            continue;
        }
        match desk.inbox.recv() {
            Ok(mail) => desk.open(mail),
            Err(_) => return,
        }
    }
}

/// Takes a job from its beginning to its end.
fn work(desk: &mut Desk, job: Job, runs_root: &Path) {
    let id = job.id;
    desk.at_work = Some(id);
    desk.unborn = Some(job.clone());
    desk.control.begin(id);
    desk.tell(Some(id), Event::Began(id));
    // A stop that was meant for this job while it waited still lies in the inbox.
    desk.take_in();
    if desk.ending {
        return; // It stays in the line's file.
    }
    let event = run_job(desk, &job, runs_root);
    let unbegun = matches!(&event, Event::Stopped { run } if run.is_empty() || job.is_lesson());
    if !(desk.ending && unbegun) {
        desk.unborn = None;
    }
    desk.at_work = None;
    desk.tell(Some(id), event);
    desk.keep();
    // The next job may be far away; this one's scratch memory is better free until then.
    crate::nn::release_buffers();
}

/// Does what a job says; gives how it ended.
fn run_job(desk: &mut Desk, job: &Job, runs_root: &Path) -> Event {
    let (stock, control) = (desk.stock.clone(), desk.control.clone());
    let mut sink = JobSink {
        desk,
        job: job.id,
        run: String::new(),
    };
    let outcome = fenced(|| match &job.work {
        Work::Train(config) => experiment::train(config, runs_root, &stock, &mut sink, &control),
        Work::Resume(run) => {
            let changes = Changes {
                device: job.device.as_deref(),
                ..Changes::default()
            };
            experiment::resume_on(run, &changes, &stock, &mut sink, &control)
        }
        Work::Teach { run, source } => {
            let device = job.device.as_deref();
            experiment::teach(run, source, device, &stock, &mut sink, &control)
        }
    });
    let run = sink.run;
    match outcome {
        Ok(Outcome::Finished(header)) => Event::Finished { run: header.run },
        Ok(Outcome::Stopped(header)) => Event::Stopped { run: header.run },
        Ok(Outcome::NotBegun) => Event::Stopped { run },
        Err(problem) => {
            // A device that failed without saying that it is lost is no use to the next job either.
            desk.let_go();
            Event::Failed { run, problem }
        }
    }
}
