//! The queue of waiting jobs on disk, so that it survives the program: `queue.toml` beside the runs.
//!
//! The file belongs to the program that holds `queue.lock`; another one that works beside it keeps
//! its line in memory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::file::{keep_file, lock_file};
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::job::Job;

/// The jobs.
const FILE: &str = "queue.toml";
/// Held by the program whose jobs they are.
const LOCK: &str = "queue.lock";
/// Where jobs go that this version cannot read.
const SET_ASIDE: &str = "queue.unreadable.toml";

/// The file with the waiting jobs below a folder of runs.
#[derive(Debug)]
pub struct QueueFile {
    root: PathBuf,
    owner: Owner,
}

/// Whose file it is.
#[derive(Debug)]
enum Owner {
    /// Nobody asked yet.
    Unknown,
    /// This program's, as long as the lock is held.
    Mine { _lock: File },
    /// Another program's.
    Other,
}

#[derive(Serialize)]
struct Jobs<'a> {
    job: &'a [&'a Job],
}

impl QueueFile {
    /// The file below this folder; nothing is opened yet.
    pub fn below(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            owner: Owner::Unknown,
        }
    }

    /// The jobs that an earlier program left, held, and what could not be read of them. None while
    /// another program holds the file.
    pub fn load(&mut self) -> (Vec<Job>, Option<Problem>) {
        let path = self.root.join(FILE);
        if !path.exists() || !self.is_mine().unwrap_or(false) {
            return (Vec::new(), None);
        }
        let text = match files::read_text(&path, files::TEXT) {
            Ok(text) => text,
            Err(error) => {
                let problem = Problem::io("read the runs that wait in the queue", &path, &error);
                return (Vec::new(), Some(problem));
            }
        };
        let (jobs, whole) = read(&text);
        let problem = (!whole).then(|| self.set_aside(&path, &text));
        (jobs, problem)
    }

    /// Keeps these jobs in place of those before.
    ///
    /// # Errors
    /// A Problem when they cannot be written, or another program holds the file.
    pub fn save(&mut self, jobs: &[&Job]) -> Result<()> {
        let path = self.root.join(FILE);
        if jobs.is_empty() && matches!(self.owner, Owner::Unknown) {
            return Ok(());
        }
        if !self.is_mine()? {
            return Err(
                Problem::new("the queue is not kept when this window is closed")
                    .at_path(&path)
                    .advise("another window keeps its own line there; close that one first"),
            );
        }
        if jobs.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(Problem::io("empty the queue", &path, &error))
                }
                _ => Ok(()),
            };
        }
        let text = toml::to_string_pretty(&Jobs { job: jobs })
            .map_err(|error| Problem::new(format!("the queue cannot be written: {error}")))?;
        keep_file(&path, text.as_bytes()).map(drop)
    }

    /// Takes the lock the first time it is asked.
    fn is_mine(&mut self) -> Result<bool> {
        if matches!(self.owner, Owner::Unknown) {
            std::fs::create_dir_all(&self.root)
                .map_err(|error| Problem::io("make the folder for runs", &self.root, &error))?;
            let held = lock_file(&self.root.join(LOCK))?;
            self.owner = held.map_or(Owner::Other, |_lock| Owner::Mine { _lock });
        }
        Ok(matches!(self.owner, Owner::Mine { .. }))
    }

    fn set_aside(&self, path: &Path, text: &str) -> Problem {
        let aside = self.root.join(SET_ASIDE);
        let problem = Problem::new("some runs that waited in the queue cannot be read");
        match keep_file(&aside, text.as_bytes()) {
            Ok(_) => problem.at_path(&aside).advise("set them up again"),
            Err(_) => problem.at_path(path),
        }
    }
}

/// Whether a job in the queue kept below this folder waits for this run. A queue that cannot be read
/// holds nobody up.
pub(super) fn is_queued(root: &Path, run: &Path) -> bool {
    let Ok(text) = files::read_text(&root.join(FILE), files::TEXT) else {
        return false;
    };
    let real = |path: &Path| dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let run = real(run);
    let (jobs, _) = read(&text);
    jobs.iter()
        .filter_map(|job| job.work.run())
        .any(|known| real(known) == run)
}

/// The jobs of a file's text, held, and whether these are all.
fn read(text: &str) -> (Vec<Job>, bool) {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let Some(list) = table.get("job").and_then(toml::Value::as_array) else {
        return (Vec::new(), false);
    };
    let job = |value: &toml::Value| -> Option<Job> {
        let job: Job = value.clone().try_into().ok()?;
        Some(Job { held: true, ..job })
    };
    let jobs: Vec<Job> = list.iter().filter_map(job).collect();
    let whole = jobs.len() == list.len();
    (jobs, whole)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use crate::run::job::GridWork;

    #[test]
    fn jobs_survive_the_program_and_come_back_held() {
        let root = tempfile::tempdir().unwrap();
        let runs = root.path().join("runs");
        let config = RunConfig {
            train_limit: Some(7),
            ..RunConfig::default()
        };
        let first = Job::train(config, "new".into());
        let grid = GridWork {
            name: "mine".into(),
            text: "title = \"Mine\"\nepochs = [1, 2]\n".into(),
            runs: 2,
        };
        let third = Job::grid(grid, Some("cpu".into()), "Mine".into());
        let second = Job::resume("/some/run".into(), Some("cpu".into()), "it".into());
        let mut file = QueueFile::below(&runs);
        // A program that never lets anything wait makes no folder.
        file.save(&[]).unwrap();
        assert!(!runs.exists());
        file.save(&[&first, &second, &third]).unwrap();
        // Beside it another program has neither these jobs nor a file.
        let mut beside = QueueFile::below(&runs);
        assert_eq!(beside.load(), (Vec::new(), None));
        assert!(beside.save(&[&second]).is_err());
        drop(file);
        let mut again = QueueFile::below(&runs);
        let held = |job: &Job| Job {
            held: true,
            ..job.clone()
        };
        assert_eq!(
            again.load(),
            (vec![held(&first), held(&second), held(&third)], None)
        );
        again.save(&[]).unwrap();
        assert!(!runs.join(FILE).exists());
    }

    #[test]
    fn what_cannot_be_read_is_set_aside_and_the_rest_comes_back() {
        let root = tempfile::tempdir().unwrap();
        let job = Job::train(RunConfig::default(), String::new());
        QueueFile::below(root.path()).save(&[&job]).unwrap();
        let path = root.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        let newer = text.replace("epochs = 5", "epochs = 5\nwarp = 9");
        std::fs::write(&path, format!("{text}\n{newer}")).unwrap();
        let (jobs, problem) = QueueFile::below(root.path()).load();
        assert_eq!(jobs.len(), 1);
        assert!(problem.unwrap().place.ends_with(SET_ASIDE));
        let aside = std::fs::read_to_string(root.path().join(SET_ASIDE)).unwrap();
        assert!(aside.contains("warp = 9"));
        std::fs::write(&path, "job = 3").unwrap();
        let (jobs, problem) = QueueFile::below(root.path()).load();
        assert!(jobs.is_empty() && problem.is_some());
    }
}
