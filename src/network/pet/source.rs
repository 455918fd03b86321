//! The text of a plugin file, and typed reading of its TOML values that keeps their positions (file, line, column)
//! for messages.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::errors::Diagnostics;
use crate::expression::Diagnostic;
use crate::message;
use crate::problem::{Problem, line_and_column};
use crate::texts::Message;

/// A plugin's exact text and its origin.
#[derive(Clone, Debug)]
pub struct PluginText {
    /// File path, or "built in".
    pub origin: Arc<str>,
    /// The exact text.
    pub text: Arc<str>,
}

/// The result of a check, or the error found.
pub type Checked<T> = Result<T, Diagnostic>;

/// A value with its position.
pub type Item<'a> = Spanned<DeValue<'a>>;

/// A table with its description for messages.
pub struct Table<'a> {
    /// The description, for example "parameter `down`".
    pub what: Message,
    /// The position of the table.
    pub span: Range<usize>,
    entries: &'a DeTable<'a>,
}

impl PluginText {
    /// Creates a text with its origin.
    pub fn new(text: &str, origin: &str) -> Self {
        Self { origin: origin.into(), text: text.into() }
    }

    /// Returns the position of a byte as text: "adapter.toml, line 12, column 20".
    pub fn location(&self, offset: usize) -> String {
        let (line, column) = line_and_column(&self.text, offset);
        format!("{}, line {line}, column {column}", self.origin)
    }

    /// Converts an error to a Problem for the user.
    pub fn to_problem(&self, diagnostic: &Diagnostic) -> Problem {
        Problem::new(diagnostic.what_text())
            .at(self.location(diagnostic.span.start))
            .advise(diagnostic.remedy())
    }

    /// Converts several errors to a Problem: the first one, and after its remedy the others with their positions.
    pub fn to_problems(&self, diagnostics: &[Diagnostic]) -> Problem {
        let Some((first, others)) = diagnostics.split_first() else {
            return Problem::new(message!("problem-plugin-unusable")).at(&self.origin);
        };
        let mut problem = self.to_problem(first);
        let separator = |last| if last == '?' { " " } else { "; " };
        Diagnostic::append(&mut problem.remedy, &self.text, others, separator);
        problem
    }

    /// Returns the byte at which the content of a string value begins, so that columns of an equation can be given in
    /// the file. `None` if the value contains escapes, so that positions differ.
    pub fn content_start(&self, span: &Range<usize>, content: &str) -> Option<usize> {
        let raw = self.text.get(span.clone())?;
        let quotes = match raw.starts_with("\"\"\"") || raw.starts_with("'''") {
            true => 3,
            false => 1,
        };
        // In TOML, a line break right after three quotes is not part of the content.
        let first = raw.get(quotes..)?;
        let skipped = match first.starts_with(content) {
            true => 0,
            false => first.len() - first.trim_start_matches(['\r', '\n']).len(),
        };
        let start = quotes + skipped;
        raw.get(start..)?.starts_with(content).then_some(span.start + start)
    }
}

impl<'a> Table<'a> {
    /// Returns the table of the whole document.
    pub fn document(root: &'a Spanned<DeTable<'a>>) -> Self {
        Self { what: message!("plugin-part-plugin"), span: 0..0, entries: root.get_ref() }
    }

    /// Returns the entries in the order of the file: name, its position, value.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, &'a Item<'a>)> {
        let entries: &'a DeTable<'a> = self.entries;
        entries.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Returns an error for a name that is too long, in this table and in `levels` levels of nested tables.
    pub fn check_name_lengths(&self, levels: usize) -> Checked<()> {
        for (key, span, item) in self.entries() {
            if let Some(long) = Diagnostic::from_long_name(key, span) {
                return Err(long);
            }
            if levels > 0 && item.get_ref().as_table().is_some() {
                self.as_table(item, key_name(key))?.check_name_lengths(levels - 1)?;
            }
        }
        Ok(())
    }

    /// Reports unknown keys; returns whether there are none.
    pub(super) fn check_keys(&self, known: &[&str], findings: &Diagnostics) -> bool {
        let unknown = self.entries().filter(|(key, ..)| !known.contains(key));
        let mut is_valid = true;
        for (key, span, _) in unknown {
            is_valid = false;
            if findings.is_full() {
                break;
            }
            let message = message!("problem-plugin-key-unknown", owner = self.what.clone(), key);
            findings.add(Diagnostic::new(span, message).suggest_name(key, known.iter().copied()));
        }
        is_valid
    }

    /// Returns an optional value.
    pub fn get(&self, key: &str) -> Option<&'a Item<'a>> {
        self.entries().find(|(name, ..)| *name == key).map(|(.., value)| value)
    }

