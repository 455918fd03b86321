//! Icons and markers. They are painted as shapes, so that no font of icons is needed.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use crate::metrics::Expert;

/// The available icons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Two bars.
    Pause,
    /// A triangle pointing right.
    Play,
    /// A square.
    Stop,
    /// A tick.
    Tick,
    /// An exclamation mark.
    Alert,
    /// Three dots.
    Dots,
    /// A bell.
    Bell,
    /// A small triangle pointing down.
    Down,
    /// A small triangle pointing up.
    Up,
    /// A cross.
    Cross,
    /// A pin.
    Pin,
    /// A gear.
    Gear,
}

/// Paints an icon of approximately this size around `centre`.
pub fn paint(painter: &Painter, icon: Icon, centre: Pos2, size: f32, colour: Color32) {
    let s = size / 2.0;
    let point = |x: f32, y: f32| pos2(centre.x + x * s, centre.y + y * s);
    let stroke = Stroke::new((size * 0.16).max(1.4), colour);
    let fill = |corners| triangle(painter, corners, colour);
    match icon {
        Icon::Pause => {
            for x in [-0.5, 0.5] {
                let bar = Rect::from_center_size(point(x, 0.0), vec2(s * 0.62, s * 2.0));
                painter.rect_filled(bar, 0, colour);
            }
        }
        Icon::Play => fill([point(-0.75, -1.0), point(1.0, 0.0), point(-0.75, 1.0)]),
        Icon::Stop => {
            let square = Rect::from_center_size(centre, Vec2::splat(s * 1.8));
            painter.rect_filled(square, 0, colour);
        }
        Icon::Tick => {
            painter.line(vec![point(-0.8, 0.05), point(-0.2, 0.65), point(0.85, -0.6)], stroke);
        }
        Icon::Alert => {
            painter.line_segment([point(0.0, -0.95), point(0.0, 0.3)], stroke);
            painter.circle_filled(point(0.0, 0.85), stroke.width * 0.62, colour);
        }
        Icon::Dots => {
            for x in [-0.8, 0.0, 0.8] {
                painter.circle_filled(point(x, 0.0), s * 0.26, colour);
            }
        }
        Icon::Bell => bell(painter, centre, s, colour),
        Icon::Down => fill([point(-0.8, -0.4), point(0.8, -0.4), point(0.0, 0.6)]),
        Icon::Up => fill([point(-0.8, 0.4), point(0.8, 0.4), point(0.0, -0.6)]),
        Icon::Cross => {
            painter.line_segment([point(-0.7, -0.7), point(0.7, 0.7)], stroke);
            painter.line_segment([point(-0.7, 0.7), point(0.7, -0.7)], stroke);
        }
        Icon::Pin => {
            painter.circle_filled(point(0.0, -0.45), s * 0.55, colour);
            painter.line_segment([point(0.0, 0.0), point(0.0, 1.0)], stroke);
        }
        Icon::Gear => {
            painter.circle_stroke(centre, s * 0.62, Stroke::new(s * 0.38, colour));
            for tooth in 0..8 {
                let angle = std::f32::consts::TAU * tooth as f32 / 8.0;
                let direction = s * vec2(angle.cos(), angle.sin());
                let ends = [centre + direction * 0.7, centre + direction * 1.08];
                painter.line_segment(ends, Stroke::new(s * 0.36, colour));
            }
        }
    }
}

fn triangle(painter: &Painter, corners: [Pos2; 3], colour: Color32) {
    let corners = corners.to_vec();
    painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
}

fn bell(painter: &Painter, centre: Pos2, s: f32, colour: Color32) {
    let point = |x: f32, y: f32| pos2(centre.x + x * s, centre.y + y * s);
    let stroke = Stroke::new(1.3, colour);
    let body = vec![
        point(-0.95, 0.6),
        point(-0.68, 0.2),
        point(-0.62, -0.35),
        point(-0.3, -0.85),
        point(0.3, -0.85),
        point(0.62, -0.35),
        point(0.68, 0.2),
        point(0.95, 0.6),
    ];
    painter.add(Shape::closed_line(body, stroke));
    painter.circle_filled(point(0.0, 0.95), 1.3, colour);
}

/// Paints the marker of an expert: a disc, a triangle or a square. It is the same in all charts.
pub fn marker(painter: &Painter, expert: Expert, centre: Pos2, size: f32, colour: Color32) {
    let s = size / 2.0;
    match expert {
        Expert::ONLINE => {
            painter.circle_filled(centre, s, colour);
        }
        Expert::OFFLINE => triangle(
            painter,
            [
                centre + vec2(0.0, -s),
                centre + vec2(s * 1.1, s * 0.9),
                centre + vec2(-s * 1.1, s * 0.9),
            ],
            colour,
        ),
        _ => {
            let square = Rect::from_center_size(centre, Vec2::splat(size * 0.92));
            painter.rect_filled(square, 0, colour);
        }
    }
}
