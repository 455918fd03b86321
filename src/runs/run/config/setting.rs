//! Values of settings, as read from files and the command line, and how fields of the settings are set to them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Precision;

/// The own settings of a method, by key.
pub type Settings = BTreeMap<String, Setting>;

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A name, a path, or a list of blocks.
    Text(Cow<'static, str>),
    /// Minimum and maximum.
    Pair([f32; 2]),
    /// An integer that is too large for a file; it occurs only in memory and on the command line.
    Beyond(u64),
}

impl fmt::Display for Setting {
    /// Writes the value as the command line takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(true) => f.write_str("on"),
            Self::Flag(false) => f.write_str("off"),
            Self::Whole(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
            Self::Pair([low, high]) => write!(f, "{low},{high}"),
            Self::Beyond(value) => value.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SettingVisitor)
    }
}

/// Visits a value of any kind.
struct SettingVisitor;

impl<'de> Visitor<'de> for SettingVisitor {
    type Value = Setting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("on or off, a number, two numbers or a string")
    }

    fn visit_bool<E: Error>(self, on: bool) -> Result<Setting, E> {
        Ok(Setting::Flag(on))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Setting, E> {
        Ok(Setting::Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Setting, E> {
        let whole = i64::try_from(number).ok().map(Setting::Whole);
        whole.ok_or_else(|| E::custom(format_args!("{number} is too large")))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Setting, E> {
        check_finite(number).map(Setting::Real)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Setting, E> {
        Ok(Setting::Text(text.to_string().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Setting, A::Error> {
        let mut pair = [0.0; 2];
        for (index, number) in pair.iter_mut().enumerate() {
            let element: Option<f32> = list.next_element()?;
            *number = element.ok_or_else(|| A::Error::invalid_length(index, &"two numbers"))?;
            check_finite::<A::Error>((*number).into())?;
        }
        match list.next_element::<f32>()? {
            None => Ok(Setting::Pair(pair)),
            Some(_) => Err(A::Error::invalid_length(3, &"two numbers")),
        }
    }
}

/// Returns a number from a file if it is finite; `nan` and `inf` are refused, because nothing can be trained with them,
/// and `nan` is not equal to itself.
fn check_finite<E: Error>(number: f64) -> Result<f64, E> {
    match number.is_finite() {
        true => Ok(number),
        false => Err(E::custom(format_args!("{number} is not a finite number"))),
    }
}

/// The type of a field.
pub(super) trait Field: Sized {
    /// Returns the value; `None` if the field is not set.
    fn value(&self) -> Option<Setting>;
    /// Returns a field with this value, without checking the range; `None` if the value has another kind.
    fn from_setting(value: Setting) -> Option<Self>;

    /// Sets the field. Returns false and changes nothing if the value has another kind.
    fn set_from(&mut self, value: Setting) -> bool {
        Self::from_setting(value).map(|value| *self = value).is_some()
    }
}

impl Field for String {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.clone().into()))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        match value {
            Setting::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

impl Field for bool {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Flag(*self))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        match value {
            Setting::Flag(on) => Some(on),
            _ => None,
        }
    }
}

impl Field for u64 {
    fn value(&self) -> Option<Setting> {
        let whole = i64::try_from(*self).map(Setting::Whole);
        Some(whole.unwrap_or(Setting::Beyond(*self)))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        match value {
            Setting::Whole(number) => number.try_into().ok(),
            Setting::Beyond(number) => Some(number),
            _ => None,
        }
    }
}

impl Field for usize {
    fn value(&self) -> Option<Setting> {
        (*self as u64).value()
    }

    fn from_setting(value: Setting) -> Option<Self> {
        u64::from_setting(value)?.try_into().ok()
    }
}

impl Field for f64 {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Real(*self))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        match value {
            Setting::Real(number) => Some(number),
            // A file may contain 1 for 1.0.
            Setting::Whole(number) => Some(number as f64),
            _ => None,
        }
    }
}

impl Field for [f32; 2] {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Pair(*self))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        match value {
            Setting::Pair(pair) => Some(pair),
            _ => None,
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn value(&self) -> Option<Setting> {
        self.as_ref()?.value()
    }

    fn from_setting(value: Setting) -> Option<Self> {
        T::from_setting(value).map(Some)
    }
}

impl Field for Precision {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.key().into()))
    }

    fn from_setting(value: Setting) -> Option<Self> {
        let key = String::from_setting(value)?;
        Self::ALL.into_iter().find(|precision| precision.key() == key)
    }
}
