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
use super::views::{DataView, PictureKey, Split, sample_of};
use crate::data::{Correction, Dataset};
use crate::method;
use crate::problem::{Problem, Result};
use crate::store;
use crate::tr;

/// The lists that were read, and the hashes of images.
#[derive(Default)]
pub(super) struct Corrected {
    lists: HashMap<String, Vec<Correction>>,
    asked: HashSet<String>,
    /// SHA-256 of images whose names are in a list, with the number of the request; `None` while the hash is computed.
    hashes: HashMap<PictureKey, (u64, Option<String>)>,
    /// Whether the settings keep their own list instead of using that of their dataset.
    is_own: bool,
}

impl Corrected {
    /// Stores the hash of an image; an unreadable image has no hash and matches no entry. A hash that was requested
    /// before the hashes were cleared is ignored, because the file may have changed since.
    pub fn accept_hash(&mut self, key: &PictureKey, asked: u64, answer: Result<String>) {
        if let Some((known, hash)) = self.hashes.get_mut(key)
            && *known == asked
        {
            *hash = answer.ok();
        }
    }

    /// Clears the hashes, because files may have changed.
    pub fn forget_hashes(&mut self) {
        self.hashes.clear();
    }
}

impl Session {
    /// Returns the corrected labels of this dataset; empty while they are read.
    pub fn corrected_labels(&self, place: &str) -> &[Correction] {
        let list = self.sets.corrected.lists.get(place);
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
        let list = self.corrected_labels(&data.place);
        let mut named = list.iter().filter(|known| known.picture == name).peekable();
        if named.peek().is_none() {
            return Lookup::Absent;
        }
        let key = (data.key.clone(), split, index);
        match self.sets.corrected.hashes.get(&key) {
            Some((_, Some(hash))) => {
                let same = named.find(|known| known.sha256.eq_ignore_ascii_case(hash));
                same.map_or(Lookup::Absent, |known| Lookup::Found(known.clone()))
            }
            Some((_, None)) => Lookup::Absent,
            None => {
                let data = data.dataset.clone();
                Lookup::unread(|session| session.load_hash(key, data))
            }
        }
    }

    /// Computes the hash of a displayed image.
    fn load_hash(&mut self, key: PictureKey, data: Arc<Dataset>) {
        if self.sets.corrected.hashes.contains_key(&key) {
            return;
        }
        let asked = self.next_ticket();
        let hashes = &mut self.sets.corrected.hashes;
        hashes.insert(key.clone(), (asked, None));
        let (_, split, index) = key;
        self.task(
            move |_| sample_of(&data, split, index)?.sha256(),
            move |session, hash| session.sets.corrected.accept_hash(&key, asked, hash),
        );
    }

    /// Returns whether the corrected labels of this dataset still need to be read.
    pub fn lacks_corrected(&self, place: &str) -> bool {
        !place.trim().is_empty() && !self.sets.corrected.asked.contains(place)
    }

