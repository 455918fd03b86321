//! The `teach` command.

use super::*;
use crate::teach::{folder_contents, letters};

/// A copy of the finished run, which may be changed.
fn copy_run(root: &Path) -> PathBuf {
    let (runs, summary) = finished_run();
    let run = root.join("run");
    copy_folder(&runs.join(summary["run"].as_str().unwrap()), &run);
    run
}

#[test]
fn teach_reports_accuracy_and_undo_restores_run() {
    let root = tempfile::tempdir().unwrap();
    let run = copy_run(root.path());
    let before = folder_contents(&run);
    let added_task = letters("AB", 10);
    let folder = added_task.path().to_str().unwrap();
    let output = run_json(&["teach", "run", folder], root.path());
    let stderr_text = stderr(&output);
    assert!(
        stderr_text.contains("2 classes as task 6, after 10 classes of the run"),
        "{stderr_text}"
    );
    let taught = json(&output);
    assert_eq!(taught["task"], 6);
    assert_eq!(taught["old"]["classes"].as_array().unwrap().len(), 10);
    assert_eq!((&taught["old"]["images"], &taught["new"]["images"]), (&60.into(), &4.into()));
    assert_eq!(taught["new"]["classes"], serde_json::json!(["A", "B"]));
    assert_eq!(taught["new"]["before"], 0.0);
    assert!(taught["new"]["after"].is_f64() && taught["old"]["before"].is_f64());
    assert!(taught["seconds"].as_f64() > taught["training_seconds"].as_f64());
    assert_eq!(taught["lesson"]["train_images"], serde_json::json!([8, 8]));
    assert!(taught["lesson"]["fingerprint"].as_str().unwrap().len() == 64);
    let listed = json(&run_json(&["runs"], root.path()));
    assert_eq!(listed[0]["lessons"][0]["classes"], taught["lesson"]["classes"]);
    assert_eq!(listed[0]["tasks"].as_array().unwrap().len(), 6);
    let picture = run.join("lessons/task_6/pictures/0001.png");
    let words = ["predict", "run", picture.to_str().unwrap()];
    let answer = json(&run_json(&words, root.path()));
    assert_eq!(answer[0]["task"], 6);
    assert!(answer[0]["ensemble"]["probabilities"]["B"].is_number());
    for export in ["a.csv", "a.md", "a.svg"] {
        let to = root.path().join(export);
        let output = super::run(&["runs", "run", "--export", to.to_str().unwrap()], root.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_says!(run_expecting_error(&["resume", "run"], root.path()), "problem-run-finished");
    let worst_args = ["worst", "run", "--split", "train", "--class", "A"];
    let message = run_expecting_error(&worst_args, root.path());
    assert!(message.contains("`A` belongs to an added task"), "{message}");
    let undo_report = json(&run_json(&["teach", "run", "--undo"], root.path()));
    assert_eq!(undo_report["undone"]["classes"], taught["lesson"]["classes"]);
    assert!(folder_contents(&run) == before);
    assert_says!(
        run_expecting_error(&["teach", "run", "--undo"], root.path()),
        "problem-no-added-task"
    );
    // Output as text.
    let output = super::run(&["teach", "run", folder, "--quiet"], root.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for expected in ["before  after", "old classes       10", "new classes        2", "--undo"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn teach_rejects_invalid_arguments() {
    let root = tempfile::tempdir().unwrap();
    copy_run(root.path());
    for words in [&["teach", "run"][..], &["teach", "run", "x", "--undo"], &["teach"]] {
        let output = super::run(words, root.path());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let message = run_expecting_error(&["teach", "run", "/nowhere/at/all"], root.path());
    assert!(message.contains("/nowhere/at/all"), "{message}");
    let message = run_expecting_error(&["teach", "nobody", "/tmp"], root.path());
    assert_says!(message, "problem-run-not-found");
}

#[cfg(unix)]
#[test]
fn killed_teach_leaves_run_unchanged() {
    let root = tempfile::tempdir().unwrap();
    let run = copy_run(root.path());
    let before = folder_contents(&run);
    let added_task = letters("ABCDE", 30);
    let folder = added_task.path().to_str().unwrap();
    for file in ["pictures/0001.png", "pictures.csv"] {
        let words = ["teach", "run", folder, "--quiet"];
        let mut child = program_command(&words, root.path()).spawn().unwrap();
        let partial = run.join("lessons/task_6.partial").join(file);
        wait_for(&mut child, || Some(partial.clone()));
        child.kill().unwrap();
        child.wait().unwrap();
        // Partial files do not count.
        let listed = json(&run_json(&["runs"], root.path()));
        assert_eq!(
            (&listed[0]["state"], &listed[0]["task_count"]),
            (&"finished".into(), &5.into())
        );
    }
    // They are removed when the run is changed again.
    json(&run_json(&["teach", "run", folder], root.path()));
    json(&run_json(&["teach", "run", "--undo"], root.path()));
    assert!(folder_contents(&run) == before);
}
