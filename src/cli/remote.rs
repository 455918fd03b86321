//! Runs on other machines: `train`, `resume` and `runs` with `--place`, and the code that `grid --place` shares with
//! them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::CommandOutcome;
use super::output::{JsonOutput, print_message, print_problem, print_text};
use super::progress::Reporter;
use super::run_report::{RunOutput, print_finished, print_not_started, print_stopped};
use crate::experiment::{Changes, RunAttachments, check_no_added_tasks, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{self, Peer, Remote, RemoteEvent};
use crate::run::config::{RunConfig, quote_for_shell};
use crate::run::event::{Command, Control, ControlRequest, Event, Sink};
use crate::run::job::{Job, JobAttachments, JobId};
use crate::run::queue::JobEvent;
use crate::run::remote_machines::{RemoteMachine, RemoteMachines, ssh_start_problem};
use crate::run::wire::ServerMessage;
use crate::serve::make_root;
use crate::store::{self, StoredState};

/// Interval between two checks whether Ctrl-C was pressed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How a job ended without an error.
pub(super) enum JobOutcome {
    /// The job finished; the local folder of its last run.
    Finished(Option<PathBuf>),
    /// The job was stopped; the local folder of its run, if it had started.
    Stopped(Option<PathBuf>),
    /// The job continues on the other machine.
    Detached,
}

/// Another machine with an open connection.
pub(super) struct RemoteConnection {
    pub place: RemoteMachine,
    peer: Peer,
    remote: Remote,
    /// The job of each run that was in progress there when the connection was opened.
    pub active_jobs: HashMap<String, JobId>,
    /// The jobs that had not ended when the connection was opened.
    pub jobs: Vec<Job>,
}

/// Returns the place with this name, which must be a machine and not a cluster.
pub(super) fn find_machine(name: &str) -> Result<RemoteMachine> {
    let places = RemoteMachines::load()?;
    let place = places.get(name)?;
    match place.is_ssh_machine() {
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
    pub fn connect(name: &str, root: &Path, control: &Control) -> Result<Option<Self>> {
        let place = find_machine(name)?;
        let peer = Peer::from_machine(&place, &make_root(root)?);
        let mut connection = Self {
            place,
            remote: Remote::connect(peer.clone())?,
            peer,
            active_jobs: HashMap::new(),
            jobs: Vec::new(),
        };
        let (mut current_job, mut runs) = (None, HashMap::new());
        while control.should_continue() {
            match connection.remote.recv(POLL_INTERVAL)? {
                Some(RemoteEvent::CaughtUp) => {
                    connection.active_jobs = runs;
                    return Ok(Some(connection));
                }
                Some(RemoteEvent::Lost(problem)) => return Err(problem),
                Some(RemoteEvent::Event(job_event)) => match job_event.event {
                    Event::Queued { job, .. } => {
                        connection.jobs.retain(|other| other.id != job.id);
                        connection.jobs.push(*job);
                    }
                    Event::Removed(id) => connection.jobs.retain(|other| other.id != id),
                    Event::Began(id) => current_job = Some(id),
                    Event::Started(header) => runs.extend(current_job.map(|id| (header.run, id))),
                    Event::Finished { run }
                    | Event::Stopped { run }
                    | Event::Failed { run, .. } => {
                        runs.remove(&run);
                        connection.jobs.retain(|other| Some(other.id) != job_event.job);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(None)
    }

    /// Copies the local files that a run with these settings needs to the other machine.
    pub fn upload_run_attachments(
        &self,
        config: &mut RunConfig,
        control: &Control,
    ) -> Result<JobAttachments> {
        self.upload_attachments(collect_attachments(config, &self.place.data)?, control)
    }

    /// Copies the files that a job needs to the other machine; returns them as part of the job.
    pub fn upload_attachments(
        &self,
        attachments: RunAttachments,
        control: &Control,
    ) -> Result<JobAttachments> {
        let should_continue = || control.should_continue();
        let name = &self.place.name;
        self.remote.upload_attachments(attachments, name, &should_continue, &|text| {
            print_message(text);
        })
    }

    /// Runs a job there, and waits for its end unless `detach`.
    pub fn run_job(
        &self,
        job: Job,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobOutcome> {
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
    ) -> Result<JobOutcome> {
        // A new connection also delivers the events that the job sent before this program knew its number.
        self.remote = Remote::connect(self.peer.clone())?;
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
    ) -> Result<JobOutcome> {
        let mut stop_requested = false;
        loop {
            if !control.should_continue() && !std::mem::replace(&mut stop_requested, true) {
                self.remote.send(Command::Stop(id));
                self.remote.control_job(id, ControlRequest::Stop);
            }
            let job_event = match self.remote.recv(POLL_INTERVAL)? {
                Some(RemoteEvent::Event(job_event)) => job_event,
                Some(
                    RemoteEvent::Lost(problem)
                    | RemoteEvent::DownloadFailed(_, problem)
                    | RemoteEvent::RequestFailed(problem),
                ) => {
                    return Err(problem);
                }
                Some(RemoteEvent::Disconnected(problem)) => {
                    print_message(format!(
                        "note: {}; the run continues there, reconnecting",
                        problem.what
                    ));
                    continue;
                }
                _ => continue,
            };
            let JobEvent { job, event } = *job_event;
            if job != Some(id) {
                continue;
            }
            match event {
                // The program on the other machine was restarted, and holds restored jobs until they are released.
                Event::Queued { job, .. } if job.held => self.remote.send(Command::Release(id)),
                Event::Queued { .. } | Event::Began(_) if detach => {
                    return Ok(JobOutcome::Detached);
                }
                Event::Finished { .. } => return Ok(JobOutcome::Finished(folder)),
                Event::Stopped { .. } => return Ok(JobOutcome::Stopped(folder)),
                Event::Removed(_) => return Ok(JobOutcome::Stopped(None)),
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
    pub fn latest_run(&self, control: &Control) -> Result<Option<String>> {
        self.remote.list();
        let runs = self.wait_for(control, |event| match event {
            RemoteEvent::Response(ServerMessage::Runs(runs)) => Some(runs),
            _ => None,
        })?;
        let none = || message!("place-run-not-found", place = self.place.name.as_str());
        // Names begin with the time.
        let latest = |runs: Vec<String>| runs.into_iter().max();
        runs.map(|runs| latest(runs).ok_or_else(|| Problem::new(none()))).transpose()
    }

    /// Fetches a run; returns its local folder, `None` if Ctrl-C was pressed.
    pub fn fetch_run(&self, run: &str, control: &Control) -> Result<Option<PathBuf>> {
        self.remote.fetch_run(run, None);
        self.wait_for(control, |event| match event {
            RemoteEvent::RunDownloaded(_, folder) => Some(folder),
            _ => None,
        })
    }

    /// Waits for a message for which `accept` returns a value; `None` if Ctrl-C was pressed.
    fn wait_for<T>(
        &self,
        control: &Control,
        accept: impl Fn(RemoteEvent) -> Option<T>,
    ) -> Result<Option<T>> {
        while control.should_continue() {
            match self.remote.recv(POLL_INTERVAL)? {
                Some(
                    RemoteEvent::Lost(problem)
                    | RemoteEvent::DownloadFailed(_, problem)
                    | RemoteEvent::RequestFailed(problem),
                ) => {
                    return Err(problem.at(&self.place.name));
                }
                event => {
                    if let Some(value) = event.and_then(&accept) {
                        return Ok(Some(value));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Fetches a run while it is trained there, and follows it until it ends.
    pub fn follow_run(
        &self,
        (run, id): (&str, JobId),
        folder: PathBuf,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<JobOutcome> {
        self.remote.fetch_run(run, Some(id));
        self.follow(id, Some(folder), false, sink, control)
    }
}

/// Which machine trains.
#[derive(clap::Args)]
pub(super) struct PlaceArgs {
    /// Train on a remote machine, one of `lae-studio places`; the run is copied here while it trains
    #[arg(long, value_name = "NAME")]
    pub place: Option<String>,
    /// Return immediately; the run continues on that machine, and `resume --place` or the same grid command copies it here
    #[arg(long, requires = "place", conflicts_with = "json")]
    pub detach: bool,
}

/// Returns the folder of a run that has ended.
pub(super) fn require_run_folder(folder: Option<PathBuf>) -> Result<PathBuf> {
    folder.ok_or_else(|| Problem::new("the job on the remote machine ended before its run started"))
}

/// Prints that a run continues on the other machine.
pub(super) fn print_detached(name: &str) -> CommandOutcome {
    let place = quote_for_shell(name);
    print_message(format!(
        "the run continues at {name}; `lae-studio runs --place {place}` lists the runs there, \
         `lae-studio resume --place {place} RUN` copies one here"
    ));
    CommandOutcome::Done
}

/// `resume --place`: follows a run that is being trained there, fetches one that is finished, or continues one that was
/// stopped.
pub(super) fn resume(
    name: &str,
    run: &str,
    changes: &Changes<'_>,
    detach: bool,
    output: &RunOutput,
    root: &Path,
    control: &Control,
) -> Result<CommandOutcome> {
    let Some(connection) = RemoteConnection::connect(name, root, control)? else {
        return Ok(print_not_started());
    };
    let run = match run {
        "latest" => match connection.latest_run(control)? {
            Some(run) => run,
            None => return Ok(print_not_started()),
        },
        run => match store::find_run(root, run) {
            Ok(folder) => store::remote_name(&folder, name),
            Err(_) => run.to_string(),
        },
    };
    let mut reporter = Reporter::new(output.quiet);
    let outcome = if let Some(&id) = connection.active_jobs.get(&run) {
        refuse_changes(changes, name)?;
        if detach {
            return Ok(print_detached(name));
        }
        let folder = store::local_folder(connection.peer.root(), name, &run);
        connection.follow_run((&run, id), folder, &mut reporter, control)
    } else {
        let Some(folder) = connection.fetch_run(&run, control)? else {
            return Ok(print_not_started());
        };
        let stored = store::load_run(&folder)?;
        check_no_added_tasks(&stored)?;
        if stored.state == StoredState::Finished {
            return print_finished(&stored, output);
        }
        let title = stored.header.title();
        let home = folder.parent().unwrap_or(root).join(&run);
        let mut config = stored.header.config.clone();
        // The folder of the run contains a copy of the PET's initial LoRA.
        config.pet_start = None;
        let job = Job {
            own: connection.upload_run_attachments(&mut config, control)?,
            micro_batch: changes.micro_batch,
            ..Job::resume(home, changes.device.map(str::to_string), title)
        };
        connection.run_job(job, detach, &mut reporter, control)
    };
    let outcome = outcome.inspect_err(|_| reporter.report_failure())?;
    drop(reporter);
    match outcome {
        JobOutcome::Finished(folder) => {
            print_finished(&store::load_run(&require_run_folder(folder)?)?, output)
        }
        JobOutcome::Stopped(Some(folder)) => print_stopped(&store::load_run(&folder)?, output),
        JobOutcome::Stopped(None) => Ok(print_not_started()),
        JobOutcome::Detached => Ok(print_detached(name)),
    }
}

/// Checks that no setting is to be changed, because the run is being trained.
fn refuse_changes(changes: &Changes<'_>, name: &str) -> Result<()> {
    let option = match (changes.device, changes.micro_batch) {
        (Some(_), _) => "--device",
        (None, Some(_)) => "--micro-batch",
        (None, None) => return Ok(()),
    };
    Err(Problem::new(format!("the run is training at {name}, so this cannot be changed now"))
        .at(option)
        .advise("omit the option, or stop the run first"))
}

/// `runs --place`: prints the output of the program on the other machine for the same arguments. JSON for a file here
/// is requested separately.
pub(super) fn list_runs(
    name: &str,
    arguments: &[String],
    json: &JsonOutput,
) -> Result<CommandOutcome> {
    json.check()?;
    let place = find_machine(name)?;
    let arguments: Vec<&str> =
        ["runs"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let json_arguments = [&arguments[..], &["--json", "-"]].concat();
    let file = json.json.as_deref().filter(|_| !json.is_stdout());
    if let Some(path) = file {
        let Some(text) = read_output(&place, &json_arguments)? else {
            return Ok(CommandOutcome::Failed);
        };
        store::write_file(path, text.as_bytes())?;
    }
    let printed_arguments = if json.is_stdout() { &json_arguments } else { &arguments };
    let Some(text) = read_output(&place, printed_arguments)? else {
        return Ok(CommandOutcome::Failed);
    };
    print_text(&text)?;
    Ok(CommandOutcome::Done)
}

/// Returns the standard output of the program there; `None` if it failed, after printing the error.
fn read_output(place: &RemoteMachine, arguments: &[&str]) -> Result<Option<String>> {
    let mut ssh = remote::command(place, &remote::script(place, arguments));
    let output = ssh
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| ssh_start_problem(&error))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let has_problem = stderr.contains("problem: ");
        let problem = remote::explain_failure(place, output.status.code(), &stderr);
        match has_problem {
            true => print_message(stderr.trim()),
            false => print_problem(&problem),
        }
        return Ok(None);
    }
    if !stderr.trim().is_empty() {
        print_message(stderr.trim());
    }
    Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()))
}
