//! The cost of each selected run, for a fair comparison of methods: images, epochs, trained and stored parameters,
//! memory and time.

use egui::{RichText, ScrollArea, Ui};

use crate::method::epochs_of;
use crate::palette::Shade;
use crate::run::event::RunHeader;
use crate::session::views::RunRow;
use crate::session::words::{bytes_text, count_text, duration_text, epochs_span, number};
use crate::tr;
use crate::ui::theme::tokens;
use crate::ui::widgets::curves::dot;
use crate::ui::widgets::{card, faint, grid};

/// Title and description of each column, as message ids.
const COLUMNS: [(&str, &str); 7] = [
    ("compare-images-shown", "compare-images-shown-hint"),
    ("compare-epochs", "compare-epochs-hint"),
    (
        "compare-trainable-parameters",
        "compare-trainable-parameters-hint",
    ),
    (
        "compare-stored-parameters",
        "compare-stored-parameters-hint",
    ),
    ("compare-learning-memory", "compare-learning-memory-hint"),
    ("compare-training-time", "compare-training-time-hint"),
    ("compare-time-per-image", "compare-time-per-image-hint"),
];

/// Draws the table.
pub(super) fn costs(ui: &mut Ui, shown: &[(Shade, &RunRow)]) {
    card(ui, |ui| {
        ScrollArea::horizontal()
            .id_salt("costs")
            .show(ui, |ui| table(ui, shown));
    });
}

fn table(ui: &mut Ui, shown: &[(Shade, &RunRow)]) {
    let t = tokens(ui);
    grid(ui, "costs", 1 + COLUMNS.len(), [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-cost"));
        for (title, meaning) in COLUMNS {
            faint(ui, tr!(title)).on_hover_text(tr!(meaning));
        }
        ui.end_row();
        for (shade, row) in shown {
            ui.horizontal(|ui| {
                dot(ui, *shade);
                ui.label(RichText::new(row.title()).color(t.text))
                    .on_hover_text(&row.name);
            });
            for text in texts(row) {
                ui.label(RichText::new(text).color(t.text));
            }
            ui.end_row();
        }
    });
}

/// Returns the epochs of a run's tasks as text.
fn epochs_of_tasks(header: &RunHeader) -> String {
    let tasks = 0..header.tasks.len();
    let all: Vec<usize> = tasks.map(|task| epochs_of(header, task)).collect();
    epochs_span(&all)
}

/// Returns the cells of a run. A value that an older version did not measure is a dash.
fn texts(row: &RunRow) -> [String; 7] {
    let (costs, header) = (&row.costs, row.header.as_ref());
    let known = |known: bool, text: String| if known { text } else { "–".to_string() };
    let milliseconds = costs.prediction_seconds * 1000.0;
    [
        known(costs.images_seen > 0, count_text(costs.images_seen)),
        header.map_or_else(|| "–".to_string(), epochs_of_tasks),
        header.map_or_else(
            || "–".to_string(),
            |header| count_text(header.trained_parameters),
        ),
        known(
            costs.stored_parameters > 0,
            count_text(costs.stored_parameters),
        ),
        known(costs.kept_bytes > 0, bytes_text(costs.kept_bytes)),
        known(
            costs.training_seconds > 0.0,
            duration_text(costs.training_seconds),
        ),
        known(
            milliseconds > 0.0,
            format!("{} ms", number(milliseconds, 1)),
        ),
    ]
}
