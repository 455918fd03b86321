//! Completions at the cursor, each with a description.

use std::ops::Range;

use super::meaning::Meaning;
use crate::expression::Piece;
use crate::pet::functions::FUNCTIONS;
use crate::pet::highlight::{Mark, Marked, declared, marks};
use crate::pet::{BLOCK_SYMBOLS, INITS, Site};
use crate::texts::of_list;
use crate::tr;

/// Maximum number of completions.
const MOST: usize = 8;

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The inserted text.
    pub text: String,
    /// The shape of the named value, or a description.
    pub about: String,
}

/// Returns the byte range of the word at the cursor and its completions; `None` if there are none or the word is
/// complete.
pub fn candidates(
    text: &str,
    cursor: usize,
    meaning: Option<&Meaning>,
) -> Option<(Range<usize>, Vec<Candidate>)> {
    let marked = marks(text)
        .into_iter()
        .find(|marked| marked.span.start < cursor && cursor <= marked.span.end)?;
    let (span, known) = match marked.mark {
        Mark::Equation(Piece::Name | Piece::Function) if marked.span.end == cursor => {
            let is_shape = marked.path.contains("shape");
            (marked.span.clone(), names(text, is_shape, &marked, meaning))
        }
        Mark::Text if is_open(text, &marked.span, cursor) => {
            let known = match marked.path.rsplit('.').next()? {
                "sites" => sites(),
                "init" => INITS.iter().map(|init| candidate(*init, "")).collect(),
                _ => return None,
            };
            (marked.span.start + 1..cursor, known)
        }
        Mark::Key if marked.span.end == cursor => (marked.span.clone(), keys(&marked)),
        _ => return None,
    };
    let begun = text.get(span.clone())?.to_lowercase();
    let mut found: Vec<Candidate> = known
        .into_iter()
        .filter(|known| known.text.to_lowercase().starts_with(&begun) && !begun.is_empty())
        .collect();
    found.dedup_by(|a, b| a.text == b.text);
    if found
        .iter()
        .any(|known| known.text.trim_end_matches('(') == begun)
    {
        return None;
    }
    found.truncate(MOST);
    (!found.is_empty()).then_some((span, found))
}

/// Returns whether the cursor is inside a quoted string, which can be unterminated.
fn is_open(text: &str, span: &Range<usize>, cursor: usize) -> bool {
    let ends = span.len() > 1 && text[span.clone()].ends_with(['"', '\'']);
    cursor < span.end || !ends
}

fn candidate(text: impl Into<String>, about: impl Into<String>) -> Candidate {
    Candidate {
        text: text.into(),
        about: about.into(),
    }
}

/// Returns the names that an equation or a shape can use.
fn names(text: &str, is_shape: bool, marked: &Marked, meaning: Option<&Meaning>) -> Vec<Candidate> {
    let mut found = Vec::new();
    if !is_shape {
        for name in declared(text) {
            let known =
                meaning.and_then(|own| own.plugin.parameters.iter().find(|p| p.name == name));
            let about = match known {
                Some(own) => {
                    let (shape, init) = (own.shape.as_str(), own.init.as_str());
                    tr!("editor-name-initial-value", shape, init)
                }
                None => tr!("editor-name-parameter").into(),
            };
            found.push(candidate(name, about));
        }
        let site = marked.path.rsplit('.').next().and_then(Site::named);
        let inputs = site.map_or(&["e", "h"][..], Site::inputs);
        for input in inputs {
            let about = match *input {
                "w" => tr!("editor-name-frozen-weight"),
                "q" | "k" | "v" => tr!("editor-name-heads"),
                _ => tr!("editor-name-tokens"),
            };
            found.push(candidate(*input, about));
        }
    }
    let own = meaning.iter().flat_map(|own| &own.names);
    found.extend(own.map(|(name, about)| candidate(name, about)));
    let block = BLOCK_SYMBOLS.iter();
    found.extend(
        block.map(|(name, about)| candidate(*name, of_list("symbol", name, "about", about))),
    );
    if !is_shape {
        let functions = FUNCTIONS.iter();
        found.extend(functions.map(|own| candidate(format!("{}(", own.name), own.meaning())));
    }
    found
}

fn sites() -> Vec<Candidate> {
    let all = Site::ALL.iter();
    all.map(|(_, name, about)| candidate(*name, of_list("site", name, "about", about)))
        .collect()
}

/// Returns the keys that are allowed in the table at the cursor.
fn keys(marked: &Marked) -> Vec<Candidate> {
    let path: Vec<&str> = marked.path.split('.').collect();
    let known: &[(&str, &'static str)] = match path.as_slice() {
        ["parameters", _, ..] => &[
            ("shape", "editor-key-shape"),
            ("init", "editor-key-init"),
            ("fixed", "editor-key-fixed"),
            ("per_site", "editor-key-per-site"),
            ("shared", "editor-key-shared"),
            ("meaning", "editor-key-description-line"),
        ],
        ["sizes", _, ..] => &[
            ("default", "editor-key-default"),
            ("min", "editor-key-min"),
            ("max", "editor-key-max"),
            ("symbol", "editor-key-symbol"),
            ("meaning", "editor-key-description-line"),
        ],
        ["equations"] => {
            let every = candidate("every", tr!("editor-key-other-sites"));
            return std::iter::once(every).chain(sites()).collect();
        }
        [""] => &[
            ("name", "editor-key-name"),
            ("description", "editor-key-description"),
            ("reference", "editor-key-reference"),
            ("sites", "editor-key-sites"),
        ],
        _ => &[],
    };
    let all = known.iter();
    all.map(|&(name, id)| candidate(name, tr!(id))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Returns the completions at the end of the text.
    fn offered(text: &str) -> Vec<String> {
        let found = candidates(text, text.len(), None);
        let (_, found) = found.unwrap_or_default();
        found.into_iter().map(|own| own.text).collect()
    }

    #[test]
    fn names_are_offered_where_they_can_stand() {
        let text =
            "[parameters]\ndown = { shape = [\"d\", \"r\"] }\n[equations]\nmlp = \"h + e @ do";
        assert_eq!(offered(text), ["down"]);
        assert_eq!(offered("[equations]\nmlp = \"h + gel"), ["gelu("]);
        assert_eq!(offered("sites = [\"att"), ["attention", "attend"]);
        assert_eq!(offered("[parameters]\na = { shape = [\"hid"), ["hidden"]);
        assert_eq!(
            offered("[parameters]\na = { init = \"kai"),
            ["kaiming_uniform"]
        );
        assert_eq!(offered("[equations]\nmlp = \"h + gelu"), [""; 0]);
        assert_eq!(offered("# gel"), [""; 0]);
    }
}
