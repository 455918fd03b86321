//! Limits the memory for reading a PyTorch file, before it is read.
//!
//! A pickle is a program, each byte of which can create a value of a hundred bytes, and a compressed one can be a
//! thousand times larger than on disk. Pickles of real weights are short, because they only name tensors, whose bytes
//! are stored elsewhere. So the length of the pickles is measured first: in ZIP files by decompressing them without
//! storing the result, in the format of before 2020 by skipping over their instructions. Pickles without tensors, and
//! the TAR files of 2016, contain no known network.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::files;

/// Largest total size of the pickles of a file in bytes; a network with a thousand tensors has 200 kB.
const MAX_PICKLE_BYTES: u64 = 4 << 20;
/// Largest size of the small text files beside them, in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 10;
/// The magic number in the first pickle of an older file, little-endian.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
/// Number of pickles before the tensors of an older file: magic number, version, system, state dict and keys.
const LEGACY_PICKLES: usize = 5;

/// Checks a file and returns its length. The error completes the sentence "this is no usable weight file: …".
pub(super) fn check(path: &Path) -> Result<u64, String> {
    let unreadable = |error: io::Error| format!("it cannot be read ({error})");
    let file = files::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let start = files::read_start(path, 64).map_err(unreadable)?;
    if start.starts_with(b"PK") {
        check_zip(file)?;
    } else if start.windows(MAGIC.len()).any(|bytes| bytes == MAGIC) {
        check_legacy(file)?;
    } else if start.first() == Some(&0x80) {
        return Err("it is a pickle without tensors".into());
    } else {
        return Err("PyTorch files from before 2017 are not supported; save it again".into());
    }
    Ok(length)
}

/// Checks the sizes of the entries that are read completely: the pickle of the state dict, and texts.
fn check_zip(file: File) -> Result<(), String> {
    let damaged_zip = |error: zip::result::ZipError| format!("it is a damaged ZIP ({error})");
    let mut archive = files::open_zip(BufReader::new(file)).map_err(damaged_zip)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(damaged_zip)?;
        let name = entry.name().map_err(damaged_zip)?;
        let limit = match name.rsplit('/').next() {
            Some("data.pkl") => MAX_PICKLE_BYTES,
            Some("byteorder" | "version" | ".format_version" | ".storage_alignment") => {
                MAX_TEXT_BYTES
            }
            _ => continue,
        };
        let mut entry = entry.take(limit + 1);
        let unpacked = io::copy(&mut entry, &mut io::sink());
        match unpacked {
            Ok(unpacked) if unpacked > limit => return Err(too_long()),
            Ok(_) => {}
            Err(error) => return Err(format!("it is a damaged ZIP ({error})")),
        }
    }
    Ok(())
}

/// Checks the pickles before the tensors of an older file.
fn check_legacy(file: File) -> Result<(), String> {
    let mut bytes = BufReader::new(file).take(MAX_PICKLE_BYTES);
    for _ in 0..LEGACY_PICKLES {
        let skipped = skip_pickle(&mut bytes);
        if bytes.limit() == 0 {
            return Err(too_long());
        }
        skipped.map_err(|error| format!("its pickle is damaged ({error})"))?;
    }
    Ok(())
}

fn too_long() -> String {
    let most = MAX_PICKLE_BYTES >> 20;
    format!("the description of its tensors is longer than {most} MB")
}

/// Skips one pickle, including its end.
fn skip_pickle(bytes: &mut impl BufRead) -> io::Result<()> {
    loop {
        let [code] = read_array(bytes)?;
        let length = match code {
            b'.' => return Ok(()),
            b'K' | b'q' | b'h' | 0x80 | 0x82 => 1,
            b'M' | 0x83 => 2,
            b'J' | b'r' | b'j' | 0x84 => 4,
            b'G' | 0x95 => 8,
            b'U' | b'C' | 0x8a | 0x8c => u64::from(u8::from_le_bytes(read_array(bytes)?)),
            b'T' | b'B' | b'X' | 0x8b => u64::from(u32::from_le_bytes(read_array(bytes)?)),
            0x8d | 0x8e | 0x96 => u64::from_le_bytes(read_array(bytes)?),
            b'I' | b'L' | b'F' | b'S' | b'V' | b'P' | b'p' | b'g' => {
                bytes.skip_until(b'\n')?;
                0
            }
            b'c' | b'i' => {
                bytes.skip_until(b'\n')?;
                bytes.skip_until(b'\n')?;
                0
            }
            _ => 0,
        };
        io::copy(&mut bytes.take(length), &mut io::sink())?;
    }
}

fn read_array<const N: usize>(bytes: &mut impl Read) -> io::Result<[u8; N]> {
    let mut array = [0; N];
    bytes.read_exact(&mut array)?;
    Ok(array)
}
