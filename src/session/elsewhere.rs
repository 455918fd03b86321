//! Engines in other processes as the window's backend: a child of this program, or the program on another machine.

use std::path::Path;
use std::sync::Arc;

use super::Wake;
use super::backend::Backend;
use crate::engine::Engine;
use crate::experiment::take_along;
use crate::problem::{Problem, Result};
use crate::remote::{News, Peer, Remote};
use crate::run::event::{Command, Event, Wish};
use crate::run::job::{Job, JobId, JobWork};
use crate::run::places::Place;
use crate::run::queue::JobEvent;
use crate::run::wire::Told;
use crate::store;

/// A child process that does all that the engine's thread would do.
pub(super) struct Child(Remote);

impl Child {
    /// Starts it; runs are kept in `root`.
    ///
    /// # Errors
    /// A Problem when the system gives no thread.
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

    fn wish(&self, wish: Wish) {
        self.0.wish(wish);
    }

    fn hurry(&self, job: JobId) {
        self.0.hurry(job);
    }
}

/// Jobs on another machine; what is asked of runs is answered here, where they are brought.
pub(super) struct Away {
    place: Place,
    peer: Peer,
    jobs: Remote,
    here: Engine,
    /// What is told without either engine.
    own: Vec<JobEvent>,
}

impl Away {
    /// Talks to a place; runs come into `root`.
    ///
    /// # Errors
    /// A Problem when the system gives no thread, or the folder cannot be made.
    pub fn start(place: Place, root: &Path, wake: Wake) -> Result<Self> {
        let io = |error| Problem::io("keep runs in this folder", root, &error);
        std::fs::create_dir_all(root).map_err(io)?;
        let root = dunce::canonicalize(root).map_err(io)?;
        let peer = Peer::Ssh {
            place: place.clone(),
            root: root.clone(),
        };
        let jobs = Remote::start(peer.clone(), true, Arc::clone(&wake))?;
        // What was begun by an earlier window comes home as well.
        jobs.adopt();
        Ok(Self {
            place,
            peer,
            jobs,
            here: Engine::start(root, wake)?,
            own: Vec::new(),
        })
    }

    fn queue(&mut self, mut job: Job) {
        job.title = format!("{} · {}", job.title, self.place.name);
        if let Err(problem) = self.prepare(&mut job) {
            return self.refuse(&job, problem);
        }
        let data = match &mut job.work {
            JobWork::Train(config) => self.local_data(&mut config.data),
            JobWork::Resume(_)
            | JobWork::Teach { .. }
            | JobWork::Grid(_)
            | JobWork::Try(_)
            | JobWork::TryPet(_)
            | JobWork::Check { .. } => None,
        };
        let weights = job.own.weights.clone();
        if data.is_none() && weights.is_none() {
            return self.jobs.send(Command::Queue(Box::new(job)));
        }
        // Through a connection of its own: this one tells meanwhile how a run at work is.
        let (peer, jobs) = (self.peer.clone(), self.jobs.asker());
        let carry = move || {
            let there = Remote::start(peer, true, Arc::new(|| {})).and_then(|remote| {
                let there = |path: &Path| remote.carry(path, &|| true, &mut |_| {});
                let data = data.as_deref().map(|data| there(Path::new(data)));
                let weights = weights.as_deref().map(there);
                Ok((data.transpose()?, weights.transpose()?))
            });
            match there {
                Ok((data, weights)) => {
                    if let (Some(data), JobWork::Train(config)) = (data, &mut job.work) {
                        config.data = data;
                    }
                    job.own.weights = weights.map(Into::into);
                    jobs.send(Command::Queue(Box::new(job)));
                }
                Err(problem) => jobs.fail(job.id, problem),
            }
        };
        // Without a thread the job stays where it is shown, and is asked for again.
        let _ = std::thread::Builder::new()
            .name("carry".into())
            .spawn(carry);
    }

    /// The settings as they are there; a run can be continued where it was trained alone.
    fn prepare(&self, job: &mut Job) -> Result<()> {
        let (name, device) = (&self.place.name, self.place.device.clone());
        match &mut job.work {
            JobWork::Train(config) => {
                config.device = device.unwrap_or_default();
                if config.device.is_empty() {
                    config.device = "auto".into();
                }
                job.own = take_along(config)?;
                Ok(())
            }
            JobWork::Resume(run) if store::about(run).0.place == *name => {
                job.device = device;
                job.own = take_along(&mut store::load(run)?.header.config)?;
                Ok(())
            }
            JobWork::Resume(run) | JobWork::Teach { run, .. } => {
                let what =
                    format!("this window trains at {name}, and this run is not continued there");
                let remedy = "open a window without --place for it";
                Err(Problem::new(what).at_path(run).advise(remedy))
            }
            JobWork::Grid(_) | JobWork::Try(_) | JobWork::TryPet(_) | JobWork::Check { .. } => {
                let what = format!(
                    "this window trains at {name}, and grids, trials and checks are done on this machine"
                );
                let remedy = "open a window without --place for it; a cluster takes grids by `lae-studio grid FILE --slurm`";
                Err(Problem::new(what).advise(remedy))
            }
        }
    }

    /// The path of a data set that has to be carried there; for others `data` is what it is called there.
    fn local_data(&self, data: &mut String) -> Option<String> {
        if let Some(path) = self.place.data.get(data.as_str()) {
            data.clone_from(path);
            return None;
        }
        let is_built_in = crate::data::builtin::names().any(|name| name == data);
        let path = dunce::canonicalize(&*data).ok().filter(|_| !is_built_in)?;
        Some(path.display().to_string())
    }

    fn refuse(&mut self, job: &Job, problem: Problem) {
        let (id, run) = (Some(job.id), String::new());
        let began = Event::Began(job.id);
        let failed = Event::Failed { run, problem };
        // Told from the end.
        self.own
            .extend([failed, began].map(|event| JobEvent { job: id, event }));
    }
}

impl Backend for Away {
    fn send(&mut self, command: Command) {
        match command {
            Command::Queue(job) => self.queue(*job),
            Command::Stop(_) | Command::Move { .. } | Command::Hold(_) => self.jobs.send(command),
            // It goes on there without this window.
            command => self.here.send(command),
        }
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        let own = self.own.pop();
        own.or_else(|| self.here.try_recv())
            .or_else(|| told(&self.jobs))
    }

    fn wish(&self, wish: Wish) {
        // A window that closes wishes that its engine stops, which this one does not.
        if wish != Wish::Stop {
            self.jobs.wish(wish);
        }
    }

    fn hurry(&self, job: JobId) {
        self.jobs.hurry(job);
    }
}

/// The next event; what went wrong between the processes is a remark.
fn told(remote: &Remote) -> Option<JobEvent> {
    while let Some(news) = remote.try_recv() {
        let problem = match news {
            News::Event(told) => return Some(*told),
            News::Broken(problem) | News::Lost(problem) => problem,
            News::Answer(Told::Refused(problem), _) => problem,
            News::Here(_) | News::Caught | News::Home(_) | News::Answer(..) => continue,
        };
        let run = String::new();
        let event = Event::Remark { run, problem };
        return Some(JobEvent { job: None, event });
    }
    None
}
