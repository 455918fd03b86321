//! A frozen linear map: bias laid out first, the product added onto it.

use super::buffer::Buffer;
use super::gemm::{Matrix, Store, parallel_product};

/// A weight (inputs × outputs, row by row) and its bias (empty for none).
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// inputs × outputs.
    pub weight: &'a [f32],
    /// outputs, or empty.
    pub bias: &'a [f32],
    /// Length of an input row.
    pub inputs: usize,
    /// Length of an output row.
    pub outputs: usize,
}

impl<'a> Weights<'a> {
    /// The weight as a matrix.
    pub fn matrix(self) -> Matrix<'a> {
        Matrix::new(self.weight, self.inputs, self.outputs, self.outputs)
    }

    /// Lays the bias out in every row of `y`; says how the product is to be stored.
    pub fn start(self, y: &mut [f32]) -> Store {
        if self.bias.is_empty() {
            return Store::Replace;
        }
        for row in y.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(self.bias);
        }
        Store::Add
    }
}

/// x (rows × inputs) · weight + bias.
pub fn forward(x: &[f32], w: Weights<'_>) -> Buffer {
    let rows = x.len() / w.inputs;
    let mut y = Buffer::new(rows * w.outputs);
    let store = w.start(&mut y);
    let x = Matrix::new(x, rows, w.inputs, w.inputs);
    parallel_product(&mut y, store, x, w.matrix());
    y
}

/// g (rows × outputs) · weightᵀ.
pub fn backward(g: &[f32], w: Weights<'_>) -> Buffer {
    let rows = g.len() / w.outputs;
    let mut dx = Buffer::new(rows * w.inputs);
    let g = Matrix::new(g, rows, w.outputs, w.outputs);
    parallel_product(&mut dx, Store::Replace, g, w.matrix().transposed());
    dx
}
