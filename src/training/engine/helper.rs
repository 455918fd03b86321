//! Threads that prepare data for the engine's thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::Message;
use crate::experiment::predictor_cache::SnapshotKey;
use crate::panics::catch_panic_as_problem;
use crate::problem::{Problem, Result};

/// Loads one value at a time on a helper thread, because disk and memory are shared.
pub(super) struct Loader<T>(Option<(SnapshotKey, Helper<T>)>);

impl<T> Default for Loader<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Send + 'static> Loader<T> {
    /// Starts loading the value of this key, unless another value is being loaded.
    pub fn start(
        &mut self,
        key: SnapshotKey,
        load: impl FnOnce(&SnapshotKey) -> Result<T> + Send + 'static,
        engine: &Sender<Message>,
    ) {
        if self.0.is_none() {
            let load_key = key.clone();
            let helper = Helper::spawn(engine, move |outbox| {
                outbox.send(load(&load_key)?);
                Ok(())
            });
            self.0 = Some((key, helper));
        }
    }

    /// Returns the loaded value, `None` if it is not ready.
    pub fn poll(&mut self) -> Option<(SnapshotKey, Result<T>)> {
        let value = self.0.as_ref()?.1.poll()?;
        self.0.take().map(|(key, _)| (key, value))
    }
}

/// A thread that prepares data for the engine's thread.
pub(super) struct Helper<T> {
    results: Receiver<Result<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Helper<T> {
    /// Starts the thread. If it does not start, or if `work` fails or panics, the error is its last result.
    pub fn spawn(
        engine: &Sender<Message>,
        work: impl FnOnce(&Outbox<T>) -> Result<()> + Send + 'static,
    ) -> Self {
        let (sender, results) = channel();
        let engine = engine.clone();
        let outbox = Outbox { sender, engine };
        let fallback = outbox.clone();
        let spawned = std::thread::Builder::new().name("lae-helper".into()).spawn(move || {
            if let Err(problem) = catch_panic_as_problem(|| work(&outbox)) {
                outbox.send_result(Err(problem));
            }
        });
        if let Err(error) = &spawned {
            fallback.send_result(Err(Problem::thread_not_started(error)));
        }
        let thread = spawned.ok();
        Self { results, thread }
    }

    /// Returns the next result, `None` if it is not ready.
    pub fn poll(&self) -> Option<Result<T>> {
        self.results.try_recv().ok()
    }

    /// Drops unread results, so that the thread does not wait for them to be read. Returns the thread.
    pub fn close(self) -> Option<JoinHandle<()>> {
        self.thread
    }
}

/// Sends the results of a helper thread.
pub(super) struct Outbox<T> {
    sender: Sender<Result<T>>,
    engine: Sender<Message>,
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        let (sender, engine) = (self.sender.clone(), self.engine.clone());
        Self { sender, engine }
    }
}

impl<T> Outbox<T> {
    /// Sends a result to the engine's thread. Returns whether the result is still needed.
    pub fn send(&self, value: T) -> bool {
        self.send_result(Ok(value))
    }

    fn send_result(&self, result: Result<T>) -> bool {
        // Without an engine, the result is not needed either.
        self.sender.send(result).is_ok() && self.engine.send(Message::Wake).is_ok()
    }
}
