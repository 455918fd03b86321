//! Lists the runs below a folder, and finds the run that the user means.

use std::cmp::Reverse;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rayon::prelude::*;

use super::annotations::load_annotations;
use super::record::{is_run, no_run_problem, run_folders, run_name};
use super::summary::{RunSummary, summarise};
use super::{ABOUT_FILE, ADDED_FOLDER, METRICS_FILE, RUN_FILE, SUMMARY_FILE};
use crate::message;
use crate::problem::{Problem, Result, list_value};
use crate::run::annotations::Annotations;
use crate::run::event::RunHeader;

/// An entry of a list of runs.
#[derive(Clone, Debug)]
pub struct ListedRun {
    /// The run's name.
    pub run: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Name, tags and note given by the user.
    pub about: Annotations,
    /// Why name, tags or note cannot be read, if so.
    pub remark: Option<Problem>,
    /// The run's summary, or why it cannot be read.
    pub summary: Result<RunSummary>,
}

/// Returns the list entry of a run's folder. A panic while reading it becomes a Problem, so that the other runs are
/// still listed.
pub fn load_entry(folder: &Path) -> ListedRun {
    let mut summary = catch_unwind(|| summarise(folder)).unwrap_or_else(|_| {
        Err(Problem::new(message!("problem-run-reading-internal-error"))
            .at_path(folder)
            .advise(message!("advice-move-run-folder")))
    });
    let (about, remark) = load_annotations(folder);
    if let Ok(summary) = &mut summary {
        summary.header.about = about.clone();
    }
    ListedRun { run: run_name(folder), folder: folder.to_path_buf(), about, remark, summary }
}

/// Returns all runs below a folder, newest first; damaged runs have a Problem. Returns an empty list if the folder does
/// not exist.
pub fn list_runs(root: &Path) -> Vec<ListedRun> {
    let mut runs = map_parallel(run_folders(root), |path| load_entry(&path));
    runs.sort_by_cached_key(|entry| {
        let header = entry.summary.as_ref().ok().map(|run| &run.header);
        Reverse((start_time(&entry.run, header), entry.run.clone()))
    });
    runs
}

/// Reads runs in parallel and returns the results in the order of the runs.
pub fn map_parallel<R: Send, T: Send>(runs: Vec<R>, read: impl Fn(R) -> T + Sync + Send) -> Vec<T> {
    runs.into_par_iter().map(read).collect()
}

/// Size and modification time of the files from which an entry is made. While they stay the same, so does the entry of
/// a finished run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStamps([Option<(u64, SystemTime)>; 5]);

/// Returns size and modification time of a run's files without reading the files.
pub fn file_stamps(folder: &Path) -> FileStamps {
    // The summary alone is not enough: the program that works on the run may be an older version, or the disk may be
    // full.
    let files = [RUN_FILE, METRICS_FILE, SUMMARY_FILE, ABOUT_FILE, ADDED_FOLDER];
    FileStamps(files.map(|file| {
        let metadata = std::fs::metadata(folder.join(file)).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }))
}

/// Returns when a run began: from its header, else from its name, which starts with the local time; `None` if both are
/// missing. Such runs count as older than all others.
pub fn start_time(name: &str, header: Option<&RunHeader>) -> Option<Timestamp> {
    header.and_then(|header| parse_timestamp(&header.started)).or_else(|| {
        let time = DateTime::strptime("%Y-%m-%d_%H-%M-%S", name.get(..19)?).ok()?;
        Some(time.to_zoned(TimeZone::system()).ok()?.timestamp())
    })
}

/// Returns the time in a header; `None` if the text is not a time.
pub(super) fn parse_timestamp(time: &str) -> Option<Timestamp> {
    time.parse().ok()
}

/// Finds the folder of the run that the user means. `wanted` is a run's folder, a folder with a single run, the
/// beginning of a run's folder name below `root`, a name given by the user, or `latest` for the newest run.
///
/// # Errors
/// Returns a Problem that lists the runs if none or several match.
pub fn find_run(root: &Path, wanted: &str) -> Result<PathBuf> {
    let path = Path::new(wanted);
    if is_run(path) {
        return Ok(path.to_path_buf());
    }
    if let [only] = run_folders(path).as_slice() {
        return Ok(only.clone());
    }
    let folders = run_folders(root);
    let mut names: Vec<String> = folders.iter().map(|path| run_name(path)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let newest = (wanted == "latest").then(|| newest(&folders)).flatten();
    let mut matching: Vec<String> = match newest {
        Some(name) => vec![name],
        None => names.iter().filter(|n| n.starts_with(wanted)).cloned().collect(),
    };
    if matching.is_empty() {
        matching = runs_with_name(&folders, wanted);
    }
    match matching.as_slice() {
        [only] => Ok(root.join(only)),
        several if several.iter().any(|name| *name == wanted) => Ok(root.join(wanted)),
        [] if path.is_file() => Err(Problem::new(message!("problem-run-is-file"))
            .at_path(path)
            .advise(message!("advice-unpack-run-first"))),
        [] if path.exists() => Err(no_run_problem(path)),
        [] => {
            let remedy = if names.is_empty() {
                message!("advice-no-runs-yet", root = root.display().to_string())
            } else {
                message!("advice-existing-runs", names = list_value(&names, 5))
            };
            Err(Problem::new(message!("problem-run-not-found", wanted))
                .at_path(root)
                .advise(remedy))
        }
        several => Err(Problem::new(message!(
            "problem-run-name-ambiguous",
            wanted,
            several = several.len().to_string()
        ))
        .at_path(root)
        .advise(message!("advice-type-more-of-name", several = list_value(several, 5)))),
    }
}

/// Returns the folder names of runs to which the user gave this name.
fn runs_with_name(folders: &[PathBuf], wanted: &str) -> Vec<String> {
    let has_name = |folder: &&PathBuf| load_annotations(folder).0.name == wanted;
    folders.iter().filter(has_name).map(|path| run_name(path)).collect()
}

/// Returns the folder name of the newest run. It is not always the last in alphabetical order, because folders can be
/// renamed.
fn newest(folders: &[PathBuf]) -> Option<String> {
    let start_key = |folder: &PathBuf| {
        let name = run_name(folder);
        let summary = summarise(folder).ok();
        (start_time(&name, summary.as_ref().map(|run| &run.header)), name)
    };
    let starts = map_parallel(folders.iter().collect(), start_key);
    starts.into_iter().max().map(|(_, name)| name)
}
