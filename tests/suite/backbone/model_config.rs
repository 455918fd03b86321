//! Descriptions of networks: `config.json` of timm and of transformers, and explicit values.

use std::fs;
use std::path::Path;

use burn::tensor::Device;
use lae_studio::backbone::library::{
    BackboneChoice, BackboneLibrary, OpenedBackbone, WeightLocations,
};
use lae_studio::data::transform::{CropMode, Interpolation};
use lae_studio::problem::Result;
use safetensors::tensor::Dtype;
use tempfile::TempDir;

use super::files;
use crate::assert_is;

fn library(folder: &TempDir) -> BackboneLibrary {
    BackboneLibrary::new(WeightLocations {
        cache: folder.path().join("cache"),
        hub_cache: None,
        endpoint: "http://127.0.0.1:1".into(),
        tables: Vec::new(),
    })
}

fn open(folder: &TempDir, name: &str, values: Option<&str>) -> Result<OpenedBackbone> {
    let choice = BackboneChoice { values, ..BackboneChoice::from(name) };
    library(folder).open(choice, &Device::flex(), &mut |_| true)
}

/// A folder with the toy ViT (width 128) and these extra files.
fn vit_folder(extra_files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.safetensors");
    files::write_safetensors(&files::vit(), Dtype::F32, &[], &path);
    for (name, text) in extra_files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const TIMM: &str = r#"{
  "architecture": "vit_so400m_patch14_siglip_224", "num_classes": 0, "num_features": 128, "global_pool": "avg",
  "pretrained_cfg": {
    "tag": "a", "input_size": [3, 32, 32], "fixed_input_size": true, "interpolation": "bicubic", "crop_pct": 0.9,
    "crop_mode": "squash", "mean": [0.1, 0.2, 0.3], "std": [0.5, 0.5, 0.25]
  }
}"#;

#[test]
fn reads_heads_transform_and_pooling_from_timm_config() {
    let folder = vit_folder(&[("config.json", TIMM)]);
    let name = folder.path().to_str().unwrap();
    // A folder names the weights in it.
    let opened = open(&folder, name, None).unwrap();
    assert!(opened.assumptions.is_empty(), "{:?}", opened.assumptions);
    assert_eq!(opened.normalisation.mean, [0.1, 0.2, 0.3]);
    assert_eq!(opened.normalisation.std, [0.5, 0.5, 0.25]);
    assert_eq!((opened.input.size, opened.input.crop_ratio), (32, 0.9));
    assert_eq!(opened.input.resize.interpolation, Interpolation::Bicubic);
    assert_eq!(opened.input.resize.mode, CropMode::Squash);
    // Not 128 / 64.
    assert_eq!(opened.backbone.blocks()[0].heads, 16);
    // Older versions of timm wrote all values at the top level.
    let flat = TIMM.replace("\"pretrained_cfg\": {", "").replacen('}', "", 1);
    fs::write(folder.path().join("config.json"), flat).unwrap();
    let older = open(&folder, name, None).unwrap();
    assert_eq!(older.entry.architecture, opened.entry.architecture);
    assert_eq!((older.input, older.normalisation), (opened.input, opened.normalisation));
    // The values stored with a run replace the description.
    let values = opened.entry.values.clone();
    let bare_folder = vit_folder(&[]);
    let reopened =
        open(&bare_folder, bare_folder.path().to_str().unwrap(), values.as_deref()).unwrap();
    assert_eq!(reopened.entry.architecture, opened.entry.architecture);
    assert_eq!((reopened.input, reopened.normalisation), (opened.input, opened.normalisation));
    let token = open(&folder, name, Some("pool=token")).unwrap();
    let features = |opened: &OpenedBackbone| {
        files::features_without_pet(opened.backbone.as_ref(), files::random_images(1, 32, 32))
    };
    assert_ne!(features(&opened), features(&token), "the kind of pooling has no effect");
}

