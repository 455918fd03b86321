//! What the last window left: the run that was at work, and of one that crashed the settings and folders, which are not
//! opened again unasked.

use std::collections::HashSet;
use std::path::PathBuf;

use super::Session;
use super::grids::Several;
use super::units::same_settings;
use super::views::{RunRow, RunState};
use crate::run::config::RunConfig;

/// What the last window left.
#[derive(Default)]
pub struct Former {
    /// Whether it crashed.
    pub crashed: bool,
    /// The settings of a window that crashed, until the person takes them up or drops them.
    pub config: Option<RunConfig>,
    /// The settings of that window that had several values.
    pub several: Several,
    /// The folders of runs of that window, just so.
    pub folders: Vec<PathBuf>,
    /// The run that was at work when it was closed, until the person decides about it.
    pub interrupted: Option<PathBuf>,
}

impl Former {
    /// Whether something of a window that crashed waits for the person's word.
    pub fn waits(&self) -> bool {
        self.config.is_some() || !self.several.is_empty() || !self.folders.is_empty()
    }

    /// Forgets the settings and folders of a window that crashed. Whether to go on with a run is another question.
    pub fn forget(&mut self) {
        self.config = None;
        self.several = Several::default();
        self.folders.clear();
    }
}

impl Session {
    /// Opens the folders of the window that crashed.
    pub fn open_former_folders(&mut self) {
        let mut paths = self.compare.folders.paths();
        let mut known: HashSet<PathBuf> = paths.iter().cloned().collect();
        let former = std::mem::take(&mut self.former.folders).into_iter();
        paths.extend(former.filter(|path| known.insert(path.clone())));
        self.open_folders(&paths);
    }

    /// The run that the last window was closed on, while it can be gone on with.
    pub fn to_go_on_with(&self) -> Option<&RunRow> {
        let row = self.row(self.former.interrupted.as_ref()?)?;
        matches!(row.state, RunState::Unfinished(_)).then_some(row)
    }

    /// Asks no more about settings that are set up by now, or that the run to go on with has.
    pub fn settle_former(&mut self) {
        let Some(former) = &self.former.config else {
            return;
        };
        let interrupted = self.to_go_on_with();
        let run = interrupted.and_then(|row| row.header.as_ref());
        if self.former.several != self.experiment.grid.several {
            return;
        }
        if *former == self.experiment.draft
            || run.is_some_and(|run| same_settings(&run.config, former))
        {
            self.former.config = None;
            self.former.several = Several::default();
        }
    }
}
