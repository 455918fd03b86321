//! A run that is trained in passing: it says in one line what it does, and ends when it takes too long.

use std::time::Instant;

use crate::run::event::{Control, Event, Phase, Sink, Wish};

/// Hands on what a run does as one line; ends it when the person wants that, and when it takes too long.
pub(super) struct Quiet<'a> {
    sink: &'a mut dyn Sink,
    /// What is being done; empty while it is prepared.
    what: String,
    /// What the run hears.
    pub run: Control,
    pub person: Option<&'a Control>,
    began: Instant,
    /// Seconds after which it is stopped.
    patience: f64,
    /// Whether it was.
    pub late: bool,
    /// The loss of every step so far.
    pub losses: Vec<f32>,
}

impl<'a> Quiet<'a> {
    pub fn new(sink: &'a mut dyn Sink, what: &str, patience: f64) -> Self {
        Self {
            sink,
            what: what.to_string(),
            run: Control::default(),
            person: None,
            began: Instant::now(),
            patience,
            late: false,
            losses: Vec::new(),
        }
    }

    /// Says what is being done.
    pub fn tell(&mut self, more: &str) {
        let words = match (self.what.as_str(), more) {
            ("", more) => more.to_string(),
            (what, "") => what.to_string(),
            (what, more) => format!("{what}: {more}"),
        };
        self.sink.event(Event::Phase {
            run: String::new(),
            phase: Phase::Preparing(words),
        });
    }
}

impl Sink for Quiet<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Phase {
                phase: Phase::Preparing(what),
                ..
            } => self.tell(&what),
            Event::Progress { progress, .. } => {
                self.losses.extend(&progress.losses);
                let done = progress.done * 100.0;
                self.tell(&format!("{done:.0} %"));
            }
            _ => {}
        }
    }

    fn between_batches(&mut self) {
        if self.began.elapsed().as_secs_f64() > self.patience {
            self.late = true;
            self.run.set(Wish::Stop);
        }
        if self
            .person
            .is_some_and(|person| person.wish() == Wish::Stop)
        {
            self.run.set(Wish::Stop);
        }
        self.sink.between_batches();
    }
}
