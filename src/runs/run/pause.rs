//! The point between two batches at which a job stops or pauses at the user's request.

use std::time::Duration;

use super::control::{Control, ControlRequest};
use super::event::{Event, Phase, Sink};

impl Control {
    /// Serves short jobs, waits while the job is paused (reporting it once), and returns whether to continue; false
    /// means stop.
    pub fn gate(&self, run: &str, sink: &mut dyn Sink, resumed: &Phase) -> bool {
        sink.between_batches();
        let mut told = false;
        loop {
            match self.request() {
                ControlRequest::Stop => return false,
                ControlRequest::Run => {
                    if told {
                        let (run, phase) = (run.to_string(), resumed.clone());
                        sink.event(Event::Phase { run, phase });
                    }
                    return true;
                }
                ControlRequest::Pause => {
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
        control.set(ControlRequest::Pause);
        let other = control.clone();
        let resume = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            other.set(ControlRequest::Run);
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
        control.set(ControlRequest::Stop);
        assert!(!control.gate("r", &mut events, &Phase::Paused));
    }
}
