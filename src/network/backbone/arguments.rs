//! The dimensions of a network as key-value pairs: the keys of an entry in a table of backbones, or the arguments of
//! timm's constructors (`embed_dim`, `num_heads`, …) in the metadata of a weight file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::problem::{Problem, Result};

/// The values of an architecture by key. In a table, sizes are required; timm's arguments have defaults.
pub struct ArchitectureValues {
    values: Map<String, Value>,
    of_table: bool,
}

impl ArchitectureValues {
    /// Creates the values of a table entry.
    pub fn of_table(values: Map<String, Value>) -> Self {
        Self {
            values,
            of_table: true,
        }
    }

    /// Creates the values of a metadata map: the JSON object under `config`, and all other texts, which are parsed as
    /// JSON if possible.
    pub fn of_metadata(metadata: &BTreeMap<String, String>) -> Self {
        let read =
            |text: &String| serde_json::from_str(text).unwrap_or(Value::String(text.clone()));
        let mut values: Map<String, Value> = (metadata.iter())
            .map(|(key, text)| (key.clone(), read(text)))
            .collect();
        if let Some(Value::Object(config)) = values.remove("config") {
            values.extend(config);
        }
        Self {
            values,
            of_table: false,
        }
    }

    /// Returns the side of the square input, in pixels.
    ///
    /// # Errors
    /// Returns a Problem if it is not an integer.
    pub fn input_size(&self) -> Result<usize> {
        let theirs = match self.values.contains_key("img_size") {
            true => "img_size",
            false => "input_size",
        };
        self.size("input_size", theirs, 224)
    }

    /// Returns an integer: that of the key `ours` in a table, `theirs` in timm's arguments, where a pair of equal
    /// integers is also valid.
    ///
    /// # Errors
    /// Returns a Problem if it is missing in a table, or not an integer.
    pub fn size(&self, ours: &str, theirs: &str, usual: usize) -> Result<usize> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => self.usual(key, usual),
            Some(Value::Array(pair)) if !self.of_table && pair.len() == 2 && pair[0] == pair[1] => {
                whole(&pair[0]).ok_or_else(|| unfit(key, "one whole number"))
            }
            Some(value) => whole(value).ok_or_else(|| unfit(key, "one whole number")),
        }
    }

    /// Returns a list of integers.
    ///
    /// # Errors
    /// Returns a Problem if it is missing in a table, or not a list of integers.
    pub fn sizes(&self, ours: &str, theirs: &str, usual: &[usize]) -> Result<Vec<usize>> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => self.usual(key, usual.to_vec()),
            Some(Value::Array(values)) => {
                let values: Option<Vec<usize>> = values.iter().map(whole).collect();
                values.ok_or_else(|| unfit(key, "a list of whole numbers"))
            }
            Some(_) => Err(unfit(key, "a list, one number per stage")),
        }
    }

    /// Returns an optional integer; `theirs` is empty if timm has no such argument.
    ///
    /// # Errors
    /// Returns a Problem if it is not an integer.
    pub fn optional_size(&self, ours: &str, theirs: &str) -> Result<Option<usize>> {
        let (key, value) = self.find(ours, theirs);
        let read = |value| whole(value).ok_or_else(|| unfit(key, "one whole number"));
        value.map(read).transpose()
    }

    /// Returns the integer with timm's key, if there is one.
    pub fn timms_size(&self, theirs: &str) -> Option<usize> {
        self.values.get(theirs).and_then(whole)
    }

    /// Returns the text with timm's key, if there is one.
    pub fn timms_text(&self, theirs: &str) -> Option<&str> {
        self.values.get(theirs).and_then(Value::as_str)
    }

    /// Returns a real number, or `usual` if it is missing.
    ///
    /// # Errors
    /// Returns a Problem if it is not a number.
    pub fn real(&self, ours: &str, theirs: &str, usual: f64) -> Result<f64> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => Ok(usual),
            // JSON has no non-finite numbers; they have become null.
            Some(value) => (value.as_f64()).ok_or_else(|| unfit(key, "a finite number")),
        }
    }

    /// Returns a boolean, or `usual` if it is missing. Other types in timm's arguments count as missing.
    ///
    /// # Errors
    /// Returns a Problem if a table has another type.
    pub fn flag(&self, ours: &str, theirs: &str, usual: bool) -> Result<bool> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) if self.of_table => Err(unfit(key, "true or false")),
            Some(_) => Ok(usual),
        }
    }

    /// Returns the variant with this name of an enum; `None` if the text is missing or empty.
    ///
    /// # Errors
    /// Returns a Problem if the value is not a text, or there is no such variant.
    pub fn one_of<'a, T: Deserialize<'a>>(&'a self, ours: &str, theirs: &str) -> Result<Option<T>> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(value) => (value.as_str())
                .and_then(|_| T::deserialize(value).ok())
                .map(Some)
                .ok_or_else(|| unfit(key, "one of the known values")),
        }
    }

    /// Returns whether these are timm's arguments and contain a value for this key.
    pub fn timm_has(&self, theirs: &str) -> bool {
        !self.of_table
            && self
                .values
                .get(theirs)
                .is_some_and(|value| !value.is_null())
    }

    fn find<'k>(&self, ours: &'k str, theirs: &'k str) -> (&'k str, Option<&Value>) {
        let key = if self.of_table { ours } else { theirs };
        (key, self.values.get(key))
    }

    fn usual<T>(&self, key: &str, usual: T) -> Result<T> {
        match self.of_table {
            true => Err(Problem::new(format!("{key} is missing"))),
            false => Ok(usual),
        }
    }
}

fn whole(value: &Value) -> Option<usize> {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
}

fn unfit(key: &str, wanted: &str) -> Problem {
    Problem::new(format!("{key} must be {wanted}"))
}
