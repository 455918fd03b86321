//! The same weights in every format and naming give the same features; wrong files are refused.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use lae_studio::backbone::library::{BackboneChoice, BackboneLibrary, Opened, Places};
use lae_studio::problem::{Problem, Result};
use safetensors::tensor::Dtype;
use tempfile::TempDir;

use super::files::{self, Weights, error, features, images, renamed};
use crate::assert_is;

fn library() -> BackboneLibrary {
    BackboneLibrary::new(Places {
        cache: PathBuf::from("no-such-folder"),
        hub_cache: None,
        endpoint: "http://127.0.0.1:1".into(),
        tables: Vec::new(),
    })
}

/// Opens a toy file, which states neither heads nor normalisation.
fn open(path: &Path) -> Result<Opened> {
    open_with(path, Some("heads=2,normalisation=unit"))
}

fn open_with(path: &Path, values: Option<&str>) -> Result<Opened> {
    let choice = BackboneChoice {
        values,
        ..BackboneChoice::from(path.to_str().unwrap())
    };
    library().open(choice, &Device::flex(), &mut |_| true)
}

/// Features of the network in a file, for two images of 16×16 pixels.
fn features_of_file(path: &Path) -> Vec<f32> {
    features(open(path).unwrap().backbone.as_ref(), images(2, 16, 16))
}

/// Features of these weights, by way of a safetensors file.
fn features_of(weights: &Weights) -> Vec<f32> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    files::safetensors(weights, Dtype::F32, &[], &path);
    features_of_file(&path)
}

#[test]
fn half_precision_files_match_full_precision_features() {
    let folder = TempDir::new().unwrap();
    for weights in [files::vit(), files::swin(), files::convnext()] {
        let reference = features_of(&weights);
        for dtype in [Dtype::F16, Dtype::BF16] {
            let path = folder.path().join(format!("{dtype}.safetensors"));
            files::safetensors(&weights, dtype, &[], &path);
            assert!(error(&features_of_file(&path), &reference) < 1e-6);
        }
    }
}

#[test]
fn reads_pytorch_files_with_and_without_container() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = features_of(&weights);
    for key in [None, Some("model"), Some("state_dict")] {
        let path = folder.path().join("a.pth");
        files::pytorch(&weights, key, &path);
        assert_eq!(features_of_file(&path), reference, "{key:?}");
    }
    let parallel = renamed(&weights, |name| format!("module.{name}"));
    let path = folder.path().join("b.bin");
    files::pytorch(&parallel, Some("state_dict"), &path);
    assert_eq!(features_of_file(&path), reference);
}

/// Wrappers and training programs add prefixes to names.
#[test]
fn strips_name_prefixes_in_every_format() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = features_of(&weights);
    let other = files::vit_of(4);
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
    for (prefix, beside) in cases {
        let mut all = renamed(&weights, |name| format!("{prefix}{name}"));
        if beside == "optimizer." {
            all.insert("optimizer.state.0.exp_avg".into(), (vec![2], vec![0.0; 2]));
        } else if !beside.is_empty() {
            all.extend(renamed(&other, |name| format!("{beside}{name}")));
        }
        let path = folder.path().join("a.safetensors");
        files::safetensors(&all, Dtype::F32, &[], &path);
        assert_eq!(
            features_of_file(&path),
            reference,
            "{prefix} in safetensors"
        );
        let path = folder.path().join("a.pth");
        files::pytorch(&all, None, &path);
        assert_eq!(features_of_file(&path), reference, "{prefix} in PyTorch");
    }
    // A layer that was compiled alone.
    let compiled = renamed(&weights, |name| {
        name.replace("blocks.0.", "blocks.0._orig_mod.")
    });
    assert_eq!(features_of(&compiled), reference);
    for weights in [files::swin(), files::convnext()] {
        let wrapped = renamed(&weights, |name| format!("module.backbone.{name}"));
        assert_eq!(features_of(&wrapped), features_of(&weights));
    }
    let wrapped = renamed(&jax(&weights), |name| format!("opt/target/{name}"));
    let path = folder.path().join("a.npz");
    files::npz(&wrapped, &path);
    assert_eq!(features_of_file(&path), reference);
}

