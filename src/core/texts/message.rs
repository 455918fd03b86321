//! A message that is made where something happens and said where a person reads it, in the language of that place.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Language, Values};

/// A message with its values: `message!("data-empty", folder = name)`. In files and between processes it is its name
/// and its values, so that whoever shows it can say it in another language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    id: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(Cow<'static, str>, Value)>,
    /// What it says in English, for one whose English stands in a list of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    english: Option<String>,
}

/// What fills a place of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number that is counted.
    Whole(i64),
    /// A text that no language changes.
    Text(String),
    /// Another message.
    Message(Message),
}

/// A message to be kept and said later: see [`Message`](crate::texts::Message).
#[macro_export]
macro_rules! message {
    ($id:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::texts::Message::new($id)$(.with(stringify!($name), $value))*
    };
}

impl Message {
    /// The message of this name.
    pub fn new(id: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            values: Vec::new(),
            english: None,
        }
    }

    /// One whose English stands in a list of the program.
    pub fn of_list(id: String, english: impl Into<String>) -> Self {
        Self {
            english: Some(english.into()),
            ..Self::new(id)
        }
    }

    /// The same with a place filled.
    #[must_use]
    pub fn with(mut self, place: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((place.into(), value.into()));
        self
    }

    /// What it says in English.
    pub fn english(&self) -> String {
        self.told(Language::English)
            .unwrap_or_else(|| self.id.to_string())
    }

    /// What it says in the language of this thread, or in English where that lacks it.
    pub fn said(&self) -> String {
        self.told(Language::spoken())
            .unwrap_or_else(|| self.english())
    }

    /// What it says in this language; none where that lacks it or one of its values.
    pub fn told(&self, language: Language) -> Option<String> {
        if let (Language::English, Some(english)) = (language, &self.english) {
            return Some(english.clone());
        }
        let mut values = Values::new();
        for (place, value) in &self.values {
            match value {
                Value::Whole(number) => values.set(place.as_ref(), *number),
                Value::Text(text) => values.set(place.as_ref(), text.as_str()),
                Value::Message(message) => values.set(place.as_ref(), message.told(language)?),
            }
        }
        language.bundle().tell(&self.id, &values)
    }
}

impl fmt::Display for Message {
    /// What it says in English, as the command line and files have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english())
    }
}

/// A text in English, and the message that it is, if it is one.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The text.
    pub english: String,
    /// The message.
    pub message: Option<Message>,
}

impl From<Message> for Words {
    fn from(message: Message) -> Self {
        Self {
            english: message.english(),
            message: Some(message),
        }
    }
}

/// The messages that two sentences are, which are kept in English: of no account when these are compared, as they tell.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Messages(Option<Box<[Option<Message>; 2]>>);

impl Messages {
    /// Whether neither is a message.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keeps what the first (0) or the second (1) sentence is, and gives it in English.
    pub fn keep(&mut self, at: usize, words: impl Into<Words>) -> String {
        let Words { english, message } = words.into();
        if message.is_some() || self.0.is_some() {
            self.0.get_or_insert_default()[at] = message;
        }
        english
    }

    /// Whether the sentence is the message of this name.
    pub fn is(&self, at: usize, id: &str) -> bool {
        let known = self.0.as_ref().and_then(|both| both[at].as_ref());
        known.is_some_and(|message| message.id == id)
    }

    /// The sentence with its message.
    pub fn words(&self, at: usize, english: &str) -> Words {
        let known = self.0.as_ref().and_then(|both| both[at].as_ref());
        // A sentence that was changed since is no longer what the message says.
        let message = known.filter(|message| message.english() == english);
        Words {
            english: english.into(),
            message: message.cloned(),
        }
    }

    /// The sentence in the language of this thread.
    pub fn said(&self, at: usize, english: &str) -> String {
        let message = match Language::spoken() {
            Language::English => None,
            _ => self.words(at, english).message,
        };
        message.map_or_else(|| english.into(), |message| message.said())
    }
}

impl PartialEq for Messages {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Messages {}

macro_rules! made_from {
    ($($text:ty),+) => {$(
        impl From<$text> for Words {
            fn from(text: $text) -> Self {
                Self { english: text.into(), message: None }
            }
        }

        impl From<$text> for Value {
            fn from(text: $text) -> Self {
                Self::Text(text.into())
            }
        }
    )+};
}

made_from!(&str, String, &String, Cow<'_, str>);

impl From<Words> for Value {
    fn from(words: Words) -> Self {
        match words.message {
            Some(message) => Self::Message(message),
            None => Self::Text(words.english),
        }
    }
}

impl From<Message> for Value {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Whole(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_travels_and_is_said_in_another_language() {
        let inner = Message::new("learn-title");
        let made = message!("tour-step", step = 2_usize, steps = inner);
        assert_eq!(made.english(), "Step 2 of Learn");
        let sent = serde_json::to_string(&made).unwrap_or_default();
        let come: Message = serde_json::from_str(&sent).unwrap_or_else(|_| Message::new(""));
        Language::German.speak();
        assert_eq!(come.said(), "Schritt 2 von Lernen");
        let listed = Message::of_list("no-such-name".into(), "as it is");
        assert_eq!(listed.said(), "as it is");
        Language::English.speak();
        assert!(!sent.contains("Step"), "{sent}");
    }
}
