//! A block as nodes of an ONNX graph.

use super::windows::Windows;
use super::{BlockForm, BlockOps, MlpNorm, Part, Scope, missing};
use crate::backbone::BlockShape;
use crate::backbone::graph::{GraphParts, no_weight, transposed_weight};
use crate::backbone::mlp::{Activation, ResponseNorm};
use crate::nn::rows::NOWHERE;
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
    pub change: Option<Change>,
    /// The windows, and the bias of each pair of tokens in them.
    pub windows: Option<(Windows, Value)>,
}

/// How queries and keys are changed.
pub enum Change {
    /// Rotated by these angles (patches × pairs of channels); pairs are the halves of a head, or neighbours.
    Rotary {
        /// The angles.
        angles: Vec<f64>,
        /// Whether pairs are the halves of a head.
        half: bool,
    },
    /// Scaled to unit length, the queries then by this factor (heads × 1 × 1).
    Cosine(Value),
}

impl GraphBlock<'_, '_> {
    fn name(&self, rest: &str) -> String {
        format!("{}.{rest}", self.prefix)
    }

    /// Returns the cut and the channels of a token.
    fn cut(&self) -> Result<(Windows, i64)> {
        let (cut, _) = self.windows.as_ref().ok_or_else(|| missing("windows"))?;
        Ok((*cut, self.shape.width as i64))
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
        let at = (self.index, Site::Input);
        let (graph, hooks) = (&mut *self.parts.graph, self.parts.hooks);
        match hooks.uses(at.0, at.1) {
            true => hooks.around(graph, at, &[x], &no_weight),
            false => Ok(x.clone()),
        }
    }

    fn site(&mut self, site: Site, e: &Value, h: Value) -> Result<Value> {
        self.parts.linear_site((self.index, site), e, h, &no_weight)
    }

    fn fused(&mut self, _: Part, _: Scope, _: &Value) -> Result<Option<Value>> {
        Ok(None)
    }

    fn add(&mut self, _: Part, x: Value, h: Value) -> Value {
        self.parts.graph.pair("Add", &x, &h)
    }

    fn depthwise(&mut self, x: &Value) -> Result<Value> {
        let (side, width) = (self.side, self.shape.width);
        let map = self.parts.map_of(x, [side, side, width]);
        let name = self.name("conv_dw");
        let mixed = self.parts.convolution(&map, &name, [1, width, 3])?;
        Ok(self.parts.tokens_of(&mixed, width))
    }

    fn norm(&mut self, part: Part, x: &Value) -> Result<Value> {
        let name = self.name(self.form.norms[part as usize]);
        self.parts.norm(x, &name, self.form.epsilon)
    }

    fn inner_norm(&mut self, part: Part, x: Value) -> Result<Value> {
        if part == Part::Attention {
            let name = self.name("attn.norm");
            return self.parts.norm(&x, &name, self.form.epsilon);
        }
        match self.form.mlp_norm {
            Some(MlpNorm::Response) => response_norm(self.parts, &x, &self.name("mlp.grn")),
            _ => self
                .parts
                .norm(&x, &self.name("mlp.norm"), self.form.epsilon),
        }
    }

    fn partition(&mut self, x: &Value) -> Result<Value> {
        let (cut, width) = self.cut()?;
        let graph = &mut *self.parts.graph;
        let order = cut.order();
        let gathered = gathered(graph, x, order.indices()[0], cut.map.0 * cut.map.1);
        Ok(graph.reshape(&gathered, &[-1, cut.tokens() as i64, width]))
    }

    fn reverse(&mut self, x: Value) -> Result<Value> {
        let (cut, width) = self.cut()?;
        let graph = &mut *self.parts.graph;
        let (order, count) = (cut.order(), cut.order().len());
        let images = graph.reshape(&x, &[-1, count as i64, width]);
        Ok(gathered(graph, &images, order.indices()[1], count))
    }

