//! How far a long task is, for the window to show, and whether it is to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::message;
use crate::texts::{Message, Value};

/// How far a long task is, such as the opening of a data set; shared by the thread that does it and the window.
#[derive(Debug, Default)]
pub struct Progress {
    words: Mutex<Option<Message>>,
    stop: AtomicBool,
}

impl Progress {
    /// Notes what is done; false when it is to stop.
    pub fn step(&self, doing: impl Into<Value>, done: usize, of: Option<usize>) -> bool {
        *self.message() = Some(match of {
            Some(of) => message!("count-step-of", doing = doing, done = done, of = of),
            None => message!("count-step", doing = doing, done = done),
        });
        !self.is_stopped()
    }

    /// What is done now; empty at the beginning.
    pub fn words(&self) -> String {
        let words = self.message().as_ref().map(Message::said);
        words.unwrap_or_default()
    }

    /// Stops it: nobody waits for it any more.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn message(&self) -> MutexGuard<'_, Option<Message>> {
        // It is whole whenever the lock is free.
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
