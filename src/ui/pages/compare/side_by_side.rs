//! The selected runs as curves, numbers and differing settings.

use egui::{RichText, Ui};

use super::costs::costs;
use super::first_task::became;
use super::matrices::matrices;
use super::paired::paired;
use super::{FIGURES, different};
use crate::metrics::Expert;
use crate::palette::Shade;
use crate::session::comparable::unlike;
use crate::session::plain::title_of;
use crate::session::views::{Rows, RunRow};
use crate::session::words::number;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, dot};
use crate::ui::widgets::{self, Column, card, card_of, faint, link, segmented, sentence, terms};

pub(super) fn side_by_side(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let laid = cx.pages.compare.laid(rows);
    let shown = laid.iter().map(|(shade, at)| (*shade, &*rows[*at]));
    let shown: Vec<(Shade, &RunRow)> = shown.collect();
    if shown.is_empty() {
        let height = column.rest(ui, 200.0);
        card_of(ui, height, |ui| {
            faint(ui, tr!("compare-select-runs"));
        });
        return;
    }
    let (shown, others) = alike(&shown);
    unequal(ui, cx, &shown, &others);
    became(ui, &shown);
    curves(ui, cx, &shown);
    numbers(ui, &shown, cx.pages.compare.expert);
    paired(ui, &shown, cx.pages.compare.expert);
    matrices(ui, cx, &shown);
    costs(ui, &shown);
    let is_shown = |at: &usize| shown.iter().any(|(_, row)| std::ptr::eq(*row, &*rows[*at]));
    let places: Vec<usize> = laid.iter().map(|(_, at)| *at).filter(is_shown).collect();
    let different = different(&mut cx.pages.compare, rows, &places);
    differ(ui, &shown, &different);
}

/// A selected run that is not comparable with the first one, and the reasons.
type Other<'a> = (Shade, &'a RunRow, Vec<String>);

/// Splits the runs into those that are comparable with the first run and the others. Results of different tasks are not
/// comparable.
fn alike<'a>(shown: &[(Shade, &'a RunRow)]) -> (Vec<(Shade, &'a RunRow)>, Vec<Other<'a>>) {
    let first = shown.iter().find_map(|(_, row)| row.header.as_ref());
    let (mut alike, mut others) = (Vec::new(), Vec::new());
    for (shade, row) in shown {
        let pair = first.zip(row.header.as_ref());
        let differs = pair.map_or_else(Vec::new, |(first, header)| unlike(first, header));
        match differs.is_empty() {
            true => alike.push((*shade, *row)),
            false => others.push((*shade, *row, differs)),
        }
    }
    (alike, others)
}

/// Draws which selected runs are not compared and why. A click on a run selects it with the runs that are comparable
/// with it.
fn unequal(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)], others: &[Other<'_>]) {
    if others.is_empty() {
        return;
    }
    card(ui, |ui| {
        let title = shown
            .first()
            .map_or_else(String::new, |(_, row)| row.title());
        widgets::title(ui, tr!("compare-not-comparable"));
        sentence(ui, tr!("compare-not-comparable-about", name = title));
        for (shade, row, differs) in others {
            ui.horizontal_wrapped(|ui| {
                dot(ui, *shade);
                sentence(ui, format!("{}: {}", row.title(), differs.join(", ")));
                if link(ui, tr!("compare-show-instead")).clicked() {
                    let header = row.header.as_ref();
                    let like = others.iter().filter(|(_, other, _)| {
                        let pair = header.zip(other.header.as_ref());
                        pair.is_some_and(|(one, other)| unlike(one, other).is_empty())
                    });
                    let folders = like.map(|(_, row, _)| row.folder.clone()).collect();
                    cx.pages.compare.choose(folders);
                }
            });
        }
    });
}

