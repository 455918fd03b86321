//! Exports of a dataset: the network's input, an image folder, or a single file.
//!
//! The first two are for comparison with other programs: `inputs` compares the transforms pixel by pixel, `folder` a
//! whole run on the same images. `packed` is for sharing a dataset.

mod packed;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::source::Sample;
use super::transform::{CropBox, InputSpec, crop_into, infer_into};
use super::{Dataset, Skipped, Watch};
use crate::files::{self, names::Names};
use crate::message;
use crate::problem::{Problem, Result};
pub use packed::{Form, Packed, packed};

/// Number of images that are decoded together.
const CHUNK: usize = 64;

/// Crop boxes for an export: for the images in order, or by name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Boxes {
    /// One box per image, in the order of the export.
    InOrder(Vec<CropBox>),
    /// By name inside the split.
    ByName(HashMap<String, CropBox>),
}

impl Boxes {
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

    fn of(&self, place: usize, name: &str) -> Result<CropBox> {
        let found = match self {
            Self::InOrder(boxes) => boxes.get(place),
            Self::ByName(boxes) => boxes.get(name),
        };
        found
            .copied()
            .ok_or_else(|| Problem::new(message!("problem-no-crop-box-for-image")).at(name))
    }
}

/// Writes the network's input of samples: `images`, N×3×H×W f32 in [0, 1], and their names in the metadata. With boxes,
/// each image is cropped and resized as in training. Returns the skipped images.
///
/// # Errors
/// Returns a Problem if the file cannot be written, a box is missing or not inside its image, or `watch` stopped it.
pub fn inputs(
    samples: &[Sample],
    spec: InputSpec,
    boxes: Option<&Boxes>,
    to: &Path,
    watch: &Watch,
) -> Result<Vec<Skipped>> {
    let spec = spec.checked()?;
    let unwritable = |error| Problem::io("write the inputs", to, &error);
    let beside = folder_of(to);
    // The header contains the names of all readable images, which are known only at the end.
    let mut pixels = BufWriter::new(tempfile::tempfile_in(beside).map_err(unwritable)?);
    let mut names = Vec::new();
    let mut skipped = Vec::new();
    for (chunk_number, chunk) in samples.chunks(CHUNK).enumerate() {
        let first = chunk_number * CHUNK;
        watch.report(message!("doing-writing-inputs"), first, Some(samples.len()))?;
        let done: Vec<Result<Result<Vec<u8>>>> = chunk
            .par_iter()
            .enumerate()
            .map(|(place, sample)| one_input(sample, spec, boxes, first + place))
            .collect();
        for (sample, result) in chunk.iter().zip(done) {
            match result? {
                Ok(bytes) => {
                    pixels.write_all(&planes(&bytes)).map_err(unwritable)?;
                    names.push(sample.name());
                }
                Err(problem) => skipped.push(Skipped::of_sample(sample, problem.words())),
            }
        }
    }
    let mut pixels = pixels
        .into_inner()
        .map_err(|error| unwritable(error.into_error()))?;
    pixels.rewind().map_err(unwritable)?;
    let header = header_of(&names, spec)?;
    let mut file = tempfile::NamedTempFile::new_in(beside).map_err(unwritable)?;
    file.write_all(&header)
        .and_then(|()| std::io::copy(&mut pixels, &mut file))
        .and_then(|_| file.as_file().sync_all())
        .map_err(unwritable)?;
    file.persist(to).map_err(|error| unwritable(error.error))?;
    files::sync_folder(Some(beside));
    Ok(skipped)
}

