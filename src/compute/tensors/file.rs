//! Reads and writes `.safetensors` files.
//!
//! Files are read by position: first the header, then each tensor when it is requested. So a file that is truncated,
//! sparse or much larger than its tensors needs no memory, and one that is truncated while it is read causes an
//! ordinary error.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use safetensors::tensor::{Dtype, Metadata, TensorInfo, View};

use super::{GeneratedTensors, HostTensor, Named};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// Size of the header's length field in bytes.
const PREFIX: u64 = 8;
/// Largest accepted size of a header in bytes; real headers have a few hundred kB.
const LONGEST_HEADER: u64 = 32 << 20;

/// An opened file with a valid header that matches the file's length.
pub struct TensorFile {
    file: Mutex<File>,
    header: Metadata,
    /// Offset of the tensors' bytes.
    start: u64,
}

impl TensorFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read; its kind is `InvalidData` if the file is truncated or not a
    /// tensor file.
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

    /// Returns the header: names, types, shapes and metadata.
    pub fn header(&self) -> &Metadata {
        &self.header
    }

    /// Returns the bytes of a tensor.
    ///
    /// # Errors
    /// Returns an error if the file was truncated, cannot be read, or memory is insufficient.
    pub fn bytes(&self, tensor: &TensorInfo) -> io::Result<Vec<u8>> {
        let (from, to) = tensor.data_offsets;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(to - from)?;
        bytes.resize(to - from, 0);
        self.fill(from, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the values of an f32 tensor.
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

    /// Fills `memory` with the bytes from `from` after the header.
    fn fill(&self, from: usize, memory: &mut [u8]) -> io::Result<()> {
        // A panic of another thread can only leave another file position, which is set here anyway.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start + from as u64))?;
        file.read_exact(memory).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => damaged("it has become shorter while it was read"),
            _ => error,
        })
    }
}

/// Returns the error of a file that is damaged or not a tensor file.
fn damaged(why: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.to_string())
}

/// Returns these tensors in the safetensors format, with text metadata.
///
/// # Errors
/// Returns a Problem if a shape does not match its number of values.
pub fn to_bytes(tensors: &Named, metadata: HashMap<String, String>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes, tensors, GeneratedTensors::new(), metadata).map_err(|error| {
        Problem::new(message!(
            "problem-tensors-unwritten",
            error = error.to_string()
        ))
    })?;
    Ok(bytes)
}

/// Writes tensors in the safetensors format, one after another; those of `bulk` are generated while they are written.
///
/// # Errors
/// Returns an error if `out` cannot be written, or a shape does not match its number of values.
pub fn write(
    out: &mut dyn Write,
    tensors: &Named,
    mut bulk: GeneratedTensors<'_>,
    metadata: HashMap<String, String>,
) -> io::Result<()> {
    let shapes = tensors.iter().map(|(name, tensor)| (name, &tensor.shape));
    let shapes = shapes.chain(bulk.iter().map(|(name, made)| (name, &made.shape)));
    let shapes: BTreeMap<String, Vec<usize>> = shapes
        .map(|(name, shape)| (name.clone(), shape.clone()))
        .collect();
    let views = shapes.iter().map(|(name, shape)| (name, Outline(shape)));
    let header = safetensors::serialize(views, Some(metadata)).map_err(io::Error::other)?;
    out.write_all(&header)?;
    // The header is ordered by name.
    for (name, shape) in &shapes {
        let written = match (bulk.remove(name), tensors.get(name)) {
            (Some(made), _) => write_values(out, made.values)?,
            (None, Some(tensor)) => {
                out.write_all(bytemuck::cast_slice(&tensor.values))?;
                tensor.values.len()
            }
            (None, None) => 0,
        };
        if written != shape.iter().product::<usize>() {
            let what = format!("the tensor {name} has {written} values and the shape {shape:?}");
            return Err(io::Error::other(what));
        }
    }
    Ok(())
}

/// Writes values in pieces; returns their number.
fn write_values(out: &mut dyn Write, values: impl Iterator<Item = f32>) -> io::Result<usize> {
    const PIECE: usize = 1 << 14;
    let (mut piece, mut count) = (Vec::with_capacity(PIECE), 0);
    for value in values {
        piece.push(value);
        count += 1;
        if piece.len() == PIECE {
            out.write_all(bytemuck::cast_slice(&piece))?;
            piece.clear();
        }
    }
    out.write_all(bytemuck::cast_slice(&piece))?;
    Ok(count)
}

