//! The connection to a machine: runs jobs there and fetches runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::output::tell;
use crate::experiment::{RunAttachments, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{News, Peer, Remote};
use crate::run::config::RunConfig;
use crate::run::event::{Command, Control, ControlRequest, Event, Sink};
use crate::run::job::{Job, JobAttachments, JobId};
use crate::run::places::{RemoteMachine, RemoteMachines};
use crate::run::queue::JobEvent;
use crate::run::wire::ServerMessage;
use crate::texts::Message;

/// Interval between two checks whether Ctrl-C was pressed.
const OFTEN: Duration = Duration::from_millis(100);

/// How a job ended without an error.
pub(in crate::cli) enum JobEnd {
    /// The job finished; the local folder of its last run.
    Finished(Option<PathBuf>),
    /// The job was stopped; the local folder of its run, if it had started.
    Stopped(Option<PathBuf>),
    /// The job continues on the other machine.
    Left,
}

/// Another machine with an open connection.
pub(in crate::cli) struct RemoteConnection {
    pub place: RemoteMachine,
    remote: Remote,
    peer: Peer,
    /// The job of each run that was in progress there when the connection was opened.
    pub at_work: HashMap<String, JobId>,
    /// The jobs that had not ended when the connection was opened.
    pub jobs: Vec<Job>,
}

/// Returns the place with this name, which must be a machine and not a cluster.
pub(in crate::cli) fn machine(name: &str) -> Result<RemoteMachine> {
    let places = RemoteMachines::load()?;
    let place = places.get(name)?;
    match place.is_machine() {
        true => Ok(place.clone()),
        false => Err(Problem::new(format!(
            "{name} is a cluster, and this command does not support clusters"
        ))
        .advise("choose a place with `ssh` and without `slurm`")),
    }
}

impl RemoteConnection {
    /// Connects to the machine with this name; `None` if Ctrl-C was pressed.
    ///
    /// # Errors
    /// Returns a Problem if the place is unknown or cannot be reached.
    pub fn reach(name: &str, root: &Path, control: &Control) -> Result<Option<Self>> {
        let place = machine(name)?;
        let io = |error| Problem::io("store runs in this folder", root, &error);
        std::fs::create_dir_all(root).map_err(io)?;
        let root = dunce::canonicalize(root).map_err(io)?;
        let peer = Peer::Ssh {
            place: place.clone(),
            root,
        };
        let remote = Remote::start(peer.clone(), true, Arc::new(|| {}))?;
        let mut there = Self {
            place,
            remote,
            peer,
            at_work: HashMap::new(),
            jobs: Vec::new(),
        };
        let (mut begun, mut runs) = (None, HashMap::new());
        while control.request() != ControlRequest::Stop {
            match there.remote.recv(OFTEN)? {
                Some(News::Caught) => {
                    there.at_work = runs;
                    return Ok(Some(there));
                }
                Some(News::Lost(problem)) => return Err(problem),
                Some(News::Event(told)) => match told.event {
                    Event::Queued { job, .. } => {
                        there.jobs.retain(|known| known.id != job.id);
                        there.jobs.push(*job);
                    }
                    Event::Removed(id) => there.jobs.retain(|known| known.id != id),
                    Event::Began(id) => begun = Some(id),
                    Event::Started(header) => runs.extend(begun.map(|id| (header.run, id))),
                    Event::Finished { run }
                    | Event::Stopped { run }
                    | Event::Failed { run, .. } => {
                        runs.remove(&run);
                        there.jobs.retain(|known| Some(known.id) != told.job);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(None)
    }

    /// Copies the local files that a run with these settings needs to the other machine.
    pub fn own(&self, config: &mut RunConfig, control: &Control) -> Result<JobAttachments> {
        self.carried(collect_attachments(config, &self.place.data)?, control)
    }

    /// Copies the files that a job needs to the other machine; returns them as part of the job.
    pub fn carried(
        &self,
        attachments: RunAttachments,
        control: &Control,
    ) -> Result<JobAttachments> {
        let tell = |what: Message, files| {
            let place = self.place.name.as_str();
            tell(message!(
                "doing-copying-files",
                n = files,
                what = what,
                place = place
            ));
        };
        let go_on = || control.request() != ControlRequest::Stop;
        self.remote.upload_attachments(attachments, &go_on, &tell)
    }

    /// Runs a job there, and waits for its end unless `detach`.
    pub fn work(
        &self,
        job: Job,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobEnd> {
        let id = job.id;
        self.remote.send(Command::Queue(Box::new(job)));
        self.follow(id, None, detach, sink, control)
    }

    /// Follows a job that an earlier process queued, from its first event.
    pub fn follow_job(
        mut self,
        id: JobId,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobEnd> {
        // A new connection also delivers the events that the job sent before this program knew its number.
        self.remote = Remote::start(self.peer.clone(), true, Arc::new(|| {}))?;
        self.remote.expect(id);
        self.follow(id, None, detach, sink, control)
    }

    /// Follows a job to its end.
    fn follow(
        &self,
        id: JobId,
        mut folder: Option<PathBuf>,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobEnd> {
        let mut asked = false;
        loop {
            if control.request() == ControlRequest::Stop && !std::mem::replace(&mut asked, true) {
                self.remote.send(Command::Stop(id));
                self.remote.control_job(id, ControlRequest::Stop);
            }
            let told = match self.remote.recv(OFTEN)? {
                Some(News::Event(told)) => told,
                Some(News::Lost(problem)) => return Err(problem),
                Some(News::Broken(problem)) => {
                    tell(format!(
                        "note: {}; the run continues there, reconnecting",
                        problem.what
                    ));
                    continue;
                }
                Some(News::Answer(ServerMessage::Refused(problem), _)) => return Err(problem),
                _ => continue,
            };
            let JobEvent { job, event } = *told;
            if job != Some(id) {
                continue;
            }
            match event {
                // The program on the other machine was restarted, and holds restored jobs until they are released.
                Event::Queued { job, .. } if job.held => self.remote.send(Command::Release(id)),
                Event::Queued { .. } | Event::Began(_) if detach => return Ok(JobEnd::Left),
                Event::Finished { .. } => return Ok(JobEnd::Finished(folder)),
                Event::Stopped { .. } => return Ok(JobEnd::Stopped(folder)),
                Event::Removed(_) => return Ok(JobEnd::Stopped(None)),
                Event::Failed { problem, .. } => return Err(problem),
                Event::Started(header) => {
                    folder = Some(header.folder.clone());
                    sink.event(Event::Started(header));
                }
                event => sink.event(event),
            }
        }
    }

    /// Returns the newest run there; `None` if Ctrl-C was pressed.
    pub fn latest(&self, control: &Control) -> Result<Option<String>> {
        self.remote.list();
        let runs = self.answer(control, |news| match news {
            News::Answer(ServerMessage::Runs(runs), _) => Some(runs),
            _ => None,
        })?;
        let Some(runs) = runs else { return Ok(None) };
        let none = || message!("place-run-not-found", place = self.place.name.as_str());
        // Names begin with the time.
        let latest = runs.into_iter().max().ok_or_else(|| Problem::new(none()))?;
        Ok(Some(latest))
    }

    /// Fetches a run; returns its local folder, `None` if Ctrl-C was pressed.
    pub fn fetch_run(&self, run: &str, control: &Control) -> Result<Option<PathBuf>> {
        self.remote.fetch_run(run, None);
        self.answer(control, |news| match news {
            News::Home(_, folder) => Some(folder),
            _ => None,
        })
    }

    /// Waits for a message that `take` accepts; `None` if Ctrl-C was pressed.
    fn answer<T>(&self, control: &Control, take: impl Fn(News) -> Option<T>) -> Result<Option<T>> {
        while control.request() != ControlRequest::Stop {
            match self.remote.recv(OFTEN)? {
                Some(News::Lost(problem) | News::Answer(ServerMessage::Refused(problem), _)) => {
                    return Err(problem.at(&self.place.name));
                }
                Some(news) => {
                    if let Some(taken) = take(news) {
                        return Ok(Some(taken));
                    }
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Fetches a run while it is trained there, and follows it until it ends.
    pub fn watch(
        &self,
        (run, id): (&str, JobId),
        folder: PathBuf,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobEnd> {
        self.remote.fetch_run(run, Some(id));
        self.follow(id, Some(folder), false, sink, control)
    }
}
