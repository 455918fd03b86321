//! The same weights in every format and naming give the same features; wrong files are refused.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use lae_studio::backbone::library::{
    BackboneChoice, BackboneLibrary, OpenedBackbone, WeightLocations,
};
use lae_studio::problem::{Problem, Result};
use safetensors::tensor::Dtype;
use tempfile::TempDir;

use super::files::{
    self, Weights, features_without_pet, random_images, relative_error, rename_tensors,
};
use crate::assert_is;

fn library() -> BackboneLibrary {
    BackboneLibrary::new(WeightLocations {
        cache: PathBuf::from("no-such-folder"),
        hub_cache: None,
        endpoint: "http://127.0.0.1:1".into(),
        tables: Vec::new(),
    })
}

/// Opens a toy file, which states neither heads nor normalisation.
fn open(path: &Path) -> Result<OpenedBackbone> {
    open_with(path, Some("heads=2,normalisation=unit"))
}

fn open_with(path: &Path, values: Option<&str>) -> Result<OpenedBackbone> {
    let choice = BackboneChoice { values, ..BackboneChoice::from(path.to_str().unwrap()) };
    library().open(choice, &Device::flex(), &mut |_| true)
}

/// Features of the network in a file, for two images of 16×16 pixels.
fn file_features(path: &Path) -> Vec<f32> {
    features_without_pet(open(path).unwrap().backbone.as_ref(), random_images(2, 16, 16))
}

/// Features of these weights, by way of a safetensors file.
fn weights_features(weights: &Weights) -> Vec<f32> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    files::write_safetensors(weights, Dtype::F32, &[], &path);
    file_features(&path)
}

#[test]
fn half_precision_files_match_full_precision_features() {
    let folder = TempDir::new().unwrap();
    for weights in [files::vit(), files::swin(), files::convnext()] {
        let reference = weights_features(&weights);
        for dtype in [Dtype::F16, Dtype::BF16] {
            let path = folder.path().join(format!("{dtype}.safetensors"));
            files::write_safetensors(&weights, dtype, &[], &path);
            assert!(relative_error(&file_features(&path), &reference) < 1e-6);
        }
    }
}

#[test]
fn reads_pytorch_files_with_and_without_container() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = weights_features(&weights);
    for key in [None, Some("model"), Some("state_dict")] {
        let path = folder.path().join("a.pth");
        files::write_pytorch(&weights, key, &path);
        assert_eq!(file_features(&path), reference, "{key:?}");
    }
    let parallel = rename_tensors(&weights, |name| format!("module.{name}"));
    let path = folder.path().join("b.bin");
    files::write_pytorch(&parallel, Some("state_dict"), &path);
    assert_eq!(file_features(&path), reference);
    // A folder with a checkpoint of PyTorch Lightning.
    let lightning = TempDir::new().unwrap();
    let wrapped = rename_tensors(&weights, |name| format!("model.{name}"));
    files::write_pytorch(&wrapped, Some("state_dict"), &lightning.path().join("last.ckpt"));
    assert_eq!(file_features(lightning.path()), reference);
}

/// Wrappers and training programs add prefixes to names.
#[test]
fn strips_name_prefixes_in_every_format() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = weights_features(&weights);
    let other = files::vit_with_seed(4);
    let cases: [(&str, &str); 9] = [
        ("module.", ""),
        ("model.", "optimizer."),
        ("_orig_mod.", ""),
        ("model_state_dict.module._orig_mod.", ""),
        ("feature_extractor.", ""),
        ("module.base_encoder.", "module.momentum_encoder."),
        ("teacher.backbone.", "student.backbone."),
        ("state_dict_ema.", "state_dict."),
        ("model_ema.", "model."),
    ];
    for (prefix, other_prefix) in cases {
        let mut tensors = rename_tensors(&weights, |name| format!("{prefix}{name}"));
        if other_prefix == "optimizer." {
            tensors.insert("optimizer.state.0.exp_avg".into(), (vec![2], vec![0.0; 2]));
        } else if !other_prefix.is_empty() {
            tensors.extend(rename_tensors(&other, |name| format!("{other_prefix}{name}")));
        }
        let path = folder.path().join("a.safetensors");
        files::write_safetensors(&tensors, Dtype::F32, &[], &path);
        assert_eq!(file_features(&path), reference, "{prefix} in safetensors");
        let path = folder.path().join("a.pth");
        files::write_pytorch(&tensors, None, &path);
        assert_eq!(file_features(&path), reference, "{prefix} in PyTorch");
    }
    // A layer that was compiled alone.
    let compiled =
        rename_tensors(&weights, |name| name.replace("blocks.0.", "blocks.0._orig_mod."));
    assert_eq!(weights_features(&compiled), reference);
    for weights in [files::swin(), files::convnext()] {
        let wrapped = rename_tensors(&weights, |name| format!("module.backbone.{name}"));
        assert_eq!(weights_features(&wrapped), weights_features(&weights));
    }
    let wrapped = rename_tensors(&to_jax_layout(&weights), |name| format!("opt/target/{name}"));
    let path = folder.path().join("a.npz");
    files::write_npz(&wrapped, &path);
    assert_eq!(file_features(&path), reference);
}

