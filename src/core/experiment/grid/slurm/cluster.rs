//! The commands of Slurm, here or on a login host, and what they say.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::console;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::posix_word;
use crate::run::places::{Place, no_ssh, ssh};

/// What `squeue` is asked for of each task: array, index, state, nodes, time, reason.
const QUEUE: &str = "%F|%K|%T|%N|%M|%r";
/// Makes `squeue` write indices of tasks in full.
const WHOLE: (&str, &str) = ("SLURM_BITSTR_LEN", "0");
/// Largest index of an array where the cluster does not say its own.
const USUAL_MOST_INDEX: usize = 1000;

/// Where Slurm's commands are called.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The login host as OpenSSH knows it; this machine where none is named.
    ssh: Option<String>,
    /// More options of `ssh`.
    options: Vec<String>,
}

/// What Slurm says of a task.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    /// The array.
    pub job: String,
    /// Its index there.
    pub index: usize,
    /// Slurm's word: `RUNNING`, `PENDING`, `TIMEOUT` …
    pub state: String,
    pub node: String,
    pub elapsed: String,
    /// Why it waits.
    pub reason: String,
}

/// What a command said.
struct Said {
    fine: bool,
    out: String,
    error: String,
}

/// Whether Slurm's commands are on this machine.
pub fn is_here() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("sbatch").is_file())
}

impl Cluster {
    /// That of a place.
    pub fn of(place: &Place) -> Self {
        Self {
            ssh: place.ssh.clone(),
            options: place.options.clone(),
        }
    }

    fn call(&self, words: &[&str]) -> Result<Said> {
        let mut command = match &self.ssh {
            None => {
                let mut command = Command::new(words[0]);
                command.args(&words[1..]).env(WHOLE.0, WHOLE.1);
                command
            }
            Some(host) => {
                let whole = format!("{}={}", WHOLE.0, WHOLE.1);
                let words = [&["env", &whole], words].concat();
                let line: Vec<String> = words.iter().map(|word| posix_word(word)).collect();
                ssh(host, &self.options, &line.join(" "))
            }
        };
        let ended = console::hide_for(&mut command)
            .stdin(Stdio::null())
            .output();
        let ended = ended.map_err(|error| self.not_called(words[0], &error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        let said = Said {
            fine: ended.status.success(),
            out: text(&ended.stdout),
            error: text(&ended.stderr),
        };
        match (&self.ssh, ended.status.code()) {
            // OpenSSH's own failure, and a shell's that finds no such command.
            (Some(host), Some(255)) => {
                let said = last_line(&said.error);
                let what = message!("slurm-no-way-in", host = host.as_str(), said = said);
                let remedy = message!("slurm-no-way-in-try", host = host.as_str());
                Err(Problem::new(what).at("ssh").advise(remedy))
            }
            (Some(host), Some(127)) => {
                let what = message!("slurm-not-there", name = words[0], host = host.as_str());
                Err(Problem::new(what)
                    .at("ssh")
                    .advise(message!("slurm-not-there-try")))
            }
            _ => Ok(said),
        }
    }

    fn not_called(&self, name: &str, error: &std::io::Error) -> Problem {
        match (&self.ssh, error.kind()) {
            (Some(_), _) => no_ssh(error),
            (None, ErrorKind::NotFound) => Problem::new(message!("slurm-not-here", name = name))
                .advise(message!("slurm-not-here-try")),
            (None, _) => Problem::new(message!(
                "slurm-not-started",
                name = name,
                said = error.to_string()
            )),
        }
    }

    /// Submits an array; gives its number.
    pub(super) fn submit(&self, words: &[String]) -> Result<String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = self.call(&words)?;
        // On several clusters: number;cluster.
        let job = said.out.lines().last().unwrap_or_default();
        let job = job.split(';').next().unwrap_or_default().trim();
        if said.fine && !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(job.to_string());
        }
        Err(refused(&said.error, self.partitions()))
    }

