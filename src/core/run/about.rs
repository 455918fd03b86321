//! What people say of a run: a name, tags, a note. The run itself knows nothing of it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::problem::{Problem, Result, harmless};

/// Most characters of a name.
pub const NAME: usize = 120;
/// Most characters of a tag.
pub const TAG: usize = 40;
/// Most tags of a run.
pub const TAGS: usize = 20;
/// Most characters of a note.
pub const NOTE: usize = 10_000;

/// What people say of a run; all of it may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// What they call it, one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Words to find it by, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Anything else, in several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl About {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same in the form it is kept and shown in: a name of one line, each tag once and without
    /// commas, which stand between tags; characters that act on what shows them written out.
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
        }
    }

    /// The tidy form, if it is not too long.
    ///
    /// # Errors
    /// A Problem that says what is too long.
    pub fn checked(&self) -> Result<Self> {
        let tidy = self.tidy();
        let long = |what: &str, length: usize, most: usize| {
            Problem::new(format!("{what} of {length} characters is too long"))
                .advise(format!("use at most {most}"))
        };
        let (name, note) = (letters(&tidy.name), letters(&tidy.note));
        if name > NAME {
            return Err(long("a name", name, NAME));
        }
        if let Some(tag) = tidy.tags.iter().map(|tag| letters(tag)).find(|n| *n > TAG) {
            return Err(long("a tag", tag, TAG));
        }
        if tidy.tags.len() > TAGS {
            let what = format!("{} tags are too many", tidy.tags.len());
            return Err(Problem::new(what).advise(format!("use at most {TAGS}")));
        }
        if note > NOTE {
            return Err(long("a note", note, NOTE));
        }
        Ok(tidy)
    }

    /// The tidy form, cut where it is too long.
    #[must_use]
    pub fn cut(&self) -> Self {
        let tidy = self.tidy();
        let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        let tags = tidy.tags.iter().take(TAGS);
        Self {
            name: first(&tidy.name, NAME),
            tags: tags.map(|tag| first(tag, TAG)).collect(),
            note: first(&tidy.note, NOTE),
        }
        // A cut may leave a space at an end, or two tags alike.
        .tidy()
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Text in one line, with one space where there were several or a line ended.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    harmless(&words.join(" ")).into_owned()
}

/// Words that a run is looked for by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// All of these words stand in its name, a tag, the note, or what it is made of.
    pub text: String,
    /// It has all of these tags.
    pub tags: Vec<String>,
}

impl Search {
    /// Whether every run is found.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.tags.is_empty()
    }

    /// Whether a run is found, given what is said of it and what it is made of.
    pub fn finds(&self, about: &About, made_of: &MadeOf) -> bool {
        let lower = |text: &str| text.to_lowercase();
        let has = |tag: &String| about.tags.iter().any(|own| lower(own) == lower(tag));
        let tags = about.tags.join(" ");
        let words = &made_of.words;
        let all = lower(&format!("{} {tags} {} {words}", about.name, about.note));
        let settings = option_words(&made_of.settings);
        let is_set = |word: &str| {
            let word = option_words(word);
            let holds = |own: &str, word: &str| own == word || part_of(own, word);
            word.split(' ')
                .all(|word| settings.split(' ').any(|own| holds(own, word)))
        };
        let found = |word: &str| all.contains(&lower(word)) || is_set(word);
        self.tags.iter().all(has) && self.text.split_whitespace().all(found)
    }
}

/// What a run is made of, for a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeOf {
    /// Title, name, method and data.
    pub words: String,
    /// All settings as the options of the command line.
    pub settings: String,
}

impl MadeOf {
    /// Of a run that cannot be read its name is known.
    pub fn unread(name: &str) -> Self {
        Self {
            words: name.to_string(),
            settings: String::new(),
        }
    }
}

/// Shorter words have to be a whole setting: every run has a 5 somewhere, and "lae" in the name of its network.
const PART: usize = 4;

fn part_of(own: &str, word: &str) -> bool {
    word.len() >= PART && own.contains(word)
}

/// Names and values of options, a space between each: "base-lr 0.03" of "--base-lr 0.03", "base_lr" or "base_lr=0.03".
fn option_words(text: &str) -> String {
    let plain = text.to_lowercase().replace('_', "-").replace('=', " ");
    let words = plain.split_whitespace();
    let words: Vec<&str> = words.map(|word| word.trim_start_matches("--")).collect();
    words.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn about(name: &str, tags: &[&str], note: &str) -> About {
        About {
            name: name.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
            note: note.into(),
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
            assert!(problem.what.ends_with("is too long"), "{problem}");
            assert!(said.cut().checked().is_ok());
        }
        let many: Vec<String> = (0..=TAGS).map(|i| i.to_string()).collect();
        let many = About {
            tags: many,
            ..About::default()
        };
        assert!(many.checked().unwrap_err().what.contains("21 tags"));
        assert_eq!(many.cut().tags.len(), TAGS);
    }

    #[test]
    fn a_run_is_found_by_all_words_and_all_tags() {
        let said = about("First Try", &["Thesis"], "crops too small");
        let search = |text: &str, tags: &[&str]| Search {
            text: text.into(),
            tags: tags.iter().map(ToString::to_string).collect(),
        };
        let made = |words: &str, settings: &str| MadeOf {
            words: words.into(),
            settings: settings.into(),
        };
        let digits = made("digits lae", "");
        assert!(search("first small LAE", &["thesis"]).finds(&said, &digits));
        assert!(!search("first", &["thes"]).finds(&said, &MadeOf::default()));
        assert!(!search("second", &[]).finds(&said, &digits));
        assert!(search("", &[]).is_empty());
        let set = made(
            "digits Baseline",
            "--backbone lae-nano --base-lr 0.03 --epochs 5 --set top_k=2",
        );
        for text in [
            "0.03",
            "base-lr 0.03",
            "base_lr=0.03",
            "epochs 5",
            "nano",
            "--epochs",
            "top_k=2",
        ] {
            assert!(search(text, &[]).finds(&said, &set), "{text}");
        }
        for text in ["0.04", "lae", "0", "epochs 3", "top_k=3"] {
            assert!(!search(text, &[]).finds(&said, &set), "{text}");
        }
    }
}
