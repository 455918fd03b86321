//! `lae-studio data`: JSON, exports, exit codes.

use std::path::Path;
use std::process::{Command, Output};

use lae_studio::data::transform::{InputSpec, infer_into};
use safetensors::SafeTensors;
use serde_json::{Value, json};

use super::data::Made;

fn data(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lae-studio"))
        .arg("data")
        .args(words)
        .output()
        .unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn json_and_text_output_match_contract() {
    let made = Made::new();
    made.class("train/a", 3)
        .class("train/b", 2)
        .class("test/a", 1)
        .class("test/b", 2)
        .file("train/a/x.txt", "x");
    let output = data(&[text(made.path()), "--json", "-"]);
    assert_eq!(output.status.code(), Some(0));
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(card["classes"], json!(["a", "b"]));
    assert_eq!(
        card["images"],
        json!({"train": {"a": 3, "b": 2}, "test": {"a": 1, "b": 2}})
    );
    assert_eq!(card["skipped"].as_array().unwrap().len(), 1);
    assert!(
        card["skipped"][0]["path"]
            .as_str()
            .unwrap()
            .ends_with("x.txt")
    );
    assert_eq!(
        card["skipped"][0]["reason"],
        tr!("skip-no-image-extension", ending = "txt")
    );
    assert_eq!(
        (&card["duplicates"], &card["assumed"]),
        (&json!([]), &json!([]))
    );
    let output = data(&[text(made.path())]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("2 classes, 5 training and 3 test images, 12 × 10 pixels"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!(
            "1 × {}",
            tr!("skip-no-image-extension", ending = "txt")
        )),
        "{shown}"
    );
}

#[test]
fn switches_accept_on_and_off() {
    let made = Made::new();
    made.class("a", 6).class("b", 6);
    for option in ["--copies-together", "--near-copies-together"] {
        for value in ["on", "off"] {
            let output = data(&[text(made.path()), option, value, "--json", "-"]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{option} {value}: {said}");
        }
        let output = data(&[text(made.path()), option, "true"]);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn reports_images_with_two_labels() {
    let made = Made::new();
    for class in ["a", "b"] {
        made.class(&format!("train/{class}"), 6)
            .class(&format!("test/{class}"), 1);
    }
    for number in 0..4 {
        let at = |class| made.path().join(format!("train/{class}/00{number}.png"));
        std::fs::copy(at("a"), at("b")).unwrap();
    }
    let output = data(&[text(made.path()), "--json", "-"]);
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(card["two_labels"].as_array().unwrap().len(), 4);
    assert_eq!(
        card["two_labels"][3],
        json!([
            {"split": "train", "class": "a", "file": "a/003.png"},
            {"split": "train", "class": "b", "file": "b/003.png"}
        ])
    );
    let shown = String::from_utf8(data(&[text(made.path())]).stdout).unwrap();
    assert!(
        says!(shown, "remark-images-with-two-labels-first", n = 4)
            && shown.contains(" a/000.png (a, train) = b/000.png (b, train); a/001.png")
            && !shown.contains("a/003.png"),
        "{shown}"
    );
}

#[test]
fn problems_go_to_stderr_with_exit_code_1() {
    let output = data(&["no/such/place"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(
        shown.starts_with(&format!("problem: {}", tr!("problem-dataset-not-found")))
            && shown.contains("\ntry: "),
        "{shown}"
    );
    assert_eq!(data(&[]).status.code(), Some(2));
    assert_eq!(
        data(&["digits", "--split", "test"]).status.code(),
        Some(2),
        "only with --export-inputs"
    );
}

#[test]
fn exported_inputs_match_transform() {
    let made = Made::new();
    made.class("train/a", 1)
        .class("test/a", 3)
        .class("train/b", 1)
        .class("test/b", 2);
    let out = made.path().join("inputs.safetensors");
    let args = [
        text(made.path()),
        "--export-inputs",
        text(&out),
        "--split",
        "test",
        "--input-size",
        "8",
        "--crop-ratio",
        "0.8",
        "--limit",
        "4",
    ];
    let output = data(&args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let bytes = std::fs::read(&out).unwrap();
    let (_, head) = SafeTensors::read_metadata(&bytes).unwrap();
    let names: Vec<String> =
        serde_json::from_str(&head.metadata().as_ref().unwrap()["names"]).unwrap();
    assert_eq!(names, ["a/000.png", "a/001.png", "a/002.png", "b/000.png"]);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let images = file.tensor("images").unwrap();
    assert_eq!(images.shape(), [4, 3, 8, 8]);
    let picture = image::open(made.path().join("test/b/000.png"))
        .unwrap()
        .to_rgb8();
    let mut expected = vec![0; 8 * 8 * 3];
    infer_into(&picture, InputSpec::new(8, 0.8), &mut expected).unwrap();
    let value =
        |at: usize| f32::from_le_bytes(images.data()[at * 4..at * 4 + 4].try_into().unwrap());
    for (place, byte) in expected.iter().enumerate() {
        let (pixel, channel) = (place / 3, place % 3);
        assert_eq!(
            value(3 * 192 + channel * 64 + pixel),
            f32::from(*byte) / 255.0
        );
    }
}

#[test]
fn crops_given_boxes_and_rejects_invalid_ones() {
    let made = Made::new();
    made.class("train/a", 1).class("test/a", 2);
    let (out, boxes) = (
        made.path().join("o.safetensors"),
        made.path().join("boxes.json"),
    );
    let run = |content: Value| {
        std::fs::write(&boxes, content.to_string()).unwrap();
        data(&[
            text(made.path()),
            "--export-inputs",
            text(&out),
            "--input-size",
            "4",
            "--boxes",
            text(&boxes),
        ])
    };
    let crop = json!({"left": 2, "top": 1, "width": 4, "height": 4, "flip": true});
    assert_eq!(run(json!([crop, crop])).status.code(), Some(0));
    let bytes = std::fs::read(&out).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let first = f32::from_le_bytes(
        file.tensor("images").unwrap().data()[..4]
            .try_into()
            .unwrap(),
    );
    let picture = image::open(made.path().join("test/a/000.png"))
        .unwrap()
        .to_rgb8();
    assert_eq!(
        first,
        f32::from(picture.get_pixel(5, 1).0[0]) / 255.0,
        "mirrored: the box's right edge comes first"
    );
    for (wrong, id) in [
        (json!([crop]), "problem-no-crop-box-for-image"),
        (
            json!({"a/000.png": {"left": 9, "top": 0, "width": 4, "height": 4}}),
            "problem-crop-outside-image",
        ),
        (json!("x"), "problem-no-crop-boxes"),
    ] {
        let output = run(wrong);
        assert_eq!(output.status.code(), Some(1));
        let shown = String::from_utf8(output.stderr).unwrap();
        assert_says!(shown, id);
    }
}
