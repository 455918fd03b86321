//! Packed runs with foreign files and changed content, but correct hashes.

use std::path::Path;

use lae_studio::store::{self, RunFolder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::bytes::Dice;
use super::packing::{ZipEntry, build_zip, unzip};
use super::{Case, Target, file_names, fuzz, single_file_case};
use crate::store::{header, report};

/// A file that no packed run may create.
const OUTSIDE: &str = "/tmp/lae-fuzz-outside.toml";
/// Names that leave the folder or belong to no run.
const NAMES: &[&str] = &[
    OUTSIDE,
    "../run.toml",
    "confusion/../../run.toml",
    "..\\run.toml",
    "C:run.toml",
    "lessons/task_3/lesson.toml",
    "lessons/task_3/pictures.csv",
    "about.toml",
    "state.safetensors",
    "task_99.safetensors",
    "run.toml",
    "",
    "/",
];

struct PackedRuns;

impl Target for PackedRuns {
    const NAME: &'static str = "packed";

    fn valid_cases(&self) -> Vec<Case> {
        let root = tempfile::tempdir().unwrap();
        let plugin = include_str!("../../../plugins/adapter.toml");
        let folder = RunFolder::create(root.path(), &mut header(), plugin).unwrap();
        for task in 0..2 {
            folder.save_task(&report(task), &Default::default()).unwrap();
        }
        let path = folder.path().to_path_buf();
        drop(folder);
        let file = root.path().join("a.laerun.zip");
        store::pack(&path, &file).unwrap();
        vec![single_file_case("a.laerun.zip", std::fs::read(file).unwrap())]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut files = unzip(&valid[0]["a.laerun.zip"]);
        if dice.one_in(2) {
            let at = dice.below(files.len());
            dice.mutate(&mut files[at].1, &[b"0", b"[", b"\"", b"\n", b"2"]);
        }
        for _ in 0..dice.below(3) {
            let name = (*dice.choose(NAMES)).to_string();
            let index = dice.below(files.len() + 1);
            files.insert(index, (name, vec![b'x'; 1 << dice.below(20)]));
        }
        if !dice.one_in(4) {
            update_manifest(&mut files);
        }
        let mut entries: Vec<ZipEntry> =
            files.into_iter().map(|(name, bytes)| ZipEntry::new(&name, bytes)).collect();
        if dice.one_in(6) {
            let at = dice.below(entries.len());
            entries[at].attributes = *dice.choose(&[0o120_777, 0o40_755, 0o20_666]) << 16;
        }
        let one_in = [40, 400, 100_000][dice.below(3)];
        let mut bytes = build_zip(&entries, Some((dice, one_in)));
        if dice.one_in(3) {
            dice.mutate(&mut bytes, &[b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"]);
        }
        single_file_case("a.laerun.zip", bytes)
    }

    fn read(&self, folder: &Path) -> bool {
        let runs = folder.join("runs");
        let unpacked = store::unpack(&folder.join("a.laerun.zip"), &runs);
        assert!(!Path::new(OUTSIDE).exists(), "{OUTSIDE} was written");
        assert_eq!(file_names(&runs).len(), usize::from(unpacked.is_ok()));
        unpacked.is_ok_and(|unpacked| store::load_run(&unpacked.folder).is_ok())
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["runs"]
    }
}

/// Lists all files in the manifest with their lengths and hashes.
fn update_manifest(files: &mut [(String, Vec<u8>)]) {
    let manifest_entries = files.iter().filter(|(name, _)| name != "manifest.json");
    let manifest_entries = manifest_entries.map(|(name, bytes)| {
        let hash: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        json!({"name": name, "bytes": bytes.len(), "sha256": hash})
    });
    let manifest_entries: Vec<Value> = manifest_entries.collect();
    let manifest = files.iter_mut().find(|(name, _)| name == "manifest.json");
    if let Some((_, bytes)) = manifest
        && let Ok(mut manifest) = serde_json::from_slice::<Value>(bytes)
        && manifest.is_object()
    {
        manifest["files"] = manifest_entries.into();
        *bytes = serde_json::to_vec(&manifest).unwrap();
    }
}

#[test]
fn fuzz_packed_runs() {
    fuzz(PackedRuns);
}
