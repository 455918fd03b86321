//! Dropout inside equations (Srivastava et al., JMLR 2014). In training, each element is set to 0 with probability p
//! and the others are divided by 1 − p. Outside training, dropout has no effect.
//!
//! The masks are drawn on the host from (seed, step, block, site), so that they are the same on every device and a
//! resumed run continues exactly as without the interruption.

use std::cell::RefCell;

use burn::tensor::{Tensor, TensorData};

use super::shape::ShapeResult;
use super::value::{Value, each};
use crate::data::rng::{Purpose, Rng};
use crate::message;
use crate::nn;

/// Random bits per element; p is rounded down to a multiple of 1/65,536.
const BITS: u32 = 16;

/// The values that determine the dropout masks of one training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropoutSeed {
    /// The seed of the run.
    pub seed: u64,
    /// The number of the training step within the run; each step needs its own number.
    pub step: u64,
    /// The images of the batch that are being computed; `None` for all.
    pub rows: Option<BatchRows>,
}

/// A range of images of a batch that is trained in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRows {
    /// Index of the first image.
    pub first: usize,
    /// Number of images.
    pub count: usize,
    /// Number of images in the whole batch.
    pub total: usize,
}

impl BatchRows {
    /// Returns, for a tensor of this shape with one entry per image, how many values precede it in the tensor of the
    /// whole batch, and how many values that tensor has. `None` if the tensor is not per image.
    fn value_range(self, shape: &[usize]) -> Option<(usize, usize)> {
        // A matrix is a parameter; tensors with a batch axis have rank 3 or more.
        let is_per_image = shape.len() > 2 && shape[0].is_multiple_of(self.count);
        let count: usize = shape.iter().product();
        let values_per_image = count / self.count.max(1);
        is_per_image.then_some((values_per_image * self.first, values_per_image * self.total))
    }
}

thread_local! {
    /// The random numbers of the evaluation on this thread; `None` outside training.
    static STREAM: RefCell<Option<(Rng, Option<BatchRows>)>> = const { RefCell::new(None) };
}

/// Starts the random stream of an evaluation. `site_stream` identifies a site of a block
/// ([`StreamScheme::site_stream`](super::StreamScheme)). `None` for `seed` means that this evaluation is not training.
pub(super) fn start_stream(seed: Option<DropoutSeed>, site_stream: u64) {
    let stream = seed.map(|seed| {
        let rng = Rng::new(Purpose::Dropout, seed.seed, seed.step, site_stream);
        (rng, seed.rows)
    });
    STREAM.set(stream);
}

/// Returns the result shape of dropout: that of `x`. Returns an error unless 0 ≤ p < 1.
pub(super) fn shape(x: &[usize], p: f64) -> ShapeResult {
    match (0.0..1.0).contains(&p) {
        true => Ok(x.to_vec()),
        false => {
            let share = p.to_string();
            Err(message!("problem-dropout-share-invalid", share))
        }
    }
}

/// Applies dropout to `x` if the current evaluation is training; returns `x` otherwise.
pub(super) fn apply_dropout(x: Value, p: f64) -> Value {
    let (shape, count) = (x.dims(), x.dims().iter().product());
    let factors = STREAM.with_borrow_mut(|stream| {
        let (rng, rows) = stream.as_mut()?;
        // A part of a batch draws the mask of the whole batch, so that parts and whole batches give the same result.
        let range = rows.and_then(|rows| rows.value_range(&shape));
        let (first, total) = range.unwrap_or((0, count));
        Some(draw_factors(rng, p, total)[first..first + count].to_vec())
    });
    let Some(factors) = factors else { return x };
    each!(x, x => {
        let mask = to_mask(&x, factors);
        nn::multiply(x, mask)
    })
}

/// Draws the factor of each element: 0 with probability p, else 1 / (1 − p).
fn draw_factors(stream: &mut Rng, p: f64, count: usize) -> Vec<f32> {
    let (scale, threshold) = ((1.0 / (1.0 - p)) as f32, (p * f64::from(1u32 << BITS)) as u64);
    let mut factors = Vec::with_capacity(count);
    let mut bits = 0;
    for index in 0..count {
        if index % (u64::BITS / BITS) as usize == 0 {
            bits = stream.bits();
        }
        let dropped = bits & ((1 << BITS) - 1) < threshold;
        factors.push(if dropped { 0.0 } else { scale });
        bits >>= BITS;
    }
    factors
}

