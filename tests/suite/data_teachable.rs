//! Projects of Teachable Machine: import, export, and hostile projects.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use image::{Rgb, RgbImage};
use lae_studio::data::export::write_packed;
use lae_studio::data::summary::count_per_class;
use lae_studio::data::{Dataset, OpenOptions, ProgressReporter};
use lae_studio::problem::Problem;

use super::data::{DatasetFixture, assumptions};
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

fn write_zip(folder: &Path, name: &str, entries: &[(String, Vec<u8>)]) -> PathBuf {
    let path = folder.join(name);
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    path
}

/// Writes a project with these images.
fn write_project(folder: &Path, manifest: &str, names: &[String]) -> PathBuf {
    let mut entries = vec![("manifest.json".to_owned(), manifest.as_bytes().to_vec())];
    let numbered = names.iter().enumerate();
    entries.extend(numbered.map(|(i, name)| (name.clone(), png((i * 7 % 250) as u8))));
    write_zip(folder, "project.tm", &entries)
}

/// Counts the images of each class in both splits.
fn images_per_class(data: &Dataset) -> BTreeMap<String, usize> {
    let classes = data.classes.len();
    let split_counts =
        count_per_class(&data.train, classes).into_iter().zip(count_per_class(&data.test, classes));
    let class_counts = data.classes.iter().cloned().zip(split_counts);
    class_counts.map(|(name, (train, test))| (name, train + test)).collect()
}

fn names(classes: &[&str], per_class: usize) -> Vec<String> {
    let image_names = classes.iter().flat_map(|class| {
        let image_name = move |i| format!("{class}-!-{i}.png");
        (0..per_class).map(image_name)
    });
    image_names.collect()
}

#[test]
fn opens_project_as_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let classes = ["Class 1", "sun?", "a-!-b", "قطة"];
    let mut image_names = names(&classes, 4);
    image_names.push("notes-!-0.txt".into());
    image_names.push("stray.png".into());
    let path = write_project(dir.path(), MANIFEST, &image_names);
    for _ in 0..2 {
        let data = open(&path).unwrap();
        assert_eq!(data.name, "project");
        let expected = [("Class 1", 4), ("a-!-b", 4), ("sun_", 4), ("قطة", 4)];
        let expected: BTreeMap<String, usize> =
            expected.map(|(name, count)| (name.into(), count)).into();
        assert_eq!(images_per_class(&data), expected);
        let remarks = assumptions(&data);
        assert_says!(remarks, "remark-teachable");
        assert_says!(remarks, "remark-renamed-one", from = "sun?", to = "sun_");
        assert_eq!(data.skipped.len(), 2, "{:?}", data.skipped);
    }
    // Packed again with its parent folder.
    let mut entries = vec![("mine/manifest.json".into(), MANIFEST.into())];
    let inner_names = names(&["a", "b"], 3).into_iter();
    entries.extend(inner_names.map(|name| (format!("mine/{name}"), png(name.len() as u8))));
    let data = open(&write_zip(dir.path(), "again.zip", &entries)).unwrap();
    assert_eq!(images_per_class(&data), [("a".into(), 3), ("b".into(), 3)].into());
}

