//! Matrices of shares as a figure: accuracy of each task after each task, and confusion of classes.

use maud::{Markup, html};

use super::{FONT, RenderTarget, text_markup};
use crate::metrics::{Blocks, Confusion, block_means};
use crate::store::table::{Align, TextTable};
use crate::tr;

/// Maximum number of rows and columns; more are joined into blocks.
const MAX_SIDE_CELLS: usize = 40;
/// Side of a cell, and the smallest and largest side of the whole matrix.
const CELL: f64 = 44.0;
const SIDE_RANGE: [f64; 2] = [180.0, 640.0];
/// Width of a character of a label.
const CHAR_WIDTH: f64 = 6.6;
/// Maximum number of characters of a label; longer names are shortened.
const MAX_LABEL_CHARS: usize = 18;
/// Minimum side of a cell that shows its number.
const MIN_NUMBERED_SIDE: f64 = 20.0;

/// A matrix of shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Heatmap {
    /// The label of the row axis.
    pub row_label: String,
    /// The label of the column axis.
    pub column_label: String,
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
    origin: [f64; 2],
    /// Width and height of all cells.
    cells: [f64; 2],
    /// Whether the labels of the columns are rotated by 90°.
    rotated: bool,
    /// Width and height of the drawing.
    pub(super) size: [f64; 2],
}

/// Returns the name of a block of rows or columns: the name of its only entry, or the range of numbers from 1.
fn block_name(blocks: Blocks, block: usize, names: &dyn Fn(usize) -> String) -> String {
    let range = blocks.range(block);
    match range.len() {
        0 | 1 => names(range.start),
        _ => format!("{}–{}", range.start + 1, range.end),
    }
}

impl Heatmap {
    /// Returns the accuracy on the images of each task (column) after each task (row), as shares. Cells above the
    /// diagonal are empty.
    pub fn accuracy(matrix: &[Vec<f64>]) -> Self {
        let blocks = Blocks::at_most(MAX_SIDE_CELLS, matrix.len());
        let number = |task: usize| (task + 1).to_string();
        let names: Vec<String> =
            (0..blocks.count).map(|index| block_name(blocks, index, &number)).collect();
        let n = blocks.count;
        let means = block_means(matrix, blocks).into_iter().enumerate();
        let lower_triangle =
            |(index, mean): (usize, Option<f64>)| mean.filter(|_| index % n <= index / n);
        Self {
            row_label: tr!("figure-table-after-task").into(),
            column_label: tr!("figure-table-on-task").into(),
            rows: names.clone(),
            columns: names,
            values: means.map(lower_triangle).collect(),
        }
    }

    /// Returns how often the images of each class (row) were classified as each class (column), as shares of the row.
    /// `names` returns the name of a class.
    pub fn confusion(confusion: &Confusion, names: &dyn Fn(usize) -> String) -> Self {
        let blocks = Blocks::at_most(MAX_SIDE_CELLS, confusion.classes());
        let names: Vec<String> =
            (0..blocks.count).map(|index| block_name(blocks, index, names)).collect();
        let n = blocks.count;
        let shares = confusion.shares(blocks).into_iter().enumerate();
        let visible =
            |(index, share): (usize, f64)| (share > 0.0 || index % n == index / n).then_some(share);
        Self {
            row_label: tr!("figure-table-class").into(),
            column_label: tr!("figure-predicted-class").into(),
            rows: names.clone(),
            columns: names,
            values: shares.map(visible).collect(),
        }
    }

    /// Returns the cells of a row.
    pub fn row(&self, row: usize) -> &[Option<f64>] {
        let n = self.columns.len();
        self.values.get(row * n..(row + 1) * n).unwrap_or_default()
    }

    pub(super) fn to_table(&self) -> TextTable {
        let mut table = TextTable::default();
        table.add_column(&format!("{} → {}", self.row_label, self.column_label), Align::Left);
        for column in &self.columns {
            table.add_column(column, Align::Right);
        }
        for (index, row) in self.rows.iter().enumerate() {
            let cell = |share: &Option<f64>| {
                share.map_or_else(String::new, |share| format!("{:.1}", share * 100.0))
            };
            let cells = self.row(index).iter().map(cell);
            table.add_row(std::iter::once(row.clone()).chain(cells));
        }
        table
    }

