//! A method with its settings: typed values, checks and defaults.

use super::METHODS;
use super::spec::{ConfiguredMethod, MethodSpec, PublishedValues};
use super::unused_settings::Plugin;
use crate::backbone::library::Description;
use crate::data::published;
use crate::message;
use crate::problem::{Problem, Result, list_value};
use crate::run::config::{RunConfig, Setting, SettingKind, SettingSpec, Settings, parse_blocks};
use crate::run::event::MethodFacts;

/// Returns the method with this key.
///
/// # Errors
/// Returns a Problem that lists the available methods.
pub fn find_method(key: &str) -> Result<&'static MethodSpec> {
    METHODS.iter().copied().find(|spec| spec.key == key).ok_or_else(|| {
        let keys: Vec<&str> = METHODS.iter().map(|spec| spec.key).collect();
        let problem = Problem::new(message!("problem-method-not-found", key)).at("--method");
        problem.advise(message!("advice-one-of-values", value = list_value(&keys, 20)))
    })
}

impl<'a> ConfiguredMethod<'a> {
    /// Returns the method that these settings name.
    ///
    /// # Errors
    /// Returns a Problem if there is no such method.
    pub fn from_config(config: &'a RunConfig) -> Result<Self> {
        let spec = find_method(&config.method)?;
        Ok(Self { config, spec })
    }

    /// Returns the specification of one of the method's own settings.
    fn setting(&self, key: &str) -> Result<&'static SettingSpec> {
        let setting = self.spec.settings.iter().find(|setting| setting.key == key);
        setting.ok_or_else(|| self.unknown_setting(key))
    }

    /// Returns the value of one of the method's own settings.
    fn value(&self, key: &str) -> Result<Setting> {
        let setting = self.setting(key)?;
        match self.config.settings.get(key) {
            None => setting.kind.default().ok_or_else(|| self.unknown_setting(key)),
            Some(value) => setting.kind.convert(value).ok_or_else(|| out_of_range(setting, value)),
        }
    }

    /// Returns the value of a setting that is on or off.
    ///
    /// # Errors
    /// Returns a Problem for an unknown key or a value of another type.
    pub fn flag(&self, key: &str) -> Result<bool> {
        match self.value(key)? {
            Setting::Flag(on) => Ok(on),
            _ => Err(self.unknown_setting(key)),
        }
    }

    /// Returns the value of a setting that is a count.
    ///
    /// # Errors
    /// Returns a Problem for an unknown key or a value of another type.
    pub fn count(&self, key: &str) -> Result<usize> {
        match self.value(key)? {
            Setting::Whole(n) => usize::try_from(n).map_err(|_| self.unknown_setting(key)),
            _ => Err(self.unknown_setting(key)),
        }
    }

    /// Returns the value of a setting that is a real number.
    ///
    /// # Errors
    /// Returns a Problem for an unknown key or a value of another type.
    pub fn real(&self, key: &str) -> Result<f64> {
        match self.value(key)? {
            Setting::Real(x) => Ok(x),
            _ => Err(self.unknown_setting(key)),
        }
    }

    /// Returns the value of a setting that is one of several names.
    ///
    /// # Errors
    /// Returns a Problem for an unknown key or a value of another type.
    pub fn text(&self, key: &str) -> Result<String> {
        match self.value(key)? {
            Setting::Text(text) => Ok(text.into_owned()),
            _ => Err(self.unknown_setting(key)),
        }
    }

    /// Returns the value of a setting that lists blocks of a network with this depth.
    ///
    /// # Errors
    /// As [`parse_blocks`]; or a Problem for an unknown key.
    pub fn blocks(&self, key: &str, depth: usize) -> Result<Vec<usize>> {
        parse_blocks(&self.text(key)?, depth, &self.setting(key)?.cli_usage())
    }

    /// Returns the learning rate: base_lr · batch / 256, or base_lr itself if the authors do not scale it.
    pub fn learning_rate(&self) -> f64 {
        match self.spec.rate {
            Some(rate) if !rate.scaled => self.config.base_lr,
            _ => self.config.base_lr * self.config.batch as f64 / 256.0,
        }
    }

    /// Returns whether these settings train a PET plugin.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn trains_pet(&self) -> Result<bool> {
        self.spec.pet.map_or(Ok(false), |pet| (pet.is_trained)(self))
    }

    /// Returns whether the plugin's main form is used, instead of its form without LAE's Learning.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn is_calibrated(&self) -> Result<bool> {
        let flag = self.spec.pet.and_then(|pet| pet.calibration_flag);
        flag.map_or(Ok(false), |key| self.flag(key))
    }

    /// Returns all of the method's own settings, including defaults.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn all_settings(&self) -> Result<Settings> {
        let each = self.spec.settings.iter();
        each.map(|setting| Ok((setting.key.to_string(), self.value(setting.key)?))).collect()
    }

    /// Returns the facts about the method that a run stores, as far as the settings determine them.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn facts(&self) -> Result<MethodFacts> {
        Ok(MethodFacts {
            title: self.spec.title.to_string(),
            variant: self.variant()?,
            experts: self.spec.experts.to_vec(),
            uses_pet: self.trains_pet()?,
            pet_sized: None,
            seeded: Some(self.spec.seeded),
            scores: Some((self.spec.scores)(self)?),
        })
    }

    /// Returns a list of words for the flags and choices that differ from the defaults.
    fn variant(&self) -> Result<Vec<String>> {
        let mut words = Vec::new();
        for setting in self.spec.settings {
            let (value, title) = (self.value(setting.key)?, setting.title);
            match (setting.kind, &value) {
                (SettingKind::Flag(true), Setting::Flag(false)) => {
                    words.push(format!("no {title}"));
                }
                (SettingKind::Flag(false), Setting::Flag(true)) => words.push(title.to_string()),
                (SettingKind::Choice(_), value)
                    if Some(value) != setting.kind.default().as_ref() =>
                {
                    words.push(format!("{title} {value}"));
                }
                _ => {}
            }
        }
        Ok(words)
    }

    fn unknown_setting(&self, key: &str) -> Problem {
        let keys: Vec<&str> = self.spec.settings.iter().map(|setting| setting.key).collect();
        let remedy = match keys.as_slice() {
            [] => message!("advice-remove-method-setting"),
            keys => message!("advice-list-method-settings", keys = list_value(keys, 20)),
        };
        Problem::new(message!("problem-method-lacks-setting", title = self.spec.title, key))
            .at(format!("--set {key}"))
            .advise(remedy)
    }
}

