//! Determines which parameters of a plugin receive a gradient, by backward passes through a small block.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};

use super::budget::{allowed, capped};
use super::init::Init;
use super::site::{BlockKind, Site};
use super::spec::{PetSettings, PetSpec};
use super::stack::PetStack;
use super::trial::{BATCH, MOST_PRODUCED, flat, random};
use super::value::Value;
use crate::expression::{BinaryOperator, Diagnostic};
use crate::message;

/// Largest number of multiplications for all parameters; about a second.
const MOST_WORK: u64 = 1 << 31;
/// Standard deviation of the noise added to all parameters for the second backward pass.
const AWAY: f64 = 0.1;
/// Gradients whose largest magnitude is below this are considered 0.
const NOTHING: f32 = 1e-9;

/// When a parameter learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Never, because it is fixed.
    Fixed,
    /// From the first step.
    AtOnce,
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
    allowed(MOST_WORK, || {
        capped(MOST_PRODUCED, || Bench::of(spec)?.all())
    })
}

/// A small block with a plugin and random inputs.
struct Bench {
    stack: PetStack,
    /// Inputs of each site, and the random weights of its result in the loss.
    sites: Vec<(Site, Vec<Value>, Value)>,
}

impl Bench {
    fn of(spec: &Arc<PetSpec>) -> Result<Self, Diagnostic> {
        let device = Device::flex();
        for kind in BlockKind::ALL {
            let shapes = [kind.shape()];
            let Ok(offered) = spec.fits(&shapes, &[0]) else {
                continue;
            };
            let settings = PetSettings::default();
            let stack = PetStack::init(spec, &settings, &shapes, &[0], 0, &device);
            let stack = stack.map_err(|problem| Diagnostic::new(0..0, problem.words()))?;
            let (mut sites, mut inside) = (Vec::new(), kind.tokens);
            for (place, site) in (0..).zip(Site::in_order(offered.iter().copied())) {
                let dims = site.input_shapes(&shapes[0], BATCH, [kind.tokens, inside]);
                let streams = 100 * place + 1..;
                let inputs = streams.zip(&dims);
                let inputs: Vec<Value> = inputs
                    .map(|(stream, dims)| random(dims, stream, &device))
                    .collect();
                let Some(result) = stack.evaluated(0, site, &inputs) else {
                    continue;
                };
                let given = result?.dims();
                if site == Site::Input {
                    inside = given.get(1).copied().unwrap_or(inside);
                }
                sites.push((site, inputs, random(&given, 100 * place + 50, &device)));
            }
            return Ok(Self { stack, sites });
        }
        let what = message!("problem-sites-not-offered-together");
        Err(Diagnostic::new(0..0, what))
    }

    fn all(&self) -> Result<Vec<Gradient>, Diagnostic> {
        let mut number = 0;
        let moved = self.stack.with(|_, tensor, trained| {
            number += 1;
            match trained {
                true => tensor.clone() + drawn(tensor, number) * AWAY,
                false => tensor.clone(),
            }
        });
        let (first, later) = (self.backward(&self.stack)?, self.backward(&moved)?);
        let each = self.stack.parameters().map(|(name, _, trained)| {
            let size = |all: &BTreeMap<String, Vec<f32>>| {
                let values = all.get(name).into_iter().flatten();
                values.fold(0f32, |most, value| most.max(value.abs()))
            };
            let learns = match (trained, size(&first) > NOTHING, size(&later) > NOTHING) {
                (false, ..) => Learns::Fixed,
                (_, true, _) => Learns::AtOnce,
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
        Ok(each.collect())
    }

    /// Returns the gradient of each parameter for the weighted sum of all results.
    fn backward(&self, stack: &PetStack) -> Result<BTreeMap<String, Vec<f32>>, Diagnostic> {
        let tracked = stack.tracked();
        let mut sum: Option<Tensor<1>> = None;
        for (site, inputs, weights) in &self.sites {
            let Some(result) = tracked.evaluated(0, *site, inputs) else {
                continue;
            };
            let own = weighted(result?, weights.clone());
            sum = Some(match sum {
                Some(sum) => sum + own,
                None => own,
            });
        }
        // If no parameter reaches a result, there is no graph for a backward pass.
        let Some(sum) = sum.filter(|sum| sum.is_autodiff() && sum.is_tracked()) else {
            return Ok(BTreeMap::new());
        };
        let graph = sum.backward();
        let trained = tracked.parameters().filter(|(.., trained)| *trained);
        let of = |(name, tensor, _): (&str, &Tensor<2>, bool)| {
            let gradient = tensor.grad(&graph)?;
            Some((name.to_owned(), flat(Value::Two(gradient))))
        };
        Ok(trained.filter_map(of).collect())
    }
}

/// Draws standard normal values with the shape of a parameter.
fn drawn(like: &Tensor<2>, seed: u64) -> Tensor<2> {
    let values = Init::Normal(1.0).draw(like.dims(), 7, seed);
    Tensor::from_data(TensorData::new(values, like.dims()), &Device::flex())
}

/// Returns the sum of the element-wise product of a result and its weights.
fn weighted(result: Value, weights: Value) -> Tensor<1> {
    match result.combine(BinaryOperator::Multiply, weights) {
        Value::Two(x) => x.sum(),
        Value::Three(x) => x.sum(),
        Value::Four(x) => x.sum(),
    }
}
