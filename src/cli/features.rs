//! `features`: computes the features of images with a frozen backbone, for comparisons with other programs. Images
//! are files, or a tensor written by `data --export-inputs`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use burn::tensor::{Device, Tensor};
use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, print_message};
use super::settings::bit_depth;
use crate::backbone::library::{self, BackboneChoice, OpenedBackbone};
use crate::data::decode_image_file;
use crate::data::transform::resize_for_inference;
use crate::device;
use crate::experiment::upload;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::store;
use crate::tensors::{self, HostTensor, NamedTensors, to_bytes};
use crate::texts::{Words, all_in_english};

/// Options of `features`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The backbone: a name, or a weight file
    #[arg(value_name = "NAME|FILE")]
    backbone: String,
    /// Images, prepared as for a prediction
    #[arg(long = "image", value_name = "FILE")]
    images: Vec<PathBuf>,
    /// Significant bits of the values in 16-bit images: 12 for most 12-bit cameras
    #[arg(long, value_name = "N", value_parser = bit_depth(), default_value = "16")]
    bit_depth: usize,
    /// Prepared images: `images`, N×3×H×W numbers in [0, 1] before normalisation
    #[arg(long, value_name = "FILE.safetensors", conflicts_with = "images")]
    inputs: Option<PathBuf>,
    /// Values that neither the weight file nor a config.json next to it contains (heads=16,normalisation=imagenet)
    #[arg(long, value_name = "NAME=VALUE,…")]
    backbone_set: Option<String>,
    /// Write the features to this file, as the tensor `features`
    #[arg(long, value_name = "FILE.safetensors")]
    output: Option<PathBuf>,
    /// cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    #[command(flatten)]
    json: JsonOutput,
}

/// The JSON output.
#[derive(Serialize)]
struct FeaturesReport {
    backbone: String,
    weights_sha256: String,
    parameters: usize,
    #[serde(serialize_with = "all_in_english")]
    assumed: Vec<Words>,
    load_seconds: f64,
    peak_bytes_before_load: Option<u64>,
    peak_bytes_after_load: Option<u64>,
    features: Vec<Vec<f32>>,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let info = device::choose(&args.device)?;
    let device = device::open(&info)?;
    let before = crate::memory::peak_bytes();
    let start = Instant::now();
    let choice = BackboneChoice {
        values: args.backbone_set.as_deref(),
        ..BackboneChoice::from(&args.backbone)
    };
    let opened = library::open(choice, &device, &mut |text| {
        print_message(text);
        true
    })?;
    let load_seconds = start.elapsed().as_secs_f64();
    let after = crate::memory::peak_bytes();
    let images = match &args.inputs {
        Some(path) => load_prepared_images(path, &opened, &device)?,
        None => decode_images(&args.images, args.bit_depth, &opened)?,
    };
    let features = opened.backbone.features(images, &PetStack::empty())?;
    let features = HostTensor::read(&features)?;
    let width = opened.backbone.feature_width();
    let report = FeaturesReport {
        backbone: opened.entry.name.clone(),
        weights_sha256: opened.sha256.clone(),
        parameters: opened.backbone.parameter_count(),
        assumed: opened.assumptions.clone(),
        load_seconds,
        peak_bytes_before_load: before,
        peak_bytes_after_load: after,
        features: features.values.chunks(width).map(<[f32]>::to_vec).collect(),
    };
    if let Some(path) = &args.output {
        let named = NamedTensors::from([("features".to_owned(), features)]);
        store::write_file(path, &to_bytes(&named, HashMap::new())?)?;
    }
    let mut text = String::new();
    for row in &report.features {
        let numbers: Vec<String> = row.iter().map(|value| format!("{value:.6}")).collect();
        text.push_str(&numbers.join(" "));
        text.push('\n');
    }
    args.json.finish(&report, &text)
}

/// Returns images from files, resized and cropped as for a prediction.
fn decode_images(
    paths: &[PathBuf],
    bit_depth: usize,
    opened: &OpenedBackbone,
) -> Result<Tensor<4>> {
    if paths.is_empty() {
        return Err(Problem::new("there are no images")
            .advise("give image files with --image, or prepared images with --inputs"));
    }
    let side = opened.input.size;
    let mut pixels = vec![0; paths.len() * side * side * 3];
    for (path, target) in paths.iter().zip(pixels.chunks_mut(side * side * 3)) {
        resize_for_inference(&decode_image_file(path, bit_depth)?, opened.input, target)?;
    }
    Ok(upload::normalise_for_backbone(&pixels, opened))
}

/// Returns images that another command or program prepared.
fn load_prepared_images(
    path: &Path,
    opened: &OpenedBackbone,
    device: &Device,
) -> Result<Tensor<4>> {
    let (tensors, _) = tensors::load(path, "read the images")?;
    let images = (tensors.get("images")).filter(|images| images.shape.len() == 4);
    let images = images.ok_or_else(|| {
        Problem::new("the file contains no images: it has no tensor `images` of N×3×H×W")
            .at_path(path)
    })?;
    let side = opened.input.size;
    if images.shape[0] == 0 || images.shape[1..] != [3, side, side] {
        return Err(Problem::new(format!(
            "the tensor `images` has the shape {:?}, but {} takes N×3×{side}×{side}",
            images.shape, opened.entry.name
        ))
        .at_path(path)
        .advise("prepare at least one image, for example with `data --export-inputs`"));
    }
    let images = images.to_device::<4>(device)?;
    Ok(opened.normalisation.apply(images))
}
