//! Depthwise 7 × 7 convolution on tokens (channels last), stride 1, borders padded with zeros.
//!
//! The gradient for the input is the same convolution with the kernel turned by 180°; that for the
//! kernel sums, for each of its places, the products of input and gradient so far apart.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::simd::{Level, WIDTH, simd};

/// Side of the kernel.
pub const SIDE: usize = 7;
const BORDER: usize = SIDE / 2;
/// Channels handled together.
const BLOCK: usize = WIDTH;
/// Neighbouring outputs computed together.
const RUN: usize = 8;

/// Sizes of one convolution.
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
    /// Columns of the padded grid: room for whole runs and both borders.
    fn padded_columns(self) -> usize {
        self.columns.next_multiple_of(RUN) + SIDE - 1
    }

    fn padded(self) -> usize {
        (self.rows + SIDE - 1) * self.padded_columns()
    }
}

/// Neighbouring channels.
type Channels = [f32; BLOCK];

simd! {
    /// A row of outputs of one block of channels. `x`: the padded grid (rows of `stride` places)
    /// from the first row the kernel touches; `y`: columns rounded up to [`RUN`].
    fn convolve_row<L>(
        x: &[Channels],
        kernel: &[Channels; SIDE * SIDE],
        bias: &Channels,
        stride: usize,
        y: &mut [Channels],
    ) {
        let (runs, _) = y.as_chunks_mut::<RUN>();
        for (run, y) in runs.iter_mut().enumerate() {
            let mut sums = [L::load(bias); RUN];
            for (row, kernel) in kernel.as_chunks::<SIDE>().0.iter().enumerate() {
                let start = row * stride + run * RUN;
                let Some(x) = x[start..].first_chunk::<{ RUN + SIDE - 1 }>() else {
                    continue;
                };
                for (column, kernel) in kernel.iter().enumerate() {
                    let kernel = L::load(kernel);
                    for place in 0..RUN {
                        let x = L::load(&x[place + column]);
                        sums[place] = kernel.times_plus(x, sums[place]);
                    }
                }
            }
            for (y, sum) in y.iter_mut().zip(sums) {
                sum.store(y);
            }
        }
    }
}

/// `kernel` is 49 × channels, `bias` channels or empty; `turned` turns the kernel by 180°.
/// `x`: batch × tokens × channels; the result is of the same shape.
pub fn convolve(shape: Shape, x: &[f32], kernel: &[f32], bias: &[f32], turned: bool) -> Buffer {
    let image = shape.rows * shape.columns * shape.channels;
    let mut y = Buffer::new(x.len());
    if x.is_empty() {
        return y;
    }
    let blocks: Vec<(Kernel, Channels)> = (0..shape.channels)
        .step_by(BLOCK)
        .map(|first| block_of_kernel(shape.channels, first, kernel, bias, turned))
        .collect();
    let row = shape.columns * shape.channels;
    // The borders of the scratch stay zero: `fill_grid` writes only inside of them.
    let scratch = || vec![[0.0; BLOCK]; shape.padded()];
    let images = x.par_chunks_exact(image).zip(y.par_chunks_exact_mut(image));
    images.for_each(|(x, y)| {
        let planes: Vec<Vec<Channels>> = blocks
            .par_iter()
            .enumerate()
            .map_init(scratch, |grid, (block, (kernel, bias))| {
                fill_grid(shape, x, block * BLOCK, grid);
                convolve_plane(shape, grid, kernel, bias)
            })
            .collect();
        y.par_chunks_exact_mut(row).enumerate().for_each(|(r, y)| {
            for (block, plane) in planes.iter().enumerate() {
                write_row(shape, plane, r, block * BLOCK, y);
            }
        });
    });
    y
}

/// The taps of one block of channels.
type Kernel = [Channels; SIDE * SIDE];

/// The taps and the bias of the channels from `first` on; 0 beyond the last.
fn block_of_kernel(
    channels: usize,
    first: usize,
    kernel: &[f32],
    bias: &[f32],
    turned: bool,
) -> (Kernel, Channels) {
    let count = BLOCK.min(channels - first);
    let mut taps = [[0.0; BLOCK]; SIDE * SIDE];
    for (tap, place) in taps.iter_mut().enumerate() {
        let tap = if turned { SIDE * SIDE - 1 - tap } else { tap };
        let start = tap * channels + first;
        place[..count].copy_from_slice(&kernel[start..start + count]);
    }
    let mut own = [0.0; BLOCK];
    if !bias.is_empty() {
        own[..count].copy_from_slice(&bias[first..first + count]);
    }
    (taps, own)
}

