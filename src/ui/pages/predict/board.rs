//! The board of pinned images: for each image the predictions of several runs after the selected task, and the score of
//! its class over the tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{
    Align2, Button, Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Stroke, TextWrapMode,
    Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::{prediction_runs, run_title};
use crate::run::event::{NamedImage, RunHeader};
use crate::session::board::{Cell, MAX_RUNS};
use crate::session::formatting::format_percent;
use crate::session::pins::Pin;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{CONTROL_HEIGHT, RADIUS, regular, semibold, tokens};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::{
    self, allocate_named, button, card, faint, icon_button, outlined, paint_border,
    paint_truncated_text,
};

/// Width of the column of images.
const IMAGE_WIDTH: f32 = 92.0;
/// Size of a run's prediction.
const CELL_SIZE: Vec2 = vec2(112.0, 62.0);
/// Height of the row of run names.
const HEADER_HEIGHT: f32 = 34.0;

/// Draws the button that pins the displayed image.
pub fn pin_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(image) = &cx.session.predict.image else {
        return;
    };
    let pinned = is_pinned(cx, image);
    let label = match pinned {
        true => tr!("predict-pinned"),
        false => tr!("predict-pin"),
    };
    let button =
        Button::new(label).wrap_mode(TextWrapMode::Extend).min_size(vec2(0.0, CONTROL_HEIGHT));
    let response = ui.add_enabled(!pinned, button);
    if response.on_hover_text(tr!("predict-pin-hint")).clicked() {
        let truth = cx.session.predict.truth.clone();
        pin(cx, image.clone(), truth);
    }
}

/// Draws a small pin in the corner of a sample image. It is visible on hover and with the keyboard focus.
pub fn pin_corner(ui: &Ui, cx: &mut Cx<'_>, sample: Rect, image: &Arc<NamedImage>, class: &str) {
    let t = tokens(ui);
    let size = Vec2::splat(18.0);
    let rect = Rect::from_min_size(sample.right_top() - vec2(size.x, 0.0), size);
    let response = ui.interact(rect, ui.next_auto_id().with("pin"), Sense::click());
    let pinned = is_pinned(cx, image);
    let name = match pinned {
        true => tr!("predict-pin-sample-done", class),
        false => tr!("predict-pin-sample", class),
    };
    let enabled = ui.is_enabled() && !pinned;
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, &name));
    let is_hovered = ui.rect_contains_pointer(sample);
    if is_hovered || pinned || response.has_focus() {
        let background = if response.hovered() { t.raised } else { t.card };
        ui.painter().rect_filled(rect, RADIUS, background);
        let colour = if pinned { t.accent } else { t.strong };
        icons::paint(ui.painter(), Icon::Pin, rect.center(), 10.0, colour);
    }
    if response.on_hover_text(name).clicked() && !pinned {
        pin(cx, image.clone(), Some(class.to_string()));
    }
}

fn is_pinned(cx: &Cx<'_>, image: &Arc<NamedImage>) -> bool {
    let pins = cx.session.predict.pins.pins();
    pins.iter().any(|pin| Arc::ptr_eq(&pin.image, image) || pin.image == *image)
}

fn pin(cx: &mut Cx<'_>, image: Arc<NamedImage>, truth: Option<String>) {
    if cx.session.predict.pins.runs().is_empty()
        && let Some(run) = cx.session.predict.run.clone()
    {
        cx.change(move |session| session.add_run_to_board(run));
    }
    cx.change(move |session| {
        session.pin(image, truth);
    });
}

/// Draws the board if an image is pinned.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let pins = cx.session.predict.pins.pins();
    if pins.is_empty() {
        return;
    }
    card(ui, |ui| {
        widgets::title_row(ui, tr!("predict-pins"), |ui| runs_menu(ui, cx));
        let task = cx.session.predict.task;
        faint(ui, tr!("predict-pins-about", task = task + 1));
        let runs = cx.session.predict.pins.runs();
        ScrollArea::horizontal().id_salt("board").show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
            show_header(ui, cx, runs);
            for pin in pins {
                ui.push_id(pin.id, |ui| row(ui, cx, pin, runs, task));
            }
        });
    });
}

