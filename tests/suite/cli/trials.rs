//! `try`: which method suits a data set.

use super::*;

#[test]
fn try_compares_methods_without_storing_runs() {
    let runs = tempfile::tempdir().unwrap();
    let words = [
        "try",
        "digits",
        "--epochs",
        "1",
        "--freeze-epochs",
        "0",
        "--train-limit",
        "24",
        "--device",
        "cpu",
        "--quiet",
    ];
    let report = json(&run_json(&words, runs.path()));
    let methods = report["methods"].as_array().unwrap();
    let keys: Vec<&str> = methods.iter().filter_map(|entry| entry["method"].as_str()).collect();
    assert_eq!(keys, ["lae", "simplecil", "ranpac"]);
    for entry in methods {
        let accuracy = entry["right"].as_f64().unwrap();
        assert!((0.0..=100.0).contains(&accuracy), "{entry}");
        assert!(entry["forgotten"].is_f64(), "{entry}");
        // The suggested config holds out no validation images.
        assert_eq!(entry["config"]["validation_share"], 0.0);
    }
    // Each method that finished has a p-value against the best one.
    for entry in methods {
        let key = entry["method"].as_str().unwrap();
        assert_eq!(entry["p"].is_f64(), key != report["best"], "{entry}");
        let is_level = entry["p"].as_f64().is_some_and(|p| p > 0.05);
        assert_eq!(report["level"].as_array().unwrap().contains(&key.into()), is_level, "{report}");
    }
    // The closed form answers nearly all digits; one epoch of 24 images of each cannot.
    assert_eq!(report["best"], "ranpac", "{report}");
    assert_eq!(report["train_images"], 240);
    assert!(report["judged_images"].as_u64().unwrap() > 100);
    let commands = report["commands"].as_array().unwrap();
    assert!(commands[2].as_str().unwrap().contains("--method ranpac"));
    let stored_runs = json(&run_json(&["runs"], runs.path()));
    assert_eq!(stored_runs.as_array().unwrap().len(), 0, "{stored_runs}");
}

#[test]
fn try_rejects_missing_dataset() {
    let runs = tempfile::tempdir().unwrap();
    let output = run_json(&["try", "no-such-folder", "--quiet"], runs.path());
    assert_eq!(output.status.code(), Some(1));
    let stderr_text = String::from_utf8_lossy(&output.stderr);
    assert!(stderr_text.contains("no-such-folder"), "{stderr_text}");
}
