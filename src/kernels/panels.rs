//! Products of f32 with a transposed matrix, on processors with AVX2 or AVX-512, and with a small matrix in row-major
//! order.
//!
//! Products with a transposed matrix are the gradients of the inputs of frozen layers, the results of trained layers,
//! and attention scores. In each call, the `gemm` crate transposes such a matrix element by element. Here sixteen
//! rows are transposed in registers, into panels as wide as a tile of the result. As many panels are packed at a time
//! as fit into a core's L2 cache, and all of them are multiplied with a few rows of `a` at a time. Each element of
//! the result is one sum in the order of the inner axis, split where the `gemm` crate splits it, so it depends
//! neither on the number of threads nor on the rows per thread.
#![allow(unsafe_code)]

use std::ops::Range;

use super::buffer::Buffer;
use super::lanes::{Lanes, WIDTH};
use super::matrix::{Matrix, Store};
use super::simd::{Level, prefetch, simd};

/// Length of the inner axis that is summed at a time. Longer sums are split into even parts.
pub(crate) const DEPTH: usize = 512;

/// Distance of prefetching, in values: the rows are too far apart for the processor's own prefetcher.
pub(crate) const PREFETCH_DISTANCE: usize = 4 * WIDTH;

/// Largest number of elements of a row-major matrix that is multiplied here, such as keys, values and attention
/// weights of a head.
const MAX_ROW_MAJOR_LEN: usize = 1 << 14;

/// Stride of the rows of a left matrix that was copied: not a power of two, so that rows do not evict each other from
/// the L1 cache.
const LEFT_STRIDE: usize = DEPTH + WIDTH;

/// Left matrices with at least this stride are copied, so that their rows are close together.
const MIN_COPIED_STRIDE: usize = 1024;

/// Number of elements of the largest tile. Tiles with incomplete vectors are computed in a buffer of this size.
const MAX_TILE_LEN: usize = 12 * 2 * WIDTH;

/// Number of elements that are packed at a time.
const PANEL_BUFFER_LEN: usize = 96 * 1024;

/// Returns whether a product is computed here. Not if packing would take longer than the product, if the `gemm` crate
/// would sum in another order, or if the right matrix is row-major and not small.
pub(crate) fn supports(level: Level, a: Matrix<'_>, b: Matrix<'_>) -> bool {
    let [rows, columns] = [a.rows, b.columns];
    let is_worthwhile = match b.column_stride == 1 {
        true => level.has_wide_tiles() && rows >= WIDTH && b.rows * columns <= MAX_ROW_MAJOR_LEN,
        false => level.has_tiles() && b.row_stride == 1,
    };
    is_worthwhile && a.columns >= WIDTH && rows.min(columns) > 1 && rows * columns > 256
}

/// The destination of a product, with rows `stride` apart.
pub(crate) struct ProductTarget<'a> {
    pub(crate) y: &'a mut [f32],
    pub(crate) stride: usize,
    pub(crate) store: Store,
}

impl ProductTarget<'_> {
    /// Writes `bias` to each row of `columns` columns, and returns a destination to which the product is added. An
    /// empty bias changes nothing.
    pub(crate) fn with_bias(self, bias: &[f32], columns: usize) -> Self {
        if bias.is_empty() {
            return self;
        }
        for row in self.y.chunks_mut(self.stride) {
            row[..columns].copy_from_slice(bias);
        }
        Self { store: Store::Add, ..self }
    }
}

/// An element type of a panel, and how it is multiplied with the left matrix.
pub(crate) trait PanelElement<L: Lanes> {
    /// The element type of the right matrix.
    type Element: Copy;
    /// Number of values along the inner axis in one element of a panel.
    const VALUES_PER_ELEMENT: usize;
    /// Number of f32 values of scratch memory for the left matrix.
    const LEFT_BUFFER_LEN: usize;
    /// Packs the rows `depth_range` of some columns of `b` into `buffer`, panel by panel, row by row. Excess columns of
    /// the last panel have arbitrary values.
    fn pack(
        b: Matrix<'_, Self::Element>,
        depth_range: Range<usize>,
        columns: Range<usize>,
        buffer: &mut [f32],
    );
    /// Returns the values `depth_range` of some rows of `a`, which may be copied to `buffer`.
    fn left_block<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        depth_range: Range<usize>,
        buffer: &'a mut [f32],
    ) -> LeftBlock<'a>;
    /// Returns left · right + sum, element-wise.
    fn multiply_add(left: L, right: L, sum: L) -> L;
}

