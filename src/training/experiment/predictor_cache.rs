//! Caches predictors for the snapshots that were requested recently.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ResourceCache;
use super::predict::{Predictor, PredictorParts};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{PredictRequest, Prediction};
use crate::store;

/// Maximum number of cached predictors: enough to move a slider over a run of ten tasks.
const MAX_PREDICTORS: usize = 24;
/// Maximum number of bytes of cached predictors.
const MAX_BYTES: u64 = 1 << 30;
/// Number of predictors that are cached regardless of their size. A prediction, a look inside a run and a table of a
/// folder may each need their own; with fewer they would evict each other's predictors again and again.
const MIN_PREDICTORS: usize = 3;

/// Identifies a snapshot: the run's folder, the task (from 0) and the time of writing. The time differs if an added
/// task was undone and another one added.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SnapshotKey {
    /// The run's folder.
    pub run: PathBuf,
    /// The task.
    pub task: usize,
    snapshot_time: Option<SystemTime>,
}

impl SnapshotKey {
    /// Returns the key of the snapshot that exists now.
    pub fn new(run: &Path, task: usize) -> Self {
        Self { run: run.to_path_buf(), task, snapshot_time: store::snapshot_time(run, task) }
    }
}

/// A predictor, or the parts to assemble it on the thread that owns its device.
pub enum PreparedPredictor {
    /// Ready to predict.
    Ready(Box<Predictor>),
    /// Still to be uploaded to a GPU.
    Parts(Box<PredictorParts>),
}

impl PreparedPredictor {
    /// Prepares everything that any thread may prepare; for the CPU that is the whole predictor.
    ///
    /// # Errors
    /// See [`Predictor::open`].
    pub fn load(folder: &Path, task: usize, cache: &ResourceCache) -> Result<Self> {
        let mut parts = PredictorParts::gather(folder, task, None, cache, false)?;
        if parts.is_on_cpu() {
            return Ok(Self::Ready(Box::new(parts.assemble(cache)?)));
        }
        parts.read_ahead()?;
        Ok(Self::Parts(Box::new(parts)))
    }

    /// Returns the bytes of memory that it needs.
    fn bytes(&self) -> u64 {
        match self {
            Self::Ready(predictor) => predictor.bytes(),
            Self::Parts(parts) => parts.bytes(),
        }
    }

    fn into_predictor(self, cache: &ResourceCache) -> Result<Box<Predictor>> {
        match self {
            Self::Ready(predictor) => Ok(predictor),
            Self::Parts(parts) => Ok(Box::new(parts.assemble(cache)?)),
        }
    }
}

/// Cached predictors, the most recently used last.
#[derive(Default)]
pub struct PredictorCache(VecDeque<(SnapshotKey, PreparedPredictor)>);

impl PredictorCache {
    /// Returns whether the cache has this predictor.
    pub fn contains(&self, key: &SnapshotKey) -> bool {
        self.0.iter().any(|(cached_key, _)| cached_key == key)
    }

    /// Adds a predictor and removes the least recently used ones if necessary.
    pub fn insert(&mut self, key: SnapshotKey, prepared: PreparedPredictor) {
        self.0.retain(|(cached_key, _)| *cached_key != key);
        self.0.push_back((key, prepared));
        let sizes: Vec<u64> = self.0.iter().map(|(_, entry)| entry.bytes()).collect();
        self.0.drain(..eviction_count(&sizes));
    }

    /// Returns the predictor of this snapshot, if it is cached, and marks it as recently used.
    ///
    /// # Errors
    /// See [`PredictorParts::assemble`].
    pub fn predictor(
        &mut self,
        key: &SnapshotKey,
        cache: &ResourceCache,
    ) -> Result<Option<&Predictor>> {
        let found = self.0.iter().position(|(cached_key, _)| cached_key == key);
        let Some((key, prepared)) = found.and_then(|at| self.0.remove(at)) else {
            return Ok(None);
        };
        self.insert(key, PreparedPredictor::Ready(prepared.into_predictor(cache)?));
        Ok(match self.0.back() {
            Some((_, PreparedPredictor::Ready(predictor))) => Some(predictor),
            _ => None,
        })
    }

    /// Predicts the image of a request with one snapshot.
    ///
    /// # Errors
    /// See [`Predictor::open`] and [`Predictor::predict`].
    pub fn predict(
        &mut self,
        request: &PredictRequest,
        task: usize,
        cache: &ResourceCache,
    ) -> Result<Prediction> {
        let key = SnapshotKey::new(&request.run, task);
        if !self.contains(&key) {
            self.insert(key.clone(), PreparedPredictor::load(&request.run, task, cache)?);
        }
        let predictor = self.predictor(&key, cache)?;
        let predictor = predictor.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
        let (verdict, input) = predictor.predict(&request.picture)?;
        Ok(Prediction {
            ticket: request.ticket,
            run: request.run.clone(),
            task,
            classes: predictor.classes().to_vec(),
            opinions: verdict.predictions,
            decided_by: verdict.decided_by,
            seen: input,
            seen_size: predictor.input_size(),
        })
    }
}

/// Returns how many of the oldest predictors must be removed; `sizes` are their bytes, the oldest first.
fn eviction_count(sizes: &[u64]) -> usize {
    let mut remaining_bytes: u64 = sizes.iter().sum();
    let mut evicted = 0;
    for size in sizes {
        let remaining = sizes.len() - evicted;
        if remaining <= MIN_PREDICTORS
            || (remaining <= MAX_PREDICTORS && remaining_bytes <= MAX_BYTES)
        {
            break;
        }
        remaining_bytes -= size;
        evicted += 1;
    }
    evicted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_is_bounded_by_bytes_and_count() {
        // Three complete ViT-B networks, as Seq-FT keeps them.
        assert_eq!(eviction_count(&[344_000_000; 24]), 21);
        assert_eq!(eviction_count(&[5_000_000; 24]), 0);
        assert_eq!(eviction_count(&[5_000_000; 26]), 2);
        // The last ones remain regardless of their size, because a request waits for each.
        assert_eq!(eviction_count(&[2 << 30; 3]), 0);
        assert_eq!(eviction_count(&[2 << 30, 1, 1, 1, 1]), 1);
        assert_eq!(eviction_count(&[1, 1, 1, 1, 2 << 30]), 2);
        assert_eq!(eviction_count(&[]), 0);
    }
}
