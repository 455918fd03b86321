//! A line of the command palette, and how well it fits what is typed.

use egui::KeyboardShortcut;

use crate::tr;
use crate::ui::command::{Page, UiCommand};

/// A line of the command palette.
#[derive(Clone, Debug)]
pub struct PaletteEntry {
    /// What it does.
    pub title: String,
    /// Other words it is found by, the first letters of each.
    pub(super) also: &'static str,
    /// Its shortcut.
    pub shortcut: Option<KeyboardShortcut>,
    /// The page that the shortcut works on; every page without.
    pub on: Option<Page>,
    /// What is done.
    pub command: UiCommand,
    /// Whether it can be done now.
    pub enabled: bool,
    /// Whether it ends or removes something: then only its own first words find it.
    pub(super) careful: bool,
}

impl PaletteEntry {
    pub(super) fn new(title: impl Into<String>, command: UiCommand) -> Self {
        Self {
            title: title.into(),
            also: "",
            shortcut: None,
            on: None,
            command,
            enabled: true,
            careful: false,
        }
    }

    pub(super) fn keys(self, keys: KeyboardShortcut) -> Self {
        Self {
            shortcut: Some(keys),
            ..self
        }
    }

    pub(super) fn on(self, page: Page) -> Self {
        Self {
            on: Some(page),
            ..self
        }
    }

    /// Is found by the words of this message, too.
    pub(super) fn also(self, id: &'static str) -> Self {
        let also = tr!(id);
        Self { also, ..self }
    }

    pub(super) fn when(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    pub(super) fn careful(self) -> Self {
        Self {
            careful: true,
            ..self
        }
    }

    /// How well it fits what is typed, 0 best; none where it does not.
    pub(super) fn fit(&self, typed: &str) -> Option<usize> {
        let (title, typed) = (self.title.to_lowercase(), typed.trim().to_lowercase());
        let wanted: Vec<&str> = typed.split_whitespace().collect();
        let begins = |words: &str| {
            let mut words = words.split_whitespace();
            wanted
                .iter()
                .all(|want| words.any(|word| bare(word).starts_with(want)))
        };
        let place = if title.starts_with(&typed) {
            0
        } else if self.careful {
            return None;
        } else if !self.also.is_empty() && begins(self.also) {
            0
        } else if begins(&title) {
            2
        } else if title.contains(&typed) {
            3
        } else if initials(&title, &typed) {
            4
        } else {
            return None;
        };
        // What cannot be done now stands below what can.
        Some(place + if self.enabled { 0 } else { 10 })
    }
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Whether the letters typed occur in this order, the first one at the beginning of a word and each
/// other one right after the one before it or at the beginning of a later word.
fn initials(title: &str, typed: &str) -> bool {
    let letters: Vec<char> = title.chars().collect();
    let starts = |at: usize| at == 0 || !letters[at - 1].is_alphanumeric();
    let mut reached = vec![];
    for (i, want) in typed.chars().filter(|c| !c.is_whitespace()).enumerate() {
        let fits = |at: &usize| {
            let follows = reached
                .iter()
                .any(|&before| *at == before + 1 || (*at > before && starts(*at)));
            letters[*at] == want && if i == 0 { starts(*at) } else { follows }
        };
        reached = (0..letters.len()).filter(fits).collect();
        if reached.is_empty() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(title: &str, typed: &str) -> Option<usize> {
        PaletteEntry::new(title, UiCommand::Palette).fit(typed)
    }

    #[test]
    fn what_begins_so_comes_before_what_only_holds_the_letters() {
        let best = fit("Predict with digits", "pred");
        let word = fit("Go to Predict", "pred");
        let letters = fit("Go to Predict", "gtp");
        assert!(
            best < word && word < letters,
            "{best:?} {word:?} {letters:?}"
        );
        assert!(fit("Theme: dark", "the dark").is_some());
        assert_eq!(fit("Go to Train", "predict"), None);
        // Letters from the middle of words are nobody's wish.
        assert_eq!(fit("Copy as command", "oa"), None);
    }

    #[test]
    fn what_ends_something_is_found_by_its_own_first_word_alone() {
        let stop = PaletteEntry::new("Stop run and save", UiCommand::Stop).careful();
        assert_eq!(stop.fit("run"), None);
        assert_eq!(stop.fit("s t"), None);
        assert_eq!(stop.fit("sto"), Some(0));
    }
}
