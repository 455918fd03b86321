//! The right column: the prediction, the experts' bars, the slider over task snapshots with the score of the class, and
//! why the two experts differ.

use std::sync::Arc;

use egui::{RichText, Role, Sense, Ui, Vec2};

use super::{board, by_class, inside, rejection, run_header, task_slider};
use crate::method::lae::drifts;
use crate::metrics::Expert;
use crate::run::event::{ClassPrediction, NamedImage, Prediction, RunHeader};
use crate::session::formatting::{format_number, format_percent, format_signed};
use crate::session::predict::decision::{decision_reason, more_confident_expert, ranking};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, regular, semibold, tokens};
use crate::ui::widgets::bars::{Bar, bars};
use crate::ui::widgets::curves::{Curves, Series, legend};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::{
    self, Column, allocate_named, card, card_with_height, faint, sentence, terms,
};

/// Number of bars for each expert.
const MAX_BARS: usize = 5;
/// Height reserved for the expandable parts below.
const EXPANDABLE_HEIGHT: f32 = 78.0;

/// Draws the right column.
pub fn right_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    if by_class::show(ui, cx) {
        return;
    }
    answers(ui, cx, column);
    board::show(ui, cx);
    inside::section(ui, cx);
}

fn answers(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let view = &cx.session.predict;
    if let Some(problem) = view.problem.clone() {
        card(ui, |ui| widgets::problem(ui, &problem));
        return;
    }
    let header = run_header(cx).cloned();
    let Some(answer) = view.selected_prediction().cloned() else {
        show_empty_state(ui, cx, column);
        return;
    };
    let stale = view.is_stale;
    verdict(ui, cx, &answer, header.as_ref());
    rejection::show(ui, cx, &answer);
    expert_predictions(ui, &answer, stale);
    task_history_card(ui, cx, &answer, header.as_ref());
    expert_difference_card(ui, cx, &answer, column);
}

/// Returns the height that remains above the expandable parts; 0 if they are long, because then the column scrolls.
fn remaining_height(ui: &Ui, cx: &Cx<'_>, column: Column) -> f32 {
    match task_slider::is_at_bottom(cx) {
        true => 0.0,
        false => (column.remaining_height(ui, 0.0) - EXPANDABLE_HEIGHT).max(0.0),
    }
}

fn show_empty_state(ui: &mut Ui, cx: &Cx<'_>, column: Column) {
    let height = remaining_height(ui, cx, column).max(200.0);
    let is_pending = cx.session.predict.image.is_some() && cx.session.predict.problem.is_none();
    card_with_height(ui, height, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(height * 0.3);
            let t = tokens(ui);
            let (headline, text) = if is_pending {
                (tr!("predict-predicting"), tr!("predict-predicting-about"))
            } else {
                (tr!("predict-choose-image"), tr!("predict-choose-image-about"))
            };
            ui.label(RichText::new(headline).font(semibold(18.0)).color(t.strong));
            ui.label(RichText::new(text).color(t.subdued));
        });
    });
}

