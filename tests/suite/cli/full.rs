//! GPUs with limits: software Vulkan behind a driver (`tests/lost_card.c`) that limits memory or hides half
//! precision.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use super::gpu_selftest::software_gpu;
use super::{only_run, program_command, stderr};
use crate::shared_folder;
use crate::skip::skip;

/// The limiting driver and the driver it forwards to.
struct LimitedDriver {
    manifest: PathBuf,
    forwarded_library: String,
}

/// Builds the driver; `None`, with the reason printed, if that is impossible.
fn limited_driver() -> Option<&'static LimitedDriver> {
    static DRIVER: OnceLock<Option<LimitedDriver>> = OnceLock::new();
    let driver = DRIVER.get_or_init(|| {
        let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
        let files = folder.flatten().map(|entry| entry.path());
        let software = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .find(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp"))
            })?;
        let text = std::fs::read_to_string(software).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap();
        let library = json["ICD"]["library_path"].take();
        let folder_path = shared_folder();
        let shim = folder_path.join("between.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lost_card.c");
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&shim, Path::new(source)])
            .status();
        assert!(compiler.ok()?.success(), "{source} cannot be compiled");
        json["ICD"]["library_path"] = shim.to_str().into();
        let manifest = folder_path.join("between.json");
        std::fs::write(&manifest, json.to_string()).unwrap();
        Some(LimitedDriver { manifest, forwarded_library: library.as_str()?.to_string() })
    });
    if driver.is_none() {
        skip("no C compiler or no software Vulkan of Mesa's");
    }
    driver.as_ref()
}

/// Runs the program on a GPU with this limit; runs are stored in `out`.
fn run_limited(driver: &LimitedDriver, limit: (&str, &str), words: &[&str], root: &Path) -> Output {
    program_command(words, root)
        .env("LAE_RUNS", root.join("out"))
        .env("VK_ICD_FILENAMES", &driver.manifest)
        .env("VK_DRIVER_FILES", &driver.manifest)
        .env("LOST_DRIVER", &driver.forwarded_library)
        .env(limit.0, limit.1)
        .output()
        .unwrap()
}

/// One task of ten classes in batches of 64.
fn train_args(gpu: &str) -> Vec<&str> {
    [
        &["train", "--data", "digits", "--train-limit", "7"][..],
        &["--test-limit", "1", "--epochs", "1", "--freeze-epochs", "0"],
        &["--batch", "64", "--classes-per-task", "10"],
        &["--device", gpu, "--quiet"],
    ]
    .concat()
}

/// A run that was started on a GPU with limited memory.
struct StartedRun {
    driver: &'static LimitedDriver,
    root: TempDir,
    code: Option<i32>,
    stderr_text: String,
}

impl StartedRun {
    /// `None`, with the reason printed, if there is no software GPU.
    fn with_megabytes(megabytes: &str) -> Option<Self> {
        let root = tempfile::tempdir().unwrap();
        let (driver, gpu) = (limited_driver()?, software_gpu(root.path())?);
        let limit = ("LOST_FULL", megabytes);
        let output = run_limited(driver, limit, &train_args(&gpu), root.path());
        Some(Self { driver, root, code: output.status.code(), stderr_text: stderr(&output) })
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
    let stderr_text = &run.stderr_text;
    assert_eq!(run.code, Some(0), "{stderr_text}");
    assert!(
        stderr_text.contains("note: ") && says!(stderr_text, "problem-continues-with-fewer-images"),
        "{stderr_text}"
    );
    assert_says!(stderr_text, "advice-continues-from-last-epoch");
    // The framework's own errors are not printed: it fails a thousand times before a result is read.
    assert!(!stderr_text.contains("panicked") && stderr_text.lines().count() < 24, "{stderr_text}");
    let fewer = run.micro_batch().unwrap();
    assert!((1..64).contains(&fewer), "{fewer}");
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn gpu_lost_by_out_of_memory_resumes_with_smaller_batch() {
    let Some(run) = StartedRun::with_megabytes("45") else {
        return;
    };
    let stderr_text = &run.stderr_text;
    assert_eq!(run.code, Some(1), "{stderr_text}");
    let what = tr!("problem-device-out-of-memory");
    assert!(stderr_text.contains(&format!("problem: {what}\n")), "{stderr_text}");
    assert_says!(stderr_text, "advice-restart-with-smaller-batches");
    assert!(!stderr_text.contains("panicked"), "{stderr_text}");
    assert_eq!(run.micro_batch(), Some(32));
    let words = ["resume", "latest", "--quiet"];
    let output = run_limited(run.driver, ("LOST_FULL", "4000"), &words, run.root.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn gpu_without_f16_falls_back_to_f32() {
    let root = tempfile::tempdir().unwrap();
    let (Some(driver), Some(gpu)) = (limited_driver(), software_gpu(root.path())) else {
        return;
    };
    let asked = [&train_args(&gpu)[..], &["--precision", "f16"]].concat();
    let output = run_limited(driver, ("LOST_HALF", "1"), &asked, root.path());
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr_text}");
    assert_says!(stderr_text, "problem-f32-on-gpu");
    assert!(!stderr_text.contains("panicked"), "{stderr_text}");
}
