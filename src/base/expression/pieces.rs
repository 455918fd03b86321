//! The pieces of a text and what they are, for the colours of an editor: also of one that is not finished.

use std::ops::Range;

use super::Language;
use super::scan::{Token, scan};

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Something with a name.
    Name,
    /// A function that is called.
    Function,
    /// A number.
    Number,
    /// A sign, a parenthesis, a comma.
    Sign,
}

/// The pieces of a text with their bytes, as far as it can be read.
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
            _ => Piece::Sign,
        };
        (span, piece)
    };
    found.unwrap_or_default().into_iter().map(piece).collect()
}
