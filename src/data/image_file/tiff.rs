//! The first directory of a TIFF file. It is read before the decoder allocates memory, since a list of values longer
//! than the file shows that the file is damaged. Palettes are read here too, because the decoder does not support them.

use std::io::{self, Read, Seek, SeekFrom};

use image::RgbImage;

const WIDTH: u64 = 256;
const HEIGHT: u64 = 257;
const BITS: u64 = 258;
const PHOTOMETRIC: u64 = 262;
const SAMPLES: u64 = 277;
const COLOUR_MAP: u64 = 320;
/// Value of [`PHOTOMETRIC`] for images whose pixels are indices into a palette.
const BY_PALETTE: u64 = 3;
/// Maximum number of entries of a directory; usual ones have twenty.
const MAX_ENTRIES: u64 = 4096;

/// The first directory of a TIFF file.
pub(super) struct Directory {
    is_little: bool,
    fields: Vec<Field>,
}

/// An entry of a directory.
struct Field {
    tag: u64,
    /// Size of one value in bytes.
    size: u64,
    /// Number of values.
    count: u64,
    /// Offset of the value in the file.
    offset: u64,
    /// The value, or the offset of the values if they do not fit into the entry.
    value: u64,
}

/// The palette of an image whose pixels are indices.
pub(super) struct Palette {
    /// The file, with the indices declared as grey values.
    pub grey: Vec<u8>,
    colours: Vec<[u8; 3]>,
}

/// Returns whether a file starts like a TIFF or BigTIFF.
pub(super) fn is_tiff(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Reads the first directory of a file; `None` if the file is not a TIFF.
///
/// # Errors
/// Returns an error if the file cannot be read. Its kind is `InvalidData` or `UnexpectedEof` if the directory refers to
/// more data than the file has.
pub(super) fn first_directory(file: &mut (impl Read + Seek)) -> io::Result<Option<Directory>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut head = Vec::with_capacity(16);
    file.by_ref().take(16).read_to_end(&mut head)?;
    if !is_tiff(&head) {
        return Ok(None);
    }
    let is_little = head[0] == b'I';
    // BigTIFF has wider fields.
    let is_big = head[2..4].contains(&b'+');
    let (start, count, entry, values) = match is_big {
        false => (4..8, 2, 12, 4..8),
        true => (8..16, 8, 20, 4..12),
    };
    let start = head.get(start).map(|bytes| read_number(bytes, is_little));
    let Some(start) = start.filter(|&start| start < length && head.len() == 16) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; entry];
    file.read_exact(&mut bytes[..count])?;
    let entries = read_number(&bytes[..count], is_little);
    if entries > MAX_ENTRIES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut fields = Vec::new();
    for index in 0..entries {
        file.read_exact(&mut bytes)?;
        let number = |bytes: &[u8]| read_number(bytes, is_little);
        let (size, values_count) =
            (size_of_type(number(&bytes[2..4])), number(&bytes[values.clone()]));
        let total_bytes = values_count.saturating_mul(size);
        if total_bytes > length {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let value = &bytes[values.end..];
        let capacity = value.len() as u64;
        fields.push(Field {
            tag: number(&bytes[..2]),
            size,
            count: values_count,
            offset: start + (count + values.end) as u64 + index * entry as u64,
            value: match total_bytes <= capacity {
                true => number(&value[..size.min(capacity) as usize]),
                false => number(value),
            },
        });
    }
    Ok(Some(Directory { is_little, fields }))
}

impl Directory {
    /// Returns width and height; `None` if the directory lacks them.
    pub fn dimensions(&self) -> Option<(u32, u32)> {
        let side = |tag| u32::try_from(self.single(tag)?.value).ok();
        side(WIDTH).zip(side(HEIGHT))
    }

    /// Returns the palette of a file with 8 bits per pixel; `None` for other files.
    pub fn palette(&self, bytes: &[u8]) -> Option<Palette> {
        let kind = self.single(PHOTOMETRIC)?;
        let samples = self.single(SAMPLES).map_or(1, |field| field.value);
        if (kind.value, self.single(BITS)?.value, samples) != (BY_PALETTE, 8, 1) {
            return None;
        }
        let map = self.field(COLOUR_MAP)?;
        if (map.size, map.count) != (2, 3 * 256) {
            return None;
        }
        let values = bytes.get(usize::try_from(map.value).ok()?..)?.get(..6 * 256)?;
        let values = values.chunks_exact(2).map(|pair| read_number(pair, self.is_little));
        let values: Vec<u64> = values.collect();
        // Some programs write 8-bit values.
        let shift = match values.iter().all(|&value| value < 256) {
            true => 0,
            false => 8,
        };
        let channel = |at: usize| (values[at] >> shift) as u8;
        let colours = (0..256).map(|index| [index, index + 256, index + 512].map(channel));
        let lowest = match self.is_little {
            true => kind.offset,
            false => kind.offset + kind.size - 1,
        };
        let mut grey = bytes.to_vec();
        // The value 1 means that 0 is black.
        *grey.get_mut(usize::try_from(lowest).ok()?)? = 1;
        Some(Palette { grey, colours: colours.collect() })
    }

