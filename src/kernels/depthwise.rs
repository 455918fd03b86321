//! Depthwise 7 × 7 convolution of tokens (channels last), stride 1, padded with zeros.
//!
//! The gradient of the input is the same convolution with the kernel rotated by 180°. The gradient of a kernel weight
//! is the sum of the products of the input and the gradient at its offset.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::simd::{Level, WIDTH, simd};

/// Side of the kernel.
pub const KERNEL_SIZE: usize = 7;
const PADDING: usize = KERNEL_SIZE / 2;
/// Number of channels that are processed together.
const BLOCK: usize = WIDTH;
/// Number of adjacent outputs that are computed together.
const RUN: usize = 8;

/// The sizes of a convolution.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
    /// Channels.
    pub channels: usize,
}

impl Shape {
    /// Returns the number of columns of the padded grid, which contains whole runs and both borders.
    fn padded_columns(self) -> usize {
        self.columns.next_multiple_of(RUN) + KERNEL_SIZE - 1
    }

    fn padded_len(self) -> usize {
        (self.rows + KERNEL_SIZE - 1) * self.padded_columns()
    }
}

/// A block of adjacent channels.
type Channels = [f32; BLOCK];

simd! {
    /// Computes a row of outputs for one block of channels. `x` is the padded grid (rows of `stride` positions) from
    /// the first row under the kernel on; `y` has the number of columns rounded up to [`RUN`].
    fn convolve_row<L>(
        x: &[Channels],
        kernel: &[Channels; KERNEL_SIZE * KERNEL_SIZE],
        bias: &Channels,
        stride: usize,
        y: &mut [Channels],
    ) {
        let (runs, _) = y.as_chunks_mut::<RUN>();
        for (run, y) in runs.iter_mut().enumerate() {
            let mut sums = [L::load(bias); RUN];
            for (row, kernel) in kernel.as_chunks::<KERNEL_SIZE>().0.iter().enumerate() {
                let start = row * stride + run * RUN;
                let Some(x) = x[start..].first_chunk::<{ RUN + KERNEL_SIZE - 1 }>() else {
                    continue;
                };
                for (column, kernel) in kernel.iter().enumerate() {
                    let kernel = L::load(kernel);
                    for offset in 0..RUN {
                        let x = L::load(&x[offset + column]);
                        sums[offset] = kernel.mul_add(x, sums[offset]);
                    }
                }
            }
            for (y, sum) in y.iter_mut().zip(sums) {
                sum.store(y);
            }
        }
    }
}

/// Computes the convolution of `x` (batch × tokens × channels); the result has the same shape. `kernel` is 49 ×
/// channels, `bias` has one value per channel or is empty; `flipped` rotates the kernel by 180°.
pub fn convolve(shape: Shape, x: &[f32], kernel: &[f32], bias: &[f32], flipped: bool) -> Buffer {
    let image_len = shape.rows * shape.columns * shape.channels;
    let mut y = Buffer::new(x.len());
    if x.is_empty() {
        return y;
    }
    let blocks: Vec<(Kernel, Channels)> = (0..shape.channels)
        .step_by(BLOCK)
        .map(|first| kernel_block(shape.channels, first, kernel, bias, flipped))
        .collect();
    let row_len = shape.columns * shape.channels;
    // The borders of the scratch grid stay zero, because `fill_grid` writes only the inside.
    let scratch = || vec![[0.0; BLOCK]; shape.padded_len()];
    let images = x.par_chunks_exact(image_len).zip(y.par_chunks_exact_mut(image_len));
    images.for_each(|(x, y)| {
        let planes: Vec<Vec<Channels>> = blocks
            .par_iter()
            .enumerate()
            .map_init(scratch, |grid, (block, (kernel, bias))| {
                fill_grid(shape, x, block * BLOCK, grid);
                convolve_plane(shape, grid, kernel, bias)
            })
            .collect();
        y.par_chunks_exact_mut(row_len).enumerate().for_each(|(r, y)| {
            for (block, plane) in planes.iter().enumerate() {
                write_row(shape, plane, r, block * BLOCK, y);
            }
        });
    });
    y
}

/// The kernel weights of one block of channels.
type Kernel = [Channels; KERNEL_SIZE * KERNEL_SIZE];

/// Returns kernel and bias of the block of channels that starts at `first`; 0 beyond the last channel.
fn kernel_block(
    channels: usize,
    first: usize,
    kernel: &[f32],
    bias: &[f32],
    flipped: bool,
) -> (Kernel, Channels) {
    let count = BLOCK.min(channels - first);
    let mut taps = [[0.0; BLOCK]; KERNEL_SIZE * KERNEL_SIZE];
    for (tap, weights) in taps.iter_mut().enumerate() {
        let tap = if flipped { KERNEL_SIZE * KERNEL_SIZE - 1 - tap } else { tap };
        let start = tap * channels + first;
        weights[..count].copy_from_slice(&kernel[start..start + count]);
    }
    let mut block_bias = [0.0; BLOCK];
    if !bias.is_empty() {
        block_bias[..count].copy_from_slice(&bias[first..first + count]);
    }
    (taps, block_bias)
}

