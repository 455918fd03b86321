//! The options of `train` that are settings, generated from the lists of settings: those of every run, and those of
//! methods that have an option.

use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::on_off;
use crate::method::METHODS;
use crate::run::config::{
    RunConfig, RunSetting, SETTINGS, Setting, SettingKind, SettingSpec, setting,
};

/// An option that is a setting.
struct SettingOption {
    /// Its name without dashes.
    name: String,
    spec: &'static SettingSpec,
    help: String,
    /// The setting of every run; `None` for a setting of a method.
    run: Option<&'static RunSetting>,
}

static RUN_OPTIONS: LazyLock<Vec<SettingOption>> = LazyLock::new(|| {
    let choice = |setting: &'static RunSetting| {
        let spec = &setting.spec;
        let name = spec.option_name()?;
        let help = help_with_default(spec, spec.meaning.to_string());
        let run = Some(setting);
        Some(SettingOption { name, spec, help, run })
    };
    SETTINGS.iter().filter_map(choice).collect()
});

static METHOD_OPTIONS: LazyLock<Vec<SettingOption>> = LazyLock::new(|| {
    let mut all: Vec<SettingOption> = Vec::new();
    for (method, spec) in METHODS.iter().flat_map(|m| m.settings.iter().map(move |s| (m, s))) {
        let Some(name) = spec.option_name() else {
            continue;
        };
        let help = match spec.is_switch() {
            true => format!("Turn {}'s {} off (on: {})", method.title, spec.title, spec.meaning),
            false => help_with_default(spec, format!("{}: {}", method.title, spec.meaning)),
        };
        // Methods that share a setting share its option.
        if all.iter().all(|option| option.name != name) {
            let run = None;
            all.push(SettingOption { name, spec, help, run });
        }
    }
    all
});

/// Returns the help text with the setting's default, if it has one.
fn help_with_default(spec: &SettingSpec, help: String) -> String {
    let default = spec.kind.default().map(|value| value.to_string());
    match (spec.default_text, default) {
        ("", Some(usual)) => format!("{help} [default: {usual}]"),
        ("", None) => help,
        (usual, _) => format!("{help} [default: {usual}]"),
    }
}

impl SettingOption {
    fn arg(&'static self) -> Arg {
        let arg = Arg::new(self.name.as_str())
            .long(self.name.as_str())
            .help(self.help.clone())
            .help_heading(self.spec.group.heading());
        if self.spec.is_switch() {
            return arg.action(ArgAction::SetTrue);
        }
        let below_zero = matches!(self.spec.kind, SettingKind::Real { .. });
        arg.value_name(self.spec.option.unwrap_or_default())
            .value_parser(self.parser())
            .allow_negative_numbers(below_zero)
    }

    fn parser(&'static self) -> ValueParser {
        let text = |text: String| Setting::Text(text.into());
        match self.spec.kind {
            SettingKind::Flag(_) => ValueParser::new(on_off().map(Setting::Flag)),
            SettingKind::Choice(names) => {
                ValueParser::new(PossibleValuesParser::new(names.iter().copied()).map(text))
            }
            _ if self.spec.key == "method" => {
                let keys = METHODS.iter().map(|method| method.key);
                ValueParser::new(PossibleValuesParser::new(keys).map(text))
            }
            _ => ValueParser::new(|text: &str| self.parse_value(text)),
        }
    }

    /// Parses a value without checking its range: all values out of range are reported together.
    fn parse_value(&self, text: &str) -> Result<Setting, String> {
        let is_accepted = |value: &Setting| {
            let set = self.run.map(|setting| setting.set);
            set.is_none_or(|set| set(&mut RunConfig::default(), value.clone()))
        };
        let value = self.spec.kind.parse_unchecked(text).filter(is_accepted);
        value.ok_or_else(|| format!("give {}", self.spec.kind.range()))
    }

    /// Returns the value given for the option.
    fn given(&self, matches: &ArgMatches) -> Option<Setting> {
        match self.spec.is_switch() {
            true => matches.get_flag(&self.name).then_some(Setting::Flag(false)),
            false => matches.get_one::<Setting>(&self.name).cloned(),
        }
    }
}

/// The given values of settings of every run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunOptions(Vec<(&'static RunSetting, Setting)>);

impl RunOptions {
    /// Returns each setting with its value, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = (&'static SettingSpec, &Setting)> {
        self.0.iter().map(|(setting, value)| (&setting.spec, value))
    }

    /// Returns whether this setting was given.
    pub fn has(&self, key: &str) -> bool {
        self.iter().any(|(spec, _)| spec.key == key)
    }

    /// Returns the given text of this setting.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.iter().find(|(spec, _)| spec.key == key)?.1 {
            Setting::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Sets a value, which replaces a given one.
    pub fn set(&mut self, key: &str, value: Setting) {
        self.0.retain(|(setting, _)| setting.spec.key != key);
        self.0.extend(setting(key).map(|setting| (setting, value)));
    }

    /// Applies the values to the settings of a run.
    pub fn apply(&self, config: &mut RunConfig) {
        for (setting, value) in &self.0 {
            (setting.set)(config, value.clone());
        }
    }
}

/// The given values of methods' own settings.
#[derive(Clone, Debug, Default)]
pub(super) struct MethodOptions(Vec<(&'static SettingSpec, Setting)>);

impl MethodOptions {
    /// Returns each setting with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static SettingSpec, &Setting)> {
        self.0.iter().map(|(spec, value)| (*spec, value))
    }

    /// Returns whether this setting was given.
    pub fn has(&self, key: &str) -> bool {
        self.iter().any(|(spec, _)| spec.key == key)
    }
}

/// Implements clap's two traits for a list of options, and storage for the given values.
macro_rules! options {
    ($type:ty, $list:ident, $kept:expr) => {
        impl Args for $type {
            fn augment_args(command: Command) -> Command {
                command.args($list.iter().map(SettingOption::arg))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $type {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                let given = |choice| Some(($kept(choice)?, SettingOption::given(choice, matches)?));
                Ok(Self($list.iter().filter_map(given).collect()))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

options!(RunOptions, RUN_OPTIONS, |choice: &SettingOption| choice.run);
options!(MethodOptions, METHOD_OPTIONS, |choice: &SettingOption| Some(choice.spec));
