//! Removes private data from the log: the user's home folder, paths, and names of classes and data.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Replaces a name.
const NAME: &str = "‹name›";
/// Replaces a path.
const PATH: &str = "‹path›";

/// The texts that are removed from every line.
#[derive(Debug, Default)]
pub struct Redactor {
    home: Option<String>,
    /// The longest first, because a name may begin with another one.
    names: BTreeSet<(Reverse<usize>, String)>,
}

impl Redactor {
    /// Creates a redactor that removes the user's home folder.
    pub fn for_current_user() -> Self {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
        Self {
            // The home folder of a service may be the root folder, with which every path begins.
            home: home.filter(|home| home.len() > 1),
            names: BTreeSet::new(),
        }
    }

    /// Adds names to remove. Single letters and numbers are not removed: they are not private, and without them no
    /// line would be readable.
    pub fn add<S: AsRef<str>>(&mut self, names: impl IntoIterator<Item = S>) {
        for name in names {
            let name = name.as_ref().trim();
            let is_private = name.chars().nth(1).is_some() && name.parse::<f64>().is_err();
            if is_private {
                self.names.insert((Reverse(name.len()), name.to_string()));
            }
        }
    }

    /// Returns the text without private data: the home folder becomes `~`; paths below it and other absolute paths
    /// become `‹path›`; names become `‹name›`.
    pub fn redact(&self, text: &str) -> String {
        // Paths are replaced first, because replacing a name inside a path would hide the start of the path.
        let is_path = |name: &&String| name.contains(['/', '\\']);
        let mut text = text.to_string();
        let names = || self.names.iter().map(|(_, name)| name);
        for path in names().filter(is_path) {
            text = replace_words(&text, path, PATH);
        }
        if let Some(home) = &self.home {
            text = text.replace(home, "~");
        }
        text = replace_paths(&text);
        for name in names().filter(|name| !is_path(name)) {
            text = replace_words(&text, name, NAME);
        }
        text
    }
}

/// Replaces a name wherever it is a whole word.
fn replace_words(text: &str, name: &str, replacement: &str) -> String {
    if !text.contains(name) {
        return text.to_string();
    }
    let is_word_char = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after_name) = (&rest[..at], &rest[at + name.len()..]);
        let last = before.chars().next_back().or(out.chars().next_back());
        out.push_str(before);
        let is_part_of_word = is_word_char(last) && is_word_char(name.chars().next())
            || is_word_char(after_name.chars().next()) && is_word_char(name.chars().next_back());
        out.push_str(if is_part_of_word { name } else { replacement });
        rest = after_name;
    }
    out + rest
}

/// Replaces absolute paths, and paths below the home folder, up to the next white space or quote.
fn replace_paths(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at_boundary = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let has_drive_colon = rest.get(1..3).is_some_and(|next| matches!(next, ":\\" | ":/"));
        let is_path_start = rest.starts_with("~/")
            || rest.starts_with("~\\")
            || rest.starts_with("\\\\")
            || (c == '/' && rest.chars().nth(1).is_some_and(char::is_alphanumeric))
            || (c.is_ascii_alphabetic() && has_drive_colon);
        if at_boundary && is_path_start {
            let end = rest.find(|c: char| c.is_whitespace() || "\"'`”’,;)".contains(c));
            let end = end.unwrap_or(rest.len());
            // A final colon or full stop is not part of the path.
            let end = rest[..end].trim_end_matches([':', '.']).len();
            out.push_str(PATH);
            rest = &rest[end..];
            at_boundary = false;
            continue;
        }
        at_boundary = !(c.is_alphanumeric() || "._-/".contains(c));
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Removes quoted parts of a text, because Problems quote what the user typed or named.
pub(super) fn redact_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '`', '“', '‘']) {
        let quote = rest[at..].chars().next().unwrap_or('"');
        let inner = &rest[at + quote.len_utf8()..];
        let closing = match quote {
            '“' => '”',
            '‘' => '’',
            same => same,
        };
        // A quote after a letter is an apostrophe.
        let is_opening = !rest[..at].ends_with(char::is_alphanumeric);
        let Some(end) = inner.find(closing).filter(|_| is_opening) else {
            out.push_str(&rest[..at + quote.len_utf8()]);
            rest = inner;
            continue;
        };
        out.push_str(&rest[..at]);
        out.push_str(NAME);
        rest = &inner[end + closing.len_utf8()..];
    }
    out + rest
}

/// Returns a position in the source for the log, without the folders of the build machine.
pub fn format_source_location(file: &str, line: u32) -> String {
    let file = file.replace('\\', "/");
    let after_last = |folder: &str| file.rsplit_once(folder).map(|(_, rest)| rest);
    let inner = after_last("/registry/src/").and_then(|rest| rest.split_once('/'));
    let short_path = match inner {
        Some((_, inner)) => inner,
        None => after_last("/library/").unwrap_or(&file),
    };
    format!("{short_path}:{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        let mut redactor = Redactor { home: Some("/home/ada".into()), names: BTreeSet::new() };
        redactor.add(["robin", "great", "great tit", "3", "x", "1e3", "rob", "home"]);
        redactor.add(["/srv/my", "/srv/my birds"]);
        redactor
    }

    #[test]
    fn redacts_home_folders_paths_and_names() {
        let redactor = redactor();
        for (text, expected) in [
            ("could not read /home/ada/birds/robin/1.jpg: gone", "could not read ‹path›: gone"),
            ("/srv/my birds is gone", "‹path› is gone"),
            ("3 images of robin, great tit", "3 images of ‹name›, ‹name›"),
            ("robins and robinia stay, (rob) goes", "robins and robinia stay, (‹name›) goes"),
            ("in \"/media/stick\" and 'C:\\data\\x'", "in \"‹path›\" and '‹path›'"),
            ("212 images/s and/or 1 / 2", "212 images/s and/or 1 / 2"),
            ("https://example.org/a.bin", "https://example.org/a.bin"),
            ("\\\\server\\share", "‹path›"),
            ("src/engine.rs:3", "src/engine.rs:3"),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
    }

    #[test]
    fn redacts_quoted_text_but_not_apostrophes() {
        for (text, expected) in [
            ("\"a b\" could be 'c' or `d`", "‹name› could be ‹name› or ‹name›"),
            ("the card's driver isn't “new”", "the card's driver isn't ‹name›"),
            ("an open \" stays", "an open \" stays"),
        ] {
            assert_eq!(redact_quoted(text), expected);
        }
    }

    #[test]
    fn source_locations_omit_machine_paths() {
        let cases = [
            ("/home/ada/.cargo/registry/src/index-123/wgpu-30/src/lib.rs", "wgpu-30/src/lib.rs:7"),
            ("/rustc/abc/library/core/src/option.rs", "core/src/option.rs:7"),
            ("src\\engine.rs", "src/engine.rs:7"),
        ];
        for (file, expected) in cases {
            assert_eq!(format_source_location(file, 7), expected);
        }
    }
}
