//! The state of training in one file: tensors, with counters in the file's metadata.
//!
//! One file is replaced by one rename, so a checkpoint never mixes old and new state.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::file::TensorFile;
use crate::tensors::{self, GeneratedTensors, HostTensor, NamedTensors};

/// Prefix of counters in the metadata.
const COUNTER_PREFIX: &str = "counter.";
/// Prefix of tensors that are read individually.
const BULK_PREFIX: &str = "bulk.";
/// The end of the message "could not …".
const READ_ACTION: &str = "read the checkpoint";

/// Everything that is needed to resume a run, besides its settings and saved tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// The current task, from 0.
    pub task: usize,
    /// Finished epochs of that task.
    pub epochs_done: usize,
    /// Step counts, seconds and other values that are not tensors, as text.
    pub counters: BTreeMap<String, String>,
    /// Experts and state of the optimiser.
    pub tensors: NamedTensors,
}

impl Checkpoint {
    /// Sets a counter. Numbers are preserved exactly.
    pub fn set(&mut self, name: &str, value: impl Display) {
        self.counters.insert(name.to_string(), value.to_string());
    }

    /// Returns a counter.
    ///
    /// # Errors
    /// Returns a Problem if it is missing or of another type.
    pub fn get<T: FromStr>(&self, name: &str) -> Result<T> {
        let text = self.counters.get(name);
        text.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Problem::new(message!("problem-checkpoint-counter-unreadable", name))
                .advise(message!("advice-train-again"))
        })
    }

    /// Writes the file; `bulk` are further tensors of the method.
    pub(super) fn write(&self, bulk: GeneratedTensors<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut metadata = HashMap::from([
            ("task".to_string(), self.task.to_string()),
            ("epochs_done".to_string(), self.epochs_done.to_string()),
        ]);
        for (name, value) in &self.counters {
            metadata.insert(format!("{COUNTER_PREFIX}{name}"), value.clone());
        }
        let bulk = bulk.into_iter();
        let bulk = bulk.map(|(name, tensor)| (format!("{BULK_PREFIX}{name}"), tensor));
        tensors::write(out, &self.tensors, bulk.collect(), metadata)
    }

    /// Reads the file without its bulk tensors.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let is_regular = |name: &str| !name.starts_with(BULK_PREFIX);
        let (tensors, metadata) = tensors::load_matching(path, READ_ACTION, is_regular)?;
        let (task, epochs_done) = position(&metadata).ok_or_else(|| {
            Problem::new(message!("problem-no-checkpoint"))
                .at_path(path)
                .advise(message!("advice-finished-tasks-usable"))
        })?;
        let counters = metadata.into_iter().filter_map(|(name, value)| {
            let name = name.strip_prefix(COUNTER_PREFIX)?.to_string();
            Some((name, value))
        });
        Ok(Self { task, epochs_done, counters: counters.collect(), tensors })
    }
}

/// Reads one bulk tensor.
///
/// # Errors
/// Returns a Problem if it is missing or cannot be read.
pub fn load_bulk(path: &Path, name: &str) -> Result<HostTensor> {
    let full_name = format!("{BULK_PREFIX}{name}");
    let (mut found, _) = tensors::load_matching(path, READ_ACTION, |name| name == full_name)?;
    let missing = || Problem::new(message!("problem-checkpoint-incomplete", name)).at_path(path);
    found.remove(&full_name).ok_or_else(missing)
}

/// Returns task and finished epochs of a checkpoint file, from its header alone; `None` if the file is missing or
/// damaged.
pub(super) fn read_position(path: &Path) -> Option<(usize, usize)> {
    let file = TensorFile::open(path).ok()?;
    position(file.header().metadata().as_ref()?)
}

/// Returns task and finished epochs from a file's metadata.
fn position(metadata: &HashMap<String, String>) -> Option<(usize, usize)> {
    let number = |name: &str| metadata.get(name)?.parse().ok();
    Some((number("task")?, number("epochs_done")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::GeneratedTensor;

    #[test]
    fn checkpoint_roundtrips_exactly() {
        let mut checkpoint = Checkpoint { task: 2, epochs_done: 3, ..Checkpoint::default() };
        checkpoint.set("seed", u64::MAX);
        checkpoint.set("seconds", 0.1 + 0.2);
        let tensor = HostTensor::vector(vec![0.1, -7.0]);
        checkpoint.tensors.insert("online.a".into(), tensor);
        let bulk_tensor =
            GeneratedTensor { shape: vec![1], values: Box::new(std::iter::once(4.5)) };
        let mut bytes = Vec::new();
        let bulk = GeneratedTensors::from([("large".to_string(), bulk_tensor)]);
        checkpoint.write(bulk, &mut bytes).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        std::fs::write(&path, &bytes).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded, checkpoint);
        assert_eq!(load_bulk(&path, "large").unwrap().values, [4.5]);
        assert!(load_bulk(&path, "online.a").is_err());
        assert_eq!(loaded.get::<u64>("seed").unwrap(), u64::MAX);
        assert_eq!(loaded.get::<f64>("seconds").unwrap(), 0.1 + 0.2);
        assert!(loaded.get::<u64>("steps").is_err());
        assert_eq!(read_position(&path), Some((2, 3)));
        std::fs::write(&path, &bytes[..20]).unwrap();
        assert_eq!(read_position(&path), None);
    }
}
