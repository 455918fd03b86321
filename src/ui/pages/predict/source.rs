//! The left column: the image (dropped, pasted or drawn), what the network sees of it, samples.

use std::sync::Arc;

use egui::{Align2, CornerRadius, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::{Question, askable, board, listed_as};
use crate::run::config::RunConfig;
use crate::session::chooser::{DialogPurpose, typed_path};
use crate::session::drawing::Drawing;
use crate::session::take_along::TakenAlong;
use crate::session::views::{DataView, Split};
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::page_commands::PredictCommand;
use crate::ui::pages::experiment::covering;
use crate::ui::pages::{Cx, ask_to_open};
use crate::ui::shell::take;
use crate::ui::theme::{CARD_RADIUS, CONTROL, regular, tokens};
use crate::ui::widgets::canvas::canvas;
use crate::ui::widgets::textures::upload;
use crate::ui::widgets::{self, Column, button, button_if, card, card_of, faint, link, segmented};

/// Room for three dots beside the choice of a run.
const DOTS: f32 = 24.0;
/// Samples on show.
const SAMPLES: usize = 10;

/// Draws the column.
pub fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let data = data_of_run(cx);
    // In a low window the canvas gives way, so that what belongs to it stays in sight.
    let height = column.rest(ui, 0.0);
    let side = (height - 500.0)
        .max(height.min(400.0) - 150.0)
        .clamp(120.0, 340.0);
    image(ui, cx, data.as_deref(), side);
    seen(ui, cx);
    super::sheet::sheet(ui, cx);
    samples(ui, cx, data, column);
}

/// The data set of the run that is asked, opened on a helper thread when it is not there yet.
fn data_of_run(cx: &mut Cx<'_>) -> Option<Arc<DataView>> {
    let folder = cx.session.predict.run.as_ref()?;
    let data = cx.session.data_of(&cx.session.header_of(folder)?.config);
    cx.look_up(data)
}

/// The settings of the run that is asked, where its data set is not opened unasked.
fn foreign_data<'a>(cx: &Cx<'a>) -> Option<&'a RunConfig> {
    let folder = cx.session.predict.run.as_ref()?;
    let config = &cx.session.header_of(folder)?.config;
    let asks = cx.session.asks_before_opening(config);
    asks.then_some(config)
}

fn image(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<&DataView>, side: f32) {
    card(ui, |ui| {
        runs(ui, cx);
        let mut draw = cx.pages.predict.draw;
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Image");
            },
            |ui| {
                let options = [(false, "Drop"), (true, "Draw")];
                segmented(ui, "source", &options, &mut draw);
            },
        );
        if draw != cx.pages.predict.draw {
            turn(cx, draw);
        }
        let side = ui.available_width().min(side);
        if draw {
            drawing(ui, cx, data, side);
        } else {
            dropped(ui, cx, side);
        }
    });
}

/// The choice of a run, and what can be taken along of it as it was after the task on show.
fn runs(ui: &mut Ui, cx: &mut Cx<'_>) {
    let current = cx.session.predict.run.clone();
    let title = current.as_ref().and_then(|run| listed_as(cx.session, run));
    let combo = egui::ComboBox::from_id_salt("run")
        .width(ui.available_width() - DOTS)
        .truncate()
        .selected_text(title.unwrap_or_else(|| "Choose a run".into()));
    let mut chosen = None;
    ui.horizontal(|ui| {
        let shown = combo.show_ui(ui, |ui| {
            for (folder, title) in askable(cx.session) {
                let here = Some(&folder) == current.as_ref();
                if ui.selectable_label(here, title).clicked() {
                    chosen = Some(folder);
                }
            }
        });
        shown.response.accessible_name("Run to ask");
        if let Some(run) = current.clone() {
            let task = Some(cx.session.predict.task);
            take::behind_dots(ui, &TakenAlong { run, task }, cx.commands);
        }
    });
    if let Some(folder) = chosen {
        cx.act(UiCommand::PredictWith(folder));
    }
    if cx.session.predict.by_person {
        ui.horizontal_wrapped(|ui| {
            faint(ui, "Stays with this run.");
            if link(ui, "Follow the newest").clicked() {
                cx.act(UiCommand::OnPredict(PredictCommand::FollowNewest));
            }
        });
    }
}

/// Turns from what was given to what is drawn, or back: the answers shown are about what is shown.
fn turn(cx: &mut Cx<'_>, draw: bool) {
    let state = &mut cx.pages.predict;
    (state.draw, state.asked) = (draw, None);
    if !draw {
        cx.act(UiCommand::OnPredict(PredictCommand::AskGiven));
    } else if state.drawing.is_empty() {
        cx.act(UiCommand::OnPredict(PredictCommand::ForgetPicture));
    }
}

