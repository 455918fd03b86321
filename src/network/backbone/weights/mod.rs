//! Weight files in three formats: tensors by name, read one at a time and converted to `f32`. The format is detected by
//! the file's first bytes, not by its name.
//!
//! Tensors are read only when requested and are not cached: loading a model needs its own size and memory for one
//! tensor.

mod convert;
mod npz;
mod pytorch;
mod safetensors;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// Extensions of weight files.
pub const EXTENSIONS: &[&str] = &["safetensors", "npz", "pth", "pt", "ckpt", "bin"];

type ReadValues = Arc<dyn Fn() -> Result<Vec<f32>> + Send + Sync>;

/// A tensor in a file: its shape, and a function that reads its values.
#[derive(Clone)]
pub struct StoredTensor {
    shape: Vec<usize>,
    read: ReadValues,
}

impl StoredTensor {
    /// Returns a tensor whose values (row-major) are read by `read`.
    pub fn new(
        shape: Vec<usize>,
        read: impl Fn() -> Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Self {
        Self { shape, read: Arc::new(read) }
    }

    /// Returns a tensor of zeros.
    pub fn zeros(shape: &[usize]) -> Self {
        let count = shape.iter().product();
        Self::new(shape.to_vec(), move || Ok(vec![0.0; count]))
    }

    /// Returns the shape, outermost axis first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the values, row-major.
    pub fn read(&self) -> Result<Vec<f32>> {
        (self.read)()
    }

    /// Returns the same tensor with its values read now. The first call of `read` returns them, later ones read the
    /// file again, so that they are not kept longer than needed.
    fn read_ahead(&self) -> Result<Self> {
        let read = self.read.clone();
        let ready = Mutex::new(Some(read()?));
        Ok(Self::new(self.shape.clone(), move || {
            let mut ready = lock(&ready);
            ready.take().map_or_else(|| read(), Ok)
        }))
    }

    /// Returns the same values in another shape of the same size.
    #[must_use]
    pub fn reshape(self, shape: Vec<usize>) -> Self {
        Self { shape, ..self }
    }

    /// Returns a tensor with the values transformed by `transform`.
    #[must_use]
    pub fn map_values(
        self,
        shape: Vec<usize>,
        transform: impl Fn(Vec<f32>) -> Vec<f32> + Send + Sync + 'static,
    ) -> Self {
        let read = self.read;
        Self::new(shape, move || Ok(transform(read()?)))
    }

    /// Returns the rows from `from` to `to` along the first axis.
    #[must_use]
    pub fn slice_rows(self, from: usize, to: usize) -> Self {
        let mut shape = self.shape.clone();
        let row: usize = shape.iter().skip(1).product();
        if let Some(first) = shape.first_mut() {
            *first = to.saturating_sub(from);
        }
        self.map_values(shape, move |values| {
            values.get(from * row..to * row).unwrap_or_default().to_vec()
        })
    }

    /// Returns the sum of two tensors of the same size, in the shape of this one.
    #[must_use]
    pub fn add_tensor(self, other: Self) -> Self {
        Self::new(self.shape.clone(), move || {
            let (mut values, addends) = (self.read()?, other.read()?);
            values.iter_mut().zip(addends).for_each(|(value, addend)| *value += addend);
            Ok(values)
        })
    }

    /// Concatenates tensors along the first axis.
    pub fn concat(parts: Vec<Self>) -> Self {
        let mut shape = parts.first().map_or_else(Vec::new, |part| part.shape.clone());
        if let Some(first) = shape.first_mut() {
            *first = parts.iter().filter_map(|part| part.shape.first()).sum();
        }
        Self::new(shape, move || {
            let mut values = Vec::new();
            for part in &parts {
                values.extend(part.read()?);
            }
            Ok(values)
        })
    }
}

/// Tensors by name, with the metadata of the file.
#[derive(Clone, Default)]
pub struct Tensors {
    origin: String,
    tensors: BTreeMap<String, StoredTensor>,
    metadata: BTreeMap<String, String>,
}

impl Tensors {
    /// Returns an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty set for a file: `origin` is its path in Problems, `metadata` its metadata.
    pub fn for_file(origin: impl Into<String>, metadata: BTreeMap<String, String>) -> Self {
        Self { origin: origin.into(), tensors: BTreeMap::new(), metadata }
    }

