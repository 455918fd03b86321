//! Folding: an equation that is linear in a linear layer's input and output, such as h + e @ A @ B, c · h, h + b and
//! sums of these, is equivalent to another weight and bias of that layer. With folded layers, prediction takes the time
//! of the network without a PET. Trained PETs are never folded.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;

use super::equation::{Meaning, Program};
use super::numbers::Extent;
use super::site::Site;
use super::spec::{PetSpec, PetVariant};
use super::stack::{Folds, PetStack};
use super::value::Value;
use crate::expression::{BinaryOperator, Expr, NodeKind};
use crate::nn::Linear;
use crate::problem::Result;

/// The form of a part of an equation as a function of e and h.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PartKind {
    /// Independent of e and h; `one_row` if it is a number or a single row, the same for every token.
    Constant { one_row: bool },
    /// A sum of matrix products with a token's e and h, and a row.
    Linear,
}

impl PetSpec {
    /// Returns the linear layers into which a variant's equations can be folded.
    pub fn foldable_sites(&self, variant: &PetVariant) -> Vec<Site> {
        let one_row = |at: usize| {
            let rows = self.parameters.get(at).map(|parameter| &parameter.shape[0]);
            rows == Some(&Extent::Count(1))
        };
        let is_foldable = |(site, program): &(&Site, &Arc<Program>)| {
            site.is_linear() && is_linear(program, &one_row)
        };
        let found = variant.equations.iter().filter(is_foldable);
        found.map(|(site, _)| *site).collect()
    }
}

/// Returns whether the equation of a linear layer is linear in e and h; `one_row` returns whether a parameter is a
/// single row.
fn is_linear(program: &Program, one_row: &dyn Fn(usize) -> bool) -> bool {
    let mut known: BTreeMap<&str, PartKind> = BTreeMap::new();
    for (name, meaning) in program.variables() {
        let part = match *meaning {
            Meaning::Input(0 | 1) => PartKind::Linear,
            Meaning::Input(_) => PartKind::Constant { one_row: false },
            Meaning::Number => PartKind::Constant { one_row: true },
            Meaning::Parameter(at) => PartKind::Constant { one_row: one_row(at) },
            Meaning::Step(_) => continue,
        };
        known.insert(name, part);
    }
    let mut last = None;
    for step in program.steps() {
        last = part(&step.tree, &known);
        let Some(part) = last else { return false };
        known.insert(&step.text.name, part);
    }
    last == Some(PartKind::Linear)
}

fn part(tree: &Expr, known: &BTreeMap<&str, PartKind>) -> Option<PartKind> {
    match &tree.kind {
        NodeKind::Number(_) => Some(PartKind::Constant { one_row: true }),
        NodeKind::Name(name) => known.get(name.as_str()).copied(),
        NodeKind::Negate(inner) => part(inner, known),
        NodeKind::Binary(operator, operands) => {
            let [left, right] = operands.each_ref().map(|side| part(side, known));
            combine(*operator, left?, right?)
        }
        NodeKind::Call(name, arguments) => {
            let parts = arguments.iter().map(|argument| part(argument, known));
            let parts = parts.collect::<Option<Vec<PartKind>>>()?;
            match (name.as_str(), parts.as_slice()) {
                // Dropout acts only in training.
                (
                    "dropout" | "detach" | "sum" | "mean" | "first_columns" | "rest_columns",
                    [first, ..],
                ) => Some(*first),
                ("column_norms", [PartKind::Constant { .. }]) => {
                    Some(PartKind::Constant { one_row: true })
                }
                (_, parts) if parts.contains(&PartKind::Linear) => None,
                // Element-wise, or along a row.
                (_, [alone]) if name != "transpose" => Some(*alone),
                _ => Some(PartKind::Constant { one_row: false }),
            }
        }
    }
}

fn combine(operator: BinaryOperator, left: PartKind, right: PartKind) -> Option<PartKind> {
    use PartKind::{Constant, Linear};
    Some(match (operator, left, right) {
        (BinaryOperator::MatMul, Constant { one_row }, Constant { .. }) => Constant { one_row },
        (BinaryOperator::MatMul, Linear, Constant { .. }) => Linear,
        (_, Constant { one_row: a }, Constant { one_row: b }) => Constant { one_row: a && b },
        (BinaryOperator::Add | BinaryOperator::Subtract, Linear, Linear) => Linear,
        (
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Divide,
            Linear,
            Constant { one_row: true },
        )
        | (
            BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply,
            Constant { one_row: true },
            Linear,
        ) => Linear,
        _ => return None,
    })
}

