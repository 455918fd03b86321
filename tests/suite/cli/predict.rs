//! The `predict` command.

use super::*;
use crate::data::DatasetFixture;

#[test]
fn predict_json_contains_consistent_probabilities() {
    let (runs, summary) = finished_run();
    let folder = tempfile::tempdir().unwrap();
    let path = stroke_image(folder.path()).display().to_string();
    let name = summary["run"].as_str().unwrap();
    let all = json(&run_json(&["predict", name, &path], runs));
    let entry = &all[0];
    assert_eq!(entry["path"], path);
    assert_eq!(entry["class"], entry["ensemble"]["class"]);
    let classes: Vec<&str> =
        summary["class_order"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    for expert in ["online", "offline", "ensemble"] {
        let view = &entry[expert];
        let probabilities = view["probabilities"].as_object().unwrap();
        let names: Vec<&str> = probabilities.keys().map(String::as_str).collect();
        assert_eq!(names, classes);
        let best = probabilities
            .iter()
            .max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap()));
        assert_eq!(view["class"], *best.unwrap().0);
        assert!(view["energy"].is_f64());
    }
    let sum: f64 = entry["online"]["probabilities"]
        .as_object()
        .unwrap()
        .values()
        .map(|p| p.as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-4);
    let highest = entry["ensemble"]["probabilities"]
        .as_object()
        .unwrap()
        .values()
        .map(|p| p.as_f64().unwrap())
        .fold(0.0, f64::max);
    assert!((entry["confidence"].as_f64().unwrap() - highest).abs() < 1e-6);
    // After the first task only its two classes exist.
    let first = json(&run_json(&["predict", name, &path, "--task", "1"], runs));
    assert_eq!(first[0]["online"]["probabilities"].as_object().unwrap().len(), 2);
    let message = run_expecting_error(&["predict", name, &path, "--task", "9"], runs);
    assert!(message.contains("from 1 to 5"), "{message}");
}

#[test]
fn predict_copies_images_into_class_folders() {
    let (runs, summary) = finished_run();
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("images");
    std::fs::create_dir(&folder).unwrap();
    stroke_image(&folder);
    std::fs::write(folder.join("broken.png"), "no picture").unwrap();
    let [folder, csv, target] = ["images", "answers.csv", "by class"]
        .map(|name| work.path().join(name).display().to_string());
    let name = summary["run"].as_str().unwrap();
    let words = [
        "predict",
        name,
        "--folder",
        &folder,
        "--csv",
        &csv,
        "--always-answer",
        "--copy-to",
        &target,
    ];
    let written = json(&run_json(&words, runs));
    assert_eq!(written["copied"], 1);
    assert_eq!(written["unreadable"], 1);
    let table = std::fs::read_to_string(&csv).unwrap();
    let row = table.lines().find(|line| line.starts_with("stroke.png"));
    let class = row.unwrap().split(',').nth(1).unwrap();
    assert!(Path::new(&target).join(class).join("stroke.png").is_file());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 1);
    // An existing folder is refused before anything is classified.
    std::fs::remove_file(&csv).unwrap();
    let message = run_expecting_error(&words, runs);
    assert!(message.contains(tr!("problem-folder-not-empty")), "{message}");
    assert!(!Path::new(&csv).exists());
}

/// Everything that reads images for a run uses its bit depth: training, testing, predictions of images and of folders,
/// added tasks.
#[test]
fn run_on_12_bit_images_matches_rescaled_images() {
    let mut results = Vec::new();
    for (times, depth) in [(1, &["--bit-depth", "12"][..]), (16, &[])] {
        let (data, added, runs) =
            (DatasetFixture::new(), DatasetFixture::new(), tempfile::tempdir().unwrap());
        for class in ["a", "b", "c", "d"] {
            data.write_12_bit_class(class, 6, times);
        }
        added.write_12_bit_class("e", 6, times).write_12_bit_class("f", 6, times);
        let data_path = data.path().to_str().unwrap();
        let words =
            ["train", "--data", data_path, "--method", "simplecil", "--classes-per-task", "2"];
        let words = [&words[..], &["--device", "cpu", "--json", "-", "--quiet"], depth].concat();
        let summary = json(&run(&words, runs.path()));
        let name = summary["run"].as_str().unwrap();
        let run_settings =
            std::fs::read_to_string(runs.path().join(name).join("run.toml")).unwrap();
        assert_eq!(run_settings.contains("bit_depth = 12"), times == 1, "{run_settings}");
        assert_eq!(run_settings.contains("bit_depth"), times == 1, "{run_settings}");
        let taught = run(&["teach", name, added.path().to_str().unwrap()], runs.path());
        assert_eq!(taught.status.code(), Some(0), "{}", stderr(&taught));
        let image = data.path().join("c/001.png").display().to_string();
        let mut answer = json(&run_json(&["predict", name, &image], runs.path()));
        answer[0]["path"] = Value::Null;
        let csv = runs.path().join("answers.csv");
        let words = ["predict", name, "--folder", data_path, "--csv", csv.to_str().unwrap()];
        let output = run(&words, runs.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let checked = run(&["check", name], runs.path());
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let table = std::fs::read_to_string(csv).unwrap();
        results.push((essence(&summary), answer, table));
    }
    assert_eq!(results[0], results[1]);
}
