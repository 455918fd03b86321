//! Passes tensors to a backbone's constructor by name, one at a time, in the layout of the layers. The same constructor
//! is used in four modes: as a plan (names and shapes are recorded and compared with a file, nothing is read), with a
//! file, with random numbers, or with given leaf tensors. So a wrong file is rejected before any weight is read, and no
//! separate list of names is needed.
//!
//! Derived tensors of layers (transposed matrices, folded scales) are computed from plain numbers, or, if a leaf needs
//! a gradient, from tensors, so that gradients reach the leaf.

mod verify;

use burn::tensor::{Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::parameters::{Origin, Weights};
use super::weights::Tensors;
use crate::counts::count_with_noun;
use crate::message;
use crate::nn::{Depthwise7, LayerNorm, Linear, WeightPlacement};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Loads weights; see the documentation of the module.
pub struct WeightLoader {
    origin: Origin,
    /// Draws the weights of [`Origin::Random`].
    random: StdRng,
    placement: WeightPlacement,
    requested: Vec<(String, Vec<usize>)>,
    failure: Option<Problem>,
}

/// A learned table, which layers use resized or rearranged.
// There are few, so boxing the tensor would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum LearnedTable<const D: usize> {
    /// Values in row-major order.
    Fixed(Vec<f32>),
    /// A tensor that is trained.
    Trained(Tensor<D>),
}

impl WeightLoader {
    /// Loads weights from `origin`.
    pub(super) fn new(origin: Origin, placement: WeightPlacement) -> Self {
        let seed = match origin {
            Origin::Random(seed) => seed,
            _ => 0,
        };
        Self {
            origin,
            random: StdRng::seed_from_u64(seed),
            placement,
            requested: Vec::new(),
            failure: None,
        }
    }

    /// Records what a constructor requests; `tensors` is used for [`WeightLoader::stored_shape`].
    pub fn plan(tensors: Option<Tensors>) -> Self {
        Self::new(Origin::Plan(tensors), (&Device::flex()).into())
    }

    /// Returns the destination of the weights.
    pub fn placement(&self) -> &WeightPlacement {
        &self.placement
    }

    /// Returns the names and shapes requested so far, in order.
    pub fn requested(&self) -> &[(String, Vec<usize>)] {
        &self.requested
    }

    /// Returns the source of the weights, to read them again later.
    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the shape of a tensor in the file, if there is one.
    pub fn stored_shape(&self, name: &str) -> Option<Vec<usize>> {
        match &self.origin {
            Origin::Plan(Some(tensors)) | Origin::File(tensors) => {
                tensors.shape(name).map(<[usize]>::to_vec)
            }
            Origin::Given(weights) => weights.get(name).map(|leaf| leaf.shape.clone()),
            Origin::Plan(None) | Origin::Random(_) => None,
        }
    }

    /// Returns a tensor as a table.
    pub fn table<const D: usize>(&mut self, name: &str, shape: [usize; D]) -> LearnedTable<D> {
        match self.is_trained(&[name]) {
            true => LearnedTable::Trained(self.tensor(name, shape)),
            false => LearnedTable::Fixed(self.values(name, &shape)),
        }
    }

    /// Returns the values of a tensor in row-major order; empty in a plan and after a failure.
    pub fn values(&mut self, name: &str, shape: &[usize]) -> Vec<f32> {
        self.requested.push((name.to_owned(), shape.to_vec()));
        if self.failure.is_some() {
            return Vec::new();
        }
        let values = match &self.origin {
            Origin::Plan(_) => return Vec::new(),
            Origin::Random(_) => {
                let count = shape.iter().product();
                return draw_values(&mut self.random, name, shape.len(), count);
            }
            Origin::File(tensors) => read_checked(tensors, name, shape),
            Origin::Given(weights) => given_leaf(weights, name, shape)
                .and_then(|leaf| Ok(HostTensor::read(&leaf)?.values)),
        };
        values.unwrap_or_else(|problem| {
            self.failure = Some(problem);
            Vec::new()
        })
    }

    /// Returns whether a leaf with one of these names is tracked.
    pub fn is_trained(&self, names: &[&str]) -> bool {
        let Origin::Given(weights) = &self.origin else {
            return false;
        };
        let mut leaves = names.iter().filter_map(|name| weights.get(name));
        leaves.any(|leaf| leaf.values.is_autodiff())
    }

