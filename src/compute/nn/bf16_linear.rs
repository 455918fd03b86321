//! The matrix of a frozen linear layer in bf16 on the CPU: half the memory, and about twice the speed on CPUs with
//! bf16 instructions ([`lae_kernels::bf16`]).

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use half::bf16;

/// A matrix (in × out) in bf16.
#[derive(Clone, Debug)]
pub struct Bf16Matrix {
    /// in × out, row-major.
    pub values: Arc<[bf16]>,
    /// Numbers of inputs and outputs.
    pub shape: [usize; 2],
    device: Device,
}

impl Bf16Matrix {
    /// Rounds `values` (in × out, row-major) to bf16, which has the range of f32 and 8 bits of precision.
    pub fn new(values: &[f32], shape: [usize; 2], device: &Device) -> Self {
        Self {
            values: values.iter().map(|value| bf16::from_f32(*value)).collect(),
            shape,
            device: device.clone(),
        }
    }

    /// Returns the matrix in f32.
    pub fn to_f32(&self) -> Tensor<2> {
        let values: Vec<f32> = self.values.iter().map(|value| value.to_f32()).collect();
        Tensor::from_data(TensorData::new(values, self.shape), &self.device)
    }
}
