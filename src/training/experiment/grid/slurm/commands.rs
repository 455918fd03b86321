//! Runs Slurm's commands, on this machine or on a login host, and reads their output.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::console;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::posix_word;
use crate::run::places::{RemoteMachine, no_ssh, ssh};

/// The columns requested from `squeue`: array, index, state, nodes, time, reason.
const QUEUE: &str = "%F|%K|%T|%N|%M|%r";
/// Makes `squeue` print task indices in full.
const WHOLE: (&str, &str) = ("SLURM_BITSTR_LEN", "0");

/// A task as Slurm reports it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Task {
    /// Slurm's state: `RUNNING`, `PENDING`, `TIMEOUT` …
    pub state: String,
    pub node: String,
    pub elapsed: String,
    /// Slurm's reason for waiting.
    pub reason: String,
}

/// Tasks by array and index.
pub(super) type Tasks = HashMap<(String, usize), Task>;

/// Returns whether Slurm's commands are installed on this machine.
pub fn is_here() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("sbatch").is_file())
}

/// Runs a command at a place; returns its output.
fn call(place: &RemoteMachine, words: &[&str]) -> Result<String> {
    let name = words[0];
    let mut command = match &place.ssh {
        None => {
            let mut command = Command::new(name);
            command.args(&words[1..]).env(WHOLE.0, WHOLE.1);
            command
        }
        Some(host) => {
            let line: Vec<String> = words.iter().map(|word| posix_word(word)).collect();
            let line = format!("env {}={} {}", WHOLE.0, WHOLE.1, line.join(" "));
            ssh(host, &place.options, &line)
        }
    };
    let command = console::hide_for(&mut command).stdin(Stdio::null());
    let ended = command.output().map_err(|error| match error.kind() {
        _ if place.ssh.is_some() => no_ssh(&error),
        ErrorKind::NotFound => Problem::new(message!("slurm-command-not-found-here", name))
            .advise(message!("slurm-command-not-found-here-advice")),
        _ => {
            let said = error.to_string();
            Problem::new(message!("slurm-command-not-started", name, said))
        }
    })?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).trim().to_string());
    }
    let error = String::from_utf8_lossy(&ended.stderr);
    let (what, remedy) = match (place.ssh.as_deref(), ended.status.code()) {
        // 255 means that OpenSSH itself failed, 127 that the shell did not find the command.
        (Some(host), Some(255)) => {
            let said = error.lines().last().unwrap_or_default();
            let what = message!("slurm-host-unreachable", host, said);
            (what, message!("slurm-host-unreachable-advice", host))
        }
        (Some(host), Some(127)) => {
            let what = message!("slurm-command-not-found-there", name, host);
            (what, message!("slurm-command-not-found-there-advice"))
        }
        _ => return Err(refused(&error)),
    };
    Err(Problem::new(what).at("ssh").advise(remedy))
}

/// Submits an array; returns its job id.
pub(super) fn submit(place: &RemoteMachine, words: &[&str]) -> Result<String> {
    let said = call(place, words)?;
    // With several clusters, the output is number;cluster.
    let job = said.lines().last().unwrap_or_default();
    let job = job.split(';').next().unwrap_or_default().trim();
    match !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(job.to_string()),
        false => Err(refused(&said)),
    }
}

/// Returns the user's tasks in the queue and, if the cluster keeps accounts, those of `wanted` (array and index) that
/// have left it.
pub(super) fn tasks<'a>(
    place: &RemoteMachine,
    wanted: impl Iterator<Item = (&'a str, usize)>,
) -> Result<Tasks> {
    // With -r, squeue omits the last task of indices such as 1-13:2.
    let said = call(place, &["squeue", "-h", "--me", "-t", "all", "-o", QUEUE])?;
    let mut tasks: Tasks = said.lines().flat_map(parse_queued).collect();
    let gone = wanted.filter(|(job, index)| !tasks.contains_key(&(job.to_string(), *index)));
    let gone: BTreeSet<&str> = gone.map(|(job, _)| job).collect();
    if !gone.is_empty() {
        let list = Vec::from_iter(gone).join(",");
        let words = ["sacct", "-n", "-P", "-X", "-j", &list, "-o", "JobID,State"];
        let said = call(place, &words).unwrap_or_default();
        for (key, task) in said.lines().filter_map(parse_accounted) {
            tasks.entry(key).or_insert(task);
        }
    }
    Ok(tasks)
}

