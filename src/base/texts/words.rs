//! Texts that are stored in English together with their message, so that the code that shows them can translate them.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::Language;
use super::message::{Message, Value};

/// An English text with its message, if it has one. It is serialised as the message if there is one, otherwise as
/// text. Two are equal if their English texts are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "StoredWords", into = "StoredWords")]
pub struct Words {
    /// The English text.
    pub english: String,
    /// The message that translates it.
    pub message: Option<Message>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredWords {
    Text(String),
    Message(Message),
}

impl From<Words> for StoredWords {
    fn from(words: Words) -> Self {
        match words.message {
            Some(message) => Self::Message(message),
            None => Self::Text(words.english),
        }
    }
}

impl From<StoredWords> for Words {
    fn from(stored: StoredWords) -> Self {
        match stored {
            StoredWords::Text(text) => text.into(),
            StoredWords::Message(message) => message.into(),
        }
    }
}

impl Words {
    /// Returns a copy in which one name is replaced by another.
    #[must_use]
    pub fn replace_name(&self, name: &str, replacement: &str) -> Self {
        match &self.message {
            Some(message) => message.replace_name(name, replacement).into(),
            None => self.english.replace(name, replacement).into(),
        }
    }

    /// Returns the text in the language of this thread.
    pub fn translated(&self) -> String {
        match (&self.message, Language::spoken()) {
            (None, _) | (_, Language::English) => self.english.clone(),
            (Some(message), _) => message.translated(),
        }
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.english == other.english
    }
}

impl Eq for Words {}

impl PartialEq<&str> for Words {
    fn eq(&self, other: &&str) -> bool {
        self.english == *other
    }
}

impl fmt::Display for Words {
    /// Writes the English text, as on the command line and in files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl From<Message> for Words {
    fn from(message: Message) -> Self {
        Self { english: message.english(), message: Some(message) }
    }
}

impl From<Words> for Value {
    fn from(words: Words) -> Self {
        match words.message {
            Some(message) => message.into(),
            None => words.english.into(),
        }
    }
}

macro_rules! made_from {
    ($($text:ty),+) => {$(
        impl From<$text> for Words {
            fn from(text: $text) -> Self {
                Self { english: text.into(), message: None }
            }
        }
    )+};
}

made_from!(&str, String, &String, Cow<'_, str>);

/// Returns all texts in the language of this thread, joined by `separator`.
pub fn join_translated(texts: &[Words], separator: &str) -> String {
    let texts: Vec<String> = texts.iter().map(Words::translated).collect();
    texts.join(separator)
}

/// Serialises the English texts, for files that users and scripts read.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn all_in_english<S: Serializer>(texts: &[Words], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(texts.iter().map(|words| &words.english))
}

/// The messages of two sentences that are stored in English; ignored when the sentences are compared.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Messages(Option<Box<[Option<Message>; 2]>>);

impl Messages {
    /// Returns whether neither sentence has a message.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Stores the message of the first (0) or second (1) sentence, and returns its English text.
    pub fn store(&mut self, at: usize, words: impl Into<Words>) -> String {
        let Words { english, message } = words.into();
        if message.is_some() || self.0.is_some() {
            self.0.get_or_insert_default()[at] = message;
        }
        english
    }

    /// Returns whether the sentence is the message with this id.
    pub fn is(&self, at: usize, id: &str) -> bool {
        let message = self.0.as_ref().and_then(|both| both[at].as_ref());
        message.is_some_and(|message| message.is(id))
    }

    /// Returns whether a sentence is the message with this id, or has it as a value.
    pub fn mentions(&self, id: &str) -> bool {
        let mut messages = self.0.iter().flat_map(|both| both.iter().flatten());
        messages.any(|message| message.mentions(id))
    }

    /// Returns the sentence with its message.
    pub fn text(&self, at: usize, english: &str) -> Words {
        let stored = self.0.as_ref().and_then(|both| both[at].as_ref());
        // If the sentence was changed later, its message no longer matches.
        let message = stored.filter(|message| message.english() == english);
        Words { english: english.into(), message: message.cloned() }
    }

    /// Returns the sentence in the language of this thread.
    pub fn translated(&self, at: usize, english: &str) -> String {
        let message = match Language::spoken() {
            Language::English => None,
            _ => self.text(at, english).message,
        };
        message.map_or_else(|| english.into(), |message| message.translated())
    }
}

impl PartialEq for Messages {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Messages {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message;

    #[test]
    fn roundtrips_words_and_saves_english_text() {
        let drawn = message!("count-images", n = 1234_usize);
        let words: Words = message!("remark-and-more", first = drawn, more = "x").into();
        let sent = serde_json::to_string(&[words.clone(), "plain".into()]).unwrap();
        let received: Vec<Words> = serde_json::from_str(&sent).unwrap();
        assert_eq!(received, [words, "plain".into()]);
        assert!(received[0].message.is_some() && received[1].message.is_none());
        assert_eq!(received[0].english, "1,234 images x");
        Language::German.speak();
        assert_eq!(received[0].translated(), "1.234 Bilder x");
        assert_eq!(received[1].translated(), "plain");
        Language::English.speak();
        let mut file = Vec::new();
        all_in_english(&received, &mut serde_json::Serializer::new(&mut file)).unwrap();
        assert_eq!(file, br#"["1,234 images x","plain"]"#);
    }
}
