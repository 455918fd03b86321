//! Commands on finished runs under injected faults: each happens completely or not at all, and can be repeated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::run_program;
use crate::copy_folder;
use crate::skip::skip;
use crate::teach::{folder_contents, letters};

/// A command on a run and its faults in this test; `tests/faults.py` has all of them.
struct Action {
    words: &'static [&'static str],
    /// A command that is run first.
    before: &'static [&'static str],
    faults: &'static [&'static str],
}

const DELETE: &[&str] = &["delete", "run"];
const TEACH: &[&str] = &["teach", "run", "new", "--device", "cpu", "--quiet"];

const ACTIONS: [Action; 7] = [
    Action {
        words: DELETE,
        before: &[],
        faults: &["rename:error=EIO:when=1", "fsync:signal=KILL:when=1"],
    },
    Action { words: &["restore", "run"], before: DELETE, faults: &["rename:signal=KILL:when=1"] },
    Action {
        words: &["delete", "run", "--for-good"],
        before: DELETE,
        faults: &["unlink:signal=KILL:when=3"],
    },
    Action {
        words: TEACH,
        before: &[],
        faults: &["rename:error=ENOSPC:when=1", "rename:signal=KILL:when=4"],
    },
    Action {
        words: &["teach", "run", "--undo"],
        before: TEACH,
        faults: &["unlink:signal=KILL:when=2"],
    },
    Action {
        words: &["data", "export", "new", "--to", "new.zip"],
        before: &[],
        faults: &["fsync:error=ENOSPC:when=1"],
    },
    Action {
        words: &["runs", "run", "--export", "table.csv"],
        before: &[],
        faults: &["rename:error=EIO:when=1"],
    },
];

/// Contents of finished files, without those that contain times.
fn finished_files(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = folder_contents(home);
    let is_transient = |path: &Path| {
        let text = path.to_string_lossy();
        let erased = text.contains(".erased-");
        let unfinished =
            text.contains(".partial") || text.contains(".packing") || text.ends_with("lock");
        erased || unfinished || text.contains("/log") || text.starts_with("cache")
    };
    files.retain(|path, _| home.join(path).is_file() && !is_transient(path));
    for (path, content) in &mut files {
        if path.components().any(|part| part.as_os_str() == "lessons") {
            content.clear();
        }
    }
    files
}

/// A copy of the folder with updated summaries.
fn copy_home(from: &Path) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    copy_folder(from, home.path());
    run_successfully(home.path(), &["runs"]);
    home
}

fn run_successfully(home: &Path, words: &[&str]) {
    let output = run_program(home, None, words);
    let stderr_text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {stderr_text}");
}

#[test]
fn commands_are_atomic_and_repeatable_under_faults() {
    let version = std::process::Command::new("strace").arg("-V").output();
    if !version.is_ok_and(|output| output.status.success()) {
        skip("strace is not installed");
        return;
    }
    let first = tempfile::tempdir().unwrap();
    let words = "train --data digits --train-limit 2 --test-limit 1 --epochs 1 --freeze-epochs 0 --batch 8 \
                 --classes-per-task 5 --device cpu --quiet";
    run_successfully(first.path(), &words.split_whitespace().collect::<Vec<_>>());
    let runs = first.path().join("runs");
    let mut entries = std::fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().path());
    let run_folder = entries.find(|path| path.join("run.toml").exists()).unwrap();
    std::fs::rename(run_folder, runs.join("run")).unwrap();
    copy_folder(letters("AB", 4).path(), &first.path().join("new"));
    for action in &ACTIONS {
        let initial = copy_home(first.path());
        if !action.before.is_empty() {
            run_successfully(initial.path(), action.before);
        }
        let before = finished_files(initial.path());
        let completed = copy_home(initial.path());
        run_successfully(completed.path(), action.words);
        let after = finished_files(completed.path());
        assert!(before != after, "{:?} does nothing", action.words);
        for fault in action.faults {
            let what = format!("{:?} {fault}", action.words);
            let home = copy_home(initial.path());
            let output = run_program(home.path(), Some(fault), action.words);
            let stderr_text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!stderr_text.contains("panicked"), "{what}: {stderr_text}");
            assert!(!output.status.success(), "{what} was ignored");
            let failed = output.status.code() == Some(1);
            assert!(!failed || stderr_text.contains("problem: "), "{what}: {stderr_text}");
            let current = finished_files(home.path());
            assert!(
                current == before || current == after,
                "{what}: only half of it happened: {stderr_text}"
            );
            if current == before {
                run_successfully(home.path(), action.words);
            }
            assert!(finished_files(home.path()) == after, "{what}: it cannot be repeated");
        }
    }
}
