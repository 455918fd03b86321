//! Runs on other machines: `train`, `resume` and `runs` with `--place`, and what `grid --place` stands on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::End;
use super::closing::{RunOutput, finished, not_begun, several_finished, several_stopped, stopped};
use super::output::{Json, complain, say, tell};
use super::progress::{Notes, OneOfSeveral, Reporter};
use crate::experiment::{Along, Changes, check_untaught, take_along};
use crate::message;
use crate::method::run_title;
use crate::problem::{Problem, Result};
use crate::remote::{self, News, Peer, Remote};
use crate::run::config::{RunConfig, shell_word};
use crate::run::event::{Command, Control, Event, Sink, Wish};
use crate::run::job::{Job, JobId, Own};
use crate::run::places::{Place, Places, no_ssh};
use crate::run::queue::JobEvent;
use crate::run::wire::Told;
use crate::store::{self, StoredState};
use crate::texts::Message;

/// Which machine trains.
#[derive(clap::Args)]
pub(super) struct AtPlace {
    /// Train on another machine, a place of `lae-studio places`; the run comes back here as it grows
    #[arg(long, value_name = "NAME")]
    pub place: Option<String>,
    /// Do not wait for it: it goes on there, and `resume --place`, or the same grid again, brings it home
    #[arg(long, requires = "place", conflicts_with = "json")]
    pub detach: bool,
}

/// How often it looks whether Ctrl-C was pressed.
const OFTEN: Duration = Duration::from_millis(100);

/// How a job ended there, short of a Problem.
pub(super) enum Ended {
    /// At its end; the folder here of the run that it was at last.
    Finished(Option<PathBuf>),
    /// Stopped; the run's folder here, if it had begun.
    Stopped(Option<PathBuf>),
    /// Left at work there.
    Left,
}

/// A machine that is talked to.
pub(super) struct There {
    pub place: Place,
    remote: Remote,
    peer: Peer,
    /// The run of each job at work there when it answered.
    at_work: HashMap<String, JobId>,
    /// The jobs that had not ended there then.
    pub jobs: Vec<Job>,
}

/// The place of this name, if it is a machine that trains itself.
pub(super) fn machine(name: &str) -> Result<Place> {
    let places = Places::load()?;
    let place = places.get(name)?;
    match place.is_machine() {
        true => Ok(place.clone()),
        false => Err(Problem::new(format!(
            "{name} is a cluster, whose queue is not asked by this command"
        ))
        .advise("name a place that has `ssh` and not `slurm`")),
    }
}