    /// Returns a tensor as one row on the device: a given leaf itself, with its gradient.
    fn leaf(&mut self, name: &str, shape: &[usize]) -> Tensor<1> {
        if let Origin::Given(weights) = &self.origin {
            self.requested.push((name.to_owned(), shape.to_vec()));
            match given_leaf(weights, name, shape) {
                Ok(leaf) => return leaf,
                Err(problem) => self.failure = self.failure.take().or(Some(problem)),
            }
            return Tensor::zeros([shape.iter().product::<usize>()], &self.placement.device);
        }
        let values = self.values(name, shape);
        let count = values.len();
        self.upload(values, [count])
    }

    /// Returns a tensor on the device; a single zero if it has no values (plan, failure).
    pub fn tensor<const D: usize>(&mut self, name: &str, shape: [usize; D]) -> Tensor<D> {
        let leaf = self.leaf(name, &shape);
        match leaf.dims()[0] == shape.iter().product::<usize>() {
            true => leaf.reshape(shape),
            false => Tensor::zeros([1; D], &self.placement.device),
        }
    }

    /// Copies values to the device; a single zero if there are none (plan, failure).
    fn upload<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
        if values.len() == shape.iter().product::<usize>() && !values.is_empty() {
            Tensor::from_data(TensorData::new(values, shape), &self.placement.device)
        } else {
            Tensor::zeros([1; D], &self.placement.device)
        }
    }

    /// Returns a linear layer from its weight in the layer's layout.
    fn build_linear(&self, values: Vec<f32>, shape: [usize; 2], bias: Option<Tensor<1>>) -> Linear {
        if values.len() == shape.iter().product::<usize>() && !values.is_empty() {
            Linear::with_placement(values, shape, bias, &self.placement)
        } else {
            Linear::new(Tensor::zeros([1, 1], &self.placement.device), bias)
        }
    }

    /// Returns a linear layer with `prefix.weight` (out × in in the file) and, with `bias`, `prefix.bias`.
    pub fn linear(&mut self, prefix: &str, input: usize, output: usize, bias: bool) -> Linear {
        self.linear_shaped(prefix, &[output, input], bias, None)
    }

    /// Returns a linear layer whose outputs are multiplied by the vector `scale` (layer scale), folded into its
    /// weights.
    pub fn scaled_linear(
        &mut self,
        prefix: &str,
        input: usize,
        output: usize,
        scale: Option<&str>,
    ) -> Linear {
        self.linear_shaped(prefix, &[output, input], true, scale)
    }

    /// Returns a convolution whose stride equals its kernel (out × in × size × size in the file) as a linear layer on
    /// patches.
    pub fn patch_linear(
        &mut self,
        prefix: &str,
        (channels, size): (usize, usize),
        output: usize,
        bias: bool,
    ) -> Linear {
        self.linear_shaped(prefix, &[output, channels, size, size], bias, None)
    }

    /// Returns a 2×2 convolution of stride 2 as a linear layer on neighbours side by side: its inputs are ordered (row,
    /// column, channel), those in the file (channel, row, column).
    pub fn neighbour_linear(&mut self, prefix: &str, channels: usize, output: usize) -> Linear {
        let [weight, bias] = parameter_names(prefix);
        let shape = [output, channels, 2, 2];
        if self.is_trained(&[&weight, &bias]) {
            let by_channel: Tensor<3> = self.tensor(&weight, shape).reshape([output, channels, 4]);
            let weight = by_channel.swap_dims(1, 2).reshape([output, 4 * channels]);
            return Linear::new_trained(weight, Some(self.tensor(&bias, [output])));
        }
        let mut values = self.values(&weight, &shape);
        for kernel in values.chunks_mut(4 * channels) {
            kernel.copy_from_slice(&transpose(kernel, channels, 4));
        }
        let weight = transpose(&values, output, 4 * channels);
        let bias = self.tensor(&bias, [output]);
        self.build_linear(weight, [4 * channels, output], Some(bias))
    }

    /// Returns a linear layer whose weight has this shape in the file; its first axis are the outputs.
    fn linear_shaped(
        &mut self,
        prefix: &str,
        shape: &[usize],
        bias: bool,
        scale: Option<&str>,
    ) -> Linear {
        let (output, input) = (shape[0], shape[1..].iter().product());
        let [weight, bias_name] = parameter_names(prefix);
        if self.is_trained(&[&weight, &bias_name, scale.unwrap_or_default()]) {
            let scale = scale.map(|name| self.tensor(name, [output]));
            let weight = self.leaf(&weight, shape).reshape([output, input]);
            let bias = bias.then(|| self.tensor(&bias_name, [output]));
            return match scale {
                Some(scale) => {
                    let bias = bias.map(|bias| bias * scale.clone());
                    Linear::new_trained(weight * scale.reshape([output, 1]), bias)
                }
                None => Linear::new_trained(weight, bias),
            };
        }
        let scale = scale.map(|name| self.values(name, &[output]));
        let mut values = self.values(&weight, shape);
        if let Some(scale) = &scale {
            for (row, factor) in values.chunks_mut(input).zip(scale) {
                row.iter_mut().for_each(|v| *v *= factor);
            }
        }
        let weight = transpose(&values, output, input);
        drop(values);
        let bias = bias.then(|| {
            let mut values = self.values(&bias_name, &[output]);
            if let Some(scale) = &scale {
                values.iter_mut().zip(scale).for_each(|(v, s)| *v *= s);
            }
            self.upload(values, [output])
        });
        self.build_linear(weight, [input, output], bias)
    }

    /// Returns a depthwise convolution with `prefix.weight` (channels × 1 × 7 × 7) and `prefix.bias`.
    pub fn depthwise7(&mut self, prefix: &str, channels: usize) -> Depthwise7 {
        let [weight, bias] = parameter_names(prefix);
        let mut weight = self.tensor(&weight, [channels, 1, 7, 7]);
        if weight.dims() != [channels, 1, 7, 7] {
            weight = Tensor::zeros([1, 1, 7, 7], &self.placement.device);
        }
        Depthwise7::new(weight, self.tensor(&bias, [channels]))
    }

    /// Returns a layer norm with `prefix.weight` and `prefix.bias`.
    pub fn norm(&mut self, prefix: &str, width: usize, epsilon: f64) -> LayerNorm {
        let [gamma, beta] = parameter_names(prefix);
        let gamma = self.tensor(&gamma, [width]);
        LayerNorm::new(gamma, self.tensor(&beta, [width]), epsilon)
    }

    /// Returns the first failure, if any.
    pub fn finish(self) -> Result<()> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// Returns the names of a layer's weight and bias.
