//! The seam between the session and the engine, so that recorded events can stand in for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::run::event::{Command, Control, Event, Wish};

/// Whatever trains and predicts: takes commands, tells events, never makes the caller wait.
pub trait Backend {
    /// Hands a command over.
    fn send(&mut self, command: Command);
    /// The next event, if one is there.
    fn try_recv(&mut self) -> Option<Event>;
    /// What the person wants of the running job.
    fn wish(&self, wish: Wish);
}

/// A backend that plays recorded events back and remembers what it was asked.
#[derive(Clone, Default)]
pub struct Recorded {
    events: Arc<Mutex<VecDeque<Event>>>,
    asked: Arc<Mutex<Vec<Command>>>,
    control: Control,
}

impl Recorded {
    /// Adds an event to be told.
    pub fn push(&self, event: Event) {
        if let Ok(mut events) = self.events.lock() {
            events.push_back(event);
        }
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Command> {
        self.asked
            .lock()
            .map(|asked| asked.clone())
            .unwrap_or_default()
    }

    /// The person's present wish.
    pub fn wished(&self) -> Wish {
        self.control.wish()
    }
}

impl Backend for Recorded {
    fn send(&mut self, command: Command) {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(command);
        }
    }

    fn try_recv(&mut self) -> Option<Event> {
        self.events.lock().ok()?.pop_front()
    }

    fn wish(&self, wish: Wish) {
        self.control.set(wish);
    }
}
