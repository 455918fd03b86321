//! `task_N.safetensors`, what answers after task N. Most of it answered after task N − 1, too, so a snapshot
//! holds what is new since the one before: new tensors, those that changed, and of a tensor of which a part
//! changed the rows that did. All else is as the snapshot before has it, which is named by a hash.
//!
//! The first snapshot of a run names none and is whole, and so are the last one, from which a finished run
//! answers and learns added tasks, those of added tasks, and those of older versions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{added_tasks, snapshot_file};
use crate::fetch::hex;
use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::{self, HostTensor, Named};

/// The one entry of a snapshot's metadata: several would be written in any order, and equal snapshots shall be
/// equal files.
const LABEL: &str = "snapshot";
/// Rows of fewer numbers are not hashed separately.
const NARROW: usize = 16;
/// A tensor whose new rows are in more places is held whole.
const MOST_SPANS: usize = 1000;

/// Rows of a tensor: the first, from 0, and how many.
type Span = [usize; 2];
/// The rows of tensors that are held in part, in ascending order.
type Rows = BTreeMap<String, Vec<Span>>;

/// What a snapshot says of itself.
#[derive(Serialize, Deserialize)]
struct Label {
    /// From 1.
    after_task: usize,
    /// Hash over all that answers after the task, whichever file holds it, in hex.
    sha256: String,
    /// Hash of the snapshot after the task before, which has what is not held here; `None` for a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rows: Rows,
}

impl Label {
    /// That of a whole snapshot after a task (from 0), of these tensors.
    fn of_whole(task: usize, tensors: &BTreeMap<String, RowHashes>) -> Self {
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

    /// That of a file with this metadata; none in files of older versions.
    fn of(metadata: Option<&HashMap<String, String>>) -> Option<Self> {
        serde_json::from_str(metadata?.get(LABEL)?).ok()
    }

    fn metadata(&self) -> Result<HashMap<String, String>> {
        let text = serde_json::to_string(self).map_err(|error| {
            Problem::new(message!(
                "problem-snapshot-not-described",
                error = error.to_string()
            ))
        })?;
        Ok(HashMap::from([(LABEL.to_string(), text)]))
    }
}

/// What answers after a task (from 0): the tensors of the method's snapshot.
///
/// # Errors
/// Returns a Problem if the snapshot, or one before it that it continues, is missing, cannot be read or is of
/// another run.
pub fn load_snapshot(folder: &Path, task: usize) -> Result<Named> {
    let doing = format!("read the snapshot of task {}", task + 1);
    let mut parts: Vec<(PathBuf, BTreeSet<String>, Rows)> = Vec::new();
    // Newest first: what is whole in a later one is not read from those before.
    let (mut known, mut at, mut expected) = (BTreeSet::new(), task, None);
    loop {
        let path = snapshot_file(&added_tasks::home(folder, at), at);
        let file = tensors::open(&path, &doing)?;
        let label = Label::of(file.header().metadata().as_ref());
        if expected.is_some() && expected.as_ref() != label.as_ref().map(|label| &label.sha256) {
            return Err(another(&path, task));
        }
        let (before, rows) =
            label.map_or_else(Default::default, |label| (label.before, label.rows));
        let names = file.header().tensors().into_keys();
        let names: BTreeSet<String> = names.filter(|name| !known.contains(name)).collect();
        let whole = names.iter().filter(|name| !rows.contains_key(*name));
        known.extend(whole.cloned());
        parts.push((path, names, rows));
        match (before, at.checked_sub(1)) {
            (Some(hash), Some(before)) => (expected, at) = (Some(hash), before),
            _ => break,
        }
    }
    let mut all = Named::new();
    for (path, names, rows) in parts.iter().rev() {
        let (tensors, _) = tensors::load_some(path, &doing, |name| names.contains(name))?;
        for (name, tensor) in tensors {
            let Some(spans) = rows.get(&name) else {
                all.insert(name, tensor);
                continue;
            };
            let before = all.get_mut(&name);
            let fits = before.is_some_and(|before| replace_rows(before, spans, &tensor));
            if !fits {
                let what =
                    format!("this snapshot has rows of {name} that do not match the previous one");
                return Err(Problem::new(what).at_path(path).advise(DAMAGED));
            }
        }
    }
    Ok(all)
}

/// The hash that the snapshot after a task (from 0) names for all that answers then, and the one that is found; none
/// in files of older versions, which name none.
pub(super) fn own_and_found(folder: &Path, task: usize) -> Result<Option<(String, String)>> {
    let path = snapshot_file(&added_tasks::home(folder, task), task);
    let file = tensors::open(&path, "read a snapshot")?;
    let Some(label) = Label::of(file.header().metadata().as_ref()) else {
        return Ok(None);
    };
    let found = Label::of_whole(task, &hashes(&load_snapshot(folder, task)?));
    Ok(Some((label.sha256, found.sha256)))
}

/// What helps against a snapshot that cannot be put together.
const DAMAGED: &str =
    "restore the run's folder from a backup, use the snapshot of another task, or train again";

/// The snapshot in this file is not the one from which that of a task (from 0) continues.
fn another(path: &Path, task: usize) -> Problem {
    let what = message!("problem-snapshot-other-file", task = (task + 1).to_string());
    Problem::new(what).at_path(path).advise(DAMAGED)
}

/// Puts the rows of these spans into a tensor, which may grow by the last of them; whether they fit.
fn replace_rows(tensor: &mut HostTensor, spans: &[Span], rows: &HostTensor) -> bool {
    let (Some((had, tail)), Some((new, new_tail))) =
        (tensor.shape.split_first(), rows.shape.split_first())
    else {
        return false;
    };
    let count = spans
        .iter()
        .try_fold(0, |sum: usize, [_, count]| sum.checked_add(*count));
    if tail != new_tail || count != Some(*new) {
        return false;
    }
    let width: usize = tail.iter().product();
    let (mut known, mut read) = (*had, 0);
    for [first, count] in spans {
        let Some(end) = first.checked_add(*count).filter(|_| *first <= known) else {
            return false;
        };
        let place = first * width..end.min(known) * width;
        let values = rows.values[read * width..(read + count) * width]
            .iter()
            .copied();
        tensor.values.splice(place, values);
        (known, read) = (known.max(end), read + count);
    }
    tensor.shape[0] = known;
    true
}

/// Makes the snapshots of a run, one after the other, each of what is new since the one before.
#[derive(Default)]
pub struct SnapshotWriter(Option<Before>);

/// The latest snapshot, as far as the next one has to know.
struct Before {
    task: usize,
    sha256: String,
    tensors: BTreeMap<String, RowHashes>,
}

impl Before {
    /// The one after this task (from 0) in the folder; `None` if the next one cannot continue it.
    fn read(folder: &Path, task: usize) -> Option<Self> {
        let path = snapshot_file(folder, task);
        let file = tensors::open(&path, "read a snapshot").ok()?;
        let label = Label::of(file.header().metadata().as_ref())?;
        Some(Self {
            task,
            sha256: label.sha256,
            tensors: hashes(&load_snapshot(folder, task).ok()?),
        })
    }
}

/// A tensor as it is known again: its shape, and a hash of each row, or of all if rows are not hashed separately.
#[derive(PartialEq)]
struct RowHashes {
    shape: Vec<usize>,
    rows: Vec<[u8; 16]>,
}

impl RowHashes {
    fn of(tensor: &HostTensor) -> Self {
        let width: usize = tensor.shape.iter().skip(1).product();
        let each = match width >= NARROW {
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
            rows: tensor.values.chunks(each).map(hash).collect(),
        }
    }