/// Copies the channels from `first` on of one image into the padded grid.
fn fill_grid(shape: Shape, x: &[f32], first: usize, grid: &mut [Channels]) {
    let stride = shape.padded_columns();
    for (r, x) in x.chunks_exact(shape.columns * shape.channels).enumerate() {
        let row = &mut grid[(r + BORDER) * stride + BORDER..];
        for (place, x) in row.iter_mut().zip(x.chunks_exact(shape.channels)) {
            copy_block(&x[first..], place);
        }
    }
}

/// Copies a block of channels, or the fewer that are left on one side.
#[inline(always)]
fn copy_block(from: &[f32], to: &mut [f32]) {
    // A fixed number, so the compiler needs no function call.
    if let (Some(from), Some(to)) = (from.first_chunk::<BLOCK>(), to.first_chunk_mut()) {
        *to = *from;
    } else {
        let count = from.len().min(to.len());
        to[..count].copy_from_slice(&from[..count]);
    }
}

/// Outputs of one block of channels: rows × (columns rounded up to [`RUN`]).
fn convolve_plane(
    shape: Shape,
    grid: &[Channels],
    kernel: &Kernel,
    bias: &Channels,
) -> Vec<Channels> {
    let stride = shape.padded_columns();
    let row = shape.columns.next_multiple_of(RUN);
    let mut plane = vec![[0.0; BLOCK]; shape.rows * row];
    for (r, y) in plane.chunks_exact_mut(row).enumerate() {
        convolve_row(Level::best(), &grid[r * stride..], kernel, bias, stride, y);
    }
    plane
}

/// Copies row `r` of a block's outputs to its channels of `y` (columns × channels).
fn write_row(shape: Shape, plane: &[Channels], r: usize, first: usize, y: &mut [f32]) {
    let row = shape.columns.next_multiple_of(RUN);
    let outputs = &plane[r * row..(r + 1) * row];
    for (y, outputs) in y.chunks_exact_mut(shape.channels).zip(outputs) {
        copy_block(outputs, &mut y[first..]);
    }
}

simd! {
    /// Adds to `sums` the products of a row of gradients (`g`: columns) with the inputs under each
    /// place of the kernel. `x` as in [`convolve_row`].
    fn correlate_row<L>(x: &[Channels], g: &[Channels], stride: usize, sums: &mut Kernel) {
        for (row, sums) in sums.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
            let mut own = [L::splat(0.0); SIDE];
            for (g, x) in g.iter().zip(x[row * stride..].windows(SIDE)) {
                let g = L::load(g);
                for (sum, x) in own.iter_mut().zip(x) {
                    *sum = g.times_plus(L::load(x), *sum);
                }
            }
            for (sum, own) in sums.iter_mut().zip(own) {
                L::load(sum).plus(own).store(sum);
            }
        }
    }
}

/// Images whose gradients for the kernel are summed in one go: a fixed number, so that the sum
/// does not depend on the number of cores.
const IMAGES: usize = 4;

/// Gradient for the kernel (49 × channels) from that for the result, `g`; both it and `x` are
/// batch × tokens × channels.
pub fn kernel_gradient(shape: Shape, x: &[f32], g: &[f32]) -> Buffer {
    let Shape { channels, .. } = shape;
    let piece = IMAGES * shape.rows * shape.columns * channels;
    let blocks: Vec<Kernel> = (0..channels.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let parts: Vec<Kernel> = (x.par_chunks(piece).zip(g.par_chunks(piece)))
                .map(|(x, g)| block_gradient(shape, x, g, block * BLOCK))
                .collect();
            let mut sum = [[0.0; BLOCK]; SIDE * SIDE];
            for part in parts {
                for (sum, part) in sum.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                    *sum += part;
                }
            }
            sum
        })
        .collect();
    let mut all = Buffer::new(SIDE * SIDE * channels);
    for (tap, all) in all.chunks_exact_mut(channels).enumerate() {
        for (all, block) in all.chunks_mut(BLOCK).zip(&blocks) {
            all.copy_from_slice(&block[tap][..all.len()]);
        }
    }
    all
}

/// That of some images for the channels from `first` on.
fn block_gradient(shape: Shape, x: &[f32], g: &[f32], first: usize) -> Kernel {
    let image = shape.rows * shape.columns * shape.channels;
    let stride = shape.padded_columns();
    let mut grid = vec![[0.0; BLOCK]; shape.padded()];
    let mut row = vec![[0.0; BLOCK]; shape.columns];
    let mut sums = [[0.0; BLOCK]; SIDE * SIDE];
    for (x, g) in x.chunks_exact(image).zip(g.chunks_exact(image)) {
        fill_grid(shape, x, first, &mut grid);
        for (r, g) in g.chunks_exact(shape.columns * shape.channels).enumerate() {
            for (place, g) in row.iter_mut().zip(g.chunks_exact(shape.channels)) {
                copy_block(&g[first..], place);
            }
            correlate_row(Level::best(), &grid[r * stride..], &row, stride, &mut sums);
        }
    }
    sums
}