    /// The partitions that there are, for whoever named another one.
    fn partitions(&self) -> String {
        let said = self.call(&["sinfo", "-h", "-o", "%R"]);
        let names = said
            .ok()
            .filter(|said| said.fine)
            .map(|said| said.out.lines().collect::<Vec<_>>().join(", "));
        names.unwrap_or_default()
    }

    /// The person's tasks in the queue, and those that have left it a moment ago.
    pub(super) fn queue(&self) -> Result<Vec<Task>> {
        // With -r it leaves out the last task of indices like 1-13:2.
        let said = self.call(&["squeue", "-h", "--me", "-t", "all", "-o", QUEUE])?;
        if !said.fine {
            return Err(refused(&said.error, String::new()));
        }
        Ok(said.out.lines().flat_map(of_queue).collect())
    }

    /// What the cluster's books say of these arrays; nothing where it keeps none.
    pub(super) fn accounted(&self, jobs: &[String]) -> Vec<Task> {
        if jobs.is_empty() {
            return Vec::new();
        }
        let list = jobs.join(",");
        let words = ["sacct", "-n", "-P", "-X", "-j", &list, "-o", "JobID,State"];
        let said = self.call(&words).ok().filter(|said| said.fine);
        let text = said.map(|said| said.out).unwrap_or_default();
        text.lines().filter_map(of_books).collect()
    }

    /// Takes tasks, as `12_3`, out of the queue or ends them.
    pub(super) fn cancel(&self, tasks: &[String]) -> Result<()> {
        for some in tasks.chunks(200) {
            let mut words = vec!["scancel"];
            words.extend(some.iter().map(String::as_str));
            let said = self.call(&words)?;
            if !said.fine {
                return Err(refused(&said.error, String::new()));
            }
        }
        Ok(())
    }

