//! When the run on Predict says "none of these".

use std::path::Path;

use super::Session;
use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::run::refusal::Refusal;

impl Session {
    /// When an expert of a run says "none of these" after a task (from 0), and how often it does; none
    /// while that is not known.
    pub fn refusal(&self, run: &Path, task: usize, expert: Expert) -> Option<Refusal> {
        let measurements = match self.train.run_in(run) {
            Some(view) => view.reports.get(task).map(|report| &report.measurements),
            None => self.row(run).and_then(|row| row.measurements.get(task)),
        };
        let inside = self.predict.insides.run(run, task);
        let probe = inside.and_then(|inside| inside.probe.as_ref());
        Refusal::of(measurements, probe, expert)
    }

    /// Whose answer is that of the run in this folder; none where it is neither open nor listed.
    pub(super) fn answering(&self, run: &Path) -> Option<Expert> {
        self.header_of(run).map(RunHeader::answering)
    }

    /// Has the run on Predict looked into, to count what it refuses. That takes hundreds of pictures
    /// through the network, so it waits for a person to ask.
    pub fn count_refusals(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let done = self.finished_tasks(&run);
        if done > 0 && self.weights_elsewhere(&run).is_none() {
            self.look_into_run(&run, done);
        }
    }
}
