//! Determines the kind of images in a dataset: drawings, which must not be mirrored, or photographs.

use std::path::Path;
use std::sync::Arc;

use image::RgbImage;

use super::image_file::{NamedImage, decode_file_budgeted};
use super::{Dataset, Sample};
use crate::problem::Result;

/// Maximum longer side of a small image in pixels; no window shows a larger one.
const MAX_PREVIEW_SIDE: u32 = 512;
/// Maximum longer side of a thumbnail in pixels.
const THUMBNAIL_SIDE: u32 = 96;
/// Longer side of the smallest photograph, in pixels; smaller images are symbols, icons or thumbnails.
const MIN_PHOTOGRAPH_SIDE: usize = 41;
/// Minimum difference of two channels of a coloured pixel.
const MIN_COLOUR_DIFFERENCE: u8 = 24;
/// Maximum number of classes that are examined.
const MAX_CLASSES: usize = 24;

/// Properties estimated from one image of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImageKind {
    /// Whether most are light strokes on a dark background.
    pub light_on_dark: bool,
    /// Mean share of the image's side that the longer side of the glyph covers; `None` if an image is not a drawing.
    pub glyph_share: Option<f32>,
    /// Whether most are photographs: coloured, and larger than 40 pixels.
    pub photographs: bool,
}

impl ImageKind {
    /// Returns the properties of these images.
    pub fn from_images(images: &[Arc<NamedImage>]) -> Self {
        let light = images.iter().filter(|image| is_light_on_dark(image));
        let light_on_dark = 2 * light.count() > images.len();
        let shares = images.iter();
        let shares: Option<Vec<f32>> =
            shares.map(|image| glyph_share(image, light_on_dark)).collect();
        let shares = shares.filter(|shares| !shares.is_empty());
        let glyph_share = shares.map(|shares| shares.iter().sum::<f32>() / shares.len() as f32);
        Self {
            light_on_dark,
            glyph_share,
            photographs: 2 * images.iter().filter(|p| is_photograph(p)).count() > images.len(),
        }
    }
}

/// Returns the first training image of each of the first classes, reduced by [`preview`], with the class's number.
pub fn first_images(data: &Dataset) -> Vec<(usize, Arc<NamedImage>)> {
    // Samples are sorted by class, so the first one is found by binary search.
    let first = |class: usize| {
        let start = data.train.partition_point(|s| (s.class as usize) < class);
        data.train.get(start).filter(|s| s.class as usize == class)
    };
    (0..data.classes.len())
        .filter_map(|class| Some((class, Arc::new(load_preview(first(class)?).ok()?))))
        .take(MAX_CLASSES)
        .collect()
}

/// Returns a reduced image of a sample.
///
/// # Errors
/// Returns a Problem if it cannot be decoded.
pub fn load_preview(sample: &Sample) -> Result<NamedImage> {
    let decoded = sample.decode_budgeted()?;
    Ok(preview(sample.name(), decoded.image))
}

/// Returns an image that is reduced for display in a window.
pub fn preview(name: String, image: RgbImage) -> NamedImage {
    downscale(name, image, MAX_PREVIEW_SIDE)
}

/// Returns a thumbnail of an image file.
///
/// # Errors
/// Returns a Problem if the file cannot be read or decoded.
pub fn load_thumbnail(path: &Path, bit_depth: usize) -> Result<NamedImage> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let decoded = decode_file_budgeted(path, bit_depth)?;
    Ok(downscale(name.into_owned(), decoded.image, THUMBNAIL_SIDE))
}

/// Returns an image that is reduced so that its longer side has at most `max_side` pixels.
fn downscale(name: String, image: RgbImage, max_side: u32) -> NamedImage {
    let (width, height) = image.dimensions();
    let image = if width.max(height) > max_side {
        let scale = f64::from(max_side) / f64::from(width.max(height));
        let side = |n: u32| ((f64::from(n) * scale).round() as u32).max(1);
        image::imageops::thumbnail(&image, side(width), side(height))
    } else {
        image
    };
    NamedImage::new(name, image)
}

/// Returns whether an image is larger than 40 pixels and at least a tenth of it is coloured.
fn is_photograph(image: &NamedImage) -> bool {
    let pixels = image.rgb.chunks_exact(3);
    let coloured = pixels.filter(|pixel| is_coloured(pixel)).count();
    let large = image.width.max(image.height) >= MIN_PHOTOGRAPH_SIDE;
    large && 30 * coloured >= image.rgb.len()
}

fn is_coloured(pixel: &[u8]) -> bool {
    let (low, high) = (pixel.iter().min(), pixel.iter().max());
    high.zip(low).is_some_and(|(high, low)| high - low > MIN_COLOUR_DIFFERENCE)
}

/// Returns whether an image has light strokes on a dark background, judged by the brightness of its border.
pub fn is_light_on_dark(image: &NamedImage) -> bool {
    let (w, h) = (image.width, image.height);
    let is_border = |at: usize| {
        let (x, y) = (at % w, at / w);
        y == 0 || x == 0 || y + 1 == h || x + 1 == w
    };
    let pixels = image.rgb.chunks_exact(3).enumerate();
    let border = pixels.filter(|(at, _)| is_border(*at));
    let border = border.flat_map(|(_, pixel)| pixel);
    let (sum, count) =
        border.fold((0u64, 0u64), |(sum, count), &value| (sum + u64::from(value), count + 1));
    count > 0 && sum / count < 110
}

/// Returns the share of the image's side that the longer side of the glyph covers; `None` if the image is coloured or
/// empty.
pub fn glyph_share(image: &NamedImage, light_on_dark: bool) -> Option<f32> {
    let (w, h) = (image.width, image.height);
    let mut bounds: Option<[usize; 4]> = None;
    for (i, pixel) in image.rgb.chunks_exact(3).enumerate() {
        if is_coloured(pixel) {
            return None;
        }
        let (low, high) = (pixel.iter().min()?, pixel.iter().max()?);
        let ink = if light_on_dark { *high } else { 255 - *low };
        if ink > 96 {
            let (x, y) = (i % w, i / w);
            let [l, t, r, b] = bounds.unwrap_or([x, y, x, y]);
            bounds = Some([l.min(x), t.min(y), r.max(x), b.max(y)]);
        }
    }
    let [l, t, r, b] = bounds?;
    let share = |from: usize, to: usize, all: usize| (to - from + 1) as f32 / all.max(1) as f32;
    Some(share(l, r, w).max(share(t, b, h)))
}
