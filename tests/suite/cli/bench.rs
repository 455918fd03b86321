//! The `bench` command.

use lae_studio::method::METHODS;

use super::*;

#[test]
fn bench_reports_one_row_per_mode() {
    let root = tempfile::tempdir().unwrap();
    let words =
        ["bench", "--backbone", "lae-nano", "--batch", "4", "--seconds", "0", "--device", "cpu"];
    let rows = json(&run_json(&words, root.path()));
    let rows = rows["rows"].as_array().unwrap();
    let modes: Vec<&str> = rows.iter().map(|row| row["mode"].as_str().unwrap()).collect();
    assert_eq!(modes, ["train", "train_frozen", "predict"]);
    for row in rows {
        assert!(row["images_per_second"].as_f64().unwrap() > 0.0);
        assert_eq!(
            (&row["batch"], &row["backbone"], &row["pet"]),
            (&4.into(), &"lae-nano".into(), &"adapter".into())
        );
        assert!(!row["device"].as_str().unwrap().is_empty());
    }
}

#[test]
fn bench_explain_lists_matrix_products_by_time() {
    let root = tempfile::tempdir().unwrap();
    let words =
        "bench --backbone lae-nano --batch 4 --seconds 0 --device cpu --mode train --explain";
    let words: Vec<&str> = words.split(' ').collect();
    let report = json(&run_json(&words, root.path()));
    let products = &report["rows"][0]["products"];
    assert!(products["peak_gflops"].as_f64().unwrap() > 0.0);
    let variants = products["ways"].as_array().unwrap();
    let seconds: Vec<f64> =
        (variants.iter()).map(|variant| variant["seconds"].as_f64().unwrap()).collect();
    assert!(seconds.len() > 4 && seconds.is_sorted_by(|a, b| a >= b));
    // Forward, and back for the gradient of the input.
    for transposed in [false, true] {
        let mut variants = variants.iter().filter(|variant| variant["turned"] == transposed);
        assert!(variants.any(|variant| variant["times"].as_u64().unwrap() > 0
            && variant["gflops"].as_f64().unwrap() > 0.0));
    }
    assert!(variants.iter().any(|variant| variant["kernel"] == "gemm"));
}

#[test]
fn bench_notes_ineffective_options_and_unknown_method() {
    let root = tempfile::tempdir().unwrap();
    let quick = "bench --backbone lae-nano --batch 2,4 --seconds 0 --device cpu --mode predict --pet ssf --pet-size 5";
    let quick: Vec<&str> = quick.split(' ').collect();
    let output = run_json(&[&quick[..], &["--method", "lae,simplecil"]].concat(), root.path());
    let stderr_text = stderr(&output);
    for note in [
        "note: SSF has no size setting, so --pet-size has no effect",
        "note: SimpleCIL does not train a PET plugin, so --pet has no effect",
        "note: SimpleCIL does not train a PET plugin, so --pet-size has no effect",
    ] {
        assert_eq!(stderr_text.matches(note).count(), 1, "{stderr_text}");
    }
    assert_eq!(stderr_text.matches("note: ").count(), 3, "{stderr_text}");
    let report = json(&output);
    let rows = report["rows"].as_array().unwrap();
    let pets = rows.iter().map(|row| (row["pet"].as_str().unwrap(), row["pet_size"].as_u64()));
    let [ssf, none] = [("ssf", Some(0)), ("", Some(0))];
    assert_eq!(pets.collect::<Vec<_>>(), [ssf, none, ssf, none]);
    let message =
        run_expecting_error(&[&quick[..], &["--method", "lae,no-such"]].concat(), root.path());
    assert!(message.contains(&tr!("problem-method-not-found", key = "no-such")), "{message}");
    assert!(!message.contains("batch 2, lae"), "{message}");
}

#[test]
fn bench_notes_replaced_precision_once() {
    let root = tempfile::tempdir().unwrap();
    let words = "bench --backbone lae-nano --batch 2,4 --seconds 0 --device cpu --mode predict --precision f16";
    let output = run_json(&words.split(' ').collect::<Vec<_>>(), root.path());
    let stderr_text = stderr(&output);
    assert_eq!(stderr_text.matches(tr!("problem-f32-on-cpu")).count(), 1, "{stderr_text}");
    let report = json(&output);
    let rows = report["rows"].as_array().unwrap();
    let weights = rows.iter().map(|row| row["weights"].as_str().unwrap());
    assert_eq!(weights.collect::<Vec<_>>(), ["f32", "f32"]);
}

