//! What the tour, the lessons and the glossary say, in every language the program has: files in
//! `assets/texts`, English first. A text that a language lacks is told in English.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub mod fonts;
mod glossary;

pub use glossary::Term;

/// A language that the tour and the lessons speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// All of them, each with its own name for itself.
    pub const ALL: [(Self, &'static str); 2] =
        [(Self::English, "English"), (Self::German, "Deutsch")];

    /// Its two letters in file names.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("../../../assets/texts/en.toml"),
            Self::German => include_str!("../../../assets/texts/de.toml"),
        }
    }

    /// Every text by its key, the names of the tables before it joined by dots.
    fn table(self) -> &'static BTreeMap<String, String> {
        static ENGLISH: OnceLock<BTreeMap<String, String>> = OnceLock::new();
        static GERMAN: OnceLock<BTreeMap<String, String>> = OnceLock::new();
        let table = match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        };
        table.get_or_init(|| read(self.source()))
    }

    /// The text of this key; the key itself where no language has it.
    pub fn say(self, key: &'static str) -> &'static str {
        let own = self.table().get(key);
        let text = own.or_else(|| Self::English.table().get(key));
        text.map_or(key, String::as_str)
    }

    /// The same with each `{name}` in it replaced by its value.
    pub fn fill(self, key: &'static str, values: &[(&str, &str)]) -> String {
        let mut text = self.say(key).to_string();
        for (name, value) in values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }
}

/// The texts of a file. One that is no TOML has none; a test reads both.
fn read(source: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    if let Ok(table) = source.parse::<toml::Table>() {
        flatten("", table, &mut all);
    }
    all
}

fn flatten(before: &str, table: toml::Table, all: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        let key = match before {
            "" => name,
            before => format!("{before}.{name}"),
        };
        match value {
            toml::Value::Table(table) => flatten(&key, table, all),
            toml::Value::String(text) => {
                all.insert(key, text.trim().to_string());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The names between braces.
    fn places(text: &str) -> Vec<&str> {
        let parts = text.split('{').skip(1);
        let mut names: Vec<_> = parts.filter_map(|part| part.split('}').next()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn every_language_says_everything_and_fills_the_same_places() {
        let english = Language::English.table();
        for (language, name) in Language::ALL {
            language.source().parse::<toml::Table>().unwrap();
            let own = language.table();
            let keys = |table: &BTreeMap<String, String>| table.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(english), keys(own), "{name}");
            for (key, text) in own {
                assert!(!text.is_empty(), "{name}: {key}");
                assert_eq!(places(text), places(&english[key]), "{name}: {key}");
            }
        }
    }

    #[test]
    fn a_text_is_filled_and_an_unknown_key_shows_itself() {
        let told = Language::English.fill("tour.step", &[("step", "2"), ("steps", "7")]);
        assert_eq!(told, "Step 2 of 7");
        assert_eq!(Language::German.say("no.such.key"), "no.such.key");
    }
}
