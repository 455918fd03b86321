//! Queues of waiting jobs on disk, so that they survive the end of the program: `queue.toml` beside the runs, and in
//! `.away` one file of requested jobs per remote place.
//!
//! A file belongs to the program that holds its lock, such as `queue.lock`. Another program that runs at the same time
//! keeps its queue in memory only.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files;
use crate::files::Lock;
use crate::files::write::{lock_file, save_file};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::job::{Job, RemoteJob};

/// Name of the queue file and of its lock, without extension.
const QUEUE_NAME: &str = "queue";
/// Folder of the jobs that were requested at remote places.
const REMOTE_FOLDER: &str = ".away";

/// A file of jobs in a folder of runs.
#[derive(Debug)]
pub struct QueueFile<T = Job> {
    folder: PathBuf,
    name: String,
    /// The lock, or `None` if another program has it; not known before the first access.
    lock: Option<Option<Lock>>,
    /// Returns a job as it is after a restart of the program.
    after_restart: fn(T) -> T,
}

#[derive(Serialize)]
struct Jobs<'a, T> {
    job: &'a [&'a T],
}

impl QueueFile {
    /// Returns the file of the jobs that wait for this computer. The file is not opened yet.
    pub fn local(root: &Path) -> Self {
        Self::new(root.to_path_buf(), QUEUE_NAME, |job| Job { held: true, ..job })
    }
}

impl QueueFile<RemoteJob> {
    /// Returns the file of the jobs that were requested at a remote place. The file is not opened yet.
    pub fn remote(root: &Path, machine: &str) -> Self {
        Self::new(root.join(REMOTE_FOLDER), machine, |job| job)
    }
}

/// Returns the remote places with requested jobs that are not known to have ended.
pub fn machines_with_jobs(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(REMOTE_FOLDER)).into_iter().flatten();
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_suffix(".toml")?.to_string())
    });
    let mut names: Vec<String> = names.filter(|name| !name.contains('.')).collect();
    names.sort();
    names
}

impl<T: Serialize + DeserializeOwned> QueueFile<T> {
    fn new(folder: PathBuf, name: &str, after_restart: fn(T) -> T) -> Self {
        Self { folder, name: name.to_string(), lock: None, after_restart }
    }

    fn path_with_extension(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.name))
    }

    /// Returns the jobs saved by an earlier program, and a Problem if some of them cannot be read. Returns no jobs if
    /// another program holds the file.
    pub fn load(&mut self) -> (Vec<T>, Option<Problem>) {
        let path = self.path_with_extension("toml");
        if !path.exists() || !self.owns_file().unwrap_or(false) {
            return (Vec::new(), None);
        }
        let text = match files::read_text(&path, files::TEXT) {
            Ok(text) => text,
            Err(error) => {
                let problem = Problem::io("read the queue", &path, &error);
                // Otherwise the next save would overwrite or remove it.
                let aside = self.path_with_extension("unreadable.toml");
                let problem = match std::fs::rename(&path, &aside) {
                    Ok(()) => problem.at_path(&aside),
                    Err(_) => problem,
                };
                return (Vec::new(), Some(problem));
            }
        };
        let (jobs, is_complete) = parse_jobs(&text);
        let problem = (!is_complete).then(|| self.set_aside(&path, &text));
        (jobs.into_iter().map(self.after_restart).collect(), problem)
    }

    /// Replaces the saved jobs by these.
    ///
    /// # Errors
    /// Returns a Problem if they cannot be written, or if another program holds the file.
    pub fn save(&mut self, jobs: &[&T]) -> Result<()> {
        let path = self.path_with_extension("toml");
        if jobs.is_empty() && self.lock.is_none() {
            return Ok(());
        }
        if !self.owns_file()? {
            return Err(Problem::new(message!("problem-queue-not-saved"))
                .at_path(&path)
                .advise(message!("advice-close-other-window")));
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
            .map_err(|error| Problem::with_error("problem-queue-unwritten", &error))?;
        save_file(&path, text.as_bytes()).map(drop)
    }

    /// Returns whether this program owns the file; the first call takes the lock.
    fn owns_file(&mut self) -> Result<bool> {
        if self.lock.is_none() {
            std::fs::create_dir_all(&self.folder)
                .map_err(|error| Problem::io("create the folder for runs", &self.folder, &error))?;
            self.lock = Some(lock_file(&self.path_with_extension("lock"))?);
        }
        Ok(matches!(self.lock, Some(Some(_))))
    }

    fn set_aside(&self, path: &Path, text: &str) -> Problem {
        let aside = self.path_with_extension("unreadable.toml");
        let problem = Problem::new(message!("problem-queued-runs-unreadable"));
        match save_file(&aside, text.as_bytes()) {
            Ok(_) => problem.at_path(&aside).advise(message!("advice-queue-again")),
            Err(_) => problem.at_path(path),
        }
    }
}

/// Returns whether a job in the queue below this folder waits for this run. An unreadable queue counts as empty.
pub(super) fn is_queued(root: &Path, run: &Path) -> bool {
    let Ok(text) = files::read_text(&root.join(format!("{QUEUE_NAME}.toml")), files::TEXT) else {
        return false;
    };
    let canonicalize =
        |path: &Path| dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let run = canonicalize(run);
    let (jobs, _) = parse_jobs::<Job>(&text);
    jobs.iter().filter_map(|job| job.work.run_folder()).any(|queued| canonicalize(queued) == run)
}

