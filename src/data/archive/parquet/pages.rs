//! Checks the pages of a Parquet file. The crate trusts their headers, in which a few bytes can claim gigabytes.

use std::fs::File;
use std::io::BufReader;

use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Size of the footer in bytes, which is not checked as a page.
const FOOTER: u64 = 8;
/// Maximum size of a page header in bytes; it includes the smallest and largest value of the page.
const MAX_HEADER_BYTES: u64 = 64 << 10;
/// Maximum ratio of unpacked to packed size of a page; Snappy reaches 22.
const MAX_RATIO: u64 = 32;

/// A file whose pages are checked before they are unpacked.
pub(super) struct CheckedPages(pub File);

impl Length for CheckedPages {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for CheckedPages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let rest = self.len().saturating_sub(start);
        if rest > FOOTER {
            let header = self.0.get_bytes(start, rest.min(MAX_HEADER_BYTES) as usize)?;
            if !is_plausible(&header) {
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
fn is_plausible(header: &[u8]) -> bool {
    let mut sizes = PageSizes::default();
    let is_parsed = ThriftReader(header).read_struct(&[], &mut sizes).is_some();
    let max_unpacked = sizes.packed.saturating_mul(MAX_RATIO).saturating_add(FOOTER);
    is_parsed && sizes.unpacked <= max_unpacked && sizes.values <= sizes.unpacked
}

#[derive(Default)]
struct PageSizes {
    unpacked: u64,
    packed: u64,
    values: u64,
}

/// Bytes in Thrift's compact protocol.
struct ThriftReader<'a>(&'a [u8]);

impl ThriftReader<'_> {
    /// Reads a structure that is nested in these field ids; `None` if it is damaged.
    fn read_struct(&mut self, outer: &[u64], sizes: &mut PageSizes) -> Option<()> {
        let mut id = 0;
        loop {
            let byte = u64::from(self.read_byte()?);
            let (step, kind) = (byte >> 4, byte & 15);
            if kind == 0 {
                return Some(());
            }
            id = match step {
                0 => self.read_number()?,
                step => id + step,
            };
            match (kind, outer) {
                // The value of a boolean is part of the kind.
                (1 | 2, _) => {}
                (3, _) => _ = self.read_byte()?,
                (4..=6, _) => {
                    let number = self.read_number()?;
                    match (outer, id) {
                        ([], 2) => sizes.unpacked = number,
                        ([], 3) => sizes.packed = number,
                        ([7], 1) => sizes.values = number,
                        _ => {}
                    }
                }
                (7, _) => self.skip(8)?,
                (8, _) => {
                    let length = self.read_varint()?;
                    self.skip(usize::try_from(length).ok()?)?;
                }
                (12, []) => self.read_struct(&[id], sizes)?,
                (12, [parent_id]) => self.read_struct(&[*parent_id, id], sizes)?,
                // Headers have no lists, and no further structures.
                _ => return None,
            }
        }
    }

    fn read_byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.0 = self.0.get(length..)?;
        Some(())
    }

    fn read_varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.read_byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a zigzag-encoded number; negative numbers give `u64::MAX`.
    fn read_number(&mut self) -> Option<u64> {
        let number = self.read_varint()?;
        Some(if number & 1 == 1 { u64::MAX } else { number >> 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_plausible_rejects_oversized_pages() {
        // A page of 100 bytes packed into 50, with a dictionary of this number of values.
        let header = |unpacked: &[u8], values: &[u8]| {
            let sizes = [&[0x15, 4, 0x15], unpacked, &[0x15, 100]].concat();
            [&sizes, &[0x4C, 0x15][..], values, &[0x15, 0, 0, 0]].concat()
        };
        let check = |unpacked: &[u8], values: &[u8]| is_plausible(&header(unpacked, values));
        assert!(check(&[0xC8, 0x01], &[40]));
        assert!(!check(b"\xFE\xFF\xFF\xFF\x0F", &[40]));
        assert!(!check(&[0xC8, 0x01], b"\xFE\xFF\xFF\xFF\x0F"));
        assert!(!check(&[0xC9, 0x01], &[40]) && !is_plausible(&[0x15, 4]));
        assert!(is_plausible(&[0x15, 4, 0x15, 0, 0x15, 1, 0]));
    }
}
