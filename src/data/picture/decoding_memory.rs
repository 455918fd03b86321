//! The memory that decoding an image takes, known from its header and its bytes before any pixel is made room for,
//! and how much one image may take.

use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageFormat};

use super::{jpeg, webp};
use crate::message;
use crate::problem::{Problem, Result};

/// What every image may take, however little memory is free: 100 megapixels of RGBA fit, those with 16 bits do not.
pub(super) const ALWAYS: u64 = 512 << 20;
/// What an image may take where that much is free, however small its file is: 250 megapixels of a PNG in colour fit.
pub(super) const USUALLY: u64 = 768 << 20;
/// What the image of a large file may take where that much is free.
const AT_MOST: u64 = 4 << 30;
/// How many times the size of its file an image may take beyond what it usually may: no few bytes ask for gigabytes.
const TIMES_ITS_FILE: u64 = 20;

/// Bytes that an image will take while it is decoded.
pub(super) struct Claim {
    pub width: u32,
    pub height: u32,
    /// At the same time, at most: as the decoder gives them, 8-bit RGB and turned upright included.
    pub most: u64,
}

impl Claim {
    /// What the image of these bytes claims.
    pub fn of(
        decoder: &impl ImageDecoder,
        format: ImageFormat,
        bytes: &[u8],
        orientation: Orientation,
    ) -> Self {
        let (width, height) = decoder.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        let stored = decoder.total_bytes();
        let file = bytes.len() as u64;
        let beside = match format {
            // The decoder keeps a copy of the file.
            ImageFormat::Jpeg => jpeg::frame(bytes).kept().saturating_add(file),
            ImageFormat::WebP => webp::beside(bytes, pixels),
            ImageFormat::Gif => pixels.saturating_mul(4),
            ImageFormat::Tiff => {
                let bits = u64::from(decoder.original_color_type().bits_per_pixel());
                let inside = jpeg::largest_inside(bytes);
                let inside = inside
                    .kept()
                    .saturating_add(inside.pixels.saturating_mul(4));
                (pixels.saturating_mul(bits) / 8)
                    .max(stored)
                    .saturating_add(inside)
            }
            _ => 0,
        };
        let rgb = pixels.saturating_mul(3);
        let narrowed = match decoder.color_type() {
            ColorType::Rgb8 => stored,
            _ => stored.saturating_add(rgb),
        };
        let turned = match orientation {
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => rgb,
            _ => rgb.saturating_mul(2),
        };
        Self {
            width,
            height,
            most: stored.saturating_add(beside).max(narrowed).max(turned),
        }
    }

    /// Refuses an image that takes more than one may, for a file of `file` bytes and `free` bytes of free memory.
    ///
    /// # Errors
    /// It takes more.
    pub fn check(&self, file: u64, free: impl FnOnce() -> Option<u64>) -> Result<()> {
        // Nobody is asked about an image of the usual kind.
        if self.most <= ALWAYS {
            return Ok(());
        }
        let allowed = allowed(file, free().unwrap_or(u64::MAX));
        if self.most <= allowed {
            return Ok(());
        }
        let Self {
            width,
            height,
            most,
        } = self;
        Err(Problem::new(message!(
            "problem-image-decoding-memory-limit",
            width = width.to_string(),
            height = height.to_string(),
            most = most.div_ceil(1 << 20).to_string(),
            allowed = (allowed >> 20).to_string()
        ))
        .advise(message!("advice-scale-image-down")))
    }
}

/// Bytes that an image from a file of `file` bytes may take, with `free` bytes of free memory.
fn allowed(file: u64, free: u64) -> u64 {
    let by_file = file.saturating_mul(TIMES_ITS_FILE).clamp(USUALLY, AT_MOST);
    by_file.min(free / 2).max(ALWAYS)
}
