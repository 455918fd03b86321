//! Checks the pages of a Parquet file. The crate trusts their headers, in which a few bytes can claim gigabytes.

use std::fs::File;
use std::io::BufReader;

use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Size of the footer in bytes, which is not checked as a page.
const FOOTER: u64 = 8;
/// Maximum size of a page header in bytes; it includes the smallest and largest value of the page.
const MOST_HEADER: u64 = 64 << 10;
/// Maximum ratio of unpacked to packed size of a page; Snappy reaches 22.
const RATIO: u64 = 32;

/// A file whose pages are checked before they are unpacked.
pub(super) struct Pages(pub File);

impl Length for Pages {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let rest = self.len().saturating_sub(start);
        if rest > FOOTER {
            let header = self.0.get_bytes(start, rest.min(MOST_HEADER) as usize)?;
            if !claims_little(&header) {
                let what = "a page is larger than its content";
                return Err(ParquetError::General(what.into()));
            }
        }
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        if length as u64 > self.len().saturating_sub(start) {
            return Err(ParquetError::EOF("the file ends before a page".into()));
        }
        self.0.get_bytes(start, length)
    }
}

/// Returns whether the claims of a page header are plausible: the unpacked size, and the number of values of a
/// dictionary.
fn claims_little(header: &[u8]) -> bool {
    let mut claims = Claims::default();
    let is_read = Thrift(header).structure(&[], &mut claims).is_some();
    let most = claims.packed.saturating_mul(RATIO).saturating_add(FOOTER);
    is_read && claims.unpacked <= most && claims.values <= claims.unpacked
}

#[derive(Default)]
struct Claims {
    unpacked: u64,
    packed: u64,
    values: u64,
}

/// Bytes in Thrift's compact protocol.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    /// Reads a structure that is nested in these field ids; `None` if it is damaged.
    fn structure(&mut self, outer: &[u64], claims: &mut Claims) -> Option<()> {
        let mut id = 0;
        loop {
            let byte = u64::from(self.byte()?);
            let (step, kind) = (byte >> 4, byte & 15);
            if kind == 0 {
                return Some(());
            }
            id = match step {
                0 => self.number()?,
                step => id + step,
            };
            match (kind, outer) {
                // The value of a boolean is part of the kind.
                (1 | 2, _) => {}
                (3, _) => _ = self.byte()?,
                (4..=6, _) => {
                    let number = self.number()?;
                    match (outer, id) {
                        ([], 2) => claims.unpacked = number,
                        ([], 3) => claims.packed = number,
                        ([7], 1) => claims.values = number,
                        _ => {}
                    }
                }
                (7, _) => self.skip(8)?,
                (8, _) => {
                    let length = self.varint()?;
                    self.skip(usize::try_from(length).ok()?)?;
                }
                (12, []) => self.structure(&[id], claims)?,
                (12, [one]) => self.structure(&[*one, id], claims)?,
                // Headers have no lists, and no further structures.
                _ => return None,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.0 = self.0.get(length..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a zigzag-encoded number; negative numbers give `u64::MAX`.
    fn number(&mut self) -> Option<u64> {
        let number = self.varint()?;
        Some(if number & 1 == 1 {
            u64::MAX
        } else {
            number >> 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_little_rejects_oversized_pages() {
        // A page of 100 bytes packed into 50, with a dictionary of this number of values.
        let header = |unpacked: &[u8], values: &[u8]| {
            let sizes = [&[0x15, 4, 0x15], unpacked, &[0x15, 100]].concat();
            [&sizes, &[0x4C, 0x15][..], values, &[0x15, 0, 0, 0]].concat()
        };
        let claims = |unpacked: &[u8], values: &[u8]| claims_little(&header(unpacked, values));
        assert!(claims(&[0xC8, 0x01], &[40]));
        assert!(!claims(b"\xFE\xFF\xFF\xFF\x0F", &[40]));
        assert!(!claims(&[0xC8, 0x01], b"\xFE\xFF\xFF\xFF\x0F"));
        assert!(!claims(&[0xC9, 0x01], &[40]) && !claims_little(&[0x15, 4]));
        assert!(claims_little(&[0x15, 4, 0x15, 0, 0x15, 1, 0]));
    }
}
