//! Exports of a dataset: the network's input, an image folder, or a single file.
//!
//! The first two are for comparing programs: `write_inputs` compares the transforms pixel by pixel, `write_folder` a
//! whole run on the same images. `write_packed` is for sharing a dataset.

mod packed;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::source::Sample;
use super::transform::{CropBox, InputSpec, crop_and_resize, resize_for_inference};
use super::{Dataset, ProgressReporter, Skipped};
use crate::files::{self, names::UniqueNames};
use crate::message;
use crate::problem::{Problem, Result};
pub use packed::{ExportFormat, PackSummary, write_packed};

/// Number of images that are decoded together.
const CHUNK: usize = 64;

/// Crop boxes for an export: for the images in order, or by name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum CropBoxes {
    /// One box per image, in the order of the export.
    InOrder(Vec<CropBox>),
    /// By name inside the split.
    ByName(HashMap<String, CropBox>),
}

impl CropBoxes {
    /// Reads a JSON array of boxes, or an object of name → box; a box has `left`, `top`, `width`, `height` and
    /// optionally `flip`.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read or has another format.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = files::read_text(path, files::TABLE)
            .map_err(|error| Problem::io("read the crop boxes", path, &error))?;
        serde_json::from_str(&text).map_err(|_| {
            Problem::new(message!("problem-no-crop-boxes"))
                .at_path(path)
                .advise(r#"write [{"left": 0, "top": 0, "width": 32, "height": 32, "flip": false}, …] or {"cat/1.jpg": {…}}"#)
        })
    }

    fn get(&self, index: usize, name: &str) -> Result<CropBox> {
        let crop_box = match self {
            Self::InOrder(boxes) => boxes.get(index),
            Self::ByName(boxes) => boxes.get(name),
        };
        crop_box
            .copied()
            .ok_or_else(|| Problem::new(message!("problem-no-crop-box-for-image")).at(name))
    }
}

/// Writes the network's input of samples: `images`, N×3×H×W f32 in [0, 1], and their names in the metadata. With boxes,
/// each image is cropped and resized as in training. Returns the skipped images.
///
/// # Errors
/// Returns a Problem if the file cannot be written, a box is missing or not inside its image, or `progress` stopped it.
pub fn write_inputs(
    samples: &[Sample],
    spec: InputSpec,
    boxes: Option<&CropBoxes>,
    to: &Path,
    progress: &ProgressReporter,
) -> Result<Vec<Skipped>> {
    let spec = spec.checked()?;
    let write_error = |error| Problem::io("write the inputs", to, &error);
    let parent = parent_folder(to);
    // The header contains the names of all readable images, which are known only at the end.
    let mut pixels = BufWriter::new(tempfile::tempfile_in(parent).map_err(write_error)?);
    let mut names = Vec::new();
    let mut skipped = Vec::new();
    for (chunk_number, chunk) in samples.chunks(CHUNK).enumerate() {
        let first = chunk_number * CHUNK;
        progress.report(message!("doing-writing-inputs"), first, Some(samples.len()))?;
        let results: Vec<Result<Result<Vec<u8>>>> = chunk
            .par_iter()
            .enumerate()
            .map(|(index, sample)| image_input(sample, spec, boxes, first + index))
            .collect();
        for (sample, result) in chunk.iter().zip(results) {
            match result? {
                Ok(bytes) => {
                    pixels.write_all(&to_planar_f32(&bytes)).map_err(write_error)?;
                    names.push(sample.name());
                }
                Err(problem) => skipped.push(Skipped::from_sample(sample, problem.what_text())),
            }
        }
    }
    let mut pixels = pixels.into_inner().map_err(|error| write_error(error.into_error()))?;
    pixels.rewind().map_err(write_error)?;
    let header = safetensors_header(&names, spec)?;
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(write_error)?;
    file.write_all(&header)
        .and_then(|()| std::io::copy(&mut pixels, &mut file))
        .and_then(|_| file.as_file().sync_all())
        .map_err(write_error)?;
    file.persist(to).map_err(|error| write_error(error.error))?;
    files::sync_folder(Some(parent));
    Ok(skipped)
}

