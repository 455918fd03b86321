//! The glossary of the field in every language, with formulas and references to the paper, and the search for its
//! terms in texts.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::Language;

/// The paper that references such as "§4.2" belong to.
const PAPER: &str = "Gao et al., ICCV 2023";

/// A term in one language.
#[derive(Debug, Serialize)]
pub struct Term {
    /// Its key in files and code.
    #[serde(rename = "term")]
    pub key: String,
    /// The heading of its group.
    pub group: String,
    /// Its name.
    pub name: String,
    /// The explanation, in one to three sentences.
    pub text: String,
    /// Its formula, if it has one.
    pub formula: Option<String>,
    /// The paper and the section.
    pub source: Option<String>,
}

impl Term {
    /// Returns all parts as lines of text, for a screen reader.
    pub fn full_text(&self) -> String {
        let parts = [&self.name, &self.text].into_iter();
        let parts = parts.chain(&self.formula).chain(&self.source);
        parts.cloned().collect::<Vec<_>>().join("\n")
    }
}

/// The glossary of one language.
struct Glossary {
    terms: Vec<Term>,
    /// Spellings of terms by their first character, with the index of the term; longer spellings first.
    spellings: HashMap<char, Vec<(Vec<char>, usize)>>,
}

impl Language {
    /// Returns all terms in the order of the glossary.
    pub fn terms(self) -> &'static [Term] {
        &self.glossary().terms
    }

    /// Returns the term with this key.
    pub fn term(self, key: &str) -> Option<&'static Term> {
        self.terms().iter().find(|term| term.key == key)
    }

    /// Returns the terms that a text mentions, in order, with their byte ranges.
    pub fn find_terms(self, text: &str) -> Vec<(Range<usize>, &'static Term)> {
        let glossary = self.glossary();
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        let (mut found, mut at, mut is_in_word) = (Vec::new(), 0, false);
        while at < letters.len() {
            let found_term = match is_in_word {
                true => None,
                false => glossary.longest_match(&letters[at..]),
            };
            let Some((length, term)) = found_term else {
                is_in_word = is_word_char(letters[at].1);
                at += 1;
                continue;
            };
            let end = letters.get(at + length).map_or(text.len(), |(byte, _)| *byte);
            found.push((letters[at].0..end, &glossary.terms[term]));
            at += length;
        }
        found
    }

    fn glossary(self) -> &'static Glossary {
        static GLOSSARIES: [OnceLock<Glossary>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        GLOSSARIES[self as usize].get_or_init(|| Glossary::read(self.glossary_source()))
    }

    fn glossary_source(self) -> &'static str {
        match self {
            Self::English => include_str!("../../../assets/texts/glossary/en.toml"),
            Self::German => include_str!("../../../assets/texts/glossary/de.toml"),
        }
    }
}