impl There {
    /// Talks to the machine of this name.
    ///
    /// # Errors
    /// A Problem when it is not known or cannot be reached.
    pub fn reach(name: &str, root: &Path, control: &Control) -> Result<Option<Self>> {
        let place = machine(name)?;
        let io = |error| Problem::io("keep runs in this folder", root, &error);
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
        while control.wish() != Wish::Stop {
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

    /// What a run with these settings brings along, all of it there already.
    fn own(&self, config: &mut RunConfig, control: &Control) -> Result<Own> {
        self.carried(take_along(config, &self.place.data)?, control)
    }

    /// Carries there what a job needs of this computer; gives what the job says of it.
    pub fn carried(&self, along: Along, control: &Control) -> Result<Own> {
        let tell = |what: Message, files| {
            let place = self.place.name.as_str();
            tell(message!(
                "doing-carrying",
                n = files,
                what = what,
                place = place
            ));
        };
        let go_on = || control.wish() != Wish::Stop;
        self.remote.carry_along(along, &go_on, &tell)
    }

    /// Has a job done there, and waits for its end unless it is to be left.
    pub fn work(
        &self,
        job: Job,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Ended> {
        let id = job.id;
        self.remote.send(Command::Queue(Box::new(job)));
        self.follow(id, None, detach, sink, control)
    }

    /// Follows a job that was asked for by an earlier program from its beginning on.
    pub fn take_up(
        mut self,
        id: JobId,
        detach: bool,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Ended> {
        // What was told of it before it was known which one it is is told once more.
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
    ) -> Result<Ended> {
        let mut asked = false;
        loop {
            if control.wish() == Wish::Stop && !std::mem::replace(&mut asked, true) {
                self.remote.send(Command::Stop(id));
                self.remote.wish_for(id, Wish::Stop);
            }
            let told = match self.remote.recv(OFTEN)? {
                Some(News::Event(told)) => told,
                Some(News::Lost(problem)) => return Err(problem),
                Some(News::Broken(problem)) => {
                    tell(format!(
                        "note: {}; it goes on there, and is tried again",
                        problem.what
                    ));
                    continue;
                }
                Some(News::Answer(Told::Refused(problem), _)) => return Err(problem),
                _ => continue,
            };
            let JobEvent { job, event } = *told;
            if job != Some(id) {
                continue;
            }
            match event {
                // The program there was ended, and would do nothing unasked.
                Event::Queued { job, .. } if job.held => self.remote.send(Command::Release(id)),
                Event::Queued { .. } | Event::Began(_) if detach => return Ok(Ended::Left),
                Event::Finished { .. } => return Ok(Ended::Finished(folder)),
                Event::Stopped { .. } => return Ok(Ended::Stopped(folder)),
                Event::Removed(_) => return Ok(Ended::Stopped(None)),
                Event::Failed { problem, .. } => return Err(problem),
                Event::Started(header) => {
                    folder = Some(header.folder.clone());
                    sink.event(Event::Started(header));
                }
                event => sink.event(event),
            }
        }
    }

    /// The run there that began last; none where Ctrl-C was pressed.
    fn latest(&self, control: &Control) -> Result<Option<String>> {
        self.remote.list();
        while control.wish() != Wish::Stop {
            match self.remote.recv(OFTEN)? {
                // Names begin with the time.
                Some(News::Answer(Told::Runs(runs), _)) => {
                    let none = || message!("place-no-run", place = self.place.name.as_str());
                    let latest = runs.into_iter().max().ok_or_else(|| Problem::new(none()))?;
                    return Ok(Some(latest));
                }
                Some(News::Lost(problem) | News::Answer(Told::Refused(problem), _)) => {
                    return Err(problem.at(&self.place.name));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Brings a run home; gives its folder here, or none where Ctrl-C was pressed.
    fn bring(&self, run: &str, control: &Control) -> Result<Option<PathBuf>> {
        self.remote.bring(run, None);
        while control.wish() != Wish::Stop {
            match self.remote.recv(OFTEN)? {
                Some(News::Home(_, folder)) => return Ok(Some(folder)),
                Some(News::Lost(problem) | News::Answer(Told::Refused(problem), _)) => {
                    return Err(problem.at(&self.place.name));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Trains there, one run after the other.
pub(super) fn train(
    at: &AtPlace,
    configs: Vec<RunConfig>,
    device_is_given: bool,
    several: bool,
    output: &RunOutput,
    root: &Path,
    control: &Control,
) -> Result<End> {
    let name = at.place.as_deref().unwrap_or_default();
    let Some(there) = There::reach(name, root, control)? else {
        return Ok(not_begun());
    };
    let (mut runs, count) = (Vec::new(), configs.len());
    let mut notes = Notes::default();
    for config in configs {
        let mut config = config;
        if let Some(device) = there.place.device.as_ref().filter(|_| !device_is_given) {
            config.device.clone_from(device);
        }
        let own = there.own(&mut config, control)?;
        let mut reporter = Reporter::new(output.quiet);
        let title = run_title(&config, true);
        let job = Job {
            own,
            ..Job::train(config, title)
        };
        let mut sink = OneOfSeveral {
            reporter: &mut reporter,
            notes: &mut notes,
        };
        let ended = there.work(job, at.detach, &mut sink, control);
        let ended = ended.inspect_err(|_| reporter.failed());
        drop(reporter);
        let last = match ended? {
            Ended::Finished(folder) => {
                runs.push(store::load(&begun(folder)?)?);
                continue;
            }
            Ended::Left => continue,
            Ended::Stopped(folder) => folder.map(|folder| store::load(&folder)).transpose()?,
        };
        return match last {
            last if several => several_stopped(&runs, last.as_ref(), count, output),
            Some(run) => stopped(&run, output),
            None => Ok(not_begun()),
        };
    }
    notes.close();
    match runs.as_slice() {
        [] => Ok(left(name)),
        [run] if !several => finished(run, output),
        _ => several_finished(&runs, output),
    }
}

fn begun(folder: Option<PathBuf>) -> Result<PathBuf> {
    folder.ok_or_else(|| Problem::new("a run ended that never began"))
}

/// Says that a run was left at work.
fn left(name: &str) -> End {
    let place = shell_word(name);
    tell(format!(
        "it trains at {name}; `lae-studio runs --place {place}` lists the runs there, \
         `lae-studio resume --place {place} RUN` brings one home"
    ));
    End::Done
}

/// `resume --place`: follows a run that is at work there, brings it home where it has ended, and goes on with it where
/// it was stopped.
pub(super) fn resume(
    name: &str,
    run: &str,
    changes: &Changes<'_>,
    detach: bool,
    output: &RunOutput,
    root: &Path,
    control: &Control,
) -> Result<End> {
    let Some(there) = There::reach(name, root, control)? else {
        return Ok(not_begun());
    };
    let run = match run {
        "latest" => match there.latest(control)? {
            Some(run) => run,
            None => return Ok(not_begun()),
        },
        run => match store::find(root, run) {
            Ok(folder) => store::name_there(&folder, name),
            Err(_) => run.to_string(),
        },
    };
    let mut reporter = Reporter::new(output.quiet);
    let ended = if let Some(&id) = there.at_work.get(&run) {
        refuse_changes(changes, name)?;
        if detach {
            return Ok(left(name));
        }
        let root = dunce::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let folder = store::home_of(&root, name, &run);
        there.remote.bring(&run, Some(id));
        there.follow(id, Some(folder), false, &mut reporter, control)
    } else {
        let Some(folder) = there.bring(&run, control)? else {
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
        // Its folder there has what its PET started from.
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
        Ended::Finished(folder) => finished(&store::load(&begun(folder)?)?, output),
        Ended::Stopped(Some(folder)) => stopped(&store::load(&folder)?, output),
        Ended::Stopped(None) => Ok(not_begun()),
        Ended::Left => Ok(left(name)),
    }
}

/// Checks that nothing is to be changed of a run that is at work.
fn refuse_changes(changes: &Changes<'_>, name: &str) -> Result<()> {
    let option = match (changes.device, changes.micro_batch) {
        (Some(_), _) => "--device",
        (None, Some(_)) => "--micro-batch",
        (None, None) => return Ok(()),
    };
    Err(Problem::new(format!(
        "the run is being trained at {name}, so this cannot be changed now"
    ))
    .at(option)
    .advise("leave the option out, or stop the run first"))
}

/// `runs --place`: what the program there says to the same words. JSON for a file here is asked for by itself.
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
        let Some(text) = said(&place, &in_json)? else {
            return Ok(End::Failed);
        };
        store::write_file(path, text.as_bytes())?;
    }
    let shown = if json.on_stdout() { &in_json } else { &words };
    let Some(text) = said(&place, shown)? else {
        return Ok(End::Failed);
    };
    say(&text)?;
    Ok(End::Done)
}

/// What the program there writes to standard output; `None` where it failed, which was told.
fn said(place: &Place, words: &[&str]) -> Result<Option<String>> {
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
