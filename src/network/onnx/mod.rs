//! Builds and writes ONNX graphs (opset 17, IR version 8), without a library, since a network needs only a few
//! messages.

mod wire;

use std::collections::BTreeMap;

use wire::Message;

/// The version of the operators.
pub const OPSET: i64 = 17;
/// The version of the file format.
const IR_VERSION: i64 = 8;
/// Numbers of the element types in the format.
const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// A tensor in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value(String);

/// The attributes of an operator.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// An integer.
    Int(i64),
    /// Several integers.
    Ints(&'a [i64]),
    /// A number.
    Float(f32),
}

/// The length of an axis of an input or output.
#[derive(Clone, Copy, Debug)]
pub enum Dimension {
    /// Any length, with this name.
    Named(&'static str),
    /// A fixed length.
    Fixed(usize),
}

/// A graph under construction.
#[derive(Default)]
pub struct Graph {
    nodes: Message,
    weights: Message,
    inputs: Message,
    outputs: Message,
    count: usize,
    /// Integer constants, each stored once.
    ints: BTreeMap<Vec<i64>, Value>,
    /// The weights added so far, by name.
    weights_by_name: BTreeMap<String, Value>,
}

impl Graph {
    /// Adds an input of the graph.
    pub fn input(&mut self, name: &str, lengths: &[Dimension]) -> Value {
        self.inputs.message(11, value_info(name, lengths));
        Value(name.to_owned())
    }

    /// Makes a value an output of the graph with this name.
    pub fn output(&mut self, value: &Value, name: &str, lengths: &[Dimension]) {
        let named = Value(name.to_owned());
        self.node("Identity", &[value], &named, &[]);
        self.outputs.message(12, value_info(name, lengths));
    }

    /// Adds a weight; a name that is known already is not added again.
    pub fn weight(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl FnOnce() -> Vec<f32>,
    ) -> Value {
        if let Some(known) = self.weights_by_name.get(name) {
            return known.clone();
        }
        let mut tensor = tensor(name, shape.iter().map(|n| *n as i64), FLOAT);
        tensor.floats(9, values());
        self.weights.message(5, tensor);
        let value = Value(name.to_owned());
        self.weights_by_name.insert(name.to_owned(), value.clone());
        value
    }

    /// Adds a constant number.
    pub fn scalar(&mut self, number: f64) -> Value {
        let number = number as f32;
        self.weight(&format!("number {number:?}"), &[], || vec![number])
    }

    /// Adds a constant vector of integers: a shape, axes or indices.
    pub fn ints(&mut self, numbers: &[i64]) -> Value {
        if let Some(known) = self.ints.get(numbers) {
            return known.clone();
        }
        let name = format!("ints {}", self.ints.len());
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let mut tensor = tensor(&name, [numbers.len() as i64], INT64);
        tensor.bytes(9, &bytes);
        self.weights.message(5, tensor);
        let value = Value(name);
        self.ints.insert(numbers.to_vec(), value.clone());
        value
    }

