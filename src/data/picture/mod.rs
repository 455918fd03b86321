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
use decoding_memory::Claim;
use memory_budget::Room;

/// A decoded image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Its name.
    pub name: String,
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// height × width × 3, 8 bit sRGB.
    pub rgb: Vec<u8>,
}

impl Picture {
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
const LARGEST_FILE: u64 = 512 << 20;
/// Largest memory for headers and other data besides the pixels, since a few bytes can declare a strip of any length.
const MOST_BESIDE: u64 = 32 << 20;

/// Extensions of files that are read as images.
pub const READABLE: [&str; 11] = [
    "jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "dib", "gif", "tif", "tiff",
];

/// Image formats that are recognised by extension but not supported.
const FOREIGN: [(&str, &str); 20] = [
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
pub fn foreign_format(ending: &str) -> Option<&'static str> {
    FOREIGN
        .iter()
        .find(|(known, _)| *known == ending)
        .map(|(_, name)| *name)
}

/// A decoded image with its part of the shared memory limit, which is released when it is dropped. A thread that holds
/// one must not decode another image, because it would wait for its own memory.
pub(super) struct BudgetedImage {
    pub picture: RgbImage,
    /// The largest channel value in the file; `None` unless it has 16 bits per channel.
    pub largest: Option<u16>,
    _room: Option<Room>,
}

impl BudgetedImage {
    /// Returns the number of bytes of its pixels.
    pub fn bytes(&self) -> usize {
        self.picture.as_raw().capacity()
    }
}

impl From<RgbImage> for BudgetedImage {
    /// Wraps an image that is small or counted elsewhere.
    fn from(picture: RgbImage) -> Self {
        Self {
            picture,
            largest: None,
            _room: None,
        }
    }
}

/// Decodes an image file to upright 8-bit RGB. 16-bit values have `bit_depth` significant bits: they are multiplied by
/// 2^(16 − `bit_depth`), with white as the maximum, and then rounded to 8 bits.
/// # Errors
/// Returns a Problem for a file that is not an image, an unsupported format, a damaged or truncated file, or an image
/// that needs more memory than allowed: see `Claim`.
pub fn decode_picture(bytes: &[u8], bit_depth: usize) -> Result<RgbImage> {
    decode_within(bytes, bit_depth, available_bytes).map(|held| held.picture)
}

/// Decodes like [`decode_picture`], with this much free memory in bytes.
fn decode_within(
    bytes: &[u8],
    bit_depth: usize,
    free: impl FnOnce() -> Option<u64> + Copy,
) -> Result<BudgetedImage> {
    let Some(format) = format_of(bytes) else {
        return Err(not_readable(bytes));
    };
    let directory = tiff::first_directory(&mut Cursor::new(bytes)).map_err(|_| lists_too_long())?;
    let palette = directory.and_then(|directory| directory.palette(bytes));
    // A panic of a decoder on a malformed file must not end the program.
    catch_unwind(AssertUnwindSafe(|| match &palette {
        Some(palette) => {
            let mut held = decode_as(&palette.grey, format, bit_depth, free)?;
            palette.colour(&mut held.picture);
            Ok(held)
        }
        None if jpeg_lacks_end(bytes) => decode_without_end(bytes, bit_depth, free),
        None => decode_as(bytes, format, bit_depth, free),
    }))
    .unwrap_or_else(|_| Err(damaged("its decoder failed")))
}

/// Reads and decodes an image file.
///
/// # Errors
/// Returns the same Problems as [`decode_picture`], with the path, and one if the file cannot be read.
pub fn decode_picture_file(path: &Path, bit_depth: usize) -> Result<RgbImage> {
    hold_file(path, bit_depth).map(|held| held.picture)
}

/// Decodes like [`decode_picture_file`], and returns the image with its share of the memory limit.
pub(super) fn hold_file(path: &Path, bit_depth: usize) -> Result<BudgetedImage> {
    decode_and(path, bit_depth, |_| ()).map(|(held, ())| held)
}

/// Decodes like [`hold_file`], and also returns the result of `look` on the file's bytes.
pub(super) fn decode_and<T>(
    path: &Path,
    bit_depth: usize,
    look: impl FnOnce(&[u8]) -> T,
) -> Result<(BudgetedImage, T)> {
    let (_alone, bytes) = read_alone(path)?;
    let held = decode_within(&bytes, bit_depth, available_bytes);
    let held = held.map_err(|problem| problem.at_path(path))?;
    Ok((held, look(&bytes)))
}

/// Returns the bytes of an image file.
pub(super) fn read_picture_file(path: &Path) -> Result<Vec<u8>> {
    read_alone(path).map(|(_, bytes)| bytes)
}

/// Returns the SHA-256 of an image file.
pub(super) fn sha256_of_file(path: &Path) -> Result<[u8; 32]> {
    let (_alone, bytes) = read_alone(path)?;
    Ok(Sha256::digest(bytes).into())
}

/// Returns the bytes of an image file, with their part of the memory limit of all files being read.
fn read_alone(path: &Path) -> Result<(Option<Room>, Vec<u8>)> {
    let read = |error| Problem::io("read the image", path, &error);
    let alone = memory_budget::for_file(files::length(path).map_err(read)?);
    let bytes = files::read(path, LARGEST_FILE).map_err(read)?;
    Ok((alone, bytes))
}

/// Returns the format of an image, from its first bytes.
fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    match tiff::is_tiff(bytes) {
        // `guess_format` does not recognise BigTIFF, which the decoder supports.
        true => Some(ImageFormat::Tiff),
        false => image::guess_format(bytes).ok(),
    }
}

