//! Matrices of shares as a figure: accuracy of each task after each task, and confusion of classes.

use maud::{Markup, html};

use super::{FONT, RenderTarget, words};
use crate::metrics::{Blocks, Confusion, block_means};
use crate::store::table::{Align, TextTable};
use crate::tr;

/// Maximum number of rows and columns; more are joined into blocks.
const MOST: usize = 40;
/// Side of a cell, and the smallest and largest side of the whole matrix.
const CELL: f64 = 44.0;
const SIDES: [f64; 2] = [180.0, 640.0];
/// Width of a character of a label.
const LETTER: f64 = 6.6;
/// Maximum number of characters of a label; longer names are shortened.
const LETTERS: usize = 18;
/// Minimum side of a cell that shows its number.
const NUMBERED: f64 = 20.0;

/// A matrix of shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// The label of the row axis.
    pub down: String,
    /// The label of the column axis.
    pub across: String,
    /// The name of each row.
    pub rows: Vec<String>,
    /// The name of each column.
    pub columns: Vec<String>,
    /// The shares (0..=1), row by row; `None` if nothing was measured.
    pub values: Vec<Option<f64>>,
}

/// The sizes and positions in a drawing.
pub(super) struct Layout {
    /// The side of a cell.
    step: f64,
    /// The upper left corner of the cells.
    begins: [f64; 2],
    /// Width and height of all cells.
    cells: [f64; 2],
    /// Whether the labels of the columns are rotated by 90°.
    turned: bool,
    /// Width and height of the drawing.
    pub(super) size: [f64; 2],
}

/// Returns the name of a block of rows or columns: the name of its only entry, or the range of numbers from 1.
fn name(blocks: Blocks, block: usize, names: &dyn Fn(usize) -> String) -> String {
    let range = blocks.range(block);
    match range.len() {
        0 | 1 => names(range.start),
        _ => format!("{}–{}", range.start + 1, range.end),
    }
}

impl Cells {
    /// Returns the accuracy on the images of each task (column) after each task (row), as shares. Cells above the
    /// diagonal are empty.
    pub fn accuracy(matrix: &[Vec<f64>]) -> Self {
        let blocks = Blocks::at_most(MOST, matrix.len());
        let number = |task: usize| (task + 1).to_string();
        let names: Vec<String> = (0..blocks.count)
            .map(|at| name(blocks, at, &number))
            .collect();
        let n = blocks.count;
        let means = block_means(matrix, blocks).into_iter().enumerate();
        let own = |(at, mean): (usize, Option<f64>)| mean.filter(|_| at % n <= at / n);
        Self {
            down: tr!("figure-table-after-task").into(),
            across: tr!("figure-table-on-task").into(),
            rows: names.clone(),
            columns: names,
            values: means.map(own).collect(),
        }
    }

    /// Returns how often the images of each class (row) were classified as each class (column), as shares of the row.
    /// `names` returns the name of a class.
    pub fn confusion(confusion: &Confusion, names: &dyn Fn(usize) -> String) -> Self {
        let blocks = Blocks::at_most(MOST, confusion.side());
        let names: Vec<String> = (0..blocks.count)
            .map(|at| name(blocks, at, names))
            .collect();
        let n = blocks.count;
        let shares = confusion.shares(blocks).into_iter().enumerate();
        let shown = |(at, share): (usize, f64)| (share > 0.0 || at % n == at / n).then_some(share);
        Self {
            down: tr!("figure-table-class").into(),
            across: tr!("figure-predicted-class").into(),
            rows: names.clone(),
            columns: names,
            values: shares.map(shown).collect(),
        }
    }

    /// Returns the cells of a row.
    pub fn row(&self, row: usize) -> &[Option<f64>] {
        let n = self.columns.len();
        self.values.get(row * n..(row + 1) * n).unwrap_or_default()
    }

    pub(super) fn table(&self) -> TextTable {
        let mut table = TextTable::default();
        table.column(&format!("{} → {}", self.down, self.across), Align::Left);
        for column in &self.columns {
            table.column(column, Align::Right);
        }
        for (at, row) in self.rows.iter().enumerate() {
            let cell = |share: &Option<f64>| {
                share.map_or_else(String::new, |share| format!("{:.1}", share * 100.0))
            };
            let cells = self.row(at).iter().map(cell);
            table.row(std::iter::once(row.clone()).chain(cells));
        }
        table
    }

