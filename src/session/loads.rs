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

    /// Returns the value if it is available; otherwise calls `request` with the request if it is not requested yet.
    pub fn or_request(self, request: impl FnOnce(Load)) -> Option<T> {
        match self {
            Self::Found(value) => return Some(value),
            Self::Absent => {}
            Self::Unread(load) => request(load),
        }
        None
    }

    /// Looks up a second value that depends on this value.
    pub fn and_then<U>(self, look_up: impl FnOnce(T) -> Lookup<U>) -> Lookup<U> {
        match self {
            Self::Found(value) => look_up(value),
            Self::Absent => Lookup::Absent,
            Self::Unread(load) => Lookup::Unread(load),
        }
    }
}

/// A request to open a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct DataRequest {
    /// Its name or path in the settings.
    pub location: String,
    /// Its splits and limits.
    pub options: OpenOptions,
    /// Whether its files are read again even if they were read before.
    pub reload: bool,
}

impl DataRequest {
    /// Returns the key of the result.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.location, self.options)
    }
}

impl Session {
    /// Returns the value if it is available; otherwise requests it if needed.
    pub fn look_up<T>(&mut self, lookup: Lookup<T>) -> Option<T> {
        lookup.or_request(|load| load(self))
    }
}
