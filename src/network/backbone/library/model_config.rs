//! Reads the configuration files beside a weight file: `config.json` in timm's hub layout, or `config.json` and
//! `preprocessor_config.json` of transformers. All values are converted to the arguments of timm's constructors, as
//! in the metadata of weight files, and to `mean`, `std`, `interpolation`, `crop_ratio` and `crop_mode`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Map, Value};

use super::entry::Transform;
use crate::backbone::normalisation::Normalisation;
use crate::backbone::weights::Tensors;
use crate::data::transform::{CropMode, Interpolation, Resize, is_crop_ratio};
use crate::files;
use crate::message;
use crate::names::comma_separated;
use crate::problem::{Problem, Result};

/// The configuration file of timm and of transformers.
pub(super) const CONFIG: &str = "config.json";
/// The file with the image transform of transformers.
pub(super) const PREPROCESSOR: &str = "preprocessor_config.json";

impl Transform {
    /// The keys that describe a transform.
    pub const KEYS: [&str; 5] = ["mean", "std", "interpolation", "crop_ratio", "crop_mode"];

    /// Returns the transform of releases that are recognised by tensor names: the original ViT's (as in timm) and
    /// CLIP's.
    pub fn from_release(tensors: &Tensors) -> Option<Self> {
        let (normalisation, crop_ratio) = if tensors.contains("embedding/kernel") {
            (Normalisation::SYMMETRIC, 0.9)
        } else if tensors.contains("visual.class_embedding") {
            (Normalisation::CLIP, 1.0)
        } else {
            return None;
        };
        Some(Self {
            normalisation,
            crop_ratio,
            resize: Resize { interpolation: Interpolation::Bicubic, mode: CropMode::Center },
        })
    }

    /// Sets the values that `stated` contains; `path` is the position in Problems. Returns whether the normalisation is
    /// stated.
    ///
    /// # Errors
    /// Returns a Problem for unsupported values if `strict`; otherwise they are ignored.
    pub fn apply_stated(
        &mut self,
        stated: &StatedValues,
        path: &Path,
        strict: bool,
    ) -> Result<bool> {
        let unfit = |key: &str, value: &str| {
            let why = format!("{key} is {value}");
            Problem::new(message!("problem-transform-unsupported", why))
                .at_path(path)
                .advise(message!("advice-give-backbone-values"))
        };
        let mut problem = None;
        let mut set_value = |key: &'static str, parse: &mut dyn FnMut(&str) -> Option<()>| {
            if let Some(value) = stated.get(key)
                && parse(value).is_none()
            {
                problem.get_or_insert_with(|| unfit(key, value));
            }
        };
        set_value("crop_ratio", &mut |value| {
            let ratio = value.parse().ok().filter(|ratio| is_crop_ratio(*ratio))?;
            self.crop_ratio = ratio;
            Some(())
        });
        set_value("interpolation", &mut |value| {
            let known = Interpolation::ALL.into_iter().find(|known| known.name() == value)?;
            self.resize.interpolation = known;
            Some(())
        });
        set_value("crop_mode", &mut |value| {
            self.resize.mode = match value {
                "center" => CropMode::Center,
                "squash" => CropMode::Squash,
                _ => return None,
            };
            Some(())
        });
        let channel_values = |key: &str| stated.get(key).and_then(|text| parse_channels(text));
        let normalisation = match (channel_values("mean"), channel_values("std")) {
            (Some(mean), Some(std)) => {
                Some(Normalisation { mean, std }).filter(Normalisation::is_usable)
            }
            _ => None,
        };
        if let Some(normalisation) = normalisation {
            self.normalisation = normalisation;
        } else if let Some(mean) = stated.get("mean").filter(|_| stated.contains_key("std")) {
            problem = problem.or_else(|| Some(unfit("mean", mean)));
        }
        match problem.filter(|_| strict) {
            Some(problem) => Err(problem),
            None => Ok(normalisation.is_some()),
        }
    }
}

