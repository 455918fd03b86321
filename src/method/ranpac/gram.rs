//! A symmetric positive definite matrix that is accumulated from products A·Aᵀ, and the solution of (G + λI)·X = B by
//! Cholesky factorisation, in f64 and on all cores.
//!
//! One square array stores G on and above the diagonal, and the factor L of the last λ below it; L's diagonal is stored
//! separately. So a matrix of 10,000 rows takes 800 MB whether it is being accumulated or solved. The factor is
//! computed panel by panel, each from G and from the panels to its left ("left-looking"; Golub and Van Loan, Matrix
//! Computations, section 4.2). G itself is never overwritten, and the next λ starts from it again.
//!
//! The products are in f64 too: with n < M rows the matrix has M − n eigenvalues 0, and products rounded to f32 move
//! them by about 1e-7 of the largest, far more than a small λ.

use lae_kernels::gemm::{Matrix, Store, product};
use rayon::prelude::*;

use crate::problem::{Problem, Result};

/// Rows per parallel work item, and columns of a panel. The split does not depend on the number of cores, so neither do
/// the sums.
const PANEL: usize = 256;
/// Columns of a panel that are solved element by element.
const STRIP: usize = 32;
/// Right-hand sides that are solved together.
const GROUP: usize = 32;

/// A symmetric matrix G, and the Cholesky factor of G + λI.
pub struct GramMatrix {
    side: usize,
    /// Rows of `side` numbers: G where column ≥ row, L below.
    values: Vec<f64>,
    /// The diagonal of L.
    pivots: Vec<f64>,
}

impl GramMatrix {
    /// Returns a zero matrix with `side` rows and columns, which takes 8·side² bytes.
    ///
    /// # Errors
    /// Returns a Problem if there is too little memory.
    pub fn new(side: usize) -> Result<Self> {
        let mut values = Vec::new();
        let count = side.saturating_mul(side);
        values.try_reserve_exact(count).map_err(|_| {
            let megabytes = count.saturating_mul(8) / 1_000_000;
            Problem::new(format!(
                "there is not enough memory for a matrix of {side} × {side} numbers ({megabytes} MB)"
            ))
            .advise("choose a smaller projection")
        })?;
        values.resize(count, 0.0);
        Ok(Self { side, values, pivots: vec![0.0; side] })
    }

    /// Returns the number of rows.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Adds A·Aᵀ to G; A has `side` rows.
    pub fn add(&mut self, a: Matrix<'_, f64>) {
        let side = self.side;
        bands(&mut self.values, side).for_each(|(start, band)| {
            let rows = band.len() / side;
            let right = a.slice_rows(start, side - start).transposed();
            // Values below the diagonal overwrite parts of L, which is outdated anyway.
            let y = &mut band[start..];
            product(y, side, Store::Add, a.slice_rows(start, rows), right);
        });
    }

    /// Returns row `row` of G from the diagonal on.
    pub fn upper_row(&self, row: usize) -> &[f64] {
        &self.values[row * self.side + row..(row + 1) * self.side]
    }