#[test]
fn rejects_file_with_two_networks() {
    let folder = TempDir::new().unwrap();
    let mut tensors = rename_tensors(&files::vit(), |name| format!("model.{name}"));
    tensors.extend(rename_tensors(&files::vit(), |name| format!("best.{name}")));
    let path = folder.path().join("a.safetensors");
    files::write_safetensors(&tensors, Dtype::F32, &[], &path);
    let problem = open_error(&path);
    assert_is(&problem, "problem-weight-file-several-networks");
    assert!(problem.what.contains("best.patch_embed"), "{problem}");
    assert!(problem.place.ends_with("a.safetensors"), "{problem}");
}

/// The first entry of the directory is as long as the ZIP64 records where the file's stem has 21 letters.
#[test]
fn reads_zip64_pytorch_files_of_any_name_length() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = weights_features(&weights);
    let path = folder.path().join("a.pth");
    for length in 20..=22 {
        files::write_pytorch_in(&"a".repeat(length), &weights, None, &path);
        files::add_zip64(&path);
        assert_eq!(file_features(&path), reference, "{length} letters");
    }
}

#[test]
fn reads_old_swin_tensor_names() {
    let weights = files::swin();
    let mut old = rename_tensors(&weights, |name| {
        name.replace("layers.1.downsample", "layers.0.downsample").replace("head.fc", "head")
    });
    // Old files also keep what can be computed.
    old.insert("layers.0.blocks.1.attn_mask".into(), (vec![4, 4], vec![0.0; 16]));
    assert_eq!(weights_features(&old), weights_features(&weights));
}

#[test]
fn reads_original_convnext_tensor_names() {
    let weights = files::convnext();
    let original = rename_tensors(&weights, |name| {
        let name = name.replace("stem.", "downsample_layers.0.");
        let name = name.replace("stages.1.downsample.", "downsample_layers.1.");
        let name = name.replace("blocks.", "").replace("conv_dw", "dwconv");
        name.replace("mlp.fc", "pwconv").replace("head.norm", "norm").replace("head.fc", "head")
    });
    assert!(original.contains_key("stages.1.0.pwconv2.weight"));
    assert_eq!(weights_features(&original), weights_features(&weights));
}

/// Swaps the two axes of a matrix.
fn transpose(rows: usize, columns: usize, numbers: &[f32]) -> Vec<f32> {
    (0..columns * rows).map(|i| numbers[i % rows * columns + i / rows]).collect()
}

/// The toy ViT as the JAX release stores it.
fn to_jax_layout(weights: &Weights) -> Weights {
    let mut converted = Weights::new();
    let get = |name: &str| weights[name].clone();
    let matrix = |name: &str| {
        let (shape, numbers) = get(name);
        (vec![shape[1], shape[0]], transpose(shape[0], shape[1], &numbers))
    };
    // Output, channel, row, column → row, column, channel, output.
    let (_, kernel) = get("patch_embed.proj.weight");
    let mut transposed_kernel = Vec::new();
    for pixel in 0..16 {
        for channel in 0..3 {
            transposed_kernel
                .extend((0..128).map(|output| kernel[(output * 3 + channel) * 16 + pixel]));
        }
    }
    converted.insert("embedding/kernel".into(), (vec![4, 4, 3, 128], transposed_kernel));
    converted.insert("embedding/bias".into(), get("patch_embed.proj.bias"));
    converted.insert("cls".into(), get("cls_token"));
    let positions = "Transformer/posembed_input/pos_embedding";
    converted.insert(positions.into(), get("pos_embed"));
    converted.insert("Transformer/encoder_norm/scale".into(), get("norm.weight"));
    converted.insert("Transformer/encoder_norm/bias".into(), get("norm.bias"));
    for block in 0..2 {
        let source = format!("blocks.{block}");
        let target = format!("Transformer/encoderblock_{block}");
        let attention = format!("{target}/MultiHeadDotProductAttention_1");
        for (norm, number) in [("norm1", 0), ("norm2", 2)] {
            let name = format!("{target}/LayerNorm_{number}");
            converted.insert(format!("{name}/scale"), get(&format!("{source}.{norm}.weight")));
            converted.insert(format!("{name}/bias"), get(&format!("{source}.{norm}.bias")));
        }
        let (_, packed) = get(&format!("{source}.attn.qkv.weight"));
        let (_, bias) = get(&format!("{source}.attn.qkv.bias"));
        for (part, name) in ["query", "key", "value"].into_iter().enumerate() {
            let rows = transpose(128, 128, &packed[part * 128 * 128..][..128 * 128]);
            converted.insert(format!("{attention}/{name}/kernel"), (vec![128, 2, 64], rows));
            let part = bias[part * 128..][..128].to_vec();
            converted.insert(format!("{attention}/{name}/bias"), (vec![2, 64], part));
        }
        let (_, proj) = matrix(&format!("{source}.attn.proj.weight"));
        converted.insert(format!("{attention}/out/kernel"), (vec![2, 64, 128], proj));
        converted.insert(format!("{attention}/out/bias"), get(&format!("{source}.attn.proj.bias")));
        for (layer, number) in [("fc1", 0), ("fc2", 1)] {
            let name = format!("{target}/MlpBlock_3/Dense_{number}");
            converted
                .insert(format!("{name}/kernel"), matrix(&format!("{source}.mlp.{layer}.weight")));
            converted.insert(format!("{name}/bias"), get(&format!("{source}.mlp.{layer}.bias")));
        }
    }
    converted.insert("head/kernel".into(), matrix("head.weight"));
    converted
}

