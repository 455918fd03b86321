//! `Problem`: the one error type that users see. It says what happened, where, and what to try.
//!
//! Modules have their own error types only if a caller distinguishes them; every error that reaches the command line
//! or the window is a `Problem`. It is plain data (serde), so the engine can send it across threads and a run folder
//! can store it.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::texts::{Message, Messages, Value, Words, list_id};
use crate::tr;

/// Result of anything that can fail for a reason that users should know.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// An error message for users: what happened, where, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What happened, in one sentence without a full stop.
    pub what: String,
    /// File, line, tensor or option that identifies the place; may be empty.
    #[serde(default, rename = "where", skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// What the user can do about it; may be empty.
    #[serde(default, rename = "try", skip_serializing_if = "String::is_empty")]
    pub remedy: String,
    /// The translatable messages of these sentences, which are stored in English.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// Where in the source it was created, for the log.
    #[serde(skip)]
    pub origin: Origin,
}

/// A source location, which is ignored when Problems are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(Option<&'static Location<'static>>);

impl Origin {
    /// Returns file and line; a question mark for a Problem that was deserialised.
    pub fn location(self) -> String {
        let format_location =
            |l: &Location<'_>| format!("{}:{}", l.file().replace('\\', "/"), l.line());
        self.0.map_or_else(|| "?".into(), format_location)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Problem {
    /// Creates a Problem that only says what happened.
    #[track_caller]
    pub fn new(what: impl Into<Words>) -> Self {
        let mut messages = Messages::default();
        Self {
            what: messages.store(0, what),
            place: String::new(),
            remedy: String::new(),
            messages,
            origin: Origin(Some(Location::caller())),
        }
    }

    /// Sets the place: a file, an option, a line.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = place.to_string();
        self
    }

    /// Sets the place to a file or folder.
    #[must_use]
    pub fn at_path(self, path: impl AsRef<Path>) -> Self {
        let path_text = path.as_ref().display().to_string();
        self.at(path_text)
    }

    /// Sets the advice.
    #[must_use]
    pub fn advise(mut self, remedy: impl Into<Words>) -> Self {
        self.remedy = self.messages.store(1, remedy);
        self
    }

    /// Returns the Problem translated to the language of this thread, as far as it consists of messages.
    #[must_use]
    pub fn translated(&self) -> Self {
        Self {
            what: self.translated_what(),
            remedy: self.messages.translated(1, &self.remedy),
            ..self.clone()
        }
    }

    /// Wraps what happened in the message with this id, as its value `what`.
    #[must_use]
    pub fn context(mut self, id: &'static str) -> Self {
        let what: Value = self.what_text().into();
        self.what = self.messages.store(0, message!(id, what));
        self
    }

    /// Returns what happened, with its message.
    pub fn what_text(&self) -> Words {
        self.messages.text(0, &self.what)
    }

    /// Returns whether what happened is the message with this id.
    pub fn is(&self, id: &str) -> bool {
        self.messages.is(0, id)
    }

    /// Returns whether what happened or the remedy is the message with this id, or has it as a value.
    pub fn mentions(&self, id: &str) -> bool {
        self.messages.mentions(id)
    }

    /// Returns what happened in the language of this thread.
    pub fn translated_what(&self) -> String {
        self.messages.translated(0, &self.what)
    }

    /// Creates the Problem of a failed file operation: `doing` completes "could not …", for example "read the image".
    #[track_caller]
    pub fn io(doing: &str, path: impl AsRef<Path>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let remedy = match error.kind() {
            ErrorKind::NotFound => "advice-check-path",
            ErrorKind::PermissionDenied => "advice-check-permissions",
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "advice-free-disk-space"
            }
            ErrorKind::InvalidInput => "advice-choose-regular-file",
            ErrorKind::ReadOnlyFilesystem => "advice-choose-writable-folder",
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
                "advice-choose-other-path"
            }
            _ => "",
        };
        let english = format!("could not {doing}: {error}");
        let what = Message::with_english(list_id("io", doing, "failed"), english);
        let problem = Self::new(what.with("error", error.to_string())).at_path(path);
        match remedy {
            "" => problem,
            remedy => problem.advise(message!(remedy)),
        }
    }

    /// Creates a Problem that says what happened with the message of this id, whose value `error` is an error.
    #[track_caller]
    pub fn with_error(id: &'static str, error: &dyn fmt::Display) -> Self {
        Self::new(message!(id, error = error.to_string()))
    }

    /// Creates the Problem of a thread that could not be started.
    #[track_caller]
    pub fn thread_not_started(error: &std::io::Error) -> Self {
        Self::with_error("problem-thread-not-started", error)
    }
}