#[test]
fn rejects_file_with_two_networks() {
    let folder = TempDir::new().unwrap();
    let mut both = renamed(&files::vit(), |name| format!("model.{name}"));
    both.extend(renamed(&files::vit(), |name| format!("best.{name}")));
    let path = folder.path().join("a.safetensors");
    files::safetensors(&both, Dtype::F32, &[], &path);
    let problem = refused(&path);
    assert_is(&problem, "problem-weight-file-several-networks");
    assert!(problem.what.contains("best.patch_embed"), "{problem}");
    assert!(problem.place.ends_with("a.safetensors"), "{problem}");
}

/// The first entry of the directory is as long as the ZIP64 records where the file's stem has 21 letters.
#[test]
fn reads_zip64_pytorch_files_of_any_name_length() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let reference = features_of(&weights);
    let path = folder.path().join("a.pth");
    for length in 20..=22 {
        files::pytorch_in(&"a".repeat(length), &weights, None, &path);
        files::add_zip64(&path);
        assert_eq!(features_of_file(&path), reference, "{length} letters");
    }
}

#[test]
fn reads_old_swin_tensor_names() {
    let weights = files::swin();
    let mut old = renamed(&weights, |name| {
        name.replace("layers.1.downsample", "layers.0.downsample")
            .replace("head.fc", "head")
    });
    // Old files also keep what can be computed.
    old.insert(
        "layers.0.blocks.1.attn_mask".into(),
        (vec![4, 4], vec![0.0; 16]),
    );
    assert_eq!(features_of(&old), features_of(&weights));
}

#[test]
fn reads_original_convnext_tensor_names() {
    let weights = files::convnext();
    let original = renamed(&weights, |name| {
        let name = name.replace("stem.", "downsample_layers.0.");
        let name = name.replace("stages.1.downsample.", "downsample_layers.1.");
        let name = name.replace("blocks.", "").replace("conv_dw", "dwconv");
        name.replace("mlp.fc", "pwconv")
            .replace("head.norm", "norm")
            .replace("head.fc", "head")
    });
    assert!(original.contains_key("stages.1.0.pwconv2.weight"));
    assert_eq!(features_of(&original), features_of(&weights));
}

/// Swaps the two axes of a matrix.
fn transposed(rows: usize, columns: usize, numbers: &[f32]) -> Vec<f32> {
    (0..columns * rows)
        .map(|i| numbers[i % rows * columns + i / rows])
        .collect()
}

