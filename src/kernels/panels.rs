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
pub(crate) const AHEAD: usize = 4 * WIDTH;

/// Largest number of elements of a row-major matrix that is multiplied here, such as keys, values and attention
/// weights of a head.
const SMALL: usize = 1 << 14;

/// Stride of the rows of a left matrix that was copied: not a power of two, so that rows do not evict each other from
/// the L1 cache.
const STEP: usize = DEPTH + WIDTH;

/// Left matrices with at least this stride are copied, so that their rows are close together.
const FAR: usize = 1024;

/// Number of elements of the largest tile. Tiles with incomplete vectors are computed in a buffer of this size.
const EDGE: usize = 12 * 2 * WIDTH;

/// Number of elements that are packed at a time.
const ROOM: usize = 96 * 1024;

/// Returns whether a product is computed here. Not if packing would take longer than the product, if the `gemm` crate
/// would sum in another order, or if the right matrix is row-major and not small.
pub(crate) fn serves(level: Level, a: Matrix<'_>, b: Matrix<'_>) -> bool {
    let [rows, columns] = [a.rows, b.columns];
    let worth_it = match b.column == 1 {
        true => level.has_wide_tiles() && rows >= WIDTH && b.rows * columns <= SMALL,
        false => level.has_tiles() && b.row == 1,
    };
    worth_it && a.columns >= WIDTH && rows.min(columns) > 1 && rows * columns > 256
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
    pub(crate) fn beginning_with(self, bias: &[f32], columns: usize) -> Self {
        if bias.is_empty() {
            return self;
        }
        for row in self.y.chunks_mut(self.stride) {
            row[..columns].copy_from_slice(bias);
        }
        Self {
            store: Store::Add,
            ..self
        }
    }
}

/// An element type of a panel, and how it is multiplied with the left matrix.
pub(crate) trait Kind<L: Lanes> {
    /// The element type of the right matrix.
    type Number: Copy;
    /// Number of values along the inner axis in one element of a panel.
    const TOGETHER: usize;
    /// Number of f32 values of scratch memory for the left matrix.
    const LEFT: usize;
    /// Packs the rows `along` of some columns of `b` into `room`, panel by panel and row by row. Excess columns of
    /// the last panel have arbitrary values.
    fn lay_out(
        b: Matrix<'_, Self::Number>,
        along: Range<usize>,
        columns: Range<usize>,
        room: &mut [f32],
    );
    /// Returns the values `along` of some rows of `a`, which may be copied to `room`.
    fn left<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        along: Range<usize>,
        room: &'a mut [f32],
    ) -> Left<'a>;
    /// Returns left · right + sum, element-wise.
    fn multiply_add(left: L, right: L, sum: L) -> L;
}

/// Computes `a` · `b` into `to`. If the product replaces the content, `bias` is added to each row; it may be empty.
#[inline(always)]
pub(crate) fn run<L: Lanes, K: Kind<L>>(
    to: ProductTarget<'_>,
    bias: &[f32],
    a: Matrix<'_>,
    b: Matrix<'_, K::Number>,
) {
    let ProductTarget {
        y,
        stride,
        mut store,
    } = to;
    let inner = a.columns;
    let width = L::VECTORS * WIDTH;
    let even = inner.div_ceil(inner.div_ceil(DEPTH));
    let most = even.next_multiple_of(K::TOGETHER);
    let panels = ROOM / (most.div_ceil(K::TOGETHER) * width);
    // Rows are divided evenly among tiles: a tile of one or two rows would be limited by the latency of its sums.
    let tiles = a.rows.div_ceil(L::ROWS).max(1);
    let at_once = a.rows.div_ceil(tiles).max(1);
    let mut edge = [0.0; EDGE];
    let mut kept = Buffer::kept(ROOM + K::LEFT);
    let (room, left_room) = kept.split_at_mut(ROOM);
    for start in (0..inner).step_by(most) {
        let along = start..inner.min(start + most);
        let depth = along.len().div_ceil(K::TOGETHER);
        for first in (0..b.columns).step_by(panels * width) {
            let columns = first..b.columns.min(first + panels * width);
            K::lay_out(b, along.clone(), columns.clone(), room);
            for row in (0..a.rows).step_by(at_once) {
                let rows = at_once.min(a.rows - row);
                let left = K::left(a, row..row + rows, along.clone(), left_room);
                let panels = room.chunks_exact(depth * width);
                for (panel, column) in panels.zip(columns.clone().step_by(width)) {
                    let wide = width.min(columns.end - column);
                    let y = &mut y[row * stride + column..];
                    let bias = match store {
                        Store::Replace => bias.get(column..column + wide).unwrap_or(&[]),
                        _ => &[],
                    };
                    let tile = [rows, wide.next_multiple_of(WIDTH)];
                    if tile[1] == wide {
                        any_tile::<L, K>(
                            tile,
                            left,
                            panel,
                            bias,
                            ProductTarget { y, stride, store },
                        );
                        continue;
                    }
                    let to = ProductTarget {
                        y: &mut edge,
                        stride: width,
                        store: Store::Replace,
                    };
                    any_tile::<L, K>(tile, left, panel, &[], to);
                    for (sums, y) in edge.chunks(width).zip(y.chunks_mut(stride)).take(rows) {
                        put_row::<L>(&sums[..wide], bias, &mut y[..wide], store);
                    }
                }
            }
        }
        if store == Store::Replace {
            store = Store::Add;
        }
    }
    kept.recycle();
}