    /// Returns the tensors of a `.safetensors` file embedded in the program.
    pub fn from_embedded(origin: &str, bytes: &'static [u8]) -> Result<Self> {
        safetensors::in_memory(origin, bytes)
    }

    /// Returns the origin of the tensors.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the key-value metadata of the file.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Returns the tensors with additional metadata, which replaces existing values.
    #[must_use]
    pub fn with_metadata(mut self, additional: BTreeMap<String, String>) -> Self {
        self.metadata.extend(additional);
        self
    }

    /// Returns all names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Returns the number of indices, from 0, for which there is a tensor `prefix{index}suffix`.
    pub fn count_series(&self, prefix: &str, suffix: &str) -> usize {
        let exists = |index: &usize| self.contains(&format!("{prefix}{index}{suffix}"));
        (0..).take_while(exists).count()
    }

    /// Returns whether there is a tensor with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Returns a tensor's shape.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(StoredTensor::shape)
    }

    /// Returns a tensor's values, row-major.
    pub fn read(&self, name: &str) -> Result<Vec<f32>> {
        match self.tensors.get(name) {
            Some(stored) => stored.read(),
            None => Err(Problem::new(message!("problem-tensor-not-found", name)).at(&self.origin)),
        }
    }

    /// Reads all values now, so that building a network from them reads no file.
    pub fn read_ahead(&mut self) -> Result<()> {
        for stored in self.tensors.values_mut() {
            *stored = stored.read_ahead()?;
        }
        Ok(())
    }

    /// Adds or replaces a tensor.
    pub fn insert(&mut self, name: impl Into<String>, stored: StoredTensor) {
        self.tensors.insert(name.into(), stored);
    }

    /// Removes a tensor and returns it.
    pub fn remove(&mut self, name: &str) -> Option<StoredTensor> {
        self.tensors.remove(name)
    }

    /// Returns the tensors with new names; those without a new name are dropped.
    #[must_use]
    pub fn rename(self, new_name: impl Fn(&str) -> Option<String>) -> Self {
        let tensors = (self.tensors.into_iter())
            .filter_map(|(name, stored)| Some((new_name(&name)?, stored)))
            .collect();
        Self { tensors, ..self }
    }

    /// Stacks weights and biases of the layers `parts`, in this order, into the layer `packed_layer`. All are the ends
    /// of layer names, without `.weight` and `.bias`.
    #[must_use]
    pub fn pack_layers<const N: usize>(mut self, parts: [&str; N], packed_layer: &str) -> Self {
        let first = parts[0];
        for kind in ["weight", "bias"] {
            let end = format!(".{first}.{kind}");
            let names = self.names().filter_map(|name| name.strip_suffix(&end));
            let layers: Vec<String> = names.map(str::to_owned).collect();
            for layer in layers {
                let tensor_name = |part: &str| format!("{layer}.{part}.{kind}");
                if parts.iter().all(|part| self.contains(&tensor_name(part))) {
                    let stored = parts.iter().filter_map(|part| self.remove(&tensor_name(part)));
                    let packed = StoredTensor::concat(stored.collect());
                    self.insert(tensor_name(packed_layer), packed);
                }
            }
        }
        self
    }

    /// Adds biases of 0 for keys if only queries have biases. Both are the ends of names.
    #[must_use]
    pub fn with_key_biases(mut self, queries: &str, keys: &str) -> Self {
        let layers = self.names().filter_map(|name| name.strip_suffix(queries));
        for layer in layers.map(str::to_owned).collect::<Vec<_>>() {
            let name = format!("{layer}{keys}");
            let shape = self.shape(&format!("{layer}{queries}"));
            let zeros = StoredTensor::zeros(shape.unwrap_or_default());
            self.tensors.entry(name).or_insert(zeros);
        }
        self
    }

    /// Replaces parts of the names, in this order; drops tensors whose new names start with one of `unused`.
    #[must_use]
    pub fn replace_in_names(self, replacements: &[(&str, &str)], unused: &[&str]) -> Self {
        self.rename(|name| {
            let mut name = name.to_owned();
            for (from, to) in replacements {
                name = name.replace(from, to);
            }
            (!unused.iter().any(|unused| name.starts_with(unused))).then_some(name)
        })
    }

