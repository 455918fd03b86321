//! Arranges non-overlapping patches as rows, so that a convolution whose stride equals its kernel size (a patch
//! embedding or a strided 2×2 convolution) becomes a single matrix product.

use burn::tensor::Tensor;

use crate::nn;
use crate::nn::rows::Order;
use crate::problem::{Problem, Result};

/// Cuts `images` (batch × channels × height × width) into patches of `size` × `size` pixels. Returns them as batch ×
/// patches × (channels·size·size), each row in the order of a convolution's weight (channel, row, column), with the
/// numbers of rows and columns of patches. Pixels beyond the last complete patch are dropped, as in a strided
/// convolution.
pub fn of_images(images: Tensor<4>, size: usize) -> (Tensor<3>, usize, usize) {
    let [batch, channels, height, width] = images.dims();
    let (rows, columns) = (height / size, width / size);
    let whole = if height % size == 0 && width % size == 0 {
        images
    } else {
        images.slice([0..batch, 0..channels, 0..rows * size, 0..columns * size])
    };
    let patches = whole
        .reshape([batch, channels, rows, size, columns, size])
        .permute([0, 2, 4, 1, 3, 5])
        .reshape([batch, rows * columns, channels * size * size]);
    (patches, rows, columns)
}

/// Concatenates the channels of each 2×2 neighbourhood of a token map (batch × (rows·columns) × channels). Returns
/// batch × (tokens / 4) × (4·channels), with the neighbours in this order.
pub fn of_tokens(tokens: Tensor<3>, rows: usize, columns: usize, order: Neighbours) -> Tensor<3> {
    let [batch, _, channels] = tokens.dims();
    let beside = |row: usize, column: usize, i: usize| match order {
        Neighbours::ColumnMajor => (row + i % 2) * columns + column + i / 2,
        Neighbours::RowMajor => (row + i / 2) * columns + column + i % 2,
    };
    let mut from = Vec::with_capacity(rows * columns);
    for row in (0..rows).step_by(2) {
        for column in (0..columns).step_by(2) {
            from.extend((0..4).map(|i| beside(row, column, i) as u32));
        }
    }
    if let Some(moved) = nn::in_order(&tokens, Order::new(from, rows * columns)) {
        return moved.reshape([batch, (rows / 2) * (columns / 2), 4 * channels]);
    }
    by_axes(tokens, rows, columns, order)
}

fn by_axes(tokens: Tensor<3>, rows: usize, columns: usize, order: Neighbours) -> Tensor<3> {
    let [batch, _, channels] = tokens.dims();
    let map = tokens.reshape([batch, rows / 2, 2, columns / 2, 2, channels]);
    let map = match order {
        Neighbours::ColumnMajor => map.permute([0, 1, 3, 4, 2, 5]),
        Neighbours::RowMajor => map.permute([0, 1, 3, 2, 4, 5]),
    };
    map.reshape([batch, (rows / 2) * (columns / 2), 4 * channels])
}

/// The order of the four neighbours in [`of_tokens`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// Top left, bottom left, top right, bottom right: Swin's patch merging.
    ColumnMajor,
    /// Top left, top right, bottom left, bottom right: a 2×2 convolution.
    RowMajor,
}

/// Checks that `images` have three channels and at least one patch, and, if `whole`, that their sides are multiples
/// of the patch size.
pub fn check(images: &Tensor<4>, size: usize, whole: bool) -> Result<()> {
    let [_, channels, height, width] = images.dims();
    if channels != 3 {
        return Err(Problem::new(format!(
            "the backbone takes images of 3 channels, these have {channels}"
        )));
    }
    if height < size || width < size {
        return Err(Problem::new(format!(
            "images of {width}×{height} pixels are smaller than one patch of {size}×{size}"
        ))
        .advise("choose a larger input size"));
    }
    if whole && (height % size != 0 || width % size != 0) {
        return Err(Problem::new(format!(
            "images of {width}×{height} pixels cannot be cut into patches of {size}×{size}"
        ))
        .advise(format!("choose an input size that is a multiple of {size}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn counted<const D: usize>(shape: [usize; D]) -> Tensor<D> {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i| i as f32).collect();
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec::<f32>().unwrap()
    }

    #[test]
    fn a_patch_lists_its_pixels_channel_by_channel() {
        let (patches, rows, columns) = of_images(counted([1, 2, 2, 5]), 2);
        assert_eq!((rows, columns), (1, 2));
        assert_eq!(
            numbers(patches),
            [
                0., 1., 5., 6., 10., 11., 15., 16., 2., 3., 7., 8., 12., 13., 17., 18.
            ]
        );
    }

    #[test]
    fn neighbours_come_in_the_order_asked_for() {
        let map = counted([1, 4, 1]);
        assert_eq!(
            numbers(of_tokens(map.clone(), 2, 2, Neighbours::RowMajor)),
            [0., 1., 2., 3.]
        );
        assert_eq!(
            numbers(of_tokens(map, 2, 2, Neighbours::ColumnMajor)),
            [0., 2., 1., 3.]
        );
    }

    #[test]
    fn neighbours_are_the_same_by_axes() {
        for order in [Neighbours::RowMajor, Neighbours::ColumnMajor] {
            let map = || counted([2, 24, 3]);
            let by_axes = numbers(by_axes(map(), 4, 6, order));
            assert_eq!(numbers(of_tokens(map(), 4, 6, order)), by_axes);
        }
    }

    #[test]
    fn sizes_that_leave_part_of_a_patch_are_named() {
        let problem = check(&counted([1, 3, 8, 9]), 4, true).unwrap_err();
        assert!(problem.what.contains("9×8"), "{problem}");
        assert!(check(&counted([1, 3, 8, 9]), 4, false).is_ok());
        assert!(check(&counted([1, 1, 8, 8]), 4, true).is_err());
        assert!(check(&counted([1, 3, 2, 8]), 4, false).is_err());
    }
}
