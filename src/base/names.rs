//! Names that users write: their maximum length, and suggestions for misspelt ones.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;
use serde::{Deserialize, Deserializer};

use crate::message;
use crate::problem::Problem;
use crate::texts::Message;

/// Maximum number of characters of a name; the name of a large network with all its tags has 57.
pub const MAX_NAME_CHARS: usize = 64;

/// Returns whether a name is too long.
pub fn is_too_long(name: &str) -> bool {
    name.chars().nth(MAX_NAME_CHARS).is_some()
}

/// Returns a name for use in a sentence, cut if it is too long.
pub fn truncated_name(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Returns a name in Unicode's composed form (NFC). macOS writes "ü" as two characters, most others as one, so
/// comparisons of class and file names use this form.
pub fn composed(name: &str) -> Cow<'_, str> {
    match name.is_ascii() {
        true => Cow::Borrowed(name),
        false => ComposingNormalizerBorrowed::new_nfc().normalize(name),
    }
}

/// Returns the same name in its composed form.
pub fn compose(name: String) -> String {
    match composed(&name) {
        Cow::Borrowed(_) => name,
        Cow::Owned(composed) => composed,
    }
}

/// Returns a name as filters compare it: composed and in lower case.
pub fn fold_case(name: &str) -> String {
    composed(name).to_lowercase()
}

/// Returns the parts of a text that are separated by commas, without spaces around them and without empty parts.
pub fn comma_separated(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Returns whether two names are equal in their composed form.
pub fn is_same_name(a: &str, b: &str) -> bool {
    a == b || composed(a) == composed(b)
}

/// Deserialises a name in its composed form. For `#[serde(deserialize_with)]`.
///
/// # Errors
/// Returns an error if it is not a text.
pub fn read_composed<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(compose)
}

/// Deserialises a list of names in their composed form; see [`read_composed`].
///
/// # Errors
/// Returns an error if it is not a list of texts.
pub fn read_all_composed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    Ok(names.into_iter().map(compose).collect())
}

/// Returns the subscripts of symbols in a text, each with its underscore: "_N" of "F_N". A symbol is one capital letter
/// with a subscript of at most two characters, so that names such as `base_lr` have none.
pub fn find_subscripts(text: &str) -> Vec<Range<usize>> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_subscript = |&(at, _): &(usize, &str)| {
        let mut before = text[..at].chars().rev();
        let capital = before.next().is_some_and(char::is_uppercase);
        capital && !before.next().is_some_and(in_name)
    };
    let end = |(at, _)| {
        let after: &str = &text[at + 1..];
        let length = after.find(|c| !in_name(c)).unwrap_or(after.len());
        let short = (1..=2).contains(&after[..length].chars().count());
        (short && !after[..length].contains('_')).then_some(at..at + 1 + length)
    };
    let all = text.match_indices('_').filter(is_subscript);
    all.filter_map(end).collect()
}

/// Returns the message about a name that is too long.
pub fn too_long_message(name: &str) -> Message {
    let letters = name.chars().count().to_string();
    message!("problem-name-too-long", letters, most = MAX_NAME_CHARS)
}

/// Advises "did you mean `x`?" if a known name is similar, otherwise lists the known names.
pub fn with_suggestion<'n>(
    problem: Problem,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Problem {
    problem.advise(match suggest_name(name, known) {
        Ok(near) => message!("advice-did-you-mean", name = near),
        Err(list) => list,
    })
}

/// Returns the known name that `name` probably means.
///
/// # Errors
/// Returns the list of known names as advice if none is similar.
pub fn suggest_name<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Result<&'n str, Message> {
    let mut known: Vec<&str> = known.into_iter().collect();
    closest_name(name, known.iter().copied()).ok_or_else(|| {
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(*name));
        match known.is_empty() {
            true => message!("advice-remove-unneeded-choice"),
            false => message!("advice-known-names", names = known.join(", ")),
        }
    })
}

/// Returns the known name with the smallest edit distance, if it is small enough for a typing error. Names that are
/// too long are skipped, which bounds the work.
pub fn closest_name<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if is_too_long(name) {
        return None;
    }
    let max_distance = (name.chars().count() / 3).max(1) + usize::from(name.len() > 1);
    known
        .filter(|candidate| !is_too_long(candidate))
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= max_distance && distance < candidate.chars().count()
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_finds_similar_names_and_skips_long_ones() {
        assert_eq!(closest_name("adpater", ["lora", "adapter"].into_iter()), Some("adapter"));
        assert_eq!(closest_name("x", ["adapter"].into_iter()), None);
        let long = "a".repeat(1 << 20);
        assert_eq!(closest_name(&long, [long.as_str()].into_iter()), None);
        assert_eq!(closest_name("aa", [long.as_str(), "ab"].into_iter()), Some("ab"));
        assert_eq!(truncated_name(&long).chars().count(), MAX_NAME_CHARS + 1);
    }

    #[test]
    fn finds_subscripts_in_symbols_only() {
        let found = |text: &'static str| -> Vec<&str> {
            let all = find_subscripts(text).into_iter();
            all.map(|range| &text[range]).collect()
        };
        assert_eq!(found("F_N, Ā_5 (A_10) and A_i"), ["_N", "_5", "_10", "_i"]);
        assert!(found("base_lr LAE_N F_ F_one A__1 x_1 F_1_2 _N").is_empty());
    }

    #[test]
    fn is_same_name_compares_normalised_names() {
        let (one, other) = ("M\u{fc}ller", "Mu\u{308}ller");
        assert!(one != other && is_same_name(one, other) && !is_same_name("Muller", other));
        assert_eq!(composed(other), one);
        assert_eq!(fold_case("MU\u{308}LLER"), fold_case(one));
    }
}