simd! {
    /// Computes `a` · `b`, row-major or transposed, into `to`.
    pub(crate) fn product<L>(to: ProductTarget<'_>, a: Matrix<'_>, b: Matrix<'_>) {
        run::<L, SinglePanels>(to, &[], a, b);
    }
}

/// Panels of f32 values.
pub(crate) struct SinglePanels;

impl<L: Lanes> Kind<L> for SinglePanels {
    type Number = f32;
    const TOGETHER: usize = 1;
    const LEFT: usize = L::ROWS * STEP;

    #[inline(always)]
    fn lay_out(b: Matrix<'_>, along: Range<usize>, columns: Range<usize>, room: &mut [f32]) {
        let width = L::VECTORS * WIDTH;
        let panels = room.chunks_exact_mut(along.len() * width);
        for (panel, column) in panels.zip(columns.clone().step_by(width)) {
            let end = columns.end.min(column + width);
            if b.column == 1 {
                for (row, to) in along.clone().zip(panel.chunks_exact_mut(width)) {
                    move_row::<L>(&b.data[row * b.row + column..row * b.row + end], to);
                }
                continue;
            }
            for first in (column..end).step_by(WIDTH) {
                let rows = WIDTH.min(end - first);
                let from = &b.data[first * b.column + along.start..];
                for start in (0..along.len()).step_by(WIDTH) {
                    let long = WIDTH.min(along.len() - start);
                    let to = &mut panel[start * width + first - column..];
                    turn::<L>(&from[start..], b.column, [rows, long], to);
                }
            }
        }
    }

    #[inline(always)]
    fn left<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        along: Range<usize>,
        room: &'a mut [f32],
    ) -> Left<'a> {
        if a.column == 1 && a.row >= FAR {
            for (row, to) in rows.zip(room.chunks_exact_mut(STEP)) {
                move_row::<L>(&a.data[row * a.row..][along.clone()], to);
            }
            return Left {
                numbers: room,
                down: STEP,
                along: 1,
            };
        }
        Left {
            numbers: &a.data[rows.start * a.row + along.start * a.column..],
            down: a.row,
            along: a.column,
        }
    }

    #[inline(always)]
    fn multiply_add(left: L, right: L, sum: L) -> L {
        left.times_plus(right, sum)
    }
}

/// Copies values to the start of a row that is at least as long.
#[inline(always)]
fn move_row<L: Lanes>(from: &[f32], to: &mut [f32]) {
    let (whole, rest) = from.as_chunks::<WIDTH>();
    let (places, _) = to.as_chunks_mut::<WIDTH>();
    for (from, to) in whole.iter().zip(&mut *places) {
        L::load(from).store(to);
    }
    if !rest.is_empty() {
        L::load_part(rest, 0.0).store(&mut places[whole.len()]);
    }
}

/// Transposes up to 16 × 16 values: rows with the stride `step` become columns of a panel.
#[inline(always)]
fn turn<L: Lanes>(from: &[f32], step: usize, [rows, long]: [usize; 2], to: &mut [f32]) {
    let mut square = [L::splat(0.0); WIDTH];
    if [rows, long] == [WIDTH; 2] {
        for (row, lanes) in square.iter_mut().enumerate() {
            let from = &from[row * step..];
            prefetch(from.as_ptr().wrapping_add(AHEAD));
            *lanes = lanes_of(from);
        }
    } else {
        for (row, lanes) in square[..rows].iter_mut().enumerate() {
            *lanes = L::load_part(&from[row * step..][..long], 0.0);
        }
    }
    store_transposed::<L>(square, long, L::VECTORS * WIDTH, to);
}

/// Transposes a square and stores its first `long` rows in rows of a panel with the stride `step`.
#[inline(always)]
pub(crate) fn store_transposed<L: Lanes>(
    square: [L; WIDTH],
    long: usize,
    step: usize,
    to: &mut [f32],
) {
    let square = L::transposed(square);
    if long == WIDTH {
        let to = &mut to[..(WIDTH - 1) * step + WIDTH];
        for (k, lanes) in square.into_iter().enumerate() {
            put(lanes, &mut to[k * step..]);
        }
    } else {
        for (k, lanes) in square[..long].iter().enumerate() {
            put(*lanes, &mut to[k * step..]);
        }
    }
}

/// Loads the first sixteen values of a slice.
#[inline(always)]
fn lanes_of<L: Lanes>(from: &[f32]) -> L {
    from.first_chunk().map_or(L::splat(0.0), L::load)
}

/// Stores sixteen values at the start of a slice.
#[inline(always)]
fn put<L: Lanes>(lanes: L, to: &mut [f32]) {
    if let Some(to) = to.first_chunk_mut() {
        lanes.store(to);
    }
}

