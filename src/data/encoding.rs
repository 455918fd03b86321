//! Decodes the bytes of a list or a file name as text. Two different names never become the same text.
//!
//! Supports UTF-8, UTF-16 with a byte order mark, and for everything else Windows-1252, in which each byte is a
//! character.

use std::borrow::Cow;
use std::ffi::OsStr;

use crate::names::composed;

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    /// Not Unicode; read as Windows-1252, which may be wrong.
    Windows1252,
}

/// The characters of Windows-1252 from 0x80 to 0x9F. Undefined bytes map to the code point of their number, as in browsers.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Returns the text of a file without a byte order mark, and its encoding.
pub(super) fn decode_text(bytes: &[u8]) -> (Cow<'_, str>, Encoding) {
    for (mark, unit) in
        [(b"\xFF\xFE", u16::from_le_bytes as fn([u8; 2]) -> u16), (b"\xFE\xFF", u16::from_be_bytes)]
    {
        if let Some(rest) = bytes.strip_prefix(mark) {
            let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
            let text = String::from_utf16_lossy(&units.collect::<Vec<_>>());
            return (text.into(), Encoding::Utf16);
        }
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match str::from_utf8(text) {
        Ok(text) => (text.into(), Encoding::Utf8),
        Err(_) => (decode_windows_1252(text).into(), Encoding::Windows1252),
    }
}

/// Returns the name of a file or folder with composed Unicode characters.
pub(super) fn decode_name(name: &OsStr) -> String {
    match name.to_str() {
        Some(name) => composed(name).into_owned(),
        // Only on Unix, names may consist of any bytes.
        None if cfg!(unix) => decode_windows_1252(name.as_encoded_bytes()),
        None => name.to_string_lossy().into_owned(),
    }
}

fn decode_windows_1252(bytes: &[u8]) -> String {
    let letter = |&byte: &u8| match byte {
        0x80..=0x9F => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    bytes.iter().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_common_encodings_and_maps_bytes_uniquely() {
        let read = |bytes: &[u8]| {
            let (text, encoding) = decode_text(bytes);
            (text.into_owned(), encoding)
        };
        assert_eq!(read("Tür".as_bytes()), ("Tür".into(), Encoding::Utf8));
        assert_eq!(read(b"\xEF\xBB\xBFT\xC3\xBCr"), ("Tür".into(), Encoding::Utf8));
        assert_eq!(read(b"\xFF\xFET\0\xFC\0r\0"), ("Tür".into(), Encoding::Utf16));
        assert_eq!(read(b"\xFE\xFF\0T\0\xFC\0r"), ("Tür".into(), Encoding::Utf16));
        assert_eq!(read(b"T\xFCr \x80"), ("Tür €".into(), Encoding::Windows1252));
        let all: Vec<u8> = (0..=255).collect();
        let (text, _) = decode_text(&all);
        let letters: std::collections::BTreeSet<char> = text.chars().collect();
        assert_eq!(letters.len(), 256);
    }

    #[cfg(unix)]
    #[test]
    fn decodes_non_utf8_names_distinctly() {
        use std::os::unix::ffi::OsStrExt;
        let name = |bytes: &[u8]| decode_name(OsStr::from_bytes(bytes));
        assert_eq!(name(b"T\xFCr"), "Tür");
        assert_ne!(name(b"T\xFCr"), name(b"T\xE4r"));
        assert_eq!(name("u\u{308}".as_bytes()), "\u{fc}");
    }
}
