//! `RandomResizedCrop` and `RandomHorizontalFlip`: draws the crop of an image, and whether it is mirrored.

use serde::{Deserialize, Serialize};

use crate::message;
use crate::problem::{Problem, Result};
use crate::rng::{Purpose, Rng};

/// Minimum and maximum aspect ratio (width / height) of a crop.
const ASPECT_RATIO_RANGE: (f32, f32) = (3.0 / 4.0, 4.0 / 3.0);

/// Augmentation of training images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Augment {
    /// Minimum and maximum share of the image's area that a crop covers.
    pub crop_scale: (f32, f32),
    /// Whether images are mirrored horizontally with a probability of one half.
    pub flip: bool,
}

impl Default for Augment {
    /// Returns torchvision's defaults, which the paper uses.
    fn default() -> Self {
        Self { crop_scale: (0.08, 1.0), flip: true }
    }
}

impl Augment {
    /// Checks the scale.
    ///
    /// # Errors
    /// Returns a Problem if the range of the scale is empty, not positive or above 1.
    pub fn checked(self) -> Result<Self> {
        let (low, high) = self.crop_scale;
        if !(low > 0.0 && low <= high && high <= 1.0) {
            return Err(Problem::new(message!(
                "problem-crop-scale-invalid",
                low = low.to_string(),
                high = high.to_string()
            ))
            .at("crop_scale")
            .advise(message!("advice-usual-crop-scale")));
        }
        Ok(self)
    }

    /// Draws crop box and flip of image `index` in `epoch`, for an image of this size.
    pub fn draw(&self, seed: u64, epoch: u64, index: u64, width: u32, height: u32) -> CropBox {
        let mut rng = Rng::new(Purpose::Augment, seed, epoch, index);
        // The flip is drawn first, so that it does not depend on the number of boxes tried.
        let flip = rng.unit() < 0.5 && self.flip;
        CropBox { flip, ..self.draw_box(&mut rng, width, height) }
    }

    /// Draws a box like torchvision's `RandomResizedCrop.get_params`.
    fn draw_box(&self, rng: &mut Rng, width: u32, height: u32) -> CropBox {
        let (full_w, full_h) = (f64::from(width), f64::from(height));
        let (low, high) = (f64::from(ASPECT_RATIO_RANGE.0), f64::from(ASPECT_RATIO_RANGE.1));
        for _ in 0..10 {
            let share = rng.between(f64::from(self.crop_scale.0), f64::from(self.crop_scale.1));
            let area = full_w * full_h * share;
            let aspect = rng.between(low.ln(), high.ln()).exp();
            let w = (area * aspect).sqrt().round_ties_even();
            let h = (area / aspect).sqrt().round_ties_even();
            if w >= 1.0 && h >= 1.0 && w <= full_w && h <= full_h {
                let (w, h) = (w as u32, h as u32);
                let top = rng.below(u64::from(height - h) + 1) as u32;
                let left = rng.below(u64::from(width - w) + 1) as u32;
                return CropBox::new(left, top, w, h);
            }
        }
        let aspect = full_w / full_h;
        let (w, h) = if aspect < low {
            (full_w, (full_w / low).round_ties_even())
        } else if aspect > high {
            ((full_h * high).round_ties_even(), full_h)
        } else {
            (full_w, full_h)
        };
        let (w, h) = ((w as u32).clamp(1, width), (h as u32).clamp(1, height));
        CropBox::new((width - w) / 2, (height - h) / 2, w, h)
    }
}

/// A crop in pixels of the decoded image, and whether the result is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CropBox {
    /// Column of the left edge.
    pub left: u32,
    /// Row of the upper edge.
    pub top: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Whether the result is mirrored horizontally.
    #[serde(default)]
    pub flip: bool,
}

impl CropBox {
    pub(super) fn new(left: u32, top: u32, width: u32, height: u32) -> Self {
        Self { left, top, width, height, flip: false }
    }
}
