//! The language that plugins' equations and lessons' formulas share. Text becomes tokens (`scan`), tokens a
//! tree whose every node knows its place (`parse`, `tree`), and what is wrong becomes [`Diagnostic`]s.
//!
//! ```text
//! expression = operand { sign operand }       loosest first: or | and | < <= > >= | + - | * / @
//! operand    = { "-" } ( number | name | name "(" expression { "," expression } ")" | "(" expression ")" )
//! ```
//!
//! Signs of one rank are taken from left to right. What names and functions mean, and what a tree comes
//! to, is said by those who read it: `pet::equation` over tensors, `session::units` over figures of runs.

mod diagnostic;
mod parse;
mod pieces;
mod scan;
mod tree;

pub use diagnostic::Diagnostic;
pub use parse::parse;
pub use pieces::{Piece, pieces};
pub use tree::{Expr, NodeKind, Sign};

use crate::texts::{Message, list_id};

/// What distinguishes one use of the language from another.
#[derive(Debug)]
pub struct Language {
    /// How messages call one text: "the equation".
    pub called: &'static str,
    /// And any of them: "an equation".
    pub any: &'static str,
    /// The operators between two values.
    pub signs: &'static [Sign],
    /// Most characters of one text.
    pub most_letters: usize,
    /// Most names, numbers and signs of one text; nothing in a tree is deeper.
    pub most_tokens: usize,
    /// What to do about a text that is too long or nests too deeply.
    pub shorter: &'static str,
    /// What a text is made of, as advice.
    pub made_of: &'static str,
}

impl Language {
    /// How messages call one text.
    fn called(&self) -> Message {
        Message::of_list(list_id("called", self.called, "is"), self.called)
    }

    /// And any of them.
    fn any(&self) -> Message {
        Message::of_list(list_id("called", self.any, "in"), self.any)
    }
}

/// Parentheses nest at most this deep.
pub(crate) const DEEPEST: usize = 24;
