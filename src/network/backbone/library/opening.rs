//! From an entry or a file to a backbone in memory, downloaded if necessary.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::{BackboneChoice, BackboneEntry, NOT_STATED, WeightSource};
use super::hashes::{self, Expected};
use super::{BackboneLibrary, EMBEDDED, Meaning, NANO};
use crate::backbone::normalisation::Normalisation;
use crate::backbone::weights::{self, Tensors, sha256_of_bytes};
use crate::backbone::{Backbone, families};
use crate::data::transform::{InputSpec, Resize, is_crop_ratio};
use crate::fetch::{self, DownloadProgress};
use crate::memory::available_bytes;
use crate::message;
use crate::nn::{Place, WeightType};
use crate::problem::{Problem, Result};
use crate::texts::Words;

/// A backbone ready to use.
pub struct Opened {
    /// The frozen network.
    pub backbone: Arc<dyn Backbone>,
    /// What it is, where it comes from, where PETs usually sit.
    pub entry: BackboneEntry,
    /// How images are resized and cut.
    pub input: InputSpec,
    /// What pixels in [0, 1] go through.
    pub normalisation: Normalisation,
    /// SHA-256 of the weight file in hexadecimal digits; empty for random weights.
    pub sha256: String,
    /// Length of the weight file in bytes.
    pub bytes: u64,
    /// The weight file; `None` for embedded and for random weights.
    pub path: Option<PathBuf>,
    /// What the file does not say and was assumed (sentences).
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
            normalisation: entry.normalisation,
            entry,
            sha256: String::new(),
            bytes: 0,
            path: None,
            assumed: Vec::new(),
        }
    }
}

/// A backbone before it is on any device: checked, its numbers still in the file or in memory.
pub struct Unplaced {
    entry: BackboneEntry,
    tensors: Tensors,
    path: Option<PathBuf>,
    sha256: String,
    bytes: u64,
    assumed: Vec<Words>,
}

