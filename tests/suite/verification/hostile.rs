//! Hostile packed runs: each is rejected with an error and leaves no files.

use std::path::Path;

use lae_studio::problem::Problem;
use lae_studio::store;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::trained_run;
use crate::assert_is;
use crate::fuzz::packing::{ZipEntry, build_zip, unzip};

/// The files of a valid packed run, to be modified.
struct ValidPack(Vec<(String, Vec<u8>)>);

impl ValidPack {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.laerun.zip");
        store::pack(trained_run().1, &file).unwrap();
        Self(unzip(&std::fs::read(file).unwrap()))
    }

    fn file_bytes(&mut self, name: &str) -> &mut Vec<u8> {
        let found = self.0.iter_mut().find(|(known, _)| known == name);
        &mut found.unwrap().1
    }

    /// Adds a file, in the manifest, too.
    fn add_file(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.into(), bytes.to_vec()));
        let hash = Sha256::digest(bytes);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let entry = json!({"name": name, "bytes": bytes.len(), "sha256": hash});
        self.edit_manifest(|manifest| manifest["files"].as_array_mut().unwrap().push(entry));
    }

    fn edit_manifest(&mut self, change: impl FnOnce(&mut Value)) {
        let bytes = self.file_bytes("manifest.json");
        let mut manifest = serde_json::from_slice(bytes).unwrap();
        change(&mut manifest);
        *bytes = serde_json::to_vec(&manifest).unwrap();
    }

    fn entries(&self) -> Vec<ZipEntry> {
        let files = self.0.iter();
        files.map(|(name, bytes)| ZipEntry::new(name, bytes.clone())).collect()
    }
}

/// Tries to unpack an archive; it must be refused and leave nothing.
fn unpack_error(bytes: &[u8]) -> Problem {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.laerun.zip");
    std::fs::write(&file, bytes).unwrap();
    let runs = folder.path().join("runs");
    let problem = store::unpack(&file, &runs).unwrap_err();
    assert!(!problem.place.is_empty(), "{problem}");
    assert_eq!(std::fs::read_dir(&runs).unwrap().count(), 0, "{problem}");
    let entries: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(entries.len(), 2, "{entries:?}");
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
    std::fs::write(&file, build_zip(&ValidPack::new().entries(), None)).unwrap();
    let unpacked = store::unpack(&file, &folder.path().join("runs")).unwrap();
    assert!(store::load_run(&unpacked.folder).is_ok());
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
        let mut pack = ValidPack::new();
        pack.add_file(name, b"x");
        let problem = unpack_error(&build_zip(&pack.entries(), None));
        assert_rejected(&problem, "not a file of a run");
    }
    let mut pack = ValidPack::new();
    let name = ["../", &"a".repeat(60_000)].concat();
    pack.add_file(&name, b"x");
    assert!(unpack_error(&build_zip(&pack.entries(), None)).what.len() < 2000);
}

#[test]
fn rejects_links_and_duplicate_names() {
    let mut pack = ValidPack::new();
    pack.add_file("about.toml", b"/etc/passwd");
    let mut entries = pack.entries();
    entries.last_mut().unwrap().attributes = 0o120_777 << 16;
    let problem = unpack_error(&build_zip(&entries, None));
    assert_rejected(&problem, "about.toml is a link");

    let mut entries = ValidPack::new().entries();
    entries.push(ZipEntry::new("run.toml", b"data = 1".to_vec()));
    let problem = unpack_error(&build_zip(&entries, None));
    assert_rejected(&problem, "same name");

    let mut pack = ValidPack::new();
    pack.edit_manifest(|manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        files.push(files[0].clone());
    });
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "twice");
}

#[test]
fn rejects_archive_bombs() {
    // Longer than its manifest states.
    let mut pack = ValidPack::new();
    pack.add_file("about.toml", b"");
    *pack.file_bytes("about.toml") = vec![b'\n'; 8 << 20];
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "about.toml is longer");
    // The manifest states excessive lengths.
    for (bytes, why) in [(1u64 << 60, "too large"), (300 << 20, "times its size")] {
        let mut pack = ValidPack::new();
        pack.edit_manifest(|manifest| manifest["files"][0]["bytes"] = bytes.into());
        let problem = unpack_error(&build_zip(&pack.entries(), None));
        assert_rejected(&problem, why);
    }
    let mut pack = ValidPack::new();
    *pack.file_bytes("manifest.json") = vec![b' '; 17 << 20];
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "manifest is too long");
}

#[test]
fn rejects_truncated_damaged_and_changed_archives() {
    let archive = build_zip(&ValidPack::new().entries(), None);
    for length in [0, 10, 22, archive.len() / 3, archive.len() - 30, archive.len() - 1] {
        unpack_error(&archive[..length]);
    }
    unpack_error(b"no archive at all, but longer than what ends one");
    let mut flipped = archive.clone();
    // Flips a bit in the compressed first file, so its checksum is wrong.
    flipped[200] ^= 0x10;
    unpack_error(&flipped);
    let mut pack = ValidPack::new();
    pack.file_bytes("plugin.toml").push(b'\n');
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "plugin.toml");
    let mut pack = ValidPack::new();
    let first = pack.file_bytes("task_1.safetensors");
    first[100] ^= 1;
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "task_1.safetensors differs");
}

#[test]
fn rejects_incomplete_unlisted_and_newer_archives() {
    let mut pack = ValidPack::new();
    pack.0.retain(|(name, _)| name != "manifest.json");
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "no manifest.json");
    let mut pack = ValidPack::new();
    pack.0.retain(|(name, _)| name != "metrics.csv");
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "metrics.csv is missing");
    let mut pack = ValidPack::new();
    pack.0.push(("about.toml".into(), Vec::new()));
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert_rejected(&problem, "not list about.toml");
    let mut pack = ValidPack::new();
    pack.edit_manifest(|manifest| manifest["format"] = 2.into());
    assert!(
        unpack_error(&build_zip(&pack.entries(), None)).mentions("problem-packed-by-newer-version")
    );
    // A run whose parts do not fit together, with all hashes right.
    let mut pack = ValidPack::new();
    pack.0.retain(|(name, _)| name != "run.toml");
    pack.edit_manifest(|manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        files.retain(|file| file["name"] != "run.toml");
    });
    pack.add_file("run.toml", b"data = \"digits\"\n");
    let problem = unpack_error(&build_zip(&pack.entries(), None));
    assert!(problem.what.contains("cannot be opened"), "{problem}");
}

#[test]
fn hostile_run_name_stays_in_runs_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.laerun.zip");
    let mut pack = ValidPack::new();
    pack.edit_manifest(|manifest| manifest["run"] = "../../escaped".into());
    std::fs::write(&file, build_zip(&pack.entries(), None)).unwrap();
    let runs = folder.path().join("runs");
    let unpacked = store::unpack(&file, &runs).unwrap();
    assert_eq!(unpacked.folder.parent(), Some(Path::new(&runs)));
}
