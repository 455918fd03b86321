//! The settings of a run, as stored in `run.toml` and named on the command line.
//!
//! The list [`SETTINGS`] contains everything that file, command line, checks and window need: every key is a long
//! option of `lae-studio train` (with `-` for `_`). `validate` reports all errors at once that can be found without
//! opening data or weights.

mod command;
mod file;
mod kind;
mod list;
mod setting;
mod spec;

use std::collections::BTreeSet;

use crate::backbone::library::BackboneChoice;
use crate::data::{summarise_corrections, validate_corrections};
use crate::files::names::{is_path, is_remote};
use crate::message;
use crate::nn::WeightType;
use crate::problem::{Problem, Result, line_and_column};
use crate::texts::Message;

pub use command::{quote_for_posix, quote_for_shell};
pub use kind::SettingKind;
pub use list::{MAX_EPOCHS, RunConfig, RunSetting, SETTINGS};
pub use setting::{Setting, Settings};
pub use spec::{Aspect, FixTo, Requirement, SettingGroup, SettingPlace, SettingSpec, capitalize};

/// Number format of the frozen weights. PETs, heads, loss and optimiser are always f32, and so is all other arithmetic,
/// except that with bf16 the inputs of frozen matrices are rounded too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// The default format, f32.
    #[default]
    Auto,
    /// Single precision.
    F32,
    /// f16 on GPUs that support it, else f32 with a remark.
    F16,
    /// bf16 on CPUs with bf16 instructions; refused elsewhere.
    Bf16,
}

impl Precision {
    /// All choices, in display order.
    pub const ALL: [Self; 4] = [Self::Auto, Self::F32, Self::F16, Self::Bf16];

    /// Returns the requested format of the weights.
    pub fn weight_type(self) -> WeightType {
        match self {
            Self::Auto | Self::F32 => WeightType::F32,
            Self::F16 => WeightType::F16,
            Self::Bf16 => WeightType::Bf16,
        }
    }

    /// Returns the name on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }
}

/// Returns the setting of every run with this key.
pub fn setting(key: &str) -> Option<&'static RunSetting> {
    SETTINGS.iter().find(|setting| setting.spec.key == key)
}

impl RunConfig {
    /// Reads a `run.toml` text.
    ///
    /// # Errors
    /// Returns a Problem with line and column for text that is not TOML, an unknown key or a wrong type.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| {
            let position = error.span().map_or_else(
                || origin.to_string(),
                |span| {
                    let (line, column) = line_and_column(text, span.start);
                    format!("{origin}, line {line}, column {column}")
                },
            );
            Problem::new(message!("problem-settings-unreadable", message = error.message()))
                .at(position)
                .advise(message!("advice-correct-setting"))
        })
    }

    /// Returns the text of `run.toml`.
    ///
    /// # Errors
    /// Returns a Problem if TOML cannot represent a value, which does not occur in practice.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self)
            .map_err(|error| Problem::with_error("problem-settings-unwritten", &error))
    }

    /// Returns the paths on other computers in these settings, without duplicates: of the dataset, the weights, the
    /// class order.
    pub fn remote_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for path in self.paths().filter(|path| is_remote(path)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Returns the paths in these settings: of the dataset, the weights, the class order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let values = [&self.data, &self.backbone, &self.order].into_iter();
        values.map(String::as_str).filter(|path| is_path(path))
    }

    /// Returns the backbone with the settings that describe it.
    pub fn backbone_choice(&self) -> BackboneChoice<'_> {
        BackboneChoice {
            name: &self.backbone,
            pretrained_transform: self.pretrained_transform,
            values: self.backbone_set.as_deref(),
        }
    }

    /// Returns the images on which accuracies are measured: `test`, or `validation` images held out of training.
    pub fn evaluation_split(&self) -> &'static str {
        if self.validation_share > 0.0 { "validation" } else { "test" }
    }

    /// Returns the settings without those that determine where a run is computed and in which portions, which affect
    /// results only by rounding.
    #[must_use]
    pub fn without_execution_settings(self) -> Self {
        self.reset_aspects(|aspect| aspect == Aspect::Execution)
    }

    /// Returns the settings that all repetitions of an experiment share: without class order, seed and what
    /// [`RunConfig::without_execution_settings`] removes.
    #[must_use]
    pub fn experiment_settings(self) -> Self {
        self.reset_aspects(|aspect| aspect != Aspect::Experiment)
    }

    /// Returns the settings with those of this kind reset to their defaults.
    fn reset_aspects(mut self, is_selected: impl Fn(Aspect) -> bool) -> Self {
        self.copy_settings(&Self::default(), |spec| is_selected(spec.aspect));
        self
    }

    /// Copies the selected settings from another config.
    pub fn copy_settings(&mut self, from: &Self, is_selected: impl Fn(&SettingSpec) -> bool) {
        for setting in SETTINGS.iter().filter(|setting| is_selected(&setting.spec)) {
            (setting.copy)(self, from);
        }
    }

    /// Returns the numbers of the blocks with a PET.
    ///
    /// # Errors
    /// Returns a Problem for text that is neither a count nor a list, or a block beyond `depth`.
    pub fn parse_blocks(&self, depth: usize) -> Result<Vec<usize>> {
        parse_blocks(&self.blocks, depth, "--blocks")
    }

    /// Returns the dataset's name for lists: a path without its folders and extension.
    pub fn dataset_name(&self) -> String {
        let data = std::path::Path::new(&self.data)
            .file_stem()
            .map_or_else(|| self.data.clone(), |name| name.to_string_lossy().into());
        data.strip_suffix(".tar").unwrap_or(&data).to_string()
    }
}

