//! Decodes image files of all supported formats to 8-bit RGB.
//!
//! JPEG (baseline, progressive, grey, CMYK), PNG (1 to 16 bit, palette, alpha), WebP, BMP, GIF (first frame) and TIFF.
//! The EXIF orientation is applied; an alpha channel is dropped, as by Pillow's `convert("RGB")`, so that pixels agree
//! with common Python pipelines. Sizes are checked in the header before pixels are allocated, and all images that are
//! decoded at the same time share one memory limit.

mod decoding_memory;
mod jpeg;
mod memory_budget;
mod tiff;
mod webp;

use std::io::{BufReader, Cursor, ErrorKind, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use image::error::{ImageError, LimitErrorKind};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files;
use crate::memory::available_bytes;
use crate::message;
use crate::problem::{Problem, Result};
use decoding_memory::MemoryEstimate;
use memory_budget::MemoryReservation;

/// A decoded image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedImage {
    /// Its name.
    pub name: String,
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// height × width × 3, 8 bit sRGB.
    pub rgb: Vec<u8>,
}

impl NamedImage {
    /// Creates it from decoded pixels.
    pub fn new(name: impl Into<String>, image: RgbImage) -> Self {
        Self {
            name: name.into(),
            width: image.width() as usize,
            height: image.height() as usize,
            rgb: image.into_raw(),
        }
    }
}

/// Significant bits per channel of 16-bit images, unless a bit depth is given.
pub const FULL_DEPTH: usize = u16::BITS as usize;

/// Largest supported image file, in bytes.
const MAX_FILE_BYTES: u64 = 512 << 20;
/// Largest memory for headers and other data besides the pixels, since a few bytes can declare a strip of any length.
const MAX_OVERHEAD_BYTES: u64 = 32 << 20;

/// Extensions of files that are read as images.
pub const IMAGE_EXTENSIONS: [&str; 11] =
    ["jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "dib", "gif", "tif", "tiff"];

/// Image formats that are recognised by extension but not supported.
const UNSUPPORTED_FORMATS: [(&str, &str); 20] = [
    ("heic", "HEIC"),
    ("heif", "HEIC"),
    ("avif", "AVIF"),
    ("jxl", "JPEG XL"),
    ("jp2", "JPEG 2000"),
    ("j2k", "JPEG 2000"),
    ("psd", "Photoshop"),
    ("svg", "SVG"),
    ("pdf", "PDF"),
    ("ico", "icon"),
    ("ppm", "PNM"),
    ("pgm", "PNM"),
    ("tga", "TGA"),
    ("dng", "raw camera"),
    ("cr2", "raw camera"),
    ("cr3", "raw camera"),
    ("nef", "raw camera"),
    ("arw", "raw camera"),
    ("raf", "raw camera"),
    ("orf", "raw camera"),
];

/// Returns the name of an unsupported image format with this extension.
pub fn unsupported_format(extension: &str) -> Option<&'static str> {
    UNSUPPORTED_FORMATS.iter().find(|(known, _)| *known == extension).map(|(_, name)| *name)
}

/// A decoded image with its part of the shared memory limit, which is released when it is dropped. A thread that holds
/// one must not decode another image, because it would wait for its own memory.
pub(super) struct BudgetedImage {
    pub image: RgbImage,
    /// The largest channel value in the file; `None` unless it has 16 bits per channel.
    pub largest_value: Option<u16>,
    _reservation: Option<MemoryReservation>,
}

impl BudgetedImage {
    /// Returns the number of bytes of its pixels.
    pub fn bytes(&self) -> usize {
        self.image.as_raw().capacity()
    }
}

impl From<RgbImage> for BudgetedImage {
    /// Wraps an image that is small or counted elsewhere.
    fn from(image: RgbImage) -> Self {
        Self { image, largest_value: None, _reservation: None }
    }
}

/// Decodes an image file to upright 8-bit RGB. 16-bit values have `bit_depth` significant bits: they are multiplied by
/// 2^(16 − `bit_depth`), with white as the maximum, and then rounded to 8 bits.
///
/// # Errors
/// Returns a Problem for a file that is not an image, an unsupported format, a damaged or truncated file, or an image
/// that needs more memory than allowed: see `MemoryEstimate`.
pub fn decode_image(bytes: &[u8], bit_depth: usize) -> Result<RgbImage> {
    decode_with_memory(bytes, bit_depth, available_bytes).map(|decoded| decoded.image)
}

