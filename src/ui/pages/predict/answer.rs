//! The right column: the prediction, the experts' bars, the slider over task snapshots with the score of the class, and
//! why the two experts differ.

use std::sync::Arc;

use egui::{RichText, Role, Sense, Ui, Vec2};

use super::{board, inside, refusal, run_header, sorted, task_slider};
use crate::method::lae::drifts;
use crate::metrics::Expert;
use crate::run::event::{ClassPrediction, Picture, Prediction, RunHeader};
use crate::session::predict::{ranking, reason};
use crate::session::words::{number, percent, signed};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, regular, semibold, tokens};
use crate::ui::widgets::bars::{Bar, bars};
use crate::ui::widgets::curves::{Curves, Series, legend};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::{self, Column, allocate_named, card, card_of, faint, sentence, terms};

/// Number of bars for each expert.
const TOP: usize = 5;
/// Height reserved for the expandable parts below.
const BELOW: f32 = 78.0;

/// Draws the right column.
pub fn right(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    if sorted::show(ui, cx) {
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
    let Some(answer) = view.shown().cloned() else {
        nothing_yet(ui, cx, column);
        return;
    };
    let stale = view.stale;
    verdict(ui, cx, &answer, header.as_ref());
    refusal::line(ui, cx, &answer);
    opinions(ui, &answer, stale);
    through_tasks(ui, cx, &answer, header.as_ref());
    why(ui, cx, &answer, column);
}

/// Returns the height that remains above the expandable parts; 0 if they are long, because then the column scrolls.
fn rest(ui: &Ui, cx: &Cx<'_>, column: Column) -> f32 {
    match task_slider::at_foot(cx) {
        true => 0.0,
        false => (column.rest(ui, 0.0) - BELOW).max(0.0),
    }
}

fn nothing_yet(ui: &mut Ui, cx: &Cx<'_>, column: Column) {
    let height = rest(ui, cx, column).max(200.0);
    let asked = cx.session.predict.picture.is_some() && cx.session.predict.problem.is_none();
    card_of(ui, height, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(height * 0.3);
            let t = tokens(ui);
            let (headline, text) = if asked {
                (tr!("predict-predicting"), tr!("predict-predicting-about"))
            } else {
                (
                    tr!("predict-choose-image"),
                    tr!("predict-choose-image-about"),
                )
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
    let busy = header
        .and_then(|h| h.class_order.get(h.tasks.get(answer.task)?.clone()))
        .unwrap_or_default();
    let (picture, truth) = cx.session.predict.answered.clone().unzip();
    let refused = refusal::refuses(cx, answer);
    let headline = if refused { tr!("predict-none") } else { name };
    let wide = ui.available_width() >= 560.0;
    let large = wide && headline.chars().count() <= 4;
    card(ui, |ui| {
        if cx.session.predict.stale {
            ui.multiply_opacity(0.5);
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 14.0;
            if let Some(picture) = picture {
                thumbnail(ui, cx, &picture);
            }
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                let size = if large { 40.0 } else { 26.0 };
                widgets::truncated(ui, headline, semibold(size), t.strong);
                let score = match (refused, percent(f64::from(p), 0)) {
                    (true, p) => tr!("predict-nearest", class = name, score = p),
                    (false, p) => tr!("predict-score", score = p),
                };
                let score = RichText::new(score).font(regular(15.0)).color(t.strong);
                let score = ui.label(score);
                terms::explain(ui, score, "score");
                if let Some(truth) = truth.flatten() {
                    let unknown = !answer.classes.contains(&truth);
                    let said = match (refused, unknown) {
                        (true, true) => Ok(tr!("predict-correct-not-learned", class = truth)),
                        (false, _) if name == truth => Ok(tr!("predict-correct").into()),
                        _ => Err(tr!("predict-wrong", class = truth)),
                    };
                    right_or_wrong(ui, said);
                }
            });
            if wide && answer.opinions.len() > 1 {
                widgets::coloured(ui, reason(answer, busy), |t| t.subdued);
            }
        });
        if !wide && answer.opinions.len() > 1 {
            sentence(ui, reason(answer, busy));
        }
    });
}

fn thumbnail(ui: &mut Ui, cx: &mut Cx<'_>, picture: &Arc<Picture>) {
    let side = 56.0;
    let name = tr!("predict-predicted-image");
    let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Image, name);
    cx.textures.paint_whole(ui, picture, rect.center(), side, 6);
    response.on_hover_text(&picture.name);
}

/// Draws whether the prediction is correct, for images whose class is known.
fn right_or_wrong(ui: &mut Ui, said: Result<String, String>) {
    let t = tokens(ui);
    let (icon, colour, words) = match said {
        Ok(words) => (Icon::Tick, t.good, words),
        Err(words) => (Icon::Cross, t.bad, words),
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
        icons::paint(ui.painter(), icon, rect.center(), 10.0, colour);
        ui.label(RichText::new(words).color(colour));
    });
}

fn opinions(ui: &mut Ui, answer: &Prediction, stale: bool) {
    let narrow = ui.available_width() < 460.0;
    let columns = if narrow {
        1.0
    } else {
        answer.opinions.len().max(1) as f32
    };
    let width = (ui.available_width() - GAP * (columns - 1.0)) / columns;
    let draw = |ui: &mut Ui| {
        for view in &answer.opinions {
            widgets::part(ui, width, |ui| {
                ui.push_id(view.expert.name(), |ui| {
                    one_opinion(ui, answer, view, stale);
                });
            });
        }
    };
    if narrow {
        draw(ui);
    } else {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            draw(ui);
        });
    }
}