/// Computes `a` · `b` into `target`. If the product replaces the content, `bias` is added to each row; it may be empty.
#[inline(always)]
pub(crate) fn multiply_panels<L: Lanes, K: PanelElement<L>>(
    target: ProductTarget<'_>,
    bias: &[f32],
    a: Matrix<'_>,
    b: Matrix<'_, K::Element>,
) {
    let ProductTarget { y, stride, mut store } = target;
    let inner = a.columns;
    let width = L::VECTORS * WIDTH;
    let even_depth = inner.div_ceil(inner.div_ceil(DEPTH));
    let max_depth = even_depth.next_multiple_of(K::VALUES_PER_ELEMENT);
    let panels = PANEL_BUFFER_LEN / (max_depth.div_ceil(K::VALUES_PER_ELEMENT) * width);
    // Rows are divided evenly among tiles: a tile of one or two rows would be limited by the latency of its sums.
    let tiles = a.rows.div_ceil(L::ROWS).max(1);
    let rows_per_tile = a.rows.div_ceil(tiles).max(1);
    let mut edge = [0.0; MAX_TILE_LEN];
    let mut scratch = Buffer::reuse_or_new(PANEL_BUFFER_LEN + K::LEFT_BUFFER_LEN);
    let (panel_buffer, left_buffer) = scratch.split_at_mut(PANEL_BUFFER_LEN);
    for start in (0..inner).step_by(max_depth) {
        let depth_range = start..inner.min(start + max_depth);
        let depth = depth_range.len().div_ceil(K::VALUES_PER_ELEMENT);
        for first in (0..b.columns).step_by(panels * width) {
            let columns = first..b.columns.min(first + panels * width);
            K::pack(b, depth_range.clone(), columns.clone(), panel_buffer);
            for row in (0..a.rows).step_by(rows_per_tile) {
                let rows = rows_per_tile.min(a.rows - row);
                let left = K::left_block(a, row..row + rows, depth_range.clone(), left_buffer);
                let panels = panel_buffer.chunks_exact(depth * width);
                for (panel, column) in panels.zip(columns.clone().step_by(width)) {
                    let tile_width = width.min(columns.end - column);
                    let y = &mut y[row * stride + column..];
                    let bias = match store {
                        Store::Replace => bias.get(column..column + tile_width).unwrap_or(&[]),
                        _ => &[],
                    };
                    let tile = [rows, tile_width.next_multiple_of(WIDTH)];
                    if tile[1] == tile_width {
                        compute_tile::<L, K>(
                            tile,
                            left,
                            panel,
                            bias,
                            ProductTarget { y, stride, store },
                        );
                        continue;
                    }
                    let target =
                        ProductTarget { y: &mut edge, stride: width, store: Store::Replace };
                    compute_tile::<L, K>(tile, left, panel, &[], target);
                    for (sums, y) in edge.chunks(width).zip(y.chunks_mut(stride)).take(rows) {
                        store_row::<L>(&sums[..tile_width], bias, &mut y[..tile_width], store);
                    }
                }
            }
        }
        if store == Store::Replace {
            store = Store::Add;
        }
    }
    scratch.recycle();
}

simd! {
    /// Computes `a` · `b`, row-major or transposed, into `to`.
    pub(crate) fn product<L>(to: ProductTarget<'_>, a: Matrix<'_>, b: Matrix<'_>) {
        multiply_panels::<L, SinglePanels>(to, &[], a, b);
    }
}

/// Panels of f32 values.
pub(crate) struct SinglePanels;

