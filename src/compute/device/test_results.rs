//! Results of the self-test. One file contains them for each GPU, driver and build of the GPU kernels.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::DeviceInfo;
use crate::files;
use crate::folders;
use crate::message;
use crate::nn::plans::Plans;
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// The result of a self-test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfTestResult {
    /// Whether the device computes correctly.
    pub good: bool,
    /// The measured error, or the reason why the test failed.
    pub note: String,
    /// Whether it also computes correctly with weights in half precision.
    pub half: bool,
    /// Whether the program's own GPU kernels may be used.
    #[serde(default)]
    pub kernels: bool,
    /// The fastest tiles for each class of products.
    #[serde(default, skip_serializing_if = "Plans::is_empty")]
    pub plans: Plans,
    /// Backbone families that the device computes incorrectly, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, String>,
}

impl SelfTestResult {
    /// Returns the result of a device that must not be used.
    pub fn failed(note: String) -> Self {
        Self { note, ..Self::default() }
    }
}

/// All results, by GPU.
type ResultMap = BTreeMap<String, SelfTestResult>;

/// Prevents two threads of this program from writing the file at the same time.
static WRITE_MUTEX: Mutex<()> = Mutex::new(());

/// The source files that determine the results of a GPU: layers, kernels, and their checks.
const SOURCES: &[&str] = &[
    include_str!("../nn/mod.rs"),
    include_str!("../nn/framework.rs"),
    include_str!("../nn/half_linear.rs"),
    include_str!("../nn/input.rs"),
    include_str!("../nn/rotation.rs"),
    include_str!("../nn/update.rs"),
    include_str!("../nn/gpu/mod.rs"),
    include_str!("../nn/gpu/attention.rs"),
    include_str!("../nn/gpu/convolution.rs"),
    include_str!("../nn/gpu/elementwise.rs"),
    include_str!("../nn/gpu/flash.rs"),
    include_str!("../nn/gpu/autodiff.rs"),
    include_str!("../nn/gpu/kernel.rs"),
    include_str!("../nn/gpu/launches.rs"),
    include_str!("../nn/gpu/matmul.rs"),
    include_str!("../nn/gpu/packed.rs"),
    include_str!("../nn/gpu/peak.rs"),
    include_str!("../nn/gpu/pixels.rs"),
    include_str!("../nn/gpu/plans.rs"),
    include_str!("../nn/gpu/prefix.rs"),
    include_str!("../nn/gpu/product/fragments.rs"),
    include_str!("../nn/gpu/product/mod.rs"),
    include_str!("../nn/gpu/product/operand.rs"),
    include_str!("../nn/gpu/product/source.rs"),
    include_str!("../nn/gpu/product/tiles.rs"),
    include_str!("../nn/gpu/replay.rs"),
    include_str!("../nn/gpu/rows.rs"),
    include_str!("../nn/gpu/tokens.rs"),
    include_str!("../nn/gpu/trials.rs"),
    include_str!("../../training/experiment/gpu_check.rs"),
    include_str!("../../training/experiment/upload.rs"),
    include_str!("../nn/fused_attention.rs"),
    include_str!("../selftest.rs"),
];

/// The lock file with the versions of all crates.
const LOCK_FILE: &str = include_str!("../../../Cargo.lock");

/// Returns the entries of a lock file for the crates that compute on a GPU.
fn gpu_crates(lock: &str) -> impl Iterator<Item = &str> {
    let uses_gpu = |entry: &&str| {
        ["burn", "cubecl", "cubek", "naga", "wgpu"]
            .iter()
            .any(|name| entry.trim_start().starts_with(&format!("name = \"{name}")))
    };
    lock.split("[[package]]").filter(uses_gpu)
}

/// Identifies the GPU kernels of this build. Results of other kernels are not valid for these.
static KERNELS_ID: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    SOURCES.hash(&mut hasher);
    gpu_crates(LOCK_FILE).for_each(|entry| entry.hash(&mut hasher));
    format!("kernels {:016x}", hasher.finish())
});

fn result_key(info: &DeviceInfo) -> String {
    // Two GPUs of the same model have separate results.
    let bus_suffix = match info.pci.as_str() {
        "" => String::new(),
        pci => format!(" at {pci}"),
    };
    format!("{}{bus_suffix} | {} | {} | {}", info.name, info.api.title(), info.driver, *KERNELS_ID)
}

fn read_results(file: Option<&Path>) -> ResultMap {
    file.and_then(|file| files::read_text(file, files::TEXT).ok())
        .and_then(|text| toml::from_str(&text).ok())
        .unwrap_or_default()
}

/// Returns the stored result of a GPU.
pub(super) fn load_verdict(info: &DeviceInfo, file: Option<&Path>) -> Option<SelfTestResult> {
    read_results(file).remove(&result_key(info))
}

/// Stores a result. If this fails, the GPU is tested again next time.
pub(super) fn save_verdict(info: &DeviceInfo, file: Option<&Path>, verdict: &SelfTestResult) {
    let saved = update_results(file, |results| {
        results.insert(result_key(info), verdict.clone());
    });
    if let Err(problem) = saved {
        tracing::warn!("{problem}");
    }
}

/// Removes the result of a GPU.
///
/// # Errors
/// Returns a Problem if the file of results cannot be written.
pub(super) fn remove_verdict(info: &DeviceInfo, file: Option<&Path>) -> Result<()> {
    update_results(file, |results| {
        results.remove(&result_key(info));
    })
}

/// How long to wait while another program changes the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

fn update_results(file: Option<&Path>, change: impl FnOnce(&mut ResultMap)) -> Result<()> {
    let Some((file, folder)) = file.and_then(|file| Some((file, file.parent()?))) else {
        return Ok(());
    };
    let _guard = lock(&WRITE_MUTEX);
    // A file lock excludes other programs. Without it, a result may be lost, and the test is repeated. If the folder
    // cannot be created, the error is reported when the file is written.
    let _ = std::fs::create_dir_all(folder);
    let _lock = files::lock_program_file(&file.with_extension("lock"), LOCK_TIMEOUT);
    let mut results = read_results(Some(file));
    change(&mut results);
    let text = toml::to_string(&results).map_err(|error| {
        Problem::new(message!("problem-device-results-unwritten", error = error.to_string()))
    })?;
    let write = || {
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut temporary, text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|error| error.error)?;
        files::sync_folder(Some(folder));
        Ok(())
    };
    write().map_err(|error| Problem::io("save the GPU test results", file, &error))
}

/// Returns the file of all stored results; `None` if no device was tested.
pub fn read_verdict_file() -> Option<String> {
    files::read_text(&cache_file()?, files::TEXT).ok()
}

/// Returns the path of the file of results.
pub(super) fn cache_file() -> Option<PathBuf> {
    Some(folders::cache()?.join("devices.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_includes_every_gpu_kernel_source() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("nn/gpu");
        let mut count = 0;
        for folder in [folder.clone(), folder.join("product")] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|end| end == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    assert!(SOURCES.contains(&text.as_str()), "{}", path.display());
                    count += 1;
                }
            }
        }
        assert!(count > 10, "{count}");
        assert!(gpu_crates(LOCK_FILE).count() > 5);
    }

    #[test]
    fn update_reports_unwritable_file() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("devices.toml");
        std::fs::create_dir(&directory).unwrap();
        let problem = update_results(Some(&directory), |_| {}).unwrap_err();
        assert!(problem.to_string().contains("devices.toml"), "{problem}");
    }
}