fn curves(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)]) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                terms::title_of(ui, tr!("train-accuracy-curves"), "accuracy");
            },
            |ui| {
                let experts = [
                    (Expert::ONLINE, Expert::ONLINE.title()),
                    (Expert::OFFLINE, Expert::OFFLINE.title()),
                    (Expert::ENSEMBLE, Expert::ANSWER.title()),
                ];
                segmented(
                    ui,
                    tr!("train-expert"),
                    &experts,
                    &mut cx.pages.compare.expert,
                );
            },
        );
        let expert = cx.pages.compare.expert;
        let tasks = shown
            .iter()
            .map(|(_, row)| row.header.as_ref().map_or(0, |h| h.tasks.len()));
        let labels: Vec<String> = (1..=tasks.max().unwrap_or(0))
            .map(|n| tr!("figure-task-column", n = n))
            .collect();
        let series = shown
            .iter()
            .map(|(shade, row)| {
                let history = row.of(row.history.nearest(expert));
                let points = (0..).zip(&history.accuracy);
                let points = points.map(|(task, a)| [f64::from(task), a * 100.0]);
                Series::of_run(t, *shade, row.title(), points)
            })
            .collect();
        Curves {
            id: "compare",
            name: tr!("compare-curves-name"),
            height: 300.0,
            tasks: &labels,
            series,
            now: None,
        }
        .show(ui);
    });
}

/// Draws A_N, Ā_N and F_N of each selected run for the selected expert.
fn numbers(ui: &mut Ui, shown: &[(Shade, &RunRow)], expert: Expert) {
    card(ui, |ui| {
        egui::ScrollArea::horizontal()
            .id_salt("numbers")
            .show(ui, |ui| number_table(ui, shown, expert));
    });
}

fn number_table(ui: &mut Ui, shown: &[(Shade, &RunRow)], expert: Expert) {
    let t = tokens(ui);
    widgets::grid(ui, "numbers", 8, [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-run"));
        for (head, term) in FIGURES {
            terms::faint(ui, tr!(head), term);
        }
        ui.end_row();
        for (shade, row) in shown {
            ui.horizontal(|ui| {
                dot(ui, *shade);
                ui.label(RichText::new(row.title()).color(t.text))
                    .on_hover_text(&row.name);
                let (done, all) = (row.answers().accuracy.len(), row.tasks());
                if done < all {
                    faint(ui, tr!("compare-after", done = done, n = all));
                }
            });
            let expert = row.history.nearest(expert);
            let history = row.of(expert);
            for value in [history.last(), history.average(), row.forgotten_by(expert)] {
                figure(ui, value, true);
            }
            trust(ui, row, expert);
            for (value, strong) in [
                (row.of(Expert::ONLINE).last(), false),
                (row.of(Expert::OFFLINE).last(), false),
                (row.history.task_given.last().copied().flatten(), false),
            ] {
                figure(ui, value, strong);
            }
            ui.end_row();
        }
    });
}

/// Draws the confidence interval of A_N of a run.
fn trust(ui: &mut Ui, row: &RunRow, expert: Expert) {
    let words = match row.quality_of(expert) {
        Some(quality) if quality.is_guessing() => tr!("train-no-better-than-guessing").to_string(),
        Some(quality) => quality.words(),
        None => "–".to_string(),
    };
    faint(ui, words);
}

fn figure(ui: &mut Ui, value: Option<f64>, strong: bool) {
    let t = tokens(ui);
    let text = value.map_or_else(|| "–".to_string(), |v| number(v * 100.0, 1));
    let (font, colour) = if strong {
        (semibold(13.0), t.strong)
    } else {
        (regular(13.0), t.text)
    };
    ui.label(RichText::new(text).font(font).color(colour));
}

/// Draws the settings in which the selected runs differ.
fn differ(ui: &mut Ui, shown: &[(Shade, &RunRow)], different: &[(String, Vec<String>)]) {
    let shown = shown.iter().filter(|(_, row)| row.header.is_some());
    if shown.clone().count() < 2 {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::title(ui, tr!("compare-differences"));
        if different.is_empty() {
            faint(ui, tr!("compare-no-differences"));
            return;
        }
        egui::ScrollArea::horizontal()
            .id_salt("differ")
            .show(ui, |ui| {
                widgets::grid(ui, "differ", None, [22.0, 7.0], |ui| {
                    faint(ui, "");
                    for (shade, _) in shown {
                        dot(ui, *shade);
                    }
                    ui.end_row();
                    for (key, values) in different {
                        faint(ui, title_of(key));
                        for value in values {
                            ui.label(RichText::new(value).color(t.text));
                        }
                        ui.end_row();
                    }
                });
            });
    });
}
