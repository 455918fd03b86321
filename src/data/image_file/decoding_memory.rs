//! Estimates the memory for decoding an image from its header and bytes, before pixels are allocated, and limits it per
//! image.

use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageFormat};

use super::{jpeg, webp};
use crate::message;
use crate::problem::{Problem, Result};

/// Memory that every image may use, even if little is free: enough for 100 megapixels of RGBA, unless they have 16
/// bits.
pub(super) const ALWAYS_ALLOWED: u64 = 512 << 20;
/// Memory that an image may use if enough is free, however small its file is: enough for 250 megapixels of a colour
/// PNG.
pub(super) const USUALLY_ALLOWED: u64 = 768 << 20;
/// Maximum memory for an image from a large file, if enough is free.
const MAX_ALLOWED: u64 = 4 << 30;
/// Memory that a large image may use, as a multiple of its file size, so that a few bytes cannot claim gigabytes.
const FILE_SIZE_FACTOR: u64 = 20;

/// The size of an image, and the memory for decoding it.
pub(super) struct MemoryEstimate {
    pub width: u32,
    pub height: u32,
    /// Peak memory in bytes, including the decoder's output, conversion to 8-bit RGB, and rotation.
    pub peak_bytes: u64,
}

impl MemoryEstimate {
    /// Estimates the memory for decoding these bytes.
    pub fn new(
        decoder: &impl ImageDecoder,
        format: ImageFormat,
        bytes: &[u8],
        orientation: Orientation,
    ) -> Self {
        let (width, height) = decoder.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        let stored = decoder.total_bytes();
        let file_bytes = bytes.len() as u64;
        let decoder_bytes = match format {
            // The decoder keeps a copy of the file.
            ImageFormat::Jpeg => jpeg::read_frame(bytes).decoder_bytes().saturating_add(file_bytes),
            ImageFormat::WebP => webp::decoder_bytes(bytes, pixels),
            ImageFormat::Gif => pixels.saturating_mul(4),
            ImageFormat::Tiff => {
                let bits = u64::from(decoder.original_color_type().bits_per_pixel());
                let embedded = jpeg::largest_embedded_frame(bytes);
                let embedded =
                    embedded.decoder_bytes().saturating_add(embedded.pixels.saturating_mul(4));
                (pixels.saturating_mul(bits) / 8).max(stored).saturating_add(embedded)
            }
            _ => 0,
        };
        let rgb = pixels.saturating_mul(3);
        let conversion = match decoder.color_type() {
            ColorType::Rgb8 => stored,
            _ => stored.saturating_add(rgb),
        };
        let rotation = match orientation {
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => rgb,
            _ => rgb.saturating_mul(2),
        };
        Self {
            width,
            height,
            peak_bytes: stored.saturating_add(decoder_bytes).max(conversion).max(rotation),
        }
    }

    /// Refuses an image that needs more memory than allowed for a file of `file_bytes` bytes with `free_bytes` of free
    /// memory.
    ///
    /// # Errors
    /// Returns a Problem if it needs more.
    pub fn check(&self, file_bytes: u64, free_bytes: impl FnOnce() -> Option<u64>) -> Result<()> {
        // Free memory is queried only for large images.
        if self.peak_bytes <= ALWAYS_ALLOWED {
            return Ok(());
        }
        let allowed = allowed_bytes(file_bytes, free_bytes().unwrap_or(u64::MAX));
        if self.peak_bytes <= allowed {
            return Ok(());
        }
        let Self { width, height, peak_bytes: most } = self;
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

/// Returns how many bytes an image from a file of `file_bytes` bytes may use, with `free_bytes` of free memory.
fn allowed_bytes(file_bytes: u64, free_bytes: u64) -> u64 {
    let file_limit =
        file_bytes.saturating_mul(FILE_SIZE_FACTOR).clamp(USUALLY_ALLOWED, MAX_ALLOWED);
    file_limit.min(free_bytes / 2).max(ALWAYS_ALLOWED)
}
