//! Renders matrices as HTML tables whose cells are shaded by their values.

use maud::{Markup, html};

use crate::metrics::{Answers, Expert};
use crate::run::event::RunHeader;
use crate::store::figure::Cells;
use crate::tr;

/// Maximum number of confused class pairs that are listed.
const MOST_PAIRS: usize = 10;

/// Returns a matrix as an HTML table; the diagonal is marked.
fn table(cells: &Cells) -> Markup {
    html! {
        div.scroll { table.heat {
            tr {
                th { (cells.down) " → " (cells.across) }
                @for column in &cells.columns { th { (column) } }
            }
            @for (row, name) in cells.rows.iter().enumerate() { tr {
                th { (name) }
                @for (column, share) in cells.row(row).iter().enumerate() { (cell(*share, row == column)) }
            } }
        } }
    }
}

fn cell(share: Option<f64>, own: bool) -> Markup {
    html! {
        @match share.filter(|share| share.is_finite()) {
            None => td {},
            Some(share) => td.h.r[own] style={ "--v:" (format!("{:.2}", share.clamp(0.0, 1.0) * 0.75)) } {
                (format!("{:.0}", share * 100.0))
            },
        }
    }
}

/// Returns the accuracy (share, 0..=1) on the images of each task (column) after each task (row).
pub(super) fn accuracy(matrix: &[Vec<f64>]) -> Markup {
    table(&Cells::accuracy(matrix))
}

/// Returns the confusion matrix of the test images after the last saved task, and the most frequently confused pairs.
pub(super) fn confusion(
    header: &RunHeader,
    seen: usize,
    answers: &Answers,
    expert: Expert,
) -> Markup {
    let classes = answers.confusion(expert, seen);
    let class = |at: usize| header.class_order.get(at).cloned().unwrap_or_default();
    let mistaken = classes.most_confused(MOST_PAIRS);
    html! {
        (table(&Cells::confusion(&classes, &class)))
        @if !mistaken.is_empty() {
            h3 { (tr!("report-most-frequent-confusions")) }
            table {
                tr { th { (tr!("figure-table-class")) } th { (tr!("report-predicted-as")) } th.n { (tr!("report-images")) } }
                @for (of, given, count) in mistaken {
                    tr { td { (class(of)) } td { (class(given)) } td.n { (count) } }
                }
            }
        }
    }
}
