//! Caches predictors for the snapshots that were requested recently.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ResourceCache;
use super::predict::{Parts, Predictor};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{PredictRequest, Prediction};
use crate::store;

/// Maximum number of cached predictors: enough to move a slider over a run of ten tasks.
const MOST: usize = 24;
/// Maximum number of bytes of cached predictors.
const MOST_BYTES: u64 = 1 << 30;
/// Number of predictors that are cached regardless of their size. A prediction, a look inside a run and a table of a
/// folder may each need their own; with fewer they would evict each other's predictors again and again.
const LEAST: usize = 3;

/// Identifies a snapshot: the run's folder, the task (from 0) and the time of writing. The time differs if an added
/// task was undone and another one added.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The run's folder.
    pub run: PathBuf,
    /// The task.
    pub task: usize,
    written: Option<SystemTime>,
}

impl Key {
    /// Returns the key of the snapshot that exists now.
    pub fn new(run: &Path, task: usize) -> Self {
        Self {
            run: run.to_path_buf(),
            task,
            written: store::snapshot_time(run, task),
        }
    }
}

/// A predictor, or the parts to assemble it on the thread that owns its device.
pub enum Prepared {
    /// Ready to predict.
    Whole(Box<Predictor>),
    /// Still to be uploaded to a GPU.
    Parts(Box<Parts>),
}

impl Prepared {
    /// Prepares everything that any thread may prepare; for the CPU that is the whole predictor.
    ///
    /// # Errors
    /// See [`Predictor::open`].
    pub fn ahead(folder: &Path, task: usize, cache: &ResourceCache) -> Result<Self> {
        let mut parts = Parts::gather(folder, task, None, cache, false)?;
        if parts.is_for_cpu() {
            return Ok(Self::Whole(Box::new(parts.assemble(cache)?)));
        }
        parts.read_ahead()?;
        Ok(Self::Parts(Box::new(parts)))
    }

    /// Returns the bytes of memory that it needs.
    fn bytes(&self) -> u64 {
        match self {
            Self::Whole(predictor) => predictor.bytes(),
            Self::Parts(parts) => parts.bytes(),
        }
    }

    fn finished(self, cache: &ResourceCache) -> Result<Box<Predictor>> {
        match self {
            Self::Whole(predictor) => Ok(predictor),
            Self::Parts(parts) => Ok(Box::new(parts.assemble(cache)?)),
        }
    }
}

/// Cached predictors, the most recently used last.
#[derive(Default)]
pub struct PredictorCache(VecDeque<(Key, Prepared)>);

impl PredictorCache {
    /// Returns whether the cache has this predictor.
    pub fn has(&self, key: &Key) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    /// Adds a predictor and removes the least recently used ones if necessary.
    pub fn put(&mut self, key: Key, prepared: Prepared) {
        self.0.retain(|(known, _)| *known != key);
        self.0.push_back((key, prepared));
        let sizes: Vec<u64> = self.0.iter().map(|(_, kept)| kept.bytes()).collect();
        self.0.drain(..surplus(&sizes));
    }

    /// Returns the predictor of this snapshot, if it is cached, and marks it as recently used.
    ///
    /// # Errors
    /// See [`Parts::assemble`].
    pub fn predictor(&mut self, key: &Key, cache: &ResourceCache) -> Result<Option<&Predictor>> {
        let found = self.0.iter().position(|(known, _)| known == key);
        let Some((key, prepared)) = found.and_then(|at| self.0.remove(at)) else {
            return Ok(None);
        };
        self.put(key, Prepared::Whole(prepared.finished(cache)?));
        Ok(match self.0.back() {
            Some((_, Prepared::Whole(predictor))) => Some(predictor),
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
        let key = Key::new(&request.run, task);
        if !self.has(&key) {
            self.put(key.clone(), Prepared::ahead(&request.run, task, cache)?);
        }
        let predictor = self.predictor(&key, cache)?;
        let predictor = predictor.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
        let (verdict, seen) = predictor.predict(&request.picture)?;
        Ok(Prediction {
            ticket: request.ticket,
            run: request.run.clone(),
            task,
            classes: predictor.classes().to_vec(),
            opinions: verdict.opinions,
            decided_by: verdict.decided_by,
            seen,
            seen_size: predictor.input_size(),
        })
    }
}

/// Returns how many of the oldest predictors must be removed; `sizes` are their bytes, the oldest first.
fn surplus(sizes: &[u64]) -> usize {
    let mut left: u64 = sizes.iter().sum();
    let mut gone = 0;
    for size in sizes {
        let kept = sizes.len() - gone;
        if kept <= LEAST || (kept <= MOST && left <= MOST_BYTES) {
            break;
        }
        left -= size;
        gone += 1;
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictors_are_bounded_by_bytes_and_by_number() {
        // Three complete ViT-B networks, as Seq-FT keeps them.
        assert_eq!(surplus(&[344_000_000; 24]), 21);
        assert_eq!(surplus(&[5_000_000; 24]), 0);
        assert_eq!(surplus(&[5_000_000; 26]), 2);
        // The last ones remain regardless of their size, because a request waits for each.
        assert_eq!(surplus(&[2 << 30; 3]), 0);
        assert_eq!(surplus(&[2 << 30, 1, 1, 1, 1]), 1);
        assert_eq!(surplus(&[1, 1, 1, 1, 2 << 30]), 2);
        assert_eq!(surplus(&[]), 0);
    }
}