/// Cancels waiting and running tasks, with ids like `12_3`.
pub(super) fn cancel(place: &RemoteMachine, tasks: &[&str]) -> Result<()> {
    let mut chunks = tasks.chunks(200);
    chunks.try_for_each(|some| call(place, &[&["scancel"][..], some].concat()).map(drop))
}

/// Parses a line of `squeue`, which combines waiting tasks: `12|5-9:2,13%2|PENDING||0:00|Resources`. Empty if the job
/// is not an array.
fn parse_queued(line: &str) -> Vec<((String, usize), Task)> {
    let fields: Vec<&str> = line.trim().splitn(6, '|').collect();
    let [job, indices, state, node, elapsed, reason] = fields[..] else {
        return Vec::new();
    };
    let task = Task {
        state: state.to_string(),
        node: node.to_string(),
        elapsed: elapsed.to_string(),
        reason: reason.to_string(),
    };
    let indices = indices_of(indices).map(|index| ((job.to_string(), index), task.clone()));
    indices.collect()
}

/// Parses indices such as `1-3,5,8-20:4%2`; the number after `%` limits how many run at the same time.
fn indices_of(text: &str) -> impl Iterator<Item = usize> {
    let all = text.split('%').next().unwrap_or_default();
    let some = all.trim_matches(['[', ']']).split(',').filter_map(|some| {
        let (range, step) = some.split_once(':').unwrap_or((some, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        Some((first..=last).step_by(step.parse::<usize>().ok()?.max(1)))
    });
    some.flatten()
}

/// Parses a line of `sacct`: `12_3|CANCELLED by 1000`.
fn parse_accounted(line: &str) -> Option<((String, usize), Task)> {
    let (id, state) = line.trim().split_once('|')?;
    let (job, index) = id.split_once('_')?;
    let task = Task {
        state: state.split_whitespace().next()?.to_string(),
        ..Task::default()
    };
    Some(((job.to_string(), index.parse().ok()?), task))
}

/// Returns the error that a command printed.
fn refused(error: &str) -> Problem {
    // A login host may print a greeting first.
    let said = error.lines().filter_map(|line| line.split_once("error: "));
    let said: Vec<&str> = said.map(|(_, what)| what.trim()).collect();
    let said = match said.is_empty() {
        true => error.trim().to_string(),
        false => said.join("; "),
    };
    Problem::new(message!("slurm-job-rejected", said)).advise(message!("slurm-job-rejected-advice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue_and_sacct_are_read() {
        let tasks = parse_queued("1|1-3,5,8-20:4%2|PENDING||0:00|Resources");
        let indices: Vec<usize> = tasks.iter().map(|((_, index), _)| *index).collect();
        assert_eq!(indices, [1, 2, 3, 5, 8, 12, 16, 20]);
        assert_eq!(
            (tasks[0].0.0.as_str(), tasks[0].1.reason.as_str()),
            ("1", "Resources")
        );
        assert!(parse_queued("5|N/A|FAILED||0:00|BadConstraints").is_empty());
        let ((_, index), task) = parse_accounted("12_7|CANCELLED by 1000").unwrap();
        assert_eq!((index, task.state.as_str()), (7, "CANCELLED"));
        assert_eq!(parse_accounted("12_[3-5]|PENDING"), None);
    }

    #[test]
    fn slurm_is_quoted_where_it_refuses() {
        let problem = refused(
            "Welcome\nsbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: \
             Invalid partition name specified",
        );
        let said = "Slurm rejected the job: invalid partition specified: nope; Batch job submission failed: Invalid partition \
                    name specified";
        assert_eq!(problem.what, said);
    }
}
