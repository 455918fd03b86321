//! Limits on the evaluation of equations, so that a plugin from an unknown source can neither fill the memory nor block
//! the program: the elements of its results and, while plugins are tried, its multiplications.

use std::cell::Cell;

use super::shape::{ShapeResult, format_shape};
use crate::message;

/// Largest number of elements of an intermediate result (1 GiB of f32). More is considered a mistake.
const MAX_ELEMENTS: usize = 1 << 28;

/// Largest ratio of the elements of all results of an evaluation to those of its inputs; Prefix needs about a hundred
/// on long token sequences.
const MAX_GROWTH: usize = 1024;

/// Number of multiplications that take about as long as inferring the shape of a result.
const SHAPE_INFERENCE_COST: u64 = 256;

thread_local! {
    /// Elements that the evaluation running on this thread may still produce.
    static REMAINING_ELEMENTS: Cell<usize> = const { Cell::new(0) };
    /// Largest number of elements that an evaluation on this thread may produce.
    static MAX_PRODUCED: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Multiplications that may still be done on this thread; `None` if they are not counted.
    static REMAINING_MULTIPLICATIONS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Starts the budget of an evaluation that was given this many elements.
pub(super) fn start_budget(input_elements: usize) {
    REMAINING_ELEMENTS.set(input_elements.saturating_mul(MAX_GROWTH).min(MAX_PRODUCED.get()));
}

/// Runs work in which no evaluation on this thread may produce more than `limit` elements.
pub(super) fn with_element_limit<T>(limit: usize, work: impl FnOnce() -> T) -> T {
    let previous = MAX_PRODUCED.replace(limit);
    let result = work();
    MAX_PRODUCED.set(previous);
    result
}

/// Runs work in which equations on this thread may use `limit` multiplications, or what is left of an enclosing limit.
pub(super) fn with_multiplication_limit<T>(limit: u64, work: impl FnOnce() -> T) -> T {
    let outer = REMAINING_MULTIPLICATIONS.get();
    let inner = outer.map_or(limit, |outer_left| outer_left.min(limit));
    REMAINING_MULTIPLICATIONS.set(Some(inner));
    let result = work();
    let spent = inner - REMAINING_MULTIPLICATIONS.get().unwrap_or(inner);
    REMAINING_MULTIPLICATIONS.set(outer.map(|outer_left| outer_left - spent));
    result
}

/// Runs work of an untrusted plugin: equations on this thread may take a few seconds, and no evaluation may produce
/// more than a hundred megabytes.
pub fn with_plugin_limits<T>(work: impl FnOnce() -> T) -> T {
    with_multiplication_limit(1 << 31, || with_element_limit(1 << 25, work))
}

/// Subtracts a result of this shape from the budget of the evaluation running on this thread; returns an error before
/// it is computed if it would fill the memory.
pub(super) fn charge_elements(dims: &[usize]) -> ShapeResult<()> {
    let count = dims.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    match count {
        Some(count) if count <= MAX_ELEMENTS.min(REMAINING_ELEMENTS.get()) => {
            REMAINING_ELEMENTS.set(REMAINING_ELEMENTS.get() - count);
            Ok(())
        }
        _ => {
            let shape = format_shape(dims);
            Err(message!("problem-equation-memory", shape))
        }
    }
}

/// Rejects a result, before it is computed, if it needs more multiplications (`cost_per_element` per element) than are
/// left.
pub(super) fn charge_multiplications(dims: &[usize], cost_per_element: usize) -> ShapeResult<()> {
    let cost =
        dims.iter().try_fold(cost_per_element as u64, |cost, &size| cost.checked_mul(size as u64));
    charge(dims, cost)
}

/// Stops if even inferring shapes takes too long; this shape is of a result that is not computed.
pub(super) fn charge_shape_inference(dims: &[usize]) -> ShapeResult<()> {
    charge(dims, Some(SHAPE_INFERENCE_COST))
}

fn charge(dims: &[usize], cost: Option<u64>) -> ShapeResult<()> {
    let Some(remaining) = REMAINING_MULTIPLICATIONS.get() else {
        return Ok(());
    };
    match cost.and_then(|cost| remaining.checked_sub(cost)) {
        Some(remaining) => {
            REMAINING_MULTIPLICATIONS.set(Some(remaining));
            Ok(())
        }
        None => {
            let shape = format_shape(dims);
            Err(message!("problem-equation-multiplications", shape))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_budgets_charge_outer_budget() {
        let used = with_multiplication_limit(100, || {
            let inner = with_multiplication_limit(1000, || {
                [charge_multiplications(&[10, 3], 2), charge_multiplications(&[50], 1)]
                    .map(|r| r.is_ok())
            });
            let after = [
                charge_multiplications(&[41], 1).is_ok(),
                charge_multiplications(&[40], 1).is_ok(),
            ];
            (inner, after)
        });
        assert_eq!(used, ([true, false], [false, true]));
        assert!(
            charge_multiplications(&[1 << 30], 1 << 30).is_ok(),
            "a budget applies outside of `with_multiplication_limit`"
        );
        let overflow =
            with_multiplication_limit(100, || charge_multiplications(&[usize::MAX, usize::MAX], 2));
        assert!(overflow.is_err());
        let shapes = with_multiplication_limit(2 * SHAPE_INFERENCE_COST, || {
            [(); 3].map(|()| charge_shape_inference(&[1]).is_ok())
        });
        assert_eq!(shapes, [true, true, false]);
    }
}
