//! Selects sample images of the data that a run learned from, for a report.

use std::io::Cursor;
use std::sync::Arc;

use image::{DynamicImage, ImageFormat, RgbImage};

use super::ResourceCache;
use crate::data::image_kind::first_images;
use crate::files::names::is_remote;
use crate::run::event::NamedImage;
use crate::store::{RunSummary, SampleImage};

/// Maximum number of images per dataset.
const MAX_IMAGES: usize = 24;
/// Maximum length of the longer side in pixels: twice the displayed size.
const MAX_SIDE: u32 = 160;

/// Returns the first training image of each of the first classes. Returns an empty list if the data are not
/// available, differ from those that the run learned from, or are on another computer, which the program contacts
/// only on request. `should_continue` is called from any thread and returns whether to continue.
pub fn sample_images(
    cache: &ResourceCache,
    run: &RunSummary,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Vec<SampleImage> {
    let header = &run.header;
    // Without fingerprints, the images may differ from those that the run learned from.
    let Some(fingerprints) = &header.images else {
        return Vec::new();
    };
    if is_remote(&header.config.data) {
        return Vec::new();
    }
    let Ok(data) = cache.data(&header.config, should_continue) else {
        return Vec::new();
    };
    if !data.matches_fingerprints(fingerprints) {
        return Vec::new();
    }
    let images = first_images(&data).into_iter().take(MAX_IMAGES);
    let sample = |(class, picture): (usize, Arc<NamedImage>)| {
        Some(SampleImage { class: data.classes.get(class)?.clone(), png: encode_png(&picture)? })
    };
    images.filter_map(sample).collect()
}

/// Returns an image as PNG file, reduced to at most [`MAX_SIDE`] pixels.
fn encode_png(picture: &NamedImage) -> Option<Vec<u8>> {
    let size = [picture.width, picture.height].map(u32::try_from);
    let [Ok(width), Ok(height)] = size else {
        return None;
    };
    let pixels = RgbImage::from_raw(width, height, picture.rgb.clone())?;
    let mut image = DynamicImage::from(pixels);
    if width.max(height) > MAX_SIDE {
        image = image.thumbnail(MAX_SIDE, MAX_SIDE);
    }
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}
