//! Loads a backbone from an entry or a file, and downloads it if necessary.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bare_file::given;
use super::entry::{BackboneChoice, BackboneEntry, WeightSource};
use super::hashes;
use super::model_config::{CONFIG, PREPROCESSOR};
use super::resolve::{Meaning, WEIGHT_FILES};
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
pub struct Opened {
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
    pub assumed: Vec<Words>,
    /// Number format of its frozen matrices.
    pub weights: WeightType,
}

impl Opened {
    fn new(backbone: Arc<dyn Backbone>, entry: BackboneEntry, weights: WeightType) -> Self {
        Self {
            weights,
            backbone,
            input: entry.input(),
            normalisation: entry.transform.normalisation,
            entry,
            sha256: String::new(),
            bytes: 0,
            path: None,
            assumed: Vec::new(),
        }
    }
}

/// A checked backbone that is not on a device yet; its values are in the file or in memory.
pub struct Unplaced {
    entry: BackboneEntry,
    tensors: Tensors,
    path: Option<PathBuf>,
    sha256: String,
    bytes: u64,
    assumed: Vec<Words>,
}

impl Unplaced {
    /// Reads all values into memory, so that [`Unplaced::place`] reads no file.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.tensors.read_ahead()
    }

    /// Returns the length of its file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn prepared(mut self, choice: BackboneChoice<'_>) -> Self {
        self.entry = self.entry.prepared(choice.pretrained_transform);
        self
    }

    /// Builds the network on a device.
    pub fn place(self, to: impl Into<WeightPlacement>) -> Result<Opened> {
        let to = to.into();
        let weights = to.weights;
        let backbone = self.entry.architecture.assemble(self.tensors, to)?;
        Ok(Opened {
            path: self.path,
            sha256: self.sha256,
            bytes: self.bytes,
            assumed: self.assumed,
            ..Opened::new(backbone, self.entry, weights)
        })
    }
}

impl BackboneLibrary {
    /// Opens a backbone by name or file, and downloads its weights if they are not available. `progress` receives the
    /// progress of the download and cancels it by returning false.
    pub fn open<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        to: impl Into<WeightPlacement>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<Opened> {
        self.read(choice, progress)?.place(to)
    }

    /// Like [`BackboneLibrary::open`], without placing the backbone on a device.
    pub fn read<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<Unplaced> {
        let choice = choice.into();
        let read = match self.meaning(choice.name)? {
            Meaning::File(path) => self.read_file(&path, choice),
            Meaning::Entry(entry) if entry.source == WeightSource::Embedded => {
                embedded(given(entry.clone(), choice)?)
            }
            Meaning::Entry(entry) => {
                let path = self.obtain(entry, progress)?;
                checked(given(entry.clone(), choice)?, &path, Vec::new())
            }
            Meaning::Hub(repository) => {
                let path = self.obtain_repository(&repository, progress)?;
                self.read_file(&path, choice)
            }
        };
        Ok(read?.prepared(choice))
    }

