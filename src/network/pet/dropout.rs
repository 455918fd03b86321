//! Dropout inside equations (Srivastava et al., JMLR 2014). In training, each element is set to 0 with probability p
//! and the others are divided by 1 − p. Outside training, dropout has no effect.
//!
//! The masks are drawn on the host from (seed, step, block, site), so that they are the same on every device and a
//! resumed run continues exactly as without the interruption.

use std::cell::RefCell;

use burn::tensor::{Tensor, TensorData};

use super::shape::Outcome;
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
    pub rows: Option<Rows>,
}

/// A range of images of a batch that is trained in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Index of the first image.
    pub first: usize,
    /// Number of images.
    pub count: usize,
    /// Number of images in the whole batch.
    pub of: usize,
}

impl Rows {
    /// Returns, for a tensor of this shape with one entry per image, how many values precede it in the tensor of the
    /// whole batch, and how many values that tensor has. `None` if the tensor is not per image.
    fn within(self, shape: &[usize]) -> Option<(usize, usize)> {
        // A matrix is a parameter; tensors with a batch axis have rank 3 or more.
        let of_images = shape.len() > 2 && shape[0].is_multiple_of(self.count);
        let count: usize = shape.iter().product();
        let each = count / self.count.max(1);
        of_images.then_some((each * self.first, each * self.of))
    }
}

thread_local! {
    /// The random numbers of the evaluation on this thread; `None` outside training.
    static STREAM: RefCell<Option<(Rng, Option<Rows>)>> = const { RefCell::new(None) };
}

/// Starts the random stream of an evaluation. `place` identifies a site of a block
/// ([`StreamScheme::of_site`](super::StreamScheme)). `None` for `draws` means that this evaluation is not training.
pub(super) fn begin(draws: Option<DropoutSeed>, place: u64) {
    let stream = draws.map(|draws| {
        let rng = Rng::new(Purpose::Dropout, draws.seed, draws.step, place);
        (rng, draws.rows)
    });
    STREAM.set(stream);
}

/// Returns the result shape of dropout: that of `x`. Returns an error unless 0 ≤ p < 1.
pub(super) fn shape(x: &[usize], p: f64) -> Outcome {
    match (0.0..1.0).contains(&p) {
        true => Ok(x.to_vec()),
        false => {
            let share = p.to_string();
            Err(message!("problem-dropout-share-invalid", share))
        }
    }
}

/// Applies dropout to `x` if the current evaluation is training; returns `x` otherwise.
pub(super) fn apply(x: Value, p: f64) -> Value {
    let (shape, count) = (x.dims(), x.dims().iter().product());
    let factors = STREAM.with_borrow_mut(|stream| {
        let (rng, rows) = stream.as_mut()?;
        // A part of a batch draws the mask of the whole batch, so that parts and whole batches give the same result.
        let within = rows.and_then(|rows| rows.within(&shape));
        let (first, all) = within.unwrap_or((0, count));
        Some(factors(rng, p, all)[first..first + count].to_vec())
    });
    let Some(factors) = factors else { return x };
    each!(x, x => {
        let mask = mask(&x, factors);
        nn::times(x, mask)
    })
}

/// Draws the factor of each element: 0 with probability p, else 1 / (1 − p).
fn factors(stream: &mut Rng, p: f64, count: usize) -> Vec<f32> {
    let (kept, below) = (
        (1.0 / (1.0 - p)) as f32,
        (p * f64::from(1u32 << BITS)) as u64,
    );
    let mut factors = Vec::with_capacity(count);
    let mut bits = 0;
    for at in 0..count {
        if at % (u64::BITS / BITS) as usize == 0 {
            bits = stream.bits();
        }
        let dropped = bits & ((1 << BITS) - 1) < below;
        factors.push(if dropped { 0.0 } else { kept });
        bits >>= BITS;
    }
    factors
}

/// Returns the factors as a constant tensor with the shape and device of `x`.
fn mask<const D: usize>(x: &Tensor<D>, factors: Vec<f32>) -> Tensor<D> {
    let device = x.clone().inner().device();
    Tensor::from_data(TensorData::new(factors, x.dims()), &device)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        let dropped = |rows: Option<Rows>| -> Vec<f32> {
            let images = rows.map_or(5, |rows| rows.count);
            begin(
                Some(DropoutSeed {
                    rows,
                    ..dropout_seed(4, 2).unwrap()
                }),
                0,
            );
            // Two tensors of images, with a parameter in between.
            let ones = || Tensor::<3>::ones([2 * images, 3, 7], &Device::flex());
            let first = apply(ones().into(), 0.5);
            let matrix = Tensor::<2>::ones([4, 6], &Device::flex());
            apply(matrix.into(), 0.5);
            let second = apply(ones().into(), 0.3);
            let values = |value| match value {
                Value::Three(x) => x.into_data().try_to_vec::<f32>().unwrap(),
                _ => panic!("the rank changed"),
            };
            [values(first), values(second)].concat()
        };
        let whole = dropped(None);
        let (first, second) = whole.split_at(whole.len() / 2);
        for (from, count) in [(0, 2), (2, 2), (4, 1)] {
            let rows = Rows {
                first: from,
                count,
                of: 5,
            };
            let part = dropped(Some(rows));
            let range = from * 42..(from + count) * 42;
            assert_eq!(part, [&first[range.clone()], &second[range]].concat());
        }
    }

    /// Returns 40 × 50 ones after dropout.
    fn dropped(draws: Option<DropoutSeed>, block: usize, site: Site, p: f64) -> Vec<f32> {
        begin(draws, StreamScheme::default().of_site(block, site));
        let ones = Tensor::<2>::ones([40, 50], &Device::flex());
        let Value::Two(x) = apply(ones.into(), p) else {
            panic!("the rank changed")
        };
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
            assert!(
                values
                    .iter()
                    .all(|value| *value == 0.0 || *value == rescaled)
            );
        }
        assert!(shape(&[1, 1], 1.0).is_err() && shape(&[1, 1], -0.1).is_err());
    }

    #[test]
    fn masks_depend_on_seed_step_block_and_site() {
        let mask = |seed, step, block, site| dropped(dropout_seed(seed, step), block, site, 0.5);
        let one = mask(1, 2, 3, Site::Attention);
        assert_eq!(one, mask(1, 2, 3, Site::Attention));
        for other in [
            mask(2, 2, 3, Site::Attention),
            mask(1, 3, 3, Site::Attention),
            mask(1, 2, 4, Site::Attention),
            mask(1, 2, 3, Site::Attend),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn gradient_uses_same_mask_as_values() {
        let draws = dropout_seed(5, 1);
        begin(draws, 0);
        let x = Tensor::<3>::ones([2, 3, 4], &Device::flex())
            .autodiff()
            .require_grad();
        let Value::Three(y) = apply(x.clone().into(), 0.5) else {
            panic!("the rank changed")
        };
        let gradient = x.grad(&y.clone().sum().backward()).unwrap();
        let values = |x: Tensor<3>| x.into_data().try_to_vec::<f32>().unwrap();
        assert_eq!(values(gradient), values(y.inner()));
    }
}
