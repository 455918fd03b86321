//! The text of a plugin file and the places of things in it: places for messages (file, line,
//! column), and typed reading of TOML values that keeps those places.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::Findings;
use crate::counts::counted;
use crate::expression::Diagnostic;
use crate::message;
use crate::problem::{Problem, line_and_column};

/// A plugin's exact text and where it came from.
#[derive(Clone, Debug)]
pub struct PluginText {
    /// File path, or "built in".
    pub origin: Arc<str>,
    /// The exact text.
    pub text: Arc<str>,
}

/// What a check gives, or the mistake it found.
pub type Checked<T> = Result<T, Diagnostic>;

/// Number of mistakes that are reported besides the first.
const MOST_TOLD: usize = 8;

/// A value with its place.
pub type Item<'a> = Spanned<DeValue<'a>>;

/// A table with the words that describe it in messages.
pub struct Table<'a> {
    /// For example "parameter `down`".
    pub what: String,
    /// The place of the table.
    pub span: Range<usize>,
    entries: &'a DeTable<'a>,
}

impl PluginText {
    /// A text and where it came from.
    pub fn new(text: &str, origin: &str) -> Self {
        Self {
            origin: origin.into(),
            text: text.into(),
        }
    }

    /// "adapter.toml, line 12, column 20" for a byte offset.
    pub fn place(&self, offset: usize) -> String {
        let (line, column) = line_and_column(&self.text, offset);
        format!("{}, line {line}, column {column}", self.origin)
    }

    /// A mistake as the user reads it.
    pub fn problem(&self, wrong: &Diagnostic) -> Problem {
        Problem::new(wrong.words())
            .at(self.place(wrong.span.start))
            .advise(wrong.remedy())
    }

    /// Several mistakes as one problem: the first, and after what to do about it the others, each
    /// with its place.
    pub fn problems(&self, wrong: &[Diagnostic]) -> Problem {
        let Some((first, others)) = wrong.split_first() else {
            return Problem::new(message!("problem-plugin-unusable")).at(&self.origin);
        };
        let mut problem = self.problem(first);
        for other in others.iter().take(MOST_TOLD) {
            let (line, column) = line_and_column(&self.text, other.span.start);
            let gap = match problem.remedy.chars().next_back() {
                None => "",
                Some('?') => " ",
                Some(_) => "; ",
            };
            let also = format!("{gap}also line {line}, column {column}: {}", other.what);
            problem.remedy.push_str(&also);
            let remedy = other.remedy().english;
            if !remedy.is_empty() {
                problem.remedy.push_str(&format!(" ({remedy})"));
            }
        }
        if others.len() > MOST_TOLD {
            let more = counted(others.len() - MOST_TOLD, "more mistake");
            problem.remedy.push_str(&format!("; and {more}"));
        }
        problem
    }

    /// Where the content of a string value begins, when the file shows it letter by letter (no
    /// escapes); an equation's columns can then be given in the file.
    pub fn content_start(&self, span: &Range<usize>, content: &str) -> Option<usize> {
        let raw = self.text.get(span.clone())?;
        let quotes = match raw.starts_with("\"\"\"") || raw.starts_with("'''") {
            true => 3,
            false => 1,
        };
        // A line break right after three quotes does not belong to the content.
        let first = raw.get(quotes..)?;
        let skipped = match first.starts_with(content) {
            true => 0,
            false => first.len() - first.trim_start_matches(['\r', '\n']).len(),
        };
        let start = quotes + skipped;
        raw.get(start..)?
            .starts_with(content)
            .then_some(span.start + start)
    }
}

