//! Arranges non-overlapping patches as rows, so that a convolution whose stride equals its kernel size (a patch
//! embedding or a strided 2×2 convolution) becomes a single matrix product.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex};

use burn::tensor::{Int, Tensor, TensorData};

use crate::message;
use crate::nn;
use crate::nn::rows::{Order, ZERO_ROW};
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// Cuts `images` (batch × channels × height × width) into patches of `size` × `size` pixels. Returns them as batch ×
/// patches × (channels·size·size), each row in the order of a convolution's weight (channel, row, column), with the
/// numbers of rows and columns of patches. Pixels beyond the last complete patch are dropped, as in a strided
/// convolution.
pub fn extract_patches(images: Tensor<4>, size: usize) -> (Tensor<3>, usize, usize) {
    let [batch, channels, height, width] = images.dims();
    let (rows, columns) = (height / size, width / size);
    let cropped = if height % size == 0 && width % size == 0 {
        images
    } else {
        images.slice([0..batch, 0..channels, 0..rows * size, 0..columns * size])
    };
    let patches = cropped
        .reshape([batch, channels, rows, size, columns, size])
        .permute([0, 2, 4, 1, 3, 5])
        .reshape([batch, rows * columns, channels * size * size]);
    (patches, rows, columns)
}

/// The 2×2 neighbourhoods of a token map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbourhoods {
    /// Rows and columns of the tokens.
    tokens: (usize, usize),
    order: Neighbours,
    /// Rows and columns of neighbourhoods.
    pub map: (usize, usize),
}

impl Neighbourhoods {
    /// Returns the neighbourhoods of a map of `rows` × `columns` tokens, with the neighbours in this order.
    pub fn new((rows, columns): (usize, usize), order: Neighbours) -> Self {
        let half = |side: usize| match order {
            Neighbours::ColumnMajor => side.div_ceil(2),
            Neighbours::RowMajor => side / 2,
        };
        Self { tokens: (rows, columns), order, map: (half(rows), half(columns)) }
    }

    /// Returns the index in the map of each neighbour; [`ZERO_ROW`] beyond the map.
    pub fn source_indices(self) -> Vec<u32> {
        let (rows, columns) = self.tokens;
        let source_index = |row: usize, column: usize, i: usize| {
            let (row, column) = match self.order {
                Neighbours::ColumnMajor => (2 * row + i % 2, 2 * column + i / 2),
                Neighbours::RowMajor => (2 * row + i / 2, 2 * column + i % 2),
            };
            match row < rows && column < columns {
                true => (row * columns + column) as u32,
                false => ZERO_ROW,
            }
        };
        let (down, across) = self.map;
        let mut indices = Vec::with_capacity(4 * down * across);
        for (row, column) in (0..down).flat_map(|row| (0..across).map(move |column| (row, column)))
        {
            indices.extend((0..4).map(|i| source_index(row, column, i)));
        }
        indices
    }

    /// Concatenates the channels of each neighbourhood: batch × tokens × channels → batch × neighbourhoods ×
    /// (4·channels).
    pub fn join(self, tokens: &Tensor<3>) -> Tensor<3> {
        static ORDERS: ConstantCache<Neighbourhoods, Arc<Order>> = ConstantCache::new();
        let [batch, _, channels] = tokens.dims();
        let (rows, columns) = self.tokens;
        let build_order = || Arc::new(Order::new(self.source_indices(), rows * columns));
        let order = ORDERS.get(self, build_order);
        gather_tokens(tokens, &order).reshape([batch, self.map.0 * self.map.1, 4 * channels])
    }
}

/// A cache of constants. The key describes everything that a constant depends on.
pub struct ConstantCache<K, V>(LazyLock<Mutex<HashMap<K, V>>>);

impl<K: Eq + Hash, V: Clone> ConstantCache<K, V> {
    /// Maximum number of constants.
    const LIMIT: usize = 256;

    /// Creates an empty cache.
    pub const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Returns the constant with this key; `build` creates it the first time.
    pub fn get(&self, key: K, build: impl FnOnce() -> V) -> V {
        let mut constants = lock(&self.0);
        if constants.len() > Self::LIMIT {
            constants.clear();
        }
        constants.entry(key).or_insert_with(build).clone()
    }
}

/// Returns the tokens of each image (batch × tokens × channels) in this order; zeros for [`ZERO_ROW`].
pub fn gather_tokens(tokens: &Tensor<3>, order: &Arc<Order>) -> Tensor<3> {
    nn::reorder(tokens, order).unwrap_or_else(|| select_tokens(tokens.clone(), order.indices()[0]))
}

