//! A run's accuracy matrix with the classes of each task above its columns.

use egui::{
    Align2, Color32, CornerRadius, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
    pos2, vec2,
};

use crate::session::words::percent;
use crate::tr;
use crate::ui::theme::{regular, semibold, tokens};

/// Room for the names of the rows.
const GUTTER: f32 = 74.0;
/// Room for the classes above the columns.
const ABOVE: f32 = 20.0;

/// What is shown.
pub struct Shown<'a> {
    /// Its name.
    pub name: &'a str,
    /// The classes of each task.
    pub tasks: &'a [Vec<String>],
    /// Row i: accuracies on tasks 0..=i after task i.
    pub rows: &'a [Vec<f64>],
    /// The selected row.
    pub row: Option<usize>,
}

impl Shown<'_> {
    fn after(&self, row: usize) -> String {
        tr!("tour-after-task", task = row + 1)
    }

    /// Returns all its numbers, for screen readers.
    fn as_text(&self) -> String {
        let rows = self.rows.iter().enumerate().map(|(row, shares)| {
            let shares: Vec<String> = shares.iter().map(|share| percent(*share, 0)).collect();
            format!("{}: {}", self.after(row), shares.join(", "))
        });
        format!("{}. {}", self.name, rows.collect::<Vec<_>>().join("; "))
    }
}

/// Paints it across the available width.
pub fn matrix(ui: &mut Ui, shown: &Shown<'_>) {
    let t = tokens(ui);
    let count = shown.tasks.len().max(1) as f32;
    let side = ((ui.available_width() - GUTTER) / count).clamp(24.0, 56.0);
    let high = (side * 0.72).clamp(22.0, 30.0);
    let size = vec2(GUTTER + side * count, ABOVE * 2.0 + high * count);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, shown.as_text()));
    let painter = ui.painter();
    let text = |at, align, words: &str, font, colour| {
        painter.text(at, align, words, font, colour);
    };
    text(
        rect.left_top(),
        Align2::LEFT_TOP,
        shown.name,
        semibold(12.0),
        t.text,
    );
    let origin = rect.min + vec2(GUTTER, ABOVE * 2.0);
    let cell = |row: usize, column: usize| {
        let min = origin + vec2(side * column as f32, high * row as f32);
        Rect::from_min_size(min, Vec2::new(side, high)).shrink(1.0)
    };
    for (column, classes) in shown.tasks.iter().enumerate() {
        let at = pos2(cell(0, column).center().x, origin.y - ABOVE / 2.0);
        let colour = if column == 0 { t.strong } else { t.subdued };
        let words = classes.join(" ");
        text(at, Align2::CENTER_CENTER, &words, regular(12.0), colour);
    }
    for row in 0..shown.tasks.len() {
        let here = shown.row == Some(row);
        let at = pos2(origin.x - 8.0, cell(row, 0).center().y);
        let colour = if here { t.strong } else { t.subdued };
        let words = shown.after(row);
        text(at, Align2::RIGHT_CENTER, &words, regular(11.0), colour);
        for column in 0..=row {
            let value = shown.rows.get(row).and_then(|shares| shares.get(column));
            let dimmed = shown.row.is_some() && !here;
            number(ui, cell(row, column), value.copied(), dimmed);
        }
        if here {
            let whole = cell(row, 0).union(cell(row, row)).expand(1.5);
            frame(ui, whole, t.accent);
        }
    }
}

fn number(ui: &Ui, place: Rect, value: Option<f64>, dimmed: bool) {
    let t = tokens(ui);
    let painter = ui.painter();
    let Some(value) = value.filter(|value| value.is_finite()) else {
        frame(ui, place, t.line);
        return;
    };
    let mut ground = t.heat_at(value);
    let ink = t.ink_on(ground);
    let mut ink_shown = ink;
    if dimmed {
        ground = ground.lerp_to_gamma(t.card, 0.6);
        ink_shown = t.ink_on(ground);
    }
    painter.rect_filled(place, CornerRadius::same(2), ground);
    let words = format!("{:.0}", value * 100.0);
    let centre = place.center();
    painter.text(
        centre,
        Align2::CENTER_CENTER,
        words,
        regular(12.0),
        ink_shown,
    );
}

fn frame(ui: &Ui, place: Rect, colour: Color32) {
    let line = Stroke::new(1.0, colour);
    let radius = CornerRadius::same(2);
    ui.painter()
        .rect_stroke(place, radius, line, StrokeKind::Inside);
}
