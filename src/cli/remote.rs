//! Runs on other machines: `train`, `resume` and `runs` with `--place`, and the code that `grid --place` shares with
//! them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::End;
use super::output::{Json, complain, say, tell};
use super::progress::Reporter;
use super::run_report::{RunOutput, finished, not_begun, stopped};
use crate::experiment::{Changes, RunAttachments, check_untaught, collect_attachments};
use crate::message;
use crate::problem::{Problem, Result};
use crate::remote::{self, News, Peer, Remote};
use crate::run::config::{RunConfig, shell_word};
use crate::run::event::{Command, Control, ControlRequest, Event, Sink};
use crate::run::job::{Job, JobAttachments, JobId};
use crate::run::places::{RemoteMachine, RemoteMachines, no_ssh};
use crate::run::queue::JobEvent;
use crate::run::wire::ServerMessage;
use crate::serve::make_root;
use crate::store::{self, StoredState};

/// Interval between two checks whether Ctrl-C was pressed.
const OFTEN: Duration = Duration::from_millis(100);

/// How a job ended without an error.
pub(super) enum JobEnd {
    /// The job finished; the local folder of its last run.
    Finished(Option<PathBuf>),
    /// The job was stopped; the local folder of its run, if it had started.
    Stopped(Option<PathBuf>),
    /// The job continues on the other machine.
    Left,
}

/// Another machine with an open connection.
pub(super) struct RemoteConnection {
    pub place: RemoteMachine,
    peer: Peer,
    remote: Remote,
    /// The job of each run that was in progress there when the connection was opened.
    pub at_work: HashMap<String, JobId>,
    /// The jobs that had not ended when the connection was opened.
    pub jobs: Vec<Job>,
}

