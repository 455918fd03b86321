//! Bar charts of one value per run.

use maud::{Markup, html};

use super::{FONT, RenderTarget, words};
use crate::palette::Shade;
use crate::store::table::{Align, TextTable};

/// Width of the drawing, and of the columns for the names (left) and the numbers (right).
const WIDTH: f64 = 760.0;
const SIDES: [f64; 2] = [220.0, 130.0];
/// Height of a row, and margin above and below all rows.
const ROW: f64 = 30.0;
const EDGE: f64 = 10.0;

/// A bar chart of one value per run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The bars, from top to bottom.
    pub rows: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name of the run.
    pub name: String,
    /// The colour of the run.
    pub shade: Shade,
    /// The value; if it is not finite, no bar is drawn.
    pub value: f64,
    /// The value as text.
    pub text: String,
}

impl Bars {
    pub(super) fn size(&self) -> [f64; 2] {
        [WIDTH, ROW * self.rows.len() as f64 + 2.0 * EDGE]
    }

    pub(super) fn table(&self) -> TextTable {
        let mut table = TextTable::default();
        table.column("line", Align::Left);
        table.column("value", Align::Right);
        for row in &self.rows {
            table.row([row.name.clone(), row.text.clone()]);
        }
        table
    }

    pub(super) fn draw(&self, title: &str, place: RenderTarget) -> Markup {
        let [width, height] = self.size();
        let [ink, line] = place.plain();
        let values = self.rows.iter().map(|row| row.value);
        let finite = values.filter(|value| value.is_finite());
        let [low, high] = finite.fold([0.0_f64; 2], |[low, high], value| {
            [low.min(value), high.max(value)]
        });
        let room = width - SIDES[0] - SIDES[1];
        let at = |value: f64| {
            let share = (value - low) / (high - low).max(f64::MIN_POSITIVE);
            SIDES[0] + (share * room).round()
        };
        html! {
            svg xmlns=[place.namespace()] viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="img" aria-label=(title) font-family=(FONT) font-size="13" fill=(ink) {
                @if place == RenderTarget::File { rect width="100%" height="100%" fill="#ffffff" {} }
                @for (row, bar) in self.rows.iter().enumerate() {
                    @let y = EDGE + ROW * (row as f64 + 0.5);
                    text x="8" y=(y + 4.0) { (words(&bar.name, 13.0)) }
                    rect x=(SIDES[0]) y=(y - 8.0) width=(room) height="16" fill=(line) fill-opacity="0.4" {}
                    @if bar.value.is_finite() {
                        @let [left, right] = [at(0.0).min(at(bar.value)), at(0.0).max(at(bar.value))];
                        rect x=(left) y=(y - 8.0) width=((right - left).max(1.0)) height="16" fill=(place.shade(bar.shade)) {}
                    }
                    text x=(width - 8.0) y=(y + 4.0) text-anchor="end" { (bar.text) }
                }
            }
        }
    }
}
