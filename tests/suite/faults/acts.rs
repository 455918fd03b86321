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
    Action {
        words: &["restore", "run"],
        before: DELETE,
        faults: &["rename:signal=KILL:when=1"],
    },
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
fn state(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = folder_contents(home);
    let passing = |path: &Path| {
        let text = path.to_string_lossy();
        let erased = text.contains(".erased-");
        let unfinished =
            text.contains(".partial") || text.contains(".packing") || text.ends_with("lock");
        erased || unfinished || text.contains("/log") || text.starts_with("cache")
    };
    all.retain(|path, _| home.join(path).is_file() && !passing(path));
    for (path, content) in &mut all {
        if path.components().any(|part| part.as_os_str() == "lessons") {
            content.clear();
        }
    }
    all
}

/// A copy of the folder with updated summaries.
fn copied(from: &Path) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    copy_folder(from, home.path());
    run_successfully(home.path(), &["runs"]);
    home
}

fn run_successfully(home: &Path, words: &[&str]) {
    let output = run_program(home, None, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
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
    let mut made = std::fs::read_dir(&runs)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let made = made.find(|path| path.join("run.toml").exists()).unwrap();
    std::fs::rename(made, runs.join("run")).unwrap();
    copy_folder(letters("AB", 4).path(), &first.path().join("new"));
    for act in &ACTIONS {
        let begin = copied(first.path());
        if !act.before.is_empty() {
            run_successfully(begin.path(), act.before);
        }
        let before = state(begin.path());
        let clean = copied(begin.path());
        run_successfully(clean.path(), act.words);
        let after = state(clean.path());
        assert!(before != after, "{:?} does nothing", act.words);
        for fault in act.faults {
            let what = format!("{:?} {fault}", act.words);
            let home = copied(begin.path());
            let output = run_program(home.path(), Some(fault), act.words);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("panicked"), "{what}: {said}");
            assert!(!output.status.success(), "{what} was ignored");
            let failed = output.status.code() == Some(1);
            assert!(!failed || said.contains("problem: "), "{what}: {said}");
            let now = state(home.path());
            assert!(
                now == before || now == after,
                "{what}: only half of it happened: {said}"
            );
            if now == before {
                run_successfully(home.path(), act.words);
            }
            assert!(state(home.path()) == after, "{what}: it cannot be repeated");
        }
    }
}