/// Decodes like [`decode_image`], with this much free memory in bytes.
fn decode_with_memory(
    bytes: &[u8],
    bit_depth: usize,
    free_bytes: impl FnOnce() -> Option<u64> + Copy,
) -> Result<BudgetedImage> {
    let Some(format) = detect_format(bytes) else {
        return Err(unreadable_problem(bytes));
    };
    let directory =
        tiff::first_directory(&mut Cursor::new(bytes)).map_err(|_| directory_too_long())?;
    let palette = directory.and_then(|directory| directory.palette(bytes));
    // A panic of a decoder on a malformed file must not end the program.
    catch_unwind(AssertUnwindSafe(|| match &palette {
        Some(palette) => {
            let mut decoded = decode_as(&palette.grey, format, bit_depth, free_bytes)?;
            palette.apply_colours(&mut decoded.image);
            Ok(decoded)
        }
        None if jpeg_lacks_end(bytes) => decode_without_end(bytes, bit_depth, free_bytes),
        None => decode_as(bytes, format, bit_depth, free_bytes),
    }))
    .unwrap_or_else(|_| Err(damaged("its decoder failed")))
}

/// Reads and decodes an image file.
///
/// # Errors
/// Returns the same Problems as [`decode_image`], with the path, and one if the file cannot be read.
pub fn decode_image_file(path: &Path, bit_depth: usize) -> Result<RgbImage> {
    decode_file_budgeted(path, bit_depth).map(|decoded| decoded.image)
}

/// Decodes like [`decode_image_file`], and returns the image with its share of the memory limit.
pub(super) fn decode_file_budgeted(path: &Path, bit_depth: usize) -> Result<BudgetedImage> {
    decode_and_inspect(path, bit_depth, |_| ()).map(|(decoded, ())| decoded)
}

/// Decodes like [`decode_file_budgeted`], and also returns the result of `inspect` on the file's bytes.
pub(super) fn decode_and_inspect<T>(
    path: &Path,
    bit_depth: usize,
    inspect: impl FnOnce(&[u8]) -> T,
) -> Result<(BudgetedImage, T)> {
    let (_reservation, bytes) = read_reserved(path)?;
    let decoded = decode_with_memory(&bytes, bit_depth, available_bytes);
    let decoded = decoded.map_err(|problem| problem.at_path(path))?;
    Ok((decoded, inspect(&bytes)))
}

/// Returns the bytes of an image file.
pub(super) fn read_image_file(path: &Path) -> Result<Vec<u8>> {
    read_reserved(path).map(|(_, bytes)| bytes)
}

/// Returns the SHA-256 of an image file.
pub(super) fn sha256_of_file(path: &Path) -> Result<[u8; 32]> {
    let (_reservation, bytes) = read_reserved(path)?;
    Ok(Sha256::digest(bytes).into())
}

/// Returns the bytes of an image file, with their part of the memory limit of all files being read.
fn read_reserved(path: &Path) -> Result<(Option<MemoryReservation>, Vec<u8>)> {
    let io_problem = |error| Problem::io("read the image", path, &error);
    let reservation = memory_budget::reserve_file(files::length(path).map_err(io_problem)?);
    let bytes = files::read(path, MAX_FILE_BYTES).map_err(io_problem)?;
    Ok((reservation, bytes))
}

/// Returns the format of an image, from its first bytes.
fn detect_format(bytes: &[u8]) -> Option<ImageFormat> {
    match tiff::is_tiff(bytes) {
        // `guess_format` does not recognise BigTIFF, which the decoder supports.
        true => Some(ImageFormat::Tiff),
        false => image::guess_format(bytes).ok(),
    }
}

/// Returns the usual extension of files with such bytes.
pub(super) fn usual_extension(bytes: &[u8]) -> Result<&'static str> {
    let format = detect_format(bytes).ok_or_else(|| unreadable_problem(bytes))?;
    let extension = format.extensions_str().first().copied();
    extension
        .filter(|extension| IMAGE_EXTENSIONS.contains(extension))
        .ok_or_else(|| unreadable_problem(bytes))
}

