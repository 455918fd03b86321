//! Named tensors in host memory, and the safetensors bytes they are kept in.
//!
//! Experts, optimiser state and snapshots pass through this form, so that files never depend on a
//! device. All values are f32.

pub mod file;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use burn::tensor::{DataError, Device, Tensor, TensorData};
use file::TensorFile;
use safetensors::tensor::{Dtype, View};

use crate::device;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::{Message, list_id};

/// A tensor's shape and its values in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// As many values as the shape says.
    pub values: Vec<f32>,
}

impl HostTensor {
    /// Returns a tensor of one axis.
    pub fn vector(values: Vec<f32>) -> Self {
        Self {
            shape: vec![values.len()],
            values,
        }
    }

    /// Copies a tensor from its device; waits for the device.
    ///
    /// # Errors
    /// Returns a Problem if the device failed on the way (out of memory, lost).
    pub fn read<const D: usize>(tensor: &Tensor<D>) -> Result<Self> {
        let shape = tensor.dims().to_vec();
        let failed = |error: String| device_problem(&error, Some(&tensor.device()));
        let data = tensor.clone().try_into_data();
        let data = data.map_err(|error| failed(error.to_string()))?;
        let values = data.try_to_vec::<f32>().map_err(|error| match error {
            // What was still to be fetched did not come.
            DataError::StorageAccess(_) => failed(error.to_string()),
            _ => Problem::new(message!(
                "problem-tensor-not-f32",
                error = format!("{error:?}")
            )),
        })?;
        Ok(Self { shape, values })
    }

    /// Returns max|self − expected| / max|expected|; infinity if shapes differ or a value is not finite.
    pub fn relative_error(&self, expected: &Self) -> f64 {
        if self.shape != expected.shape || self.values.iter().any(|value| !value.is_finite()) {
            return f64::INFINITY;
        }
        let (mut difference, mut largest) = (0f64, f64::MIN_POSITIVE);
        for (&found, &expected) in self.values.iter().zip(&expected.values) {
            difference = difference.max(f64::from((found - expected).abs()));
            largest = largest.max(f64::from(expected.abs()));
        }
        difference / largest
    }

    /// A matrix with rows and columns swapped.
    #[must_use]
    pub fn turned(&self) -> Self {
        let columns = self.shape.last().copied().unwrap_or(0);
        let rows = self.values.len() / columns.max(1);
        let value = |at: usize| self.values[at % rows * columns + at / rows];
        Self {
            shape: vec![columns, rows],
            values: (0..self.values.len()).map(value).collect(),
        }
    }

    /// Puts the values on a device.
    ///
    /// # Errors
    /// Returns a Problem if the number of axes is not `D`.
    pub fn to_device<const D: usize>(&self, device: &Device) -> Result<Tensor<D>> {
        if self.shape.len() != D {
            return Err(Problem::new(message!(
                "problem-tensor-axes-mismatch",
                shape = format!("{:?}", self.shape),
                d = D.to_string()
            )));
        }
        let data = TensorData::new(self.values.clone(), self.shape.clone());
        Ok(Tensor::from_data(data, device))
    }
}

/// Checks that every value of these tensors is a finite number.
///
/// # Errors
/// Returns a Problem that names the first tensor with another value.
pub fn all_finite(tensors: &Named) -> Result<()> {
    let broken = tensors
        .iter()
        .find(|(_, tensor)| tensor.values.iter().any(|value| !value.is_finite()));
    match broken {
        None => Ok(()),
        Some((name, _)) => Err(not_finite("what was learned").at(name)),
    }
}

/// Something that was computed and is of no use.
pub fn not_finite(what: &str) -> Problem {
    let what = Message::of_list(list_id("finite", what, "what"), what);
    Problem::new(message!("problem-values-not-finite", what = what))
        .advise(message!("advice-use-smaller-base-lr"))
}

/// How the Problem of a device without room begins.
pub const OUT_OF_MEMORY: &str = "the device ran out of memory";

/// Says what a failure of a device means for the user, of one that is known or of any. What the driver said
/// goes to the log.
pub fn device_problem(error: &str, on: Option<&Device>) -> Problem {
    tracing::error!("a device failed: {error}");
    let lower = error.to_lowercase();
    let lost = is_loss(&lower);
    if lost {
        device::lost(on);
    }
    // Asked in any case, so that what was noted is not the cause of what fails next.
    let full = device::was_full() || is_full(&lower);
    match (full, lost) {
        (true, _) => Problem::new(message!("problem-device-out-of-memory"))
            .at("--micro-batch")
            .advise(message!("advice-use-smaller-micro-batch")),
        (false, true) => Problem::new(message!("problem-device-lost-reset"))
            .advise(message!("advice-restart-and-resume")),
        (false, false) => Problem::new(message!(
            "problem-device-failed",
            error = in_one_line(error).to_string()
        ))
        .advise(message!("advice-resume-from-last-epoch")),
    }
}

/// What a framework says over several lines, without uninformative ones.
fn in_one_line(error: &str) -> String {
    let told = error.lines().map(str::trim).filter(|line| {
        let empty = [
            "",
            "Caused by:",
            "Asked at:",
            "Backtrace",
            "No backtrace available",
        ];
        !empty.contains(line)
    });
    told.collect::<Vec<_>>()
        .join("; ")
        .chars()
        .take(300)
        .collect()
}

