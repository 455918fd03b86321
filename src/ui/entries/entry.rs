//! An entry of the command palette and its match with the typed text.

use egui::KeyboardShortcut;

use crate::tr;
use crate::ui::command::{Page, UiCommand};

/// An entry of the command palette.
pub struct PaletteEntry {
    /// Its title.
    pub title: String,
    /// Additional search terms, which are matched by initial letters.
    pub(super) also: &'static str,
    /// Its shortcut.
    pub shortcut: Option<KeyboardShortcut>,
    /// The page on which the shortcut applies; `None` for every page.
    pub on: Option<Page>,
    /// The command.
    pub command: UiCommand,
    /// Whether it is available.
    pub enabled: bool,
    /// Whether it ends or removes something. Such an entry matches only the start of its title.
    pub(super) careful: bool,
}

/// Returns an available entry for all pages without a shortcut.
pub(super) fn entry(title: impl Into<String>, command: UiCommand) -> PaletteEntry {
    PaletteEntry {
        title: title.into(),
        also: "",
        shortcut: None,
        on: None,
        command,
        enabled: true,
        careful: false,
    }
}

impl PaletteEntry {
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

    /// Adds the words of this message as search terms.
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

    /// Returns how well the entry matches the typed text (0 is the best match); `None` if it does not match.
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
        // Unavailable entries come after available ones.
        Some(place + if self.enabled { 0 } else { 10 })
    }
}

/// Returns a word without punctuation at its start.
fn bare(word: &str) -> &str {
    word.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Returns whether the typed letters occur in this order in the title. The first letter must be at the start of a word.
/// Each further letter must follow the previous one directly or be at the start of a later word.
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
        entry(title, UiCommand::Palette).fit(typed)
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
        // Letters in the middle of words do not match.
        assert_eq!(fit("Copy as command", "oa"), None);
    }

    #[test]
    fn what_ends_something_is_found_by_its_own_first_word_alone() {
        let stop = entry("Stop run and save", UiCommand::Stop).careful();
        assert_eq!(stop.fit("run"), None);
        assert_eq!(stop.fit("s t"), None);
        assert_eq!(stop.fit("sto"), Some(0));
    }
}
