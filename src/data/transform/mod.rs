//! Transforms a decoded image into the square input of a network: resizes, crops and flips it.
//!
//! The transforms are those of torchvision for 8-bit images, resampled like in Pillow (with a filter widened by the
//! scale, "antialias"). Inference uses `Resize` of the shorter side and `CenterCrop`, like timm's `create_transform`;
//! training uses `RandomResizedCrop` and `RandomHorizontalFlip`. Results are u8, H×W×3, row-major.

mod augment;

use std::cell::RefCell;

use fast_image_resize as fir;
use fir::images::{TypedCroppedImage, TypedImage, TypedImageRef};
use fir::pixels::U8x3;
use image::RgbImage;
use serde::{Deserialize, Serialize};

pub use augment::{Augment, CropBox};

use crate::message;
use crate::problem::{Problem, Result};

/// Largest supported side of a network's input in pixels.
pub const MAX_INPUT_SIZE: usize = 4096;

/// Smallest share of the resized side that a crop keeps; the image is enlarged by its inverse.
const MIN_CROP_RATIO: f32 = 0.01;

/// Returns whether a number is a valid [`InputSpec::crop_ratio`].
pub fn is_crop_ratio(ratio: f32) -> bool {
    (MIN_CROP_RATIO..=1.0).contains(&ratio)
}

/// The filter for resizing images, with timm's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// The triangle filter.
    #[default]
    Bilinear,
    /// The cubic filter with a = −½.
    Bicubic,
}

impl Interpolation {
    /// Both filters.
    pub const ALL: [Self; 2] = [Self::Bilinear, Self::Bicubic];

    /// Returns timm's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bilinear => "bilinear",
            Self::Bicubic => "bicubic",
        }
    }
}

/// How an image is made square at inference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CropMode {
    /// Resizes the shorter side to round(size / crop ratio), then crops the centre: the transform of LAE's code.
    #[default]
    Rounded,
    /// Like timm's `center`: resizes the shorter side to floor(size / crop ratio), then crops the centre.
    Center,
    /// Like timm's `squash`: resizes both sides to the size, whatever the aspect ratio.
    Squash,
}

/// How images are resized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resize {
    /// The filter, also used for training.
    pub interpolation: Interpolation,
    /// How the image is made square.
    pub mode: CropMode,
}

/// The input that a network expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputSpec {
    /// Side of the square input in pixels.
    pub size: usize,
    /// Share of the resized shorter side that the centre crop keeps: with 0.875, the side is resized to 256 for a size
    /// of 224; with 1.0, nothing is cropped off.
    pub crop_ratio: f32,
    /// Filter and crop.
    pub resize: Resize,
}

impl InputSpec {
    /// Creates it with the transform of LAE's code: bilinear, with the shorter side rounded.
    pub fn new(size: usize, crop_ratio: f32) -> Self {
        let resize = Resize::default();
        Self { size, crop_ratio, resize }
    }

    /// Checks both numbers.
    ///
    /// # Errors
    /// Returns a Problem for a size outside 1…4096 or a ratio outside 0.01…1.
    pub fn checked(self) -> Result<Self> {
        if self.size == 0 || self.size > MAX_INPUT_SIZE {
            return Err(Problem::new(message!(
                "problem-input-size-out-of-range",
                size = self.size.to_string(),
                largest_input = MAX_INPUT_SIZE.to_string()
            ))
            .at("input_size"));
        }
        if !is_crop_ratio(self.crop_ratio) {
            return Err(Problem::new(message!(
                "problem-crop-ratio-out-of-range",
                crop_ratio = self.crop_ratio.to_string(),
                smallest_crop = MIN_CROP_RATIO.to_string()
            ))
            .at("crop_ratio")
            .advise(message!("advice-usual-crop-ratio")));
        }
        Ok(self)
    }

    /// Returns the length that the shorter side is resized to before the centre crop.
    pub fn shorter_side(&self) -> usize {
        // Uses the decimal value: 0.9_f32 means 0.9, not its nearest binary neighbour.
        let ratio: f64 = self.crop_ratio.to_string().parse().unwrap_or(1.0);
        let exact = self.size as f64 / ratio;
        let side = match self.resize.mode {
            CropMode::Rounded => exact.round_ties_even(),
            CropMode::Center => exact.floor(),
            CropMode::Squash => return self.size,
        };
        (side as usize).max(self.size)
    }

    /// Returns the size of the input in bytes.
    pub fn bytes(&self) -> usize {
        self.size * self.size * 3
    }
}

