//! A linear map: bias laid out first, the product added onto it.

use super::buffer::Buffer;
use super::gemm::{Matrix, Store, parallel_long_product, parallel_product};

/// A weight and its bias (empty for none).
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// inputs × outputs, row by row.
    pub weight: &'a [f32],
    /// Whether it lies the other way round, outputs × inputs, as trained ones do.
    pub turned: bool,
    /// outputs, or empty.
    pub bias: &'a [f32],
    /// Length of an input row.
    pub inputs: usize,
    /// Length of an output row.
    pub outputs: usize,
}

impl<'a> Weights<'a> {
    /// The weight as a matrix, inputs × outputs.
    pub fn matrix(self) -> Matrix<'a> {
        if self.turned {
            Matrix::new(self.weight, self.outputs, self.inputs, self.inputs).transposed()
        } else {
            Matrix::new(self.weight, self.inputs, self.outputs, self.outputs)
        }
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

/// Gradient for a turned weight (outputs × inputs) from `g` (rows × outputs) and the input.
pub fn weight_gradient(x: &[f32], g: &[f32], inputs: usize, outputs: usize) -> Buffer {
    let rows = x.len() / inputs;
    let mut gradient = Buffer::new(outputs * inputs);
    let g = Matrix::new(g, rows, outputs, outputs).transposed();
    parallel_long_product(&mut gradient, g, Matrix::new(x, rows, inputs, inputs));
    gradient
}
