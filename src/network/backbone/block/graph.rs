//! A block as nodes of an ONNX graph.

use super::windows::Windows;
use super::{BlockForm, BlockOps, MlpNorm, Scope, Sublayer, missing_layer};
use crate::backbone::BlockShape;
use crate::backbone::graph::{GraphParts, no_weight, transposed_weight};
use crate::backbone::mlp::{Activation, ResponseNorm};
use crate::nn::rows::ZERO_ROW;
use crate::onnx::{Attribute, Graph, Value};
use crate::pet::Site;
use crate::problem::Result;

/// Adds the nodes of a block to a graph.
pub struct GraphBlock<'a, 'b> {
    /// The graph with its weights and hooks.
    pub parts: &'a mut GraphParts<'b>,
    /// The number of the block over all stages.
    pub index: usize,
    /// Which layers there are, and in which order.
    pub form: BlockForm,
    /// The beginning of the names of its weights.
    pub prefix: String,
    /// The sizes of the block.
    pub shape: BlockShape,
    /// Side of the map.
    pub side: usize,
    /// How queries and keys are changed.
    pub query_key_transform: Option<QueryKeyTransform>,
    /// The windows, and the bias of each pair of tokens in them.
    pub windows: Option<(Windows, Value)>,
}

/// How queries and keys are changed.
pub enum QueryKeyTransform {
    /// Rotated by these angles (patches × pairs of channels); pairs are the halves of a head, or neighbours.
    Rotary {
        /// The angles.
        angles: Vec<f64>,
        /// Whether pairs are the halves of a head.
        rotate_half: bool,
    },
    /// Scaled to unit length, the queries then by this factor (heads × 1 × 1).
    Cosine(Value),
}

impl GraphBlock<'_, '_> {
    fn name(&self, rest: &str) -> String {
        format!("{}.{rest}", self.prefix)
    }

    /// Returns the windows and the channels of a token.
    fn windows_and_width(&self) -> Result<(Windows, i64)> {
        let (windows, _) = self.windows.as_ref().ok_or_else(|| missing_layer("windows"))?;
        Ok((*windows, self.shape.width as i64))
    }
}

impl BlockOps for GraphBlock<'_, '_> {
    type Value = Value;
    /// Queries, keys and values by head: any × heads × tokens × head width.
    type Heads = [Value; 3];

    fn form(&self) -> BlockForm {
        self.form
    }

    fn input(&mut self, x: &Value) -> Result<Value> {
        let position = (self.index, Site::Input);
        let (graph, hooks) = (&mut *self.parts.graph, self.parts.hooks);
        match hooks.uses(position.0, position.1) {
            true => hooks.apply(graph, position, &[x], &no_weight),
            false => Ok(x.clone()),
        }
    }

    fn site(&mut self, site: Site, e: &Value, h: Value) -> Result<Value> {
        self.parts.linear_site((self.index, site), e, h, &no_weight)
    }

    fn fused(&mut self, _: Sublayer, _: Scope, _: &Value) -> Result<Option<Value>> {
        Ok(None)
    }

    fn add(&mut self, _: Sublayer, x: Value, h: Value) -> Value {
        self.parts.graph.binary("Add", &x, &h)
    }

    fn depthwise(&mut self, x: &Value) -> Result<Value> {
        let (side, width) = (self.side, self.shape.width);
        let map = self.parts.tokens_to_map(x, [side, side, width]);
        let name = self.name("conv_dw");
        let mixed = self.parts.convolution(&map, &name, [1, width, 3])?;
        Ok(self.parts.map_to_tokens(&mixed, width))
    }

    fn norm(&mut self, part: Sublayer, x: &Value) -> Result<Value> {
        let name = self.name(self.form.norms[part as usize]);
        self.parts.norm(x, &name, self.form.epsilon)
    }

    fn inner_norm(&mut self, part: Sublayer, x: Value) -> Result<Value> {
        if part == Sublayer::Attention {
            let name = self.name("attn.norm");
            return self.parts.norm(&x, &name, self.form.epsilon);
        }
        match self.form.mlp_norm {
            Some(MlpNorm::Response) => response_norm(self.parts, &x, &self.name("mlp.grn")),
            _ => self.parts.norm(&x, &self.name("mlp.norm"), self.form.epsilon),
        }
    }

    fn partition(&mut self, x: &Value) -> Result<Value> {
        let (windows, width) = self.windows_and_width()?;
        let graph = &mut *self.parts.graph;
        let order = windows.order();
        let gathered = gather_tokens(graph, x, order.indices()[0], windows.map.0 * windows.map.1);
        Ok(graph.reshape(&gathered, &[-1, windows.tokens() as i64, width]))
    }

