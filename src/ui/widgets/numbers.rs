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
use crate::ui::theme::CONTROL_HEIGHT;

/// The largest integer that can be typed, because a file cannot store larger ones.
const MAX_INTEGER: f64 = 9.2e18;
/// Width in points of a field for a seed.
const SEED_WIDTH: f32 = 100.0;

/// Returns a field for a number that can be dragged within a range.
pub fn number<T: Numeric + Display>(value: &mut T, range: RangeInclusive<T>) -> DragValue<'_> {
    let as_f64 = |number: &T| to_exact_f64(number);
    let (current, digits) = (as_f64(value), value.to_string());
    let from_input = |input: f64| match T::INTEGRAL {
        true => T::from_f64(input.min(MAX_INTEGER)),
        false => T::from_f64(input),
    };
    let field = exact_field(value, range, as_f64, from_input);
    if !T::INTEGRAL {
        return field;
    }
    // An integer with many digits exceeds the precision of f64, so its digits are formatted directly.
    field.max_decimals(0).custom_formatter(move |number, _| match number == current {
        true => digits.clone(),
        false => format_full(number),
    })
}

/// Returns a field for a share (from 0 to 1) that is shown in percent.
pub fn percent(share: &mut f64, range: RangeInclusive<f64>) -> DragValue<'_> {
    // Moving the decimal point in the text is exact: 0.07 becomes 7, and 7 becomes 0.07.
    let shift =
        |number: f64, exponent: &str| format!("{number}{exponent}").parse().unwrap_or(number);
    let to_display = move |share: &f64| shift(*share, "e2");
    let from_input = move |input: f64| shift(input, "e-2");
    exact_field(share, range, to_display, from_input).suffix(" %")
}

/// Returns a field that shows `to_display` of the value. A new number is converted by `from_input`.
fn exact_field<'a, T: Copy>(
    value: &'a mut T,
    range: RangeInclusive<T>,
    to_display: impl Fn(&T) -> f64 + Copy + 'a,
    from_input: impl Fn(f64) -> T + 'a,
) -> DragValue<'a> {
    let current = to_display(value);
    let (min, max) = (to_display(range.start()), to_display(range.end()));
    // Counts must not become negative.
    let lowest = if min < 0.0 { f64::MIN } else { 0.0 };
    let typed = Rc::new(Cell::new(None));
    let parsed = typed.clone();
    DragValue::from_get_set(move |input| {
        // egui sets a typed number directly after parsing it, but limits it to the range; the parsed number is used
        // instead.
        let input = input.map(|input| typed.take().unwrap_or(input));
        let changed = input.filter(|input| {
            !input.is_nan()
                && *input != to_display(value)
                && format_short(*input) != format_short(to_display(value))
        });
        if let Some(input) = changed {
            *value = from_input(input);
        }
        to_display(value)
    })
    .range(min.min(current)..=max.max(current))
    .clamp_existing_to_range(false)
    .custom_formatter(|number, _| format_short(number))
    .custom_parser(move |text| {
        let number = Language::spoken().parse_number(text);
        parsed.set(number.map(|number| number.clamp(lowest, f64::MAX)));
        number
    })
}

/// Returns the number as an f64 with the same decimal digits.
fn to_exact_f64(number: &(impl Numeric + Display)) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| number.to_f64())
}

/// Formats a number in the window's language, with six significant digits if it is below a million.
fn format_short(number: f64) -> String {
    let rounded = format!("{number:.5e}").parse();
    format_full(match number.abs() < 1e6 {
        true => rounded.unwrap_or(number),
        false => number,
    })
}

/// Formats a number in the window's language with as few digits as possible such that parsing gives the same number.
fn format_full(number: f64) -> String {
    let digits = match number.abs() {
        1e-6..1e15 | 0.0 => number.to_string(),
        _ => format!("{number:e}"),
    };
    Language::spoken().format_input(&digits)
}

/// Draws a text field for a seed, which can have more digits than a number that is dragged.
pub fn seed(ui: &mut Ui, name: &'static str, value: &mut u64) -> Response {
    let id = Id::unique(("seed", name));
    let focused = ui.memory(|memory| memory.has_focus(id));
    let stored: Option<(String, u64)> = ui.data(|data| data.get_temp(id));
    // The text that is being typed is kept unless the seed was changed elsewhere.
    let current = stored.as_ref().filter(|(_, stored_seed)| focused && stored_seed == value);
    let mut typed = current.map_or_else(|| value.to_string(), |(text, _)| text.clone());
    let edit = line_edit(&mut typed, SEED_WIDTH).min_size(Vec2::new(SEED_WIDTH, CONTROL_HEIGHT));
    let response = ui.add(edit.id(id));
    let parsed: Option<u64> = typed.trim().parse().ok();
    if response.changed()
        // A file cannot store larger seeds.
        && let Some(parsed) = parsed.filter(|parsed| i64::try_from(*parsed).is_ok())
    {
        *value = parsed;
    }
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, (typed, *value)));
    } else if stored.is_some() {
        ui.data_mut(|data| data.remove::<(String, u64)>(id));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(to_exact_f64(&0.08f32), 0.08);
        assert_eq!(to_exact_f64(&f32::MIN_POSITIVE) as f32, f32::MIN_POSITIVE);
        assert_eq!(to_exact_f64(&0.1f64), 0.1);
        assert_eq!(to_exact_f64(&7usize), 7.0);
        for number in [0.0, 0.1, 1e-7, 3e300, 123_456.789, f64::MIN_POSITIVE] {
            assert_eq!(format_full(number).parse(), Ok(number));
        }
        let short = [0.005 * 256.0 / 24.0, 0.1, 3e300, 12_345_678.0, 0.0].map(format_short);
        assert_eq!(short, ["0.0533333", "0.1", "3e300", "12345678", "0"]);
    }
}
