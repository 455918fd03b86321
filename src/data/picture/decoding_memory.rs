//! Estimates the memory for decoding an image from its header and bytes, before pixels are allocated, and limits it per
//! image.

use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageFormat};

use super::{jpeg, webp};
use crate::message;
use crate::problem::{Problem, Result};

/// Memory that every image may use, even if little is free: enough for 100 megapixels of RGBA, unless they have 16
/// bits.
pub(super) const ALWAYS: u64 = 512 << 20;
/// Memory that an image may use if enough is free, however small its file is: enough for 250 megapixels of a colour
/// PNG.
pub(super) const USUALLY: u64 = 768 << 20;
/// Maximum memory for an image from a large file, if enough is free.
const AT_MOST: u64 = 4 << 30;
/// Memory that a large image may use, as a multiple of its file size, so that a few bytes cannot claim gigabytes.
const TIMES_ITS_FILE: u64 = 20;

/// The size of an image, and the memory for decoding it.
pub(super) struct Claim {
    pub width: u32,
    pub height: u32,
    /// Peak memory in bytes, including the decoder's output, conversion to 8-bit RGB, and rotation.
    pub most: u64,
}

impl Claim {
    /// Estimates the memory for decoding these bytes.
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

    /// Refuses an image that needs more memory than allowed for a file of `file` bytes with `free` bytes of free
    /// memory.
    ///
    /// # Errors
    /// Returns a Problem if it needs more.
    pub fn check(&self, file: u64, free: impl FnOnce() -> Option<u64>) -> Result<()> {
        // Free memory is queried only for large images.
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

/// Returns the memory in bytes that an image from a file of `file` bytes may use, with `free` bytes of free memory.
fn allowed(file: u64, free: u64) -> u64 {
    let by_file = file.saturating_mul(TIMES_ITS_FILE).clamp(USUALLY, AT_MOST);
    by_file.min(free / 2).max(ALWAYS)
}
