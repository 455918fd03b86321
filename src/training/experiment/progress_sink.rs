//! A sink for a run that is part of other work: it reports progress as one line.

use std::time::{Duration, Instant};

use super::preparing_event;
use crate::message;
use crate::run::event::{Control, ControlRequest, Event, Phase, Sink};
use crate::texts::{Message, Words};

/// Reports a run's progress as one line, and passes the user's commands on to the run.
pub(super) struct ProgressSink<'a> {
    sink: &'a mut dyn Sink,
    /// What is being done; `None` during the preparation.
    what: Option<Message>,
    /// Control of the run.
    pub run_control: Control,
    pub user_control: Option<&'a Control>,
    started: Instant,
    /// When the current pause began; `paused` is the total of earlier pauses.
    pause_started: Option<Instant>,
    pub paused: Duration,
    /// Completed share of the training.
    pub done: f64,
    /// The loss of every step so far.
    pub losses: Vec<f32>,
}

impl<'a> ProgressSink<'a> {
    pub fn new(sink: &'a mut dyn Sink, what: Option<Message>) -> Self {
        Self {
            sink,
            what,
            run_control: Control::default(),
            user_control: None,
            started: Instant::now(),
            pause_started: None,
            paused: Duration::ZERO,
            done: 0.0,
            losses: Vec::new(),
        }
    }

    /// Returns how long the run has worked, without pauses.
    pub fn working_time(&self) -> Duration {
        let current_pause = self.pause_started.map_or(Duration::ZERO, |since| since.elapsed());
        self.started.elapsed().saturating_sub(self.paused + current_pause)
    }

    /// Passes the user's request to stop or pause on to the run, and measures pauses.
    fn forward_control(&mut self, request: ControlRequest) {
        match (request, self.pause_started) {
            (ControlRequest::Pause, None) => self.pause_started = Some(Instant::now()),
            (ControlRequest::Run | ControlRequest::Stop, Some(since)) => {
                self.paused += since.elapsed();
                self.pause_started = None;
            }
            _ => {}
        }
        if self.run_control.request() != request {
            self.run_control.set(request);
        }
    }

    /// Reports what is being done, with a detail.
    pub fn report(&mut self, detail: Option<Words>) {
        let words = match (self.what.clone(), detail) {
            (None, None) => return,
            (None, Some(detail)) => detail,
            (Some(what), None) => what.into(),
            (Some(what), Some(more)) => message!("doing-with-detail", what, more).into(),
        };
        self.sink.event(preparing_event(words));
    }
}

impl Sink for ProgressSink<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Phase { phase: Phase::Preparing(what), .. } => self.report(Some(what)),
            Event::Progress { progress, .. } => {
                self.losses.extend(&progress.losses);
                self.done = progress.done;
                let done = format!("{:.0}\u{a0}%", self.done * 100.0);
                self.report(Some(done.into()));
            }
            Event::Phase { phase: Phase::Paused, .. } => {
                self.sink.event(Event::Phase { run: String::new(), phase: Phase::Paused });
            }
            _ => {}
        }
    }

    fn between_batches(&mut self) {
        self.sink.between_batches();
        if let Some(user_control) = self.user_control {
            self.forward_control(user_control.request());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_forwarded_and_not_counted() {
        let mut events: Vec<Event> = Vec::new();
        let user_control = Control::default();
        let mut progress = ProgressSink::new(
            &mut events,
            Some(message!("doing-trying-method", title = "LAE", number = 1_usize, of = 2_usize)),
        );
        progress.user_control = Some(&user_control);
        user_control.set(ControlRequest::Pause);
        progress.between_batches();
        assert_eq!(progress.run_control.request(), ControlRequest::Pause);
        progress.event(Event::Phase { run: "r".into(), phase: Phase::Paused });
        std::thread::sleep(Duration::from_millis(80));
        assert!(progress.working_time() < Duration::from_millis(60));
        user_control.set(ControlRequest::Run);
        progress.between_batches();
        assert_eq!(progress.run_control.request(), ControlRequest::Run);
        assert!(progress.paused >= Duration::from_millis(80));
        user_control.set(ControlRequest::Stop);
        progress.between_batches();
        assert_eq!(progress.run_control.request(), ControlRequest::Stop);
        let paused = Event::Phase { run: String::new(), phase: Phase::Paused };
        assert_eq!(events, [paused]);
    }
}
