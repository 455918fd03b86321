//! The `.safetensors` format: a JSON header, followed by the tensors' bytes.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorInfo};

use super::numbers::FloatKind;
use super::{Stored, Tensors, foreign};
use crate::problem::{Problem, Result};
use crate::tensors::file::TensorFile;

/// Size of the header's length field in bytes.
const PREFIX: usize = 8;

/// Opens a file; tensors are read when they are requested.
pub fn open(path: &Path) -> Result<Tensors> {
    let file = TensorFile::open(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => foreign(path, &format!("it is damaged or truncated ({error})")),
        _ => Problem::io("read the weight file", path, &error),
    })?;
    let file = Arc::new(file);
    let origin = path.display().to_string();
    collect(&origin, file.header(), |name, kind, info| {
        let (file, path, info) = (Arc::clone(&file), path.to_owned(), info.clone());
        let name = name.to_owned();
        Box::new(move || {
            file.bytes(&info)
                .map(|bytes| kind.decode(&bytes))
                .map_err(|e| Problem::io(&format!("read the tensor {name}"), &path, &e))
        })
    })
}

/// Returns the tensors of a file that is embedded in the program.
pub fn in_memory(origin: &str, bytes: &'static [u8]) -> Result<Tensors> {
    let (header, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|error| foreign(Path::new(origin), &error.to_string()))?;
    let start = PREFIX + header;
    collect(origin, &metadata, |_, kind, info| {
        let (from, to) = info.data_offsets;
        Box::new(move || Ok(kind.decode(&bytes[start + from..start + to])))
    })
}

type Read = Box<dyn Fn() -> Result<Vec<f32>> + Send + Sync>;

fn collect(
    origin: &str,
    metadata: &Metadata,
    read: impl Fn(&str, FloatKind, &TensorInfo) -> Read,
) -> Result<Tensors> {
    let text: BTreeMap<String, String> = metadata
        .metadata()
        .clone()
        .unwrap_or_default()
        .into_iter()
        .collect();
    let mut tensors = Tensors::of(origin, text);
    for (name, info) in metadata.tensors() {
        let kind = match info.dtype {
            Dtype::F64 => FloatKind::F64,
            Dtype::F32 => FloatKind::F32,
            Dtype::F16 => FloatKind::F16,
            Dtype::BF16 => FloatKind::Bf16,
            // Integer tensors are counters and index buffers, not weights.
            _ => continue,
        };
        let reading = read(&name, kind, info);
        tensors.insert(name, Stored::new(info.shape.clone(), reading));
    }
    Ok(tensors)
}
