//! Jobs to be trained, each with an id from its request on, and the queue they
//! wait in.
//!
//! The engine alone owns the queue; its readers fold the events that each change gives. A job
//! that is held stays where it is and lets others pass.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize};

use super::config::RunConfig;
use crate::data::Correction;

/// Bits of an id that are drawn by lot. The rest holds the microseconds of two centuries in a file, too.
const LOT_BITS: u32 = 10;

/// Distinguishes jobs, those of earlier starts of the program included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(u64);

impl JobId {
    /// An id that no job has, of this process or another one: the time in microseconds, and behind it what this process
    /// drew by lot; or one more than the last id.
    pub fn fresh() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        static LOT: OnceLock<u64> = OnceLock::new();
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |time| time.as_micros() as u64);
        // Hashers are keyed by chance, each process with keys of its own.
        let lot = LOT.get_or_init(|| RandomState::new().hash_one(std::process::id()));
        let now = (now << LOT_BITS) | (lot & ((1 << LOT_BITS) - 1));
        let next = |last: u64| now.max(last + 1);
        let before = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |l| Some(next(l)));
        let (Ok(before) | Err(before)) = before;
        Self(next(before))
    }

    /// The number itself.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobWork {
    /// Trains a new run with these settings.
    Train(Box<RunConfig>),
    /// Continues the stopped or killed run in this folder.
    Resume(PathBuf),
    /// Teaches a run that has ended new classes.
    Teach {
        /// The run's folder.
        run: PathBuf,
        /// The place of the images.
        source: String,
    },
    /// Runs what is not there yet of a grid.
    Grid(Box<GridWork>),
    /// Tries these settings and a few other methods on their data set, judged on images held back from training.
    Try(Box<RunConfig>),
    /// Compares the backbone of these settings with others on their data set, judged on images held back from training.
    #[serde(rename = "try_backbones")]
    TryBackbones(Box<RunConfig>, Vec<String>),
    /// Tries the PET that the job brings along beside Adapter, on the embedded digits; of the settings only its name and the
    /// device count.
    #[serde(rename = "try_pet")]
    TryPet(Box<RunConfig>),
    /// Looks whether a run is what it says.
    Check {
        /// The run's folder, or the file that it is packed in.
        run: PathBuf,
        /// Whether it is trained again.
        train: bool,
    },
}

/// A grid to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridWork {
    /// Its file's name without ending.
    pub name: String,
    /// Its file's text.
    pub text: String,
    /// How many runs it has, those that are there included.
    pub runs: usize,
    /// How the best of its rows is searched; `None` if all are run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchBy>,
    /// Which of its runs are requested, by number from 0; all of them where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<usize>,
    /// The places of data sets that its file names, if they are somewhere else: the name, the place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<(String, String)>,
}

/// How it is searched among the rows of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchBy {
    /// The better half continues with twice the epochs.
    Halving,
    /// All with all epochs.
    All,
}

impl JobWork {
    /// The folder of the run it resumes or teaches; `None` for jobs that make their own runs or only read.
    pub fn run(&self) -> Option<&Path> {
        match self {
            Self::Train(_)
            | Self::Grid(_)
            | Self::Try(_)
            | Self::TryBackbones(..)
            | Self::TryPet(_)
            | Self::Check { .. } => None,
            Self::Resume(run) | Self::Teach { run, .. } => Some(run),
        }
    }
}

/// What a job brings along to a program that trains for somebody else: of its asker, where that program has something else
/// by these names or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// The texts of PET plugins.
    #[serde(
        default,
        alias = "plugin",
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub plugins: Vec<String>,
    /// The texts of tables that list backbones.
    #[serde(
        default,
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub backbones: Vec<String>,
    /// Files with weights, by what the settings call their backbone, in place of those that settings or tables name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, PathBuf>,
    /// Folders of the LoRAs that PETs start from, by what the settings call them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub starts: BTreeMap<String, PathBuf>,
    /// The places of data sets for that program, by what the settings call them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// The corrected labels of a grid's data sets, by what its settings call them; those of a run are one of its settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub corrected: BTreeMap<String, Vec<Correction>>,
}

