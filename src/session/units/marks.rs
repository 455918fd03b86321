//! Live figures of a text, `{name: formula}`: taken out before Markdown is read, marks in their place.

use super::formula::Formula;
use crate::problem::{Problem, Result};

/// Stands in Markdown for a figure that is filled in, its number between both marks: signs that
/// Markdown leaves alone and nobody writes.
pub(super) const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];

/// A figure that was taken out of a text: how it was written, its name and its formula.
pub(super) struct Live {
    pub source: String,
    pub name: String,
    pub formula: Option<Formula>,
}

/// Puts marks in place of `{name:formula}`; blocks keep theirs, for they are read by themselves.
pub(super) fn mark(
    text: &str,
    runs: &[String],
    line: &dyn Fn(usize) -> usize,
) -> Result<(String, Vec<Live>)> {
    // A mark of the text's own would show a figure again, as often as it stands there.
    let text = &text.replace(MARKS, "");
    let (mut marked, mut live) = (String::new(), Vec::new());
    let (mut at, mut fenced) = (0, false);
    for row in text.split_inclusive('\n') {
        fenced ^= row.trim_start().starts_with("```");
        let mut rest = row;
        while let (false, Some(open)) = (fenced, rest.find('{')) {
            // A figure holds no brace: so no sign is looked at again and again.
            let after = &rest[open + 1..];
            let end = after
                .find(['{', '}'])
                .filter(|end| after[*end..].starts_with('}'));
            let inner = end.map(|end| &after[..end]);
            let pair = inner.and_then(|inner| inner.split_once(':'));
            let (Some(inner), Some((name, formula))) = (inner, pair) else {
                // Braces around anything else stay.
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
    fn only_a_name_and_a_formula_between_braces_are_a_figure() {
        let (marked, live) = mark("{a {b: 1 + 2} {c} }{", &[], &|_| 0).unwrap();
        assert_eq!(live.len(), 1);
        assert_eq!(
            (live[0].name.as_str(), live[0].source.as_str()),
            ("b", "{b: 1 + 2}")
        );
        assert_eq!(marked, format!("{{a {}0{} {{c}} }}{{", MARKS[0], MARKS[1]));
    }
}
