//! Dimensions in words: the keys of an entry in a table of backbones, or the arguments of timm's
//! constructors (`embed_dim`, `num_heads`, …), as weight files carry them in their metadata.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::problem::{Problem, Result};

/// Some words with their values. A table must say every size; timm's constructors have usual ones.
pub struct ArchitectureValues {
    values: Map<String, Value>,
    of_table: bool,
}

impl ArchitectureValues {
    /// Of an entry of a table.
    pub fn of_table(values: Map<String, Value>) -> Self {
        Self {
            values,
            of_table: true,
        }
    }

    /// Of a metadata map: the JSON under `config` if there is one, else the texts themselves read
    /// as JSON where they are.
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

    /// Side of the square input, in pixels.
    ///
    /// # Errors
    /// It is no whole number.
    pub fn input_size(&self) -> Result<usize> {
        let theirs = match self.values.contains_key("img_size") {
            true => "img_size",
            false => "input_size",
        };
        self.size("input_size", theirs, 224)
    }

    /// A whole number under the table's or timm's word; for timm's, a pair of equal ones counts.
    ///
    /// # Errors
    /// It is missing in a table, or no whole number.
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

    /// A list of whole numbers.
    ///
    /// # Errors
    /// It is missing in a table, or no such list.
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

    /// A whole number that only tables know.
    ///
    /// # Errors
    /// It is no whole number.
    pub fn own_size(&self, ours: &str) -> Result<Option<usize>> {
        let value = self.find(ours, "").1;
        let read = |value| whole(value).ok_or_else(|| unfit(ours, "one whole number"));
        value.map(read).transpose()
    }

    /// A whole number under a word of timm's, if there is one.
    pub fn timms_size(&self, theirs: &str) -> Option<usize> {
        self.values.get(theirs).and_then(whole)
    }

    /// A text under a word of timm's, if there is one.
    pub fn timms_text(&self, theirs: &str) -> Option<&str> {
        self.values.get(theirs).and_then(Value::as_str)
    }

    /// A number of any kind.
    ///
    /// # Errors
    /// It is none.
    pub fn real(&self, ours: &str, theirs: &str, usual: f64) -> Result<f64> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => Ok(usual),
            // What is not finite cannot be written in JSON and has become nothing.
            Some(value) => (value.as_f64()).ok_or_else(|| unfit(key, "a finite number")),
        }
    }

    /// Yes or no; what timm has under the word instead counts as the usual.
    ///
    /// # Errors
    /// A table says neither.
    pub fn flag(&self, ours: &str, theirs: &str, usual: bool) -> Result<bool> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) if self.of_table => Err(unfit(key, "true or false")),
            Some(_) => Ok(usual),
        }
    }

    /// What `named` makes of a text.
    ///
    /// # Errors
    /// It makes nothing of it, or it is no text.
    pub fn one_of<T>(
        &self,
        ours: &str,
        theirs: &str,
        named: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        let (key, value) = self.find(ours, theirs);
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(value) => {
                let text = value.as_str().unwrap_or_default();
                let known = named(text);
                known
                    .map(Some)
                    .ok_or_else(|| unfit(key, "one of the known values"))
            }
        }
    }

    /// A whole number that may be left out, under a word that is the same in tables and timm.
    ///
    /// # Errors
    /// It is no whole number.
    pub fn optional_size(&self, word: &str) -> Result<Option<usize>> {
        let read = |value| whole(value).ok_or_else(|| unfit(word, "one whole number"));
        self.values.get(word).map(read).transpose()
    }

    /// Whether timm has anything under this word.
    pub fn timm_has(&self, theirs: &str) -> bool {
        !self.of_table
            && self
                .values
                .get(theirs)
                .is_some_and(|value| !value.is_null())
    }

    fn find<'a>(&self, ours: &'a str, theirs: &'a str) -> (&'a str, Option<&Value>) {
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
