//! Toy weights of all families, written to files in every format.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use burn::tensor::{Device, Tensor, TensorData};
use half::{bf16, f16};
use lae_studio::backbone::Backbone;
use lae_studio::pet::PetStack;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Shape and numbers of one tensor.
pub type Array = (Vec<usize>, Vec<f32>);

/// Tensors by name.
pub type Weights = BTreeMap<String, Array>;

struct WeightsBuilder {
    rng: StdRng,
    weights: Weights,
}

impl WeightsBuilder {
    fn new() -> Self {
        Self::with_seed(3)
    }

    fn with_seed(seed: u64) -> Self {
        Self { rng: StdRng::seed_from_u64(seed), weights: Weights::new() }
    }

    /// Random numbers around `center`, exact in half precision.
    fn add_tensor(&mut self, name: impl Into<String>, shape: &[usize], center: f32) {
        let count = shape.iter().product();
        let numbers = (0..count).map(|_| {
            let number = center + self.rng.random_range(-0.5f32..0.5);
            (number * 64.0).round() / 64.0
        });
        let numbers = numbers.collect();
        self.weights.insert(name.into(), (shape.to_vec(), numbers));
    }

    fn linear(&mut self, name: &str, input: usize, output: usize) {
        self.add_tensor(format!("{name}.weight"), &[output, input], 0.0);
        self.add_tensor(format!("{name}.bias"), &[output], 0.0);
    }

    fn norm(&mut self, name: &str, width: usize) {
        self.add_tensor(format!("{name}.weight"), &[width], 1.0);
        self.add_tensor(format!("{name}.bias"), &[width], 0.0);
    }

    fn transformer_block(&mut self, name: &str, width: usize) {
        self.norm(&format!("{name}.norm1"), width);
        self.linear(&format!("{name}.attn.qkv"), width, 3 * width);
        self.linear(&format!("{name}.attn.proj"), width, width);
        self.norm(&format!("{name}.norm2"), width);
        self.linear(&format!("{name}.mlp.fc1"), width, 4 * width);
        self.linear(&format!("{name}.mlp.fc2"), 4 * width, width);
    }
}

/// A ViT: input 16×16, patch 4, width 128 (2 heads of 64), 2 blocks.
pub fn vit() -> Weights {
    vit_with_seed(3)
}

/// The same with numbers drawn from another seed.
pub fn vit_with_seed(seed: u64) -> Weights {
    let mut builder = WeightsBuilder::with_seed(seed);
    builder.add_tensor("cls_token", &[1, 1, 128], 0.0);
    builder.add_tensor("pos_embed", &[1, 17, 128], 0.0);
    builder.add_tensor("patch_embed.proj.weight", &[128, 3, 4, 4], 0.0);
    builder.add_tensor("patch_embed.proj.bias", &[128], 0.0);
    for block in 0..2 {
        builder.transformer_block(&format!("blocks.{block}"), 128);
    }
    builder.norm("norm", 128);
    builder.linear("head", 128, 5);
    builder.weights
}

/// A Swin: patch 2, window 2, width 16, two stages of 2 blocks with 2 and 4 heads.
pub fn swin() -> Weights {
    let mut builder = WeightsBuilder::new();
    builder.add_tensor("patch_embed.proj.weight", &[16, 3, 2, 2], 0.0);
    builder.add_tensor("patch_embed.proj.bias", &[16], 0.0);
    builder.norm("patch_embed.norm", 16);
    for (stage, heads) in [2, 4].into_iter().enumerate() {
        let width = 16 << stage;
        for block in 0..2 {
            let name = format!("layers.{stage}.blocks.{block}");
            builder.transformer_block(&name, width);
            let table = format!("{name}.attn.relative_position_bias_table");
            builder.add_tensor(table, &[9, heads], 0.0);
        }
    }
    builder.norm("layers.1.downsample.norm", 64);
    builder.add_tensor("layers.1.downsample.reduction.weight", &[32, 64], 0.0);
    builder.norm("norm", 32);
    builder.linear("head.fc", 32, 5);
    builder.weights
}

/// A ConvNeXt of two stages with 1 and 2 blocks, width 8 and 16.
pub fn convnext() -> Weights {
    let mut builder = WeightsBuilder::new();
    builder.add_tensor("stem.0.weight", &[8, 3, 4, 4], 0.0);
    builder.add_tensor("stem.0.bias", &[8], 0.0);
    builder.norm("stem.1", 8);
    for (stage, depth) in [1, 2].into_iter().enumerate() {
        let width = 8 << stage;
        for block in 0..depth {
            let name = format!("stages.{stage}.blocks.{block}");
            builder.add_tensor(format!("{name}.conv_dw.weight"), &[width, 1, 7, 7], 0.0);
            builder.add_tensor(format!("{name}.conv_dw.bias"), &[width], 0.0);
            builder.norm(&format!("{name}.norm"), width);
            builder.linear(&format!("{name}.mlp.fc1"), width, 4 * width);
            builder.linear(&format!("{name}.mlp.fc2"), 4 * width, width);
            builder.add_tensor(format!("{name}.gamma"), &[width], 1.0);
        }
    }
    builder.norm("stages.1.downsample.0", 8);
    builder.add_tensor("stages.1.downsample.1.weight", &[16, 8, 2, 2], 0.0);
    builder.add_tensor("stages.1.downsample.1.bias", &[16], 0.0);
    builder.norm("head.norm", 16);
    builder.linear("head.fc", 16, 5);
    builder.weights
}

/// The same numbers under other names.
pub fn rename_tensors(weights: &Weights, new_name: impl Fn(&str) -> String) -> Weights {
    let rename_tensor = |(name, array): (&String, &Array)| (new_name(name), array.clone());
    weights.iter().map(rename_tensor).collect()
}