/// Returns block numbers from a number of first blocks ("5") or a list ("0,2,4"); `option` is the name of the option.
///
/// # Errors
/// Returns a Problem for text that is neither, or a block beyond `depth`.
pub fn parse_blocks(text: &str, depth: usize, option: &str) -> Result<Vec<usize>> {
    let fail = |what: Message| {
        Err(Problem::new(what).at(option).advise(message!(
            "advice-blocks-count-or-list",
            depth = depth.to_string(),
            depth2 = depth.saturating_sub(1).to_string()
        )))
    };
    let text = text.trim();
    let mut list = Vec::new();
    if let Ok(count) = text.parse::<usize>() {
        // One too many is enough for the error below.
        list.extend(0..count.min(depth + 1));
    } else {
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            match part.trim().parse::<usize>() {
                Ok(block) => list.push(block),
                Err(_) => return fail(message!("problem-blocks-empty", text)),
            }
        }
        list.sort_unstable();
        list.dedup();
    }
    match list.last() {
        None => fail(message!("problem-no-block-with-pet")),
        Some(&last) if last >= depth => fail(message!(
            "problem-block-out-of-range",
            block = last.to_string(),
            blocks = message!("count-blocks", n = depth)
        )),
        Some(_) => Ok(list),
    }
}

/// Returns the settings that differ: each key with one value per config.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let row = |key: &str, value: &dyn Fn(&RunConfig) -> Option<String>| {
        let text = |config: &&RunConfig| value(config).unwrap_or_else(|| "–".into());
        (key.to_string(), configs.iter().map(text).collect())
    };
    let common = SETTINGS.iter().map(|setting| {
        let value = |config: &RunConfig| (setting.get)(config).map(|value| value.to_string());
        row(setting.spec.key, &value)
    });
    let method_keys: BTreeSet<&String> = configs.iter().flat_map(|c| c.settings.keys()).collect();
    let method_rows = method_keys.into_iter().map(|key| {
        let value = |config: &RunConfig| config.settings.get(key).map(ToString::to_string);
        row(key, &value)
    });
    // The complete list would be too long.
    let corrected = |config: &RunConfig| {
        let has_corrections = !config.corrected.is_empty();
        has_corrections.then(|| summarise_corrections(&config.corrected))
    };
    let rows = common.chain(method_rows).chain([row("mended", &corrected)]);
    rows.filter(differs).collect()
}

/// Returns whether these values are not all equal.
pub fn differs((_, values): &(String, Vec<String>)) -> bool {
    values.windows(2).any(|pair| pair[0] != pair[1])
}

impl RunConfig {
    /// Returns all Problems of these settings that can be found without opening any data.
    pub fn validate(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = SETTINGS
            .iter()
            .filter_map(|setting| {
                let (spec, value) = (&setting.spec, (setting.get)(self)?);
                if spec.kind.convert(&value).is_some() {
                    return None;
                }
                let too_large = spec.too_large.filter(|_| spec.kind.exceeds_max(&value));
                match too_large {
                    Some(texts) => Some(spec.invalid_value_problem("large", texts)),
                    None => (!spec.refused.0.is_empty())
                        .then(|| spec.invalid_value_problem("refused", spec.refused)),
                }
            })
            .collect();
        problems.extend(validate_corrections(&self.corrected).err().map(|p| p.at("--corrected")));
        problems
    }
}

#[cfg(test)]
mod tests;