    /// Returns only the tensors whose names start with `prefix`, with the prefix removed.
    #[must_use]
    pub fn strip_prefix(self, prefix: &str) -> Self {
        self.rename(|name| name.strip_prefix(prefix).map(str::to_owned))
    }
}

/// Opens a weight file of any supported format, reading only names and shapes.
pub fn open(path: &Path) -> Result<Tensors> {
    if path.is_dir() {
        return Err(Problem::new(message!("problem-folder-is-no-weight-file"))
            .at_path(path)
            .advise(message!("advice-choose-weight-file-format")));
    }
    if is_shard(path) {
        return Err(Problem::new(message!("problem-weights-in-shards"))
            .at_path(path)
            .advise(message!("advice-save-one-weight-file")));
    }
    let start = files::read_start(path, 256)
        .map_err(|error| Problem::io("read the weight file", path, &error))?;
    if start.is_empty() {
        return Err(invalid_file(path, "it is empty"));
    }
    let is_zip = start.starts_with(b"PK\x03\x04");
    let tensors = if start.get(8) == Some(&b'{') {
        safetensors::open(path)?
    } else if is_zip && npz::is_npz(path) {
        npz::open(path)?
    } else if is_zip || pytorch::may_start(&start) {
        pytorch::open(path)?
    } else if start.starts_with(b"version https://git-lfs.github.com/spec/") {
        let why = "it is a Git LFS pointer and does not contain the weights";
        return Err(invalid_file(path, why).advise(message!("advice-fetch-with-git-lfs")));
    } else if is_web_page(&start) {
        let why = "it is a web page (HTML), not a weight file";
        return Err(invalid_file(path, why).advise(message!("advice-download-file-not-page")));
    } else {
        return Err(invalid_file(path, "it is neither safetensors, PyTorch nor npz"));
    };
    if tensors.names().next().is_none() {
        return Err(invalid_file(path, "it contains no tensors"));
    }
    Ok(tensors)
}

/// Returns whether a file contains only a part of the weights or lists such files, by the names that transformers
/// uses: `model-00001-of-00003.safetensors`, `model.safetensors.index.json`.
fn is_shard(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let count = name.rsplit_once("-of-").map_or("", |(_, count)| count);
    let is_number = count.len() == 5 && count.bytes().all(|byte| byte.is_ascii_digit());
    name.ends_with(".index") || (is_number && count != "00001")
}

/// Returns whether a file that starts with these bytes is a web page.
fn is_web_page(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    ["<!doctype html", "<html", "<?xml", "<head", "<!--"].iter().any(|tag| start.starts_with(tag))
}

/// Returns the Problem of a file that is damaged or not a weight file.
fn invalid_file(path: &Path, why: &str) -> Problem {
    Problem::new(message!("problem-weight-file-unusable", why))
        .at_path(path)
        .advise(message!("advice-choose-usable-weight-file"))
}

/// Returns the SHA-256 of bytes in memory, in hexadecimal digits.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stacked_tensors_in_order() {
        let part = |value: f32| StoredTensor::new(vec![1, 2], move || Ok(vec![value; 2]));
        let stacked = StoredTensor::concat(vec![part(1.0), part(2.0)]);
        assert_eq!(stacked.shape(), [2, 2]);
        assert_eq!(stacked.read().unwrap(), [1.0, 1.0, 2.0, 2.0]);
    }

    #[test]
    fn open_rejects_shards_by_name() {
        let is_rejected = |name: &str| {
            let problem = open(Path::new(name)).err().unwrap();
            problem.is("problem-weights-in-shards")
        };
        assert!(is_rejected("model-00001-of-00002.safetensors"));
        assert!(is_rejected("model.safetensors.index.json"));
        assert!(!is_rejected("model-00001-of-00001.safetensors"));
        assert!(!is_rejected("best-of-12.pth"));
    }

    #[test]
    fn open_rejects_other_files_with_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.safetensors");
        for bytes in [&b""[..], b"GIF89a", b"PK\x03\x04 cut", b"\x80\x02cut", b"12345678{cut"] {
            std::fs::write(&path, bytes).unwrap();
            let problem = open(&path).err().unwrap();
            assert!(problem.is("problem-weight-file-unusable"), "{problem}");
            assert!(problem.place.contains("weights.safetensors"));
        }
    }
}
