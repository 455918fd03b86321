//! What a job hears and says between two batches.

use super::EngineState;
use crate::run::event::{Event, Sink, Wish};
use crate::run::job::{Job, JobId};

/// What a running job sees of the engine: a place for its events, and short jobs in between.
pub(super) struct JobSink<'a> {
    pub state: &'a mut EngineState,
    pub job: JobId,
    /// The name of its run, once it has one.
    pub run: String,
}

impl JobSink<'_> {
    /// One of several runs of the job failed: what lies on its device may be no use to the next one.
    pub fn failed(&mut self) {
        self.state.let_go();
    }
}

impl Sink for JobSink<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Started(header) = &event {
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
            self.state.control.set(Wish::Stop);
        }
        // One piece per batch keeps training moving while a slider is played.
        self.state.serve_one();
    }
}
