//! Golden files: their tensors and settings, and the mapping of other programs' names to ours.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};
use safetensors::tensor::Dtype;
use serde_json::Value;

use crate::backbone::Backbone;
use crate::backbone::architecture::Architecture;
use crate::backbone::families;
use crate::backbone::weights::{StoredTensor, Tensors};
use crate::method::heads::{Head, Heads};
use crate::nn::WeightPlacement;
use crate::pet::library::PluginLibrary;
use crate::pet::{PetSettings, PetStack};
use crate::problem::{Problem, Result};
use crate::tensors::file::TensorFile;
use crate::tensors::{HostTensor, NamedTensors, get_tensor};

/// The tensors of a file (f32; targets as exact integers) and its settings.
pub(super) struct GoldenFile {
    pub(super) tensors: NamedTensors,
    doubles: BTreeMap<String, Vec<f64>>,
    settings: BTreeMap<String, String>,
}

impl GoldenFile {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let invalid = |what: String| {
            Problem::new(format!("this is not a golden file: {what}"))
                .at_path(path)
                .advise("give a .safetensors file with a toy run and its reference values")
        };
        let read_error = |error: std::io::Error| match error.kind() {
            ErrorKind::InvalidData => invalid(error.to_string()),
            _ => Problem::io("read the golden file", path, &error),
        };
        let file = TensorFile::open(path).map_err(read_error)?;
        let mut tensors = NamedTensors::new();
        let mut doubles = BTreeMap::new();
        for (name, info) in file.header().tensors() {
            if info.shape.contains(&0) {
                return Err(invalid(format!("{name} is empty")));
            }
            let bytes = file.bytes(info).map_err(read_error)?;
            let values = match info.dtype {
                Dtype::F32 => numbers(&bytes, f32::from_le_bytes),
                Dtype::I64 => numbers(&bytes, |bytes| i64::from_le_bytes(bytes) as f32),
                Dtype::F64 => {
                    doubles.insert(name, numbers(&bytes, f64::from_le_bytes));
                    continue;
                }
                other => return Err(invalid(format!("{name} has type {other:?}"))),
            };
            let shape = info.shape.clone();
            tensors.insert(name, HostTensor { shape, values });
        }
        let settings = file.header().metadata().clone().unwrap_or_default();
        let settings = settings.into_iter().collect();
        Ok(Self { tensors, doubles, settings })
    }

    /// Returns the method of the file; `None` for LAE.
    pub(super) fn method(&self) -> Option<&str> {
        self.settings.get("method").map(String::as_str)
    }

    pub(super) fn tensor(&self, name: &str) -> Result<&HostTensor> {
        get_tensor(&self.tensors, name)
    }

    /// Returns the tensors whose names start with a prefix, without the prefix.
    pub(super) fn with_prefix(&self, prefix: &str) -> NamedTensors {
        let found = self.tensors.iter().filter_map(|(name, tensor)| {
            let name = name.strip_prefix(prefix)?;
            Some((name.to_string(), tensor.clone()))
        });
        found.collect()
    }

    /// Returns a tensor of f64 values.
    pub(super) fn doubles(&self, name: &str) -> Result<&[f64]> {
        let found = self.doubles.get(name).map(Vec::as_slice);
        found.ok_or_else(|| Problem::new(format!("the tensor {name} is missing")))
    }

    pub(super) fn text(&self, key: &str) -> Result<&str> {
        let value = self.settings.get(key).map(String::as_str);
        value.ok_or_else(|| Problem::new(format!("the metadata has no `{key}`")))
    }

    /// Returns an optional number of the metadata.
    pub(super) fn optional_number<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>> {
        let exists = self.settings.contains_key(key);
        exists.then(|| self.number(key)).transpose()
    }

    pub(super) fn number<T: std::str::FromStr>(&self, key: &str) -> Result<T> {
        let text = self.text(key)?;
        let invalid = || Problem::new(format!("`{key}` in the metadata is not a number: {text}"));
        text.trim().parse().map_err(|_| invalid())
    }

    /// Checks sizes in the metadata: their product must not exceed the number of values in the file. Must be called
    /// before memory is allocated for such sizes, because a failed allocation ends the program.
    pub(super) fn check_sizes(&self, what: &str, sizes: &[usize]) -> Result<()> {
        let available = self.tensors.values().map(|tensor| tensor.values.len());
        let available = available.chain(self.doubles.values().map(Vec::len)).sum();
        let product = sizes.iter().try_fold(1, |all: usize, size| all.checked_mul(*size));
        match product {
            Some(product) if product <= available => Ok(()),
            _ => Err(Problem::new(format!(
                "{what} in the metadata does not match the size of the file"
            ))),
        }
    }

    /// Returns the numbers of classes of all tasks, for heads on features of this width.
    pub(super) fn classes(&self, key: &str, width: usize) -> Result<Vec<usize>> {
        let classes: Vec<usize> = serde_json::from_value(self.json(key)?).map_err(|e| {
            Problem::new(format!("`{key}` in the metadata is not a list of counts: {e}"))
        })?;
        let total = classes.iter().fold(0, |all: usize, n| all.saturating_add(*n));
        self.check_sizes(key, &[total, width])?;
        Ok(classes)
    }

    pub(super) fn json(&self, key: &str) -> Result<Value> {
        serde_json::from_str(self.text(key)?)
            .map_err(|e| Problem::new(format!("`{key}` in the metadata is not valid JSON: {e}")))
    }

    /// Returns the class indices of a target tensor, counted within the last task.
    pub(super) fn labels(&self, name: &str, old_classes: usize) -> Result<Vec<usize>> {
        let values = self.tensor(name)?.values.iter();
        let local = values.map(|&v| (v as usize).checked_sub(old_classes));
        let labels: Option<Vec<usize>> = local.collect();
        labels.ok_or_else(|| Problem::new(format!("{name} has a class of an earlier task")))
    }

    /// Returns part `index` along the first axis of a tensor of image batches.
    pub(super) fn images(&self, name: &str, index: usize, device: &Device) -> Result<Tensor<4>> {
        let all: Tensor<5> = self.tensor(name)?.to_device(device)?;
        match index < all.dims()[0] {
            true => Ok(all.slice_dim(0, index..index + 1).squeeze_dim(0)),
            false => Err(Problem::new(format!("{name} has too few batches"))),
        }
    }

    /// Returns part `index` of a tensor of batches of targets.
    pub(super) fn batch_labels(&self, name: &str, index: usize) -> Result<Vec<usize>> {
        let all = self.labels(name, 0)?;
        let batch = self.tensor(name)?.shape.last().copied();
        let mut batches = all.chunks(batch.unwrap_or(1).max(1));
        let labels = batches.nth(index).map(<[usize]>::to_vec);
        labels.ok_or_else(|| Problem::new(format!("{name} has too few batches")))
    }
}

