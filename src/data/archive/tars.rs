//! Reads tar archives entry by entry.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

use super::unpack::Unpacker;
use crate::message;
use crate::problem::Result;

/// Maximum number of bytes between the contents of two entries, such as headers with long names.
const MAX_HEADER_BYTES: u64 = 1 << 20;

impl Unpacker<'_> {
    /// Unpacks a tar.
    pub fn unpack_tar(&mut self, reader: impl Read) -> Result<()> {
        self.for_each_tar_entry(reader, &mut |unpacker, name, mut content| {
            unpacker.write_file(name, &mut content).map(drop)
        })
    }

    /// Calls `unpack` with the name and content of each file of a tar.
    pub fn for_each_tar_entry(
        &mut self,
        reader: impl Read,
        unpack: &mut dyn FnMut(&mut Self, &Path, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        // The tar crate reads a header completely into memory, so its size is limited; contents are counted separately.
        let allowance = Cell::new(MAX_HEADER_BYTES);
        let mut archive = tar::Archive::new(LimitedReader { reader, remaining: &allowance });
        let mut entries = archive.entries().map_err(|error| self.damaged(&error))?;
        loop {
            allowance.set(MAX_HEADER_BYTES);
            let entry = entries.next();
            // Headers count towards the unpacked size, because a few packed bytes may become a name of 1 MB.
            self.count_bytes(MAX_HEADER_BYTES - allowance.get())?;
            let Some(entry) = entry else {
                return Ok(());
            };
            let mut entry = entry.map_err(|error| self.unreadable(&error))?;
            allowance.set(u64::MAX);
            self.count_entry(entry.size())?;
            self.visit_tar_entry(&mut entry, unpack)?;
            // The unread rest of an entry is also read, within the same limits.
            self.copy_content(&mut entry, &mut io::sink(), Path::new(""))?;
        }
    }

    fn visit_tar_entry(
        &mut self,
        entry: &mut tar::Entry<'_, impl Read>,
        unpack: &mut dyn FnMut(&mut Self, &Path, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        let kind = entry.header().entry_type();
        let name = entry.path().map_err(|error| self.damaged(&error))?.into_owned();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            return Ok(());
        }
        if !kind.is_file() && !kind.is_contiguous() {
            self.skip(&name, message!("skip-archive-link"));
            return Ok(());
        }
        unpack(self, &name, entry)
    }
}

/// A reader that fails after this number of bytes.
struct LimitedReader<'a, R> {
    reader: R,
    remaining: &'a Cell<u64>,
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let remaining = self.remaining.get();
        if remaining == 0 {
            return Err(io::Error::other("the header of an entry is too long"));
        }
        let max_len = buffer.len().min(usize::try_from(remaining).unwrap_or(usize::MAX));
        let count = self.reader.read(&mut buffer[..max_len])?;
        self.remaining.set(remaining - count as u64);
        Ok(count)
    }
}
