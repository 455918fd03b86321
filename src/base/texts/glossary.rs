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
    pub fn told(&self) -> String {
        let parts = [&self.name, &self.text].into_iter();
        let parts = parts.chain(&self.formula).chain(&self.source);
        parts.cloned().collect::<Vec<_>>().join("\n")
    }
}

/// The glossary of one language.
struct Glossary {
    terms: Vec<Term>,
    /// Spellings of terms by their first character, with the index of the term; longer spellings first.
    ways: HashMap<char, Vec<(Vec<char>, usize)>>,
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
    pub fn mentions(self, text: &str) -> Vec<(Range<usize>, &'static Term)> {
        let glossary = self.glossary();
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        let (mut found, mut at, mut inside) = (Vec::new(), 0, false);
        while at < letters.len() {
            let hit = match inside {
                true => None,
                false => glossary.hit(&letters[at..]),
            };
            let Some((length, term)) = hit else {
                inside = in_word(letters[at].1);
                at += 1;
                continue;
            };
            let end = letters
                .get(at + length)
                .map_or(text.len(), |(byte, _)| *byte);
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
fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[derive(Deserialize)]
struct Outline {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    key: String,
    term: Vec<Sketch>,
}

/// The parts of a term that do not depend on the language.
#[derive(Deserialize)]
struct Sketch {
    key: String,
    formula: Option<String>,
    source: Option<String>,
}

/// The parts of the glossary in one language.
#[derive(Deserialize)]
struct Words {
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
        let (mut terms, mut ways) = (Vec::new(), HashMap::new());
        if let (Some(outline), Ok(words)) = (outline(), toml::from_str::<Words>(source)) {
            for group in outline.group {
                let heading = words.group.get(&group.key).unwrap_or(&group.key);
                for sketch in group.term {
                    let Some(said) = words.terms.get(&sketch.key) else {
                        continue;
                    };
                    for way in said.words.split('|') {
                        learn(&mut ways, way.trim(), terms.len());
                    }
                    terms.push(sketch.said(heading, said));
                }
            }
        }
        for ways in ways.values_mut() {
            ways.sort_by_key(|(way, _)| std::cmp::Reverse(way.len()));
        }
        Self { terms, ways }
    }

    /// Returns the longest spelling of a term at the start of these characters, as its length and the index of the
    /// term.
    fn hit(&self, letters: &[(usize, char)]) -> Option<(usize, usize)> {
        let ways = self.ways.get(&letters.first()?.1)?;
        ways.iter().find_map(|(way, term)| {
            let length = fits(way, letters)?;
            Some((length, *term))
        })
    }
}

impl Sketch {
    fn said(self, group: &str, said: &TermTexts) -> Term {
        let source = self.source.map(|source| match source.strip_prefix('§') {
            Some(_) => format!("{PAPER}, {source}"),
            None => source,
        });
        Term {
            key: self.key,
            group: group.to_string(),
            name: said.name.clone(),
            text: said.text.clone(),
            formula: self.formula,
            source,
        }
    }
}

/// Adds a spelling of a term. A spelling without capitals is also added with an initial capital, as at the start of a
/// sentence.
fn learn(ways: &mut HashMap<char, Vec<(Vec<char>, usize)>>, way: &str, term: usize) {
    let letters: Vec<char> = way.chars().collect();
    let Some(&first) = letters.first() else {
        return;
    };
    if !way.chars().any(char::is_uppercase) {
        for upper in first.to_uppercase().filter(|upper| *upper != first).take(1) {
            let mut letters = letters.clone();
            letters[0] = upper;
            ways.entry(upper).or_default().push((letters, term));
        }
    }
    ways.entry(first).or_default().push((letters, term));
}

/// Returns the number of characters that this spelling matches at the start of `letters`; `None` if it does not
/// match.
fn fits(way: &[char], letters: &[(usize, char)]) -> Option<usize> {
    let mut at = 0;
    let letter = |at: usize| letters.get(at).map(|(_, letter)| *letter);
    for &want in way {
        let got = letter(at)?;
        if want == '#' {
            let digits = (at..).map_while(letter).take_while(char::is_ascii_digit);
            let count = digits.count();
            at += (count > 0).then_some(count)?;
        } else if want == got || (want == ' ' && got == '\u{a0}') {
            at += 1;
        } else {
            return None;
        }
    }
    (!letter(at).is_some_and(in_word)).then_some(at)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn glossaries_define_every_term_without_ambiguity() {
        let outline = outline().unwrap();
        let sketches = || outline.group.iter().flat_map(|group| &group.term);
        let keys: Vec<&str> = sketches().map(|term| term.key.as_str()).collect();
        for (language, name) in Language::ALL {
            let words: Words = toml::from_str(language.glossary_source()).unwrap();
            let told: Vec<&str> = language
                .terms()
                .iter()
                .map(|term| term.key.as_str())
                .collect();
            assert_eq!(told, keys, "{name}");
            assert_eq!(words.terms.len(), keys.len(), "{name}");
            assert_eq!(words.group.len(), outline.group.len(), "{name}");
            let mut known = HashMap::new();
            for (key, said) in &words.terms {
                assert!(
                    !said.text.is_empty() && !said.name.is_empty(),
                    "{name}: {key}"
                );
                for way in said.words.split('|').map(str::trim) {
                    assert!(!way.is_empty(), "{name}: {key}");
                    let other = known.insert(way.to_string(), key);
                    assert_eq!(other, None, "{name}: {way}");
                }
            }
        }
    }

    #[test]
    fn mentions_match_longest_whole_words() {
        let found = |language: Language, text: &str| -> Vec<(String, String)> {
            let all = language.mentions(text);
            all.into_iter()
                .map(|(at, term)| (text[at].to_string(), term.key.clone()))
                .collect()
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
        let told = Language::English.term("accumulation").unwrap().told();
        assert!(
            told.contains("θ_off ← α · θ_off + (1 − α) · θ_on"),
            "{told}"
        );
        assert!(
            told.ends_with("Gao et al., ICCV 2023, §4.2, Eq. 13"),
            "{told}"
        );
        assert!(Language::English.term("no_such").is_none());
    }
}
