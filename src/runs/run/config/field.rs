//! Converts the fields of the settings to and from [`Setting`].

use super::{Precision, Setting};

/// The type of a field.
pub(super) trait Field: Clone {
    /// Returns the value; `None` if the field is not set.
    fn value(&self) -> Option<Setting>;
    /// Sets the field without checking the range. Returns false and changes nothing if the value has another kind.
    fn set_from(&mut self, value: Setting) -> bool;
}

/// Sets a field if there is a value, and returns whether there was one.
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
            // A file may contain 1 for 1.0.
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