/// Writes `.safetensors` in `f32`, `f16` or `bf16`.
pub fn write_safetensors(weights: &Weights, dtype: Dtype, metadata: &[(&str, &str)], path: &Path) {
    let encoded: Vec<(&String, &Vec<usize>, Vec<u8>)> = weights
        .iter()
        .map(|(name, (shape, numbers))| (name, shape, encode(numbers, dtype)))
        .collect();
    let views = encoded.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(dtype, (*shape).clone(), bytes).unwrap();
        (name.as_str(), view)
    });
    let to_owned_pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let metadata: HashMap<String, String> = metadata.iter().map(to_owned_pair).collect();
    serialize_to_file(views, Some(metadata), path).unwrap();
}

fn encode(numbers: &[f32], dtype: Dtype) -> Vec<u8> {
    let encode_number = |number: &f32| match dtype {
        Dtype::F16 => f16::from_f32(*number).to_le_bytes().to_vec(),
        Dtype::BF16 => bf16::from_f32(*number).to_le_bytes().to_vec(),
        _ => number.to_le_bytes().to_vec(),
    };
    numbers.iter().flat_map(encode_number).collect()
}

/// Writes a PyTorch checkpoint as `torch.save` does, with the state dict under `key` if given.
pub fn write_pytorch(weights: &Weights, key: Option<&str>, path: &Path) {
    write_pytorch_in("archive", weights, key, path);
}

/// As [`write_pytorch`], with the archive's entries in the folder `root`.
pub fn write_pytorch_in(root: &str, weights: &Weights, key: Option<&str>, path: &Path) {
    let mut pickle = b"\x80\x02".to_vec();
    if let Some(key) = key {
        pickle.extend(b"}");
        pickle.extend(pickle_text(key));
    }
    pickle.extend(b"}(");
    for (index, (name, (shape, numbers))) in weights.iter().enumerate() {
        pickle.extend(pickle_text(name));
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        pickle.extend(pickle_text("storage"));
        pickle.extend(b"ctorch\nFloatStorage\n");
        pickle.extend(pickle_text(&index.to_string()));
        pickle.extend(pickle_text("cpu"));
        pickle.extend(pickle_integer(numbers.len()));
        pickle.extend(b"tQK\x00(");
        pickle.extend(shape.iter().flat_map(|side| pickle_integer(*side)));
        pickle.extend(b"t(");
        let strides = (0..shape.len()).map(|axis| shape[axis + 1..].iter().product());
        pickle.extend(strides.flat_map(pickle_integer));
        pickle.extend(b"t\x89ccollections\nOrderedDict\n)RtR");
    }
    pickle.extend(b"u");
    if key.is_some() {
        pickle.extend(b"s");
    }
    pickle.extend(b".");
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    let mut add_entry = |name: &str, bytes: &[u8]| {
        let stored =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("{root}/{name}"), stored).unwrap();
        zip.write_all(bytes).unwrap();
    };
    add_entry("data.pkl", &pickle);
    add_entry("byteorder", b"little");
    for (index, (_, numbers)) in weights.values().enumerate() {
        add_entry(&format!("data/{index}"), &encode(numbers, Dtype::F32));
    }
    add_entry("version", b"3\n");
    zip.finish().unwrap();
}

/// Adds ZIP64 records that a small archive does not need, as `torch.save` does.
pub fn add_zip64(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let end = bytes.split_off(bytes.len() - 22);
    let number = |offset: usize, length: usize| {
        let mut wide = [0; 8];
        wide[..length].copy_from_slice(&end[offset..offset + length]);
        u64::from_le_bytes(wide)
    };
    let (entries, length, start) = (number(10, 2), number(12, 4), number(16, 4));
    let end_offset = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([30, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for field in [entries, entries, length, start] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(end_offset.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(end);
    std::fs::write(path, bytes).unwrap();
}

fn pickle_text(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    [b"X", &length[..], text.as_bytes()].concat()
}

fn pickle_integer(number: usize) -> Vec<u8> {
    let bytes = u32::try_from(number).unwrap().to_le_bytes();
    [b"J", &bytes[..]].concat()
}

/// Writes a NumPy archive.
pub fn write_npz(weights: &Weights, path: &Path) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    for (name, (shape, numbers)) in weights {
        let options = SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        let dimensions: String = shape.iter().map(|side| format!("{side}, ")).collect();
        let mut header =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({dimensions}), }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        let length = u16::try_from(header.len()).unwrap();
        zip.write_all(&length.to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(&encode(numbers, Dtype::F32)).unwrap();
    }
    zip.finish().unwrap();
}

/// Random images of these sides, in [0, 1].
pub fn random_images(batch: usize, rows: usize, columns: usize) -> Tensor<4> {
    let mut rng = StdRng::seed_from_u64(11);
    let count = batch * 3 * rows * columns;
    let values: Vec<f32> = (0..count).map(|_| rng.random_range(0.0..1.0)).collect();
    let data = TensorData::new(values, [batch, 3, rows, columns]);
    Tensor::from_data(data, &Device::flex())
}

/// Features without any PET.
pub fn features_without_pet(backbone: &dyn Backbone, images: Tensor<4>) -> Vec<f32> {
    let features = backbone.features(images, &PetStack::empty()).unwrap();
    features.into_data().try_to_vec::<f32>().unwrap()
}

/// The largest difference relative to the largest reference.
pub fn relative_error(actual: &[f32], reference: &[f32]) -> f32 {
    assert_eq!(actual.len(), reference.len());
    let largest = reference.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    let pairs = actual.iter().zip(reference);
    pairs.fold(0.0f32, |max, (a, b)| max.max((a - b).abs())) / largest
}
