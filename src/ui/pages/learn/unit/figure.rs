//! The figures of a lesson. The numbers of each figure are below it as text.

use egui::text::TextFormat;
use egui::{Label, RichText, ScrollArea, Ui};

use super::{bars, distance};
use crate::session::units::{Chart, RunValues};
use crate::texts::Language;
use crate::tr;
use crate::ui::theme::{mono, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::{card, faint, matrix, terms};

/// Height of charts, in points.
const HEIGHT: f32 = 220.0;

/// Draws a figure.
pub(super) fn show(
    ui: &mut Ui,
    title: &str,
    (chart, numbers): &(Chart, String),
    language: Language,
    picture: &mut matrix::Picture,
) {
    card(ui, |ui| {
        terms::title(ui, title);
        if chart.is_empty() {
            faint(ui, tr!("learn-available-after-runs"));
            return;
        }
        let name = format!("{title}\n{numbers}");
        match chart {
            Chart::Curves { tasks, lines } => curves(ui, (title, &name), tasks, lines),
            Chart::Matrix { rows, tasks } => {
                let side =
                    ((ui.available_width() - 88.0) / (*tasks).max(1) as f32).clamp(8.0, 46.0);
                ui.push_id(title, |ui| {
                    matrix::accuracy(ui, (title, rows), *tasks, side, picture);
                });
            }
            Chart::Bars { rows, unit, spread } => bars::show(ui, rows, unit, *spread, language),
            Chart::Table { columns, rows } => {
                table(ui, columns, rows);
                return;
            }
            Chart::Distance {
                passes,
                tasks,
                lines,
            } => {
                legend(ui, lines);
                distance::show(ui, (title, &name), (*passes, *tasks), lines, language);
            }
        }
        ui.collapsing(tr!("learn-show-numbers"), |ui| {
            let colour = tokens(ui).text;
            let text = RichText::new(numbers).font(mono(12.0)).color(colour);
            ui.add(Label::new(text).wrap().selectable(true));
        });
    });
}

fn curves(ui: &mut Ui, (title, name): (&str, &str), tasks: &[String], lines: &[RunValues<f64>]) {
    let t = tokens(ui);
    legend(ui, lines);
    let series = lines.iter().map(|line| {
        let points = line.values.iter().enumerate();
        let points = points.map(|(task, v)| [task as f64, *v]);
        Series::of_run(t, line.shade, line.title.clone(), points)
    });
    Curves {
        id: title,
        name,
        height: HEIGHT,
        tasks,
        series: series.collect(),
        now: None,
    }
    .show(ui);
}

/// Draws a legend of the runs with their colours.
fn legend<T>(ui: &mut Ui, lines: &[RunValues<T>]) {
    let t = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 14.0;
        for line in lines {
            let words = format!("{} {}", line.shade.marker().letter(), line.title);
            let colour = t.run(line.shade);
            ui.label(RichText::new(words).font(regular(12.5)).color(colour));
        }
    });
}

fn table(ui: &mut Ui, columns: &[String], rows: &[Vec<String>]) {
    let t = tokens(ui);
    ScrollArea::horizontal().id_salt(columns).show(ui, |ui| {
        egui::Grid::new("table")
            .spacing([26.0, 7.0])
            .min_col_width(40.0)
            .show(ui, |ui| {
                ui.label("");
                for column in columns {
                    let look = TextFormat::simple(semibold(13.0), t.subdued);
                    terms::head(ui, column, &look);
                }
                ui.end_row();
                for cells in rows {
                    for (i, cell) in cells.iter().enumerate() {
                        let font = if i == 0 { regular(14.0) } else { mono(13.0) };
                        ui.label(RichText::new(cell).font(font).color(t.strong));
                    }
                    ui.end_row();
                }
            });
    });
}
