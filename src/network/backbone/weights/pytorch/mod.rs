//! PyTorch checkpoints (`.pth`, `.pt`, `.ckpt`, `.bin`): a state dict, alone or inside a training checkpoint, whose
//! keys are then prefixes of its names. Nothing in the file is executed; only tensors are read, and only after a check
//! that the file does not request far more memory than its size (`guard.rs`).

mod guard;

use std::io::{self, Read, Write};
use std::path::Path;

use pytorch_reader::{DType, PytorchError, PytorchReader, Tensor};
use safetensors::tensor::Dtype;
use tempfile::NamedTempFile;

use super::convert::decode;
use super::{StoredTensor, Tensors, invalid_file};
use crate::data::cache_folder;
use crate::files;
use crate::problem::{Problem, Result};

/// Returns whether a file that is not a ZIP may be an older PyTorch file: a pickle (0x80) or a TAR.
pub fn may_start(start: &[u8]) -> bool {
    start.first() == Some(&0x80) || start.starts_with(b"sys_info") || start.starts_with(b"./")
}

/// Stored tensors may overlap (tied weights do), but together they may have at most this many times the length of the
/// file.
const MAX_OVERLAP: u64 = 4;

/// Opens a checkpoint; tensors are read when they are requested.
pub fn open(path: &Path) -> Result<Tensors> {
    let length = guard::check(path).map_err(|why| invalid_file(path, &why))?;
    let reader = reader(path)?;
    let stored_bytes = |tensor: &Tensor| {
        let sides = tensor.shape().iter();
        sides.fold(tensor.dtype().size() as u64, |product, side| {
            product.saturating_mul(*side as u64)
        })
    };
    let all = (reader.tensors().values())
        .fold(0, |sum: u64, tensor| sum.saturating_add(stored_bytes(tensor)));
    if all > length.saturating_mul(MAX_OVERLAP) {
        let why = format!("its tensors claim {all} bytes, but the file has {length}");
        return Err(invalid_file(path, &why));
    }
    let mut tensors = Tensors::for_file(path.display().to_string(), Default::default());
    for (name, tensor) in reader.into_tensors() {
        let kind = match tensor.dtype() {
            DType::F64 => Dtype::F64,
            DType::F32 => Dtype::F32,
            DType::F16 => Dtype::F16,
            DType::BF16 => Dtype::BF16,
            _ => continue,
        };
        let shape = tensor.shape().to_vec();
        let path = path.to_owned();
        tensors.insert(
            name,
            StoredTensor::new(shape, move || {
                let bytes =
                    tensor.read().map_err(|error| Problem::io("read a tensor", &path, &error))?;
                Ok(decode(kind, &bytes))
            }),
        );
    }
    Ok(tensors)
}

/// Opens the checkpoint with `PytorchReader`.
///
/// `PytorchReader` opens archives with the defaults of `zip`, which fails for some files of `torch.save` (see
/// [`files::open_zip`]). It is then given a temporary copy without the ZIP64 records. It holds the copy open, so the
/// copy's name is removed at once.
fn reader(path: &Path) -> Result<PytorchReader> {
    let invalid = |error| invalid_file(path, &format!("it is not a PyTorch state dict ({error})"));
    let error = match PytorchReader::new(path) {
        Err(error @ PytorchError::Zip(_)) => error,
        read => return read.map_err(invalid),
    };
    let copy = copy_without_zip64(path)
        .map_err(|error| Problem::io("copy the weight file", path, &error))?;
    match copy {
        Some(copy) => PytorchReader::new(copy.path()).map_err(invalid),
        None => Err(invalid(error)),
    }
}

/// Copies a ZIP archive without its ZIP64 records. `None` if it does not end as `torch.save` ends its files: with a
/// ZIP64 end record (56 bytes), its locator (20 bytes) and an end record without a comment (22 bytes).
fn copy_without_zip64(path: &Path) -> io::Result<Option<NamedTempFile>> {
    const LOCATOR: usize = 56;
    const END: usize = LOCATOR + 20;
    const TOTAL: u64 = END as u64 + 22;
    let Some(start) = files::length(path)?.checked_sub(TOTAL) else {
        return Ok(None);
    };
    let records = files::read_from(path, start, TOTAL)?;
    let signatures = [(0, b"PK\x06\x06"), (LOCATOR, b"PK\x06\x07"), (END, b"PK\x05\x06")];
    let has_signature =
        |(offset, signature): &(usize, &[u8; 4])| records[*offset..].starts_with(*signature);
    if records.len() as u64 != TOTAL || !signatures.iter().all(has_signature) {
        return Ok(None);
    }
    let folder = cache_folder();
    std::fs::create_dir_all(&folder)?;
    let mut copy = NamedTempFile::new_in(folder)?;
    io::copy(&mut files::open(path)?.take(start), copy.as_file_mut())?;
    copy.write_all(&records[END..])?;
    Ok(Some(copy))
}