    pub(super) fn layout(&self) -> Layout {
        let n = self.rows.len().max(self.columns.len()).max(1) as f64;
        let step = (CELL * n).clamp(SIDE_RANGE[0], SIDE_RANGE[1]) / n;
        let label_width = |names: &[String]| {
            let lengths = names.iter().map(|name| name.chars().count());
            lengths.max().unwrap_or(1).min(MAX_LABEL_CHARS) as f64 * CHAR_WIDTH
        };
        let (left, top) = (label_width(&self.rows) + 40.0, 34.0);
        let rotated = label_width(&self.columns) > step;
        let below = if rotated { label_width(&self.columns) } else { 14.0 };
        let [wide, high] = [&self.columns, &self.rows].map(|names| step * names.len() as f64);
        Layout {
            step,
            origin: [left, top],
            cells: [wide, high],
            rotated,
            size: [left + wide + 16.0, top + high + below + 40.0],
        }
    }

    pub(super) fn draw(&self, title: &str, target: RenderTarget) -> Markup {
        let Layout { step, origin: [left, top], cells: [wide, high], rotated, size } =
            self.layout();
        let [ink, grid_colour] = target.plain();
        html! {
            svg xmlns=[target.namespace()] viewBox={ "0 0 " (size[0]) " " (size[1]) } width=(size[0]) height=(size[1])
                role="img" aria-label=(title) font-family=(FONT) font-size="12" fill=(ink) {
                @if target == RenderTarget::File { rect width="100%" height="100%" fill="#ffffff" {} }
                text x="12" y="20" font-size="14" { (text_markup(title, 14.0)) }
                @for (row, name) in self.rows.iter().enumerate() {
                    @let y = top + step * row as f64;
                    text x=(left - 8.0) y=(y + step / 2.0 + 4.0) text-anchor="end" { (truncate_name(name)) }
                    @for (column, share) in self.row(row).iter().enumerate() {
                        (cell([left + step * column as f64, y], step, *share, grid_colour))
                    }
                }
                @for (column, name) in self.columns.iter().enumerate() {
                    @let x = left + step * (column as f64 + 0.5);
                    @let y = top + high + 16.0;
                    @match rotated {
                        true => text x=(x + 4.0) y=(y - 6.0) text-anchor="end" transform={ "rotate(-90 " (x + 4.0) " " (y - 6.0) ")" } { (truncate_name(name)) },
                        false => text x=(x) y=(y) text-anchor="middle" { (truncate_name(name)) },
                    }
                }
                text x=(left + wide / 2.0) y=(size[1] - 12.0) text-anchor="middle" { (self.column_label) ", %" }
                @let middle = top + high / 2.0;
                text x="18" y=(middle) text-anchor="middle" transform={ "rotate(-90 18 " (middle) ")" } { (self.row_label) }
            }
        }
    }
}

/// Draws a cell, with its number in percent if it is large enough.
fn cell([x, y]: [f64; 2], step: f64, share: Option<f64>, grid_colour: &str) -> Markup {
    let side = (step - 1.0).max(0.5);
    let Some(share) = share.filter(|share| share.is_finite()) else {
        return html! {
            rect x=(x) y=(y) width=(side) height=(side) fill="none" stroke=(grid_colour) stroke-width="0.5" {}
        };
    };
    let share = share.clamp(0.0, 1.0);
    // The colour scale runs from white to the blue of the first curve.
    let channel = |to: f64| (255.0 + (to - 255.0) * share).round();
    let fill = format!("rgb({},{},{})", channel(0.0), channel(114.0), channel(178.0));
    let ink = if share > 0.55 { "#ffffff" } else { "#222222" };
    html! {
        rect x=(x) y=(y) width=(side) height=(side) fill=(fill) {}
        @if step >= MIN_NUMBERED_SIDE {
            text x=(x + side / 2.0) y=(y + side / 2.0 + 4.0) text-anchor="middle" fill=(ink) font-size=(if step < 30.0 { 10 } else { 12 }) {
                (format!("{:.0}", share * 100.0))
            }
        }
    }
}

fn truncate_name(name: &str) -> String {
    match name.chars().count() > MAX_LABEL_CHARS {
        true => name.chars().take(MAX_LABEL_CHARS - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
