//! One picture file → 8-bit RGB, whatever it is.
//!
//! JPEG (baseline, progressive, grey, CMYK), PNG (1 to 16 bit, palette, alpha), WebP, BMP, GIF (first
//! frame) and TIFF. Turned upright by its EXIF orientation; an alpha channel is dropped, as Pillow's
//! `convert("RGB")` does, so that numbers agree with the usual Python pipelines. Sizes are checked from the
//! header, before any pixel is allocated, and all pictures that are decoded at a time share one limit.

mod room;
mod tiff;

use std::io::{BufReader, Cursor, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use image::error::{ImageError, LimitErrorKind};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use crate::files;
use crate::problem::{Problem, Result};

/// Largest picture we decode, in pixels: 100 megapixels are 300 MB.
pub const LARGEST_PICTURE: u64 = 100_000_000;
/// Largest picture file we read, in bytes.
const LARGEST_FILE: u64 = 512 << 20;
/// Most bytes a decoder may use for one picture: 100 megapixels of RGBA fit, those with 16 bits do
/// not.
const MOST_DECODED: u64 = 512 << 20;
/// What it may use for headers, and beside the pixels: a few bytes can claim any length of a strip.
const MOST_BESIDE: u64 = 32 << 20;

/// Endings of files that are read as pictures.
pub const READABLE: [&str; 11] = [
    "jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "dib", "gif", "tif", "tiff",
];

/// Picture formats we know by name but cannot read, by ending.
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

/// The name of a picture format that exists but is not read here, from a file's ending.
pub fn foreign_format(ending: &str) -> Option<&'static str> {
    FOREIGN
        .iter()
        .find(|(known, _)| *known == ending)
        .map(|(_, name)| *name)
}

/// Decodes the bytes of a picture file to upright 8-bit RGB.
///
/// # Errors
/// Not a picture, a format that is not read, a damaged or cut file, or more than
/// [`LARGEST_PICTURE`] pixels.
pub fn decode_picture(bytes: &[u8]) -> Result<RgbImage> {
    let Ok(format) = image::guess_format(bytes) else {
        return Err(not_readable(bytes));
    };
    if format == ImageFormat::Jpeg && jpeg_is_cut(bytes) {
        return Err(cut());
    }
    if !tiff::is_sound(&mut Cursor::new(bytes)).unwrap_or(false) {
        return Err(lists_too_long());
    }
    // A decoder that panics on a crafted file must not take the program with it.
    catch_unwind(AssertUnwindSafe(|| decode_as(bytes, format)))
        .unwrap_or_else(|_| Err(damaged("its decoder gave up")))
}

/// Reads and decodes one picture file.
///
/// # Errors
/// As [`decode_picture`], and a file that cannot be read; the path is part of the problem.
pub fn decode_picture_file(path: &Path) -> Result<RgbImage> {
    decode_and(path, |_| ()).map(|(picture, ())| picture)
}

/// As [`decode_picture_file`], with what `look` finds in the file's bytes.
pub(super) fn decode_and<T>(path: &Path, look: impl FnOnce(&[u8]) -> T) -> Result<(RgbImage, T)> {
    let read = |error| Problem::io("read the picture", path, &error);
    let _alone = room::for_file(files::length(path).map_err(read)?);
    let bytes = files::read(path, LARGEST_FILE).map_err(read)?;
    let picture = decode_picture(&bytes).map_err(|problem| problem.at_path(path))?;
    Ok((picture, look(&bytes)))
}

/// The bytes of a picture file, not yet looked at.
pub(super) fn read_picture_file(path: &Path) -> Result<Vec<u8>> {
    files::read(path, LARGEST_FILE).map_err(|error| Problem::io("read the picture", path, &error))
}

/// How files with such bytes usually end.
pub(super) fn usual_ending(bytes: &[u8]) -> Result<&'static str> {
    let format = image::guess_format(bytes).map_err(|_| not_readable(bytes))?;
    let ending = format.extensions_str().first().copied();
    ending
        .filter(|ending| READABLE.contains(ending))
        .ok_or_else(|| not_readable(bytes))
}

