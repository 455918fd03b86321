//! What was found in the folder that a run is to be taught, before it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::views::Fetch;
use crate::experiment::Found;
use crate::message;
use crate::problem::Problem;

/// The folder that was looked at last, for a run, and what was found there.
#[derive(Default)]
pub struct Pupil {
    of: Option<(PathBuf, String)>,
    found: Fetch<Arc<Found>>,
}

impl Session {
    /// Looks at the pictures at `source`, so that it is seen what the run in this folder would be taught.
    pub fn look_at_lesson(&mut self, run: &Path, source: String) {
        let of = (run.to_path_buf(), source.clone());
        self.train.pupil.of = Some(of.clone());
        let Some(header) = self.header_of(run).cloned() else {
            let gone = Problem::new(message!("predict-problem-unlisted")).at_path(run);
            self.train.pupil.found = Fetch::Failed(gone);
            return;
        };
        self.train.pupil.found = Fetch::Busy;
        let after = self.finished_tasks(run);
        self.task(
            move |sources| sources.found(&header, after, &source).map(Arc::new),
            move |session, found| {
                // Another folder may have been chosen meanwhile.
                if session.train.pupil.of == Some(of) {
                    session.train.pupil.found.fill(found);
                }
            },
        );
    }

    /// The place that was looked at for the run in this folder, and what was found there; none where nobody chose one.
    pub fn lesson(&self, run: &Path) -> Option<(&str, &Fetch<Arc<Found>>)> {
        let (of, source) = self.train.pupil.of.as_ref()?;
        (of == run).then_some((source, &self.train.pupil.found))
    }

    /// Nothing is to be taught any more.
    pub fn leave_lesson(&mut self) {
        self.train.pupil = Pupil::default();
    }
}