    fn reverse(&mut self, x: Value) -> Result<Value> {
        let (windows, width) = self.windows_and_width()?;
        let graph = &mut *self.parts.graph;
        let (order, count) = (windows.order(), windows.order().len());
        let images = graph.reshape(&x, &[-1, count as i64, width]);
        Ok(gather_tokens(graph, &images, order.indices()[1], count))
    }

    fn projections(&mut self, e: &Value) -> Result<[Value; 3]> {
        let layer = self.name("attn.qkv");
        let packed = self.parts.linear(e, &layer)?;
        let (width, weights) = (self.shape.width as i64, self.parts.weights);
        let mut part = |i: i64| {
            let (from, to) = (i * width, (i + 1) * width);
            let h = self.parts.graph.slice(&packed, -1, from, to);
            let weight = |graph: &mut Graph| {
                let full_weight = transposed_weight(graph, weights, &layer)?;
                Ok(graph.slice(&full_weight, -1, from, to))
            };
            let position = (self.index, Site::PACKED[i as usize]);
            let h = self.parts.linear_site(position, e, h, &weight)?;
            Ok(self.parts.split_heads(&h, self.shape.heads as i64, width))
        };
        Ok([part(0)?, part(1)?, part(2)?])
    }

    fn transform_queries_and_keys(&mut self, [q, k, v]: [Value; 3]) -> Result<[Value; 3]> {
        let graph = &mut *self.parts.graph;
        match &self.query_key_transform {
            Some(QueryKeyTransform::Rotary { angles, rotate_half: half }) => {
                let pairs = self.shape.width / self.shape.heads / 2;
                let [q, k] = [q, k].map(|x| rotate(graph, &x, (angles.as_slice(), pairs, *half)));
                Ok([q, k, v])
            }
            Some(QueryKeyTransform::Cosine(scale)) => {
                let q = normalise(graph, &q);
                let q = graph.binary("Mul", &q, scale);
                Ok([q, normalise(graph, &k), v])
            }
            None => Err(missing_layer("rotation")),
        }
    }

    fn attend(&mut self, [q, k, v]: [Value; 3]) -> Result<Value> {
        let position = (self.index, Site::Attend);
        let (heads, width) = (self.shape.heads as i64, self.shape.width as i64);
        let mixed = match self.parts.hooks.uses(position.0, position.1) {
            true => {
                let unused_weight = |_: &mut Graph| Ok(q.clone());
                let hooks = self.parts.hooks;
                hooks.apply(self.parts.graph, position, &[&q, &k, &v], &unused_weight)?
            }
            false => {
                let windows = self.windows.as_ref();
                let add_bias = |graph: &mut Graph, scores: Value| match windows {
                    Some((partition, bias)) => {
                        let [groups, tokens] =
                            [partition.groups(), partition.tokens()].map(|n| n as i64);
                        let by_group = [-1, groups, heads, tokens, tokens];
                        let scores = graph.reshape(&scores, &by_group);
                        let sum = graph.binary("Add", &scores, bias);
                        graph.reshape(&sum, &[-1, heads, tokens, tokens])
                    }
                    None => scores,
                };
                self.parts.attend([&q, &k, &v], width / heads, &add_bias)
            }
        };
        Ok(self.parts.join_heads(&mixed, width))
    }

    fn linear(&mut self, site: Site, e: &Value) -> Result<Value> {
        let (layer, part) = match site {
            Site::Proj => ("attn.proj", Some(Sublayer::Attention)),
            Site::Fc1 => ("mlp.fc1", None),
            Site::Fc2 => ("mlp.fc2", Some(Sublayer::Mlp)),
            _ => return Err(missing_layer("linear layer")),
        };
        let scale = part.and_then(|part| self.form.scales[part as usize]);
        let scale = scale.map(|name| self.name(name));
        let (position, name) = ((self.index, site), self.name(layer));
        self.parts.scaled_linear(position, e, &name, scale.as_deref())
    }

    fn activation(&mut self, x: &Value) -> Value {
        let graph = &mut *self.parts.graph;
        match self.form.swiglu {
            true => swiglu(graph, x, self.shape.hidden as i64),
            false => activation(graph, x, self.form.activation),
        }
    }
}

/// Returns the global response norm of any × positions × channels.
fn response_norm(parts: &mut GraphParts<'_>, x: &Value, layer: &str) -> Result<Value> {
    let gamma = parts.weight(&format!("{layer}.weight"))?;
    let beta = parts.weight(&format!("{layer}.bias"))?;
    let graph = &mut *parts.graph;
    let squared = graph.binary("Mul", x, x);
    let summed = graph.sum(&squared, 1);
    let norms = graph.op("Sqrt", &[&summed], &[]);
    let mean = graph.mean(&norms, 2);
    let epsilon = graph.scalar(ResponseNorm::EPSILON);
    let mean = graph.binary("Add", &mean, &epsilon);
    let ratio = graph.binary("Div", &norms, &mean);
    let scale = graph.binary("Mul", &ratio, &gamma);
    let scaled = graph.binary("Mul", x, &scale);
    let moved = graph.binary("Add", &scaled, &beta);
    Ok(graph.binary("Add", x, &moved))
}