    /// Returns a required value, or an error if it is missing.
    pub fn require(&self, key: &str) -> Checked<&'a Item<'a>> {
        self.get(key).ok_or_else(|| {
            let message = message!("problem-plugin-key-missing", owner = self.what.clone(), key);
            Diagnostic::new(self.span.clone(), message)
        })
    }

    fn read<T>(
        &self,
        key: &str,
        read: impl Fn(&Self, &'a Item<'a>, Message) -> Checked<T>,
    ) -> Checked<Option<T>> {
        let value = self.get(key);
        value.map(|item| read(self, item, key_name(key))).transpose()
    }

    /// Returns an optional string.
    pub fn text(&self, key: &str) -> Checked<Option<&'a str>> {
        self.read(key, Self::as_text)
    }

    /// Returns the description; empty if it is missing.
    pub fn meaning(&self) -> Checked<String> {
        Ok(self.text("meaning")?.unwrap_or_default().to_owned())
    }

    /// Returns an optional name.
    pub fn name(&self, key: &str) -> Checked<Option<&'a str>> {
        self.read(key, Self::as_name)
    }

    /// Returns an optional integer ≥ 0.
    pub fn count(&self, key: &str) -> Checked<Option<usize>> {
        self.read(key, Self::as_count)
    }

    /// Returns an optional boolean; false if it is missing.
    pub fn flag(&self, key: &str) -> Checked<bool> {
        let flag = self.read(key, |table, item, what| {
            let flag = item.get_ref().as_bool();
            flag.ok_or_else(|| table.type_error(item, what, message!("plugin-value-flag")))
        });
        Ok(flag?.unwrap_or_default())
    }

    /// Returns an optional nested table.
    pub fn table(&self, key: &str, what: Message) -> Checked<Option<Table<'a>>> {
        self.get(key).map(|item| self.as_table(item, what)).transpose()
    }

    /// Reads an item as a table.
    pub fn as_table(&self, item: &'a Item<'a>, what: Message) -> Checked<Table<'a>> {
        let Some(entries) = item.get_ref().as_table() else {
            return Err(self.type_error(item, what, message!("plugin-value-table")));
        };
        Ok(Table { what, span: item.span(), entries })
    }

    /// Reads an item as a string.
    pub fn as_text(&self, item: &'a Item<'a>, what: Message) -> Checked<&'a str> {
        item.get_ref()
            .as_str()
            .ok_or_else(|| self.type_error(item, what, message!("plugin-value-quoted")))
    }

    /// Reads an item as a name.
    pub fn as_name(&self, item: &'a Item<'a>, what: Message) -> Checked<&'a str> {
        let name = self.as_text(item, what)?;
        match Diagnostic::from_long_name(name, item.span()) {
            Some(long) => Err(long),
            None => Ok(name),
        }
    }

    /// Reads an item as an integer ≥ 0.
    pub fn as_count(&self, item: &'a Item<'a>, what: Message) -> Checked<usize> {
        item.get_ref()
            .as_integer()
            .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
            .ok_or_else(|| self.type_error(item, what, message!("plugin-value-count")))
    }

    /// Reads an item as a list.
    pub fn as_list(&self, item: &'a Item<'a>, what: Message) -> Checked<Vec<&'a Item<'a>>> {
        item.get_ref()
            .as_array()
            .map(|array| array.iter().collect())
            .ok_or_else(|| self.type_error(item, what, message!("plugin-value-brackets")))
    }

    fn type_error(&self, item: &Item<'_>, what: Message, wanted: Message) -> Diagnostic {
        let number = |number: &str| message!("plugin-value-number", number);
        let found = match item.get_ref() {
            DeValue::String(_) => message!("plugin-value-text"),
            DeValue::Integer(found) => number(found.as_str()),
            DeValue::Float(found) => number(found.as_str()),
            DeValue::Boolean(_) => message!("plugin-value-flag"),
            DeValue::Datetime(_) => message!("plugin-value-date"),
            DeValue::Array(_) => message!("plugin-value-list"),
            DeValue::Table(_) => message!("plugin-value-table"),
        };
        let what = match what.is(KEY_NAME) {
            true => {
                let owner = self.what.clone();
                message!("problem-plugin-key-kind", key = what, owner, wanted, found)
            }
            false => message!("problem-plugin-value-kind", what, wanted, found),
        };
        Diagnostic::new(item.span(), what)
    }
}

/// The id of the message that describes a value by its key alone.
const KEY_NAME: &str = "plugin-part-key";

/// Returns the description of a value by its key alone.
pub(super) fn key_name(key: &str) -> Message {
    message!(KEY_NAME, key)
}