#[test]
fn reads_original_jax_vit_archive() {
    let weights = files::vit();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ViT.npz");
    files::write_npz(&to_jax_layout(&weights), &path);
    assert_eq!(file_features(&path), weights_features(&weights));
    let mut incomplete = to_jax_layout(&weights);
    incomplete.remove("Transformer/encoderblock_1/MlpBlock_3/Dense_1/bias");
    files::write_npz(&incomplete, &path);
    let problem = open_error(&path);
    assert!(problem.what.contains("encoderblock_1/MlpBlock_3/Dense_1/bias"), "{problem}");
}

#[test]
fn metadata_supplies_heads_and_normalisation() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    files::write_safetensors(&files::vit(), Dtype::F32, &[], &path);
    let problem = open_with(&path, None).err().unwrap();
    assert_says!(problem.what, "problem-backbone-values-missing", values = "heads, normalisation");
    // Runs of older versions keep the assumed values.
    let old = BackboneChoice {
        pretrained_transform: false,
        ..BackboneChoice::from(path.to_str().unwrap())
    };
    let bare = library().open(old, &Device::flex(), &mut |_| true).unwrap();
    assert!(
        says!(bare.assumptions[0].english, "network-heads", n = 2, channels = 64),
        "{:?}",
        bare.assumptions
    );
    assert_eq!(bare.normalisation.mean, [0.0; 3]);
    let metadata = [
        ("architecture", "vit"),
        ("input_size", "16"),
        ("patch_size", "4"),
        ("embed_dim", "128"),
        ("depth", "2"),
        ("num_heads", "4"),
        ("mean", "0.5"),
        ("std", "0.5"),
        ("crop_ratio", "1.0"),
    ];
    files::write_safetensors(&files::vit(), Dtype::F32, &metadata, &path);
    let described = open_with(&path, None).unwrap();
    assert!(described.assumptions.is_empty(), "{:?}", described.assumptions);
    assert_eq!(described.normalisation.mean, [0.5; 3]);
    let architecture = &described.entry.architecture;
    assert_eq!(architecture.family().name, "vit");
    assert_eq!(architecture.blocks()[0].heads, 4);
    assert_ne!(bare.sha256, described.sha256);
}

fn open_error(path: &Path) -> Problem {
    open(path).err().expect("this file must be refused")
}

#[test]
fn reports_missing_unexpected_and_misshaped_tensors_together() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut weights = files::vit();
    weights.remove("blocks.1.mlp.fc2.bias");
    weights.insert("norm.weight".into(), (vec![7], vec![0.0; 7]));
    weights.insert("blocks.0.attn.extra".into(), (vec![1], vec![0.0]));
    files::write_safetensors(&weights, Dtype::F32, &[], &path);
    let problem = open_error(&path);
    assert_is(&problem, "problem-weights-mismatch");
    for part in [
        "1 missing (blocks.1.mlp.fc2.bias)",
        "norm.weight is [7] instead of [128]",
        "1 unexpected (blocks.0.attn.extra)",
    ] {
        assert!(problem.what.contains(part), "{problem}");
    }
    assert!(problem.place.ends_with("a.safetensors"));
    assert!(!problem.remedy.is_empty());
}

