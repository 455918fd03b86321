//! Tests of the decoding of images.

use super::*;
use lae_base::tr;

fn encoded(format: ImageFormat) -> Vec<u8> {
    let image = RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8 * 6, y as u8 * 8, 90]));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[test]
fn detects_formats_by_content() {
    for format in [
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::Bmp,
        ImageFormat::Gif,
        ImageFormat::Tiff,
        ImageFormat::WebP,
    ] {
        let image = decode_image(&encoded(format), FULL_DEPTH).unwrap();
        assert_eq!(image.dimensions(), (40, 30), "{format:?}");
    }
}

#[test]
fn rejects_truncated_files() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Tiff] {
        let bytes = encoded(format);
        for keep in [0, 1, 3, 10, bytes.len() / 2, bytes.len() - 14] {
            assert!(decode_image(&bytes[..keep], FULL_DEPTH).is_err(), "{format:?} cut to {keep}");
        }
    }
    let jpeg = encoded(ImageFormat::Jpeg);
    let problem = decode_image(&jpeg[..jpeg.len() - 30], FULL_DEPTH).unwrap_err();
    assert!(problem.is("problem-image-file-incomplete"), "{problem}");
    // Bytes after the end, such as camera makers' notes, are common and harmless.
    let longer = [jpeg.as_slice(), &[1, 2, 0xFF, 0xDA, 4]].concat();
    assert!(decode_image(&longer, FULL_DEPTH).is_ok());
}

#[test]
fn jpeg_may_lack_end_marker_but_not_pixels() {
    let noise = |x: u32, y: u32| (x * 97 + y * 389).wrapping_mul(2_654_435_761) >> 24;
    let noise = RgbImage::from_fn(67, 45, |x, y| image::Rgb([noise(x, y) as u8; 3]));
    let mut noisy = Cursor::new(Vec::new());
    noise.write_to(&mut noisy, ImageFormat::Jpeg).unwrap();
    for file in [encoded(ImageFormat::Jpeg), noisy.into_inner()] {
        let pixels = decode_image(&file, FULL_DEPTH).unwrap();
        let truncated_by = |bytes: usize| decode_image(&file[..file.len() - bytes], FULL_DEPTH);
        for end in [1, 2] {
            assert!(truncated_by(end).unwrap() == pixels, "cut by {end}");
            assert!(jpeg_lacks_end(&file[..file.len() - end]));
        }
        let scan = file.windows(2).position(|pair| pair == b"\xFF\xDA").unwrap();
        for more in (4..file.len() - scan).step_by(7) {
            let problem = truncated_by(more).unwrap_err();
            assert!(problem.is("problem-image-file-incomplete"), "{more}: {problem}");
        }
    }
}

/// Returns a PNG whose header declares another size than it has.
fn with_declared_size(mut png: Vec<u8>, width: u32, height: u32) -> Vec<u8> {
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    // The checksum covers type and data of the IHDR chunk.
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..29]);
    png[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    png
}

/// Returns a black colour PNG of `width` × `height` pixels. Its rows are compressed one by one, so that creating it
/// needs little memory.
fn black_png(width: u32, height: u32) -> Vec<u8> {
    use std::io::Write;
    let mut pack = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let row = vec![0; 1 + 3 * width as usize];
    (0..height).for_each(|_| pack.write_all(&row).unwrap());
    let pixels = pack.finish().unwrap();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let head = [0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0];
    for (name, body) in [(b"IHDR", &head[..]), (b"IDAT", &pixels), (b"IEND", &[])] {
        png.extend((body.len() as u32).to_be_bytes());
        let from = png.len();
        png.extend_from_slice(name);
        png.extend_from_slice(body);
        let mut crc = flate2::Crc::new();
        crc.update(&png[from..]);
        png.extend(crc.sum().to_be_bytes());
    }
    with_declared_size(png, width, height)
}

#[test]
fn rejects_huge_dimensions_before_allocation() {
    let png = with_declared_size(encoded(ImageFormat::Png), 30_000, 30_000);
    let problem = decode_image(&png, FULL_DEPTH).unwrap_err();
    assert!(problem.is("problem-image-decoding-memory-limit"), "{problem}");
    assert!(problem.what.contains("30000×30000"), "{problem}");
}

#[test]
fn decodes_large_images_only_with_enough_memory() {
    let panorama = black_png(21_000, 4_800);
    assert!(panorama.len() < 4 << 20);
    let decoded = decode_with_memory(&panorama, FULL_DEPTH, || Some(8 << 30)).unwrap();
    assert_eq!(decoded.image.dimensions(), (21_000, 4_800));
    drop(decoded);
    // An image below the minimum limit does not need free memory.
    assert!(decode_with_memory(&panorama, FULL_DEPTH, || Some(0)).is_ok());
    let larger = with_declared_size(panorama, 16_000, 12_000);
    let problem = decode_with_memory(&larger, FULL_DEPTH, || Some(1 << 30)).err().unwrap();
    let id = "problem-image-decoding-memory-limit";
    let what = tr!(id, width = "16000", height = "12000", most = 550, allowed = 512);
    assert_eq!(problem.what, what);
    // With more free memory, decoding starts and finds that the data is too short.
    let problem = decode_with_memory(&larger, FULL_DEPTH, || Some(8 << 30)).err().unwrap();
    assert!(!problem.is(id), "{problem}");
}

