//! MATLAB files (level 5) with the labels and splits of Oxford's Flowers-102.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use csv::StringRecord;

use super::collector::List;
use super::finder::Finder;
use super::label::parse_table;
use super::rows::ListSource;
use super::table::record_from_cells;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::reader::Reader;

/// The file with a label per image.
const LABELS: &str = "imagelabels.mat";
/// The file with the numbers of the images in each split, and these splits.
const SPLITS: &str = "setid.mat";
const SETS: [(&str, &str); 3] = [("trnid", "train"), ("valid", "val"), ("tstid", "test")];

/// Maximum size of a file and of its unpacked matrices, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Bytes before the first element.
const HEADER: usize = 128;
/// Types of elements.
const MATRIX: u32 = 14;
const PACKED: u32 = 15;

/// Returns the labels and splits of Flowers-102 in a folder; `None` if there are none.
pub(super) fn read_flowers(
    reader: &mut Reader,
    finder: &Finder,
    list_folder: usize,
) -> Result<Option<List>> {
    let tree = reader.tree;
    let dir = &tree.dirs[list_folder];
    if !dir.others.iter().any(|name| name == LABELS) {
        return Ok(None);
    }
    let records = build_records(&dir.path)?;
    reader.used_lists.insert(dir.path.join(SPLITS));
    let source = ListSource { tree, finder, list_folder, file: LABELS, column: None };
    Ok(parse_table(&source, &records, true).map(|list_rows| List {
        path: dir.path.join(LABELS),
        file: LABELS.into(),
        role: None,
        family: String::new(),
        rows: list_rows.rows,
        labels: list_rows.labels,
        remarks: list_rows.remarks,
    }))
}

/// Returns the labels and splits as a table with a header.
fn build_records(folder: &Path) -> Result<Vec<StringRecord>> {
    let labels = read_matrix(&folder.join(LABELS), "labels")?;
    let splits = folder.join(SPLITS);
    let mut split_of = HashMap::new();
    if splits.exists() {
        for (set, split) in SETS {
            let images = read_matrix(&splits, set)?.into_iter();
            split_of.extend(images.map(|number| (number as usize, split)));
        }
    }
    let rows = labels.into_iter().zip(1..).map(|(label, number)| {
        let split = split_of.get(&number).copied().unwrap_or_default();
        let image = format!("image_{number:05}.jpg");
        record_from_cells(number, [&image, &label.to_string(), split])
    });
    let header = record_from_cells(1, ["file", "label", "split"]);
    Ok([header].into_iter().chain(rows).collect())
}

/// Returns the numbers of the matrix with this name.
fn read_matrix(path: &Path, name: &str) -> Result<Vec<f64>> {
    let bytes =
        files::read(path, MAX_BYTES).map_err(|error| Problem::io("read the list", path, &error))?;
    find_numbers(&bytes, name).ok_or_else(|| {
        Problem::new(message!("problem-matlab-file", name))
            .at_path(path)
            .advise(message!("advice-matlab-version"))
    })
}