/// Draws the prediction next to the image.
fn verdict(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction, header: Option<&RunHeader>) {
    let t = tokens(ui);
    let Some((class, p)) = answer.opinions.last().map(ClassPrediction::best) else {
        return;
    };
    let name = answer.classes.get(class).map_or("?", String::as_str);
    let task_classes = header
        .and_then(|h| h.class_order.get(h.tasks.get(answer.task)?.clone()))
        .unwrap_or_default();
    let (image, truth) = cx.session.predict.predicted_image.clone().unzip();
    let rejected = rejection::is_rejected(cx, answer);
    let headline = if rejected { tr!("predict-none") } else { name };
    let is_wide = ui.available_width() >= 560.0;
    let is_large = is_wide && headline.chars().count() <= 4;
    card(ui, |ui| {
        if cx.session.predict.is_stale {
            ui.multiply_opacity(0.5);
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 14.0;
            if let Some(image) = image {
                thumbnail(ui, cx, &image);
            }
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                let size = if is_large { 40.0 } else { 26.0 };
                widgets::truncated(ui, headline, semibold(size), t.strong);
                let score = match (rejected, format_percent(f64::from(p), 0)) {
                    (true, p) => tr!("predict-nearest", class = name, score = p),
                    (false, p) => tr!("predict-score", score = p),
                };
                let score = RichText::new(score).font(regular(15.0)).color(t.strong);
                let score = ui.label(score);
                terms::explain(ui, score, "score");
                if let Some(truth) = truth.flatten() {
                    let unknown = !answer.classes.contains(&truth);
                    let outcome = match (rejected, unknown) {
                        (true, true) => Ok(tr!("predict-correct-not-learned", class = truth)),
                        (false, _) if name == truth => Ok(tr!("predict-correct").into()),
                        _ => Err(tr!("predict-wrong", class = truth)),
                    };
                    outcome_label(ui, outcome);
                }
            });
            if is_wide && answer.opinions.len() > 1 {
                widgets::coloured(ui, decision_reason(answer, task_classes), |t| t.subdued);
            }
        });
        if !is_wide && answer.opinions.len() > 1 {
            sentence(ui, decision_reason(answer, task_classes));
        }
    });
}

fn thumbnail(ui: &mut Ui, cx: &mut Cx<'_>, image: &Arc<NamedImage>) {
    let side = 56.0;
    let name = tr!("predict-predicted-image");
    let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Image, name);
    cx.textures.paint_image(ui, image, rect.center(), side, 6);
    response.on_hover_text(&image.name);
}

/// Draws whether the prediction is correct, for images whose class is known.
fn outcome_label(ui: &mut Ui, outcome: Result<String, String>) {
    let t = tokens(ui);
    let (icon, colour, text) = match outcome {
        Ok(text) => (Icon::Tick, t.good, text),
        Err(text) => (Icon::Cross, t.bad, text),
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
        icons::paint(ui.painter(), icon, rect.center(), 10.0, colour);
        ui.label(RichText::new(text).color(colour));
    });
}

fn expert_predictions(ui: &mut Ui, answer: &Prediction, stale: bool) {
    let is_narrow = ui.available_width() < 460.0;
    let columns = if is_narrow { 1.0 } else { answer.opinions.len().max(1) as f32 };
    let width = (ui.available_width() - GAP * (columns - 1.0)) / columns;
    let draw = |ui: &mut Ui| {
        for view in &answer.opinions {
            widgets::part(ui, width, |ui| {
                ui.push_id(view.expert.key(), |ui| {
                    expert_prediction(ui, answer, view, stale);
                });
            });
        }
    };
    if is_narrow {
        draw(ui);
    } else {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            draw(ui);
        });
    }
}

fn expert_prediction(ui: &mut Ui, answer: &Prediction, view: &ClassPrediction, stale: bool) {
    let t = tokens(ui);
    let expert = view.expert;
    card_with_height(ui, 226.0, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(24.0);
            let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 16.0), Sense::hover());
            icons::marker(ui.painter(), expert, rect.center(), 11.0, t.expert_colour(expert));
            let title = widgets::title(ui, expert.title());
            if expert != Expert::ANSWER {
                terms::explain(ui, title, terms::expert_key(expert));
            }
            if more_confident_expert(answer) == Some(expert) {
                certainty_badge(ui);
            }
        });
        let list: Vec<Bar> = ranking(view)
            .into_iter()
            .take(MAX_BARS)
            .map(|(class, share)| Bar {
                name: answer.classes.get(class).cloned().unwrap_or_default(),
                share,
            })
            .collect();
        ui.spacing_mut().item_spacing.y = 6.0;
        bars(ui, expert, &list, stale);
        let Some(energy) = view.energy else { return };
        let energy = format_signed(energy.into(), 1);
        let energy = faint(ui, tr!("predict-energy", value = energy));
        let energy = terms::explain(ui, energy, "energy");
        if expert == Expert::ENSEMBLE {
            energy.on_hover_text(tr!("predict-energy-of-ensemble"));
        }
    });
}