    /// Adds an operator and returns its result.
    pub fn op(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        attributes: &[(&str, Attribute<'_>)],
    ) -> Value {
        self.count += 1;
        let value = Value(format!("{operator} {}", self.count));
        self.node(operator, inputs, &value, attributes);
        value
    }

    fn node(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        output: &Value,
        attributes: &[(&str, Attribute<'_>)],
    ) {
        let mut node = Message::default();
        for input in inputs {
            node.text(1, &input.0);
        }
        node.text(2, &output.0);
        node.text(3, &output.0);
        node.text(4, operator);
        for (name, attribute) in attributes {
            let mut attribute_message = Message::default();
            attribute_message.text(1, name);
            match attribute {
                Attribute::Float(number) => {
                    attribute_message.float(2, *number);
                    attribute_message.int(20, 1);
                }
                Attribute::Int(number) => {
                    attribute_message.int(3, *number);
                    attribute_message.int(20, 2);
                }
                Attribute::Ints(numbers) => {
                    numbers.iter().for_each(|number| attribute_message.int(8, *number));
                    attribute_message.int(20, 7);
                }
            }
            node.message(5, attribute_message);
        }
        self.nodes.message(1, node);
    }

    /// Returns the bytes of the file; `description` is a one-line description.
    pub fn into_bytes(self, name: &str, description: &str) -> Vec<u8> {
        let mut graph = self.nodes;
        graph.text(2, name);
        graph.append(self.weights);
        graph.append(self.inputs);
        graph.append(self.outputs);
        let mut operators = Message::default();
        operators.text(1, "");
        operators.int(2, OPSET);
        let mut model = Message::default();
        model.int(1, IR_VERSION);
        model.text(2, "LAE Studio");
        model.text(3, env!("CARGO_PKG_VERSION"));
        model.text(6, description);
        model.message(7, graph);
        model.message(8, operators);
        model.into_bytes()
    }

    /// Adds an element-wise or matrix operator of two values.
    pub fn binary(&mut self, operator: &str, a: &Value, b: &Value) -> Value {
        self.op(operator, &[a, b], &[])
    }

    /// Reshapes a value; 0 keeps a length, −1 is inferred.
    pub fn reshape(&mut self, x: &Value, shape: &[i64]) -> Value {
        let shape = self.ints(shape);
        self.op("Reshape", &[x, &shape], &[])
    }

    /// Permutes the axes.
    pub fn permute(&mut self, x: &Value, order: &[i64]) -> Value {
        self.op("Transpose", &[x], &[("perm", Attribute::Ints(order))])
    }

    /// Slices an axis from one index to before another; negative indices count from the end.
    pub fn slice(&mut self, x: &Value, axis: i64, from: i64, to: i64) -> Value {
        let [from, to, axis] = [from, to, axis].map(|n| self.ints(&[n]));
        self.op("Slice", &[x, &from, &to, &axis], &[])
    }

    /// Concatenates values along an axis.
    pub fn concat(&mut self, parts: &[&Value], axis: i64) -> Value {
        self.op("Concat", parts, &[("axis", Attribute::Int(axis))])
    }

    /// Adds a softmax over the last axis.
    pub fn softmax(&mut self, x: &Value) -> Value {
        self.op("Softmax", &[x], &[("axis", Attribute::Int(-1))])
    }

    /// Adds a sum over an axis, which is kept with length 1.
    pub fn sum(&mut self, x: &Value, axis: i64) -> Value {
        let axis = self.ints(&[axis]);
        self.op("ReduceSum", &[x, &axis], &[("keepdims", Attribute::Int(1))])
    }

    /// Adds a mean over an axis, which is kept with length 1.
    pub fn mean(&mut self, x: &Value, axis: i64) -> Value {
        self.op(
            "ReduceMean",
            &[x],
            &[("axes", Attribute::Ints(&[axis])), ("keepdims", Attribute::Int(1))],
        )
    }

    /// Adds the exact GELU, x·Φ(x).
    pub fn gelu(&mut self, x: &Value) -> Value {
        let (root, one, half) = (self.scalar(0.5f64.sqrt()), self.scalar(1.0), self.scalar(0.5));
        let scaled = self.binary("Mul", x, &root);
        let erf = self.op("Erf", &[&scaled], &[]);
        let share = self.binary("Add", &erf, &one);
        let product = self.binary("Mul", x, &share);
        self.binary("Mul", &product, &half)
    }

    /// Broadcasts x to the lengths of `like` in all axes but the last two.
    pub fn expand_like(&mut self, x: &Value, like: &Value) -> Value {
        let shape = self.op("Shape", &[like], &[]);
        let leading = self.slice(&shape, 0, 0, -2);
        let ones = self.ints(&[1, 1]);
        let shape = self.concat(&[&leading, &ones], 0);
        self.op("Expand", &[x, &shape], &[])
    }
}

/// Returns a tensor message without its values, which the caller adds.
fn tensor(name: &str, shape: impl IntoIterator<Item = i64>, kind: i64) -> Message {
    let mut tensor = Message::default();
    shape.into_iter().for_each(|length| tensor.int(1, length));
    tensor.int(2, kind);
    tensor.text(8, name);
    tensor
}

fn value_info(name: &str, lengths: &[Dimension]) -> Message {
    let mut shape = Message::default();
    for length in lengths {
        let mut dimension = Message::default();
        match length {
            Dimension::Fixed(count) => dimension.int(1, *count as i64),
            Dimension::Named(name) => dimension.text(2, name),
        }
        shape.message(1, dimension);
    }
    let mut tensor = Message::default();
    tensor.int(1, FLOAT);
    tensor.message(2, shape);
    let mut kind = Message::default();
    kind.message(1, tensor);
    let mut info = Message::default();
    info.text(1, name);
    info.message(2, kind);
    info
}