/// Width and height from the header alone, as stored (before any EXIF turn).
///
/// # Errors
/// Not a readable picture.
pub fn picture_size(path: &Path) -> Result<(u32, u32)> {
    let read = |error: std::io::Error| Problem::io("read the picture", path, &error);
    let mut file = BufReader::new(files::open(path).map_err(read)?);
    if !tiff::is_sound(&mut file).map_err(read)? {
        return Err(lists_too_long().at_path(path));
    }
    file.rewind().map_err(read)?;
    let reader = ImageReader::new(file).with_guessed_format().map_err(read)?;
    reader
        .into_dimensions()
        .map_err(|error| explain(error).at_path(path))
}

fn decode_as(bytes: &[u8], format: ImageFormat) -> Result<RgbImage> {
    let limited = |most| {
        let mut limits = Limits::default();
        limits.max_alloc = Some(most);
        limits
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limited(MOST_BESIDE));
    let mut decoder = reader.into_decoder().map_err(explain)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > LARGEST_PICTURE {
        return Err(too_large(width, height));
    }
    if pixels == 0 {
        return Err(damaged("it has no pixels"));
    }
    let stored = decoder.total_bytes();
    limited(MOST_DECODED).reserve(stored).map_err(explain)?;
    let most = MOST_DECODED.min(2 * stored + MOST_BESIDE);
    decoder.set_limits(limited(most)).map_err(explain)?;
    // As stored and as RGB at the same time.
    let _room = room::for_pixels(stored + 3 * pixels);
    let orientation = decoder.orientation().ok();
    let mut picture = DynamicImage::from_decoder(decoder).map_err(explain)?;
    if let Some(orientation) = orientation {
        picture.apply_orientation(orientation);
    }
    Ok(picture.into_rgb8())
}

/// Whether a JPEG lacks its end marker: decoders fill the missing part with grey and say nothing.
fn jpeg_is_cut(bytes: &[u8]) -> bool {
    // Step over the segments before the first scan: an EXIF thumbnail has end markers of its own.
    let mut at = 2;
    while let Some(&[0xFF, marker, high, low]) = bytes.get(at..at + 4) {
        at += match marker {
            // A fill byte, and markers that stand alone.
            0xFF => 1,
            0x01 | 0xD0..=0xD8 => 2,
            _ => 2 + usize::from(u16::from_be_bytes([high, low])),
        };
        if marker == 0xDA {
            break;
        }
    }
    let Some(mut rest) = bytes.get(at..) else {
        return true;
    };
    while let Some(place) = rest.iter().position(|&byte| byte == 0xFF) {
        match rest.get(place + 1) {
            Some(0xD9) => return false,
            Some(_) => rest = &rest[place + 1..],
            None => return true,
        }
    }
    true
}

fn explain(error: ImageError) -> Problem {
    match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError | LimitErrorKind::InsufficientMemory => {
                Problem::new("the picture needs too much memory to be decoded")
                    .advise("scale it down with a picture program")
            }
            _ => damaged(&limit.to_string()),
        },
        ImageError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => cut(),
        ImageError::Unsupported(error) => {
            Problem::new(format!("this kind of picture is not read: {error}"))
                .advise("save it as JPEG or PNG")
        }
        ImageError::Decoding(error) => damaged(&error.to_string()),
        other => damaged(&other.to_string()),
    }
}

fn too_large(width: u32, height: u32) -> Problem {
    Problem::new(format!(
        "the picture claims {width}×{height} pixels, more than the {} million that are decoded",
        LARGEST_PICTURE / 1_000_000
    ))
    .advise("scale it down with a picture program")
}

fn lists_too_long() -> Problem {
    damaged("its directory claims more than the file has")
}

fn cut() -> Problem {
    Problem::new("the picture file is cut off before its end").advise("copy or download it again")
}

fn damaged(detail: &str) -> Problem {
    Problem::new(format!("the picture is damaged: {detail}")).advise("copy or download it again")
}