fn one_opinion(ui: &mut Ui, answer: &Prediction, view: &ClassPrediction, stale: bool) {
    let t = tokens(ui);
    let expert = view.expert;
    card_of(ui, 226.0, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(24.0);
            let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 16.0), Sense::hover());
            icons::marker(ui.painter(), expert, rect.center(), 11.0, t.expert(expert));
            let title = widgets::title(ui, expert.title());
            if expert != Expert::ANSWER {
                terms::explain(ui, title, terms::of_expert(expert));
            }
            let several = answer.opinions.len() > 1;
            if several && expert == answer.decided_by && answer.task > 0 {
                more_certain(ui);
            }
        });
        let list: Vec<Bar> = ranking(view)
            .into_iter()
            .take(TOP)
            .map(|(class, share)| Bar {
                name: answer.classes.get(class).cloned().unwrap_or_default(),
                share,
            })
            .collect();
        ui.spacing_mut().item_spacing.y = 6.0;
        bars(ui, expert, &list, stale);
        let Some(energy) = view.energy else { return };
        let energy = signed(energy.into(), 1);
        let energy = faint(ui, tr!("predict-energy", value = energy));
        let energy = terms::explain(ui, energy, "energy");
        if expert == Expert::ENSEMBLE {
            energy.on_hover_text(tr!("predict-energy-of-ensemble"));
        }
    });
}

fn more_certain(ui: &mut Ui) {
    let t = tokens(ui);
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let text = RichText::new(tr!("predict-more-certain"))
            .font(semibold(11.0))
            .color(t.good);
        egui::Frame::new()
            .stroke(egui::Stroke::new(1.0, t.line))
            .corner_radius(12)
            .inner_margin(egui::Margin::symmetric(9, 3))
            .show(ui, |ui| ui.label(text));
    });
}

fn through_tasks(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction, header: Option<&RunHeader>) {
    let done = cx.session.predict.answers.len();
    let all = header.map_or(done, |h| h.tasks.len()).max(done);
    let experts: Vec<Expert> = answer.opinions.iter().map(|o| o.expert).collect();
    card(ui, |ui| {
        let title = tr!("predict-over-tasks");
        if task_slider::at_foot(cx) {
            ui.horizontal_wrapped(|ui| {
                widgets::title(ui, title);
                legend(ui, experts.iter().copied());
            });
        } else {
            task_slider::scrubber(ui, cx, title, &experts);
        }
        score(ui, cx, answer, header, all);
    });
}

/// Draws the score, over the tasks, of the class that the newest snapshot predicts.
fn score(ui: &mut Ui, cx: &Cx<'_>, answer: &Prediction, header: Option<&RunHeader>, all: usize) {
    let t = tokens(ui);
    let view = &cx.session.predict;
    let newest = view.answers.iter().flatten().next_back();
    let newest = newest.map_or(answer, |newest| newest);
    let truth = view.answered.as_ref().and_then(|(_, truth)| truth.as_ref());
    let position = truth
        .and_then(|name| newest.classes.iter().position(|class| class == name))
        .or_else(|| newest.opinions.last().map(|opinion| opinion.class))
        .unwrap_or_default();
    let name = newest.classes.get(position).map_or("?", String::as_str);
    let first = header.and_then(|h| h.tasks.iter().position(|range| range.contains(&position)));
    let taught = match first {
        Some(0) | None => String::new(),
        Some(task) => {
            let first = tr!("predict-over-tasks-first", class = name, task = task + 1);
            format!("  ·  {first}")
        }
    };
    let title = tr!("predict-over-tasks-score", class = name);
    terms::faint(ui, title + &taught, "score");
    let labels: Vec<String> = (1..=all)
        .map(|task| tr!("figure-after-task", task))
        .collect();
    let series = answer.opinions.iter().map(|opinion| {
        let values = view.over_tasks(position, opinion.expert).into_iter();
        Series::of_expert(t, opinion.expert, values)
    });
    Curves {
        id: "score",
        name: tr!("predict-over-tasks-chart"),
        height: 150.0,
        tasks: &labels,
        series: series.collect(),
        now: None,
    }
    .show(ui);
}

fn why(ui: &mut Ui, cx: &Cx<'_>, answer: &Prediction, column: Column) {
    let height = rest(ui, cx, column);
    let Some(folder) = &cx.session.predict.run else {
        return;
    };
    let live = cx.session.train.live.as_ref().and_then(|run| {
        let mine = run.header.as_ref().is_some_and(|h| h.folder == *folder);
        let report = run.reports.get(answer.task).filter(|_| mine)?;
        Some(&report.measurements)
    });
    let measurements = live.or_else(|| cx.session.row(folder)?.measurements.get(answer.task));
    let drift = measurements.and_then(drifts);
    if answer.opinions.len() < 2 {
        return;
    }
    card_of(ui, height, |ui| {
        widgets::title(ui, tr!("predict-experts-differ"));
        let text = match drift {
            _ if answer.task == 0 => tr!("predict-experts-differ-first-task").to_string(),
            Some((online, offline)) => tr!(
                "predict-experts-differ-movement",
                online = number(online, 2),
                offline = number(offline, 2)
            ),
            None => tr!("predict-experts-differ-average").to_string(),
        };
        sentence(ui, text);
    });
}