fn find_numbers(bytes: &[u8], name: &str) -> Option<Vec<f64>> {
    let is_level_5 = bytes.get(124..HEADER)? == b"\0\x01IM";
    let mut rest = bytes.get(HEADER..).filter(|_| is_level_5)?;
    let mut bytes_left = MAX_BYTES;
    while !rest.is_empty() {
        let (kind, content, next) = read_element(rest)?;
        rest = next;
        let mut unpacked = Vec::new();
        let found = if kind == PACKED {
            let packed = flate2::read::ZlibDecoder::new(content);
            bytes_left -= packed.take(bytes_left).read_to_end(&mut unpacked).ok()? as u64;
            match read_element(&unpacked)? {
                (MATRIX, content, _) => matrix_numbers(content, name),
                _ => None,
            }
        } else if kind == MATRIX {
            matrix_numbers(content, name)
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns the numbers of a matrix if it has this name. A matrix contains its flags, size, name and numbers, in this
/// order.
fn matrix_numbers(bytes: &[u8], name: &str) -> Option<Vec<f64>> {
    let (_, _, rest) = read_element(bytes)?;
    let (_, _, rest) = read_element(rest)?;
    let (_, matrix_name, rest) = read_element(rest)?;
    if matrix_name != name.as_bytes() {
        return None;
    }
    let (kind, content, _) = read_element(rest)?;
    macro_rules! numbers {
        ($number:ty) => {
            content
                .chunks_exact(size_of::<$number>())
                .filter_map(|bytes| Some(<$number>::from_le_bytes(bytes.try_into().ok()?) as f64))
                .collect()
        };
    }
    Some(match kind {
        1 => numbers!(i8),
        2 => numbers!(u8),
        3 => numbers!(i16),
        4 => numbers!(u16),
        5 => numbers!(i32),
        6 => numbers!(u32),
        7 => numbers!(f32),
        9 => numbers!(f64),
        12 => numbers!(i64),
        13 => numbers!(u64),
        _ => return None,
    })
}

/// Returns the type and content of the first element, and what follows it.
fn read_element(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let read_word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (kind, length) = (read_word(0)?, read_word(4)?);
    // Small elements have up to four bytes of content in place of the length.
    let (kind, start, length): (u32, usize, usize) = match kind >> 16 {
        0 => (kind, 8, usize::try_from(length).ok()?),
        small => (kind & 0xFFFF, 4, usize::try_from(small).ok()?),
    };
    let content = bytes.get(start..start.checked_add(length)?)?;
    let end = match kind {
        PACKED => start + length,
        _ => (start + length).next_multiple_of(8),
    };
    Some((kind, content, bytes.get(end..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::{Dataset, OpenOptions};

    /// Encodes a row of bytes like MATLAB; short names and rows are stored in place of the length.
    fn encode_matrix(name: &str, numbers: &[u8]) -> Vec<u8> {
        let element = |kind: u32, content: &[u8]| {
            let length = content.len() as u32;
            let mut bytes = match length {
                1..=4 => (length << 16 | kind).to_le_bytes().to_vec(),
                _ => [kind.to_le_bytes(), length.to_le_bytes()].concat(),
            };
            bytes.extend_from_slice(content);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
        };
        let size = [1_u32, numbers.len() as u32].map(u32::to_le_bytes).concat();
        let parts = [
            element(6, &[9, 0, 0, 0, 0, 0, 0, 0]),
            element(5, &size),
            element(1, name.as_bytes()),
            element(2, numbers),
        ];
        let mut pack = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        pack.write_all(&element(MATRIX, &parts.concat())).unwrap();
        let packed = pack.finish().unwrap();
        let length = packed.len() as u32;
        [&PACKED.to_le_bytes(), &length.to_le_bytes(), packed.as_slice()].concat()
    }

    fn mat_file(matrices: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![b' '; 124];
        bytes.extend_from_slice(b"\0\x01IM");
        bytes.extend(matrices.iter().flat_map(|(name, row)| encode_matrix(name, row)));
        bytes
    }

    #[test]
    fn opens_flowers_with_labels_and_splits() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("jpg")).unwrap();
        for n in 1..=8_u8 {
            let image = image::RgbImage::from_pixel(2, 2, image::Rgb([n * 20; 3]));
            image.save(at(&format!("jpg/image_{n:05}.jpg"))).unwrap();
        }
        let labels = mat_file(&[("labels", &[77, 2, 77, 2, 2, 77, 2, 77])]);
        let sets: [(&str, &[u8]); 3] =
            [("trnid", &[1, 2, 5]), ("valid", &[6]), ("tstid", &[3, 4, 7, 8])];
        std::fs::write(at(LABELS), &labels).unwrap();
        std::fs::write(at(SPLITS), mat_file(&sets)).unwrap();
        let open = || Dataset::open(root.path().to_str().unwrap(), &OpenOptions::default());
        let data = open().unwrap();
        assert_eq!(data.classes, ["2", "77"]);
        assert_eq!((data.train.len(), data.test.len()), (3, 4));
        assert!(data.skipped.is_empty() && !data.test_drawn);
        // Truncated or modified files give a Problem or another label, never a panic.
        for at_byte in 0..labels.len() {
            let _ = find_numbers(&labels[..at_byte], "labels");
            let mut other = labels.clone();
            other[at_byte] ^= 0x81;
            let _ = find_numbers(&other, "labels");
        }
        std::fs::write(at(LABELS), &labels[..150]).unwrap();
        assert!(open().unwrap_err().is("problem-matlab-file"));
    }
}
