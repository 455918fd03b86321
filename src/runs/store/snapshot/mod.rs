//! Snapshots, `task_N.safetensors`: the tensors that classify after task N. Most of them are the same as after task N −
//! 1, so a snapshot contains only what is new: new tensors, changed ones, and the changed rows of tensors of which only
//! a part changed. Everything else is in the previous snapshot, which is identified by a hash.
//!
//! The first snapshot of a run is complete, and so are the last one (which a finished run uses for predictions and
//! added tasks), those of added tasks, and those of older versions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{added_tasks, snapshot_file};
use crate::fetch::hex;
use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::{self, HostTensor, NamedTensors};

/// The only entry of a snapshot's metadata: several entries would be written in any order, but equal snapshots must be
/// equal files.
const METADATA_KEY: &str = "snapshot";
/// Rows with fewer values are not hashed separately.
const MIN_HASHED_WIDTH: usize = 16;
/// A tensor with more separate ranges of new rows is stored completely.
const MAX_SPANS: usize = 1000;

/// A range of rows: the first, from 0, and their number.
type Span = [usize; 2];
/// The stored rows of partly stored tensors, in ascending order.
type Rows = BTreeMap<String, Vec<Span>>;

/// The metadata of a snapshot.
#[derive(Serialize, Deserialize)]
struct Label {
    /// Number of the task, from 1.
    after_task: usize,
    /// Hash, in hex, of all tensors that classify after the task, including those stored in earlier snapshots.
    sha256: String,
    /// Hash of the previous snapshot, which contains what is missing here; `None` for a complete snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rows: Rows,
}

impl Label {
    /// Returns the label of a complete snapshot of these tensors after a task (from 0).
    fn for_complete(task: usize, tensors: &BTreeMap<String, RowHashes>) -> Self {
        let mut hash = Sha256::new();
        for (name, tensor) in tensors {
            hash.update(format!("\n{name} {:?}\n", tensor.shape));
            hash.update(tensor.rows.as_flattened());
        }
        Self {
            after_task: task + 1,
            sha256: hex(&hash.finalize()),
            before: None,
            rows: Rows::new(),
        }
    }

    /// Returns the label in a file's metadata; `None` in files of older versions.
    fn from_metadata(metadata: Option<&HashMap<String, String>>) -> Option<Self> {
        serde_json::from_str(metadata?.get(METADATA_KEY)?).ok()
    }

    fn to_metadata(&self) -> Result<HashMap<String, String>> {
        let text = serde_json::to_string(self)
            .map_err(|error| Problem::with_error("problem-snapshot-not-described", &error))?;
        Ok(HashMap::from([(METADATA_KEY.to_string(), text)]))
    }
}

/// Returns the tensors of the method's snapshot after a task (from 0).
///
/// # Errors
/// Returns a Problem if the snapshot, or an earlier one that it depends on, is missing, cannot be read or belongs to
/// another run.
pub fn load_snapshot(folder: &Path, task: usize) -> Result<NamedTensors> {
    let action = format!("read the snapshot of task {}", task + 1);
    let mut parts: Vec<(PathBuf, BTreeSet<String>, Rows)> = Vec::new();
    // Newest first: tensors that are complete in a later snapshot are not read from earlier ones.
    let (mut loaded, mut current, mut expected) = (BTreeSet::new(), task, None);
    loop {
        let path = snapshot_file(&added_tasks::task_folder(folder, current), current);
        let file = tensors::open(&path, &action)?;
        let label = Label::from_metadata(file.header().metadata().as_ref());
        if expected.is_some() && expected.as_ref() != label.as_ref().map(|label| &label.sha256) {
            return Err(mismatch_problem(&path, task));
        }
        let (before, rows) =
            label.map_or_else(Default::default, |label| (label.before, label.rows));
        let names = file.header().tensors().into_keys();
        let names: BTreeSet<String> = names.filter(|name| !loaded.contains(name)).collect();
        let complete_names = names.iter().filter(|name| !rows.contains_key(*name));
        loaded.extend(complete_names.cloned());
        parts.push((path, names, rows));
        match (before, current.checked_sub(1)) {
            (Some(hash), Some(previous)) => (expected, current) = (Some(hash), previous),
            _ => break,
        }
    }
    let mut merged = NamedTensors::new();
    for (path, names, rows) in parts.iter().rev() {
        let (tensors, _) = tensors::load_matching(path, &action, |name| names.contains(name))?;
        for (name, tensor) in tensors {
            let Some(spans) = rows.get(&name) else {
                merged.insert(name, tensor);
                continue;
            };
            let before = merged.get_mut(&name);
            let fits = before.is_some_and(|before| replace_rows(before, spans, &tensor));
            if !fits {
                let what = message!("problem-snapshot-rows-mismatch", name);
                return Err(Problem::new(what)
                    .at_path(path)
                    .advise(message!("advice-restore-snapshot")));
            }
        }
    }
    Ok(merged)
}

