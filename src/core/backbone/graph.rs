//! Networks as graphs of operations: what acts inside one, and the layers they have in common.

use crate::onnx::{Attribute, Graph, Value};
use crate::pet::Site;
use crate::problem::Result;
use crate::tensors::{Named, named};

/// What acts at sites while a graph is put together.
pub trait GraphHooks {
    /// Whether anything acts at this site of this block.
    fn uses(&self, block: usize, site: Site) -> bool;

    /// What the site makes of its inputs (e and h, or q, k and v); `weight` makes the frozen weight of the linear
    /// layer that stands there, in × out.
    ///
    /// # Errors
    /// A Problem for what has no form in a graph.
    fn around(
        &self,
        graph: &mut Graph,
        at: (usize, Site),
        inputs: &[&Value],
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value>;
}

/// A network that is being put together: the graph, its weights under timm's names, and what acts in it.
pub struct GraphParts<'a> {
    /// Where it goes.
    pub graph: &'a mut Graph,
    /// Weights under timm's names.
    pub weights: &'a Named,
    /// What acts inside.
    pub hooks: &'a dyn GraphHooks,
}

impl GraphParts<'_> {
    /// A weight as it is stored.
    ///
    /// # Errors
    /// A Problem when it is missing.
    pub fn weight(&mut self, name: &str) -> Result<Value> {
        let stored = named(self.weights, name)?;
        Ok(self
            .graph
            .weight(name, &stored.shape, || stored.values.clone()))
    }

    /// A linear layer's weight, in × out.
    ///
    /// # Errors
    /// A Problem when it is missing.
    pub fn turned_weight(&mut self, layer: &str) -> Result<Value> {
        turned_weight(self.graph, self.weights, layer)
    }

    /// x·Wᵀ + b.
    ///
    /// # Errors
    /// A Problem when a weight is missing.
    pub fn linear(&mut self, x: &Value, layer: &str) -> Result<Value> {
        let weight = self.turned_weight(layer)?;
        let product = self.graph.pair("MatMul", x, &weight);
        let bias = format!("{layer}.bias");
        if !self.weights.contains_key(&bias) {
            return Ok(product);
        }
        let bias = self.weight(&bias)?;
        Ok(self.graph.pair("Add", &product, &bias))
    }

    /// A layer norm over the last axis.
    ///
    /// # Errors
    /// A Problem when a weight is missing.
    pub fn norm(&mut self, x: &Value, layer: &str, epsilon: f64) -> Result<Value> {
        let scale = self.weight(&format!("{layer}.weight"))?;
        let bias = self.weight(&format!("{layer}.bias"))?;
        let told = [
            ("axis", Attribute::Int(-1)),
            ("epsilon", Attribute::Float(epsilon as f32)),
        ];
        Ok(self
            .graph
            .op("LayerNormalization", &[x, &scale, &bias], &told))
    }

    /// What acts at a site that is no linear layer; `h` (the last input, or q) where nothing does.
    ///
    /// # Errors
    /// A Problem for what has no form in a graph.
    pub fn site(&mut self, at: (usize, Site), e: &Value, h: Value) -> Result<Value> {
        self.linear_site(at, e, h, &|_| unreachable_weight())
    }

    /// The tokens that enter a block, where a PET adds some or changes them.
    ///
    /// # Errors
    /// A Problem for what has no form in a graph.
    pub fn input(&mut self, block: usize, tokens: &Value) -> Result<Value> {
        let at = (block, Site::Input);
        match self.hooks.uses(block, Site::Input) {
            true => self
                .hooks
                .around(self.graph, at, &[tokens], &|_| unreachable_weight()),
            false => Ok(tokens.clone()),
        }
    }

    /// The same where a linear layer stands.
    ///
    /// # Errors
    /// A Problem for what has no form in a graph.
    pub fn linear_site(
        &mut self,
        at: (usize, Site),
        e: &Value,
        h: Value,
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value> {
        match self.hooks.uses(at.0, at.1) {
            true => self.hooks.around(self.graph, at, &[e, &h], weight),
            false => Ok(h),
        }
    }
}

/// The weight of a linear layer, in × out.
///
/// # Errors
/// A Problem when it is missing.
pub fn turned_weight(graph: &mut Graph, weights: &Named, layer: &str) -> Result<Value> {
    let stored = named(weights, &format!("{layer}.weight"))?;
    let [columns, rows] = [0, 1].map(|axis| stored.shape.get(axis).copied().unwrap_or(1));
    Ok(
        graph.weight(&format!("{layer}.weight turned"), &[rows, columns], || {
            stored.turned().values
        }),
    )
}

fn unreachable_weight() -> Result<Value> {
    Err(crate::problem::Problem::new(
        "no linear layer stands at this site",
    ))
}
