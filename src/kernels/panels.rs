//! Products of f32 with a transposed matrix, where the processor has AVX2 or AVX-512, and with a small plain
//! one.
//!
//! The former are every gradient for the input of a frozen map, every result of a trained one, and the scores of every
//! head. The `gemm` crate turns such a matrix number by number in each call. Here sixteen rows become sixteen columns in
//! registers, in panels as wide as a tile of the result; as many panels are laid out at a time as fit into a core's
//! second cache, and every few rows of `a` go past all of them. Each number of the result is one sum in the order of
//! the inner axis, cut where that crate cuts it: it depends neither on the number of threads nor on how many rows a
//! thread takes.
#![allow(unsafe_code)]

use std::ops::Range;

use super::buffer::Buffer;
use super::lanes::{Lanes, WIDTH};
use super::matrix::{Matrix, Store};
use super::simd::{Level, prefetch, simd};

/// Products summed in one go. Longer sums are cut into even parts.
pub(crate) const DEPTH: usize = 512;

/// Numbers between what is laid out and what is asked for meanwhile: rows are too far apart for a processor to foresee
/// which is read next.
pub(crate) const AHEAD: usize = 4 * WIDTH;

/// Numbers of a straight matrix that is laid out here in little time: keys, values and shares of a head.
const SMALL: usize = 1 << 14;

/// From row to row of a left matrix that was moved together: not a power of two, so that rows do not push each other out
/// of the first cache.
const STEP: usize = DEPTH + WIDTH;

/// Rows of a left matrix so far apart are moved together.
const FAR: usize = 1024;

/// Numbers of the largest tile. One that has no whole lanes is computed beside the result.
const EDGE: usize = 12 * 2 * WIDTH;

/// Numbers laid out at a time.
const ROOM: usize = 96 * 1024;

/// Whether a product is computed here: not those of so little work that laying out would take longer, nor those that
/// the `gemm` crate sums in another order, and of plain matrices only small ones.
pub(crate) fn serves(level: Level, a: Matrix<'_>, b: Matrix<'_>) -> bool {
    let [rows, columns] = [a.rows, b.columns];
    let worth_it = match b.column == 1 {
        true => level.has_wide_tiles() && rows >= WIDTH && b.rows * columns <= SMALL,
        false => level.has_tiles() && b.row == 1,
    };
    worth_it && a.columns >= WIDTH && rows.min(columns) > 1 && rows * columns > 256
}

/// Where a product goes: rows `stride` apart.
pub(crate) struct Place<'a> {
    pub(crate) y: &'a mut [f32],
    pub(crate) stride: usize,
    pub(crate) store: Store,
}

impl Place<'_> {
    /// The same after `bias`, which may be empty, was laid out in each row of `columns` columns.
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
    /// Of the right matrix.
    type Number: Copy;
    /// Numbers of the inner axis in one element of a panel.
    const TOGETHER: usize;
    /// Numbers of room that the left matrix needs.
    const LEFT: usize;
    /// Lays the rows `along` of some columns of `b` out in `room`, panel by panel and row by row. What a last panel has
    /// more of columns holds any numbers.
    fn lay_out(
        b: Matrix<'_, Self::Number>,
        along: Range<usize>,
        columns: Range<usize>,
        room: &mut [f32],
    );
    /// The numbers `along` of some rows of `a`, which may be laid out in `room`.
    fn left<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        along: Range<usize>,
        room: &'a mut [f32],
    ) -> Left<'a>;
    /// left · right + sum, for contiguous numbers.
    fn meet(left: L, right: L, sum: L) -> L;
}

/// `to` takes the product of `a` and `b`. Where the product replaces what is there, `bias` is added to each row; it may be
/// empty.
#[inline(always)]
pub(crate) fn run<L: Lanes, K: Kind<L>>(
    to: Place<'_>,
    bias: &[f32],
    a: Matrix<'_>,
    b: Matrix<'_, K::Number>,
) {
    let Place {
        y,
        stride,
        mut store,
    } = to;
    let inner = a.columns;
    let width = L::VECTORS * WIDTH;
    let even = inner.div_ceil(inner.div_ceil(DEPTH));
    let most = even.next_multiple_of(K::TOGETHER);
    let panels = ROOM / (most.div_ceil(K::TOGETHER) * width);
    // As many rows in each tile: a last one of a row or two would wait for its sums.
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
                        any_tile::<L, K>(tile, left, panel, bias, Place { y, stride, store });
                        continue;
                    }
                    let to = Place {
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
    kept.keep();
}

simd! {
    /// `to` takes the product of `a` and `b`, plain or transposed.
    pub(crate) fn product<L>(to: Place<'_>, a: Matrix<'_>, b: Matrix<'_>) {
        run::<L, Singly>(to, &[], a, b);
    }
}

