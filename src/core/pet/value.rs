//! The tensors an equation works on: rank 2 (parameters), 3 (batch × tokens × channels) or 4
//! (batch × heads × tokens × head width), with every shape checked before the framework sees it,
//! so that a wrong equation ends in a sentence and never in a panic.

use burn::tensor::Tensor;

use super::budget::{bounded, multiply};
use crate::counts::counted;
use crate::nn;

/// A tensor of rank 2, 3 or 4. Cloning shares the memory.
#[derive(Clone, Debug)]
pub enum Value {
    /// A parameter, or made of parameters alone.
    Two(Tensor<2>),
    /// batch × tokens × channels.
    Three(Tensor<3>),
    /// batch × heads × tokens × head width.
    Four(Tensor<4>),
}

/// Result of one operation; the error completes "`e @ down`: …".
pub type Outcome = Result<Value, String>;

/// Two values of one rank.
enum Pair {
    Two(Tensor<2>, Tensor<2>),
    Three(Tensor<3>, Tensor<3>),
    Four(Tensor<4>, Tensor<4>),
}

/// Applies one expression to whichever rank a value has; the rank stays.
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
    /// Sizes along all axes.
    pub fn dims(&self) -> Vec<usize> {
        match self {
            Self::Two(x) => x.dims().to_vec(),
            Self::Three(x) => x.dims().to_vec(),
            Self::Four(x) => x.dims().to_vec(),
        }
    }

    /// "24×17×192".
    pub fn shown(&self) -> String {
        shown(&self.dims())
    }

    /// Size of the last axis.
    pub fn columns(&self) -> usize {
        self.dims().last().copied().unwrap_or(0)
    }

    /// Element by element with the usual broadcasting: a size of 1 is repeated, a rank-2 value
    /// counts for every image (and head). `sign` names the operation in errors.
    pub fn combine(self, sign: char, other: Self) -> Outcome {
        let (a, b) = (self.dims(), other.dims());
        let result = broadcast(&a, &b).ok_or_else(|| {
            let (a, b) = (shown(&a), shown(&b));
            format!("{a} {sign} {b} does not fit: sizes must be equal or 1")
        })?;
        bounded(&result)?;
        macro_rules! apply {
            ($x:expr, $y:expr) => {
                match sign {
                    '+' => nn::plus($x, $y),
                    '-' => $x - $y,
                    '*' => nn::times($x, $y),
                    _ => $x / $y,
                }
            };
        }
        Ok(match self.aligned(other)? {
            Pair::Two(x, y) => Self::Two(apply!(x, y)),
            Pair::Three(x, y) => Self::Three(apply!(x, y)),
            Pair::Four(x, y) => Self::Four(apply!(x, y)),
        })
    }

    /// Every element with a number.
    pub fn with_number(self, sign: char, n: f64) -> Self {
        each!(self, x => match sign {
            '+' => x + n,
            '-' => x - n,
            '*' => x * n,
            _ => x / n,
        })
    }

    /// A number with every element.
    pub fn after_number(self, n: f64, sign: char) -> Self {
        each!(self, x => match sign {
            '+' => x + n,
            '-' => x.neg() + n,
            '*' => x * n,
            _ => x.recip() * n,
        })
    }

    /// Matrix product over the last two axes. A rank-2 right side is one 2-D product for all rows
    /// of the left side, which is the fast form on every device.
    pub fn matmul(self, other: Self) -> Outcome {
        let (a, b) = (self.dims(), other.dims());
        let result = product_shape(&a, &b)?;
        bounded(&result)?;
        multiply(&result, self.columns())?;
        let width = result.last().copied().unwrap_or(0);
        Ok(match (self, other) {
            (Self::Three(x), Self::Two(y)) => {
                let [batch, tokens, inner] = x.dims();
                let flat = nn::project(x.reshape([batch * tokens, inner]), y);
                Self::Three(flat.reshape([batch, tokens, width]))
            }
            (Self::Four(x), Self::Two(y)) => {
                let [batch, heads, tokens, inner] = x.dims();
                let flat = nn::project(x.reshape([batch * heads * tokens, inner]), y);
                Self::Four(flat.reshape([batch, heads, tokens, width]))
            }
            (x, y) => match x.aligned(y)? {
                Pair::Two(x, y) => Self::Two(x.matmul(y)),
                Pair::Three(x, y) => Self::Three(x.matmul(y)),
                Pair::Four(x, y) => Self::Four(x.matmul(y)),
            },
        })
    }

    /// Swaps the last two axes.
    pub fn transpose(self) -> Self {
        each!(self, x => x.transpose())
    }

    /// r × d → 1 × heads × r × d/heads, and batch × tokens × d → batch × heads × tokens × d/heads,
    /// the way keys and values are split.
    pub fn split_heads(self, heads: f64) -> Outcome {
        let width = self.columns();
        let heads = whole(heads)?;
        if heads == 0 || !width.is_multiple_of(heads) {
            let (width, heads) = (counted(width, "channel"), counted(heads, "head"));
            return Err(format!("{width} do not split into {heads}"));
        }
        let split = |x: Tensor<3>| {
            let [batch, tokens, width] = x.dims();
            let x = x.reshape([batch, tokens, heads, width / heads]);
            Self::Four(x.swap_dims(1, 2))
        };
        match self {
            Self::Two(x) => Ok(split(x.unsqueeze())),
            Self::Three(x) => Ok(split(x)),
            Self::Four(_) => Err(format!("{} is split into heads already", self.shown())),
        }
    }

    /// `self` before `other` along the tokens (the last axis but one); leading sizes of 1 are
    /// repeated.
    pub fn join_tokens(self, other: Self) -> Outcome {
        let (a, b) = (self.dims(), other.dims());
        let misfit = || {
            let (a, b) = (shown(&a), shown(&b));
            format!(
                "{a} and {b} cannot be joined: all sizes but the number of tokens must be equal"
            )
        };
        let (Some((a_lead, a_last)), Some((b_lead, b_last))) = (lead(&a), lead(&b)) else {
            return Err(misfit());
        };
        let leading = broadcast(a_lead, b_lead).ok_or_else(misfit)?;
        if a_last[1] != b_last[1] {
            return Err(misfit());
        }
        let mut result = leading.clone();
        result.extend([a_last[0] + b_last[0], a_last[1]]);
        bounded(&result)?;
        Ok(match self.aligned(other)? {
            Pair::Two(x, y) => Self::Two(Tensor::cat(vec![x, y], 0)),
            Pair::Three(x, y) => {
                let grow = |x: Tensor<3>| {
                    let [_, tokens, width] = x.dims();
                    x.expand([leading[0], tokens, width])
                };
                Self::Three(Tensor::cat(vec![grow(x), grow(y)], 1))
            }
            Pair::Four(x, y) => {
                let grow = |x: Tensor<4>| {
                    let [_, _, tokens, width] = x.dims();
                    x.expand([leading[0], leading[1], tokens, width])
                };
                Self::Four(Tensor::cat(vec![grow(x), grow(y)], 2))
            }
        })
    }

    /// Columns `from..to` of the last axis, counted from the start; `None` for an end.
    pub fn columns_between(self, from: Option<f64>, to: Option<f64>) -> Outcome {
        let all = self.columns();
        let from = from.map_or(Ok(0), whole)?;
        let to = to.map_or(Ok(all), whole)?;
        if from >= to || to > all {
            let asked = if from == 0 { to } else { from };
            return Err(format!(
                "{} has {all} columns and cannot be cut at {asked}",
                self.shown()
            ));
        }
        Ok(match self {
            Self::Two(x) => {
                let [rows, _] = x.dims();
                Self::Two(x.slice([0..rows, from..to]))
            }
            Self::Three(x) => {
                let [batch, tokens, _] = x.dims();
                Self::Three(x.slice([0..batch, 0..tokens, from..to]))
            }
            Self::Four(x) => {
                let [batch, heads, tokens, _] = x.dims();
                Self::Four(x.slice([0..batch, 0..heads, 0..tokens, from..to]))
            }
        })
    }

    /// Brings both to the larger rank; a rank-2 value gets leading axes of size 1.
    fn aligned(self, other: Self) -> Result<Pair, String> {
        Ok(match (self, other) {
            (Self::Two(x), Self::Two(y)) => Pair::Two(x, y),
            (Self::Three(x), Self::Three(y)) => Pair::Three(x, y),
            (Self::Four(x), Self::Four(y)) => Pair::Four(x, y),
            (Self::Two(x), Self::Three(y)) => Pair::Three(x.unsqueeze(), y),
            (Self::Three(x), Self::Two(y)) => Pair::Three(x, y.unsqueeze()),
            (Self::Two(x), Self::Four(y)) => Pair::Four(x.unsqueeze(), y),
            (Self::Four(x), Self::Two(y)) => Pair::Four(x, y.unsqueeze()),
            (x, y) => {
                let (x, y) = (x.shown(), y.shown());
                return Err(format!(
                    "{x} and {y} do not fit: one of them is split into heads"
                ));
            }
        })
    }
}