#[test]
fn reads_heads_epsilon_and_transform_from_transformers_config() {
    let config = r#"{"model_type": "vit", "num_attention_heads": 4, "layer_norm_eps": 1e-12, "hidden_act": "gelu", "image_size": 16}"#;
    let resized = r#"{"do_resize": true, "size": {"height": 16, "width": 16}, "resample": 2, "do_normalize": true,
                      "do_rescale": true, "rescale_factor": 0.00392156862745098,
                      "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}"#;
    let folder = vit_folder(&[("config.json", config), ("preprocessor_config.json", resized)]);
    let path = folder.path().join("model.safetensors");
    let path = path.to_str().unwrap();
    let opened = open(&folder, path, None).unwrap();
    assert_eq!(opened.backbone.blocks()[0].heads, 4);
    assert_eq!(opened.entry.architecture.epsilon(), 1e-12);
    assert_eq!(opened.normalisation.mean, [0.5; 3]);
    assert_eq!(opened.input.resize.mode, CropMode::Squash);
    assert_eq!(opened.input.resize.interpolation, Interpolation::Bilinear);
    let cropped = r#"{"do_resize": true, "size": {"shortest_edge": 18}, "resample": 3, "do_center_crop": true,
                      "crop_size": {"height": 16, "width": 16}, "image_mean": [0.4, 0.4, 0.4], "image_std": [1, 1, 1]}"#;
    fs::write(folder.path().join("preprocessor_config.json"), cropped).unwrap();
    let opened = open(&folder, path, None).unwrap();
    assert_eq!(opened.input.resize.mode, CropMode::Center);
    assert_eq!((opened.input.size, opened.input.shorter_side()), (16, 18));
    // Unsupported transforms are rejected, as are descriptions without a transform.
    let lanczos = cropped.replace("\"resample\": 3", "\"resample\": 1");
    fs::write(folder.path().join("preprocessor_config.json"), lanczos).unwrap();
    let problem = open(&folder, path, None).err().unwrap();
    assert_is(&problem, "problem-transform-unsupported");
    fs::remove_file(folder.path().join("preprocessor_config.json")).unwrap();
    let problem = open(&folder, path, None).err().unwrap();
    assert_says!(problem.what, "problem-backbone-values-missing", values = "normalisation");
    fs::write(folder.path().join("config.json"), "{").unwrap();
    let problem = open(&folder, path, None).err().unwrap();
    assert_is(&problem, "problem-model-description-unreadable");
}

#[test]
fn accepts_explicit_values_and_rejects_invalid_ones() {
    let folder = vit_folder(&[]);
    let path = folder.path().join("model.safetensors");
    let path = path.to_str().unwrap();
    let values = "heads=4, mean=0.1:0.2:0.3, std=1:1:2, interpolation=bicubic, crop_ratio=0.5";
    let opened = open(&folder, path, Some(values)).unwrap();
    assert_eq!(opened.backbone.blocks()[0].heads, 4);
    assert_eq!(opened.normalisation.std, [1.0, 1.0, 2.0]);
    assert_eq!(opened.input.shorter_side(), 32);
    for (values, id) in [
        ("heads", "problem-backbone-value-invalid"),
        ("colour=red", "problem-backbone-value-invalid"),
        ("heads=2,normalisation=imagnet", "problem-backbone-value-invalid"),
        ("heads=2,mean=a:b:c,std=1:1:1", "problem-transform-unsupported"),
        ("heads=2,normalisation=unit,crop_ratio=7", "problem-transform-unsupported"),
        ("heads=2", "problem-backbone-values-missing"),
    ] {
        let problem = open(&folder, path, Some(values)).err().unwrap();
        assert_is(&problem, id);
    }
    // Dimensions of a table entry are fixed; its transform may be changed.
    let problem = open(&folder, "lae-nano", Some("heads=2")).err().unwrap();
    assert_is(&problem, "problem-backbone-value-of-table");
    let described = library(&folder)
        .describe(BackboneChoice {
            values: Some("normalisation=clip,interpolation=bicubic"),
            ..BackboneChoice::from("vit_tiny_patch16_224")
        })
        .unwrap();
    assert_eq!(described.entry.transform.normalisation.mean[0], 0.481_454_66);
}

#[test]
fn finds_backbone_by_repository_name() {
    let folder = TempDir::new().unwrap();
    let library = library(&folder);
    for name in [
        "timm/vit_base_patch16_224.mae",
        "hf_hub:timm/vit_base_patch16_224.mae",
        "hf-hub:timm/vit_base_patch16_224.mae",
    ] {
        let description = library.describe(name).unwrap();
        assert_eq!(description.entry.name, "vit_base_patch16_224.mae");
    }
    let clip = library.describe("timm/vit_base_patch16_clip_224.openai").unwrap();
    assert_eq!(clip.entry.name, "vit_base_patch16_clip_quickgelu_224.openai");
    let problem = library.describe("facebook/dinov2-small").err().unwrap();
    assert_is(&problem, "problem-backbone-not-downloaded");
    // The layout of the hub's own cache.
    let cache = TempDir::new().unwrap();
    let snapshot = cache.path().join("models--lab--toy/snapshots/0123");
    fs::create_dir_all(&snapshot).unwrap();
    files::write_safetensors(&files::vit(), Dtype::F32, &[], &snapshot.join("model.safetensors"));
    fs::write(snapshot.join("config.json"), TIMM).unwrap();
    let hub_library = BackboneLibrary::new(WeightLocations {
        cache: folder.path().join("cache"),
        hub_cache: Some(cache.path().to_owned()),
        endpoint: "http://127.0.0.1:1".into(),
        tables: Vec::new(),
    });
    let description = hub_library.describe("lab/toy").unwrap();
    assert_eq!(description.blocks[0].heads, 16);
    assert!(Path::new(&snapshot).exists());
    // timm downloads only the weights.
    fs::remove_file(snapshot.join("config.json")).unwrap();
    let problem = hub_library.describe("lab/toy").err().unwrap();
    assert_is(&problem, "problem-backbone-not-downloaded");
}