    /// Returns row `row` of G from the diagonal on, for changes.
    pub fn upper_row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.side + row..(row + 1) * self.side]
    }

    /// Factors G + ridge·I = L·Lᵀ. Returns `false` if the matrix is not positive definite in f64; then
    /// [`GramMatrix::solve`] must not be called. `on_panel` is called before every panel.
    ///
    /// # Errors
    /// Returns the Problem that `on_panel` returns.
    pub fn factor(&mut self, ridge: f64, on_panel: &mut dyn FnMut() -> Result<()>) -> Result<bool> {
        let side = self.side;
        for start in (0..side).step_by(PANEL) {
            on_panel()?;
            let width = PANEL.min(side - start);
            let mut panel = self.panel(start, width, ridge);
            let (top, below) = panel.split_at_mut(width * width);
            if !factor_block(top, width) {
                return Ok(false);
            }
            let remaining_rows = &mut self.values[(start + width) * side..];
            bands(remaining_rows, side).zip(below.par_chunks_mut(PANEL * width)).for_each(
                |((_, rows), block)| {
                    let solved = solve_right(block, top, width);
                    let rows = rows.chunks_exact_mut(side);
                    for (row, solved) in rows.zip(solved.chunks_exact(width)) {
                        row[start..start + width].copy_from_slice(solved);
                    }
                },
            );
            for (i, row) in top.chunks_exact(width).enumerate() {
                self.pivots[start + i] = row[i];
                let offset = (start + i) * side + start;
                self.values[offset..offset + i].copy_from_slice(&row[..i]);
            }
        }
        Ok(true)
    }

    /// Returns columns `start..start + width` of G + ridge·I from row `start` on, minus the contribution of the earlier
    /// columns of L.
    fn panel(&self, start: usize, width: usize, ridge: f64) -> Vec<f64> {
        let side = self.side;
        let values = &self.values;
        let mut panel = vec![0.0; (side - start) * width];
        let chunks = panel.par_chunks_mut(PANEL * width).with_max_len(1);
        chunks.enumerate().for_each(|(chunk, part)| {
            let first = start + chunk * PANEL;
            let rows = part.len() / width;
            for j in 0..width {
                let offset = (start + j) * side + first;
                let column = &values[offset..offset + rows];
                for (row, value) in part.chunks_exact_mut(width).zip(column) {
                    row[j] = *value;
                }
            }
            if chunk == 0 {
                part.iter_mut().step_by(width + 1).for_each(|value| *value += ridge);
            }
            let left = Matrix::new(&values[first * side..], rows, start, side);
            let right = Matrix::new(&values[start * side..], width, start, side);
            product(part, width, Store::Subtract, left, right.transposed());
        });
        panel
    }

    /// Solves (G + ridge·I)·x = b for every row of `rows` (`side` numbers each) in place; [`GramMatrix::factor`] must
    /// be called first.
    pub fn solve(&self, rows: &mut [f64]) {
        let side = self.side.max(1);
        rows.par_chunks_mut(GROUP * side).for_each(|rows| {
            let starts = (0..self.side).step_by(PANEL);
            starts.clone().for_each(|start| self.forward(rows, start));
            starts.rev().for_each(|start| self.backward(rows, start));
        });
    }

    /// Solves one panel of L·y = b.
    fn forward(&self, rows: &mut [f64], start: usize) {
        let (side, count) = (self.side, rows.len() / self.side);
        let width = PANEL.min(side - start);
        let mut part = copy_columns(rows, side, start, width);
        let solved = Matrix::new(rows, count, start, side);
        let factor = Matrix::new(&self.values[start * side..], width, start, side);
        product(&mut part, width, Store::Subtract, solved, factor.transposed());
        for x in part.chunks_exact_mut(width) {
            for i in 0..width {
                let row = self.factor_row(start + i, start);
                let sum: f64 = row.iter().zip(&*x).map(|(l, x)| l * x).sum();
                x[i] = (x[i] - sum) / self.pivots[start + i];
            }
        }
        write_columns(rows, side, start, &part, width);
    }

    /// Solves one panel of Lᵀ·x = y.
    fn backward(&self, rows: &mut [f64], start: usize) {
        let (side, count) = (self.side, rows.len() / self.side);
        let width = PANEL.min(side - start);
        let end = start + width;
        let mut part = copy_columns(rows, side, start, width);
        if end < side {
            let solved_columns = Matrix::new(&rows[end..], count, side - end, side);
            let factor = Matrix::new(&self.values[end * side + start..], side - end, width, side);
            product(&mut part, width, Store::Subtract, solved_columns, factor);
        }
        for x in part.chunks_exact_mut(width) {
            for i in (0..width).rev() {
                let solved = x[i] / self.pivots[start + i];
                x[i] = solved;
                let row = self.factor_row(start + i, start);
                for (x, l) in x.iter_mut().zip(row) {
                    *x -= solved * l;
                }
            }
        }
        write_columns(rows, side, start, &part, width);
    }

    /// Returns row `row` of L from `first_column` up to, but not including, the diagonal.
    fn factor_row(&self, row: usize, first_column: usize) -> &[f64] {
        &self.values[row * self.side + first_column..row * self.side + row]
    }
}

/// Returns bands of `PANEL` rows as parallel work items, each with the number of its first row.
fn bands(
    values: &mut [f64],
    side: usize,
) -> impl IndexedParallelIterator<Item = (usize, &mut [f64])> {
    let bands = values.par_chunks_mut(PANEL * side.max(1)).with_max_len(1);
    bands.enumerate().map(|(band, rows)| (band * PANEL, rows))
}

/// Returns a copy of columns `start..start + width` of rows with `side` numbers each.
fn copy_columns(rows: &[f64], side: usize, start: usize, width: usize) -> Vec<f64> {
    let rows = rows.chunks_exact(side);
    rows.flat_map(|row| &row[start..start + width]).copied().collect()
}

/// Writes a copy made by [`copy_columns`] back into the rows.
fn write_columns(rows: &mut [f64], side: usize, start: usize, part: &[f64], width: usize) {
    for (row, part) in rows.chunks_exact_mut(side).zip(part.chunks_exact(width)) {
        row[start..start + width].copy_from_slice(part);
    }
}

