//! What the first directory of a TIFF claims, looked up before a decoder makes room for it: a list
//! of values longer than the file is a lie.

use std::io::{self, Read, Seek, SeekFrom};

/// Most entries of a directory; usual ones have twenty.
const MOST_ENTRIES: u64 = 4096;

/// Whether a file is no TIFF, or one whose first directory claims no more than the file has.
///
/// # Errors
/// The file cannot be read.
pub(super) fn is_sound(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut head = [0; 16];
    let read = read_up_to(file, &mut head)?;
    let little = match &head[..2] {
        b"II" => true,
        b"MM" => false,
        _ => return Ok(true),
    };
    let number = |bytes: &[u8]| {
        let push = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match little {
            true => bytes.iter().rev().fold(0, push),
            false => bytes.iter().fold(0, push),
        }
    };
    // BigTIFF has wider fields.
    let (start, count, entry, values) = match number(&head[2..4]) {
        42 => (number(&head[4..8]), 2, 12, 4..8),
        43 => (number(&head[8..16]), 8, 20, 4..12),
        _ => return Ok(true),
    };
    if read < head.len() || start >= length {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(start))?;
    let mut field = [0; 8];
    let wide = read_up_to(file, &mut field[..count])? == count;
    let entries = number(&field[..count]);
    if !wide || entries > MOST_ENTRIES {
        return Ok(false);
    }
    let mut one = vec![0; entry];
    for _ in 0..entries {
        if read_up_to(file, &mut one)? < entry {
            return Ok(false);
        }
        let size = size_of_type(number(&one[2..4]));
        if number(&one[values.clone()]).saturating_mul(size) > length {
            return Ok(false);
        }
    }
    Ok(true)
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
}
