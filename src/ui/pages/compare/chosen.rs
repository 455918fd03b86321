//! The runs of the list, and which of them are chosen, to do something with all of them: by click, with Ctrl one more,
//! with Shift all up to there.

use std::collections::HashSet;
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
    folders: HashSet<PathBuf>,
    /// Where a range begins.
    anchor: Option<PathBuf>,
}

impl Selection {
    /// Whether this run is chosen.
    pub fn has(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Whether none is chosen.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Chooses none.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Chooses all of these and no others.
    pub fn all(&mut self, listed: &[&Path]) {
        self.folders = listed.iter().map(|folder| folder.to_path_buf()).collect();
    }

    /// The chosen ones among these, in their order. What is not listed is not acted upon.
    pub fn of(&self, listed: &[&Path]) -> Vec<PathBuf> {
        let chosen = listed.iter().filter(|folder| self.has(folder));
        chosen.map(|folder| folder.to_path_buf()).collect()
    }

    /// A click on a run with these keys held.
    pub fn click(&mut self, folder: &Path, listed: &[&Path], keys: Modifiers) {
        let place = |wanted: &Path| listed.iter().position(|listed| *listed == wanted);
        let from = self.anchor.as_deref().and_then(place);
        if let (true, Some(from), Some(to)) = (keys.shift, from, place(folder)) {
            if !keys.command {
                self.folders.clear();
            }
            let range = &listed[from.min(to)..=from.max(to)];
            self.folders
                .extend(range.iter().map(|folder| folder.to_path_buf()));
            return;
        }
        self.anchor = Some(folder.to_path_buf());
        let alone = self.folders.len() == 1 && self.has(folder);
        if keys.command {
            if !self.folders.remove(folder) {
                self.folders.insert(folder.to_path_buf());
            }
        } else {
            self.folders.clear();
            if !alone {
                self.folders.insert(folder.to_path_buf());
            }
        }
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
        chosen.all(&listed);
        assert_eq!(chosen.of(&listed[..2]).len(), 2);
    }
}
