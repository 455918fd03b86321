//! What a job receives and reports between two batches.

use super::EngineState;
use crate::run::about::About;
use crate::run::event::{ControlRequest, Event, RunHeader, Sink};
use crate::run::job::{Job, JobId};
use crate::store::set_about;

/// What a running job sees of the engine: a place for its events, and short jobs in between.
pub(super) struct JobSink<'a> {
    pub state: &'a mut EngineState,
    pub job: JobId,
    /// What its new run is called from the beginning; empty where it has no name.
    pub name: &'a str,
    /// The name of its run, once it has one.
    pub run: String,
}

impl JobSink<'_> {
    /// Gives the run its name; a run without it is as good.
    fn give_name(&self, header: &mut RunHeader) {
        if self.name.is_empty() || !header.about.name.is_empty() {
            return;
        }
        let about = About {
            name: self.name.to_string(),
            ..header.about.clone()
        };
        match set_about(&header.folder, &about) {
            Ok(about) => header.about = about,
            Err(problem) => log::warn!("{problem}"),
        }
    }

    /// One of several runs of the job failed: what is on its device may be no use to the next one.
    pub fn failed(&mut self) {
        self.state.let_go();
    }
}

impl Sink for JobSink<'_> {
    fn event(&mut self, mut event: Event) {
        if let Event::Started(header) = &mut event {
            self.give_name(header);
            self.run.clone_from(&header.run);
            // From here on its folder knows of it.
            let whole = self.state.pending.as_ref().is_some_and(Job::is_whole_alone);
            if !whole {
                self.state.pending = None;
                self.state.keep();
            }
        }
        self.state.tell(Some(self.job), event);
    }

    fn between_batches(&mut self) {
        self.state.take_in();
        if self.state.ending {
            self.state.control.set(ControlRequest::Stop);
        }
        // One piece per batch keeps training moving while a slider is played.
        self.state.serve_one();
    }
}
