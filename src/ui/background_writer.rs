//! Writes settings and drafts on a separate thread, because syncing a file to disk can take long.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::settings::Settings;
use crate::problem::{Problem, Result};
use crate::session::drafts::Drafts;
use crate::texts::Language;

/// Data to write.
pub enum PendingWrite {
    /// The settings, into this file.
    Settings(PathBuf, Box<Settings>),
    /// The drafts, into this folder.
    Drafts(PathBuf, Arc<Drafts>),
}

impl PendingWrite {
    fn save(&self) -> Result<()> {
        match self {
            Self::Settings(file, settings) => settings.save(file),
            Self::Drafts(folder, drafts) => drafts.save(folder),
        }
    }

    fn is_drafts(&self) -> bool {
        matches!(self, Self::Drafts(..))
    }
}

/// A failed write.
pub struct FailedWrite {
    /// Why it failed.
    pub problem: Problem,
    /// Whether the drafts were not written; otherwise the settings.
    pub is_drafts: bool,
}

/// The handle of the thread that writes.
pub struct Writer {
    request_sender: Option<Sender<(Language, PendingWrite)>>,
    failures: Receiver<FailedWrite>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread. `wake` is called after a failure.
    pub fn start(wake: impl Fn() + Send + 'static) -> Self {
        let (request_sender, request_receiver) = channel::<(Language, PendingWrite)>();
        let (failure_sender, failures) = channel();
        let write = move || {
            while let Ok(first) = request_receiver.recv() {
                // If several versions are waiting, only the newest of each kind is written.
                let requests: Vec<_> =
                    std::iter::once(first).chain(request_receiver.try_iter()).collect();
                for is_drafts in [false, true] {
                    let mut newest = requests.iter().rev();
                    let Some((language, pending)) = newest.find(|it| it.1.is_drafts() == is_drafts)
                    else {
                        continue;
                    };
                    language.speak();
                    if let Err(problem) = pending.save() {
                        // The window may be closed, so the error is also printed.
                        eprintln!("{problem}");
                        let _ = failure_sender.send(FailedWrite { problem, is_drafts });
                        wake();
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name("settings".into());
        let thread = thread.spawn(write).ok();
        Self { request_sender: thread.is_some().then_some(request_sender), failures, thread }
    }

    /// Requests a write. It is done soon, at the latest before the program ends.
    ///
    /// # Errors
    /// Returns a Problem if there is no thread and writing immediately fails.
    pub fn write(&self, pending: PendingWrite) -> Result<()> {
        let unsent = match &self.request_sender {
            Some(request_sender) => {
                request_sender.send((Language::spoken(), pending)).map_err(|it| it.0.1)
            }
            None => Err(pending),
        };
        unsent.or_else(|pending| pending.save())
    }

    /// Returns the writes that failed since the last call.
    pub fn drain_failures(&self) -> impl Iterator<Item = FailedWrite> {
        self.failures.try_iter()
    }

    /// Waits until all data is written. Later requests are written immediately.
    pub fn finish(&mut self) {
        self.request_sender = None;
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, the panic has already been printed.
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.finish();
    }
}
