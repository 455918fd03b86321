//! The table of backbones, the user's own tables, and descriptions of backbones without loading them.

use std::fs;

use lae_studio::backbone::library::{Availability, BackboneLibrary, WeightLocations, WeightSource};
use tempfile::TempDir;

use crate::assert_is;

fn places(folder: &TempDir) -> WeightLocations {
    WeightLocations {
        cache: folder.path().join("cache"),
        hub_cache: Some(folder.path().join("hub")),
        endpoint: "http://127.0.0.1:1".into(),
        tables: vec![folder.path().join("first.toml"), folder.path().join("second.toml")],
    }
}

const TOY: &str = r#"
[[backbone]]
name = "toy"
family = "vit"
input_size = 16
patch = 4
width = 128
depth = 2
heads = 2
normalisation = "unit"
hub = "lab/toy"
"#;

#[test]
fn embedded_table_describes_common_backbones() {
    let folder = TempDir::new().unwrap();
    let library = BackboneLibrary::new(places(&folder));
    assert!(library.problems().is_empty(), "{:?}", library.problems());
    for (name, parameters, blocks, pets) in [
        ("vit_tiny_patch16_224.augreg_in21k", 5_524_416, 12, 5),
        ("vit_small_patch16_224.augreg_in21k", 21_665_664, 12, 5),
        ("vit_base_patch16_224.augreg_in21k", 85_798_656, 12, 5),
        ("vit_large_patch16_224.augreg_in21k", 303_301_632, 24, 5),
        ("vit_base_patch16_224.orig_in21k", 85_798_656, 12, 5),
        ("vit_base_patch16_224.augreg_in21k_ft_in1k", 85_798_656, 12, 5),
        ("vit_base_patch16_224.mae", 85_798_656, 12, 5),
        ("vit_base_patch16_clip_quickgelu_224.openai", 85_799_424, 12, 5),
        ("vit_small_patch14_dinov2.lvd142m", 22_056_192, 12, 5),
        ("vit_base_patch14_dinov2.lvd142m", 86_579_712, 12, 5),
        ("swin_tiny_patch4_window7_224.ms_in22k", 27_519_354, 12, 10),
        ("swin_small_patch4_window7_224.ms_in22k", 48_837_258, 24, 10),
        ("swin_base_patch4_window7_224.ms_in22k", 86_743_224, 24, 10),
        ("convnext_tiny.fb_in22k", 27_818_592, 18, 15),
        ("convnext_small.fb_in22k", 49_453_152, 36, 15),
        ("convnext_base.fb_in22k", 87_564_416, 36, 15),
    ] {
        let described = library.describe(name).unwrap();
        assert_eq!(described.parameters, parameters, "{name}");
        assert_eq!(described.blocks.len(), blocks, "{name}");
        assert_eq!(described.entry.pet_blocks, pets, "{name}");
        assert_eq!(described.state, Availability::Absent { downloaded_bytes: 0 }, "{name}");
        assert_ne!(described.entry.licence, "not stated", "{name}");
        assert_ne!(described.entry.pretrained_on, "not stated", "{name}");
        assert!(described.entry.size_mb.is_some(), "{name}");
    }
    for name in ["vit_small_patch14_dinov2.lvd142m", "vit_base_patch14_dinov2.lvd142m"] {
        assert!(library.entry(name).is_some(), "{name}");
    }
}

#[test]
fn fine_tuned_weights_warn_about_imagenet_r() {
    let folder = TempDir::new().unwrap();
    let library = BackboneLibrary::new(places(&folder));
    for entry in library.entries() {
        if entry.name.contains("in1k") {
            let warning = entry.warning.as_deref().unwrap_or_default();
            assert!(warning.contains("ImageNet-R"), "{}", entry.name);
        }
    }
}

#[test]
fn name_without_tag_selects_first_entry() {
    let folder = TempDir::new().unwrap();
    let library = BackboneLibrary::new(places(&folder));
    let tiny = library.entry("vit_tiny_patch16_224").unwrap();
    assert_eq!(tiny.name, "vit_tiny_patch16_224.augreg_in21k");
    assert!(library.entry("vit_tiny").is_none());
}