/// The toy ViT as the JAX release stores it.
fn jax(weights: &Weights) -> Weights {
    let mut out = Weights::new();
    let get = |name: &str| weights[name].clone();
    let matrix = |name: &str| {
        let (shape, numbers) = get(name);
        (
            vec![shape[1], shape[0]],
            transposed(shape[0], shape[1], &numbers),
        )
    };
    // Output, channel, row, column → row, column, channel, output.
    let (_, kernel) = get("patch_embed.proj.weight");
    let mut moved = Vec::new();
    for place in 0..16 {
        for channel in 0..3 {
            moved.extend((0..128).map(|output| kernel[(output * 3 + channel) * 16 + place]));
        }
    }
    out.insert("embedding/kernel".into(), (vec![4, 4, 3, 128], moved));
    out.insert("embedding/bias".into(), get("patch_embed.proj.bias"));
    out.insert("cls".into(), get("cls_token"));
    let positions = "Transformer/posembed_input/pos_embedding";
    out.insert(positions.into(), get("pos_embed"));
    out.insert("Transformer/encoder_norm/scale".into(), get("norm.weight"));
    out.insert("Transformer/encoder_norm/bias".into(), get("norm.bias"));
    for block in 0..2 {
        let ours = format!("blocks.{block}");
        let theirs = format!("Transformer/encoderblock_{block}");
        let attention = format!("{theirs}/MultiHeadDotProductAttention_1");
        for (norm, number) in [("norm1", 0), ("norm2", 2)] {
            let name = format!("{theirs}/LayerNorm_{number}");
            out.insert(
                format!("{name}/scale"),
                get(&format!("{ours}.{norm}.weight")),
            );
            out.insert(format!("{name}/bias"), get(&format!("{ours}.{norm}.bias")));
        }
        let (_, packed) = get(&format!("{ours}.attn.qkv.weight"));
        let (_, bias) = get(&format!("{ours}.attn.qkv.bias"));
        for (part, name) in ["query", "key", "value"].into_iter().enumerate() {
            let rows = transposed(128, 128, &packed[part * 128 * 128..][..128 * 128]);
            out.insert(
                format!("{attention}/{name}/kernel"),
                (vec![128, 2, 64], rows),
            );
            let part = bias[part * 128..][..128].to_vec();
            out.insert(format!("{attention}/{name}/bias"), (vec![2, 64], part));
        }
        let (_, proj) = matrix(&format!("{ours}.attn.proj.weight"));
        out.insert(format!("{attention}/out/kernel"), (vec![2, 64, 128], proj));
        out.insert(
            format!("{attention}/out/bias"),
            get(&format!("{ours}.attn.proj.bias")),
        );
        for (layer, number) in [("fc1", 0), ("fc2", 1)] {
            let name = format!("{theirs}/MlpBlock_3/Dense_{number}");
            out.insert(
                format!("{name}/kernel"),
                matrix(&format!("{ours}.mlp.{layer}.weight")),
            );
            out.insert(
                format!("{name}/bias"),
                get(&format!("{ours}.mlp.{layer}.bias")),
            );
        }
    }
    out.insert("head/kernel".into(), matrix("head.weight"));
    out
}

#[test]
fn reads_original_jax_vit_archive() {
    let weights = files::vit();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ViT.npz");
    files::npz(&jax(&weights), &path);
    assert_eq!(features_of_file(&path), features_of(&weights));
    let mut lacking = jax(&weights);
    lacking.remove("Transformer/encoderblock_1/MlpBlock_3/Dense_1/bias");
    files::npz(&lacking, &path);
    let problem = refused(&path);
    assert!(
        problem
            .what
            .contains("encoderblock_1/MlpBlock_3/Dense_1/bias"),
        "{problem}"
    );
}

#[test]
fn metadata_supplies_heads_and_normalisation() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.safetensors");
    files::safetensors(&files::vit(), Dtype::F32, &[], &path);
    let problem = open_with(&path, None).err().unwrap();
    assert_says!(
        problem.what,
        "problem-backbone-values-missing",
        values = "heads, normalisation"
    );
    // Runs of older versions keep the assumed values.
    let old = BackboneChoice {
        pretrained_transform: false,
        ..BackboneChoice::from(path.to_str().unwrap())
    };
    let bare = library().open(old, &Device::flex(), &mut |_| true).unwrap();
    assert!(
        says!(
            bare.assumed[0].english,
            "network-heads",
            n = 2,
            channels = 64
        ),
        "{:?}",
        bare.assumed
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
    files::safetensors(&files::vit(), Dtype::F32, &metadata, &path);
    let told = open_with(&path, None).unwrap();
    assert!(told.assumed.is_empty(), "{:?}", told.assumed);
    assert_eq!(told.normalisation.mean, [0.5; 3]);
    let architecture = &told.entry.architecture;
    assert_eq!(architecture.family().name, "vit");
    assert_eq!(architecture.blocks()[0].heads, 4);
    assert_ne!(bare.sha256, told.sha256);
}

