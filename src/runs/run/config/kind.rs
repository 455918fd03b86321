//! Kinds of setting values: the default, the range, and how a text or a file is parsed.

use super::Setting;
use crate::message;
use crate::texts::{Message, list_id};

/// The kind of a setting's values, with the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// On or off.
    Flag(bool),
    /// A whole number within bounds.
    Whole {
        /// The default.
        default: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// A seed for random numbers; the default is 0.
    Seed,
    /// An optional maximum, at least 1; there is no limit if it is not set.
    Limit,
    /// A number within bounds.
    Real {
        /// The default.
        default: f64,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
    },
    /// A share between 0 and 1, excluding both.
    Share(f64),
    /// A share from 0 up to but excluding 1; the default 0 means none.
    ShareOrNone,
    /// Minimum and maximum share of an area: 0 < minimum ≤ maximum ≤ 1.
    Shares([f32; 2]),
    /// One of several names; the first is the default.
    Choice(&'static [&'static str]),
    /// Blocks of the backbone: the number of first blocks ("5") or a list ("0,2,4").
    Blocks(&'static str),
    /// A name, a path or a list of these, never empty.
    Text(&'static str),
    /// An optional name; the text describes the possible names.
    Name(&'static str),
}

impl SettingKind {
    /// Returns the default; `None` for an optional setting.
    pub fn default(&self) -> Option<Setting> {
        Some(match *self {
            Self::Flag(on) => Setting::Flag(on),
            Self::Whole { default, .. } => Setting::Whole(default),
            Self::Real { default, .. } | Self::Share(default) => Setting::Real(default),
            Self::ShareOrNone => Setting::Real(0.0),
            Self::Seed => Setting::Whole(0),
            Self::Shares(shares) => Setting::Pair(shares),
            Self::Choice(names) => Setting::Text(names.first().copied().unwrap_or_default().into()),
            Self::Blocks(text) | Self::Text(text) => Setting::Text(text.into()),
            Self::Limit | Self::Name(_) => return None,
        })
    }

    /// Returns a description of the valid values.
    pub fn range(&self) -> Message {
        let with_min = |id: &'static str, least: String| message!(id, least);
        match *self {
            Self::Flag(_) => message!("range-on-or-off"),
            Self::Whole { min: least, max: most, .. } if most == i64::MAX => {
                with_min("range-whole-from", least.to_string())
            }
            Self::Whole { min: least, max: most, .. } => {
                with_min("range-whole-to", least.to_string()).with("most", most.to_string())
            }
            Self::Seed => message!("range-whole"),
            Self::Limit => with_min("range-whole-from", "1".into()),
            Self::Real { min: least, max: most, .. } if most == f64::MAX => match least {
                f64::MIN_POSITIVE => message!("range-above-zero"),
                least => with_min("range-from", least.to_string()),
            },
            Self::Real { min: least, max: most, .. } => {
                with_min("range-to", least.to_string()).with("most", most.to_string())
            }
            Self::Share(_) => message!("range-between-0-and-1"),
            Self::ShareOrNone => message!("range-0-or-between"),
            Self::Shares(_) => message!("range-two-numbers"),
            Self::Choice(names) => {
                let mut names = names.iter();
                let first = message!("range-one", name = names.next().copied().unwrap_or_default());
                names.fold(first, |so_far, name| message!("range-or", one = so_far, other = *name))
            }
            Self::Blocks(_) => message!("range-block-numbers"),
            Self::Text(_) => message!("range-text"),
            Self::Name(what) => Message::with_english(list_id("range", what, "names"), what),
        }
    }

    /// Parses a value without checking the range; `None` if the text has another kind.
    pub fn parse_unchecked(&self, text: &str) -> Option<Setting> {
        Some(match self {
            Self::Flag(_) => Setting::Flag(match text {
                "on" | "true" => true,
                "off" | "false" => false,
                _ => return None,
            }),
            Self::Whole { .. } | Self::Seed | Self::Limit => match text.parse() {
                Ok(number) => Setting::Whole(number),
                Err(_) => Setting::Beyond(text.parse().ok()?),
            },
            Self::Real { .. } | Self::Share(_) | Self::ShareOrNone => {
                Setting::Real(text.parse().ok()?)
            }
            Self::Shares(_) => {
                let (low, high) = text.split_once(',')?;
                Setting::Pair([low.trim().parse().ok()?, high.trim().parse().ok()?])
            }
            Self::Choice(_) | Self::Blocks(_) | Self::Text(_) | Self::Name(_) => {
                Setting::Text(text.to_string().into())
            }
        })
    }

    /// Parses a value; `None` if the text has another kind or the value is out of range.
    pub fn parse(&self, text: &str) -> Option<Setting> {
        self.convert(&self.parse_unchecked(text.trim())?)
    }

    /// Returns the value converted to this kind; `None` if it has another kind or is out of range.
    pub fn convert(&self, value: &Setting) -> Option<Setting> {
        let is_valid = match (self, value) {
            (Self::Flag(_), Setting::Flag(_)) | (Self::Name(_), Setting::Text(_)) => true,
            (Self::Whole { min: least, max: most, .. }, Setting::Whole(n)) => {
                (least..=most).contains(&n)
            }
            (Self::Limit, Setting::Whole(n)) => *n > 0,
            (Self::Seed, Setting::Whole(n)) => *n >= 0,
            // A file may contain 1 for 1.0.
            (Self::Real { .. } | Self::Share(_) | Self::ShareOrNone, Setting::Whole(n)) => {
                return self.convert(&Setting::Real(*n as f64));
            }
            (Self::Real { min: least, max: most, .. }, Setting::Real(x)) => {
                (least..=most).contains(&x)
            }
            (Self::Share(_), Setting::Real(x)) => *x > 0.0 && *x < 1.0,
            (Self::ShareOrNone, Setting::Real(x)) => *x >= 0.0 && *x < 1.0,
            (Self::Shares(_), Setting::Pair([low, high])) => {
                *low > 0.0 && low <= high && *high <= 1.0
            }
            (Self::Choice(names), Setting::Text(name)) => names.contains(&name.as_ref()),
            (Self::Blocks(_), Setting::Text(list)) => !list.is_empty(),
            (Self::Text(_), Setting::Text(text)) => !text.trim().is_empty(),
            // A file may contain the number of blocks as a number.
            (Self::Blocks(_), Setting::Whole(n)) => {
                return self.convert(&Setting::Text(n.to_string().into()));
            }
            _ => false,
        };
        is_valid.then(|| value.clone())
    }

    /// Returns whether an invalid value is too large, rather than too small.
    pub(super) fn exceeds_max(&self, value: &Setting) -> bool {
        match (self, value) {
            (Self::Whole { max: most, .. }, Setting::Whole(n)) => n > most,
            (_, Setting::Beyond(_)) => true,
            _ => false,
        }
    }
}
