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
enum Part {
    /// Independent of e and h; `one_row` if it is a number or a single row, the same for every token.
    Constant { one_row: bool },
    /// A sum of matrix products with a token's e and h, and a row.
    Linear,
}

impl PetSpec {
    /// Returns the linear layers into which a variant's equations can be folded.
    pub fn foldable(&self, form: &PetVariant) -> Vec<Site> {
        let one_row = |at: usize| {
            let rows = self.parameters.get(at).map(|parameter| &parameter.shape[0]);
            rows == Some(&Extent::Count(1))
        };
        let folds = |(site, program): &(&Site, &Arc<Program>)| {
            site.is_linear() && is_linear(program, &one_row)
        };
        let found = form.equations.iter().filter(folds);
        found.map(|(site, _)| *site).collect()
    }
}

/// Returns whether the equation of a linear layer is linear in e and h; `one_row` returns whether a parameter is a
/// single row.
fn is_linear(program: &Program, one_row: &dyn Fn(usize) -> bool) -> bool {
    let mut known: BTreeMap<&str, Part> = BTreeMap::new();
    for (name, meaning) in program.variables() {
        let part = match *meaning {
            Meaning::Input(0 | 1) => Part::Linear,
            Meaning::Input(_) => Part::Constant { one_row: false },
            Meaning::Number => Part::Constant { one_row: true },
            Meaning::Parameter(at) => Part::Constant {
                one_row: one_row(at),
            },
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
    last == Some(Part::Linear)
}

fn part(tree: &Expr, known: &BTreeMap<&str, Part>) -> Option<Part> {
    match &tree.kind {
        NodeKind::Number(_) => Some(Part::Constant { one_row: true }),
        NodeKind::Name(name) => known.get(name.as_str()).copied(),
        NodeKind::Minus(inner) => part(inner, known),
        NodeKind::Binary(sign, both) => {
            let [left, right] = both.each_ref().map(|side| part(side, known));
            pair(*sign, left?, right?)
        }
        NodeKind::Call(name, arguments) => {
            let parts = arguments.iter().map(|argument| part(argument, known));
            let parts = parts.collect::<Option<Vec<Part>>>()?;
            match (name.as_str(), parts.as_slice()) {
                // Dropout acts only in training.
                (
                    "dropout" | "detach" | "sum" | "mean" | "first_columns" | "rest_columns",
                    [first, ..],
                ) => Some(*first),
                ("column_norms", [Part::Constant { .. }]) => Some(Part::Constant { one_row: true }),
                (_, parts) if parts.contains(&Part::Linear) => None,
                // Element-wise, or along a row.
                (_, [alone]) if name != "transpose" => Some(*alone),
                _ => Some(Part::Constant { one_row: false }),
            }
        }
    }
}

fn pair(sign: BinaryOperator, left: Part, right: Part) -> Option<Part> {
    use Part::{Constant, Linear};
    Some(match (sign, left, right) {
        (BinaryOperator::Product, Constant { one_row }, Constant { .. }) => Constant { one_row },
        (BinaryOperator::Product, Linear, Constant { .. }) => Linear,
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
    pub(super) fn has(&self, site: Site) -> bool {
        self.sites.contains(&site)
    }
}

impl PetStack {
    /// Enables folding for this stack and its clones. Each layer is folded when the next image needs it, into an f32
    /// copy of the frozen one. Stacks derived for training, or with other values, do not fold.
    pub fn fold(&self) {
        self.folds.get_or_init(|| {
            let all = Site::ALL.iter().map(|(site, ..)| *site);
            let linear: Vec<Site> = all.filter(|site| site.is_linear()).collect();
            let blocks = self.tensors.keys();
            let keys = blocks.flat_map(|block| linear.iter().map(move |site| (*block, *site)));
            Folds {
                sites: self.foldable(),
                layers: keys.map(|key| (key, OnceLock::new())).collect(),
            }
        });
    }

    /// Returns the number of values in the folded layers so far.
    pub fn folded_numbers(&self) -> usize {
        let layers = self.folds.get().into_iter();
        let layers = layers.flat_map(|folds| folds.layers.values());
        let made = layers.filter_map(|layer| layer.get()?.as_ref().ok());
        let sizes = made.map(|layer| layer.wide_weight().dims().iter().product::<usize>());
        sizes.sum()
    }

    /// Returns the linear layers into which the equations of this stack can be folded.
    pub fn foldable(&self) -> Vec<Site> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let used = |site: &Site| {
            let mut blocks = plan.layout.blocks.values();
            blocks.any(|block| block.bindings.contains_key(site))
        };
        let found = plan.spec.foldable(plan.variant()).into_iter();
        found.filter(used).collect()
    }

    /// Returns the layer to use in place of `own`, whose outputs at these sites are side by side: with the equations
    /// folded into it, or `own` itself.
    pub(super) fn folded<'a>(
        &'a self,
        block: usize,
        sites: &[Site],
        own: &'a Linear,
    ) -> Result<&'a Linear> {
        let found = self.folds.get().and_then(|folds| {
            let any = sites.iter().any(|site| folds.has(*site));
            any.then(|| folds.layers.get(&(block, *sites.first()?)))?
        });
        match found {
            Some(layer) => {
                let made = layer.get_or_init(|| self.fold_layer(block, sites, own));
                made.as_ref().map_err(Clone::clone)
            }
            None => Ok(own),
        }
    }

    /// Folds a linear equation, f(e, h) = e·L + h·M + b, into h = e·W + c: e·(L + W·M) + c·M + b.
    fn fold_layer(&self, block: usize, sites: &[Site], own: &Linear) -> Result<Linear> {
        let weight = own.wide_weight();
        let ([inputs, packed], device) = (weight.dims(), weight.device());
        let width = packed / sites.len().max(1);
        let bias = own.bias.clone();
        let bias = bias.unwrap_or_else(|| Tensor::zeros([packed], &device));
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for (at, site) in sites.iter().enumerate() {
            let range = at * width..(at + 1) * width;
            let part = weight.clone().slice([0..inputs, range.clone()]);
            let shift = bias.clone().slice(range).reshape([1, width]);
            if !self.folds.get().is_some_and(|folds| folds.has(*site)) {
                weights.push(part);
                biases.push(shift);
                continue;
            }
            let made = |e: Tensor<2>, h: Tensor<2>| -> Result<Tensor<2>> {
                let [e, h] = [e, h].map(|x| x.unsqueeze::<3>().into());
                let given: [Value; 3] = [e, h, part.clone().into()];
                Ok(self.evaluate_tokens(block, *site, &given)?.squeeze_dim(0))
            };
            let nothing = || Tensor::<2>::zeros([1, inputs], &device);
            let row = made(nothing(), Tensor::zeros([1, width], &device))?;
            weights.push(made(Tensor::eye(inputs, &device), part.clone())? - row);
            biases.push(made(nothing(), shift)?);
        }
        let bias = Tensor::cat(biases, 1).reshape([packed]);
        Ok(Linear::new(Tensor::cat(weights, 1), Some(bias)))
    }
}