/// Does what [`gather_tokens`] does, on devices without a kernel for it.
fn select_tokens(mut tokens: Tensor<3>, from: &[u32]) -> Tensor<3> {
    let [batch, count, channels] = tokens.dims();
    let device = tokens.device().inner();
    if from.contains(&ZERO_ROW) {
        let zeros = Tensor::zeros([batch, 1, channels], &device);
        tokens = Tensor::cat(vec![tokens, zeros], 1);
    }
    let indices = from.iter().map(|index| (*index as usize).min(count) as i32);
    let indices = TensorData::new(indices.collect::<Vec<i32>>(), [from.len()]);
    tokens.select(1, Tensor::<1, Int>::from_data(indices, &device))
}

/// The order of the four neighbours in [`Neighbourhoods`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// Top left, bottom left, top right, bottom right: Swin's patch merging. An odd map gets a row or column of zeros.
    ColumnMajor,
    /// Top left, top right, bottom left, bottom right: a 2×2 convolution. An odd last row or column is left out.
    RowMajor,
}

/// Checks that `images` have three channels and at least one patch; if `require_divisible`, their sides are multiples
/// of the patch size.
pub fn check_images(images: &Tensor<4>, size: usize, require_divisible: bool) -> Result<()> {
    let [_, channels, height, width] = images.dims();
    if channels != 3 {
        let channels = channels.to_string();
        return Err(Problem::new(message!("problem-image-channels", channels)));
    }
    let (pixels, patch) = (format!("{width}×{height}"), format!("{size}×{size}"));
    if height < size || width < size {
        let message = message!("problem-image-smaller-than-patch", pixels, patch);
        return Err(Problem::new(message).advise(message!("advice-choose-larger-input-size")));
    }
    if require_divisible && (height % size != 0 || width % size != 0) {
        let message = message!("problem-image-not-divisible", pixels, patch);
        let multiple = size.to_string();
        let advice = message!("advice-choose-multiple-as-input-size", multiple);
        return Err(Problem::new(message).advise(advice));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    fn range_tensor<const D: usize>(shape: [usize; D]) -> Tensor<D> {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i| i as f32).collect();
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    fn to_values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec::<f32>().unwrap()
    }

    #[test]
    fn patches_list_pixels_channel_by_channel() {
        let (patches, rows, columns) = extract_patches(range_tensor([1, 2, 2, 5]), 2);
        assert_eq!((rows, columns), (1, 2));
        assert_eq!(
            to_values(patches),
            [0., 1., 5., 6., 10., 11., 15., 16., 2., 3., 7., 8., 12., 13., 17., 18.]
        );
    }

    #[test]
    fn neighbours_follow_requested_order() {
        let join = |rows: usize, columns: usize, order: Neighbours| {
            let map = range_tensor([1, rows * columns, 1]);
            to_values(Neighbourhoods::new((rows, columns), order).join(&map))
        };
        assert_eq!(join(2, 2, Neighbours::RowMajor), [0., 1., 2., 3.]);
        assert_eq!(join(2, 2, Neighbours::ColumnMajor), [0., 2., 1., 3.]);
        assert_eq!(join(3, 2, Neighbours::RowMajor), [0., 1., 2., 3.]);
        let padded = [0., 2., 1., 3., 4., 0., 5., 0.];
        assert_eq!(join(3, 2, Neighbours::ColumnMajor), padded);
    }

    #[test]
    fn gather_tokens_matches_selection_without_kernel() {
        let from = vec![4, 0, ZERO_ROW, 2, ZERO_ROW, 1];
        for from in [from, vec![3, 1, 2]] {
            let tokens = || range_tensor([2, 5, 3]);
            let plain = to_values(select_tokens(tokens(), &from));
            let order = Arc::new(Order::new(from, 5));
            assert_eq!(to_values(gather_tokens(&tokens(), &order)), plain);
        }
    }

    #[test]
    fn check_images_rejects_sizes_not_divisible_by_patch() {
        let problem = check_images(&range_tensor([1, 3, 8, 9]), 4, true).unwrap_err();
        assert!(problem.what.contains("9×8"), "{problem}");
        assert!(check_images(&range_tensor([1, 3, 8, 9]), 4, false).is_ok());
        assert!(check_images(&range_tensor([1, 1, 8, 8]), 4, true).is_err());
        assert!(check_images(&range_tensor([1, 3, 2, 8]), 4, false).is_err());
    }
}