impl<'a> Table<'a> {
    /// Wraps the whole document.
    pub fn document(root: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            what: "the plugin".to_owned(),
            span: 0..0,
            entries: root.get_ref(),
        }
    }

    /// The entries in the order of the file: name, its place, value.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, &'a Item<'a>)> {
        let entries: &'a DeTable<'a> = self.entries;
        entries
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Refuses names that are longer than any, here and in this number of levels of nested tables.
    pub fn short_names(&self, levels: usize) -> Checked<()> {
        for (key, span, item) in self.entries() {
            if let Some(long) = Diagnostic::of_long_name(key, span) {
                return Err(long);
            }
            if levels > 0 && item.get_ref().as_table().is_some() {
                self.as_table(item, String::new())?
                    .short_names(levels - 1)?;
            }
        }
        Ok(())
    }

    /// Finds keys that mean nothing here; whether there are none.
    pub(super) fn only(&self, known: &[&str], findings: &Findings) -> bool {
        let unknown = self.entries().filter(|(key, ..)| !known.contains(key));
        let mut fine = true;
        for (key, span, _) in unknown {
            fine = false;
            if findings.is_full() {
                break;
            }
            let what = format!("{} has no key `{key}`", self.what);
            findings.add(Diagnostic::new(span, what).meant(key, known.iter().copied()));
        }
        fine
    }

    /// A value that may be left out.
    pub fn get(&self, key: &str) -> Option<&'a Item<'a>> {
        self.entries()
            .find(|(name, ..)| *name == key)
            .map(|(.., value)| value)
    }

    /// A value that must be there.
    pub fn need(&self, key: &str) -> Checked<&'a Item<'a>> {
        self.get(key).ok_or_else(|| {
            let what = format!("{} needs the key `{key}`", self.what);
            Diagnostic::new(self.span.clone(), what)
        })
    }

    /// A string that may be left out.
    pub fn text(&self, key: &str) -> Checked<Option<&'a str>> {
        self.get(key)
            .map(|item| self.as_text(item, &format!("`{key}`")))
            .transpose()
    }

    /// A name that may be left out.
    pub fn name(&self, key: &str) -> Checked<Option<&'a str>> {
        self.get(key)
            .map(|item| self.as_name(item, &format!("`{key}`")))
            .transpose()
    }

    /// A whole number ≥ 0 that may be left out.
    pub fn count(&self, key: &str) -> Checked<Option<usize>> {
        self.get(key)
            .map(|item| self.as_count(item, &format!("`{key}`")))
            .transpose()
    }

    /// A yes or no; no when left out.
    pub fn flag(&self, key: &str) -> Checked<bool> {
        self.get(key).map_or(Ok(false), |item| {
            item.get_ref()
                .as_bool()
                .ok_or_else(|| self.wrong(item, &format!("`{key}`"), "true or false"))
        })
    }

    /// A table inside this one that may be left out.
    pub fn table(&self, key: &str, what: String) -> Checked<Option<Table<'a>>> {
        self.get(key)
            .map(|item| self.as_table(item, what))
            .transpose()
    }

    /// Reads an item as a table.
    pub fn as_table(&self, item: &'a Item<'a>, what: String) -> Checked<Table<'a>> {
        let entries = item
            .get_ref()
            .as_table()
            .ok_or_else(|| self.wrong(item, &what, "a table"))?;
        Ok(Table {
            what,
            span: item.span(),
            entries,
        })
    }

    /// Reads an item as a string.
    pub fn as_text(&self, item: &'a Item<'a>, what: &str) -> Checked<&'a str> {
        item.get_ref()
            .as_str()
            .ok_or_else(|| self.wrong(item, what, "a text in quotes"))
    }

    /// Reads an item as a name.
    pub fn as_name(&self, item: &'a Item<'a>, what: &str) -> Checked<&'a str> {
        let name = self.as_text(item, what)?;
        match Diagnostic::of_long_name(name, item.span()) {
            Some(long) => Err(long),
            None => Ok(name),
        }
    }

    /// Reads an item as a whole number ≥ 0.
    pub fn as_count(&self, item: &Item<'_>, what: &str) -> Checked<usize> {
        item.get_ref()
            .as_integer()
            .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
            .ok_or_else(|| self.wrong(item, what, "a whole number"))
    }

    /// Reads an item as a list.
    pub fn as_list(&self, item: &'a Item<'a>, what: &str) -> Checked<Vec<&'a Item<'a>>> {
        item.get_ref()
            .as_array()
            .map(|array| array.iter().collect())
            .ok_or_else(|| self.wrong(item, what, "a list in square brackets"))
    }

    fn wrong(&self, item: &Item<'_>, what: &str, wanted: &str) -> Diagnostic {
        let found = match item.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(number) => &format!("the number {}", number.as_str()),
            DeValue::Float(number) => &format!("the number {}", number.as_str()),
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let owner = match what.starts_with('`') {
            true => format!(" of {}", self.what),
            false => String::new(),
        };
        let what = format!("{what}{owner} must be {wanted}, not {found}");
        Diagnostic::new(item.span(), what)
    }
}
