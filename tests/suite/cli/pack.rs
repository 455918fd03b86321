//! The commands `pack`, `unpack` and `check`.

use serde_json::Value;

use super::*;

#[test]
fn packs_unpacks_and_checks_run() {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("a.laerun.zip").display().to_string();
    let packed = run(&["pack", name, &file], runs);
    assert_eq!(packed.status.code(), Some(0), "{}", stderr(&packed));
    assert!(stderr(&packed).contains("no images and no paths"));
    let other = tempfile::tempdir().unwrap();
    let unpacked = run(&["unpack", &file], other.path());
    assert_eq!(unpacked.status.code(), Some(0), "{}", stderr(&unpacked));
    let listed = json(&run(&["runs", "--json", "-"], other.path()));
    for figure in ["final_accuracy", "average_accuracy", "forgetting", "started"] {
        assert_eq!(listed[0][figure], summary[figure], "{figure}");
    }
    assert_says!(run_expecting_error(&["unpack", &file], other.path()), "problem-run-exists");

    let report = json(&run(&["check", &file, "--train", "--quiet", "--json", "-"], other.path()));
    assert_eq!(report["verdict"], "equal", "{report}");
    assert_eq!(report["run"], name);
    assert_eq!(report["unknown"], serde_json::json!([]), "{report}");

    let inner = only_run_folder(other.path());
    std::fs::write(inner.join("plugin.toml"), "name = \"other\"\n").unwrap();
    let words = ["check", "latest", "--limit", "2", "--quiet", "--json", "-"];
    let output = run(&words, other.path());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["differences"][0]["part"], "plugin", "{report}");
    let output = run(&["check", "latest", "--limit", "2", "--quiet"], other.path());
    let listing = String::from_utf8(output.stdout).unwrap();
    assert!(listing.lines().next().unwrap().contains(": differs ("), "{listing}");
    assert!(listing.contains("differs    plugin.toml has changed"), "{listing}");
}

/// The only run in a folder that has other entries, too.
fn only_run_folder(root: &Path) -> PathBuf {
    let entries = std::fs::read_dir(root).unwrap().flatten();
    let mut runs = entries.map(|entry| entry.path()).filter(|path| path.join("run.toml").exists());
    runs.next().unwrap()
}

#[test]
fn rejects_invalid_pack_unpack_and_check_arguments() {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let work = tempfile::tempdir().unwrap();
    let path_text = |name: &str| work.path().join(name).display().to_string();
    assert!(
        run_expecting_error(&["pack", name, &path_text("a.zip")], runs)
            .contains("end with .laerun.zip")
    );
    run_expecting_error(&["pack", "nothing", &path_text("a.laerun.zip")], runs);
    std::fs::write(work.path().join("b.laerun.zip"), "no zip").unwrap();
    for word in ["unpack", "check"] {
        let message = run_expecting_error(&[word, &path_text("b.laerun.zip")], work.path());
        assert_says!(message, "problem-packed-run-rejected");
    }
    run_expecting_error(&["unpack", &path_text("gone.laerun.zip")], work.path());
    let message = run_expecting_error(&["check", name, "--data", &path_text("nowhere")], runs);
    assert!(message.contains("nowhere"), "{message}");
    let message =
        run_expecting_error(&["check", name, "--weights", &path_text("nowhere.pth")], runs);
    assert!(message.contains("nowhere.pth"), "{message}");
}