impl fmt::Display for Problem {
    /// Writes the paragraph that the command line prints: `problem: …`, `where: …`, `try: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "problem: {}", escape_for_terminal(&self.what))?;
        if !self.place.is_empty() {
            write!(f, "\nwhere: {}", escape_for_terminal(&self.place))?;
        }
        if !self.remedy.is_empty() {
            write!(f, "\ntry: {}", escape_for_terminal(&self.remedy))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// Returns whether a terminal interprets this character instead of showing it. Line breaks and tabs do not count.
pub fn is_terminal_control(c: char) -> bool {
    let is_bidirectional = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_bidirectional || (c.is_control() && c != '\n' && c != '\t')
}

/// Returns a text that is safe to print on a terminal. Names come from files, folders and archives of others, and
/// control characters in them could colour, erase or reverse the text; they are escaped as `\u{1b}`. Line breaks and
/// tabs remain.
pub fn escape_for_terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(is_terminal_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_terminal_control(c) {
            true => escaped.extend(c.escape_unicode()),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Joins names for a sentence: the first `max`, then "and N more".
pub fn join_some<S: AsRef<str>>(names: &[S], max: usize) -> String {
    let shown = join_names(names, max);
    match names.len().saturating_sub(max) {
        0 => shown,
        more => tr!("problem-and-more", names = shown, n = more),
    }
}

/// Returns a list of names as [`join_some`] does, as a value of a message.
pub fn list_value<S: AsRef<str>>(names: &[S], max: usize) -> Value {
    append_remaining(join_names(names, max).into(), names.len(), max)
}

/// Returns a list as [`list_value`] does, for texts that may be messages.
pub fn text_list_value(texts: &[Words], max: usize) -> Value {
    let mut shown = texts.iter().take(max).cloned().map(Value::from);
    let first = shown.next().unwrap_or_else(|| "".into());
    let joined = shown.fold(first, |first, rest| message!("remark-joined", first, rest).into());
    append_remaining(joined, texts.len(), max)
}

/// Adds how many items beyond the shown ones there are.
fn append_remaining(shown: Value, count: usize, max: usize) -> Value {
    match count.saturating_sub(max) {
        0 => shown,
        more => message!("problem-and-more", names = shown, n = more).into(),
    }
}

fn join_names<S: AsRef<str>>(names: &[S], max: usize) -> String {
    let shown: Vec<&str> = names.iter().take(max).map(AsRef::as_ref).collect();
    shown.join(", ")
}

/// Returns line and column (in characters), both from 1, of a byte offset.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;

    #[test]
    fn display_omits_empty_lines() {
        let full = Problem::new("no classes found").at("data/").advise("drop a folder");
        assert_eq!(full.to_string(), "problem: no classes found\nwhere: data/\ntry: drop a folder");
        assert_eq!(Problem::new("stopped").to_string(), "problem: stopped");
    }

    #[test]
    fn display_escapes_control_characters() {
        let named = Problem::new("no picture").at("a/\u{1b}[2J\r\u{202e}gnp.exe");
        let shown = named.to_string();
        assert!(shown.ends_with("a/\\u{1b}[2J\\u{d}\\u{202e}gnp.exe"), "{shown}");
        assert_eq!(escape_for_terminal("猫\tand é\n"), "猫\tand é\n");
    }

    #[test]
    fn translates_deserialised_problems() {
        let error = std::io::Error::from(std::io::ErrorKind::NotFound);
        let original = Problem::io("read the image", "a.png", &error);
        assert!(original.is("io-read-the-image-failed"));
        assert!(original.mentions("advice-check-path"));
        let sent = serde_json::to_string(&original).unwrap_or_default();
        let received: Problem = serde_json::from_str(&sent).unwrap_or_else(|_| Problem::new(""));
        assert_eq!(received, original);
        let changed = Problem { what: format!("{}; twice", received.what), ..received.clone() };
        Language::German.speak();
        assert!(received.translated().what.starts_with("das Bild "), "{:?}", received.translated());
        assert_ne!(received.translated().remedy, received.remedy);
        assert_eq!(changed.translated().what, changed.what);
        Language::English.speak();
        assert_eq!(received.translated(), original);
        let older = r#"{"what": "stopped"}"#;
        assert_eq!(serde_json::from_str(older).ok(), Some(Problem::new("stopped")));
    }

    #[test]
    fn join_some_truncates_after_count() {
        assert_eq!(join_some(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(join_some(&["a"], 2), "a");
    }
}