impl<L: Lanes> PanelElement<L> for SinglePanels {
    type Element = f32;
    const VALUES_PER_ELEMENT: usize = 1;
    const LEFT_BUFFER_LEN: usize = L::ROWS * LEFT_STRIDE;

    #[inline(always)]
    fn pack(b: Matrix<'_>, depth_range: Range<usize>, columns: Range<usize>, buffer: &mut [f32]) {
        let width = L::VECTORS * WIDTH;
        let panels = buffer.chunks_exact_mut(depth_range.len() * width);
        for (panel, column) in panels.zip(columns.clone().step_by(width)) {
            let end = columns.end.min(column + width);
            if b.column_stride == 1 {
                for (row, to) in depth_range.clone().zip(panel.chunks_exact_mut(width)) {
                    copy_row::<L>(
                        &b.data[row * b.row_stride + column..row * b.row_stride + end],
                        to,
                    );
                }
                continue;
            }
            for first in (column..end).step_by(WIDTH) {
                let rows = WIDTH.min(end - first);
                let from = &b.data[first * b.column_stride + depth_range.start..];
                for start in (0..depth_range.len()).step_by(WIDTH) {
                    let length = WIDTH.min(depth_range.len() - start);
                    let to = &mut panel[start * width + first - column..];
                    transpose_block::<L>(&from[start..], b.column_stride, [rows, length], to);
                }
            }
        }
    }

    #[inline(always)]
    fn left_block<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        depth_range: Range<usize>,
        buffer: &'a mut [f32],
    ) -> LeftBlock<'a> {
        if a.column_stride == 1 && a.row_stride >= MIN_COPIED_STRIDE {
            for (row, to) in rows.zip(buffer.chunks_exact_mut(LEFT_STRIDE)) {
                copy_row::<L>(&a.data[row * a.row_stride..][depth_range.clone()], to);
            }
            return LeftBlock { values: buffer, row_stride: LEFT_STRIDE, column_stride: 1 };
        }
        LeftBlock {
            values: &a.data[rows.start * a.row_stride + depth_range.start * a.column_stride..],
            row_stride: a.row_stride,
            column_stride: a.column_stride,
        }
    }

    #[inline(always)]
    fn multiply_add(left: L, right: L, sum: L) -> L {
        left.mul_add(right, sum)
    }
}

/// Copies values to the start of a row that is at least as long.
#[inline(always)]
fn copy_row<L: Lanes>(from: &[f32], to: &mut [f32]) {
    let (chunks, remainder) = from.as_chunks::<WIDTH>();
    let (target_chunks, _) = to.as_chunks_mut::<WIDTH>();
    for (from, to) in chunks.iter().zip(&mut *target_chunks) {
        L::load(from).store(to);
    }
    if !remainder.is_empty() {
        L::load_part(remainder, 0.0).store(&mut target_chunks[chunks.len()]);
    }
}

/// Transposes up to 16 × 16 values: rows with the stride `stride` become columns of a panel.
#[inline(always)]
fn transpose_block<L: Lanes>(
    from: &[f32],
    stride: usize,
    [rows, columns]: [usize; 2],
    to: &mut [f32],
) {
    let mut square = [L::splat(0.0); WIDTH];
    if [rows, columns] == [WIDTH; 2] {
        for (row, lanes) in square.iter_mut().enumerate() {
            let from = &from[row * stride..];
            prefetch(from.as_ptr().wrapping_add(PREFETCH_DISTANCE));
            *lanes = load_first(from);
        }
    } else {
        for (row, lanes) in square[..rows].iter_mut().enumerate() {
            *lanes = L::load_part(&from[row * stride..][..columns], 0.0);
        }
    }
    store_transposed::<L>(square, columns, L::VECTORS * WIDTH, to);
}

/// Transposes a square and stores its first `rows` rows in rows of a panel with the stride `stride`.
#[inline(always)]
pub(crate) fn store_transposed<L: Lanes>(
    square: [L; WIDTH],
    rows: usize,
    stride: usize,
    to: &mut [f32],
) {
    let square = L::transposed(square);
    if rows == WIDTH {
        let to = &mut to[..(WIDTH - 1) * stride + WIDTH];
        for (k, lanes) in square.into_iter().enumerate() {
            store_first(lanes, &mut to[k * stride..]);
        }
    } else {
        for (k, lanes) in square[..rows].iter().enumerate() {
            store_first(*lanes, &mut to[k * stride..]);
        }
    }
}