#[test]
fn rejects_audio_and_pose_projects_and_models() {
    let dir = tempfile::tempdir().unwrap();
    for kind in ["audio", "pose"] {
        let manifest = MANIFEST.replace("image", kind);
        let path = write_project(dir.path(), &manifest, &names(&["a", "b"], 2));
        let problem = open(&path).unwrap_err();
        assert_says!(problem.what, "problem-teachable-machine-project-type", manifest = kind);
        assert!(!problem.remedy.is_empty());
        fs::remove_file(path).unwrap();
    }
    for files in
        [&["model.json", "metadata.json", "weights.bin"][..], &["keras_model.h5", "labels.txt"]]
    {
        let entries = files.iter().map(|name| ((*name).into(), vec![1]));
        let entries: Vec<_> = entries.collect();
        let path = write_zip(dir.path(), "tm-my-image-model.zip", &entries);
        let problem = open(&path).unwrap_err();
        assert_is(&problem, "problem-teachable-machine-model");
        assert_says!(problem.remedy, "advice-download-teachable-machine-project");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn hostile_project_writes_nothing_outside_cache() {
    let dir = tempfile::tempdir().unwrap();
    let hostile_names = ["../../out", "/abs", "C:\\x", ".hidden", "NUL", "", "a/../b"];
    let path = write_project(dir.path(), MANIFEST, &names(&hostile_names, 2));
    let data = open(&path).unwrap();
    assert_eq!(images_per_class(&data).len(), hostile_names.len());
    assert!(!dir.path().join("out").exists());
    let listed = fs::read_dir(dir.path()).unwrap().flatten();
    let remaining: Vec<_> = listed.map(|entry| entry.file_name()).collect();
    assert_eq!(remaining.len(), 2, "{remaining:?}");
    fs::remove_file(&path).unwrap();
    // Too many classes.
    let too_many: Vec<String> = (0..2100).map(|i| format!("{i}-!-0.png")).collect();
    let problem = open(&write_project(dir.path(), MANIFEST, &too_many)).unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("thousands"), "{problem}");
    // Other manifests do not make an archive a project.
    for text in ["[]", "{\"type\":3}", "\u{fffd}", "{\"type\":\"module\"}"] {
        let entries = ["a/1.png", "a/2.png", "b/1.png", "b/2.png"];
        let mut entries: Vec<(String, Vec<u8>)> =
            entries.iter().zip(0..).map(|(name, shade)| ((*name).into(), png(shade))).collect();
        entries.push(("manifest.json".into(), text.into()));
        let path = write_zip(dir.path(), "other.zip", &entries);
        assert_eq!(open(&path).unwrap().classes, ["a", "b"], "{text}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn roundtrips_dataset_through_project() {
    let fixture = DatasetFixture::new();
    for (class, shade) in [("moon", 20), ("sun", 220), ("très long", 120)] {
        for i in 0..5u8 {
            fixture.write_file(&format!("{class}/{i}.png"), png(shade + i * 5));
        }
    }
    let first = fixture.open();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.tm");
    let summary = write_packed(&first, &path, &ProgressReporter::silent()).unwrap();
    assert_eq!((summary.images, summary.classes), (15, 3));
    assert!(summary.renamed.is_empty());
    let reimported = open(&path).unwrap();
    assert_eq!(images_per_class(&reimported), images_per_class(&first));
    for sample in reimported.train.iter().chain(&reimported.test) {
        let image = sample.decode().unwrap();
        assert_eq!(image.dimensions(), (224, 224));
        let shade = image.get_pixel(112, 112).0[0];
        let expected_shade = [20, 220, 120][sample.class as usize];
        assert!((expected_shade..expected_shade + 25).contains(&shade), "{shade}");
    }
    let bytes = fs::read(&path).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    assert!(zip.by_name("très long-!-4.jpg").is_ok());
    let manifest: serde_json::Value =
        serde_json::from_reader(zip.by_name("manifest.json").unwrap()).unwrap();
    assert_eq!(manifest["type"], "image");
}

#[test]
fn zip_export_contains_same_files() {
    let content = |data: &Dataset| -> Vec<(String, Vec<u8>)> {
        let samples = data.train.iter().chain(&data.test);
        let contents = samples.map(|sample| (sample.name(), sample.decode().unwrap().into_raw()));
        contents.collect()
    };
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 3)
        .write_class("train/b", 3)
        .write_class("test/a", 2)
        .write_class("test/b", 2);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("split.zip");
    write_packed(&fixture.open(), &path, &ProgressReporter::silent()).unwrap();
    assert_eq!(content(&open(&path).unwrap()), content(&fixture.open()));
    // A drawn split is not exported; it is drawn again.
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 6).write_class("b", 6);
    let path = dir.path().join("plain.zip");
    write_packed(&fixture.open(), &path, &ProgressReporter::silent()).unwrap();
    let reimported = open(&path).unwrap();
    assert!(reimported.test_drawn);
    assert_eq!(content(&reimported), content(&fixture.open()));
    let result =
        write_packed(&fixture.open(), &dir.path().join("x.tar"), &ProgressReporter::silent());
    assert!(result.unwrap_err().mentions("advice-dataset-export-extension"));
}

#[test]
fn data_export_command_writes_project() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 3).write_class("b", 3);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.tm");
    let data = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_lae-studio")).arg("data").args(args).output().unwrap()
    };
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let output = data(&["export", &text(fixture.path()), "--to", &text(&target)]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("6 images of 2 classes"), "{stderr}");
    assert_eq!(images_per_class(&open(&target).unwrap()).len(), 2);
    let invalid = data(&["export", "digits", "--to", "digits.rar"]);
    assert_eq!(invalid.status.code(), Some(1));
    assert_eq!(data(&["export", "digits"]).status.code(), Some(2));
    assert_eq!(data(&[]).status.code(), Some(2));
}
