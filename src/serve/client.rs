//! Serves one client at a time: executes its commands and sends it the engine's events.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use super::files::RunFiles;
use super::journal::Journal;
use super::record::Outgoing;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, ControlRequest};
use crate::run::wire::{self, ClientMessage, ClientRequest, Frame, Hello, ServerMessage};
use crate::store;
use crate::sync::lock;

/// Serves clients of one engine.
#[derive(Clone)]
pub struct ClientServer {
    journal: Journal,
    root: PathBuf,
    /// Whether runs in other folders may be used; only the parent process may do so.
    allow_any_folder: bool,
    /// The number of the last executed message of each client.
    last_executed: Arc<Mutex<HashMap<u64, u64>>>,
    /// Held while a part of a dataset is written.
    write_lock: Arc<Mutex<()>>,
}

impl ClientServer {
    /// Returns a server of this engine, whose runs are in `root`.
    pub fn new(journal: Journal, root: &Path, allow_any_folder: bool) -> Self {
        Self {
            journal,
            root: root.to_path_buf(),
            allow_any_folder,
            last_executed: Arc::default(),
            write_lock: Arc::default(),
        }
    }

    /// Serves one client until its stream ends or contains an invalid message.
    pub fn serve(&self, mut input: impl Read, output: impl Write + Send + 'static) {
        let (replies, outgoing) = channel::<Outgoing>();
        let mut output = output;
        let write = move || {
            let mut frames = outgoing.iter();
            // If the reader is gone, its input shows this as well.
            let _ = frames.try_for_each(|frame| {
                output.write_all(frame.as_bytes())?;
                output.flush()
            });
        };
        let writer = std::thread::Builder::new().name("answers".into());
        if writer.spawn(write).is_err() {
            return;
        }
        let hello = Hello::new(self.root.clone(), self.journal.instance);
        let mut connection = ClientConnection {
            server: self,
            files: RunFiles::new(&self.root, Arc::clone(&self.write_lock)),
            replies,
        };
        connection.reply(ServerMessage::Hello(hello), &[]);
        loop {
            match wire::read::<ClientMessage>(&mut input) {
                Ok(Some((message, raw))) => connection.handle_message(message, &raw),
                Ok(None) => return,
                Err(problem) => return connection.refuse(0, problem),
            }
        }
    }

    /// Returns whether this message is new, and records it as executed.
    fn is_new(&self, message: &ClientMessage) -> bool {
        let mut last_executed = lock(&self.last_executed);
        let last = last_executed.entry(message.client).or_default();
        let is_new = message.number > *last;
        *last = message.number.max(*last);
        is_new
    }
}

/// A client being served.
struct ClientConnection<'a> {
    server: &'a ClientServer,
    files: RunFiles,
    replies: Sender<Outgoing>,
}

impl ClientConnection<'_> {
    fn reply(&self, message: ServerMessage, raw: &[u8]) {
        let frame = Frame::new(message, raw)
            .or_else(|problem| Frame::new(ServerMessage::Refused { number: 0, problem }, &[]));
        if let Ok(frame) = frame {
            // The writer thread has ended if the client disconnected.
            let _ = self.replies.send(Arc::new(frame));
        }
    }

    fn refuse(&self, number: u64, problem: Problem) {
        self.reply(ServerMessage::Refused { number, problem }, &[]);
    }

    fn handle_message(&mut self, message: ClientMessage, raw: &[u8]) {
        let number = message.number;
        let is_new = number == 0 || self.server.is_new(&message);
        if is_new && let Err(problem) = self.execute(message.ask, raw) {
            self.refuse(number, problem);
        }
        if number > 0 {
            self.reply(ServerMessage::Took(number), &[]);
        }
    }

    fn execute(&mut self, request: ClientRequest, raw: &[u8]) -> Result<()> {
        let journal = &self.server.journal;
        match request {
            ClientRequest::Since { instance, number } => {
                journal.subscribe(instance, number, self.replies.clone());
                self.reply(ServerMessage::Took(0), &[]);
            }
            ClientRequest::Command(command) => {
                let command = wire::with_absolute_runs(
                    *command,
                    &self.server.root,
                    self.server.allow_any_folder,
                )?;
                // Sent again after the connection or process that received it first was lost.
                if matches!(&command, Command::Queue(job) if journal.has_job(job.id)) {
                    return Ok(());
                }
                // A pause applies to the previous run only; a newly queued run starts.
                if matches!(command, Command::Queue(_)) && !journal.is_busy() {
                    journal.with_engine(|engine| engine.control.set(ControlRequest::Run));
                }
                journal.with_engine(|engine| engine.send(command));
            }
            ClientRequest::ControlRunning(control) => {
                journal.with_engine(|engine| engine.control.set(control));
            }
            ClientRequest::ControlJob(job, control) => {
                journal.with_engine(|engine| engine.control.set_for(job, control));
            }
            ClientRequest::Runs => {
                let runs = store::run_folders(&self.server.root);
                let runs = runs.iter().map(|run| store::run_name(run));
                self.reply(ServerMessage::Runs(runs.collect()), &[]);
            }
            ClientRequest::Files { run } => {
                let files = self.files.list_run_files(&run, journal.is_training(&run))?;
                self.reply(ServerMessage::Files { run, files }, &[]);
            }
            ClientRequest::Piece { run, path, from } => {
                let piece = self.files.read_piece(&run, &path, from)?;
                self.reply(ServerMessage::Piece { run, path, from }, &piece);
            }
            ClientRequest::Missing { number, set, files } => {
                let reply = self.files.find_missing(number, set, &files)?;
                self.reply(reply, &[]);
            }
            ClientRequest::Put { set, file, from } => {
                let bytes = self.files.write_piece(&set, &file, from, raw)?;
                let path = file.path;
                self.reply(ServerMessage::Kept { path, bytes }, &[]);
            }
        }
        Ok(())
    }
}
