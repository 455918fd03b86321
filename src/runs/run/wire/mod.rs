//! Commands and events between two processes: frames of a JSON header and raw bytes.
//!
//! A frame consists of a magic number, the lengths of header and raw bytes (4 bytes each, little endian), the header as
//! JSON and the raw bytes. Pixels are sent as raw bytes, runs as names relative to the folder of runs, so that neither
//! side learns the other's paths. Any input results in a message or a Problem; memory is allocated only as bytes
//! arrive, not by the stated length.

mod frame;
mod parts;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::event::{Command, ControlRequest};
use super::job::JobId;
use super::queue::JobEvent;
use crate::message;
use crate::problem::{Problem, Result};

pub use frame::{Frame, MAX_HEAD_BYTES, MAX_RAW_BYTES, read, write};
pub use parts::{TransferableMessage, safe_relative_path, with_absolute_runs, with_relative_runs};

/// Version of the frames and messages; increased with each change.
pub const PROTOCOL_VERSION: u32 = 7;
/// Bytes of a file in one frame.
pub const CHUNK_BYTES: usize = 1 << 20;
/// Maximum number of files of a dataset that is copied.
pub const MAX_FILES: usize = 2_000_000;

/// The first frame of a server: its identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol, [`PROTOCOL_VERSION`].
    pub protocol: u32,
    /// Version of the program.
    pub version: String,
    /// Operating system.
    pub system: String,
    /// Architecture of the processor.
    pub processor: String,
    /// Its folder of runs.
    pub folder: PathBuf,
    /// Identifies the journal of events: a server with another number does not know the events of the previous one.
    pub instance: u64,
}

impl Hello {
    /// Returns the identity of this program.
    pub fn new(folder: PathBuf, instance: u64) -> Self {
        Self {
            protocol: PROTOCOL_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            system: std::env::consts::OS.into(),
            processor: std::env::consts::ARCH.into(),
            folder,
            instance,
        }
    }

    /// Checks that both programs are compatible.
    ///
    /// # Errors
    /// Returns a Problem with both versions.
    pub fn check(&self) -> Result<()> {
        let own = env!("CARGO_PKG_VERSION");
        if self.protocol == PROTOCOL_VERSION && self.version == own {
            return Ok(());
        }
        let theirs = crate::names::truncated_name(&self.version);
        Err(Problem::new(message!("place-version-differs", theirs, own))
            .advise(message!("place-version-differs-advice")))
    }
}

/// A file to copy; a complete copy is identified by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to its folder, with `/` between parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 in hex.
    pub sha256: String,
}

/// A message of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ClientRequest {
    /// The first message: the events that the client already has.
    Since {
        /// The journal whose events these are; 0 for none.
        instance: u64,
        /// Number of the last event.
        number: u64,
    },
    /// A command for the engine.
    Command(Box<Command>),
    /// The user's request (such as pause or stop) for the running job.
    #[serde(rename = "Wish")]
    ControlRunning(ControlRequest),
    /// The user's request for this job, if it is running.
    #[serde(rename = "WishFor")]
    ControlJob(JobId, ControlRequest),
    /// Requests the names of the runs.
    Runs,
    /// Requests the list of files of a run.
    Files {
        /// Its name.
        run: String,
    },
    /// Requests a part of a run's file.
    Piece {
        /// The run's name.
        run: String,
        /// Path of the file.
        path: String,
        /// Offset of the first byte.
        from: u64,
    },
    /// Asks which of some files of a dataset are missing there. A dataset may have more files than fit into one frame.
    Missing {
        /// Number of the question, for its answer.
        number: u64,
        /// The dataset, identified by the hash of the list of its files.
        set: String,
        /// Some of its files.
        files: Vec<FileEntry>,
    },
    /// The next part of a file of a dataset, as raw bytes.
    Put {
        /// The dataset, identified by the hash of the list of its files.
        set: String,
        /// The file.
        file: FileEntry,
        /// Offset of the part.
        from: u64,
    },
}

/// A numbered message of a client. A message that is sent again after a lost connection is executed only once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientMessage {
    /// The client.
    pub client: u64,
    /// Number of the message, from 1; 0 for messages that may be executed twice.
    pub number: u64,
    /// The message.
    pub ask: ClientRequest,
}

/// A message of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ServerMessage {
    /// The identity of the server.
    Hello(Hello),
    /// An event of the engine.
    Event {
        /// Number of the event, from 1.
        number: u64,
        /// The event.
        event: Box<JobEvent>,
    },
    /// Acknowledges the message with this number, so that it is not sent again; 0 follows all events requested by
    /// `Since`.
    Took(u64),
    /// The names of the runs.
    Runs(Vec<String>),
    /// The files of a run.
    Files {
        /// Its name.
        run: String,
        /// All of its files.
        files: Vec<FileEntry>,
    },
    /// A part of a run's file, as raw bytes; empty at the end of the file.
    Piece {
        /// The run's name.
        run: String,
        /// Path of the file.
        path: String,
        /// Offset of the first byte.
        from: u64,
    },
    /// The missing files of a dataset.
    Lacks {
        /// Number of the question.
        number: u64,
        /// The dataset, identified by the hash of the list of its files.
        set: String,
        /// Its path there.
        folder: String,
        /// Index of each missing file among those asked about, and the number of its bytes that exist.
        files: Vec<(usize, u64)>,
    },
    /// The number of bytes of a dataset's file that exist: fewer than sent if an earlier part is missing, more if
    /// another client sends the file too.
    Kept {
        /// Path of the file.
        path: String,
        /// Bytes.
        bytes: u64,
    },
    /// A request failed.
    Refused {
        /// The number of its message; 0 for messages without a number.
        number: u64,
        /// Why it failed.
        problem: Problem,
    },
}
