//! Values of a method's own settings, as files and the command line give them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A method's own settings by key.
pub type Settings = BTreeMap<String, Setting>;

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A choice by its name, or a list of blocks.
    Text(Cow<'static, str>),
}

impl fmt::Display for Setting {
    /// As `--set KEY=VALUE` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(true) => f.write_str("on"),
            Self::Flag(false) => f.write_str("off"),
            Self::Whole(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

/// Takes whichever kind of value a file has.
struct Reader;

impl Visitor<'_> for Reader {
    type Value = Setting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("on or off, a number or a text")
    }

    fn visit_bool<E: Error>(self, on: bool) -> Result<Setting, E> {
        Ok(Setting::Flag(on))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Setting, E> {
        Ok(Setting::Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Setting, E> {
        let whole = i64::try_from(number).ok().map(Setting::Whole);
        whole.ok_or_else(|| E::custom(format_args!("{number} is more than a file can hold")))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Setting, E> {
        checked(number).map(Setting::Real)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Setting, E> {
        Ok(Setting::Text(text.to_string().into()))
    }
}

/// A number of a file, which may not be `nan` or `inf`: the one is not even equal to itself, and nothing can be trained
/// with either.
fn checked<E: Error>(number: f64) -> Result<f64, E> {
    match number.is_finite() {
        true => Ok(number),
        false => Err(E::custom(format_args!("{number} is no finite number"))),
    }
}

/// Reads a finite number.
pub(super) fn finite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    f64::deserialize(from).and_then(checked)
}

/// Reads a finite number that may be left out.
pub(super) fn finite_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    finite(from).map(Some)
}

/// Reads two finite numbers.
pub(super) fn finite_pair<'de, D: Deserializer<'de>>(from: D) -> Result<[f32; 2], D::Error> {
    let pair = <[f32; 2]>::deserialize(from)?;
    for number in pair {
        checked::<D::Error>(number.into())?;
    }
    Ok(pair)
}
