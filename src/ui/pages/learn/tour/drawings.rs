//! The two drawings of the tour. They are editable at first and later shown with the runs' predictions.

use egui::{Align2, Color32, Role, Sense, Ui, Vec2, WidgetInfo};

use super::{State, TWO_COLUMN_WIDTH};
use crate::session::Session;
use crate::session::formatting::format_percent;
use crate::session::tour::{DRAWN_CLASSES, Tour, TourRun, TourStep};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, semibold, tokens};
use crate::ui::widgets::bars::meter;
use crate::ui::widgets::canvas::canvas_with_labels;
use crate::ui::widgets::{self, card, faint, part, title_row};

/// Height of a bar including the space around it.
const BAR_HEIGHT: f32 = 22.0;
/// Factor by which the animation of a bar is slower than usual.
const ANIMATION_SLOWDOWN: f32 = 5.0;

/// Draws both canvases, side by side if there is enough space.
pub fn canvases(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    // The height of the instructions and the top bar is subtracted.
    let max_side = ui.ctx().content_rect().height() - 200.0;
    if ui.available_width() < TWO_COLUMN_WIDTH {
        for index in 0..DRAWN_CLASSES.len() {
            canvas_card(ui, cx, tour, index, max_side);
        }
    } else {
        let width = (ui.available_width() - GAP) / 2.0;
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for index in 0..DRAWN_CLASSES.len() {
                part(ui, width, |ui| canvas_card(ui, cx, tour, index, max_side));
            }
        });
    }
    pin_changed_drawings(cx, tour);
}

fn canvas_card(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour, index: usize, max_side: f32) {
    let digit = DRAWN_CLASSES[index];
    card(ui, |ui| {
        let State { drawings, changed, .. } = &mut cx.pages.learn.tour;
        let (drawing, changed) = (&mut drawings[index], &mut changed[index]);
        title_row(ui, tr!("tour-draw-digit", digit), |ui| {
            let clear = ui.add_enabled_ui(!drawing.is_empty(), |ui| {
                ui.link(tr!("tour-draw-clear")).accessible_name(tr!("tour-draw-clear-digit", digit))
            });
            if clear.inner.clicked() {
                drawing.clear();
                *changed = true;
            }
        });
        let side = (ui.available_width() * 0.52).min(max_side).clamp(120.0, 300.0);
        ui.horizontal_top(|ui| {
            let name = tr!("tour-draw-canvas", digit);
            let invitation = tr!("tour-draw-here", digit);
            *changed |= canvas_with_labels(ui, (&name, &invitation), side, drawing, true);
            let width = ui.available_width();
            part(ui, width, |ui| {
                if !show_prediction(ui, cx.session, (index, &tour.runs[0]), 0) {
                    faint(ui, tr!("tour-draw-prediction-later"));
                }
            });
        });
    });
}

/// Pins changed drawings once the style of the dataset's images is known.
fn pin_changed_drawings(cx: &mut Cx<'_>, tour: &Tour) {
    let data = cx.session.data_of(&tour.run().config);
    let Some(data) = cx.look_up(data) else {
        return;
    };
    let (light, share) = (data.image_kind.light_on_dark, data.image_kind.glyph_share);
    let state = &mut cx.pages.learn.tour;
    for index in 0..DRAWN_CLASSES.len() {
        let drawing = &state.drawings[index];
        if drawing.down || !std::mem::take(&mut state.changed[index]) {
            continue;
        }
        cx.commands.push(if drawing.is_empty() {
            UiCommand::change(move |session| session.unpin_drawn(index))
        } else {
            let image = drawing.render(light, share).into();
            UiCommand::change(move |session| session.pin_drawn(index, image))
        });
    }
}

/// Draws both pinned drawings with the predictions after the displayed task.
pub fn show_drawings(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    for index in 0..DRAWN_CLASSES.len() {
        card(ui, |ui| show_drawing(ui, cx, tour, index));
    }
}