fn out_of_range(setting: &SettingSpec, given: &Setting) -> Problem {
    let what =
        message!("problem-setting-value-invalid", given = given.to_string(), setting = setting.key);
    Problem::new(what)
        .at(setting.cli_usage())
        .advise(message!("advice-use-range", range = setting.kind.range().to_string()))
}

/// Returns all problems of settings that can be found without data and network.
pub fn problems(config: &RunConfig) -> Vec<Problem> {
    let mut problems = config.validate();
    let chosen = match ConfiguredMethod::from_config(config) {
        Ok(chosen) => chosen,
        Err(problem) => {
            problems.push(problem);
            return problems;
        }
    };
    let config_problem_count = problems.len();
    for (key, value) in &config.settings {
        match chosen.setting(key) {
            Err(unknown) => problems.push(unknown),
            Ok(setting) if setting.kind.convert(value).is_none() => {
                problems.push(out_of_range(setting, value));
            }
            Ok(_) => {}
        }
    }
    if problems.len() == config_problem_count {
        problems.extend((chosen.spec.check)(&chosen, None).err());
    }
    problems
}

/// Reads `KEY=VALUE` for the method of these settings.
///
/// # Errors
/// Returns a Problem for text without `=`, an unknown key, or a value out of range.
pub fn apply_assignment(config: &mut RunConfig, text: &str) -> Result<()> {
    let Some((key, value)) = text.split_once('=') else {
        let problem =
            Problem::new(message!("problem-setting-assignment-invalid", text)).at("--set");
        return Err(problem.advise(message!("advice-write-key-value")));
    };
    let key = key.trim();
    let setting = ConfiguredMethod::from_config(config)?.setting(key)?;
    let given = || Setting::Text(value.trim().to_string().into());
    let value = setting.kind.parse(value).ok_or_else(|| out_of_range(setting, &given()))?;
    config.settings.insert(key.to_string(), value);
    Ok(())
}

