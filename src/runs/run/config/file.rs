//! Reads and writes settings as a TOML table. Older versions wrote LAE's own settings, and the kernel variant of a GPU,
//! at the top level.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::list::KEYS;
use super::{Precision, RunConfig, RunSetting, SETTINGS, Setting, setting};

/// LAE's own settings, which were at the top level in older files.
const LEGACY_TOP_LEVEL_KEYS: [&str; 5] =
    ["learning", "accumulation", "ensemble", "freeze_epochs", "ema"];

impl Serialize for RunConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_map(None)?;
        for setting in SETTINGS {
            let spec = &setting.spec;
            let value = (setting.get)(self);
            let implied = match spec.value_if_absent {
                Some(unnamed) => Some(Setting::Flag(unnamed(&self.backbone))),
                None => spec.kind.default(),
            };
            let is_omitted = spec.omit_default && value == implied;
            if let Some(value) = value.filter(|_| !is_omitted) {
                table.serialize_entry(spec.key, &value)?;
            }
        }
        if !self.stored_names.is_empty() {
            table.serialize_entry("stored_names", &self.stored_names)?;
        }
        if !self.settings.is_empty() {
            table.serialize_entry("settings", &self.settings)?;
        }
        if !self.corrected.is_empty() {
            table.serialize_entry("mended", &self.corrected)?;
        }
        table.end()
    }
}

impl<'de> Deserialize<'de> for RunConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ConfigVisitor)
    }
}

/// Visits the table of settings.
struct ConfigVisitor;

impl<'de> Visitor<'de> for ConfigVisitor {
    type Value = RunConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<RunConfig, A::Error> {
        let mut config = RunConfig::default();
        let mut present_keys = Vec::new();
        let mut legacy = Vec::new();
        let mut card_variant = String::new();
        while let Some(key) = table.next_key_seed(ConfigKeySeed)? {
            match key {
                ConfigKey::Common(setting) => {
                    table.next_value_seed(ValueSeed(setting, &mut config))?;
                    present_keys.push(setting.spec.key);
                }
                ConfigKey::MethodSettings => config.settings = table.next_value()?,
                ConfigKey::StoredNames => config.stored_names = table.next_value()?,
                ConfigKey::Corrected => config.corrected = table.next_value()?,
                ConfigKey::Legacy(key) => legacy.push((key, table.next_value()?)),
                ConfigKey::CardVariant => card_variant = table.next_value::<String>()?,
            }
        }
        for setting in SETTINGS {
            let spec = &setting.spec;
            if let Some(unnamed) =
                spec.value_if_absent.filter(|_| !present_keys.contains(&spec.key))
            {
                let on = unnamed(&config.backbone);
                (setting.set)(&mut config, Setting::Flag(on));
            }
        }
        if config.precision == Precision::Auto && card_variant.starts_with("f16-") {
            config.precision = Precision::F16;
        }
        // They had no effect on the Baseline, but were in its files too.
        for (key, value) in legacy.into_iter().filter(|_| config.method == "lae") {
            config.settings.entry(key.to_string()).or_insert(value);
        }
        Ok(config)
    }
}

/// A key of the table.
enum ConfigKey {
    Common(&'static RunSetting),
    MethodSettings,
    Corrected,
    StoredNames,
    Legacy(&'static str),
    /// The kernel variant of a GPU, in files of older versions: `f16-fused-bytes`.
    CardVariant,
}

/// Reads a key of the table.
struct ConfigKeySeed;

impl<'de> DeserializeSeed<'de> for ConfigKeySeed {
    type Value = ConfigKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ConfigKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some(setting) = setting(&text) {
            return Ok(ConfigKey::Common(setting));
        }
        let legacy = LEGACY_TOP_LEVEL_KEYS.into_iter().find(|key| *key == text);
        match (text.as_str(), legacy) {
            ("settings", _) => Ok(ConfigKey::MethodSettings),
            ("mended", _) => Ok(ConfigKey::Corrected),
            ("stored_names", _) => Ok(ConfigKey::StoredNames),
            ("card_variant", _) => Ok(ConfigKey::CardVariant),
            (_, Some(key)) => Ok(ConfigKey::Legacy(key)),
            // The error is raised at the key, so that the Problem has its line.
            _ => Err(D::Error::unknown_field(&text, KEYS)),
        }
    }
}

/// Reads the value of a setting and stores it in the config.
struct ValueSeed<'a>(&'static RunSetting, &'a mut RunConfig);

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self(setting, config) = self;
        let value = Setting::deserialize(deserializer)?;
        let text = value.to_string();
        match (setting.set)(config, value) {
            true => Ok(()),
            false => Err(D::Error::custom(format_args!(
                "{text} is not a valid value of {}, which takes {}",
                setting.spec.key,
                setting.spec.kind.range()
            ))),
        }
    }
}
