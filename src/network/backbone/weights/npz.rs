//! NumPy archives (`.npz`): a ZIP of arrays, each with a small header. The original ViT weights have this format.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use safetensors::tensor::Dtype;
use zip::ZipArchive;

use super::convert::decode;
use super::{StoredTensor, Tensors, invalid_file};
use crate::files;
use crate::names::comma_separated;
use crate::problem::{Problem, Result};

/// Returns whether the archive contains arrays.
pub fn is_npz(path: &Path) -> bool {
    files::open(path).ok().and_then(|file| files::open_zip(file).ok()).is_some_and(|archive| {
        let mut names = archive.file_names().flatten();
        names.any(|name| name.ends_with(".npy"))
    })
}

/// Opens an archive; arrays are decompressed when they are read.
pub fn open(path: &Path) -> Result<Tensors> {
    let mut archive = open_archive(path)?;
    let mut tensors = Tensors::for_file(path.display().to_string(), Default::default());
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|e| damaged(path, e))?;
        let name = entry.name().map_err(|e| damaged(path, e))?;
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else {
            continue;
        };
        let header =
            Header::read(&mut entry).map_err(|why| damaged(path, format!("{name}: {why}")))?;
        let Some(kind) = header.kind else { continue };
        if header.fortran {
            return Err(damaged(path, format!("{name} is stored column by column")));
        }
        let multiply = |count: usize, side: &usize| count.checked_mul(*side);
        let length = header.shape.iter().try_fold(kind.bitsize() / 8, multiply);
        let length = length.ok_or_else(|| damaged(path, format!("{name} is too large")))?;
        let (path, name_inside) = (path.to_owned(), name.clone());
        tensors.insert(
            name,
            StoredTensor::new(header.shape, move || {
                let bytes = array_bytes(&path, index, length)
                    .map_err(|why| damaged(&path, format!("{name_inside}: {why}")))?;
                Ok(decode(kind, &bytes))
            }),
        );
    }
    Ok(tensors)
}

fn open_archive(path: &Path) -> Result<ZipArchive<File>> {
    let file = files::open(path).map_err(|e| Problem::io("read the weight file", path, &e))?;
    files::open_zip(file).map_err(|error| damaged(path, error))
}

fn damaged(path: &Path, why: impl Display) -> Problem {
    invalid_file(path, &format!("its arrays cannot be read ({why})"))
}

/// Returns the bytes of an array, without its header.
fn array_bytes(path: &Path, index: usize, length: usize) -> Result<Vec<u8>, String> {
    let mut archive = open_archive(path).map_err(|problem| problem.what)?;
    let mut entry = archive.by_index(index).map_err(|e| e.to_string())?;
    Header::read(&mut entry)?;
    let mut bytes = Vec::new();
    // Reading one byte more detects excess data without decompressing all of it.
    let mut entry = entry.take(length as u64 + 1);
    entry.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        let more = if bytes.len() > length { "more" } else { "fewer" };
        Err(format!("{more} bytes than its shape says"))
    }
}

/// The header of an array: element type, order and shape.
#[derive(Debug, PartialEq)]
struct Header {
    /// The element type; `None` if it is not a supported float type.
    kind: Option<Dtype>,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Largest accepted length of a header, in bytes.
    const MAX_LENGTH: usize = 1 << 16;

    fn read(reader: &mut impl Read) -> Result<Self, String> {
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(|e| e.to_string())?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err("no array".into());
        }
        // Version 1 has a length of two bytes.
        let mut field = [0; 4];
        let field_size = if start[6] == 1 { 2 } else { 4 };
        let read = reader.read_exact(&mut field[..field_size]);
        read.map_err(|e| e.to_string())?;
        let length = u32::from_le_bytes(field) as usize;
        if length > Self::MAX_LENGTH {
            return Err("the header is too long".into());
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(|e| e.to_string())?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self, String> {
        let after = |key: &str| {
            let rest = text.split_once(key).map(|(_, rest)| rest);
            rest.map(|rest| rest.trim_start_matches(['\'', '"', ':', ' ']))
                .ok_or_else(|| format!("the header lacks {key}"))
        };
        let descr = after("descr")?;
        let kind = match descr.split(['\'', '"']).next().unwrap_or_default() {
            "<f8" => Some(Dtype::F64),
            "<f4" => Some(Dtype::F32),
            "<f2" => Some(Dtype::F16),
            _ => None,
        };
        let shape = after("shape")?.trim_start_matches('(').split(')').next();
        let shape = comma_separated(shape.unwrap_or_default())
            .map(|part| part.parse().map_err(|_| format!("{part} is not a length")))
            .collect::<Result<Vec<usize>, String>>()?;
        Ok(Self { kind, fortran: after("fortran_order")?.starts_with("True"), shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_headers_of_scalars_vectors_and_matrices() {
        let header = Header::parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
        let header = header.unwrap();
        assert_eq!(header.kind, Some(Dtype::F32));
        assert_eq!(header.shape, [3, 4]);
        assert!(!header.fortran);
        let vector = "{'descr': '<f2', 'fortran_order': True, 'shape': (7,), }";
        let vector = Header::parse(vector).unwrap();
        assert_eq!((vector.kind, vector.fortran), (Some(Dtype::F16), true));
        assert_eq!(vector.shape, [7]);
        let scalar = "{'descr': '<i8', 'fortran_order': False, 'shape': (), }";
        let scalar = Header::parse(scalar).unwrap();
        assert_eq!((scalar.kind, scalar.shape.len()), (None, 0));
        assert!(Header::parse("{'descr': '<f4'}").is_err());
    }
}
