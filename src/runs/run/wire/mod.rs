//! Commands and events between two processes: frames of a JSON head and raw bytes.
//!
//! A frame is a mark, the lengths of head and raw bytes (4 bytes each, little endian), the head as JSON and
//! the raw bytes. Pixels travel as raw bytes, runs by their names below the folder of runs, so that neither side learns
//! where the other keeps them. Whatever comes in ends in a message or a Problem, and no length is believed before
//! its bytes are there.

mod frame;
mod parts;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::control::Wish;
use super::event::Command;
use super::job::JobId;
use super::queue::JobEvent;
use crate::message;
use crate::problem::{Problem, Result};

pub use frame::{Frame, MOST_HEAD, MOST_RAW, read, write};
pub use parts::{Carried, home, inner_path, sent_home};

/// Version of the frames and of what they say. Raised with each change.
pub const PROTOCOL: u32 = 6;
/// Bytes of a file in one frame.
pub const PIECE: usize = 1 << 20;
/// Most files of a data set that is carried over.
pub const MOST_FILES: usize = 2_000_000;

/// Who answers: the first frame of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol.
    pub protocol: u32,
    /// Version of the program.
    pub version: String,
    /// Operating system.
    pub system: String,
    /// Architecture of the processor.
    pub processor: String,
    /// Where runs are kept there.
    pub folder: PathBuf,
    /// Distinguishes journals: another number is a process that does not know the events of the one before.
    pub instance: u64,
}

impl Hello {
    /// What this program says of itself.
    pub fn of(folder: PathBuf, instance: u64) -> Self {
        Self {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").into(),
            system: std::env::consts::OS.into(),
            processor: std::env::consts::ARCH.into(),
            folder,
            instance,
        }
    }

    /// Whether both can talk to each other.
    ///
    /// # Errors
    /// Returns a Problem with both versions.
    pub fn check(&self) -> Result<()> {
        let own = env!("CARGO_PKG_VERSION");
        if self.protocol == PROTOCOL && self.version == own {
            return Ok(());
        }
        let theirs = crate::names::shortened(&self.version);
        Err(Problem::new(message!(
            "place-version-differs",
            theirs = theirs,
            own = own
        ))
        .advise(message!("place-version-differs-advice")))
    }
}

/// A file as it is to be carried: complete files are identified by their hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileMark {
    /// Below its folder, with `/` between parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 in hex.
    pub sha256: String,
}

/// What a client says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// First of all: which events are known already.
    Since {
        /// The journal whose events these are; 0 for none.
        instance: u64,
        /// Number of the last one.
        number: u64,
    },
    /// A command for the engine.
    Command(Box<Command>),
    /// What is requested of the job at work.
    Wish(Wish),
    /// The same of this job alone, if it is at work.
    WishFor(JobId, Wish),
    /// Which runs there are.
    Runs,
    /// The files of a run.
    Files {
        /// Its name.
        run: String,
    },
    /// A piece of a run's file.
    Piece {
        /// The run's name.
        run: String,
        /// Which file.
        path: String,
        /// From which byte.
        from: u64,
    },
    /// Which of some files of a data set are not there yet: a data set may have more than a frame holds.
    Missing {
        /// Which question, for its answer.
        number: u64,
        /// The data set, by the hash of the list of its files.
        set: String,
        /// Some of its files.
        files: Vec<FileMark>,
    },
    /// The next piece of a file of a data set, as raw bytes.
    Put {
        /// The data set, by the hash of the list of its files.
        set: String,
        /// Which file.
        file: FileMark,
        /// Where the piece begins.
        from: u64,
    },
}

/// What a client sends: what is said, and which of its sayings that is, so that one that is said again after a broken
/// connection is done once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Said {
    /// The client.
    pub client: u64,
    /// Which saying, from 1; 0 for one that may be done twice.
    pub number: u64,
    /// What.
    pub ask: Ask,
}

/// What a server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Told {
    /// Who answers.
    Hello(Hello),
    /// An event of the engine.
    Event {
        /// Counts from 1.
        number: u64,
        /// What.
        event: Box<JobEvent>,
    },
    /// This saying was taken in, and is not to be said again; 0 behind all events that were asked for by `Since`.
    Took(u64),
    /// The runs there are, by name.
    Runs(Vec<String>),
    /// The files of a run.
    Files {
        /// Its name.
        run: String,
        /// All of them that belong to it.
        files: Vec<FileMark>,
    },
    /// A piece of a run's file, as raw bytes; none behind the end.
    Piece {
        /// The run's name.
        run: String,
        /// Which file.
        path: String,
        /// From which byte.
        from: u64,
    },
    /// What is not there yet of a data set.
    Lacks {
        /// Which question this answers.
        number: u64,
        /// The data set, by the hash of its list of files.
        set: String,
        /// Its place there.
        folder: String,
        /// Which of the files asked about, by their places among these, and how much of each is there.
        files: Vec<(usize, u64)>,
    },
    /// So much of a file of a data set is there: less than was sent where a piece before it is missing, more where somebody
    /// else sends it, too.
    Kept {
        /// Which file.
        path: String,
        /// Bytes.
        bytes: u64,
    },
    /// Something that was asked cannot be done.
    Refused(Problem),
}