/// Copies a block of channels, which starts at `first`, of one image into the padded grid.
fn fill_grid(shape: Shape, x: &[f32], first: usize, grid: &mut [Channels]) {
    let stride = shape.padded_columns();
    for (r, x) in x.chunks_exact(shape.columns * shape.channels).enumerate() {
        let row = &mut grid[(r + PADDING) * stride + PADDING..];
        for (position, x) in row.iter_mut().zip(x.chunks_exact(shape.channels)) {
            copy_block(&x[first..], position);
        }
    }
}

/// Copies a block of channels, or fewer if a slice is shorter.
#[inline(always)]
fn copy_block(from: &[f32], to: &mut [f32]) {
    // A copy of fixed length needs no function call.
    if let (Some(from), Some(to)) = (from.first_chunk::<BLOCK>(), to.first_chunk_mut()) {
        *to = *from;
    } else {
        let count = from.len().min(to.len());
        to[..count].copy_from_slice(&from[..count]);
    }
}

/// Computes the outputs of one block of channels: rows × (columns rounded up to [`RUN`]).
fn convolve_plane(
    shape: Shape,
    grid: &[Channels],
    kernel: &Kernel,
    bias: &Channels,
) -> Vec<Channels> {
    let stride = shape.padded_columns();
    let row_len = shape.columns.next_multiple_of(RUN);
    let mut plane = vec![[0.0; BLOCK]; shape.rows * row_len];
    for (r, y) in plane.chunks_exact_mut(row_len).enumerate() {
        convolve_row(Level::best(), &grid[r * stride..], kernel, bias, stride, y);
    }
    plane
}

/// Copies row `r` of a block's outputs to its channels of `y` (columns × channels).
fn write_row(shape: Shape, plane: &[Channels], r: usize, first: usize, y: &mut [f32]) {
    let row_len = shape.columns.next_multiple_of(RUN);
    let outputs = &plane[r * row_len..(r + 1) * row_len];
    for (y, outputs) in y.chunks_exact_mut(shape.channels).zip(outputs) {
        copy_block(outputs, &mut y[first..]);
    }
}

simd! {
    /// Adds to `sums`, for each position of the kernel, the products of a row of gradients `g` with the inputs at
    /// that position. `x` is as in [`convolve_row`].
    fn correlate_row<L>(x: &[Channels], g: &[Channels], stride: usize, sums: &mut Kernel) {
        for (row, sums) in sums.as_chunks_mut::<KERNEL_SIZE>().0.iter_mut().enumerate() {
            let mut row_sums = [L::splat(0.0); KERNEL_SIZE];
            for (g, x) in g.iter().zip(x[row * stride..].windows(KERNEL_SIZE)) {
                let g = L::load(g);
                for (sum, x) in row_sums.iter_mut().zip(x) {
                    *sum = g.mul_add(L::load(x), *sum);
                }
            }
            for (sum, row_sum) in sums.iter_mut().zip(row_sums) {
                L::load(sum).add(row_sum).store(sum);
            }
        }
    }
}

/// Number of images whose kernel gradients are summed together. It is fixed, so that the sum does not depend on the
/// number of cores.
const IMAGES_PER_SUM: usize = 4;

/// Returns the gradient of the kernel (49 × channels), given the input `x` and the gradient `g` of the result (both
/// batch × tokens × channels).
pub fn kernel_gradient(shape: Shape, x: &[f32], g: &[f32]) -> Buffer {
    let Shape { channels, .. } = shape;
    let chunk = IMAGES_PER_SUM * shape.rows * shape.columns * channels;
    let blocks: Vec<Kernel> = (0..channels.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let parts: Vec<Kernel> = (x.par_chunks(chunk).zip(g.par_chunks(chunk)))
                .map(|(x, g)| block_gradient(shape, x, g, block * BLOCK))
                .collect();
            let mut sum = [[0.0; BLOCK]; KERNEL_SIZE * KERNEL_SIZE];
            for part in parts {
                for (sum, part) in sum.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                    *sum += part;
                }
            }
            sum
        })
        .collect();
    let mut gradient = Buffer::new(KERNEL_SIZE * KERNEL_SIZE * channels);
    for (tap, row) in gradient.chunks_exact_mut(channels).enumerate() {
        for (values, block) in row.chunks_mut(BLOCK).zip(&blocks) {
            values.copy_from_slice(&block[tap][..values.len()]);
        }
    }
    gradient
}

/// Returns the gradient of the kernel for some images and the block of channels that starts at `first`.
fn block_gradient(shape: Shape, x: &[f32], g: &[f32], first: usize) -> Kernel {
    let image_len = shape.rows * shape.columns * shape.channels;
    let stride = shape.padded_columns();
    let mut grid = vec![[0.0; BLOCK]; shape.padded_len()];
    let mut row = vec![[0.0; BLOCK]; shape.columns];
    let mut sums = [[0.0; BLOCK]; KERNEL_SIZE * KERNEL_SIZE];
    for (x, g) in x.chunks_exact(image_len).zip(g.chunks_exact(image_len)) {
        fill_grid(shape, x, first, &mut grid);
        for (r, g) in g.chunks_exact(shape.columns * shape.channels).enumerate() {
            for (target, g) in row.iter_mut().zip(g.chunks_exact(shape.channels)) {
                copy_block(&g[first..], target);
            }
            correlate_row(Level::best(), &grid[r * stride..], &row, stride, &mut sums);
        }
    }
    sums
}