    fn projections(&mut self, e: &Value) -> Result<[Value; 3]> {
        let layer = self.name("attn.qkv");
        let packed = self.parts.linear(e, &layer)?;
        let (width, weights) = (self.shape.width as i64, self.parts.weights);
        let mut part = |i: i64| {
            let (from, to) = (i * width, (i + 1) * width);
            let h = self.parts.graph.slice(&packed, -1, from, to);
            let weight = |graph: &mut Graph| {
                let whole = transposed_weight(graph, weights, &layer)?;
                Ok(graph.slice(&whole, -1, from, to))
            };
            let at = (self.index, Site::PACKED[i as usize]);
            let h = self.parts.linear_site(at, e, h, &weight)?;
            Ok(self.parts.by_head(&h, self.shape.heads as i64, width))
        };
        Ok([part(0)?, part(1)?, part(2)?])
    }

    fn change_queries_and_keys(&mut self, [q, k, v]: [Value; 3]) -> Result<[Value; 3]> {
        let graph = &mut *self.parts.graph;
        match &self.change {
            Some(Change::Rotary { angles, half }) => {
                let pairs = self.shape.width / self.shape.heads / 2;
                let [q, k] = [q, k].map(|x| rotate(graph, &x, (angles.as_slice(), pairs, *half)));
                Ok([q, k, v])
            }
            Some(Change::Cosine(scale)) => {
                let q = unit(graph, &q);
                let q = graph.pair("Mul", &q, scale);
                Ok([q, unit(graph, &k), v])
            }
            None => Err(missing("rotation")),
        }
    }

    fn attend(&mut self, [q, k, v]: [Value; 3]) -> Result<Value> {
        let at = (self.index, Site::Attend);
        let (heads, width) = (self.shape.heads as i64, self.shape.width as i64);
        let mixed = match self.parts.hooks.uses(at.0, at.1) {
            true => {
                let none = |_: &mut Graph| Ok(q.clone());
                let hooks = self.parts.hooks;
                hooks.around(self.parts.graph, at, &[&q, &k, &v], &none)?
            }
            false => {
                let windows = self.windows.as_ref();
                let biased = |graph: &mut Graph, scores: Value| match windows {
                    Some((cut, bias)) => {
                        let [groups, tokens] = [cut.groups(), cut.tokens()].map(|n| n as i64);
                        let by_group = [-1, groups, heads, tokens, tokens];
                        let scores = graph.reshape(&scores, &by_group);
                        let biased = graph.pair("Add", &scores, bias);
                        graph.reshape(&biased, &[-1, heads, tokens, tokens])
                    }
                    None => scores,
                };
                self.parts.attend([&q, &k, &v], width / heads, &biased)
            }
        };
        Ok(self.parts.joined_heads(&mixed, width))
    }

