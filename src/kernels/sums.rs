//! Sums over many rows. They consist of pieces of fixed size that are added in order, so they do not depend on the
//! number of cores.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::elementwise::{add, add_products, total_of_products};
use super::simd::Level;

/// Number of elements that a core processes at a time in element-wise functions.
pub const PIECE: usize = 1 << 13;

/// Returns the number of rows that a core processes at a time in row-wise functions of this width.
pub fn rows_at_once(width: usize) -> usize {
    (PIECE / width.max(1)).max(1)
}

/// Number of rows that are summed together.
pub const ROWS: usize = 256;

/// Returns the sum of the rows of g, or of g · x.
pub fn sum_of_rows(g: &[f32], x: Option<&[f32]>, width: usize) -> Buffer {
    let level = Level::best();
    let piece = (ROWS * width).max(1);
    let parts: Vec<Buffer> = (g.par_chunks(piece).enumerate())
        .map(|(i, g)| {
            let mut sum = Buffer::new(width);
            sum.fill(0.0);
            for (r, row) in g.chunks_exact(width).enumerate() {
                let at = i * piece + r * width;
                match x {
                    Some(x) => add_products(level, row, &x[at..at + width], &mut sum),
                    None => add(level, &mut sum, row),
                }
            }
            sum
        })
        .collect();
    added(parts, width)
}

/// Returns the sum of all values of g, or of g · x.
pub fn sum_of_all(g: &[f32], x: Option<&[f32]>) -> Buffer {
    let level = Level::best();
    let parts: Vec<f64> = (g.par_chunks(PIECE).enumerate())
        .map(|(i, g)| {
            let mut sum = [0.0];
            match x {
                Some(x) => total_of_products(level, g, &x[i * PIECE..][..g.len()], &mut sum),
                None => sum[0] = g.iter().sum(),
            }
            f64::from(sum[0])
        })
        .collect();
    let mut sum = Buffer::new(1);
    sum[0] = parts.iter().sum::<f64>() as f32;
    sum
}

/// Returns the sum of buffers of the same length.
pub fn added(parts: Vec<Buffer>, len: usize) -> Buffer {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| {
        let mut none = Buffer::new(len);
        none.fill(0.0);
        none
    });
    for part in parts {
        add(Level::best(), &mut sum, &part);
    }
    sum
}
