//! What the window says, in every language the program has: messages of [Project Fluent](https://projectfluent.org)
//! in `assets/texts/LANGUAGE`, English first. A message that a language lacks is shown in English.
//!
//! A thread speaks one language at a time, English unless somebody chose another ([`Language::speak`]); [`tr!`](crate::tr)
//! says a message in it. So what the window shows is in the user's language, and the command line, files and logs
//! stay as they are.

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
pub use words::{Messages, Words, all_in_english, said};

/// What a list of the program or one of its files says in English, in the language of this thread:
/// `of_list("method", "lae", "summary", spec.summary)` is the message `method-lae-summary` where a language has it.
pub fn of_list<'a>(list: &str, key: &str, part: &str, english: &'a str) -> &'a str {
    match Language::spoken() {
        Language::English => english,
        language => language.known(&list_id(list, key, part)).unwrap_or(english),
    }
}

/// The name of the message with a part of what a list says of a key.
pub fn list_id(list: &str, key: &str, part: &str) -> String {
    let plain = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '-',
    };
    let key: String = key.chars().map(plain).collect();
    format!("{list}-{key}-{part}")
}

/// Says a message in the language that this thread speaks: `tr!("queue-title")` is a `&'static str`,
/// `tr!("queue-waiting", n = 3)` a `String`. Values are texts or numbers.
#[macro_export]
macro_rules! tr {
    ($id:expr $(,)?) => {
        $crate::texts::Language::spoken().say($id)
    };
    ($id:expr, $($name:ident = $value:expr),+ $(,)?) => {{
        let mut values = $crate::texts::Values::new();
        $(values.set(stringify!($name), $value);)+
        $crate::texts::Language::spoken().tell($id, &values)
    }};
}

/// The values of a message by the names of its places.
pub type Values<'a> = FluentArgs<'a>;

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// A language that the window speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

/// The files of a language, in the folder of its two letters.
macro_rules! sources {
    ($language:literal) => {
        sources!($language: "compare", "counts", "data", "editor", "entries", "experiment", "figure", "findings", "glossary", "help", "idle", "learn", "notices", "places", "plugins", "predict", "present", "problem", "ranges", "remarks", "report", "settings", "shell", "start", "story", "tour", "train")
    };
    // Texts in lists of the program and in its files are in English there.
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
    /// Those without places to fill.
    plain: BTreeMap<&'static str, String>,
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

    /// The language of this thread.
    pub fn spoken() -> Self {
        SPOKEN.get()
    }

    /// Makes this the language of this thread.
    pub fn speak(self) {
        SPOKEN.set(self);
    }

    /// The files that every language has.
    fn pairs(self) -> &'static [&'static str] {
        match self {
            Self::English => sources!("en"),
            Self::German => sources!("de"),
        }
    }

    /// The files of what English has in lists of the program.
    fn lists(self) -> &'static [&'static str] {
        match self {
            Self::English => &[],
            Self::German => sources!(lists "de"),
        }
    }

    fn sources(self) -> impl Iterator<Item = &'static str> {
        self.pairs().iter().chain(self.lists()).copied()
    }

    /// The names of all its messages.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let lines = self.sources().flat_map(|source| source.lines());
        lines.filter_map(|line| {
            let (name, _) = line.split_once(" =")?;
            let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
            begins.then_some(name)
        })
    }

    fn bundle(self) -> &'static Bundle {
        static ENGLISH: OnceLock<Bundle> = OnceLock::new();
        static GERMAN: OnceLock<Bundle> = OnceLock::new();
        let messages = match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        };
        messages.get_or_init(|| Bundle::read(self))
    }

    /// The message of this name, which has no places to fill; the name itself where no language has it.
    pub fn say(self, id: &'static str) -> &'static str {
        self.known(id).unwrap_or(id)
    }

    /// What this language says for a name that is made of another, as a setting's help is; `None` if no language has
    /// it.
    pub fn known(self, id: &str) -> Option<&'static str> {
        let own = self.bundle().plain.get(id);
        let text = own.or_else(|| Self::English.bundle().plain.get(id));
        text.map(String::as_str)
    }

    /// The message of this name with its places filled.
    pub fn tell(self, id: &str, values: &Values<'_>) -> String {
        let own = self.bundle().tell(id, values);
        let text = own.or_else(|| Self::English.bundle().tell(id, values));
        text.unwrap_or_else(|| id.into())
    }

    /// The same where all values are texts.
    pub fn fill(self, id: &str, values: &[(&str, &str)]) -> String {
        self.tell(id, &values.iter().copied().collect())
    }
}

