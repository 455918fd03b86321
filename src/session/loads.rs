//! Data that a page shows and that must be read or computed first. A page only looks data up in the session, because it
//! cannot change the session. Missing data is returned as a [`Load`], which is executed after the frame.

use super::Session;
use crate::data::OpenOptions;

/// A request for data that a page shows. It does nothing if the data was requested in the meantime.
pub type Load = Box<dyn FnOnce(&mut Session)>;

/// The result of looking up data.
pub enum Lookup<T> {
    /// The value.
    Found(T),
    /// Not available: it is being loaded, or there is nothing to load.
    Absent,
    /// Not requested yet.
    Unread(Load),
}

impl<T> Lookup<T> {
    /// Returns a value that `load` requests.
    pub(super) fn unread(load: impl FnOnce(&mut Session) + 'static) -> Self {
        Self::Unread(Box::new(load))
    }

    /// Returns the value if it is available; otherwise calls `ask` with the request if it is not requested yet.
    pub fn or_ask(self, ask: impl FnOnce(Load)) -> Option<T> {
        match self {
            Self::Found(thing) => return Some(thing),
            Self::Absent => {}
            Self::Unread(load) => ask(load),
        }
        None
    }

    /// Looks up a second value that depends on this value.
    pub fn and_then<U>(self, look_up: impl FnOnce(T) -> Lookup<U>) -> Lookup<U> {
        match self {
            Self::Found(thing) => look_up(thing),
            Self::Absent => Lookup::Absent,
            Self::Unread(load) => Lookup::Unread(load),
        }
    }
}

/// A request to open a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct DataAsk {
    /// Its name or path in the settings.
    pub place: String,
    /// Its splits and limits.
    pub options: OpenOptions,
    /// Whether its files are read again even if they were read before.
    pub fresh: bool,
}

impl DataAsk {
    /// Returns the key of the result.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.place, self.options)
    }
}

impl Session {
    /// Returns the value if it is available; otherwise requests it if needed.
    pub fn look_up<T>(&mut self, found: Lookup<T>) -> Option<T> {
        found.or_ask(|load| load(self))
    }
}
