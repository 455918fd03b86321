//! Every function an equation may call, in one table: name, how it is written, what it means, what
//! it does. The engine registers exactly these, the checks and the window read the same table.

use burn::tensor::activation;
use rhai::{Engine, EvalAltResult, Position};

use super::budget::spend;
use super::dropout;
use super::value::{Outcome, Value, each};
use crate::nn;

/// One function of the equation language.
pub struct Function {
    /// As called.
    pub name: &'static str,
    /// How it is written, for example `softmax(x)`.
    pub usage: &'static str,
    /// One line.
    pub meaning: &'static str,
    body: Body,
}

/// What a function takes and does.
#[derive(Clone, Copy)]
enum Body {
    /// A tensor.
    Tensor(fn(Value) -> Value),
    /// A tensor, or a number.
    Either(fn(Value) -> Value, fn(f64) -> f64),
    /// A tensor and a number.
    WithNumber(fn(Value, f64) -> Outcome),
    /// Two tensors.
    Pair(fn(Value, Value) -> Outcome),
}

impl Function {
    /// Number of arguments.
    pub fn arguments(&self) -> usize {
        match self.body {
            Body::Tensor(_) | Body::Either(..) => 1,
            Body::WithNumber(_) | Body::Pair(_) => 2,
        }
    }
}

/// All functions, in the order the window lists them.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gelu",
        usage: "gelu(x)",
        meaning: "x·Φ(x) with the exact error function, element by element",
        body: Body::Tensor(|x| each!(x, x => nn::gelu(x))),
    },
    Function {
        name: "relu",
        usage: "relu(x)",
        meaning: "the larger of x and 0, element by element",
        body: Body::Tensor(|x| each!(x, x => activation::relu(x))),
    },
    Function {
        name: "silu",
        usage: "silu(x)",
        meaning: "x·sigmoid(x), element by element",
        body: Body::Tensor(|x| each!(x, x => x.clone() * activation::sigmoid(x))),
    },
    Function {
        name: "tanh",
        usage: "tanh(x)",
        meaning: "hyperbolic tangent, element by element",
        body: Body::Either(|x| each!(x, x => x.tanh()), f64::tanh),
    },
    Function {
        name: "sigmoid",
        usage: "sigmoid(x)",
        meaning: "1 / (1 + e^−x), element by element",
        body: Body::Tensor(|x| each!(x, x => activation::sigmoid(x))),
    },
    Function {
        name: "exp",
        usage: "exp(x)",
        meaning: "e^x, element by element or of a number",
        body: Body::Either(|x| each!(x, x => x.exp()), f64::exp),
    },
    Function {
        name: "sqrt",
        usage: "sqrt(x)",
        meaning: "square root, element by element or of a number",
        body: Body::Either(|x| each!(x, x => x.sqrt()), f64::sqrt),
    },
    Function {
        name: "softmax",
        usage: "softmax(x)",
        meaning: "shares along the last axis: positive, adding up to 1",
        body: Body::Tensor(|x| each!(x, x => nn::softmax(x))),
    },
    Function {
        name: "mean",
        usage: "mean(x)",
        meaning: "mean along the last axis, which stays as one column",
        body: Body::Tensor(|x| match x {
            Value::Two(x) => Value::Two(x.mean_dim(1)),
            Value::Three(x) => Value::Three(x.mean_dim(2)),
            Value::Four(x) => Value::Four(x.mean_dim(3)),
        }),
    },
    Function {
        name: "sum",
        usage: "sum(x)",
        meaning: "sum along the last axis, which stays as one column",
        body: Body::Tensor(|x| match x {
            Value::Two(x) => Value::Two(x.sum_dim(1)),
            Value::Three(x) => Value::Three(x.sum_dim(2)),
            Value::Four(x) => Value::Four(x.sum_dim(3)),
        }),
    },
    Function {
        name: "dropout",
        usage: "dropout(x, p)",
        meaning: "in training: 0 with probability p, else x / (1 − p), element by element; else x",
        body: Body::WithNumber(dropout::apply),
    },
    Function {
        name: "transpose",
        usage: "transpose(x)",
        meaning: "swaps the last two axes",
        body: Body::Tensor(Value::transpose),
    },
    Function {
        name: "split_heads",
        usage: "split_heads(x, heads)",
        meaning: "tokens × channels into heads × tokens × channels per head, as keys and values are",
        body: Body::WithNumber(Value::split_heads),
    },
    Function {
        name: "join_tokens",
        usage: "join_tokens(x, y)",
        meaning: "the tokens of x followed by those of y",
        body: Body::Pair(Value::join_tokens),
    },
    Function {
        name: "first_columns",
        usage: "first_columns(x, n)",
        meaning: "the first n columns of the last axis",
        body: Body::WithNumber(|x, n| x.columns_between(None, Some(n))),
    },
    Function {
        name: "rest_columns",
        usage: "rest_columns(x, n)",
        meaning: "all columns of the last axis but the first n",
        body: Body::WithNumber(|x, n| x.columns_between(Some(n), None)),
    },
];

/// The function of this name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Registers the table and the operators `+ - * / @` with an engine that knows nothing else.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Value>("tensor");
    for function in FUNCTIONS {
        match function.body {
            Body::Tensor(apply) => {
                engine.register_fn(function.name, move |x: Value| told(Ok(apply(x))));
            }
            Body::Either(apply, number) => {
                engine.register_fn(function.name, move |x: Value| told(Ok(apply(x))));
                engine.register_fn(function.name, number);
            }
            Body::WithNumber(apply) => {
                engine.register_fn(function.name, move |x: Value, n: f64| told(apply(x, n)));
            }
            Body::Pair(apply) => {
                engine.register_fn(function.name, move |x: Value, y: Value| told(apply(x, y)));
            }
        }
    }
    for sign in ['+', '-', '*', '/'] {
        let name = sign.to_string();
        engine.register_fn(&name, move |x: Value, y: Value| told(x.combine(sign, y)));
        engine.register_fn(&name, move |x: Value, n: f64| {
            told(Ok(x.with_number(sign, n)))
        });
        engine.register_fn(&name, move |n: f64, x: Value| {
            told(Ok(x.after_number(n, sign)))
        });
    }
    engine.register_fn("@", |x: Value, y: Value| told(x.matmul(y)));
    engine.register_fn("-", |x: Value| told(Ok(each!(x, x => x.neg()))));
}

/// An operation's error as the engine carries it.
fn told(outcome: Outcome) -> Result<Value, Box<EvalAltResult>> {
    outcome
        .and_then(spend)
        .map_err(|message| EvalAltResult::ErrorRuntime(message.into(), Position::NONE).into())
}
