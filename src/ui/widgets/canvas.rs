//! The drawing canvas.

use egui::{
    Event, PointerButton, Pos2, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
    pos2,
};

use crate::session::drawing::Drawing;
use crate::tr;
use crate::ui::theme::{CARD_RADIUS, tokens};

/// Draws a square canvas. Returns whether the pen was lifted after it drew something.
pub fn canvas(ui: &mut Ui, side: f32, drawing: &mut Drawing, light_on_dark: bool) -> bool {
    let labels = (tr!("shell-drawing-canvas"), tr!("shell-canvas-draw-here"));
    canvas_with_labels(ui, labels, side, drawing, light_on_dark)
}

/// Draws a canvas as [`canvas`] does, with this accessible name and placeholder text.
pub fn canvas_with_labels(
    ui: &mut Ui,
    (name, placeholder): (&str, &str),
    side: f32,
    drawing: &mut Drawing,
    light_on_dark: bool,
) -> bool {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, ui.is_enabled(), name));
    let (background, ink) = if light_on_dark {
        (t.canvas_dark, t.canvas_light)
    } else {
        (t.canvas_light, t.canvas_dark)
    };
    let border = Stroke::new(1.0, t.line);
    let painter = ui.painter_at(rect);
    painter.rect(rect, CARD_RADIUS, background, border, StrokeKind::Inside);
    let lifted = apply_pen_events(ui, rect, drawing);
    let width = drawing.pen * side;
    let to_screen = |p: &[f32; 2]| pos2(rect.left() + p[0] * side, rect.top() + p[1] * side);
    for stroke in &drawing.strokes {
        let points: Vec<_> = stroke.iter().map(to_screen).collect();
        for end in [points.first(), points.last()].into_iter().flatten() {
            painter.circle_filled(*end, width / 2.0, ink);
        }
        // Draws round joints, because the painter would draw mitred ones.
        for joint in &points {
            painter.circle_filled(*joint, width / 2.0, ink);
        }
        painter.add(Shape::line(points, Stroke::new(width, ink)));
    }
    if drawing.is_empty() {
        let (align, font) = (egui::Align2::CENTER_CENTER, crate::ui::theme::regular(13.0));
        painter.text(rect.center(), align, placeholder, font, t.subdued);
    }
    lifted
}

/// Applies all pen events since the last frame to the drawing. In a slow frame, the pen may have been put down, moved
/// and lifted several times. Returns whether it was lifted.
fn apply_pen_events(ui: &Ui, rect: Rect, drawing: &mut Drawing) -> bool {
    let to_unit = |at: Pos2| {
        let p = (at - rect.min) / rect.width();
        [p.x.clamp(0.0, 1.0), p.y.clamp(0.0, 1.0)]
    };
    // Nothing is drawn below a menu or dialog or outside of the visible area.
    let is_drawable = |at: Pos2| {
        rect.intersect(ui.clip_rect()).contains(at)
            && ui.ctx().layer_id_at(at) == Some(ui.layer_id())
    };
    let events = ui.input(|i| i.events.clone());
    let mut lifted = false;
    for event in events {
        match event {
            Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, .. }
                if is_drawable(pos) =>
            {
                drawing.strokes.push(vec![to_unit(pos)]);
                drawing.down = true;
            }
            Event::PointerMoved(pos) if drawing.down => drawing.extend(to_unit(pos)),
            Event::PointerButton {
                pos, button: PointerButton::Primary, pressed: false, ..
            } if drawing.down => {
                drawing.extend(to_unit(pos));
                (drawing.down, lifted) = (false, true);
            }
            _ => {}
        }
    }
    // The pen was lifted without an event, outside of the window or on another page.
    if drawing.down && !ui.input(|i| i.pointer.primary_down()) {
        (drawing.down, lifted) = (false, true);
    }
    lifted
}
