//! Reads the values under a key of a grid file, and checks each against its setting.

use std::collections::HashSet;

use toml::de::DeValue;

use super::read::{Item, Reader};
use super::{Choice, GridKey, GridValue};
use crate::run::config::{RunConfig, Setting, SettingKind};

impl Reader {
    /// Reads the values under a key; each becomes a choice.
    pub(super) fn choices(&mut self, key: &GridKey, item: &Item<'_>) -> Vec<Choice> {
        let several = match item.get_ref() {
            // For these settings, a list of two numbers is a single value.
            DeValue::Array(list) if is_pair(key) => {
                list.iter().any(|item| item.get_ref().is_array())
            }
            DeValue::Array(_) => true,
            _ => false,
        };
        let items: Vec<&Item<'_>> = match item.get_ref() {
            DeValue::Array(list) if several => list.iter().collect(),
            _ => vec![item],
        };
        let name = key.name();
        if items.is_empty() {
            self.mistake(
                item.span(),
                format!("`{name}` has no values"),
                "give at least one value",
            );
        }
        let (mut choices, mut known) = (Vec::new(), HashSet::new());
        for item in items {
            let Some(given) = self.value(key, item) else {
                continue;
            };
            let told = given.value.to_string();
            if !known.insert(told.clone()) {
                let what = format!("`{name}` has the value {told} twice");
                self.mistake(item.span(), what, "remove one of them");
            }
            choices.push(Choice {
                title: format!("{name} {told}"),
                given: vec![given],
            });
        }
        choices
    }

    /// Reads one value of a setting.
    fn value(&mut self, key: &GridKey, item: &Item<'_>) -> Option<GridValue> {
        let name = key.name();
        let Some(value) = setting_of(item.get_ref()) else {
            let what = format!("`{name}` has an invalid value");
            let why = "give true or false, a finite number, two numbers or a string";
            self.mistake(item.span(), what, why);
            return None;
        };
        let admitted = match key {
            GridKey::Preset => matches!(value, Setting::Text(_)).then(|| value.clone()),
            GridKey::Own(_) => Some(value.clone()),
            GridKey::Common(setting) => {
                let admitted = setting.spec.kind.admit(&value);
                admitted.filter(|value| (setting.set)(&mut RunConfig::default(), value.clone()))
            }
        };
        if admitted.is_none() {
            let what = format!("{value} is not a valid value of `{name}`");
            self.mistake(item.span(), what, why_not(key, &value));
        }
        Some(GridValue {
            key: key.clone(),
            value: admitted?,
            at: item.span().start,
        })
    }
}

fn is_pair(key: &GridKey) -> bool {
    matches!(key, GridKey::Common(setting) if matches!(setting.spec.kind, SettingKind::Shares(_)))
}

/// Returns advice that explains why a setting does not accept a value.
fn why_not(key: &GridKey, value: &Setting) -> String {
    let GridKey::Common(setting) = key else {
        return "give the name of a preset; `lae-studio presets` lists them".into();
    };
    let spec = &setting.spec;
    let refused = spec.refused.1;
    match spec.kind {
        // The description helps more than the range if the value is not even a string.
        SettingKind::Text(_) | SettingKind::Blocks(_) if !matches!(value, Setting::Text(_)) => {
            format!("give a string in quotes: {}", spec.meaning)
        }
        _ if refused.is_empty() => format!("give {}", spec.kind.range()),
        _ => format!("give {}; {refused}", spec.kind.range()),
    }
}

/// Returns a TOML value as a setting's value; `None` if its type is not supported.
fn setting_of(value: &DeValue<'_>) -> Option<Setting> {
    let number = |value: &DeValue<'_>| -> Option<f64> {
        let integer = value.as_integer().map(|n| n.as_str().parse().ok());
        integer
            .unwrap_or_else(|| value.as_float()?.as_str().parse().ok())
            .filter(|number: &f64| number.is_finite())
    };
    Some(match value {
        DeValue::Boolean(on) => Setting::Flag(*on),
        DeValue::Integer(n) => Setting::Whole(i64::from_str_radix(n.as_str(), n.radix()).ok()?),
        DeValue::Float(_) => Setting::Real(number(value)?),
        DeValue::String(text) => Setting::Text(text.to_string().into()),
        DeValue::Array(pair) => {
            let mut numbers = pair.iter().map(|item| number(item.get_ref()));
            let (low, high) = (numbers.next()??, numbers.next()??);
            if numbers.next().is_some() {
                return None;
            }
            Setting::Pair([low as f32, high as f32])
        }
        DeValue::Datetime(_) | DeValue::Table(_) => return None,
    })
}
