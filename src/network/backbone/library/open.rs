//! Loads a backbone from an entry or a file, and downloads it if necessary.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use burn::tensor::Device;

use super::bare_file::apply_choice;
use super::entry::{BackboneChoice, BackboneEntry, WeightSource};
use super::hashes;
use super::model_config::{CONFIG, PREPROCESSOR, read_json_object};
use super::resolve::{ResolvedName, WEIGHT_FILES};
use super::{BackboneLibrary, embedded_file};
use crate::backbone::normalisation::Normalisation;
use crate::backbone::weights::{self, Tensors, sha256_of_bytes};
use crate::backbone::{Backbone, families};
use crate::data::transform::InputSpec;
use crate::fetch::{self, DownloadProgress};
use crate::memory::available_bytes;
use crate::message;
use crate::nn::{WeightPlacement, WeightType};
use crate::problem::{Problem, Result};
use crate::texts::Words;

/// A backbone ready to use.
pub struct OpenedBackbone {
    /// The frozen network.
    pub backbone: Arc<dyn Backbone>,
    /// Its entry in the table.
    pub entry: BackboneEntry,
    /// How images are resized and cropped.
    pub input: InputSpec,
    /// The normalisation of pixels in [0, 1].
    pub normalisation: Normalisation,
    /// SHA-256 of the weight file in hexadecimal digits; empty for random weights.
    pub sha256: String,
    /// Length of the weight file in bytes.
    pub bytes: u64,
    /// The weight file; `None` for embedded and for random weights.
    pub path: Option<PathBuf>,
    /// Assumptions about what the file does not contain (sentences).
    pub assumptions: Vec<Words>,
    /// Number format of its frozen matrices.
    pub weights: WeightType,
}

impl OpenedBackbone {
    fn new(backbone: Arc<dyn Backbone>, entry: BackboneEntry, weights: WeightType) -> Self {
        Self {
            weights,
            backbone,
            input: entry.input_spec(),
            normalisation: entry.transform.normalisation,
            entry,
            sha256: String::new(),
            bytes: 0,
            path: None,
            assumptions: Vec::new(),
        }
    }

    /// Returns whether it is on a GPU.
    pub fn is_on_gpu(&self) -> bool {
        self.backbone.device() != Device::flex()
    }
}

/// A checked backbone that is not on a device yet; its values are in the file or in memory.
pub struct UnplacedBackbone {
    entry: BackboneEntry,
    tensors: Tensors,
    path: Option<PathBuf>,
    sha256: String,
    bytes: u64,
    assumptions: Vec<Words>,
}

impl UnplacedBackbone {
    /// Reads all values into memory, so that [`UnplacedBackbone::place`] reads no file.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.tensors.read_ahead()
    }

    /// Returns the length of its file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn with_transform(mut self, choice: BackboneChoice<'_>) -> Self {
        self.entry = self.entry.with_transform(choice.pretrained_transform);
        self
    }

    /// Builds the network on a device.
    pub fn place(self, placement: impl Into<WeightPlacement>) -> Result<OpenedBackbone> {
        let to = placement.into();
        let weights = to.weights;
        let backbone = self.entry.architecture.assemble(self.tensors, to)?;
        Ok(OpenedBackbone {
            path: self.path,
            sha256: self.sha256,
            bytes: self.bytes,
            assumptions: self.assumptions,
            ..OpenedBackbone::new(backbone, self.entry, weights)
        })
    }
}

impl BackboneLibrary {
    /// Opens a backbone by name or file, and downloads its weights if they are not available. `progress` receives the
    /// progress of the download and cancels it by returning false.
    pub fn open<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        placement: impl Into<WeightPlacement>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<OpenedBackbone> {
        self.read(choice, progress)?.place(placement)
    }

    /// Like [`BackboneLibrary::open`], without placing the backbone on a device.
    pub fn read<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<UnplacedBackbone> {
        let choice = choice.into();
        let unplaced = match self.resolve(choice.name)? {
            ResolvedName::File(path) => self.read_file(&path, choice),
            ResolvedName::Entry(entry) if entry.source == WeightSource::Embedded => {
                open_embedded(apply_choice(entry.clone(), choice)?)
            }
            ResolvedName::Entry(entry) => {
                let path = self.obtain(entry, progress)?;
                open_checked(apply_choice(entry.clone(), choice)?, &path, Vec::new())
            }
            ResolvedName::Hub(repository) => {
                let path = self.obtain_repository(&repository, progress)?;
                self.read_file(&path, choice)
            }
        };
        Ok(unplaced?.with_transform(choice))
    }

