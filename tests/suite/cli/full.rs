//! GPUs with limits: software Vulkan behind a driver (`tests/lost_card.c`) that limits memory or hides half
//! precision.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use super::card::software_gpu;
use super::{only_run, program, stderr};
use crate::shared_folder;
use crate::skip::skip;

/// The limiting driver and the driver it forwards to.
struct LimitedDriver {
    manifest: PathBuf,
    behind: String,
}

/// Builds the driver; `None`, with the reason printed, if that is impossible.
fn limited_driver() -> Option<&'static LimitedDriver> {
    static MADE: OnceLock<Option<LimitedDriver>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
        let files = folder.flatten().map(|entry| entry.path());
        let software = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .find(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("lvp"))
            })?;
        let text = std::fs::read_to_string(software).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap();
        let library = json["ICD"]["library_path"].take();
        let place = shared_folder();
        let between = place.join("between.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lost_card.c");
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&between, Path::new(source)])
            .status();
        assert!(compiler.ok()?.success(), "{source} cannot be compiled");
        json["ICD"]["library_path"] = between.to_str().into();
        let manifest = place.join("between.json");
        std::fs::write(&manifest, json.to_string()).unwrap();
        Some(LimitedDriver {
            manifest,
            behind: library.as_str()?.to_string(),
        })
    });
    if made.is_none() {
        skip("no C compiler or no software Vulkan of Mesa's");
    }
    made.as_ref()
}

/// Runs the program on a GPU with this limit; runs are stored in `out`.
fn run_limited(
    between: &LimitedDriver,
    short: (&str, &str),
    words: &[&str],
    root: &Path,
) -> Output {
    program(words, root)
        .env("LAE_RUNS", root.join("out"))
        .env("VK_ICD_FILENAMES", &between.manifest)
        .env("VK_DRIVER_FILES", &between.manifest)
        .env("LOST_DRIVER", &between.behind)
        .env(short.0, short.1)
        .output()
        .unwrap()
}

/// One task of ten classes in batches of 64.
fn words(card: &str) -> Vec<&str> {
    [
        &["train", "--data", "digits", "--train-limit", "7"][..],
        &["--test-limit", "1", "--epochs", "1", "--freeze-epochs", "0"],
        &["--batch", "64", "--classes-per-task", "10"],
        &["--device", card, "--quiet"],
    ]
    .concat()
}

/// A run that was started on a GPU with limited memory.
struct StartedRun {
    between: &'static LimitedDriver,
    root: TempDir,
    code: Option<i32>,
    said: String,
}

impl StartedRun {
    /// `None`, with the reason printed, if there is no software GPU.
    fn with_megabytes(megabytes: &str) -> Option<Self> {
        let root = tempfile::tempdir().unwrap();
        let (between, card) = (limited_driver()?, software_gpu(root.path())?);
        let short = ("LOST_FULL", megabytes);
        let output = run_limited(between, short, &words(&card), root.path());
        Some(Self {
            between,
            root,
            code: output.status.code(),
            said: stderr(&output),
        })
    }

    /// The micro-batch in its settings.
    fn micro_batch(&self) -> Option<i64> {
        let run = only_run(&self.root.path().join("out"));
        let text = std::fs::read_to_string(run.join("run.toml")).unwrap();
        let run: toml::Table = text.parse().unwrap();
        run.get("micro_batch")?.as_integer()
    }
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn out_of_gpu_memory_reduces_micro_batch() {
    let Some(run) = StartedRun::with_megabytes("60") else {
        return;
    };
    let said = &run.said;
    assert_eq!(run.code, Some(0), "{said}");
    assert!(
        said.contains("note: ") && says!(said, "problem-continues-with-fewer-images"),
        "{said}"
    );
    assert_says!(said, "advice-continues-from-last-epoch");
    // The framework's own errors are not printed: it fails a thousand times before a result is read.
    assert!(
        !said.contains("panicked") && said.lines().count() < 24,
        "{said}"
    );
    let fewer = run.micro_batch().unwrap();
    assert!((1..64).contains(&fewer), "{fewer}");
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn gpu_lost_by_out_of_memory_resumes_with_smaller_batch() {
    let Some(run) = StartedRun::with_megabytes("45") else {
        return;
    };
    let said = &run.said;
    assert_eq!(run.code, Some(1), "{said}");
    let what = tr!("problem-device-out-of-memory");
    assert!(said.contains(&format!("problem: {what}\n")), "{said}");
    assert_says!(said, "advice-restart-with-smaller-batches");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(run.micro_batch(), Some(32));
    let words = ["resume", "latest", "--quiet"];
    let output = run_limited(run.between, ("LOST_FULL", "4000"), &words, run.root.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn gpu_without_f16_falls_back_to_f32() {
    let root = tempfile::tempdir().unwrap();
    let (Some(between), Some(card)) = (limited_driver(), software_gpu(root.path())) else {
        return;
    };
    let asked = [&words(&card)[..], &["--precision", "f16"]].concat();
    let output = run_limited(between, ("LOST_HALF", "1"), &asked, root.path());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_says!(said, "problem-f32-on-gpu");
    assert!(!said.contains("panicked"), "{said}");
}
