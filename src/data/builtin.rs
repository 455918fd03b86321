//! The embedded datasets *Digits* and *Letters*, which need neither a download nor a folder.
//!
//! A pack is a u32 (little-endian) length, a JSON header of that length, and a zlib stream of grey pixels: training
//! before test images, class by class, image by image, row by row.

use std::io::Read;

use serde::Deserialize;

use super::RawDataset;
use super::record::{PixelLayout, Records};
use super::source::Sample;
use crate::message;
use crate::problem::{Problem, Result};

/// Name and pack of each embedded dataset.
const PACKS: [(&str, &[u8]); 2] = [
    ("digits", include_bytes!("../../assets/digits.pack")),
    ("letters", include_bytes!("../../assets/letters.pack")),
];

/// Returns the names of the embedded datasets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PACKS.iter().map(|(name, _)| *name)
}

/// Opens the embedded dataset with this name; `None` if there is none.
pub(super) fn open(name: &str) -> Result<Option<RawDataset>> {
    PACKS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(known, pack)| unpack(known, pack))
        .transpose()
}

#[derive(Deserialize)]
struct Header {
    name: String,
    note: String,
    licence: String,
    height: usize,
    width: usize,
    classes: Vec<String>,
    train: Vec<usize>,
    test: Vec<usize>,
}

fn unpack(origin: &str, pack: &[u8]) -> Result<RawDataset> {
    let damaged =
        |why: &str| Problem::new(message!("problem-built-in-dataset-damaged", why)).at(origin);
    let (length, rest) = pack.split_first_chunk::<4>().ok_or_else(|| damaged("no header"))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (header, pixels) =
        rest.split_at_checked(length).ok_or_else(|| damaged("a truncated header"))?;
    let header: Header =
        serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
    if header.train.len() != header.classes.len() || header.test.len() != header.classes.len() {
        return Err(damaged("its counts do not fit its classes"));
    }
    let stride = header.height * header.width;
    let expand_labels = |counts: &[usize]| -> Vec<Option<u32>> {
        (0_u32..)
            .zip(counts)
            .flat_map(|(class, &count)| std::iter::repeat_n(Some(class), count))
            .collect()
    };
    let (train, test) = (expand_labels(&header.train), expand_labels(&header.test));
    let mut bytes = Vec::new();
    let expected = stride * (train.len() + test.len());
    flate2::read::ZlibDecoder::new(pixels)
        .take(expected as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| damaged(&error.to_string()))?;
    if bytes.len() != expected {
        return Err(damaged("its pixels do not fit its counts"));
    }
    let tail = bytes.split_off(stride * train.len());
    let samples = |bytes: Vec<u8>, labels| {
        Sample::from_records(Records {
            height: header.height,
            width: header.width,
            pixels: PixelLayout::Grey,
            stride,
            offset: 0,
            bytes: bytes.into(),
            labels,
            names: header.classes.clone(),
        })
    };
    Ok(RawDataset {
        train: samples(bytes, train),
        test: Some(samples(tail, test)),
        name: header.name,
        origin: origin.to_owned(),
        note: format!(
            "{} Licence: {}.",
            header.note.trim_end(),
            header.licence.trim_end_matches('.')
        ),
        classes: header.classes,
        ..RawDataset::default()
    })
}
