//! Converts the fields of the settings to and from [`Setting`].

use super::{Precision, Setting};

/// The type of a field.
pub(super) trait Field: Sized {
    /// Returns the value; `None` if the field is not set.
    fn value(&self) -> Option<Setting>;
    /// Returns a field with this value, without checking the range; `None` if the value has another kind.
    fn read(value: Setting) -> Option<Self>;

    /// Sets the field. Returns false and changes nothing if the value has another kind.
    fn set_from(&mut self, value: Setting) -> bool {
        Self::read(value).map(|value| *self = value).is_some()
    }
}

impl Field for String {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.clone().into()))
    }

    fn read(value: Setting) -> Option<Self> {
        match value {
            Setting::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

impl Field for bool {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Flag(*self))
    }

    fn read(value: Setting) -> Option<Self> {
        match value {
            Setting::Flag(on) => Some(on),
            _ => None,
        }
    }
}

impl Field for u64 {
    fn value(&self) -> Option<Setting> {
        let whole = i64::try_from(*self).map(Setting::Whole);
        Some(whole.unwrap_or(Setting::Beyond(*self)))
    }

    fn read(value: Setting) -> Option<Self> {
        match value {
            Setting::Whole(number) => number.try_into().ok(),
            Setting::Beyond(number) => Some(number),
            _ => None,
        }
    }
}

impl Field for usize {
    fn value(&self) -> Option<Setting> {
        (*self as u64).value()
    }

    fn read(value: Setting) -> Option<Self> {
        u64::read(value)?.try_into().ok()
    }
}

impl Field for f64 {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Real(*self))
    }

    fn read(value: Setting) -> Option<Self> {
        match value {
            Setting::Real(number) => Some(number),
            // A file may contain 1 for 1.0.
            Setting::Whole(number) => Some(number as f64),
            _ => None,
        }
    }
}

impl Field for [f32; 2] {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Pair(*self))
    }

    fn read(value: Setting) -> Option<Self> {
        match value {
            Setting::Pair(pair) => Some(pair),
            _ => None,
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn value(&self) -> Option<Setting> {
        self.as_ref()?.value()
    }

    fn read(value: Setting) -> Option<Self> {
        T::read(value).map(Some)
    }
}

impl Field for Precision {
    fn value(&self) -> Option<Setting> {
        Some(Setting::Text(self.key().into()))
    }

    fn read(value: Setting) -> Option<Self> {
        let key = String::read(value)?;
        Self::ALL.into_iter().find(|named| named.key() == key)
    }
}
