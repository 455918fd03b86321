//! Labels that the user corrected: the lists of datasets, the list that the settings use, and the displayed images that
//! an entry applies to, identified by their hashes.
//!
//! The settings and every run have a copy of the list. So correcting a label does not change running or queued runs,
//! and a resumed run keeps the labels it started with.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::notices::NoticeUndo;
use super::views::{DataView, ImageKey, Split, sample_of};
use crate::data::{Correction, Dataset};
use crate::method;
use crate::problem::{Problem, Result};
use crate::store;
use crate::tr;

/// The lists that were read, and the hashes of images.
#[derive(Default)]
pub(super) struct Corrected {
    lists: HashMap<String, Vec<Correction>>,
    requested: HashSet<String>,
    /// SHA-256 of images whose names are in a list, with the number of the request; `None` while the hash is computed.
    hashes: HashMap<ImageKey, (u64, Option<String>)>,
}

impl Corrected {
    /// Stores the hash of an image; an unreadable image has no hash and matches no entry. A hash that was requested
    /// before the hashes were cleared is ignored, because the file may have changed since.
    pub fn accept_hash(&mut self, key: &ImageKey, ticket: u64, result: Result<String>) {
        if let Some((expected, hash)) = self.hashes.get_mut(key)
            && *expected == ticket
        {
            *hash = result.ok();
        }
    }

    /// Clears the hashes, because files may have changed.
    pub fn clear_hashes(&mut self) {
        self.hashes.clear();
    }
}

impl Session {
    /// Returns the corrected labels of this dataset; empty while they are read.
    pub fn corrected_labels(&self, location: &str) -> &[Correction] {
        let list = self.datasets.corrected.lists.get(location);
        list.map_or(&[], Vec::as_slice)
    }

    /// Returns the correction of an image of an open dataset. The hash is compared too, because an image of the other
    /// split can have the same name.
    pub fn corrected_label(
        &self,
        data: &DataView,
        split: Split,
        index: usize,
        name: &str,
    ) -> Lookup<Correction> {
        let list = self.corrected_labels(&data.location);
        let mut named = list.iter().filter(|correction| correction.picture == name).peekable();
        if named.peek().is_none() {
            return Lookup::Absent;
        }
        let key = (data.key.clone(), split, index);
        match self.datasets.corrected.hashes.get(&key) {
            Some((_, Some(hash))) => {
                let matching =
                    named.find(|correction| correction.sha256.eq_ignore_ascii_case(hash));
                matching.map_or(Lookup::Absent, |correction| Lookup::Found(correction.clone()))
            }
            Some((_, None)) => Lookup::Absent,
            None => {
                let data = data.dataset.clone();
                Lookup::unread(|session| session.load_hash(key, data))
            }
        }
    }

    /// Computes the hash of a displayed image.
    fn load_hash(&mut self, key: ImageKey, data: Arc<Dataset>) {
        if self.datasets.corrected.hashes.contains_key(&key) {
            return;
        }
        let ticket = self.next_ticket();
        let hashes = &mut self.datasets.corrected.hashes;
        hashes.insert(key.clone(), (ticket, None));
        let (_, split, index) = key;
        self.task(
            move |_| sample_of(&data, split, index)?.sha256(),
            move |session, hash| session.datasets.corrected.accept_hash(&key, ticket, hash),
        );
    }

    /// Returns whether the corrected labels of this dataset still need to be read.
    pub fn needs_corrected_labels(&self, location: &str) -> bool {
        !location.trim().is_empty() && !self.datasets.corrected.requested.contains(location)
    }

    /// Reads the corrected labels of a dataset, unless this was requested before.
    pub fn load_corrected_labels(&mut self, location: &str) {
        if !self.needs_corrected_labels(location) {
            return;
        }
        let location = location.to_string();
        self.datasets.corrected.requested.insert(location.clone());
        self.task_or_notify(
            move |sources| {
                Ok((store::load_corrections(&sources.disk().runs_root, &location)?, location))
            },
            |session, (list, location)| session.accept_corrections(location, list),
        );
    }

    /// Corrects the label of an image of an open dataset; without a class, the image is excluded.
    pub fn correct_label(
        &mut self,
        data: &DataView,
        split: Split,
        index: usize,
        class: Option<String>,
    ) {
        let (location, data) = (data.location.clone(), data.dataset.clone());
        self.change_corrected_label(location, move || {
            let sample = sample_of(&data, split, index)?;
            let (picture, sha256) = (sample.name(), sample.sha256()?);
            // The opened dataset has the corrected label, so the original one is taken from the correction.
            let is_same_image = |correction: &&Correction| {
                correction.picture == picture && correction.sha256 == sha256
            };
            let correction = data.options.corrected.iter().find(is_same_image);
            let original = correction.map(|correction| &correction.was);
            let original = original.or_else(|| data.classes.get(sample.class as usize));
            Ok(Correction { was: original.cloned().unwrap_or_default(), picture, sha256, class })
        });
    }

    /// Adds an entry to the corrected labels of this dataset and replaces an entry about the same image. An entry with
    /// the original class removes the correction.
    pub fn set_corrected_label(&mut self, location: String, entry: Correction) {
        self.change_corrected_label(location, || Ok(entry));
    }

