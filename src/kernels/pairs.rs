//! Packs a bf16 matrix into panels of pairs: two values that are adjacent along the inner axis share one lane.
#![allow(unsafe_code)]

use std::ops::Range;

use half::bf16;

use super::lanes::{Lanes, WIDTH};
use super::matrix::Matrix;
use super::panels::{AHEAD, store_transposed};
use super::simd::prefetch;

/// Number of values in sixteen pairs.
pub(crate) const PAIRS: usize = 2 * WIDTH;

/// Packs the bits of two bf16 values into one lane.
#[inline(always)]
pub(crate) fn pair([lower, upper]: [u16; 2]) -> f32 {
    f32::from_bits(u32::from(lower) | u32::from(upper) << 16)
}

/// Packs the rows `along` of some columns of `b` panel by panel; a panel is as wide as a tile of the result. Panels
/// have `depth` rows; rows after the last pair are zero. Excess columns of the last panel have arbitrary values.
#[inline(always)]
pub(crate) fn lay_out<L: Lanes>(
    b: Matrix<'_, bf16>,
    along: Range<usize>,
    columns: Range<usize>,
    depth: usize,
    room: &mut [f32],
) {
    let width = L::VECTORS * WIDTH;
    let panel = depth * width;
    let rest = along.len().div_ceil(2) * width;
    for panel in room
        .chunks_exact_mut(panel)
        .take(columns.len().div_ceil(width))
    {
        panel[rest..].fill(0.0);
    }
    // Some rows of all panels at a time, so that each page is looked up once, and rows are read sequentially.
    let step = match b.column == 1 {
        true => PAIRS,
        false => along.len(),
    };
    for start in along.clone().step_by(step) {
        let some = start..along.end.min(start + step);
        let panels = room.chunks_exact_mut(panel);
        for (panel, column) in panels.zip(columns.clone().step_by(width)) {
            let columns = column..columns.end.min(column + width);
            let panel = &mut panel[(start - along.start) / 2 * width..];
            if b.column == 1 {
                straight(b, some.clone(), columns, width, panel);
            } else {
                pack_transposed::<L>(b, some.clone(), columns, panel);
            }
        }
    }
}

/// Packs a panel of a matrix in row-major order: two rows become one row of pairs.
#[inline(always)]
fn straight(
    b: Matrix<'_, bf16>,
    along: Range<usize>,
    columns: Range<usize>,
    width: usize,
    panel: &mut [f32],
) {
    let wide = columns.len();
    let none = [bf16::ZERO; 2 * WIDTH];
    let row = |row: usize| &b.data[row * b.row + columns.start..][..wide];
    for (at, to) in along.clone().step_by(2).zip(panel.chunks_exact_mut(width)) {
        let lower = row(at);
        let upper = match at + 1 < along.end {
            true => row(at + 1),
            false => &none[..wide],
        };
        for from in [lower, upper] {
            prefetch(from.as_ptr().wrapping_add(AHEAD).cast());
        }
        let (whole, rest) = to[..wide].as_chunks_mut();
        let [(lower, lower_rest), (upper, upper_rest)] = [lower, upper].map(<[_]>::as_chunks);
        for ((to, lower), upper) in whole.iter_mut().zip(lower).zip(upper) {
            pairs_of(lower, upper, to);
        }
        for ((to, lower), upper) in rest.iter_mut().zip(lower_rest).zip(upper_rest) {
            *to = pair([lower.to_bits(), upper.to_bits()]);
        }
    }
}

/// Packs sixteen pairs. The fixed number lets the compiler unroll the loop.
#[inline(always)]
fn pairs_of(lower: &[bf16; WIDTH], upper: &[bf16; WIDTH], to: &mut [f32; WIDTH]) {
    for ((to, lower), upper) in to.iter_mut().zip(lower).zip(upper) {
        *to = pair([lower.to_bits(), upper.to_bits()]);
    }
}

/// Packs a panel of a transposed matrix, in which the values of a pair are adjacent.
#[inline(always)]
fn pack_transposed<L: Lanes>(
    b: Matrix<'_, bf16>,
    along: Range<usize>,
    columns: Range<usize>,
    panel: &mut [f32],
) {
    let width = L::VECTORS * WIDTH;
    for first in columns.clone().step_by(WIDTH) {
        let rows = WIDTH.min(columns.end - first);
        let from = &b.data[first * b.column + along.start..];
        for start in (0..along.len()).step_by(PAIRS) {
            let long = PAIRS.min(along.len() - start);
            let to = &mut panel[start / 2 * width + first - columns.start..];
            let mut square = [L::splat(0.0); WIDTH];
            for (row, lanes) in square[..rows].iter_mut().enumerate() {
                let from = &from[row * b.column + start..][..long];
                prefetch(from.as_ptr().wrapping_add(AHEAD).cast());
                *lanes = match from.first_chunk::<PAIRS>() {
                    Some(whole) => {
                        // SAFETY: the sizes are equal, any bits are valid f32 values, and the read needs no alignment.
                        L::load(&unsafe { whole.as_ptr().cast::<[f32; WIDTH]>().read_unaligned() })
                    }
                    None => {
                        let mut whole = [0.0; WIDTH];
                        for (to, from) in whole.iter_mut().zip(from.chunks(2)) {
                            let upper = from.get(1).map_or(0, |upper| upper.to_bits());
                            *to = pair([from[0].to_bits(), upper]);
                        }
                        L::load(&whole)
                    }
                };
            }
            store_transposed::<L>(square, long.div_ceil(2), width, to);
        }
    }
}
