//! Messages: created where something happens, and translated where they are shown.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Language, Values};

/// A message with its values: `message!("data-empty", folder = name)`. Files and other processes get its id and values,
/// so that the code that shows it can translate it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    id: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(Cow<'static, str>, Value)>,
    /// Its English text, if that is defined in a list of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    english: Option<String>,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number that selects a plural form.
    Whole(i64),
    /// A measured number.
    Real(f64),
    /// A text that is not translated.
    Text(String),
    /// Another message.
    Message(Box<Message>),
}

/// Creates a [`Message`](crate::texts::Message) from an id and values, written as in [`tr!`](crate::tr).
#[macro_export]
macro_rules! message {
    ($id:expr $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::texts::Message::new($id)
            $(.with(stringify!($name), $crate::value_of!($name $(= $value)?)))*
    };
}

/// Returns the value of an argument of [`tr!`](crate::tr) or [`message!`](crate::message).
#[doc(hidden)]
#[macro_export]
macro_rules! value_of {
    ($name:ident) => {
        $name
    };
    ($name:ident = $value:expr) => {
        $value
    };
}

impl Message {
    /// Returns the message with this id.
    pub fn new(id: impl Into<Cow<'static, str>>) -> Self {
        Self { id: id.into(), values: Vec::new(), english: None }
    }

    /// Returns a message whose English text is defined in a list of the program.
    pub fn with_english(id: String, english: impl Into<String>) -> Self {
        Self { english: Some(english.into()), ..Self::new(id) }
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        // Messages are stored by the hundred thousand, mostly with one value, so spare capacity would waste memory.
        self.values.reserve_exact(1);
        self.values.push((name.into(), value.into()));
        self
    }

    /// Returns the message followed by another one, if there is one.
    #[must_use]
    pub fn followed_by(self, more: Option<Message>) -> Self {
        match more {
            Some(more) => Self::new("remark-and-more").with("first", self).with("more", more),
            None => self,
        }
    }

    /// Returns a copy in which this name is replaced, wherever it is a value.
    pub(super) fn replace_name(&self, name: &str, replacement: &str) -> Self {
        let replace_in = |value: &Value| match value {
            Value::Text(text) => Value::Text(text.replace(name, replacement)),
            Value::Message(inner) => {
                Value::Message(Box::new(inner.replace_name(name, replacement)))
            }
            number => number.clone(),
        };
        let values = self.values.iter();
        Self {
            values: values
                .map(|(key, value_in_message)| (key.clone(), replace_in(value_in_message)))
                .collect(),
            ..self.clone()
        }
    }

    /// Returns whether it has this id.
    pub fn is(&self, id: &str) -> bool {
        self.id == id
    }

    /// Returns whether it is the message with this id, or has it as a value.
    pub fn mentions(&self, id: &str) -> bool {
        let inside = |value: &Value| matches!(value, Value::Message(inner) if inner.mentions(id));
        self.is(id) || self.values.iter().any(|(_, value)| inside(value))
    }

    /// Returns the text in English.
    pub fn english(&self) -> String {
        self.translate(Language::English).unwrap_or_else(|| self.id.to_string())
    }

    /// Returns the text in the language of this thread, or in English if it is not translated.
    pub fn translated(&self) -> String {
        self.translate(Language::spoken()).unwrap_or_else(|| self.english())
    }

    /// Returns the text in this language; `None` if it or one of its values is not translated.
    pub fn translate(&self, language: Language) -> Option<String> {
        if let (Language::English, Some(english)) = (language, &self.english) {
            return Some(english.clone());
        }
        let mut values = Values::new();
        for (name, value) in &self.values {
            match value {
                Value::Whole(number) => values.set(name.as_ref(), *number),
                Value::Real(number) => values.set(name.as_ref(), *number),
                Value::Text(text) => values.set(name.as_ref(), text.as_str()),
                Value::Message(message) => values.set(name.as_ref(), message.translate(language)?),
            }
        }
        language.bundle().format(&self.id, &values)
    }
}

impl fmt::Display for Message {
    /// Writes the text in English, as on the command line and in files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english())
    }
}

macro_rules! made_from {
    ($($text:ty),+) => {$(
        impl From<$text> for Value {
            fn from(text: $text) -> Self {
                Self::Text(text.into())
            }
        }
    )+};
}

made_from!(&str, String, &String, Cow<'_, str>);

impl From<Message> for Value {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Whole(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_deserialised_messages() {
        let inner = Message::new("learn-title");
        let original = message!("tour-step", step = 2_usize, steps = inner);
        assert_eq!(original.english(), "Step 2 of Learn");
        let sent = serde_json::to_string(&original).unwrap_or_default();
        let received: Message = serde_json::from_str(&sent).unwrap_or_else(|_| Message::new(""));
        Language::German.speak();
        assert_eq!(received.translated(), "Schritt 2 von Lernen");
        let listed = Message::with_english("no-such-name".into(), "as it is");
        assert_eq!(listed.translated(), "as it is");
        Language::English.speak();
        assert!(!sent.contains("Step"), "{sent}");
    }
}
