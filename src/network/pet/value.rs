//! The tensors that equations compute with. Callers check with `shape` beforehand that the operands fit; operands
//! that do not fit are returned unchanged.

use std::array::from_fn;
use std::ops::Range;

use burn::tensor::Tensor;

use super::shape::Shape;
use crate::expression::BinaryOperator;
use crate::nn;

/// A tensor of rank 2, 3 or 4. Cloning shares the memory.
#[derive(Clone, Debug)]
pub enum Value {
    /// rows × columns: a parameter, or computed from parameters only.
    Two(Tensor<2>),
    /// batch × tokens × channels.
    Three(Tensor<3>),
    /// batch × heads × tokens × head width.
    Four(Tensor<4>),
}

/// Applies an expression to the tensor of a value of any rank. The rank stays the same.
macro_rules! each {
    ($value:expr, $x:ident => $body:expr) => {
        match $value {
            Value::Two($x) => Value::Two($body),
            Value::Three($x) => Value::Three($body),
            Value::Four($x) => Value::Four($body),
        }
    };
}
pub(super) use each;

/// Applies an expression to the tensors of two values. A matrix gets leading axes of size 1 up to the rank of the
/// other value.
macro_rules! both {
    ($a:expr, $b:expr, ($x:ident, $y:ident) => $body:expr) => {
        match ($a, $b) {
            (Value::Two($x), Value::Two($y)) => Value::Two($body),
            (Value::Three($x), Value::Three($y)) => Value::Three($body),
            (Value::Four($x), Value::Four($y)) => Value::Four($body),
            (Value::Two(x), Value::Three($y)) => {
                let $x = x.unsqueeze::<3>();
                Value::Three($body)
            }
            (Value::Three($x), Value::Two(y)) => {
                let $y = y.unsqueeze::<3>();
                Value::Three($body)
            }
            (Value::Two(x), Value::Four($y)) => {
                let $x = x.unsqueeze::<4>();
                Value::Four($body)
            }
            (Value::Four($x), Value::Two(y)) => {
                let $y = y.unsqueeze::<4>();
                Value::Four($body)
            }
            // The shape check has rejected pairs of ranks 3 and 4, so the result does not matter.
            (x, _) => x,
        }
    };
}

impl From<Tensor<2>> for Value {
    fn from(tensor: Tensor<2>) -> Self {
        Self::Two(tensor)
    }
}

impl From<Tensor<3>> for Value {
    fn from(tensor: Tensor<3>) -> Self {
        Self::Three(tensor)
    }
}

impl From<Tensor<4>> for Value {
    fn from(tensor: Tensor<4>) -> Self {
        Self::Four(tensor)
    }
}

impl Value {
    /// Returns the sizes along all axes.
    pub fn dims(&self) -> Shape {
        match self {
            Self::Two(x) => x.dims().to_vec(),
            Self::Three(x) => x.dims().to_vec(),
            Self::Four(x) => x.dims().to_vec(),
        }
    }

    /// Computes `self <sign> other` element-wise, with `operator` one of `+ - * /`.
    pub(super) fn combine(self, operator: BinaryOperator, other: Self) -> Self {
        both!(self, other, (x, y) => match operator {
            BinaryOperator::Add => nn::add(x, y),
            BinaryOperator::Subtract => x - y,
            BinaryOperator::Multiply => nn::multiply(x, y),
            _ => x / y,
        })
    }

    /// Computes `self <sign> n` for every element.
    pub(super) fn with_number(self, operator: BinaryOperator, n: f64) -> Self {
        each!(self, x => match operator {
            BinaryOperator::Add => x + n,
            BinaryOperator::Subtract => x - n,
            BinaryOperator::Multiply => x * n,
            _ => x / n,
        })
    }

    /// Computes `n <sign> self` for every element.
    pub(super) fn after_number(self, n: f64, operator: BinaryOperator) -> Self {
        each!(self, x => match operator {
            BinaryOperator::Add => x + n,
            BinaryOperator::Subtract => x.neg() + n,
            BinaryOperator::Multiply => x * n,
            _ => x.recip() * n,
        })
    }