/// Draws a button that opens the list of runs to add or remove.
fn runs_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    let chosen = cx.session.predict.pins.runs();
    let opener = button(ui, tr!("predict-pins-runs", n = chosen.len()));
    Popup::menu(&opener).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_max_width(360.0);
        if let Some(run) = &cx.session.predict.run
            && ui.button(tr!("predict-pins-all-runs")).clicked()
        {
            show_runs(cx, cx.session.runs_with_classes_of(run));
        }
        let is_full = chosen.len() >= MAX_RUNS;
        ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            for (folder, title) in prediction_runs(cx.session) {
                let mut checked = chosen.contains(&folder);
                let enabled = checked || !is_full;
                let response = outlined(ui, |ui| {
                    ui.add_enabled(enabled, egui::Checkbox::new(&mut checked, title))
                });
                if response.changed() {
                    cx.change(move |session| match checked {
                        true => session.add_run_to_board(folder),
                        false => session.remove_run_from_board(&folder),
                    });
                }
            }
        });
        if is_full {
            faint(ui, tr!("predict-pins-most-runs", n = MAX_RUNS));
        }
    });
}

fn show_runs(cx: &mut Cx<'_>, runs: Vec<PathBuf>) {
    for old in cx.session.predict.pins.runs() {
        if !runs.contains(old) {
            let old = old.clone();
            cx.change(move |session| session.remove_run_from_board(&old));
        }
    }
    for run in runs {
        cx.change(move |session| session.add_run_to_board(run));
    }
}

fn show_header(ui: &mut Ui, cx: &Cx<'_>, runs: &[PathBuf]) {
    let t = tokens(ui);
    ui.horizontal(|ui| {
        ui.allocate_exact_size(vec2(IMAGE_WIDTH, HEADER_HEIGHT), Sense::hover());
        for run in runs {
            let (rect, response) =
                ui.allocate_exact_size(vec2(CELL_SIZE.x, HEADER_HEIGHT), Sense::hover());
            let name = run_title(cx.session, run).unwrap_or_else(|| "?".into());
            let header = cx.session.header_of(run);
            let method = header.map_or("?", |header| header.short_name());
            let subtitle = header.map_or_else(String::new, |header| {
                let pet = header.method.pet(&header.config);
                pet.unwrap_or_else(|| header.config.dataset_name())
            });
            let background = match cx.session.predict.run.as_ref() == Some(run) {
                true => t.raised,
                false => t.background,
            };
            ui.painter().rect_filled(rect, RADIUS, background);
            let pos = rect.left_top() + vec2(7.0, 4.0);
            let (align, width) = (Align2::LEFT_TOP, CELL_SIZE.x - 14.0);
            paint_truncated_text(ui, pos, align, method, semibold(12.0), t.strong, width);
            let pos = pos + vec2(0.0, 14.0);
            paint_truncated_text(ui, pos, align, &subtitle, regular(11.0), t.subdued, width);
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
            response.on_hover_text(name);
        }
    });
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, pin: &Pin, runs: &[PathBuf], task: usize) {
    ui.horizontal(|ui| {
        pinned_image(ui, cx, pin);
        for run in runs {
            let cell = cx.session.board_cell(pin, run, task);
            prediction_cell(ui, cx, pin, run, &cell, task);
        }
    });
}

/// Draws a pinned image and a button to unpin it. A click on the image predicts it.
fn pinned_image(ui: &mut Ui, cx: &mut Cx<'_>, pin: &Pin) {
    ui.allocate_ui(vec2(IMAGE_WIDTH, CELL_SIZE.y), |ui| {
        ui.set_width(IMAGE_WIDTH);
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        let side = CELL_SIZE.y - 2.0;
        let name = match &pin.truth {
            Some(truth) => tr!("predict-pins-image-of-class", class = truth),
            None => tr!("predict-pins-image").into(),
        };
        let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Button, &name);
        let centre = rect.center();
        cx.textures.paint_image(ui, &pin.image, centre, side, 6);
        if response.has_focus() || response.hovered() {
            paint_border(ui, rect, 6, tokens(ui).accent);
        }
        let hint = format!("{}\n{}", pin.image.name, tr!("predict-pins-predict-hint"));
        if response.on_hover_text(hint).clicked() {
            let (image, truth) = (pin.image.clone(), pin.truth.clone());
            cx.dispatch(UiCommand::PredictImage(image, truth));
        }
        if icon_button(ui, Icon::Cross, tr!("predict-pins-remove"), 20.0).clicked() {
            let pin = pin.id;
            cx.change(move |session| session.unpin(pin));
        }
    });
}

