//! Packs a bf16 matrix into panels of pairs: two values that are adjacent along the inner axis share one lane.
#![allow(unsafe_code)]

use std::ops::Range;

use half::bf16;

use super::lanes::{Lanes, WIDTH};
use super::matrix::Matrix;
use super::panels::{PREFETCH_DISTANCE, store_transposed};
use super::simd::prefetch;

/// Number of values in sixteen pairs.
pub(crate) const PAIRS: usize = 2 * WIDTH;

/// Packs the bits of two bf16 values into one lane.
#[inline(always)]
pub(crate) fn pair([lower, upper]: [u16; 2]) -> f32 {
    f32::from_bits(u32::from(lower) | u32::from(upper) << 16)
}

/// Packs the rows `depth_range` of some columns of `b` panel by panel; panels are as wide as a tile of the result. They
/// have `depth` rows; rows after the last pair are zero. Excess columns of the last panel have arbitrary values.
#[inline(always)]
pub(crate) fn pack_pairs<L: Lanes>(
    b: Matrix<'_, bf16>,
    depth_range: Range<usize>,
    columns: Range<usize>,
    depth: usize,
    buffer: &mut [f32],
) {
    let width = L::VECTORS * WIDTH;
    let panel_len = depth * width;
    let used_len = depth_range.len().div_ceil(2) * width;
    for panel in buffer.chunks_exact_mut(panel_len).take(columns.len().div_ceil(width)) {
        panel[used_len..].fill(0.0);
    }
    // Some rows of all panels at a time, so that each page is looked up once, and rows are read sequentially.
    let step = match b.column_stride == 1 {
        true => PAIRS,
        false => depth_range.len(),
    };
    for start in depth_range.clone().step_by(step) {
        let rows = start..depth_range.end.min(start + step);
        let panels = buffer.chunks_exact_mut(panel_len);
        for (panel, column) in panels.zip(columns.clone().step_by(width)) {
            let columns = column..columns.end.min(column + width);
            let panel = &mut panel[(start - depth_range.start) / 2 * width..];
            if b.column_stride == 1 {
                pack_row_major(b, rows.clone(), columns, width, panel);
            } else {
                pack_transposed::<L>(b, rows.clone(), columns, panel);
            }
        }
    }
}

/// Packs a panel of a matrix in row-major order: two rows become one row of pairs.
#[inline(always)]
fn pack_row_major(
    b: Matrix<'_, bf16>,
    depth_range: Range<usize>,
    columns: Range<usize>,
    width: usize,
    panel: &mut [f32],
) {
    let count = columns.len();
    let zeros = [bf16::ZERO; 2 * WIDTH];
    let row = |row: usize| &b.data[row * b.row_stride + columns.start..][..count];
    for (index, to) in depth_range.clone().step_by(2).zip(panel.chunks_exact_mut(width)) {
        let lower = row(index);
        let upper = match index + 1 < depth_range.end {
            true => row(index + 1),
            false => &zeros[..count],
        };
        for from in [lower, upper] {
            prefetch(from.as_ptr().wrapping_add(PREFETCH_DISTANCE).cast());
        }
        let (chunks, remainder) = to[..count].as_chunks_mut();
        let [(lower, lower_rest), (upper, upper_rest)] = [lower, upper].map(<[_]>::as_chunks);
        for ((to, lower), upper) in chunks.iter_mut().zip(lower).zip(upper) {
            interleave_pairs(lower, upper, to);
        }
        for ((to, lower), upper) in remainder.iter_mut().zip(lower_rest).zip(upper_rest) {
            *to = pair([lower.to_bits(), upper.to_bits()]);
        }
    }
}

/// Packs sixteen pairs. The fixed number lets the compiler unroll the loop.
#[inline(always)]
fn interleave_pairs(lower: &[bf16; WIDTH], upper: &[bf16; WIDTH], to: &mut [f32; WIDTH]) {
    for ((to, lower), upper) in to.iter_mut().zip(lower).zip(upper) {
        *to = pair([lower.to_bits(), upper.to_bits()]);
    }
}

/// Packs a panel of a transposed matrix, in which the values of a pair are adjacent.
#[inline(always)]
fn pack_transposed<L: Lanes>(
    b: Matrix<'_, bf16>,
    depth_range: Range<usize>,
    columns: Range<usize>,
    panel: &mut [f32],
) {
    let width = L::VECTORS * WIDTH;
    for first in columns.clone().step_by(WIDTH) {
        let rows = WIDTH.min(columns.end - first);
        let from = &b.data[first * b.column_stride + depth_range.start..];
        for start in (0..depth_range.len()).step_by(PAIRS) {
            let length = PAIRS.min(depth_range.len() - start);
            let to = &mut panel[start / 2 * width + first - columns.start..];
            let mut square = [L::splat(0.0); WIDTH];
            for (row, lanes) in square[..rows].iter_mut().enumerate() {
                let from = &from[row * b.column_stride + start..][..length];
                prefetch(from.as_ptr().wrapping_add(PREFETCH_DISTANCE).cast());
                *lanes = match from.first_chunk::<PAIRS>() {
                    Some(chunk) => {
                        // SAFETY: the sizes are equal, any bits are valid f32 values, and the read needs no alignment.
                        L::load(&unsafe { chunk.as_ptr().cast::<[f32; WIDTH]>().read_unaligned() })
                    }
                    None => {
                        let mut padded = [0.0; WIDTH];
                        for (to, from) in padded.iter_mut().zip(from.chunks(2)) {
                            let upper = from.get(1).map_or(0, |upper| upper.to_bits());
                            *to = pair([from[0].to_bits(), upper]);
                        }
                        L::load(&padded)
                    }
                };
            }
            store_transposed::<L>(square, length.div_ceil(2), width, to);
        }
    }
}