thread_local! {
    /// The tables and intermediate rows of the last resize, reused by each thread.
    static RESIZER: RefCell<fir::Resizer> = RefCell::new(fir::Resizer::new());
}

/// Writes the inference input of an image to `out`, which has `spec.bytes()` bytes.
///
/// # Errors
/// Returns a Problem for an image without pixels, or an `out` of another length.
pub fn resize_for_inference(image: &RgbImage, spec: InputSpec, out: &mut [u8]) -> Result<()> {
    let (width, height) = image.dimensions();
    let shorter = width.min(height) as usize;
    let target = spec.shorter_side();
    // The longer side is rounded down, as by torchvision's int().
    let scaled = |side: u32| match side as usize {
        side if side == shorter || spec.resize.mode == CropMode::Squash => target,
        side => (target as u128 * side as u128 / shorter.max(1) as u128) as usize,
    };
    let (scaled_width, scaled_height) = (scaled(width), scaled(height));
    let offset = |side: usize| ((side - spec.size) as f64 / 2.0).round_ties_even();
    // Only the kept part is computed: the filter of each pixel is the same as in the full resize.
    let (x_scale, y_scale) =
        (f64::from(width) / scaled_width as f64, f64::from(height) / scaled_height as f64);
    let crop_side = spec.size as f64;
    let options = resize_options(spec.resize).crop(
        offset(scaled_width) * x_scale,
        offset(scaled_height) * y_scale,
        (crop_side * x_scale).min(f64::from(width)),
        (crop_side * y_scale).min(f64::from(height)),
    );
    resample(&image_view(image)?, spec.size, &options, out)
}

/// Writes a crop, resized to the size of `spec`, to `out`, like torchvision's `resized_crop`: pixels outside of the box
/// have no effect.
///
/// # Errors
/// Returns a Problem if the box is empty or not inside the image, or if `out` does not have `spec.bytes()` bytes.
pub fn crop_and_resize(
    image: &RgbImage,
    crop: &CropBox,
    spec: InputSpec,
    out: &mut [u8],
) -> Result<()> {
    let full = image_view(image)?;
    let cropped = TypedCroppedImage::from_ref(&full, crop.left, crop.top, crop.width, crop.height)
        .ok()
        .filter(|_| crop.width > 0 && crop.height > 0)
        .ok_or_else(|| {
            Problem::new(message!(
                "problem-crop-outside-image",
                width = crop.width.to_string(),
                height = crop.height.to_string(),
                left = crop.left.to_string(),
                top = crop.top.to_string(),
                width2 = image.width().to_string(),
                height2 = image.height().to_string()
            ))
        })?;
    resample(&cropped, spec.size, &resize_options(spec.resize), out)?;
    if crop.flip {
        for row in out.chunks_exact_mut(spec.size * 3) {
            mirror(row);
        }
    }
    Ok(())
}

fn resize_options(resize: Resize) -> fir::ResizeOptions {
    let filter = match resize.interpolation {
        Interpolation::Bilinear => fir::FilterType::Bilinear,
        // The same kernel as Pillow's BICUBIC.
        Interpolation::Bicubic => fir::FilterType::CatmullRom,
    };
    fir::ResizeOptions::new().resize_alg(fir::ResizeAlg::Convolution(filter))
}

fn image_view(image: &RgbImage) -> Result<TypedImageRef<'_, U8x3>> {
    let (width, height) = image.dimensions();
    if width == 0 || height == 0 {
        return Err(Problem::new(message!("problem-image-without-pixels")));
    }
    TypedImageRef::from_buffer(width, height, image.as_raw())
        .map_err(|error| Problem::with_error("problem-pixel-data-size-mismatch", &error))
}

/// Resizes `source` to `out`. The pixel type is static, because a dynamic one would generate code for all thirteen
/// types.
fn resample(
    source: &impl fir::ImageView<Pixel = U8x3>,
    size: usize,
    options: &fir::ResizeOptions,
    out: &mut [u8],
) -> Result<()> {
    let side = size as u32;
    let mut target = TypedImage::<U8x3>::from_buffer(side, side, out)
        .map_err(|error| Problem::with_error("problem-resize-buffer-length", &error))?;
    RESIZER
        .with_borrow_mut(|resizer| resizer.resize_typed(source, &mut target, options))
        .map_err(|error| Problem::with_error("problem-image-not-resized", &error))
}

fn mirror(row: &mut [u8]) {
    let pixels = row.len() / 3;
    for x in 0..pixels / 2 {
        for channel in 0..3 {
            row.swap(x * 3 + channel, (pixels - 1 - x) * 3 + channel);
        }
    }
}

#[cfg(test)]
mod tests;
