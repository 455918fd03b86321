//! Estimates the memory for decoding a WebP besides its canvas. Frames declare their own sizes, and a decoder allocates
//! a frame before it compares it with the canvas.

/// Returns the number of pixels of the largest lossy frame. All chunks are searched, because a decoder uses the first
/// frame after any number of other chunks.
fn largest_frame(bytes: &[u8]) -> u64 {
    let mut largest = 0;
    let mut at: usize = 12;
    while let Some(head) = bytes.get(at..at.saturating_add(8)) {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let body = &bytes[at + 8..];
        at = match &head[..4] {
            // An animation frame: size and flags, followed by its own chunks.
            b"ANMF" => at + 24,
            _ => (at + 8).saturating_add(length.next_multiple_of(2)),
        };
        if let (b"VP8 ", &[_, _, _, 0x9D, 0x01, 0x2A, w0, w1, h0, h1, ..]) = (&head[..4], body) {
            let [width, height] =
                [[w0, w1], [h0, h1]].map(|pair| u16::from_le_bytes(pair) & 0x3FFF);
            largest = largest.max(u64::from(width) * u64::from(height));
        }
    }
    largest
}

/// Returns the memory in bytes that decoding needs besides the pixels, for a canvas of this number of pixels.
pub(super) fn decoder_bytes(bytes: &[u8], pixels: u64) -> u64 {
    // Decoders check the animation flag in the extended header.
    let is_animated =
        bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|f| f & 2 != 0);
    let lossy = largest_frame(bytes);
    // Lossy frames need luma and chroma planes. Lossless frames and alpha channels need their pixels and transforms.
    // Animations also need a canvas and a frame.
    let planes = lossy.saturating_mul(3) / 2;
    let canvas = pixels.saturating_mul(if is_animated { 13 } else { 5 });
    planes.saturating_add(canvas)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with these chunks.
    fn webp_file(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
        for (name, body) in chunks {
            bytes.extend_from_slice(*name);
            bytes.extend((body.len() as u32).to_le_bytes());
            bytes.extend_from_slice(body);
        }
        bytes
    }

    #[test]
    fn largest_frame_may_exceed_canvas() {
        let vast = b"\0\0\0\x9D\x01\x2A\xFF\x3F\xFF\x3F\0\0";
        let (canvas, animation) = ([0; 10], [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let most = 16383 * 16383;
        let bytes = webp_file(&[(b"VP8X", &canvas), (b"VP8 ", vast)]);
        assert_eq!(largest_frame(&bytes), most);
        assert!(decoder_bytes(&bytes, 1) > most);
        // A frame inside an animation, after the header of the animation frame.
        let inner = [&[0; 16], b"VP8 ".as_slice(), &12_u32.to_le_bytes(), vast].concat();
        let animation = webp_file(&[(b"VP8X", &animation), (b"ANMF", &inner)]);
        assert_eq!(largest_frame(&animation), most);
        assert!(decoder_bytes(&animation, 100) > decoder_bytes(&bytes, 100));
        assert_eq!(largest_frame(&bytes[..20]), 0);
        // A frame after many unknown chunks.
        let nothing: (&[u8; 4], &[u8]) = (b"XXXX", &[]);
        let mut chunks = vec![nothing; 1000];
        chunks.insert(0, (b"VP8X", &canvas));
        chunks.push((b"VP8 ", vast));
        assert_eq!(largest_frame(&webp_file(&chunks)), most);
    }
}
