//! Sums over many rows. They consist of pieces of fixed size that are added in order, so they do not depend on the
//! number of cores.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::elementwise::{add, add_products, dot};
use super::simd::Level;

/// Number of elements that a core processes at a time in element-wise functions.
pub const CHUNK_LEN: usize = 1 << 13;

/// Returns the number of rows that a core processes at a time in row-wise functions of this width.
pub fn rows_per_chunk(width: usize) -> usize {
    (CHUNK_LEN / width.max(1)).max(1)
}

/// Number of rows that are summed together.
pub const ROWS_PER_SUM: usize = 256;

/// Returns the sum of the rows of g, or of g · x.
pub fn sum_rows(g: &[f32], x: Option<&[f32]>, width: usize) -> Buffer {
    let level = Level::best();
    let chunk = (ROWS_PER_SUM * width).max(1);
    let parts: Vec<Buffer> = (g.par_chunks(chunk).enumerate())
        .map(|(i, g)| {
            let mut sum = Buffer::new(width);
            sum.fill(0.0);
            for (r, row) in g.chunks_exact(width).enumerate() {
                let offset = i * chunk + r * width;
                match x {
                    Some(x) => add_products(level, row, &x[offset..offset + width], &mut sum),
                    None => add(level, &mut sum, row),
                }
            }
            sum
        })
        .collect();
    sum_buffers(parts, width)
}

/// Returns the sum of all values of g, or of g · x.
pub fn sum_all(g: &[f32], x: Option<&[f32]>) -> Buffer {
    let level = Level::best();
    let parts: Vec<f64> = (g.par_chunks(CHUNK_LEN).enumerate())
        .map(|(i, g)| {
            let mut sum = [0.0];
            match x {
                Some(x) => dot(level, g, &x[i * CHUNK_LEN..][..g.len()], &mut sum),
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
pub fn sum_buffers(parts: Vec<Buffer>, len: usize) -> Buffer {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| {
        let mut zeros = Buffer::new(len);
        zeros.fill(0.0);
        zeros
    });
    for part in parts {
        add(Level::best(), &mut sum, &part);
    }
    sum
}
