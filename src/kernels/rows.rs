//! Reorders rows, for example to partition a token map into windows, or to bring neighbours side by side.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::sums::rows_at_once;

/// The source index of a row that is filled with zeros.
pub const NOWHERE: u32 = u32::MAX;

/// A reordering of the rows of every image, and its inverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    from: Vec<u32>,
    back: Vec<u32>,
}

impl Order {
    /// Creates a reordering. `from` contains the source of each row, or [`NOWHERE`]; `before` is the number of source
    /// rows of an image, each of which may be used only once.
    pub fn new(from: Vec<u32>, before: usize) -> Self {
        let mut back = vec![NOWHERE; before];
        for (to, from) in from.iter().enumerate() {
            if *from != NOWHERE {
                let back = &mut back[*from as usize];
                assert_eq!(*back, NOWHERE);
                *back = to as u32;
            }
        }
        Self { from, back }
    }

    /// Returns the reordering that reverses this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self {
            from: self.back.clone(),
            back: self.from.clone(),
        }
    }

    /// Returns the source of each row, or [`NOWHERE`]; and, inversely, the row that each source moves to.
    pub fn indices(&self) -> [&[u32]; 2] {
        [&self.from, &self.back]
    }

    /// Returns the number of rows of an image after the reordering.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Returns whether there are no rows after the reordering.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// Returns the rows of x (images·rows × width) in the new order.
    pub fn of(&self, x: &[f32], width: usize) -> Buffer {
        moved(x, width, self.back.len(), &self.from)
    }

    /// Returns the gradient of the original rows, given that of the reordered ones.
    pub fn back(&self, g: &[f32], width: usize) -> Buffer {
        moved(g, width, self.from.len(), &self.back)
    }
}

fn moved(x: &[f32], width: usize, before: usize, from: &[u32]) -> Buffer {
    let images = x.len() / (before * width).max(1);
    let mut y = Buffer::new(images * from.len() * width);
    let rows = rows_at_once(width);
    y.par_chunks_mut((rows * width).max(1))
        .enumerate()
        .for_each(|(part, y)| {
            for (row, y) in y.chunks_exact_mut(width).enumerate() {
                let row = part * rows + row;
                let (image, row) = (row / from.len(), row % from.len());
                match from[row] {
                    NOWHERE => y.fill(0.0),
                    from => {
                        let start = (image * before + from as usize) * width;
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
        let order = Order::new(vec![2, NOWHERE, 0], 3);
        let x: Vec<f32> = (0u8..12).map(f32::from).collect();
        let y = order.of(&x, 2);
        assert_eq!(*y, [4., 5., 0., 0., 0., 1., 10., 11., 0., 0., 6., 7.]);
        assert_eq!(*order.inverse().of(&y, 2), *order.back(&y, 2));
        assert_eq!(
            *order.back(&y, 2),
            [0., 1., 0., 0., 4., 5., 6., 7., 0., 0., 10., 11.]
        );
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn order_rejects_duplicate_rows() {
        Order::new(vec![0, 0], 1);
    }
}
