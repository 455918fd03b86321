//! Shape inference of equations: each operation's result shape, or why its operands do not fit. Shapes are checked
//! before the framework computes, so that a wrong equation results in an error and never in a panic.

use crate::expression::BinaryOperator;
use crate::message;
use crate::texts::Message;

/// Sizes along all axes: rank 2 (parameters), 3 (batch × tokens × channels) or 4 (batch × heads ×
/// tokens × head width).
pub type Shape = Vec<usize>;

/// A shape; the error completes "`e @ down`: …".
pub(super) type ShapeResult<T = Shape> = Result<T, Message>;

/// Returns a shape as text: "24×17×192".
pub fn format_shape(dims: &[usize]) -> String {
    let parts: Vec<String> = dims.iter().map(usize::to_string).collect();
    parts.join("×")
}

/// Returns the size of the last axis.
pub(super) fn columns(dims: &[usize]) -> usize {
    dims.last().copied().unwrap_or(0)
}

/// Converts a number in an equation to a count.
pub(super) fn to_count(number: f64) -> ShapeResult<usize> {
    if number.fract() == 0.0 && (0.0..1e9).contains(&number) {
        Ok(number as usize)
    } else {
        Err(message!("problem-count-not-whole", number = number.to_string()))
    }
}

/// Returns the shape of an element-wise operation with broadcasting: sizes of 1 are repeated, a rank-2 operand applies
/// to every image (and head).
pub(super) fn elementwise(operator: BinaryOperator, a: &[usize], b: &[usize]) -> ShapeResult {
    broadcast(a, b).ok_or_else(|| {
        let (a, b) = (format_shape(a), format_shape(b));
        message!("problem-shapes-not-broadcastable", a, sign = operator.text(), b)
    })
}

/// Returns the shape of a matrix product over the last two axes.
pub(super) fn product(a: &[usize], b: &[usize]) -> ShapeResult {
    let misfit = |reason: Message| {
        let (a, b) = (format_shape(a), format_shape(b));
        Err(message!("problem-product-shapes-differ", a, b, reason))
    };
    let (Some((a_lead, a_last)), Some((b_lead, b_last))) = (split_leading(a), split_leading(b))
    else {
        return misfit(message!("problem-product-needs-matrices"));
    };
    if a_last[1] != b_last[0] {
        let (a, b) = (a_last[1].to_string(), b_last[0].to_string());
        return misfit(message!("problem-product-inner-sizes", a, b));
    }
    if !a_lead.is_empty() && !b_lead.is_empty() && a_lead.len() != b_lead.len() {
        return misfit(message!("problem-one-side-in-heads"));
    }
    let Some(mut result) = broadcast(a_lead, b_lead) else {
        let (a, b) = (format_shape(a_lead), format_shape(b_lead));
        return misfit(message!("problem-product-leading-sizes", a, b));
    };
    result.extend([a_last[0], b_last[1]]);
    Ok(result)
}

/// Returns the shape with the last two axes swapped.
pub(super) fn transposed(x: &[usize]) -> Shape {
    let mut result = x.to_vec();
    if let [.., rows, columns] = result.as_mut_slice() {
        std::mem::swap(rows, columns);
    }
    result
}

/// Returns the shape with another size of the last axis.
pub(super) fn with_columns(x: &[usize], columns: usize) -> Shape {
    let mut result = x.to_vec();
    if let Some(last) = result.last_mut() {
        *last = columns;
    }
    result
}

/// Returns the shape of split heads: r × d → 1 × heads × r × d/heads, and batch × tokens × d → batch × heads × tokens ×
/// d/heads.
pub(super) fn split_heads(x: &[usize], heads: f64) -> ShapeResult {
    let (width, heads) = (columns(x), to_count(heads)?);
    if heads == 0 || !width.is_multiple_of(heads) {
        let channels = message!("count-channels", n = width);
        let heads = message!("count-heads", n = heads);
        return Err(message!("problem-heads-do-not-divide", channels, heads));
    }
    match *x {
        [rows, _] => Ok(vec![1, heads, rows, width / heads]),
        [batch, tokens, _] => Ok(vec![batch, heads, tokens, width / heads]),
        _ => Err(message!("problem-already-in-heads", shape = format_shape(x))),
    }
}

