//! The network's input of a single image.

use std::path::Path;

use image::RgbImage;
use rayon::prelude::*;

use crate::cache::PixelCache;
use crate::image_file::decode_file_budgeted;
use crate::problem::Result;
use crate::source::Sample;
use crate::transform::{Augment, CropBox, InputSpec, crop_and_resize, resize_for_inference};

/// Returns the training input of image `index` (among the samples given to the loader) in an epoch, and the drawn crop.
///
/// # Errors
/// Returns a Problem if the image cannot be decoded.
pub fn augmented_input(
    sample: &Sample,
    index: usize,
    spec: InputSpec,
    augment: Augment,
    seed: u64,
    epoch: u64,
) -> Result<(Vec<u8>, CropBox)> {
    let mut out = vec![0; spec.bytes()];
    let image = sample.decode()?;
    let crop = write_augmented_input(&image, (index, seed, epoch), spec, augment, &mut out)?;
    Ok((out, crop))
}

/// Draws the augmentation of image `index` in an epoch, writes the result to `out`, and returns the crop.
pub(super) fn write_augmented_input(
    image: &RgbImage,
    (index, seed, epoch): (usize, u64, u64),
    spec: InputSpec,
    augment: Augment,
    out: &mut [u8],
) -> Result<CropBox> {
    let (width, height) = image.dimensions();
    let crop = augment.draw(seed, epoch, index as u64, width, height);
    crop_and_resize(image, &crop, spec, out)?;
    Ok(crop)
}

/// Writes the inference input of a sample to `out`, using the cache if there is one.
pub(super) fn write_inference_input(
    sample: &Sample,
    spec: InputSpec,
    cache: Option<&PixelCache>,
    out: &mut [u8],
) -> Result<()> {
    if let Some(cached) = cache.and_then(|cache| cache.input(&sample.source, spec)) {
        out.copy_from_slice(&cached);
        return Ok(());
    }
    resize_for_inference(&sample.decode_budgeted()?.image, spec, out)?;
    if let Some(cache) = cache {
        cache.insert_input(&sample.source, spec, out);
    }
    Ok(())
}

/// Writes the inference input of an image file to `out`, which has [`InputSpec::bytes`] bytes.
///
/// # Errors
/// Returns a Problem if the file cannot be read or decoded.
pub fn write_file_input(
    path: &Path,
    bit_depth: usize,
    spec: InputSpec,
    out: &mut [u8],
) -> Result<()> {
    resize_for_inference(&decode_file_budgeted(path, bit_depth)?.image, spec, out)
}

/// Returns the inference inputs of a few samples in order, computed on all cores.
pub fn inference_inputs(samples: &[Sample], spec: InputSpec) -> Vec<Result<Vec<u8>>> {
    samples
        .par_iter()
        .map(|sample| {
            let mut out = vec![0; spec.bytes()];
            resize_for_inference(&sample.decode_budgeted()?.image, spec, &mut out)?;
            Ok(out)
        })
        .collect()
}
