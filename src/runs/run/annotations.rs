//! Name, tags and note that the user gives a run. They do not affect the run itself.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::names::fold_case;
use crate::problem::{Problem, Result, escape_for_terminal};

/// Maximum number of characters of a name.
pub const MAX_NAME_LENGTH: usize = 120;
/// Maximum number of characters of a tag.
pub const MAX_TAG_LENGTH: usize = 40;
/// Maximum number of tags of a run.
pub const MAX_TAGS: usize = 20;
/// Maximum number of characters of a note.
pub const MAX_NOTE_LENGTH: usize = 10_000;

/// What the user says about a run; any part may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotations {
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

impl Annotations {
    /// Returns whether all parts are empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the normalised form in which it is stored and shown: a name of one line, each tag once and without
    /// commas (which separate tags), and control characters escaped.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let mut tags: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for tag in self.tags.iter().flat_map(|tag| tag.split(',')) {
            let tag = one_line(tag);
            if !tag.is_empty() && seen.insert(tag.clone()) {
                tags.push(tag);
            }
        }
        let note = self.note.replace("\r\n", "\n").replace('\r', "\n");
        Self {
            name: one_line(&self.name),
            tags,
            note: escape_for_terminal(note.trim_end()).into_owned(),
            place: one_line(&self.place),
            remote_name: one_line(&self.remote_name),
        }
    }

    /// Returns the normalised form if it is not too long.
    ///
    /// # Errors
    /// Returns a Problem that says which part is too long.
    pub fn validate(&self) -> Result<Self> {
        let normalised = self.normalised();
        let too_long = |what: &str, length: usize, most: usize| {
            Problem::new(message!("problem-text-too-long", what, length = length.to_string()))
                .advise(message!("advice-use-at-most", most = most.to_string()))
        };
        let (name, note) = (char_count(&normalised.name), char_count(&normalised.note));
        if name > MAX_NAME_LENGTH {
            return Err(too_long("a name", name, MAX_NAME_LENGTH));
        }
        if let Some(tag) =
            normalised.tags.iter().map(|tag| char_count(tag)).find(|n| *n > MAX_TAG_LENGTH)
        {
            return Err(too_long("a tag", tag, MAX_TAG_LENGTH));
        }
        if normalised.tags.len() > MAX_TAGS {
            let what = message!("problem-too-many-tags", tags = normalised.tags.len().to_string());
            return Err(Problem::new(what)
                .advise(message!("advice-limit-tags", tags = MAX_TAGS.to_string())));
        }
        if note > MAX_NOTE_LENGTH {
            return Err(too_long("a note", note, MAX_NOTE_LENGTH));
        }
        Ok(normalised)
    }

    /// Returns the normalised form, with parts cut that are too long.
    #[must_use]
    pub fn truncated(&self) -> Self {
        let normalised = self.normalised();
        let truncate =
            |text: &str, max_length: usize| text.chars().take(max_length).collect::<String>();
        let tags = normalised.tags.iter().take(MAX_TAGS);
        Self {
            name: truncate(&normalised.name, MAX_NAME_LENGTH),
            tags: tags.map(|tag| truncate(tag, MAX_TAG_LENGTH)).collect(),
            note: truncate(&normalised.note, MAX_NOTE_LENGTH),
            place: truncate(&normalised.place, MAX_NAME_LENGTH),
            remote_name: normalised.remote_name.clone(),
        }
        // Cutting may leave a space at the end, or make two tags equal.
        .normalised()
    }
}

fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// Returns text in one line, with single spaces between words and control characters escaped.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    escape_for_terminal(&words.join(" ")).into_owned()
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
    pub fn matches(&self, about: &Annotations, search_text: &SearchText) -> bool {
        let has_tag = |tag: &String| {
            let is_same = |run_tag: &String| fold_case(run_tag) == fold_case(tag);
            about.tags.iter().any(is_same)
        };
        self.tags.iter().all(has_tag)
            && (self.text.trim().is_empty() || self.matches_text(about, search_text))
    }

    fn matches_text(&self, about: &Annotations, search_text: &SearchText) -> bool {
        let user_text = format!("{} {} {}", about.name, about.tags.join(" "), about.note);
        let user_text = fold_case(&user_text);
        let mentions =
            |phrase: &str| user_text.contains(phrase) || search_text.words.contains(phrase);
        let text = fold_case(&self.text);
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let normalised = normalise_option(word);
            let value = words.peek().copied().filter(|next| !search_text.has_option(next));
            let found = match (normalised.split_once('='), value) {
                (Some((name, value)), _) => search_text.has_setting(name, value) || mentions(word),
                // An option's name followed by its value, as on the command line, or two words of the name, tags or
                // note.
                (None, Some(value)) if search_text.has_option(word) => {
                    let is_option = search_text.has_setting(&normalised, &normalise_option(value));
                    if is_option {
                        words.next();
                    }
                    let is_value_mentioned = !is_number(value) && mentions(value);
                    is_option || is_value_mentioned || mentions(&format!("{word} {value}"))
                }
                _ => search_text.has_word(&normalised) || mentions(word),
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
pub struct SearchText {
    /// Title, name, method and dataset in lower case.
    words: String,
    /// All settings, one per line: option name, tab and value, each in the form of [`normalise_option`].
    settings: String,
}

impl SearchText {
    /// Creates it from words, and options as returned by `RunConfig::as_options`.
    pub fn new(words: &str, options: Vec<(String, Option<String>)>) -> Self {
        let mut settings = String::new();
        let mut add = |name: &str, value: &str| {
            let replace_separators = |text: &str| text.replace(['\t', '\n'], " ");
            settings += &format!("{}\t{}\n", replace_separators(name), replace_separators(value));
        };
        for (name, value) in options {
            let (name, value) =
                (normalise_option(&name), normalise_option(&value.unwrap_or_default()));
            // `--set top_k=2` is also found by the name `top_k`.
            if let Some((key, value)) = value.split_once('=').filter(|_| name == "set") {
                add(key, value);
            }
            add(&name, &value);
        }
        Self { words: fold_case(words), settings }
    }

    /// Creates it for an unreadable run, of which only the name is known.
    pub fn from_name(name: &str) -> Self {
        Self::new(name, Vec::new())
    }

    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.lines().filter_map(|line| line.split_once('\t'))
    }

    /// Returns whether the run has an option with this name.
    fn has_option(&self, word: &str) -> bool {
        let word = normalise_option(word);
        self.settings().any(|(name, _)| name == word)
    }

    /// Returns whether an option with this name has this value.
    fn has_setting(&self, name: &str, value: &str) -> bool {
        let mut settings = self.settings();
        settings.any(|(setting_name, setting_value)| {
            matches_word(setting_name, name) && matches_word(setting_value, value)
        })
    }

    /// Returns whether a word matches the name or value of an option.
    fn has_word(&self, word: &str) -> bool {
        let mut settings = self.settings();
        settings.any(|(setting_name, setting_value)| {
            matches_word(setting_name, word) || matches_word(setting_value, word)
        })
    }
}

/// Minimum length of a word that matches parts of names and values. Shorter words must match completely: every run has
/// a 5 somewhere, and "lae" in the name of its network.
const MIN_PART_LENGTH: usize = 4;

/// Returns whether a word matches a name or value completely, as one of its words, or as a part of it. A number never
/// matches a part.
fn matches_word(text: &str, word: &str) -> bool {
    let is_part = word.len() >= MIN_PART_LENGTH && !is_number(word) && text.contains(word);
    is_part || text == word || text.split_whitespace().any(|token| token == word)
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Returns an option name or value in the form that is compared, such as "base-lr" for "--base-lr" and "base_lr".
fn normalise_option(text: &str) -> String {
    let lowercase = text.to_lowercase().replace('_', "-");
    lowercase.trim_start_matches("--").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use crate::tr;

    fn about(name: &str, tags: &[&str], note: &str) -> Annotations {
        Annotations {
            name: name.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
            note: note.into(),
            ..Annotations::default()
        }
    }

    #[test]
    fn validation_escapes_names_and_deduplicates_tags() {
        let input =
            about(" my\n run\u{1b}[31m\u{202e}", &["a, b", "b", " ", "a"], "one\r\ntwo\u{7}\n\n");
        let normalised = input.validate().unwrap();
        assert_eq!(normalised.name, "my run\\u{1b}[31m\\u{202e}");
        assert_eq!(normalised.tags, ["a", "b"]);
        assert_eq!(normalised.note, "one\ntwo\\u{7}");
        assert_eq!(normalised.normalised(), normalised);
        assert!(about(" \n", &[","], "\n").normalised().is_empty());
    }

    #[test]
    fn overlong_parts_are_rejected_or_truncated() {
        let long = "猫".repeat(MAX_NOTE_LENGTH + 1);
        for input in [about(&long, &[], ""), about("", &[&long], ""), about("", &[], &long)] {
            let problem = input.validate().unwrap_err();
            assert!(problem.is("problem-text-too-long"), "{problem}");
            assert!(input.truncated().validate().is_ok());
        }
        let many: Vec<String> = (0..=MAX_TAGS).map(|i| i.to_string()).collect();
        let many = Annotations { tags: many, ..Annotations::default() };
        assert!(many.validate().unwrap_err().what == tr!("problem-too-many-tags", tags = 21));
        assert_eq!(many.truncated().tags.len(), MAX_TAGS);
    }

    #[test]
    fn search_requires_all_words_and_tags() {
        let first_try = about("First Try", &["Thesis"], "crops too small");
        let search = |text: &str, tags: &[&str]| Search {
            text: text.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
        };
        let search_text = |words: &str, options: &[(&str, &str)]| {
            let options = options.iter();
            let options = options.map(|(name, value)| (name.to_string(), Some(value.to_string())));
            SearchText::new(words, options.collect())
        };
        let (digits, empty) = (search_text("digits LAE", &[]), SearchText::default());
        assert!(search("first small LAE", &["thesis"]).matches(&first_try, &digits));
        assert!(!search("first", &["thes"]).matches(&first_try, &empty));
        assert!(!search("second", &[]).matches(&first_try, &digits));
        assert!(search("", &[]).is_empty());
        let settings = search_text(
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
            assert!(search(text, &[]).matches(&first_try, &settings), "{text}");
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
            assert!(!search(text, &[]).matches(&first_try, &settings), "{text}");
        }
        let with_note = about("", &[], "Epochs 3 were too few");
        assert!(search("epochs 3", &[]).matches(&with_note, &settings));
        // Values are compared unquoted, not in the form for a shell.
        let config = RunConfig {
            data: "/my birds/it's new".into(),
            blocks: "0,2,4".into(),
            ..RunConfig::default()
        };
        let unquoted = SearchText::new("", config.as_options(&[], &[]));
        for text in ["blocks=0,2,4", "blocks 0,2,4", "data it's", "data=birds/it's"] {
            assert!(search(text, &[]).matches(&first_try, &unquoted), "{text}");
        }
        assert!(!search("'/my", &[]).matches(&first_try, &unquoted));
    }
}