/// Returns the hash recorded in the snapshot after a task (from 0), and the computed hash; `None` for files of older
/// versions, which have no hash.
pub(super) fn recorded_and_actual_hash(
    folder: &Path,
    task: usize,
) -> Result<Option<(String, String)>> {
    let path = snapshot_file(&added_tasks::task_folder(folder, task), task);
    let file = tensors::open(&path, "read a snapshot")?;
    let Some(label) = Label::from_metadata(file.header().metadata().as_ref()) else {
        return Ok(None);
    };
    let actual = Label::for_complete(task, &hash_tensors(&load_snapshot(folder, task)?));
    Ok(Some((label.sha256, actual.sha256)))
}

/// Returns the Problem for a file that is not the snapshot on which the snapshot after a task (from 0) depends.
fn mismatch_problem(path: &Path, task: usize) -> Problem {
    let what = message!("problem-snapshot-other-file", task = (task + 1).to_string());
    Problem::new(what).at_path(path).advise(message!("advice-restore-snapshot"))
}

/// Copies rows into these row ranges of a tensor; the tensor may grow at its end. Returns whether the rows fit.
fn replace_rows(tensor: &mut HostTensor, spans: &[Span], rows: &HostTensor) -> bool {
    let (Some((row_count, tail)), Some((new_count, new_tail))) =
        (tensor.shape.split_first(), rows.shape.split_first())
    else {
        return false;
    };
    let count = spans.iter().try_fold(0, |sum: usize, [_, count]| sum.checked_add(*count));
    if tail != new_tail || count != Some(*new_count) {
        return false;
    }
    let width: usize = tail.iter().product();
    let (mut row_end, mut rows_read) = (*row_count, 0);
    for [first, count] in spans {
        let Some(end) = first.checked_add(*count).filter(|_| *first <= row_end) else {
            return false;
        };
        let range = first * width..end.min(row_end) * width;
        let values = rows.values[rows_read * width..(rows_read + count) * width].iter().copied();
        tensor.values.splice(range, values);
        (row_end, rows_read) = (row_end.max(end), rows_read + count);
    }
    tensor.shape[0] = row_end;
    true
}

/// Writes the snapshots of a run in order, each with only what is new since the previous one.
#[derive(Default)]
pub struct SnapshotWriter(Option<PreviousSnapshot>);

/// What the next snapshot needs to know about the latest one.
struct PreviousSnapshot {
    task: usize,
    sha256: String,
    tensors: BTreeMap<String, RowHashes>,
}

impl PreviousSnapshot {
    /// Reads the snapshot after this task (from 0); `None` if the next one cannot depend on it.
    fn read(folder: &Path, task: usize) -> Option<Self> {
        let path = snapshot_file(folder, task);
        let file = tensors::open(&path, "read a snapshot").ok()?;
        let label = Label::from_metadata(file.header().metadata().as_ref())?;
        Some(Self {
            task,
            sha256: label.sha256,
            tensors: hash_tensors(&load_snapshot(folder, task).ok()?),
        })
    }
}

