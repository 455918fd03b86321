//! Opens the connection to another process, and reopens it after a break until it gives up.

use std::process::Command as Process;
use std::time::{Duration, Instant};

use super::{Message, RETRY_DELAY, Worker, queued_job};
use crate::message;
use crate::problem::Problem;
use crate::remote::link::Link;
use crate::remote::ssh::{command, explain_failure, is_transient, script};
use crate::remote::{Peer, RemoteEvent};
use crate::run::remote_machines::ssh_start_problem;
use crate::run::wire::{ClientRequest, Hello};

/// Maximum delay before the connection is reopened after a break.
const MAX_DELAY: Duration = Duration::from_secs(10);
/// Maximum number of attempts to open the first connection.
const MAX_FIRST_TRIES: usize = 20;

impl Worker {
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
        let wrap = move |event| Message::LinkEvent(number, event);
        match Link::start(process, self.self_sender.clone(), wrap) {
            Ok(link) => self.link = Some(link),
            Err(error) if self.is_child() => {
                self.give_up(Problem::with_error("engine-not-started", &error));
            }
            Err(error) => self.give_up(ssh_start_problem(&error)),
        }
    }

    /// Handles the greeting of the other process. If it is a new process, neither side knows the other's earlier
    /// messages.
    pub(super) fn handle_hello(&mut self, hello: Hello) {
        if let Err(problem) = hello.check() {
            return self.give_up(problem.at(self.peer.name()));
        }
        if self.instance != 0 && self.instance != hello.instance && !self.is_child() {
            let problem =
                Problem::new(message!("place-program-restarted", place = self.peer.name()))
                    .advise(message!("place-program-restarted-advice"));
            self.end_jobs(&problem);
        }
        if self.instance != hello.instance {
            (self.instance, self.last_event) = (hello.instance, 0);
        }
        self.is_connected = true;
        (self.retry_delay, self.tries, self.break_reported) = (RETRY_DELAY, 0, false);
        let (instance, number) = (self.instance, self.last_event);
        self.send_request(ClientRequest::Since { instance, number }, &[]);
        for (message, raw) in self.unacknowledged.clone() {
            self.write(message, &raw);
        }
        self.followed_runs.iter_mut().for_each(|f| f.mirror.restart_step());
        self.emit(RemoteEvent::Connected(hello));
    }

    /// Handles the end of the connection.
    pub(super) fn handle_disconnect(&mut self, problem: Option<Problem>) {
        let was_here = std::mem::take(&mut self.is_connected);
        let Some(mut link) = self.link.take() else {
            return;
        };
        let (code, status, stderr) = link.close();
        let Peer::Ssh { place, .. } = &self.peer else {
            let line = stderr.lines().last().unwrap_or_default();
            let problem = Problem::new(message!("engine-process-ended", status))
                .at(line)
                .advise(message!("engine-process-ended-advice"));
            return match was_here {
                true => self.end_jobs(&problem),
                false => self.give_up(problem),
            };
        };
        let problem = problem.unwrap_or_else(|| explain_failure(place, code, &stderr));
        let is_first = self.instance == 0;
        self.tries += 1;
        if is_first
            && (!is_transient(&problem) || self.tries > MAX_FIRST_TRIES || code == Some(255))
        {
            return self.give_up(problem);
        }
        if !std::mem::replace(&mut self.break_reported, true) {
            self.emit(RemoteEvent::Disconnected(problem));
        }
        self.retry_at = Some(Instant::now() + self.retry_delay);
        if !was_here {
            self.retry_delay = (self.retry_delay * 2).min(MAX_DELAY);
        }
    }

    /// Gives up: pending requests fail.
    fn give_up(&mut self, problem: Problem) {
        (self.link, self.is_connected) = (None, false);
        for (message, _) in std::mem::take(&mut self.unacknowledged) {
            if let Some(job) = queued_job(&message.ask) {
                self.fail_job(job, problem.clone());
            }
        }
        self.end_jobs(&problem);
        self.emit(RemoteEvent::Lost(problem));
    }
}
