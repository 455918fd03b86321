//! The encoding of a message in a stream of bytes, as a frame.

use std::io::{self, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::parts::TransferableMessage;
use crate::problem::{Problem, Result};

/// The magic number at the beginning of every frame.
pub const MAGIC: [u8; 4] = *b"LAE\x01";
/// Maximum size of a head in bytes.
pub const MAX_HEAD_BYTES: u32 = 64 << 20;
/// Maximum number of raw bytes: the pixels of the largest images that are usually read. Memory is allocated only as
/// they arrive.
pub const MAX_RAW_BYTES: u32 = 1 << 30;
/// Maximum number of bytes between two frames that are skipped, such as output of drivers and greetings of a shell.
const MAX_NOISE_BYTES: usize = 64 << 10;

/// An encoded message, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame(Vec<u8>);

/// The head of a frame: the message, and the lengths of its pixel buffers.
#[derive(serde::Serialize, serde::Deserialize)]
struct Head<M> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pixels: Vec<usize>,
    message: M,
}

impl Frame {
    /// Encodes a message. Its pixels are placed in the raw bytes, before those in `raw`.
    ///
    /// # Errors
    /// Returns a Problem if it is larger than the maximum size of a frame.
    pub fn new<M: TransferableMessage + Serialize>(mut message: M, raw: &[u8]) -> Result<Self> {
        let buffers: Vec<Vec<u8>> = message.pixels().into_iter().map(std::mem::take).collect();
        let pixels = buffers.iter().map(Vec::len).collect();
        let head = serde_json::to_vec(&Head { pixels, message })
            .map_err(|error| Problem::new(format!("the message could not be sent: {error}")))?;
        let length = buffers.iter().map(Vec::len).sum::<usize>() + raw.len();
        if head.len() > MAX_HEAD_BYTES as usize || length > MAX_RAW_BYTES as usize {
            return Err(Problem::new("the message is too large to send to another process"));
        }
        let mut bytes = Vec::with_capacity(12 + head.len() + length);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(&head);
        buffers.iter().for_each(|pixels| bytes.extend_from_slice(pixels));
        bytes.extend_from_slice(raw);
        Ok(Self(bytes))
    }

    /// Returns the bytes of the frame.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Writes a message as one frame and flushes the stream.
///
/// # Errors
/// Returns a Problem if it is too large, or if the other side has closed the stream.
pub fn write<M: TransferableMessage + Serialize>(
    out: &mut dyn Write,
    message: M,
    raw: &[u8],
) -> Result<()> {
    let frame = Frame::new(message, raw)?;
    let result = out.write_all(frame.as_bytes()).and_then(|()| out.flush());
    result.map_err(|error| {
        Problem::new(format!("the other process is not receiving messages: {error}"))
    })
}

/// Reads the next message and its raw bytes; returns `None` if the stream ends.
///
/// # Errors
/// Returns a Problem if the data is not a frame, is too large or incomplete, or does not contain a valid message.
pub fn read<M: TransferableMessage + DeserializeOwned>(
    input: &mut dyn Read,
) -> Result<Option<(M, Vec<u8>)>> {
    let read_problem = |error: io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => Problem::new("a message from another process is incomplete"),
        _ => Problem::new(format!("messages from another process cannot be read: {error}")),
    };
    if !find_magic(input)? {
        return Ok(None);
    }
    let mut lengths = [[0; 4]; 2];
    let result = input.read_exact(lengths.as_flattened_mut());
    result.map_err(read_problem)?;
    let [head, raw] = lengths.map(u32::from_le_bytes);
    if head > MAX_HEAD_BYTES || raw > MAX_RAW_BYTES {
        return Err(invalid_message("its declared size is too large"));
    }
    let head = read_exact_bytes(input, head).map_err(read_problem)?;
    let mut raw = read_exact_bytes(input, raw).map_err(read_problem)?;
    let Head { pixels, mut message } = serde_json::from_slice::<Head<M>>(&head)
        .map_err(|error| invalid_message(&error.to_string()))?;
    let mut buffers = message.pixels();
    if buffers.len() != pixels.len() {
        return Err(invalid_message("its pixel data does not match the message"));
    }
    for (buffer, length) in buffers.iter_mut().zip(pixels) {
        if length > raw.len() {
            return Err(invalid_message("its pixel data is incomplete"));
        }
        let rest = raw.split_off(length);
        **buffer = std::mem::replace(&mut raw, rest);
    }
    Ok(Some((message, raw)))
}

fn invalid_message(why: &str) -> Problem {
    let why: String = why.chars().take(200).collect();
    Problem::new(format!("another process sent an invalid message: {why}"))
        .advise("use the same version of this program on both sides")
}

/// Reads to the end of the next magic number; returns false if the stream ends first.
fn find_magic(input: &mut dyn Read) -> Result<bool> {
    let mut window = [0; 4];
    for skipped in 0..MAX_NOISE_BYTES {
        let mut byte = [0];
        if input.read_exact(&mut byte).is_err() {
            // The other side has closed the stream; the systems report that in different ways.
            return Ok(false);
        }
        window.rotate_left(1);
        window[3] = byte[0];
        if skipped >= 3 && window == MAGIC {
            return Ok(true);
        }
    }
    Err(invalid_message("there is other output instead"))
}

/// Reads exactly this number of bytes. Memory is allocated only as they arrive.
fn read_exact_bytes(input: &mut dyn Read, length: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}