#[test]
fn wrong_architecture_error_lists_first_tensors_only() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    files::write_safetensors(&files::swin(), Dtype::F32, &[], &path);
    let library = library();
    let read = library.read_from_file("vit_tiny_patch16_224", &path).unwrap();
    let problem = read.place(&Device::flex()).err().unwrap();
    assert_says!(problem.what, "problem-weights-of-other-family", family = "vit", other = "swin");
    assert_says!(problem.what, "problem-and-more");
    assert!(problem.what.len() < 700, "{problem}");
    let other = rename_tensors(&files::vit(), |name| name.replace("patch_embed", "stem"));
    files::write_safetensors(&other, Dtype::F32, &[], &path);
    let problem = open_error(&path);
    assert_is(&problem, "problem-weight-file-family-unknown");
}

#[test]
fn rejects_impossible_dimensions_in_metadata() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    for (key, number) in [
        ("depth", "1000000000000"),
        ("embed_dim", "4000000000"),
        ("input_size", "40000000000"),
        ("num_heads", "0"),
        // None of these alone is too much.
        ("img_size", "65536"),
        ("img_size", "4096"),
    ] {
        let metadata = [("architecture", "vit"), (key, number)];
        files::write_safetensors(&files::vit(), Dtype::F32, &metadata, &path);
        let problem = open_with(&path, None).err().unwrap();
        assert_is(&problem, "problem-dimensions-inconsistent");
        assert!(problem.place.ends_with("a.safetensors"), "{problem}");
    }
}

#[test]
fn rejects_truncated_files_in_every_format() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let complete = folder.path().join("whole");
    let truncated = folder.path().join("cut");
    type Write = fn(&Weights, &Path);
    let formats: [Write; 3] = [
        |weights, path| files::write_safetensors(weights, Dtype::F32, &[], path),
        |weights, path| files::write_pytorch(weights, None, path),
        |weights, path| files::write_npz(&to_jax_layout(weights), path),
    ];
    for write in formats {
        write(&weights, &complete);
        let bytes = std::fs::read(&complete).unwrap();
        for part in [3, 50, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&truncated, &bytes[..part]).unwrap();
            let problem = open_error(&truncated);
            assert!(problem.place.contains("cut"), "{problem}");
        }
    }
}

#[test]
fn rejects_paths_that_are_not_weight_files() {
    let folder = TempDir::new().unwrap();
    assert!(open_error(folder.path()).mentions("problem-folder-is-no-weight-file"));
    let list = folder.path().join("model.safetensors.index.json");
    std::fs::write(&list, "{}").unwrap();
    assert_is(&open_error(folder.path()), "problem-weights-in-shards");
    std::fs::remove_file(list).unwrap();
    let text = folder.path().join("notes.safetensors");
    std::fs::write(&text, "these are notes, not weights").unwrap();
    assert!(open_error(&text).mentions("problem-weight-file-unusable"));
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 346284714\n";
    std::fs::write(&text, pointer).unwrap();
    let problem = open_error(&text);
    assert_is(&problem, "problem-weight-file-unusable");
    assert_is(&problem, "advice-fetch-with-git-lfs");
    for page in ["<!DOCTYPE html>\n<html>", "\n <html lang=\"en\">"] {
        std::fs::write(&text, page).unwrap();
        assert_is(&open_error(&text), "advice-download-file-not-page");
    }
    let problem = open_error(Path::new("nowhere/weights.safetensors"));
    assert_is(&problem, "problem-weight-file-not-found");
    let problem = open_error(Path::new("resnet50"));
    assert!(problem.what == tr!("problem-backbone-not-found", name = "resnet50"), "{problem}");
    assert!(problem.remedy.contains("lae-nano"), "{problem}");
    for (typo, expected) in [
        ("vit_base_path16_224", "vit_base_patch16_224"),
        ("convnext_bas", "convnext_base"),
        ("vit_base_patch16_224.augreg_in21", "vit_base_patch16_224.augreg_in21k"),
    ] {
        let problem = open_error(Path::new(typo));
        assert_eq!(problem.remedy, tr!("advice-did-you-mean-plain", name = expected));
    }
    // Another network is not a typo.
    let problem = open_error(Path::new("vit_small_patch14_dinov3.lvd142m"));
    assert!(!problem.mentions("advice-did-you-mean-plain"), "{problem}");
    assert_eq!(open_error(Path::new("")).what, tr!("problem-no-backbone-chosen"));
    let empty = folder.path().join("weights.pth");
    std::fs::write(&empty, "").unwrap();
    assert_says!(open_error(&empty).what, "problem-weight-file-unusable", why = "it is empty");
    // A file of another family under the name of an entry.
    let swin = folder.path().join("vit_tiny_patch16_224.augreg_in21k.safetensors");
    files::write_safetensors(&files::swin(), Dtype::F32, &[], &swin);
    let problem = open_with(&swin, None).err().unwrap();
    assert_says!(problem.what, "problem-weights-of-other-family", family = "vit", other = "swin");
}
