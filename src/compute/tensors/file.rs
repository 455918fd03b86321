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
use std::sync::Mutex;

use safetensors::tensor::{Dtype, Metadata, TensorInfo, View};

use super::{GeneratedTensors, HostTensor, NamedTensors};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// Size of the header's length field in bytes.
const LENGTH_BYTES: u64 = 8;
/// Largest accepted size of a header in bytes; real headers have a few hundred kB.
const MAX_HEADER_BYTES: u64 = 32 << 20;

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
        let file_length = file.metadata()?.len();
        let mut length = [0; LENGTH_BYTES as usize];
        file.read_exact(&mut length)
            .map_err(|_| invalid_data("it is shorter than any tensor file"))?;
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER_BYTES || length > file_length - LENGTH_BYTES {
            return Err(invalid_data("its header does not fit"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text)?;
        let header: Metadata = serde_json::from_slice(&text).map_err(invalid_data)?;
        let start = LENGTH_BYTES + length;
        if start.checked_add(header.data_len() as u64) != Some(file_length) {
            return Err(invalid_data("its length contradicts its header"));
        }
        Ok(Self { file: Mutex::new(file), header, start })
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
        self.read_at(from, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the values of an f32 tensor.
    ///
    /// # Errors
    /// As [`TensorFile::bytes`].
    pub fn values(&self, tensor: &TensorInfo) -> io::Result<Vec<f32>> {
        let (from, to) = tensor.data_offsets;
        let count = (to - from) / size_of::<f32>();
        let mut values = Vec::new();
        values.try_reserve_exact(count)?;
        values.resize(count, 0.0);
        self.read_at(from, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Fills `buffer` with the bytes from `from` after the header.
    fn read_at(&self, from: usize, buffer: &mut [u8]) -> io::Result<()> {
        // A panic of another thread can only leave another file position, which is set here anyway.
        let mut file = lock(&self.file);
        file.seek(SeekFrom::Start(self.start + from as u64))?;
        file.read_exact(buffer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => invalid_data("it has become shorter while it was read"),
            _ => error,
        })
    }
}

/// Returns the error of a file that is damaged or not a tensor file.
fn invalid_data(reason: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason.to_string())
}

/// Returns these tensors in the safetensors format, with text metadata.
///
/// # Errors
/// Returns a Problem if a shape does not match its number of values.
pub fn to_bytes(tensors: &NamedTensors, metadata: HashMap<String, String>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes, tensors, GeneratedTensors::new(), metadata).map_err(|error| {
        Problem::new(message!("problem-tensors-unwritten", error = error.to_string()))
    })?;
    Ok(bytes)
}

/// Writes tensors in the safetensors format, one after another; `generated` ones are computed while writing.
///
/// # Errors
/// Returns an error if `out` cannot be written, or a shape does not match its number of values.
pub fn write(
    out: &mut dyn Write,
    tensors: &NamedTensors,
    mut generated: GeneratedTensors<'_>,
    metadata: HashMap<String, String>,
) -> io::Result<()> {
    let shapes = tensors.iter().map(|(name, tensor)| (name, &tensor.shape));
    let shapes = shapes.chain(generated.iter().map(|(name, tensor)| (name, &tensor.shape)));
    let shapes: BTreeMap<String, Vec<usize>> =
        shapes.map(|(name, shape)| (name.clone(), shape.clone())).collect();
    let views = shapes.iter().map(|(name, shape)| (name, HeaderEntry(shape)));
    let header = safetensors::serialize(views, Some(metadata)).map_err(io::Error::other)?;
    out.write_all(&header)?;
    // The header is ordered by name.
    for (name, shape) in &shapes {
        let written = match (generated.remove(name), tensors.get(name)) {
            (Some(tensor), _) => write_values(out, tensor.values)?,
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
    const CHUNK: usize = 1 << 14;
    let (mut chunk, mut count) = (Vec::with_capacity(CHUNK), 0);
    for value in values {
        chunk.push(value);
        count += 1;
        if chunk.len() == CHUNK {
            out.write_all(bytemuck::cast_slice(&chunk))?;
            chunk.clear();
        }
    }
    out.write_all(bytemuck::cast_slice(&chunk))?;
    Ok(count)
}

/// The header entry of a tensor, without its values.
struct HeaderEntry<'a>(&'a [usize]);

impl View for HeaderEntry<'_> {
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

/// Reads all tensors of a file, with its metadata. `action` completes "could not …" in Problems.
///
/// # Errors
/// Returns a Problem if the file cannot be read, is damaged or not a tensor file, or contains a tensor that is not
/// f32.
pub fn load(path: &Path, action: &str) -> Result<(NamedTensors, HashMap<String, String>)> {
    load_matching(path, action, |_| true)
}

/// Reads the tensors whose names satisfy `predicate`, with the metadata of the file.
///
/// # Errors
/// As [`load`].
pub fn load_matching(
    path: &Path,
    action: &str,
    predicate: impl Fn(&str) -> bool,
) -> Result<(NamedTensors, HashMap<String, String>)> {
    let file = open(path, action)?;
    let mut tensors = NamedTensors::new();
    let tensor_infos = file.header().tensors().into_iter();
    for (name, info) in tensor_infos.filter(|(name, _)| predicate(name)) {
        if info.dtype != Dtype::F32 {
            return Err(broken_file_problem(path, format!("{name} is not f32")));
        }
        let tensor = HostTensor {
            shape: info.shape.clone(),
            values: file.values(info).map_err(|error| read_problem(path, action, &error))?,
        };
        tensors.insert(name, tensor);
    }
    Ok((tensors, file.header().metadata().clone().unwrap_or_default()))
}

/// Opens a tensor file. `action` completes "could not …" in Problems.
///
/// # Errors
/// As [`load`].
pub fn open(path: &Path, action: &str) -> Result<TensorFile> {
    TensorFile::open(path).map_err(|error| read_problem(path, action, &error))
}

fn read_problem(path: &Path, action: &str, error: &io::Error) -> Problem {
    match error.kind() {
        ErrorKind::InvalidData => broken_file_problem(path, error.to_string()),
        _ => Problem::io(action, path, error),
    }
}

fn broken_file_problem(path: &Path, why: String) -> Problem {
    Problem::new(message!("problem-tensor-file-unreadable", why))
        .at_path(path)
        .advise(message!("advice-use-earlier-snapshot"))
}

#[cfg(test)]
mod tests {
    use super::super::GeneratedTensor;
    use super::*;

    #[test]
    fn roundtrips_tensors_and_rejects_truncated_file() {
        let tensor =
            HostTensor { shape: vec![2, 2], values: vec![1.0, -2.5, f32::MIN_POSITIVE, 0.0] };
        let tensors = NamedTensors::from([("a".to_string(), tensor)]);
        let meta = HashMap::from([("kind".to_string(), "snapshot".to_string())]);
        let bytes = to_bytes(&tensors, meta.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task_1.safetensors");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(load(&path, "read it").unwrap(), (tensors.clone(), meta.clone()));
        // Truncating the file while it is open must cause an error, not a bus error.
        let file = TensorFile::open(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let error = file.bytes(file.header().info("a").unwrap()).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.place.ends_with("task_1.safetensors"), "{problem}");
        // Generated tensors are read like any others.
        let values = [0.5, -1.0, 2.0];
        let generated_tensor =
            GeneratedTensor { shape: vec![3], values: Box::new(values.into_iter()) };
        let mut file_bytes = Vec::new();
        let generated = GeneratedTensors::from([("Z.made".to_string(), generated_tensor)]);
        write(&mut file_bytes, &tensors, generated, meta).unwrap();
        std::fs::write(&path, &file_bytes).unwrap();
        let (loaded, _) = load(&path, "read it").unwrap();
        assert_eq!(
            (&loaded["a"], loaded["Z.made"].values.as_slice()),
            (&tensors["a"], &values[..])
        );
        let (loaded, _) = load_matching(&path, "read it", |name| name == "a").unwrap();
        assert_eq!(loaded, tensors);
        let short = GeneratedTensor { shape: vec![4], values: Box::new(values.into_iter()) };
        let generated = GeneratedTensors::from([("short".to_string(), short)]);
        assert!(write(&mut Vec::new(), &tensors, generated, HashMap::new()).is_err());
        // A sparse file that is not a tensor file.
        let sparse = std::fs::File::create(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.is("problem-tensor-file-unreadable"), "{problem}");
    }
}
