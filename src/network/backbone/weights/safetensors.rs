//! The `.safetensors` format: a JSON header, followed by the tensors' bytes.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use safetensors::tensor::{Metadata, SafeTensors, TensorInfo};

use super::convert::{decode, is_float};
use super::{StoredTensor, Tensors, invalid_file};
use crate::problem::{Problem, Result};
use crate::tensors::file::TensorFile;

/// Size of the header's length field in bytes.
const PREFIX: usize = 8;

/// Opens a file; tensors are read when they are requested.
pub fn open(path: &Path) -> Result<Tensors> {
    let file = TensorFile::open(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            invalid_file(path, &format!("it is damaged or truncated ({error})"))
        }
        _ => Problem::io("read the weight file", path, &error),
    })?;
    let file = Arc::new(file);
    let origin = path.display().to_string();
    collect(&origin, file.header(), |name, info| {
        let (file, path, info) = (Arc::clone(&file), path.to_owned(), info.clone());
        let name = name.to_owned();
        Box::new(move || {
            file.bytes(&info)
                .map(|bytes| decode(info.dtype, &bytes))
                .map_err(|e| Problem::io(&format!("read the tensor {name}"), &path, &e))
        })
    })
}

/// Returns the tensors of a file that is embedded in the program.
pub fn in_memory(origin: &str, bytes: &'static [u8]) -> Result<Tensors> {
    let (header, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|error| invalid_file(Path::new(origin), &error.to_string()))?;
    let start = PREFIX + header;
    collect(origin, &metadata, |_, info| {
        let (dtype, (from, to)) = (info.dtype, info.data_offsets);
        Box::new(move || Ok(decode(dtype, &bytes[start + from..start + to])))
    })
}

type Read = Box<dyn Fn() -> Result<Vec<f32>> + Send + Sync>;

fn collect(
    origin: &str,
    metadata: &Metadata,
    read: impl Fn(&str, &TensorInfo) -> Read,
) -> Result<Tensors> {
    let texts = metadata.metadata().iter().flatten();
    let texts = texts.map(|(key, text)| (key.clone(), text.clone()));
    let mut tensors = Tensors::for_file(origin, texts.collect());
    for (name, info) in metadata.tensors() {
        if is_float(info.dtype) {
            let read_values = read(&name, info);
            tensors.insert(name, StoredTensor::new(info.shape.clone(), read_values));
        }
    }
    Ok(tensors)
}
