//! Compares the first selected run with each other selected run image by image.

use egui::Ui;

use crate::metrics::Expert;
use crate::palette::Shade;
use crate::session::paired;
use crate::session::views::RunRow;
use crate::tr;
use crate::ui::widgets::{self, card, faint, sentence, terms};

/// Draws the card if at least two tested runs are selected.
pub(super) fn paired(ui: &mut Ui, shown: &[(Shade, &RunRow)], expert: Expert) {
    let tested = shown.iter().map(|(_, row)| *row);
    let mut tested = tested.filter(|row| row.is_measured());
    let Some(first) = tested.next() else { return };
    let others: Vec<&RunRow> = tested.collect();
    if others.is_empty() {
        return;
    }
    let nearest = |row: &RunRow| row.history.nearest(expert);
    card(ui, |ui| {
        terms::title_of(ui, tr!("compare-image-by-image"), "paired");
        for other in &others {
            sentence(
                ui,
                paired::words((first, nearest(first)), (*other, nearest(other))),
            );
        }
        let chance = match others.len() {
            1 => tr!("compare-mcnemar"),
            _ => tr!("compare-mcnemar-many-comparisons"),
        };
        faint(ui, chance);
    });
}
