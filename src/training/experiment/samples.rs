//! Selects sample images of the data that a run learned from, for a report.

use std::io::Cursor;
use std::sync::Arc;

use image::{DynamicImage, ImageFormat, RgbImage};

use super::ResourceCache;
use crate::data::image_kind::first_pictures;
use crate::files::names::is_elsewhere;
use crate::run::event::Picture;
use crate::store::{RunSummary, SamplePicture};

/// Maximum number of images per dataset.
const MOST: usize = 24;
/// Maximum length of the longer side in pixels: twice the displayed size.
const LARGEST: u32 = 160;

/// Returns the first training image of each of the first classes. Returns an empty list if the data are not
/// available, differ from those that the run learned from, or are on another computer, which the program contacts
/// only on request. `go_on` is called from any thread and returns whether to continue.
pub fn sample_pictures(
    cache: &ResourceCache,
    run: &RunSummary,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Vec<SamplePicture> {
    let header = &run.header;
    // Without fingerprints, the images may differ from those that the run learned from.
    let Some(known) = &header.images else {
        return Vec::new();
    };
    if is_elsewhere(&header.config.data) {
        return Vec::new();
    }
    let Ok(data) = cache.data(&header.config, go_on) else {
        return Vec::new();
    };
    if !data.has_images(known) {
        return Vec::new();
    }
    let pictures = first_pictures(&data).into_iter().take(MOST);
    let sample = |(class, picture): (usize, Arc<Picture>)| {
        Some(SamplePicture {
            class: data.classes.get(class)?.clone(),
            png: png(&picture)?,
        })
    };
    pictures.filter_map(sample).collect()
}

/// Returns an image as PNG file, reduced to at most [`LARGEST`] pixels.
fn png(picture: &Picture) -> Option<Vec<u8>> {
    let size = [picture.width, picture.height].map(u32::try_from);
    let [Ok(width), Ok(height)] = size else {
        return None;
    };
    let pixels = RgbImage::from_raw(width, height, picture.rgb.clone())?;
    let mut image = DynamicImage::from(pixels);
    if width.max(height) > LARGEST {
        image = image.thumbnail(LARGEST, LARGEST);
    }
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}
