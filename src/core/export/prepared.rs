//! Files that tell how pictures are made ready, and which classes the outputs are.

use serde::Serialize;

use super::model::Model;
use crate::problem::{Problem, Result};

/// How a picture is made ready.
#[derive(Serialize)]
struct Preparation {
    /// Side of the square that the network takes, in pixels.
    size: usize,
    /// The shorter side is resized to this first.
    resize_shorter_side_to: usize,
    interpolation: &'static str,
    crop: &'static str,
    channels: &'static str,
    /// As what they come.
    pixels: &'static str,
    /// (pixel − mean) / std, per channel.
    mean: [f32; 3],
    std: [f32; 3],
    /// Whether the model does that itself.
    normalised_inside_the_model: bool,
}

/// `preprocessing.json`; whether the model normalises by itself.
pub fn preparation(model: &Model<'_>, normalises: bool) -> Result<Vec<u8>> {
    let opened = model.predictor.backbone();
    let (input, scale) = (opened.input, opened.normalisation);
    json(&Preparation {
        size: input.size,
        resize_shorter_side_to: input.shorter_side(),
        interpolation: "bilinear, antialiased as Pillow does it",
        crop: "centre",
        channels: "RGB",
        pixels: "numbers in [0, 1], pictures x channels x rows x columns",
        mean: scale.mean,
        std: scale.std,
        normalised_inside_the_model: normalises,
    })
}

/// `classes.json`: the names in the order of the outputs.
pub fn classes(model: &Model<'_>) -> Result<Vec<u8>> {
    json(&model.predictor.classes())
}

/// JSON for people.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Problem::new(format!("JSON cannot be written: {error}")))?;
    Ok((text + "\n").into_bytes())
}
