//! `places`: lists other machines that train runs, and checks their connection.

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_message, print_problem};
use super::remote::find_machine;
use crate::problem::{Problem, Result};
use crate::remote::{check, copy_program};
use crate::run::remote_machines::{self, RemoteMachines};
use crate::run::wire::Hello;
use crate::store;

/// Options of `places`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Check the connection to each place
    #[arg(long)]
    check: bool,
    /// Copy this program to a place with the same system and processor, and use it there
    #[arg(long, value_name = "NAME", conflicts_with_all = ["check", "json"])]
    copy: Option<String>,
    #[command(flatten)]
    json: JsonOutput,
}

/// A place in the JSON output.
#[derive(Serialize)]
struct PlaceRow<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssh: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Hello>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Lists places, checks them, or copies the program to one.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    if let Some(name) = &args.copy {
        copy_program(&find_machine(name)?)?;
        print_message(format!(
            "this version of the program is now used at {name}; an engine of another version \
             that is still running there ends ten minutes after its last job"
        ));
        return Ok(CommandOutcome::Done);
    }
    let all = RemoteMachines::load()?;
    if all.list().is_empty() {
        let file = remote_machines::config_path()
            .map_or_else(String::new, |file| file.display().to_string());
        print_message(format!("no places yet; add them to {file}"));
    }
    let mut table = Table::new(&["place", "through", "folder", "device", "answers"]);
    let (mut lines, mut failed) = (Vec::new(), false);
    for place in all.list() {
        let answer =
            (args.check && place.slurm.is_none()).then(|| check(place, &store::runs_root(None)));
        let (hello, problem) = match answer {
            Some(Ok(found)) => (Some(found.hello), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        failed |= problem.is_some();
        let host = place.ssh.as_deref().unwrap_or("this machine");
        let through = match &place.slurm {
            Some(_) => format!("slurm on {host}"),
            None => format!("ssh {host}"),
        };
        let status = match (&hello, &problem) {
            (Some(hello), _) => format!(
                "version {}, {} on {}, {}",
                hello.version,
                hello.system,
                hello.processor,
                hello.folder.display()
            ),
            (_, Some(problem)) => problem.what.clone(),
            _ => String::new(),
        };
        let or_default = |text: &Option<String>| text.clone().unwrap_or_else(|| "default".into());
        table.add_row([
            place.name.clone(),
            through,
            or_default(&place.folder),
            or_default(&place.device),
            status,
        ]);
        problem.iter().for_each(print_problem);
        lines.push(PlaceRow {
            name: &place.name,
            kind: if place.slurm.is_some() { "slurm" } else { "ssh" },
            ssh: place.ssh.as_deref(),
            folder: place.folder.as_deref(),
            device: place.device.as_deref(),
            answers: hello,
            problem,
        });
    }
    let text = if lines.is_empty() { String::new() } else { table.to_string() };
    args.json.print_results(&lines, &text)?;
    Ok(CommandOutcome::from_success(!failed))
}
