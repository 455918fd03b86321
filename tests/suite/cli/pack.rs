//! The commands `pack`, `unpack` and `check`.

use serde_json::Value;

use super::*;

#[test]
fn packs_unpacks_and_checks_run() {
    let (runs, summary) = finished();
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
    for figure in [
        "final_accuracy",
        "average_accuracy",
        "forgetting",
        "started",
    ] {
        assert_eq!(listed[0][figure], summary[figure], "{figure}");
    }
    assert_says!(
        refused(&["unpack", &file], other.path()),
        "problem-run-exists"
    );

    let report = json(&run(
        &["check", &file, "--train", "--quiet", "--json", "-"],
        other.path(),
    ));
    assert_eq!(report["verdict"], "equal", "{report}");
    assert_eq!(report["run"], name);
    assert_eq!(report["unknown"], serde_json::json!([]), "{report}");

    let inner = only_run_of(other.path());
    std::fs::write(inner.join("plugin.toml"), "name = \"other\"\n").unwrap();
    let words = ["check", "latest", "--limit", "2", "--quiet", "--json", "-"];
    let output = run(&words, other.path());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["differences"][0]["part"], "plugin", "{report}");
    let output = run(
        &["check", "latest", "--limit", "2", "--quiet"],
        other.path(),
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.lines().next().unwrap().contains(": differs ("),
        "{said}"
    );
    assert!(
        said.contains("differs    plugin.toml has changed"),
        "{said}"
    );
}

/// The only run in a folder that has other entries, too.
fn only_run_of(root: &Path) -> PathBuf {
    let entries = std::fs::read_dir(root).unwrap().flatten();
    let mut runs = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("run.toml").exists());
    runs.next().unwrap()
}

#[test]
fn rejects_invalid_pack_unpack_and_check_arguments() {
    let (runs, summary) = finished();
    let name = summary["run"].as_str().unwrap();
    let work = tempfile::tempdir().unwrap();
    let place = |name: &str| work.path().join(name).display().to_string();
    assert!(refused(&["pack", name, &place("a.zip")], runs).contains("end with .laerun.zip"));
    refused(&["pack", "nothing", &place("a.laerun.zip")], runs);
    std::fs::write(work.path().join("b.laerun.zip"), "no zip").unwrap();
    for word in ["unpack", "check"] {
        let said = refused(&[word, &place("b.laerun.zip")], work.path());
        assert_says!(said, "problem-packed-run-rejected");
    }
    refused(&["unpack", &place("gone.laerun.zip")], work.path());
    let said = refused(&["check", name, "--data", &place("nowhere")], runs);
    assert!(said.contains("nowhere"), "{said}");
    let said = refused(&["check", name, "--weights", &place("nowhere.pth")], runs);
    assert!(said.contains("nowhere.pth"), "{said}");
}