/// Says what a file that is no known picture looks like.
fn not_readable(bytes: &[u8]) -> Problem {
    let brand = bytes.get(4..12).unwrap_or_default();
    let name = if bytes.is_empty() {
        return Problem::new("the file is empty").advise("copy or download it again");
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
        return Problem::new("the file is not a picture")
            .advise("JPEG, PNG, WebP, BMP, GIF and TIFF are read");
    };
    Problem::new(format!("{name} files are not read"))
        .advise("save it as JPEG or PNG (JPEG, PNG, WebP, BMP, GIF and TIFF are read)")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let picture = RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8 * 6, y as u8 * 8, 90]));
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn every_format_is_read_by_content_not_by_name() {
        for format in [
            ImageFormat::Jpeg,
            ImageFormat::Png,
            ImageFormat::Bmp,
            ImageFormat::Gif,
            ImageFormat::Tiff,
            ImageFormat::WebP,
        ] {
            let picture = decode_picture(&encoded(format)).unwrap();
            assert_eq!(picture.dimensions(), (40, 30), "{format:?}");
        }
    }

    #[test]
    fn files_cut_anywhere_are_problems_and_never_panics() {
        for format in [
            ImageFormat::Jpeg,
            ImageFormat::Png,
            ImageFormat::WebP,
            ImageFormat::Tiff,
        ] {
            let bytes = encoded(format);
            for keep in [0, 1, 3, 10, bytes.len() / 2, bytes.len() - 14] {
                assert!(
                    decode_picture(&bytes[..keep]).is_err(),
                    "{format:?} cut to {keep}"
                );
            }
        }
        let jpeg = encoded(ImageFormat::Jpeg);
        let problem = decode_picture(&jpeg[..jpeg.len() - 30]).unwrap_err();
        assert!(problem.what.contains("cut off"), "{problem}");
        // Bytes after the end are common (camera makers' notes) and harmless.
        let longer = [jpeg.as_slice(), &[1, 2, 0xFF, 0xDA, 4]].concat();
        assert!(decode_picture(&longer).is_ok());
    }

    #[test]
    fn a_huge_header_is_refused_before_allocation() {
        let mut png = encoded(ImageFormat::Png);
        png[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
        png[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
        // The header's checksum covers type and data of IHDR.
        let crc = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        let problem = decode_picture(&png).unwrap_err();
        assert!(problem.what.contains("30000×30000"), "{problem}");
    }

    #[test]
    fn sixteen_bits_and_alpha_count_before_they_are_decoded() {
        let deep = image::ImageBuffer::<image::Rgba<u16>, _>::new(2, 2);
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgba16(deep)
            .write_to(&mut bytes, ImageFormat::Png)
            .unwrap();
        let mut png = bytes.into_inner();
        for side in [16..20, 20..24] {
            png[side].copy_from_slice(&9_000_u32.to_be_bytes());
        }
        let crc = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        let problem = decode_picture(&png).unwrap_err();
        assert!(problem.what.contains("too much memory"), "{problem}");
    }

    fn crc32(bytes: &[u8]) -> u32 {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc.sum()
    }

    #[test]
    fn alpha_is_dropped_and_sixteen_bits_are_scaled() {
        let clear = image::RgbaImage::from_pixel(2, 2, image::Rgba([200, 100, 50, 0]));
        let mut bytes = Cursor::new(Vec::new());
        clear.write_to(&mut bytes, ImageFormat::Png).unwrap();
        assert_eq!(
            decode_picture(bytes.get_ref()).unwrap().get_pixel(0, 0).0,
            [200, 100, 50]
        );
        let deep =
            image::ImageBuffer::<image::Luma<u16>, _>::from_pixel(2, 2, image::Luma([25_700]));
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageLuma16(deep)
            .write_to(&mut bytes, ImageFormat::Png)
            .unwrap();
        assert_eq!(
            decode_picture(bytes.get_ref()).unwrap().get_pixel(0, 0).0,
            [100, 100, 100]
        );
    }

    #[test]
    fn foreign_formats_are_named() {
        let heic = b"\0\0\0\x18ftypheic\0\0\0\0";
        assert!(decode_picture(heic).unwrap_err().what.contains("HEIC"));
        assert!(
            decode_picture(b"%PDF-1.7")
                .unwrap_err()
                .what
                .contains("PDF")
        );
        assert!(
            decode_picture(b"hello")
                .unwrap_err()
                .what
                .contains("not a picture")
        );
        assert!(decode_picture(b"").unwrap_err().what.contains("empty"));
        assert_eq!(foreign_format("heic"), Some("HEIC"));
        assert_eq!(foreign_format("txt"), None);
    }
}
