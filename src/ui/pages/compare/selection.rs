//! The listed runs and the selection: a click selects a run, with Ctrl it adds a run, with Shift it selects a range.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use egui::Modifiers;

use crate::session::views::{Rows, RunRow};

/// The listed runs, in the order of the list.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) rows: &'a Rows,
    /// The indices of the listed runs among all runs.
    pub(super) indices: &'a [usize],
}

impl<'a> Listed<'a> {
    pub(super) fn row(self, index: usize) -> &'a RunRow {
        &self.rows[self.indices[index]]
    }

    pub(super) fn rows(self) -> impl Iterator<Item = &'a RunRow> {
        self.indices.iter().map(|index| &*self.rows[*index])
    }

    pub(super) fn folders(self) -> Vec<&'a Path> {
        self.rows().map(|row| row.folder.as_path()).collect()
    }
}

/// The selection of runs.
#[derive(Default)]
pub struct Selection {
    /// The selected runs, each with the number of runs that were selected before it.
    folders: HashMap<PathBuf, usize>,
    /// Number of runs selected since the selection was last empty.
    count: usize,
    /// The run at which a range starts.
    anchor: Option<PathBuf>,
    /// Number of changes of the selection.
    changes: u64,
}

impl Selection {
    /// Returns whether this run is selected.
    pub fn contains(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    /// Returns the number of runs that were selected before this run; `None` if this run is not selected.
    pub fn position(&self, folder: &Path) -> Option<usize> {
        self.folders.get(folder).copied()
    }

    /// Returns the number of changes of the selection.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Selects exactly these runs, in this order.
    pub fn set(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.folders = folders.into_iter().zip(0..).collect();
        self.count = self.folders.len();
        self.anchor = None;
        self.changes += 1;
    }

    /// Adds this run to the selection or removes it.
    pub fn toggle(&mut self, folder: &Path) {
        self.anchor = Some(folder.to_path_buf());
        self.changes += 1;
        if self.folders.remove(folder).is_none() {
            self.add(folder);
        }
    }

    /// Removes these runs from the selection.
    pub fn remove(&mut self, folders: &[PathBuf]) {
        self.changes += 1;
        for folder in folders {
            self.folders.remove(folder);
        }
    }

    fn add(&mut self, folder: &Path) {
        let entry = self.folders.entry(folder.to_path_buf());
        entry.or_insert(self.count);
        self.count += 1;
    }

    /// Returns the selected runs among the listed ones, in the order of the list. Actions do not apply to runs that are
    /// not listed.
    pub fn selected_in(&self, listed: &[&Path]) -> Vec<PathBuf> {
        if self.folders.is_empty() {
            return Vec::new();
        }
        let selected = listed.iter().filter(|folder| self.contains(folder));
        selected.map(|folder| folder.to_path_buf()).collect()
    }

    /// Handles a click on a run with these modifier keys. `listed` are the listed runs in order.
    pub fn click(&mut self, folder: &Path, listed: &[&Path], keys: Modifiers) {
        let index_of = |target: &Path| listed.iter().position(|listed| *listed == target);
        let from = self.anchor.as_deref().and_then(index_of);
        if let (true, Some(from), Some(to)) = (keys.shift, from, index_of(folder)) {
            self.changes += 1;
            if !keys.command {
                self.folders.clear();
            }
            for folder in &listed[from.min(to)..=from.max(to)] {
                self.add(folder);
            }
            return;
        }
        let is_only_selection = self.folders.len() == 1 && self.contains(folder);
        if !keys.command && !is_only_selection {
            self.folders.clear();
        }
        self.toggle(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn click_selects_runs() {
        let names: Vec<PathBuf> = ["a", "b", "c", "d"].iter().map(PathBuf::from).collect();
        let listed: Vec<&Path> = names.iter().map(PathBuf::as_path).collect();
        let mut selection = Selection::default();
        let mut click = |index: usize, keys| {
            selection.click(listed[index], &listed, keys);
            let selected = selection.selected_in(&listed);
            selected.iter().map(|p| p.display().to_string()).collect::<String>()
        };
        assert_eq!(click(1, Modifiers::NONE), "b");
        assert_eq!(click(3, Modifiers::SHIFT), "bcd");
        assert_eq!(click(0, Modifiers::SHIFT), "ab");
        assert_eq!(click(3, Modifiers::COMMAND), "abd");
        assert_eq!(click(0, Modifiers::COMMAND), "bd");
        assert_eq!(click(2, Modifiers::NONE), "c");
        assert_eq!(click(2, Modifiers::NONE), "");
        selection.set(names.clone());
        assert_eq!(selection.selected_in(&listed[..2]).len(), 2);
    }
}
