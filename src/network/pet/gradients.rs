//! Determines which parameters of a plugin receive a gradient, by backward passes through a small block.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::budget::{with_element_limit, with_multiplication_limit};
use super::init::Init;
use super::site::{BlockKind, Site};
use super::spec::{PetSettings, PetSpec};
use super::stack::PetStack;
use super::trial::{BATCH, MAX_RESULT_ELEMENTS, random, to_flat_values};
use super::value::Value;
use crate::expression::{BinaryOperator, Diagnostic};
use crate::message;

/// Largest number of multiplications for all parameters; about a second.
const MAX_WORK: u64 = 1 << 31;
/// Standard deviation of the noise added to all parameters for the second backward pass.
const NOISE_STD: f64 = 0.1;
/// Gradients whose largest magnitude is below this are considered 0.
const ZERO_TOLERANCE: f32 = 1e-9;

/// When a parameter learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Never, because it is fixed.
    Fixed,
    /// From the first step.
    Immediately,
    /// From a later step: in the first one, the initial values of other parameters make its gradient 0.
    Later,
    /// Never, although it is not fixed: no gradient reaches it.
    Never,
}

/// The result for one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// The name in the block; with its site appended ("down at mlp") if each site has a copy.
    pub name: String,
    /// When it learns.
    pub learns: Learns,
}

/// Checks every parameter of the default variant, on a small block of the first backbone family that the plugin fits.
///
/// # Errors
/// Returns an error if an equation cannot be evaluated or needs too much computation.
pub fn gradients(spec: &Arc<PetSpec>) -> Result<Vec<Gradient>, Diagnostic> {
    with_multiplication_limit(MAX_WORK, || {
        with_element_limit(MAX_RESULT_ELEMENTS, || Bench::new(spec)?.check_all())
    })
}

/// A small block with a plugin and random inputs.
struct Bench {
    stack: PetStack,
    /// Inputs of each site, and the random weights of its result in the loss.
    sites: Vec<(Site, Vec<Value>, Value)>,
}

impl Bench {
    fn new(spec: &Arc<PetSpec>) -> Result<Self, Diagnostic> {
        let device = Device::flex();
        for kind in BlockKind::ALL {
            let shapes = [kind.shape()];
            let Ok(offered) = spec.matching_sites(&shapes, &[0]) else {
                continue;
            };
            let settings = PetSettings::default();
            let stack = PetStack::init(spec, &settings, &shapes, &[0], 0, &device);
            let stack = stack.map_err(|problem| Diagnostic::new(0..0, problem.what_text()))?;
            let (mut sites, mut inner_tokens) = (Vec::new(), kind.tokens);
            for (index, site) in (0..).zip(Site::sorted(offered.iter().copied())) {
                let dims = site.input_shapes(&shapes[0], BATCH, [kind.tokens, inner_tokens]);
                let streams = 100 * index + 1..;
                let inputs = streams.zip(&dims);
                let inputs: Vec<Value> =
                    inputs.map(|(stream, dims)| random(dims, stream, &device)).collect();
                let Some(result) = stack.try_evaluate(0, site, &inputs) else {
                    continue;
                };
                let result_dims = result?.dims();
                if site == Site::Input {
                    inner_tokens = result_dims.get(1).copied().unwrap_or(inner_tokens);
                }
                sites.push((site, inputs, random(&result_dims, 100 * index + 50, &device)));
            }
            return Ok(Self { stack, sites });
        }
        let message = message!("problem-sites-not-offered-together");
        Err(Diagnostic::new(0..0, message))
    }

    fn check_all(&self) -> Result<Vec<Gradient>, Diagnostic> {
        let mut number = 0;
        let perturbed = self.stack.map_tensors(|_, tensor, trained| {
            number += 1;
            match trained {
                true => tensor.clone() + draw_like(tensor, number) * NOISE_STD,
                false => tensor.clone(),
            }
        });
        let (first, later) = (self.backward(&self.stack)?, self.backward(&perturbed)?);
        let results = self.stack.parameters().map(|(name, _, trained)| {
            let max_abs = |gradients: &BTreeMap<String, Vec<f32>>| {
                let values = gradients.get(name).into_iter().flatten();
                values.fold(0f32, |max, value| max.max(value.abs()))
            };
            let learns =
                match (trained, max_abs(&first) > ZERO_TOLERANCE, max_abs(&later) > ZERO_TOLERANCE)
                {
                    (false, ..) => Learns::Fixed,
                    (_, true, _) => Learns::Immediately,
                    (_, false, true) => Learns::Later,
                    _ => Learns::Never,
                };
            let name = name.split_once('.').map_or(name, |(_, rest)| rest);
            let name = match name.split_once('.') {
                Some((site, own)) => format!("{own} at {site}"),
                None => name.to_owned(),
            };
            Gradient { name, learns }
        });
        Ok(results.collect())
    }

    /// Returns the gradient of each parameter for the weighted sum of all results.
    fn backward(&self, stack: &PetStack) -> Result<BTreeMap<String, Vec<f32>>, Diagnostic> {
        let tracked = stack.tracked();
        let mut sum: Option<Tensor<1>> = None;
        for (site, inputs, weights) in &self.sites {
            let Some(result) = tracked.try_evaluate(0, *site, inputs) else {
                continue;
            };
            let loss = weighted_sum(result?, weights.clone());
            sum = Some(match sum {
                Some(sum) => sum + loss,
                None => loss,
            });
        }
        // If no parameter reaches a result, there is no graph for a backward pass.
        let Some(sum) = sum.filter(|sum| sum.is_autodiff() && sum.is_tracked()) else {
            return Ok(BTreeMap::new());
        };
        let graph = sum.backward();
        let trained = tracked.parameters().filter(|(.., trained)| *trained);
        let named_gradient = |(name, tensor, _): (&str, &Tensor<2>, bool)| {
            let gradient = tensor.grad(&graph)?;
            Some((name.to_owned(), to_flat_values(Value::Two(gradient))))
        };
        Ok(trained.filter_map(named_gradient).collect())
    }
}

/// Draws standard normal values with the shape of a parameter.
fn draw_like(like: &Tensor<2>, seed: u64) -> Tensor<2> {
    Init::Normal(1.0).draw_tensor(like.dims(), 7, seed, &Device::flex())
}

/// Returns the sum of the element-wise product of a result and its weights.
fn weighted_sum(result: Value, weights: Value) -> Tensor<1> {
    match result.combine(BinaryOperator::Multiply, weights) {
        Value::Two(x) => x.sum(),
        Value::Three(x) => x.sum(),
        Value::Four(x) => x.sum(),
    }
}
