//! One mistake in a text that somebody wrote: where, what, why, and what to write instead.

use std::ops::Range;

use crate::counts::counted;
use crate::message;
use crate::names::{guessed, is_long, too_long};
use crate::problem::{Problem, line_and_column};
use crate::texts::{Messages, Words};

/// Number of mistakes that are reported besides the first.
const MOST_TOLD: usize = 8;

/// One mistake, for an error message or a line under the text in an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Bytes of the text that it is about. It is reported at the first.
    pub span: Range<usize>,
    /// What is wrong, one sentence without a full stop.
    pub what: String,
    /// What is known or to be done about it; may be empty.
    pub why: String,
    /// What to write in place of the span, where that is known.
    pub fix: Option<String>,
    /// The messages of `what` and `why`, which are in English here.
    pub messages: Messages,
}

impl Diagnostic {
    /// A mistake without advice.
    pub fn new(span: Range<usize>, what: impl Into<Words>) -> Self {
        let mut messages = Messages::default();
        Self {
            span,
            what: messages.keep(0, what),
            why: String::new(),
            fix: None,
            messages,
        }
    }

    /// Says what is known or to be done about it.
    #[must_use]
    pub fn because(mut self, why: impl Into<Words>) -> Self {
        self.why = self.messages.keep(1, why);
        self
    }

    /// The same in the language of this thread.
    #[must_use]
    pub fn said(self) -> Self {
        Self {
            what: self.messages.said(0, &self.what),
            why: self.messages.said(1, &self.why),
            ..self
        }
    }

    /// Says what to write instead.
    #[must_use]
    pub fn suggest(mut self, by: impl Into<String>) -> Self {
        self.fix = Some(by.into());
        self
    }

    /// The known name that this one is a slip for, else the list of known ones.
    #[must_use]
    pub fn meant<'n>(self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        match guessed(name, known) {
            Ok(near) => self.suggest(near),
            Err(list) => self.because(list),
        }
    }

    /// The same where the span holds quotes.
    #[must_use]
    pub fn quoted(mut self) -> Self {
        self.fix = self.fix.map(|fix| format!("\"{fix}\""));
        self
    }

    /// A name with more letters than any; `None` for the others.
    pub fn of_long_name(name: &str, span: Range<usize>) -> Option<Self> {
        is_long(name).then(|| Self::new(span, too_long(name)))
    }

    /// What is wrong.
    pub fn words(&self) -> Words {
        self.messages.words(0, &self.what)
    }

    /// Advice for the user; may be empty.
    pub fn remedy(&self) -> Words {
        match &self.fix {
            Some(fix) if self.why.is_empty() => {
                message!("advice-did-you-mean", name = fix.trim_matches('"')).into()
            }
            _ => self.messages.words(1, &self.why),
        }
    }

    /// What is wrong with a text that is no TOML.
    pub fn not_toml(error: &toml::de::Error) -> String {
        let message: Vec<&str> = error.message().lines().map(str::trim).collect();
        format!("this is not valid TOML: {}", message.join(", "))
    }

    /// Mistakes in the text of a file as one Problem: the first, and after what to do about it the others. `origin` is
    /// where the text came from.
    #[track_caller]
    pub fn problem(text: &str, origin: &str, wrong: &[Self]) -> Problem {
        let Some((first, others)) = wrong.split_first() else {
            return Problem::new(message!("problem-not-readable")).at(origin);
        };
        let line = |wrong: &Self| {
            let (line, column) = line_and_column(text, wrong.span.start);
            format!("line {line}, column {column}")
        };
        let mut remedy = first.remedy();
        for other in others.iter().take(MOST_TOLD) {
            let gap = if remedy.english.is_empty() { "" } else { "; " };
            remedy.english += &format!("{gap}also {}: {}", line(other), other.what);
            let own = other.remedy().english;
            if !own.is_empty() {
                remedy.english += &format!(" ({own})");
            }
        }
        if others.len() > MOST_TOLD {
            let more = counted(others.len() - MOST_TOLD, "more mistake");
            remedy.english += &format!("; and {more}");
        }
        let place = format!("{origin}, {}", line(first));
        Problem::new(first.words()).at(place).advise(remedy)
    }
}
