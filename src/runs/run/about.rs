//! Name, tags and note that the user gives a run. They do not affect the run itself.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::names::folded;
use crate::problem::{Problem, Result, harmless};

/// Maximum number of characters of a name.
pub const NAME: usize = 120;
/// Maximum number of characters of a tag.
pub const TAG: usize = 40;
/// Maximum number of tags of a run.
pub const TAGS: usize = 20;
/// Maximum number of characters of a note.
pub const NOTE: usize = 10_000;

/// What the user says about a run; any part may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The name, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Tags for finding the run, without duplicates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The note, which may have several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The remote place where the run was trained; empty for this machine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The run's name at the remote place; the local folder may have another name.
    #[serde(rename = "there", skip_serializing_if = "String::is_empty")]
    pub remote_name: String,
}

impl About {
    /// Returns whether all parts are empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the normalised form in which it is stored and shown: a name of one line, each tag once and without
    /// commas (which separate tags), and control characters escaped.
    #[must_use]
    pub fn tidy(&self) -> Self {
        let mut tags: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for tag in self.tags.iter().flat_map(|tag| tag.split(',')) {
            let tag = one_line(tag);
            if !tag.is_empty() && known.insert(tag.clone()) {
                tags.push(tag);
            }
        }
        let note = self.note.replace("\r\n", "\n").replace('\r', "\n");
        Self {
            name: one_line(&self.name),
            tags,
            note: harmless(note.trim_end()).into_owned(),
            place: one_line(&self.place),
            remote_name: one_line(&self.remote_name),
        }
    }

    /// Returns the normalised form if it is not too long.
    ///
    /// # Errors
    /// Returns a Problem that says which part is too long.
    pub fn checked(&self) -> Result<Self> {
        let tidy = self.tidy();
        let long = |what: &str, length: usize, most: usize| {
            Problem::new(message!(
                "problem-text-too-long",
                what,
                length = length.to_string()
            ))
            .advise(message!("advice-use-at-most", most = most.to_string()))
        };
        let (name, note) = (letters(&tidy.name), letters(&tidy.note));
        if name > NAME {
            return Err(long("a name", name, NAME));
        }
        if let Some(tag) = tidy.tags.iter().map(|tag| letters(tag)).find(|n| *n > TAG) {
            return Err(long("a tag", tag, TAG));
        }
        if tidy.tags.len() > TAGS {
            let what = message!("problem-too-many-tags", tags = tidy.tags.len().to_string());
            return Err(
                Problem::new(what).advise(message!("advice-limit-tags", tags = TAGS.to_string()))
            );
        }
        if note > NOTE {
            return Err(long("a note", note, NOTE));
        }
        Ok(tidy)
    }

    /// Returns the normalised form, with parts cut that are too long.
    #[must_use]
    pub fn cut(&self) -> Self {
        let tidy = self.tidy();
        let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        let tags = tidy.tags.iter().take(TAGS);
        Self {
            name: first(&tidy.name, NAME),
            tags: tags.map(|tag| first(tag, TAG)).collect(),
            note: first(&tidy.note, NOTE),
            place: first(&tidy.place, NAME),
            remote_name: tidy.remote_name.clone(),
        }
        // Cutting may leave a space at the end, or make two tags equal.
        .tidy()
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Returns text in one line, with single spaces between words and control characters escaped.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    harmless(&words.join(" ")).into_owned()
}

/// A search for runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words that must all occur in the run's name, a tag, the note, or the settings.
    pub text: String,
    /// Tags that the run must have.
    pub tags: Vec<String>,
}