    /// Largest index of an array.
    pub(super) fn most_index(&self) -> usize {
        let said = self.call(&["scontrol", "show", "config"]).ok();
        let text = said.map(|said| said.out).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("MaxArraySize"));
        let number = line.and_then(|line| line.split('=').nth(1)?.trim().parse::<usize>().ok());
        // The index stays below it.
        number.map_or(USUAL_MOST_INDEX, |size| size.saturating_sub(1).max(1))
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// The tasks of a line of `squeue`, which has those that wait together: `12|5-9:2,13%2|PENDING||0:00|Resources`. None for
/// a job that is no array.
fn of_queue(line: &str) -> Vec<Task> {
    let fields: Vec<&str> = line.trim().splitn(6, '|').collect();
    let [job, indices, state, node, elapsed, reason] = fields[..] else {
        return Vec::new();
    };
    let task = |index| Task {
        job: job.to_string(),
        index,
        state: state.to_string(),
        node: node.to_string(),
        elapsed: elapsed.to_string(),
        reason: reason.to_string(),
    };
    indices_of(indices).map(task).collect()
}

/// `1-3,5,8-20:4%2` as numbers; what stands behind `%` is how many may run together.
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

/// A line of `sacct`: `12_3|CANCELLED by 1000`.
fn of_books(line: &str) -> Option<Task> {
    let (id, state) = line.trim().split_once('|')?;
    let (job, index) = id.split_once('_')?;
    Some(Task {
        job: job.to_string(),
        index: index.parse().ok()?,
        state: state.split_whitespace().next()?.to_string(),
        node: String::new(),
        elapsed: String::new(),
        reason: String::new(),
    })
}

/// What the commands refuse, in words for people.
fn refused(said: &str, partitions: String) -> Problem {
    let own = |line: &str| {
        let line = line.trim();
        let line = line.split_once("error: ").map_or(line, |(_, what)| what);
        line.trim_start_matches("Batch job submission failed: ")
            .to_string()
    };
    let lower = said.to_lowercase();
    let (what, remedy) = if lower.contains("invalid partition") {
        let there = match partitions {
            none if none.is_empty() => message!("slurm-partition-try"),
            names => message!("slurm-partition-names", names = names),
        };
        (message!("slurm-partition"), there)
    } else if lower.contains("account") && !lower.contains("accounting") {
        (message!("slurm-account"), message!("slurm-account-try"))
    } else if lower.contains("unable to contact") || lower.contains("connection refused") {
        (message!("slurm-silent"), message!("slurm-silent-try"))
    } else if lower.contains("configuration source") {
        (message!("slurm-unknown"), message!("slurm-unknown-try"))
    } else if lower.contains("gres") {
        (message!("slurm-cards"), message!("slurm-cards-try"))
    } else if lower.contains("memory specification") {
        (message!("slurm-memory"), message!("slurm-memory-try"))
    } else if lower.contains("--time") || lower.contains("time limit") {
        (message!("slurm-time"), message!("slurm-time-try"))
    } else {
        let lines: Vec<String> = said.lines().map(own).collect();
        let what = match lines.last() {
            Some(last) if !last.is_empty() => message!("slurm-refuses", said = last.as_str()),
            _ => message!("slurm-refuses-silently"),
        };
        (what, message!("slurm-refuses-try"))
    };
    // A login host may greet before it.
    let mut lines = said.lines();
    let heard = lines.find(|line| line.contains("error")).unwrap_or(said);
    let heard = own(heard.lines().next().unwrap_or_default());
    Problem::new(what)
        .at(format!("Slurm: {heard}"))
        .advise(remedy)
}

/// Why a task waits, in words; Slurm's own where there are none.
pub fn explained(reason: &str) -> &str {
    match reason {
        "Priority" => "others come first",
        "Resources" => "nodes are busy",
        "JobArrayTaskLimit" => "as many as were wished are running",
        "Dependency" => "another job comes first",
        "BeginTime" => "begun again in a moment",
        "PartitionTimeLimit" => "it asks for more time than the partition gives",
        "PartitionDown" | "PartitionInactive" => "the partition is closed",
        "ReqNodeNotAvail" => "nodes are down or kept for others",
        "BadConstraints" => "no node has what it asks for",
        "JobHeldUser" | "JobHeldAdmin" => "it is held: `scontrol release` lets it go",
        "None" | "" => "it has just come",
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_queue_and_books_are_read() {
        let tasks = of_queue("1|3|PENDING||0:00|Resources");
        assert_eq!((tasks[0].job.as_str(), tasks[0].index), ("1", 3));
        assert_eq!(explained(&tasks[0].reason), "nodes are busy");
        let tasks = of_queue("1|1-3,5,8-20:4%2|PENDING||0:00|Resources");
        let indices: Vec<usize> = tasks.iter().map(|task| task.index).collect();
        assert_eq!(indices, [1, 2, 3, 5, 8, 12, 16, 20]);
        assert!(of_queue("5|N/A|FAILED||0:00|BadConstraints").is_empty());
        let task = of_books("12_7|CANCELLED by 1000").unwrap();
        assert_eq!((task.index, task.state.as_str()), (7, "CANCELLED"));
        assert_eq!(of_books("12_[3-5]|PENDING"), None);
    }

    #[test]
    fn what_is_refused_is_told_in_a_sentence() {
        let problem = refused(
            "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid \
             partition name specified",
            "cpu, gpu".into(),
        );
        assert_eq!(problem.what, "the cluster has no such partition");
        assert_eq!(problem.place, "Slurm: invalid partition specified: nope");
        assert_eq!(problem.remedy, "there are: cpu, gpu");
        let account = refused(
            "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
            String::new(),
        );
        assert_eq!(account.what, "the cluster does not take this account");
        let other = refused(
            "sbatch: error: Batch job submission failed: Job violates policy",
            String::new(),
        );
        assert_eq!(other.what, "Slurm refuses: Job violates policy");
    }

    #[test]
    fn a_command_that_is_not_there_says_where_it_may_be() {
        let here = Cluster::default();
        let problem = here
            .call(&["no-such-command-of-slurm"])
            .map(|_| ())
            .unwrap_err();
        assert!(
            problem
                .what
                .contains("there is no no-such-command-of-slurm"),
            "{problem}"
        );
        assert!(problem.remedy.contains("login host"), "{problem}");
    }
}
