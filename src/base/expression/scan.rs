//! Splits a text into tokens: names, numbers, operators, parentheses and commas; and an incomplete one into pieces for
//! syntax highlighting in an editor.

use std::ops::Range;

use super::{BinaryOperator, Diagnostic, Language};
use crate::message;
use crate::names::shortened;

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
        let after_value = matches!(
            tokens.last(),
            Some((Token::Name | Token::Number(_) | Token::Close, _))
        );
        let token = match letter {
            ' ' | '\t' | '\n' | '\r' => {
                at += 1;
                continue;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                at = after(text, at, |byte| {
                    byte.is_ascii_alphanumeric() || byte == b'_'
                });
                word(language, text, start..at)?
            }
            '0'..='9' | '.' => {
                at = end_of_number(text, at);
                let number = text[start..at].parse().ok();
                let number = number.filter(|number: &f64| number.is_finite());
                match (number, &text[start..at]) {
                    (Some(number), _) => Token::Number(number),
                    (None, ".") => return Err(stray(language, start, letter)),
                    (None, shown) => {
                        let what =
                            message!("problem-not-a-number", shown = shortened(shown).to_string());
                        return Err(Diagnostic::new(start..at, what));
                    }
                }
            }
            _ => {
                let (token, length) = operator(language, &text[at..], after_value)
                    .ok_or_else(|| stray(language, start, letter))?;
                at += length;
                token
            }
        };
        tokens.push((token, start..at));
        if tokens.len() > language.most_tokens {
            let what = message!(
                "problem-equation-too-many-tokens",
                called = language.called(),
                most_tokens = language.most_tokens.to_string()
            );
            return Err(Diagnostic::new(start..at, what).because(language.shorter));
        }
    }
    Ok(tokens)
}

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
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
pub fn pieces(language: &Language, text: &str) -> Vec<(Range<usize>, Piece)> {
    let found = scan(language, text).or_else(|wrong| {
        let sound = text.get(..wrong.span.start).unwrap_or_default();
        scan(language, sound)
    });
    let piece = |(token, span): (Token, Range<usize>)| {
        let piece = match token {
            Token::Name => Piece::Name,
            Token::Function => Piece::Function,
            Token::Number(_) => Piece::Number,
            _ => Piece::Operator,
        };
        (span, piece)
    };
    found.unwrap_or_default().into_iter().map(piece).collect()
}

/// Returns the first position from `at` on whose byte does not satisfy `keep`.
fn after(text: &str, at: usize, keep: fn(u8) -> bool) -> usize {
    let kept = text.as_bytes()[at..].iter().take_while(|byte| keep(**byte));
    at + kept.count()
}

/// Returns the end of the number that starts at `at`: digits and points, and an exponent if one follows.
fn end_of_number(text: &str, at: usize) -> usize {
    let at = after(text, at, |byte| byte.is_ascii_digit() || byte == b'.');
    let rest = text[at..].trim_start_matches(['e', 'E']);
    let marks = text.len() - at - rest.len();
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    match marks == 1 && digits.starts_with(|digit: char| digit.is_ascii_digit()) {
        true => after(text, text.len() - digits.len(), |byte| {
            byte.is_ascii_digit()
        }),
        false => at,
    }
}

/// Returns the token of a word: an operator such as `and`, a function, or a name.
fn word(language: &Language, text: &str, span: Range<usize>) -> Result<Token, Diagnostic> {
    let word = &text[span.clone()];
    if let Some(sign) = language.operators.iter().find(|sign| sign.text() == word) {
        return Ok(Token::Operator(*sign));
    }
    let end = span.end;
    match Diagnostic::of_long_name(word, span) {
        Some(long) => Err(long),
        None if text[end..].trim_start().starts_with('(') => Ok(Token::Function),
        None => Ok(Token::Name),
    }
}

/// Returns the longest operator, parenthesis or comma at the beginning of this text, and its length in bytes.
fn operator(language: &Language, text: &str, after_value: bool) -> Option<(Token, usize)> {
    let single = match text.as_bytes().first()? {
        b'(' => Some(Token::Open),
        b')' => Some(Token::Close),
        b',' => Some(Token::Comma),
        b'-' if !after_value => Some(Token::Minus),
        _ => None,
    };
    let here = language
        .operators
        .iter()
        .filter(|sign| text.starts_with(sign.text()));
    let longest = || here.max_by_key(|sign| sign.text().len());
    single
        .map(|token| (token, 1))
        .or_else(|| longest().map(|sign| (Token::Operator(*sign), sign.text().len())))
}

/// Returns the mistake for a character that is not allowed.
fn stray(language: &Language, at: usize, letter: char) -> Diagnostic {
    let tensors = language.operators.contains(&BinaryOperator::Product);
    let (why, fix) = match letter {
        '·' | '×' | '∗' if tensors => (
            "write * for element by element, @ for the matrix product",
            Some("*"),
        ),
        '·' | '×' | '∗' => ("write the product as *", Some("*")),
        '−' | '–' => ("write the minus sign as -", Some("-")),
        '^' if tensors => ("write x * x for a square, sqrt(x) for a root", None),
        _ => (language.made_of, None),
    };
    let what = message!(
        "problem-character-not-allowed",
        letter = letter.to_string(),
        any = language.any()
    );
    Diagnostic {
        fix: fix.map(str::to_owned),
        ..Diagnostic::new(at..at + letter.len_utf8(), what).because(why)
    }
}