/// Returns the folder of a file that is written.
fn parent_folder(to: &Path) -> &Path {
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the input of one image. An outer error stops the export, an inner error skips this image.
fn image_input(
    sample: &Sample,
    spec: InputSpec,
    boxes: Option<&CropBoxes>,
    index: usize,
) -> Result<Result<Vec<u8>>> {
    let crop = boxes.map(|boxes| boxes.get(index, &sample.name())).transpose()?;
    let decoded = match sample.decode_budgeted() {
        Ok(decoded) => decoded,
        Err(problem) => return Ok(Err(problem)),
    };
    let image = &decoded.image;
    let mut out = vec![0; spec.bytes()];
    match crop {
        Some(crop) => crop_and_resize(image, &crop, spec, &mut out)
            .map_err(|problem| problem.at(sample.name()))?,
        None => resize_for_inference(image, spec, &mut out)?,
    }
    Ok(Ok(out))
}

/// Converts H×W×3 bytes to 3×H×W little-endian f32 in [0, 1].
fn to_planar_f32(bytes: &[u8]) -> Vec<u8> {
    (0..3)
        .flat_map(|channel| bytes.iter().skip(channel).step_by(3))
        .flat_map(|&byte| (f32::from(byte) / 255.0).to_le_bytes())
        .collect()
}

/// Returns the header of a safetensors file with one tensor: length, JSON, padding to 8 bytes.
fn safetensors_header(names: &[String], spec: InputSpec) -> Result<Vec<u8>> {
    let bytes = names.len() * spec.bytes() * 4;
    let json_problem =
        |error: serde_json::Error| Problem::with_error("problem-names-unwritten", &error);
    let json = json!({
        "__metadata__": {
            "names": serde_json::to_string(names).map_err(json_problem)?,
            "input_size": spec.size.to_string(),
            "crop_ratio": spec.crop_ratio.to_string(),
            "interpolation": spec.resize.interpolation.name(),
        },
        "images": {
            "dtype": "F32",
            "shape": [names.len(), 3, spec.size, spec.size],
            "data_offsets": [0, bytes],
        },
    });
    let mut json = serde_json::to_vec(&json).map_err(json_problem)?;
    json.resize(json.len().next_multiple_of(8), b' ');
    let mut header = (json.len() as u64).to_le_bytes().to_vec();
    header.append(&mut json);
    Ok(header)
}

/// Returns the file name, without extension, of an image in an image folder. Folders inside the class folder and
/// extensions other than PNG's become part of it, so that names are unique within a class.
fn export_stem(name: &str, class: &str) -> String {
    let parts: Vec<&str> = name.split('/').filter(|part| *part != class).collect();
    let joined = parts.join("_");
    match joined.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("png") => stem.to_string(),
        _ => joined,
    }
}

/// Writes a dataset as an image folder: `train/CLASS/NAME.png`, `test/CLASS/NAME.png`. Returns the classes whose
/// folders were renamed, because some systems do not allow the name or cannot distinguish it from another one.
///
/// # Errors
/// Returns a Problem if the folder is not empty or not writable, an image cannot be read, or `progress` stopped it.
pub fn write_folder(
    data: &Dataset,
    to: &Path,
    progress: &ProgressReporter,
) -> Result<Vec<(String, String)>> {
    let write_error = |path: &Path, error| Problem::io("write the image folder", path, &error);
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Problem::new(message!("problem-folder-not-empty"))
            .at_path(to)
            .advise(message!("advice-choose-new-folder")));
    }
    let unfinished = fs::create_dir_all(to)
        .and_then(|()| tempfile::Builder::new().prefix(".export-").tempdir_in(to))
        .map_err(|error| write_error(to, error))?;
    let mut folder_names = UniqueNames::default();
    let folders: Vec<String> =
        data.classes.iter().map(|name| folder_names.reserve(name, "")).collect();
    for (split, samples) in [("train", &data.train), ("test", &data.test)] {
        for name in &folders {
            let class = unfinished.path().join(split).join(name);
            fs::create_dir_all(&class).map_err(|error| write_error(&class, error))?;
        }
        let mut file_names: Vec<UniqueNames> =
            folders.iter().map(|_| UniqueNames::default()).collect();
        for (number, chunk) in samples.chunks(CHUNK).enumerate() {
            let (done, all) = (number * CHUNK, samples.len());
            progress.report(message!("doing-writing-images"), done, Some(all))?;
            let targets = chunk.iter().map(|sample| {
                let class = sample.class as usize;
                let stem = export_stem(&sample.name(), &data.classes[class]);
                let file = file_names[class].reserve(&stem, ".png");
                (sample, unfinished.path().join(split).join(&folders[class]).join(file))
            });
            let targets: Vec<(&Sample, PathBuf)> = targets.collect();
            targets.par_iter().try_for_each(|(sample, path)| {
                let write = |path: &Path| -> std::io::Result<()> {
                    let mut file = BufWriter::new(File::create_new(path)?);
                    let decoded = sample.decode_budgeted().map_err(std::io::Error::other)?;
                    decoded
                        .image
                        .write_to(&mut file, image::ImageFormat::Png)
                        .map_err(std::io::Error::other)?;
                    file.flush()
                };
                write(path).map_err(|error| write_error(path, error))
            })?;
        }
    }
    // Moved at the end: an interrupted export must not look like a complete dataset.
    for split in ["test", "train"] {
        let target = to.join(split);
        fs::rename(unfinished.path().join(split), &target)
            .map_err(|error| write_error(&target, error))?;
    }
    let renames = data.classes.iter().cloned().zip(folders);
    Ok(renames.filter(|(name, folder)| name != folder).collect())
}
