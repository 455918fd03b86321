//! The thread that communicates with a place and records the jobs submitted there.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Message;
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{News, Peer, Remote};
use crate::run::event::{Command, Event, Phase};
use crate::run::job::{Job, JobId, RemoteJob};
use crate::run::places::RemoteMachine;
use crate::run::queue::JobEvent;
use crate::run::wire::ServerMessage;
use crate::session::Wake;
use crate::store::{self, QueueFile, StoredState};

/// Interval between attempts to reach a place that has jobs.
const LATER: Duration = Duration::from_secs(60);

/// The thread's state.
pub(super) struct Work {
    pub(super) place: RemoteMachine,
    pub(super) root: PathBuf,
    pub(super) own: Sender<Message>,
    outbox: Sender<JobEvent>,
    trouble: Arc<Mutex<Option<Problem>>>,
    wake: Wake,
    pub(super) remote: Remote,
    file: QueueFile<RemoteJob>,
    /// Submitted jobs that are not known to have ended.
    pub(super) jobs: Vec<RemoteJob>,
    /// Jobs whose files are still being sent, each with the flag that cancels sending.
    pub(super) carrying: HashMap<JobId, Arc<AtomicBool>>,
    /// The lock of the job that is sending files.
    pub(super) turn: Arc<Mutex<()>>,
    /// Jobs that the place has reported since this window opened.
    seen: HashSet<JobId>,
    /// Ended jobs whose runs are being copied back.
    bringing: Vec<JobId>,
    again: Option<Instant>,
}

type EventOutlet = (Sender<JobEvent>, Arc<Mutex<Option<Problem>>>, Wake);

impl Work {
    pub(super) fn begin(
        place: RemoteMachine,
        root: PathBuf,
        own: Sender<Message>,
        (outbox, trouble, wake): EventOutlet,
    ) -> Option<Self> {
        // A failure is reported when a run is copied back.
        let _ = std::fs::create_dir_all(&root);
        let root = dunce::canonicalize(&root).unwrap_or(root);
        let file = QueueFile::of_place(&root, &place.name);
        let remote = connect(&place, &root, &own, false);
        let remote = remote.inspect_err(|problem| {
            let mut trouble = trouble.lock().unwrap_or_else(PoisonError::into_inner);
            *trouble = Some(problem.clone());
        });
        Some(Self {
            place,
            root,
            own,
            outbox,
            trouble,
            wake,
            remote: remote.ok()?,
            file,
            jobs: Vec::new(),
            carrying: HashMap::new(),
            turn: Arc::default(),
            seen: HashSet::new(),
            bringing: Vec::new(),
            again: None,
        })
    }

    /// Resumes following the jobs that an earlier window left.
    pub(super) fn resume_following(&mut self) {
        let (jobs, problem) = self.file.load();
        if let Some(problem) = problem {
            self.remark(problem);
        }
        if jobs.is_empty() {
            return;
        }
        self.jobs.clone_from(&jobs);
        self.reach();
        for kept in jobs {
            self.show(&kept.job);
            if !kept.is_confirmed {
                self.send_off(kept.job);
            }
        }
    }

    /// Connects to the place now and requests the state of all jobs there.
    fn reach(&mut self) {
        match connect(&self.place, &self.root, &self.own, true) {
            Ok(remote) => self.remote = remote,
            Err(problem) => return self.remark(problem),
        }
        let there = self.jobs.iter().filter(|kept| kept.is_confirmed);
        there.for_each(|kept| self.remote.expect(kept.job.id));
    }

