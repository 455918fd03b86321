//! Reorders rows, for example to partition a token map into windows, or to bring neighbours side by side.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::sums::rows_per_chunk;

/// The source index of a row that is filled with zeros.
pub const ZERO_ROW: u32 = u32::MAX;

/// A reordering of the rows of every image, and its inverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    sources: Vec<u32>,
    targets: Vec<u32>,
}

impl Order {
    /// Creates a reordering. `sources` contains the source of each row, or [`ZERO_ROW`]. An image has `source_rows`
    /// source rows, each of which may be used only once.
    pub fn new(sources: Vec<u32>, source_rows: usize) -> Self {
        let mut targets = vec![ZERO_ROW; source_rows];
        for (to, source) in sources.iter().enumerate() {
            if *source != ZERO_ROW {
                let target = &mut targets[*source as usize];
                assert_eq!(*target, ZERO_ROW);
                *target = to as u32;
            }
        }
        Self { sources, targets }
    }

    /// Returns the reordering that reverses this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { sources: self.targets.clone(), targets: self.sources.clone() }
    }

    /// Returns the source of each row, or [`ZERO_ROW`]; and, inversely, the row that each source moves to.
    pub fn indices(&self) -> [&[u32]; 2] {
        [&self.sources, &self.targets]
    }

    /// Returns the number of rows of an image after the reordering.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether there are no rows after the reordering.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns the rows of x (images·rows × width) in the new order.
    pub fn gather(&self, x: &[f32], width: usize) -> Buffer {
        gather_rows(x, width, self.targets.len(), &self.sources)
    }

    /// Returns the gradient of the original rows, given that of the reordered ones.
    pub fn backward(&self, g: &[f32], width: usize) -> Buffer {
        gather_rows(g, width, self.sources.len(), &self.targets)
    }
}

fn gather_rows(x: &[f32], width: usize, source_rows: usize, sources: &[u32]) -> Buffer {
    let images = x.len() / (source_rows * width).max(1);
    let mut y = Buffer::new(images * sources.len() * width);
    let rows = rows_per_chunk(width);
    y.par_chunks_mut((rows * width).max(1)).enumerate().for_each(|(part, y)| {
        for (row, y) in y.chunks_exact_mut(width).enumerate() {
            let row = part * rows + row;
            let (image, row) = (row / sources.len(), row % sources.len());
            match sources[row] {
                ZERO_ROW => y.fill(0.0),
                source => {
                    let start = (image * source_rows + source as usize) * width;
                    y.copy_from_slice(&x[start..start + width]);
                }
            }
        }
    });
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_gathers_rows_and_maps_them_back() {
        // Two images of three rows of two values; the second row is dropped, and one new row is zero.
        let order = Order::new(vec![2, ZERO_ROW, 0], 3);
        let x: Vec<f32> = (0u8..12).map(f32::from).collect();
        let y = order.gather(&x, 2);
        assert_eq!(*y, [4., 5., 0., 0., 0., 1., 10., 11., 0., 0., 6., 7.]);
        assert_eq!(*order.inverse().gather(&y, 2), *order.backward(&y, 2));
        assert_eq!(*order.backward(&y, 2), [0., 1., 0., 0., 4., 5., 6., 7., 0., 0., 10., 11.]);
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn order_rejects_duplicate_rows() {
        Order::new(vec![0, 0], 1);
    }
}
