//! Places: other machines on which runs are trained, as a small TOML file names them.
//!
//! Each table of the file is a place. `ssh` names a host as OpenSSH knows it, and the program starts itself there;
//! `slurm` makes it a cluster whose queue takes the runs. What a path in it means depends on the machine that it is on.

mod read;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::message;
use crate::names::meant;
use crate::problem::{Problem, Result};
use crate::run::config::posix_word;
use crate::{files, folders};

/// The name of the file in the folder of settings.
pub const FILE: &str = "places.toml";
/// Most places of one file.
pub const MOST_PLACES: usize = 256;

/// A machine, or a cluster, on which runs are trained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its table's name.
    pub name: String,
    /// The host as OpenSSH knows it; a cluster whose commands are on this machine has none.
    pub ssh: Option<String>,
    /// More options of `ssh`, as its command line takes them.
    pub options: Vec<String>,
    /// Where runs are kept there; `None` for the usual folder of the program there.
    pub folder: Option<String>,
    /// The program there: a name that its shell finds, or a path; empty for this program itself, on a cluster.
    pub program: String,
    /// The device on which runs compute there, where none was asked for.
    pub device: Option<String>,
    /// The places of data sets there, by the name or path that they have here.
    pub data: BTreeMap<String, String>,
    /// How its queue is asked; `None` for a machine that computes itself.
    pub slurm: Option<Slurm>,
}

/// How a cluster's queue is asked for time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slurm {
    /// Its partition; `None` for the usual one.
    pub partition: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// The longest that a job takes, as `sbatch --time` has it: "2:00:00".
    pub time: Option<String>,
    /// GPUs of a job.
    pub gpus: Option<u32>,
    /// Processor cores of a job.
    pub cpus: Option<u32>,
    /// Memory of a job, as `sbatch --mem` has it: "16G".
    pub memory: Option<String>,
    /// Modules to load before the program starts.
    pub modules: Vec<String>,
    /// Lines of shell to run before the program starts.
    pub setup: Vec<String>,
    /// A template of the script that replaces the program's own.
    pub script: Option<String>,
}

impl Place {
    /// Whether it is a machine that trains itself, and no cluster.
    pub fn is_machine(&self) -> bool {
        self.ssh.is_some() && self.slurm.is_none()
    }

    /// The cluster whose commands are on this machine, asked for nothing but what it gives by itself. It has no name.
    pub fn cluster_here() -> Self {
        Self {
            name: String::new(),
            ssh: None,
            options: Vec::new(),
            folder: None,
            program: String::new(),
            device: None,
            data: BTreeMap::new(),
            slurm: Some(Slurm::default()),
        }
    }
}

/// All places of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    list: Vec<Place>,
}

impl Places {
    /// The places of the user's own file; empty if there is no file.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read, with the line of every mistake.
    pub fn load() -> Result<Self> {
        let Some(path) = file() else {
            return Ok(Self::default());
        };
        match files::read_text(&path, files::TEXT) {
            Ok(text) => Self::read(&text, &path.display().to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Problem::io("read the places", &path, &error)),
        }
    }

    /// All of them, by name.
    pub fn list(&self) -> &[Place] {
        &self.list
    }

    /// The place of this name.
    ///
    /// # Errors
    /// Returns a Problem with the name that was meant, or with the file to write it into.
    pub fn get(&self, name: &str) -> Result<&Place> {
        let found = self.list.iter().find(|place| place.name == name);
        found.ok_or_else(|| {
            let problem = Problem::new(format!("there is no place named {name}"));
            match file().filter(|_| self.list.is_empty()) {
                Some(path) => problem.at_path(path).advise(format!(
                    "add it to this file: [{name}], and below it ssh = \"HOST\", with HOST as in `ssh HOST`"
                )),
                None => meant(problem, name, self.list.iter().map(|place| &*place.name)),
            }
        })
    }
}

/// The system's `ssh`, to run a line of POSIX shell on a host, whatever the login shell there is. It asks for no password and
/// gives up a host that does not answer, unless `options` say otherwise.
pub fn ssh(host: &str, options: &[String], line: &str) -> Command {
    let mut ssh = Command::new("ssh");
    // Of an option that is given twice the first one counts.
    ssh.args(["-T", "-o", "BatchMode=yes"]).args(options);
    ssh.args(["-o", "ConnectTimeout=20"]);
    // A connection that carries nothing any more is noticed within a minute.
    ssh.args([
        "-o",
        "ServerAliveInterval=15",
        "-o",
        "ServerAliveCountMax=3",
    ]);
    // In quotes, too, csh takes a `!` for an earlier command.
    let line = posix_word(line).replace('!', r"'\!'");
    ssh.args(["--", host]).arg(format!("sh -c {line}"));
    ssh
}

/// That `ssh` cannot be started on this machine.
pub fn no_ssh(error: &std::io::Error) -> Problem {
    Problem::new(message!("place-ssh-not-started", error = error.to_string()))
        .advise(message!("place-ssh-not-started-advice"))
}

/// The user's own file of places; `None` if the system has no folder of settings.
pub fn file() -> Option<PathBuf> {
    folders::config().map(|folder| folder.join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_place_says_of_ssh_counts_before_what_is_usual() {
        let options = ["-o".to_string(), "ConnectTimeout=99".into()];
        let ssh = ssh("lab", &options, "exec 'a b!'");
        let words: Vec<String> = ssh
            .get_args()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let at = |wanted: &str| words.iter().position(|word| word == wanted);
        assert!(
            at("ConnectTimeout=99") < at("ConnectTimeout=20"),
            "{words:?}"
        );
        let line = r#"sh -c 'exec '"'"'a b'\!''"'"''"#;
        assert_eq!(words[words.len() - 3..], ["--", "lab", line]);
    }
}
