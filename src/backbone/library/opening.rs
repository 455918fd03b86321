//! From an entry or a file to a backbone in memory, by way of the net where it must be.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::{Entry, Normalisation, Source};
use super::{EMBEDDED, Library, Meaning, NANO, suffixed};
use crate::backbone::architecture::Architecture;
use crate::backbone::weights::{self, Tensors, sha256_of_bytes};
use crate::backbone::{Backbone, infer};
use crate::data::transform::{InputSpec, is_crop_ratio};
use crate::fetch::{self, Progress};
use crate::files;
use crate::nn::{Place, WeightType};
use crate::problem::{Problem, Result};
use crate::store::write_file;

/// A backbone ready to use.
pub struct Opened {
    /// The frozen network.
    pub backbone: Arc<dyn Backbone>,
    /// What it is, where it comes from, where PETs usually sit.
    pub entry: Entry,
    /// How pictures are resized and cut.
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
    pub assumed: Vec<String>,
    /// The type of number its matrices are kept as.
    pub weights: WeightType,
}

impl Opened {
    fn new(backbone: Arc<dyn Backbone>, entry: Entry, weights: WeightType) -> Self {
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

impl Library {
    /// Opens a backbone by name or file, downloading its weights where they are not at hand.
    /// `progress` hears of the download and stops it by returning false.
    pub fn open(
        &self,
        name: &str,
        to: impl Into<Place>,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Opened> {
        let to = to.into();
        match self.meaning(name)? {
            Meaning::File(path) => self.open_file(&path, to),
            Meaning::Entry(entry) if entry.source == Source::Embedded => embedded(entry, to),
            Meaning::Entry(entry) => {
                let path = self.obtain(entry, progress)?;
                self.load(entry.clone(), &path, Vec::new(), to)
            }
        }
    }

    /// Opens the entry `name` with weights from a file the person chose, for those without
    /// internet.
    pub fn open_with(&self, name: &str, file: &Path, to: impl Into<Place>) -> Result<Opened> {
        let to = to.into();
        match self.meaning(name)? {
            Meaning::Entry(entry) => self.load(entry.clone(), file, Vec::new(), to),
            Meaning::File(_) => self.open_file(file, to),
        }
    }

    /// A backbone of this name with random weights, for measurements.
    pub fn random(&self, name: &str, seed: u64, to: impl Into<Place>) -> Result<Opened> {
        let to = to.into();
        let weights = to.weights;
        let entry = self.describe(name)?.entry;
        let backbone = entry.architecture.random(seed, to)?;
        Ok(Opened {
            assumed: vec!["random weights".into()],
            ..Opened::new(backbone, entry, weights)
        })
    }

    fn open_file(&self, path: &Path, to: Place) -> Result<Opened> {
        let tensors = weights::open_header(path)?;
        let (entry, assumed) = self.entry_of_file(path, &tensors)?;
        self.load(entry, path, assumed, to)
    }

    /// The entry a bare file stands for: the one whose name the file carries, else one made of
    /// what the file says.
    pub(super) fn entry_of_file(
        &self,
        path: &Path,
        tensors: &Tensors,
    ) -> Result<(Entry, Vec<String>)> {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == stem) {
            let mut entry = entry.clone();
            entry.source = Source::File(path.to_owned());
            return Ok((entry, Vec::new()));
        }
        let inferred = infer::architecture(tensors)?;
        let number = |key: &str| tensors.metadata().get(key)?.parse::<f32>().ok();
        let mut assumed = inferred.assumed;
        let normalisation = match (number("mean"), number("std"), &inferred.architecture) {
            (Some(mean), Some(std), _) if std != 0.0 => Normalisation::even(mean, std),
            (_, _, Architecture::Vit(_)) => {
                assumed.push("pixels in [0, 1] as they are, as LAE feeds its ViT".into());
                Normalisation::UNIT
            }
            _ => {
                assumed.push("pixels normalised by ImageNet's mean and deviation".into());
                Normalisation::IMAGENET
            }
        };
        let crop_ratio = number("crop_ratio").unwrap_or(0.875);
        let entry = Entry {
            title: stem.clone(),
            name: tensors.metadata().get("name").cloned().unwrap_or(stem),
            pet_blocks: inferred.architecture.default_pet_blocks(),
            architecture: inferred.architecture,
            normalisation,
            crop_ratio: if is_crop_ratio(crop_ratio) {
                crop_ratio
            } else {
                0.875
            },
            source: Source::File(path.to_owned()),
            size_mb: fs::metadata(path).ok().map(|meta| meta.len() / 1_000_000),
            sha256: None,
            licence: "not stated".into(),
            pretrained_on: "not stated".into(),
            warning: None,
        };
        Ok((entry, assumed))
    }

    fn load(&self, entry: Entry, path: &Path, assumed: Vec<String>, to: Place) -> Result<Opened> {
        let weights = to.weights;
        let file = weights::open(path)?;
        let mut assumed = assumed;
        let recorded = files::read_text(&suffixed(path, ".sha256"), files::NOTE).ok();
        if entry.sha256.is_none() && recorded.is_some() {
            // Nobody else says what these bytes should be.
            assumed.push(
                "the first download was right: no SHA-256 of it is known, so that of the file that came is kept".into(),
            );
        }
        let expected = entry
            .sha256
            .clone()
            .or(recorded.map(|text| text.trim().to_owned()));
        if let Some(expected) = expected
            && expected != file.sha256
        {
            return Err(Problem::new(format!(
                "the weights of {} are not the expected ones: their SHA-256 is {} instead of \
                 {expected}",
                entry.name, file.sha256
            ))
            .at_path(path)
            .advise("delete the file and download it again, or open it as a file of its own"));
        }
        let backbone = entry.architecture.assemble(file.tensors, to)?;
        Ok(Opened {
            path: Some(path.to_owned()),
            sha256: file.sha256,
            bytes: file.bytes,
            assumed,
            ..Opened::new(backbone, entry, weights)
        })
    }

    /// Brings an entry's weights onto this computer and says where they lie.
    pub fn obtain(
        &self,
        entry: &Entry,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<PathBuf> {
        if let Some(path) = self.file_at_hand(entry) {
            return Ok(path);
        }
        let (Some(url), Some(path)) = (self.places.address(entry), self.places.own_file(entry))
        else {
            let mut problem = Problem::new(format!("the weights of {} are not there", entry.name));
            if let Source::File(path) = &entry.source {
                problem = problem.at_path(path);
            }
            return Err(problem.advise("correct the file in the table of backbones"));
        };
        let expected = entry.sha256.as_deref();
        let got = fetch::download(&url, &path, expected, None, progress).map_err(|problem| {
            let remedy = problem.remedy.clone();
            let choose = format!(
                "without internet, download {url} elsewhere and give that file as the backbone"
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
            return Err(Problem::new(format!(
                "what came from {url} is no weight file: {}",
                problem.what
            ))
            .at(url)
            .advise("try again later; without internet, download it elsewhere and give that file as the backbone"));
        }
        // The hub may change a file: what came first is what later loads are held against.
        let record = suffixed(&path, ".sha256");
        write_file(&record, format!("{}\n", got.sha256).as_bytes())?;
        Ok(got.path)
    }
}

fn embedded(entry: &Entry, to: Place) -> Result<Opened> {
    let weights = to.weights;
    let tensors = Tensors::embedded(EMBEDDED, NANO)?;
    let backbone = entry.architecture.assemble(tensors, to)?;
    Ok(Opened {
        sha256: sha256_of_bytes(NANO),
        bytes: NANO.len() as u64,
        ..Opened::new(backbone, entry.clone(), weights)
    })
}