/// Returns width and height from the header only, as stored (before the EXIF rotation).
///
/// # Errors
/// Returns a Problem if it is not a readable image.
pub fn image_size(path: &Path) -> Result<(u32, u32)> {
    let io_problem = |error: std::io::Error| Problem::io("read the image", path, &error);
    let mut file = BufReader::new(files::open(path).map_err(io_problem)?);
    let directory = tiff::first_directory(&mut file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => directory_too_long().at_path(path),
        _ => io_problem(error),
    })?;
    if let Some(directory) = directory {
        return directory.dimensions().ok_or_else(|| damaged("it has no size").at_path(path));
    }
    file.rewind().map_err(io_problem)?;
    let reader = ImageReader::new(file).with_guessed_format().map_err(io_problem)?;
    reader.into_dimensions().map_err(|error| decode_problem(error).at_path(path))
}

fn decode_as(
    bytes: &[u8],
    format: ImageFormat,
    bit_depth: usize,
    free_bytes: impl FnOnce() -> Option<u64>,
) -> Result<BudgetedImage> {
    let limits_for = |max_bytes| {
        let mut limits = Limits::default();
        limits.max_alloc = Some(max_bytes);
        limits
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits_for(MAX_OVERHEAD_BYTES));
    let mut decoder = reader.into_decoder().map_err(decode_problem)?;
    if decoder.total_bytes() == 0 {
        return Err(damaged("it has no pixels"));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let estimate = MemoryEstimate::new(&decoder, format, bytes, orientation);
    estimate.check(bytes.len() as u64, free_bytes)?;
    let max_bytes = estimate.peak_bytes.saturating_add(MAX_OVERHEAD_BYTES);
    decoder.set_limits(limits_for(max_bytes)).map_err(decode_problem)?;
    let mut reservation = memory_budget::reserve_pixels(estimate.peak_bytes);
    let mut image = DynamicImage::from_decoder(decoder).map_err(decode_problem)?;
    let largest_value = largest_channel_value(&image);
    scale_to_full_depth(&mut image, bit_depth);
    // Converted to 8 bits before it is rotated: a rotated copy of 16 bits and four channels would be the largest of
    // all.
    let mut image = DynamicImage::ImageRgb8(image.into_rgb8());
    image.apply_orientation(orientation);
    let image = image.into_rgb8();
    if let Some(reservation) = &mut reservation {
        reservation.shrink_to(image.as_raw().len() as u64);
    }
    Ok(BudgetedImage { image, largest_value, _reservation: reservation })
}

/// Bytes appended to a JPEG without an end marker: more than its decoder reads ahead.
const APPENDED_BYTES: usize = 64;

/// Returns a JPEG with these appended bits and an end marker.
fn with_end_marker(bytes: &[u8], appended: u8) -> Vec<u8> {
    // The last byte may be the first half of the end marker.
    let body = bytes.strip_suffix(b"\xFF").unwrap_or(bytes);
    [body, &[appended; APPENDED_BYTES], b"\xFF\xD9"].concat()
}

/// Decodes a JPEG without an end marker if no pixel depends on missing data. To check that, it is decoded twice with
/// different bits appended, which must not change any pixel.
fn decode_without_end(
    bytes: &[u8],
    bit_depth: usize,
    free_bytes: impl FnOnce() -> Option<u64> + Copy,
) -> Result<BudgetedImage> {
    // These need several scans, some of which may be missing.
    if jpeg::read_frame(bytes).keeps_coefficients {
        return Err(truncated());
    }
    let decode_with = |appended| {
        let closed = with_end_marker(bytes, appended);
        let decoded = decode_as(&closed, ImageFormat::Jpeg, bit_depth, free_bytes);
        decoded.map_err(|problem| match problem.is("problem-image-damaged") {
            true => truncated(),
            false => problem,
        })
    };
    let pixel_hash = |decoded: &BudgetedImage| Sha256::digest(decoded.image.as_raw());
    // Decoded one after the other, because each reserves its share of the memory limit.
    let first = pixel_hash(&decode_with(0)?);
    let decoded = decode_with(0b1010_1010)?;
    match pixel_hash(&decoded) == first {
        true => Ok(decoded),
        false => Err(truncated()),
    }
}

/// Returns whether this is a JPEG without an end marker.
pub(super) fn jpeg_lacks_end(bytes: &[u8]) -> bool {
    detect_format(bytes) == Some(ImageFormat::Jpeg) && jpeg::lacks_end_marker(bytes)
}

/// Returns the largest value of the channels without alpha; `None` unless they have 16 bits.
fn largest_channel_value(image: &DynamicImage) -> Option<u16> {
    match image {
        DynamicImage::ImageLuma16(grey) => grey.as_raw().iter().max().copied(),
        DynamicImage::ImageLumaA16(grey) => grey.pixels().map(|pixel| pixel.0[0]).max(),
        DynamicImage::ImageRgb16(colours) => colours.as_raw().iter().max().copied(),
        DynamicImage::ImageRgba16(colours) => {
            let channels = colours.pixels().flat_map(|pixel| {
                let [red, green, blue, _] = pixel.0;
                [red, green, blue]
            });
            channels.max()
        }
        _ => None,
    }
}

/// Multiplies 16-bit values so that the largest value with `bit_depth` bits becomes white; larger values become white
/// too.
fn scale_to_full_depth(image: &mut DynamicImage, bit_depth: usize) {
    let missing @ 1..FULL_DEPTH = FULL_DEPTH.saturating_sub(bit_depth) else {
        return;
    };
    let values: &mut [u16] = match image {
        DynamicImage::ImageLuma16(grey) => grey,
        DynamicImage::ImageLumaA16(grey) => grey,
        DynamicImage::ImageRgb16(colours) => colours,
        DynamicImage::ImageRgba16(colours) => colours,
        _ => return,
    };
    for value in values {
        *value = value.saturating_mul(1 << missing);
    }
}

fn decode_problem(error: ImageError) -> Problem {
    match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError | LimitErrorKind::InsufficientMemory => {
                Problem::new(message!("problem-image-decoding-memory"))
                    .advise(message!("advice-scale-image-down"))
            }
            _ => damaged(&limit.to_string()),
        },
        ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => truncated(),
        ImageError::Unsupported(error) => {
            Problem::with_error("problem-image-kind-unsupported", &error)
                .advise(message!("advice-save-as-jpeg-or-png"))
        }
        other => damaged(&other.to_string()),
    }
}

