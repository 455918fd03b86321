//! The ticked runs as curves, in numbers, and in what their settings differ.

use egui::{RichText, Sense, Ui, Vec2};
use egui_plot::LineStyle;

use crate::metrics::{Expert, mean, std_dev};
use crate::run::config::RunConfig;
use crate::session::differences::differences;
use crate::session::views::{RunRow, RunState};
use crate::ui::app::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, RUN_MARKERS, Series};
use crate::ui::widgets::{self, Column, card, card_of, faint, segmented};

pub(super) fn side_by_side(ui: &mut Ui, cx: &mut Cx<'_>, rows: &[RunRow], column: Column) {
    let mut shown: Vec<(usize, &RunRow)> = rows
        .iter()
        .filter_map(|row| Some((*cx.pages.compare.ticked.get(&row.folder)?, row)))
        .collect();
    shown.sort_by_key(|(slot, _)| *slot);
    if shown.is_empty() {
        let height = column.rest(ui, 200.0);
        card_of(ui, height, |ui| {
            faint(ui, "Tick runs in the list to lay them side by side.");
        });
        return;
    }
    curves(ui, cx, &shown);
    numbers(ui, &shown);
    orders(ui, rows);
    differ(ui, &shown);
}

fn curves(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(usize, &RunRow)]) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Accuracy over all classes seen so far");
            },
            |ui| {
                let experts = [
                    (Expert::Online, "Online"),
                    (Expert::Offline, "Offline"),
                    (Expert::Ensemble, "Answer"),
                ];
                segmented(ui, "expert", &experts, &mut cx.pages.compare.expert);
            },
        );
        let expert = cx.pages.compare.expert;
        let tasks = shown
            .iter()
            .map(|(_, row)| row.header.as_ref().map_or(0, |h| h.tasks.len()));
        let labels: Vec<String> = (1..=tasks.max().unwrap_or(0))
            .map(|i| format!("task {i}"))
            .collect();
        let series = shown
            .iter()
            .map(|(slot, row)| Series {
                name: row.title(),
                points: (0..)
                    .zip(&row.of(row.history.nearest(expert)).accuracy)
                    .map(|(task, a)| [f64::from(task), a * 100.0])
                    .collect(),
                colour: t.runs[*slot],
                marker: RUN_MARKERS[*slot],
                style: if slot % 2 == 0 {
                    LineStyle::Solid
                } else {
                    LineStyle::Dashed { length: 7.0 }
                },
                width: 2.0,
            })
            .collect();
        Curves {
            id: "compare",
            name: "Accuracy of the ticked runs over tasks",
            height: 300.0,
            tasks: &labels,
            series,
            now: None,
            low: None,
        }
        .show(ui);
    });
}

/// A_N, Ā_N and F_N of each ticked run.
fn numbers(ui: &mut Ui, shown: &[(usize, &RunRow)]) {
    let t = tokens(ui);
    card(ui, |ui| {
        egui::Grid::new("numbers")
            .num_columns(6)
            .spacing([22.0, 7.0])
            .show(ui, |ui| {
                faint(ui, "run");
                faint(ui, "A_N").on_hover_text("Accuracy on all classes after the last task, %");
                faint(ui, "Ā_N").on_hover_text("Mean of the accuracies after each task, %");
                faint(ui, "F_N")
                    .on_hover_text("Mean drop from the best accuracy of each task, points");
                faint(ui, "online");
                faint(ui, "offline");
                ui.end_row();
                for (slot, row) in shown {
                    ui.horizontal(|ui| {
                        let (rect, _) =
                            ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
                        ui.painter()
                            .circle_filled(rect.center(), 5.0, t.runs[*slot]);
                        ui.label(RichText::new(row.title()).color(t.text))
                            .on_hover_text(&row.name);
                        let (done, all) = (row.answers().accuracy.len(), row.tasks());
                        if done < all {
                            faint(ui, format!("after {done} of {all} tasks"));
                        }
                    });
                    let history = row.answers();
                    for (value, strong) in [
                        (history.last(), true),
                        (history.average(), true),
                        (Some(history.forgetting()), true),
                        (row.of(Expert::Online).last(), false),
                        (row.of(Expert::Offline).last(), false),
                    ] {
                        figure(ui, value, strong);
                    }
                    ui.end_row();
                }
            });
    });
}