    /// The rows that are new since `before`; `None` if all are, or rows cannot be compared with those of before.
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
        (0 < new && new < *count && spans.len() <= MOST_SPANS).then_some(spans)
    }
}

fn hashes(tensors: &Named) -> BTreeMap<String, RowHashes> {
    let hashed = |(name, tensor): (&String, &HostTensor)| (name.clone(), RowHashes::of(tensor));
    tensors.iter().map(hashed).collect()
}

impl SnapshotWriter {
    /// Leaves of the snapshot after a task (from 0) what is new since the one in the folder before
    /// it; returns the metadata to write with it.
    pub(super) fn next(
        &mut self,
        folder: &Path,
        task: usize,
        snapshot: &mut Named,
    ) -> Result<HashMap<String, String>> {
        let now = hashes(snapshot);
        let before = self.0.take();
        let before = before.filter(|before| before.task + 1 == task);
        let before = before.or_else(|| Before::read(folder, task.checked_sub(1)?));
        // A tensor that is no more would come back from there.
        let before =
            before.filter(|before| before.tensors.keys().all(|name| now.contains_key(name)));
        let mut label = Label::of_whole(task, &now);
        if let Some(before) = before {
            snapshot.retain(|name, tensor| {
                let known = now.get(name).zip(before.tensors.get(name));
                if let Some(new) = known.and_then(|(now, before)| now.new_rows(before)) {
                    let width: usize = tensor.shape.iter().skip(1).product();
                    let values = new.iter().flat_map(|[first, count]| {
                        tensor.values[first * width..(first + count) * width]
                            .iter()
                            .copied()
                    });
                    tensor.values = values.collect();
                    tensor.shape[0] = new.iter().map(|[_, count]| count).sum();
                    label.rows.insert(name.clone(), new);
                }
                known.is_none_or(|(now, before)| now != before)
            });
            label.before = Some(before.sha256);
        }
        self.0 = Some(Before {
            task,
            sha256: label.sha256.clone(),
            tensors: now,
        });
        label.metadata()
    }
}

/// The metadata of a whole snapshot after a task (from 0).
pub(super) fn whole(task: usize, snapshot: &Named) -> Result<HashMap<String, String>> {
    Label::of_whole(task, &hashes(snapshot)).metadata()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
