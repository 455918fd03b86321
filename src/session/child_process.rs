//! A backend of the window that runs the engine in a child process of this program.

use std::path::Path;

use super::Wake;
use super::backend::Backend;
use crate::problem::Result;
use crate::remote::{News, Peer, Remote};
use crate::run::event::{Command, ControlRequest, Event};
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::ServerMessage;

/// A child process that runs the engine.
pub(super) struct Child(Remote);

impl Child {
    /// Starts the process; runs are stored in `root`.
    ///
    /// # Errors
    /// Returns a Problem if the system cannot start a thread.
    pub fn start(program: &Path, root: &Path, wake: Wake) -> Result<Self> {
        let peer = Peer::Child {
            program: program.to_path_buf(),
            root: dunce::canonicalize(root).unwrap_or_else(|_| root.to_path_buf()),
        };
        Remote::start(peer, true, wake).map(Self)
    }
}

impl Backend for Child {
    fn send(&mut self, command: Command) {
        self.0.send(command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        told(&self.0)
    }

    fn control_running(&self, wish: ControlRequest) {
        self.0.control_running(wish);
    }

    fn control_job(&self, job: JobId, wish: ControlRequest) {
        self.0.control_job(job, wish);
    }
}

/// Returns the next event. An error of the connection to the process becomes a remark.
fn told(remote: &Remote) -> Option<JobEvent> {
    while let Some(news) = remote.try_recv() {
        let problem = match news {
            News::Event(told) => return Some(*told),
            News::Broken(problem) | News::Lost(problem) => problem,
            News::Answer(ServerMessage::Refused(problem), _) => problem,
            News::Here(_) | News::Caught | News::Home(..) | News::Answer(..) => continue,
        };
        let run = String::new();
        let event = Event::Remark { run, problem };
        return Some(JobEvent { job: None, event });
    }
    None
}
