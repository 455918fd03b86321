//! A linear layer: a matrix product whose sums start at the bias.

use half::bf16;

use super::buffer::Buffer;
use super::gemm::{Matrix, RightMatrix, parallel_long_product};

/// The values of a weight.
#[derive(Clone, Copy)]
pub enum WeightValues<'a> {
    /// f32, as in weight files.
    F32(&'a [f32]),
    /// bf16, for a frozen weight; see [`super::bf16`].
    Bf16(&'a [bf16]),
}

/// The weight and the bias of a linear layer.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// inputs × outputs, row-major.
    pub weight: WeightValues<'a>,
    /// Whether the weight is stored transposed (outputs × inputs), as trained weights are.
    pub transposed: bool,
    /// One value per output; empty for no bias.
    pub bias: &'a [f32],
    /// Length of an input row.
    pub inputs: usize,
    /// Length of an output row.
    pub outputs: usize,
}

impl<'a> Weights<'a> {
    /// Computes y (rows × outputs) = x (rows × inputs) · weight + bias on the calling thread.
    pub(crate) fn forward(self, x: &[f32], y: &mut [f32]) {
        let x = Matrix::new(x, x.len() / self.inputs, self.inputs, self.inputs);
        self.matrix().product(y, self.bias, x);
    }

    /// Computes dx (rows × inputs) = g (rows × outputs) · weightᵀ on the calling thread.
    pub(crate) fn backward(self, g: &[f32], dx: &mut [f32]) {
        let g = Matrix::new(g, g.len() / self.outputs, self.outputs, self.outputs);
        self.matrix().transposed().product(dx, &[], g);
    }

    /// Returns the weight as a matrix, inputs × outputs.
    fn matrix(self) -> RightMatrix<'a> {
        match self.weight {
            WeightValues::F32(values) => RightMatrix::F32(self.to_matrix(values)),
            WeightValues::Bf16(values) => RightMatrix::Bf16(self.to_matrix(values)),
        }
    }

    fn to_matrix<T: Copy>(self, values: &'a [T]) -> Matrix<'a, T> {
        if self.transposed {
            Matrix::new(values, self.outputs, self.inputs, self.inputs).transposed()
        } else {
            Matrix::new(values, self.inputs, self.outputs, self.outputs)
        }
    }
}

/// Returns x (rows × inputs) · weight + bias, computed on all cores.
pub fn forward(x: &[f32], w: Weights<'_>) -> Buffer {
    let rows = x.len() / w.inputs;
    let mut y = Buffer::new(rows * w.outputs);
    let x = Matrix::new(x, rows, w.inputs, w.inputs);
    w.matrix().parallel_product(&mut y, w.bias, x);
    y
}

/// Returns g (rows × outputs) · weightᵀ, computed on all cores.
pub fn backward(g: &[f32], w: Weights<'_>) -> Buffer {
    let rows = g.len() / w.outputs;
    let mut dx = Buffer::new(rows * w.inputs);
    let g = Matrix::new(g, rows, w.outputs, w.outputs);
    let transposed = w.matrix().transposed();
    transposed.parallel_product(&mut dx, &[], g);
    dx
}

/// Returns the gradient of a transposed weight (outputs × inputs), given the input `x` and the gradient `g` of the
/// result (rows × outputs).
pub fn weight_gradient(x: &[f32], g: &[f32], inputs: usize, outputs: usize) -> Buffer {
    let rows = x.len() / inputs;
    let mut gradient = Buffer::new(outputs * inputs);
    let g = Matrix::new(g, rows, outputs, outputs).transposed();
    parallel_long_product(&mut gradient, g, Matrix::new(x, rows, inputs, inputs));
    gradient
}
