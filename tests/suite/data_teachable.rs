//! Projects of Teachable Machine: import, export, and hostile projects.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use image::{Rgb, RgbImage};
use lae_studio::data::export::packed;
use lae_studio::data::summary::counts;
use lae_studio::data::{Dataset, OpenOptions, Watch};
use lae_studio::problem::Problem;

use super::data::{Made, assumed};
use crate::assert_is;

const MANIFEST: &str = r#"{"type":"image","version":"2.4.7","appdata":{"publishResults":{},"trainEpochs":50,"trainBatchSize":16,"trainLearningRate":0.001}}"#;

fn open(path: &Path) -> Result<Dataset, Problem> {
    let options = OpenOptions {
        unpack_to: Some(path.parent().unwrap().join("unpacked")),
        ..OpenOptions::default()
    };
    Dataset::open(path.to_str().unwrap(), &options)
}

fn png(shade: u8) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(30, 20, Rgb([shade, 90, 200]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

fn zip_at(folder: &Path, name: &str, entries: &[(String, Vec<u8>)]) -> PathBuf {
    let path = folder.join(name);
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    path
}

/// Writes a project with these images.
fn project(folder: &Path, manifest: &str, names: &[String]) -> PathBuf {
    let mut entries = vec![("manifest.json".to_owned(), manifest.as_bytes().to_vec())];
    let pictures = names.iter().enumerate();
    entries.extend(pictures.map(|(i, name)| (name.clone(), png((i * 7 % 250) as u8))));
    zip_at(folder, "project.tm", &entries)
}

/// Counts the images of each class in both splits.
fn sizes(data: &Dataset) -> BTreeMap<String, usize> {
    let classes = data.classes.len();
    let both = counts(&data.train, classes)
        .into_iter()
        .zip(counts(&data.test, classes));
    let all = data.classes.iter().cloned().zip(both);
    all.map(|(name, (train, test))| (name, train + test))
        .collect()
}

fn names(classes: &[&str], each: usize) -> Vec<String> {
    let all = classes.iter().flat_map(|class| {
        let one = move |i| format!("{class}-!-{i}.png");
        (0..each).map(one)
    });
    all.collect()
}

#[test]
fn opens_project_as_dataset() {
    let place = tempfile::tempdir().unwrap();
    let classes = ["Class 1", "sun?", "a-!-b", "قطة"];
    let mut pictures = names(&classes, 4);
    pictures.push("notes-!-0.txt".into());
    pictures.push("stray.png".into());
    let path = project(place.path(), MANIFEST, &pictures);
    for _ in 0..2 {
        let data = open(&path).unwrap();
        assert_eq!(data.name, "project");
        let wanted = [("Class 1", 4), ("a-!-b", 4), ("sun_", 4), ("قطة", 4)];
        let wanted: BTreeMap<String, usize> =
            wanted.map(|(name, count)| (name.into(), count)).into();
        assert_eq!(sizes(&data), wanted);
        let told = assumed(&data);
        assert_says!(told, "remark-teachable");
        assert_says!(told, "remark-renamed-one", from = "sun?", to = "sun_");
        assert_eq!(data.skipped.len(), 2, "{:?}", data.skipped);
    }
    // Packed again with its parent folder.
    let mut entries = vec![("mine/manifest.json".into(), MANIFEST.into())];
    let inside = names(&["a", "b"], 3).into_iter();
    entries.extend(inside.map(|name| (format!("mine/{name}"), png(name.len() as u8))));
    let data = open(&zip_at(place.path(), "again.zip", &entries)).unwrap();
    assert_eq!(sizes(&data), [("a".into(), 3), ("b".into(), 3)].into());
}

#[test]
fn rejects_audio_and_pose_projects_and_models() {
    let place = tempfile::tempdir().unwrap();
    for kind in ["audio", "pose"] {
        let manifest = MANIFEST.replace("image", kind);
        let path = project(place.path(), &manifest, &names(&["a", "b"], 2));
        let problem = open(&path).unwrap_err();
        assert_says!(
            problem.what,
            "problem-teachable-machine-project-type",
            manifest = kind
        );
        assert!(!problem.remedy.is_empty());
        fs::remove_file(path).unwrap();
    }
    for files in [
        &["model.json", "metadata.json", "weights.bin"][..],
        &["keras_model.h5", "labels.txt"],
    ] {
        let entries = files.iter().map(|name| ((*name).into(), vec![1]));
        let entries: Vec<_> = entries.collect();
        let path = zip_at(place.path(), "tm-my-image-model.zip", &entries);
        let problem = open(&path).unwrap_err();
        assert_is(&problem, "problem-teachable-machine-model");
        assert_says!(problem.remedy, "advice-download-teachable-machine-project");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn hostile_project_writes_nothing_outside_cache() {
    let place = tempfile::tempdir().unwrap();
    let bad = ["../../out", "/abs", "C:\\x", ".hidden", "NUL", "", "a/../b"];
    let path = project(place.path(), MANIFEST, &names(&bad, 2));
    let data = open(&path).unwrap();
    assert_eq!(sizes(&data).len(), bad.len());
    assert!(!place.path().join("out").exists());
    let listed = fs::read_dir(place.path()).unwrap().flatten();
    let left: Vec<_> = listed.map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    fs::remove_file(&path).unwrap();
    // Too many classes.
    let many: Vec<String> = (0..2100).map(|i| format!("{i}-!-0.png")).collect();
    let problem = open(&project(place.path(), MANIFEST, &many)).unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("thousands"), "{problem}");
    // Other manifests do not make an archive a project.
    for text in ["[]", "{\"type\":3}", "\u{fffd}", "{\"type\":\"module\"}"] {
        let entries = ["a/1.png", "a/2.png", "b/1.png", "b/2.png"];
        let mut entries: Vec<(String, Vec<u8>)> = entries
            .iter()
            .zip(0..)
            .map(|(name, shade)| ((*name).into(), png(shade)))
            .collect();
        entries.push(("manifest.json".into(), text.into()));
        let path = zip_at(place.path(), "other.zip", &entries);
        assert_eq!(open(&path).unwrap().classes, ["a", "b"], "{text}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn roundtrips_dataset_through_project() {
    let made = Made::new();
    for (class, shade) in [("moon", 20), ("sun", 220), ("très long", 120)] {
        for i in 0..5u8 {
            made.file(&format!("{class}/{i}.png"), png(shade + i * 5));
        }
    }
    let first = made.open();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("mine.tm");
    let done = packed(&first, &path, &Watch::none()).unwrap();
    assert_eq!((done.pictures, done.classes), (15, 3));
    assert!(done.renamed.is_empty());
    let back = open(&path).unwrap();
    assert_eq!(sizes(&back), sizes(&first));
    for sample in back.train.iter().chain(&back.test) {
        let picture = sample.decode().unwrap();
        assert_eq!(picture.dimensions(), (224, 224));
        let shade = picture.get_pixel(112, 112).0[0];
        let around = [20, 220, 120][sample.class as usize];
        assert!((around..around + 25).contains(&shade), "{shade}");
    }
    let raw = fs::read(&path).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(raw)).unwrap();
    assert!(zip.by_name("très long-!-4.jpg").is_ok());
    let manifest: serde_json::Value =
        serde_json::from_reader(zip.by_name("manifest.json").unwrap()).unwrap();
    assert_eq!(manifest["type"], "image");
}

#[test]
fn zip_export_contains_same_files() {
    let content = |data: &Dataset| -> Vec<(String, Vec<u8>)> {
        let both = data.train.iter().chain(&data.test);
        let all = both.map(|sample| (sample.name(), sample.decode().unwrap().into_raw()));
        all.collect()
    };
    let made = Made::new();
    made.class("train/a", 3)
        .class("train/b", 3)
        .class("test/a", 2)
        .class("test/b", 2);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("split.zip");
    packed(&made.open(), &path, &Watch::none()).unwrap();
    assert_eq!(content(&open(&path).unwrap()), content(&made.open()));
    // A drawn split is not exported; it is drawn again.
    let made = Made::new();
    made.class("a", 6).class("b", 6);
    let path = place.path().join("plain.zip");
    packed(&made.open(), &path, &Watch::none()).unwrap();
    let back = open(&path).unwrap();
    assert!(back.test_drawn);
    assert_eq!(content(&back), content(&made.open()));
    let wrong = packed(&made.open(), &place.path().join("x.tar"), &Watch::none());
    assert!(
        wrong
            .unwrap_err()
            .mentions("advice-dataset-export-extension")
    );
}

#[test]
fn data_export_command_writes_project() {
    let made = Made::new();
    made.class("a", 3).class("b", 3);
    let place = tempfile::tempdir().unwrap();
    let to = place.path().join("out.tm");
    let data = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_lae-studio"))
            .arg("data")
            .args(words)
            .output()
            .unwrap()
    };
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let done = data(&["export", &text(made.path()), "--to", &text(&to)]);
    let told = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(told.contains("6 images of 2 classes"), "{told}");
    assert_eq!(sizes(&open(&to).unwrap()).len(), 2);
    let wrong = data(&["export", "digits", "--to", "digits.rar"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert_eq!(data(&["export", "digits"]).status.code(), Some(2));
    assert_eq!(data(&[]).status.code(), Some(2));
}
