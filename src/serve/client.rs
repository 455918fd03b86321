//! Serves one client at a time: executes its commands and sends it the engine's events.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::RunFiles;
use super::journal::Journal;
use super::record::Outgoing;
use crate::problem::Result;
use crate::run::event::{Command, ControlRequest};
use crate::run::wire::{self, ClientMessage, ClientRequest, Frame, Hello, ServerMessage};
use crate::store;

/// Serves clients of one engine.
#[derive(Clone)]
pub struct ClientServer {
    journal: Journal,
    root: PathBuf,
    /// Whether runs in other folders may be used; only the parent process may do so.
    anywhere: bool,
    /// The number of the last executed message of each client.
    done: Arc<Mutex<HashMap<u64, u64>>>,
    /// Held while a part of a dataset is written.
    writes: Arc<Mutex<()>>,
}

impl ClientServer {
    /// Returns a server of this engine, whose runs are in `root`.
    pub fn new(journal: Journal, root: &Path, anywhere: bool) -> Self {
        Self {
            journal,
            root: root.to_path_buf(),
            anywhere,
            done: Arc::default(),
            writes: Arc::default(),
        }
    }

    /// Serves one client until its stream ends or contains an invalid message.
    pub fn serve(&self, mut input: impl Read, output: impl Write + Send + 'static) {
        let (answers, outgoing) = channel::<Outgoing>();
        let mut output = output;
        let write = move || {
            let mut frames = outgoing.iter();
            // If the reader is gone, its input shows this as well.
            let _ = frames.try_for_each(|frame| {
                output.write_all(frame.bytes())?;
                output.flush()
            });
        };
        let writer = std::thread::Builder::new().name("answers".into());
        if writer.spawn(write).is_err() {
            return;
        }
        let hello = Hello::of(self.root.clone(), self.journal.instance);
        let mut reader = Serving {
            server: self,
            files: RunFiles::below(&self.root, Arc::clone(&self.writes)),
            answers,
        };
        reader.answer(ServerMessage::Hello(hello), &[]);
        loop {
            match wire::read::<ClientMessage>(&mut input) {
                Ok(Some((said, raw))) => reader.handle_message(said, &raw),
                Ok(None) => return,
                Err(problem) => return reader.answer(ServerMessage::Refused(problem), &[]),
            }
        }
    }

    /// Returns whether this message is new, and records it as executed.
    fn is_new(&self, said: &ClientMessage) -> bool {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let last = done.entry(said.client).or_default();
        let new = said.number > *last;
        *last = said.number.max(*last);
        new
    }
}

/// A client being served.
struct Serving<'a> {
    server: &'a ClientServer,
    files: RunFiles,
    answers: Sender<Outgoing>,
}

impl Serving<'_> {
    fn answer(&self, told: ServerMessage, raw: &[u8]) {
        let frame = Frame::new(told, raw)
            .or_else(|problem| Frame::new(ServerMessage::Refused(problem), &[]));
        if let Ok(frame) = frame {
            // The writer thread has ended if the client disconnected.
            let _ = self.answers.send(Arc::new(frame));
        }
    }

    fn handle_message(&mut self, said: ClientMessage, raw: &[u8]) {
        let number = said.number;
        let is_new = number == 0 || self.server.is_new(&said);
        if is_new && let Err(problem) = self.act(said.ask, raw) {
            self.answer(ServerMessage::Refused(problem), &[]);
        }
        if number > 0 {
            self.answer(ServerMessage::Took(number), &[]);
        }
    }

    fn act(&mut self, ask: ClientRequest, raw: &[u8]) -> Result<()> {
        let journal = &self.server.journal;
        match ask {
            ClientRequest::Since { instance, number } => {
                journal.follow(instance, number, self.answers.clone());
                self.answer(ServerMessage::Took(0), &[]);
            }
            ClientRequest::Command(command) => {
                let command =
                    wire::with_absolute_runs(*command, &self.server.root, self.server.anywhere)?;
                // Sent again after the connection or process that received it first was lost.
                if matches!(&command, Command::Queue(job) if journal.knows(job.id)) {
                    return Ok(());
                }
                // A pause applies to the previous run only; a newly queued run starts.
                if matches!(command, Command::Queue(_)) && !journal.is_busy() {
                    journal.with(|engine| engine.control.set(ControlRequest::Run));
                }
                journal.with(|engine| engine.send(command));
            }
            ClientRequest::ControlRunning(wish) => journal.with(|engine| engine.control.set(wish)),
            ClientRequest::ControlJob(job, wish) => {
                journal.with(|engine| engine.control.set_for(job, wish));
            }
            ClientRequest::Runs => {
                let runs = store::run_folders(&self.server.root);
                let runs = runs.iter().map(|run| store::run_name(run));
                self.answer(ServerMessage::Runs(runs.collect()), &[]);
            }
            ClientRequest::Files { run } => {
                let files = self.files.of_run(&run, journal.is_at_work(&run))?;
                self.answer(ServerMessage::Files { run, files }, &[]);
            }
            ClientRequest::Piece { run, path, from } => {
                let piece = self.files.piece(&run, &path, from)?;
                self.answer(ServerMessage::Piece { run, path, from }, &piece);
            }
            ClientRequest::Missing { number, set, files } => {
                let told = self.files.missing(number, set, &files)?;
                self.answer(told, &[]);
            }
            ClientRequest::Put { set, file, from } => {
                let bytes = self.files.put(&set, &file, from, raw)?;
                let path = file.path;
                self.answer(ServerMessage::Kept { path, bytes }, &[]);
            }
        }
        Ok(())
    }
}