    /// Returns the SHA-256 of a backbone's weights, or the expected one before they are downloaded; `None` if it is
    /// not known in advance.
    ///
    /// # Errors
    /// Returns a Problem if there is no such backbone, or its file cannot be read.
    pub fn sha256<'a>(&self, choice: impl Into<BackboneChoice<'a>>) -> Result<Option<String>> {
        let choice = choice.into();
        let (entry, path) = match self.resolve(choice.name)? {
            ResolvedName::Entry(entry) if entry.source == WeightSource::Embedded => {
                return Ok(embedded_file(&entry.name).map(sha256_of_bytes));
            }
            ResolvedName::Entry(entry) => (entry.clone(), self.local_file(entry)),
            ResolvedName::File(path) => {
                let entry = self.entry_of_file(&path, choice)?.0;
                (entry, Some(path))
            }
            ResolvedName::Hub(_) => return Ok(None),
        };
        let location = path.clone().or_else(|| self.locations.cached_file(&entry));
        let expected = location.and_then(|place| hashes::expected_hash(&entry, &place));
        match (expected, path) {
            (Some(expected), _) => Ok(Some(expected.sha256)),
            (None, Some(path)) => fetch::sha256_of_file(&path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Reads a backbone with weights from a file that the user chose, for computers without internet access.
    pub fn read_from_file<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        file: &Path,
    ) -> Result<UnplacedBackbone> {
        let choice = choice.into();
        let unplaced = match self.resolve(choice.name)? {
            ResolvedName::Entry(entry) => {
                open_checked(apply_choice(entry.clone(), choice)?, file, Vec::new())
            }
            ResolvedName::File(_) | ResolvedName::Hub(_) => self.read_file(file, choice),
        };
        Ok(unplaced?.with_transform(choice))
    }

    /// Returns a backbone with this name and random weights, for measurements.
    pub fn open_random<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        seed: u64,
        placement: impl Into<WeightPlacement>,
    ) -> Result<OpenedBackbone> {
        let to = placement.into();
        let weights = to.weights;
        let description = self.describe(choice)?;
        check_memory(description.parameters, available_bytes())?;
        let entry = description.entry;
        let backbone = entry.architecture.build_random(seed, to)?;
        Ok(OpenedBackbone {
            assumptions: vec![message!("network-random").into()],
            ..OpenedBackbone::new(backbone, entry, weights)
        })
    }

    fn read_file(&self, path: &Path, choice: BackboneChoice<'_>) -> Result<UnplacedBackbone> {
        let (entry, assumptions) = self.entry_of_file(path, choice)?;
        open_checked(entry, path, assumptions)
    }

    /// Downloads a backbone that cannot be described before: a repository of the hub that is in no table.
    ///
    /// # Errors
    /// As [`BackboneLibrary::obtain`].
    pub fn download_unlisted<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<()> {
        match self.resolve(choice.into().name)? {
            ResolvedName::Hub(repository) => {
                self.obtain_repository(&repository, progress).map(drop)
            }
            ResolvedName::Entry(_) | ResolvedName::File(_) => Ok(()),
        }
    }

    /// Downloads the configuration files and weights of a repository; returns the path of the weights.
    fn obtain_repository(
        &self,
        repository: &str,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<PathBuf> {
        let folder = self.locations.repository_folder(repository);
        let mut download = |file: &str| {
            let url = self.locations.file_url(repository, "main", file);
            fetch::download(&url, &folder.join(file), None, None, progress)
        };
        let is_absent = |problem: &Problem| problem.is("problem-address-without-file");
        let mut download_json = |file: &str| -> Result<()> {
            let path = download(file)?.path;
            // For example a login page. It must not stay in the cache.
            read_json_object(&path).map(drop).inspect_err(|_| {
                let _ = fs::remove_file(&path);
            })
        };
        download_json(CONFIG)?;
        match download_json(PREPROCESSOR) {
            Err(problem) if !is_absent(&problem) => return Err(problem),
            _ => {}
        }
        // The weights are downloaded last, so that their presence means that the download is complete.
        for (number, file) in WEIGHT_FILES.into_iter().enumerate() {
            match download(file) {
                Err(problem) if is_absent(&problem) && number + 1 < WEIGHT_FILES.len() => {}
                downloaded => {
                    let downloaded = downloaded?;
                    let url = self.locations.file_url(repository, "main", file);
                    check_weights(&downloaded.path, &url)?;
                    hashes::store_hash(&downloaded.path, &downloaded.sha256)?;
                    return Ok(downloaded.path);
                }
            }
        }
        Err(Problem::new(message!("problem-weights-not-found", name = repository)))
    }

    /// Downloads an entry's weights if they are not available; returns their path.
    pub fn obtain(
        &self,
        entry: &BackboneEntry,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<PathBuf> {
        if let Some(path) = self.local_file(entry) {
            return Ok(path);
        }
        let (Some(url), Some(path)) =
            (self.locations.url(entry), self.locations.cached_file(entry))
        else {
            let mut problem =
                Problem::new(message!("problem-weights-not-found", name = &entry.name));
            if let WeightSource::File(path) = &entry.source {
                problem = problem.at_path(path);
            }
            return Err(problem.advise(message!("advice-correct-backbone-path")));
        };
        let expected = hashes::expected_hash(entry, &path);
        let hash = expected.as_ref().map(|expected| expected.sha256.as_str());
        let downloaded = fetch::download(&url, &path, hash, None, progress).map_err(|problem| {
            let record = expected.as_ref().and_then(|known| known.record.as_ref());
            let record = record.filter(|_| problem.is(fetch::HASH_MISMATCH_ID));
            let problem = match record {
                None => problem,
                // The advice of the original problem, to download again, would give the same file.
                Some(record) => {
                    let place = record.display().to_string();
                    Problem::new(message!("problem-hash-changed", what = &problem.what))
                        .at(&url)
                        .advise(message!("advice-hash-changed", place))
                }
            };
            let remedy = problem.remedy.clone();
            let choose = format!(
                "without internet access, download {url} on another computer and use that file as the backbone"
            );
            let advice = if remedy.is_empty() {
                choose
            } else {
                format!("{remedy}; {choose}")
            };
            problem.advise(advice)
        })?;
        if expected.is_none() {
            check_weights(&downloaded.path, &url)?;
        }
        // A server may replace a file, so later downloads are compared with the first one.
        hashes::store_hash(&path, &downloaded.sha256)?;
        Ok(downloaded.path)
    }
}

/// Removes a downloaded file that is not a weight file, for example a login page or a truncated file. It must not stay
/// in the cache.
///
/// # Errors
/// Returns a Problem for such a file.
fn check_weights(path: &Path, url: &str) -> Result<()> {
    let Err(problem) = weights::open(path) else {
        return Ok(());
    };
    let _ = fs::remove_file(path);
    let what = &problem.what;
    Err(Problem::new(message!("problem-download-no-weight-file", url, what))
        .at(url)
        .advise(message!("advice-download-on-other-computer")))
}

/// Opens a weight file and compares its hash with the expected one.
fn open_checked(
    entry: BackboneEntry,
    path: &Path,
    mut assumptions: Vec<Words>,
) -> Result<UnplacedBackbone> {
    let tensors = weights::open(path)?;
    let meta =
        fs::metadata(path).map_err(|error| Problem::io("read the weight file", path, &error))?;
    let sha256 = fetch::sha256_of_file(path)?;
    if let Some(expected) = hashes::expected_hash(&entry, path) {
        if expected.sha256 != sha256 {
            let advice = match &expected.record {
                None => message!("advice-delete-and-download-again"),
                // The hash of the first download does not match if the publisher has changed the file.
                Some(record) => {
                    message!("advice-delete-file-and-hash", place = record.display().to_string())
                }
            };
            return Err(Problem::new(message!(
                "problem-weights-hash-mismatch",
                name = &entry.name,
                sha256,
                known = &expected.sha256
            ))
            .at_path(path)
            .advise(advice));
        }
        // The hash may be known only from the first download.
        assumptions.extend(expected.first_download_warning());
    }
    Ok(UnplacedBackbone {
        entry,
        tensors: families::extract_network(tensors)?,
        path: Some(path.to_owned()),
        sha256,
        bytes: meta.len(),
        assumptions,
    })
}

fn open_embedded(entry: BackboneEntry) -> Result<UnplacedBackbone> {
    let Some(file) = embedded_file(&entry.name) else {
        let name = entry.name.to_string();
        return Err(Problem::new(message!("problem-weights-not-found", name)));
    };
    Ok(UnplacedBackbone {
        tensors: Tensors::from_embedded(&entry.name, file)?,
        entry,
        path: None,
        sha256: sha256_of_bytes(file),
        bytes: file.len() as u64,
        assumptions: Vec::new(),
    })
}

/// Returns a Problem if random weights would need more than the free memory, because a table may contain any
/// dimensions. Each weight is counted twice, since the layers are made from temporary copies.
fn check_memory(weights: usize, available: Option<u64>) -> Result<()> {
    let needed = (weights as u64).saturating_mul(4 + 4);
    match available.filter(|free| needed > *free) {
        Some(free) => Err(Problem::new(message!(
            "problem-weights-memory-short",
            weights = weights.to_string(),
            needed = needed.div_ceil(1 << 20).to_string(),
            free = (free >> 20).to_string()
        ))
        .advise(message!("advice-specify-smaller-network"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_memory_rejects_weights_beyond_free_memory() {
        assert!(check_memory(1 << 30, Some(8 << 30)).is_ok());
        assert!(check_memory(1 << 30, None).is_ok());
        for (weights, free) in [((1 << 30) + 1, 8 << 30), (usize::MAX, u64::MAX - 1)] {
            let problem = check_memory(weights, Some(free)).err();
            assert!(problem.is_some_and(|problem| problem.is("problem-weights-memory-short")));
        }
    }
}