/// Returns the usual extension of files with such bytes.
pub(super) fn usual_ending(bytes: &[u8]) -> Result<&'static str> {
    let format = format_of(bytes).ok_or_else(|| not_readable(bytes))?;
    let ending = format.extensions_str().first().copied();
    ending
        .filter(|ending| READABLE.contains(ending))
        .ok_or_else(|| not_readable(bytes))
}

/// Returns width and height from the header only, as stored (before the EXIF rotation).
///
/// # Errors
/// Returns a Problem if it is not a readable image.
pub fn picture_size(path: &Path) -> Result<(u32, u32)> {
    let read = |error: std::io::Error| Problem::io("read the image", path, &error);
    let mut file = BufReader::new(files::open(path).map_err(read)?);
    let directory = tiff::first_directory(&mut file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => lists_too_long().at_path(path),
        _ => read(error),
    })?;
    if let Some(directory) = directory {
        return directory
            .sides()
            .ok_or_else(|| damaged("it has no size").at_path(path));
    }
    file.rewind().map_err(read)?;
    let reader = ImageReader::new(file).with_guessed_format().map_err(read)?;
    reader
        .into_dimensions()
        .map_err(|error| explain(error).at_path(path))
}

fn decode_as(
    bytes: &[u8],
    format: ImageFormat,
    bit_depth: usize,
    free: impl FnOnce() -> Option<u64>,
) -> Result<BudgetedImage> {
    let limited = |most| {
        let mut limits = Limits::default();
        limits.max_alloc = Some(most);
        limits
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limited(MOST_BESIDE));
    let mut decoder = reader.into_decoder().map_err(explain)?;
    if decoder.total_bytes() == 0 {
        return Err(damaged("it has no pixels"));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let claim = Claim::of(&decoder, format, bytes, orientation);
    claim.check(bytes.len() as u64, free)?;
    let most = claim.most.saturating_add(MOST_BESIDE);
    decoder.set_limits(limited(most)).map_err(explain)?;
    let mut room = memory_budget::for_pixels(claim.most);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(explain)?;
    let largest = largest_of(&picture);
    stretch(&mut picture, bit_depth);
    // Converted to 8 bits before it is rotated: a rotated copy of 16 bits and four channels would be the largest of
    // all.
    let mut picture = DynamicImage::ImageRgb8(picture.into_rgb8());
    picture.apply_orientation(orientation);
    let picture = picture.into_rgb8();
    if let Some(room) = &mut room {
        room.shrink_to(picture.as_raw().len() as u64);
    }
    Ok(BudgetedImage {
        picture,
        largest,
        _room: room,
    })
}

/// Bytes appended to a JPEG without an end marker: more than its decoder reads ahead.
const APPENDED: usize = 64;

/// Returns a JPEG with these appended bits and an end marker.
fn closed(bytes: &[u8], appended: u8) -> Vec<u8> {
    // The last byte may be the first half of the end marker.
    let whole = bytes.strip_suffix(b"\xFF").unwrap_or(bytes);
    [whole, &[appended; APPENDED], b"\xFF\xD9"].concat()
}

/// Decodes a JPEG without an end marker if no pixel depends on missing data. To check that, it is decoded twice with
/// different bits appended, which must not change any pixel.
fn decode_without_end(
    bytes: &[u8],
    bit_depth: usize,
    free: impl FnOnce() -> Option<u64> + Copy,
) -> Result<BudgetedImage> {
    // These need several scans, some of which may be missing.
    if jpeg::frame(bytes).keeps_all {
        return Err(cut());
    }
    let decode_with = |appended| {
        let closed = closed(bytes, appended);
        let held = decode_as(&closed, ImageFormat::Jpeg, bit_depth, free);
        held.map_err(|problem| match problem.is("problem-image-damaged") {
            true => cut(),
            false => problem,
        })
    };
    let pixels = |held: &BudgetedImage| Sha256::digest(held.picture.as_raw());
    // Decoded one after the other, because each reserves its share of the memory limit.
    let first = pixels(&decode_with(0)?);
    let held = decode_with(0b1010_1010)?;
    match pixels(&held) == first {
        true => Ok(held),
        false => Err(cut()),
    }
}

/// Returns whether this is a JPEG without an end marker.
pub(super) fn jpeg_lacks_end(bytes: &[u8]) -> bool {
    format_of(bytes) == Some(ImageFormat::Jpeg) && jpeg::lacks_end(bytes)
}

/// Returns the largest value of the channels without alpha; `None` unless they have 16 bits.
fn largest_of(picture: &DynamicImage) -> Option<u16> {
    match picture {
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
fn stretch(picture: &mut DynamicImage, bit_depth: usize) {
    let missing @ 1..FULL_DEPTH = FULL_DEPTH.saturating_sub(bit_depth) else {
        return;
    };
    let values: &mut [u16] = match picture {
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

fn explain(error: ImageError) -> Problem {
    match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError | LimitErrorKind::InsufficientMemory => {
                Problem::new(message!("problem-image-decoding-memory"))
                    .advise(message!("advice-scale-image-down"))
            }
            _ => damaged(&limit.to_string()),
        },
        ImageError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => cut(),
        ImageError::Unsupported(error) => {
            Problem::with_error("problem-image-kind-unsupported", &error)
                .advise(message!("advice-save-as-jpeg-or-png"))
        }
        other => damaged(&other.to_string()),
    }
}

fn lists_too_long() -> Problem {
    damaged("its directory claims more than the file has")
}

fn cut() -> Problem {
    Problem::new(message!("problem-image-file-incomplete"))
        .advise(message!("advice-copy-or-download-again"))
}

fn damaged(detail: &str) -> Problem {
    Problem::new(message!("problem-image-damaged", detail))
        .advise(message!("advice-copy-or-download-again"))
}

/// Returns the Problem of a file that is not a supported image, with what it looks like.
fn not_readable(bytes: &[u8]) -> Problem {
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