/// Returns SwiGLU of gates and values, side by side, of this number of channels each.
fn swiglu(graph: &mut Graph, x: &Value, channels: i64) -> Value {
    let gate = graph.slice(x, -1, 0, channels);
    let value = graph.slice(x, -1, channels, 2 * channels);
    let sigmoid = graph.op("Sigmoid", &[&gate], &[]);
    let gate = graph.binary("Mul", &gate, &sigmoid);
    graph.binary("Mul", &gate, &value)
}

/// Rotates the last tokens of queries or keys (any × heads × tokens × head width) by angles (tokens × pairs of
/// channels). Pairs are the halves of a head, or neighbours.
fn rotate(graph: &mut Graph, x: &Value, (angles, pairs, half): (&[f64], usize, bool)) -> Value {
    let tokens = angles.len() / pairs;
    let count = tokens as i64;
    // The two numbers of a pair are side by side on one axis.
    let (split_shape, axis, table) = match half {
        true => ([0, 0, count, 2, pairs as i64], 3, [tokens, 1, pairs]),
        false => ([0, 0, count, pairs as i64, 2], 4, [tokens, pairs, 1]),
    };
    let mut add_table = |name: &str, function: fn(f64) -> f64| {
        let values = || angles.iter().map(|angle| function(*angle) as f32).collect();
        graph.weight(&format!("rotary {name}"), &table, values)
    };
    let (cos, sin) = (add_table("cos", f64::cos), add_table("sin", f64::sin));
    let leading = graph.slice(x, 2, 0, -count);
    let rotated = graph.slice(x, 2, -count, i64::MAX);
    let rotated = graph.reshape(&rotated, &split_shape);
    let a = graph.slice(&rotated, axis, 0, 1);
    let b = graph.slice(&rotated, axis, 1, 2);
    let mut product = |x: &Value, table: &Value| graph.binary("Mul", x, table);
    let [ac, bs, bc, as_] =
        [product(&a, &cos), product(&b, &sin), product(&b, &cos), product(&a, &sin)];
    let first = graph.binary("Sub", &ac, &bs);
    let second = graph.binary("Add", &bc, &as_);
    let rotated = graph.concat(&[&first, &second], axis);
    let rotated = graph.reshape(&rotated, &[0, 0, count, 2 * pairs as i64]);
    graph.concat(&[&leading, &rotated], 2)
}

/// Returns the activation of each value.
fn activation(graph: &mut Graph, x: &Value, activation: Activation) -> Value {
    let scale = |graph: &mut Graph, x: &Value, factor: f64| {
        let factor = graph.scalar(factor);
        graph.binary("Mul", x, &factor)
    };
    match activation {
        Activation::Gelu => graph.gelu(x),
        Activation::QuickGelu => {
            let scaled = scale(graph, x, 1.702);
            let sigmoid = graph.op("Sigmoid", &[&scaled], &[]);
            graph.binary("Mul", x, &sigmoid)
        }
        Activation::GeluTanh => {
            let half = scale(graph, x, 0.5);
            let small = scale(graph, x, 0.044_715);
            let squared = graph.binary("Mul", x, x);
            let cubed = graph.binary("Mul", &small, &squared);
            let inside = graph.binary("Add", x, &cubed);
            let inside = scale(graph, &inside, (2.0 / std::f64::consts::PI).sqrt());
            let share = graph.op("Tanh", &[&inside], &[]);
            let one = graph.scalar(1.0);
            let share = graph.binary("Add", &share, &one);
            graph.binary("Mul", &half, &share)
        }
    }
}

/// Scales each row to length 1.
fn normalise(graph: &mut Graph, x: &Value) -> Value {
    let squared = graph.binary("Mul", x, x);
    let summed = graph.sum(&squared, -1);
    let minimum = graph.scalar(1e-24);
    let summed = graph.op("Max", &[&summed, &minimum], &[]);
    let length = graph.op("Sqrt", &[&summed], &[]);
    graph.binary("Div", x, &length)
}

/// Returns the tokens with these indices (any × `count` × channels); zeros for [`ZERO_ROW`].
pub fn gather_tokens(graph: &mut Graph, tokens: &Value, from: &[u32], count: usize) -> Value {
    let mut tokens = tokens.clone();
    if from.contains(&ZERO_ROW) {
        let padding = graph.ints(&[0, 0, 0, 0, 1, 0]);
        tokens = graph.op("Pad", &[&tokens, &padding], &[]);
    }
    let indices: Vec<i64> =
        (from.iter().map(|index| i64::from(*index).min(count as i64))).collect();
    let indices = graph.ints(&indices);
    let axis = [("axis", Attribute::Int(1))];
    graph.op("Gather", &[&tokens, &indices], &axis)
}
