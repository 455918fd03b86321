//! The settings of `train`, resolved from options, a file or preset, and the dataset.

mod options;
mod unused;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::backbone::library::{self, BackboneLibrary};
use crate::cli::output::print_message;
use crate::data::scenario::TaskSizes;
use crate::data::{Correction, Dataset};
use crate::experiment::overrides::{fill_pet_defaults, scale_epoch_settings, set_method};
use crate::experiment::suggested_settings::{even_task_sizes, suggest_for_dataset};
use crate::experiment::{ResourceCache, join_problems, presets};
use crate::files;
use crate::method::{ConfiguredMethod, UnusedSetting, apply_assignment, find_method};
use crate::pet::PetSpec;
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig, Setting};
use crate::run::event::Control;
use crate::store;
use crate::texts::Message;

use options::{MethodOptions, RunOptions};
pub(super) use unused::{no_effect_note, option_name};

/// The resolved settings.
#[derive(Debug)]
pub(super) struct ResolvedSettings {
    /// The settings of the run.
    pub config: RunConfig,
    /// What was chosen for the dataset, in sentences.
    pub suggestions: Vec<String>,
    /// Options without effect for this method, each in a sentence.
    pub notes: Vec<String>,
}

impl ResolvedSettings {
    /// Reports the choices, except if `quiet`, and the options without effect; returns the settings.
    pub fn report(self, quiet: bool) -> RunConfig {
        self.notes.iter().for_each(print_message);
        if !quiet {
            self.suggestions.iter().for_each(print_message);
        }
        self.config
    }
}

/// Settings given on the command line; others keep their values.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Settings {
    /// Read settings from a file, such as the run.toml of a run; options override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A preset (`lae-studio presets` lists them); options override it
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,

    #[command(flatten)]
    given: RunOptions,
    /// Labels corrected by hand: a list, or none to use the labels in the data [default: the dataset's own list, stored
    /// with the runs; with --config the file's]
    #[arg(long, alias = "mended", value_name = "FILE|none", help_heading = "Data")]
    corrected: Option<String>,
    /// A setting of the method (`lae-studio methods NAME` lists them); may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Learning")]
    set: Vec<String>,
    #[command(flatten)]
    own: MethodOptions,
}

impl Settings {
    /// Returns the same settings for this dataset, which is given without an option.
    #[must_use]
    pub fn with_dataset(mut self, data: &str) -> Self {
        self.given.set("data", Setting::Text(data.to_string().into()));
        self
    }

    /// Returns the settings of the run: those of the file or preset, or those that suit the dataset, overridden by the
    /// options. Lists of corrected labels are in `root`, next to the runs. If the choice depends on the dataset's
    /// content, it is opened with `cache`.
    ///
    /// # Errors
    /// Returns a Problem if a file cannot be read or there is no such preset.
    pub fn resolve(
        &self,
        root: &Path,
        cache: &ResourceCache,
        control: &Control,
    ) -> Result<ResolvedSettings> {
        let mut config = match (&self.config, &self.preset) {
            (Some(path), _) => read_config(path)?,
            (None, Some(name)) => presets::find_preset(name)?.run.clone(),
            (None, None) => RunConfig::default(),
        };
        let base = config.clone();
        if let Some(key) = self.given.text("method") {
            set_method(&mut config, key, self.preset.is_some())?;
        }
        let corrected = self.resolve_corrections(root, &config)?;
        let mut suggested = Vec::new();
        if self.config.is_none() && self.preset.is_none() {
            let should_continue = || control.should_continue();
            let dataset_config = self.config_for_dataset(&config, &corrected)?;
            let data = cache.data(&dataset_config, &should_continue).ok();
            if let Some(data) = data {
                suggested = self.apply_suggestions(&mut config, dataset_config, &data, root);
            }
        }
        let before = config.clone();
        self.given.apply(&mut config);
        self.apply_method_settings(&mut config)?;
        scale_epoch_settings(&before, &mut config, |key| {
            self.own.has(key) || self.set_keys().any(|set_key| set_key == key)
        });
        if self.config.is_none() {
            self.apply_default_network(&base, &mut config);
        }
        config.corrected = corrected;
        let notes = self.notes_on_unused(&config)?;
        Ok(ResolvedSettings { config, suggestions: suggested, notes })
    }

    /// Returns the corrected labels: those of the option, of the dataset, or of the file's run.
    fn resolve_corrections(&self, root: &Path, config: &RunConfig) -> Result<Vec<Correction>> {
        // The labels in a file belong to its run's dataset only.
        let data = self.given.text("data");
        let is_from_file = self.config.is_some() && data.is_none();
        if is_from_file && self.corrected.is_none() {
            return Ok(config.corrected.clone());
        }
        let data = data.unwrap_or(&config.data);
        load_corrections(self.corrected.as_deref(), root, data)
    }

    /// Returns the settings to open the dataset with. Reports errors that do not depend on the dataset.
    fn config_for_dataset(
        &self,
        config: &RunConfig,
        corrected: &[Correction],
    ) -> Result<RunConfig> {
        let mut dataset_config = config.clone();
        self.given.apply(&mut dataset_config);
        self.apply_method_settings(&mut dataset_config)?;
        dataset_config.corrected = corrected.to_vec();
        join_problems(dataset_config.validate())?;
        Ok(dataset_config)
    }

