//! The matrix of a frozen linear map kept in bf16 on the processor: half the memory, and about twice the speed where
//! the processor multiplies such numbers itself ([`lae_kernels::bf16`]).

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use half::bf16;

/// A matrix (in × out) of bf16.
#[derive(Clone, Debug)]
pub struct RoundedMatrix {
    /// in × out, row by row.
    pub values: Arc<[bf16]>,
    /// In and out.
    pub shape: [usize; 2],
    device: Device,
}

impl RoundedMatrix {
    /// Rounds `values` (in × out, row by row) to bf16, which has the range of f32 and keeps eight bits of each.
    pub fn new(values: &[f32], shape: [usize; 2], device: &Device) -> Self {
        Self {
            values: values.iter().map(|value| bf16::from_f32(*value)).collect(),
            shape,
            device: device.clone(),
        }
    }

    /// The matrix in f32.
    pub fn widened(&self) -> Tensor<2> {
        let values: Vec<f32> = self.values.iter().map(|value| value.to_f32()).collect();
        Tensor::from_data(TensorData::new(values, self.shape), &self.device)
    }
}