    /// Reads the corrected labels of a dataset, unless this was requested before.
    pub fn load_corrected(&mut self, place: &str) {
        if !self.lacks_corrected(place) {
            return;
        }
        let place = place.to_string();
        self.sets.corrected.asked.insert(place.clone());
        self.task_or_notify(
            move |sources| Ok((store::corrected(&sources.disk().runs_root, &place)?, place)),
            |session, (list, place)| session.accept_corrections(place, list),
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
        let (place, data) = (data.place.clone(), data.dataset.clone());
        self.change_corrected(place, move || {
            let sample = sample_of(&data, split, index)?;
            let (picture, sha256) = (sample.name(), sample.sha256()?);
            // The opened dataset has the corrected label, so the original one is taken from the correction.
            let same = |known: &&Correction| known.picture == picture && known.sha256 == sha256;
            let known = data.options.corrected.iter().find(same);
            let was = known.map(|known| &known.was);
            let was = was.or_else(|| data.classes.get(sample.class as usize));
            Ok(Correction {
                was: was.cloned().unwrap_or_default(),
                picture,
                sha256,
                class,
            })
        });
    }

    /// Adds an entry to the corrected labels of this dataset and replaces an entry about the same image. An entry with
    /// the original class removes the correction.
    pub fn set_corrected_label(&mut self, place: String, entry: Correction) {
        self.change_corrected(place, || Ok(entry));
    }

    /// Selects whether the settings use the corrected labels of their dataset or the original ones.
    pub fn use_corrected(&mut self, on: bool) {
        self.sets.corrected.is_own = !on;
        self.experiment.draft.corrected.clear();
        self.follow_corrected();
        self.refresh_data();
    }

    /// Uses exactly this list, which comes from a run whose settings were loaded.
    pub fn use_corrected_labels(&mut self, list: Vec<Correction>) {
        self.experiment.draft.corrected = list;
        self.follow_if_same();
        self.refresh_data();
    }

    /// Makes the settings follow the list of the dataset if their list equals it; otherwise they keep their own list.
    pub(super) fn follow_if_same(&mut self) {
        let draft = &self.experiment.draft;
        self.sets.corrected.is_own = self.corrected_labels(&draft.data) != draft.corrected;
    }

    /// Returns the settings as a shell command, and whether the command uses the same labels. A command can use the
    /// list of the dataset or the original labels, but not the list of an older run.
    pub fn command(&self) -> (String, bool) {
        let draft = &self.experiment.draft;
        let command = method::command(draft, self.inventory.plugin_of(draft));
        let (list, kept) = (&draft.corrected, self.corrected_labels(&draft.data));
        match list.is_empty() && !kept.is_empty() {
            true => ([&*command, "--corrected", "none"].join(" "), true),
            false => (command, list == kept),
        }
    }

    /// Makes the settings follow the list of their dataset, after a change to another dataset or other settings.
    pub(super) fn begin_to_follow_corrected(&mut self) {
        self.sets.corrected.is_own = false;
    }

    /// Copies the list of the dataset into the settings if they follow it.
    pub(super) fn follow_corrected(&mut self) {
        let place = self.experiment.draft.data.clone();
        self.load_corrected(&place);
        if !self.sets.corrected.is_own
            && let Some(list) = self.sets.corrected.lists.get(&place)
        {
            self.experiment.draft.corrected.clone_from(list);
        }
    }

    /// Changes the corrected labels of this dataset on a helper thread and reports the change.
    fn change_corrected(
        &mut self,
        place: String,
        change: impl FnOnce() -> Result<Correction> + Send + 'static,
    ) {
        self.task_or_notify(
            move |sources| {
                let change = change()?;
                let root = &sources.disk().runs_root;
                let list = store::correct_label(root, &place, change.clone())?;
                Ok((place, list, change))
            },
            |session, (place, list, change)| session.accept_correction(place, list, &change),
        );
    }

    /// Stores the list after a change and reports the change with an undo.
    fn accept_correction(&mut self, place: String, list: Vec<Correction>, change: &Correction) {
        let known = self.sets.corrected.lists.get(&place);
        let before = known.map(|list| list.iter().find(|entry| entry.is_about(change)));
        let before = before.map(|entry| entry.cloned().unwrap_or_else(|| change.taken_back()));
        let before = before.filter(|before| before != change);
        let undo = before.map(|before| NoticeUndo::Label(place.clone(), before));
        if undo.is_some() {
            self.forget_undo(|undo| {
                matches!(undo, NoticeUndo::Label(at, entry) if *at == place && entry.is_about(change))
            });
        }
        self.accept_corrections(place, list);
        self.notify(told(change), false);
        self.offer_undo(undo);
    }

    fn accept_corrections(&mut self, place: String, list: Vec<Correction>) {
        self.sets.corrected.lists.insert(place, list);
        self.follow_corrected();
    }
}

fn told(change: &Correction) -> Problem {
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
    fn a_hash_that_was_asked_for_before_files_changed_is_not_kept() {
        let mut corrected = Corrected::default();
        let key: PictureKey = ("digits".into(), Split::Test, 3);
        let known = |corrected: &Corrected| {
            corrected
                .hashes
                .get(&key)
                .and_then(|(_, hash)| hash.clone())
        };
        corrected.hashes.insert(key.clone(), (1, None));
        corrected.forget_hashes();
        corrected.accept_hash(&key, 1, Ok("old".into()));
        assert!(corrected.hashes.is_empty());
        corrected.hashes.insert(key.clone(), (2, None));
        corrected.accept_hash(&key, 1, Ok("old".into()));
        assert_eq!(known(&corrected), None);
        corrected.accept_hash(&key, 2, Ok("new".into()));
        assert_eq!(known(&corrected).as_deref(), Some("new"));
    }
}