/// "24×17×192".
pub fn shown(dims: &[usize]) -> String {
    let parts: Vec<String> = dims.iter().map(usize::to_string).collect();
    parts.join("×")
}

/// A number from an equation as a count.
fn whole(number: f64) -> Result<usize, String> {
    if number.fract() == 0.0 && (0.0..1e9).contains(&number) {
        Ok(number as usize)
    } else {
        Err(format!("{number} is not a whole number of things"))
    }
}

/// Leading axes and the last two.
fn lead(dims: &[usize]) -> Option<(&[usize], &[usize])> {
    dims.len().checked_sub(2).map(|axes| dims.split_at(axes))
}

/// Aligned at the last axis; ranks 3 and 4 do not mix.
fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    if a.len() != b.len() && a.len() != 2 && b.len() != 2 && !a.is_empty() && !b.is_empty() {
        return None;
    }
    let rank = a.len().max(b.len());
    let at = |dims: &[usize], axis: usize| {
        (axis + dims.len())
            .checked_sub(rank)
            .map_or(1, |axis| dims[axis])
    };
    (0..rank)
        .map(|axis| match (at(a, axis), at(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

/// Shape of the matrix product, or why there is none.
fn product_shape(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let misfit = |reason: String| {
        let (a, b) = (shown(a), shown(b));
        Err(format!("{a} times {b} does not fit: {reason}"))
    };
    let (Some((a_lead, a_last)), Some((b_lead, b_last))) = (lead(a), lead(b)) else {
        return misfit("both sides need rows and columns".to_owned());
    };
    if a_last[1] != b_last[0] {
        return misfit(format!("inner sizes {} and {}", a_last[1], b_last[0]));
    }
    if !a_lead.is_empty() && !b_lead.is_empty() && a_lead.len() != b_lead.len() {
        return misfit("one of them is split into heads".to_owned());
    }
    let Some(mut result) = broadcast(a_lead, b_lead) else {
        return misfit(format!(
            "leading sizes {} and {}",
            shown(a_lead),
            shown(b_lead)
        ));
    };
    result.extend([a_last[0], b_last[1]]);
    Ok(result)
}