fn show_drawing(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour, index: usize) {
    let name = tr!("tour-draw-digit", digit = DRAWN_CLASSES[index]);
    widgets::title(ui, &name);
    ui.horizontal_top(|ui| {
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(96.0), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        let pins = cx.session.predict.pins.pins();
        let pin = pins.iter().find(|pin| Some(pin.id) == tour.pins[index]);
        if let Some(image) = pin.map(|pin| &pin.image) {
            let texture = cx.textures.get(ui.ctx(), image);
            egui::Image::new((texture, rect.size())).corner_radius(6).paint_at(ui, rect);
        }
        let width = ui.available_width();
        part(ui, width, |ui| {
            for run in tour.measured_runs() {
                let task = match tour.step {
                    TourStep::Compare => tour.task,
                    _ => newest_predicted_task(cx.session, index, run),
                };
                show_prediction(ui, cx.session, (index, run), task);
            }
        });
    });
}

/// Returns the newest task (from 0) after which the run has a prediction for this drawing.
fn newest_predicted_task(session: &Session, index: usize, run: &TourRun) -> usize {
    let has_prediction =
        |task: &usize| session.tour_drawing_prediction(index, run, *task).is_some();
    (0..run.measured_tasks()).rev().find(has_prediction).unwrap_or_default()
}

/// Returns sample strokes of a digit in the unit square; `index` is the index in [`DRAWN_CLASSES`]. They are for users who
/// cannot or do not want to draw.
pub(super) fn sample_strokes(index: usize) -> Vec<Vec<[f32; 2]>> {
    match index {
        0 => vec![vec![[0.34, 0.34], [0.54, 0.14], [0.54, 0.86]]],
        _ => vec![vec![
            [0.27, 0.32],
            [0.34, 0.2],
            [0.48, 0.14],
            [0.63, 0.18],
            [0.71, 0.3],
            [0.66, 0.46],
            [0.5, 0.62],
            [0.26, 0.84],
            [0.76, 0.84],
        ]],
    }
}

/// Paints the bars of a run's prediction after a task (from 0) below the name of its method. Returns `false` if there
/// is no prediction yet. While a prediction is computed again, its space is kept.
fn show_prediction(
    ui: &mut Ui,
    session: &Session,
    (index, run): (usize, &TourRun),
    task: usize,
) -> bool {
    let Some(prediction) = session.tour_drawing_prediction(index, run, task) else {
        return false;
    };
    let key = match prediction.is_correct() {
        true => "tour-prediction-right",
        false => "tour-prediction-wrong",
    };
    let outcome = tr!(
        key,
        digit = DRAWN_CLASSES[index],
        other = prediction.rival.as_str(),
        own = format_percent(f64::from(prediction.score), 0),
        against = format_percent(f64::from(prediction.rival_score), 0)
    );
    let name = run.name();
    faint(ui, format!("{name}: {outcome}"));
    let t = tokens(ui);
    let against = if prediction.is_correct() { t.subdued } else { t.warning };
    ui.push_id((index, name), |ui| {
        bar(ui, "own", DRAWN_CLASSES[index], prediction.score, t.accent);
        bar(ui, "other", &prediction.rival, prediction.rival_score, against);
    });
    true
}

fn bar(ui: &mut Ui, id: &str, class: &str, share: f32, colour: Color32) {
    let seconds = ui.style().animation_time * ANIMATION_SLOWDOWN;
    let id = ui.scope_id().with(id);
    let animated = ui.ctx().animate_value_with_time(id, share, seconds);
    let label = format!("{class}: {}", format_percent(f64::from(share), 0));
    let pos = meter(ui, (BAR_HEIGHT, 20.0), &label, (share, animated), colour).rect.left_center();
    let (font, colour) = (semibold(14.0), tokens(ui).strong);
    ui.painter().text(pos, Align2::LEFT_CENTER, class, font, colour);
}