impl Folds {
    /// Returns whether the equation at this site is folded into its layer.
    pub(super) fn contains(&self, site: Site) -> bool {
        self.sites.contains(&site)
    }
}

impl PetStack {
    /// Enables folding for this stack and its clones. Each layer is folded when the next image needs it, into an f32
    /// copy of the frozen one. Stacks derived for training, or with other values, do not fold.
    pub fn enable_folding(&self) {
        self.folds.get_or_init(|| {
            let all = Site::ALL.iter().map(|(site, ..)| *site);
            let linear: Vec<Site> = all.filter(|site| site.is_linear()).collect();
            let blocks = self.tensors.keys();
            let keys = blocks.flat_map(|block| linear.iter().map(move |site| (*block, *site)));
            Folds {
                sites: self.foldable_sites(),
                layers: keys.map(|key| (key, OnceLock::new())).collect(),
            }
        });
    }

    /// Returns the number of values in the folded layers so far.
    pub fn folded_value_count(&self) -> usize {
        let layers = self.folds.get().into_iter();
        let layers = layers.flat_map(|folds| folds.layers.values());
        let folded = layers.filter_map(|layer| layer.get()?.as_ref().ok());
        let sizes = folded.map(|layer| layer.weight_f32().dims().iter().product::<usize>());
        sizes.sum()
    }

    /// Returns the linear layers into which the equations of this stack can be folded.
    pub fn foldable_sites(&self) -> Vec<Site> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let used = |site: &Site| {
            let mut blocks = plan.layout.blocks.values();
            blocks.any(|block| block.bindings.contains_key(site))
        };
        let found = plan.spec.foldable_sites(plan.variant()).into_iter();
        found.filter(used).collect()
    }

    /// Returns the layer to use in place of `frozen_layer`, whose outputs at these sites are packed: with the equations
    /// folded into it, or `frozen_layer` itself.
    pub(super) fn folded_layer<'a>(
        &'a self,
        block: usize,
        sites: &[Site],
        frozen_layer: &'a Linear,
    ) -> Result<&'a Linear> {
        let found = self.folds.get().and_then(|folds| {
            let is_folded = sites.iter().any(|site| folds.contains(*site));
            is_folded.then(|| folds.layers.get(&(block, *sites.first()?)))?
        });
        match found {
            Some(layer) => {
                let folded = layer.get_or_init(|| self.fold_layer(block, sites, frozen_layer));
                folded.as_ref().map_err(Clone::clone)
            }
            None => Ok(frozen_layer),
        }
    }

    /// Folds a linear equation, f(e, h) = e·L + h·M + b, into h = e·W + c: e·(L + W·M) + c·M + b.
    fn fold_layer(&self, block: usize, sites: &[Site], frozen_layer: &Linear) -> Result<Linear> {
        let weight = frozen_layer.weight_f32();
        let ([inputs, packed], device) = (weight.dims(), weight.device());
        let width = packed / sites.len().max(1);
        let bias = frozen_layer.bias.clone();
        let bias = bias.unwrap_or_else(|| Tensor::zeros([packed], &device));
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for (index, site) in sites.iter().enumerate() {
            let range = index * width..(index + 1) * width;
            let part = weight.clone().slice([0..inputs, range.clone()]);
            let shift = bias.clone().slice(range).reshape([1, width]);
            if !self.folds.get().is_some_and(|folds| folds.contains(*site)) {
                weights.push(part);
                biases.push(shift);
                continue;
            }
            let evaluate = |e: Tensor<2>, h: Tensor<2>| -> Result<Tensor<2>> {
                let [e, h] = [e, h].map(|x| x.unsqueeze::<3>().into());
                let arguments: [Value; 3] = [e, h, part.clone().into()];
                Ok(self.evaluate_tokens(block, *site, &arguments)?.squeeze_dim(0))
            };
            let zero_input = || Tensor::<2>::zeros([1, inputs], &device);
            let row = evaluate(zero_input(), Tensor::zeros([1, width], &device))?;
            weights.push(evaluate(Tensor::eye(inputs, &device), part.clone())? - row);
            biases.push(evaluate(zero_input(), shift)?);
        }
        let bias = Tensor::cat(biases, 1).reshape([packed]);
        Ok(Linear::new(Tensor::cat(weights, 1), Some(bias)))
    }
}
