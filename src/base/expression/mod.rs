//! The expression language of plugin equations and lesson formulas. Text is split into tokens (`scan`), which are
//! parsed into a tree whose nodes store their position (`parse`, `tree`); errors are [`Diagnostic`]s.
//!
//! ```text
//! expression = operand { sign operand }       loosest first: or | and | < <= > >= | + - | * / @
//! operand    = { "-" } ( number | name | name "(" expression { "," expression } ")" | "(" expression ")" )
//! ```
//!
//! Operators of equal precedence are left-associative. The meaning of names and functions is defined by the users of
//! the tree: `pet::equation` evaluates it over tensors, `session::lessons` over metrics of runs.

mod diagnostic;
mod parse;
mod scan;
mod tree;

pub use diagnostic::Diagnostic;
pub use parse::parse;
pub use scan::{HighlightKind, highlight};
pub use tree::{BinaryOperator, Expr, NodeKind};

use crate::texts::{Message, list_id};

/// What distinguishes the two uses of the language.
#[derive(Debug)]
pub struct Language {
    /// What messages call a text: "the equation".
    pub definite_name: &'static str,
    /// The same name with the indefinite article: "an equation".
    pub indefinite_name: &'static str,
    /// The binary operators.
    pub operators: &'static [BinaryOperator],
    /// Maximum number of characters of a text.
    pub max_chars: usize,
    /// Maximum number of names, numbers and operators of a text, which also limits the depth of the tree.
    pub max_tokens: usize,
    /// Advice for a text that is too long or nested too deeply.
    pub shorten_advice: &'static str,
    /// Advice that lists what a text consists of.
    pub content_advice: &'static str,
}

impl Language {
    /// Returns the name of a text in messages.
    fn definite_name_message(&self) -> Message {
        Message::with_english(list_id("called", self.definite_name, "is"), self.definite_name)
    }

    /// Returns that name with the indefinite article.
    fn indefinite_name_message(&self) -> Message {
        Message::with_english(list_id("called", self.indefinite_name, "in"), self.indefinite_name)
    }
}

/// Maximum nesting of parentheses.
pub(crate) const MAX_DEPTH: usize = 24;