fn numbers<const N: usize, T>(bytes: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| convert(*chunk)).collect()
}

/// Names of a PET's parameters: our name, the file's name, and whether the file's tensor is transposed (weights of a
/// Linear are out × in there).
pub(super) type ParameterNames = &'static [(&'static str, &'static str, bool)];

const ADAPTER: ParameterNames = &[
    ("down", "layer.0.weight", true),
    ("b_down", "layer.0.bias", false),
    ("up", "layer.2.weight", true),
    ("b_up", "layer.2.bias", false),
    ("s", "layer.3.scale", false),
];
const LORA: ParameterNames = &[
    ("a_k", "lora_A.0", true),
    ("b_k", "lora_B.0", true),
    ("s_k", "scale.0.scale", false),
    ("a_v", "lora_A.1", true),
    ("b_v", "lora_B.1", true),
    ("s_v", "scale.1.scale", false),
];
const PREFIX: ParameterNames = &[
    ("p_k", "key.tokens", false),
    ("s_k", "key.scaler.scale", false),
    ("p_v", "val.tokens", false),
    ("s_v", "val.scaler.scale", false),
];

/// Returns the file's name of a parameter `<block>.<name>`, and whether it is transposed there.
pub(super) fn mapped_name(names: ParameterNames, ours: &str) -> Option<(String, bool)> {
    let (block, name) = ours.split_once('.')?;
    let (_, theirs, transposed) = names.iter().find(|(our_name, ..)| *our_name == name)?;
    Some((format!("{block}.{theirs}"), *transposed))
}

/// Returns the family and dimensions of the file's network. Files of compared methods have separate keys for family
/// and kind.
pub(super) fn read_architecture(file: &GoldenFile) -> Result<Architecture> {
    let family = file.text("backbone").or_else(|_| file.text("kind"))?;
    families::from_metadata(family, &file.settings)
}