/// Returns the jobs in a file's text, and whether all entries could be read.
fn parse_jobs<T: DeserializeOwned>(text: &str) -> (Vec<T>, bool) {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let Some(list) = table.get("job").and_then(toml::Value::as_array) else {
        return (Vec::new(), false);
    };
    let jobs = list.iter().filter_map(|value| value.clone().try_into().ok());
    let jobs: Vec<T> = jobs.collect();
    let is_complete = jobs.len() == list.len();
    (jobs, is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use crate::run::job::{GridWork, SearchBy};

    #[test]
    fn jobs_are_restored_on_hold() {
        let root = tempfile::tempdir().unwrap();
        let runs = root.path().join("runs");
        let config = RunConfig { train_limit: Some(7), ..RunConfig::default() };
        let first = Job::train(config, "new".into());
        let grid = GridWork {
            name: "mine".into(),
            text: "title = \"Mine\"\nepochs = [1, 2]\n".into(),
            runs: 2,
            search: Some(SearchBy::Halving),
            cells: vec![1],
            data: vec![("a".into(), "/a".into())],
        };
        let third = Job::grid(grid, Some("cpu".into()), "Mine".into());
        let second = Job::resume("/some/run".into(), Some("cpu".into()), "it".into());
        let mut file = QueueFile::local(&runs);
        // No folder is created if nothing was ever queued.
        file.save(&[]).unwrap();
        assert!(!runs.exists());
        file.save(&[&first, &second, &third]).unwrap();
        // A second program neither reads these jobs nor writes the file.
        let mut other = QueueFile::local(&runs);
        assert_eq!(other.load(), (Vec::new(), None));
        assert!(other.save(&[&second]).is_err());
        drop(file);
        let mut reopened = QueueFile::local(&runs);
        let held = |job: &Job| Job { held: true, ..job.clone() };
        assert_eq!(reopened.load(), (vec![held(&first), held(&second), held(&third)], None));
        reopened.save(&[]).unwrap();
        assert!(!runs.join("queue.toml").exists());
    }

    #[test]
    fn remote_jobs_roundtrip() {
        let root = tempfile::tempdir().unwrap();
        assert!(machines_with_jobs(root.path()).is_empty());
        let job = RemoteJob {
            is_confirmed: true,
            run: "a_run".into(),
            job: Job::train(RunConfig::default(), "it".into()),
        };
        let mut file = QueueFile::remote(root.path(), "lab");
        file.save(&[&job]).unwrap();
        drop(file);
        assert_eq!(machines_with_jobs(root.path()), ["lab"]);
        let mut reopened = QueueFile::remote(root.path(), "lab");
        assert_eq!(reopened.load(), (vec![job], None));
        reopened.save(&[]).unwrap();
        assert!(machines_with_jobs(root.path()).is_empty());
    }

    #[test]
    fn reads_single_plugin_of_older_jobs() {
        let root = tempfile::tempdir().unwrap();
        let mut job = Job::train(RunConfig::default(), String::new());
        job.own.plugins = vec!["name = \"Mine\"".into()];
        job.own.backbones = vec!["[mine]".into()];
        QueueFile::local(root.path()).save(&[&job]).unwrap();
        let path = root.path().join("queue.toml");
        let now = std::fs::read_to_string(&path).unwrap();
        let before = now.replace("plugins = ['name = \"Mine\"']", "plugin = 'name = \"Mine\"'");
        let before = before.replace("backbones = [\"[mine]\"]", "backbones = \"[mine]\"");
        assert!(before.contains("\nplugin = ") && before.contains("\nbackbones = \"["), "{now}");
        std::fs::write(&path, before).unwrap();
        let (jobs, problem) = QueueFile::local(root.path()).load();
        assert_eq!((&jobs[0].own, problem), (&job.own, None));
    }

    #[test]
    fn unreadable_jobs_are_set_aside() {
        let root = tempfile::tempdir().unwrap();
        let job = Job::train(RunConfig::default(), String::new());
        QueueFile::local(root.path()).save(&[&job]).unwrap();
        let path = root.path().join("queue.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let newer = text.replace("epochs = 5", "epochs = 5\nwarp = 9");
        std::fs::write(&path, format!("{text}\n{newer}")).unwrap();
        let (jobs, problem) = QueueFile::local(root.path()).load();
        assert_eq!(jobs.len(), 1);
        assert!(problem.unwrap().place.ends_with("queue.unreadable.toml"));
        let aside = std::fs::read_to_string(root.path().join("queue.unreadable.toml")).unwrap();
        assert!(aside.contains("warp = 9"));
        std::fs::write(&path, "job = 3").unwrap();
        let (jobs, problem) = QueueFile::local(root.path()).load();
        assert!(jobs.is_empty() && problem.is_some());
        // A file that is not text is renamed.
        std::fs::write(&path, [0xff]).unwrap();
        let (jobs, problem) = QueueFile::local(root.path()).load();
        assert!(jobs.is_empty() && !path.exists());
        assert!(problem.unwrap().place.ends_with("queue.unreadable.toml"));
        let aside = std::fs::read(root.path().join("queue.unreadable.toml")).unwrap();
        assert_eq!(aside, [0xff]);
    }
}
