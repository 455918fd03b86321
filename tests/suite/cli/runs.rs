//! Naming, finding, deleting and restoring runs; predictions for a folder as a table.

use tempfile::TempDir;

use super::*;

/// A folder of runs with a copy of the finished run, and the copy's name.
fn copied() -> (TempDir, String) {
    let (runs, summary) = finished();
    let name = summary["run"].as_str().unwrap().to_string();
    let root = tempfile::tempdir().unwrap();
    copy_folder(&runs.join(&name), &root.path().join(&name));
    (root, name)
}

#[test]
fn run_name_and_tags_are_searchable_and_exported() {
    let (root, name) = copied();
    let at = root.path();
    let words = [
        "name", &name, "--name", "=Mine", "--tag", "thesis", "--tag", "b,c", "--note", "a\nb",
        "--json", "-",
    ];
    let said = json(&run(&words, at));
    assert_eq!(said["name"], "=Mine");
    assert_eq!(said["tags"], serde_json::json!(["thesis", "b", "c"]));
    // One part is changed, the others stay.
    let said = json(&run(&["name", "=Mine", "--note", "", "--json", "-"], at));
    assert_eq!(
        (&said["name"], &said["note"]),
        (&"=Mine".into(), &"".into())
    );
    let count = |words: &[&str]| {
        let all = [&["runs"], words, &["--json", "-"]].concat();
        json(&run(&all, at)).as_array().unwrap().len()
    };
    assert_eq!(count(&["--tag", "Thesis", "--text", "mine digits"]), 1);
    assert_eq!(count(&["--tag", "nobody"]), 0);
    assert_eq!(count(&["--text", "letters"]), 0);
    for settings in ["0.01", "base-lr 0.01", "base_lr=0.01", "epochs 1"] {
        assert_eq!(count(&["--text", settings]), 1, "{settings}");
    }
    assert_eq!(count(&["--text", "base-lr 0.03"]), 0);
    let listed = json(&run(&["runs", "--json", "-"], at));
    assert_eq!(listed[0]["name"], "=Mine");
    let table = at.join("table.csv");
    let export = ["runs", "--export", &table.display().to_string()];
    assert_eq!(run(&export, at).status.code(), Some(0));
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(text.lines().next().unwrap().contains(",name,tags,"));
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .contains(",'=Mine,\"thesis, b, c\","),
        "{text}"
    );
    let long = "x".repeat(121);
    let said = refused(&["name", &name, "--name", &long], at);
    assert_says!(said, "problem-text-too-long", what = "a name", length = 121);
    let plain = run(&["name", &name], at);
    let plain = String::from_utf8(plain.stdout).unwrap();
    assert!(
        plain.contains("name  =Mine\ntags  thesis, b, c\n"),
        "{plain}"
    );
}

#[test]
fn deletes_restores_and_erases_runs() {
    let (root, name) = copied();
    let at = root.path();
    let folder = at.join(&name);
    assert_eq!(run(&["delete", "latest"], at).status.code(), Some(0));
    assert!(!folder.exists());
    assert_eq!(
        json(&run(&["runs", "--json", "-"], at)),
        serde_json::json!([])
    );
    let listed = json(&run(&["restore", "--json", "-"], at));
    assert_eq!(listed[0]["run"], name.as_str());
    assert!(listed[0]["bytes"].as_u64().unwrap() > 10_000);
    let said = refused(&["restore", "nothing"], at);
    assert!(
        said.contains("there is no deleted run named \"nothing\""),
        "{said}"
    );
    assert_eq!(run(&["restore", &name], at).status.code(), Some(0));
    assert!(folder.join("run.toml").exists());
    // Only what is in the trash is deleted for good.
    refused(&["delete", &name, "--for-good"], at);
    assert!(folder.exists());
    run(&["delete", &name], at);
    assert_eq!(
        run(&["delete", &name, "--for-good"], at).status.code(),
        Some(0)
    );
    assert_eq!(
        json(&run(&["restore", "--json", "-"], at)),
        serde_json::json!([])
    );
}

#[test]
fn predict_folder_table_matches_single_predictions() {
    let (runs, summary) = finished();
    let name = summary["run"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let one = stroke_image(folder.path()).display().to_string();
    std::fs::write(folder.path().join("zz.png"), "no picture").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let csv = elsewhere.path().join("table.csv").display().to_string();
    let pictures = folder.path().display().to_string();
    let words = [
        "predict",
        name,
        "--folder",
        &pictures,
        "--csv",
        &csv,
        "--all-columns",
        "--json",
        "-",
    ];
    let written = json(&run(&words, runs));
    assert_eq!(
        (&written["pictures"], &written["unreadable"]),
        (&2.into(), &1.into())
    );
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split(',').collect()).collect();
    let answer = &json(&run_json(&["predict", name, &one], runs))[0];
    let cell = |column: &str| {
        let at = rows[0].iter().position(|head| *head == column).unwrap();
        rows[1][at].to_string()
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
    let unasked = [
        "predict",
        name,
        "--folder",
        &pictures,
        "--csv",
        "-",
        "--always-answer",
    ];
    let out = String::from_utf8(run(&unasked, runs).stdout).unwrap();
    let at = rows[0]
        .iter()
        .position(|head| *head == "none_of_these")
        .unwrap();
    let row: Vec<&str> = out.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[at], row[at + 2]), ("", ""), "{out}");
    assert_eq!((row[1], row[at + 1]), (rows[1][1], rows[1][at + 1]));
    let both = [
        "predict", name, "--folder", &pictures, "--csv", "-", "--json", "-",
    ];
    assert!(refused(&both, runs).contains("--json cannot be used with a table on standard output"));
    let nowhere = ["predict", name, "--folder", &csv, "--csv", &csv];
    refused(&nowhere, runs);
    let half = run(&["predict", name, "--folder", &pictures], runs);
    assert_eq!(half.status.code(), Some(2));
}
