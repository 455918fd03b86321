//! The `.safetensors` format: a JSON header, then the tensors' bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use safetensors::tensor::{Dtype, Metadata, SafeTensors};

use super::mapped::Mapped;
use super::numbers::Kind;
use super::{Stored, Tensors, foreign};
use crate::problem::{Problem, Result};

/// Bytes of the header's length field.
const PREFIX: usize = 8;

/// Opens a file; tensors are mapped when they are read.
pub fn open(path: &Path) -> Result<Tensors> {
    let io = |error: &std::io::Error| Problem::io("read the weight file", path, error);
    let file = File::open(path).map_err(|e| io(&e))?;
    let length = file.metadata().map_err(|e| io(&e))?.len() as usize;
    let whole = Mapped::range(&file, 0, length).map_err(|e| io(&e))?;
    let (header, metadata) = SafeTensors::read_metadata(&whole)
        .map_err(|error| foreign(path, &format!("it is damaged or cut short ({error})")))?;
    drop(whole);
    let file = Arc::new(file);
    let start = (PREFIX + header) as u64;
    let origin = path.display().to_string();
    collect(&origin, &metadata, |name, kind, (from, to)| {
        let (file, path) = (Arc::clone(&file), path.to_owned());
        let name = name.to_owned();
        Box::new(move || {
            Mapped::range(&file, start + from as u64, to - from)
                .map(|bytes| kind.decode(&bytes))
                .map_err(|e| Problem::io(&format!("read the tensor {name}"), &path, &e))
        })
    })
}

/// Tensors of a file that is part of the program.
pub fn in_memory(origin: &str, bytes: &'static [u8]) -> Result<Tensors> {
    let (header, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|error| foreign(Path::new(origin), &error.to_string()))?;
    let start = PREFIX + header;
    collect(origin, &metadata, |_, kind, (from, to)| {
        Box::new(move || Ok(kind.decode(&bytes[start + from..start + to])))
    })
}

type Read = Box<dyn Fn() -> Result<Vec<f32>> + Send + Sync>;

fn collect(
    origin: &str,
    metadata: &Metadata,
    read: impl Fn(&str, Kind, (usize, usize)) -> Read,
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
            Dtype::F64 => Kind::F64,
            Dtype::F32 => Kind::F32,
            Dtype::F16 => Kind::F16,
            Dtype::BF16 => Kind::Bf16,
            // Counters and index buffers: no weights.
            _ => continue,
        };
        let reading = read(&name, kind, info.data_offsets);
        tensors.insert(name, Stored::new(info.shape.clone(), reading));
    }
    Ok(tensors)
}
