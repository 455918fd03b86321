//! Which parameters of a plugin receive a gradient, and whether it is the right one: the gradient of a small block's
//! results, held against what really happens when a parameter is moved a little.

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
use crate::expression::{Diagnostic, Expr, NodeKind};
use crate::message;

/// Most multiplications of all of it; about a second.
const MOST_WORK: u64 = 1 << 31;
/// How far a parameter is moved, as multiples of a direction of normal numbers: far enough for single precision, and near
/// enough for functions with a kink. The one that agrees best counts.
const STEPS: [f64; 3] = [2e-3, 5e-4, 1e-4];
/// How far all parameters are moved away from their beginning.
const AWAY: f64 = 0.1;
/// A gradient whose largest number is smaller is none.
const NOTHING: f32 = 1e-9;

/// How a parameter learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// It is fixed.
    Fixed,
    /// From the first step on.
    AtOnce,
    /// Not in the first step, in which others keep its gradient at 0, but later.
    Later,
    /// Never: no gradient reaches it.
    Never,
}

/// What was found of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// Its name in the block; that of its site behind it where each site has one.
    pub name: String,
    /// How it learns.
    pub learns: Learns,
    /// How far the gradient is from the difference that was measured, as a share of what moving it does as a rule; none where
    /// there is no gradient.
    pub error: Option<f64>,
}

/// Whether a plugin keeps gradients from flowing somewhere: then they are not what moving a parameter does.
pub fn detaches(spec: &PetSpec) -> bool {
    let all = spec
        .variants
        .iter()
        .flat_map(|form| form.equations.values());
    let mut steps = all.flat_map(|program| program.steps());
    steps.any(|step| calls(&step.tree, "detach"))
}

fn calls(node: &Expr, function: &str) -> bool {
    let own = matches!(&node.kind, NodeKind::Call(name, _) if name == function);
    own || node.parts().iter().any(|part| calls(part, function))
}

/// Looks at every parameter of the default form, on a small block of the first family it fits.
///
/// # Errors
/// What cannot be computed, or takes too long to be tried.
pub fn gradients(spec: &Arc<PetSpec>) -> Result<Vec<Gradient>, Diagnostic> {
    allowed(MOST_WORK, || {
        capped(MOST_PRODUCED, || Bench::of(spec)?.all())
    })
}

/// A small block with a plugin, and what goes into it.
struct Bench {
    stack: PetStack,
    /// Inputs of each site, and by what its results count.
    sites: Vec<(Site, Vec<Value>, Value)>,
    device: Device,
}

impl Bench {
    fn of(spec: &Arc<PetSpec>) -> Result<Self, Diagnostic> {
        let device = Device::flex();
        for kind in BlockKind::ALL {
            let shapes = [kind.shape()];
            let Ok(sites) = spec.fits(&shapes, &[0]) else {
                continue;
            };
            let settings = PetSettings::default();
            let stack = PetStack::init(spec, &settings, &shapes, &[0], 0, &device);
            let stack = stack.map_err(|problem| Diagnostic::new(0..0, problem.what))?;
            let (mut filled, mut inside) = (Vec::new(), kind.tokens);
            for (place, site) in (0..).zip(Site::in_order(sites.iter().copied())) {
                let dims = site.handed(&shapes[0], BATCH, [kind.tokens, inside]);
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
                filled.push((site, inputs, random(&given, 100 * place + 50, &device)));
            }
            let sites = filled;
            return Ok(Self {
                stack,
                sites,
                device,
            });
        }
        let what = message!("mistake-no-backbone-family-offers-these-sites");
        Err(Diagnostic::new(0..0, what))
    }

