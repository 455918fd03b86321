//! Reads tar archives entry by entry.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

use super::unpack::Unpacking;
use crate::message;
use crate::problem::Result;

/// Maximum number of bytes between the contents of two entries, such as headers with long names.
const MOST_HEADER: u64 = 1 << 20;

impl Unpacking<'_> {
    /// Unpacks a tar.
    pub fn tar(&mut self, reader: impl Read) -> Result<()> {
        self.tar_entries(reader, &mut |unpacking, name, mut content| {
            unpacking.file(name, &mut content)
        })
    }

    /// Calls `unpack` with the name and content of each file of a tar.
    pub fn tar_entries(
        &mut self,
        reader: impl Read,
        unpack: &mut dyn FnMut(&mut Self, &Path, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        // The tar crate reads a header completely into memory, so its size is limited; contents are counted separately.
        let allowance = Cell::new(MOST_HEADER);
        let mut archive = tar::Archive::new(Allowed {
            reader,
            left: &allowance,
        });
        let mut entries = archive.entries().map_err(|error| self.damaged(&error))?;
        loop {
            allowance.set(MOST_HEADER);
            let entry = entries.next();
            // Headers count towards the unpacked size, because a few packed bytes may become a name of 1 MB.
            self.unpacked(MOST_HEADER - allowance.get())?;
            let Some(entry) = entry else {
                return Ok(());
            };
            let mut entry = entry.map_err(|error| self.unreadable(&error))?;
            allowance.set(u64::MAX);
            self.count(entry.size())?;
            self.tar_entry(&mut entry, unpack)?;
            // The unread rest of an entry is also read, within the same limits.
            self.copy(&mut entry, &mut io::sink(), Path::new(""))?;
        }
    }

    fn tar_entry(
        &mut self,
        entry: &mut tar::Entry<'_, impl Read>,
        unpack: &mut dyn FnMut(&mut Self, &Path, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        let kind = entry.header().entry_type();
        let name = entry
            .path()
            .map_err(|error| self.damaged(&error))?
            .into_owned();
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
struct Allowed<'a, R> {
    reader: R,
    left: &'a Cell<u64>,
}

impl<R: Read> Read for Allowed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 {
            return Err(io::Error::other("the header of an entry is too long"));
        }
        let most = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.reader.read(&mut buffer[..most])?;
        self.left.set(left - read as u64);
        Ok(read)
    }
}
