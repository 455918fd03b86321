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
use crate::data::{check_corrected, short_corrected};
use crate::files::names::{is_elsewhere, is_path};
use crate::message;
use crate::nn::WeightType;
use crate::problem::{Problem, Result, line_and_column};
use crate::texts::Message;

pub use command::{posix_word, shell_word};
pub use kind::SettingKind;
pub use list::{MOST_EPOCHS, RunConfig, RunSetting, SETTINGS};
pub use setting::{Setting, Settings};
pub use spec::{Aspect, FixTo, Needs, SettingGroup, SettingPlace, SettingSpec, capitalised};

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
    pub fn weights(self) -> WeightType {
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
            let place = error.span().map_or_else(
                || origin.to_string(),
                |span| {
                    let (line, column) = line_and_column(text, span.start);
                    format!("{origin}, line {line}, column {column}")
                },
            );
            Problem::new(message!(
                "problem-settings-unreadable",
                message = error.message()
            ))
            .at(place)
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
    pub fn elsewhere(&self) -> Vec<&str> {
        let mut places: Vec<&str> = Vec::new();
        for place in self.paths().filter(|place| is_elsewhere(place)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Returns the paths in these settings: of the dataset, the weights, the class order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let all = [&self.data, &self.backbone, &self.order].into_iter();
        all.map(String::as_str).filter(|place| is_path(place))
    }

    /// Returns the backbone with the settings that describe it.
    pub fn chosen_backbone(&self) -> BackboneChoice<'_> {
        BackboneChoice {
            name: &self.backbone,
            pretrained_transform: self.pretrained_transform,
            values: self.backbone_set.as_deref(),
        }
    }

    /// Returns the images on which accuracies are measured: `test`, or `validation` images held out of training.
    pub fn measured_on(&self) -> &'static str {
        if self.validation_share > 0.0 {
            "validation"
        } else {
            "test"
        }
    }

    /// Returns the settings without those that determine where a run is computed and in which portions, which affect
    /// results only by rounding.
    #[must_use]
    pub fn anywhere(self) -> Self {
        self.without(|says| says == Aspect::Execution)
    }

    /// Returns the settings that all repetitions of an experiment share: without class order, seed and what
    /// [`RunConfig::anywhere`] removes.
    #[must_use]
    pub fn repeatable(self) -> Self {
        self.without(|says| says != Aspect::Experiment)
    }

    /// Returns the settings with those of this kind reset to their defaults.
    fn without(mut self, which: impl Fn(Aspect) -> bool) -> Self {
        self.copy(&Self::default(), |spec| which(spec.aspect));
        self
    }

    /// Copies the selected settings from another config.
    pub fn copy(&mut self, from: &Self, which: impl Fn(&SettingSpec) -> bool) {
        for setting in SETTINGS.iter().filter(|setting| which(&setting.spec)) {
            (setting.copy)(self, from);
        }
    }

    /// Returns the numbers of the blocks with a PET.
    ///
    /// # Errors
    /// Returns a Problem for text that is neither a count nor a list, or a block beyond `depth`.
    pub fn block_list(&self, depth: usize) -> Result<Vec<usize>> {
        block_list(&self.blocks, depth, "--blocks")
    }

    /// Returns the dataset's name for lists: a path without its folders and extension.
    pub fn data_name(&self) -> String {
        let data = std::path::Path::new(&self.data)
            .file_stem()
            .map_or_else(|| self.data.clone(), |name| name.to_string_lossy().into());
        data.strip_suffix(".tar").unwrap_or(&data).to_string()
    }
}

