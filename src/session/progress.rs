//! Progress of a long task for the window, with a flag that stops the task.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::message;
use crate::sync::lock;
use crate::texts::{Message, Value};

/// Progress of a long task such as opening a dataset. The task's thread and the window share it.
#[derive(Debug, Default)]
pub struct Progress {
    message: Mutex<Option<Message>>,
    stop: AtomicBool,
}

impl Progress {
    /// Records the progress. Returns `false` if the task must stop.
    pub fn step(&self, doing: impl Into<Value>, done: usize, of: Option<usize>) -> bool {
        *lock(&self.message) = Some(match of {
            Some(of) => message!("count-step-of", doing, done, of),
            None => message!("count-step", doing, done),
        });
        !self.is_stopped()
    }

    /// Returns the current step in words; empty before the first step.
    pub fn text(&self) -> String {
        let message = lock(&self.message);
        message.as_ref().map(Message::translated).unwrap_or_default()
    }

    /// Requests the task to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the task was requested to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