    fn all(&self) -> Result<Vec<Gradient>, Diagnostic> {
        let mut number = 0;
        let moved = self.stack.with(|_, tensor, trained| {
            number += 1;
            match trained {
                true => tensor.clone() + self.drawn(tensor, number) * AWAY,
                false => tensor.clone(),
            }
        });
        let (first, later) = (self.backward(&self.stack)?, self.backward(&moved)?);
        let names: Vec<(String, bool)> = self
            .stack
            .parameters()
            .map(|(name, _, trained)| (name.to_owned(), trained))
            .collect();
        let each = names
            .into_iter()
            .zip(1000..)
            .map(|((name, trained), seed)| {
                let size = |all: &BTreeMap<String, Vec<f32>>| {
                    let values = all.get(&name).into_iter().flatten();
                    values.fold(0f32, |most, value| most.max(value.abs()))
                };
                let learns = match (trained, size(&first) > NOTHING, size(&later) > NOTHING) {
                    (false, ..) => Learns::Fixed,
                    (_, true, _) => Learns::AtOnce,
                    (_, false, true) => Learns::Later,
                    _ => Learns::Never,
                };
                let error = match (learns, later.get(&name)) {
                    (Learns::AtOnce | Learns::Later, Some(gradient)) => {
                        Some(self.error(&moved, &name, gradient, seed)?)
                    }
                    _ => None,
                };
                let name = name.split_once('.').map_or(name.as_str(), |(_, rest)| rest);
                let name = match name.split_once('.') {
                    Some((site, own)) => format!("{own} at {site}"),
                    None => name.to_owned(),
                };
                Ok(Gradient {
                    name,
                    learns,
                    error,
                })
            });
        each.collect()
    }

    /// Normal numbers in the shape of a parameter.
    fn drawn(&self, like: &Tensor<2>, seed: u64) -> Tensor<2> {
        let values = Init::Normal(1.0).draw(like.dims(), 7, seed);
        Tensor::from_data(TensorData::new(values, like.dims()), &self.device)
    }

    /// The gradients of all results, weighted and added up.
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
        // Where no parameter reaches a result there is no graph to go back through.
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

    /// All results, weighted and added up in double precision.
    fn sum(&self, stack: &PetStack) -> Result<f64, Diagnostic> {
        let mut sum = 0.0;
        for (site, inputs, weights) in &self.sites {
            if let Some(result) = stack.evaluated(0, *site, inputs) {
                let pairs = flat(result?).into_iter().zip(flat(weights.clone()));
                sum += pairs.map(|(a, b)| f64::from(a) * f64::from(b)).sum::<f64>();
            }
        }
        Ok(sum)
    }

    /// How far the gradient of one parameter is from what moving it does.
    fn error(
        &self,
        stack: &PetStack,
        name: &str,
        gradient: &[f32],
        seed: u64,
    ) -> Result<f64, Diagnostic> {
        let mut direction = Vec::new();
        let mut at = |by: f64| {
            let moved = stack.with(|own, tensor, _| match own == name {
                true => {
                    let way = self.drawn(tensor, seed);
                    direction = flat(Value::Two(way.clone()));
                    tensor.clone() + way * by
                }
                false => tensor.clone(),
            });
            self.sum(&moved)
        };
        let mut differences = Vec::new();
        for step in STEPS {
            differences.push((at(step)? - at(-step)?) / (2.0 * step));
        }
        let pairs = gradient.iter().zip(&direction);
        let foretold: f64 = pairs.map(|(g, d)| f64::from(*g) * f64::from(*d)).sum();
        // A direction across the gradient has nearly no difference; it is held against what others have.
        let pairs = gradient.iter().zip(&direction);
        let usual: f64 = pairs
            .map(|(g, d)| (f64::from(*g) * f64::from(*d)).powi(2))
            .sum();
        let errors = differences.into_iter().map(|difference| {
            let scale = foretold.abs().max(f64::abs(difference));
            (foretold - difference).abs() / scale.max(usual.sqrt()).max(1e-3)
        });
        Ok(errors.fold(f64::INFINITY, f64::min))
    }
}

/// The sum of a result's elements times those of another one.
fn weighted(result: Value, weights: Value) -> Tensor<1> {
    match (result, weights) {
        (Value::Two(x), Value::Two(y)) => (x * y).sum(),
        (Value::Three(x), Value::Three(y)) => (x * y).sum(),
        (Value::Four(x), Value::Four(y)) => (x * y).sum(),
        // A result has the shape of what it replaces.
        (other, _) => Tensor::from_floats([flat(other).iter().sum::<f32>()], &Device::flex()),
    }
}
