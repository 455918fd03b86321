//! Classifies the pieces of a plugin's text for syntax colours and completion in an editor. TOML is read by its own
//! lexer, which accepts invalid text, and equations by their scanner, so that incomplete texts are classified, too.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::equation::LANGUAGE;
use super::parse::{MAX_BYTES, MAX_PARAMETERS};
use crate::expression::{HighlightKind, highlight};

/// Largest depth of nested inline tables in paths.
const MAX_DEPTH: usize = 8;
/// Largest number of characters of a name in paths.
const MAX_NAME_LENGTH: usize = 200;

/// The class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A comment, from `#` on.
    Comment,
    /// The head of a table.
    Table,
    /// A key, before `=`.
    Key,
    /// A string in quotes.
    Text,
    /// A value without quotes, such as a number.
    Value,
    /// A piece of an equation or of a shape.
    Equation(HighlightKind),
}

/// A classified piece of a plugin's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedSpan {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// Its class.
    pub mark: Mark,
    /// The table and key of a value, separated by dots: "parameters.down.shape".
    pub path: String,
}

/// Returns the pieces of a text in order; empty if the text is too long for a plugin.
pub fn marks(text: &str) -> Vec<MarkedSpan> {
    let mut reader = Reader::default();
    if text.len() <= MAX_BYTES {
        for token in Source::new(text).lex() {
            reader.process_token(text, token.kind(), token.span().start()..token.span().end());
        }
    }
    reader.marks
}

/// Returns the names of the parameters that a text declares, even if it has errors.
pub fn declared_parameters(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for marked in marks(text) {
        let head = marked.path.strip_prefix("parameters");
        let name = match (marked.mark, head) {
            (Mark::Key, Some("")) => &text[marked.span.clone()],
            (_, Some(rest)) => rest.trim_start_matches('.').split('.').next().unwrap_or(""),
            _ => continue,
        };
        if names.len() < MAX_PARAMETERS
            && !name.is_empty()
            && names.iter().all(|known| known != name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[derive(Default)]
struct Reader {
    marks: Vec<MarkedSpan>,
    /// The name of the current table.
    table: String,
    /// The keys of the current value, outermost first: one for each open inline table.
    keys: Vec<String>,
    /// The open brackets within the current value.
    depth: Vec<u8>,
    /// Whether the position is after `=`, within a value.
    in_value: bool,
    /// Start of the table head that is being read, if any.
    head: Option<usize>,
}

impl Reader {
    fn process_token(&mut self, text: &str, kind: TokenKind, span: Range<usize>) {
        if let Some(start) = self.head {
            match kind {
                TokenKind::Newline | TokenKind::Comment | TokenKind::Eof => {
                    self.end_head(text, start..span.start);
                }
                _ => return,
            }
        }
        match kind {
            TokenKind::Comment => self.mark(span, Mark::Comment),
            TokenKind::Newline if self.depth.is_empty() => {
                self.in_value = false;
                self.keys.clear();
            }
            TokenKind::LeftSquareBracket if !self.in_value => self.head = Some(span.start),
            TokenKind::LeftSquareBracket => self.depth.push(b'['),
            TokenKind::LeftCurlyBracket => {
                self.depth.push(b'{');
                self.in_value = false;
            }
            TokenKind::RightSquareBracket => drop(self.depth.pop()),
            TokenKind::RightCurlyBracket => {
                self.depth.pop();
                self.keys.truncate(self.depth.len() + 1);
                self.in_value = true;
            }
            TokenKind::Comma if self.depth.last() == Some(&b'{') => self.in_value = false,
            TokenKind::Equals => self.in_value = true,
            TokenKind::Atom
            | TokenKind::BasicString
            | TokenKind::LiteralString
            | TokenKind::MlBasicString
            | TokenKind::MlLiteralString => self.process_literal(text, kind, span),
            _ => {}
        }
    }

    fn end_head(&mut self, text: &str, span: Range<usize>) {
        self.head = None;
        let head = text[span.clone()].trim();
        let name = head.trim_matches(['[', ']', ' ', '\t']);
        let letters = name.chars().filter(|letter| *letter != '"');
        self.table = letters.take(MAX_NAME_LENGTH).collect();
        self.keys.clear();
        self.depth.clear();
        self.in_value = false;
        self.mark(span.start..span.start + head.len(), Mark::Table);
    }

    fn process_literal(&mut self, text: &str, kind: TokenKind, span: Range<usize>) {
        if !self.in_value {
            let level = self.depth.len();
            self.keys.truncate(level);
            self.mark(span.clone(), Mark::Key);
            if level < MAX_DEPTH {
                let name = text[span].trim_matches('"');
                self.keys.push(name.chars().take(MAX_NAME_LENGTH).collect());
            }
            return;
        }
        if kind == TokenKind::Atom {
            return self.mark(span, Mark::Value);
        }
        let quotes = match kind {
            TokenKind::MlBasicString | TokenKind::MlLiteralString => 3,
            _ => 1,
        };
        if !self.is_equation() {
            return self.mark(span, Mark::Text);
        }
        let literal = &text[span.clone()];
        let quote = &literal[..quotes.min(literal.len())];
        let inner = literal.get(quotes..).unwrap_or_default();
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        let start = span.start + quotes.min(literal.len());
        self.mark(span.start..start, Mark::Text);
        for (piece, class) in highlight(&LANGUAGE, inner) {
            self.mark(start + piece.start..start + piece.end, Mark::Equation(class));
        }
        self.mark(start + inner.len()..span.end, Mark::Text);
    }

    /// Returns whether the next value is an equation or an entry of a shape.
    fn is_equation(&self) -> bool {
        let table = &self.table;
        let mut parts = table.split('.').chain(self.keys.iter().map(String::as_str));
        parts.any(|part| part == "equations" || part == "shape")
    }

    fn mark(&mut self, span: Range<usize>, mark: Mark) {
        if span.is_empty() {
            return;
        }
        let mut path = self.table.clone();
        for key in &self.keys {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
        }
        self.marks.push(MarkedSpan { span, mark, path });
    }
}
