//! Some images of the data that a run learned from, for a report.

use std::io::Cursor;
use std::sync::Arc;

use image::{DynamicImage, ImageFormat, RgbImage};

use super::ResourceCache;
use crate::data::image_kind::first_pictures;
use crate::files::names::is_elsewhere;
use crate::run::event::Picture;
use crate::store::{RunSummary, SamplePicture};

/// Images that are shown of a data set.
const MOST: usize = 24;
/// Longer side of one that is larger, in pixels: twice as many as it is shown with.
const LARGEST: u32 = 160;

/// The first training image of each class, of the first classes; empty if the data are not available, are others than
/// those that the run learned from, or are on another computer, which the program contacts only if the user asks.
/// `go_on` is asked from any thread whether to continue.
pub fn sample_pictures(
    cache: &ResourceCache,
    run: &RunSummary,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Vec<SamplePicture> {
    let header = &run.header;
    // Without a fingerprint any folder could be meant.
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

/// The bytes of a PNG file, no larger than it is shown.
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
