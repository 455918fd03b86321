//! The runs that Train shows: the one at work, or a stored one that was opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::run_view::RunView;
use crate::problem::Result;

impl Session {
    /// Opens a stored run on Train; of several asked for the last one counts.
    pub fn open_run(&mut self, folder: PathBuf) {
        self.awaited = Some(folder.clone());
        let asked = folder.clone();
        self.task(
            move |sources| sources.run(&folder),
            move |session, run| session.take_opened(&asked, run),
        );
    }

    fn take_opened(&mut self, folder: &Path, run: Result<RunView>) {
        if self.awaited.as_deref() != Some(folder) {
            return;
        }
        match run {
            Ok(run) => self.opened = Some(Arc::new(run)),
            Err(problem) => self.take_unopened(folder, problem),
        }
    }
}
