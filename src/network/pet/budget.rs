//! Limits on the evaluation of equations, so that a plugin from an unknown source can neither fill the memory nor block
//! the program: the elements of its results and, while plugins are tried, its multiplications.

use std::cell::Cell;

use super::shape::{Outcome, shown};
use crate::message;

/// Largest number of elements of an intermediate result (1 GiB of f32). More is considered a mistake.
const MOST_ELEMENTS: usize = 1 << 28;

/// Largest ratio of the elements of all results of an evaluation to those of its inputs; Prefix needs about a hundred
/// on long token sequences.
const MOST_GROWTH: usize = 1024;

/// Number of multiplications that take about as long as inferring the shape of a result.
const FOR_A_SHAPE: u64 = 256;

thread_local! {
    /// Elements that the evaluation running on this thread may still produce.
    static BUDGET: Cell<usize> = const { Cell::new(0) };
    /// Largest number of elements that an evaluation on this thread may produce.
    static CAP: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Multiplications that may still be done on this thread; `None` if they are not counted.
    static WORK: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Starts the budget of an evaluation that was given this many elements.
pub(super) fn start_budget(given: usize) {
    BUDGET.set(given.saturating_mul(MOST_GROWTH).min(CAP.get()));
}

/// Runs work in which no evaluation on this thread may produce more than `most` elements.
pub(super) fn capped<T>(most: usize, work: impl FnOnce() -> T) -> T {
    let before = CAP.replace(most);
    let result = work();
    CAP.set(before);
    result
}

/// Runs work in which equations on this thread may use `most` multiplications, or what is left of an enclosing limit.
pub(super) fn allowed<T>(most: u64, work: impl FnOnce() -> T) -> T {
    let outside = WORK.get();
    let inside = outside.map_or(most, |left| left.min(most));
    WORK.set(Some(inside));
    let result = work();
    let spent = inside - WORK.get().unwrap_or(inside);
    WORK.set(outside.map(|left| left - spent));
    result
}

/// Runs work of an untrusted plugin: equations on this thread may take a few seconds, and no evaluation may produce
/// more than a hundred megabytes.
pub fn within_bounds<T>(work: impl FnOnce() -> T) -> T {
    allowed(1 << 31, || capped(1 << 25, work))
}

/// Subtracts a result of this shape from the budget of the evaluation running on this thread; returns an error before
/// it is computed if it would fill the memory.
pub(super) fn spend(dims: &[usize]) -> Outcome<()> {
    let count = dims
        .iter()
        .try_fold(1usize, |count, &size| count.checked_mul(size));
    match count {
        Some(count) if count <= MOST_ELEMENTS.min(BUDGET.get()) => {
            BUDGET.set(BUDGET.get() - count);
            Ok(())
        }
        _ => {
            let shape = shown(dims);
            Err(message!("problem-equation-memory", shape))
        }
    }
}

/// Rejects a result, before it is computed, if its elements need more multiplications (`each` per element) than are
/// left.
pub(super) fn multiply(dims: &[usize], each: usize) -> Outcome<()> {
    let cost = dims
        .iter()
        .try_fold(each as u64, |cost, &size| cost.checked_mul(size as u64));
    charge(dims, cost)
}

/// Stops if even inferring shapes takes too long; this shape is of a result that is not computed.
pub(super) fn charge_shape_inference(dims: &[usize]) -> Outcome<()> {
    charge(dims, Some(FOR_A_SHAPE))
}

fn charge(dims: &[usize], cost: Option<u64>) -> Outcome<()> {
    let Some(left) = WORK.get() else {
        return Ok(());
    };
    match cost.and_then(|cost| left.checked_sub(cost)) {
        Some(left) => {
            WORK.set(Some(left));
            Ok(())
        }
        None => {
            let shape = shown(dims);
            Err(message!("problem-equation-multiplications", shape))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_budgets_charge_outer_budget() {
        let used = allowed(100, || {
            let inner = allowed(1000, || {
                [multiply(&[10, 3], 2), multiply(&[50], 1)].map(|r| r.is_ok())
            });
            let rest = [multiply(&[41], 1).is_ok(), multiply(&[40], 1).is_ok()];
            (inner, rest)
        });
        assert_eq!(used, ([true, false], [false, true]));
        assert!(
            multiply(&[1 << 30], 1 << 30).is_ok(),
            "a budget applies outside of `allowed`"
        );
        let overflow = allowed(100, || multiply(&[usize::MAX, usize::MAX], 2));
        assert!(overflow.is_err());
        let shapes = allowed(2 * FOR_A_SHAPE, || {
            [(); 3].map(|()| charge_shape_inference(&[1]).is_ok())
        });
        assert_eq!(shapes, [true, true, false]);
    }
}
