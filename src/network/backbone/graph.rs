//! Networks as ONNX graphs: the hooks in them, and layers that several families have.

use crate::onnx::{Attribute, Graph, Value};
use crate::pet::Site;
use crate::problem::{Problem, Result};
use crate::tensors::{NamedTensors, get_tensor};

/// The hooks at sites of a network that is written as a graph.
pub trait GraphHooks {
    /// Returns whether anything acts at this site of this block.
    fn uses(&self, block: usize, site: Site) -> bool;

    /// Returns the result of a site for its inputs (e and h, or q, k and v). `weight` creates the frozen weight of the
    /// linear layer at this site, in × out.
    ///
    /// # Errors
    /// Returns a Problem if ONNX cannot express it.
    fn apply(
        &self,
        graph: &mut Graph,
        position: (usize, Site),
        inputs: &[&Value],
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value>;
}

/// A network that is being written as a graph.
pub struct GraphParts<'a> {
    /// The graph.
    pub graph: &'a mut Graph,
    /// Weights under timm's names.
    pub weights: &'a NamedTensors,
    /// The hooks.
    pub hooks: &'a dyn GraphHooks,
}

impl GraphParts<'_> {
    /// Returns a weight in its stored layout.
    ///
    /// # Errors
    /// Returns a Problem if it is missing.
    pub fn weight(&mut self, name: &str) -> Result<Value> {
        let stored = get_tensor(self.weights, name)?;
        Ok(self.graph.weight(name, &stored.shape, || stored.values.clone()))
    }

    /// Returns x·Wᵀ + b; without b if the layer has no bias.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing.
    pub fn linear(&mut self, x: &Value, layer: &str) -> Result<Value> {
        let weight = transposed_weight(self.graph, self.weights, layer)?;
        let product = self.graph.binary("MatMul", x, &weight);
        let bias = format!("{layer}.bias");
        if !self.weights.contains_key(&bias) {
            return Ok(product);
        }
        let bias = self.weight(&bias)?;
        Ok(self.graph.binary("Add", &product, &bias))
    }

    /// Returns the layer norm over the last axis.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing.
    pub fn norm(&mut self, x: &Value, layer: &str, epsilon: f64) -> Result<Value> {
        let scale = self.weight(&format!("{layer}.weight"))?;
        let bias = self.weight(&format!("{layer}.bias"))?;
        let attributes =
            [("axis", Attribute::Int(-1)), ("epsilon", Attribute::Float(epsilon as f32))];
        Ok(self.graph.op("LayerNormalization", &[x, &scale, &bias], &attributes))
    }

    /// Returns the result of the site of a linear layer; `h` if nothing acts there. `weight` creates the layer's frozen
    /// weight, in × out.
    ///
    /// # Errors
    /// Returns a Problem if ONNX cannot express it.
    pub fn linear_site(
        &mut self,
        position: (usize, Site),
        e: &Value,
        h: Value,
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value> {
        match self.hooks.uses(position.0, position.1) {
            true => self.hooks.apply(self.graph, position, &[e, &h], weight),
            false => Ok(h),
        }
    }

    /// Splits any × tokens × width into any × heads × tokens × width per head.
    pub fn split_heads(&mut self, x: &Value, heads: i64, width: i64) -> Value {
        let split = self.graph.reshape(x, &[0, 0, heads, width / heads]);
        self.graph.permute(&split, &[0, 2, 1, 3])
    }

    /// Undoes [`GraphParts::split_heads`].
    pub fn join_heads(&mut self, x: &Value, width: i64) -> Value {
        let transposed = self.graph.permute(x, &[0, 2, 1, 3]);
        self.graph.reshape(&transposed, &[0, 0, width])
    }

    /// Returns softmax(`add_bias`(q·kᵀ/√`head_width`))·v.
    pub fn attend(
        &mut self,
        [q, k, v]: [&Value; 3],
        head_width: i64,
        add_bias: &dyn Fn(&mut Graph, Value) -> Value,
    ) -> Value {
        let graph = &mut *self.graph;
        let scale = graph.scalar((head_width as f64).powf(-0.5));
        let scaled = graph.binary("Mul", q, &scale);
        let transposed = graph.permute(k, &[0, 1, 3, 2]);
        let scores = graph.binary("MatMul", &scaled, &transposed);
        let scores = add_bias(graph, scores);
        let probabilities = graph.softmax(&scores);
        graph.binary("MatMul", &probabilities, v)
    }

    /// Returns a linear layer, multiplied by the weight `scale` if there is one, after its site.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing or ONNX cannot express what acts there.
    pub fn scaled_linear(
        &mut self,
        position: (usize, Site),
        e: &Value,
        layer: &str,
        scale: Option<&str>,
    ) -> Result<Value> {
        let mut h = self.linear(e, layer)?;
        let scale = scale.map(|name| self.weight(name)).transpose()?;
        if let Some(scale) = &scale {
            h = self.graph.binary("Mul", &h, scale);
        }
        let weights = self.weights;
        let weight = |graph: &mut Graph| {
            let weight = transposed_weight(graph, weights, layer)?;
            Ok(match &scale {
                Some(scale) => graph.binary("Mul", &weight, scale),
                None => weight,
            })
        };
        self.linear_site(position, e, h, &weight)
    }

    /// Returns the convolution of a map (any × channels × rows × columns) with this stride, number of groups and width
    /// of the border of zeros.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing.
    pub fn convolution(
        &mut self,
        map: &Value,
        layer: &str,
        [stride, groups, padding]: [usize; 3],
    ) -> Result<Value> {
        let [stride, padding] = [stride, padding].map(|n| n as i64);
        let attributes = [
            ("strides", Attribute::Ints(&[stride, stride])),
            ("group", Attribute::Int(groups as i64)),
            ("pads", Attribute::Ints(&[padding; 4])),
        ];
        let weight = self.weight(&format!("{layer}.weight"))?;
        let bias = format!("{layer}.bias");
        if !self.weights.contains_key(&bias) {
            return Ok(self.graph.op("Conv", &[map, &weight], &attributes));
        }
        let bias = self.weight(&bias)?;
        Ok(self.graph.op("Conv", &[map, &weight, &bias], &attributes))
    }

    /// Converts any × channels × rows × columns into any × rows·columns × channels.
    pub fn map_to_tokens(&mut self, map: &Value, channels: usize) -> Value {
        let flat = self.graph.reshape(map, &[0, channels as i64, -1]);
        self.graph.permute(&flat, &[0, 2, 1])
    }

    /// Undoes [`GraphParts::map_to_tokens`].
    pub fn tokens_to_map(
        &mut self,
        tokens: &Value,
        [rows, columns, channels]: [usize; 3],
    ) -> Value {
        let transposed = self.graph.permute(tokens, &[0, 2, 1]);
        let shape = [0, channels as i64, rows as i64, columns as i64];
        self.graph.reshape(&transposed, &shape)
    }

    /// Returns the mean over all tokens: any × width.
    pub fn mean_token(&mut self, tokens: &Value, width: usize) -> Value {
        let mean = self.graph.mean(tokens, 1);
        self.graph.reshape(&mean, &[-1, width as i64])
    }
}

/// Returns the weight of a linear layer, in × out.
///
/// # Errors
/// Returns a Problem if it is missing.
pub fn transposed_weight(graph: &mut Graph, weights: &NamedTensors, layer: &str) -> Result<Value> {
    let stored = get_tensor(weights, &format!("{layer}.weight"))?;
    let [columns, rows] = [0, 1].map(|axis| stored.shape.get(axis).copied().unwrap_or(1));
    Ok(graph
        .weight(&format!("{layer}.weight turned"), &[rows, columns], || stored.transposed().values))
}

/// Returns the error of a hook that reads the weight of a site without a linear layer.
pub fn no_weight(_: &mut Graph) -> Result<Value> {
    Err(Problem::new("there is no linear layer at this site"))
}