fn prediction_cell(ui: &mut Ui, cx: &Cx<'_>, pin: &Pin, run: &Path, cell: &Cell, task: usize) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(CELL_SIZE, Sense::hover());
    ui.painter().rect_filled(rect, RADIUS, t.background);
    let text = cell_text(cx, pin, run, cell);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    let pos = rect.left_top() + vec2(7.0, 5.0);
    match (&cell.predicted, &cell.missing_reason) {
        (Some((class, score)), _) => {
            let mut width = CELL_SIZE.x - 50.0;
            if let Some(is_correct) = cell.is_correct {
                let (icon, colour) = match is_correct {
                    true => (Icon::Tick, t.good),
                    false => (Icon::Cross, t.bad),
                };
                let centre = rect.right_top() + vec2(-11.0, 13.0);
                icons::paint(ui.painter(), icon, centre, 8.0, colour);
                width -= 12.0;
            }
            let align = Align2::LEFT_TOP;
            paint_truncated_text(ui, pos, align, class, semibold(13.0), t.strong, width);
            let pos = pos2(rect.left() + 7.0 + width + 30.0, pos.y + 1.0);
            let share = format_percent(f64::from(*score), 0);
            let font = regular(12.0);
            ui.painter().text(pos, Align2::RIGHT_TOP, share, font, t.text);
        }
        (None, Some(reason)) => {
            let width = CELL_SIZE.x - 14.0;
            let align = Align2::LEFT_TOP;
            paint_truncated_text(ui, pos, align, reason, regular(11.0), t.subdued, width);
        }
        (None, None) => {}
    }
    let curve_rect = Rect::from_min_max(
        pos2(rect.left() + 8.0, rect.top() + 28.0),
        rect.right_bottom() - vec2(8.0, 8.0),
    );
    curve(ui, curve_rect, cell, cx.session.finished_tasks(run), task);
    response.on_hover_text(text);
}

/// Draws the score of a class over the tasks, from 0 to 1, with a dot at the selected task.
fn curve(ui: &Ui, rect: Rect, cell: &Cell, tasks: usize, task: usize) {
    let t = tokens(ui);
    let line = Stroke::new(1.0, t.line);
    ui.painter().hline(rect.x_range(), rect.bottom(), line);
    let step = rect.width() / (tasks.max(2) - 1) as f32;
    let point = |&(task, p): &(usize, f32)| {
        let y = rect.bottom() - p.clamp(0.0, 1.0) * rect.height();
        pos2(rect.left() + step * task as f32, y)
    };
    let points: Vec<egui::Pos2> = cell.curve.iter().map(point).collect();
    match points[..] {
        [only] => {
            ui.painter().circle_filled(only, 1.6, t.accent);
        }
        _ => {
            ui.painter().line(points, Stroke::new(1.5, t.accent));
        }
    }
    if let Some(current) = cell.curve.iter().find(|(known, _)| *known == task) {
        ui.painter().circle_filled(point(current), 3.0, t.accent);
    }
}

/// Returns the content of a cell as text, for tooltips and screen readers.
fn cell_text(cx: &Cx<'_>, pin: &Pin, run: &Path, cell: &Cell) -> String {
    let title = cx.session.header_of(run).map(RunHeader::title);
    let share = |p: f32| format_percent(f64::from(p), 0);
    let mut text = format!("{}: ", title.unwrap_or_default());
    match (&cell.predicted, &cell.missing_reason) {
        (Some((class, p)), _) => text += &format!("{class}, {}", share(*p)),
        (None, Some(reason)) => text += reason,
        (None, None) => {}
    }
    match (cell.is_correct, &pin.truth) {
        (Some(true), _) => text += &format!(", {}", tr!("predict-correct")),
        (Some(false), Some(truth)) => {
            text += &format!(", {}", tr!("predict-wrong", class = truth));
        }
        _ => {}
    }
    if !cell.curve.is_empty() {
        let scores = cell.curve.iter();
        let scores =
            scores.map(|&(task, p)| tr!("predict-pins-share", share = share(p), task = task + 1));
        let each = scores.collect::<Vec<_>>().join(", ");
        let class = &cell.plotted_class;
        text += &format!(". {}", tr!("predict-pins-score", class, each));
    }
    text
}
