//! The accuracy matrices of the selected runs, for the selected expert.

use egui::Ui;

use crate::metrics::Expert;
use crate::palette::Shade;
use crate::run::event::RunHeader;
use crate::session::views::RunRow;
use crate::session::words::number;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::curves::run_name;
use crate::ui::widgets::{self, card, faint, matrix, terms};

/// Minimum width of a matrix with its title, in points.
const WIDTH: f32 = 230.0;

/// Minimum size of a whole matrix, unless its cells would become larger than `LARGEST`.
const SMALLEST: f32 = 100.0;
/// Maximum size of a cell, so that cells do not grow further for one or two tasks.
const LARGEST: f32 = 40.0;

/// Draws the card with the matrices.
pub(super) fn matrices(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)]) {
    let expert = cx.pages.compare.expert;
    card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            terms::title_of(ui, tr!("figure-accuracy-matrix"), "accuracy_matrix");
            faint(ui, tr!("train-matrix-hint"));
        });
        let columns = ((ui.available_width() / WIDTH) as usize).clamp(1, shown.len().max(1));
        let width = (ui.available_width() - GAP * (columns as f32 - 1.0)) / columns as f32;
        for line in shown.chunks(columns) {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                for (shade, row) in line {
                    widgets::part(ui, width, |ui| one(ui, cx, (*shade, row), expert));
                }
            });
        }
    });
}

fn one(ui: &mut Ui, cx: &mut Cx<'_>, (shade, row): (Shade, &RunRow), expert: Expert) {
    let expert = row.history.nearest(expert);
    run_name(ui, shade, &row.title(), &row.name);
    let history = row.of(expert);
    let forgotten = match row.forgotten_by(expert) {
        Some(points) if history.matrix.len() > 1 => {
            let points = number(points * 100.0, 1);
            tr!(
                "compare-points-forgotten",
                expert = expert.name(),
                points = points
            )
        }
        _ => expert.name().to_string(),
    };
    faint(ui, forgotten);
    let tasks = row.tasks().max(1);
    let room = (ui.available_width() - 88.0).max(SMALLEST);
    let side = (room / tasks as f32).min(LARGEST);
    let known_by = row.header.as_ref().map(RunHeader::known_by);
    let name = format!("{} {}", known_by.unwrap_or_default(), expert.name());
    let picture = cx.pages.compare.matrices.entry(row.folder.clone());
    let rows = (name.as_str(), &history.matrix[..]);
    matrix::accuracy(ui, rows, tasks, side, picture.or_default());
}