impl Unplaced {
    /// Reads all numbers into memory, so that placing them touches no file.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.tensors.read_ahead()
    }

    /// Length of its file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn prepared(mut self, choice: BackboneChoice<'_>) -> Self {
        self.entry = self.entry.prepared(choice.pretrained_transform);
        self
    }

    /// Makes the network on a device.
    pub fn place(self, to: impl Into<Place>) -> Result<Opened> {
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
    /// Opens a backbone by name or file, downloading its weights if they are not available.
    /// `progress` gets the state of the download and stops it by returning false.
    pub fn open<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        to: impl Into<Place>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<Opened> {
        self.read(choice, progress)?.place(to)
    }

    /// As [`BackboneLibrary::open`], short of placing it on a device.
    pub fn read<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        progress: &mut dyn FnMut(DownloadProgress) -> bool,
    ) -> Result<Unplaced> {
        let choice = choice.into();
        let read = match self.meaning(choice.name)? {
            Meaning::File(path) => self.read_file(&path),
            Meaning::Entry(entry) if entry.source == WeightSource::Embedded => embedded(entry),
            Meaning::Entry(entry) => {
                let path = self.obtain(entry, progress)?;
                checked(entry.clone(), &path, Vec::new())
            }
        };
        Ok(read?.prepared(choice))
    }

    /// The SHA-256 that the weights of a backbone have, or will have once they are downloaded; `None` if nobody knows
    /// before.
    ///
    /// # Errors
    /// There is no such backbone, or its file cannot be read.
    pub fn sha256(&self, name: &str) -> Result<Option<String>> {
        let (entry, path) = match self.meaning(name)? {
            Meaning::Entry(entry) if entry.source == WeightSource::Embedded => {
                return Ok(Some(sha256_of_bytes(NANO)));
            }
            Meaning::Entry(entry) => (entry.clone(), self.file_at_hand(entry)),
            Meaning::File(path) => {
                let entry = self.entry_of_file(&path, &weights::open_header(&path)?)?.0;
                (entry, Some(path))
            }
        };
        let place = path.clone().or_else(|| self.places.own_file(&entry));
        let expected = place.and_then(|place| hashes::expected(&entry, &place));
        match (expected, path) {
            (Some(expected), _) => Ok(Some(expected.known)),
            (None, Some(path)) => fetch::sha256_of_file(&path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Reads the entry `name` with weights from a file the user chose, for machines without
    /// internet.
    pub fn read_with<'a>(
        &self,
        choice: impl Into<BackboneChoice<'a>>,
        file: &Path,
    ) -> Result<Unplaced> {
        let choice = choice.into();
        let read = match self.meaning(choice.name)? {
            Meaning::Entry(entry) => checked(entry.clone(), file, Vec::new()),
            Meaning::File(_) => self.read_file(file),
        };
        Ok(read?.prepared(choice))
    }

    /// A backbone of this name with random weights, for measurements.
    pub fn random(&self, name: &str, seed: u64, to: impl Into<Place>) -> Result<Opened> {
        let to = to.into();
        let weights = to.weights;
        let about = self.describe(name)?;
        enough_memory(about.parameters, available_bytes())?;
        let entry = about.entry;
        let backbone = entry.architecture.random(seed, to)?;
        Ok(Opened {
            assumed: vec![message!("network-random").into()],
            ..Opened::new(backbone, entry, weights)
        })
    }

    fn read_file(&self, path: &Path) -> Result<Unplaced> {
        let tensors = weights::open_header(path)?;
        let (entry, assumed) = self.entry_of_file(path, &tensors)?;
        checked(entry, path, assumed)
    }

    /// The entry a bare file stands for: the one whose name the file carries, else one made of
    /// what the file says.
    pub(super) fn entry_of_file(
        &self,
        path: &Path,
        tensors: &Tensors,
    ) -> Result<(BackboneEntry, Vec<Words>)> {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == stem) {
            let mut entry = entry.clone();
            entry.source = WeightSource::File(path.to_owned());
            return Ok((entry, Vec::new()));
        }
        let inferred = families::infer(tensors)?;
        let number = |key: &str| {
            let number: Option<f32> = tensors.metadata().get(key)?.parse().ok();
            number.filter(|number| number.is_finite())
        };
        let mut assumed = inferred.assumed;
        let normalisation = match (number("mean"), number("std")) {
            (Some(mean), Some(std)) if std != 0.0 => Normalisation::even(mean, std),
            _ => {
                let (usual, told) = inferred.architecture.family().pixels;
                assumed.push(message!(told).into());
                usual
            }
        };
        let crop_ratio = number("crop_ratio").filter(|ratio| is_crop_ratio(*ratio));
        let crop_ratio = crop_ratio.unwrap_or(0.875);
        let entry = BackboneEntry {
            title: stem.clone(),
            name: tensors.metadata().get("name").cloned().unwrap_or(stem),
            pet_blocks: inferred.architecture.default_pet_blocks(),
            architecture: inferred.architecture,
            normalisation,
            crop_ratio,
            resize: Resize::default(),
            paper: (normalisation, crop_ratio),
            source: WeightSource::File(path.to_owned()),
            size_mb: fs::metadata(path).ok().map(|meta| meta.len() / 1_000_000),
            sha256: None,
            licence: NOT_STATED.into(),
            pretrained_on: NOT_STATED.into(),
            warning: None,
        };
        Ok((entry, assumed))
    }

    /// Brings an entry's weights onto this computer and returns their place.
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
            let mut problem = Problem::new(message!(
                "problem-weights-not-found",
                name = entry.name.to_string()
            ));
            if let WeightSource::File(path) = &entry.source {
                problem = problem.at_path(path);
            }
            return Err(problem.advise(message!("advice-correct-backbone-path")));
        };
        let expected = hashes::expected(entry, &path);
        let hash = expected.as_ref().map(|expected| expected.known.as_str());
        let got = fetch::download(&url, &path, hash, None, progress).map_err(|problem| {
            let other = problem.is(fetch::OTHER_FILE);
            let kept = expected
                .as_ref()
                .and_then(Expected::place)
                .filter(|_| other);
            let problem = match kept {
                None => problem,
                // Better than asking the same server again.
                Some(place) => Problem::new(message!(
                    "problem-hash-changed",
                    what = problem.what.to_string()
                ))
                .at(&url)
                .advise(message!(
                    "advice-hash-changed",
                    place = place.display().to_string()
                )),
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
            && let Err(problem) = weights::open_header(&got.path)
        {
            // A page that asks for a password, or a body that was cut: not to be kept.
            let _ = fs::remove_file(&got.path);
            return Err(Problem::new(message!(
                "problem-download-no-weight-file",
                url = url.to_string(),
                what = problem.what.to_string()
            ))
            .at(url)
            .advise(message!("advice-download-on-other-computer")));
        }
        // A server may change a file: what comes later is compared with what came first.
        hashes::keep(&path, &got.sha256)?;
        Ok(got.path)
    }
}

/// Opens a weight file and holds it against what is known of it.
fn checked(entry: BackboneEntry, path: &Path, assumed: Vec<Words>) -> Result<Unplaced> {
    let file = weights::open(path)?;
    let mut assumed = assumed;
    if let Some(expected) = hashes::expected(&entry, path) {
        if expected.known != file.sha256 {
            return Err(Problem::new(message!(
                "problem-weights-hash-mismatch",
                name = entry.name.to_string(),
                sha256 = file.sha256.to_string(),
                known = expected.known.to_string()
            ))
            .at_path(path)
            .advise(message!("advice-delete-and-download-again")));
        }
        // Nobody else says what these bytes should be.
        assumed.extend(expected.taken_on_trust());
    }
    Ok(Unplaced {
        entry,
        tensors: families::unwrapped(file.tensors)?,
        path: Some(path.to_owned()),
        sha256: file.sha256,
        bytes: file.bytes,
        assumed,
    })
}

fn embedded(entry: &BackboneEntry) -> Result<Unplaced> {
    Ok(Unplaced {
        entry: entry.clone(),
        tensors: Tensors::embedded(EMBEDDED, NANO)?,
        path: None,
        sha256: sha256_of_bytes(NANO),
        bytes: NANO.len() as u64,
        assumed: Vec::new(),
    })
}

/// Refuses to draw weights that are more than the memory that is free: those of a file are bounded by its length, but a
/// table may claim any. While layers are made of them, a part of them is there twice.
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
    fn weights_beyond_the_free_memory_are_not_drawn() {
        assert!(enough_memory(1 << 30, Some(8 << 30)).is_ok());
        assert!(enough_memory(1 << 30, None).is_ok());
        for (weights, free) in [((1 << 30) + 1, 8 << 30), (usize::MAX, u64::MAX - 1)] {
            let told = enough_memory(weights, Some(free)).err();
            assert!(told.is_some_and(|problem| problem.is("problem-weights-memory-short")));
        }
    }
}