/// Returns the place with this name, which must be a machine and not a cluster.
pub(super) fn machine(name: &str) -> Result<RemoteMachine> {
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
        let peer = Peer::machine(&place, &make_root(root)?);
        let mut there = Self {
            place,
            remote: Remote::connect(peer.clone())?,
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
        let go_on = || control.request() != ControlRequest::Stop;
        let name = &self.place.name;
        self.remote
            .upload_attachments(attachments, name, &go_on, &|words| tell(words))
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
    ) -> Result<JobEnd> {
        let mut asked = false;
        loop {
            if control.request() == ControlRequest::Stop && !std::mem::replace(&mut asked, true) {
                self.remote.send(Command::Stop(id));
                self.remote.control_job(id, ControlRequest::Stop);
            }
            let told = match self.remote.recv(OFTEN)? {
                Some(News::Event(told)) => told,
                Some(News::Lost(problem) | News::Refused(problem)) => return Err(problem),
                Some(News::Broken(problem)) => {
                    tell(format!(
                        "note: {}; the run continues there, reconnecting",
                        problem.what
                    ));
                    continue;
                }
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
            News::Answer(ServerMessage::Runs(runs)) => Some(runs),
            _ => None,
        })?;
        let none = || message!("place-run-not-found", place = self.place.name.as_str());
        // Names begin with the time.
        let latest = |runs: Vec<String>| runs.into_iter().max();
        runs.map(|runs| latest(runs).ok_or_else(|| Problem::new(none())))
            .transpose()
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
                Some(News::Lost(problem) | News::Refused(problem)) => {
                    return Err(problem.at(&self.place.name));
                }
                news => {
                    if let Some(taken) = news.and_then(&take) {
                        return Ok(Some(taken));
                    }
                }
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

/// Which machine trains.
#[derive(clap::Args)]
pub(super) struct AtPlace {
    /// Train on a remote machine, one of `lae-studio places`; the run is copied here while it trains
    #[arg(long, value_name = "NAME")]
    pub place: Option<String>,
    /// Return immediately; the run continues on that machine, and `resume --place` or the same grid command copies it here
    #[arg(long, requires = "place", conflicts_with = "json")]
    pub detach: bool,
}

/// Returns the folder of a run that has ended.
pub(super) fn begun(folder: Option<PathBuf>) -> Result<PathBuf> {
    folder.ok_or_else(|| Problem::new("the job on the remote machine ended before its run started"))
}

/// Prints that a run continues on the other machine.
pub(super) fn left(name: &str) -> End {
    let place = shell_word(name);
    tell(format!(
        "the run continues at {name}; `lae-studio runs --place {place}` lists the runs there, \
         `lae-studio resume --place {place} RUN` copies one here"
    ));
    End::Done
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
) -> Result<End> {
    let Some(there) = RemoteConnection::reach(name, root, control)? else {
        return Ok(not_begun());
    };
    let run = match run {
        "latest" => match there.latest(control)? {
            Some(run) => run,
            None => return Ok(not_begun()),
        },
        run => match store::find(root, run) {
            Ok(folder) => store::remote_name(&folder, name),
            Err(_) => run.to_string(),
        },
    };
    let mut reporter = Reporter::new(output.quiet);
    let ended = if let Some(&id) = there.at_work.get(&run) {
        refuse_changes(changes, name)?;
        if detach {
            return Ok(left(name));
        }
        let folder = store::local_folder_of(there.peer.root(), name, &run);
        there.watch((&run, id), folder, &mut reporter, control)
    } else {
        let Some(folder) = there.fetch_run(&run, control)? else {
            return Ok(not_begun());
        };
        let stored = store::load(&folder)?;
        check_untaught(&stored)?;
        if stored.state == StoredState::Finished {
            return finished(&stored, output);
        }
        let title = stored.header.title();
        let home = folder.parent().unwrap_or(root).join(&run);
        let mut config = stored.header.config.clone();
        // The folder of the run contains a copy of the PET's initial LoRA.
        config.pet_start = None;
        let job = Job {
            own: there.own(&mut config, control)?,
            micro_batch: changes.micro_batch,
            ..Job::resume(home, changes.device.map(str::to_string), title)
        };
        there.work(job, detach, &mut reporter, control)
    };
    let ended = ended.inspect_err(|_| reporter.failed())?;
    drop(reporter);
    match ended {
        JobEnd::Finished(folder) => finished(&store::load(&begun(folder)?)?, output),
        JobEnd::Stopped(Some(folder)) => stopped(&store::load(&folder)?, output),
        JobEnd::Stopped(None) => Ok(not_begun()),
        JobEnd::Left => Ok(left(name)),
    }
}

/// Checks that no setting is to be changed, because the run is being trained.
fn refuse_changes(changes: &Changes<'_>, name: &str) -> Result<()> {
    let option = match (changes.device, changes.micro_batch) {
        (Some(_), _) => "--device",
        (None, Some(_)) => "--micro-batch",
        (None, None) => return Ok(()),
    };
    Err(Problem::new(format!(
        "the run is training at {name}, so this cannot be changed now"
    ))
    .at(option)
    .advise("leave the option out, or stop the run first"))
}

/// `runs --place`: prints the output of the program on the other machine for the same arguments. JSON for a file here
/// is requested separately.
pub(super) fn runs(name: &str, words: &[String], json: &Json) -> Result<End> {
    json.check()?;
    let place = machine(name)?;
    let words: Vec<&str> = ["runs"]
        .into_iter()
        .chain(words.iter().map(String::as_str))
        .collect();
    let in_json = [&words[..], &["--json", "-"]].concat();
    let file = json.json.as_deref().filter(|_| !json.on_stdout());
    if let Some(path) = file {
        let Some(text) = read_output(&place, &in_json)? else {
            return Ok(End::Failed);
        };
        store::write_file(path, text.as_bytes())?;
    }
    let shown = if json.on_stdout() { &in_json } else { &words };
    let Some(text) = read_output(&place, shown)? else {
        return Ok(End::Failed);
    };
    say(&text)?;
    Ok(End::Done)
}

/// Returns the standard output of the program there; `None` if it failed, after printing the error.
fn read_output(place: &RemoteMachine, words: &[&str]) -> Result<Option<String>> {
    let mut ssh = remote::command(place, &remote::script(place, words));
    let output = ssh
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| no_ssh(&error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let told = said.contains("problem: ");
        let problem = remote::reason(place, output.status.code(), &said);
        match told {
            true => tell(said.trim()),
            false => complain(&problem),
        }
        return Ok(None);
    }
    if !said.trim().is_empty() {
        tell(said.trim());
    }
    Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()))
}