/// Hashes of a tensor, to detect changes: its shape, and a hash of each row, or one hash if rows are not hashed
/// separately.
#[derive(PartialEq)]
struct RowHashes {
    shape: Vec<usize>,
    rows: Vec<[u8; 16]>,
}

impl RowHashes {
    fn new(tensor: &HostTensor) -> Self {
        let width: usize = tensor.shape.iter().skip(1).product();
        let chunk_len = match width >= MIN_HASHED_WIDTH {
            true => width,
            false => tensor.values.len().max(1),
        };
        let hash = |row: &[f32]| {
            let mut short = [0; 16];
            short.copy_from_slice(&Sha256::digest(bytemuck::cast_slice::<f32, u8>(row))[..16]);
            short
        };
        Self {
            shape: tensor.shape.clone(),
            rows: tensor.values.chunks(chunk_len).map(hash).collect(),
        }
    }

    /// Returns the ranges of rows that changed since `before`; `None` if all rows did, or if rows cannot be compared.
    fn new_rows(&self, before: &Self) -> Option<Vec<Span>> {
        let (count, tail) = self.shape.split_first()?;
        let by_row = self.rows.len() == *count && before.rows.len() <= *count;
        if !by_row || before.shape.get(1..) != Some(tail) {
            return None;
        }
        let mut spans: Vec<Span> = Vec::new();
        for row in (0..*count).filter(|row| self.rows.get(*row) != before.rows.get(*row)) {
            match spans.last_mut() {
                Some([first, count]) if *first + *count == row => *count += 1,
                _ => spans.push([row, 1]),
            }
        }
        let new: usize = spans.iter().map(|[_, count]| count).sum();
        (0 < new && new < *count && spans.len() <= MAX_SPANS).then_some(spans)
    }
}

fn hash_tensors(tensors: &NamedTensors) -> BTreeMap<String, RowHashes> {
    let hash_entry =
        |(name, tensor): (&String, &HostTensor)| (name.clone(), RowHashes::new(tensor));
    tensors.iter().map(hash_entry).collect()
}

impl SnapshotWriter {
    /// Removes from the snapshot after a task (from 0) what the previous snapshot in the folder contains. Returns the
    /// metadata to write with it.
    pub(super) fn strip_unchanged(
        &mut self,
        folder: &Path,
        task: usize,
        snapshot: &mut NamedTensors,
    ) -> Result<HashMap<String, String>> {
        let current = hash_tensors(snapshot);
        let before = self.0.take();
        let before = before.filter(|before| before.task + 1 == task);
        let before = before.or_else(|| PreviousSnapshot::read(folder, task.checked_sub(1)?));
        // A removed tensor would reappear from the previous snapshot, so a complete one is written.
        let before =
            before.filter(|before| before.tensors.keys().all(|name| current.contains_key(name)));
        let mut label = Label::for_complete(task, &current);
        if let Some(before) = before {
            snapshot.retain(|name, tensor| {
                let pair = current.get(name).zip(before.tensors.get(name));
                if let Some(new) = pair.and_then(|(current, before)| current.new_rows(before)) {
                    let width: usize = tensor.shape.iter().skip(1).product();
                    let values = new.iter().flat_map(|[first, count]| {
                        tensor.values[first * width..(first + count) * width].iter().copied()
                    });
                    tensor.values = values.collect();
                    tensor.shape[0] = new.iter().map(|[_, count]| count).sum();
                    label.rows.insert(name.clone(), new);
                }
                pair.is_none_or(|(current, before)| current != before)
            });
            label.before = Some(before.sha256);
        }
        self.0 = Some(PreviousSnapshot { task, sha256: label.sha256.clone(), tensors: current });
        label.to_metadata()
    }
}

/// Returns the metadata of a complete snapshot after a task (from 0).
pub(super) fn complete_metadata(
    task: usize,
    snapshot: &NamedTensors,
) -> Result<HashMap<String, String>> {
    Label::for_complete(task, &hash_tensors(snapshot)).to_metadata()
}

#[cfg(test)]
mod tests;
