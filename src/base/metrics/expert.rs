//! The experts of a method, each of which predicts classes, and values by expert.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Mutex;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sync::lock;
use crate::texts::translate_entry;

/// A classifier of a method. A method declares its experts in display order; the predictions of the last one are
/// those of the run. Files, JSON and tables use its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expert {
    key: &'static str,
    title: &'static str,
}

impl Default for Expert {
    fn default() -> Self {
        Self::ENSEMBLE
    }
}

impl Expert {
    /// The PET that is trained (LAE).
    pub const ONLINE: Self = Self::new("online", "Online");
    /// The exponential moving average of the online PET (LAE).
    pub const OFFLINE: Self = Self::new("offline", "Offline");
    /// The element-wise maximum of both softmaxes (LAE).
    pub const ENSEMBLE: Self = Self::new("ensemble", "Ensemble");
    /// The only expert of a method that has no others.
    pub const ANSWER: Self = Self::new("answer", "Answer");
    /// The experts of such a method.
    pub const SINGLE: &'static [Self] = &[Self::ANSWER];
    /// The experts of file format 1: every table has their columns, even if empty, and files with their keys can
    /// always be read.
    pub const FORMAT_1: [Self; 4] = [Self::ONLINE, Self::OFFLINE, Self::ENSEMBLE, Self::ANSWER];

    /// Declares an expert. Its key has at most 32 lower-case letters, digits and `_`; its title is the same word with
    /// a capital letter.
    pub const fn new(key: &'static str, title: &'static str) -> Self {
        Self { key, title }
    }

    /// Returns the title for headings, in the language of this thread.
    pub fn title(self) -> &'static str {
        translate_entry("expert", self.key, "title", self.title)
    }

    /// Returns the key, as used in lists and files.
    pub fn key(self) -> &'static str {
        self.key
    }

    /// Returns the expert with this key, which need not belong to a method of this version; `None` if the text is not
    /// a valid key.
    pub fn from_key(key: &str) -> Option<Self> {
        /// Experts that occurred in files; their names are leaked once each.
        static READ: Mutex<Vec<Expert>> = Mutex::new(Vec::new());
        /// Maximum length of a key.
        const MAX_LEN: usize = 32;
        /// Maximum number of keys that files can add.
        const MAX_KEYS: usize = 1000;

        if let Some(known) = Self::FORMAT_1.into_iter().find(|known| known.key == key) {
            return Some(known);
        }
        let is_key_char = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if key.is_empty() || key.len() > MAX_LEN || !key.chars().all(is_key_char) {
            return None;
        }
        let mut read = lock(&READ);
        if let Some(known) = read.iter().find(|known| known.key == key) {
            return Some(*known);
        }
        (read.len() < MAX_KEYS).then(|| {
            let title = key[..1].to_ascii_uppercase() + &key[1..];
            let new = Self::new(key.to_owned().leak(), title.leak());
            read.push(new);
            new
        })
    }
}

impl Serialize for Expert {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key)
    }
}

impl<'de> Deserialize<'de> for Expert {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        Self::from_key(&key).ok_or_else(|| D::Error::custom("this is not the name of an expert"))
    }
}

/// Values by expert, in the order of insertion, which is that of their method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByExpert<T>(Vec<(Expert, T)>);

impl<T> Default for ByExpert<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByExpert<T> {
    /// Returns the value of an expert.
    pub fn get(&self, expert: &Expert) -> Option<&T> {
        let mut all = self.0.iter();
        all.find(|(other, _)| other == expert).map(|(_, value)| value)
    }

    /// Returns the value of an expert for modification.
    pub fn get_mut(&mut self, expert: &Expert) -> Option<&mut T> {
        let mut all = self.0.iter_mut();
        all.find(|(other, _)| other == expert).map(|(_, value)| value)
    }

    /// Returns whether an expert has a value.
    pub fn contains_key(&self, expert: &Expert) -> bool {
        self.get(expert).is_some()
    }

    /// Returns the value of an expert, and inserts `new()` if there is none.
    pub fn or_insert_with(&mut self, expert: Expert, new: impl FnOnce() -> T) -> &mut T {
        let at = self.0.iter().position(|(other, _)| *other == expert);
        let at = at.unwrap_or_else(|| {
            self.0.push((expert, new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// Returns the value of an expert, and inserts the default if there is none.
    pub fn or_default(&mut self, expert: Expert) -> &mut T
    where
        T: Default,
    {
        self.or_insert_with(expert, T::default)
    }

    /// Sets the value of an expert.
    pub fn insert(&mut self, expert: Expert, value: T) {
        match self.get_mut(&expert) {
            Some(existing) => *existing = value,
            None => self.0.push((expert, value)),
        }
    }

    /// Removes the value of an expert and returns it.
    pub fn remove(&mut self, expert: &Expert) -> Option<T> {
        let at = self.0.iter().position(|(other, _)| other == expert)?;
        Some(self.0.remove(at).1)
    }

    /// Returns the experts in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Expert> {
        self.0.iter().map(|(expert, _)| expert)
    }

    /// Returns the values in the order of their experts.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns the values for modification.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Returns experts and values in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Expert, T)> {
        self.0.iter()
    }

    /// Keeps only the values that satisfy `predicate`.
    pub fn retain(&mut self, predicate: impl Fn(&T) -> bool) {
        self.0.retain(|(_, value)| predicate(value));
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(Expert, T)> for ByExpert<T> {
    fn from_iter<I: IntoIterator<Item = (Expert, T)>>(all: I) -> Self {
        let mut result = Self::default();
        for (expert, value) in all {
            result.insert(expert, value);
        }
        result
    }
}

impl<T, const N: usize> From<[(Expert, T); N]> for ByExpert<T> {
    fn from(all: [(Expert, T); N]) -> Self {
        all.into_iter().collect()
    }
}

impl<T> IntoIterator for ByExpert<T> {
    type Item = (Expert, T);
    type IntoIter = std::vec::IntoIter<(Expert, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a ByExpert<T> {
    type Item = &'a (Expert, T);
    type IntoIter = std::slice::Iter<'a, (Expert, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Serialize> Serialize for ByExpert<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(expert, value)| (expert, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByExpert<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = ByExpert<T>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a value for each of some experts")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ByExpert<T>, M::Error> {
                let mut all = ByExpert::default();
                while let Some((expert, value)) = map.next_entry()? {
                    all.insert(expert, value);
                }
                Ok(all)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialises_experts_by_key_and_accepts_unknown_keys() {
        let text = r#"{"quick":1,"online":2,"answer":3}"#;
        let read: ByExpert<u8> = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let quick = Expert::from_key("quick").unwrap();
        assert_eq!(quick, Expert::new("quick", "Quick"));
        assert_eq!(read, [(quick, 1), (Expert::ONLINE, 2), (Expert::ANSWER, 3)].into());
        for wrong in ["", "Online", "a b", "é", &"a".repeat(33)] {
            assert_eq!(Expert::from_key(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn by_expert_preserves_insertion_order() {
        let mut all: ByExpert<u8> = [(Expert::OFFLINE, 1)].into();
        *all.or_default(Expert::ANSWER) += 4;
        all.insert(Expert::ONLINE, 2);
        all.insert(Expert::OFFLINE, 3);
        assert!(all.keys().eq(&[Expert::OFFLINE, Expert::ANSWER, Expert::ONLINE]));
        assert_eq!(all.remove(&Expert::ANSWER), Some(4));
        assert!(all.values().eq(&[3, 2]));
        assert_eq!(all.get(&Expert::ANSWER), None);
    }
}
