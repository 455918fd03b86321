//! Frames: how one message is encoded in a stream of bytes.

use std::io::{self, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::parts::Carried;
use crate::problem::{Problem, Result};

/// Every frame begins with it.
pub const MARK: [u8; 4] = *b"LAE\x01";
/// Most bytes of a head.
pub const MOST_HEAD: u32 = 64 << 20;
/// Most raw bytes: the pixels of the largest images that are usually read. Memory is taken only as they come.
pub const MOST_RAW: u32 = 1 << 30;
/// So much of what drivers and greetings of a shell print between two frames is passed over.
const MOST_NOISE: usize = 64 << 10;

/// A message with its raw bytes, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame(Vec<u8>);

/// The head as it is written: the message, and how long each of its own runs of pixels is.
#[derive(serde::Serialize, serde::Deserialize)]
struct Head<M> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pixels: Vec<usize>,
    message: M,
}

impl Frame {
    /// A message; its pixels go into the raw bytes, before those in `raw`.
    ///
    /// # Errors
    /// Returns a Problem if it is larger than a frame may be.
    pub fn of<M: Carried + Serialize>(mut message: M, raw: &[u8]) -> Result<Self> {
        let own: Vec<Vec<u8>> = message.pixels().into_iter().map(std::mem::take).collect();
        let pixels = own.iter().map(Vec::len).collect();
        let head = serde_json::to_vec(&Head { pixels, message })
            .map_err(|error| Problem::new(format!("the message could not be sent: {error}")))?;
        let length = own.iter().map(Vec::len).sum::<usize>() + raw.len();
        if head.len() > MOST_HEAD as usize || length > MOST_RAW as usize {
            return Err(Problem::new(
                "the message is too large to send to another process",
            ));
        }
        let mut bytes = Vec::with_capacity(12 + head.len() + length);
        bytes.extend_from_slice(&MARK);
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(&head);
        own.iter()
            .for_each(|pixels| bytes.extend_from_slice(pixels));
        bytes.extend_from_slice(raw);
        Ok(Self(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Writes a message, all of it at once.
///
/// # Errors
/// Returns a Problem if it is too large, or the other side is gone.
pub fn write<M: Carried + Serialize>(out: &mut dyn Write, message: M, raw: &[u8]) -> Result<()> {
    let frame = Frame::of(message, raw)?;
    let written = out.write_all(frame.bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        Problem::new(format!(
            "the other process is not receiving messages: {error}"
        ))
    })
}

/// Reads the next message and its raw bytes; `None` if the stream ends.
///
/// # Errors
/// Returns a Problem for what is no frame, is larger than a frame may be, ends in its middle, or says what no message
/// says.
pub fn read<M: Carried + DeserializeOwned>(input: &mut dyn Read) -> Result<Option<(M, Vec<u8>)>> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => Problem::new("a message from another process is incomplete"),
        _ => Problem::new(format!(
            "messages from another process cannot be read: {error}"
        )),
    };
    if !find_mark(input)? {
        return Ok(None);
    }
    let mut lengths = [0; 8];
    input.read_exact(&mut lengths).map_err(failed)?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, raw) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    );
    if head > MOST_HEAD || raw > MOST_RAW {
        return Err(garbage("its declared size is too large"));
    }
    let head = exactly(input, head).map_err(failed)?;
    let mut raw = exactly(input, raw).map_err(failed)?;
    let Head {
        pixels,
        mut message,
    } = serde_json::from_slice::<Head<M>>(&head).map_err(|error| garbage(&error.to_string()))?;
    let mut own = message.pixels();
    if own.len() != pixels.len() {
        return Err(garbage("its pixel data does not match the message"));
    }
    for (place, length) in own.iter_mut().zip(pixels) {
        if length > raw.len() {
            return Err(garbage("its pixel data is incomplete"));
        }
        let rest = raw.split_off(length);
        **place = std::mem::replace(&mut raw, rest);
    }
    Ok(Some((message, raw)))
}

fn garbage(why: &str) -> Problem {
    let why: String = why.chars().take(200).collect();
    Problem::new(format!("another process sent an invalid message: {why}"))
        .advise("use the same version of this program on both sides")
}

/// Reads up to the end of the next mark; false where the stream ends before.
fn find_mark(input: &mut dyn Read) -> Result<bool> {
    let mut seen = [0; 4];
    for passed in 0..MOST_NOISE {
        let mut byte = [0];
        loop {
            match input.read(&mut byte) {
                Ok(0) => return Ok(false),
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The other side is gone, however that is reported.
                Err(_) => return Ok(false),
            }
        }
        seen.rotate_left(1);
        seen[3] = byte[0];
        if passed >= 3 && seen == MARK {
            return Ok(true);
        }
    }
    Err(garbage("there is other output instead"))
}

/// This number of bytes, for which memory is taken only as they come.
fn exactly(input: &mut dyn Read, length: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}
