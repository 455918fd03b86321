//! The paper's experiments: class orders, and a note if the data is split differently.

use super::*;
use crate::data::Made;

/// This number of classes with two images each.
fn classes(count: usize) -> Made {
    let made = Made::new();
    for class in 0..count {
        made.class(&format!("c{class:03}"), 2);
    }
    made
}

/// Stderr of a run that cannot start because its weights are missing.
fn stderr_of_failed_start(words: &[&str], data: &Made) -> String {
    let runs = tempfile::tempdir().unwrap();
    let data = data.path().display().to_string();
    let nowhere = runs.path().join("gone.safetensors").display().to_string();
    let rest = ["--data", &data, "--backbone", &nowhere, "--quiet"];
    refused(&[&["train"], words, &rest].concat(), runs.path())
}

#[test]
fn preset_notes_split_that_differs_from_paper() {
    let data = classes(200);
    let none = |said: &str| {
        !says!(said, "data-split-not-comparable") && !says!(said, "data-split-of-coda-prompt")
    };
    let drawn = tr!("data-split-random");
    for preset in ["imagenet-r-10", "imagenet-r-5"] {
        let said = stderr_of_failed_start(&["--preset", preset], &data);
        assert!(said.starts_with("note: "), "{said}");
        assert_says!(
            said,
            "data-split-not-comparable",
            data = "ImageNet-R",
            ours = drawn
        );
        assert_eq!(said.matches("note:").count(), 1, "{said}");
    }
    // Task sizes of no published table need no note.
    let said = stderr_of_failed_start(&["--classes-per-task", "7"], &data);
    assert!(none(&said), "{said}");
    let list = |picture: u32| -> String {
        let lines = (0..200).map(|class| format!("c{class:03}/{picture:03}.png {class}\n"));
        lines.collect()
    };
    data.file("train_list.txt", list(0));
    data.file("val_list.txt", list(1));
    let said = stderr_of_failed_start(&["--preset", "imagenet-r-10"], &data);
    assert!(none(&said), "{said}");
    // CODA-Prompt's table has lists of its own.
    let said = stderr_of_failed_start(&["--preset", "imagenet-r-5"], &data);
    assert_says!(
        said,
        "data-split-not-comparable",
        ours = tr!("data-split-lists")
    );
}

#[test]
fn domainnet_preset_uses_class_orders_of_paper() {
    let (data, runs) = (classes(345), tempfile::tempdir().unwrap());
    let place = data.path().display().to_string();
    let words = [
        "train",
        "--preset",
        "domainnet-5",
        "--data",
        &place,
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
    let known: Value = serde_json::from_str(text).unwrap();
    let natural: Value = (0..345).collect();
    let wanted = [
        &natural,
        &known["domainnet_order2"],
        &known["domainnet_order3"],
    ];
    let runs = summary["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for (run, order) in runs.iter().zip(wanted) {
        let names: Vec<String> = order
            .as_array()
            .unwrap()
            .iter()
            .map(|index| format!("c{:03}", index.as_u64().unwrap()))
            .collect();
        assert_eq!(run["class_order"], serde_json::json!(names));
    }
}
