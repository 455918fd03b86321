//! The sink of a job: reports its events, and serves other requests between two batches.

use super::EngineState;
use crate::run::annotations::Annotations;
use crate::run::event::{ControlRequest, Event, RunHeader, Sink};
use crate::run::job::{Job, JobId};
use crate::store::set_annotations;

/// The connection of a running job to the engine.
pub(super) struct JobSink<'a> {
    pub state: &'a mut EngineState,
    pub job: JobId,
    /// The name for its new run; empty if it has none.
    pub name: &'a str,
    /// The folder name of its run, once it exists.
    pub run: String,
}

impl JobSink<'_> {
    /// Gives the run its name. A failure is only logged, since the run does not depend on it.
    fn set_run_name(&self, header: &mut RunHeader) {
        if self.name.is_empty() || !header.about.name.is_empty() {
            return;
        }
        let about = Annotations { name: self.name.to_string(), ..header.about.clone() };
        match set_annotations(&header.folder, &about) {
            Ok(about) => header.about = about,
            Err(problem) => log::warn!("{problem}"),
        }
    }

    /// Drops everything on the device after one of several runs of the job failed, because it may be unusable.
    pub fn handle_run_failure(&mut self) {
        self.state.release_devices();
    }
}

impl Sink for JobSink<'_> {
    fn event(&mut self, mut event: Event) {
        if let Event::Started(header) = &mut event {
            self.set_run_name(header);
            self.run.clone_from(&header.run);
            // From now on the folder of the run records the job.
            let restarts = self.state.pending.as_ref().is_some_and(Job::restarts_from_scratch);
            if !restarts {
                self.state.pending = None;
                self.state.save_queue();
            }
        }
        self.state.send_event(Some(self.job), event);
    }

    fn between_batches(&mut self) {
        self.state.handle_messages();
        if self.state.is_shutting_down {
            self.state.control.set(ControlRequest::Stop);
        }
        // Only one piece per batch, so that training continues while the user moves a slider.
        self.state.serve_next_request();
    }
}
