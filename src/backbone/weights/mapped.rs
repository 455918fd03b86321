//! Part of a file as memory. Each tensor is mapped on its own and let go after it was read, so
//! the pages of a large file never pile up in the process.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::{Mmap, MmapOptions};

/// A mapped range of a file.
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps `length` bytes from `offset`. A range beyond the end of the file is an error.
    pub fn range(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let end = offset.checked_add(length as u64);
        if end.is_none_or(|end| file.metadata().is_ok_and(|meta| meta.len() < end)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut options = MmapOptions::new();
        options.offset(offset).len(length);
        #[allow(
            unsafe_code,
            reason = "mapping a file has no safe form: another program could change it meanwhile; \
                      the bytes are only copied out as numbers, for which any bit pattern is valid"
        )]
        let map = unsafe { options.map(file) }?;
        Ok(Self(map))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