    fn linear(&mut self, site: Site, e: &Value) -> Result<Value> {
        let (layer, part) = match site {
            Site::Proj => ("attn.proj", Some(Part::Attention)),
            Site::Fc1 => ("mlp.fc1", None),
            Site::Fc2 => ("mlp.fc2", Some(Part::Mlp)),
            _ => return Err(missing("linear layer")),
        };
        let scale = part.and_then(|part| self.form.scales[part as usize]);
        let scale = scale.map(|name| self.name(name));
        let (at, name) = ((self.index, site), self.name(layer));
        self.parts.scaled_linear(at, e, &name, scale.as_deref())
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
    let squared = graph.pair("Mul", x, x);
    let summed = graph.sum(&squared, 1);
    let norms = graph.op("Sqrt", &[&summed], &[]);
    let mean = graph.mean(&norms, 2);
    let epsilon = graph.number(ResponseNorm::EPSILON);
    let mean = graph.pair("Add", &mean, &epsilon);
    let share = graph.pair("Div", &norms, &mean);
    let scale = graph.pair("Mul", &share, &gamma);
    let scaled = graph.pair("Mul", x, &scale);
    let moved = graph.pair("Add", &scaled, &beta);
    Ok(graph.pair("Add", x, &moved))
}

/// Returns SwiGLU of gates and values, side by side, of this number of channels each.
fn swiglu(graph: &mut Graph, x: &Value, channels: i64) -> Value {
    let gate = graph.slice(x, -1, 0, channels);
    let value = graph.slice(x, -1, channels, 2 * channels);
    let share = graph.op("Sigmoid", &[&gate], &[]);
    let gate = graph.pair("Mul", &gate, &share);
    graph.pair("Mul", &gate, &value)
}

/// Rotates the last tokens of queries or keys (any × heads × tokens × head width) by angles (tokens × pairs of channels).
/// Pairs are the halves of a head, or neighbours.
fn rotate(graph: &mut Graph, x: &Value, (angles, pairs, half): (&[f64], usize, bool)) -> Value {
    let tokens = angles.len() / pairs;
    let count = tokens as i64;
    // The two numbers of a pair are side by side on one axis.
    let (apart, axis, table) = match half {
        true => ([0, 0, count, 2, pairs as i64], 3, [tokens, 1, pairs]),
        false => ([0, 0, count, pairs as i64, 2], 4, [tokens, pairs, 1]),
    };
    let mut named = |name: &str, of: fn(f64) -> f64| {
        let values = || angles.iter().map(|angle| of(*angle) as f32).collect();
        graph.weight(&format!("rotary {name}"), &table, values)
    };
    let (cos, sin) = (named("cos", f64::cos), named("sin", f64::sin));
    let leading = graph.slice(x, 2, 0, -count);
    let rotated = graph.slice(x, 2, -count, i64::MAX);
    let rotated = graph.reshape(&rotated, &apart);
    let a = graph.slice(&rotated, axis, 0, 1);
    let b = graph.slice(&rotated, axis, 1, 2);
    let mut product = |x: &Value, table: &Value| graph.pair("Mul", x, table);
    let [ac, bs, bc, as_] = [
        product(&a, &cos),
        product(&b, &sin),
        product(&b, &cos),
        product(&a, &sin),
    ];
    let first = graph.pair("Sub", &ac, &bs);
    let second = graph.pair("Add", &bc, &as_);
    let rotated = graph.join(&[&first, &second], axis);
    let rotated = graph.reshape(&rotated, &[0, 0, count, 2 * pairs as i64]);
    graph.join(&[&leading, &rotated], 2)
}

/// Returns the activation of each value.
fn activation(graph: &mut Graph, x: &Value, activation: Activation) -> Value {
    let times = |graph: &mut Graph, x: &Value, factor: f64| {
        let factor = graph.number(factor);
        graph.pair("Mul", x, &factor)
    };
    match activation {
        Activation::Gelu => graph.gelu(x),
        Activation::QuickGelu => {
            let scaled = times(graph, x, 1.702);
            let share = graph.op("Sigmoid", &[&scaled], &[]);
            graph.pair("Mul", x, &share)
        }
        Activation::GeluTanh => {
            let half = times(graph, x, 0.5);
            let small = times(graph, x, 0.044_715);
            let squared = graph.pair("Mul", x, x);
            let cubed = graph.pair("Mul", &small, &squared);
            let inside = graph.pair("Add", x, &cubed);
            let inside = times(graph, &inside, (2.0 / std::f64::consts::PI).sqrt());
            let share = graph.op("Tanh", &[&inside], &[]);
            let one = graph.number(1.0);
            let share = graph.pair("Add", &share, &one);
            graph.pair("Mul", &half, &share)
        }
    }
}

/// Scales each row to length 1.
fn unit(graph: &mut Graph, x: &Value) -> Value {
    let squared = graph.pair("Mul", x, x);
    let summed = graph.sum(&squared, -1);
    let least = graph.number(1e-24);
    let summed = graph.op("Max", &[&summed, &least], &[]);
    let length = graph.op("Sqrt", &[&summed], &[]);
    graph.pair("Div", x, &length)
}

/// Returns the tokens with these indices (any × `count` × channels); zeros for [`NOWHERE`].
pub fn gathered(graph: &mut Graph, tokens: &Value, from: &[u32], count: usize) -> Value {
    let mut tokens = tokens.clone();
    if from.contains(&NOWHERE) {
        let around = graph.ints(&[0, 0, 0, 0, 1, 0]);
        tokens = graph.op("Pad", &[&tokens, &around], &[]);
    }
    let indices: Vec<i64> = (from.iter().map(|at| i64::from(*at).min(count as i64))).collect();
    let indices = graph.ints(&indices);
    let axis = [("axis", Attribute::Int(1))];
    graph.op("Gather", &[&tokens, &indices], &axis)
}
