//! The random projection before the regression: h = ReLU(f·R) (RanPAC, McDonnell et al., NeurIPS 2023, section 4.2). R
//! is generated from a seed, so it is never stored.

use std::ops::Range;

use lae_kernels::gemm::{Matrix, Store, parallel_product};
use rayon::prelude::*;

use crate::pet::Init;

/// Separates the random stream of R from all others with the run's seed.
const STREAM: u64 = 0x52;

/// R: a matrix of `inputs` × `outputs` numbers in row-major order.
pub struct Projection {
    inputs: usize,
    outputs: usize,
    values: Vec<f32>,
}

impl Projection {
    /// Returns an R with entries N(0, 1), drawn on the host so that it is equal on every device.
    pub fn random(inputs: usize, outputs: usize, seed: u64) -> Self {
        let values = Init::Normal(1.0).draw([inputs, outputs], seed, STREAM);
        Self::from_values(values, inputs)
    }

    /// Returns an R with these entries, for features of `inputs` numbers.
    pub fn from_values(values: Vec<f32>, inputs: usize) -> Self {
        Self { inputs, outputs: values.len() / inputs.max(1), values }
    }

    /// Returns the length of a feature.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the length of h.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the entries in row-major order.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns these columns of h for concatenated features, in row-major order (rows × columns).
    pub fn hidden(&self, features: &[f32], columns: Range<usize>) -> Vec<f64> {
        let (rows, width) = (features.len() / self.inputs.max(1), columns.len());
        let mut hidden = vec![0f32; rows * width];
        let features = Matrix::new(features, rows, self.inputs, self.inputs);
        let weights = &self.values[columns.start..];
        let weights = Matrix::new(weights, self.inputs, width, self.outputs);
        parallel_product(&mut hidden, Store::Replace, features, weights);
        // `f32::max` would turn NaN into 0.
        let relu = |h: &f32| if *h < 0.0 { 0.0 } else { f64::from(*h) };
        hidden.par_iter().map(relu).collect()
    }
}
