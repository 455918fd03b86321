//! The board of pinned images: for each image the predictions of several runs after the selected task, and the score of
//! its class over the tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{
    Align2, Button, Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Stroke, TextWrapMode,
    Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::{askable, listed_as};
use crate::run::event::{Picture, RunHeader};
use crate::session::board::{Cell, MOST_RUNS};
use crate::session::pins::Pin;
use crate::session::words::percent;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{CONTROL, RADIUS, regular, semibold, tokens};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::{
    self, allocate_named, button, card, faint, icon_button, outlined, paint_border, painted_text,
};

/// Width of the column of images.
const PICTURES: f32 = 92.0;
/// Size of a run's prediction.
const CELL: Vec2 = vec2(112.0, 62.0);
/// Height of the row of run names.
const HEAD: f32 = 34.0;

/// Draws the button that pins the displayed image.
pub fn pin_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(picture) = &cx.session.predict.picture else {
        return;
    };
    let pinned = is_pinned(cx, picture);
    let words = match pinned {
        true => tr!("predict-pinned"),
        false => tr!("predict-pin"),
    };
    let button = Button::new(words)
        .wrap_mode(TextWrapMode::Extend)
        .min_size(vec2(0.0, CONTROL));
    let response = ui.add_enabled(!pinned, button);
    if response.on_hover_text(tr!("predict-pin-hint")).clicked() {
        let truth = cx.session.predict.truth.clone();
        pin(cx, picture.clone(), truth);
    }
}

/// Draws a small pin in the corner of a sample image. It is visible on hover and with the keyboard focus.
pub fn pin_corner(ui: &Ui, cx: &mut Cx<'_>, sample: Rect, picture: &Arc<Picture>, class: &str) {
    let t = tokens(ui);
    let size = Vec2::splat(18.0);
    let place = Rect::from_min_size(sample.right_top() - vec2(size.x, 0.0), size);
    let response = ui.interact(place, ui.next_auto_id().with("pin"), Sense::click());
    let pinned = is_pinned(cx, picture);
    let name = match pinned {
        true => tr!("predict-pin-sample-done", class),
        false => tr!("predict-pin-sample", class),
    };
    let enabled = ui.is_enabled() && !pinned;
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, &name));
    let over = ui.rect_contains_pointer(sample);
    if over || pinned || response.has_focus() {
        let ground = if response.hovered() { t.raised } else { t.card };
        ui.painter().rect_filled(place, RADIUS, ground);
        let colour = if pinned { t.accent } else { t.strong };
        icons::paint(ui.painter(), Icon::Pin, place.center(), 10.0, colour);
    }
    if response.on_hover_text(name).clicked() && !pinned {
        pin(cx, picture.clone(), Some(class.to_string()));
    }
}

fn is_pinned(cx: &Cx<'_>, picture: &Arc<Picture>) -> bool {
    let pins = cx.session.predict.pins.pictures();
    pins.iter()
        .any(|pin| Arc::ptr_eq(&pin.picture, picture) || pin.picture == *picture)
}

fn pin(cx: &mut Cx<'_>, picture: Arc<Picture>, truth: Option<String>) {
    if cx.session.predict.pins.runs().is_empty()
        && let Some(run) = cx.session.predict.run.clone()
    {
        cx.change(move |session| session.show_pins_to(run));
    }
    cx.change(move |session| {
        session.pin(picture, truth);
    });
}

/// Draws the board if an image is pinned.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let pins = cx.session.predict.pins.pictures();
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
            head(ui, cx, runs);
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
    Popup::menu(&opener)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            ui.set_max_width(360.0);
            if let Some(own) = &cx.session.predict.run
                && ui.button(tr!("predict-pins-all-runs")).clicked()
            {
                show_to(cx, cx.session.runs_with_classes_of(own));
            }
            let full = chosen.len() >= MOST_RUNS;
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for (folder, title) in askable(cx.session) {
                    let mut on = chosen.contains(&folder);
                    let free = on || !full;
                    let tick = outlined(ui, |ui| {
                        ui.add_enabled(free, egui::Checkbox::new(&mut on, title))
                    });
                    if tick.changed() {
                        cx.change(move |session| match on {
                            true => session.show_pins_to(folder),
                            false => session.hide_pins_from(&folder),
                        });
                    }
                }
            });
            if full {
                faint(ui, tr!("predict-pins-most-runs", n = MOST_RUNS));
            }
        });
}