fn certainty_badge(ui: &mut Ui) {
    let t = tokens(ui);
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let text = RichText::new(tr!("predict-more-certain")).font(semibold(11.0)).color(t.good);
        egui::Frame::new()
            .stroke(egui::Stroke::new(1.0, t.line))
            .corner_radius(12)
            .inner_margin(egui::Margin::symmetric(9, 3))
            .show(ui, |ui| ui.label(text));
    });
}

fn task_history_card(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    answer: &Prediction,
    header: Option<&RunHeader>,
) {
    let done = cx.session.predict.predictions.len();
    let total = header.map_or(done, |h| h.tasks.len()).max(done);
    let experts: Vec<Expert> = answer.opinions.iter().map(|o| o.expert).collect();
    card(ui, |ui| {
        let title = tr!("predict-over-tasks");
        if task_slider::is_at_bottom(cx) {
            ui.horizontal_wrapped(|ui| {
                widgets::title(ui, title);
                legend(ui, &experts);
            });
        } else {
            task_slider::scrubber(ui, cx, title, &experts);
        }
        score(ui, cx, answer, header, total);
    });
}

/// Draws the score, over the tasks, of the true class, or, if it is unknown, of the class that the newest snapshot
/// predicts.
fn score(ui: &mut Ui, cx: &Cx<'_>, answer: &Prediction, header: Option<&RunHeader>, total: usize) {
    let t = tokens(ui);
    let view = &cx.session.predict;
    let newest = view.predictions.iter().flatten().next_back();
    let newest = newest.map_or(answer, |newest| newest);
    let truth = view.predicted_image.as_ref().and_then(|(_, truth)| truth.as_ref());
    let position = truth
        .and_then(|name| newest.classes.iter().position(|class| class == name))
        .or_else(|| newest.opinions.last().map(|prediction| prediction.class))
        .unwrap_or_default();
    let name = newest.classes.get(position).map_or("?", String::as_str);
    let first = header.and_then(|h| h.tasks.iter().position(|range| range.contains(&position)));
    let learned_note = match first {
        Some(0) | None => String::new(),
        Some(task) => {
            let first = tr!("predict-over-tasks-first", class = name, task = task + 1);
            format!("  ·  {first}")
        }
    };
    let title = tr!("predict-over-tasks-score", class = name);
    terms::faint(ui, title + &learned_note, "score");
    let labels: Vec<String> = (1..=total).map(|task| tr!("figure-after-task", task)).collect();
    let series = answer.opinions.iter().map(|prediction| {
        let values = view.class_scores(position, prediction.expert).into_iter();
        Series::from_expert(t, prediction.expert, values)
    });
    Curves {
        id: "score",
        name: tr!("predict-over-tasks-chart"),
        height: 150.0,
        tasks: &labels,
        series: series.collect(),
        current_task: None,
    }
    .show(ui);
}

fn expert_difference_card(ui: &mut Ui, cx: &Cx<'_>, answer: &Prediction, column: Column) {
    let height = remaining_height(ui, cx, column);
    let Some(folder) = &cx.session.predict.run else {
        return;
    };
    let live = cx.session.train.live.as_ref().and_then(|run| {
        let is_selected = run.header.as_ref().is_some_and(|h| h.folder == *folder);
        let report = run.reports.get(answer.task).filter(|_| is_selected)?;
        Some(&report.measurements)
    });
    let measurements = live.or_else(|| cx.session.row(folder)?.measurements.get(answer.task));
    let drift = measurements.and_then(drifts);
    if answer.opinions.len() < 2 {
        return;
    }
    card_with_height(ui, height, |ui| {
        widgets::title(ui, tr!("predict-experts-differ"));
        let text = match drift {
            _ if answer.task == 0 => tr!("predict-experts-differ-first-task").to_string(),
            Some((online, offline)) => tr!(
                "predict-experts-differ-movement",
                online = format_number(online, 2),
                offline = format_number(offline, 2)
            ),
            None => tr!("predict-experts-differ-average").to_string(),
        };
        sentence(ui, text);
    });
}
