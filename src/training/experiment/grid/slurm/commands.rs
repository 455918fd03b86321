//! Runs Slurm's commands, on this machine or on a login host, and reads their output.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::console;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_posix;
use crate::run::remote_machines::{RemoteMachine, ssh_command, ssh_start_problem};

/// The columns requested from `squeue`: array, index, state, nodes, time, reason.
const QUEUE: &str = "%F|%K|%T|%N|%M|%r";
/// Makes `squeue` print task indices in full.
const UNTRUNCATED_INDICES: (&str, &str) = ("SLURM_BITSTR_LEN", "0");

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
pub fn is_installed() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("sbatch").is_file())
}

/// Runs a command on a machine; returns its output.
fn run_command(machine: &RemoteMachine, arguments: &[&str]) -> Result<String> {
    let name = arguments[0];
    let mut command = match &machine.ssh {
        None => {
            let mut command = Command::new(name);
            command.args(&arguments[1..]).env(UNTRUNCATED_INDICES.0, UNTRUNCATED_INDICES.1);
            command
        }
        Some(host) => {
            let line: Vec<String> = arguments.iter().map(|word| quote_for_posix(word)).collect();
            let line = format!(
                "env {}={} {}",
                UNTRUNCATED_INDICES.0,
                UNTRUNCATED_INDICES.1,
                line.join(" ")
            );
            ssh_command(host, &machine.options, &line)
        }
    };
    let command = console::hide_for(&mut command).stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        _ if machine.ssh.is_some() => ssh_start_problem(&error),
        ErrorKind::NotFound => Problem::new(message!("slurm-command-not-found-here", name))
            .advise(message!("slurm-command-not-found-here-advice")),
        _ => {
            let said = error.to_string();
            Problem::new(message!("slurm-command-not-started", name, said))
        }
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_string());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let (what, remedy) = match (machine.ssh.as_deref(), output.status.code()) {
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
        _ => return Err(rejection_problem(&error)),
    };
    Err(Problem::new(what).at("ssh").advise(remedy))
}

/// Submits an array; returns its job id.
pub(super) fn submit_array(machine: &RemoteMachine, arguments: &[&str]) -> Result<String> {
    let output = run_command(machine, arguments)?;
    // With several clusters, the output is number;cluster.
    let job = output.lines().last().unwrap_or_default();
    let job = job.split(';').next().unwrap_or_default().trim();
    match !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(job.to_string()),
        false => Err(rejection_problem(&output)),
    }
}

/// Returns the user's tasks in the queue and, if the cluster keeps accounts, those of `submitted` (array and
/// index) that have left it.
pub(super) fn query_tasks<'a>(
    machine: &RemoteMachine,
    submitted: impl Iterator<Item = (&'a str, usize)>,
) -> Result<Tasks> {
    // With -r, squeue omits the last task of indices such as 1-13:2.
    let output = run_command(machine, &["squeue", "-h", "--me", "-t", "all", "-o", QUEUE])?;
    let mut tasks: Tasks = output.lines().flat_map(parse_queued).collect();
    let gone = submitted.filter(|(job, index)| !tasks.contains_key(&(job.to_string(), *index)));
    let gone: BTreeSet<&str> = gone.map(|(job, _)| job).collect();
    if !gone.is_empty() {
        let list = Vec::from_iter(gone).join(",");
        let arguments = ["sacct", "-n", "-P", "-X", "-j", &list, "-o", "JobID,State"];
        let output = run_command(machine, &arguments).unwrap_or_default();
        for (key, task) in output.lines().filter_map(parse_accounted) {
            tasks.entry(key).or_insert(task);
        }
    }
    Ok(tasks)
}

/// Cancels waiting and running tasks, with ids like `12_3`.
pub(super) fn cancel_tasks(machine: &RemoteMachine, tasks: &[&str]) -> Result<()> {
    let mut chunks = tasks.chunks(200);
    chunks.try_for_each(|chunk| run_command(machine, &[&["scancel"][..], chunk].concat()).map(drop))
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
    let indices = parse_indices(indices).map(|index| ((job.to_string(), index), task.clone()));
    indices.collect()
}

/// Parses indices such as `1-3,5,8-20:4%2`; the number after `%` limits how many run at the same time.
fn parse_indices(text: &str) -> impl Iterator<Item = usize> {
    let list = text.split('%').next().unwrap_or_default();
    let ranges = list.trim_matches(['[', ']']).split(',').filter_map(|part| {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        Some((first..=last).step_by(step.parse::<usize>().ok()?.max(1)))
    });
    ranges.flatten()
}

/// Parses a line of `sacct`: `12_3|CANCELLED by 1000`.
fn parse_accounted(line: &str) -> Option<((String, usize), Task)> {
    let (id, state) = line.trim().split_once('|')?;
    let (job, index) = id.split_once('_')?;
    let task = Task { state: state.split_whitespace().next()?.to_string(), ..Task::default() };
    Some(((job.to_string(), index.parse().ok()?), task))
}

/// Returns the error that a command printed.
fn rejection_problem(error: &str) -> Problem {
    // A login host may print a greeting first.
    let messages = error.lines().filter_map(|line| line.split_once("error: "));
    let messages: Vec<&str> = messages.map(|(_, what)| what.trim()).collect();
    let said = match messages.is_empty() {
        true => error.trim().to_string(),
        false => messages.join("; "),
    };
    Problem::new(message!("slurm-job-rejected", said)).advise(message!("slurm-job-rejected-advice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_squeue_and_sacct_lines() {
        let tasks = parse_queued("1|1-3,5,8-20:4%2|PENDING||0:00|Resources");
        let indices: Vec<usize> = tasks.iter().map(|((_, index), _)| *index).collect();
        assert_eq!(indices, [1, 2, 3, 5, 8, 12, 16, 20]);
        assert_eq!((tasks[0].0.0.as_str(), tasks[0].1.reason.as_str()), ("1", "Resources"));
        assert!(parse_queued("5|N/A|FAILED||0:00|BadConstraints").is_empty());
        let ((_, index), task) = parse_accounted("12_7|CANCELLED by 1000").unwrap();
        assert_eq!((index, task.state.as_str()), (7, "CANCELLED"));
        assert_eq!(parse_accounted("12_[3-5]|PENDING"), None);
    }

    #[test]
    fn rejection_problem_quotes_slurm_errors() {
        let problem = rejection_problem(
            "Welcome\nsbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: \
             Invalid partition name specified",
        );
        let said = "Slurm rejected the job: invalid partition specified: nope; Batch job submission failed: Invalid partition \
                    name specified";
        assert_eq!(problem.what, said);
    }
}