fn show_to(cx: &mut Cx<'_>, runs: Vec<PathBuf>) {
    for old in cx.session.predict.pins.runs() {
        if !runs.contains(old) {
            let old = old.clone();
            cx.change(move |session| session.hide_pins_from(&old));
        }
    }
    for run in runs {
        cx.change(move |session| session.show_pins_to(run));
    }
}

fn head(ui: &mut Ui, cx: &Cx<'_>, runs: &[PathBuf]) {
    let t = tokens(ui);
    ui.horizontal(|ui| {
        ui.allocate_exact_size(vec2(PICTURES, HEAD), Sense::hover());
        for run in runs {
            let (rect, response) = ui.allocate_exact_size(vec2(CELL.x, HEAD), Sense::hover());
            let name = listed_as(cx.session, run).unwrap_or_else(|| "?".into());
            let header = cx.session.header_of(run);
            let method = header.map_or("?", |header| header.short());
            let second = header.map_or_else(String::new, |header| {
                let pet = header.method.pet(&header.config);
                pet.unwrap_or_else(|| header.config.data_name())
            });
            let ground = match cx.session.predict.run.as_ref() == Some(run) {
                true => t.raised,
                false => t.background,
            };
            ui.painter().rect_filled(rect, RADIUS, ground);
            let at = rect.left_top() + vec2(7.0, 4.0);
            let (left, width) = (Align2::LEFT_TOP, CELL.x - 14.0);
            painted_text(ui, at, left, method, semibold(12.0), t.strong, width);
            let at = at + vec2(0.0, 14.0);
            painted_text(ui, at, left, &second, regular(11.0), t.subdued, width);
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
            response.on_hover_text(name);
        }
    });
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, pin: &Pin, runs: &[PathBuf], task: usize) {
    ui.horizontal(|ui| {
        picture(ui, cx, pin);
        for run in runs {
            let cell = cx.session.board_cell(pin, run, task);
            answer(ui, cx, pin, run, &cell, task);
        }
    });
}

/// Draws a pinned image and a button to unpin it. A click on the image predicts it.
fn picture(ui: &mut Ui, cx: &mut Cx<'_>, pin: &Pin) {
    ui.allocate_ui(vec2(PICTURES, CELL.y), |ui| {
        ui.set_width(PICTURES);
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        let side = CELL.y - 2.0;
        let name = match &pin.truth {
            Some(truth) => tr!("predict-pins-image-of-class", class = truth),
            None => tr!("predict-pins-image").into(),
        };
        let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Button, &name);
        let centre = rect.center();
        cx.textures.paint_whole(ui, &pin.picture, centre, side, 6);
        if response.has_focus() || response.hovered() {
            paint_border(ui, rect, 6, tokens(ui).accent);
        }
        let hint = format!("{}\n{}", pin.picture.name, tr!("predict-pins-predict-hint"));
        if response.on_hover_text(hint).clicked() {
            let (picture, truth) = (pin.picture.clone(), pin.truth.clone());
            cx.act(UiCommand::PredictPicture(picture, truth));
        }
        if icon_button(ui, Icon::Cross, tr!("predict-pins-remove"), 20.0).clicked() {
            let pin = pin.id;
            cx.change(move |session| session.unpin(pin));
        }
    });
}

