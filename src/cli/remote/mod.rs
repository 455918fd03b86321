//! Runs on other machines: `train`, `resume` and `runs` with `--place`, and the code that `grid --place` shares with
//! them.

mod connection;

use std::path::{Path, PathBuf};

use super::End;
use super::output::{Json, complain, say, tell};
use super::progress::Reporter;
use super::run_report::{RunOutput, finished, not_begun, stopped};
use crate::experiment::{Changes, check_untaught};
use crate::problem::{Problem, Result};
use crate::remote;
use crate::run::config::shell_word;
use crate::run::event::Control;
use crate::run::job::Job;
use crate::run::places::{RemoteMachine, no_ssh};
use crate::store::{self, StoredState};

pub(super) use connection::{JobEnd, RemoteConnection, machine};

/// Which machine trains.
#[derive(clap::Args)]
pub(super) struct AtPlace {
    /// Train on another machine, one of `lae-studio places`; the run is copied here while it trains
    #[arg(long, value_name = "NAME")]
    pub place: Option<String>,
    /// Return immediately; the run continues on that machine, and `resume --place` or the same grid command copies it here
    #[arg(long, requires = "place", conflicts_with = "json")]
    pub detach: bool,
}

/// Returns the folder of a run that has ended.
pub(super) fn begun(folder: Option<PathBuf>) -> Result<PathBuf> {
    folder.ok_or_else(|| Problem::new("a run ended before it had started"))
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
        let root = dunce::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let folder = store::local_folder_of(&root, name, &run);
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

/// Returns the standard output of the program there; `None` if it failed, after printing the error.
fn said(place: &RemoteMachine, words: &[&str]) -> Result<Option<String>> {
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
