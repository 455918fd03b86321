//! The paper's experiments: class orders, and a note if the data is split differently.

use super::*;
use crate::data::DatasetFixture;

/// This number of classes with two images each.
fn dataset_with_classes(count: usize) -> DatasetFixture {
    let dataset = DatasetFixture::new();
    for class in 0..count {
        dataset.write_class(&format!("c{class:03}"), 2);
    }
    dataset
}

/// Stderr of a run that cannot start because its weights are missing.
fn stderr_of_failed_start(words: &[&str], data: &DatasetFixture) -> String {
    let runs = tempfile::tempdir().unwrap();
    let data = data.path().display().to_string();
    let missing_weights = runs.path().join("gone.safetensors").display().to_string();
    let options = ["--data", &data, "--backbone", &missing_weights, "--quiet"];
    run_expecting_error(&[&["train"], words, &options].concat(), runs.path())
}

#[test]
fn preset_notes_split_that_differs_from_paper() {
    let data = dataset_with_classes(200);
    let has_no_split_note = |said: &str| {
        !says!(said, "data-split-not-comparable") && !says!(said, "data-split-of-coda-prompt")
    };
    let drawn = tr!("data-split-random");
    for preset in ["imagenet-r-10", "imagenet-r-5"] {
        let stderr_text = stderr_of_failed_start(&["--preset", preset], &data);
        assert!(stderr_text.starts_with("note: "), "{stderr_text}");
        assert_says!(stderr_text, "data-split-not-comparable", data = "ImageNet-R", ours = drawn);
        assert_eq!(stderr_text.matches("note:").count(), 1, "{stderr_text}");
    }
    // Task sizes of no published table need no note.
    let stderr_text = stderr_of_failed_start(&["--classes-per-task", "7"], &data);
    assert!(has_no_split_note(&stderr_text), "{stderr_text}");
    let list = |picture: u32| -> String {
        let lines = (0..200).map(|class| format!("c{class:03}/{picture:03}.png {class}\n"));
        lines.collect()
    };
    data.write_file("train_list.txt", list(0));
    data.write_file("val_list.txt", list(1));
    let stderr_text = stderr_of_failed_start(&["--preset", "imagenet-r-10"], &data);
    assert!(has_no_split_note(&stderr_text), "{stderr_text}");
    // CODA-Prompt's table has lists of its own.
    let stderr_text = stderr_of_failed_start(&["--preset", "imagenet-r-5"], &data);
    assert_says!(stderr_text, "data-split-not-comparable", ours = tr!("data-split-lists"));
}

#[test]
fn domainnet_preset_uses_class_orders_of_paper() {
    let (data, runs) = (dataset_with_classes(345), tempfile::tempdir().unwrap());
    let data_path = data.path().display().to_string();
    let words = [
        "train",
        "--preset",
        "domainnet-5",
        "--data",
        &data_path,
        "--backbone",
        "lae-nano",
        "--method",
        "simplecil",
        "--orders",
        "3",
        "--device",
        "cpu",
        "--quiet",
        "--json",
        "-",
    ];
    let output = run(&words, runs.path());
    let summary = json(&output);
    assert!(stderr(&output).contains("DomainNet is split at random"));
    let text = include_str!("../../../assets/class-orders.json");
    let class_orders: Value = serde_json::from_str(text).unwrap();
    let natural: Value = (0..345).collect();
    let expected = [&natural, &class_orders["domainnet_order2"], &class_orders["domainnet_order3"]];
    let runs = summary["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for (run, order) in runs.iter().zip(expected) {
        let names: Vec<String> = order
            .as_array()
            .unwrap()
            .iter()
            .map(|index| format!("c{:03}", index.as_u64().unwrap()))
            .collect();
        assert_eq!(run["class_order"], serde_json::json!(names));
    }
}