/// Changes settings to another method: its default rate and PET, and none of the previous method's own settings. If the
/// data is that of one of the paper's experiments, uses the authors' values for it.
pub fn switch_method(config: &mut RunConfig, spec: &'static MethodSpec) {
    let previous_pet =
        ConfiguredMethod::from_config(config).ok().and_then(|chosen| chosen.spec.pet);
    config.method = spec.key.to_string();
    config.settings.clear();
    let rate = spec.rate.map(|rate| rate.base);
    config.base_lr = rate.unwrap_or(RunConfig::default().base_lr);
    let plugin = |pet: Option<super::PetUse>| pet.and_then(|pet| pet.plugin);
    match (plugin(previous_pet), plugin(spec.pet)) {
        (_, Some(plugin)) => config.pet = plugin.into(),
        // A plugin that only the previous method uses is replaced too.
        (Some(plugin), None) if plugin == config.pet => config.pet = RunConfig::default().pet,
        _ => {}
    }
    config.pet_variant = None;
    config.pet_set = None;
}

/// Applies the values that the method's authors use on the dataset of these settings, if published.
pub fn apply_published_values(config: &mut RunConfig, spec: &'static MethodSpec) {
    let data = published::find_published(&config.data).map_or(config.data.as_str(), |set| set.name);
    let Some(published) = spec.published.iter().find(|values| values.data == data) else {
        return;
    };
    let PublishedValues { epochs, base_lr, settings, .. } = published;
    config.epochs = *epochs;
    if let Some(rate) = base_lr.or(spec.rate.map(|rate| rate.base)) {
        config.base_lr = rate;
    }
    let settings = settings.iter();
    config.settings = settings.map(|(key, value)| ((*key).to_string(), value.clone())).collect();
}

/// Sets the default size and blocks of the method's PET for this backbone. `size` is the plugin's own default size.
pub fn apply_pet_defaults(
    config: &mut RunConfig,
    backbone: Option<&Description>,
    size: Option<usize>,
) {
    let Ok(spec) = find_method(&config.method) else {
        return;
    };
    // For a method without a PET, the settings keep their defaults for the next method.
    let pet = spec.pet.unwrap_or(super::PetUse::DEFAULT);
    let is_default_plugin = pet.plugin == Some(config.pet.as_str());
    let width_size = pet.size.filter(|_| is_default_plugin).zip(backbone);
    let width_size =
        width_size.map(|(size_for_width, backbone)| size_for_width(backbone.feature_width));
    if let Some(size) = width_size.or(size) {
        config.pet_size = size;
    }
    if let Some(backbone) = backbone {
        let blocks = match pet.every_block {
            true => backbone.blocks.len(),
            false => backbone.entry.pet_blocks,
        };
        config.blocks = blocks.to_string();
    }
}

/// Returns a short name for a run with these settings: "digits · LAE · adapter 5"; `sized` says whether its PET has a
/// size.
pub fn run_title(config: &RunConfig, sized: bool) -> String {
    let facts = ConfiguredMethod::from_config(config).and_then(|chosen| chosen.facts());
    let title =
        |facts: MethodFacts| MethodFacts { pet_sized: Some(sized), ..facts }.run_title(config);
    facts.map_or_else(|_| config.dataset_name(), title)
}

/// Returns the command that trains these settings, without settings that have no effect with this PET plugin.
pub fn train_command<'p>(config: &RunConfig, pet: Option<impl Into<Plugin<'p>>>) -> String {
    let unused = ConfiguredMethod::from_config(config).map(|chosen| chosen.unused_settings(pet));
    let keys: Vec<&str> = unused.iter().flatten().map(|setting| setting.key).collect();
    let method_settings = find_method(&config.method).map_or(&[][..], |spec| spec.settings);
    config.as_command(method_settings, &keys)
}

/// Returns the settings with all of the method's own settings written out, so that equal runs have equal settings.
#[must_use]
pub fn with_explicit_settings(config: &RunConfig) -> RunConfig {
    let all = ConfiguredMethod::from_config(config).and_then(|chosen| chosen.all_settings());
    RunConfig { settings: all.unwrap_or_else(|_| config.settings.clone()), ..config.clone() }
}
