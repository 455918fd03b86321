//! What the first directory of a TIFF claims, looked up before a decoder makes room for it: a list
//! of values longer than the file is a lie. Palettes, which the decoder does not read.

use std::io::{self, Read, Seek, SeekFrom};

const WIDTH: u64 = 256;
const HEIGHT: u64 = 257;
const BITS: u64 = 258;
const PHOTOMETRIC: u64 = 262;
const SAMPLES: u64 = 277;
const COLOUR_MAP: u64 = 320;
/// Value of [`PHOTOMETRIC`]: pixels are numbers of colours.
const BY_PALETTE: u64 = 3;
/// Most entries of a directory; usual ones have twenty.
const MOST_ENTRIES: u64 = 4096;

/// How a file begins.
enum Start {
    /// It is no TIFF.
    Other,
    /// Its first directory claims more than the file has.
    Unsound,
    Directory(Directory),
}

/// The first directory of a file.
struct Directory {
    little: bool,
    fields: Vec<Field>,
    /// Bytes of a value that lie in the field itself.
    inline: u64,
}

/// An entry of a directory.
struct Field {
    tag: u64,
    kind: u64,
    count: u64,
    /// Where its value lies, or the place of its values.
    at: u64,
}

/// The colours of an image whose pixels are their numbers.
pub(super) struct Palette {
    /// The file as one of grey pixels: each is the number of a colour.
    pub grey: Vec<u8>,
    colours: Vec<[u8; 3]>,
}

/// Whether a file begins like a TIFF, BigTIFF included.
pub(super) fn is_tiff(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Whether a file is no TIFF, or one whose first directory claims no more than the file has.
///
/// # Errors
/// The file cannot be read.
pub(super) fn is_sound(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    Ok(!matches!(start_of(file)?, Start::Unsound))
}

/// Width and height of a TIFF with a palette.
///
/// # Errors
/// The file cannot be read.
pub(super) fn sides_with_palette(file: &mut (impl Read + Seek)) -> io::Result<Option<(u32, u32)>> {
    let Start::Directory(directory) = start_of(file)? else {
        return Ok(None);
    };
    let mut first = |tag| directory.first(file, tag);
    if first(PHOTOMETRIC)? != Some(BY_PALETTE) {
        return Ok(None);
    }
    let sides = first(WIDTH)?.zip(first(HEIGHT)?);
    Ok(sides.map(|(width, height)| (width as u32, height as u32)))
}

/// The palette of a TIFF of 8 bits a pixel; none for a file of another kind.
pub(super) fn palette_of(bytes: &[u8]) -> Option<Palette> {
    let mut file = io::Cursor::new(bytes);
    let Ok(Start::Directory(directory)) = start_of(&mut file) else {
        return None;
    };
    let mut first = |tag| directory.first(&mut file, tag).ok()?;
    if first(PHOTOMETRIC)? != BY_PALETTE || first(BITS)? != 8 || first(SAMPLES).unwrap_or(1) != 1 {
        return None;
    }
    let map = directory
        .fields
        .iter()
        .find(|field| field.tag == COLOUR_MAP)?;
    if map.kind != 3 || map.count != 3 * 256 {
        return None;
    }
    let from = usize::try_from(
        directory
            .number_at(&mut file, map.at, directory.inline)
            .ok()?,
    )
    .ok()?;
    let values = bytes.get(from..from.checked_add(6 * 256)?)?;
    let values = values
        .chunks_exact(2)
        .map(|two| directory.number(two) as u16);
    let values: Vec<u16> = values.collect();
    // Some programs write 8 bits where 16 belong.
    let narrow = values.iter().all(|&value| value < 256);
    let channel = |at: usize| match narrow {
        true => values[at] as u8,
        false => (values[at] >> 8) as u8,
    };
    let colours = (0..256).map(|colour| [colour, colour + 256, colour + 512].map(channel));
    let kind = directory
        .fields
        .iter()
        .find(|field| field.tag == PHOTOMETRIC)?;
    let mut grey = bytes.to_vec();
    let one = match directory.little {
        true => [1, 0],
        false => [0, 1],
    };
    let at = usize::try_from(kind.at).ok()?;
    grey.get_mut(at..at + 2)?.copy_from_slice(&one);
    Some(Palette {
        grey,
        colours: colours.collect(),
    })
}

impl Palette {
    /// The image of these numbers.
    pub fn coloured(&self, numbers: &image::GrayImage) -> image::RgbImage {
        let (width, height) = numbers.dimensions();
        image::RgbImage::from_fn(width, height, |x, y| {
            let [number] = numbers.get_pixel(x, y).0;
            image::Rgb(self.colours[usize::from(number)])
        })
    }
}

fn start_of(file: &mut (impl Read + Seek)) -> io::Result<Start> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut head = [0; 16];
    let read = read_up_to(file, &mut head)?;
    let mut directory = Directory {
        little: match &head[..2] {
            b"II" => true,
            b"MM" => false,
            _ => return Ok(Start::Other),
        },
        fields: Vec::new(),
        inline: 4,
    };
    // BigTIFF has wider fields.
    let (start, count, entry, values) = match directory.number(&head[2..4]) {
        42 => (directory.number(&head[4..8]), 2, 12, 4..8),
        43 => (directory.number(&head[8..16]), 8, 20, 4..12),
        _ => return Ok(Start::Other),
    };
    directory.inline = entry as u64 - values.end as u64;
    if read < head.len() || start >= length {
        return Ok(Start::Unsound);
    }
    file.seek(SeekFrom::Start(start))?;
    let mut field = [0; 8];
    let wide = read_up_to(file, &mut field[..count])? == count;
    let entries = directory.number(&field[..count]);
    if !wide || entries > MOST_ENTRIES {
        return Ok(Start::Unsound);
    }
    let mut one = vec![0; entry];
    for number in 0..entries {
        if read_up_to(file, &mut one)? < entry {
            return Ok(Start::Unsound);
        }
        let kind = directory.number(&one[2..4]);
        let count_of = directory.number(&one[values.clone()]);
        if count_of.saturating_mul(size_of_type(kind)) > length {
            return Ok(Start::Unsound);
        }
        directory.fields.push(Field {
            tag: directory.number(&one[..2]),
            kind,
            count: count_of,
            at: start + count as u64 + number * entry as u64 + values.end as u64,
        });
    }
    Ok(Start::Directory(directory))
}