fn drawing(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<&DataView>, side: f32) {
    let state = &mut cx.pages.predict;
    if let Some(data) = data {
        state.light = data.light_on_dark;
    }
    let mut changed = canvas(ui, side, &mut state.drawing, state.light);
    ui.horizontal_wrapped(|ui| {
        changed |= tools(ui, &mut cx.pages.predict.drawing);
        board::pin_button(ui, cx);
    });
    cx.pages.predict.changes += u64::from(changed);
    ask(cx, data);
}

/// What belongs to the canvas. Returns whether the drawing was changed.
fn tools(ui: &mut Ui, drawing: &mut Drawing) -> bool {
    let mut changed = false;
    let clear = button_if(ui, !drawing.is_empty(), "Clear");
    if clear.clicked() {
        drawing.strokes.clear();
        changed = true;
    }
    let undo = button_if(ui, !drawing.is_empty(), "Undo");
    let hint = ui.ctx().format_shortcut(&keys::UNDO);
    let undo = undo.on_hover_text(hint).clicked();
    let typing = ui.ctx().text_edit_focused();
    if undo || (!typing && ui.input_mut(|i| i.consume_shortcut(&keys::UNDO))) {
        changed |= drawing.strokes.pop().is_some();
        drawing.down = false;
    }
    let mut pen = (drawing.pen * 300.0).round();
    let drag = egui::DragValue::new(&mut pen)
        .range(6.0..=60.0)
        .prefix("Pen ");
    let response = ui.add_sized(Vec2::new(60.0, CONTROL), drag);
    changed |= response.changed() && !drawing.is_empty();
    response.accessible_name("Pen width");
    drawing.pen = pen / 300.0;
    changed
}

/// Asks about the drawing whenever it, the run, or the way the run's data looks is another one.
fn ask(cx: &mut Cx<'_>, data: Option<&DataView>) {
    let state = &mut cx.pages.predict;
    if state.drawing.is_empty() {
        if state.asked.take().is_some() {
            cx.act(UiCommand::OnPredict(PredictCommand::ForgetPicture));
        }
        return;
    }
    let question = Question {
        run: cx.session.predict.run.clone(),
        light: state.light,
        share: data.and_then(|data| data.glyph_share),
        changes: state.changes,
    };
    if state.drawing.down || state.asked.as_ref() == Some(&question) || data_is_coming(cx, data) {
        return;
    }
    let state = &mut cx.pages.predict;
    let picture = state.drawing.picture(question.light, question.share);
    state.asked = Some(question);
    cx.act(UiCommand::PredictDrawing(picture.into()));
}

/// Whether the run's data set is being opened: then it is not known yet how strokes look there.
fn data_is_coming(cx: &Cx<'_>, data: Option<&DataView>) -> bool {
    let run = cx.session.predict.run.as_ref();
    let header = run.and_then(|run| cx.session.header_of(run));
    data.is_none()
        && header.is_some_and(|header| {
            let config = &header.config;
            !cx.session.asks_before_opening(config) && !cx.session.data_is_missing(config)
        })
}

fn dropped(ui: &mut Ui, cx: &mut Cx<'_>, side: f32) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Open an image"));
    let radius = CornerRadius::same(CARD_RADIUS);
    ui.painter().rect(
        rect,
        radius,
        t.background,
        Stroke::new(
            1.0,
            if response.hovered() {
                t.subdued
            } else {
                t.line
            },
        ),
        StrokeKind::Inside,
    );
    if let Some(picture) = &cx.session.predict.picture {
        let (w, h) = (picture.width.max(1) as f32, picture.height.max(1) as f32);
        let scale = (side - 2.0) / w.max(h);
        let size = Vec2::new(w * scale, h * scale);
        let place = egui::Rect::from_center_size(rect.center(), size);
        let texture = cx.textures.of(ui.ctx(), picture);
        egui::Image::new((texture, size))
            .corner_radius(CARD_RADIUS)
            .paint_at(ui, place);
    } else {
        let text = "Drop or paste an image here,\nor click to open one";
        ui.painter().text(
            rect.center(),
            Align2::CENTER_CENTER,
            text,
            regular(13.0),
            t.subdued,
        );
    }
    if response.clicked() {
        cx.act(UiCommand::Pick(DialogPurpose::Image));
    }
    ui.horizontal_wrapped(|ui| {
        if button(ui, "Open…").clicked() {
            cx.act(UiCommand::Pick(DialogPurpose::Image));
        }
        if button(ui, "Paste").clicked() {
            cx.act(UiCommand::Paste);
        }
        board::pin_button(ui, cx);
    });
    let edit = widgets::line_edit(&mut cx.pages.predict.path, f32::INFINITY)
        .hint_text("Path of an image, then Enter");
    let field = ui.add(edit).accessible_name("Image file");
    let path = cx.pages.predict.path.trim();
    if widgets::entered(ui, &field) && !path.is_empty() {
        let path = typed_path(path);
        cx.act(UiCommand::PredictFile(path));
    }
    if let Some(picture) = &cx.session.predict.picture {
        faint(
            ui,
            format!("{} · {} × {}", picture.name, picture.width, picture.height),
        );
    }
    if let Some(truth) = &cx.session.predict.truth {
        faint(ui, format!("Its class is {truth}."));
    }
}

