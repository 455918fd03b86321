//! Naming, finding, deleting and restoring runs; predictions for a folder as a table.

use tempfile::TempDir;

use super::*;

/// A folder of runs with a copy of the finished run, and the copy's name.
fn copied_run() -> (TempDir, String) {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap().to_string();
    let root = tempfile::tempdir().unwrap();
    copy_folder(&runs.join(&name), &root.path().join(&name));
    (root, name)
}

#[test]
fn run_name_and_tags_are_searchable_and_exported() {
    let (root, name) = copied_run();
    let root_path = root.path();
    let words = [
        "name", &name, "--name", "=Mine", "--tag", "thesis", "--tag", "b,c", "--note", "a\nb",
        "--json", "-",
    ];
    let report = json(&run(&words, root_path));
    assert_eq!(report["name"], "=Mine");
    assert_eq!(report["tags"], serde_json::json!(["thesis", "b", "c"]));
    // One part is changed, the others stay.
    let report = json(&run(&["name", "=Mine", "--note", "", "--json", "-"], root_path));
    assert_eq!((&report["name"], &report["note"]), (&"=Mine".into(), &"".into()));
    let count = |words: &[&str]| {
        let full_args = [&["runs"], words, &["--json", "-"]].concat();
        json(&run(&full_args, root_path)).as_array().unwrap().len()
    };
    assert_eq!(count(&["--tag", "Thesis", "--text", "mine digits"]), 1);
    assert_eq!(count(&["--tag", "nobody"]), 0);
    assert_eq!(count(&["--text", "letters"]), 0);
    for settings in ["0.01", "base-lr 0.01", "base_lr=0.01", "epochs 1"] {
        assert_eq!(count(&["--text", settings]), 1, "{settings}");
    }
    assert_eq!(count(&["--text", "base-lr 0.03"]), 0);
    let listed = json(&run(&["runs", "--json", "-"], root_path));
    assert_eq!(listed[0]["name"], "=Mine");
    let table = root_path.join("table.csv");
    let export = ["runs", "--export", &table.display().to_string()];
    assert_eq!(run(&export, root_path).status.code(), Some(0));
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(text.lines().next().unwrap().contains(",name,tags,"));
    assert!(text.lines().nth(1).unwrap().contains(",'=Mine,\"thesis, b, c\","), "{text}");
    let long = "x".repeat(121);
    let message = run_expecting_error(&["name", &name, "--name", &long], root_path);
    assert_says!(message, "problem-text-too-long", what = "a name", length = 121);
    let plain = run(&["name", &name], root_path);
    let plain = String::from_utf8(plain.stdout).unwrap();
    assert!(plain.contains("name  =Mine\ntags  thesis, b, c\n"), "{plain}");
}

#[test]
fn runs_of_a_file_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    let words = ["runs", "--out", file.to_str().unwrap()];
    let message = run_expecting_error(&words, root.path());
    assert!(message.contains("not a folder of runs"), "{message}");
}

#[test]
fn deletes_restores_and_erases_runs() {
    let (root, name) = copied_run();
    let root_path = root.path();
    let folder = root_path.join(&name);
    assert_eq!(run(&["delete", "latest"], root_path).status.code(), Some(0));
    assert!(!folder.exists());
    assert_eq!(json(&run(&["runs", "--json", "-"], root_path)), serde_json::json!([]));
    let listed = json(&run(&["restore", "--json", "-"], root_path));
    assert_eq!(listed[0]["run"], name.as_str());
    assert!(listed[0]["bytes"].as_u64().unwrap() > 10_000);
    let message = run_expecting_error(&["restore", "nothing"], root_path);
    assert!(message.contains("there is no deleted run named `nothing`"), "{message}");
    let restored = json(&run(&["restore", &name, "--json", "-"], root_path));
    assert_eq!(restored.as_array().unwrap().len(), 1);
    assert_eq!(restored[0]["folder"], folder.to_str().unwrap());
    assert!(folder.join("run.toml").exists());
    // Only what is in the trash is deleted for good.
    run_expecting_error(&["delete", &name, "--for-good"], root_path);
    assert!(folder.exists());
    run(&["delete", &name], root_path);
    assert_eq!(run(&["delete", &name, "--for-good"], root_path).status.code(), Some(0));
    assert_eq!(json(&run(&["restore", "--json", "-"], root_path)), serde_json::json!([]));
}

#[test]
fn predict_folder_table_matches_single_predictions() {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let image = stroke_image(folder.path()).display().to_string();
    std::fs::write(folder.path().join("zz.png"), "no picture").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let csv = elsewhere.path().join("table.csv").display().to_string();
    let pictures = folder.path().display().to_string();
    let words =
        ["predict", name, "--folder", &pictures, "--csv", &csv, "--all-columns", "--json", "-"];
    let written = json(&run(&words, runs));
    assert_eq!((&written["pictures"], &written["unreadable"]), (&2.into(), &1.into()));
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split(',').collect()).collect();
    let answer = &json(&run_json(&["predict", name, &image], runs))[0];
    let cell = |column: &str| {
        let index = rows[0].iter().position(|head| *head == column).unwrap();
        rows[1][index].to_string()
    };
    assert_eq!(answer["class"], cell("class"));
    assert_eq!(answer["decided_by"], cell("decided_by"));
    for expert in ["online", "offline", "ensemble"] {
        assert_eq!(answer[expert]["class"], cell(&format!("{expert}_class")));
        let energy: f64 = cell(&format!("{expert}_energy")).parse().unwrap();
        assert!((answer[expert]["energy"].as_f64().unwrap() - energy).abs() < 1e-3);
    }
    assert_eq!(answer["none_of_these"].to_string(), cell("none_of_these"));
    for column in ["strangeness", "threshold"] {
        let number: f64 = cell(column).parse().unwrap();
        assert!((answer[column].as_f64().unwrap() - number).abs() < 1e-3);
    }
    assert_says!(rows[2][7], "skip-no-image");
    let short = ["predict", name, "--folder", &pictures, "--csv", "-"];
    let out = String::from_utf8(run(&short, runs).stdout).unwrap();
    assert!(out.starts_with(
        "image,class,score,second_class,second_score,none_of_these,predicted,problem\n"
    ));
    for (short, long) in out.lines().zip(text.lines()) {
        assert!(long.starts_with(&format!("{short},")), "{long}");
    }
    let always_answer = ["predict", name, "--folder", &pictures, "--csv", "-", "--always-answer"];
    let out = String::from_utf8(run(&always_answer, runs).stdout).unwrap();
    let index = rows[0].iter().position(|head| *head == "none_of_these").unwrap();
    let row: Vec<&str> = out.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[index], row[index + 2]), ("", ""), "{out}");
    assert_eq!((row[1], row[index + 1]), (rows[1][1], rows[1][index + 1]));
    let conflicting_args = ["predict", name, "--folder", &pictures, "--csv", "-", "--json", "-"];
    assert!(
        run_expecting_error(&conflicting_args, runs)
            .contains("--json cannot be used with a table on standard output")
    );
    let nowhere = ["predict", name, "--folder", &csv, "--csv", &csv];
    run_expecting_error(&nowhere, runs);
    let incomplete = run(&["predict", name, "--folder", &pictures], runs);
    assert_eq!(incomplete.status.code(), Some(2));
    for option in ["--csv", "--copy-to"] {
        let no_folder = run(&["predict", name, "image.png", option, "new"], runs);
        assert_eq!(no_folder.status.code(), Some(2), "{option}");
    }
}