/// The header entry of a tensor, without its values.
struct Outline<'a>(&'a [usize]);

impl View for Outline<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.0
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&[])
    }

    fn data_len(&self) -> usize {
        self.0.iter().product::<usize>() * size_of::<f32>()
    }
}

/// Reads all tensors of a file, with its metadata. `doing` completes "could not …" in Problems.
///
/// # Errors
/// Returns a Problem if the file cannot be read, is damaged or not a tensor file, or contains a tensor that is not
/// f32.
pub fn load(path: &Path, doing: &str) -> Result<(Named, HashMap<String, String>)> {
    load_some(path, doing, |_| true)
}

/// Reads the tensors for whose names `wanted` is true, with the metadata of the file.
///
/// # Errors
/// As [`load`].
pub fn load_some(
    path: &Path,
    doing: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<(Named, HashMap<String, String>)> {
    let file = open(path, doing)?;
    let mut tensors = Named::new();
    let all = file.header().tensors().into_iter();
    for (name, info) in all.filter(|(name, _)| wanted(name)) {
        if info.dtype != Dtype::F32 {
            return Err(broken(path, format!("{name} is not f32")));
        }
        let tensor = HostTensor {
            shape: info.shape.clone(),
            values: file
                .numbers(info)
                .map_err(|error| unreadable(path, doing, &error))?,
        };
        tensors.insert(name, tensor);
    }
    Ok((
        tensors,
        file.header().metadata().clone().unwrap_or_default(),
    ))
}

/// Opens a tensor file. `doing` completes "could not …" in Problems.
///
/// # Errors
/// As [`load`].
pub fn open(path: &Path, doing: &str) -> Result<TensorFile> {
    TensorFile::open(path).map_err(|error| unreadable(path, doing, &error))
}

fn unreadable(path: &Path, doing: &str, error: &io::Error) -> Problem {
    match error.kind() {
        ErrorKind::InvalidData => broken(path, error.to_string()),
        _ => Problem::io(doing, path, error),
    }
}

fn broken(path: &Path, why: String) -> Problem {
    Problem::new(message!(
        "problem-tensor-file-unreadable",
        why = why.to_string()
    ))
    .at_path(path)
    .advise(message!("advice-use-earlier-snapshot"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::GeneratedTensor;
    use super::*;

    #[test]
    fn roundtrips_tensors_and_rejects_truncated_file() {
        let tensor = HostTensor {
            shape: vec![2, 2],
            values: vec![1.0, -2.5, f32::MIN_POSITIVE, 0.0],
        };
        let named = Named::from([("a".to_string(), tensor)]);
        let meta = HashMap::from([("kind".to_string(), "snapshot".to_string())]);
        let bytes = to_bytes(&named, meta.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task_1.safetensors");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(
            load(&path, "read it").unwrap(),
            (named.clone(), meta.clone())
        );
        // Truncating the file while it is open must cause an error, not a bus error.
        let file = TensorFile::open(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let error = file.bytes(file.header().info("a").unwrap()).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.place.ends_with("task_1.safetensors"), "{problem}");
        // Generated tensors are read like any others.
        let values = [0.5, -1.0, 2.0];
        let made = GeneratedTensor {
            shape: vec![3],
            values: Box::new(values.into_iter()),
        };
        let mut mixed = Vec::new();
        let bulk = GeneratedTensors::from([("Z.made".to_string(), made)]);
        write(&mut mixed, &named, bulk, meta).unwrap();
        std::fs::write(&path, &mixed).unwrap();
        let (read, _) = load(&path, "read it").unwrap();
        assert_eq!(
            (&read["a"], read["Z.made"].values.as_slice()),
            (&named["a"], &values[..])
        );
        let (read, _) = load_some(&path, "read it", |name| name == "a").unwrap();
        assert_eq!(read, named);
        let short = GeneratedTensor {
            shape: vec![4],
            values: Box::new(values.into_iter()),
        };
        let bulk = GeneratedTensors::from([("short".to_string(), short)]);
        assert!(write(&mut Vec::new(), &named, bulk, HashMap::new()).is_err());
        // A sparse file that is not a tensor file.
        let sparse = std::fs::File::create(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.is("problem-tensor-file-unreadable"), "{problem}");
    }
}
