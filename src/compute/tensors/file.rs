//! A `.safetensors` file on disk, read by position: the header first, each tensor when it is asked
//! for. So a file that is cut, sparse or far larger than what it holds takes no memory, and one that
//! shrinks meanwhile is an error like any other.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use safetensors::tensor::{Metadata, TensorInfo};

use crate::files;

/// Bytes of the header's length field.
const PREFIX: u64 = 8;
/// Most bytes of a header; those of real files are a few hundred kB.
const LONGEST_HEADER: u64 = 32 << 20;

/// An opened file whose header is sound and agrees with its length.
pub struct TensorFile {
    file: Mutex<File>,
    header: Metadata,
    /// Where the tensors' bytes begin.
    start: u64,
}

impl TensorFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// It cannot be read; of the kind `InvalidData` when it is cut short or no such file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = files::open(path)?;
        let whole = file.metadata()?.len();
        let mut length = [0; PREFIX as usize];
        file.read_exact(&mut length)
            .map_err(|_| damaged("it is shorter than any tensor file"))?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEADER || length > whole - PREFIX {
            return Err(damaged("its header does not fit"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text)?;
        let header: Metadata = serde_json::from_slice(&text).map_err(damaged)?;
        let start = PREFIX + length;
        if start.checked_add(header.data_len() as u64) != Some(whole) {
            return Err(damaged("its length contradicts its header"));
        }
        Ok(Self {
            file: Mutex::new(file),
            header,
            start,
        })
    }

    /// Names, types, shapes and the file's own text.
    pub fn header(&self) -> &Metadata {
        &self.header
    }

    /// The bytes of one of its tensors.
    ///
    /// # Errors
    /// The file has become shorter or cannot be read, or memory does not suffice.
    pub fn bytes(&self, tensor: &TensorInfo) -> io::Result<Vec<u8>> {
        let (from, to) = tensor.data_offsets;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(to - from)?;
        bytes.resize(to - from, 0);
        self.fill(from, &mut bytes)?;
        Ok(bytes)
    }

    /// The numbers of one of its f32 tensors.
    ///
    /// # Errors
    /// As [`TensorFile::bytes`].
    pub fn numbers(&self, tensor: &TensorInfo) -> io::Result<Vec<f32>> {
        let (from, to) = tensor.data_offsets;
        let count = (to - from) / size_of::<f32>();
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(count)?;
        numbers.resize(count, 0.0);
        self.fill(from, bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }

    /// Fills a piece of memory with the bytes from `from` behind the header on.
    fn fill(&self, from: usize, memory: &mut [u8]) -> io::Result<()> {
        // A thread that panicked with the lock left a file position, which is set here anyway.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start + from as u64))?;
        file.read_exact(memory).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it has become shorter while it was read"),
            _ => error,
        })
    }
}

/// The error of a file that is cut or something else altogether.
fn damaged(why: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}
