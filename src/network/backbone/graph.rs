//! Networks as graphs of operations: what acts inside one, and the layers they have in common.

use crate::backbone::mlp::{Activation, ResponseNorm};
use crate::onnx::{Attribute, Graph, Value};
use crate::pet::Site;
use crate::problem::Result;
use crate::tensors::{Named, named};

/// What acts at sites while a graph is put together.
pub trait GraphHooks {
    /// Whether anything acts at this site of this block.
    fn uses(&self, block: usize, site: Site) -> bool;

    /// What the site makes of its inputs (e and h, or q, k and v); `weight` makes the frozen weight of the linear
    /// layer at this site, in × out.
    ///
    /// # Errors
    /// Returns a Problem for what has no form in a graph.
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
    /// Returns a Problem if it is missing.
    pub fn weight(&mut self, name: &str) -> Result<Value> {
        let stored = named(self.weights, name)?;
        Ok(self
            .graph
            .weight(name, &stored.shape, || stored.values.clone()))
    }

    /// A linear layer's weight, in × out.
    ///
    /// # Errors
    /// Returns a Problem if it is missing.
    pub fn turned_weight(&mut self, layer: &str) -> Result<Value> {
        turned_weight(self.graph, self.weights, layer)
    }

    /// x·Wᵀ + b.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing.
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
    /// Returns a Problem if a weight is missing.
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
    /// Returns a Problem for what has no form in a graph.
    pub fn site(&mut self, at: (usize, Site), e: &Value, h: Value) -> Result<Value> {
        self.linear_site(at, e, h, &|_| unreachable_weight())
    }

    /// The tokens that enter a block, where a PET adds some or changes them.
    ///
    /// # Errors
    /// Returns a Problem for what has no form in a graph.
    pub fn input(&mut self, block: usize, tokens: &Value) -> Result<Value> {
        let at = (block, Site::Input);
        match self.hooks.uses(block, Site::Input) {
            true => self
                .hooks
                .around(self.graph, at, &[tokens], &|_| unreachable_weight()),
            false => Ok(tokens.clone()),
        }
    }

    /// The same at a linear layer.
    ///
    /// # Errors
    /// Returns a Problem for what has no form in a graph.
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

impl GraphParts<'_> {
    /// Queries, keys and values of e, each `width` wide, with what acts at their sites.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing, or for what has no form in a graph.
    pub fn projections(
        &mut self,
        block: usize,
        e: &Value,
        layer: &str,
        width: usize,
    ) -> Result<[Value; 3]> {
        let packed = self.linear(e, layer)?;
        let (width, weights) = (width as i64, self.weights);
        let mut one = |at: i64, site: Site| {
            let own = (at * width, (at + 1) * width);
            let h = self.graph.slice(&packed, -1, own.0, own.1);
            let weight = |graph: &mut Graph| {
                let whole = turned_weight(graph, weights, layer)?;
                Ok(graph.slice(&whole, -1, own.0, own.1))
            };
            self.linear_site((block, site), e, h, &weight)
        };
        Ok([
            one(0, Site::Query)?,
            one(1, Site::Key)?,
            one(2, Site::Value)?,
        ])
    }

    /// any × tokens × width → any × heads × tokens × width per head.
    pub fn by_head(&mut self, x: &Value, heads: i64, width: i64) -> Value {
        let apart = self.graph.reshape(x, &[0, 0, heads, width / heads]);
        self.graph.permute(&apart, &[0, 2, 1, 3])
    }

    /// Undoes [`GraphParts::by_head`].
    pub fn joined_heads(&mut self, x: &Value, width: i64) -> Value {
        let turned = self.graph.permute(x, &[0, 2, 1, 3]);
        self.graph.reshape(&turned, &[0, 0, width])
    }

    /// softmax(q·kᵀ/√`head_width`)·v, with what `biased` makes of the scores.
    pub fn attend(
        &mut self,
        [q, k, v]: [&Value; 3],
        head_width: i64,
        biased: &dyn Fn(&mut Graph, Value) -> Value,
    ) -> Value {
        let graph = &mut *self.graph;
        let scale = graph.number((head_width as f64).powf(-0.5));
        let scaled = graph.pair("Mul", q, &scale);
        let turned = graph.permute(k, &[0, 1, 3, 2]);
        let scores = graph.pair("MatMul", &scaled, &turned);
        let scores = biased(graph, scores);
        let shares = graph.softmax(&scores);
        graph.pair("MatMul", &shares, v)
    }

