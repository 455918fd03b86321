//! The table of functions in equations: name, usage, meaning, result shape and implementation. Evaluation, checks and
//! the window use this table.

use burn::tensor::activation;

use super::dropout;
use super::shape::{self, Shape, ShapeResult, with_columns};
use super::value::{Value, each};
use crate::expression::{Diagnostic, Expr};
use crate::message;
use crate::nn;
use crate::texts::translate_entry;

/// A function of the equation language.
pub struct Function {
    /// Its name in equations.
    pub name: &'static str,
    /// An example of its use: `softmax(x)`.
    pub usage: &'static str,
    /// A one-line description.
    pub meaning: &'static str,
    /// The body of an equivalent Python function on PyTorch tensors.
    pub torch: &'static str,
    pub(super) body: FunctionBody,
}

/// The arguments, the shape inference and the implementation of a function.
#[derive(Clone, Copy)]
pub(super) enum FunctionBody {
    /// A tensor.
    Tensor(fn(&[usize]) -> Shape, fn(Value) -> Value),
    /// A tensor, element by element, or a number.
    Either(fn(Value) -> Value, fn(f64) -> f64),
    /// A tensor and a number.
    WithNumber(fn(&[usize], f64) -> ShapeResult, fn(Value, f64) -> Value),
    /// Two tensors.
    Pair(fn(&[usize], &[usize]) -> ShapeResult, fn(Value, Value) -> Value),
}

impl Function {
    /// Returns the description in the language of this thread.
    pub fn meaning(&self) -> &'static str {
        translate_entry("function", self.name, "meaning", self.meaning)
    }

    /// Returns the number of arguments.
    pub fn arguments(&self) -> usize {
        match self.body {
            FunctionBody::Tensor(..) | FunctionBody::Either(..) => 1,
            FunctionBody::WithNumber(..) | FunctionBody::Pair(..) => 2,
        }
    }
}

