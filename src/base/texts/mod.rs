//! The texts of the program in all languages: messages of [Project Fluent](https://projectfluent.org) in
//! `assets/texts/LANGUAGE`, English first. A message that a language lacks is shown in English.
//!
//! Each thread has one language, English unless another is chosen ([`Language::speak`]); [`tr!`](crate::tr) formats a
//! message in it. So the window uses the user's language, while the command line, files and logs remain in English.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use serde::{Deserialize, Serialize};
use unic_langid::LanguageIdentifier;

pub mod fonts;
mod glossary;
mod message;
mod numbers;
mod words;

pub use fluent_bundle::FluentValue;
pub use glossary::Term;
pub use message::{Message, Value};
pub use words::{Messages, Words, all_in_english, join_translated};

/// Returns a text of the program's lists or files in this thread's language. `translate_entry("method", "lae",
/// "summary", spec.summary)` is the message `method-lae-summary`, or the English text if there is no translation.
pub fn translate_entry<'a>(list: &str, key: &str, part: &str, english: &'a str) -> &'a str {
    match Language::spoken() {
        Language::English => english,
        language => language.known(&list_id(list, key, part)).unwrap_or(english),
    }
}

/// Returns the id of the message for a part of a list entry.
pub fn list_id(list: &str, key: &str, part: &str) -> String {
    let to_id_char = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '-',
    };
    let key: String = key.chars().map(to_id_char).collect();
    format!("{list}-{key}-{part}")
}

/// Formats a message in the language of this thread: `tr!("queue-title")` is a `&'static str`, `tr!("queue-waiting",
/// n = 3)` a `String`. Values are texts or numbers; as in a struct, `n` means `n = n`.
#[macro_export]
macro_rules! tr {
    ($id:expr $(,)?) => {
        $crate::texts::Language::spoken().text($id)
    };
    ($id:expr, $($name:ident $(= $value:expr)?),+ $(,)?) => {{
        let mut values = $crate::texts::Values::new();
        $(values.set(stringify!($name), $crate::value_of!($name $(= $value)?));)+
        $crate::texts::Language::spoken().format($id, &values)
    }};
}

/// The values of a message by the names of its placeholders.
pub type Values<'a> = FluentArgs<'a>;

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// A language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

/// Includes the files of a language from the folder with its two-letter code.
macro_rules! sources {
    ($language:literal) => {
        sources!($language: "compare", "counts", "data", "editor", "entries", "experiment", "figure", "findings", "glossary", "help", "learn", "notices", "places", "plugins", "predict", "present", "problem", "ranges", "remarks", "report", "settings", "shell", "session", "start", "tour", "train", "unused")
    };
    // The English versions of these texts are in the lists and data files of the program.
    (lists $language:literal) => {
        sources!($language: "backbones", "columns", "methods", "plugins-shipped", "presets", "problems-io", "run-settings")
    };
    ($language:literal: $($file:literal),+) => {
        &[$(include_str!(concat!("../../../assets/texts/", $language, "/", $file, ".ftl"))),+]
    };
}

/// The messages of a language.
struct Bundle {
    bundle: FluentBundle<FluentResource>,
    /// Messages without placeholders.
    plain: BTreeMap<&'static str, String>,
}

impl Language {
    /// All languages, each with its own name for itself.
    pub const ALL: [(Self, &'static str); 2] =
        [(Self::English, "English"), (Self::German, "Deutsch")];

    /// Returns its two-letter code in file names.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the language of this thread.
    pub fn spoken() -> Self {
        SPOKEN.get()
    }

    /// Sets the language of this thread.
    pub fn speak(self) {
        SPOKEN.set(self);
    }

    /// Returns the files that exist in every language.
    fn translated_sources(self) -> &'static [&'static str] {
        match self {
            Self::English => sources!("en"),
            Self::German => sources!("de"),
        }
    }

    /// Returns the files with translations of the program's lists.
    fn list_sources(self) -> &'static [&'static str] {
        match self {
            Self::English => &[],
            Self::German => sources!(lists "de"),
        }
    }

