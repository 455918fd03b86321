//! Places: other machines that train runs, defined in a small TOML file.
//!
//! Each table of the file is a place. `ssh` is a host as OpenSSH knows it, on which the program starts itself; `slurm`
//! makes it a cluster, to whose queue runs are submitted. Paths refer to the machine they are used on.

mod read;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::message;
use crate::names::with_suggestion;
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_posix;
use crate::{files, folders};

/// Name of the file in the settings folder.
pub const FILE_NAME: &str = "places.toml";
/// Maximum number of places in a file.
pub const MAX_MACHINES: usize = 256;

/// A machine, or a cluster, on which runs are trained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteMachine {
    /// Its name: the name of its table.
    pub name: String,
    /// The host as OpenSSH knows it; `None` for a cluster whose commands are on this machine.
    pub ssh: Option<String>,
    /// Additional options of `ssh`.
    pub options: Vec<String>,
    /// Folder of runs there; `None` for the program's default.
    pub folder: Option<String>,
    /// The program there: a name in the search path of its shell, or a path; empty on a cluster for this program
    /// itself.
    pub program: String,
    /// The device of runs there, unless one is requested.
    pub device: Option<String>,
    /// Paths of datasets there, by their name or path here.
    pub data: BTreeMap<String, String>,
    /// The resources of a job; `None` for a machine without Slurm.
    pub slurm: Option<Slurm>,
}

/// The resources of a Slurm job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slurm {
    /// The partition; `None` for the cluster's default.
    pub partition: Option<String>,
    /// The account that is charged.
    pub account: Option<String>,
    /// The time limit of a job, as for `sbatch --time`: "2:00:00".
    pub time: Option<String>,
    /// GPUs of a job.
    pub gpus: Option<u32>,
    /// CPU cores of a job.
    pub cpus: Option<u32>,
    /// Memory of a job, as for `sbatch --mem`: "16G".
    pub memory: Option<String>,
    /// Modules that are loaded before the program starts.
    pub modules: Vec<String>,
    /// Shell commands that are run before the program starts.
    pub setup: Vec<String>,
    /// A template of the script that replaces the program's own.
    pub script: Option<String>,
}

impl RemoteMachine {
    /// Returns whether it is a machine reached by `ssh`, not a cluster.
    pub fn is_ssh_machine(&self) -> bool {
        self.ssh.is_some() && self.slurm.is_none()
    }

    /// Returns the cluster whose commands are on this machine, with its default resources and without a name.
    pub fn local_cluster() -> Self {
        Self { slurm: Some(Slurm::default()), ..Self::default() }
    }
}

/// All places of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteMachines {
    list: Vec<RemoteMachine>,
}

impl RemoteMachines {
    /// Reads the places of the user's file; empty if there is no file.
    ///
    /// # Errors
    /// Returns a Problem with the line of every mistake.
    pub fn load() -> Result<Self> {
        let Some(path) = config_path() else {
            return Ok(Self::default());
        };
        match files::read_text(&path, files::TEXT) {
            Ok(text) => Self::parse(&text, &path.display().to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Problem::io("read the places", &path, &error)),
        }
    }

    /// Returns all places, sorted by name.
    pub fn list(&self) -> &[RemoteMachine] {
        &self.list
    }

    /// Returns the place with this name.
    ///
    /// # Errors
    /// Returns a Problem that suggests a similar name, or the file to add it to.
    pub fn get(&self, name: &str) -> Result<&RemoteMachine> {
        let found = self.list.iter().find(|machine| machine.name == name);
        found.ok_or_else(|| {
            let problem = Problem::new(format!("there is no place named {name}"));
            match config_path().filter(|_| self.list.is_empty()) {
                Some(path) => problem.at_path(path).advise(format!(
                    "add it to this file: [{name}], and below it ssh = \"HOST\", with HOST as in `ssh HOST`, or slurm = true for a cluster"
                )),
                None => with_suggestion(problem, name, self.list.iter().map(|machine| &*machine.name)),
            }
        })
    }
}

/// Returns the command that runs a line of POSIX shell on a host, whatever the login shell there is. Unless `options`
/// override it, `ssh` never asks for a password and gives up on a host that does not respond.
pub fn ssh_command(host: &str, options: &[String], line: &str) -> Command {
    let mut command = Command::new("ssh");
    // If an option is given twice, the first one counts.
    command.args(["-T", "-o", "BatchMode=yes"]).args(options);
    command.args(["-o", "ConnectTimeout=20"]);
    // A broken connection is detected within a minute.
    command.args(["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"]);
    // Even in quotes, csh expands `!` to an earlier command.
    let line = quote_for_posix(line).replace('!', r"'\!'");
    command.args(["--", host]).arg(format!("sh -c {line}"));
    command
}

/// Returns the Problem of an `ssh` that cannot be started on this machine.
pub fn ssh_start_problem(error: &std::io::Error) -> Problem {
    Problem::with_error("place-ssh-not-started", error)
        .advise(message!("place-ssh-not-started-advice"))
}

/// Returns the path of the user's file of places; `None` if the system has no settings folder.
pub fn config_path() -> Option<PathBuf> {
    folders::config().map(|folder| folder.join(FILE_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_options_precede_the_defaults() {
        let options = ["-o".to_string(), "ConnectTimeout=99".into()];
        let command = ssh_command("lab", &options, "exec 'a b!'");
        let words: Vec<String> =
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let position = |option: &str| words.iter().position(|word| word == option);
        assert!(position("ConnectTimeout=99") < position("ConnectTimeout=20"), "{words:?}");
        let line = r#"sh -c 'exec '"'"'a b'\!''"'"''"#;
        assert_eq!(words[words.len() - 3..], ["--", "lab", line]);
    }
}