impl Bundle {
    /// A file with mistakes gives the messages that can be read; a test reads all.
    fn read(language: Language) -> Self {
        let locale: LanguageIdentifier = language.code().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // Marks of direction around every value are of use where both directions meet; fonts here show them as boxes.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(numbers::formatter(language)));
        // Fails only where a function of this name is there already.
        let _ = bundle.add_builtins();
        for source in language.sources() {
            let resource = FluentResource::try_new(source.into()).unwrap_or_else(|(read, _)| read);
            bundle.add_resource_overriding(resource);
        }
        let plain = language.names().filter_map(|id| {
            let pattern = bundle.get_message(id)?.value()?;
            let mut missing = Vec::new();
            let text = bundle.format_pattern(pattern, None, &mut missing);
            missing.is_empty().then(|| (id, text.into_owned()))
        });
        let plain = plain.collect();
        Self { bundle, plain }
    }

    fn tell(&self, id: &str, values: &Values<'_>) -> Option<String> {
        let message = self.bundle.get_message(id)?;
        let mut missing = Vec::new();
        let text = self
            .bundle
            .format_pattern(message.value()?, Some(values), &mut missing);
        Some(text.into_owned())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The places of the messages of a language, by the names of these.
    fn places(sources: &[&'static str]) -> BTreeMap<&'static str, Vec<String>> {
        let mut all: BTreeMap<_, Vec<String>> = BTreeMap::new();
        let mut id = "";
        for line in sources.iter().flat_map(|source| source.lines()) {
            if let Some((name, _)) = line.split_once(" =")
                && name.starts_with(|c: char| c.is_ascii_lowercase())
            {
                id = name;
                assert_eq!(all.insert(id, Vec::new()), None, "{id} stands twice");
            }
            let places = line.split('$').skip(1).map(|rest| {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                rest[..end.unwrap_or(rest.len())].to_string()
            });
            if let Some(known) = all.get_mut(id) {
                known.extend(places);
            }
        }
        for places in all.values_mut() {
            places.sort_unstable();
            places.dedup();
        }
        all
    }

    #[test]
    fn every_language_says_everything_and_fills_the_same_places() {
        let english = places(Language::English.pairs());
        for (language, name) in Language::ALL {
            for source in language.sources() {
                let read = FluentResource::try_new(source.to_string());
                assert!(read.is_ok(), "{name}: {:?}", read.err().unwrap().1);
            }
            let own = places(language.pairs());
            let listed = places(language.lists());
            assert!(listed.keys().all(|id| !own.contains_key(id)), "{name}");
            assert!(english.keys().eq(own.keys()), "{name}: {:?}", {
                let one_sided = |id: &&&str| !(english.contains_key(*id) && own.contains_key(*id));
                english
                    .keys()
                    .chain(own.keys())
                    .filter(one_sided)
                    .collect::<Vec<_>>()
            });
            for (id, places) in own {
                assert_eq!(places, english[id], "{name}: {id}");
                let plain = language.bundle().plain.contains_key(id);
                assert_eq!(plain, places.is_empty(), "{name}: {id}");
            }
        }
    }

    #[test]
    fn a_message_is_filled_and_an_unknown_name_shows_itself() {
        assert_eq!(tr!("tour-step", step = 2, steps = "7"), "Step 2 of 7");
        Language::German.speak();
        assert_eq!(
            tr!("tour-step", step = 2, steps = 1_007),
            "Schritt 2 von 1.007"
        );
        assert_eq!(tr!("no-such-name"), "no-such-name");
        Language::English.speak();
    }
}