    /// Returns the entry of a tag with a single value.
    fn single(&self, tag: u64) -> Option<&Field> {
        self.field(tag).filter(|field| field.count == 1)
    }

    /// Returns the entry of a tag. If there are several, this is the last one, as in the decoder.
    fn field(&self, tag: u64) -> Option<&Field> {
        self.fields.iter().rfind(|field| field.tag == tag)
    }
}

impl Palette {
    /// Replaces grey values with their colours.
    pub fn apply_colours(&self, image: &mut RgbImage) {
        for pixel in image.pixels_mut() {
            pixel.0 = self.colours[usize::from(pixel.0[0])];
        }
    }
}

fn read_number(bytes: &[u8], is_little: bool) -> u64 {
    let push = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    match is_little {
        true => bytes.iter().rev().fold(0, push),
        false => bytes.iter().fold(0, push),
    }
}

/// Returns the size of one value of this type in bytes.
fn size_of_type(kind: u64) -> u64 {
    match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 | 16..=18 => 8,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn rejects_tag_lists_beyond_file_end() {
        let image = image::RgbImage::new(3, 2);
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, image::ImageFormat::Tiff).unwrap();
        let file = bytes.into_inner();
        let is_readable = |bytes: &[u8]| first_directory(&mut Cursor::new(bytes)).is_ok();
        assert!(is_readable(&file) && is_readable(b"GIF89a") && is_readable(b""));
        assert!(!is_readable(&file[..file.len() - 40]));
        let start = u32::from_le_bytes(file[4..8].try_into().unwrap()) as usize;
        let mut long = file.clone();
        long[start + 2 + 4..start + 2 + 8].copy_from_slice(&5_000_000u32.to_le_bytes());
        assert!(!is_readable(&long));
        // First with the other byte order, then as a BigTIFF.
        let big_endian = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x00\0\x03\x00\x4c\x4b\x40\0\0\0\0\0\0\0\0";
        assert!(!is_readable(big_endian));
        let mut big = b"II\x2b\0\x08\0\0\0\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
        big.extend(b"\x00\x01\x03\0\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\0");
        assert!(!is_readable(&big));
        big[28] = 1;
        big[29..36].fill(0);
        assert!(is_readable(&big));
    }

    /// Returns a TIFF file with one strip of 2×2 pixels and a palette; a BigTIFF if `big`.
    fn with_palette(big: bool) -> Vec<u8> {
        let head: &[u8] = match big {
            true => b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0",
            false => b"II*\0\x08\0\0\0",
        };
        let tags = [
            (256, 3, 1, 2),
            (257, 3, 1, 2),
            (258, 3, 1, 8),
            (259, 3, 1, 1),
            (262, 3, 1, 3),
            (273, 4, 1, 1000),
            (277, 3, 1, 1),
            (278, 3, 1, 2),
            (279, 4, 1, 4),
            (320, 3, 768, 1004u64),
        ];
        let mut bytes = head.to_vec();
        let wide = |bytes: &mut Vec<u8>, value: u64| match big {
            true => bytes.extend(value.to_le_bytes()),
            false => bytes.extend((value as u32).to_le_bytes()),
        };
        match big {
            true => bytes.extend((tags.len() as u64).to_le_bytes()),
            false => bytes.extend((tags.len() as u16).to_le_bytes()),
        }
        for (tag, kind, count, value) in tags {
            bytes.extend((tag as u16).to_le_bytes());
            bytes.extend((kind as u16).to_le_bytes());
            wide(&mut bytes, count);
            wide(&mut bytes, value);
        }
        bytes.resize(1000, 0);
        bytes.extend([0, 1, 1, 255]);
        for channel in 0..3u16 {
            for colour in 0..256u16 {
                let value = if colour == 1 { 50 * (channel + 1) } else { colour };
                bytes.extend((value * 257).to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn decodes_palettes_of_tiff_and_bigtiff() {
        for big in [false, true] {
            let bytes = with_palette(big);
            let image = super::super::decode_image(&bytes, 16).unwrap();
            let pixels: Vec<[u8; 3]> = image.pixels().map(|pixel| pixel.0).collect();
            assert_eq!(pixels, [[0; 3], [50, 100, 150], [50, 100, 150], [255; 3]]);
            let directory = first_directory(&mut Cursor::new(&bytes)).unwrap();
            assert_eq!(directory.unwrap().dimensions(), Some((2, 2)));
        }
    }

    #[test]
    fn damaged_directories_do_not_panic() {
        for big in [false, true] {
            let file = with_palette(big);
            for at in 2..240 {
                for value in [0, 5, 16, 255] {
                    let mut bytes = file.clone();
                    bytes[at] = value;
                    if let Ok(image) = super::super::decode_image(&bytes, 16) {
                        let directory = first_directory(&mut Cursor::new(&bytes)).unwrap();
                        assert_eq!(directory.unwrap().dimensions(), Some(image.dimensions()));
                    }
                }
            }
        }
    }
}
