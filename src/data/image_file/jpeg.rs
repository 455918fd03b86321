//! Reads the markers of a JPEG: whether the file is complete, and how much memory its decoder needs.

/// The frame that a JPEG declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// Width × height in pixels.
    pub pixels: u64,
    /// Number of colour channels.
    pub channels: u64,
    /// Whether the decoder keeps all coefficients until the last scan: for progressive JPEGs, and for those with
    /// separate scans per channel.
    pub keeps_coefficients: bool,
}

impl Frame {
    /// Returns the number of bytes that the decoder keeps besides the pixels.
    pub fn decoder_bytes(self) -> u64 {
        let coefficients = self.pixels.saturating_mul(self.channels);
        if self.keeps_coefficients { coefficients.saturating_mul(2) } else { 0 }
    }
}

/// Maximum number of segments that are read of a JPEG inside another file, which has few.
const MAX_EMBEDDED_SEGMENTS: usize = 64;

/// Visits at most `max_segments` segments up to the first scan; `visit` gets the marker and the bytes after its length.
/// Returns the offset after the first scan's header. EXIF thumbnails, which have their own markers, are skipped.
fn visit_segments<'a>(
    bytes: &'a [u8],
    max_segments: usize,
    mut visit: impl FnMut(u8, &'a [u8]),
) -> usize {
    let mut at = 2;
    for _ in 0..max_segments {
        let Some(&[0xFF, marker, high, low]) = bytes.get(at..at + 4) else {
            break;
        };
        at += match marker {
            // Fill bytes, and markers without a payload.
            0xFF => 1,
            0x01 | 0xD0..=0xD8 => 2,
            _ => {
                let length = usize::from(u16::from_be_bytes([high, low]));
                visit(marker, bytes.get(at + 4..).unwrap_or_default());
                2 + length
            }
        };
        if marker == 0xDA {
            break;
        }
    }
    at
}

/// Returns whether a JPEG has no end marker; decoders silently fill missing parts with grey.
pub(super) fn lacks_end_marker(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.get(visit_segments(bytes, usize::MAX, |_, _| ())..) else {
        return true;
    };
    while let Some(position) = rest.iter().position(|&byte| byte == 0xFF) {
        match rest.get(position + 1) {
            Some(0xD9) => return false,
            Some(_) => rest = &rest[position + 1..],
            None => return true,
        }
    }
    true
}

/// Returns the frame of the JPEG that starts with these bytes.
pub(super) fn read_frame(bytes: &[u8]) -> Frame {
    read_frame_within(bytes, usize::MAX)
}

/// Returns the frame if it is among the first `max_segments` segments, else an empty one.
fn read_frame_within(bytes: &[u8], max_segments: usize) -> Frame {
    let mut frame = Frame::default();
    visit_segments(bytes, max_segments, |marker, body| match (marker, body) {
        // All start-of-frame markers; C4, C8 and CC are tables.
        (
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF,
            &[_, h1, h0, w1, w0, count, ..],
        ) => {
            let [height, width] = [[h1, h0], [w1, w0]].map(u16::from_be_bytes);
            frame = Frame {
                pixels: u64::from(width) * u64::from(height),
                channels: u64::from(count),
                keeps_coefficients: marker == 0xC2,
            };
        }
        (0xDA, &[count, ..]) => frame.keeps_coefficients |= u64::from(count) < frame.channels,
        _ => {}
    });
    frame
}

/// Returns the largest frame of the JPEGs inside another file, such as the strips of a TIFF, which declare their own
/// sizes.
pub(super) fn largest_embedded_frame(bytes: &[u8]) -> Frame {
    let starts = bytes.windows(3).enumerate();
    let starts = starts.filter(|(_, window)| *window == b"\xFF\xD8\xFF");
    starts
        .map(|(at, _)| read_frame_within(&bytes[at..], MAX_EMBEDDED_SEGMENTS))
        .max_by_key(|frame| frame.pixels.saturating_mul(frame.channels))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_reads_size_and_scans_from_markers() {
        let image = image::RgbImage::new(40, 30);
        let mut bytes = std::io::Cursor::new(Vec::new());
        image.write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
        let mut bytes = bytes.into_inner();
        let found = read_frame(&bytes);
        let plain = Frame { pixels: 1200, channels: 3, keeps_coefficients: false };
        assert_eq!((found, found.decoder_bytes()), (plain, 0));
        let inside = [b"II*\0".as_slice(), &bytes].concat();
        assert_eq!(largest_embedded_frame(&inside), plain);
        // First a progressive frame, then one whose first scan has only one channel.
        let at = bytes.windows(2).position(|two| two == b"\xFF\xC0").unwrap();
        bytes[at + 1] = 0xC2;
        assert_eq!(read_frame(&bytes).decoder_bytes(), 1200 * 3 * 2);
        bytes[at + 1] = 0xC0;
        let scan = bytes.windows(2).position(|two| two == b"\xFF\xDA").unwrap();
        bytes[scan + 4] = 1;
        assert!(read_frame(&bytes).keeps_coefficients);
        assert_eq!(read_frame(b"\xFF\xD8"), Frame::default());
    }
}