/// Returns the factors as a constant tensor with the shape and device of `x`.
fn to_mask<const D: usize>(x: &Tensor<D>, factors: Vec<f32>) -> Tensor<D> {
    let device = x.clone().inner().device();
    Tensor::from_data(TensorData::new(factors, x.dims()), &device)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::super::{Site, StreamScheme};
    use super::*;

    fn dropout_seed(seed: u64, step: u64) -> Option<DropoutSeed> {
        let rows = None;
        Some(DropoutSeed { seed, step, rows })
    }

    #[test]
    fn partial_batch_uses_mask_of_whole_batch() {
        let dropped = |rows: Option<BatchRows>| -> Vec<f32> {
            let images = rows.map_or(5, |rows| rows.count);
            start_stream(Some(DropoutSeed { rows, ..dropout_seed(4, 2).unwrap() }), 0);
            // Two tensors of images, with a parameter in between.
            let ones = || Tensor::<3>::ones([2 * images, 3, 7], &Device::flex());
            let first = apply_dropout(ones().into(), 0.5);
            let matrix = Tensor::<2>::ones([4, 6], &Device::flex());
            apply_dropout(matrix.into(), 0.5);
            let second = apply_dropout(ones().into(), 0.3);
            let values = |value| match value {
                Value::Three(x) => x.into_data().try_to_vec::<f32>().unwrap(),
                _ => panic!("the rank changed"),
            };
            [values(first), values(second)].concat()
        };
        let full_batch = dropped(None);
        let (first, second) = full_batch.split_at(full_batch.len() / 2);
        for (from, count) in [(0, 2), (2, 2), (4, 1)] {
            let rows = BatchRows { first: from, count, total: 5 };
            let part = dropped(Some(rows));
            let range = from * 42..(from + count) * 42;
            assert_eq!(part, [&first[range.clone()], &second[range]].concat());
        }
    }

    /// Returns 40 × 50 ones after dropout.
    fn dropped(draws: Option<DropoutSeed>, block: usize, site: Site, p: f64) -> Vec<f32> {
        start_stream(draws, StreamScheme::default().site_stream(block, site));
        let ones = Tensor::<2>::ones([40, 50], &Device::flex());
        let Value::Two(x) = apply_dropout(ones.into(), p) else { panic!("the rank changed") };
        x.into_data().try_to_vec().unwrap()
    }

    #[test]
    fn dropout_is_disabled_outside_training() {
        let values = dropped(None, 0, Site::Mlp, 0.9);
        assert!(values.iter().all(|value| *value == 1.0));
    }

    #[test]
    fn drops_expected_share_and_rescales_rest() {
        let draws = dropout_seed(1, 2);
        for p in [0.0, 0.1, 0.5] {
            let values = dropped(draws, 3, Site::Mlp, p);
            let gone = values.iter().filter(|value| **value == 0.0).count();
            // Tolerance: five standard deviations of 2,000 draws.
            let spread = 5.0 * (2000.0 * p * (1.0 - p)).sqrt();
            assert!((gone as f64 - 2000.0 * p).abs() <= spread, "{gone} at {p}");
            let rescaled = (1.0 / (1.0 - p)) as f32;
            assert!(values.iter().all(|value| *value == 0.0 || *value == rescaled));
        }
        assert!(shape(&[1, 1], 1.0).is_err() && shape(&[1, 1], -0.1).is_err());
    }

    #[test]
    fn masks_depend_on_seed_step_block_and_site() {
        let mask = |seed, step, block, site| dropped(dropout_seed(seed, step), block, site, 0.5);
        let reference = mask(1, 2, 3, Site::Attention);
        assert_eq!(reference, mask(1, 2, 3, Site::Attention));
        for other in [
            mask(2, 2, 3, Site::Attention),
            mask(1, 3, 3, Site::Attention),
            mask(1, 2, 4, Site::Attention),
            mask(1, 2, 3, Site::Attend),
        ] {
            assert_ne!(reference, other);
        }
    }

    #[test]
    fn gradient_uses_same_mask_as_values() {
        let draws = dropout_seed(5, 1);
        start_stream(draws, 0);
        let x = Tensor::<3>::ones([2, 3, 4], &Device::flex()).autodiff().require_grad();
        let Value::Three(y) = apply_dropout(x.clone().into(), 0.5) else {
            panic!("the rank changed")
        };
        let gradient = x.grad(&y.clone().sum().backward()).unwrap();
        let values = |x: Tensor<3>| x.into_data().try_to_vec::<f32>().unwrap();
        assert_eq!(values(gradient), values(y.inner()));
    }
}