fn seen(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(answer) = cx.session.predict.shown() else {
        return;
    };
    let size = answer.seen_size;
    let key = (answer.ticket, answer.task);
    let state = &mut cx.pages.predict;
    if state.seen.as_ref().is_none_or(|(known, _)| *known != key) {
        let texture = upload(ui.ctx(), "seen", size, size, &answer.seen);
        state.seen = Some((key, texture));
    }
    let Some((_, texture)) = &state.seen else {
        return;
    };
    card(ui, |ui| {
        ui.horizontal(|ui| {
            widgets::title(ui, "What the network sees");
            faint(ui, format!("{size} × {size}"));
        });
        ui.horizontal_top(|ui| {
            let side = 112.0;
            let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
            response
                .widget_info(|| WidgetInfo::labeled(Role::Image, true, "What the network sees"));
            egui::Image::new((texture.id(), rect.size()))
                .corner_radius(6)
                .paint_at(ui, rect);
            let mut words = format!("Scaled to {size} × {size}");
            if state.draw {
                words.push_str(", with the drawing moved to the middle and sized as in training");
            } else {
                words.push_str(" and cut in the middle, as in testing");
            }
            ui.vertical(|ui| {
                let text = egui::RichText::new(words + ".").color(tokens(ui).subdued);
                ui.add(egui::Label::new(text).wrap());
            });
        });
    });
}

fn samples(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<Arc<DataView>>, column: Column) {
    let height = column.rest(ui, 0.0);
    card_of(ui, height, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Samples");
            },
            |ui| {
                if link(ui, "Others").clicked() {
                    cx.pages.predict.samples_from += 1;
                }
            },
        );
        faint(ui, "Images the run was measured on, never trained on.");
        let Some(data) = data else {
            match foreign_data(cx) {
                Some(config) => ask_to_open(ui, cx, config),
                None => {
                    faint(ui, "The run's data set is not at hand.");
                }
            }
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(8.0);
            for index in chosen_samples(&data, cx.pages.predict.samples_from) {
                sample(ui, cx, &data, index);
            }
        });
    });
}

/// A few test images, of different classes each time.
fn chosen_samples(data: &DataView, round: usize) -> Vec<usize> {
    let total = data.test_labels.len();
    if total == 0 {
        return Vec::new();
    }
    // Evenly spread, so that most classes are there; each once.
    let count = SAMPLES.min(total);
    (0..count)
        .map(|i| (i * total / count + round * 7) % total)
        .collect()
}

fn sample(ui: &mut Ui, cx: &mut Cx<'_>, data: &Arc<DataView>, index: usize) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(50.0), Sense::click());
    let class = data
        .test_labels
        .get(index)
        .and_then(|&c| data.classes.get(c));
    let class = class.cloned().unwrap_or_default();
    let name = format!("Sample of {class}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let picture = cx.session.picture_of(data, Split::Test, index);
    let Some(Ok(picture)) = cx.look_up(picture) else {
        ui.painter()
            .rect_filled(rect, CornerRadius::same(6), t.background);
        return;
    };
    let texture = cx.textures.of(ui.ctx(), &picture);
    egui::Image::new((texture, rect.size()))
        .uv(covering(picture.width, picture.height))
        .corner_radius(6)
        .paint_at(ui, rect);
    let line = if response.hovered() || response.has_focus() {
        t.accent
    } else {
        t.line
    };
    ui.painter().rect_stroke(
        rect,
        CornerRadius::same(6),
        Stroke::new(1.0, line),
        StrokeKind::Inside,
    );
    board::pin_corner(ui, cx, rect, &picture, &class);
    if response.on_hover_text(class.clone()).clicked() {
        cx.act(UiCommand::PredictPicture(picture, Some(class)));
    }
}