/// Returns the shape of a concatenation along the tokens (second-to-last axis); leading sizes of 1 are repeated.
pub(super) fn join_tokens(a: &[usize], b: &[usize]) -> ShapeResult {
    let misfit = || {
        let (a, b) = (format_shape(a), format_shape(b));
        message!("problem-tokens-not-joinable", a, b)
    };
    let (Some((a_lead, a_last)), Some((b_lead, b_last))) = (split_leading(a), split_leading(b))
    else {
        return Err(misfit());
    };
    let mixed = !a_lead.is_empty() && !b_lead.is_empty() && a_lead.len() != b_lead.len();
    if mixed && a_last[1] == b_last[1] {
        let (a, b) = (format_shape(a), format_shape(b));
        return Err(message!("problem-join-heads-differ", a, b));
    }
    let mut result = broadcast(a_lead, b_lead).ok_or_else(misfit)?;
    if a_last[1] != b_last[1] {
        return Err(misfit());
    }
    result.extend([a_last[0] + b_last[0], a_last[1]]);
    Ok(result)
}

/// Returns the shape of the first `n` columns.
pub(super) fn first_columns(x: &[usize], n: f64) -> ShapeResult {
    cut(x, n, |n, all| (1..=all).contains(&n).then_some(n))
}

/// Returns the shape of the columns after the first `n`.
pub(super) fn rest_columns(x: &[usize], n: f64) -> ShapeResult {
    cut(x, n, |n, all| all.checked_sub(n).filter(|rest| *rest > 0))
}

/// Returns the shape after cutting rows (second-to-last axis) as `cut` cuts columns.
pub(super) fn cut_rows(x: &[usize], n: f64, cut: fn(&[usize], f64) -> ShapeResult) -> ShapeResult {
    let rows = transposed(x);
    let cut = cut(&rows, n).map_err(|_| {
        let (shape, rows) = (format_shape(x), columns(&rows).to_string());
        message!("problem-cut-outside-rows", shape, rows, n = n.to_string())
    });
    Ok(transposed(&cut?))
}

/// Returns the shape of a single row with the same number of columns.
pub(super) fn single_row(x: &[usize]) -> Shape {
    transposed(&with_columns(&transposed(x), 1))
}

/// Returns the shape of a Kronecker product.
pub(super) fn kronecker(a: &[usize], b: &[usize]) -> ShapeResult {
    let (&[rows, columns], &[more_rows, more_columns]) = (a, b) else {
        return Err(message!("problem-kron-needs-matrices"));
    };
    let product =
        |a: usize, b: usize| a.checked_mul(b).ok_or_else(|| message!("problem-kron-too-large"));
    Ok(vec![product(rows, more_rows)?, product(columns, more_columns)?])
}

/// Returns the shape with the number of columns that `remaining` returns for all columns and `n`.
fn cut(x: &[usize], n: f64, remaining: fn(usize, usize) -> Option<usize>) -> ShapeResult {
    let (column_count, n) = (columns(x), to_count(n)?);
    let Some(left) = remaining(n, column_count) else {
        let (shape, columns, n) = (format_shape(x), column_count.to_string(), n.to_string());
        return Err(message!("problem-cut-outside-columns", shape, columns, n));
    };
    Ok(with_columns(x, left))
}

/// Returns the leading axes and the last two.
fn split_leading(dims: &[usize]) -> Option<(&[usize], &[usize])> {
    dims.len().checked_sub(2).map(|axes| dims.split_at(axes))
}

/// Broadcasts shapes aligned at the last axis; ranks 3 and 4 cannot be combined.
fn broadcast(a: &[usize], b: &[usize]) -> Option<Shape> {
    if a.len() != b.len() && a.len() != 2 && b.len() != 2 && !a.is_empty() && !b.is_empty() {
        return None;
    }
    let rank = a.len().max(b.len());
    let size_at = |dims: &[usize], axis: usize| {
        (axis + dims.len()).checked_sub(rank).map_or(1, |axis| dims[axis])
    };
    (0..rank)
        .map(|axis| match (size_at(a, axis), size_at(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}