fn parameter_names(prefix: &str) -> [String; 2] {
    [format!("{prefix}.weight"), format!("{prefix}.bias")]
}

/// Reads a tensor of a file; returns a Problem if its values are not finite, or their number differs from the shape.
fn read_checked(tensors: &Tensors, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
    let values = tensors.read(name)?;
    let has_expected_len = values.len() == shape.iter().product::<usize>();
    if has_expected_len && values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    let holds = match has_expected_len {
        true => "numbers that are not finite".into(),
        false => format!("{} in the shape {shape:?}", count_with_noun(values.len(), "number")),
    };
    let message = message!("problem-weight-file-damaged", name, holds);
    Err(Problem::new(message).at(tensors.origin()).advise(message!("advice-get-weight-file-again")))
}

/// Returns a given leaf; returns a Problem if it is missing or has another shape.
fn given_leaf(weights: &Weights, name: &str, shape: &[usize]) -> Result<Tensor<1>> {
    let Some(leaf) = weights.get(name) else {
        return Err(Problem::new(message!("problem-backbone-weight-missing", name)));
    };
    if leaf.shape == shape {
        return Ok(leaf.values.clone());
    }
    let found = &leaf.shape;
    Err(Problem::new(message!(
        "problem-backbone-weight-shape",
        name,
        found = format!("{found:?}"),
        shape = format!("{shape:?}")
    )))
}

/// Transposes out × in to in × out, in tiles that fit into the cache.
pub(super) fn transpose(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    const TILE: usize = 32;
    if values.is_empty() {
        return Vec::new();
    }
    let mut out = vec![0.0; values.len()];
    for top in (0..rows).step_by(TILE) {
        for left in (0..columns).step_by(TILE) {
            for row in top..(top + TILE).min(rows) {
                for column in left..(left + TILE).min(columns) {
                    out[column * rows + row] = values[row * columns + column];
                }
            }
        }
    }
    out
}

/// Draws the values of a new network: weights uniform with standard deviation 0.02, scales 1, biases 0.
fn draw_values(rng: &mut StdRng, name: &str, rank: usize, count: usize) -> Vec<f32> {
    if name.ends_with("bias") {
        return vec![0.0; count];
    }
    if rank == 1 {
        return vec![1.0; count];
    }
    let bound = 0.02 * 3.0_f32.sqrt();
    (0..count).map(|_| rng.random_range(-bound..bound)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposes_matrix_across_tile_borders() {
        let values: Vec<f32> = (0..35 * 70).map(|i| i as f32).collect();
        let transposed = transpose(&values, 35, 70);
        for (row, column) in [(0, 0), (34, 69), (33, 2), (1, 65)] {
            assert_eq!(transposed[column * 35 + row], values[row * 70 + column]);
        }
    }

    #[test]
    fn random_weights_depend_on_seed() {
        let draw = |seed| {
            let mut loader = WeightLoader::new(Origin::Random(seed), (&Device::flex()).into());
            loader.values("a.weight", &[3, 4])
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