/// Whether what a driver or the framework says (in small letters) means that a device has no memory left.
/// What waited for memory that was never written is named by the framework, too, whatever the cause: the
/// word alone says nothing.
pub fn is_full(error: &str) -> bool {
    let words = [
        "out of memory",
        "out-of-memory",
        "out of device memory",
        "can't allocate",
    ];
    words.iter().any(|words| error.contains(words))
}

/// Whether what a driver or the framework says (in small letters) means that a device is gone.
pub fn is_loss(error: &str) -> bool {
    error.contains("device is lost") || error.contains("device is poisoned")
}

/// Tensors by name.
pub type Named = BTreeMap<String, HostTensor>;

/// A tensor by name, or a Problem that names it.
///
/// # Errors
/// When there is none of that name.
pub fn named<'a>(tensors: &'a Named, name: &str) -> Result<&'a HostTensor> {
    tensors
        .get(name)
        .ok_or_else(|| Problem::new(message!("problem-tensor-missing", name = name.to_string())))
}

/// A tensor by name that has this shape, or a Problem that names it.
///
/// # Errors
/// When there is none of that name, or it has another shape.
pub fn shaped<'a>(tensors: &'a Named, name: &str, shape: &[usize]) -> Result<&'a HostTensor> {
    let tensor = named(tensors, name)?;
    if tensor.shape == shape {
        return Ok(tensor);
    }
    let found = &tensor.shape;
    Err(Problem::new(message!(
        "problem-tensor-shape-mismatch",
        name = name.to_string(),
        found = format!("{found:?}"),
        shape = format!("{shape:?}")
    )))
}

/// A tensor whose values are made while they are written, because a copy of them would take too much
/// memory.
pub struct Made<'a> {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// As many values as the shape says, in row-major order.
    pub values: Box<dyn Iterator<Item = f32> + 'a>,
}

/// Such tensors by name.
pub type Bulk<'a> = BTreeMap<String, Made<'a>>;

/// The safetensors bytes of these tensors, with text metadata.
///
/// # Errors
/// Returns a Problem if a shape contradicts its number of values.
pub fn to_bytes(tensors: &Named, metadata: HashMap<String, String>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes, tensors, Bulk::new(), metadata).map_err(|error| {
        Problem::new(message!(
            "problem-tensors-unwritten",
            error = error.to_string()
        ))
    })?;
    Ok(bytes)
}

/// Writes these bytes tensor by tensor, those of `bulk` as they are made.
///
/// # Errors
/// The target cannot be written, or a shape contradicts its number of values.
pub fn write(
    out: &mut dyn Write,
    tensors: &Named,
    mut bulk: Bulk<'_>,
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
    // In the order of the header: by name.
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

/// Writes values piece by piece; returns their number.
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

/// The place of a tensor in a header, without its values.
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

/// Reads such a file back, with its metadata; `doing` completes "could not …".
///
/// # Errors
/// Returns a Problem for a file that cannot be read, a cut or foreign one, or a tensor that is not f32.
pub fn load(path: &Path, doing: &str) -> Result<(Named, HashMap<String, String>)> {
    load_some(path, doing, |_| true)
}

/// The same of the tensors with the requested names.
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

/// Opens such a file.
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
    use super::*;

    #[test]
    fn errors_are_relative_to_the_largest_value_and_nan_is_caught() {
        let tensor = |values: &[f32]| HostTensor {
            shape: vec![values.len()],
            values: values.to_vec(),
        };
        let error = tensor(&[1.0, 4.1]).relative_error(&tensor(&[1.0, 4.0]));
        assert!((error - 0.025).abs() < 1e-6);
        let broken = tensor(&[f32::NAN]).relative_error(&tensor(&[1.0]));
        assert!(broken.is_infinite());
        let shorter = tensor(&[1.0]).relative_error(&tensor(&[1.0, 2.0]));
        assert!(shorter.is_infinite());
    }

    #[test]
    fn tensors_survive_the_bytes_and_a_cut_file_is_a_problem() {
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
        // While it is read, somebody cuts it: an error, and no fault of the bus.
        let file = TensorFile::open(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let error = file.bytes(file.header().info("a").unwrap()).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.place.ends_with("task_1.safetensors"), "{problem}");
        // Made while it is written, it reads like any other.
        let values = [0.5, -1.0, 2.0];
        let made = Made {
            shape: vec![3],
            values: Box::new(values.into_iter()),
        };
        let mut mixed = Vec::new();
        let bulk = Bulk::from([("Z.made".to_string(), made)]);
        write(&mut mixed, &named, bulk, meta).unwrap();
        std::fs::write(&path, &mixed).unwrap();
        let (read, _) = load(&path, "read it").unwrap();
        assert_eq!(
            (&read["a"], read["Z.made"].values.as_slice()),
            (&named["a"], &values[..])
        );
        let (read, _) = load_some(&path, "read it", |name| name == "a").unwrap();
        assert_eq!(read, named);
        let short = Made {
            shape: vec![4],
            values: Box::new(values.into_iter()),
        };
        let bulk = Bulk::from([("short".to_string(), short)]);
        assert!(write(&mut Vec::new(), &named, bulk, HashMap::new()).is_err());
        // Sparse, and of another kind.
        let sparse = std::fs::File::create(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let problem = load(&path, "read it").unwrap_err();
        assert!(problem.is("problem-tensor-file-unreadable"), "{problem}");
    }
}
