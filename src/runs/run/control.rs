//! What the user requests of the running job: a switch that the front end sets and the job reads
//! between two batches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::job::JobId;

/// What the user requests of the running job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ControlRequest {
    /// Continue.
    #[default]
    Run,
    /// Wait between two batches.
    Pause,
    /// Save and end.
    Stop,
}

/// A switch shared by the front end and the running job. It knows which job is at work, so that a
/// wish for one cannot hit the next.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<Switch>>);

#[derive(Debug, Default)]
struct Switch {
    /// The job at work, or the last one; none before the first.
    job: Option<JobId>,
    wish: ControlRequest,
    /// Whether the wish was for that job alone.
    alone: bool,
}

impl Control {
    /// Lets the job at work run, pause or stop at the next batch.
    pub fn set(&self, wish: ControlRequest) {
        let mut switch = self.switch();
        (switch.wish, switch.alone) = (wish, false);
    }

    /// The same for this job alone, and nothing where another one is at work.
    pub fn set_for(&self, job: JobId, wish: ControlRequest) {
        let mut switch = self.switch();
        if switch.job == Some(job) {
            (switch.wish, switch.alone) = (wish, true);
        }
    }

    /// A job goes to work. A wish to stop, or for the one before alone, was not meant for it; a pause of all stays.
    pub fn begin(&self, job: JobId) {
        let mut switch = self.switch();
        switch.job = Some(job);
        if switch.wish == ControlRequest::Stop || std::mem::take(&mut switch.alone) {
            switch.wish = ControlRequest::Run;
        }
    }

    /// The present wish.
    pub fn request(&self) -> ControlRequest {
        self.switch().wish
    }

    fn switch(&self) -> MutexGuard<'_, Switch> {
        // Both fields are plain values: they are whole whenever the lock is free.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_to_stop_hits_its_own_job_only_and_a_pause_stays() {
        let control = Control::default();
        let (first, second) = (JobId::fresh(), JobId::fresh());
        control.begin(first);
        control.set_for(second, ControlRequest::Stop);
        assert_eq!(control.request(), ControlRequest::Run);
        control.set_for(first, ControlRequest::Stop);
        assert_eq!(control.request(), ControlRequest::Stop);
        control.begin(second);
        assert_eq!(control.request(), ControlRequest::Run);
        control.set(ControlRequest::Pause);
        control.begin(first);
        assert_eq!(control.request(), ControlRequest::Pause);
        control.set_for(first, ControlRequest::Pause);
        control.begin(second);
        assert_eq!(control.request(), ControlRequest::Run);
    }
}