/// Returns whether a character continues a word: "A_N" is one word, "LAE-Artikel" two.
fn is_word_char(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[derive(Deserialize)]
struct Outline {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    key: String,
    term: Vec<TermOutline>,
}

/// The parts of a term that do not depend on the language.
#[derive(Deserialize)]
struct TermOutline {
    key: String,
    formula: Option<String>,
    source: Option<String>,
}

/// The parts of the glossary in one language.
#[derive(Deserialize)]
struct GlossaryTexts {
    group: BTreeMap<String, String>,
    #[serde(flatten)]
    terms: BTreeMap<String, TermTexts>,
}

#[derive(Deserialize)]
struct TermTexts {
    name: String,
    words: String,
    text: String,
}

fn outline() -> Option<Outline> {
    toml::from_str(include_str!("../../../assets/texts/glossary/terms.toml")).ok()
}

impl Glossary {
    /// Reads the terms of a language; files that cannot be read give an empty glossary, which a test excludes.
    fn read(source: &str) -> Self {
        let (mut terms, mut spellings) = (Vec::new(), HashMap::new());
        if let (Some(outline), Ok(words)) = (outline(), toml::from_str::<GlossaryTexts>(source)) {
            for group in outline.group {
                let heading = words.group.get(&group.key).unwrap_or(&group.key);
                for outline_term in group.term {
                    let Some(texts) = words.terms.get(&outline_term.key) else {
                        continue;
                    };
                    for spelling in texts.words.split('|') {
                        add_spelling(&mut spellings, spelling.trim(), terms.len());
                    }
                    terms.push(outline_term.into_term(heading, texts));
                }
            }
        }
        for candidates in spellings.values_mut() {
            candidates.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
        }
        Self { terms, spellings }
    }

    /// Returns the longest spelling of a term at the start of these characters, as its length and the index of the
    /// term.
    fn longest_match(&self, letters: &[(usize, char)]) -> Option<(usize, usize)> {
        let candidates = self.spellings.get(&letters.first()?.1)?;
        candidates.iter().find_map(|(spelling, term)| {
            let length = match_length(spelling, letters)?;
            Some((length, *term))
        })
    }
}

impl TermOutline {
    fn into_term(self, group: &str, texts: &TermTexts) -> Term {
        let source = self.source.map(|source| match source.strip_prefix('§') {
            Some(_) => format!("{PAPER}, {source}"),
            None => source,
        });
        Term {
            key: self.key,
            group: group.to_string(),
            name: texts.name.clone(),
            text: texts.text.clone(),
            formula: self.formula,
            source,
        }
    }
}

/// Adds a spelling of a term. A spelling without capitals is also added with an initial capital, as at the start of a
/// sentence.
fn add_spelling(
    spellings: &mut HashMap<char, Vec<(Vec<char>, usize)>>,
    spelling: &str,
    term: usize,
) {
    let letters: Vec<char> = spelling.chars().collect();
    let Some(&first) = letters.first() else {
        return;
    };
    if !spelling.chars().any(char::is_uppercase) {
        for upper in first.to_uppercase().filter(|upper| *upper != first).take(1) {
            let mut letters = letters.clone();
            letters[0] = upper;
            spellings.entry(upper).or_default().push((letters, term));
        }
    }
    spellings.entry(first).or_default().push((letters, term));
}

/// Returns the number of characters that this spelling matches at the start of `letters`; `None` if it does not
/// match.
fn match_length(spelling: &[char], letters: &[(usize, char)]) -> Option<usize> {
    let mut position = 0;
    let letter = |position: usize| letters.get(position).map(|(_, letter)| *letter);
    for &expected in spelling {
        let actual = letter(position)?;
        if expected == '#' {
            let digits = (position..).map_while(letter).take_while(char::is_ascii_digit);
            let count = digits.count();
            position += (count > 0).then_some(count)?;
        } else if expected == actual || (expected == ' ' && actual == '\u{a0}') {
            position += 1;
        } else {
            return None;
        }
    }
    (!letter(position).is_some_and(is_word_char)).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glossaries_define_every_term_without_ambiguity() {
        let outline = outline().unwrap();
        let outline_terms = || outline.group.iter().flat_map(|group| &group.term);
        let keys: Vec<&str> = outline_terms().map(|term| term.key.as_str()).collect();
        for (language, name) in Language::ALL {
            let words: GlossaryTexts = toml::from_str(language.glossary_source()).unwrap();
            let term_keys: Vec<&str> =
                language.terms().iter().map(|term| term.key.as_str()).collect();
            assert_eq!(term_keys, keys, "{name}");
            assert_eq!(words.terms.len(), keys.len(), "{name}");
            assert_eq!(words.group.len(), outline.group.len(), "{name}");
            let mut known = HashMap::new();
            for (key, texts) in &words.terms {
                assert!(!texts.text.is_empty() && !texts.name.is_empty(), "{name}: {key}");
                for spelling in texts.words.split('|').map(str::trim) {
                    assert!(!spelling.is_empty(), "{name}: {key}");
                    let other = known.insert(spelling.to_string(), key);
                    assert_eq!(other, None, "{name}: {spelling}");
                }
            }
        }
    }

    #[test]
    fn mentions_match_longest_whole_words() {
        let found = |language: Language, text: &str| -> Vec<(String, String)> {
            let all = language.find_terms(text);
            all.into_iter().map(|(at, term)| (text[at].to_string(), term.key.clone())).collect()
        };
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        let english = "Ā_5 lies above A_10, F_N; tasked LAE-like. Task given? A learning rate.";
        let expected = [
            pair("Ā_5", "average_accuracy"),
            pair("A_10", "last_accuracy"),
            pair("F_N", "forgetting"),
            pair("LAE", "lae"),
            pair("Task given", "task_given"),
            pair("learning rate", "learning_rate"),
        ];
        assert_eq!(found(Language::English, english), expected);
        // The term "Learning" of LAE has a capital; the common word has none.
        assert_eq!(found(Language::English, "learning"), []);
        let expected = [pair("Offline-Experten", "offline"), pair("α", "alpha")];
        assert_eq!(found(Language::German, "des Offline-Experten, α"), expected);
        assert_eq!(found(Language::German, "A_ und A_x, aA_N"), []);
    }

    #[test]
    fn term_text_includes_formula_and_citation() {
        let text = Language::English.term("accumulation").unwrap().full_text();
        assert!(text.contains("θ_off ← α · θ_off + (1 − α) · θ_on"), "{text}");
        assert!(text.ends_with("Gao et al., ICCV 2023, §4.2, Eq. 13"), "{text}");
        assert!(Language::English.term("no_such").is_none());
    }
}