#[test]
fn memory_limit_counts_wide_channels_and_decoder_state() {
    let refused = |bytes: &[u8]| {
        let problem = decode_with_memory(bytes, FULL_DEPTH, || Some(64 << 30)).err().unwrap();
        assert!(problem.is("problem-image-decoding-memory-limit"), "{problem}");
    };
    let deep = DynamicImage::ImageRgba16(image::ImageBuffer::new(2, 2));
    let mut bytes = Cursor::new(Vec::new());
    deep.write_to(&mut bytes, ImageFormat::Png).unwrap();
    refused(&with_declared_size(bytes.into_inner(), 9_000, 9_000));
    // 27 million pixels of four floats: as stored, in the decoder, and as RGB.
    let mut bytes = Cursor::new(Vec::new());
    let floats = DynamicImage::ImageRgba32F(image::ImageBuffer::new(1, 1));
    floats.write_to(&mut bytes, ImageFormat::Tiff).unwrap();
    let mut tiff = bytes.into_inner();
    let start = u32::from_le_bytes(tiff[4..8].try_into().unwrap()) as usize;
    let sides = [256_u16, 257, 278].map(u16::to_le_bytes);
    for at in (start + 2..tiff.len() - 12).step_by(12) {
        if sides.iter().any(|tag| tiff[at..at + 2] == *tag) {
            tiff[at + 2..at + 4].copy_from_slice(&4_u16.to_le_bytes());
            tiff[at + 8..at + 12].copy_from_slice(&5_200_u32.to_le_bytes());
        }
    }
    refused(&tiff);
    // A frame of 268 million pixels on a canvas of one pixel.
    let webp = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0VP8 \x0a\0\0\0\x10\0\0\x9d\x01\x2a\xff\x3f\xff\x3f";
    let problem = decode_with_memory(webp, FULL_DEPTH, || Some(0)).err().unwrap();
    assert!(!problem.is("problem-file-is-no-image"), "{problem}");
    // A progressive JPEG keeps its coefficients until the last scan.
    let mut jpeg = encoded(ImageFormat::Jpeg);
    let at = jpeg.windows(2).position(|pair| pair == b"\xFF\xC0").unwrap();
    jpeg[at + 1] = 0xC2;
    for side in [at + 5, at + 7] {
        jpeg[side..side + 2].copy_from_slice(&10_000_u16.to_be_bytes());
    }
    refused(&jpeg);
}

#[test]
fn drops_alpha_and_scales_sixteen_bit_values() {
    let clear = image::RgbaImage::from_pixel(2, 2, image::Rgba([200, 100, 50, 0]));
    let mut bytes = Cursor::new(Vec::new());
    clear.write_to(&mut bytes, ImageFormat::Png).unwrap();
    assert_eq!(
        decode_image(bytes.get_ref(), FULL_DEPTH).unwrap().get_pixel(0, 0).0,
        [200, 100, 50]
    );
    let deep = image::ImageBuffer::<image::Luma<u16>, _>::from_pixel(2, 2, image::Luma([25_700]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageLuma16(deep).write_to(&mut bytes, ImageFormat::Png).unwrap();
    let at = |bit_depth| decode_image(bytes.get_ref(), bit_depth).unwrap().get_pixel(0, 0).0;
    assert_eq!(at(FULL_DEPTH), [100, 100, 100]);
    assert_eq!(at(15), [200, 200, 200]);
    // Values with more bits become white; 8-bit images have no such values.
    assert_eq!(at(12), [255, 255, 255]);
    for bit_depth in [0, 8, 99] {
        let decoded = decode_image(&encoded(ImageFormat::Png), bit_depth).unwrap();
        assert_eq!(decoded, decode_image(&encoded(ImageFormat::Png), FULL_DEPTH).unwrap());
    }
}

#[test]
fn names_unsupported_formats() {
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0";
    for (bytes, name) in [(&heic[..], "HEIC"), (&b"%PDF-1.7"[..], "PDF")] {
        let problem = decode_image(bytes, FULL_DEPTH).unwrap_err();
        let what = tr!("problem-file-format-unsupported", name);
        assert_eq!(problem.what, what);
    }
    assert!(decode_image(b"hello", FULL_DEPTH).unwrap_err().is("problem-file-is-no-image"));
    assert!(decode_image(b"", FULL_DEPTH).unwrap_err().is("problem-file-empty"));
    assert_eq!(unsupported_format("heic"), Some("HEIC"));
    assert_eq!(unsupported_format("txt"), None);
}
