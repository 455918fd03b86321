//! How far a long task is, for the window to show, and whether it is to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tr;

/// How far a long task is, such as the opening of a data set; shared by the thread that does it and the window.
#[derive(Debug, Default)]
pub struct Progress {
    words: Mutex<String>,
    stop: AtomicBool,
}

impl Progress {
    /// Notes what is done; false when it is to stop.
    pub fn step(&self, doing: &str, done: usize, of: Option<usize>) -> bool {
        *self.text() = match of {
            Some(of) => tr!("count-step-of", doing = doing, done = done, of = of),
            None => tr!("count-step", doing = doing, done = done),
        };
        !self.is_stopped()
    }

    /// What is done now; empty at the beginning.
    pub fn words(&self) -> String {
        self.text().clone()
    }

    /// Stops it: nobody waits for it any more.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn text(&self) -> MutexGuard<'_, String> {
        // A text is whole whenever the lock is free.
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
