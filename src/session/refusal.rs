//! The rejections ("none of these") of the run on Predict.

use std::path::Path;

use super::Session;
use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::run::refusal::Refusal;

impl Session {
    /// Returns when an expert of a run rejects an image after a task (from 0), and how often; `None` if this is not
    /// known.
    pub fn refusal(&self, run: &Path, task: usize, expert: Expert) -> Option<Refusal> {
        let measurements = match self.train.run_in(run) {
            Some(view) => view.reports.get(task).map(|report| &report.measurements),
            None => self.row(run).and_then(|row| row.measurements.get(task)),
        };
        let inside = self.predict.insides.run(run, task);
        let probe = inside.and_then(|inside| inside.probe.as_ref());
        Refusal::of(measurements, probe, expert)
    }

    /// Returns the expert that gives the answers of the run in this folder; `None` if the run is neither open nor
    /// listed.
    pub(super) fn answering(&self, run: &Path) -> Option<Expert> {
        self.header_of(run).map(RunHeader::answering)
    }

    /// Counts the rejections of the run on Predict by Look inside. Only on request, because hundreds of images must
    /// pass through the network.
    pub fn count_refusals(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let done = self.finished_tasks(&run);
        if done > 0 && self.weights_elsewhere(&run).is_none() {
            self.request_run_inside(&run, done);
        }
    }
}