impl Own {
    /// Whether nothing is brought along.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Several texts, or the one that a job brought along before grids could be asked for at a place.
fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        More(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) => vec![text],
        Texts::More(texts) => texts,
    })
}

/// Something to be trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What people call it.
    pub title: String,
    /// The name that its new run has from the beginning, as if the user had given it; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it does.
    pub work: JobWork,
    /// The device on which a run is continued or taught, where it is not the one it began on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// How many images of a batch a continued run lets through the network at once, where that is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<usize>,
    /// Whether it stays in the queue until it is released.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// What it brings along.
    #[serde(default, skip_serializing_if = "Own::is_empty")]
    pub own: Own,
}

impl Job {
    fn new(work: JobWork, title: String) -> Self {
        Self {
            id: JobId::fresh(),
            title,
            name: String::new(),
            work,
            device: None,
            micro_batch: None,
            held: false,
            own: Own::default(),
        }
    }

    /// Trains a new run with these settings, called so.
    pub fn train(config: RunConfig, title: String) -> Self {
        Self::new(JobWork::Train(Box::new(config)), title)
    }

    /// Trains a new run that has this name from its beginning.
    pub fn train_named(config: RunConfig, name: String) -> Self {
        Self {
            title: name.clone(),
            name,
            ..Self::train(config, String::new())
        }
    }

    /// Continues the stopped or killed run in this folder, on another device where one is given.
    pub fn resume(run: PathBuf, device: Option<String>, title: String) -> Self {
        Self {
            device,
            ..Self::new(JobWork::Resume(run), title)
        }
    }

    /// Teaches the run in this folder the classes of the images at `source`.
    pub fn teach(run: PathBuf, source: String, title: String) -> Self {
        Self::new(JobWork::Teach { run, source }, title)
    }

    /// Runs what is not there yet of a grid, on this device where one is given.
    pub fn grid(work: GridWork, device: Option<String>, title: String) -> Self {
        Self {
            device,
            ..Self::new(JobWork::Grid(Box::new(work)), title)
        }
    }

    /// Tries these settings and a few other methods on their data set.
    pub fn try_methods(config: RunConfig, title: String) -> Self {
        Self::new(JobWork::Try(Box::new(config)), title)
    }

    /// Compares the backbone of these settings with others.
    pub fn try_backbones(config: RunConfig, backbones: Vec<String>, title: String) -> Self {
        Self::new(JobWork::TryBackbones(Box::new(config), backbones), title)
    }

    /// Tries the PET of this text beside Adapter.
    pub fn try_pet(config: RunConfig, plugin: String, title: String) -> Self {
        let own = Own {
            plugins: vec![plugin],
            ..Own::default()
        };
        Self {
            own,
            ..Self::new(JobWork::TryPet(Box::new(config)), title)
        }
    }

    /// Checks a run, or a packed one; with `train` by training it again, too.
    pub fn check(run: PathBuf, train: bool, title: String) -> Self {
        Self::new(JobWork::Check { run, train }, title)
    }

    /// Whether it is to be begun again when the program ended in the middle of it: no run's folder says all of it.
    pub fn is_whole_alone(&self) -> bool {
        match self.work {
            JobWork::Teach { .. }
            | JobWork::Grid(_)
            | JobWork::Try(_)
            | JobWork::TryBackbones(..)
            | JobWork::TryPet(_)
            | JobWork::Check { .. } => true,
            JobWork::Train(_) | JobWork::Resume(_) => false,
        }
    }
}

/// A job that was asked for at a place, as this computer knows of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AwayJob {
    /// Whether that place has confirmed it: then it continues there without this computer.
    pub is_there: bool,
    /// The folder of its run among the runs here, by name; empty before it has one.
    pub run: String,
    /// The job as it was asked for.
    pub job: Job,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_jobs_have_one_id() {
        let ids: Vec<JobId> = (0..1000).map(|_| JobId::fresh()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
