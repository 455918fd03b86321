//! Splits a text into tokens: names, numbers, operators, parentheses and commas; and an incomplete one into pieces for
//! syntax highlighting in an editor.

use std::ops::Range;

use super::{BinaryOperator, Diagnostic, Language};
use crate::message;
use crate::names::truncated_name;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Name,
    /// The name of a function, followed by its arguments.
    Function,
    Number(f64),
    /// A binary operator.
    Operator(BinaryOperator),
    /// A minus sign before a value.
    Minus,
    Open,
    Close,
    Comma,
}

/// Returns the tokens of a text with their byte ranges.
pub(super) fn scan(
    language: &Language,
    text: &str,
) -> Result<Vec<(Token, Range<usize>)>, Diagnostic> {
    let mut tokens: Vec<(Token, Range<usize>)> = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let start = at;
        let after_value =
            matches!(tokens.last(), Some((Token::Name | Token::Number(_) | Token::Close, _)));
        let token = match letter {
            ' ' | '\t' | '\n' | '\r' => {
                at += 1;
                continue;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                at = skip_while(text, at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
                scan_word(language, text, start..at)?
            }
            '0'..='9' | '.' => {
                at = end_of_number(text, at);
                let number = text[start..at].parse().ok();
                let number = number.filter(|number: &f64| number.is_finite());
                match (number, &text[start..at]) {
                    (Some(number), _) => Token::Number(number),
                    (None, ".") => return Err(unexpected_character(language, start, letter)),
                    (None, shown) => {
                        let what = message!(
                            "problem-not-a-number",
                            shown = truncated_name(shown).to_string()
                        );
                        return Err(Diagnostic::new(start..at, what));
                    }
                }
            }
            _ => {
                let (token, length) = scan_operator(language, &text[at..], after_value)
                    .ok_or_else(|| unexpected_character(language, start, letter))?;
                at += length;
                token
            }
        };
        tokens.push((token, start..at));
        if tokens.len() > language.max_tokens {
            let what = message!(
                "problem-equation-too-many-tokens",
                called = language.definite_name_message(),
                most_tokens = language.max_tokens.to_string()
            );
            return Err(Diagnostic::new(start..at, what).explain(language.shorten_advice));
        }
    }
    Ok(tokens)
}

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighlightKind {
    /// A name.
    Name,
    /// The name of a function that is called.
    Function,
    /// A number.
    Number,
    /// An operator, a parenthesis or a comma.
    Operator,
}

/// Returns the pieces of a text with their byte ranges, up to the first mistake.
pub fn highlight(language: &Language, text: &str) -> Vec<(Range<usize>, HighlightKind)> {
    let found = scan(language, text).or_else(|error| {
        let valid = text.get(..error.span.start).unwrap_or_default();
        scan(language, valid)
    });
    let to_highlight = |(token, span): (Token, Range<usize>)| {
        let kind = match token {
            Token::Name => HighlightKind::Name,
            Token::Function => HighlightKind::Function,
            Token::Number(_) => HighlightKind::Number,
            _ => HighlightKind::Operator,
        };
        (span, kind)
    };
    found.unwrap_or_default().into_iter().map(to_highlight).collect()
}

/// Returns the first position from `at` on whose byte does not satisfy `predicate`.
fn skip_while(text: &str, at: usize, predicate: fn(u8) -> bool) -> usize {
    let skipped = text.as_bytes()[at..].iter().take_while(|byte| predicate(**byte));
    at + skipped.count()
}

/// Returns the end of the number that starts at `at`: digits and points, and an exponent if one follows.
fn end_of_number(text: &str, at: usize) -> usize {
    let at = skip_while(text, at, |byte| byte.is_ascii_digit() || byte == b'.');
    let rest = text[at..].trim_start_matches(['e', 'E']);
    let exponent_marks = text.len() - at - rest.len();
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    match exponent_marks == 1 && digits.starts_with(|digit: char| digit.is_ascii_digit()) {
        true => skip_while(text, text.len() - digits.len(), |byte| byte.is_ascii_digit()),
        false => at,
    }
}

/// Returns the token of a word: an operator such as `and`, a function, or a name.
fn scan_word(language: &Language, text: &str, span: Range<usize>) -> Result<Token, Diagnostic> {
    let word = &text[span.clone()];
    if let Some(sign) = language.operators.iter().find(|sign| sign.text() == word) {
        return Ok(Token::Operator(*sign));
    }
    let end = span.end;
    match Diagnostic::from_long_name(word, span) {
        Some(error) => Err(error),
        None if text[end..].trim_start().starts_with('(') => Ok(Token::Function),
        None => Ok(Token::Name),
    }
}

/// Returns the longest operator, parenthesis or comma at the beginning of this text, and its length in bytes.
fn scan_operator(language: &Language, text: &str, after_value: bool) -> Option<(Token, usize)> {
    let single = match text.as_bytes().first()? {
        b'(' => Some(Token::Open),
        b')' => Some(Token::Close),
        b',' => Some(Token::Comma),
        b'-' if !after_value => Some(Token::Minus),
        _ => None,
    };
    let matching = language.operators.iter().filter(|sign| text.starts_with(sign.text()));
    let longest = || matching.max_by_key(|sign| sign.text().len());
    single
        .map(|token| (token, 1))
        .or_else(|| longest().map(|sign| (Token::Operator(*sign), sign.text().len())))
}

/// Returns the mistake for a character that is not allowed.
fn unexpected_character(language: &Language, at: usize, letter: char) -> Diagnostic {
    let has_matrix_product = language.operators.contains(&BinaryOperator::MatMul);
    let (why, fix) = match letter {
        '·' | '×' | '∗' if has_matrix_product => {
            ("write * for element by element, @ for the matrix product", Some("*"))
        }
        '·' | '×' | '∗' => ("write the product as *", Some("*")),
        '−' | '–' => ("write the minus sign as -", Some("-")),
        '^' if has_matrix_product => ("write x * x for a square, sqrt(x) for a root", None),
        _ => (language.content_advice, None),
    };
    let what = message!(
        "problem-character-not-allowed",
        letter = letter.to_string(),
        any = language.indefinite_name_message()
    );
    Diagnostic {
        fix: fix.map(str::to_owned),
        ..Diagnostic::new(at..at + letter.len_utf8(), what).explain(why)
    }
}