impl Directory {
    fn number(&self, bytes: &[u8]) -> u64 {
        let push = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match self.little {
            true => bytes.iter().rev().fold(0, push),
            false => bytes.iter().fold(0, push),
        }
    }

    /// The number of so many bytes at a place.
    fn number_at(&self, file: &mut (impl Read + Seek), at: u64, bytes: u64) -> io::Result<u64> {
        let mut number = [0; 8];
        let number = &mut number[..bytes as usize];
        file.seek(SeekFrom::Start(at))?;
        let read = read_up_to(file, number)?;
        Ok(self.number(&number[..read]))
    }

    /// The only value of a field.
    fn first(&self, file: &mut (impl Read + Seek), tag: u64) -> io::Result<Option<u64>> {
        let field = self
            .fields
            .iter()
            .find(|field| field.tag == tag && field.count == 1);
        let at = field.map(|field| self.number_at(file, field.at, size_of_type(field.kind).min(8)));
        at.transpose()
    }
}

/// Bytes of one value.
fn size_of_type(kind: u64) -> u64 {
    match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 | 16..=18 => 8,
        _ => 1,
    }
}

/// Fills as much as there is.
fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let most = buffer.len() as u64;
    let mut rest = &mut *buffer;
    io::copy(&mut file.take(most), &mut rest).map(|read| read as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lists_longer_than_the_file_are_seen_in_every_form() {
        let picture = image::RgbImage::new(3, 2);
        let mut bytes = Cursor::new(Vec::new());
        picture
            .write_to(&mut bytes, image::ImageFormat::Tiff)
            .unwrap();
        let whole = bytes.into_inner();
        let sound = |bytes: &[u8]| is_sound(&mut Cursor::new(bytes)).unwrap();
        assert!(sound(&whole) && sound(b"GIF89a") && sound(b""));
        assert!(!sound(&whole[..whole.len() - 40]));
        let start = u32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
        let mut long = whole.clone();
        long[start + 2 + 4..start + 2 + 8].copy_from_slice(&5_000_000u32.to_le_bytes());
        assert!(!sound(&long));
        // The same turned round, and in wide fields.
        let turned = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x00\0\x03\x00\x4c\x4b\x40\0\0\0\0\0\0\0\0";
        assert!(!sound(turned));
        let mut big = b"II\x2b\0\x08\0\0\0\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
        big.extend(b"\x00\x01\x03\0\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\0");
        assert!(!sound(&big));
        big[28] = 1;
        big[29..36].fill(0);
        assert!(sound(&big));
    }

    /// A TIFF of one strip of 2×2 pixels with these numbers; `big` as BigTIFF.
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
                let value = if colour == 1 {
                    50 * (channel + 1)
                } else {
                    colour
                };
                bytes.extend((value * 257).to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn palettes_give_their_colours_in_both_forms() {
        for big in [false, true] {
            let bytes = with_palette(big);
            let picture = super::super::decode_picture(&bytes).unwrap();
            let pixels: Vec<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
            assert_eq!(pixels, [[0; 3], [50, 100, 150], [50, 100, 150], [255; 3]]);
            let sides = sides_with_palette(&mut Cursor::new(&bytes)).unwrap();
            assert_eq!(sides, Some((2, 2)));
        }
    }
}