#[test]
fn bench_task_mode_covers_all_methods_but_ranpac() {
    let root = tempfile::tempdir().unwrap();
    let quick = "bench --backbone lae-nano --batch 4 --seconds 0 --device cpu --mode task --method";
    // RanPAC's regression at its usual size takes seconds; tests/speed_build.py measures it.
    let methods: Vec<&str> = METHODS.iter().map(|spec| spec.key).collect();
    let methods: Vec<&str> = methods.into_iter().filter(|key| *key != "ranpac").collect();
    let method_list = methods.join(",");
    let words: Vec<&str> = quick.split(' ').chain([method_list.as_str()]).collect();
    let report = json(&run_json(&words, root.path()));
    let rows = report["rows"].as_array().unwrap();
    let measured: Vec<&str> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(measured, methods);
    for row in rows {
        let (rate, seconds) = (&row["images_per_second"], &row["seconds_per_task"]);
        let images = rate.as_f64().unwrap() * seconds.as_f64().unwrap();
        // Two batches per pass and two to predict: whole batches, at least four.
        assert!((images / 4.0 - (images / 4.0).round()).abs() < 1e-6, "{row}");
        assert!(images.round() >= 16.0, "{row}");
    }
    // Computed by hand: five epochs of LAE and the predictions make six times two batches.
    let lae = &rows[0];
    let images =
        lae["images_per_second"].as_f64().unwrap() * lae["seconds_per_task"].as_f64().unwrap();
    assert_eq!(images.round(), 48.0, "{lae}");
    let output =
        run(&[&quick.split(' ').collect::<Vec<_>>()[..], &["simplecil"]].concat(), root.path());
    assert!(String::from_utf8_lossy(&output.stdout).contains("s/task"));
}

/// Uses a stub for a Python with PyTorch that stores its script and supports one mode.
#[cfg(unix)]
#[test]
fn bench_compares_pytorch_in_supported_modes_only() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let python = root.path().join("python");
    let text = r#"#!/bin/sh
[ "$1" = - ] || exit 0
cat >"$0.script"
[ "$3" = predict ] && exit 2
echo "{\"images_per_second\": 0.5, \"asked\": \"$*\"}"
"#;
    std::fs::write(&python, text).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let name = python.to_str().unwrap();
    let quick = "bench --backbone lae-nano --batch 2 --seconds 0 --device cpu --pytorch";
    let words: Vec<&str> = quick.split(' ').chain([name]).collect();
    let report = json(&run_json(&[&words[..], &["--mode", "train,predict"]].concat(), root.path()));
    let [train, predict] = &report["rows"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(train["pytorch"][0]["dtype"], "float32");
    assert_eq!(train["pytorch"][0]["images_per_second"], 0.5);
    assert!(predict["pytorch"].is_null(), "{predict}");
    let script = std::fs::read_to_string(root.path().join("python.script")).unwrap();
    assert!(script.contains("import torch"), "{script}");
    let output = run(&[&words[..], &["--mode", "train"]].concat(), root.path());
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("PyTorch (ratio)") && table.contains("0.50 ("), "{table}");
    // What cannot be measured is reported before the first row.
    let missing_python: Vec<&str> = quick.split(' ').chain(["no-such-python"]).collect();
    let output = run(&missing_python, root.path());
    assert_eq!(output.status.code(), Some(1));
    let stderr_text = stderr(&output);
    assert!(stderr_text.contains("PyTorch cannot be measured"), "{stderr_text}");
    assert!(stderr_text.contains("pip install torch timm"), "{stderr_text}");
}

#[test]
fn bench_rejects_modes_of_no_method() {
    let root = tempfile::tempdir().unwrap();
    let words = "bench --backbone lae-nano --device cpu --method simplecil --mode train";
    let words: Vec<&str> = words.split(' ').collect();
    let output = run(&words, root.path());
    assert!(!output.status.success());
    assert!(stderr(&output).contains("no requested mode applies"), "{}", stderr(&output));
}
