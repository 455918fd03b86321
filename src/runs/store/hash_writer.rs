//! Hashes data while it is written.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// A writer that passes bytes to the inner writer and adds them to a SHA-256 hash.
pub(super) struct Hashed<'a>(pub &'a mut dyn Write, pub &'a mut Sha256);

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
