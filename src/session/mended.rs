//! Labels that the person mended, as the pages see them: the lists beside the data sets, which of them the settings
//! use, and which pictures on show they are about, by the pictures' hashes.
//!
//! The settings hold a copy of the list, and so does every run: mending a label changes no run that is at
//! work or waits, and one that is continued goes on with the labels it began with.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Session;
use super::views::{DataView, PictureKey, Split};
use crate::data::Mend;
use crate::method;
use crate::problem::{Problem, Result};

/// The lists that were read, and the hashes of pictures.
pub(super) struct Mended {
    lists: HashMap<String, Vec<Mend>>,
    asked: HashSet<String>,
    /// SHA-256 of images whose names stand in a list, with the number of the question; none while one is worked out.
    hashes: HashMap<PictureKey, (u64, Option<String>)>,
    /// Whether the settings use the list of their data set, whatever is in it.
    follows: bool,
}

impl Default for Mended {
    fn default() -> Self {
        Self {
            lists: HashMap::new(),
            asked: HashSet::new(),
            hashes: HashMap::new(),
            follows: true,
        }
    }
}

impl Mended {
    /// Takes the hash of an image; one that cannot be read is in no list. An answer to a question from before the
    /// hashes were forgotten is of a file that may have changed since.
    pub fn take_hash(&mut self, key: &PictureKey, asked: u64, answer: Result<String>) {
        if let Some((known, hash)) = self.hashes.get_mut(key)
            && *known == asked
        {
            *hash = answer.ok();
        }
    }

    /// Files may have changed.
    pub fn forget_hashes(&mut self) {
        self.hashes.clear();
    }
}

impl Session {
    /// The mended labels of the data set at this place; none while they are read.
    pub fn mended_labels(&self, place: &str) -> &[Mend] {
        self.sets.mended.lists.get(place).map_or(&[], Vec::as_slice)
    }

    /// What was mended of an image of an open data set; none as well while that is looked up. An image of the other
    /// split may have the same name.
    pub fn mended_label(
        &mut self,
        data: &Arc<DataView>,
        split: Split,
        index: usize,
        name: &str,
    ) -> Option<Mend> {
        let named = |mend: &&Mend| mend.picture == name;
        self.mended_labels(&data.place).iter().find(named)?;
        let key = (data.key.clone(), split, index);
        match self.sets.mended.hashes.get(&key) {
            Some((_, hash)) => {
                let hash = hash.as_ref()?;
                let same = |mend: &&Mend| named(mend) && mend.sha256.eq_ignore_ascii_case(hash);
                self.mended_labels(&data.place).iter().find(same).cloned()
            }
            None => {
                self.tickets += 1;
                let asked = self.tickets;
                self.sets.mended.hashes.insert(key.clone(), (asked, None));
                let pictures = data.of(split).clone();
                self.task(
                    move |_| pictures.entry(index).map(|entry| entry.sha256),
                    move |session, hash| session.sets.mended.take_hash(&key, asked, hash),
                );
                None
            }
        }
    }

    /// Reads the mended labels of a data set, if nobody did yet.
    pub fn need_mended(&mut self, place: &str) {
        if !place.trim().is_empty() && self.sets.mended.asked.insert(place.to_string()) {
            let place = place.to_string();
            let asked = place.clone();
            self.task_or_tell(
                move |sources| sources.mended(&place),
                move |session, list| session.take_mended(asked, list),
            );
        }
    }

    /// Says what an image of an open data set really is: a class, or with none that it is to be
    /// left out.
    pub fn mend(
        &mut self,
        data: &Arc<DataView>,
        split: Split,
        index: usize,
        class: Option<String>,
    ) {
        let (place, pictures) = (data.place.clone(), data.of(split).clone());
        self.change_mended(place, move || {
            let entry = pictures.entry(index)?;
            Ok(Mend { class, ..entry })
        });
    }