fn figure(ui: &mut Ui, value: Option<f64>, strong: bool) {
    let t = tokens(ui);
    let text = value.map_or_else(|| "–".to_string(), |v| format!("{:.1}", v * 100.0));
    let (font, colour) = if strong {
        (semibold(13.0), t.strong)
    } else {
        (regular(13.0), t.text)
    };
    ui.label(RichText::new(text).font(font).color(colour));
}

/// Runs that differ only in class order and seed, as mean ± std.
fn orders(ui: &mut Ui, rows: &[RunRow]) {
    let groups = grouped(rows);
    if groups.is_empty() {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::title(ui, "Mean ± std over class orders");
        egui::Grid::new("orders")
            .num_columns(5)
            .spacing([22.0, 7.0])
            .show(ui, |ui| {
                for head in ["settings", "runs", "A_N", "Ā_N", "F_N"] {
                    faint(ui, head);
                }
                ui.end_row();
                for group in groups {
                    ui.label(RichText::new(group[0].title()).color(t.text));
                    ui.label(RichText::new(group.len().to_string()).color(t.text));
                    let of = |value: &dyn Fn(&RunRow) -> f64| -> Vec<f64> {
                        group.iter().map(|row| value(row) * 100.0).collect()
                    };
                    let history = |row: &RunRow| row.answers().clone();
                    for values in [
                        of(&|row| history(row).last().unwrap_or(0.0)),
                        of(&|row| history(row).average().unwrap_or(0.0)),
                        of(&|row| history(row).forgetting()),
                    ] {
                        let (centre, spread) = (mean(&values), std_dev(&values));
                        let text = format!(
                            "{:.1} ± {:.1}",
                            centre.unwrap_or(0.0),
                            spread.unwrap_or(0.0)
                        );
                        ui.label(RichText::new(text).font(semibold(13.0)).color(t.strong));
                    }
                    ui.end_row();
                }
            });
    });
}

/// Finished runs in groups of at least two that share everything but class order, seed and device;
/// a class order counts once, the newest run of it.
fn grouped(rows: &[RunRow]) -> Vec<Vec<&RunRow>> {
    let mut groups: Vec<(RunConfig, Vec<&RunRow>)> = Vec::new();
    for row in rows.iter().filter(|row| row.state == RunState::Finished) {
        let Some(header) = &row.header else { continue };
        let mut key = header.config.clone();
        key.order.clear();
        key.device.clear();
        key.seed = 0;
        key.cache_mb = 0;
        let same_order = |other: &&RunRow| {
            other
                .header
                .as_ref()
                .is_some_and(|h| h.class_order == header.class_order)
        };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) if group.iter().any(same_order) => {}
            Some((_, group)) => group.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.retain(|(_, group)| group.len() > 1);
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The settings in which the ticked runs differ.
fn differ(ui: &mut Ui, shown: &[(usize, &RunRow)]) {
    let configs: Vec<&RunConfig> = shown
        .iter()
        .filter_map(|(_, row)| Some(&row.header.as_ref()?.config))
        .collect();
    if configs.len() < 2 {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::title(ui, "What differs");
        let rows = differences(&configs);
        if rows.is_empty() {
            faint(ui, "Nothing: the same settings.");
            return;
        }
        egui::ScrollArea::horizontal().show(ui, |ui| {
            egui::Grid::new("differ")
                .spacing([22.0, 7.0])
                .show(ui, |ui| {
                    faint(ui, "");
                    for (slot, _) in shown {
                        let (rect, _) =
                            ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
                        ui.painter()
                            .circle_filled(rect.center(), 5.0, t.runs[*slot]);
                    }
                    ui.end_row();
                    for (key, values) in rows {
                        faint(ui, key.replace('_', " "));
                        for value in values {
                            ui.label(RichText::new(value).color(t.text));
                        }
                        ui.end_row();
                    }
                });
        });
    });
}