/// Parses a number for all channels, or a list of three.
fn parse_channels(text: &str) -> Option<[f32; 3]> {
    serde_json::from_str(text).ok().or_else(|| Some([serde_json::from_str(text).ok()?; 3]))
}

/// Values by key, as in the metadata of a weight file.
pub(super) type StatedValues = BTreeMap<String, String>;

/// Returns the values stated in files beside `weights`; empty if there are no files of these libraries.
///
/// # Errors
/// Returns a Problem for a file that is not JSON, or for unsupported values.
pub(super) fn read_config_files(weights: &Path) -> Result<StatedValues> {
    let folder = weights.parent().unwrap_or(Path::new(""));
    let Some(config) = read_json_object(&folder.join(CONFIG))? else {
        return Ok(StatedValues::new());
    };
    let mut stated = StatedEntries::default();
    if let Some(pretrained) = config.get("pretrained_cfg").and_then(Value::as_object) {
        stated.timm(&config, pretrained);
    } else if let Some(kind) = config.get("model_type").and_then(Value::as_str) {
        stated.transformers(&config, kind);
        if let Some(transform) = read_json_object(&folder.join(PREPROCESSOR))? {
            let unfit = |why: String| {
                Problem::new(message!("problem-transform-unsupported", why))
                    .at_path(folder.join(PREPROCESSOR))
                    .advise(message!("advice-give-backbone-values"))
            };
            stated.transform(&transform).map_err(unfit)?;
        }
    } else if config.contains_key("architecture") {
        // Older versions of timm wrote all values at the top level.
        stated.timm(&config, &config);
    }
    Ok(stated.0)
}

/// Returns the object in a JSON file; `None` if there is no file.
///
/// # Errors
/// Returns a Problem for another content, or if the file cannot be read.
pub(super) fn read_json_object(path: &Path) -> Result<Option<Map<String, Value>>> {
    let text = match files::read_text(path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| Problem::io("read the model's description", path, &error))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        Problem::new(message!("problem-model-description-unreadable", error = error.to_string()))
            .at_path(path)
            .advise(message!("advice-download-again"))
    })
}

#[derive(Default)]
struct StatedEntries(StatedValues);

impl StatedEntries {
    fn insert(&mut self, key: &str, value: impl ToString) {
        self.0.insert(key.to_owned(), value.to_string());
    }

    /// Copies the value with the key `source_key`, if present; strings without quotes.
    fn copy(&mut self, key: &str, source: &Map<String, Value>, source_key: &str) {
        match source.get(source_key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.insert(key, text),
            Some(value) => self.insert(key, value),
        }
    }

    fn timm(&mut self, config: &Map<String, Value>, pretrained: &Map<String, Value>) {
        for (key, source_key) in [
            ("mean", "mean"),
            ("std", "std"),
            ("interpolation", "interpolation"),
            ("crop_ratio", "crop_pct"),
            ("crop_mode", "crop_mode"),
        ] {
            self.copy(key, pretrained, source_key);
        }
        if let Some(side) = pretrained.get("input_size").and_then(|size| size.get(2)) {
            self.insert("input_size", side);
        }
        self.copy("global_pool", config, "global_pool");
        if let Some(name) = config.get("architecture").and_then(Value::as_str) {
            self.insert("timm", name);
            self.insert("final_norm", true);
            let is_clip = name.contains("_clip_") && !name.starts_with("eva");
            if is_clip || name.starts_with("beit3") {
                self.insert("norm_eps", 1e-5);
            }
            self.insert("act_layer", activation_name(name));
        }
        let arguments = config.get("model_args").and_then(Value::as_object);
        for (key, _) in arguments.into_iter().flatten() {
            self.copy(key, arguments.unwrap_or(config), key);
        }
    }

