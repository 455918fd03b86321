//! Matrices as tables whose cells are shaded by their value.

use maud::{Markup, html};

use crate::metrics::{Answers, Blocks, Confusion, Expert, block_means};
use crate::run::event::RunHeader;

/// Most rows and columns: more of them are joined to blocks.
const MOST_CELLS: usize = 40;
/// Pairs of classes that are listed.
const MOST_PAIRS: usize = 10;

/// What the rows and columns of a matrix are called.
fn name(blocks: Blocks, block: usize, names: &dyn Fn(usize) -> String) -> String {
    let range = blocks.range(block);
    match range.len() {
        0 | 1 => names(range.start),
        _ => format!("{}–{}", range.start + 1, range.end),
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

/// Accuracy on the images of each task (column) after each task (row), as shares.
pub(super) fn accuracy(matrix: &[Vec<f64>]) -> Markup {
    let blocks = Blocks::at_most(MOST_CELLS, matrix.len());
    let means = block_means(matrix, blocks);
    let number = |task: usize| (task + 1).to_string();
    html! {
        div.scroll { table.heat {
            tr {
                th { "after task" }
                @for column in 0..blocks.count { th { (name(blocks, column, &number)) } }
            }
            @for row in 0..blocks.count { tr {
                th { (name(blocks, row, &number)) }
                @for column in 0..=row { (cell(means[row * blocks.count + column], row == column)) }
            } }
        } }
    }
}

/// What the test images of each class were taken for at the end, and the pairs that are mistaken most.
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
        (shares(&classes, &class))
        @if !mistaken.is_empty() {
            h3 { "Mistaken most" }
            table {
                tr { th { "class" } th { "taken for" } th.n { "images" } }
                @for (of, given, count) in mistaken {
                    tr { td { (class(of)) } td { (class(given)) } td.n { (count) } }
                }
            }
        }
    }
}

fn shares(confusion: &Confusion, names: &dyn Fn(usize) -> String) -> Markup {
    let blocks = Blocks::at_most(MOST_CELLS, confusion.side());
    let shares = confusion.shares(blocks);
    html! {
        div.scroll { table.heat {
            tr {
                th { "class → answer" }
                @for column in 0..blocks.count { th { (name(blocks, column, names)) } }
            }
            @for row in 0..blocks.count { tr {
                th { (name(blocks, row, names)) }
                @for column in 0..blocks.count {
                    @let share = shares[row * blocks.count + column];
                    @let shown = (share > 0.0 || row == column).then_some(share);
                    (cell(shown, row == column))
                }
            } }
        } }
    }
}