    /// Returns the SHA-256 of a backbone's weights, or the expected one before they are downloaded; `None` if it is
    /// not known in advance.
    ///
    /// # Errors
    /// Returns a Problem if there is no such backbone, or its file cannot be read.
    pub fn sha256<'a>(&self, choice: impl Into<BackboneChoice<'a>>) -> Result<Option<String>> {
        let choice = choice.into();
        let (entry, path) = match self.meaning(choice.name)? {
            Meaning::Entry(entry) if entry.source == WeightSource::Embedded => {
                return Ok(embedded_file(&entry.name).map(sha256_of_bytes));
            }
            Meaning::Entry(entry) => (entry.clone(), self.file_at_hand(entry)),
            Meaning::File(path) => {
                let entry = self.entry_of_file(&path, choice)?.0;
                (entry, Some(path))
            }
            Meaning::Hub(_) => return Ok(None),
        };
        let place = path.clone().or_else(|| self.places.own_file(&entry));
        let expected = place.and_then(|place| hashes::expected(&entry, &place));
        match (expected, path) {
            (Some(expected), _) => Ok(Some(expected.known)),
            (None, Some(path)) => fetch::sha256_of_file(&path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Reads a backbone with weights from a file that the user chose, for computers without internet access.
    pub fn read_with<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        file: &Path,
    ) -> Result<Unplaced> {
        let choice = choice.into();
        let read = match self.meaning(choice.name)? {
            Meaning::Entry(entry) => checked(given(entry.clone(), choice)?, file, Vec::new()),
            Meaning::File(_) | Meaning::Hub(_) => self.read_file(file, choice),
        };
        Ok(read?.prepared(choice))
    }

    /// Returns a backbone with this name and random weights, for measurements.
    pub fn random<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        seed: u64,
        to: impl Into<WeightPlacement>,
    ) -> Result<Opened> {
        let to = to.into();
        let weights = to.weights;
        let about = self.describe(choice)?;
        enough_memory(about.parameters, available_bytes())?;
        let entry = about.entry;
        let backbone = entry.architecture.random(seed, to)?;
        Ok(Opened {
            assumed: vec![message!("network-random").into()],
            ..Opened::new(backbone, entry, weights)
        })
    }

    fn read_file(&self, path: &Path, choice: BackboneChoice<'_>) -> Result<Unplaced> {
        let (entry, assumed) = self.entry_of_file(path, choice)?;
        checked(entry, path, assumed)
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
        match self.meaning(choice.into().name)? {
            Meaning::Hub(repository) => self.obtain_repository(&repository, progress).map(drop),
            Meaning::Entry(_) | Meaning::File(_) => Ok(()),
        }
    }

    /// Downloads the configuration files and weights of a repository; returns the path of the weights.
    fn obtain_repository(
        &self,
        repository: &str,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<PathBuf> {
        let folder = self.places.repository_folder(repository);
        let mut get = |file: &str| {
            let url = self.places.resolved(repository, "main", file);
            fetch::download(&url, &folder.join(file), None, None, progress)
        };
        let is_absent = |problem: &Problem| problem.is("problem-address-without-file");
        get(CONFIG)?;
        match get(PREPROCESSOR) {
            Err(problem) if !is_absent(&problem) => return Err(problem),
            _ => {}
        }
        // The weights are downloaded last, so that their presence means that the download is complete.
        for (number, file) in WEIGHT_FILES.into_iter().enumerate() {
            match get(file) {
                Err(problem) if is_absent(&problem) && number + 1 < WEIGHT_FILES.len() => {}
                got => {
                    let got = got?;
                    hashes::keep(&got.path, &got.sha256)?;
                    return Ok(got.path);
                }
            }
        }
        Err(Problem::new(message!(
            "problem-weights-not-found",
            name = repository
        )))
    }

    /// Downloads an entry's weights if they are not available; returns their path.
    pub fn obtain(
        &self,
        entry: &BackboneEntry,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<PathBuf> {
        if let Some(path) = self.file_at_hand(entry) {
            return Ok(path);
        }
        let (Some(url), Some(path)) = (self.places.address(entry), self.places.own_file(entry))
        else {
            let mut problem =
                Problem::new(message!("problem-weights-not-found", name = &entry.name));
            if let WeightSource::File(path) = &entry.source {
                problem = problem.at_path(path);
            }
            return Err(problem.advise(message!("advice-correct-backbone-path")));
        };
        let expected = hashes::expected(entry, &path);
        let hash = expected.as_ref().map(|expected| expected.known.as_str());
        let got = fetch::download(&url, &path, hash, None, progress).map_err(|problem| {
            let record = expected.as_ref().and_then(|known| known.record.as_ref());
            let record = record.filter(|_| problem.is(fetch::OTHER_FILE));
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
            let joined = if remedy.is_empty() {
                choose
            } else {
                format!("{remedy}; {choose}")
            };
            problem.advise(joined)
        })?;
        if expected.is_none()
            && let Err(problem) = weights::open(&got.path)
        {
            // For example a login page, or a truncated file. It must not stay in the cache.
            let _ = fs::remove_file(&got.path);
            return Err(Problem::new(message!(
                "problem-download-no-weight-file",
                url = &url,
                what = &problem.what
            ))
            .at(url)
            .advise(message!("advice-download-on-other-computer")));
        }
        // A server may replace a file, so later downloads are compared with the first one.
        hashes::keep(&path, &got.sha256)?;
        Ok(got.path)
    }
}

/// Opens a weight file and compares its hash with the expected one.
fn checked(entry: BackboneEntry, path: &Path, mut assumed: Vec<Words>) -> Result<Unplaced> {
    let tensors = weights::open(path)?;
    let meta =
        fs::metadata(path).map_err(|error| Problem::io("read the weight file", path, &error))?;
    let sha256 = fetch::sha256_of_file(path)?;
    if let Some(expected) = hashes::expected(&entry, path) {
        if expected.known != sha256 {
            return Err(Problem::new(message!(
                "problem-weights-hash-mismatch",
                name = &entry.name,
                sha256,
                known = &expected.known
            ))
            .at_path(path)
            .advise(message!("advice-delete-and-download-again")));
        }
        // The hash may be known only from the first download.
        assumed.extend(expected.taken_on_trust());
    }
    Ok(Unplaced {
        entry,
        tensors: families::unwrapped(tensors)?,
        path: Some(path.to_owned()),
        sha256,
        bytes: meta.len(),
        assumed,
    })
}

fn embedded(entry: BackboneEntry) -> Result<Unplaced> {
    let Some(file) = embedded_file(&entry.name) else {
        let name = entry.name.to_string();
        return Err(Problem::new(message!("problem-weights-not-found", name)));
    };
    Ok(Unplaced {
        tensors: Tensors::embedded(&entry.name, file)?,
        entry,
        path: None,
        sha256: sha256_of_bytes(file),
        bytes: file.len() as u64,
        assumed: Vec::new(),
    })
}

/// Returns a Problem if random weights would need more than the free memory, because a table may contain any
/// dimensions. Each weight is counted twice, since the layers are made from temporary copies.
fn enough_memory(weights: usize, free: Option<u64>) -> Result<()> {
    let needed = (weights as u64).saturating_mul(4 + 4);
    match free.filter(|free| needed > *free) {
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
    fn enough_memory_rejects_weights_beyond_free_memory() {
        assert!(enough_memory(1 << 30, Some(8 << 30)).is_ok());
        assert!(enough_memory(1 << 30, None).is_ok());
        for (weights, free) in [((1 << 30) + 1, 8 << 30), (usize::MAX, u64::MAX - 1)] {
            let problem = enough_memory(weights, Some(free)).err();
            assert!(problem.is_some_and(|problem| problem.is("problem-weights-memory-short")));
        }
    }
}
