//! Exports a dataset as one file: a project of Teachable Machine, or a zip of an image folder.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use rayon::prelude::*;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{CHUNK, folder_of, stem_of};
use crate::archive::teachable::{MANIFEST, MARK};
use crate::files::{names::Names, sync_folder};
use crate::message;
use crate::picture::READABLE;
use crate::problem::{Problem, Result};
use crate::transform::{InputSpec, infer_into};
use crate::{Dataset, Sample, Watch};

/// Side of the images in a project, in pixels: the input of Teachable Machine's network.
const SIDE: usize = 224;
/// Quality of the JPEG files in a project, in per cent.
const QUALITY: u8 = 95;

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A project of Teachable Machine: small square images by class, without splits.
    Project,
    /// A zip of an image folder with unchanged image files.
    Folder,
}

impl Form {
    /// Returns the form for a file's extension.
    ///
    /// # Errors
    /// Returns a Problem for another extension.
    pub fn of(to: &Path) -> Result<Self> {
        let ending = to.extension().unwrap_or_default().to_ascii_lowercase();
        [Self::Project, Self::Folder]
            .into_iter()
            .find(|form| ending == form.ending())
            .ok_or_else(|| {
                Problem::new(message!("problem-export-format-unspecified"))
                    .at_path(to)
                    .advise(message!("advice-dataset-export-extension"))
            })
    }

    /// Returns the extension of such files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Project => "tm",
            Self::Folder => "zip",
        }
    }
}

/// The result of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Number of images in the file.
    pub pictures: usize,
    /// Number of classes in the file.
    pub classes: usize,
    /// Classes that were renamed, because not every system accepts their names: old and new name.
    pub renamed: Vec<(String, String)>,
}

/// Writes a dataset as one file in the form of its extension. If it fails, the file is not created or changed.
///
/// # Errors
/// Returns a Problem for another extension, if the file cannot be written, if an image cannot be read, or if `watch`
/// stopped it.
pub fn packed(data: &Dataset, to: &Path, watch: &Watch) -> Result<Packed> {
    let form = Form::of(to)?;
    let unwritable = |error| Problem::io("write the archive", to, &error);
    let beside = folder_of(to);
    let name = to.file_name().unwrap_or_default();
    let mut file = tempfile::Builder::new()
        .prefix(name)
        .suffix(".partial")
        .tempfile_in(beside)
        .map_err(unwritable)?;
    let mut taken = Names::default();
    let names = data.classes.iter().map(|name| taken.take(name, ""));
    let names: Vec<String> = names.collect();
    let mut packing = Packing {
        zip: ZipWriter::new(BufWriter::new(file.as_file_mut())),
        data,
        names: &names,
        to,
        watch,
        pictures: 0,
    };
    match form {
        Form::Project => packing.project()?,
        Form::Folder => packing.folder()?,
    }
    let pictures = packing.pictures;
    packing.finish()?;
    file.as_file().sync_all().map_err(unwritable)?;
    file.persist(to).map_err(|error| unwritable(error.error))?;
    sync_folder(Some(beside));
    let both = data.classes.iter().cloned().zip(names);
    Ok(Packed {
        pictures,
        classes: data.classes.len(),
        renamed: both.filter(|(name, there)| name != there).collect(),
    })
}

/// An archive that is being written.
struct Packing<'a> {
    zip: ZipWriter<BufWriter<&'a mut File>>,
    data: &'a Dataset,
    /// The names of the classes in the archive.
    names: &'a [String],
    to: &'a Path,
    watch: &'a Watch<'a>,
    pictures: usize,
}

impl Packing<'_> {
    fn project(&mut self) -> Result<()> {
        let manifest = json!({
            "type": "image",
            "version": "2.4.7",
            "appdata": {
                "publishResults": {},
                "trainEpochs": 50,
                "trainBatchSize": 16,
                "trainLearningRate": 0.001,
            },
        });
        self.entry(MANIFEST, manifest.to_string().as_bytes())?;
        // Teachable Machine draws its own test split.
        let both = self.data.train.iter().chain(&self.data.test);
        let mut samples: Vec<&Sample> = both.collect();
        samples.sort_by_key(|sample| sample.class);
        let mut counts = vec![0; self.names.len()];
        for chunk in samples.chunks(CHUNK) {
            self.step(samples.len())?;
            let squares: Vec<Vec<u8>> = chunk
                .par_iter()
                .map(|sample| square(sample))
                .collect::<Result<_>>()?;
            for (sample, bytes) in chunk.iter().zip(squares) {
                let class = sample.class as usize;
                let name = format!("{}{MARK}{}.jpg", self.names[class], counts[class]);
                counts[class] += 1;
                self.picture(&name, &bytes)?;
            }
        }
        Ok(())
    }

    fn folder(&mut self) -> Result<()> {
        let data = self.data;
        // A split that was only drawn is not exported.
        let (first, second) = match data.test_drawn {
            true => ("", ""),
            false => ("train/", "test/"),
        };
        let all = data.train.len() + data.test.len();
        let mut taken = Vec::new();
        for (split, samples) in [(first, &data.train), (second, &data.test)] {
            if taken.is_empty() || !split.is_empty() {
                taken = self.names.iter().map(|_| Names::default()).collect();
            }
            for sample in samples {
                self.step(all)?;
                let class = sample.class as usize;
                let stem = stem_of(&sample.name(), &data.classes[class]);
                let (bytes, ending) = sample.file()?;
                let file = taken[class].take(unended(&stem), &format!(".{ending}"));
                let name = format!("{split}{}/{file}", self.names[class]);
                self.picture(&name, &bytes)?;
            }
        }
        Ok(())
    }

    fn step(&self, all: usize) -> Result<()> {
        self.watch
            .report(message!("doing-packing"), self.pictures, Some(all))
    }

    fn picture(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.pictures += 1;
        self.entry(name, bytes)
    }

    fn entry(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        // Images hardly shrink.
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let begun = self.zip.start_file(name, stored);
        begun.map_err(|error| unpackable(self.to, &error))?;
        self.zip
            .write_all(bytes)
            .map_err(|error| Problem::io("write the archive", self.to, &error))
    }

    fn finish(self) -> Result<()> {
        let done = self.zip.finish();
        let mut rest = done.map_err(|error| unpackable(self.to, &error))?;
        rest.flush()
            .map_err(|error| Problem::io("write the archive", self.to, &error))
    }
}

fn unpackable(to: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::with_error("problem-archive-unwritten", error).at_path(to)
}

/// Returns the name without the extension of an image file.
fn unended(name: &str) -> &str {
    name.rsplit_once('.')
        .filter(|(_, ending)| READABLE.contains(&ending.to_ascii_lowercase().as_str()))
        .map_or(name, |(stem, _)| stem)
}

/// Returns the centre square of an image as a JPEG file.
fn square(sample: &Sample) -> Result<Vec<u8>> {
    let spec = InputSpec::new(SIDE, 1.0);
    let mut pixels = vec![0; spec.bytes()];
    infer_into(&sample.hold()?.picture, spec, &mut pixels)?;
    let mut bytes = Vec::new();
    let side = SIDE as u32;
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode(&pixels, side, side, image::ExtendedColorType::Rgb8)
        .map_err(|error| {
            Problem::with_error("problem-image-unwritten", &error).at(sample.name())
        })?;
    Ok(bytes)
}