fn directory_too_long() -> Problem {
    damaged("its directory claims more than the file has")
}

fn truncated() -> Problem {
    Problem::new(message!("problem-image-file-incomplete"))
        .advise(message!("advice-copy-or-download-again"))
}

fn damaged(detail: &str) -> Problem {
    Problem::new(message!("problem-image-damaged", detail))
        .advise(message!("advice-copy-or-download-again"))
}

/// Returns the Problem of a file that is not a supported image, with what it looks like.
fn unreadable_problem(bytes: &[u8]) -> Problem {
    let brand = bytes.get(4..12).unwrap_or_default();
    let name = if bytes.is_empty() {
        return Problem::new(message!("problem-file-empty"))
            .advise(message!("advice-copy-or-download-again"));
    } else if brand.starts_with(b"ftyp") {
        match &brand[4..] {
            b"avif" | b"avis" => "AVIF",
            b"heic" | b"heix" | b"mif1" | b"msf1" | b"hevc" | b"heim" => "HEIC",
            _ => "video",
        }
    } else if bytes.starts_with(b"\xFF\x0A") || brand.starts_with(b"JXL ") {
        "JPEG XL"
    } else if brand.starts_with(b"jP  ") {
        "JPEG 2000"
    } else if bytes.starts_with(b"%PDF") {
        "PDF"
    } else if bytes.starts_with(b"8BPS") {
        "Photoshop"
    } else {
        return Problem::new(message!("problem-file-is-no-image"))
            .advise(message!("advice-supported-image-formats"));
    };
    Problem::new(message!("problem-file-format-unsupported", name))
        .advise(message!("advice-save-as-supported-image"))
}

#[cfg(test)]
mod tests;