pub(super) fn read_backbone(
    file: &GoldenFile,
    placement: &WeightPlacement,
) -> Result<Arc<dyn Backbone>> {
    let mut tensors = Tensors::new();
    for (name, tensor) in &file.tensors {
        if let Some(name) = name.strip_prefix("backbone.") {
            tensors.insert(name, to_stored_tensor(tensor));
        }
    }
    read_architecture(file)?.assemble(tensors, placement.clone())
}

/// Converts a tensor of the file to one of a weight file.
pub(super) fn to_stored_tensor(tensor: &HostTensor) -> StoredTensor {
    let values = tensor.values.clone();
    StoredTensor::new(tensor.shape.clone(), move || Ok(values.clone()))
}

pub(super) fn init_pets(
    file: &GoldenFile,
    backbone: &dyn Backbone,
    device: &Device,
) -> Result<(PetStack, ParameterNames)> {
    let args = file.json("pet_args")?;
    let pet = file.text("pet")?;
    let (plugin, size, names) = match pet {
        "Adapter" => ("adapter", "down_sample", ADAPTER),
        "LoRA" => ("lora", "rank", LORA),
        "Prefix" => ("prefix", "length", PREFIX),
        other => return Err(Problem::new(format!("there is no PET named {other}"))),
    };
    let size = args.get(size).and_then(Value::as_u64);
    let size = size.ok_or_else(|| Problem::new("`pet_args` in the metadata has no size"))?;
    let size = size as usize;
    file.check_sizes("pet_args", &[size, backbone.feature_width()])?;
    let spec = PluginLibrary::with_folders(Vec::new()).get(plugin)?;
    let plain = args.get("compensatory").and_then(Value::as_bool) == Some(false);
    let variant = plain.then(|| "plain".to_string());
    let settings = PetSettings { variant, ..PetSettings::with_size(size) };
    let (blocks, block_count): (usize, _) =
        (file.number("attached_blocks")?, backbone.blocks().len());
    if blocks > block_count {
        let what = format!(
            "attached_blocks in the metadata is {blocks}, but the network has {block_count} blocks"
        );
        return Err(Problem::new(what));
    }
    let blocks: Vec<usize> = (0..blocks).collect();
    let stack = PetStack::init(&spec, &settings, backbone.blocks(), &blocks, 0, device)?;
    Ok((stack, names))
}

/// Returns the multiplier that `pet_args` sets for one of our scale parameters; 1 if it sets none.
pub(super) fn fixed_value(args: &Value, name: &str) -> f32 {
    let key = match name.split_once('.') {
        Some((_, "s_k")) => "key_scale",
        Some((_, "s_v")) => "val_scale",
        _ => "scale",
    };
    args.get(key).and_then(Value::as_f64).unwrap_or(1.0) as f32
}

pub(super) fn read_heads(file: &GoldenFile, device: &Device) -> Result<Heads> {
    let exists = |prefix: &String| file.tensors.contains_key(&format!("{prefix}.weight"));
    let heads = (0..).map(|task| format!("head.{task}")).take_while(exists);
    let heads = heads.map(|prefix| read_head(file, &prefix, device));
    Ok(Heads(heads.collect::<Result<_>>()?))
}

/// Returns the head with the tensors `<prefix>.weight` and `<prefix>.bias`.
pub(super) fn read_head(file: &GoldenFile, prefix: &str, device: &Device) -> Result<Head> {
    let part = |name: &str| {
        let stored = file.tensor(&format!("{prefix}.{name}"))?;
        to_parameter(stored, name == "weight").to_device(device)
    };
    Ok(Head { weight: part("weight")?, bias: part("bias")? })
}

/// Converts a tensor of the file to one of our rank-2 parameters: a vector becomes a row, a 1×1 convolution a matrix,
/// a scalar 1 × 1, and axes of length 1 before the last one are removed.
pub(super) fn to_parameter(stored: &HostTensor, transposed: bool) -> HostTensor {
    let values = stored.values.clone();
    let shape = match stored.shape.as_slice() {
        [] => vec![1, 1],
        [rows, columns, ..] if rows * columns == values.len() => vec![*rows, *columns],
        [.., columns] => vec![values.len() / columns, *columns],
    };
    transpose_if(&HostTensor { shape, values }, transposed)
}

/// Returns the transpose if `transposed`. Transposing is its own inverse, so this converts in both directions.
pub(super) fn transpose_if(matrix: &HostTensor, transposed: bool) -> HostTensor {
    match (transposed, matrix.shape.len()) {
        (true, 2) => matrix.transposed(),
        _ => matrix.clone(),
    }
}
