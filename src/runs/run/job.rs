//! Jobs, each with an id from its request on, and their work.
//!
//! Only the engine owns the queue; others reconstruct it from the events of each change. A job on hold keeps its
//! position in the queue and lets others pass.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize};

use super::config::RunConfig;
use crate::data::Correction;

/// Number of random bits of an id. The others are enough for the microseconds of two centuries, also in an `i64` of a
/// file.
const RANDOM_BITS: u32 = 10;

/// Identifies a job, also across restarts of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(u64);

impl JobId {
    /// Returns a new id, which no other process uses either: the time in microseconds, followed by random bits of this
    /// process; or the last id plus one if that is larger.
    pub fn generate() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        static RANDOM: OnceLock<u64> = OnceLock::new();
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = elapsed.map_or(0, |time| time.as_micros() as u64);
        // The keys of hashers are random in each process.
        let random = RANDOM.get_or_init(|| RandomState::new().hash_one(std::process::id()));
        let candidate = (now << RANDOM_BITS) | (random & ((1 << RANDOM_BITS) - 1));
        let next = |last: u64| candidate.max(last + 1);
        let before = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |l| Some(next(l)));
        let (Ok(before) | Err(before)) = before;
        Self(next(before))
    }

    /// Returns the id as a number.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

/// The work of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobWork {
    /// Trains a new run with these settings.
    Train(Box<RunConfig>),
    /// Resumes the interrupted run in this folder.
    Resume(PathBuf),
    /// Adds a task with new classes to a run that has ended.
    Teach {
        /// The run's folder.
        run: PathBuf,
        /// The path of the images.
        source: String,
    },
    /// Trains all unfinished runs of a grid.
    Grid(Box<GridWork>),
    /// Tries these settings and a few other methods on their dataset, evaluated on images held out of training.
    Try(Box<RunConfig>),
    /// Compares the backbone of these settings with others on their dataset, evaluated on images held out of training.
    #[serde(rename = "try_backbones")]
    TryBackbones(Box<RunConfig>, Vec<String>),
    /// Compares the PET plugin in [`JobAttachments`] with Adapter on the embedded digits. Of the settings, only the PET's name and
    /// the device are used.
    #[serde(rename = "try_pet")]
    TryPet(Box<RunConfig>),
    /// Checks whether a run is unchanged and reproducible.
    Check {
        /// The run's folder, or its packed file.
        run: PathBuf,
        /// Whether it is also trained again.
        train: bool,
    },
}

/// A grid to be trained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridWork {
    /// The name of its file without extension.
    pub name: String,
    /// The text of its file.
    pub text: String,
    /// Number of its runs, including finished ones.
    pub runs: usize,
    /// How the best row is searched; `None` if all runs are trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchBy>,
    /// Numbers of the requested runs, from 0; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<usize>,
    /// Local paths of the datasets that the file names, by these names, if they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<(String, String)>,
}

/// How the best row of a grid is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchBy {
    /// Successive halving: the better half continues with twice the epochs.
    Halving,
    /// All rows are trained with all epochs.
    All,
}

impl JobWork {
    /// Returns the folder of the run that the job resumes or adds a task to; `None` for jobs that create their own runs
    /// or only read.
    pub fn run_folder(&self) -> Option<&Path> {
        match self {
            Self::Resume(run) | Self::Teach { run, .. } => Some(run),
            _ => None,
        }
    }
}

/// Files that a job brings along when another program trains it for the user, because that program has other files with
/// these names or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobAttachments {
    /// The texts of PET plugins.
    #[serde(
        default,
        alias = "plugin",
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub plugins: Vec<String>,
    /// The texts of backbone tables.
    #[serde(default, deserialize_with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    pub backbones: Vec<String>,
    /// Weight files by the backbone's name in the settings; they replace those named by settings or tables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, PathBuf>,
    /// Folders of initial LoRAs, by their name in the settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub starts: BTreeMap<String, PathBuf>,
    /// Paths of datasets on the other machine, by their name in the settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Corrected labels of a grid's datasets, by the dataset's name in the settings; those of a single run are in its
    /// settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub corrected: BTreeMap<String, Vec<Correction>>,
}

impl JobAttachments {
    /// Returns whether nothing is brought along.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a list of texts, or a single text as in jobs of older versions.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        More(Vec<String>),
    }
    Ok(match Texts::deserialize(deserializer)? {
        Texts::One(text) => vec![text],
        Texts::More(texts) => texts,
    })
}

/// A job in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The title, as shown to the user.
    pub title: String,
    /// The name that the new run gets, as if given by the user; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The work.
    pub work: JobWork,
    /// The device on which a run is resumed or extended, if it differs from the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Number of images of a batch that a resumed run passes through the network at once, if changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<usize>,
    /// Whether the job is on hold until it is released.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// The files that it brings along.
    #[serde(default, skip_serializing_if = "JobAttachments::is_empty")]
    pub own: JobAttachments,
}

impl Job {
    /// Creates a job with a new id.
    pub fn new(work: JobWork, title: String) -> Self {
        Self {
            id: JobId::generate(),
            title,
            name: String::new(),
            work,
            device: None,
            micro_batch: None,
            held: false,
            own: JobAttachments::default(),
        }
    }

    /// Creates a job that trains a new run with these settings.
    pub fn train(config: RunConfig, title: String) -> Self {
        Self::new(JobWork::Train(Box::new(config)), title)
    }

    /// Creates a job that trains a new run with this name.
    pub fn train_named(config: RunConfig, name: String) -> Self {
        Self { title: name.clone(), name, ..Self::train(config, String::new()) }
    }

    /// Creates a job that resumes the interrupted run in this folder, on another device if given.
    pub fn resume(run: PathBuf, device: Option<String>, title: String) -> Self {
        Self { device, ..Self::new(JobWork::Resume(run), title) }
    }

    /// Creates a job that trains the unfinished runs of a grid, on this device if given.
    pub fn grid(work: GridWork, device: Option<String>, title: String) -> Self {
        Self { device, ..Self::new(JobWork::Grid(Box::new(work)), title) }
    }

    /// Returns whether the job starts again if the program ended while it was running, because no run's folder contains
    /// its whole state.
    pub fn restarts_from_scratch(&self) -> bool {
        !matches!(self.work, JobWork::Train(_) | JobWork::Resume(_))
    }
}

/// A job that was requested at a remote place, as known locally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemoteJob {
    /// Whether the place has confirmed the job; it then continues without this computer.
    #[serde(rename = "is_there")]
    pub is_confirmed: bool,
    /// Name of its run's local folder; empty before the run exists.
    pub run: String,
    /// The job as requested.
    pub job: Job,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_ids_are_unique() {
        let ids: Vec<JobId> = (0..1000).map(|_| JobId::generate()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
