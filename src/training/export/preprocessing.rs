//! Files that describe the preparation of images, as numbers and as Python, and the classes of the outputs.

use serde::Serialize;

use super::model::Model;
use crate::data::transform::CropMode;
use crate::problem::{Problem, Result};

/// Python code that converts an image to the network's pixels: all of `prepare.py`, and a part of `model.py`. All
/// export formats use this text, so they prepare images in the same way; `tests/export_check.py` compares it with the
/// program.
pub const PREPARE: &str = r#"PREPARATION = json.loads((Path(__file__).resolve().parent / "preprocessing.json").read_text(encoding="utf-8"))


def rgb(image):
    """Converts an image to 8-bit RGB. 16-bit grey is scaled as in LAE Studio; Pillow would clip it at 255."""
    if image.mode == "F":
        raise ValueError("LAE Studio does not support floating-point images")
    if image.mode == "I" or image.mode.startswith("I;16"):
        grey = np.asarray(image).astype(np.int64).clip(0, 65535)
        grey = (grey << (16 - PREPARATION["bit_depth"])).clip(0, 65535)
        image = Image.fromarray(((grey + 128) // 257).astype(np.uint8))
    return image.convert("RGB")


def prepare(image):
    """An image or its path → 3 × size × size pixels in [0, 1], as in LAE Studio."""
    if not isinstance(image, Image.Image):
        image = Image.open(image)
    kept_as = " ".join(str(tile[3]) for tile in getattr(image, "tile", []))
    if PREPARATION["bit_depth"] < 16 and image.mode in ("LA", "RGB", "RGBA") and ";16" in kept_as:
        raise ValueError("Pillow reads 8 of 16 bits of colours, too few for this bit depth: save the image as 16-bit grey without alpha")
    image = rgb(ImageOps.exif_transpose(image))
    size, target = PREPARATION["size"], PREPARATION["resize_shorter_side_to"]
    shorter, squash = min(image.size), PREPARATION["crop"] == "none"
    wide, high = (target if squash or side == shorter else target * side // shorter for side in image.size)
    left, top = round((wide - size) / 2), round((high - size) / 2)
    image = image.resize((wide, high), Image.Resampling[PREPARATION["interpolation"].split()[0].upper()])
    image = image.crop((left, top, left + size, top + size))
    return np.asarray(image, dtype=np.float32).transpose(2, 0, 1) / 255
"#;

/// Returns `prepare.py`, for formats without their own Python file that reads images.
pub fn prepare_module() -> Vec<u8> {
    let head = "\"\"\"Prepares images for the network. It needs pillow and numpy.\"\"\"\n\nimport json\n\
                from pathlib import Path\n\nimport numpy as np\nfrom PIL import Image, ImageOps\n\n";
    format!("{head}{PREPARE}").into_bytes()
}

/// The preparation of an image.
#[derive(Serialize)]
struct Preparation {
    /// Side of the square network input, in pixels.
    size: usize,
    /// Length to which the shorter side is resized first; without a crop, both sides.
    resize_shorter_side_to: usize,
    interpolation: String,
    crop: &'static str,
    channels: &'static str,
    /// Significant bits of 16-bit values.
    bit_depth: usize,
    /// How values of more than 8 bits are converted to 8 bits.
    sixteen_bits: &'static str,
    /// Range and layout of the pixels.
    pixels: &'static str,
    /// Mean per channel, for (pixel − mean) / std.
    mean: [f32; 3],
    std: [f32; 3],
    /// Whether the model normalises the pixels itself.
    normalised_inside_the_model: bool,
}

/// Returns `preprocessing.json`; `normalises` says whether the model normalises the pixels itself.
pub fn preprocessing_json(model: &Model<'_>, normalises: bool) -> Result<Vec<u8>> {
    let opened = model.predictor.backbone();
    let (input, scale) = (opened.input, opened.normalisation);
    to_json(&Preparation {
        size: input.size,
        resize_shorter_side_to: input.shorter_side(),
        interpolation: format!(
            "{} with antialiasing, as in Pillow",
            input.resize.interpolation.name()
        ),
        crop: match input.resize.mode {
            CropMode::Squash => "none",
            CropMode::Center | CropMode::Rounded => "centre",
        },
        channels: "RGB; grey is repeated, alpha is dropped, EXIF orientation is applied",
        bit_depth: model.predictor.header().config.bit_depth,
        sixteen_bits: "value * 2^(16 - bit_depth), at most 65535, then / 257, rounded (Pillow's convert clips 16-bit grey at \
                       255 instead)",
        pixels: "numbers in [0, 1], images x channels x rows x columns",
        mean: scale.mean,
        std: scale.std,
        normalised_inside_the_model: normalises,
    })
}

/// Returns `classes.json`: the class names in the order of the outputs.
pub fn classes_json(model: &Model<'_>) -> Result<Vec<u8>> {
    to_json(&model.predictor.classes())
}

/// Returns indented JSON with a final newline.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Problem::new(format!("JSON cannot be written: {error}")))?;
    Ok((text + "\n").into_bytes())
}
