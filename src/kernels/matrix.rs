//! Matrices inside slices, and how products are stored.

/// A matrix inside a slice: element (r, c) has the index `r·row + c·column`.
#[derive(Clone, Copy)]
pub struct Matrix<'a, T = f32> {
    pub(crate) data: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

/// Returns whether the index of every element of such a matrix is below `len`. False also if an index would overflow.
pub(super) fn fits(
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
    len: usize,
) -> bool {
    if rows == 0 || columns == 0 {
        return true;
    }
    let down = (rows - 1).checked_mul(row_stride);
    let across = (columns - 1).checked_mul(column_stride);
    let last = down.zip(across).and_then(|(a, b)| a.checked_add(b));
    last.is_some_and(|last| last < len)
}

impl<'a, T: Copy> Matrix<'a, T> {
    /// Creates a matrix of rows with `columns` values, `stride` apart.
    pub fn new(data: &'a [T], rows: usize, columns: usize, stride: usize) -> Self {
        assert!(fits(rows, columns, stride, 1, data.len()));
        Self { data, rows, columns, row_stride: stride, column_stride: 1 }
    }

    /// Returns the transpose.
    pub fn transposed(self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// Returns `rows` rows from row `start` on.
    pub fn slice_rows(self, start: usize, rows: usize) -> Self {
        assert!(start <= self.rows && rows <= self.rows - start);
        let first = start.saturating_mul(self.row_stride).min(self.data.len());
        Self { data: &self.data[first..], rows, ..self }
    }
}

/// How a product is combined with the values of its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// y = a · b.
    Replace,
    /// y = y + a · b.
    Add,
    /// y = y − a · b.
    Subtract,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_rejects_wrapping_indices() {
        const HALF: usize = 1 << (usize::BITS - 1);
        assert!(fits(2, 3, 3, 1, 6) && !fits(2, 3, 3, 1, 5));
        assert!(fits(0, 3, 3, 1, 0) && fits(3, 0, HALF, 1, 0));
        // With wrapping arithmetic, the last index would be 0 or 1.
        assert!(!fits(3, 1, HALF, 1, 6));
        assert!(!fits(2, 2, usize::MAX, 1, 6));
    }
}
