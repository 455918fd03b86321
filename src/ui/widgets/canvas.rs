//! The drawing canvas.

use egui::{
    CornerRadius, Event, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2,
};

use crate::session::drawing::Drawing;
use crate::ui::theme::{CARD_RADIUS, tokens};

/// A square to draw on. Returns whether the pen was lifted after drawing something.
pub fn canvas(ui: &mut Ui, side: f32, drawing: &mut Drawing, light_on_dark: bool) -> bool {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, ui.is_enabled(), "Drawing canvas"));
    let (ground, ink) = if light_on_dark {
        (t.canvas_dark, t.canvas_light)
    } else {
        (t.canvas_light, t.canvas_dark)
    };
    let radius = CornerRadius::same(CARD_RADIUS);
    let line = Stroke::new(1.0, t.line);
    let painter = ui.painter_at(rect);
    painter.rect(rect, radius, ground, line, StrokeKind::Inside);

    let unit = |at: egui::Pos2| {
        let p = (at - rect.min) / side;
        [p.x.clamp(0.0, 1.0), p.y.clamp(0.0, 1.0)]
    };
    if let Some(at) = response.interact_pointer_pos() {
        if response.drag_started() || response.clicked() {
            // Where the pen came down, not where it was noticed to move.
            let from = ui.input(|i| i.pointer.press_origin()).unwrap_or(at);
            drawing.strokes.push(vec![unit(from)]);
        }
        if response.dragged()
            && let Some(stroke) = drawing.strokes.last_mut()
        {
            // All places since the last frame: a slow one must not cut corners.
            let moves = ui.input(|i| {
                let place = |event: &Event| match event {
                    Event::PointerMoved(place) => Some(*place),
                    _ => None,
                };
                i.events.iter().filter_map(place).collect::<Vec<_>>()
            });
            for next in moves.into_iter().chain([at]).map(unit) {
                let far = stroke.last().is_none_or(|last| {
                    (last[0] - next[0]).abs() + (last[1] - next[1]).abs() > 0.004
                });
                if far {
                    stroke.push(next);
                }
            }
        }
    }
    let width = drawing.pen * side;
    let place = |p: &[f32; 2]| pos2(rect.left() + p[0] * side, rect.top() + p[1] * side);
    for stroke in &drawing.strokes {
        let points: Vec<_> = stroke.iter().map(place).collect();
        for end in [points.first(), points.last()].into_iter().flatten() {
            painter.circle_filled(*end, width / 2.0, ink);
        }
        // Round joints: the painter's own are mitred.
        for joint in &points {
            painter.circle_filled(*joint, width / 2.0, ink);
        }
        painter.add(Shape::line(points, Stroke::new(width, ink)));
    }
    if drawing.is_empty() {
        painter.text(
            rect.center(),
            egui::Align2::CENTER_CENTER,
            "Draw here",
            crate::ui::theme::regular(13.0),
            t.subdued,
        );
    }
    response.drag_stopped() || response.clicked()
}
