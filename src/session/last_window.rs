//! State of the last window: the run in progress and, after a crash, the settings and folders, which are reopened only
//! if the user requests it.

use std::collections::HashSet;
use std::path::PathBuf;

use super::Session;
use super::grids::VaryingSettings;
use super::lessons::same_settings;
use super::views::{RunRow, RunState};
use crate::run::config::RunConfig;

/// State of the last window.
#[derive(Default)]
pub struct LastWindow {
    /// Whether the last window crashed.
    pub crashed: bool,
    /// The settings of a crashed window, until the user restores or discards them.
    pub config: Option<RunConfig>,
    /// The settings with several values of a crashed window.
    pub varying: VaryingSettings,
    /// The folders of runs of a crashed window.
    pub folders: Vec<PathBuf>,
    /// The run in progress when the last window was closed, until the user decides about it.
    pub interrupted: Option<PathBuf>,
}

impl LastWindow {
    /// Returns whether the user must still decide about the state of a crashed window.
    pub fn is_pending(&self) -> bool {
        self.config.is_some() || !self.varying.is_empty() || !self.folders.is_empty()
    }

    /// Discards the settings and folders of a crashed window, but not the interrupted run.
    pub fn discard(&mut self) {
        self.config = None;
        self.varying = VaryingSettings::default();
        self.folders.clear();
    }
}

impl Session {
    /// Opens the folders of the crashed window in addition to the open ones.
    pub fn open_former_folders(&mut self) {
        let mut paths = self.compare.folders.paths();
        let mut unique: HashSet<PathBuf> = paths.iter().cloned().collect();
        let former = std::mem::take(&mut self.former.folders).into_iter();
        paths.extend(former.filter(|path| unique.insert(path.clone())));
        self.open_folders(&paths);
    }

    /// Returns the interrupted run, if it can be resumed.
    pub fn resumable_run(&self) -> Option<&RunRow> {
        let row = self.row(self.former.interrupted.as_ref()?)?;
        matches!(row.state, RunState::Unfinished(_)).then_some(row)
    }

    /// Discards the settings of a crashed window if they equal the current ones or those of the run to resume.
    pub fn discard_redundant_settings(&mut self) {
        let Some(former) = &self.former.config else {
            return;
        };
        let interrupted = self.resumable_run();
        let run = interrupted.and_then(|row| row.header.as_ref());
        if self.former.varying != self.experiment.grid.varying {
            return;
        }
        if *former == self.experiment.draft
            || run.is_some_and(|run| same_settings(&run.config, former))
        {
            self.former.config = None;
            self.former.varying = VaryingSettings::default();
        }
    }
}