/// A part of the left matrix: its values, its stride from row to row, and its stride along the inner axis.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) down: usize,
    pub(crate) along: usize,
}

/// Computes a tile of the result, `rows` × `wide`, into `to`.
#[inline(always)]
fn any_tile<L: Lanes, K: Kind<L>>(
    [rows, wide]: [usize; 2],
    left: Left<'_>,
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
fn tile<L: Lanes, K: Kind<L>, const ROWS: usize, const VECTORS: usize>(
    Left {
        numbers,
        down,
        along,
    }: Left<'_>,
    panel: &[f32],
    bias: &[f32],
    ProductTarget { y, stride, store }: ProductTarget<'_>,
) {
    let rows_of_panel = panel.chunks_exact(L::VECTORS * WIDTH);
    assert!((ROWS - 1) * down + (rows_of_panel.len() - 1) * along < numbers.len());
    let mut sums = [[L::splat(0.0); VECTORS]; ROWS];
    for (k, right) in rows_of_panel.enumerate() {
        let right: [L; VECTORS] = std::array::from_fn(|v| lanes_of(&right[v * WIDTH..]));
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the assertion above holds for the largest values of `row` and `k`.
            let left = L::splat(unsafe { *numbers.get_unchecked(row * down + k * along) });
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = K::multiply_add(left, right, *sum);
            }
        }
    }
    // One loop per variant keeps the sums in registers.
    match store {
        Store::Replace if bias.is_empty() => put_all(&sums, y, stride, |_, _, sum| sum),
        Store::Replace => {
            let bias: [L; VECTORS] = std::array::from_fn(|v| lanes_of(&bias[v * WIDTH..]));
            put_all(&sums, y, stride, |v, _, sum| bias[v].plus(sum));
        }
        Store::Add => put_all(&sums, y, stride, |_, y, sum| L::load(y).plus(sum)),
        Store::Subtract => put_all(&sums, y, stride, |_, y, sum| L::load(y).minus(sum)),
    }
}

/// Stores `f`(vector index, previous values, sums) for all vectors of a tile.
#[inline(always)]
fn put_all<L: Lanes, const ROWS: usize, const VECTORS: usize>(
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
fn put_row<L: Lanes>(sums: &[f32], bias: &[f32], y: &mut [f32], store: Store) {
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
            Store::Add => old.plus(sums),
            Store::Subtract => old.minus(sums),
        };
        new.store_part(y);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns pseudo-random values.
    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        let number = |i: usize| ((i + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        (0..count).map(number).collect()
    }

    /// Returns the exact expected value of an element of the result.
    fn expected_element(
        a: impl Fn(usize) -> f32,
        b: impl Fn(usize) -> f32,
        inner: usize,
        y: f32,
        store: Store,
    ) -> f32 {
        let most = inner.div_ceil(inner.div_ceil(DEPTH));
        let mut y = if store == Store::Replace { -0.0 } else { y };
        for start in (0..inner).step_by(most) {
            let sum = (start..inner.min(start + most)).fold(0.0, |sum, k| a(k).mul_add(b(k), sum));
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
            [a_turned, b_turned]: [bool; 2],
            store in prop_oneof![Just(Store::Replace), Just(Store::Add), Just(Store::Subtract)],
        ) {
            // Fewer rows for long sums, because the plain sum is slow.
            let rows = if inner > 300 { rows.div_ceil(8) } else { rows };
            let (a_rows, a_columns) = if a_turned { (inner, rows) } else { (rows, inner) };
            let numbers_of_a = numbers(from + a_rows * (a_columns + a_gap), 1);
            let a = Matrix::new(&numbers_of_a[from..], a_rows, a_columns, a_columns + a_gap);
            let a = if a_turned { a.transposed() } else { a };
            let (b_rows, b_columns) = if b_turned { (columns, inner) } else { (inner, columns) };
            let numbers_of_b = numbers(from + b_rows * (b_columns + b_gap), 500);
            let b = Matrix::new(&numbers_of_b[from..], b_rows, b_columns, b_columns + b_gap);
            let b = if b_turned { b.transposed() } else { b };
            let stride = columns + y_gap;
            let before = numbers(from + rows * stride, 1500);
            for level in Level::all().into_iter().filter(|level| level.has_tiles()) {
                let mut after = before.clone();
                product(level, ProductTarget { y: &mut after[from..], stride, store }, a, b);
                prop_assert_eq!(&after[..from], &before[..from]);
                for (i, (got, old)) in after[from..].iter().zip(&before[from..]).enumerate() {
                    let (r, c) = (i / stride, i % stride);
                    let left = |k: usize| a.data[r * a.row + k * a.column];
                    let right = |k: usize| b.data[k * b.row + c * b.column];
                    let want = if c < columns { expected_element(left, right, inner, *old, store) } else { *old };
                    prop_assert_eq!(got.to_bits(), want.to_bits(), "{} {} {:?}", r, c, level);
                }
            }
        }
    }
}
