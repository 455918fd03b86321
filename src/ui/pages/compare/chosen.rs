//! The runs of the list, and which of them are chosen, to do something with all of them: by click, with Ctrl one more,
//! with Shift all up to there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use egui::Modifiers;

use crate::session::views::{Rows, RunRow};

/// The runs of the list, in their order.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) rows: &'a Rows,
    /// Their places among all.
    pub(super) places: &'a [usize],
}

impl<'a> Listed<'a> {
    pub(super) fn row(self, at: usize) -> &'a RunRow {
        &self.rows[self.places[at]]
    }

    pub(super) fn rows(self) -> impl Iterator<Item = &'a RunRow> {
        self.places.iter().map(|place| &*self.rows[*place])
    }

    pub(super) fn folders(self) -> Vec<&'a Path> {
        self.rows().map(|row| row.folder.as_path()).collect()
    }
}

/// The chosen runs.
#[derive(Default)]
pub struct Selection {
    /// Each with how many had been chosen before it.
    folders: HashMap<PathBuf, usize>,
    /// How many were chosen since none was.
    count: usize,
    /// Where a range begins.
    anchor: Option<PathBuf>,
    /// How often it was changed.
    changes: u64,
}

impl Selection {
    /// Whether this run is chosen.
    pub fn has(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    /// How many were chosen before this run; none where it is not.
    pub fn place(&self, folder: &Path) -> Option<usize> {
        self.folders.get(folder).copied()
    }

    /// How often it was changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Chooses all of these, in this order, and no others.
    pub fn set(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.folders = folders.into_iter().zip(0..).collect();
        self.count = self.folders.len();
        self.anchor = None;
        self.changes += 1;
    }

    /// Chooses this run beside the others, or no longer.
    pub fn toggle(&mut self, folder: &Path) {
        self.anchor = Some(folder.to_path_buf());
        self.changes += 1;
        if self.folders.remove(folder).is_none() {
            self.add(folder);
        }
    }

    /// Lets go of these.
    pub fn remove(&mut self, folders: &[PathBuf]) {
        self.changes += 1;
        for folder in folders {
            self.folders.remove(folder);
        }
    }

    fn add(&mut self, folder: &Path) {
        let known = self.folders.entry(folder.to_path_buf());
        known.or_insert(self.count);
        self.count += 1;
    }

    /// The chosen ones among these, in their order. What is not listed is not acted upon.
    pub fn of(&self, listed: &[&Path]) -> Vec<PathBuf> {
        if self.folders.is_empty() {
            return Vec::new();
        }
        let chosen = listed.iter().filter(|folder| self.has(folder));
        chosen.map(|folder| folder.to_path_buf()).collect()
    }

    /// A click on a run with these keys held.
    pub fn click(&mut self, folder: &Path, listed: &[&Path], keys: Modifiers) {
        let place = |wanted: &Path| listed.iter().position(|listed| *listed == wanted);
        let from = self.anchor.as_deref().and_then(place);
        if let (true, Some(from), Some(to)) = (keys.shift, from, place(folder)) {
            self.changes += 1;
            if !keys.command {
                self.folders.clear();
            }
            for folder in &listed[from.min(to)..=from.max(to)] {
                self.add(folder);
            }
            return;
        }
        let alone = self.folders.len() == 1 && self.has(folder);
        if !keys.command && !alone {
            self.folders.clear();
        }
        self.toggle(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_choose_as_in_any_list() {
        let names: Vec<PathBuf> = ["a", "b", "c", "d"].iter().map(PathBuf::from).collect();
        let listed: Vec<&Path> = names.iter().map(PathBuf::as_path).collect();
        let mut chosen = Selection::default();
        let mut click = |at: usize, keys| {
            chosen.click(listed[at], &listed, keys);
            let of = chosen.of(&listed);
            of.iter()
                .map(|p| p.display().to_string())
                .collect::<String>()
        };
        assert_eq!(click(1, Modifiers::NONE), "b");
        assert_eq!(click(3, Modifiers::SHIFT), "bcd");
        assert_eq!(click(0, Modifiers::SHIFT), "ab");
        assert_eq!(click(3, Modifiers::COMMAND), "abd");
        assert_eq!(click(0, Modifiers::COMMAND), "bd");
        assert_eq!(click(2, Modifiers::NONE), "c");
        assert_eq!(click(2, Modifiers::NONE), "");
        chosen.set(names.clone());
        assert_eq!(chosen.of(&listed[..2]).len(), 2);
    }
}