/// Loads the first sixteen values of a slice.
#[inline(always)]
fn load_first<L: Lanes>(from: &[f32]) -> L {
    from.first_chunk().map_or(L::splat(0.0), L::load)
}

/// Stores sixteen values at the start of a slice.
#[inline(always)]
fn store_first<L: Lanes>(lanes: L, to: &mut [f32]) {
    if let Some(to) = to.first_chunk_mut() {
        lanes.store(to);
    }
}

/// A part of the left matrix: its values, its stride from row to row, and its stride along the inner axis.
#[derive(Clone, Copy)]
pub(crate) struct LeftBlock<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

/// Computes a tile of the result, `rows` × `wide`, into `to`.
#[inline(always)]
fn compute_tile<L: Lanes, K: PanelElement<L>>(
    [rows, wide]: [usize; 2],
    left: LeftBlock<'_>,
    panel: &[f32],
    bias: &[f32],
    to: ProductTarget<'_>,
) {
    macro_rules! of {
        ($($rows:literal)*) => {
            match rows {
                $($rows if $rows <= L::ROWS => if L::VECTORS == 2 && wide > WIDTH {
                    tile::<L, K, $rows, 2>(left, panel, bias, to);
                } else {
                    tile::<L, K, $rows, 1>(left, panel, bias, to);
                })*
                _ => {}
            }
        };
    }
    of!(1 2 3 4 5 6 7 8 9 10 11 12);
}

/// Computes a tile of `ROWS` rows, whose sums stay in registers.
#[inline(always)]
fn tile<L: Lanes, K: PanelElement<L>, const ROWS: usize, const VECTORS: usize>(
    LeftBlock { values, row_stride, column_stride }: LeftBlock<'_>,
    panel: &[f32],
    bias: &[f32],
    ProductTarget { y, stride, store }: ProductTarget<'_>,
) {
    let panel_rows = panel.chunks_exact(L::VECTORS * WIDTH);
    assert!((ROWS - 1) * row_stride + (panel_rows.len() - 1) * column_stride < values.len());
    let mut sums = [[L::splat(0.0); VECTORS]; ROWS];
    for (k, right) in panel_rows.enumerate() {
        let right: [L; VECTORS] = std::array::from_fn(|v| load_first(&right[v * WIDTH..]));
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the assertion above holds for the largest values of `row` and `k`.
            let left =
                L::splat(unsafe { *values.get_unchecked(row * row_stride + k * column_stride) });
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = K::multiply_add(left, right, *sum);
            }
        }
    }
    // One loop per variant keeps the sums in registers.
    match store {
        Store::Replace if bias.is_empty() => store_tile(&sums, y, stride, |_, _, sum| sum),
        Store::Replace => {
            let bias: [L; VECTORS] = std::array::from_fn(|v| load_first(&bias[v * WIDTH..]));
            store_tile(&sums, y, stride, |v, _, sum| bias[v].add(sum));
        }
        Store::Add => store_tile(&sums, y, stride, |_, y, sum| L::load(y).add(sum)),
        Store::Subtract => store_tile(&sums, y, stride, |_, y, sum| L::load(y).sub(sum)),
    }
}

/// Stores `f`(vector index, previous values, sums) for all vectors of a tile.
#[inline(always)]
fn store_tile<L: Lanes, const ROWS: usize, const VECTORS: usize>(
    sums: &[[L; VECTORS]; ROWS],
    y: &mut [f32],
    stride: usize,
    f: impl Fn(usize, &[f32; WIDTH], L) -> L,
) {
    assert!((ROWS - 1) * stride + VECTORS * WIDTH <= y.len());
    for (row, sums) in sums.iter().enumerate() {
        for (v, sum) in sums.iter().enumerate() {
            // SAFETY: the assertion above holds for the largest `row` and `v`; `y` is borrowed exclusively.
            let y = unsafe { &mut *y.as_mut_ptr().add(row * stride + v * WIDTH).cast() };
            f(v, y, *sum).store(y);
        }
    }
}