/// A matrix of f32.
pub(crate) struct Singly;

impl<L: Lanes> Kind<L> for Singly {
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
    fn meet(left: L, right: L, sum: L) -> L {
        left.times_plus(right, sum)
    }
}

/// Numbers to the beginning of a row that is no shorter.
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

/// Up to sixteen times sixteen numbers: rows, `step` apart, become columns of a panel.
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
    put_turned::<L>(square, long, L::VECTORS * WIDTH, to);
}

/// The first `long` columns of a square as rows of a panel, `step` apart.
#[inline(always)]
pub(crate) fn put_turned<L: Lanes>(square: [L; WIDTH], long: usize, step: usize, to: &mut [f32]) {
    let square = L::turned(square);
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

/// From the first sixteen numbers of a slice.
#[inline(always)]
fn lanes_of<L: Lanes>(from: &[f32]) -> L {
    from.first_chunk().map_or(L::splat(0.0), L::load)
}

/// To the first sixteen numbers of a slice.
#[inline(always)]
fn put<L: Lanes>(lanes: L, to: &mut [f32]) {
    if let Some(to) = to.first_chunk_mut() {
        lanes.store(to);
    }
}

/// The left matrix from the first number that counts on, and its steps from row to row and along the inner axis.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) down: usize,
    pub(crate) along: usize,
}

/// A tile of the result, `rows` × `wide`; the place begins at its first number.
#[inline(always)]
fn any_tile<L: Lanes, K: Kind<L>>(
    [rows, wide]: [usize; 2],
    left: Left<'_>,
    panel: &[f32],
    bias: &[f32],
    to: Place<'_>,
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

/// A tile of `ROWS` rows, whose sums stay in registers.
#[inline(always)]
fn tile<L: Lanes, K: Kind<L>, const ROWS: usize, const VECTORS: usize>(
    Left {
        numbers,
        down,
        along,
    }: Left<'_>,
    panel: &[f32],
    bias: &[f32],
    Place { y, stride, store }: Place<'_>,
) {
    let rows_of_panel = panel.chunks_exact(L::VECTORS * WIDTH);
    assert!((ROWS - 1) * down + (rows_of_panel.len() - 1) * along < numbers.len());
    let mut sums = [[L::splat(0.0); VECTORS]; ROWS];
    for (k, right) in rows_of_panel.enumerate() {
        let right: [L; VECTORS] = std::array::from_fn(|v| lanes_of(&right[v * WIDTH..]));
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: neither `row` nor `k` is larger than in the assert, which holds.
            let left = L::splat(unsafe { *numbers.get_unchecked(row * down + k * along) });
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = K::meet(left, right, *sum);
            }
        }
    }
    // One loop for each way, so that the sums never leave their registers.
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

/// Puts what `f` makes of the numbers there and the sums, whose vector it gets, in their place.
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
            // SAFETY: neither `row` nor `v` is larger than in the assert, which holds; `y` is borrowed exclusively.
            let y = unsafe { &mut *y.as_mut_ptr().add(row * stride + v * WIDTH).cast() };
            f(v, y, *sum).store(y);
        }
    }
}

/// The same of one row of any length.
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

    /// Numbers that no two of these products share.
    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        let number = |i: usize| ((i + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        (0..count).map(number).collect()
    }

    /// What a number of the result must be, to the bit.
    fn one(
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

        /// Of any shape, from any address, however far rows are apart, whether `a` is transposed or not: each number is
        /// the plain sum, and nothing beside the result is touched.
        #[test]
        fn every_number_is_the_plain_sum(
            [rows, columns] in [1..=300usize, 1..=300],
            inner in prop_oneof![1..=300usize, 500..=1100usize],
            [a_gap, b_gap, y_gap] in [0..5usize, 0..5, 0..5],
            from in 0..4usize,
            [a_turned, b_turned]: [bool; 2],
            store in prop_oneof![Just(Store::Replace), Just(Store::Add), Just(Store::Subtract)],
        ) {
            // Long sums of few rows: a plain sum is slow.
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
                product(level, Place { y: &mut after[from..], stride, store }, a, b);
                prop_assert_eq!(&after[..from], &before[..from]);
                for (i, (got, old)) in after[from..].iter().zip(&before[from..]).enumerate() {
                    let (r, c) = (i / stride, i % stride);
                    let left = |k: usize| a.data[r * a.row + k * a.column];
                    let right = |k: usize| b.data[k * b.row + c * b.column];
                    let want = if c < columns { one(left, right, inner, *old, store) } else { *old };
                    prop_assert_eq!(got.to_bits(), want.to_bits(), "{} {} {:?}", r, c, level);
                }
            }
        }
    }
}