impl Search {
    /// Returns whether the search is empty, so that every run matches.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.tags.is_empty()
    }

    /// Returns whether a run matches, given its name, tags and note, and its settings.
    pub fn finds(&self, about: &About, made_of: &MadeOf) -> bool {
        let has = |tag: &String| {
            let same = |own: &String| folded(own) == folded(tag);
            about.tags.iter().any(same)
        };
        self.tags.iter().all(has)
            && (self.text.trim().is_empty() || self.finds_words(about, made_of))
    }

    fn finds_words(&self, about: &About, made_of: &MadeOf) -> bool {
        let said = format!("{} {} {}", about.name, about.tags.join(" "), about.note);
        let said = folded(&said);
        let stands = |words: &str| said.contains(words) || made_of.words.contains(words);
        let text = folded(&self.text);
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let plainly = plain(word);
            let value = words
                .peek()
                .copied()
                .filter(|next| !made_of.has_option(next));
            let found = match (plainly.split_once('='), value) {
                (Some((name, value)), _) => made_of.has(name, value) || stands(word),
                // An option's name followed by its value, as on the command line, or two words of the name, tags or
                // note.
                (None, Some(value)) if made_of.has_option(word) => {
                    let pair = made_of.has(&plainly, &plain(value));
                    if pair {
                        words.next();
                    }
                    let written = !is_number(value) && stands(value);
                    pair || written || stands(&format!("{word} {value}"))
                }
                _ => made_of.has_word(&plainly) || stands(word),
            };
            if !found {
                return false;
            }
        }
        true
    }
}

/// The text and settings of a run, in the form that a search compares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeOf {
    /// Title, name, method and dataset in lower case.
    words: String,
    /// All settings, one per line: option name, tab and value, each in the form of [`plain`].
    settings: String,
}

impl MadeOf {
    /// Creates it from words, and options as returned by `RunConfig::as_options`.
    pub fn new(words: &str, options: Vec<(String, Option<String>)>) -> Self {
        let mut settings = String::new();
        let mut add = |name: &str, value: &str| {
            let in_line = |text: &str| text.replace(['\t', '\n'], " ");
            settings += &format!("{}\t{}\n", in_line(name), in_line(value));
        };
        for (name, value) in options {
            let (name, value) = (plain(&name), plain(&value.unwrap_or_default()));
            // `--set top_k=2` is also found by the name `top_k`.
            if let Some((key, value)) = value.split_once('=').filter(|_| name == "set") {
                add(key, value);
            }
            add(&name, &value);
        }
        Self {
            words: folded(words),
            settings,
        }
    }

    /// Creates it for an unreadable run, of which only the name is known.
    pub fn unread(name: &str) -> Self {
        Self::new(name, Vec::new())
    }

    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings
            .lines()
            .filter_map(|line| line.split_once('\t'))
    }

    /// Returns whether the run has an option with this name.
    fn has_option(&self, word: &str) -> bool {
        let word = plain(word);
        self.settings().any(|(name, _)| name == word)
    }

    /// Returns whether an option with this name has this value.
    fn has(&self, name: &str, value: &str) -> bool {
        let mut settings = self.settings();
        settings.any(|(own, of)| holds(own, name) && holds(of, value))
    }

    /// Returns whether a word matches the name or value of an option.
    fn has_word(&self, word: &str) -> bool {
        let mut settings = self.settings();
        settings.any(|(own, of)| holds(own, word) || holds(of, word))
    }
}

/// Minimum length of a word that matches parts of names and values. Shorter words must match completely: every run has
/// a 5 somewhere, and "lae" in the name of its network.
const PART: usize = 4;

