//! Splits a text, even an incomplete one, into pieces for syntax highlighting in an editor.

use std::ops::Range;

use super::Language;
use super::scan::{Token, scan};

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
