//! Completions at the cursor, each with a description.

use std::ops::Range;

use super::meaning::CompiledPlugin;
use crate::expression::HighlightKind;
use crate::pet::functions::FUNCTIONS;
use crate::pet::highlight::{Mark, MarkedSpan, declared_parameters, marks};
use crate::pet::{BLOCK_SYMBOLS, INITS, Site};
use crate::texts::translate_entry;
use crate::tr;

/// Maximum number of completions.
const MAX_CANDIDATES: usize = 8;

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
    compiled: Option<&CompiledPlugin>,
) -> Option<(Range<usize>, Vec<Candidate>)> {
    let marked = marks(text)
        .into_iter()
        .find(|marked| marked.span.start < cursor && cursor <= marked.span.end)?;
    let (span, options) = match marked.mark {
        Mark::Equation(HighlightKind::Name | HighlightKind::Function)
            if marked.span.end == cursor =>
        {
            let is_shape = marked.path.contains("shape");
            (marked.span.clone(), names(text, is_shape, &marked, compiled))
        }
        Mark::Text if is_open(text, &marked.span, cursor) => {
            let options = match marked.path.rsplit('.').next()? {
                "sites" => sites(),
                "init" => INITS.iter().map(|init| candidate(*init, "")).collect(),
                _ => return None,
            };
            (marked.span.start + 1..cursor, options)
        }
        Mark::Key if marked.span.end == cursor => (marked.span.clone(), keys(&marked)),
        _ => return None,
    };
    let prefix = text.get(span.clone())?.to_lowercase();
    let mut matching: Vec<Candidate> = options
        .into_iter()
        .filter(|option| option.text.to_lowercase().starts_with(&prefix) && !prefix.is_empty())
        .collect();
    matching.dedup_by(|a, b| a.text == b.text);
    if matching.iter().any(|option| option.text.trim_end_matches('(') == prefix) {
        return None;
    }
    matching.truncate(MAX_CANDIDATES);
    (!matching.is_empty()).then_some((span, matching))
}

/// Returns whether the cursor is inside a quoted string, which can be unterminated.
fn is_open(text: &str, span: &Range<usize>, cursor: usize) -> bool {
    let ends = span.len() > 1 && text[span.clone()].ends_with(['"', '\'']);
    cursor < span.end || !ends
}

fn candidate(text: impl Into<String>, about: impl Into<String>) -> Candidate {
    Candidate { text: text.into(), about: about.into() }
}

/// Returns the names that an equation or a shape can use.
fn names(
    text: &str,
    is_shape: bool,
    marked: &MarkedSpan,
    compiled: Option<&CompiledPlugin>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if !is_shape {
        for name in declared_parameters(text) {
            let parameter = compiled
                .and_then(|checked| checked.plugin.parameters.iter().find(|p| p.name == name));
            let about = match parameter {
                Some(parameter) => {
                    let (shape, init) = (parameter.shape.as_str(), parameter.init.as_str());
                    tr!("editor-name-initial-value", shape, init)
                }
                None => tr!("editor-name-parameter").into(),
            };
            candidates.push(candidate(name, about));
        }
        let site = marked.path.rsplit('.').next().and_then(Site::from_name);
        let inputs = site.map_or(&["e", "h"][..], Site::inputs);
        for input in inputs {
            let about = match *input {
                "w" => tr!("editor-name-frozen-weight"),
                "q" | "k" | "v" => tr!("editor-name-heads"),
                _ => tr!("editor-name-tokens"),
            };
            candidates.push(candidate(*input, about));
        }
    }
    let plugin_names = compiled.iter().flat_map(|checked| &checked.names);
    candidates.extend(plugin_names.map(|(name, about)| candidate(name, about)));
    let block_symbols = BLOCK_SYMBOLS.iter();
    candidates
        .extend(block_symbols.map(|(name, about)| {
            candidate(*name, translate_entry("symbol", name, "about", about))
        }));
    if !is_shape {
        let functions = FUNCTIONS.iter();
        candidates.extend(
            functions.map(|function| candidate(format!("{}(", function.name), function.meaning())),
        );
    }
    candidates
}

fn sites() -> Vec<Candidate> {
    let all = Site::ALL.iter();
    all.map(|(_, name, about)| candidate(*name, translate_entry("site", name, "about", about)))
        .collect()
}

/// Returns the keys that are allowed in the table at the cursor.
fn keys(marked: &MarkedSpan) -> Vec<Candidate> {
    let path: Vec<&str> = marked.path.split('.').collect();
    let entries: &[(&str, &'static str)] = match path.as_slice() {
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
    let all = entries.iter();
    all.map(|&(name, id)| candidate(name, tr!(id))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the completions at the end of the text.
    fn completions(text: &str) -> Vec<String> {
        let result = candidates(text, text.len(), None);
        let (_, found) = result.unwrap_or_default();
        found.into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn completes_names_valid_at_cursor() {
        let text =
            "[parameters]\ndown = { shape = [\"d\", \"r\"] }\n[equations]\nmlp = \"h + e @ do";
        assert_eq!(completions(text), ["down"]);
        assert_eq!(completions("[equations]\nmlp = \"h + gel"), ["gelu("]);
        assert_eq!(completions("sites = [\"att"), ["attention", "attend"]);
        assert_eq!(completions("[parameters]\na = { shape = [\"hid"), ["hidden"]);
        assert_eq!(completions("[parameters]\na = { init = \"kai"), ["kaiming_uniform"]);
        assert_eq!(completions("[equations]\nmlp = \"h + gelu"), [""; 0]);
        assert_eq!(completions("# gel"), [""; 0]);
    }
}
