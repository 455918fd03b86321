//! JPEG files without an end marker.

use image::ImageFormat;
use sha2::{Digest, Sha256};

use super::{BudgetedImage, cut, decode_as, format_of, jpeg};
use crate::problem::Result;

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
pub(super) fn decode(
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
pub(crate) fn jpeg_lacks_end(bytes: &[u8]) -> bool {
    format_of(bytes) == Some(ImageFormat::Jpeg) && jpeg::lacks_end(bytes)
}
