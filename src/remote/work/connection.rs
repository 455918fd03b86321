//! Opens the connection to another process, and reopens it after a break until it gives up.

use std::process::Command as Process;
use std::time::{Duration, Instant};

use super::{Message, SOON, Work, queued};
use crate::message;
use crate::problem::Problem;
use crate::remote::link::Link;
use crate::remote::ssh::{command, may_pass, reason, script};
use crate::remote::{News, Peer};
use crate::run::places::no_ssh;
use crate::run::wire::{ClientRequest, Hello};

/// Maximum delay before the connection is reopened after a break.
const LATEST: Duration = Duration::from_secs(10);
/// Maximum number of attempts to open the first connection.
const FIRST_TRIES: usize = 20;

impl Work {
    /// Starts the process, or the `ssh` connection to it.
    pub(super) fn connect(&mut self) {
        self.link = None;
        self.connection += 1;
        let process = match &self.peer {
            Peer::Child { program, root } => {
                let mut process = Process::new(program);
                process.args(["serve", "--low-priority", "--out"]).arg(root);
                process
            }
            Peer::Ssh { place, .. } => command(place, &script(place, &["serve", "--attach"])),
        };
        let number = self.connection;
        let wrap = move |heard| Message::LinkEvent(number, heard);
        match Link::start(process, self.own.clone(), wrap) {
            Ok(link) => self.link = Some(link),
            Err(error) if self.is_child() => {
                self.lose(Problem::with_error("engine-not-started", &error));
            }
            Err(error) => self.lose(no_ssh(&error)),
        }
    }

    /// Handles the greeting of the other process. If it is a new process, neither side knows the other's earlier
    /// messages.
    pub(super) fn greet(&mut self, hello: Hello) {
        if let Err(problem) = hello.check() {
            return self.lose(problem.at(self.peer.name()));
        }
        if self.instance != 0 && self.instance != hello.instance && !self.is_child() {
            let problem = Problem::new(message!(
                "place-program-restarted",
                place = self.peer.name()
            ))
            .advise(message!("place-program-restarted-advice"));
            self.end_jobs(&problem);
        }
        if self.instance != hello.instance {
            (self.instance, self.last) = (hello.instance, 0);
        }
        self.is_here = true;
        (self.pause, self.tries, self.told_broken) = (SOON, 0, false);
        let (instance, number) = (self.instance, self.last);
        self.send_request(ClientRequest::Since { instance, number }, &[]);
        for (said, raw) in self.waiting.clone() {
            self.write(said, &raw);
        }
        self.following
            .iter_mut()
            .for_each(|f| f.mirror.begin_again());
        self.send_news(News::Here(hello));
    }

    /// Handles the end of the connection.
    pub(super) fn ended(&mut self, problem: Option<Problem>) {
        let was_here = std::mem::take(&mut self.is_here);
        let Some(mut link) = self.link.take() else {
            return;
        };
        let (code, status, said) = link.ended();
        let Peer::Ssh { place, .. } = &self.peer else {
            let line = said.lines().last().unwrap_or_default();
            let problem = Problem::new(message!("engine-process-ended", status))
                .at(line)
                .advise(message!("engine-process-ended-advice"));
            return match was_here {
                true => self.end_jobs(&problem),
                false => self.lose(problem),
            };
        };
        let problem = problem.unwrap_or_else(|| reason(place, code, &said));
        let first = self.instance == 0;
        self.tries += 1;
        if first && (!may_pass(&problem) || self.tries > FIRST_TRIES || code == Some(255)) {
            return self.lose(problem);
        }
        if !std::mem::replace(&mut self.told_broken, true) {
            self.send_news(News::Broken(problem));
        }
        self.retry = Some(Instant::now() + self.pause);
        if !was_here {
            self.pause = (self.pause * 2).min(LATEST);
        }
    }

    /// Gives up: pending requests fail.
    fn lose(&mut self, problem: Problem) {
        (self.link, self.is_here) = (None, false);
        for (said, _) in std::mem::take(&mut self.waiting) {
            if let Some(job) = queued(&said.ask) {
                self.fail_job(job, problem.clone());
            }
        }
        self.end_jobs(&problem);
        self.send_news(News::Lost(problem));
    }
}
