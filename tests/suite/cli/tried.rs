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
    let told = json(&run_json(&words, runs.path()));
    let methods = told["methods"].as_array().unwrap();
    let keys: Vec<&str> = methods
        .iter()
        .filter_map(|one| one["method"].as_str())
        .collect();
    assert_eq!(keys, ["lae", "simplecil", "ranpac"]);
    for one in methods {
        let right = one["right"].as_f64().unwrap();
        assert!((0.0..=100.0).contains(&right), "{one}");
        assert!(one["forgotten"].is_f64(), "{one}");
        // The suggested config holds out no validation images.
        assert_eq!(one["config"]["validation_share"], 0.0);
    }
    // Each method that finished has a p-value against the best one.
    for one in methods {
        let key = one["method"].as_str().unwrap();
        assert_eq!(one["p"].is_f64(), key != told["best"], "{one}");
        let level = one["p"].as_f64().is_some_and(|p| p > 0.05);
        assert_eq!(
            told["level"].as_array().unwrap().contains(&key.into()),
            level,
            "{told}"
        );
    }
    // The closed form answers nearly all digits; one epoch of 24 images of each cannot.
    assert_eq!(told["best"], "ranpac", "{told}");
    assert_eq!(told["train_images"], 240);
    assert!(told["judged_images"].as_u64().unwrap() > 100);
    let commands = told["commands"].as_array().unwrap();
    assert!(commands[2].as_str().unwrap().contains("--method ranpac"));
    let left = json(&run_json(&["runs"], runs.path()));
    assert_eq!(left.as_array().unwrap().len(), 0, "{left}");
}

#[test]
fn try_rejects_missing_dataset() {
    let runs = tempfile::tempdir().unwrap();
    let told = run_json(&["try", "no-such-folder", "--quiet"], runs.path());
    assert_eq!(told.status.code(), Some(1));
    let words = String::from_utf8_lossy(&told.stderr);
    assert!(words.contains("no-such-folder"), "{words}");
}