    /// Takes a mended label back.
    pub fn unmend(&mut self, place: &str, mend: &Mend) {
        let back = Mend {
            class: Some(mend.was.clone()),
            ..mend.clone()
        };
        self.change_mended(place.to_string(), || Ok(back));
    }

    /// Lets the settings use the list of their data set, or the labels as they are in the data.
    pub fn use_mended(&mut self, on: bool) {
        self.sets.mended.follows = on;
        self.experiment.draft.mended.clear();
        self.follow_mended();
        self.refresh_data();
    }

    /// Uses exactly these mended labels, those of a run that is set up again.
    pub fn keep_mended(&mut self, list: Vec<Mend>) {
        self.experiment.draft.mended = list;
        self.follow_if_same();
        self.refresh_data();
    }

    /// The settings use the list of their data set where they hold just that, and else keep their own.
    pub(super) fn follow_if_same(&mut self) {
        let draft = &self.experiment.draft;
        self.sets.mended.follows = self.mended_labels(&draft.data) == draft.mended;
    }

    /// The settings as the command that trains them, and whether it uses the same labels: it knows the
    /// list of the data set and the labels in the data, but not the list of an older run.
    pub fn command(&self) -> (String, bool) {
        let command = method::command(
            &self.experiment.draft,
            self.inventory.plugin_of(&self.experiment.draft),
        );
        let list = &self.experiment.draft.mended;
        let kept = self.mended_labels(&self.experiment.draft.data);
        match list.is_empty() && !kept.is_empty() {
            true => (format!("{command} --mended none"), true),
            false => (command, list == kept),
        }
    }

    /// The settings change to another data set or to other settings: they use its list.
    pub(super) fn begin_to_follow_mended(&mut self) {
        self.sets.mended.follows = true;
    }

    /// Gives the settings the list of their data set, where they use it.
    pub(super) fn follow_mended(&mut self) {
        let place = self.experiment.draft.data.clone();
        self.need_mended(&place);
        if self.sets.mended.follows
            && let Some(list) = self.sets.mended.lists.get(&place)
        {
            self.experiment.draft.mended.clone_from(list);
        }
    }

    /// Makes a change to the mended labels of the data set at this place, and tells it.
    fn change_mended(
        &mut self,
        place: String,
        change: impl FnOnce() -> Result<Mend> + Send + 'static,
    ) {
        let asked = place.clone();
        self.task_or_tell(
            move |sources| {
                let change = change()?;
                Ok((sources.mend(&place, change.clone())?, change))
            },
            move |session, (list, change)| {
                session.take_mended(asked, list);
                session.notify(told(&change), false);
            },
        );
    }

    fn take_mended(&mut self, place: String, list: Vec<Mend>) {
        self.sets.mended.lists.insert(place, list);
        self.follow_mended();
    }
}

fn told(change: &Mend) -> Problem {
    let text = match &change.class {
        Some(class) if *class == change.was => {
            format!("{} counts as {class}", change.picture)
        }
        Some(class) => format!(
            "{} counts as {class} instead of {}",
            change.picture, change.was
        ),
        None => format!("{} is left out", change.picture),
    };
    Problem::new(format!("{text}, from the next run on"))
        .advise("Experiment lists the mended labels of a data set; the files stay as they are")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_that_was_asked_for_before_files_changed_is_not_kept() {
        let mut mended = Mended::default();
        let key: PictureKey = ("digits".into(), Split::Test, 3);
        let known = |mended: &Mended| mended.hashes.get(&key).and_then(|(_, hash)| hash.clone());
        mended.hashes.insert(key.clone(), (1, None));
        mended.forget_hashes();
        mended.take_hash(&key, 1, Ok("old".into()));
        assert!(mended.hashes.is_empty());
        mended.hashes.insert(key.clone(), (2, None));
        mended.take_hash(&key, 1, Ok("old".into()));
        assert_eq!(known(&mended), None);
        mended.take_hash(&key, 2, Ok("new".into()));
        assert_eq!(known(&mended).as_deref(), Some("new"));
    }
}
