//! Hands a backbone's constructor its tensors by name, one at a time, in the layout the layers
//! want. The same constructor runs three ways: as a plan (names and shapes are noted and compared
//! with a file, nothing is read), on a file, or on random numbers. So a wrong file is refused
//! before any weight is read and no list of names is kept beside the code that uses them.

use std::collections::BTreeSet;

use burn::tensor::{Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::weights::Tensors;
use crate::nn::{Depthwise7, LayerNorm, Linear, Place};
use crate::problem::{Problem, Result, listed};

/// See the module's text.
pub struct Loader<'a> {
    source: Source<'a>,
    to: Place,
    wanted: Vec<(String, Vec<usize>)>,
    failed: Option<Problem>,
}

enum Source<'a> {
    Plan(Option<&'a Tensors>),
    File(&'a Tensors),
    Random(Box<StdRng>),
}

impl<'a> Loader<'a> {
    /// Notes what a constructor asks for; `tensors` answers [`Loader::shape_of`].
    pub fn plan(tensors: Option<&'a Tensors>) -> Self {
        Self::new(Source::Plan(tensors), (&Device::flex()).into())
    }

    /// Reads from `tensors`.
    pub fn file(tensors: &'a Tensors, to: Place) -> Self {
        Self::new(Source::File(tensors), to)
    }

    /// Draws the weights at random.
    pub fn random(seed: u64, to: Place) -> Self {
        let rng = Box::new(StdRng::seed_from_u64(seed));
        Self::new(Source::Random(rng), to)
    }

    fn new(source: Source<'a>, to: Place) -> Self {
        Self {
            source,
            to,
            wanted: Vec::new(),
            failed: None,
        }
    }

    /// The device the weights go to.
    pub fn device(&self) -> Device {
        self.to.device.clone()
    }

    /// Number of weights asked for so far.
    pub fn parameters(&self) -> usize {
        let sizes = self
            .wanted
            .iter()
            .map(|(_, shape)| shape.iter().product::<usize>());
        sizes.sum()
    }

    /// The shape a tensor has in the file, where there is one.
    pub fn shape_of(&self, name: &str) -> Option<Vec<usize>> {
        match &self.source {
            Source::Plan(Some(tensors)) | Source::File(tensors) => {
                tensors.shape(name).map(<[usize]>::to_vec)
            }
            Source::Plan(None) | Source::Random(_) => None,
        }
    }

    /// The numbers of one tensor in row-major order; empty in a plan and after a failure.
    pub fn values(&mut self, name: &str, shape: &[usize]) -> Vec<f32> {
        self.wanted.push((name.to_owned(), shape.to_vec()));
        let count = shape.iter().product();
        match &mut self.source {
            Source::Plan(_) => Vec::new(),
            Source::File(_) if self.failed.is_some() => Vec::new(),
            Source::File(tensors) => match tensors.read(name) {
                Ok(values) if values.iter().all(|value| value.is_finite()) => values,
                Ok(_) => {
                    let what = format!(
                        "the weight file is damaged: {name} holds numbers that are not finite"
                    );
                    let problem = Problem::new(what).at(tensors.origin());
                    self.failed = Some(problem.advise("copy or download the file again"));
                    Vec::new()
                }
                Err(problem) => {
                    self.failed = Some(problem);
                    Vec::new()
                }
            },
            Source::Random(rng) => drawn(rng, name, shape.len(), count),
        }
    }

    /// Puts numbers on the device; a single zero where there are none (plan, failure).
    pub fn place<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
        if values.len() == shape.iter().product::<usize>() && !values.is_empty() {
            Tensor::from_data(TensorData::new(values, shape), &self.to.device)
        } else {
            Tensor::zeros([1; D], &self.to.device)
        }
    }

    /// A linear layer from its weight in the order the layer wants.
    fn matrix(&self, values: Vec<f32>, shape: [usize; 2], bias: Option<Tensor<1>>) -> Linear {
        if values.len() == shape.iter().product::<usize>() && !values.is_empty() {
            Linear::placed(values, shape, bias, &self.to)
        } else {
            Linear::new(Tensor::zeros([1, 1], &self.to.device), bias)
        }
    }

    /// A vector.
    pub fn vector(&mut self, name: &str, length: usize) -> Tensor<1> {
        let values = self.values(name, &[length]);
        self.place(values, [length])
    }

    /// `prefix.weight` (out × in in the file) and, with `bias`, `prefix.bias`.
    pub fn linear(&mut self, prefix: &str, input: usize, output: usize, bias: bool) -> Linear {
        let shape = [output, input];
        self.linear_shaped(prefix, &shape, input, output, bias, None)
    }

    /// A linear layer with its outputs multiplied by `scale` (layer scale), folded into it.
    pub fn scaled_linear(
        &mut self,
        prefix: &str,
        input: usize,
        output: usize,
        scale: Option<&[f32]>,
    ) -> Linear {
        let shape = [output, input];
        self.linear_shaped(prefix, &shape, input, output, true, scale)
    }

    /// A convolution whose stride is its kernel (out × in × size × size in the file), as a linear
    /// layer over patches.
    pub fn patch_linear(
        &mut self,
        prefix: &str,
        (channels, size): (usize, usize),
        output: usize,
        bias: bool,
    ) -> Linear {
        let shape = [output, channels, size, size];
        let input = channels * size * size;
        self.linear_shaped(prefix, &shape, input, output, bias, None)
    }

    /// A 2×2 convolution of stride 2, as a linear layer over neighbours side by side: its inputs
    /// are ordered (row, column, channel), the file's (channel, row, column).
    pub fn neighbour_linear(&mut self, prefix: &str, channels: usize, output: usize) -> Linear {
        let shape = [output, channels, 2, 2];
        let mut values = self.values(&format!("{prefix}.weight"), &shape);
        for kernel in values.chunks_mut(4 * channels) {
            kernel.copy_from_slice(&transposed(kernel, channels, 4));
        }
        let weight = transposed(&values, output, 4 * channels);
        let bias = self.vector(&format!("{prefix}.bias"), output);
        self.matrix(weight, [4 * channels, output], Some(bias))
    }

    fn linear_shaped(
        &mut self,
        prefix: &str,
        shape: &[usize],
        input: usize,
        output: usize,
        bias: bool,
        scale: Option<&[f32]>,
    ) -> Linear {
        let mut values = self.values(&format!("{prefix}.weight"), shape);
        if let Some(scale) = scale {
            for (row, factor) in values.chunks_mut(input).zip(scale) {
                row.iter_mut().for_each(|v| *v *= factor);
            }
        }
        let weight = transposed(&values, output, input);
        drop(values);
        let bias = bias.then(|| {
            let mut values = self.values(&format!("{prefix}.bias"), &[output]);
            if let Some(scale) = scale {
                values.iter_mut().zip(scale).for_each(|(v, s)| *v *= s);
            }
            self.place(values, [output])
        });
        self.matrix(weight, [input, output], bias)
    }

    /// `prefix.weight` (channels × 1 × 7 × 7) and `prefix.bias` of a depthwise convolution.
    pub fn depthwise7(&mut self, prefix: &str, channels: usize) -> Depthwise7 {
        let shape = [channels, 1, 7, 7];
        let values = self.values(&format!("{prefix}.weight"), &shape);
        let weight = if values.is_empty() {
            Tensor::zeros([1, 1, 7, 7], &self.to.device)
        } else {
            self.place(values, shape)
        };
        let bias = self.vector(&format!("{prefix}.bias"), channels);
        Depthwise7::new(weight, bias)
    }

    /// `prefix.weight` and `prefix.bias` of a layer norm.
    pub fn norm(&mut self, prefix: &str, width: usize, epsilon: f64) -> LayerNorm {
        let gamma = self.vector(&format!("{prefix}.weight"), width);
        let beta = self.vector(&format!("{prefix}.bias"), width);
        LayerNorm::new(gamma, beta, epsilon)
    }

    /// Ends a plan: compares what was asked for with what the file holds. `other` is the family
    /// of the file's network, where it is not this one.
    pub fn verify(&self, tensors: &Tensors, family: &str, other: Option<&str>) -> Result<()> {
        let mut missing = Vec::new();
        let mut misshaped = Vec::new();
        for (name, wanted) in &self.wanted {
            match tensors.shape(name) {
                None => missing.push(name.clone()),
                Some(found) if found != wanted.as_slice() => {
                    misshaped.push(format!("{name} is {found:?} instead of {wanted:?}"));
                }
                Some(_) => {}
            }
        }
        let known: BTreeSet<&str> = self.wanted.iter().map(|(name, _)| name.as_str()).collect();
        let unexpected: Vec<&str> = (tensors.names())
            .filter(|name| !known.contains(name) && !ignored(name))
            .collect();
        let mut faults = Vec::new();
        for (what, names) in [("missing", &missing), ("of another shape", &misshaped)] {
            if !names.is_empty() {
                faults.push(format!("{} {what} ({})", names.len(), listed(names, 3)));
            }
        }
        if !unexpected.is_empty() {
            let shown = listed(&unexpected, 3);
            faults.push(format!("{} unexpected ({shown})", unexpected.len()));
        }
        if faults.is_empty() {
            return Ok(());
        }
        let kinds = unsupported(&missing, &unexpected);
        if !kinds.is_empty() {
            faults.push(format!("{} not supported", listed(&kinds, 4)));
        }
        let holds = other.map_or(String::new(), |other| {
            format!(": it holds a {other} network")
        });
        Err(Problem::new(format!(
            "the weight file does not fit this {family} backbone{holds}; tensors: {}",
            faults.join("; ")
        ))
        .at(tensors.origin())
        .advise(
            "choose the backbone these weights were made for, or give the file itself as the \
             backbone so that its dimensions are read from it",
        ))
    }

    /// Ends a reading: the first failure, if any.
    pub fn finish(self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}

/// Variants of the families that are not read, as far as the names of tensors show them.
fn unsupported(missing: &[String], unexpected: &[&str]) -> Vec<&'static str> {
    let signs = [
        ("fc_norm.", "a norm after the mean over tokens is"),
        ("reg_token", "register tokens are"),
        (".q_norm.", "norms of queries and keys are"),
        (".rel_pos", "relative positions in a ViT are"),
    ];
    let mut found: Vec<&str> = signs
        .into_iter()
        .filter(|(sign, _)| unexpected.iter().any(|name| name.contains(sign)))
        .map(|(_, what)| what)
        .collect();
    if missing.iter().any(|name| name.ends_with("attn.qkv.bias")) {
        found.push("attention without biases is");
    }
    found
}

/// Tensors of a classifier or of training, which a feature extractor does not need.
fn ignored(name: &str) -> bool {
    name.starts_with("head.") || name.starts_with("fc.") || name == "mask_token"
}

/// out × in → in × out, in tiles that stay in the cache.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
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

/// Weights uniform with standard deviation 0.02, scales 1, biases 0: values of a fresh network.
fn drawn(rng: &mut StdRng, name: &str, rank: usize, count: usize) -> Vec<f32> {
    if name.ends_with("bias") {
        return vec![0.0; count];
    }
    if rank == 1 {
        return vec![1.0; count];
    }
    let bound = 0.02 * 3.0_f32.sqrt();
    (0..count)
        .map(|_| rng.random_range(-bound..bound))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_transposed_across_tile_borders() {
        let values: Vec<f32> = (0..35 * 70).map(|i| i as f32).collect();
        let turned = transposed(&values, 35, 70);
        for (row, column) in [(0, 0), (34, 69), (33, 2), (1, 65)] {
            assert_eq!(turned[column * 35 + row], values[row * 70 + column]);
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_weights() {
        let draw =
            |seed| Loader::random(seed, (&Device::flex()).into()).values("a.weight", &[3, 4]);
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