/// Returns the folder of a file that is written.
fn folder_of(to: &Path) -> &Path {
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the input of one image. An outer error stops the export, an inner error skips this image.
fn one_input(
    sample: &Sample,
    spec: InputSpec,
    boxes: Option<&Boxes>,
    place: usize,
) -> Result<Result<Vec<u8>>> {
    let crop = boxes
        .map(|boxes| boxes.of(place, &sample.name()))
        .transpose()?;
    let picture = match sample.hold() {
        Ok(held) => held,
        Err(problem) => return Ok(Err(problem)),
    };
    let picture = &picture.picture;
    let mut out = vec![0; spec.bytes()];
    match crop {
        Some(crop) => crop_into(picture, &crop, spec, &mut out)
            .map_err(|problem| problem.at(sample.name()))?,
        None => infer_into(picture, spec, &mut out)?,
    }
    Ok(Ok(out))
}

/// Converts H×W×3 bytes to 3×H×W little-endian f32 in [0, 1].
fn planes(bytes: &[u8]) -> Vec<u8> {
    (0..3)
        .flat_map(|channel| bytes.iter().skip(channel).step_by(3))
        .flat_map(|&byte| (f32::from(byte) / 255.0).to_le_bytes())
        .collect()
}

/// Returns the header of a safetensors file with one tensor: length, JSON, padding to 8 bytes.
fn header_of(names: &[String], spec: InputSpec) -> Result<Vec<u8>> {
    let bytes = names.len() * spec.bytes() * 4;
    let inner = |error: serde_json::Error| Problem::with_error("problem-names-unwritten", &error);
    let json = json!({
        "__metadata__": {
            "names": serde_json::to_string(names).map_err(inner)?,
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
    let mut json = serde_json::to_vec(&json).map_err(inner)?;
    json.resize(json.len().next_multiple_of(8), b' ');
    let mut header = (json.len() as u64).to_le_bytes().to_vec();
    header.append(&mut json);
    Ok(header)
}

/// Returns the file name, without extension, of an image in an image folder. Folders inside the class folder and
/// extensions other than PNG's become part of it, so that names are unique within a class.
fn stem_of(name: &str, class: &str) -> String {
    let parts: Vec<&str> = name.split('/').filter(|part| *part != class).collect();
    let joined = parts.join("_");
    match joined.rsplit_once('.') {
        Some((stem, ending)) if ending.eq_ignore_ascii_case("png") => stem.to_string(),
        _ => joined,
    }
}

/// Writes a dataset as an image folder: `train/CLASS/NAME.png`, `test/CLASS/NAME.png`. Returns the classes whose
/// folders were renamed, because some systems do not allow the name or cannot distinguish it from another one.
///
/// # Errors
/// Returns a Problem if the folder is not empty or cannot be written, an image cannot be read, or `watch` stopped it.
pub fn folder(data: &Dataset, to: &Path, watch: &Watch) -> Result<Vec<(String, String)>> {
    let unwritable = |path: &Path, error| Problem::io("write the image folder", path, &error);
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Problem::new(message!("problem-folder-not-empty"))
            .at_path(to)
            .advise(message!("advice-choose-new-folder")));
    }
    let mut taken = Names::default();
    let folders: Vec<String> = data
        .classes
        .iter()
        .map(|name| taken.take(name, ""))
        .collect();
    for (split, samples) in [("train", &data.train), ("test", &data.test)] {
        for name in &folders {
            let class = to.join(split).join(name);
            fs::create_dir_all(&class).map_err(|error| unwritable(&class, error))?;
        }
        let mut taken: Vec<Names> = folders.iter().map(|_| Names::default()).collect();
        for (number, chunk) in samples.chunks(CHUNK).enumerate() {
            let (done, all) = (number * CHUNK, samples.len());
            watch.report(message!("doing-writing-images"), done, Some(all))?;
            let places = chunk.iter().map(|sample| {
                let class = sample.class as usize;
                let stem = stem_of(&sample.name(), &data.classes[class]);
                let file = taken[class].take(&stem, ".png");
                (sample, to.join(split).join(&folders[class]).join(file))
            });
            let places: Vec<(&Sample, PathBuf)> = places.collect();
            places.par_iter().try_for_each(|(sample, path)| {
                let write = |path: &Path| -> std::io::Result<()> {
                    let mut file = BufWriter::new(File::create_new(path)?);
                    let held = sample.hold().map_err(std::io::Error::other)?;
                    held.picture
                        .write_to(&mut file, image::ImageFormat::Png)
                        .map_err(std::io::Error::other)?;
                    file.flush()
                };
                write(path).map_err(|error| unwritable(path, error))
            })?;
        }
    }
    let both = data.classes.iter().cloned().zip(folders);
    Ok(both.filter(|(name, folder)| name != folder).collect())
}
