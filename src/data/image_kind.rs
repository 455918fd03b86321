//! Determines the kind of images in a dataset: drawings, which must not be mirrored, or photographs.

use std::path::Path;
use std::sync::Arc;

use image::RgbImage;

use super::picture::Picture;
use super::picture::hold_file;
use super::{Dataset, Sample};
use crate::problem::Result;

/// Maximum longer side of a small image in pixels; no window shows a larger one.
const LARGEST: u32 = 512;
/// Maximum longer side of a thumbnail in pixels.
const THUMBNAIL: u32 = 96;
/// Longer side of the smallest photograph, in pixels; smaller images are symbols, icons or thumbnails.
const SMALLEST_PHOTOGRAPH: usize = 41;
/// Minimum difference of two channels of a coloured pixel.
const COLOURED: u8 = 24;
/// Maximum number of classes that are examined.
const CLASSES: usize = 24;

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
    pub fn of(pictures: &[Arc<Picture>]) -> Self {
        let light = pictures.iter().filter(|picture| is_light_on_dark(picture));
        let light_on_dark = 2 * light.count() > pictures.len();
        let shares = pictures.iter();
        let shares: Option<Vec<f32>> = shares
            .map(|picture| glyph_share(picture, light_on_dark))
            .collect();
        let shares = shares.filter(|shares| !shares.is_empty());
        let glyph_share = shares.map(|shares| shares.iter().sum::<f32>() / shares.len() as f32);
        Self {
            light_on_dark,
            glyph_share,
            photographs: 2 * pictures.iter().filter(|p| is_photograph(p)).count() > pictures.len(),
        }
    }
}

/// Returns the first training image of each of the first classes, reduced by [`small`], with the class's number.
pub fn first_pictures(data: &Dataset) -> Vec<(usize, Arc<Picture>)> {
    // Samples are sorted by class, so the first one is found by binary search.
    let first = |class: usize| {
        let start = data.train.partition_point(|s| (s.class as usize) < class);
        data.train.get(start).filter(|s| s.class as usize == class)
    };
    (0..data.classes.len())
        .filter_map(|class| Some((class, Arc::new(small_of(first(class)?).ok()?))))
        .take(CLASSES)
        .collect()
}

/// Returns a reduced image of a sample.
///
/// # Errors
/// Returns a Problem if it cannot be decoded.
pub fn small_of(sample: &Sample) -> Result<Picture> {
    let held = sample.hold()?;
    Ok(small(sample.name(), held.picture))
}

/// Returns an image that is reduced for display in a window.
pub fn small(name: String, image: RgbImage) -> Picture {
    reduced(name, image, LARGEST)
}

/// Returns a thumbnail of an image file.
///
/// # Errors
/// Returns a Problem if the file cannot be read or decoded.
pub fn thumbnail_of(path: &Path, bit_depth: usize) -> Result<Picture> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let held = hold_file(path, bit_depth)?;
    Ok(reduced(name.into_owned(), held.picture, THUMBNAIL))
}

/// Returns an image that is reduced so that its longer side has at most `most` pixels.
fn reduced(name: String, image: RgbImage, most: u32) -> Picture {
    let (width, height) = image.dimensions();
    let image = if width.max(height) > most {
        let scale = f64::from(most) / f64::from(width.max(height));
        let side = |n: u32| ((f64::from(n) * scale).round() as u32).max(1);
        image::imageops::thumbnail(&image, side(width), side(height))
    } else {
        image
    };
    Picture::new(name, image)
}

/// Returns whether an image is larger than 40 pixels and at least a tenth of it is coloured.
fn is_photograph(picture: &Picture) -> bool {
    let pixels = picture.rgb.chunks_exact(3);
    let coloured = pixels.filter(|pixel| is_coloured(pixel)).count();
    let large = picture.width.max(picture.height) >= SMALLEST_PHOTOGRAPH;
    large && 30 * coloured >= picture.rgb.len()
}

fn is_coloured(pixel: &[u8]) -> bool {
    let (low, high) = (pixel.iter().min(), pixel.iter().max());
    high.zip(low)
        .is_some_and(|(high, low)| high - low > COLOURED)
}

/// Returns whether an image has light strokes on a dark background, judged by the brightness of its border.
pub fn is_light_on_dark(picture: &Picture) -> bool {
    let (w, h) = (picture.width, picture.height);
    let is_border = |at: usize| {
        let (x, y) = (at % w, at / w);
        y == 0 || x == 0 || y + 1 == h || x + 1 == w
    };
    let pixels = picture.rgb.chunks_exact(3).enumerate();
    let border = pixels.filter(|(at, _)| is_border(*at));
    let border = border.flat_map(|(_, pixel)| pixel);
    let (sum, count) = border.fold((0u64, 0u64), |(sum, count), &value| {
        (sum + u64::from(value), count + 1)
    });
    count > 0 && sum / count < 110
}

/// Returns the share of the image's side that the longer side of the glyph covers; `None` if the image is coloured or
/// empty.
pub fn glyph_share(picture: &Picture, light_on_dark: bool) -> Option<f32> {
    let (w, h) = (picture.width, picture.height);
    let mut bounds: Option<[usize; 4]> = None;
    for (i, pixel) in picture.rgb.chunks_exact(3).enumerate() {
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
