//! The dimensions of a network as key-value pairs: the keys of an entry in a table of backbones, or the arguments of
//! timm's constructors (`embed_dim`, `num_heads`, …) in the metadata of a weight file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::problem::{Problem, Result};

/// The values of an architecture by key. In a table, sizes are required; timm's arguments have defaults.
pub struct ArchitectureValues {
    values: Map<String, Value>,
    is_table: bool,
}

impl ArchitectureValues {
    /// Creates the values of a table entry.
    pub fn from_table(values: Map<String, Value>) -> Self {
        Self { values, is_table: true }
    }

    /// Creates the values of a metadata map: the JSON object under `config`, and all other texts, which are parsed as
    /// JSON if possible.
    pub fn from_metadata(metadata: &BTreeMap<String, String>) -> Self {
        let parse =
            |text: &String| serde_json::from_str(text).unwrap_or(Value::String(text.clone()));
        let mut values: Map<String, Value> =
            (metadata.iter()).map(|(key, text)| (key.clone(), parse(text))).collect();
        if let Some(Value::Object(config)) = values.remove("config") {
            values.extend(config);
        }
        Self { values, is_table: false }
    }

    /// Returns the side of the square input, in pixels.
    ///
    /// # Errors
    /// Returns a Problem if it is not an integer.
    pub fn input_size(&self) -> Result<usize> {
        let timm_key = match self.values.contains_key("img_size") {
            true => "img_size",
            false => "input_size",
        };
        self.size("input_size", timm_key, 224)
    }

    /// Returns an integer: that of `table_key` in a table, or of `timm_key` in timm's arguments, where a pair of equal
    /// integers is also valid.
    ///
    /// # Errors
    /// Returns a Problem if it is missing in a table, or not an integer.
    pub fn size(&self, table_key: &str, timm_key: &str, default: usize) -> Result<usize> {
        let (key, value) = self.find(table_key, timm_key);
        match value {
            None => self.default_for(key, default),
            Some(Value::Array(pair)) if !self.is_table && pair.len() == 2 && pair[0] == pair[1] => {
                to_usize(&pair[0]).ok_or_else(|| invalid_value(key, "one whole number"))
            }
            Some(value) => to_usize(value).ok_or_else(|| invalid_value(key, "one whole number")),
        }
    }

    /// Returns a list of integers.
    ///
    /// # Errors
    /// Returns a Problem if it is missing in a table, or not a list of integers.
    pub fn sizes(&self, table_key: &str, timm_key: &str, default: &[usize]) -> Result<Vec<usize>> {
        let (key, value) = self.find(table_key, timm_key);
        match value {
            None => self.default_for(key, default.to_vec()),
            Some(Value::Array(values)) => {
                let values: Option<Vec<usize>> = values.iter().map(to_usize).collect();
                values.ok_or_else(|| invalid_value(key, "a list of whole numbers"))
            }
            Some(_) => Err(invalid_value(key, "a list, one number per stage")),
        }
    }

    /// Returns an optional integer; `timm_key` is empty if timm has no such argument.
    ///
    /// # Errors
    /// Returns a Problem if it is not an integer.
    pub fn optional_size(&self, table_key: &str, timm_key: &str) -> Result<Option<usize>> {
        let (key, value) = self.find(table_key, timm_key);
        let parse = |value| to_usize(value).ok_or_else(|| invalid_value(key, "one whole number"));
        value.map(parse).transpose()
    }

    /// Returns the integer with timm's key, if there is one.
    pub fn timm_size(&self, timm_key: &str) -> Option<usize> {
        self.values.get(timm_key).and_then(to_usize)
    }

    /// Returns the text with timm's key, if there is one.
    pub fn timm_text(&self, timm_key: &str) -> Option<&str> {
        self.values.get(timm_key).and_then(Value::as_str)
    }

    /// Returns a real number, or `default` if it is missing.
    ///
    /// # Errors
    /// Returns a Problem if it is not a number.
    pub fn float(&self, table_key: &str, timm_key: &str, default: f64) -> Result<f64> {
        let (key, value) = self.find(table_key, timm_key);
        match value {
            None => Ok(default),
            // JSON has no non-finite numbers; they have become null.
            Some(value) => (value.as_f64()).ok_or_else(|| invalid_value(key, "a finite number")),
        }
    }

    /// Returns a boolean, or `default` if it is missing. Other types in timm's arguments count as missing.
    ///
    /// # Errors
    /// Returns a Problem if a table has another type.
    pub fn flag(&self, table_key: &str, timm_key: &str, default: bool) -> Result<bool> {
        let (key, value) = self.find(table_key, timm_key);
        match value {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) if self.is_table => Err(invalid_value(key, "true or false")),
            Some(_) => Ok(default),
        }
    }

    /// Returns the variant with this name of an enum; `None` if the text is missing or empty.
    ///
    /// # Errors
    /// Returns a Problem if the value is not a text, or there is no such variant.
    pub fn enum_value<'a, T: Deserialize<'a>>(
        &'a self,
        table_key: &str,
        timm_key: &str,
    ) -> Result<Option<T>> {
        let (key, value) = self.find(table_key, timm_key);
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(value) => (value.as_str())
                .and_then(|_| T::deserialize(value).ok())
                .map(Some)
                .ok_or_else(|| invalid_value(key, "one of the known values")),
        }
    }

    /// Returns whether these are timm's arguments and contain a value for this key.
    pub fn has_timm_key(&self, timm_key: &str) -> bool {
        !self.is_table && self.values.get(timm_key).is_some_and(|value| !value.is_null())
    }

    fn find<'k>(&self, table_key: &'k str, timm_key: &'k str) -> (&'k str, Option<&Value>) {
        let key = if self.is_table { table_key } else { timm_key };
        (key, self.values.get(key))
    }

    fn default_for<T>(&self, key: &str, default: T) -> Result<T> {
        match self.is_table {
            true => Err(Problem::new(format!("{key} is missing"))),
            false => Ok(default),
        }
    }
}

fn to_usize(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn invalid_value(key: &str, wanted: &str) -> Problem {
    Problem::new(format!("{key} must be {wanted}"))
}
