//! Hostile packed runs: each is rejected with an error and leaves no files.

use std::path::Path;

use lae_studio::problem::Problem;
use lae_studio::store;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::trained;
use crate::assert_is;
use crate::fuzz::packing::{Zipped, unzipped, zip};

/// The files of a valid packed run, to be modified.
struct Honest(Vec<(String, Vec<u8>)>);

impl Honest {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.laerun.zip");
        store::pack(trained().1, &file).unwrap();
        Self(unzipped(&std::fs::read(file).unwrap()))
    }

    fn bytes(&mut self, name: &str) -> &mut Vec<u8> {
        let found = self.0.iter_mut().find(|(known, _)| known == name);
        &mut found.unwrap().1
    }

    /// Adds a file, in the manifest, too.
    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.into(), bytes.to_vec()));
        let hash = Sha256::digest(bytes);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let entry = json!({"name": name, "bytes": bytes.len(), "sha256": hash});
        self.manifest(|manifest| manifest["files"].as_array_mut().unwrap().push(entry));
    }

    fn manifest(&mut self, change: impl FnOnce(&mut Value)) {
        let bytes = self.bytes("manifest.json");
        let mut manifest = serde_json::from_slice(bytes).unwrap();
        change(&mut manifest);
        *bytes = serde_json::to_vec(&manifest).unwrap();
    }

    fn entries(&self) -> Vec<Zipped> {
        let each = self.0.iter();
        each.map(|(name, bytes)| Zipped::new(name, bytes.clone()))
            .collect()
    }
}

/// Tries to unpack an archive; it must be refused and leave nothing.
fn refused(bytes: &[u8]) -> Problem {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.laerun.zip");
    std::fs::write(&file, bytes).unwrap();
    let runs = folder.path().join("runs");
    let problem = store::unpack(&file, &runs).unwrap_err();
    assert!(!problem.place.is_empty(), "{problem}");
    assert_eq!(std::fs::read_dir(&runs).unwrap().count(), 0, "{problem}");
    let around: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(around.len(), 2, "{around:?}");
    problem
}

/// Asserts that a packed run was rejected for a reason that contains this text.
#[track_caller]
fn assert_rejected(problem: &Problem, why: &str) {
    assert_is(problem, "problem-packed-run-rejected");
    assert!(problem.what.contains(why), "{problem}");
}

#[test]
fn rebuilt_archive_unpacks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.laerun.zip");
    std::fs::write(&file, zip(&Honest::new().entries(), None)).unwrap();
    let unpacked = store::unpack(&file, &folder.path().join("runs")).unwrap();
    assert!(store::load(&unpacked.folder).is_ok());
}

#[test]
fn rejects_entry_names_outside_run_folder() {
    for name in [
        "../../escaped.toml",
        "/tmp/escaped.toml",
        "..\\escaped.toml",
        "C:\\escaped.toml",
        "confusion/../../escaped.csv",
        "run.toml\u{0}",
        "lock",
        "pictures/1.png",
        "task_1.safetensors/inner",
    ] {
        let mut honest = Honest::new();
        honest.add(name, b"x");
        let problem = refused(&zip(&honest.entries(), None));
        assert_rejected(&problem, "not a file of a run");
    }
    let mut honest = Honest::new();
    let name = ["../", &"a".repeat(60_000)].concat();
    honest.add(&name, b"x");
    assert!(refused(&zip(&honest.entries(), None)).what.len() < 2000);
}

#[test]
fn rejects_links_and_duplicate_names() {
    let mut honest = Honest::new();
    honest.add("about.toml", b"/etc/passwd");
    let mut entries = honest.entries();
    entries.last_mut().unwrap().attributes = 0o120_777 << 16;
    let problem = refused(&zip(&entries, None));
    assert_rejected(&problem, "about.toml is a link");

    let mut entries = Honest::new().entries();
    entries.push(Zipped::new("run.toml", b"data = 1".to_vec()));
    let problem = refused(&zip(&entries, None));
    assert_rejected(&problem, "same name");

    let mut honest = Honest::new();
    honest.manifest(|manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        files.push(files[0].clone());
    });
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "twice");
}

#[test]
fn rejects_archive_bombs() {
    // Longer than its manifest states.
    let mut honest = Honest::new();
    honest.add("about.toml", b"");
    *honest.bytes("about.toml") = vec![b'\n'; 8 << 20];
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "about.toml is longer");
    // The manifest states excessive lengths.
    for (bytes, why) in [(1u64 << 60, "too large"), (300 << 20, "times its size")] {
        let mut honest = Honest::new();
        honest.manifest(|manifest| manifest["files"][0]["bytes"] = bytes.into());
        let problem = refused(&zip(&honest.entries(), None));
        assert_rejected(&problem, why);
    }
    let mut honest = Honest::new();
    *honest.bytes("manifest.json") = vec![b' '; 17 << 20];
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "manifest is too long");
}

#[test]
fn rejects_truncated_damaged_and_changed_archives() {
    let whole = zip(&Honest::new().entries(), None);
    for length in [
        0,
        10,
        22,
        whole.len() / 3,
        whole.len() - 30,
        whole.len() - 1,
    ] {
        refused(&whole[..length]);
    }
    refused(b"no archive at all, but longer than what ends one");
    let mut flipped = whole.clone();
    // Flips a bit in the compressed first file, so its checksum is wrong.
    flipped[200] ^= 0x10;
    refused(&flipped);
    let mut honest = Honest::new();
    honest.bytes("plugin.toml").push(b'\n');
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "plugin.toml");
    let mut honest = Honest::new();
    let first = honest.bytes("task_1.safetensors");
    first[100] ^= 1;
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "task_1.safetensors differs");
}

#[test]
fn rejects_incomplete_unlisted_and_newer_archives() {
    let mut honest = Honest::new();
    honest.0.retain(|(name, _)| name != "manifest.json");
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "no manifest.json");
    let mut honest = Honest::new();
    honest.0.retain(|(name, _)| name != "metrics.csv");
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "metrics.csv is missing");
    let mut honest = Honest::new();
    honest.0.push(("about.toml".into(), Vec::new()));
    let problem = refused(&zip(&honest.entries(), None));
    assert_rejected(&problem, "not list about.toml");
    let mut honest = Honest::new();
    honest.manifest(|manifest| manifest["format"] = 2.into());
    assert!(refused(&zip(&honest.entries(), None)).mentions("problem-packed-by-newer-version"));
    // A run whose parts do not fit together, with all hashes right.
    let mut honest = Honest::new();
    honest.0.retain(|(name, _)| name != "run.toml");
    honest.manifest(|manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        files.retain(|file| file["name"] != "run.toml");
    });
    honest.add("run.toml", b"data = \"digits\"\n");
    let problem = refused(&zip(&honest.entries(), None));
    assert!(problem.what.contains("cannot be opened"), "{problem}");
}

#[test]
fn hostile_run_name_stays_in_runs_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.laerun.zip");
    let mut honest = Honest::new();
    honest.manifest(|manifest| manifest["run"] = "../../escaped".into());
    std::fs::write(&file, zip(&honest.entries(), None)).unwrap();
    let runs = folder.path().join("runs");
    let unpacked = store::unpack(&file, &runs).unwrap();
    assert_eq!(unpacked.folder.parent(), Some(Path::new(&runs)));
}