/// Stores one row of any length, with the optional bias.
#[inline(always)]
fn store_row<L: Lanes>(sums: &[f32], bias: &[f32], y: &mut [f32], store: Store) {
    let store = match bias.is_empty() {
        true => store,
        false => {
            y.copy_from_slice(bias);
            Store::Add
        }
    };
    for (sums, y) in sums.chunks(WIDTH).zip(y.chunks_mut(WIDTH)) {
        let sums = L::load_part(sums, 0.0);
        let old = L::load_part(y, 0.0);
        let new = match store {
            Store::Replace => sums,
            Store::Add => old.add(sums),
            Store::Subtract => old.sub(sums),
        };
        new.store_part(y);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns pseudo-random values.
    fn test_values(count: usize, seed: usize) -> Vec<f32> {
        let value = |i: usize| ((i + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        (0..count).map(value).collect()
    }

    /// Returns the exact expected value of an element of the result.
    fn expected_element(
        a: impl Fn(usize) -> f32,
        b: impl Fn(usize) -> f32,
        inner: usize,
        y: f32,
        store: Store,
    ) -> f32 {
        let max_depth = inner.div_ceil(inner.div_ceil(DEPTH));
        let mut y = if store == Store::Replace { -0.0 } else { y };
        for start in (0..inner).step_by(max_depth) {
            let sum =
                (start..inner.min(start + max_depth)).fold(0.0, |sum, k| a(k).mul_add(b(k), sum));
            y += if store == Store::Subtract { -sum } else { sum };
        }
        y
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        /// For any shape, address, row stride and transposition: each element is the plain sum, and nothing outside
        /// the result is written.
        #[test]
        fn products_match_plain_sums_bit_for_bit(
            [rows, columns] in [1..=300usize, 1..=300],
            inner in prop_oneof![1..=300usize, 500..=1100usize],
            [a_gap, b_gap, y_gap] in [0..5usize, 0..5, 0..5],
            from in 0..4usize,
            [a_transposed, b_transposed]: [bool; 2],
            store in prop_oneof![Just(Store::Replace), Just(Store::Add), Just(Store::Subtract)],
        ) {
            // Fewer rows for long sums, because the plain sum is slow.
            let rows = if inner > 300 { rows.div_ceil(8) } else { rows };
            let (a_rows, a_columns) = if a_transposed { (inner, rows) } else { (rows, inner) };
            let a_values = test_values(from + a_rows * (a_columns + a_gap), 1);
            let a = Matrix::new(&a_values[from..], a_rows, a_columns, a_columns + a_gap);
            let a = if a_transposed { a.transposed() } else { a };
            let (b_rows, b_columns) = if b_transposed { (columns, inner) } else { (inner, columns) };
            let b_values = test_values(from + b_rows * (b_columns + b_gap), 500);
            let b = Matrix::new(&b_values[from..], b_rows, b_columns, b_columns + b_gap);
            let b = if b_transposed { b.transposed() } else { b };
            let stride = columns + y_gap;
            let before = test_values(from + rows * stride, 1500);
            for level in Level::all().into_iter().filter(|level| level.has_tiles()) {
                let mut after = before.clone();
                product(level, ProductTarget { y: &mut after[from..], stride, store }, a, b);
                prop_assert_eq!(&after[..from], &before[..from]);
                for (i, (got, old)) in after[from..].iter().zip(&before[from..]).enumerate() {
                    let (r, c) = (i / stride, i % stride);
                    let left = |k: usize| a.data[r * a.row_stride + k * a.column_stride];
                    let right = |k: usize| b.data[k * b.row_stride + c * b.column_stride];
                    let want = if c < columns { expected_element(left, right, inner, *old, store) } else { *old };
                    prop_assert_eq!(got.to_bits(), want.to_bits(), "{} {} {:?}", r, c, level);
                }
            }
        }
    }
}