fn answer(ui: &mut Ui, cx: &Cx<'_>, pin: &Pin, run: &Path, cell: &Cell, task: usize) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(CELL, Sense::hover());
    ui.painter().rect_filled(rect, RADIUS, t.background);
    let words = in_words(cx, pin, run, cell);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let at = rect.left_top() + vec2(7.0, 5.0);
    match (&cell.answer, &cell.missing) {
        (Some((class, score)), _) => {
            let mut width = CELL.x - 50.0;
            if let Some(right) = cell.right {
                let (icon, colour) = match right {
                    true => (Icon::Tick, t.good),
                    false => (Icon::Cross, t.bad),
                };
                let centre = rect.right_top() + vec2(-11.0, 13.0);
                icons::paint(ui.painter(), icon, centre, 8.0, colour);
                width -= 12.0;
            }
            let align = Align2::LEFT_TOP;
            painted_text(ui, at, align, class, semibold(13.0), t.strong, width);
            let at = pos2(rect.left() + 7.0 + width + 30.0, at.y + 1.0);
            let share = percent(f64::from(*score), 0);
            let font = regular(12.0);
            ui.painter()
                .text(at, Align2::RIGHT_TOP, share, font, t.text);
        }
        (None, Some(why)) => {
            let width = CELL.x - 14.0;
            let align = Align2::LEFT_TOP;
            painted_text(ui, at, align, why, regular(11.0), t.subdued, width);
        }
        (None, None) => {}
    }
    let place = Rect::from_min_max(
        pos2(rect.left() + 8.0, rect.top() + 28.0),
        rect.right_bottom() - vec2(8.0, 8.0),
    );
    curve(ui, place, cell, cx.session.finished_tasks(run), task);
    response.on_hover_text(words);
}

/// Draws the score of a class over the tasks, from 0 to 1, with a dot at the selected task.
fn curve(ui: &Ui, place: Rect, cell: &Cell, tasks: usize, task: usize) {
    let t = tokens(ui);
    let line = Stroke::new(1.0, t.line);
    ui.painter().hline(place.x_range(), place.bottom(), line);
    let step = place.width() / (tasks.max(2) - 1) as f32;
    let at = |&(task, p): &(usize, f32)| {
        let y = place.bottom() - p.clamp(0.0, 1.0) * place.height();
        pos2(place.left() + step * task as f32, y)
    };
    let points: Vec<egui::Pos2> = cell.curve.iter().map(at).collect();
    match points[..] {
        [only] => {
            ui.painter().circle_filled(only, 1.6, t.accent);
        }
        _ => {
            ui.painter().line(points, Stroke::new(1.5, t.accent));
        }
    }
    if let Some(here) = cell.curve.iter().find(|(known, _)| *known == task) {
        ui.painter().circle_filled(at(here), 3.0, t.accent);
    }
}

/// Returns the content of a cell as text, for tooltips and screen readers.
fn in_words(cx: &Cx<'_>, pin: &Pin, run: &Path, cell: &Cell) -> String {
    let title = cx.session.header_of(run).map(RunHeader::title);
    let share = |p: f32| percent(f64::from(p), 0);
    let mut words = format!("{}: ", title.unwrap_or_default());
    match (&cell.answer, &cell.missing) {
        (Some((class, p)), _) => words += &format!("{class}, {}", share(*p)),
        (None, Some(why)) => words += why,
        (None, None) => {}
    }
    match (cell.right, &pin.truth) {
        (Some(true), _) => words += &format!(", {}", tr!("predict-correct")),
        (Some(false), Some(truth)) => {
            words += &format!(", {}", tr!("predict-wrong", class = truth));
        }
        _ => {}
    }
    if !cell.curve.is_empty() {
        let each = cell.curve.iter();
        let each =
            each.map(|&(task, p)| tr!("predict-pins-share", share = share(p), task = task + 1));
        let each = each.collect::<Vec<_>>().join(", ");
        let class = &cell.followed;
        words += &format!(". {}", tr!("predict-pins-score", class, each));
    }
    words
}