/// Returns block numbers from a number of first blocks ("5") or a list ("0,2,4"); `place` is the name of the option.
///
/// # Errors
/// Returns a Problem for text that is neither, or a block beyond `depth`.
pub fn block_list(text: &str, depth: usize, place: &str) -> Result<Vec<usize>> {
    let wrong = |what: Message| {
        Err(Problem::new(what).at(place).advise(message!(
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
                Err(_) => return wrong(message!("problem-blocks-empty", text)),
            }
        }
        list.sort_unstable();
        list.dedup();
    }
    match list.last() {
        None => wrong(message!("problem-no-block-with-pet")),
        Some(&last) if last >= depth => wrong(message!(
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
        let shown = |config: &&RunConfig| value(config).unwrap_or_else(|| "–".into());
        (key.to_string(), configs.iter().map(shown).collect())
    };
    let common = SETTINGS.iter().map(|setting| {
        let value = |config: &RunConfig| (setting.get)(config).map(|value| value.to_string());
        row(setting.spec.key, &value)
    });
    let own: BTreeSet<&String> = configs.iter().flat_map(|c| c.settings.keys()).collect();
    let own = own.into_iter().map(|key| {
        let value = |config: &RunConfig| config.settings.get(key).map(ToString::to_string);
        row(key, &value)
    });
    // The complete list would be too long.
    let corrected = |config: &RunConfig| {
        let any = !config.corrected.is_empty();
        any.then(|| short_corrected(&config.corrected))
    };
    let all = common.chain(own).chain([row("mended", &corrected)]);
    all.filter(differs).collect()
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
                if spec.kind.admit(&value).is_some() {
                    return None;
                }
                let above = spec.too_large.filter(|_| spec.kind.is_above(&value));
                match above {
                    Some(words) => Some(spec.refusal("large", words)),
                    None => {
                        (!spec.refused.0.is_empty()).then(|| spec.refusal("refused", spec.refused))
                    }
                }
            })
            .collect();
        problems.extend(
            check_corrected(&self.corrected)
                .err()
                .map(|p| p.at("--corrected")),
        );
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Correction;

    #[test]
    fn every_field_has_its_entry_and_every_entry_has_its_field() {
        let mut all = RunConfig {
            micro_batch: Some(1),
            pet_variant: Some("plain".into()),
            pet_set: Some("rank=8".into()),
            pet_start: Some("adapter".into()),
            train_limit: Some(1),
            test_limit: Some(1),
            bit_depth: 12,
            pretrained_transform: false,
            backbone_set: Some("heads=16".into()),
            ..RunConfig::default()
        };
        let text = all.to_toml().unwrap();
        let written: Vec<&str> = text
            .lines()
            .filter_map(|l| Some(l.split_once(" = ")?.0))
            .collect();
        let listed: Vec<&str> = SETTINGS.iter().map(|setting| setting.spec.key).collect();
        assert_eq!(written, listed);
        for setting in SETTINGS {
            let (spec, value) = (&setting.spec, (setting.get)(&all));
            let value = value.unwrap();
            assert!(
                !spec.title.is_empty() && !spec.meaning.is_empty(),
                "{}",
                spec.key
            );
            assert!(
                !spec.meaning.ends_with('.') && !spec.meaning.contains("  "),
                "{}",
                spec.key
            );
            // Its description is read back unchanged.
            assert_eq!(
                spec.kind.read(&value.to_string()),
                Some(value.clone()),
                "{}",
                spec.key
            );
            let before = all.clone();
            assert!(
                (setting.set)(&mut all, value) && all == before,
                "{}",
                spec.key
            );
            let usual = (setting.get)(&RunConfig::default());
            assert_eq!(usual, spec.kind.default(), "{}", spec.key);
        }
    }

    #[test]
    fn settings_survive_the_file() {
        let config = RunConfig {
            train_limit: Some(7),
            method: "baseline".into(),
            settings: Settings::from([("a".into(), Setting::Real(0.5))]),
            corrected: vec![Correction {
                picture: "a/1.png".into(),
                sha256: "0".repeat(64),
                was: "a".into(),
                class: None,
            }],
            ..RunConfig::default()
        };
        let text = config.to_toml().unwrap();
        assert_eq!(RunConfig::from_toml(&text, "run.toml").unwrap(), config);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let problem = RunConfig::from_toml("epochs = 2\nepoch = 3\n", "my.toml").unwrap_err();
        assert!(problem.place.contains("line 2"), "{problem}");
        assert!(problem.is("problem-settings-unreadable"), "{problem}");
        assert!(problem.what.contains("epoch"), "{problem}");
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_with_their_line() {
        for line in [
            "base_lr = nan",
            "test_share = -inf",
            "validation_share = inf",
            "crop_scale = [nan, 1.0]",
            "ema = nan",
            "settings.ema = nan",
        ] {
            let problem = RunConfig::from_toml(&format!("epochs = 2\n{line}\n"), "my.toml");
            let problem = problem.unwrap_err();
            assert!(problem.is("problem-settings-unreadable"), "{problem}");
            assert!(problem.what.contains("finite"), "{problem}");
            assert!(problem.place.contains("line 2"), "{line}: {problem}");
        }
    }

    #[test]
    fn a_file_that_says_nothing_of_copies_draws_them_as_it_did() {
        let read = |text| RunConfig::from_toml(text, "run.toml").unwrap();
        let old = read("data = \"digits\"\n");
        assert!(!old.copies_together && !old.near_copies_together);
        assert!(!read("copies_together = true\n").near_copies_together);
        let new = RunConfig::default();
        assert!(new.copies_together && new.near_copies_together);
        assert_eq!(read(&new.to_toml().unwrap()), new);
    }

    #[test]
    fn a_file_that_says_nothing_of_the_transform_has_that_of_earlier_versions() {
        let read = |text: &str| RunConfig::from_toml(text, "run.toml").unwrap();
        assert!(!read("backbone = \"swin\"\n").pretrained_transform);
        assert!(
            read("").pretrained_transform,
            "the embedded one has no other"
        );
        for (backbone, pretrained_transform) in [
            ("swin", true),
            ("swin", false),
            ("lae-nano", true),
            ("lae-nano", false),
        ] {
            let config = RunConfig {
                backbone: backbone.into(),
                pretrained_transform,
                ..RunConfig::default()
            };
            let text = config.to_toml().unwrap();
            assert_eq!(read(&text), config);
            // Keys of runs without the setting stay the same.
            let named = pretrained_transform != (backbone == "lae-nano");
            assert_eq!(text.contains("pretrained_transform"), named, "{backbone}");
        }
    }

    #[test]
    fn blocks_are_a_count_or_a_list() {
        let with = |blocks: &str| RunConfig {
            blocks: blocks.into(),
            ..RunConfig::default()
        };
        assert_eq!(with("3").block_list(8).unwrap(), vec![0, 1, 2]);
        assert_eq!(with("4, 0,4").block_list(8).unwrap(), vec![0, 4]);
        assert!(with("9").block_list(8).is_err());
        assert!(with("99999999999").block_list(8).is_err());
        assert!(with("0,x").block_list(8).is_err());
        assert!(with("").block_list(8).is_err());
    }

    #[test]
    fn the_card_variant_of_older_files_is_a_precision() {
        for (text, precision) in [
            ("card_variant = \"f16-fused-bytes\"\n", Precision::F16),
            ("card_variant = \"f32-fused-bytes\"\n", Precision::Auto),
            (
                "card_variant = \"plain\"\nprecision = \"bf16\"\n",
                Precision::Bf16,
            ),
        ] {
            let config = RunConfig::from_toml(text, "run.toml").unwrap();
            assert_eq!(config.precision, precision);
        }
    }

    #[test]
    fn settings_of_lae_at_the_top_level_are_read_as_its_own() {
        let old = "method = \"lae\"\nlearning = false\nfreeze_epochs = 2\nema = 0.99\n";
        let config = RunConfig::from_toml(old, "run.toml").unwrap();
        let wanted = [
            ("learning", Setting::Flag(false)),
            ("freeze_epochs", Setting::Whole(2)),
            ("ema", Setting::Real(0.99)),
        ];
        let wanted = wanted.map(|(key, value)| (key.to_string(), value));
        assert_eq!(config.settings, Settings::from(wanted));
    }

    #[test]
    fn all_problems_are_found_at_once() {
        let config = RunConfig {
            epochs: 0,
            batch: 0,
            crop_scale: [0.9, 0.1],
            ..RunConfig::default()
        };
        assert_eq!(config.validate().len(), 3);
        let endless = RunConfig {
            epochs: usize::MAX,
            batch: usize::MAX,
            ..RunConfig::default()
        };
        let told: Vec<String> = endless.validate().into_iter().map(|p| p.what).collect();
        let wanted = [
            "the number of epochs per task is too large",
            "the batch is too large",
        ];
        assert_eq!(told, wanted);
        assert!(RunConfig::default().validate().is_empty());
    }

    #[test]
    fn what_the_checks_let_through_survives_the_file() {
        for upper in [true, false] {
            let config = extreme(upper);
            assert!(config.validate().is_empty(), "{:?}", config.validate());
            let text = config.to_toml().unwrap_or_default();
            assert_eq!(RunConfig::from_toml(&text, "run.toml").ok(), Some(config));
        }
        let beyond = RunConfig {
            seed: u64::MAX,
            split_seed: u64::MAX,
            cache_mb: usize::MAX,
            ..RunConfig::default()
        };
        assert_eq!(beyond.validate().len(), 3);
    }

    /// Returns settings at the upper or lower ends of their ranges.
    fn extreme(upper: bool) -> RunConfig {
        let mut config = RunConfig::default();
        for setting in SETTINGS {
            let ends = match setting.spec.kind {
                SettingKind::Whole { least, most, .. } => {
                    [Setting::Whole(least), Setting::Whole(most)]
                }
                SettingKind::Seed => [Setting::Whole(0), Setting::Whole(i64::MAX)],
                SettingKind::Limit => [Setting::Whole(1), Setting::Whole(i64::MAX)],
                SettingKind::Real { least, most, .. } => {
                    [Setting::Real(least), Setting::Real(most)]
                }
                SettingKind::Share(_) | SettingKind::ShareOrNone => [
                    Setting::Real(f64::MIN_POSITIVE),
                    Setting::Real(1.0 - f64::EPSILON),
                ],
                SettingKind::Shares(_) => [
                    Setting::Pair([f32::MIN_POSITIVE; 2]),
                    Setting::Pair([1.0; 2]),
                ],
                _ => continue,
            };
            let [lower, upper_end] = ends;
            let end = if upper { upper_end } else { lower };
            assert!((setting.set)(&mut config, end), "{}", setting.spec.key);
        }
        config
    }
}
