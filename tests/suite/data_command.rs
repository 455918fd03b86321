//! `lae-studio data`: JSON, exports, exit codes.

use std::path::Path;
use std::process::{Command, Output};

use lae_studio::data::transform::{InputSpec, resize_for_inference};
use safetensors::SafeTensors;
use serde_json::{Value, json};

use super::data::DatasetFixture;

fn run_data_command(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lae-studio")).arg("data").args(args).output().unwrap()
}

fn path_str(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn json_and_text_output_match_contract() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 3)
        .write_class("train/b", 2)
        .write_class("test/a", 1)
        .write_class("test/b", 2)
        .write_file("train/a/x.txt", "x");
    let output = run_data_command(&[path_str(fixture.path()), "--json", "-"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["classes"], json!(["a", "b"]));
    assert_eq!(report["images"], json!({"train": {"a": 3, "b": 2}, "test": {"a": 1, "b": 2}}));
    assert_eq!(report["skipped"].as_array().unwrap().len(), 1);
    assert!(report["skipped"][0]["path"].as_str().unwrap().ends_with("x.txt"));
    assert_eq!(report["skipped"][0]["reason"], tr!("skip-no-image-extension", ending = "txt"));
    assert_eq!((&report["duplicates"], &report["assumed"]), (&json!([]), &json!([])));
    let output = run_data_command(&[path_str(fixture.path())]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("2 classes, 5 training and 3 test images, 12 × 10 pixels"), "{stdout}");
    assert!(
        stdout.contains(&format!("1 × {}", tr!("skip-no-image-extension", ending = "txt"))),
        "{stdout}"
    );
}

#[test]
fn switches_accept_on_and_off() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 6).write_class("b", 6);
    for option in ["--copies-together", "--near-copies-together"] {
        for value in ["on", "off"] {
            let output =
                run_data_command(&[path_str(fixture.path()), option, value, "--json", "-"]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{option} {value}: {stderr}");
        }
        let output = run_data_command(&[path_str(fixture.path()), option, "true"]);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn reports_images_with_two_labels() {
    let fixture = DatasetFixture::new();
    for class in ["a", "b"] {
        fixture.write_class(&format!("train/{class}"), 6).write_class(&format!("test/{class}"), 1);
    }
    for number in 0..4 {
        let path_of = |class| fixture.path().join(format!("train/{class}/00{number}.png"));
        std::fs::copy(path_of("a"), path_of("b")).unwrap();
    }
    let output = run_data_command(&[path_str(fixture.path()), "--json", "-"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["two_labels"].as_array().unwrap().len(), 4);
    assert_eq!(
        report["two_labels"][3],
        json!([
            {"split": "train", "class": "a", "file": "a/003.png"},
            {"split": "train", "class": "b", "file": "b/003.png"}
        ])
    );
    let stdout = String::from_utf8(run_data_command(&[path_str(fixture.path())]).stdout).unwrap();
    assert!(
        says!(stdout, "remark-images-with-two-labels-first", n = 4)
            && stdout.contains(" a/000.png (a, train) = b/000.png (b, train); a/001.png")
            && !stdout.contains("a/003.png"),
        "{stdout}"
    );
}

#[test]
fn problems_go_to_stderr_with_exit_code_1() {
    let output = run_data_command(&["no/such/place"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.starts_with(&format!("problem: {}", tr!("problem-dataset-not-found")))
            && stderr.contains("\ntry: "),
        "{stderr}"
    );
    assert_eq!(run_data_command(&[]).status.code(), Some(2));
    assert_eq!(
        run_data_command(&["digits", "--split", "test"]).status.code(),
        Some(2),
        "only with --export-inputs"
    );
}

#[test]
fn exported_inputs_match_transform() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 1)
        .write_class("test/a", 3)
        .write_class("train/b", 1)
        .write_class("test/b", 2);
    let output_path = fixture.path().join("inputs.safetensors");
    let args = [
        path_str(fixture.path()),
        "--export-inputs",
        path_str(&output_path),
        "--split",
        "test",
        "--input-size",
        "8",
        "--crop-ratio",
        "0.8",
        "--limit",
        "4",
    ];
    let output = run_data_command(&args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&output_path).unwrap();
    let (_, head) = SafeTensors::read_metadata(&bytes).unwrap();
    let names: Vec<String> =
        serde_json::from_str(&head.metadata().as_ref().unwrap()["names"]).unwrap();
    assert_eq!(names, ["a/000.png", "a/001.png", "a/002.png", "b/000.png"]);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let images = file.tensor("images").unwrap();
    assert_eq!(images.shape(), [4, 3, 8, 8]);
    let source_image = image::open(fixture.path().join("test/b/000.png")).unwrap().to_rgb8();
    let mut expected = vec![0; 8 * 8 * 3];
    resize_for_inference(&source_image, InputSpec::new(8, 0.8), &mut expected).unwrap();
    let value = |i: usize| f32::from_le_bytes(images.data()[i * 4..i * 4 + 4].try_into().unwrap());
    for (index, byte) in expected.iter().enumerate() {
        let (pixel, channel) = (index / 3, index % 3);
        assert_eq!(value(3 * 192 + channel * 64 + pixel), f32::from(*byte) / 255.0);
    }
}

#[test]
fn crops_boxes_from_file_and_rejects_invalid_ones() {
    let fixture = DatasetFixture::new();
    fixture.write_class("train/a", 1).write_class("test/a", 2);
    let (output_path, boxes) =
        (fixture.path().join("o.safetensors"), fixture.path().join("boxes.json"));
    let run = |content: Value| {
        std::fs::write(&boxes, content.to_string()).unwrap();
        run_data_command(&[
            path_str(fixture.path()),
            "--export-inputs",
            path_str(&output_path),
            "--input-size",
            "4",
            "--boxes",
            path_str(&boxes),
        ])
    };
    let crop = json!({"left": 2, "top": 1, "width": 4, "height": 4, "flip": true});
    assert_eq!(run(json!([crop, crop])).status.code(), Some(0));
    let bytes = std::fs::read(&output_path).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let first = f32::from_le_bytes(file.tensor("images").unwrap().data()[..4].try_into().unwrap());
    let source_image = image::open(fixture.path().join("test/a/000.png")).unwrap().to_rgb8();
    assert_eq!(
        first,
        f32::from(source_image.get_pixel(5, 1).0[0]) / 255.0,
        "mirrored: the box's right edge comes first"
    );
    for (invalid, id) in [
        (json!([crop]), "problem-no-crop-box-for-image"),
        (
            json!({"a/000.png": {"left": 9, "top": 0, "width": 4, "height": 4}}),
            "problem-crop-outside-image",
        ),
        (json!("x"), "problem-no-crop-boxes"),
    ] {
        let output = run(invalid);
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_says!(stderr, id);
    }
}
