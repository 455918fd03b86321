//! The left column: the image (dropped, pasted or drawn), the image as the network receives it, and samples.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{Align, Layout, Role, Ui, Vec2};

use super::{
    DrawingRequest, board, is_data_loading, prediction_runs, prediction_table, run_header,
    run_title, samples,
};
use crate::session::Session;
use crate::session::drawing::Drawing;
use crate::session::exports::ModelToExport;
use crate::session::file_dialog::{DialogPurpose, typed_path};
use crate::session::views::DataView;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::shell::export;
use crate::ui::theme::{CARD_RADIUS, CONTROL_HEIGHT, regular, tokens};
use crate::ui::widgets::canvas::canvas;
use crate::ui::widgets::textures::upload;
use crate::ui::widgets::{
    self, Column, allocate_named, button, button_if, card, faint, focus_ring, input, paint_box,
    segmented,
};

/// Width reserved for the menu of three dots next to the list of runs.
const DOTS_WIDTH: f32 = 24.0;

/// Draws the left column.
pub fn left_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let data = data_of_run(cx);
    // In a low window, the canvas is smaller so that its tools remain visible.
    let height = column.remaining_height(ui, 0.0);
    let side = (height - 500.0).max(height.min(400.0) - 150.0).clamp(120.0, 340.0);
    // The table of a folder is shown above the single image.
    let has_table = cx.session.predict.prediction_table.is_some()
        || cx.pages.predict.prediction_table.is_open();
    if has_table {
        prediction_table::show(ui, cx);
    }
    image_card(ui, cx, data.as_deref(), side);
    network_input(ui, cx);
    if !has_table {
        prediction_table::show(ui, cx);
    }
    samples::card(ui, cx, data, column);
}

/// Returns the dataset of the selected run, opened on a helper thread if needed.
fn data_of_run(cx: &mut Cx<'_>) -> Option<Arc<DataView>> {
    let data = cx.session.data_of(&run_header(cx)?.config);
    cx.look_up(data)
}

/// Returns whether the canvas is shown: as the user decided, otherwise if the run was trained on drawings.
fn is_drawing(cx: &Cx<'_>) -> bool {
    let trained_on_drawings =
        || run_header(cx).is_none_or(|header| cx.session.are_drawings(&header.config));
    let state = &cx.pages.predict;
    let has_strokes = !state.drawing.is_empty();
    state.draw.unwrap_or_else(|| has_strokes || trained_on_drawings())
}

fn image_card(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<&DataView>, side: f32) {
    card(ui, |ui| {
        run_selector(ui, cx);
        let mut draw = is_drawing(cx);
        widgets::ends_in_order(
            ui,
            |ui| widgets::title(ui, tr!("predict-image")),
            |ui| {
                let options =
                    [(false, tr!("predict-source-choose")), (true, tr!("predict-source-draw"))];
                segmented(ui, "source", &options, &mut draw);
            },
        );
        if draw != is_drawing(cx) {
            switch_source(cx, draw);
        }
        let side = ui.available_width().min(side);
        if draw {
            drawing(ui, cx, data, side);
        } else {
            image_area(ui, cx, side);
        }
    });
}

/// Draws the list of runs, and the exports of the selected run after the selected task.
fn run_selector(ui: &mut Ui, cx: &mut Cx<'_>) {
    let current = cx.session.predict.run.clone();
    let title = current.as_ref().and_then(|run| run_title(cx.session, run));
    let width = ui.available_width() - DOTS_WIDTH;
    let combo = egui::ComboBox::from_id_salt("run")
        .width(width)
        .truncate()
        .selected_text(title.unwrap_or_else(|| tr!("predict-run-choose").into()));
    let mut chosen = None;
    ui.horizontal(|ui| {
        let mut entries = |ui: &mut Ui| {
            for (folder, title) in prediction_runs(cx.session) {
                let is_selected = Some(&folder) == current.as_ref();
                if ui.selectable_label(is_selected, title).clicked() {
                    chosen = Some(folder);
                }
            }
        };
        // A long name is truncated to the width of this part, because the combo box alone does not limit it.
        let size = Vec2::new(width, CONTROL_HEIGHT);
        let response =
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                combo.show_ui(ui, &mut entries)
            });
        response.inner.response.accessible_name(tr!("predict-with-run"));
        if let Some(run) = current.clone() {
            let task = Some(cx.session.predict.task);
            export::model_menu_link(ui, &ModelToExport { run, task }, cx.commands);
        }
    });
    if let Some(folder) = chosen {
        cx.dispatch(UiCommand::PredictWith(folder));
    }
    if cx.session.predict.selected_by_user {
        ui.horizontal_wrapped(|ui| {
            faint(ui, tr!("predict-run-kept"));
            if ui.link(tr!("predict-run-follow")).clicked() {
                cx.change(Session::unpin_predictor);
            }
        });
    }
}

/// Switches between the image and the drawing, and predicts the one that is shown.
fn switch_source(cx: &mut Cx<'_>, draw: bool) {
    let state = &mut cx.pages.predict;
    (state.draw, state.requested) = (Some(draw), None);
    if !draw {
        cx.change(Session::predict_opened_image);
    } else if state.drawing.is_empty() {
        cx.change(|session| session.predict.clear_image());
    }
}

fn drawing(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<&DataView>, side: f32) {
    let state = &mut cx.pages.predict;
    if let Some(data) = data {
        state.dark = !data.image_kind.light_on_dark;
    }
    let mut changed = canvas(ui, side, &mut state.drawing, !state.dark);
    ui.horizontal_wrapped(|ui| {
        changed |= tools(ui, &mut cx.pages.predict.drawing);
        board::pin_button(ui, cx);
    });
    cx.pages.predict.changes += u64::from(changed);
    request_prediction(cx, data);
}