/// All functions, in display order.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gelu",
        usage: "gelu(x)",
        meaning: "x·Φ(x) with the exact error function, element by element",
        torch: "return F.gelu(x)",
        body: FunctionBody::Tensor(<[usize]>::to_vec, |x| each!(x, x => nn::gelu(x))),
    },
    Function {
        name: "relu",
        usage: "relu(x)",
        meaning: "the larger of x and 0, element by element",
        torch: "return F.relu(x)",
        body: FunctionBody::Tensor(<[usize]>::to_vec, |x| each!(x, x => activation::relu(x))),
    },
    Function {
        name: "silu",
        usage: "silu(x)",
        meaning: "x·sigmoid(x), element by element",
        torch: "return F.silu(x)",
        body: FunctionBody::Tensor(
            <[usize]>::to_vec,
            |x| each!(x, x => x.clone() * activation::sigmoid(x)),
        ),
    },
    Function {
        name: "tanh",
        usage: "tanh(x)",
        meaning: "hyperbolic tangent, element by element",
        torch: "return torch.tanh(x) if torch.is_tensor(x) else math.tanh(x)",
        body: FunctionBody::Either(|x| each!(x, x => x.tanh()), f64::tanh),
    },
    Function {
        name: "sigmoid",
        usage: "sigmoid(x)",
        meaning: "1 / (1 + e^−x), element by element",
        torch: "return torch.sigmoid(x)",
        body: FunctionBody::Tensor(<[usize]>::to_vec, |x| each!(x, x => activation::sigmoid(x))),
    },
    Function {
        name: "exp",
        usage: "exp(x)",
        meaning: "e^x, element by element or of a number",
        torch: "return torch.exp(x) if torch.is_tensor(x) else math.exp(x)",
        body: FunctionBody::Either(|x| each!(x, x => x.exp()), f64::exp),
    },
    Function {
        name: "sqrt",
        usage: "sqrt(x)",
        meaning: "square root, element by element or of a number",
        torch: "return torch.sqrt(x) if torch.is_tensor(x) else math.sqrt(x)",
        body: FunctionBody::Either(|x| each!(x, x => x.sqrt()), f64::sqrt),
    },
    Function {
        name: "softmax",
        usage: "softmax(x)",
        meaning: "shares along the last axis: positive, adding up to 1",
        torch: "return x.softmax(-1)",
        body: FunctionBody::Tensor(<[usize]>::to_vec, |x| each!(x, x => nn::softmax(x))),
    },
    Function {
        name: "mean",
        usage: "mean(x)",
        meaning: "mean along the last axis, which stays as one column",
        torch: "return x.mean(-1, keepdim=True)",
        body: FunctionBody::Tensor(
            |x| with_columns(x, 1),
            |x| each!(x, x => { let last = x.dims().len() - 1; x.mean_dim(last) }),
        ),
    },
    Function {
        name: "sum",
        usage: "sum(x)",
        meaning: "sum along the last axis, which stays as one column",
        torch: "return x.sum(-1, keepdim=True)",
        body: FunctionBody::Tensor(
            |x| with_columns(x, 1),
            |x| each!(x, x => { let last = x.dims().len() - 1; x.sum_dim(last) }),
        ),
    },
    Function {
        name: "dropout",
        usage: "dropout(x, p)",
        meaning: "in training: 0 with probability p, else x / (1 − p), element by element; else x",
        torch: "return x  # it acts in training alone",
        body: FunctionBody::WithNumber(dropout::shape, dropout::apply_dropout),
    },
    Function {
        name: "transpose",
        usage: "transpose(x)",
        meaning: "swaps the last two axes",
        torch: "return x.transpose(-2, -1)",
        body: FunctionBody::Tensor(shape::transposed, Value::transpose),
    },
    Function {
        name: "split_heads",
        usage: "split_heads(x, heads)",
        meaning: "tokens × channels into heads × tokens × channels per head, as keys and values are",
        torch: "return x.reshape(-1, *x.shape[-2:]).unflatten(-1, (int(heads), -1)).transpose(1, 2)",
        body: FunctionBody::WithNumber(shape::split_heads, Value::split_heads),
    },
    Function {
        name: "join_tokens",
        usage: "join_tokens(x, y)",
        meaning: "the tokens of x followed by those of y",
        torch: "lead = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])\n    return torch.cat([x.expand(*lead, *x.shape[-2:]), y.expand(*lead, *y.shape[-2:])], -2)",
        body: FunctionBody::Pair(shape::join_tokens, Value::join_tokens),
    },
    Function {
        name: "kron",
        usage: "kron(x, y)",
        meaning: "Kronecker product of two matrices: every element of x times all of y",
        torch: "return torch.kron(x, y)",
        body: FunctionBody::Pair(shape::kronecker, Value::kronecker),
    },
    Function {
        name: "column_norms",
        usage: "column_norms(x)",
        meaning: "L2 norm of each column, in one row",
        torch: "return x.square().sum(-2, keepdim=True).sqrt()",
        body: FunctionBody::Tensor(shape::single_row, Value::column_norms),
    },
    Function {
        name: "detach",
        usage: "detach(x)",
        meaning: "x itself, but no gradient flows back through it",
        torch: "return x.detach()",
        body: FunctionBody::Tensor(<[usize]>::to_vec, |x| each!(x, x => x.detach())),
    },
    Function {
        name: "first_rows",
        usage: "first_rows(x, n)",
        meaning: "the first n rows (tokens), along the second-to-last axis",
        torch: "return x[..., : int(n), :]",
        body: FunctionBody::WithNumber(
            |x, n| shape::cut_rows(x, n, shape::first_columns),
            |x, n| x.transpose().columns_between(0.0, n).transpose(),
        ),
    },
    Function {
        name: "rest_rows",
        usage: "rest_rows(x, n)",
        meaning: "all rows (tokens) after the first n, along the second-to-last axis",
        torch: "return x[..., int(n) :, :]",
        body: FunctionBody::WithNumber(
            |x, n| shape::cut_rows(x, n, shape::rest_columns),
            |x, n| x.transpose().columns_between(n, f64::INFINITY).transpose(),
        ),
    },
    Function {
        name: "first_columns",
        usage: "first_columns(x, n)",
        meaning: "the first n columns, along the last axis",
        torch: "return x[..., : int(n)]",
        body: FunctionBody::WithNumber(shape::first_columns, |x, n| x.columns_between(0.0, n)),
    },
    Function {
        name: "rest_columns",
        usage: "rest_columns(x, n)",
        meaning: "the columns after the first n, along the last axis",
        torch: "return x[..., int(n) :]",
        body: FunctionBody::WithNumber(shape::rest_columns, |x, n| {
            x.columns_between(n, f64::INFINITY)
        }),
    },
];

/// Functions added later; older plugins may have parameters with these names.
pub(super) const RECENT_FUNCTIONS: [&str; 5] =
    ["kron", "column_norms", "detach", "first_rows", "rest_rows"];

/// Returns the function with this name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Returns the error of a call to an unknown function, or with a wrong number of arguments.
pub(super) fn check_call(name: &str, argument_count: usize, node: &Expr) -> Option<Diagnostic> {
    let name_end = node.span.start + name.len();
    let Some(known) = function(name) else {
        let message = message!("problem-function-unknown", name);
        let diagnostic = Diagnostic::new(node.span.start..name_end, message);
        return Some(diagnostic.suggest_name(name, FUNCTIONS.iter().map(|known| known.name)));
    };
    (known.arguments() != argument_count).then(|| {
        let takes = message!("count-arguments", n = known.arguments());
        let message = message!(
            "problem-function-argument-count",
            name,
            takes,
            given = argument_count.to_string()
        );
        Diagnostic::new(name_end..node.span.end, message)
            .explain(message!("advice-write-usage", usage = known.usage))
    })
}
