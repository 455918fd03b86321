//! What a person wants of the job at work: a switch that the front end sets and the job reads
//! between two batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::event::{Event, Phase, Sink};
use super::job::JobId;

/// What a person wants of the running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Go on.
    Run,
    /// Wait between two batches.
    Pause,
    /// Save and end.
    Stop,
}

/// A switch shared by the front end and the running job. It knows which job is at work, so that a
/// wish for one cannot hit the next.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<AtomicU64>);

/// Bits of the switch that hold the wish; the others hold the job.
const WISH: u64 = 0b11;

impl Control {
    /// Lets the job at work run, pause or stop at the next batch.
    pub fn set(&self, wish: Wish) {
        self.change(|state| Some(state & !WISH | wish as u64));
    }

    /// The same, unless another job is at work than this one.
    pub fn set_for(&self, job: JobId, wish: Wish) {
        let mine = job.number() << 2;
        self.change(|state| (state & !WISH == mine).then_some(mine | wish as u64));
    }

    /// A job goes to work. A wish to stop was meant for the one before; a pause stays.
    pub fn begin(&self, job: JobId) {
        let stays = |state: u64| match state & WISH {
            stop if stop == Wish::Stop as u64 => Wish::Run as u64,
            other => other,
        };
        self.change(|state| Some(job.number() << 2 | stays(state)));
    }

    fn change(&self, new: impl Fn(u64) -> Option<u64>) {
        // An error says that nothing was to be changed.
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, new);
    }

    /// The present wish.
    pub fn wish(&self) -> Wish {
        match self.0.load(Ordering::Acquire) & WISH {
            0 => Wish::Run,
            1 => Wish::Pause,
            _ => Wish::Stop,
        }
    }

    /// The gate between two batches: serves short jobs, waits while paused (telling so once), and
    /// says whether to go on.
    pub fn gate(&self, run: &str, sink: &mut dyn Sink, resumed: &Phase) -> bool {
        sink.between_batches();
        let mut told = false;
        loop {
            match self.wish() {
                Wish::Stop => return false,
                Wish::Run => {
                    if told {
                        let (run, phase) = (run.to_string(), resumed.clone());
                        sink.event(Event::Phase { run, phase });
                    }
                    return true;
                }
                Wish::Pause => {
                    if !told {
                        let (run, phase) = (run.to_string(), Phase::Paused);
                        sink.event(Event::Phase { run, phase });
                        told = true;
                    }
                    std::thread::sleep(Duration::from_millis(20));
                    sink.between_batches();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_waits_while_paused_and_tells_both_ends() {
        let control = Control::default();
        control.set(Wish::Pause);
        let other = control.clone();
        let resume = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            other.set(Wish::Run);
        });
        let mut events = Vec::new();
        let phase = Phase::Evaluating { task: 1 };
        assert!(control.gate("r", &mut events, &phase));
        assert!(resume.join().is_ok());
        let run = "r".to_string();
        let paused = Event::Phase {
            run: run.clone(),
            phase: Phase::Paused,
        };
        assert_eq!(events, vec![paused, Event::Phase { run, phase }]);
        control.set(Wish::Stop);
        assert!(!control.gate("r", &mut events, &Phase::Paused));
    }

    #[test]
    fn a_wish_to_stop_hits_its_own_job_only_and_a_pause_stays() {
        let control = Control::default();
        let (first, second) = (JobId::fresh(), JobId::fresh());
        control.begin(first);
        control.set_for(second, Wish::Stop);
        assert_eq!(control.wish(), Wish::Run);
        control.set_for(first, Wish::Stop);
        assert_eq!(control.wish(), Wish::Stop);
        control.begin(second);
        assert_eq!(control.wish(), Wish::Run);
        control.set(Wish::Pause);
        control.begin(first);
        assert_eq!(control.wish(), Wish::Pause);
    }
}