    fn sources(self) -> impl Iterator<Item = &'static str> {
        self.translated_sources().iter().chain(self.list_sources()).copied()
    }

    /// Returns the ids of all its messages.
    pub fn message_ids(self) -> impl Iterator<Item = &'static str> {
        let lines = self.sources().flat_map(|source| source.lines());
        lines.filter_map(|line| {
            let (name, _) = line.split_once(" =")?;
            let is_id = name.starts_with(|c: char| c.is_ascii_lowercase());
            is_id.then_some(name)
        })
    }

    fn bundle(self) -> &'static Bundle {
        static BUNDLES: [OnceLock<Bundle>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        BUNDLES[self as usize].get_or_init(|| Bundle::read(self))
    }

    /// Returns the message with this id, which has no placeholders; returns the id itself if no language has the
    /// message.
    pub fn text(self, id: &'static str) -> &'static str {
        self.known(id).unwrap_or(id)
    }

    /// Returns the message without placeholders for an id that is computed, such as that of a setting's help; `None`
    /// if no language has it.
    pub fn known(self, id: &str) -> Option<&'static str> {
        let text = self.bundle().plain.get(id);
        let text = text.or_else(|| Self::English.bundle().plain.get(id));
        text.map(String::as_str)
    }

    /// Returns the message with this id and these values.
    pub fn format(self, id: &str, values: &Values<'_>) -> String {
        let text = self.bundle().format(id, values);
        let text = text.or_else(|| Self::English.bundle().format(id, values));
        text.unwrap_or_else(|| id.into())
    }

    /// Returns the message with this id and these texts as values.
    pub fn fill(self, id: &str, values: &[(&str, &str)]) -> String {
        self.format(id, &values.iter().copied().collect())
    }
}

impl Bundle {
    /// Reads all messages that are valid; a test checks that all are.
    fn read(language: Language) -> Self {
        let locale: LanguageIdentifier = language.code().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // Isolation marks are only needed for mixed writing directions, and the fonts show them as boxes.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(numbers::formatter(language)));
        // Fails only if a function of this name already exists.
        let _ = bundle.add_builtins();
        for source in language.sources() {
            let resource =
                FluentResource::try_new(source.into()).unwrap_or_else(|(resource, _)| resource);
            bundle.add_resource_overriding(resource);
        }
        let plain = language.message_ids().filter_map(|id| {
            let pattern = bundle.get_message(id)?.value()?;
            let mut missing = Vec::new();
            let text = bundle.format_pattern(pattern, None, &mut missing);
            missing.is_empty().then(|| (id, text.into_owned()))
        });
        let plain = plain.collect();
        Self { bundle, plain }
    }

    fn format(&self, id: &str, values: &Values<'_>) -> Option<String> {
        let message = self.bundle.get_message(id)?;
        let mut missing = Vec::new();
        let text = self.bundle.format_pattern(message.value()?, Some(values), &mut missing);
        Some(text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the placeholders of the messages of a language, by message id.
    fn placeholders(sources: &[&'static str]) -> BTreeMap<&'static str, Vec<String>> {
        let mut all: BTreeMap<_, Vec<String>> = BTreeMap::new();
        let mut id = "";
        for line in sources.iter().flat_map(|source| source.lines()) {
            if let Some((name, _)) = line.split_once(" =")
                && name.starts_with(|c: char| c.is_ascii_lowercase())
            {
                id = name;
                assert_eq!(all.insert(id, Vec::new()), None, "{id} is defined twice");
            }
            let placeholders_in_line = line.split('$').skip(1).map(|rest| {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                rest[..end.unwrap_or(rest.len())].to_string()
            });
            if let Some(names) = all.get_mut(id) {
                names.extend(placeholders_in_line);
            }
        }
        for names in all.values_mut() {
            names.sort_unstable();
            names.dedup();
        }
        all
    }

    #[test]
    fn languages_define_same_messages_and_placeholders() {
        let english = placeholders(Language::English.translated_sources());
        for (language, name) in Language::ALL {
            for source in language.sources() {
                let read = FluentResource::try_new(source.to_string());
                assert!(read.is_ok(), "{name}: {:?}", read.err().unwrap().1);
            }
            let placeholders_of_language = placeholders(language.translated_sources());
            let listed = placeholders(language.list_sources());
            assert!(listed.keys().all(|id| !placeholders_of_language.contains_key(id)), "{name}");
            assert!(english.keys().eq(placeholders_of_language.keys()), "{name}: {:?}", {
                let one_sided = |id: &&&str| {
                    !(english.contains_key(*id) && placeholders_of_language.contains_key(*id))
                };
                english
                    .keys()
                    .chain(placeholders_of_language.keys())
                    .filter(one_sided)
                    .collect::<Vec<_>>()
            });
            for (id, names) in placeholders_of_language {
                assert_eq!(names, english[id], "{name}: {id}");
                let plain = language.bundle().plain.contains_key(id);
                assert_eq!(plain, names.is_empty(), "{name}: {id}");
            }
        }
    }

    #[test]
    fn fills_placeholders_and_returns_unknown_ids() {
        assert_eq!(tr!("tour-step", step = 2, steps = "7"), "Step 2 of 7");
        Language::German.speak();
        assert_eq!(tr!("tour-step", step = 2, steps = 1_007), "Schritt 2 von 1.007");
        assert_eq!(tr!("no-such-name"), "no-such-name");
        Language::English.speak();
    }
}