/// Draws the tools of the canvas. Returns whether the drawing has changed.
fn tools(ui: &mut Ui, drawing: &mut Drawing) -> bool {
    let mut changed = false;
    let clear = button_if(ui, !drawing.is_empty(), tr!("predict-clear"));
    if clear.clicked() {
        drawing.clear();
        changed = true;
    }
    let undo = button_if(ui, drawing.can_undo(), tr!("predict-undo"));
    let hint = keys::format_shortcut(ui.ctx(), &keys::UNDO);
    let undo = undo.on_hover_text(hint).clicked();
    let is_blocked = ui.ctx().text_edit_focused() || input::is_covered(ui.ctx());
    if undo || (!is_blocked && ui.input_mut(keys::consume_undo)) {
        changed |= drawing.undo();
    }
    let mut pen = (drawing.pen * 300.0).round();
    let drag =
        egui::DragValue::new(&mut pen).range(6.0..=60.0).prefix(format!("{} ", tr!("predict-pen")));
    let response = ui.add_sized(Vec2::new(60.0, CONTROL_HEIGHT), drag);
    changed |= response.changed() && !drawing.is_empty();
    response.accessible_name(tr!("predict-pen-width"));
    drawing.pen = pen / 300.0;
    changed
}

/// Predicts the drawing if the drawing, the run, or the style of the run's dataset has changed.
fn request_prediction(cx: &mut Cx<'_>, data: Option<&DataView>) {
    let state = &mut cx.pages.predict;
    if state.drawing.is_empty() {
        if state.requested.take().is_some() {
            cx.change(|session| session.predict.clear_image());
        }
        return;
    }
    let request = DrawingRequest {
        run: cx.session.predict.run.clone(),
        light: !state.dark,
        share: data.and_then(|data| data.image_kind.glyph_share),
        changes: state.changes,
    };
    if state.drawing.down
        || state.requested.as_ref() == Some(&request)
        || (data.is_none() && is_data_loading(cx))
    {
        return;
    }
    let state = &mut cx.pages.predict;
    let image = state.drawing.render(request.light, request.share).into();
    state.requested = Some(request);
    cx.change(move |session| session.predict_drawing(image));
}

fn image_area(ui: &mut Ui, cx: &mut Cx<'_>, side: f32) {
    let t = tokens(ui);
    let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Button, tr!("predict-open"));
    let hovered = response.hovered();
    let border = if hovered { t.subdued } else { t.line };
    paint_box(ui, rect, CARD_RADIUS, t.background, border);
    if let Some(image) = &cx.session.predict.image {
        let (centre, side) = (rect.center(), side - 2.0);
        cx.textures.paint_image(ui, image, centre, side, CARD_RADIUS);
    } else {
        let text = tr!("predict-drop").replace('\n', " ");
        let text_width = side - 2.0 * f32::from(CARD_RADIUS) - 8.0;
        let mut job = LayoutJob::simple(text, regular(13.0), t.subdued, text_width);
        job.halign = Align::Center;
        let galley = ui.painter().layout_job(job);
        let pos = rect.center() - Vec2::new(0.0, galley.size().y / 2.0);
        ui.painter().with_clip_rect(rect).galley(pos, galley, t.subdued);
    }
    focus_ring(ui, rect, CARD_RADIUS, &response);
    if response.clicked() {
        cx.change(|session| session.open_file_dialog(DialogPurpose::Image));
    }
    ui.horizontal_wrapped(|ui| {
        cx.change_button(ui, tr!("predict-choose"), |s| {
            s.open_file_dialog(DialogPurpose::Image);
        });
        if button(ui, tr!("predict-paste")).clicked() {
            cx.dispatch(UiCommand::Paste);
        }
        board::pin_button(ui, cx);
    });
    let edit = widgets::line_edit(&mut cx.pages.predict.path, f32::INFINITY)
        .hint_text(tr!("predict-image-path"));
    let field = ui.add(edit).accessible_name(tr!("predict-image-file"));
    let path = cx.pages.predict.path.trim();
    if widgets::is_submitted(ui, &field) && !path.is_empty() {
        let path = typed_path(path);
        cx.dispatch(UiCommand::PredictFile(path));
    }
    if let Some(image) = &cx.session.predict.image {
        let (name, width, height) = (&image.name, image.width, image.height);
        faint(ui, format!("{name} · {width} × {height}"));
    }
    if let Some(truth) = &cx.session.predict.truth {
        faint(ui, tr!("predict-true-class", class = truth));
    }
}

fn network_input(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(answer) = cx.session.predict.selected_prediction() else {
        return;
    };
    let size = answer.seen_size;
    let key = (answer.ticket, answer.task);
    let load = || upload(ui.ctx(), "seen", size, size, &answer.seen);
    let texture = cx.pages.predict.input_texture.get(key, load);
    let from_drawing = is_drawing(cx);
    card(ui, |ui| {
        ui.horizontal(|ui| {
            widgets::title(ui, tr!("predict-network-input"));
            faint(ui, format!("{size} × {size}"));
        });
        ui.horizontal_top(|ui| {
            let (side, name) = (Vec2::splat(112.0), tr!("predict-network-input"));
            let (rect, _) = allocate_named(ui, side, Role::Image, name);
            egui::Image::new((texture.id(), rect.size())).corner_radius(6).paint_at(ui, rect);
            let text = match from_drawing {
                true => tr!("predict-network-input-drawing", size),
                false => tr!("predict-network-input-crop", size),
            };
            ui.vertical(|ui| {
                widgets::coloured(ui, text, |t| t.subdued);
            });
        });
    });
}