#[test]
fn user_table_adds_replaces_and_reports_faulty_entries() {
    let folder = TempDir::new().unwrap();
    let places = places(&folder);
    fs::write(&places.tables[0], TOY).unwrap();
    let replaced = TOY.replace("\"unit\"", "\"symmetric\"");
    fs::write(&places.tables[1], format!("{replaced}\n[[backbone]]\nname = 3\n")).unwrap();
    let library = BackboneLibrary::new(places.clone());
    assert_eq!(library.problems().len(), 1);
    assert!(library.problems()[0].place.contains("second.toml:14"), "{:?}", library.problems());
    // Only the faulty entry is skipped.
    assert_eq!(library.entry("toy").unwrap().transform.normalisation.mean, [0.5; 3]);
    fs::write(&places.tables[1], replaced).unwrap();
    let library = BackboneLibrary::new(places);
    assert!(library.problems().is_empty());
    assert_eq!(library.entry("toy").unwrap().transform.normalisation.mean, [0.5; 3]);
    let toys = library.entries().iter().filter(|entry| entry.name == "toy");
    assert_eq!(toys.count(), 1);
}

#[test]
fn finds_file_in_hub_cache() {
    let folder = TempDir::new().unwrap();
    let places = places(&folder);
    fs::write(&places.tables[0], TOY).unwrap();
    let library = BackboneLibrary::new(places);
    let model = folder.path().join("hub/models--lab--toy");
    let file = model.join("snapshots/abc/model.safetensors");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::create_dir_all(model.join("refs")).unwrap();
    fs::write(model.join("refs/main"), "abc").unwrap();
    fs::write(&file, "").unwrap();
    let toy = library.entry("toy").unwrap();
    assert_eq!(library.availability(toy), Availability::Present(file));
    assert!(matches!(&toy.source, WeightSource::Hub { repository, .. } if repository == "lab/toy"));
}

#[test]
fn describe_explains_skipped_table_entry() {
    let folder = TempDir::new().unwrap();
    let wrong = TOY.replace("heads = 2", "heads = 3");
    fs::write(folder.path().join("first.toml"), wrong).unwrap();
    let problem = BackboneLibrary::new(places(&folder)).describe("toy").err().unwrap();
    assert_is(&problem, "problem-dimensions-inconsistent");
    assert!(problem.what.contains("3 heads"), "{problem}");
    assert!(problem.place.ends_with("first.toml:2"), "{problem}");
    fs::write(folder.path().join("first.toml"), format!("{TOY}colour = 1\n")).unwrap();
    let problem = BackboneLibrary::new(places(&folder)).describe("toy").err().unwrap();
    assert_is(&problem, "problem-backbone-entry-unreadable");
    assert!(problem.what.contains("`colour`"), "{problem}");
    assert!(problem.place.ends_with("first.toml:12"), "{problem}");
    // The other entries of the table are there.
    let good = TOY.replace("\"toy\"", "\"good\"");
    let text = format!("{TOY}colour = 1\n{good}");
    fs::write(folder.path().join("first.toml"), text).unwrap();
    assert!(BackboneLibrary::new(places(&folder)).entry("good").is_some());
    fs::write(folder.path().join("first.toml"), "[[backbone]\n").unwrap();
    let problem = BackboneLibrary::new(places(&folder)).describe("toy").err().unwrap();
    assert!(
        says!(problem.what, "problem-backbone-not-found", name = "toy")
            && says!(problem.what, "problem-backbone-table-unreadable"),
        "{problem}"
    );
}

#[test]
fn rejects_impossible_dimensions_in_table() {
    let folder = TempDir::new().unwrap();
    let swin = |width: usize, depths: &str| {
        format!(
            "[[backbone]]\nname = \"wide\"\nfamily = \"swin\"\ninput_size = 224\npatch = 4\nwidth = {width}\n\
             depths = {depths}\nheads = {depths}\nwindow = 7\nnormalisation = \"unit\"\nfile = \"x.npz\"\n"
        )
    };
    // Wide at once, and by doubling in each of eight stages.
    for (width, depths, word) in [
        (65_536, "[1]", "262144 is too large"),
        (8_193, "[1]", "8193 channels"),
        (512, "[1, 1, 1, 1, 1, 1, 1, 1]", "16384 channels"),
        (4_096, "[1, 512]", "weights are too many"),
    ] {
        fs::write(folder.path().join("first.toml"), swin(width, depths)).unwrap();
        let problem = BackboneLibrary::new(places(&folder)).describe("wide").err().unwrap();
        assert_is(&problem, "problem-dimensions-inconsistent");
        assert!(problem.what.contains(word), "{problem}");
    }
}
