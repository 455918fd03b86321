//! Exports a dataset as one file: a project of Teachable Machine, or a zip of an image folder.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use rayon::prelude::*;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{CHUNK, export_stem, parent_folder};
use crate::archive::teachable::{CLASS_SEPARATOR, MANIFEST};
use crate::files::{names::UniqueNames, sync_folder};
use crate::image_file::IMAGE_EXTENSIONS;
use crate::message;
use crate::problem::{Problem, Result};
use crate::transform::{InputSpec, resize_for_inference};
use crate::{Dataset, ProgressReporter, Sample};

/// Side of the images in a project, in pixels: the input of Teachable Machine's network.
const SIDE: usize = 224;
/// Quality of the JPEG files in a project, in per cent.
const QUALITY: u8 = 95;

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A project of Teachable Machine: small square images by class, without splits.
    Project,
    /// A zip of an image folder with unchanged image files.
    Folder,
}

impl ExportFormat {
    /// Returns the form for a file's extension.
    ///
    /// # Errors
    /// Returns a Problem for another extension.
    pub fn from_path(to: &Path) -> Result<Self> {
        let extension = to.extension().unwrap_or_default().to_ascii_lowercase();
        [Self::Project, Self::Folder]
            .into_iter()
            .find(|format| extension == format.extension())
            .ok_or_else(|| {
                Problem::new(message!("problem-export-format-unspecified"))
                    .at_path(to)
                    .advise(message!("advice-dataset-export-extension"))
            })
    }

    /// Returns the extension of such files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Project => "tm",
            Self::Folder => "zip",
        }
    }
}

/// The result of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSummary {
    /// Number of images in the file.
    pub images: usize,
    /// Number of classes in the file.
    pub classes: usize,
    /// Classes that were renamed, because not every system accepts their names: old and new name.
    pub renamed: Vec<(String, String)>,
}

/// Writes a dataset as one file in the form of its extension. If it fails, the file is not created or changed.
///
/// # Errors
/// Returns a Problem for another extension, if the file cannot be written, if an image cannot be read, or if `progress`
/// stopped it.
pub fn write_packed(data: &Dataset, to: &Path, progress: &ProgressReporter) -> Result<PackSummary> {
    let format = ExportFormat::from_path(to)?;
    let write_error = |error| Problem::io("write the archive", to, &error);
    let parent = parent_folder(to);
    // A temporary name that contains the final one could be too long.
    let mut file = tempfile::Builder::new()
        .prefix(".export-")
        .suffix(".partial")
        .tempfile_in(parent)
        .map_err(write_error)?;
    let mut unique_names = UniqueNames::default();
    let names = data.classes.iter().map(|name| unique_names.reserve(name, ""));
    let names: Vec<String> = names.collect();
    let mut packer = Packer {
        zip: ZipWriter::new(BufWriter::new(file.as_file_mut())),
        data,
        names: &names,
        to,
        progress,
        image_count: 0,
    };
    match format {
        ExportFormat::Project => packer.write_project()?,
        ExportFormat::Folder => packer.write_folder()?,
    }
    let images = packer.image_count;
    packer.finish()?;
    file.as_file().sync_all().map_err(write_error)?;
    file.persist(to).map_err(|error| write_error(error.error))?;
    sync_folder(Some(parent));
    let renames = data.classes.iter().cloned().zip(names);
    Ok(PackSummary {
        images,
        classes: data.classes.len(),
        renamed: renames.filter(|(name, folder)| name != folder).collect(),
    })
}

/// An archive that is being written.
struct Packer<'a> {
    zip: ZipWriter<BufWriter<&'a mut File>>,
    data: &'a Dataset,
    /// The names of the classes in the archive.
    names: &'a [String],
    to: &'a Path,
    progress: &'a ProgressReporter<'a>,
    image_count: usize,
}

impl Packer<'_> {
    fn write_project(&mut self) -> Result<()> {
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
        self.add_entry(MANIFEST, manifest.to_string().as_bytes())?;
        // Teachable Machine draws its own test split.
        let all_samples = self.data.train.iter().chain(&self.data.test);
        let mut samples: Vec<&Sample> = all_samples.collect();
        samples.sort_by_key(|sample| sample.class);
        let mut counts = vec![0; self.names.len()];
        for chunk in samples.chunks(CHUNK) {
            self.report_progress(samples.len())?;
            let thumbnails: Vec<Vec<u8>> =
                chunk.par_iter().map(|sample| square_jpeg(sample)).collect::<Result<_>>()?;
            for (sample, bytes) in chunk.iter().zip(thumbnails) {
                let class = sample.class as usize;
                let name = format!("{}{CLASS_SEPARATOR}{}.jpg", self.names[class], counts[class]);
                counts[class] += 1;
                self.add_image(&name, &bytes)?;
            }
        }
        Ok(())
    }

    fn write_folder(&mut self) -> Result<()> {
        let data = self.data;
        // A split that was only drawn is not exported.
        let (first, second) = match data.test_drawn {
            true => ("", ""),
            false => ("train/", "test/"),
        };
        let total = data.train.len() + data.test.len();
        let mut file_names = Vec::new();
        for (split, samples) in [(first, &data.train), (second, &data.test)] {
            if file_names.is_empty() || !split.is_empty() {
                file_names = self.names.iter().map(|_| UniqueNames::default()).collect();
            }
            for sample in samples {
                self.report_progress(total)?;
                let class = sample.class as usize;
                let stem = export_stem(&sample.name(), &data.classes[class]);
                let (bytes, extension) = sample.encoded_file()?;
                let file = file_names[class]
                    .reserve(without_image_extension(&stem), &format!(".{extension}"));
                let name = format!("{split}{}/{file}", self.names[class]);
                self.add_image(&name, &bytes)?;
            }
        }
        Ok(())
    }

    fn report_progress(&self, total: usize) -> Result<()> {
        self.progress.report(message!("doing-packing"), self.image_count, Some(total))
    }

    fn add_image(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.image_count += 1;
        self.add_entry(name, bytes)
    }

    fn add_entry(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        // Images hardly shrink.
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let started = self.zip.start_file(name, stored);
        started.map_err(|error| archive_problem(self.to, &error))?;
        self.zip.write_all(bytes).map_err(|error| Problem::io("write the archive", self.to, &error))
    }

    fn finish(self) -> Result<()> {
        let finished = self.zip.finish();
        let mut writer = finished.map_err(|error| archive_problem(self.to, &error))?;
        writer.flush().map_err(|error| Problem::io("write the archive", self.to, &error))
    }
}

fn archive_problem(to: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::with_error("problem-archive-unwritten", error).at_path(to)
}

/// Returns the name without the extension of an image file.
fn without_image_extension(name: &str) -> &str {
    name.rsplit_once('.')
        .filter(|(_, extension)| {
            IMAGE_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
        })
        .map_or(name, |(stem, _)| stem)
}

/// Returns the centre square of an image as a JPEG file.
fn square_jpeg(sample: &Sample) -> Result<Vec<u8>> {
    let spec = InputSpec::new(SIDE, 1.0);
    let mut pixels = vec![0; spec.bytes()];
    resize_for_inference(&sample.decode_budgeted()?.image, spec, &mut pixels)?;
    let mut bytes = Vec::new();
    let side = SIDE as u32;
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode(&pixels, side, side, image::ExtendedColorType::Rgb8)
        .map_err(|error| {
            Problem::with_error("problem-image-unwritten", &error).at(sample.name())
        })?;
    Ok(bytes)
}