/// Returns whether a word matches a name or value completely, as one of its words, or as a part of it. A number never
/// matches a part.
fn holds(own: &str, word: &str) -> bool {
    let part = word.len() >= PART && !is_number(word) && own.contains(word);
    part || own == word || own.split_whitespace().any(|own| own == word)
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Returns an option name or value in the form that is compared, such as "base-lr" for "--base-lr" and "base_lr".
fn plain(text: &str) -> String {
    let small = text.to_lowercase().replace('_', "-");
    small.trim_start_matches("--").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use crate::tr;

    fn about(name: &str, tags: &[&str], note: &str) -> About {
        About {
            name: name.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
            note: note.into(),
            ..About::default()
        }
    }

    #[test]
    fn names_are_one_harmless_line_and_tags_stand_once() {
        let said = about(
            " my\n run\u{1b}[31m\u{202e}",
            &["a, b", "b", " ", "a"],
            "one\r\ntwo\u{7}\n\n",
        );
        let tidy = said.checked().unwrap();
        assert_eq!(tidy.name, "my run\\u{1b}[31m\\u{202e}");
        assert_eq!(tidy.tags, ["a", "b"]);
        assert_eq!(tidy.note, "one\ntwo\\u{7}");
        assert_eq!(tidy.tidy(), tidy);
        assert!(about(" \n", &[","], "\n").tidy().is_empty());
    }

    #[test]
    fn what_is_too_long_is_refused_in_a_sentence_and_cut_when_read() {
        let long = "猫".repeat(NOTE + 1);
        for said in [
            about(&long, &[], ""),
            about("", &[&long], ""),
            about("", &[], &long),
        ] {
            let problem = said.checked().unwrap_err();
            assert!(problem.is("problem-text-too-long"), "{problem}");
            assert!(said.cut().checked().is_ok());
        }
        let many: Vec<String> = (0..=TAGS).map(|i| i.to_string()).collect();
        let many = About {
            tags: many,
            ..About::default()
        };
        assert!(many.checked().unwrap_err().what == tr!("problem-too-many-tags", tags = 21));
        assert_eq!(many.cut().tags.len(), TAGS);
    }

    #[test]
    fn a_run_is_found_by_all_words_and_all_tags() {
        let said = about("First Try", &["Thesis"], "crops too small");
        let search = |text: &str, tags: &[&str]| Search {
            text: text.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
        };
        let made = |words: &str, options: &[(&str, &str)]| {
            let options = options.iter();
            let options = options.map(|(name, value)| (name.to_string(), Some(value.to_string())));
            MadeOf::new(words, options.collect())
        };
        let (digits, none) = (made("digits LAE", &[]), MadeOf::default());
        assert!(search("first small LAE", &["thesis"]).finds(&said, &digits));
        assert!(!search("first", &["thes"]).finds(&said, &none));
        assert!(!search("second", &[]).finds(&said, &digits));
        assert!(search("", &[]).is_empty());
        let set = made(
            "digits Baseline · adapter 3",
            &[
                ("data", "my birds/new ones"),
                ("backbone", "lae-nano"),
                ("base-lr", "0.03"),
                ("epochs", "5"),
                ("batch", "24"),
                ("seed", "3"),
                ("set", "top_k=2"),
            ],
        );
        for text in [
            "0.03",
            "base-lr 0.03",
            "base_lr=0.03",
            "epochs 5",
            "EPOCHS=5",
            "seed=3 epochs=5",
            "epochs seed 3",
            "--seed 3 --epochs 5 --set top_k=2",
            "nano",
            "--epochs",
            "top_k=2",
            "top-k 2",
            "5 small",
            "data birds",
            "data=my",
            // Words of the note, next to words that are names of options.
            "data crops",
            "seed small first",
        ] {
            assert!(search(text, &[]).finds(&said, &set), "{text}");
        }
        for text in [
            "0.04",
            "0.0",
            "lae",
            "0",
            "epochs 3",
            "epochs=3",
            "seed=5",
            "seed 5",
            "epochs 24",
            "batch=5",
            "top_k=3",
            "top-k 3",
            "epochs nano",
            "data=nano",
        ] {
            assert!(!search(text, &[]).finds(&said, &set), "{text}");
        }
        let noted = about("", &[], "Epochs 3 were too few");
        assert!(search("epochs 3", &[]).finds(&noted, &set));
        // Values are compared unquoted, not in the form for a shell.
        let config = RunConfig {
            data: "/my birds/it's new".into(),
            blocks: "0,2,4".into(),
            ..RunConfig::default()
        };
        let made = MadeOf::new("", config.as_options(&[], &[]));
        for text in [
            "blocks=0,2,4",
            "blocks 0,2,4",
            "data it's",
            "data=birds/it's",
        ] {
            assert!(search(text, &[]).finds(&said, &made), "{text}");
        }
        assert!(!search("'/my", &[]).finds(&said, &made));
    }
}
