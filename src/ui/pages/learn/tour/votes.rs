//! A run's prediction for a drawing as two bars: the drawn class, and the other class with the highest score.

use egui::{Align2, CornerRadius, Rect, Role, Sense, Ui, Vec2, WidgetInfo, pos2};

use crate::session::Session;
use crate::session::tour::{DRAWN, TourRun};
use crate::session::words::percent;
use crate::tr;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::faint;

/// Height of a bar including the space around it.
const LINE: f32 = 22.0;
/// Factor by which the animation of a bar is slower than usual.
const SLOWLY: f32 = 5.0;

/// Paints the bars of a run's prediction after a task (from 0) below the name of its method. Returns `false` if there
/// is no prediction yet. While a prediction is computed again, its space is kept.
pub fn votes(ui: &mut Ui, session: &Session, (which, run): (usize, &TourRun), task: usize) -> bool {
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

fn bar(ui: &mut Ui, id: &str, class: &str, share: f32, colour: egui::Color32) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), LINE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let words = percent(f64::from(share), 0);
    response.widget_info(|| WidgetInfo::labeled(Role::Meter, true, format!("{class}: {words}")));
    let seconds = ui.style().animation_time * SLOWLY;
    let id = ui.scope_id().with(id);
    let shown = ui.ctx().animate_value_with_time(id, share, seconds);
    let painter = ui.painter();
    let left = rect.left_center();
    painter.text(left, Align2::LEFT_CENTER, class, semibold(14.0), t.strong);
    let track = Rect::from_min_max(
        pos2(rect.left() + 20.0, rect.top() + 4.0),
        pos2(rect.right() - 46.0, rect.bottom() - 4.0),
    );
    let radius = CornerRadius::same(4);
    painter.rect_filled(track, radius, t.background);
    let mut filled = track;
    filled.set_width((track.width() * shown.clamp(0.0, 1.0)).max(2.0));
    painter.rect_filled(filled, radius, colour);
    let right = rect.right_center();
    painter.text(right, Align2::RIGHT_CENTER, words, regular(13.0), t.text);
}
