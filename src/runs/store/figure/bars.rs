//! Bar charts of one value per run.

use maud::{Markup, html};

use super::{FONT, RenderTarget, text_markup};
use crate::palette::RunStyle;
use crate::store::table::{Align, TextTable};

/// Width of the drawing, and of the columns for the names (left) and the numbers (right).
const WIDTH: f64 = 760.0;
const COLUMN_WIDTHS: [f64; 2] = [220.0, 130.0];
/// Height of a row, and margin above and below all rows.
const ROW_HEIGHT: f64 = 30.0;
const MARGIN: f64 = 10.0;

/// A bar chart of one value per run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// The bars, from top to bottom.
    pub rows: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name of the run.
    pub name: String,
    /// The colour of the run.
    pub shade: RunStyle,
    /// The value; if it is not finite, no bar is drawn.
    pub value: f64,
    /// The value as text.
    pub text: String,
}

impl BarChart {
    pub(super) fn size(&self) -> [f64; 2] {
        [WIDTH, ROW_HEIGHT * self.rows.len() as f64 + 2.0 * MARGIN]
    }

    pub(super) fn to_table(&self) -> TextTable {
        let mut table = TextTable::default();
        table.add_column("line", Align::Left);
        table.add_column("value", Align::Right);
        for row in &self.rows {
            table.add_row([row.name.clone(), row.text.clone()]);
        }
        table
    }

    pub(super) fn draw(&self, title: &str, target: RenderTarget) -> Markup {
        let [width, height] = self.size();
        let [ink, grid_colour] = target.plain();
        let values = self.rows.iter().map(|row| row.value);
        let finite = values.filter(|value| value.is_finite());
        let [low, high] =
            finite.fold([0.0_f64; 2], |[low, high], value| [low.min(value), high.max(value)]);
        let plot_width = width - COLUMN_WIDTHS[0] - COLUMN_WIDTHS[1];
        let x_of = |value: f64| {
            let share = (value - low) / (high - low).max(f64::MIN_POSITIVE);
            COLUMN_WIDTHS[0] + (share * plot_width).round()
        };
        html! {
            svg xmlns=[target.namespace()] viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="img" aria-label=(title) font-family=(FONT) font-size="13" fill=(ink) {
                @if target == RenderTarget::File { rect width="100%" height="100%" fill="#ffffff" {} }
                @for (row, bar) in self.rows.iter().enumerate() {
                    @let y = MARGIN + ROW_HEIGHT * (row as f64 + 0.5);
                    text x="8" y=(y + 4.0) { (text_markup(&bar.name, 13.0)) }
                    rect x=(COLUMN_WIDTHS[0]) y=(y - 8.0) width=(plot_width) height="16" fill=(grid_colour) fill-opacity="0.4" {}
                    @if bar.value.is_finite() {
                        @let [left, right] = [x_of(0.0).min(x_of(bar.value)), x_of(0.0).max(x_of(bar.value))];
                        rect x=(left) y=(y - 8.0) width=((right - left).max(1.0)) height="16" fill=(target.shade(bar.shade)) {}
                    }
                    text x=(width - 8.0) y=(y + 4.0) text-anchor="end" { (bar.text) }
                }
            }
        }
    }
}