    pub(super) fn layout(&self) -> Layout {
        let n = self.rows.len().max(self.columns.len()).max(1) as f64;
        let step = (CELL * n).clamp(SIDES[0], SIDES[1]) / n;
        let longest = |names: &[String]| {
            let letters = names.iter().map(|name| name.chars().count());
            letters.max().unwrap_or(1).min(LETTERS) as f64 * LETTER
        };
        let (left, top) = (longest(&self.rows) + 40.0, 34.0);
        let turned = longest(&self.columns) > step;
        let below = if turned { longest(&self.columns) } else { 14.0 };
        let [wide, high] = [&self.columns, &self.rows].map(|names| step * names.len() as f64);
        Layout {
            step,
            begins: [left, top],
            cells: [wide, high],
            turned,
            size: [left + wide + 16.0, top + high + below + 40.0],
        }
    }

    pub(super) fn draw(&self, title: &str, place: RenderTarget) -> Markup {
        let Layout {
            step,
            begins: [left, top],
            cells: [wide, high],
            turned,
            size,
        } = self.layout();
        let [ink, line] = place.plain();
        html! {
            svg xmlns=[place.namespace()] viewBox={ "0 0 " (size[0]) " " (size[1]) } width=(size[0]) height=(size[1])
                role="img" aria-label=(title) font-family=(FONT) font-size="12" fill=(ink) {
                @if place == RenderTarget::File { rect width="100%" height="100%" fill="#ffffff" {} }
                text x="12" y="20" font-size="14" { (words(title, 14.0)) }
                @for (row, name) in self.rows.iter().enumerate() {
                    @let y = top + step * row as f64;
                    text x=(left - 8.0) y=(y + step / 2.0 + 4.0) text-anchor="end" { (cut(name)) }
                    @for (column, share) in self.row(row).iter().enumerate() {
                        (cell([left + step * column as f64, y], step, *share, line))
                    }
                }
                @for (column, name) in self.columns.iter().enumerate() {
                    @let x = left + step * (column as f64 + 0.5);
                    @let y = top + high + 16.0;
                    @match turned {
                        true => text x=(x + 4.0) y=(y - 6.0) text-anchor="end" transform={ "rotate(-90 " (x + 4.0) " " (y - 6.0) ")" } { (cut(name)) },
                        false => text x=(x) y=(y) text-anchor="middle" { (cut(name)) },
                    }
                }
                text x=(left + wide / 2.0) y=(size[1] - 12.0) text-anchor="middle" { (self.across) ", %" }
                @let middle = top + high / 2.0;
                text x="18" y=(middle) text-anchor="middle" transform={ "rotate(-90 18 " (middle) ")" } { (self.down) }
            }
        }
    }
}

/// Draws a cell, with its number in percent if it is large enough.
fn cell([x, y]: [f64; 2], step: f64, share: Option<f64>, line: &str) -> Markup {
    let side = (step - 1.0).max(0.5);
    let Some(share) = share.filter(|share| share.is_finite()) else {
        return html! {
            rect x=(x) y=(y) width=(side) height=(side) fill="none" stroke=(line) stroke-width="0.5" {}
        };
    };
    let share = share.clamp(0.0, 1.0);
    // The colour scale runs from white to the blue of the first curve.
    let part = |to: f64| (255.0 + (to - 255.0) * share).round();
    let fill = format!("rgb({},{},{})", part(0.0), part(114.0), part(178.0));
    let ink = if share > 0.55 { "#ffffff" } else { "#222222" };
    html! {
        rect x=(x) y=(y) width=(side) height=(side) fill=(fill) {}
        @if step >= NUMBERED {
            text x=(x + side / 2.0) y=(y + side / 2.0 + 4.0) text-anchor="middle" fill=(ink) font-size=(if step < 30.0 { 10 } else { 12 }) {
                (format!("{:.0}", share * 100.0))
            }
        }
    }
}

fn cut(name: &str) -> String {
    match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
