//! Preview of a folder before a run learns it as an added task.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::views::Fetch;
use crate::experiment::{self, Found};
use crate::message;
use crate::problem::Problem;

/// The folder that was examined last, for a run, and its content.
#[derive(Default)]
pub struct Pupil {
    of: Option<(PathBuf, String)>,
    found: Fetch<Arc<Found>>,
}

impl Session {
    /// Examines the images at `source`, to show what the run in this folder would learn.
    pub fn look_at_lesson(&mut self, run: &Path, source: String) {
        let of = (run.to_path_buf(), source.clone());
        self.train.pupil.of = Some(of.clone());
        let Some(header) = self.header_of(run).cloned() else {
            let gone = Problem::new(message!("predict-problem-run-not-listed")).at_path(run);
            self.train.pupil.found = Fetch::Failed(gone);
            return;
        };
        self.train.pupil.found = Fetch::Busy;
        let after = self.finished_tasks(run);
        self.task(
            move |_| experiment::found(&header, after, &source, &|| true).map(Arc::new),
            move |session, found| {
                // Another folder may have been selected meanwhile.
                if session.train.pupil.of == Some(of) {
                    session.train.pupil.found.fill(found);
                }
            },
        );
    }

    /// Returns the place examined for the run in this folder, and its content; `None` if none was selected.
    pub fn lesson(&self, run: &Path) -> Option<(&str, &Fetch<Arc<Found>>)> {
        let (of, source) = self.train.pupil.of.as_ref()?;
        (of == run).then_some((source, &self.train.pupil.found))
    }

    /// Drops the preview.
    pub fn leave_lesson(&mut self) {
        self.train.pupil = Pupil::default();
    }
}