fn refused(path: &Path) -> Problem {
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
    files::safetensors(&weights, Dtype::F32, &[], &path);
    let problem = refused(&path);
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
    files::safetensors(&files::swin(), Dtype::F32, &[], &path);
    let library = library();
    let read = library.read_with("vit_tiny_patch16_224", &path).unwrap();
    let problem = read.place(&Device::flex()).err().unwrap();
    assert_says!(
        problem.what,
        "problem-weights-of-other-family",
        family = "vit",
        other = "swin"
    );
    assert_says!(problem.what, "problem-and-more");
    assert!(problem.what.len() < 700, "{problem}");
    let other = renamed(&files::vit(), |name| name.replace("patch_embed", "stem"));
    files::safetensors(&other, Dtype::F32, &[], &path);
    let problem = refused(&path);
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
        files::safetensors(&files::vit(), Dtype::F32, &metadata, &path);
        let problem = open_with(&path, None).err().unwrap();
        assert_is(&problem, "problem-dimensions-inconsistent");
        assert!(problem.place.ends_with("a.safetensors"), "{problem}");
    }
}

#[test]
fn rejects_truncated_files_in_every_format() {
    let folder = TempDir::new().unwrap();
    let weights = files::vit();
    let whole = folder.path().join("whole");
    let cut = folder.path().join("cut");
    type Write = fn(&Weights, &Path);
    let formats: [Write; 3] = [
        |weights, path| files::safetensors(weights, Dtype::F32, &[], path),
        |weights, path| files::pytorch(weights, None, path),
        |weights, path| files::npz(&jax(weights), path),
    ];
    for write in formats {
        write(&weights, &whole);
        let bytes = std::fs::read(&whole).unwrap();
        for part in [3, 50, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&cut, &bytes[..part]).unwrap();
            let problem = refused(&cut);
            assert!(problem.place.contains("cut"), "{problem}");
        }
    }
}

#[test]
fn rejects_paths_that_are_not_weight_files() {
    let folder = TempDir::new().unwrap();
    assert!(refused(folder.path()).mentions("problem-folder-is-no-weight-file"));
    let text = folder.path().join("notes.safetensors");
    std::fs::write(&text, "these are notes, not weights").unwrap();
    assert!(refused(&text).mentions("problem-weight-file-unusable"));
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 346284714\n";
    std::fs::write(&text, pointer).unwrap();
    let problem = refused(&text);
    assert_is(&problem, "problem-weight-file-unusable");
    assert_is(&problem, "advice-fetch-with-git-lfs");
    for page in ["<!DOCTYPE html>\n<html>", "\n <html lang=\"en\">"] {
        std::fs::write(&text, page).unwrap();
        assert_is(&refused(&text), "advice-download-file-not-page");
    }
    let problem = refused(Path::new("nowhere/weights.safetensors"));
    assert_is(&problem, "problem-weight-file-not-found");
    let problem = refused(Path::new("resnet50"));
    assert!(
        problem.what == tr!("problem-backbone-not-found", name = "resnet50"),
        "{problem}"
    );
    assert!(problem.remedy.contains("lae-nano"), "{problem}");
    for (slip, meant) in [
        ("vit_base_path16_224", "vit_base_patch16_224"),
        ("convnext_bas", "convnext_base"),
        (
            "vit_base_patch16_224.augreg_in21",
            "vit_base_patch16_224.augreg_in21k",
        ),
    ] {
        let problem = refused(Path::new(slip));
        assert_eq!(
            problem.remedy,
            tr!("advice-did-you-mean-plain", name = meant)
        );
    }
    // Another network is not a typo.
    let problem = refused(Path::new("vit_small_patch14_dinov3.lvd142m"));
    assert!(!problem.mentions("advice-did-you-mean-plain"), "{problem}");
    assert_eq!(
        refused(Path::new("")).what,
        tr!("problem-no-backbone-chosen")
    );
    let empty = folder.path().join("weights.pth");
    std::fs::write(&empty, "").unwrap();
    assert_says!(
        refused(&empty).what,
        "problem-weight-file-unusable",
        why = "it is empty"
    );
    // A file of another family under the name of an entry.
    let swin = folder
        .path()
        .join("vit_tiny_patch16_224.augreg_in21k.safetensors");
    files::safetensors(&files::swin(), Dtype::F32, &[], &swin);
    let problem = open_with(&swin, None).err().unwrap();
    assert_says!(
        problem.what,
        "problem-weights-of-other-family",
        family = "vit",
        other = "swin"
    );
}