    fn transformers(&mut self, config: &Map<String, Value>, kind: &str) {
        let vision = config.get("vision_config").and_then(Value::as_object);
        let model_config = vision.unwrap_or(config);
        // The defaults of the constructors in transformers.
        let (heads, epsilon, activation, pool) = match kind {
            "clip" | "clip_vision_model" => (12, 1e-5, "quick_gelu", "token"),
            "siglip" | "siglip_vision_model" | "siglip2_vision_model" => {
                (12, 1e-6, "gelu_pytorch_tanh", "map")
            }
            "vit" | "deit" | "vit_mae" => (12, 1e-12, "gelu", "token"),
            "swin" | "swinv2" => (0, 1e-5, "gelu", "avg"),
            "convnext" | "convnextv2" => (0, 1e-6, "gelu", "avg"),
            "dinov3_vit" => (6, 1e-5, "gelu", "token"),
            _ => (12, 1e-6, "gelu", "token"),
        };
        self.insert("norm_eps", epsilon);
        self.insert("act_layer", activation);
        self.insert("global_pool", pool);
        if heads > 0 {
            self.insert("num_heads", heads);
            self.copy("num_heads", model_config, "num_attention_heads");
        }
        // In ConvNeXt, `layer_norm_eps` applies only to the last norm.
        if !kind.starts_with("convnext") {
            self.copy("norm_eps", model_config, "layer_norm_eps");
        }
        self.copy("act_layer", model_config, "hidden_act");
        self.copy("window_size", model_config, "window_size");
        let trained_sizes =
            model_config.get("pretrained_window_sizes").and_then(|sides| sides.get(0));
        if let Some(side) = trained_sizes.and_then(Value::as_u64).filter(|side| *side > 0) {
            self.insert("trained_window", side);
        }
        if kind == "dinov3_vit" {
            self.insert("rope", "dinov3");
        }
        self.copy("input_size", model_config, "image_size");
        self.insert("final_norm", true);
        if let Some("gelu_pytorch_tanh" | "gelu_new") = self.0.get("act_layer").map(String::as_str)
        {
            self.insert("act_layer", "gelu_tanh");
        }
    }

    /// Reads a `preprocessor_config.json`; the error says why it is not supported.
    fn transform(&mut self, config: &Map<String, Value>) -> std::result::Result<(), String> {
        let is_enabled = |key: &str| config.get(key).and_then(Value::as_bool) != Some(false);
        let rescale = config.get("rescale_factor").and_then(Value::as_f64);
        if !is_enabled("do_rescale")
            || rescale.is_some_and(|factor| (factor * 255.0 - 1.0).abs() > 1e-3)
        {
            return Err("its pixels are not in [0, 1]".into());
        }
        if is_enabled("do_normalize") {
            self.copy("mean", config, "image_mean");
            self.copy("std", config, "image_std");
        } else {
            let Normalisation { mean, std } = Normalisation::UNIT;
            self.insert("mean", mean[0]);
            self.insert("std", std[0]);
        }
        if !is_enabled("do_resize") {
            return Ok(());
        }
        // `resample` is the number of a filter in Pillow.
        match config.get("resample").and_then(Value::as_u64) {
            Some(2) => self.insert("interpolation", "bilinear"),
            Some(3) => self.insert("interpolation", "bicubic"),
            None => {}
            Some(other) => {
                return Err(format!("its resampling filter is number {other} of Pillow"));
            }
        }
        let side = |value: Option<&Value>| {
            let value = value?;
            let sides = [value.get("height"), value.get("width"), value.get("shortest_edge")];
            let numbers = sides.map(|side| side.and_then(Value::as_u64));
            match (numbers, value.as_u64()) {
                ([Some(height), Some(width), _], _) if height == width => Some(height),
                ([_, _, Some(side)], _) | (_, Some(side)) => Some(side),
                _ => None,
            }
        };
        let size = config.get("size");
        let resized = side(size).ok_or("it does not specify the size of its square input")?;
        let is_shorter = size.is_some_and(|size| size.get("shortest_edge").is_some());
        let crops = config.get("do_center_crop").and_then(Value::as_bool) == Some(true);
        let (crop_size, ratio, mode) = match (crops, config.get("crop_pct").and_then(Value::as_f64))
        {
            (true, _) => {
                let crop_size = side(config.get("crop_size")).unwrap_or(resized);
                // The small addition makes size / ratio, rounded down, equal to the resized side.
                (crop_size, crop_size as f64 / (resized as f64 + 0.01), "center")
            }
            (false, Some(ratio)) if resized < 384 => (resized, ratio, "center"),
            (false, Some(_)) => (resized, 1.0, "squash"),
            (false, None) if is_shorter => {
                return Err("it does not crop images to a square".into());
            }
            (false, None) => (resized, 1.0, "squash"),
        };
        self.insert("input_size", crop_size);
        self.insert("crop_ratio", ratio.min(1.0));
        self.insert("crop_mode", mode);
        Ok(())
    }
}

