//! Results of the self-test, stored in one file for each GPU, driver and build of the GPU kernels.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::DeviceInfo;
use crate::files;
use crate::folders;
use crate::message;
use crate::nn::plans::Plans;
use crate::problem::{Problem, Result};

/// The outcome of a self-test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfTestResult {
    /// Whether it computes rightly.
    pub good: bool,
    /// Whether the device computes correctly.
    pub note: String,
    /// What was measured, or what is wrong.
    pub half: bool,
    /// Whether it also computes correctly with weights in half precision.
    #[serde(default)]
    pub kernels: bool,
    /// The fastest tiles for each class of products.
    #[serde(default, skip_serializing_if = "Plans::is_empty")]
    pub plans: Plans,
    /// Backbone families that the device computes wrongly, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, String>,
}

impl SelfTestResult {
    /// Returns that of a device that is not to be used.
    pub fn bad(note: String) -> Self {
        Self {
            note,
            ..Self::default()
        }
    }
}

/// All verdicts, by GPU.
type Book = BTreeMap<String, SelfTestResult>;

/// Two of this program's threads write one after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// The sources that decide what a GPU computes: layers, kernels, and what they are checked with.
const SOURCES: &[&str] = &[
    include_str!("../nn/mod.rs"),
    include_str!("../nn/framework.rs"),
    include_str!("../nn/half.rs"),
    include_str!("../nn/input.rs"),
    include_str!("../nn/update.rs"),
    include_str!("../nn/gpu/mod.rs"),
    include_str!("../nn/gpu/attention.rs"),
    include_str!("../nn/gpu/elementwise.rs"),
    include_str!("../nn/gpu/glue.rs"),
    include_str!("../nn/gpu/kernel.rs"),
    include_str!("../nn/gpu/launches.rs"),
    include_str!("../nn/gpu/matmul.rs"),
    include_str!("../nn/gpu/packed.rs"),
    include_str!("../nn/gpu/plans.rs"),
    include_str!("../nn/gpu/product/fragments.rs"),
    include_str!("../nn/gpu/product/mod.rs"),
    include_str!("../nn/gpu/product/operand.rs"),
    include_str!("../nn/gpu/product/text.rs"),
    include_str!("../nn/gpu/product/tiles.rs"),
    include_str!("../nn/gpu/rows.rs"),
    include_str!("../nn/gpu/trials.rs"),
    include_str!("../../training/experiment/gpu_check.rs"),
    include_str!("../../training/experiment/upload.rs"),
    include_str!("../nn/fused.rs"),
    include_str!("../selftest.rs"),
];

/// The versions of all crates.
const LOCK: &str = include_str!("../../../Cargo.lock");

/// Returns the entries of a lock file for the crates that compute on a GPU.
fn gpu_crates(lock: &str) -> impl Iterator<Item = &str> {
    let computes = |entry: &&str| {
        ["burn", "cubecl", "cubek", "naga", "wgpu"]
            .iter()
            .any(|name| entry.trim_start().starts_with(&format!("name = \"{name}")))
    };
    lock.split("[[package]]").filter(computes)
}

/// Identifies the GPU kernels of this build. A verdict of other kernels says nothing about these.
static KERNELS: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    SOURCES.hash(&mut hasher);
    gpu_crates(LOCK).for_each(|entry| entry.hash(&mut hasher));
    format!("kernels {:016x}", hasher.finish())
});

fn key(info: &DeviceInfo) -> String {
    // Two GPUs of the same model have a verdict each.
    let place = match info.pci.as_str() {
        "" => String::new(),
        pci => format!(" at {pci}"),
    };
    format!(
        "{}{place} | {} | {} | {}",
        info.name,
        info.api.title(),
        info.driver,
        *KERNELS
    )
}

fn book(file: Option<&Path>) -> Book {
    file.and_then(|file| files::read_text(file, files::TEXT).ok())
        .and_then(|text| toml::from_str(&text).ok())
        .unwrap_or_default()
}

/// Returns the stored verdict of a GPU.
pub(super) fn kept(info: &DeviceInfo, file: Option<&Path>) -> Option<SelfTestResult> {
    book(file).remove(&key(info))
}

/// Keeps one. What cannot be kept is found again next time.
pub(super) fn keep(info: &DeviceInfo, file: Option<&Path>, verdict: &SelfTestResult) {
    let kept = change(file, |book| {
        book.insert(key(info), verdict.clone());
    });
    if let Err(problem) = kept {
        tracing::warn!("{problem}");
    }
}

/// Removes the result of a GPU.
///
/// # Errors
/// Returns a Problem if the file of verdicts cannot be written.
pub(super) fn forget(info: &DeviceInfo, file: Option<&Path>) -> Result<()> {
    change(file, |book| {
        book.remove(&key(info));
    })
}

/// How long another program's change is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

fn change(file: Option<&Path>, change: impl FnOnce(&mut Book)) -> Result<()> {
    let Some((file, folder)) = file.and_then(|file| Some((file, file.parent()?))) else {
        return Ok(());
    };
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    // Nor do two programs. One that cannot have the lock may lose a verdict, which is found again.
    // The error of a folder that cannot be made is reported with its file.
    let _ = std::fs::create_dir_all(folder);
    let _held = files::lock_own(&file.with_extension("lock"), PATIENCE);
    let mut book = book(Some(file));
    change(&mut book);
    let text = toml::to_string(&book).map_err(|error| {
        Problem::new(message!(
            "problem-device-results-unwritten",
            error = error.to_string()
        ))
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

/// What was found so far, as it is kept; `None` if nothing was tested.
pub fn verdicts() -> Option<String> {
    files::read_text(&cache_file()?, files::TEXT).ok()
}

/// Where verdicts are kept.
pub(super) fn cache_file() -> Option<PathBuf> {
    Some(folders::cache()?.join("devices.toml"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_source_of_the_gpu_kernels_counts() {
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
        assert!(gpu_crates(LOCK).count() > 5);
    }

    #[test]
    fn what_cannot_be_kept_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("devices.toml");
        std::fs::create_dir(&in_the_way).unwrap();
        let problem = change(Some(&in_the_way), |_| {}).unwrap_err();
        assert!(problem.to_string().contains("devices.toml"), "{problem}");
    }
}
