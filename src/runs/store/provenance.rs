//! The provenance of a run, in addition to its settings: `provenance.toml`, written when the run begins and extended
//! when it is resumed on another machine, and `images.csv`, which reveals changed images. Neither file affects how the
//! run is read; runs of older versions do not have them.

use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::csv_tables::{damaged_table, from_csv, to_csv};
use super::folder::RunFolder;
use super::{IMAGES_FILE, PROVENANCE_FILE};
use crate::data::ClassFingerprints;
use crate::data::transform::Interpolation;
use crate::fetch::hex;
use crate::files;
use crate::files::write::save_file;
use crate::message;
use crate::problem::{Problem, Result};

/// First lines of `provenance.toml`.
const PREFACE: &str = "# Inputs and machines of this run, in addition to its settings; `lae-studio check` reads it.\n";

/// Facts about the backbone from the table of backbones or the weight file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackboneFacts {
    /// timm's name, or the name in the weight file.
    pub name: String,
    /// The family of networks.
    pub family: String,
    /// Side of the square input of the network, in pixels.
    pub input_size: usize,
    /// The shorter side of an image is resized to input size / crop ratio; then the centre is cropped.
    pub crop_ratio: f32,
    /// Filter for resizing; bilinear in runs of versions that had no other.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Whether both sides are resized to the input size instead, without cropping.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub squashed: bool,
    /// Mean per channel, subtracted from pixels in [0, 1].
    pub mean: [f32; 3],
    /// Standard deviation per channel, by which pixels are divided afterwards.
    pub std: [f32; 3],
    /// Size of the weight file in bytes.
    pub weights_bytes: u64,
}

/// Program and machine that computed a run from a certain task on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The first task, from 1.
    pub from_task: usize,
    /// Version of the program.
    pub version: String,
    /// Operating system and architecture, such as "linux x86_64".
    pub system: String,
    /// Name of the processor.
    pub processor: String,
    /// Vector instructions that the compute kernels use.
    pub simd: String,
    /// Number of compute threads.
    pub threads: usize,
    /// Name of the device.
    pub device: String,
    /// Version of the GPU driver; `None` on the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

impl Machine {
    /// Returns whether both machines compute bit-identical numbers: the same system, processor and vector instructions,
    /// and no GPU. The number of threads does not affect results.
    pub fn computes_same_as(&self, other: &Self) -> bool {
        let kind = |machine: &Self| {
            (machine.system.clone(), machine.processor.clone(), machine.simd.clone())
        };
        kind(self) == kind(other) && self.driver.is_none() && other.driver.is_none()
    }
}

/// What a run was made from, and where it was computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// SHA-256 of the PET plugin's text, in hex; `None` if there is no plugin or the hash is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_sha256: Option<String>,
    /// Facts about the backbone; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backbone: Option<BackboneFacts>,
    /// The machines that computed the run, in the order of the tasks.
    #[serde(default)]
    pub computed_on: Vec<Machine>,
}

impl Provenance {
    /// Returns the provenance of a new run with this plugin text.
    pub fn new(plugin: &str, backbone: BackboneFacts, machine: Machine) -> Self {
        Self {
            plugin_sha256: (!plugin.is_empty()).then(|| hex(&Sha256::digest(plugin))),
            backbone: Some(backbone),
            computed_on: vec![machine],
        }
    }
}

/// Returns the provenance of the run in this folder; `None` for runs of older versions.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn load_provenance(folder: &Path) -> Result<Option<Provenance>> {
    let path = folder.join(PROVENANCE_FILE);
    let text = match files::read_text(&path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| Problem::io("read the run's provenance", &path, &error))?,
    };
    toml::from_str(&text).map(Some).map_err(|error| {
        let what = format!("the run's provenance cannot be read: {}", error.message());
        Problem::new(what).at_path(&path).advise(message!("advice-restore-provenance-file"))
    })
}

/// Returns the short fingerprints of the images that the run in this folder used; `None` for runs of older versions.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn load_image_prints(folder: &Path) -> Result<Option<Vec<ClassFingerprints>>> {
    let path = folder.join(IMAGES_FILE);
    let bytes = match files::read(&path, files::TABLE) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => {
            other.map_err(|error| Problem::io("read the list of a run's images", &path, &error))?
        }
    };
    let prints: Vec<ClassFingerprints> = from_csv(&bytes, &path)?;
    match prints.iter().all(ClassFingerprints::is_complete) {
        true => Ok(Some(prints)),
        false => Err(damaged_table(&path, "a row does not have one hash per image")),
    }
}

impl RunFolder {
    /// Saves the provenance and the image fingerprints of a new run.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written.
    pub fn save_provenance(
        &self,
        provenance: &Provenance,
        images: &[ClassFingerprints],
    ) -> Result<()> {
        save_file(&self.path().join(IMAGES_FILE), &to_csv(images)?)?;
        self.write_provenance(provenance)
    }

    /// Records the machine that resumes the run, unless it is the last one recorded.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written.
    pub fn record_machine(&self, machine: Machine) -> Result<()> {
        // An unreadable file is replaced.
        let mut record = load_provenance(self.path()).ok().flatten().unwrap_or_default();
        let from_task = machine.from_task;
        let last = record.computed_on.last().cloned();
        if last.map(|last| Machine { from_task, ..last }).as_ref() == Some(&machine) {
            return Ok(());
        }
        record.computed_on.push(machine);
        self.write_provenance(&record)
    }

    fn write_provenance(&self, provenance: &Provenance) -> Result<()> {
        let text = toml::to_string_pretty(provenance)
            .map_err(|error| Problem::with_error("problem-provenance-unwritten", &error))?;
        let path = self.path().join(PROVENANCE_FILE);
        save_file(&path, format!("{PREFACE}{text}").as_bytes()).map(drop)
    }
}