/// Returns the activation in the MLPs of timm's architecture.
fn activation_name(architecture: &str) -> &'static str {
    // SigLIP's first releases use the exact form, its second ones the approximation.
    const TANH: [&str; 4] =
        ["giantopt_patch16_siglip", "so400m_patch16_siglip", "base_patch32_siglip", "siglip_512"];
    if architecture.contains("quickgelu") {
        return "quick_gelu";
    }
    let gap = architecture.replace("siglip_gap", "siglip");
    match TANH.iter().any(|name| gap.contains(name)) {
        true => "gelu_tanh",
        false => "gelu",
    }
}

/// Parses the options of a backbone (`heads=16,normalisation=imagenet`).
///
/// # Errors
/// Returns a Problem for an unknown key or normalisation.
pub(super) fn parse_options(options: &str) -> Result<StatedValues> {
    let invalid = |what: &str| {
        Problem::new(message!("problem-backbone-value-invalid", what))
            .at("--backbone-set")
            .advise(message!("advice-backbone-values"))
    };
    let mut stated = StatedEntries::default();
    for pair in comma_separated(options) {
        let (key, value) = pair.split_once('=').ok_or_else(|| invalid(pair))?;
        let (key, value) = (key.trim(), value.trim());
        match key {
            "normalisation" => {
                let Normalisation { mean, std } =
                    Normalisation::from_name(value).ok_or_else(|| invalid(pair))?;
                stated.insert("mean", Value::from(mean.to_vec()));
                stated.insert("std", Value::from(std.to_vec()));
            }
            "mean" | "std" if value.contains(':') => {
                stated.insert(key, format!("[{}]", value.replace(':', ",")));
            }
            "mean" | "std" => stated.insert(key, value),
            _ => {
                let known = OPTIONS.iter().find(|(option, _)| *option == key);
                stated.insert(known.ok_or_else(|| invalid(pair))?.1, value);
            }
        }
    }
    Ok(stated.0)
}

/// Returns the values in the syntax of the options; `None` if there are none.
pub(super) fn to_options(stated: &StatedValues) -> Option<String> {
    let option_name = |key: &str| {
        let known = OPTIONS.iter().find(|(_, timm)| *timm == key);
        let known = known.map(|(option, _)| *option);
        known.or(["mean", "std"].into_iter().find(|option| *option == key))
    };
    let pairs = stated.iter().filter_map(|(key, value)| {
        let value = value.trim_matches(['[', ']']).replace(' ', "");
        Some(format!("{}={}", option_name(key)?, value.replace(',', ":")))
    });
    let pairs: Vec<String> = pairs.collect();
    (!pairs.is_empty()).then(|| pairs.join(","))
}

/// The options of a backbone besides the normalisation, with timm's names for them.
const OPTIONS: [(&str, &str); 13] = [
    ("architecture", "timm"),
    ("final_norm", "final_norm"),
    ("heads", "num_heads"),
    ("activation", "act_layer"),
    ("epsilon", "norm_eps"),
    ("pool", "global_pool"),
    ("rope", "rope"),
    ("window", "window_size"),
    ("trained_window", "trained_window"),
    ("input_size", "input_size"),
    ("interpolation", "interpolation"),
    ("crop_ratio", "crop_ratio"),
    ("crop_mode", "crop_mode"),
];