    /// Returns the matrix product over the last two axes. If the right side has rank 2, the leading axes of the left
    /// side are flattened into rows, because one 2-D product is fastest on every device.
    pub(super) fn matmul(self, other: Self) -> Self {
        match (self, other) {
            (Self::Three(x), Self::Two(y)) => {
                let ([batch, tokens, inner], [_, width]) = (x.dims(), y.dims());
                let flat = nn::project(x.reshape([batch * tokens, inner]), y);
                Self::Three(flat.reshape([batch, tokens, width]))
            }
            (Self::Four(x), Self::Two(y)) => {
                let ([batch, heads, tokens, inner], [_, width]) = (x.dims(), y.dims());
                let flat = nn::project(x.reshape([batch * heads * tokens, inner]), y);
                Self::Four(flat.reshape([batch, heads, tokens, width]))
            }
            (x, y) => both!(x, y, (x, y) => nn::matmul(x, y)),
        }
    }

    /// Swaps the last two axes.
    pub(super) fn transpose(self) -> Self {
        each!(self, x => x.transpose())
    }

    /// Reshapes batch × tokens × channels to batch × heads × tokens × (channels / heads). A matrix gets a batch of 1.
    pub(super) fn split_heads(self, heads: f64) -> Self {
        let heads = heads as usize;
        let split = |x: Tensor<3>| {
            let [batch, tokens, width] = x.dims();
            let x = x.reshape([batch, tokens, heads, width / heads.max(1)]);
            Self::Four(x.swap_dims(1, 2))
        };
        match self {
            Self::Two(x) => split(x.unsqueeze()),
            Self::Three(x) => split(x),
            Self::Four(x) => Self::Four(x),
        }
    }

    /// Concatenates `self` and `other` along the tokens (second-to-last axis). Leading axes of size 1 are repeated.
    pub(super) fn join_tokens(self, other: Self) -> Self {
        both!(self, other, (x, y) => concat_tokens(x, y))
    }

    /// Returns the Kronecker product of two matrices.
    pub(super) fn kronecker(self, other: Self) -> Self {
        match (self, other) {
            (Self::Two(x), Self::Two(y)) => {
                let ([a, b], [c, d]) = (x.dims(), y.dims());
                let product = nn::multiply(x.reshape([a, 1, b, 1]), y.reshape([1, c, 1, d]));
                Self::Two(product.reshape([a * c, b * d]))
            }
            // The shape check has rejected other ranks, so the result does not matter.
            (x, _) => x,
        }
    }

    /// Returns the L2 norm of each column as a single row.
    pub(super) fn column_norms(self) -> Self {
        each!(self, x => {
            let rows = x.dims().len() - 2;
            (x.clone() * x).sum_dim(rows).sqrt()
        })
    }

    /// Returns the columns `from..to` of the last axis; `to` may exceed their number.
    pub(super) fn columns_between(self, from: f64, to: f64) -> Self {
        let (from, to) = (from as usize, to as usize);
        each!(self, x => slice_columns(x, from, to))
    }
}

fn concat_tokens<const D: usize>(x: Tensor<D>, y: Tensor<D>) -> Tensor<D> {
    let [a, b] = [x.dims(), y.dims()];
    // Always expanded, even if the sizes are equal: the order of operations determines the order in which gradients
    // are added, and runs must be reproducible bit by bit.
    let expand = |x: Tensor<D>| match D {
        2 => x,
        _ => {
            let dims = x.dims();
            x.expand::<D, [usize; D]>(from_fn(|axis| match axis + 2 < D {
                true => a[axis].max(b[axis]),
                false => dims[axis],
            }))
        }
    };
    Tensor::cat(vec![expand(x), expand(y)], D - 2)
}

fn slice_columns<const D: usize>(x: Tensor<D>, from: usize, to: usize) -> Tensor<D> {
    let dims = x.dims();
    x.slice::<[Range<usize>; D]>(from_fn(|axis| match axis + 1 == D {
        true => from..to.min(dims[axis]),
        false => 0..dims[axis],
    }))
}
