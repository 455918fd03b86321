//! Jobs at a place (another computer). They are sent there with the files that they need, followed, and recorded on the
//! local disk, so that the next window can follow them too. A separate thread does all the work; the window's thread
//! only exchanges messages with it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Wake;
use super::backend::{Backend, lock};
use crate::experiment::grid::collect_grid_attachments;
use crate::experiment::{RunAttachments, check_untaught, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{News, Peer, Remote};
use crate::run::event::{Command, ControlRequest, Event, Phase};
use crate::run::job::{Job, JobAttachments, JobId, JobWork, RemoteJob};
use crate::run::places::RemoteMachine;
use crate::run::queue::JobEvent;
use crate::store::{self, QueueFile, StoredState};
use crate::texts::{self, Words};

/// How long the window waits at exit until its requests are recorded.
const PATIENCE: Duration = Duration::from_secs(2);
/// Interval between attempts to reach a place that has jobs.
const LATER: Duration = Duration::from_secs(60);

/// The session's handle of a place.
pub(super) struct Away {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    trouble: Arc<Mutex<Option<Problem>>>,
    thread: JoinHandle<()>,
}

/// A message to the thread.
enum Message {
    Command(Command),
    ControlRunning(ControlRequest),
    ControlJob(JobId, ControlRequest),
    /// The connection received a message.
    News,
    /// Progress of sending the files that a job needs.
    Carrying(JobId, Words),
    /// The files that a job needs were sent, or could not be sent.
    Carried(JobId, Result<JobAttachments>),
    End,
}

impl Away {
    /// Prepares a connection to a place, and connects at once if jobs were left there. Runs are copied into `root`.
    pub fn start(place: RemoteMachine, root: &Path, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let trouble = Arc::<Mutex<Option<Problem>>>::default();
        let root = root.to_path_buf();
        let (own, told) = (messages.clone(), Arc::clone(&trouble));
        let work = move || {
            // A failure is reported when a run is copied back.
            let _ = std::fs::create_dir_all(&root);
            let root = dunce::canonicalize(&root).unwrap_or(root);
            let remote = match connect(&place, &root, &own, false) {
                Ok(remote) => remote,
                Err(problem) => {
                    *lock(&told) = Some(problem);
                    return;
                }
            };
            let mut work = Work {
                file: QueueFile::of_place(&root, &place.name),
                place,
                root,
                own,
                outbox,
                trouble: told,
                wake,
                remote,
                jobs: Vec::new(),
                carrying: HashMap::new(),
                turn: Arc::default(),
                seen: HashSet::new(),
                bringing: Vec::new(),
                again: None,
            };
            work.resume_following();
            work.work(&inbox);
        };
        let thread = std::thread::Builder::new().name("away".into()).spawn(work);
        let thread = thread.map_err(|error| Problem::no_thread(&error))?;
        Ok(Self {
            messages,
            events,
            trouble,
            thread,
        })
    }

    fn send_message(&self, message: Message) {
        // The thread ends when this handle is dropped.
        let _ = self.messages.send(message);
    }
}

impl Backend for Away {
    fn send(&mut self, command: Command) {
        self.send_message(Message::Command(command));
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }

    fn control_running(&self, wish: ControlRequest) {
        self.send_message(Message::ControlRunning(wish));
    }

    fn control_job(&self, job: JobId, wish: ControlRequest) {
        self.send_message(Message::ControlJob(job, wish));
    }

    fn trouble(&self) -> Option<Problem> {
        lock(&self.trouble).clone()
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        self.send_message(Message::End);
        let end = Instant::now() + PATIENCE;
        while !self.thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The thread's state.
struct Work {
    place: RemoteMachine,
    root: PathBuf,
    own: Sender<Message>,
    outbox: Sender<JobEvent>,
    trouble: Arc<Mutex<Option<Problem>>>,
    wake: Wake,
    remote: Remote,
    file: QueueFile<RemoteJob>,
    /// Submitted jobs that are not known to have ended.
    jobs: Vec<RemoteJob>,
    /// Jobs whose files are still being sent, each with the flag that cancels sending.
    carrying: HashMap<JobId, Arc<AtomicBool>>,
    /// The lock of the job that is sending files.
    turn: Arc<Mutex<()>>,
    /// Jobs that the place has reported since this window opened.
    seen: HashSet<JobId>,
    /// Ended jobs whose runs are being copied back.
    bringing: Vec<JobId>,
    again: Option<Instant>,
}

impl Work {
    /// Resumes following the jobs that an earlier window left.
    fn resume_following(&mut self) {
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

    fn work(&mut self, inbox: &Receiver<Message>) {
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
            News::Refused(problem) => match self.bringing.pop() {
                Some(job) => self.refuse(job, problem),
                None => self.remark(problem),
            },
            News::Answer(_) => {}
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
        if let Event::Started(header) = &told.event {
            kept.run.clone_from(&header.run);
        }
        let changed = *kept != before;
        if told.event.ends_job() || matches!(told.event, Event::Removed(_)) {
            self.forget(id);
        } else if changed {
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
                let what = message!("place-job-unknown", name, job = job.title.as_str());
                let advice = match job.restarts_from_scratch() {
                    true => message!("place-job-start-again-advice"),
                    false => message!("place-job-list-runs-advice", name),
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

    fn stop(&mut self, id: JobId) {
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
    fn send_off(&mut self, mut job: Job) {
        let attachments = match self.prepare(&mut job) {
            Ok(attachments) => attachments,
            Err(problem) => return self.refuse(job.id, problem),
        };
        // The record gets the form in which the job is sent.
        if let Some(kept) = self.jobs.iter_mut().find(|kept| kept.job.id == job.id) {
            kept.job = job.clone();
        }
        if attachments.is_text_alone() {
            job.own = attachments.own;
            return self.remote.send(Command::Queue(Box::new(job)));
        }
        let stop = Arc::<AtomicBool>::default();
        self.carrying.insert(job.id, Arc::clone(&stop));
        // A separate connection is used, because the main connection reports on running jobs at the same time.
        let peer = Peer::machine(&self.place, &self.root);
        let (own, id) = (self.own.clone(), job.id);
        let (name, turn) = (self.place.name.clone(), Arc::clone(&self.turn));
        let carry = move || {
            // Jobs wait for each other, because the next job often needs the same files, which are then already there.
            let _turn = lock(&turn);
            let go_on = || !stop.load(Ordering::Relaxed);
            let tell = |words: texts::Message| {
                let _ = own.send(Message::Carrying(id, words.into()));
            };
            let there = Remote::connect(peer)
                .and_then(|remote| remote.upload_attachments(attachments, &name, &go_on, &tell));
            let _ = own.send(Message::Carried(id, there));
        };
        let thread = std::thread::Builder::new().name("carry".into());
        if let Err(error) = thread.spawn(carry) {
            self.carried(id, Err(Problem::no_thread(&error)));
        }
    }

    fn carried(&mut self, id: JobId, own: Result<JobAttachments>) {
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
    fn remote_name(&self, run: &str) -> String {
        store::remote_name(&self.root.join(run), &self.place.name)
    }

    /// Reports that a job failed.
    fn refuse(&mut self, id: JobId, problem: Problem) {
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

    fn forget(&mut self, id: JobId) {
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
        *lock(&self.trouble) = problem;
        (self.wake)();
    }

    fn send_event(&self, job: Option<JobId>, event: Event) {
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
    let own = own.clone();
    let wake = move || {
        let _ = own.send(Message::News);
    };
    Remote::start(Peer::machine(place, root), at_once, Arc::new(wake))
}