    pub(super) fn work(&mut self, inbox: &Receiver<Message>) {
        loop {
            let patience = self.again.map_or(LATER, |at| at - Instant::now().min(at));
            match inbox.recv_timeout(patience) {
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.again.is_some_and(|at| Instant::now() >= at) {
                self.again = None;
                self.reach();
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Command(Command::Queue(job)) => {
                self.show(&job);
                let kept = RemoteJob {
                    is_confirmed: false,
                    run: String::new(),
                    job: Job::clone(&job),
                };
                self.jobs.push(kept);
                self.save_jobs();
                self.send_off(*job);
            }
            Message::Command(Command::Stop(job)) => self.stop(job),
            Message::Command(command @ Command::Release(_)) => self.remote.send(command),
            // A place does not answer queries about runs, and it continues to run without this window.
            Message::Command(_) | Message::End => {}
            Message::ControlRunning(wish) => self.remote.control_running(wish),
            Message::ControlJob(job, wish) => self.remote.control_job(job, wish),
            Message::Carrying(job, words) if self.carrying.contains_key(&job) => {
                let (run, phase) = (String::new(), Phase::Preparing(words));
                self.send_event(Some(job), Event::Phase { run, phase });
            }
            Message::Carrying(..) => {}
            Message::Carried(id, own) => self.carried(id, own),
            Message::News => {
                while let Some(news) = self.remote.try_recv() {
                    self.handle_news(news);
                }
            }
        }
    }

    fn handle_news(&mut self, news: News) {
        match news {
            News::Event(told) => self.handle_event(*told),
            News::Here(_) => self.set_trouble(None),
            News::Caught => self.find_ended_jobs(),
            News::Broken(problem) => self.set_trouble(Some(problem)),
            News::Lost(problem) => {
                self.set_trouble(Some(problem));
                let waits = self.jobs.iter().any(|kept| kept.is_confirmed);
                self.again = waits.then(|| Instant::now() + LATER);
            }
            News::Home(run, folder) => self.finish_remote_job(&run, &folder),
            News::Answer(ServerMessage::Refused(problem), _) => match self.bringing.pop() {
                Some(job) => self.refuse(job, problem),
                None => self.remark(problem),
            },
            News::Answer(..) => {}
        }
    }

    fn handle_event(&mut self, told: JobEvent) {
        let Some(id) = told.job else {
            if let Event::Remark { .. } = told.event {
                self.send_event(None, told.event);
            }
            return;
        };
        // Jobs of other users of the same place are ignored.
        let Some(kept) = self.jobs.iter_mut().find(|kept| kept.job.id == id) else {
            return;
        };
        self.seen.insert(id);
        let before = kept.clone();
        kept.is_confirmed = true;
        match &told.event {
            Event::Started(header) => kept.run.clone_from(&header.run),
            Event::Finished { .. }
            | Event::Stopped { .. }
            | Event::Failed { .. }
            | Event::Removed(_) => {
                self.forget(id);
                return self.send_event(Some(id), told.event);
            }
            _ => {}
        }
        if *kept != before {
            self.save_jobs();
        }
        self.send_event(Some(id), told.event);
    }

    /// Copies back the runs of jobs that the place no longer reports, because its program was stopped in between.
    fn find_ended_jobs(&mut self) {
        let gone = self.jobs.iter().filter(|kept| {
            let id = kept.job.id;
            kept.is_confirmed && !self.seen.contains(&id) && !self.bringing.contains(&id)
        });
        let gone: Vec<RemoteJob> = gone.cloned().collect();
        for RemoteJob { run, job, .. } in gone {
            // A grid has more runs than the last one, so it cannot be copied back completely.
            if run.is_empty() || job.restarts_from_scratch() {
                let name = &self.place.name;
                let name = name.as_str();
                let what = message!("place-job-unknown", name = name, job = job.title.as_str());
                let advice = match job.restarts_from_scratch() {
                    true => message!("place-job-start-again-advice"),
                    false => message!("place-job-list-runs-advice", name = name),
                };
                self.refuse(job.id, Problem::new(what).advise(advice));
            } else {
                self.bringing.push(job.id);
                self.remote.fetch_run(&self.remote_name(&run), None);
            }
        }
    }

    /// Reports the outcome of a run that was copied back.
    fn finish_remote_job(&mut self, run: &str, folder: &Path) {
        let mut jobs = self.jobs.iter();
        let kept = jobs.find(|kept| {
            self.bringing.contains(&kept.job.id) && self.remote_name(&kept.run) == run
        });
        let Some(kept) = kept else {
            return;
        };
        let id = kept.job.id;
        self.bringing.retain(|bringing| *bringing != id);
        let stored = match store::load(folder) {
            Ok(stored) => stored,
            Err(problem) => return self.refuse(id, problem),
        };
        let run = stored.header.run.clone();
        let end = match stored.state {
            StoredState::Finished => Event::Finished { run: run.clone() },
            _ => Event::Stopped { run: run.clone() },
        };
        let reports = stored.reports;
        let told = [
            Event::Began(id),
            Event::Started(Box::new(stored.header)),
            Event::TakenUp { run, reports },
            end,
        ];
        self.forget(id);
        told.into_iter()
            .for_each(|event| self.send_event(Some(id), event));
    }

    /// Reports that a job failed.
    pub(super) fn refuse(&mut self, id: JobId, problem: Problem) {
        self.forget(id);
        let run = String::new();
        self.send_event(Some(id), Event::Began(id));
        self.send_event(Some(id), Event::Failed { run, problem });
    }

    /// Shows a job as waiting.
    fn show(&self, job: &Job) {
        let (id, job) = (job.id, Box::new(job.clone()));
        let place = usize::MAX;
        self.send_event(Some(id), Event::Queued { job, place });
    }

    /// Updates the record of a job to the form in which it is sent.
    pub(super) fn put(&mut self, job: &Job) {
        let known = self.jobs.iter_mut().find(|kept| kept.job.id == job.id);
        if let Some(kept) = known {
            kept.job = job.clone();
        }
    }

    pub(super) fn forget(&mut self, id: JobId) {
        self.jobs.retain(|kept| kept.job.id != id);
        self.save_jobs();
    }

    fn save_jobs(&mut self) {
        let jobs: Vec<&RemoteJob> = self.jobs.iter().collect();
        if let Err(problem) = self.file.save(&jobs) {
            self.remark(problem);
        }
    }

    fn remark(&self, problem: Problem) {
        let run = String::new();
        self.send_event(None, Event::Remark { run, problem });
    }

    fn set_trouble(&self, problem: Option<Problem>) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *trouble = problem;
        drop(trouble);
        (self.wake)();
    }

    pub(super) fn send_event(&self, job: Option<JobId>, event: Event) {
        // Sending fails if the window is closed.
        let _ = self.outbox.send(JobEvent { job, event });
        (self.wake)();
    }
}

/// Opens a connection whose events are sent to the thread. It connects at the first command, or now if `at_once`.
fn connect(
    place: &RemoteMachine,
    root: &Path,
    own: &Sender<Message>,
    at_once: bool,
) -> Result<Remote> {
    let peer = Peer::Ssh {
        place: place.clone(),
        root: root.to_path_buf(),
    };
    let rings = Mutex::new(own.clone());
    let wake = move || {
        let rings = rings.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = rings.send(Message::News);
    };
    Remote::start(peer, at_once, Arc::new(wake))
}
