//! Mistakes in a text that the user wrote: where, what, why, and what to write instead.

use std::ops::Range;

use crate::counts::count_with_noun;
use crate::message;
use crate::names::{is_too_long, suggest_name, too_long_message};
use crate::problem::{Problem, line_and_column};
use crate::texts::{Message, Messages, Words};

/// Maximum number of mistakes that are reported in addition to the first.
const MAX_OTHERS: usize = 8;

/// A mistake, for an error message or for a line under the text in an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte range of the mistake in the text; an error message gives the position of its start.
    pub span: Range<usize>,
    /// What is wrong, one sentence without a full stop.
    pub what: String,
    /// Explanation or advice; may be empty.
    pub why: String,
    /// Replacement for the span, if it is known.
    pub fix: Option<String>,
    /// The translatable messages of `what` and `why`, which contain the English text.
    pub messages: Messages,
}

impl Diagnostic {
    /// Number of mistakes that [`Diagnostic::problem`] describes; further ones are only counted.
    const MAX_DESCRIBED: usize = MAX_OTHERS + 1;

    /// Creates a mistake without advice.
    pub fn new(span: Range<usize>, what: impl Into<Words>) -> Self {
        let mut messages = Messages::default();
        Self { span, what: messages.store(0, what), why: String::new(), fix: None, messages }
    }

    /// Adds a mistake to those of a file. A mistake that is only counted has no text, because a file can have millions.
    pub fn push_limited(
        diagnostics: &mut Vec<Self>,
        span: Range<usize>,
        describe: impl FnOnce(Range<usize>) -> Self,
    ) {
        let diagnostic = match diagnostics.len() < Self::MAX_DESCRIBED {
            true => describe(span),
            false => Self::new(span, ""),
        };
        diagnostics.push(diagnostic);
    }

    /// Adds an explanation or advice.
    #[must_use]
    pub fn explain(mut self, why: impl Into<Words>) -> Self {
        self.why = self.messages.store(1, why);
        self
    }

    /// Returns the mistake translated to the language of this thread.
    #[must_use]
    pub fn translated(self) -> Self {
        Self {
            what: self.messages.translated(0, &self.what),
            why: self.messages.translated(1, &self.why),
            ..self
        }
    }

    /// Adds a replacement for the span.
    #[must_use]
    pub fn suggest(mut self, replacement: impl Into<String>) -> Self {
        self.fix = Some(replacement.into());
        self
    }

    /// Suggests the known name that is most similar to `name`; lists the known names if none is similar.
    #[must_use]
    pub fn suggest_name<'n>(self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        match suggest_name(name, known) {
            Ok(near) => self.suggest(near),
            Err(list) => self.explain(list),
        }
    }

    /// Puts the suggested replacement in quotes.
    #[must_use]
    pub fn quote_fix(mut self) -> Self {
        self.fix = self.fix.map(|fix| format!("\"{fix}\""));
        self
    }

    /// Returns the mistake of a name that is too long; `None` if its length is allowed.
    pub fn from_long_name(name: &str, span: Range<usize>) -> Option<Self> {
        is_too_long(name).then(|| Self::new(span, too_long_message(name)))
    }

    /// Returns what is wrong.
    pub fn what_text(&self) -> Words {
        self.messages.text(0, &self.what)
    }

    /// Returns advice for the user; may be empty.
    pub fn remedy(&self) -> Words {
        match &self.fix {
            Some(fix) if self.why.is_empty() => {
                message!("advice-did-you-mean", name = fix.trim_matches('"')).into()
            }
            _ => self.messages.text(1, &self.why),
        }
    }

    /// Returns what is wrong with a text that is not valid TOML.
    pub fn toml_message(error: &toml::de::Error) -> Message {
        let message: Vec<&str> = error.message().lines().map(str::trim).collect();
        message!("problem-toml-invalid", message = message.join(", "))
    }

    /// Combines the mistakes in a text to one Problem: the first is its main message, and the others follow the
    /// advice. `origin` is the place of the text.
    #[track_caller]
    pub fn problem(text: &str, origin: &str, diagnostics: &[Self]) -> Problem {
        let Some((first, others)) = diagnostics.split_first() else {
            return Problem::new(message!("problem-not-readable")).at(origin);
        };
        let mut remedy = first.remedy();
        Self::append(&mut remedy.english, text, others, |_| "; ");
        let place = format!("{origin}, {}", format_position(text, first));
        Problem::new(first.what_text()).at(place).advise(remedy)
    }

    /// Appends the first of several mistakes in a text to the remedy of another. `separator` returns the text to insert
    /// after the last character of a remedy that is not empty.
    pub fn append(
        remedy: &mut String,
        text: &str,
        others: &[Self],
        separator: fn(char) -> &'static str,
    ) {
        for other in others.iter().take(MAX_OTHERS) {
            let separator = remedy.chars().next_back().map_or("", separator);
            *remedy += &format!("{separator}also {}: {}", format_position(text, other), other.what);
            let other_remedy = other.remedy().english;
            if !other_remedy.is_empty() {
                *remedy += &format!(" ({other_remedy})");
            }
        }
        if others.len() > MAX_OTHERS {
            let more = count_with_noun(others.len() - MAX_OTHERS, "more error");
            *remedy += &format!("; and {more}");
        }
    }
}

/// Returns the position of a mistake in a text.
fn format_position(text: &str, diagnostic: &Diagnostic) -> String {
    let (line, column) = line_and_column(text, diagnostic.span.start);
    format!("line {line}, column {column}")
}
