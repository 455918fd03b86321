//! The two drawings of the tour. They are editable at first and later shown with the runs' predictions.

use egui::{Align2, Color32, Role, Sense, Ui, Vec2, WidgetInfo};

use super::{NARROW, State};
use crate::session::Session;
use crate::session::tour::{DRAWN, Tour, TourRun, TourStep};
use crate::session::words::percent;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, semibold, tokens};
use crate::ui::widgets::bars::meter;
use crate::ui::widgets::canvas::canvas_called;
use crate::ui::widgets::{self, card, faint, part, title_row};

/// Height of a bar including the space around it.
const LINE: f32 = 22.0;
/// Factor by which the animation of a bar is slower than usual.
const SLOWLY: f32 = 5.0;

/// Draws both canvases, side by side if there is enough space.
pub fn canvases(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    // The height of the instructions and the top bar is subtracted.
    let high = ui.ctx().content_rect().height() - 200.0;
    if ui.available_width() < NARROW {
        for which in 0..DRAWN.len() {
            canvas_card(ui, cx, tour, which, high);
        }
    } else {
        let width = (ui.available_width() - GAP) / 2.0;
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for which in 0..DRAWN.len() {
                part(ui, width, |ui| canvas_card(ui, cx, tour, which, high));
            }
        });
    }
    pin(cx, tour);
}

fn canvas_card(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour, which: usize, high: f32) {
    let digit = DRAWN[which];
    card(ui, |ui| {
        let State {
            drawings, changed, ..
        } = &mut cx.pages.learn.tour;
        let (drawing, changed) = (&mut drawings[which], &mut changed[which]);
        title_row(ui, tr!("tour-draw-digit", digit), |ui| {
            let clear = ui.add_enabled_ui(!drawing.is_empty(), |ui| {
                ui.link(tr!("tour-draw-clear"))
                    .accessible_name(tr!("tour-draw-clear-digit", digit))
            });
            if clear.inner.clicked() {
                drawing.clear();
                *changed = true;
            }
        });
        let side = (ui.available_width() * 0.52).min(high).clamp(120.0, 300.0);
        ui.horizontal_top(|ui| {
            let name = tr!("tour-draw-canvas", digit);
            let invitation = tr!("tour-draw-here", digit);
            *changed |= canvas_called(ui, (&name, &invitation), side, drawing, true);
            let rest = ui.available_width();
            part(ui, rest, |ui| {
                if !votes(ui, cx.session, (which, &tour.runs[0]), 0) {
                    faint(ui, tr!("tour-draw-prediction-later"));
                }
            });
        });
    });
}

/// Pins changed drawings once the style of the dataset's images is known.
fn pin(cx: &mut Cx<'_>, tour: &Tour) {
    let data = cx.session.data_of(&tour.run().config);
    let Some(data) = cx.look_up(data) else {
        return;
    };
    let (light, share) = (data.looks.light_on_dark, data.looks.glyph_share);
    let state = &mut cx.pages.learn.tour;
    for which in 0..DRAWN.len() {
        let drawing = &state.drawings[which];
        if drawing.down || !std::mem::take(&mut state.changed[which]) {
            continue;
        }
        cx.commands.push(if drawing.is_empty() {
            UiCommand::change(move |session| session.unpin_drawn(which))
        } else {
            let picture = drawing.picture(light, share).into();
            UiCommand::change(move |session| session.pin_drawn(which, picture))
        });
    }
}

/// Draws both pinned drawings with the predictions after the displayed task.
pub fn pictures(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    for which in 0..DRAWN.len() {
        card(ui, |ui| picture(ui, cx, tour, which));
    }
}

fn picture(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour, which: usize) {
    let name = tr!("tour-draw-digit", digit = DRAWN[which]);
    widgets::title(ui, &name);
    ui.horizontal_top(|ui| {
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(96.0), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        let pins = cx.session.predict.pins.pictures();
        let pin = pins.iter().find(|pin| Some(pin.id) == tour.pins[which]);
        if let Some(picture) = pin.map(|pin| &pin.picture) {
            let texture = cx.textures.of(ui.ctx(), picture);
            egui::Image::new((texture, rect.size()))
                .corner_radius(6)
                .paint_at(ui, rect);
        }
        let rest = ui.available_width();
        part(ui, rest, |ui| {
            for run in tour.measured_runs() {
                let task = match tour.step {
                    TourStep::Compare => tour.task,
                    _ => newest(cx.session, which, run),
                };
                votes(ui, cx.session, (which, run), task);
            }
        });
    });
}

/// Returns the newest task (from 0) after which the run has a prediction for this drawing.
fn newest(session: &Session, which: usize, run: &TourRun) -> usize {
    let answered = |task: &usize| session.tour_drawing_prediction(which, run, *task).is_some();
    (0..run.measured()).rev().find(answered).unwrap_or_default()
}

/// Returns sample strokes of a digit in the unit square; `which` is the index in [`DRAWN`]. They are for users who
/// cannot or do not want to draw.
pub(super) fn sample(which: usize) -> Vec<Vec<[f32; 2]>> {
    match which {
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
fn votes(ui: &mut Ui, session: &Session, (which, run): (usize, &TourRun), task: usize) -> bool {
    let Some(vote) = session.tour_drawing_prediction(which, run, task) else {
        return false;
    };
    let key = match vote.is_right() {
        true => "tour-prediction-right",
        false => "tour-prediction-wrong",
    };
    let said = tr!(
        key,
        digit = DRAWN[which],
        other = vote.rival.as_str(),
        own = percent(f64::from(vote.own), 0),
        against = percent(f64::from(vote.against), 0)
    );
    let name = run.name();
    faint(ui, format!("{name}: {said}"));
    let t = tokens(ui);
    let against = if vote.is_right() {
        t.subdued
    } else {
        t.warning
    };
    ui.push_id((which, name), |ui| {
        bar(ui, "own", DRAWN[which], vote.own, t.accent);
        bar(ui, "other", &vote.rival, vote.against, against);
    });
    true
}

fn bar(ui: &mut Ui, id: &str, class: &str, share: f32, colour: Color32) {
    let seconds = ui.style().animation_time * SLOWLY;
    let id = ui.scope_id().with(id);
    let shown = ui.ctx().animate_value_with_time(id, share, seconds);
    let label = format!("{class}: {}", percent(f64::from(share), 0));
    let left = meter(ui, (LINE, 20.0), &label, (share, shown), colour)
        .rect
        .left_center();
    let (font, colour) = (semibold(14.0), tokens(ui).strong);
    ui.painter()
        .text(left, Align2::LEFT_CENTER, class, font, colour);
}
