//! How a field of the settings gives and takes the value of a setting.

use super::{Precision, Setting};

/// A field's type.
pub(super) trait Field: Clone {
    /// Its value; `None` if it is left out.
    fn value(&self) -> Option<Setting>;
    /// Takes a value over, in the range or not; false for one of another kind, which changes nothing.
    fn set_from(&mut self, value: Setting) -> bool;
}

/// Puts a value that was read, if one was.
fn put<T>(field: &mut T, read: Option<T>) -> bool {
    read.map(|value| *field = value).is_some()
}

impl Field for String {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.clone().into()))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        match value {
            Setting::Text(text) => put(self, Some(text.into_owned())),
            _ => false,
        }
    }
}

impl Field for bool {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Flag(*self))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        match value {
            Setting::Flag(on) => put(self, Some(on)),
            _ => false,
        }
    }
}

impl Field for u64 {
    fn value(&self) -> Option<Setting> {
        let whole = i64::try_from(*self).map(Setting::Whole);
        Some(whole.unwrap_or(Setting::Beyond(*self)))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        match value {
            Setting::Whole(number) => put(self, number.try_into().ok()),
            Setting::Beyond(number) => put(self, Some(number)),
            _ => false,
        }
    }
}

impl Field for usize {
    fn value(&self) -> Option<Setting> {
        (*self as u64).value()
    }

    fn set_from(&mut self, value: Setting) -> bool {
        let mut number = 0;
        u64::set_from(&mut number, value) && put(self, number.try_into().ok())
    }
}

impl Field for f64 {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Real(*self))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        match value {
            Setting::Real(number) => put(self, Some(number)),
            // A file may say 1 where 1.0 is meant.
            Setting::Whole(number) => put(self, Some(number as f64)),
            _ => false,
        }
    }
}

impl Field for [f32; 2] {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Pair(*self))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        match value {
            Setting::Pair(pair) => put(self, Some(pair)),
            _ => false,
        }
    }
}

impl<T: Field + Default> Field for Option<T> {
    fn value(&self) -> Option<Setting> {
        self.as_ref()?.value()
    }

    fn set_from(&mut self, value: Setting) -> bool {
        let mut given = T::default();
        given.set_from(value) && put(self, Some(Some(given)))
    }
}

impl Field for Precision {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.key().into()))
    }

    fn set_from(&mut self, value: Setting) -> bool {
        let Setting::Text(text) = value else {
            return false;
        };
        let named = Self::ALL.into_iter().find(|named| named.key() == text);
        put(self, named)
    }
}
