//! The network's input of a single image.

use std::path::Path;

use image::RgbImage;
use rayon::prelude::*;

use crate::cache::PixelCache;
use crate::picture::hold_file;
use crate::problem::Result;
use crate::source::Sample;
use crate::transform::{Augment, CropBox, InputSpec, crop_into, infer_into};

/// Returns the training input of image `index` (among the samples given to the loader) in an epoch, and the drawn crop.
///
/// # Errors
/// Returns a Problem if the image cannot be decoded.
pub fn augmented(
    sample: &Sample,
    index: usize,
    spec: InputSpec,
    augment: Augment,
    seed: u64,
    epoch: u64,
) -> Result<(Vec<u8>, CropBox)> {
    let mut out = vec![0; spec.bytes()];
    let picture = sample.decode()?;
    let crop = crop_of(&picture, (index, seed, epoch), spec, augment, &mut out)?;
    Ok((out, crop))
}

/// Draws the augmentation of image `index` in an epoch, writes the result to `out`, and returns the crop.
pub(super) fn crop_of(
    picture: &RgbImage,
    (index, seed, epoch): (usize, u64, u64),
    spec: InputSpec,
    augment: Augment,
    out: &mut [u8],
) -> Result<CropBox> {
    let (width, height) = picture.dimensions();
    let crop = augment.draw(seed, epoch, index as u64, width, height);
    crop_into(picture, &crop, spec, out)?;
    Ok(crop)
}

/// Writes the inference input of a sample to `out`, using the cache if there is one.
pub(super) fn inference_input(
    sample: &Sample,
    spec: InputSpec,
    cache: Option<&PixelCache>,
    out: &mut [u8],
) -> Result<()> {
    if let Some(known) = cache.and_then(|cache| cache.input(&sample.source, spec)) {
        out.copy_from_slice(&known);
        return Ok(());
    }
    infer_into(&sample.hold()?.picture, spec, out)?;
    if let Some(cache) = cache {
        cache.keep_input(&sample.source, spec, out);
    }
    Ok(())
}

/// Writes the inference input of an image file to `out`, which has [`InputSpec::bytes`] bytes.
///
/// # Errors
/// Returns a Problem if the file cannot be read or decoded.
pub fn input_of(path: &Path, bit_depth: usize, spec: InputSpec, out: &mut [u8]) -> Result<()> {
    infer_into(&hold_file(path, bit_depth)?.picture, spec, out)
}

/// Returns the inference inputs of a few samples in order, computed on all cores.
pub fn inputs_of(samples: &[Sample], spec: InputSpec) -> Vec<Result<Vec<u8>>> {
    samples
        .par_iter()
        .map(|sample| {
            let mut out = vec![0; spec.bytes()];
            infer_into(&sample.hold()?.picture, spec, &mut out)?;
            Ok(out)
        })
        .collect()
}
