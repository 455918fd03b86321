//! Named tensors in host memory, and their safetensors form.
//!
//! Experts, optimiser state and snapshots are stored in this form, so files never depend on a device. All values are
//! f32.

pub mod file;

use std::collections::BTreeMap;

use burn::tensor::{DataError, Device, Tensor, TensorData};
pub use file::{load, load_matching, open, to_bytes, write};

use crate::device;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::{Message, list_id};

/// A tensor's shape and its values in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The values; their number is the product of `shape`.
    pub values: Vec<f32>,
}

impl HostTensor {
    /// Returns a tensor of rank 1.
    pub fn vector(values: Vec<f32>) -> Self {
        Self { shape: vec![values.len()], values }
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
            // The pending result did not arrive.
            DataError::StorageAccess(_) => failed(error.to_string()),
            _ => Problem::new(message!("problem-tensor-not-f32", error = format!("{error:?}"))),
        })?;
        Ok(Self { shape, values })
    }

    /// Checks the shape of a tensor with this name.
    ///
    /// # Errors
    /// Returns a Problem with the name if it has another shape.
    pub fn check_shape(&self, name: &str, shape: &[usize]) -> Result<()> {
        if self.shape == shape {
            return Ok(());
        }
        let found = &self.shape;
        Err(Problem::new(message!(
            "problem-tensor-shape-mismatch",
            name,
            found = format!("{found:?}"),
            shape = format!("{shape:?}")
        )))
    }

    /// Returns max|self − expected| / max|expected|; infinity if shapes differ or a value of either is not finite.
    pub fn relative_error(&self, expected: &Self) -> f64 {
        let mut values = self.values.iter().chain(&expected.values);
        if self.shape != expected.shape || values.any(|value| !value.is_finite()) {
            return f64::INFINITY;
        }
        let (mut difference, mut largest) = (0f64, f64::MIN_POSITIVE);
        for (&found, &expected) in self.values.iter().zip(&expected.values) {
            difference = difference.max(f64::from((found - expected).abs()));
            largest = largest.max(f64::from(expected.abs()));
        }
        difference / largest
    }

    /// Returns the transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let columns = self.shape.last().copied().unwrap_or(0);
        let rows = self.values.len() / columns.max(1);
        let value = |index: usize| self.values[index % rows * columns + index / rows];
        Self { shape: vec![columns, rows], values: (0..self.values.len()).map(value).collect() }
    }

    /// Copies the values to a device.
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
pub fn check_finite(tensors: &NamedTensors) -> Result<()> {
    let invalid =
        tensors.iter().find(|(_, tensor)| tensor.values.iter().any(|value| !value.is_finite()));
    match invalid {
        None => Ok(()),
        Some((name, _)) => Err(not_finite_problem("the learned model").at(name)),
    }
}

/// Returns the Problem of a computed result that is not finite.
pub fn not_finite_problem(what: &str) -> Problem {
    let what = Message::with_english(list_id("finite", what, "what"), what);
    Problem::new(message!("problem-values-not-finite", what))
        .advise(message!("advice-use-smaller-base-lr"))
}

/// Returns the Problem that explains to the user that a device (`failed_device`, if known) failed. The driver's
/// message goes to the log.
pub fn device_problem(error: &str, failed_device: Option<&Device>) -> Problem {
    tracing::error!("a device failed: {error}");
    let lower = error.to_lowercase();
    let lost = is_device_lost(&lower);
    if lost {
        device::record_lost(failed_device);
    }
    // Always read, so that an earlier error is not taken for the cause of the next one.
    let full = device::take_out_of_memory() || is_out_of_memory(&lower);
    match (full, lost) {
        (true, _) => Problem::new(message!("problem-device-out-of-memory"))
            .at("--micro-batch")
            .advise(message!("advice-use-smaller-micro-batch")),
        (false, true) => Problem::new(message!("problem-device-lost-reset"))
            .advise(message!("advice-restart-and-resume")),
        (false, false) => {
            Problem::new(message!("problem-device-failed", error = to_single_line(error)))
                .advise(message!("advice-resume-from-last-epoch"))
        }
    }
}

/// Returns a framework's message in one line, without its uninformative lines.
fn to_single_line(error: &str) -> String {
    let lines = error.lines().map(str::trim).filter(|line| {
        let skipped = ["", "Caused by:", "Asked at:", "Backtrace", "No backtrace available"];
        !skipped.contains(line)
    });
    lines.collect::<Vec<_>>().join("; ").chars().take(300).collect()
}

/// Returns whether a message of a driver or the framework (in lower case) means that a device is out of memory. The
/// framework also mentions memory when it waits for a buffer that was never written, whatever the cause, so the word
/// alone is not enough.
pub fn is_out_of_memory(error: &str) -> bool {
    let words = ["out of memory", "out-of-memory", "out of device memory", "can't allocate"];
    words.iter().any(|words| error.contains(words))
}

/// Returns whether a message of a driver or the framework (in lower case) means that a device was lost.
pub fn is_device_lost(error: &str) -> bool {
    error.contains("device is lost") || error.contains("device is poisoned")
}

/// Tensors by name.
pub type NamedTensors = BTreeMap<String, HostTensor>;

/// Returns the tensor with this name.
///
/// # Errors
/// Returns a Problem with the name if there is none.
pub fn get_tensor<'a>(tensors: &'a NamedTensors, name: &str) -> Result<&'a HostTensor> {
    tensors.get(name).ok_or_else(|| Problem::new(message!("problem-tensor-missing", name)))
}

/// Returns the tensor with this name and shape.
///
/// # Errors
/// Returns a Problem with the name if there is none, or if it has another shape.
pub fn get_tensor_with_shape<'a>(
    tensors: &'a NamedTensors,
    name: &str,
    shape: &[usize],
) -> Result<&'a HostTensor> {
    let tensor = get_tensor(tensors, name)?;
    tensor.check_shape(name, shape)?;
    Ok(tensor)
}

/// A tensor whose values are generated while they are written, because a copy would need too much memory.
pub struct GeneratedTensor<'a> {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The values in row-major order; their number is the product of `shape`.
    pub values: Box<dyn Iterator<Item = f32> + 'a>,
}

/// Tensors by name whose values are generated while they are written.
pub type GeneratedTensors<'a> = BTreeMap<String, GeneratedTensor<'a>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_error_is_scaled_and_infinite_for_nan() {
        let tensor =
            |values: &[f32]| HostTensor { shape: vec![values.len()], values: values.to_vec() };
        let error = tensor(&[1.0, 4.1]).relative_error(&tensor(&[1.0, 4.0]));
        assert!((error - 0.025).abs() < 1e-6);
        let with_nan = tensor(&[f32::NAN]).relative_error(&tensor(&[1.0]));
        assert!(with_nan.is_infinite());
        let of_nan = tensor(&[1.0]).relative_error(&tensor(&[f32::NAN]));
        assert!(of_nan.is_infinite());
        let shorter = tensor(&[1.0]).relative_error(&tensor(&[1.0, 2.0]));
        assert!(shorter.is_infinite());
    }
}