    /// Applies what suits the dataset, as the window does. Returns sentences about it, except about what options set.
    /// A dataset that cannot be opened is reported by the training.
    fn apply_suggestions(
        &self,
        config: &mut RunConfig,
        dataset_config: RunConfig,
        data: &Dataset,
        root: &Path,
    ) -> Vec<String> {
        let before = config.clone();
        config.data = dataset_config.data;
        let classes = data.classes.len();
        let in_stages = match self.given.text("classes_per_task") {
            // Invalid sizes are reported by the training.
            Some(sizes) => TaskSizes::parse(sizes)
                .and_then(|sizes| sizes.ranges(classes))
                .is_ok_and(|tasks| tasks.len() > 1),
            None => store::load_all_at_once(root, &config.data) == Ok(Some(false)),
        };
        let notes = suggest_for_dataset(config, data, in_stages);
        if self.given.has("epochs") {
            // The default number of frozen epochs depends on the number of epochs.
            (config.epochs, config.settings) = (before.epochs, before.settings);
            config.min_steps = before.min_steps;
        }
        let has_epochs = ConfiguredMethod::from_config(config).is_ok_and(|method| {
            let unused = method.unused_settings(None::<&PetSpec>);
            UnusedSetting::reason_for(&unused, "epochs").is_none()
        });
        let is_chosen = |key: &str| !self.given.has(key);
        let backbone = notes.backbone.filter(|_| is_chosen("backbone"));
        let is_training_chosen = has_epochs && is_chosen("epochs") && is_chosen("batch");
        let training = notes.training.filter(|_| is_training_chosen);
        let mut sentences: Vec<String> =
            backbone.iter().chain(&training).map(Message::english).collect();
        let classes = classes.to_string();
        let can_be_stages = even_task_sizes(data.classes.len()) != classes;
        let is_given = self.given.has("classes_per_task");
        if config.classes_per_task == classes && can_be_stages && !is_given {
            sentences.push(
                "All classes are learned in one task; --classes-per-task sets stages.".into(),
            );
        }
        sentences
    }

    /// Applies the default size and blocks of the PET, if they are not given.
    fn apply_default_network(&self, base: &RunConfig, config: &mut RunConfig) {
        // A backbone or plugin that cannot be described says why when it is opened.
        let choice = config.backbone_choice();
        let library = BackboneLibrary::with_default_locations();
        let _ = library::download_unlisted(&library, choice, &mut |text| {
            print_message(text);
            true
        });
        let about = library.describe(choice).ok();
        let plugin = Plugins::standard().get(&config.pet).ok();
        let default_size = plugin.and_then(|spec| spec.default_size());
        fill_pet_defaults(base, config, about.as_ref(), default_size, |key| self.given.has(key));
    }

    /// Returns the keys given with `--set`.
    fn set_keys(&self) -> impl Iterator<Item = &str> {
        let pairs = self.set.iter().filter_map(|text| text.split_once('='));
        pairs.map(|(key, _)| key.trim())
    }

    /// Applies the method's own settings.
    fn apply_method_settings(&self, config: &mut RunConfig) -> Result<()> {
        let specs = find_method(&config.method)?.settings;
        for (spec, value) in self.own.iter() {
            if specs.iter().any(|setting| setting.key == spec.key) {
                config.settings.insert(spec.key.into(), value.clone());
            }
        }
        self.set.iter().try_for_each(|text| apply_assignment(config, text))
    }

    /// Returns whether a class order was given.
    pub fn has_order(&self) -> bool {
        let order = self.given.text("order");
        order.is_some_and(|order| order != "natural")
    }

    /// Returns whether a device was given.
    pub fn has_device(&self) -> bool {
        self.given.has("device")
    }

    /// Returns the paper's experiment with the preset's data, if there is one.
    pub fn paper(&self) -> Option<presets::PaperDataset> {
        presets::find_preset(self.preset.as_deref()?).ok()?.paper
    }
}

/// Reads the settings of a file such as `run.toml`, without its facts about a run.
fn read_config(path: &Path) -> Result<RunConfig> {
    let text = files::read_text(path, files::TEXT)
        .map_err(|error| Problem::io("read the settings", path, &error))?;
    // The plugin of a run is stored next to its settings.
    crate::pet::library::add_run_plugin(path.with_file_name(store::PLUGIN_FILE));
    let mut config =
        RunConfig::from_toml(store::settings_part(&text), &path.display().to_string())?;
    // A copy of the PET's initial LoRA is stored there too.
    let copy = path.with_file_name(store::START_FOLDER);
    if let Some(start) = &mut config.pet_start
        && !Path::new(start).exists()
        && copy.is_dir()
    {
        *start = copy.to_string_lossy().into_owned();
    }
    Ok(config)
}

/// Returns the corrected labels of an option: those of a list, none, or without the option those of the dataset's list.
pub(super) fn load_corrections(
    option: Option<&str>,
    root: &Path,
    data: &str,
) -> Result<Vec<Correction>> {
    match option {
        Some("none") => Ok(Vec::new()),
        Some(path) => store::read_corrections(Path::new(path)),
        None => store::load_corrections(root, data),
    }
}

/// Returns the parser of a value that is given by one of these keys.
pub(super) fn keyed<T: Clone + Send + Sync + 'static, const N: usize>(
    all: [(T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.each_ref().map(|(_, key)| *key)).try_map(move |key| {
        let named = all.iter().find(|(_, name)| *name == key);
        named.map(|(value, _)| value.clone()).ok_or("unknown key")
    })
}

/// Parses a value of `--precision`.
pub(super) fn precisions() -> impl TypedValueParser<Value = Precision> {
    keyed(Precision::ALL.map(|precision| (precision, precision.key())))
}

/// Parses `on` or `off`.
pub(super) fn on_off() -> impl TypedValueParser<Value = bool> {
    keyed([(true, "on"), (false, "off")])
}

/// Parses a value of the setting `bit_depth`.
pub(super) fn bit_depth() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(8..=16).map(|bits| bits as usize)
}

#[cfg(test)]
mod tests;
