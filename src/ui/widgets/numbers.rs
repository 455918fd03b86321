//! Fields for numbers that are dragged or typed. egui's own field shows a rounded number and writes the rounded value
//! back when it loses the focus, limited to its range. These fields show six significant digits and keep an unchanged
//! number exactly. A typed number outside of the range is kept, so that the checks of the settings reject it and name
//! the limit. Dragging stays within the range.

use std::cell::Cell;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::rc::Rc;

use egui::emath::Numeric;
use egui::{DragValue, Id, Response, Ui, Vec2};

use super::line_edit;
use crate::texts::Language;
use crate::ui::theme::CONTROL;

/// The largest integer that can be typed, because a file cannot store larger ones.
const MOST_WHOLE: f64 = 9.2e18;
/// Width in points of a field for a seed.
const SEED: f32 = 100.0;

/// Returns a field for a number that can be dragged within a range.
pub fn number<T: Numeric + Display>(value: &mut T, range: RangeInclusive<T>) -> DragValue<'_> {
    let text = |number: &T| exact(number);
    let (now, digits) = (text(value), value.to_string());
    let taken = |given: f64| match T::INTEGRAL {
        true => T::from_f64(given.min(MOST_WHOLE)),
        false => T::from_f64(given),
    };
    let field = exactly(value, range, text, taken);
    if !T::INTEGRAL {
        return field;
    }
    // An integer with many digits exceeds the precision of f64, so its digits are formatted directly.
    field
        .max_decimals(0)
        .custom_formatter(move |number, _| match number == now {
            true => digits.clone(),
            false => in_full(number),
        })
}

/// Returns a field for a share (from 0 to 1) that is shown in percent.
pub fn percent(share: &mut f64, range: RangeInclusive<f64>) -> DragValue<'_> {
    // Moving the decimal point in the text is exact: 0.07 becomes 7, and 7 becomes 0.07.
    let moved = |number: f64, by: &str| format!("{number}{by}").parse().unwrap_or(number);
    let shown = move |share: &f64| moved(*share, "e2");
    let taken = move |given: f64| moved(given, "e-2");
    exactly(share, range, shown, taken).suffix(" %")
}

/// Returns a field that shows `shown` of the value. A new number is converted by `taken`.
fn exactly<'a, T: Copy>(
    value: &'a mut T,
    range: RangeInclusive<T>,
    shown: impl Fn(&T) -> f64 + Copy + 'a,
    taken: impl Fn(f64) -> T + 'a,
) -> DragValue<'a> {
    let now = shown(value);
    let (least, most) = (shown(range.start()), shown(range.end()));
    // Counts must not become negative.
    let lowest = if least < 0.0 { f64::MIN } else { 0.0 };
    let typed = Rc::new(Cell::new(None));
    let parsed = typed.clone();
    DragValue::from_get_set(move |given| {
        // egui sets a typed number directly after parsing it, but limits it to the range; the parsed number is used
        // instead.
        let given = given.map(|given| typed.take().unwrap_or(given));
        let other = given.filter(|given| {
            !given.is_nan() && *given != shown(value) && in_short(*given) != in_short(shown(value))
        });
        if let Some(given) = other {
            *value = taken(given);
        }
        shown(value)
    })
    .range(least.min(now)..=most.max(now))
    .clamp_existing_to_range(false)
    .custom_formatter(|number, _| in_short(number))
    .custom_parser(move |text| {
        let number = Language::spoken().read(text);
        parsed.set(number.map(|number| number.clamp(lowest, f64::MAX)));
        number
    })
}

/// Returns the number as an f64 with the same decimal digits.
fn exact(number: &(impl Numeric + Display)) -> f64 {
    number
        .to_string()
        .parse()
        .unwrap_or_else(|_| number.to_f64())
}

/// Formats a number in the window's language, with six significant digits if it is below a million.
fn in_short(number: f64) -> String {
    let rounded = format!("{number:.5e}").parse();
    in_full(match number.abs() < 1e6 {
        true => rounded.unwrap_or(number),
        false => number,
    })
}

/// Formats a number in the window's language with as few digits as possible such that parsing gives the same number.
fn in_full(number: f64) -> String {
    let digits = match number.abs() {
        1e-6..1e15 | 0.0 => number.to_string(),
        _ => format!("{number:e}"),
    };
    Language::spoken().typed(&digits)
}

/// Draws a text field for a seed, which can have more digits than a number that is dragged.
pub fn seed(ui: &mut Ui, name: &'static str, value: &mut u64) -> Response {
    let id = Id::unique(("seed", name));
    let focused = ui.memory(|memory| memory.has_focus(id));
    let kept: Option<(String, u64)> = ui.data(|data| data.get_temp(id));
    // The text that is being typed is kept unless the seed was changed elsewhere.
    let known = kept.as_ref().filter(|(_, of)| focused && of == value);
    let mut typed = known.map_or_else(|| value.to_string(), |(text, _)| text.clone());
    let edit = line_edit(&mut typed, SEED).min_size(Vec2::new(SEED, CONTROL));
    let response = ui.add(edit.id(id));
    let given: Option<u64> = typed.trim().parse().ok();
    if response.changed()
        // A file cannot store larger seeds.
        && let Some(given) = given.filter(|given| i64::try_from(*given).is_ok())
    {
        *value = given;
    }
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, (typed, *value)));
    } else if kept.is_some() {
        ui.data_mut(|data| data.remove::<(String, u64)>(id));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_their_digits() {
        assert_eq!(exact(&0.08f32), 0.08);
        assert_eq!(exact(&f32::MIN_POSITIVE) as f32, f32::MIN_POSITIVE);
        assert_eq!(exact(&0.1f64), 0.1);
        assert_eq!(exact(&7usize), 7.0);
        for number in [0.0, 0.1, 1e-7, 3e300, 123_456.789, f64::MIN_POSITIVE] {
            assert_eq!(in_full(number).parse(), Ok(number));
        }
        let short = [0.005 * 256.0 / 24.0, 0.1, 3e300, 12_345_678.0, 0.0].map(in_short);
        assert_eq!(short, ["0.0533333", "0.1", "3e300", "12345678", "0"]);
    }
}
