//! The text of a plugin file and where things stand in it: places for messages (file, line,
//! column), typed reading of TOML values that keeps those places, and "did you mean".

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Problem, Result};

/// A name has at most so many letters; that of a large network with all its tags has 57.
pub const LONGEST_NAME: usize = 64;

/// Whether a name has more letters than any.
pub fn is_long(name: &str) -> bool {
    name.chars().nth(LONGEST_NAME).is_some()
}

/// A name from elsewhere as a sentence may hold it: one longer than any is cut.
pub fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// What is said of a name that is longer than any.
pub fn too_long(name: &str) -> String {
    let letters = name.chars().count();
    format!("a name here has {letters} letters; names have at most {LONGEST_NAME}")
}

/// A plugin's exact text and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// File path, or "built in".
    pub origin: Arc<str>,
    /// The exact text.
    pub text: Arc<str>,
}

/// A value with its place.
pub type Item<'a> = Spanned<DeValue<'a>>;

/// A table with the words that describe it in messages.
pub struct Table<'a> {
    source: &'a Source,
    /// For example "parameter `down`".
    pub what: String,
    /// Where the table begins.
    pub start: usize,
    entries: &'a DeTable<'a>,
}

impl Source {
    /// "adapter.toml, line 12, column 20" for a byte offset.
    pub fn place(&self, offset: usize) -> String {
        let (line, column) = self.line_column(offset);
        format!("{}, line {line}, column {column}", self.origin)
    }

    /// Line and column (in characters), both from 1.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// A problem at a byte offset.
    pub fn problem(&self, offset: usize, what: impl Into<String>) -> Problem {
        Problem::new(what).at(self.place(offset))
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
    pub fn document(source: &'a Source, root: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            source,
            what: "the plugin".to_owned(),
            start: 0,
            entries: root.get_ref(),
        }
    }

    /// The entries in the order of the file: name, its place, value.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, usize, &'a Item<'a>)> {
        let entries: &'a DeTable<'a> = self.entries;
        entries
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), key.span().start, value))
    }

    /// Refuses names that are longer than any, here and in so many levels of tables inside.
    pub fn short_names(&self, levels: usize) -> Result<()> {
        for (key, place, item) in self.entries() {
            if is_long(key) {
                return Err(self.source.problem(place, too_long(key)));
            }
            if levels > 0 && item.get_ref().as_table().is_some() {
                self.as_table(item, String::new())?
                    .short_names(levels - 1)?;
            }
        }
        Ok(())
    }

    /// Refuses keys that mean nothing here.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        for (key, place, _) in self.entries() {
            if !known.contains(&key) {
                let what = format!("{} has no key `{key}`", self.what);
                let known = known.iter().copied();
                return Err(meant(self.source.problem(place, what), key, known));
            }
        }
        Ok(())
    }

    /// A value that may be left out.
    pub fn get(&self, key: &str) -> Option<&'a Item<'a>> {
        self.entries()
            .find(|(name, ..)| *name == key)
            .map(|(.., value)| value)
    }

    /// A value that must be there.
    pub fn need(&self, key: &str) -> Result<&'a Item<'a>> {
        self.get(key).ok_or_else(|| {
            self.source
                .problem(self.start, format!("{} needs the key `{key}`", self.what))
        })
    }

    /// A string that may be left out.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.get(key)
            .map(|item| self.as_text(item, &format!("`{key}`")))
            .transpose()
    }

    /// A name that may be left out.
    pub fn name(&self, key: &str) -> Result<Option<&'a str>> {
        self.get(key)
            .map(|item| self.as_name(item, &format!("`{key}`")))
            .transpose()
    }

    /// A whole number ≥ 0 that may be left out.
    pub fn count(&self, key: &str) -> Result<Option<usize>> {
        self.get(key)
            .map(|item| self.as_count(item, &format!("`{key}`")))
            .transpose()
    }

    /// A yes or no; no when left out.
    pub fn flag(&self, key: &str) -> Result<bool> {
        self.get(key).map_or(Ok(false), |item| {
            item.get_ref()
                .as_bool()
                .ok_or_else(|| self.wrong(item, &format!("`{key}`"), "true or false"))
        })
    }

    /// A table inside this one that may be left out.
    pub fn table(&self, key: &str, what: String) -> Result<Option<Table<'a>>> {
        self.get(key)
            .map(|item| self.as_table(item, what))
            .transpose()
    }

    /// Reads an item as a table.
    pub fn as_table(&self, item: &'a Item<'a>, what: String) -> Result<Table<'a>> {
        let entries = item
            .get_ref()
            .as_table()
            .ok_or_else(|| self.wrong(item, &what, "a table"))?;
        Ok(Table {
            source: self.source,
            what,
            start: item.span().start,
            entries,
        })
    }

    /// Reads an item as a string.
    pub fn as_text(&self, item: &'a Item<'a>, what: &str) -> Result<&'a str> {
        item.get_ref()
            .as_str()
            .ok_or_else(|| self.wrong(item, what, "a text in quotes"))
    }

    /// Reads an item as a name.
    pub fn as_name(&self, item: &'a Item<'a>, what: &str) -> Result<&'a str> {
        let name = self.as_text(item, what)?;
        match is_long(name) {
            true => Err(self.source.problem(item.span().start, too_long(name))),
            false => Ok(name),
        }
    }

    /// Reads an item as a whole number ≥ 0.
    pub fn as_count(&self, item: &Item<'_>, what: &str) -> Result<usize> {
        item.get_ref()
            .as_integer()
            .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
            .ok_or_else(|| self.wrong(item, what, "a whole number"))
    }

    /// Reads an item as a list.
    pub fn as_list(&self, item: &'a Item<'a>, what: &str) -> Result<Vec<&'a Item<'a>>> {
        item.get_ref()
            .as_array()
            .map(|array| array.iter().collect())
            .ok_or_else(|| self.wrong(item, what, "a list in square brackets"))
    }

    fn wrong(&self, item: &Item<'_>, what: &str, wanted: &str) -> Problem {
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
        self.source.problem(
            item.span().start,
            format!("{what}{owner} must be {wanted}, not {found}"),
        )
    }
}

/// Adds "did you mean `x`?" when a known name is close, else the list of known names.
pub fn meant<'n>(
    problem: Problem,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Problem {
    let mut known: Vec<&str> = known.into_iter().collect();
    match closest(name, known.iter().copied()) {
        Some(near) => problem.advise(format!("did you mean `{near}`?")),
        None if known.is_empty() => problem.advise("leave it out: there is nothing to choose here"),
        None => {
            known.dedup();
            problem.advise(format!("known here: {}", known.join(", ")))
        }
    }
}

/// The known name with the fewest changed letters, if it is near enough to be a slip.
/// What a name has too many letters for is no name, so the work is bounded.
pub fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if is_long(name) {
        return None;
    }
    let most = (name.chars().count() / 3).max(1) + usize::from(name.len() > 1);
    known
        .filter(|candidate| !is_long(candidate))
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(far, candidate)| far <= most && far < candidate.chars().count())
        .min_by_key(|&(far, _)| far)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_long_ones_are_not_looked_at() {
        assert_eq!(
            closest("adpater", ["lora", "adapter"].into_iter()),
            Some("adapter")
        );
        assert_eq!(closest("x", ["adapter"].into_iter()), None);
        let long = "a".repeat(1 << 20);
        assert_eq!(closest(&long, [long.as_str()].into_iter()), None);
        assert_eq!(closest("aa", [long.as_str(), "ab"].into_iter()), Some("ab"));
        assert_eq!(shortened(&long).chars().count(), LONGEST_NAME + 1);
    }
}
