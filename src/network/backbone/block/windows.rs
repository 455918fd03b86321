//! Partitions a token map into attention windows and reverses the partition.

use burn::tensor::Tensor;

use crate::nn;
use crate::nn::rows::{NOWHERE, Order};

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
            if shifted && side > window {
                window / 2
            } else {
                0
            }
        };
        Self {
            map: (rows, columns),
            window: (window.min(rows), window.min(columns)),
            shift: (shift(rows), shift(columns)),
        }
    }

    /// Returns the sides of the map, rounded up to whole windows.
    pub fn whole(&self) -> (usize, usize) {
        (
            self.map.0.next_multiple_of(self.window.0),
            self.map.1.next_multiple_of(self.window.1),
        )
    }

    /// Returns the number of windows along each axis.
    fn counts(&self) -> (usize, usize) {
        let (rows, columns) = self.whole();
        (rows / self.window.0, columns / self.window.1)
    }

    /// Returns the numbers of windows along each axis, and the sides of a window.
    pub fn grid(&self) -> [[usize; 2]; 2] {
        let (down, across) = self.counts();
        [[down, across], [self.window.0, self.window.1]]
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
        let order = Order::new(self.places(), self.map.0 * self.map.1);
        match nn::in_order(&tokens, order) {
            Some(moved) => moved.reshape([-1, self.tokens() as i32, width]),
            None => self.partition_by_axes(tokens),
        }
    }

    /// Reverses [`Windows::partition`].
    pub fn reverse(&self, values: Tensor<3>) -> Tensor<3> {
        let [windows, tokens, width] = values.dims();
        let (down, across) = self.counts();
        let image = down * across * tokens;
        let mut back = vec![0; self.map.0 * self.map.1];
        for (to, from) in self.places().into_iter().enumerate() {
            if from != NOWHERE {
                back[from as usize] = to as u32;
            }
        }
        let images = values
            .clone()
            .reshape([windows * tokens / image, image, width]);
        nn::in_order(&images, Order::new(back, image))
            .unwrap_or_else(|| self.reverse_by_axes(values))
    }

    /// Returns the index in the map of each token of each window; [`NOWHERE`] for tokens beyond the map.
    fn places(&self) -> Vec<u32> {
        let [[down, across], [high, wide]] = self.grid();
        let (rows, columns) = self.map;
        let place = |row: usize, column: usize| match row < rows && column < columns {
            true => {
                let (row, column) = (row + self.shift.0, column + self.shift.1);
                (row % rows * columns + column % columns) as u32
            }
            false => NOWHERE,
        };
        let mut places = Vec::with_capacity(down * across * high * wide);
        for window in 0..down * across {
            let (top, left) = (window / across * high, window % across * wide);
            for row in top..top + high {
                places.extend((left..left + wide).map(|column| place(row, column)));
            }
        }
        places
    }

    fn partition_by_axes(&self, tokens: Tensor<3>) -> Tensor<3> {
        let [batch, _, width] = tokens.dims();
        let (rows, columns) = self.map;
        let mut values = tokens;
        if self.shift != (0, 0) {
            let back = [-(self.shift.0 as isize), -(self.shift.1 as isize)];
            values = rolled(values, self.map, back);
        }
        values = padded(values, (rows, columns), self.whole());
        let (down, across) = self.counts();
        values
            .reshape([batch, down, self.window.0, across, self.window.1, width])
            .permute([0, 1, 3, 2, 4, 5])
            .reshape([batch * down * across, self.window.0 * self.window.1, width])
    }

    fn reverse_by_axes(&self, values: Tensor<3>) -> Tensor<3> {
        let (down, across) = self.counts();
        let [windows, _, width] = values.dims();
        let batch = windows / (down * across);
        let (rows, columns) = self.whole();
        let mut map = values
            .reshape([batch, down, across, self.window.0, self.window.1, width])
            .permute([0, 1, 3, 2, 4, 5])
            .reshape([batch, rows, columns, width]);
        if (rows, columns) != self.map {
            map = map.slice([0..batch, 0..self.map.0, 0..self.map.1, 0..width]);
        }
        let values = map.reshape([batch, self.map.0 * self.map.1, width]);
        if self.shift == (0, 0) {
            return values;
        }
        let forth = [self.shift.0 as isize, self.shift.1 as isize];
        rolled(values, self.map, forth)
    }

    /// Returns the region of each token of each window; only tokens of the same region attend to each other.
    pub fn regions(&self) -> Vec<Vec<usize>> {
        let (rows, columns) = self.whole();
        let band = |at: usize, side: usize, window: usize, shift: usize| {
            if shift == 0 || at < side - window {
                0
            } else if at < side - shift {
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

/// Rolls a map of tokens cyclically along rows and columns.
fn rolled(tokens: Tensor<3>, (rows, columns): (usize, usize), by: [isize; 2]) -> Tensor<3> {
    let [batch, _, width] = tokens.dims();
    tokens
        .reshape([batch, rows, columns, width])
        .roll(&by, &[1, 2])
        .reshape([batch, rows * columns, width])
}

/// Pads a map of tokens with zeros below and to the right.
pub fn padded(tokens: Tensor<3>, from: (usize, usize), to: (usize, usize)) -> Tensor<3> {
    if from == to {
        return tokens;
    }
    let [batch, _, width] = tokens.dims();
    let zeros = |shape: [usize; 4]| Tensor::zeros(shape, &tokens.device().inner());
    let mut map = tokens.clone().reshape([batch, from.0, from.1, width]);
    if to.1 > from.1 {
        map = Tensor::cat(vec![map, zeros([batch, from.0, to.1 - from.1, width])], 2);
    }
    if to.0 > from.0 {
        map = Tensor::cat(vec![map, zeros([batch, to.0 - from.0, to.1, width])], 1);
    }
    map.reshape([batch, to.0 * to.1, width])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn tokens(rows: usize, columns: usize) -> Tensor<3> {
        let values: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
        let data = TensorData::new(values, [1, rows * columns, 1]);
        Tensor::from_data(data, &Device::flex())
    }

    fn numbers(tensor: Tensor<3>) -> Vec<f32> {
        tensor.into_data().try_to_vec::<f32>().unwrap()
    }

    #[test]
    fn partition_and_reverse_are_inverse_for_any_map() {
        for (rows, columns, window) in [(4, 4, 2), (5, 7, 3), (2, 6, 4), (3, 3, 7)] {
            for shifted in [false, true] {
                let map = tokens(rows, columns);
                let windows = Windows::new((rows, columns), window, shifted);
                let there = windows.partition(map.clone());
                // The path of devices that do not have the fast operation.
                let by_axes = windows.partition_by_axes(map.clone());
                assert_eq!(numbers(there.clone()), numbers(by_axes));
                assert_eq!(
                    numbers(windows.reverse(there.clone())),
                    numbers(map.clone())
                );
                assert_eq!(numbers(windows.reverse_by_axes(there)), numbers(map));
            }
        }
    }

    #[test]
    fn a_map_of_one_window_is_neither_padded_nor_shifted() {
        let windows = Windows::new((3, 3), 7, true);
        assert_eq!(windows.shift, (0, 0));
        assert_eq!(windows.whole(), (3, 3));
    }

    #[test]
    fn shifted_windows_start_half_a_window_later() {
        let windows = Windows::new((4, 4), 2, true);
        let parts = numbers(windows.partition(tokens(4, 4)));
        assert_eq!(&parts[..4], [5., 6., 9., 10.]);
        assert_eq!(&parts[12..], [15., 12., 3., 0.]);
        assert_eq!(windows.regions()[0], [0, 0, 0, 0]);
        assert_eq!(windows.regions()[3], [4, 5, 7, 8]);
    }
}
