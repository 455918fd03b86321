//! PyTorch checkpoints (`.pth`, `.pt`, `.bin`): a state dict, alone or inside a training
//! checkpoint. Nothing in the file is executed; only tensors are taken from it, and none before the
//! file has shown that it asks for no more memory than it is worth (`guard.rs`).

mod guard;

use std::collections::HashMap;
use std::path::Path;

use pytorch_reader::{DType, PytorchReader, Tensor};

use super::numbers::FloatKind;
use super::{Stored, Tensors, foreign};
use crate::problem::{Problem, Result};

/// Keys under which training programs keep the state dict, in order of preference.
const CONTAINERS: [&str; 6] = [
    "state_dict_ema.",
    "model_ema.",
    "state_dict.",
    "model.",
    "teacher.",
    "module.",
];

/// Whether a file that is no ZIP may be an older PyTorch file: a pickle (0x80) or a TAR.
pub fn may_start(start: &[u8]) -> bool {
    start.first() == Some(&0x80) || start.starts_with(b"sys_info") || start.starts_with(b"./")
}

/// Stored tensors may overlap (tied weights do), but not all of them many times over: so many times
/// the length of the file they may have together.
const MOST_OVERLAP: u64 = 4;

/// Opens a checkpoint; tensors are read from it when they are asked for.
pub fn open(path: &Path) -> Result<Tensors> {
    let length = guard::check(path).map_err(|why| foreign(path, &why))?;
    let reader = PytorchReader::new(path)
        .map_err(|error| foreign(path, &format!("it is no PyTorch state dict ({error})")))?;
    let stated = |tensor: &Tensor| {
        let sides = tensor.shape().iter();
        sides.fold(tensor.dtype().size() as u64, |product, side| {
            product.saturating_mul(*side as u64)
        })
    };
    let all = (reader.tensors().values()).fold(0, |sum: u64, one| sum.saturating_add(stated(one)));
    if all > length.saturating_mul(MOST_OVERLAP) {
        let why = format!("its tensors claim {all} bytes, but the file has {length}");
        return Err(foreign(path, &why));
    }
    let mut tensors = Tensors::of(path.display().to_string(), Default::default());
    for (name, tensor) in unpacked(reader.into_tensors()) {
        let kind = match tensor.dtype() {
            DType::F64 => FloatKind::F64,
            DType::F32 => FloatKind::F32,
            DType::F16 => FloatKind::F16,
            DType::BF16 => FloatKind::Bf16,
            _ => continue,
        };
        let shape = tensor.shape().to_vec();
        let path = path.to_owned();
        tensors.insert(
            name,
            Stored::new(shape, move || {
                let bytes = tensor
                    .read()
                    .map_err(|error| Problem::io("read a tensor", &path, &error))?;
                Ok(kind.decode(&bytes))
            }),
        );
    }
    Ok(tensors)
}

/// Strips the containers around the state dict. Names that share no container stay as they are.
fn unpacked(mut tensors: HashMap<String, Tensor>) -> HashMap<String, Tensor> {
    while let Some(prefix) =
        (CONTAINERS.iter()).find(|prefix| tensors.keys().any(|name| name.starts_with(*prefix)))
    {
        tensors = (tensors.into_iter())
            .filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_owned(), tensor)))
            .collect();
    }
    tensors
}
