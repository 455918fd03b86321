//! What was found out about the GPUs of this machine, stored per GPU, driver and build of the GPU kernels
//! in one file: the self-test's verdict, and for each family of backbones how well the
//! variants did.

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
use crate::nn::{ComputeVariant, WeightType};
use crate::problem::{Problem, Result};

/// The outcome of a self-test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfTestResult {
    /// Whether it computes rightly.
    pub good: bool,
    /// What was measured, or what is wrong.
    pub note: String,
    /// Whether it also computes rightly with weights in half precision.
    pub half: bool,
    /// Whether the program's own kernels compute rightly.
    #[serde(default)]
    pub kernels: bool,
    /// The fastest tiles for each class of products.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plans: Plans,
    /// What preparing found, by family of backbones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prepared: BTreeMap<String, Prepared>,
}

impl SelfTestResult {
    /// Returns that of a device that is not to be used.
    pub fn bad(note: String) -> Self {
        Self {
            good: false,
            note,
            half: false,
            kernels: false,
            plans: Plans::new(),
            prepared: BTreeMap::new(),
        }
    }
}

/// What preparing a card found for one family of backbones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Each variant, in the order they were tried; the plain one first.
    pub tried: Vec<Tried>,
}

/// How one variant did on a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Which.
    pub variant: ComputeVariant,
    /// Largest error of the answers against the CPU's, relative to the largest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_error: Option<f64>,
    /// The same of all gradients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient_error: Option<f64>,
    /// Training speed of the network it was tried with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images_per_second: Option<f64>,
    /// Why it is not used; none for a right one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Tried {
    /// One that is not used.
    pub fn refused(variant: ComputeVariant, why: impl Into<String>) -> Self {
        Self {
            variant,
            forward_error: None,
            gradient_error: None,
            images_per_second: None,
            refused: Some(why.into()),
        }
    }

    /// Its speed, where it computes rightly.
    pub fn speed(&self) -> Option<f64> {
        match self.refused {
            None => self.images_per_second,
            Some(_) => None,
        }
    }
}

/// How much faster than a plainer one a variant must be: less is chance.
const NOTABLY: f64 = 1.03;
/// The same of one that rounds the weights: a run's figures change a little with it.
const FOR_ROUNDING: f64 = 1.10;

impl Prepared {
    /// The fastest right variant; none where not even one is right. The plainer one where the
    /// difference is small, and one that rounds weights only where it is worth that.
    pub fn best(&self) -> Option<ComputeVariant> {
        let exact = self.fastest(Some(WeightType::F32));
        let rounded = self.fastest(Some(WeightType::F16));
        match (exact, rounded) {
            (Some(exact), Some(rounded)) if rounded.1 > exact.1 * FOR_ROUNDING => Some(rounded.0),
            (Some((variant, _)), _) | (None, Some((variant, _))) => Some(variant),
            (None, None) => None,
        }
    }

    /// The fastest right one with weights of this type.
    pub fn best_with(&self, weights: WeightType) -> Option<ComputeVariant> {
        self.fastest(Some(weights)).map(|(variant, _)| variant)
    }

    fn fastest(&self, weights: Option<WeightType>) -> Option<(ComputeVariant, f64)> {
        let mut best: Option<(ComputeVariant, f64)> = None;
        let fitting = |tried: &&Tried| weights.is_none_or(|w| tried.variant.weights == w);
        for tried in self.tried.iter().filter(fitting) {
            let Some(speed) = tried.speed() else { continue };
            if best.is_none_or(|(_, fastest)| speed > fastest * NOTABLY) {
                best = Some((tried.variant, speed));
            }
        }
        best
    }

    /// How this one did; none where it was not tried.
    pub fn of(&self, variant: ComputeVariant) -> Option<&Tried> {
        self.tried.iter().find(|tried| tried.variant == variant)
    }
}

/// All that is kept, by card.
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
    include_str!("../nn/gpu/plans.rs"),
    include_str!("../nn/gpu/product/mod.rs"),
    include_str!("../nn/gpu/product/operand.rs"),
    include_str!("../nn/gpu/product/text.rs"),
    include_str!("../nn/gpu/product/tiles.rs"),
    include_str!("../nn/gpu/rows.rs"),
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
    // Two cards of one make have a verdict each.
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

/// The kept verdict of a card.
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

/// Keeps what preparing a card found for a family.
///
/// # Errors
/// A Problem when the file of verdicts cannot be written.
pub fn keep_prepared(info: &DeviceInfo, family: &str, found: &Prepared) -> Result<()> {
    change(cache_file().as_deref(), |book| {
        // A card without a verdict was never tested, and is to be tested first.
        if let Some(verdict) = book.get_mut(&key(info)) {
            verdict.prepared.insert(family.to_string(), found.clone());
        }
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
    // A folder that cannot be made is told of where the file in it cannot be.
    let _ = std::fs::create_dir_all(folder);
    let _held = files::lock_own(&file.with_extension("lock"), PATIENCE);
    let mut book = book(Some(file));
    change(&mut book);
    let text = toml::to_string(&book).map_err(|error| {
        Problem::new(message!(
            "problem-no-file-can-be-made-of",
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
    write().map_err(|error| Problem::io("keep what was found about a card", file, &error))
}

/// What was found so far, as it is kept; none where nothing was tested.
pub fn verdicts() -> Option<String> {
    files::read_text(&cache_file()?, files::TEXT).ok()
}

/// What preparing this card found, by family of backbones.
pub fn prepared(info: &DeviceInfo) -> BTreeMap<String, Prepared> {
    let verdict = kept(info, cache_file().as_deref());
    verdict.map(|verdict| verdict.prepared).unwrap_or_default()
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

    fn tried(name: &str, speed: f64) -> Tried {
        Tried {
            variant: name.parse().unwrap_or_default(),
            forward_error: Some(1e-6),
            gradient_error: Some(1e-6),
            images_per_second: Some(speed),
            refused: None,
        }
    }

    fn best(tried: &[Tried]) -> Option<String> {
        let found = Prepared {
            tried: tried.to_vec(),
        };
        found.best().map(|variant| variant.to_string())
    }

    #[test]
    fn the_fastest_right_one_is_best_and_chance_decides_nothing() {
        let plain = tried("plain", 100.0);
        let same = tried("f32-decomposed-bytes", 102.0);
        let faster = tried("f32-fused-bytes", 130.0);
        let wrong = Tried {
            refused: Some("off by 3".into()),
            ..tried("f32-fused-floats", 900.0)
        };
        let fastest =
            |list: &[&Tried]| best(&list.iter().map(|t| (*t).clone()).collect::<Vec<_>>());
        assert_eq!(
            fastest(&[&plain, &same]).as_deref(),
            Some("f32-decomposed-floats")
        );
        assert_eq!(
            fastest(&[&plain, &same, &wrong, &faster]).as_deref(),
            Some("f32-fused-bytes")
        );
        assert_eq!(fastest(&[&wrong]), None);
        // Rounded weights have to be worth it.
        let rounded = tried("f16-fused-bytes", 135.0);
        assert_eq!(
            fastest(&[&faster, &rounded]).as_deref(),
            Some("f32-fused-bytes")
        );
        let rounded = tried("f16-fused-bytes", 200.0);
        assert_eq!(
            fastest(&[&faster, &rounded]).as_deref(),
            Some("f16-fused-bytes")
        );
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
