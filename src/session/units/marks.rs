//! Live values in a text, `{name: formula}` or `{formula}`. They are replaced by marks before Markdown is parsed.

use super::formula::Formula;
use crate::problem::{Problem, Result};

/// The characters around the index of a live value in Markdown. They are private-use characters, which Markdown ignores
/// and texts do not contain.
pub(super) const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];

/// A live value that was replaced in a text: its source, its name (an ellipsis if it has none) and its formula.
pub(super) struct Live {
    pub source: String,
    pub name: String,
    pub formula: Option<Formula>,
}

/// Replaces `{name: formula}` and `{formula}` by marks, except in fenced blocks, which are parsed separately.
pub(super) fn mark(
    text: &str,
    runs: &[String],
    line: &dyn Fn(usize) -> usize,
) -> Result<(String, Vec<Live>)> {
    // Marks in the source text are removed, because they would insert values.
    let text = &text.replace(MARKS, "");
    let (mut marked, mut live) = (String::new(), Vec::new());
    let (mut at, mut fenced) = (0, false);
    for row in text.split_inclusive('\n') {
        fenced ^= row.trim_start().starts_with("```");
        let mut rest = row;
        while let (false, Some(open)) = (fenced, rest.find('{')) {
            // A live value contains no braces, so the search for its end stops at the next brace.
            let after = &rest[open + 1..];
            let end = after
                .find(['{', '}'])
                .filter(|end| after[*end..].starts_with('}'));
            let inner = end.map(|end| &after[..end]);
            let pair = inner.and_then(|inner| match inner.split_once(':') {
                None if has_call(inner) => Some(("…", inner)),
                pair => pair,
            });
            let (Some(inner), Some((name, formula))) = (inner, pair) else {
                // Braces around any other text are kept.
                marked.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
                continue;
            };
            let formula = Formula::read_as(formula, runs, false).map_err(|problem| Problem {
                place: format!("line {}", line(at)),
                ..problem
            })?;
            marked.push_str(&rest[..open]);
            marked.push_str(&format!("{}{}{}", MARKS[0], live.len(), MARKS[1]));
            live.push(Live {
                source: format!("{{{inner}}}"),
                name: name.trim().to_string(),
                formula: Some(formula),
            });
            rest = &rest[open + inner.len() + 2..];
        }
        marked.push_str(rest);
        at += row.len();
    }
    Ok((marked, live))
}

/// Returns whether a text in braces contains a function call and is therefore a formula.
fn has_call(text: &str) -> bool {
    let mut before = text.split('(').rev().skip(1);
    before.any(|part| part.ends_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_the_text_itself_show_nothing() {
        let own = format!("{}0{} {{b: 1}}", MARKS[0], MARKS[1]);
        let (marked, _) = mark(&own, &[], &|_| 0).unwrap();
        assert_eq!(marked.matches(MARKS[0]).count(), 1, "{marked}");
    }

    #[test]
    fn a_formula_between_braces_is_a_figure_with_and_without_a_name() {
        let (marked, live) = mark("{a {b: 1 + 2} {c} }{", &[], &|_| 0).unwrap();
        assert_eq!(live.len(), 1);
        assert_eq!(
            (live[0].name.as_str(), live[0].source.as_str()),
            ("b", "{b: 1 + 2}")
        );
        assert_eq!(marked, format!("{{a {}0{} {{c}} }}{{", MARKS[0], MARKS[1]));
        let runs = ["a".to_string()];
        let (_, live) = mark("{forgetting(a)} {b (c)}", &runs, &|_| 0).unwrap();
        assert_eq!((live.len(), live[0].name.as_str()), (1, "…"));
        assert!(mark("{forgeting(a)}", &runs, &|_| 0).is_err());
    }
}