    /// fc2(activation(fc1(e))) with what acts inside, and the scale behind it. SwiGLU and the norms inside are known by
    /// the weights; `epsilon` is that of the norm.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing, or for what has no form in a graph.
    pub fn mlp(
        &mut self,
        block: usize,
        e: &Value,
        (layer, activation, epsilon): (&str, Activation, f64),
        scale: Option<&str>,
    ) -> Result<Value> {
        let name = |rest: &str| format!("{layer}.{rest}");
        let hidden = self.scaled_linear((block, Site::Fc1), e, &name("fc1"), None)?;
        let channels = named(self.weights, &name("fc2.weight"))?.shape[1];
        let outputs = named(self.weights, &name("fc1.weight"))?.shape[0];
        let active = match outputs == 2 * channels {
            true => self.swiglu(&hidden, channels as i64),
            false => self.active(&hidden, activation),
        };
        let active = self.site((block, Site::Activation), &hidden, active)?;
        let active = match self.weights.contains_key(&name("grn.weight")) {
            true => self.response_norm(&active, &name("grn"))?,
            false => active,
        };
        let active = match self.weights.contains_key(&name("norm.weight")) {
            true => self.norm(&active, &name("norm"), epsilon)?,
            false => active,
        };
        self.scaled_linear((block, Site::Fc2), &active, &name("fc2"), scale)
    }

    /// A global response norm of any × positions × channels.
    fn response_norm(&mut self, x: &Value, layer: &str) -> Result<Value> {
        let gamma = self.weight(&format!("{layer}.weight"))?;
        let beta = self.weight(&format!("{layer}.bias"))?;
        let graph = &mut *self.graph;
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

    /// SwiGLU of gates and values side by side, each with this number of channels.
    fn swiglu(&mut self, x: &Value, channels: i64) -> Value {
        let graph = &mut *self.graph;
        let gate = graph.slice(x, -1, 0, channels);
        let value = graph.slice(x, -1, channels, 2 * channels);
        let share = graph.op("Sigmoid", &[&gate], &[]);
        let gate = graph.pair("Mul", &gate, &share);
        graph.pair("Mul", &gate, &value)
    }

    /// Rotates the last tokens of queries or keys (any × heads × tokens × head width): `angles` are tokens × pairs of
    /// channels, which are neighbours, or the halves of a head.
    pub fn rotate(&mut self, x: &Value, angles: &[f64], pairs: usize, half: bool) -> Value {
        let (tokens, graph) = (angles.len() / pairs, &mut *self.graph);
        let count = tokens as i64;
        // The shape of the channels: the pair's two numbers are side by side on one axis.
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

    /// The values of an activation.
    pub fn active(&mut self, x: &Value, activation: Activation) -> Value {
        let graph = &mut *self.graph;
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

    /// A linear layer with the scale behind it, and what acts there.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing, or for what has no form in a graph.
    pub fn scaled_linear(
        &mut self,
        at: (usize, Site),
        e: &Value,
        layer: &str,
        scale: Option<&str>,
    ) -> Result<Value> {
        let mut h = self.linear(e, layer)?;
        let scale = scale.map(|name| self.weight(name)).transpose()?;
        if let Some(scale) = &scale {
            h = self.graph.pair("Mul", &h, scale);
        }
        let weights = self.weights;
        let weight = |graph: &mut Graph| {
            let weight = turned_weight(graph, weights, layer)?;
            Ok(match &scale {
                Some(scale) => graph.pair("Mul", &weight, scale),
                None => weight,
            })
        };
        self.linear_site(at, e, h, &weight)
    }

    /// A convolution of a map (any × channels × rows × columns); `step` is its stride, `group` how many it is of, side by
    /// side, and `border` the zeros around the map.
    ///
    /// # Errors
    /// Returns a Problem if a weight is missing.
    pub fn convolution(
        &mut self,
        map: &Value,
        layer: &str,
        [step, group, border]: [usize; 3],
    ) -> Result<Value> {
        let [step, border] = [step, border].map(|n| n as i64);
        let told = [
            ("strides", Attribute::Ints(&[step, step])),
            ("group", Attribute::Int(group as i64)),
            ("pads", Attribute::Ints(&[border; 4])),
        ];
        let weight = self.weight(&format!("{layer}.weight"))?;
        let bias = format!("{layer}.bias");
        if !self.weights.contains_key(&bias) {
            return Ok(self.graph.op("Conv", &[map, &weight], &told));
        }
        let bias = self.weight(&bias)?;
        Ok(self.graph.op("Conv", &[map, &weight, &bias], &told))
    }

    /// any × channels × rows × columns → any × rows·columns × channels.
    pub fn tokens_of(&mut self, map: &Value, channels: usize) -> Value {
        let flat = self.graph.reshape(map, &[0, channels as i64, -1]);
        self.graph.permute(&flat, &[0, 2, 1])
    }

    /// Undoes [`GraphParts::tokens_of`].
    pub fn map_of(&mut self, tokens: &Value, [rows, columns, channels]: [usize; 3]) -> Value {
        let turned = self.graph.permute(tokens, &[0, 2, 1]);
        let shape = [0, channels as i64, rows as i64, columns as i64];
        self.graph.reshape(&turned, &shape)
    }

    /// The mean over all tokens: any × width.
    pub fn mean_token(&mut self, tokens: &Value, width: usize) -> Value {
        let mean = self.graph.mean(tokens, 1);
        self.graph.reshape(&mean, &[-1, width as i64])
    }
}

/// The weight of a linear layer, in × out.
///
/// # Errors
/// Returns a Problem if it is missing.
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
        "there is no linear layer at this site",
    ))
}
