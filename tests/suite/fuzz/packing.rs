//! ZIP, tar and xz files built field by field: wrong content with mostly correct checksums.

use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

use super::bytes::Dice;

/// One entry of a ZIP.
pub struct ZipEntry {
    pub name: Vec<u8>,
    pub bytes: Vec<u8>,
    pub deflated: bool,
    pub attributes: u32,
}

impl ZipEntry {
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, deflated: true, attributes: 0o100_644 << 16 }
    }
}

/// The entries of a valid ZIP.
pub fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let count = zip.len();
    let entry = |index| {
        let mut entry = zip.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(entry).collect()
}

/// The fields of a ZIP, some of them wrong where there is a dice.
struct FieldWriter<'a>(Option<&'a mut Dice>, usize);

impl FieldWriter<'_> {
    fn write(&mut self, to: &mut Vec<u8>, width: usize, number: u64) {
        let mut number = number;
        if let Some(dice) = &mut self.0
            && dice.one_in(self.1)
        {
            number = dice.edge();
        }
        to.extend_from_slice(&number.to_le_bytes()[..width]);
    }
}

/// A ZIP of these entries; with a dice one field in this number is wrong.
pub fn build_zip(entries: &[ZipEntry], dice: Option<(&mut Dice, usize)>) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let mut fields = match dice {
        Some((dice, one_in)) => FieldWriter(Some(dice), one_in),
        None => FieldWriter(None, 1),
    };
    for entry in entries {
        let packed = match entry.deflated {
            true => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&entry.bytes).unwrap();
                encoder.finish().unwrap()
            }
            false => entry.bytes.clone(),
        };
        let mut sum = flate2::Crc::new();
        sum.update(&entry.bytes);
        let start = archive.len() as u64;
        // Version, flags (names are UTF-8), method, time, date.
        let head = [(2, 20), (2, 0x800), (2, u64::from(entry.deflated) * 8), (2, 0), (2, 0x21)];
        let sizes = [
            (4, u64::from(sum.sum())),
            (4, packed.len() as u64),
            (4, entry.bytes.len() as u64),
            (2, entry.name.len() as u64),
            (2, 0),
        ];
        archive.extend_from_slice(b"PK\x03\x04");
        for (width, number) in head.into_iter().chain(sizes) {
            fields.write(&mut archive, width, number);
        }
        archive.extend_from_slice(&entry.name);
        archive.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02");
        fields.write(&mut directory, 2, 0x0314);
        for (width, number) in head.into_iter().chain(sizes) {
            fields.write(&mut directory, width, number);
        }
        // Comment, disk, internal and external attributes, place.
        let tail = [(2, 0), (2, 0), (2, 0), (4, u64::from(entry.attributes)), (4, start)];
        for (width, number) in tail {
            fields.write(&mut directory, width, number);
        }
        directory.extend_from_slice(&entry.name);
    }
    let start = archive.len() as u64;
    archive.extend_from_slice(&directory);
    archive.extend_from_slice(b"PK\x05\x06");
    let count = entries.len() as u64;
    let end = [(2, 0), (2, 0), (2, count), (2, count), (4, directory.len() as u64), (4, start)];
    for (width, number) in end {
        fields.write(&mut archive, width, number);
    }
    archive.extend_from_slice(&[0, 0]);
    archive
}

/// A tar entry, its header with fields that a dice may have changed, its checksum right.
pub fn tar_entry(name: &[u8], bytes: &[u8], kind: u8, dice: Option<&mut Dice>) -> Vec<u8> {
    let mut head = vec![0u8; 512];
    let stored_name = &name[..name.len().min(100)];
    head[..stored_name.len()].copy_from_slice(stored_name);
    head[100..108].copy_from_slice(b"0000644\0");
    let size = format!("{:011o}\0", bytes.len());
    head[124..136].copy_from_slice(size.as_bytes());
    head[136..148].copy_from_slice(b"00000000000\0");
    head[156] = kind;
    head[257..265].copy_from_slice(b"ustar\x0000");
    if let Some(dice) = dice {
        match dice.below(8) {
            // A size in base 256.
            0 => {
                head[124] = 0x80;
                head[128..136].copy_from_slice(&dice.edge().to_be_bytes());
            }
            1 => {
                let odd_size = format!("{:>11o}\0", dice.edge() & 0x1_ffff_ffff);
                head[124..136].copy_from_slice(&odd_size.as_bytes()[..12]);
            }
            2 => head[156] = dice.byte(),
            3 => head[157..165].copy_from_slice(b"/tmp/lae"),
            4 => head[345..349].copy_from_slice(b"../."),
            _ => {
                let at = dice.below(512);
                head[at] = dice.byte();
            }
        }
    }
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head.extend_from_slice(bytes);
    head.resize(head.len().next_multiple_of(512), 0);
    head
}

pub fn compress_gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An XZ file of stored chunks, with this dictionary size byte in its header.
pub fn compress_xz(bytes: &[u8], dictionary: u8) -> Vec<u8> {
    let with_checksum = |mut part: Vec<u8>| {
        let mut sum = flate2::Crc::new();
        sum.update(&part);
        part.extend(sum.sum().to_le_bytes());
        part
    };
    let encode_varint = |mut number: usize| {
        let mut field = Vec::new();
        while number > 0x7f {
            field.push(number as u8 | 0x80);
            number >>= 7;
        }
        field.push(number as u8);
        field
    };
    let mut archive = b"\xfd7zXZ\0".to_vec();
    // Flags: no checksum of the content.
    archive.extend(with_checksum(vec![0, 0]));
    // Block of one filter, LZMA2.
    let start = archive.len();
    archive.extend(with_checksum(vec![2, 0, 0x21, 1, dictionary, 0, 0, 0]));
    for (number, chunk) in bytes.chunks(1 << 16).enumerate() {
        archive.push(if number == 0 { 1 } else { 2 });
        archive.extend(((chunk.len() - 1) as u16).to_be_bytes());
        archive.extend(chunk);
    }
    archive.push(0);
    let unpadded = archive.len() - start;
    archive.resize(archive.len().next_multiple_of(4), 0);
    let mut index = [vec![0, 1], encode_varint(unpadded), encode_varint(bytes.len())].concat();
    index.resize(index.len().next_multiple_of(4), 0);
    let index = with_checksum(index);
    archive.extend(&index);
    let size = (index.len() / 4 - 1) as u32;
    let mut foot = vec![];
    foot.extend(size.to_le_bytes());
    foot.extend([0, 0]);
    let mut sum = flate2::Crc::new();
    sum.update(&foot);
    archive.extend(sum.sum().to_le_bytes());
    archive.extend(foot);
    archive.extend(b"YZ");
    archive
}
