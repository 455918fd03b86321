//! Partitions a token map into attention windows and reverses the partition.

use std::sync::Arc;

use burn::tensor::Tensor;

use crate::backbone::patches::{ConstantCache, gather_tokens};
use crate::nn::rows::{Order, ZERO_ROW};

/// The partition of a token map. Windows are not larger than the map, and there is no shift along an axis with a
/// single window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Windows {
    /// Rows and columns of the map.
    pub map: (usize, usize),
    /// Rows and columns of a window.
    pub window: (usize, usize),
    /// Rows and columns by which the windows are shifted.
    pub shift: (usize, usize),
}

impl Windows {
    /// Returns the partition for a map of `rows` × `columns` tokens.
    pub fn new((rows, columns): (usize, usize), window: usize, shifted: bool) -> Self {
        let shift = |side: usize| {
            if shifted && side > window { window / 2 } else { 0 }
        };
        Self {
            map: (rows, columns),
            window: (window.min(rows), window.min(columns)),
            shift: (shift(rows), shift(columns)),
        }
    }

    /// Returns the sides of the map, rounded up to whole windows.
    pub fn padded_map(&self) -> (usize, usize) {
        (self.map.0.next_multiple_of(self.window.0), self.map.1.next_multiple_of(self.window.1))
    }

    /// Returns the number of windows along each axis.
    fn counts(&self) -> (usize, usize) {
        let (rows, columns) = self.padded_map();
        (rows / self.window.0, columns / self.window.1)
    }

    /// Returns the number of different groups of biases: one per window of an image with a shift, otherwise one.
    pub fn groups(&self) -> usize {
        let (down, across) = self.counts();
        match self.shift {
            (0, 0) => 1,
            _ => down * across,
        }
    }

    /// Returns the number of tokens of a window.
    pub fn tokens(&self) -> usize {
        self.window.0 * self.window.1
    }

    /// Partitions batch × (rows·columns) × channels into (batch·windows) × window tokens × channels. Tokens beyond
    /// the map are zero.
    pub fn partition(&self, tokens: Tensor<3>) -> Tensor<3> {
        let width = tokens.dims()[2] as i32;
        gather_tokens(&tokens, &self.order()).reshape([-1, self.tokens() as i32, width])
    }

    /// Reverses [`Windows::partition`].
    pub fn reverse(&self, values: Tensor<3>) -> Tensor<3> {
        static ORDERS: ConstantCache<Windows, Arc<Order>> = ConstantCache::new();
        let [windows, tokens, width] = values.dims();
        let (down, across) = self.counts();
        let image = down * across * tokens;
        let images = values.reshape([windows * tokens / image, image, width]);
        gather_tokens(&images, &ORDERS.get(*self, || Arc::new(self.order().inverse())))
    }

    /// Returns the order of the tokens of the map in the windows.
    pub fn order(&self) -> Arc<Order> {
        static ORDERS: ConstantCache<Windows, Arc<Order>> = ConstantCache::new();
        let build_order = || Arc::new(Order::new(self.source_indices(), self.map.0 * self.map.1));
        ORDERS.get(*self, build_order)
    }

    /// Returns the index in the map of each token of each window; [`ZERO_ROW`] for tokens beyond the map.
    fn source_indices(&self) -> Vec<u32> {
        let ((down, across), (height, width)) = (self.counts(), self.window);
        let (rows, columns) = self.map;
        let source_index = |row: usize, column: usize| match row < rows && column < columns {
            true => {
                let (row, column) = (row + self.shift.0, column + self.shift.1);
                (row % rows * columns + column % columns) as u32
            }
            false => ZERO_ROW,
        };
        let mut indices = Vec::with_capacity(down * across * height * width);
        for window in 0..down * across {
            let (top, left) = (window / across * height, window % across * width);
            for row in top..top + height {
                indices.extend((left..left + width).map(|column| source_index(row, column)));
            }
        }
        indices
    }

    /// Returns the region of each token of each window; only tokens of the same region attend to each other.
    pub fn regions(&self) -> Vec<Vec<usize>> {
        let (rows, columns) = self.padded_map();
        let band = |index: usize, side: usize, window: usize, shift: usize| {
            if shift == 0 || index < side - window {
                0
            } else if index < side - shift {
                1
            } else {
                2
            }
        };
        let (down, across) = self.counts();
        let mut windows = vec![Vec::new(); down * across];
        for row in 0..rows {
            for column in 0..columns {
                let vertical = band(row, rows, self.window.0, self.shift.0);
                let horizontal = band(column, columns, self.window.1, self.shift.1);
                let window = row / self.window.0 * across + column / self.window.1;
                windows[window].push(3 * vertical + horizontal);
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn tokens(rows: usize, columns: usize) -> Tensor<3> {
        let values: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
        let data = TensorData::new(values, [1, rows * columns, 1]);
        Tensor::from_data(data, &Device::flex())
    }

    fn to_values(tensor: Tensor<3>) -> Vec<f32> {
        tensor.into_data().try_to_vec::<f32>().unwrap()
    }

    #[test]
    fn reverse_inverts_partition_for_any_size() {
        for (rows, columns, window) in [(4, 4, 2), (5, 7, 3), (2, 6, 4), (3, 3, 7)] {
            for shifted in [false, true] {
                let map = tokens(rows, columns);
                let windows = Windows::new((rows, columns), window, shifted);
                let windowed = windows.partition(map.clone());
                assert_eq!(to_values(windows.reverse(windowed)), to_values(map));
            }
        }
    }

    #[test]
    fn single_window_is_neither_padded_nor_shifted() {
        let windows = Windows::new((3, 3), 7, true);
        assert_eq!(windows.shift, (0, 0));
        assert_eq!(windows.padded_map(), (3, 3));
    }

    #[test]
    fn shifted_windows_start_half_window_later() {
        let windows = Windows::new((4, 4), 2, true);
        let parts = to_values(windows.partition(tokens(4, 4)));
        assert_eq!(&parts[..4], [5., 6., 9., 10.]);
        assert_eq!(&parts[12..], [15., 12., 3., 0.]);
        assert_eq!(windows.regions()[0], [0, 0, 0, 0]);
        assert_eq!(windows.regions()[3], [4, 5, 7, 8]);
    }
}
