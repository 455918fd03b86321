//! The thread that follows the jobs on a remote machine.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::experiment::grid::collect_grid_attachments;
use crate::experiment::{RunAttachments, check_no_added_tasks, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{Peer, Remote, RemoteEvent};
use crate::run::event::{Command, ControlRequest, Event, Phase};
use crate::run::job::{Job, JobAttachments, JobId, JobWork, RemoteJob};
use crate::run::queue::JobEvent;
use crate::run::remote_machines::RemoteMachine;
use crate::session::Wake;
use crate::store::{self, QueueFile, StoredState};
use crate::sync::lock;
use crate::texts::{self, Words};

/// Interval between attempts to reach a machine that has jobs.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(60);

/// A message to the thread.
pub(super) enum Message {
    Command(Command),
    ControlRunning(ControlRequest),
    ControlJob(JobId, ControlRequest),
    /// The connection has received events.
    EventsAvailable,
    /// Progress of sending the files that a job needs.
    UploadProgress(JobId, Words),
    /// The files that a job needs were sent, or could not be sent.
    Uploaded(JobId, Result<JobAttachments>),
    End,
}

/// The thread's state.
pub(super) struct Worker {
    machine: RemoteMachine,
    root: PathBuf,
    sender: Sender<Message>,
    outbox: Sender<JobEvent>,
    connection_problem: Arc<Mutex<Option<Problem>>>,
    wake: Wake,
    remote: Remote,
    file: QueueFile<RemoteJob>,
    /// Submitted jobs that are not known to have ended.
    jobs: Vec<RemoteJob>,
    /// Jobs whose files are still being sent, each with the flag that cancels sending.
    uploads: HashMap<JobId, Arc<AtomicBool>>,
    /// The lock of the job that is sending files.
    upload_lock: Arc<Mutex<()>>,
    /// Jobs that the machine has reported on this connection.
    reported: HashSet<JobId>,
    /// Ended jobs whose runs are being copied back.
    downloads: Vec<JobId>,
    reconnect_at: Option<Instant>,
}

impl Worker {
    /// Prepares a connection to a machine. Runs are copied into `root`.
    pub fn new(
        machine: RemoteMachine,
        root: PathBuf,
        sender: Sender<Message>,
        outbox: Sender<JobEvent>,
        connection_problem: Arc<Mutex<Option<Problem>>>,
        wake: Wake,
    ) -> Result<Self> {
        let remote = connect(&machine, &root, &sender, false)?;
        Ok(Self {
            file: QueueFile::remote(&root, &machine.name),
            machine,
            root,
            sender,
            outbox,
            connection_problem,
            wake,
            remote,
            jobs: Vec::new(),
            uploads: HashMap::new(),
            upload_lock: Arc::default(),
            reported: HashSet::new(),
            downloads: Vec::new(),
            reconnect_at: None,
        })
    }

    /// Resumes following the jobs that an earlier window left.
    fn resume_following(&mut self) {
        let (jobs, problem) = self.file.load();
        if let Some(problem) = problem {
            self.report_problem(problem);
        }
        if jobs.is_empty() {
            return;
        }
        self.jobs = jobs;
        self.jobs.iter().for_each(|remote_job| self.report_queued(&remote_job.job));
        self.reconnect();
    }

    /// Connects to the machine now, requests the state of all jobs there, and sends those that it has not confirmed.
    fn reconnect(&mut self) {
        match connect(&self.machine, &self.root, &self.sender, true) {
            Ok(remote) => self.remote = remote,
            Err(problem) => return self.report_problem(problem),
        }
        // A new connection reports all jobs again.
        self.reported.clear();
        let (confirmed, unconfirmed): (Vec<RemoteJob>, Vec<RemoteJob>) =
            self.jobs.iter().cloned().partition(|remote_job| remote_job.is_confirmed);
        confirmed.iter().for_each(|remote_job| self.remote.expect(remote_job.job.id));
        for RemoteJob { job, .. } in unconfirmed {
            if !self.uploads.contains_key(&job.id) {
                self.submit(job);
            }
        }
    }

    /// Resumes following jobs, then handles messages until the handle is dropped.
    pub fn run(mut self, inbox: &Receiver<Message>) {
        self.resume_following();
        loop {
            let timeout =
                self.reconnect_at.map_or(RECONNECT_INTERVAL, |at| at - Instant::now().min(at));
            match inbox.recv_timeout(timeout) {
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.handle_message(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.reconnect_at.is_some_and(|at| Instant::now() >= at) {
                self.reconnect_at = None;
                self.reconnect();
            }
        }
    }

    fn handle_message(&mut self, message: Message) {
        match message {
            Message::Command(Command::Queue(job)) => {
                self.report_queued(&job);
                let remote_job =
                    RemoteJob { is_confirmed: false, run: String::new(), job: Job::clone(&job) };
                self.jobs.push(remote_job);
                self.save_jobs();
                self.submit(*job);
            }
            Message::Command(Command::Stop(job)) => self.stop(job),
            Message::Command(command @ Command::Release(_)) => self.remote.send(command),
            // A machine does not answer queries about runs, and it continues to run without this window.
            Message::Command(_) | Message::End => {}
            Message::ControlRunning(request) => self.remote.control_running(request),
            Message::ControlJob(job, request) => self.remote.control_job(job, request),
            Message::UploadProgress(job, words) if self.uploads.contains_key(&job) => {
                let (run, phase) = (String::new(), Phase::Preparing(words));
                self.send_event(Some(job), Event::Phase { run, phase });
            }
            Message::UploadProgress(..) => {}
            Message::Uploaded(id, attachments) => self.finish_upload(id, attachments),
            Message::EventsAvailable => {
                while let Some(event) = self.remote.try_recv() {
                    self.handle_remote_event(event);
                }
            }
        }
    }

    fn handle_remote_event(&mut self, event: RemoteEvent) {
        match event {
            RemoteEvent::Event(event) => self.handle_event(*event),
            RemoteEvent::Connected(_) => {
                self.set_connection_problem(None);
                self.reconnect_at = None;
            }
            RemoteEvent::CaughtUp => self.find_ended_jobs(),
            RemoteEvent::Disconnected(problem) => self.set_connection_problem(Some(problem)),
            RemoteEvent::Lost(problem) => {
                self.set_connection_problem(Some(problem));
                // The runs that were being copied back are requested again.
                self.downloads.clear();
                let has_jobs = !self.jobs.is_empty();
                self.reconnect_at = has_jobs.then(|| Instant::now() + RECONNECT_INTERVAL);
            }
            RemoteEvent::RunDownloaded(run, folder) => self.finish_remote_job(&run, &folder),
            RemoteEvent::DownloadFailed(run, problem) => match self.take_download(&run) {
                Some(job) => self.fail_job(job, problem),
                None => self.report_problem(problem),
            },
            RemoteEvent::RequestFailed(problem) => self.report_problem(problem),
            RemoteEvent::Response(_) => {}
        }
    }

    fn handle_event(&mut self, job_event: JobEvent) {
        let Some(id) = job_event.job else {
            if let Event::Remark { .. } = job_event.event {
                self.send_event(None, job_event.event);
            }
            return;
        };
        // Jobs of other users of the same machine are ignored.
        let Some(remote_job) = self.jobs.iter_mut().find(|remote_job| remote_job.job.id == id)
        else {
            return;
        };
        self.reported.insert(id);
        let previous = remote_job.clone();
        remote_job.is_confirmed = true;
        if let Event::Started(header) = &job_event.event {
            remote_job.run.clone_from(&header.run);
        }
        let changed = *remote_job != previous;
        if job_event.event.ends_job() || matches!(job_event.event, Event::Removed(_)) {
            self.remove_job(id);
        } else if changed {
            self.save_jobs();
        }
        self.send_event(Some(id), job_event.event);
    }

    /// Copies back the runs of jobs that the machine no longer reports, because its program was stopped in between.
    fn find_ended_jobs(&mut self) {
        let ended = self.jobs.iter().filter(|remote_job| {
            let id = remote_job.job.id;
            remote_job.is_confirmed && !self.reported.contains(&id) && !self.downloads.contains(&id)
        });
        let ended: Vec<RemoteJob> = ended.cloned().collect();
        for RemoteJob { run, job, .. } in ended {
            // A grid has more runs than the last one, so it cannot be copied back completely.
            if run.is_empty() || job.restarts_from_scratch() {
                let name = &self.machine.name;
                let name = name.as_str();
                let message = message!("place-job-unknown", name, job = job.title.as_str());
                let advice = match job.restarts_from_scratch() {
                    true => message!("place-job-start-again-advice"),
                    false => message!("place-job-list-runs-advice", name),
                };
                self.fail_job(job.id, Problem::new(message).advise(advice));
            } else {
                self.downloads.push(job.id);
                self.remote.fetch_run(&self.remote_name(&run), None);
            }
        }
    }

    /// Returns the ended job whose run has this name on the machine, and no longer counts it as being copied back.
    fn take_download(&mut self, run: &str) -> Option<JobId> {
        let mut jobs = self.jobs.iter();
        let remote_job = jobs.find(|remote_job| {
            self.downloads.contains(&remote_job.job.id) && self.remote_name(&remote_job.run) == run
        });
        let id = remote_job?.job.id;
        self.downloads.retain(|job| *job != id);
        Some(id)
    }

    /// Reports the outcome of a run that was copied back.
    fn finish_remote_job(&mut self, run: &str, folder: &Path) {
        let Some(id) = self.take_download(run) else {
            return;
        };
        let stored = match store::load_run(folder) {
            Ok(stored) => stored,
            Err(problem) => return self.fail_job(id, problem),
        };
        let run = stored.header.run.clone();
        let end = match stored.state {
            StoredState::Finished => Event::Finished { run: run.clone() },
            _ => Event::Stopped { run: run.clone() },
        };
        let reports = stored.reports;
        let events = [
            Event::Began(id),
            Event::Started(Box::new(stored.header)),
            Event::TakenUp { run, reports },
            end,
        ];
        self.remove_job(id);
        events.into_iter().for_each(|event| self.send_event(Some(id), event));
    }

    fn stop(&mut self, id: JobId) {
        match self.uploads.remove(&id) {
            Some(stop) => {
                stop.store(true, Ordering::Relaxed);
                self.remove_job(id);
                self.send_event(Some(id), Event::Removed(id));
            }
            None => self.remote.send(Command::Stop(id)),
        }
    }

    /// Sends a job, after the files that it needs.
    fn submit(&mut self, mut job: Job) {
        let attachments = match self.prepare(&mut job) {
            Ok(attachments) => attachments,
            Err(problem) => return self.fail_job(job.id, problem),
        };
        // The record gets the form in which the job is sent.
        if let Some(remote_job) =
            self.jobs.iter_mut().find(|remote_job| remote_job.job.id == job.id)
        {
            remote_job.job = job.clone();
        }
        if attachments.is_text_only() {
            job.own = attachments.inline;
            return self.remote.send(Command::Queue(Box::new(job)));
        }
        let stop = Arc::<AtomicBool>::default();
        self.uploads.insert(job.id, Arc::clone(&stop));
        // A separate connection is used, because the main connection reports on running jobs at the same time.
        let peer = Peer::from_machine(&self.machine, &self.root);
        let (sender, id) = (self.sender.clone(), job.id);
        let (name, upload_lock) = (self.machine.name.clone(), Arc::clone(&self.upload_lock));
        let upload = move || {
            // Jobs wait for each other, because the next job often needs the same files, which are then already there.
            let _guard = lock(&upload_lock);
            let should_continue = || !stop.load(Ordering::Relaxed);
            let report_progress = |words: texts::Message| {
                let _ = sender.send(Message::UploadProgress(id, words.into()));
            };
            let result = Remote::connect(peer).and_then(|remote| {
                remote.upload_attachments(attachments, &name, &should_continue, &report_progress)
            });
            let _ = sender.send(Message::Uploaded(id, result));
        };
        let thread = std::thread::Builder::new().name("upload".into());
        if let Err(error) = thread.spawn(upload) {
            self.finish_upload(id, Err(Problem::thread_not_started(&error)));
        }
    }

    fn finish_upload(&mut self, id: JobId, attachments: Result<JobAttachments>) {
        if self.uploads.remove(&id).is_none() {
            return; // It was removed meanwhile.
        }
        let remote_job = self.jobs.iter().find(|remote_job| remote_job.job.id == id);
        match (attachments, remote_job.map(|remote_job| remote_job.job.clone())) {
            (Ok(attachments), Some(job)) => {
                let job = Box::new(Job { own: attachments, ..job });
                self.remote.send(Command::Queue(job));
            }
            (Err(problem), _) => self.fail_job(id, problem),
            (Ok(_), None) => {}
        }
    }

    /// Returns the job as the machine runs it, and the files to send. A run can be resumed only where it was trained.
    fn prepare(&self, job: &mut Job) -> Result<RunAttachments> {
        let (name, device) = (&self.machine.name, self.machine.device.clone());
        match &mut job.work {
            JobWork::Train(config) => {
                config.device = device.unwrap_or_else(|| "auto".into());
                collect_attachments(config, &self.machine.data)
            }
            JobWork::Resume(run) if store::load_annotations(run).0.place == *name => {
                job.device = device;
                let stored = store::load_run(run)?;
                check_no_added_tasks(&stored)?;
                let mut config = stored.header.config;
                // The run's folder there already has the initial weights of its PET.
                config.pet_start = None;
                let attachments = collect_attachments(&mut config, &self.machine.data);
                *run = self.root.join(self.remote_name(&store::run_name(run)));
                attachments
            }
            JobWork::Resume(run) | JobWork::Teach { run, .. } => {
                Err(Problem::new(message!("place-run-trained-elsewhere", name = name.as_str()))
                    .at_path(run)
                    .advise(message!("place-run-trained-elsewhere-advice")))
            }
            JobWork::Grid(work) => {
                job.device = Some(device.unwrap_or_else(|| "auto".into()));
                collect_grid_attachments(work, &self.root, &self.machine.data)
            }
            JobWork::Try(_)
            | JobWork::TryBackbones(..)
            | JobWork::TryPet(_)
            | JobWork::Check { .. } => {
                Err(Problem::new(message!("place-trials-local-only", name = name.as_str()))
                    .advise(message!("place-trials-local-only-advice")))
            }
        }
    }

    /// Returns the name of a run on the machine, which can differ from its name here.
    fn remote_name(&self, run: &str) -> String {
        store::remote_name(&self.root.join(run), &self.machine.name)
    }

    /// Reports that a job failed.
    fn fail_job(&mut self, id: JobId, problem: Problem) {
        self.remove_job(id);
        let run = String::new();
        self.send_event(Some(id), Event::Began(id));
        self.send_event(Some(id), Event::Failed { run, problem });
    }

    /// Shows a job as waiting.
    fn report_queued(&self, job: &Job) {
        let (id, job) = (job.id, Box::new(job.clone()));
        let place = usize::MAX;
        self.send_event(Some(id), Event::Queued { job, place });
    }

    fn remove_job(&mut self, id: JobId) {
        self.jobs.retain(|remote_job| remote_job.job.id != id);
        self.save_jobs();
    }

    fn save_jobs(&mut self) {
        let jobs: Vec<&RemoteJob> = self.jobs.iter().collect();
        if let Err(problem) = self.file.save(&jobs) {
            self.report_problem(problem);
        }
    }

    fn report_problem(&self, problem: Problem) {
        let run = String::new();
        self.send_event(None, Event::Remark { run, problem });
    }

    fn set_connection_problem(&self, problem: Option<Problem>) {
        *lock(&self.connection_problem) = problem;
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
    machine: &RemoteMachine,
    root: &Path,
    sender: &Sender<Message>,
    at_once: bool,
) -> Result<Remote> {
    let sender = sender.clone();
    let wake = move || {
        let _ = sender.send(Message::EventsAvailable);
    };
    Remote::start(Peer::from_machine(machine, root), at_once, Arc::new(wake))
}
