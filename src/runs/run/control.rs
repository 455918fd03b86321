//! Requests of the user to the running job: a switch that the front end sets, and that the job reads between two
//! batches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::job::JobId;

/// A request of the user to the running job.
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

/// A switch shared by the front end and the running job. It knows which job is running, so that a request for one job
/// cannot affect the next.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<Switch>>);

#[derive(Debug, Default)]
struct Switch {
    /// The running job, or the last one; `None` before the first job.
    job: Option<JobId>,
    wish: ControlRequest,
    /// Whether the request is for this job only.
    alone: bool,
}

impl Control {
    /// Requests that the running job continues, pauses or stops at the next batch.
    pub fn set(&self, wish: ControlRequest) {
        let mut switch = self.switch();
        (switch.wish, switch.alone) = (wish, false);
    }

    /// Makes a request for this job only; does nothing if another job is running.
    pub fn set_for(&self, job: JobId, wish: ControlRequest) {
        let mut switch = self.switch();
        if switch.job == Some(job) {
            (switch.wish, switch.alone) = (wish, true);
        }
    }

    /// Registers that a job starts. Requests to stop, and requests for the previous job only, are cleared; a pause for
    /// all jobs stays.
    pub fn begin(&self, job: JobId) {
        let mut switch = self.switch();
        switch.job = Some(job);
        if switch.wish == ControlRequest::Stop || std::mem::take(&mut switch.alone) {
            switch.wish = ControlRequest::Run;
        }
    }

    /// Returns the current request.
    pub fn request(&self) -> ControlRequest {
        self.switch().wish
    }

    fn switch(&self) -> MutexGuard<'_, Switch> {
        // A poisoned lock is used anyway, because a panic cannot leave these plain values inconsistent.
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