/// Computes the Cholesky factor of the lower triangle of a small square in place. Returns `false` if a pivot is not
/// positive.
fn factor_block(gram: &mut [f64], width: usize) -> bool {
    for i in 0..width {
        let (above, below) = gram.split_at_mut(i * width);
        let row = &mut below[..width];
        for (j, earlier) in above.chunks_exact(width).enumerate() {
            let sum: f64 = earlier[..j].iter().zip(&*row).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - sum) / earlier[j];
        }
        let sum: f64 = row[..i].iter().map(|a| a * a).sum();
        let pivot = row[i] - sum;
        // The condition is not "pivot <= 0", because NaN must fail too.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

/// Returns X with X·Lᵀ = B for the rows of B, where L is the lower triangle of a small square; B is overwritten. Works
/// strip by strip: the contribution of earlier strips is one product, the rest is computed element by element.
fn solve_right(b: &mut [f64], factor: &[f64], width: usize) -> Vec<f64> {
    let rows = b.len() / width;
    let mut solved = vec![0.0; b.len()];
    for start in (0..width).step_by(STRIP) {
        let strip = STRIP.min(width - start);
        let left = Matrix::new(&solved, rows, start, width);
        let right = Matrix::new(&factor[start * width..], strip, start, width);
        let y = &mut b[start..];
        product(y, width, Store::Subtract, left, right.transposed());
        for (b, x) in b.chunks_exact(width).zip(solved.chunks_exact_mut(width)) {
            for j in start..start + strip {
                let row = &factor[j * width..=j * width + j];
                let sum: f64 = x[start..j].iter().zip(&row[start..]).map(|(x, l)| x * l).sum();
                x[j] = (b[j] - sum) / row[j];
            }
        }
    }
    solved
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pet::Init;

    /// Returns x with A·x = b by Gaussian elimination with pivoting; A is given by rows.
    pub fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
            let best = best.unwrap_or(k);
            a.swap(k, best);
            b.swap(k, best);
            let (above, below) = a.split_at_mut(k + 1);
            let (pivot, right) = (&above[k], b[k]);
            for (row, b) in below.iter_mut().zip(&mut b[k + 1..]) {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
                *b -= factor * right;
            }
        }
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
            b[k] = (b[k] - sum) / a[k][k];
        }
        b
    }

    pub fn random(rows: usize, columns: usize, stream: u64) -> Vec<f64> {
        let values = Init::Normal(1.0).draw([rows, columns], 3, stream);
        values.into_iter().map(f64::from).collect()
    }

    /// Returns A·Aᵀ + ridge·I for A (side × inner).
    fn dense(a: &[f64], side: usize, inner: usize, ridge: f64) -> Vec<Vec<f64>> {
        let row = |i: usize| &a[i * inner..(i + 1) * inner];
        let entry = |i: usize, j: usize| {
            let sum: f64 = row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum();
            sum + if i == j { ridge } else { 0.0 }
        };
        (0..side).map(|i| (0..side).map(|j| entry(i, j)).collect()).collect()
    }

    fn factor_matrix(gram: &mut GramMatrix, ridge: f64) -> bool {
        gram.factor(ridge, &mut || Ok(())).unwrap()
    }

    fn relative_error(a: &[f64], b: &[f64]) -> f64 {
        let largest = b.iter().fold(0f64, |m, x| m.max(x.abs()));
        let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        differences.fold(0f64, f64::max) / largest
    }

    /// Sizes below, at and above one panel, and a matrix that is singular without the ridge.
    #[test]
    fn solve_matches_gaussian_elimination() {
        for (side, inner, ridge) in [(1, 3, 0.5), (40, 90, 0.0), (256, 300, 0.0), (300, 20, 0.1)] {
            let a = random(side, inner, side as u64);
            let mut gram = GramMatrix::new(side).unwrap();
            gram.add(Matrix::new(&a, side, inner, inner));
            assert!(factor_matrix(&mut gram, ridge));
            // Uses more right-hand sides than one group.
            let right = random(GROUP + 1, side, 99);
            let mut solved = right.clone();
            gram.solve(&mut solved);
            for index in [0, GROUP] {
                let range = index * side..(index + 1) * side;
                let expected =
                    eliminate(dense(&a, side, inner, ridge), right[range.clone()].to_vec());
                assert!(relative_error(&solved[range], &expected) < 1e-9, "side {side}");
            }
        }
    }

    #[test]
    fn factoring_preserves_matrix_for_further_updates() {
        let (side, inner) = (270, 10);
        let a = random(side, 2 * inner, 1);
        let half = |first_column: usize| Matrix::new(&a[first_column..], side, inner, 2 * inner);
        let mut gram = GramMatrix::new(side).unwrap();
        gram.add(half(0));
        assert!(!factor_matrix(&mut gram, 0.0), "a sum of ten outer products cannot have rank 270");
        assert!(factor_matrix(&mut gram, 1.0));
        gram.add(half(inner));
        let expected = dense(&a, side, 2 * inner, 0.0);
        for (row, expected_row) in expected.iter().enumerate() {
            assert!(relative_error(gram.upper_row(row), &expected_row[row..]) < 1e-12);
        }
        assert!(factor_matrix(&mut gram, 1.0));
        let right = random(1, side, 7);
        let mut solved = right.clone();
        gram.solve(&mut solved);
        let solution = eliminate(dense(&a, side, 2 * inner, 1.0), right);
        assert!(relative_error(&solved, &solution) < 1e-9);
    }

    #[test]
    fn factor_rejects_matrices_not_positive_definite() {
        let mut gram = GramMatrix::new(3).unwrap();
        gram.add(Matrix::new(&[1.0, 2.0, f64::NAN], 3, 1, 1));
        assert!(!factor_matrix(&mut gram, 1.0));
        gram.upper_row_mut(2)[0] = -5.0;
        assert!(!factor_matrix(&mut gram, 1.0));
        assert!(GramMatrix::new(usize::MAX / 4).is_err());
    }
}