    /// Selects whether the settings use the corrected labels of their dataset or the original ones.
    pub fn use_corrected(&mut self, on: bool) {
        self.experiment.has_own_labels = !on;
        self.experiment.draft.corrected.clear();
        self.sync_corrected_labels();
        self.refresh_data();
    }

    /// Uses exactly this list, which comes from a run whose settings were loaded.
    pub fn use_corrected_labels(&mut self, list: Vec<Correction>) {
        self.experiment.draft.corrected = list;
        self.detect_own_labels();
        self.refresh_data();
    }

    /// Makes the settings follow the list of the dataset if their list equals it; otherwise they keep their own list.
    /// They also keep it until the list of the dataset is read.
    fn detect_own_labels(&mut self) {
        let draft = &self.experiment.draft;
        let list = self.datasets.corrected.lists.get(&draft.data);
        self.experiment.has_own_labels = list.is_none_or(|list| *list != draft.corrected);
    }

    /// Returns the settings as a shell command, and whether the command uses the same labels. A command can use the
    /// list of the dataset or the original labels, but not the list of an older run.
    pub fn shell_command(&self) -> (String, bool) {
        let draft = &self.experiment.draft;
        let command = method::train_command(draft, self.inventory.plugin_of(draft));
        let (list, dataset_list) = (&draft.corrected, self.corrected_labels(&draft.data));
        match list.is_empty() && !dataset_list.is_empty() {
            true => ([&*command, "--corrected", "none"].join(" "), true),
            false => (command, list == dataset_list),
        }
    }

    /// Makes the settings follow the list of their dataset, after a change to another dataset or other settings.
    pub(super) fn use_dataset_labels(&mut self) {
        self.experiment.has_own_labels = false;
    }

    /// Copies the list of the dataset into the settings if they follow it.
    pub(super) fn sync_corrected_labels(&mut self) {
        let location = self.experiment.draft.data.clone();
        self.load_corrected_labels(&location);
        if !self.experiment.has_own_labels
            && let Some(list) = self.datasets.corrected.lists.get(&location)
        {
            self.experiment.draft.corrected.clone_from(list);
        }
    }

    /// Changes the corrected labels of this dataset on a helper thread and reports the change.
    fn change_corrected_label(
        &mut self,
        location: String,
        change: impl FnOnce() -> Result<Correction> + Send + 'static,
    ) {
        self.task_or_notify(
            move |sources| {
                let change = change()?;
                let root = &sources.disk().runs_root;
                let list = store::correct_label(root, &location, change.clone())?;
                Ok((location, list, change))
            },
            |session, (location, list, change)| session.accept_correction(location, list, &change),
        );
    }

    /// Stores the list after a change and reports the change with an undo.
    fn accept_correction(&mut self, location: String, list: Vec<Correction>, change: &Correction) {
        let previous_list = self.datasets.corrected.lists.get(&location);
        let previous =
            previous_list.map(|list| list.iter().find(|entry| entry.is_same_image(change)));
        let previous = previous.map(|entry| entry.cloned().unwrap_or_else(|| change.inverse()));
        let previous = previous.filter(|previous| previous != change);
        let undo = previous.map(|previous| NoticeUndo::Label(location.clone(), previous));
        if undo.is_some() {
            self.remove_undo(|undo| {
                matches!(undo, NoticeUndo::Label(at, entry) if *at == location && entry.is_same_image(change))
            });
        }
        self.accept_corrections(location, list);
        self.notify(correction_notice(change), false);
        self.offer_undo(undo);
    }

    fn accept_corrections(&mut self, location: String, list: Vec<Correction>) {
        let draft = &self.experiment.draft;
        let is_same_list = location == draft.data && list == draft.corrected;
        let is_first = self.datasets.corrected.lists.insert(location, list).is_none();
        // Whether the settings have their own list could not be known before.
        self.experiment.has_own_labels &= !(is_first && is_same_list);
        self.sync_corrected_labels();
    }
}

fn correction_notice(change: &Correction) -> Problem {
    let (picture, was) = (change.picture.as_str(), change.was.as_str());
    let text = match change.class.as_deref() {
        Some(class) if class == was => {
            tr!("notices-label-counts-as", picture, class)
        }
        Some(class) => tr!("notices-label-corrected", picture, class, was),
        None => tr!("notices-image-excluded", picture),
    };
    Problem::new(text).advise(tr!("notices-corrected-labels-advice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discards_hash_requested_before_files_changed() {
        let mut corrected = Corrected::default();
        let key: ImageKey = ("digits".into(), Split::Test, 3);
        let stored_hash =
            |corrected: &Corrected| corrected.hashes.get(&key).and_then(|(_, hash)| hash.clone());
        corrected.hashes.insert(key.clone(), (1, None));
        corrected.clear_hashes();
        corrected.accept_hash(&key, 1, Ok("old".into()));
        assert!(corrected.hashes.is_empty());
        corrected.hashes.insert(key.clone(), (2, None));
        corrected.accept_hash(&key, 1, Ok("old".into()));
        assert_eq!(stored_hash(&corrected), None);
        corrected.accept_hash(&key, 2, Ok("new".into()));
        assert_eq!(stored_hash(&corrected).as_deref(), Some("new"));
    }
}
