//! Matrices painted natively: accuracy by task with the number in each cell, and confusion over
//! classes or tasks with a frame around each task's block.

use std::ops::Range;

use egui::{
    Align2, Color32, ColorImage, CornerRadius, Rect, Response, Role, Sense, Shape, Stroke,
    StrokeKind, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use crate::ui::theme::{Tokens, regular, tokens};
use crate::ui::widgets::painted_text;

/// Paints the accuracy matrix: row i = after task i, column j = on task j. Cells still to come are
/// dashed.
pub fn accuracy(ui: &mut Ui, rows: &[Vec<f64>], tasks: usize, side: f32) {
    let t = tokens(ui);
    let gutter = 58.0;
    let size = vec2(gutter + side * tasks as f32, side * tasks as f32 + 22.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Accuracy by task"));
    let cell = |row: usize, column: usize| {
        let min = pos2(
            rect.left() + gutter + side * column as f32,
            rect.top() + side * row as f32,
        );
        Rect::from_min_size(min, Vec2::splat(side)).shrink(if side < 6.0 { 0.0 } else { 1.0 })
    };
    let small = regular(if side < 30.0 { 10.0 } else { 12.0 });
    let every = (26.0 / side).ceil().max(1.0) as usize;
    for row in 0..tasks {
        let at = pos2(rect.left() + gutter - 8.0, cell(row, 0).center().y);
        if row.is_multiple_of(every) {
            let text = format!("after {}", row + 1);
            ui.painter()
                .text(at, Align2::RIGHT_CENTER, text, regular(11.0), t.subdued);
        }
        for column in 0..=row {
            let place = cell(row, column);
            match rows.get(row).and_then(|values| values.get(column)) {
                Some(&value) => number_cell(ui, t, place, value, &small),
                None if side < 6.0 => {}
                None => dashed(ui, t, place),
            }
        }
    }
    for column in (0..tasks).step_by(every) {
        let at = pos2(cell(0, column).center().x, rect.bottom() - 8.0);
        let text = if side >= 46.0 {
            format!("task {}", column + 1)
        } else {
            format!("{}", column + 1)
        };
        ui.painter()
            .text(at, Align2::CENTER_CENTER, text, regular(11.0), t.subdued);
    }
    if side < 46.0 {
        let at = pos2(rect.left() + gutter - 8.0, rect.bottom() - 8.0);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            "on task",
            regular(11.0),
            t.subdued,
        );
    }
    accuracy_tip(rows, &response, rect, gutter, side);
}

fn number_cell(ui: &Ui, t: &Tokens, place: Rect, value: f64, font: &egui::FontId) {
    let ground = t.heat_at(value);
    let painter = ui.painter();
    painter.rect_filled(place, CornerRadius::same(2), ground);
    if place.width() >= 17.0 {
        let text = format!("{:.0}", value * 100.0);
        let ink = t.ink_on(ground);
        painter.text(
            place.center(),
            Align2::CENTER_CENTER,
            text,
            font.clone(),
            ink,
        );
    }
}

fn dashed(ui: &Ui, t: &Tokens, place: Rect) {
    let corners = [
        place.left_top(),
        place.right_top(),
        place.right_bottom(),
        place.left_bottom(),
        place.left_top(),
    ];
    let line = Stroke::new(1.0, t.line);
    ui.painter()
        .extend(Shape::dashed_line(&corners, line, 2.5, 2.5));
}

fn accuracy_tip(rows: &[Vec<f64>], response: &Response, rect: Rect, gutter: f32, side: f32) {
    let Some(at) = response.hover_pos() else {
        return;
    };
    let offset = at - rect.min - vec2(gutter, 0.0);
    if offset.x < 0.0 {
        return;
    }
    let (row, column) = ((offset.y / side) as usize, (offset.x / side) as usize);
    if let Some(value) = rows.get(row).and_then(|values| values.get(column)) {
        let text = format!(
            "task {} after learning task {}: {:.1} %",
            column + 1,
            row + 1,
            value * 100.0
        );
        response.clone().on_hover_text(text);
    }
}

/// Confusion counts ready to be painted.
#[derive(Clone)]
pub struct Confusion {
    /// `counts[true][answered]`.
    pub counts: Vec<Vec<u32>>,
    /// What each row and column stands for.
    pub names: Vec<String>,
    /// Blocks that get a frame.
    pub frames: Vec<Range<usize>>,
    /// Rows that are taught so far.
    pub taught: usize,
    texture: TextureHandle,
}

impl Confusion {
    /// Prepares the picture of the counts.
    pub fn new(
        ui: &Ui,
        counts: Vec<Vec<u32>>,
        names: Vec<String>,
        frames: Vec<Range<usize>>,
        taught: usize,
    ) -> Self {
        let t = tokens(ui);
        let n = counts.len().max(1);
        let mut image = ColorImage::filled([n, n], t.background);
        for (row, line) in counts.iter().enumerate().take(taught) {
            let all: u32 = line.iter().sum();
            for (column, &count) in line.iter().enumerate().take(taught) {
                // The square root lets single mistakes show.
                let share = f64::from(count) / f64::from(all.max(1));
                image.pixels[row * n + column] = t.heat_at(share.sqrt() * 0.92);
            }
        }
        let ctx = ui.ctx();
        let texture = ctx.load_texture("confusion", image, TextureOptions::NEAREST);
        Self {
            counts,
            names,
            frames,
            taught,
            texture,
        }
    }

    /// Paints the matrix with this side; returns the clicked cell (true, answered).
    pub fn show(
        &self,
        ui: &mut Ui,
        side: f32,
        chosen: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        let t = tokens(ui);
        let n = self.counts.len().max(1);
        let gutter = self.gutter(ui);
        let size = vec2(side + gutter, side + 38.0);
        let (whole, response) = ui.allocate_exact_size(size, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Confusion matrix"));
        let rect = Rect::from_min_size(whole.min + vec2(gutter, 0.0), Vec2::splat(side));
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter()
            .image(self.texture.id(), rect, uv, Color32::WHITE);
        let step = side / n as f32;
        if step >= 7.0 {
            let line = Stroke::new(1.0, t.card);
            for i in 1..n {
                let offset = step * i as f32;
                ui.painter()
                    .vline(rect.left() + offset, rect.y_range(), line);
                ui.painter()
                    .hline(rect.x_range(), rect.top() + offset, line);
            }
        }
        let block = |rows: &Range<usize>, columns: &Range<usize>| {
            Rect::from_min_max(
                rect.min + vec2(columns.start as f32 * step, rows.start as f32 * step),
                rect.min + vec2(columns.end as f32 * step, rows.end as f32 * step),
            )
        };
        for frame in &self.frames {
            let line = Stroke::new(1.0, t.strong.gamma_multiply(0.75));
            let place = block(frame, frame);
            ui.painter()
                .rect_stroke(place, CornerRadius::ZERO, line, StrokeKind::Middle);
        }
        if let Some((row, column)) = chosen {
            let place = block(&(row..row + 1), &(column..column + 1));
            let line = Stroke::new(2.0, t.accent);
            ui.painter()
                .rect_stroke(place, CornerRadius::ZERO, line, StrokeKind::Middle);
        }
        self.labels(ui, rect, step);
        self.pointed(&response, rect, step)
    }

    fn gutter(&self, ui: &Ui) -> f32 {
        let longest = self.names.iter().map(|name| name.chars().count()).max();
        let width = longest.unwrap_or(1) as f32 * 6.6 + 14.0;
        width.min(ui.available_width() * 0.25).clamp(22.0, 96.0)
    }

    fn labels(&self, ui: &Ui, rect: Rect, step: f32) {
        let t = tokens(ui);
        let widest = self.names.iter().map(|name| name.chars().count()).max();
        let rows_every = (13.0 / step).ceil().max(1.0) as usize;
        let wide = (widest.unwrap_or(1) as f32 * 6.6 + 4.0).min(40.0);
        let columns_every = (wide.max(13.0) / step).ceil().max(1.0) as usize;
        for (i, name) in self.names.iter().enumerate() {
            let centre = step * (i as f32 + 0.5);
            if i.is_multiple_of(rows_every) {
                let at = pos2(rect.left() - 8.0, rect.top() + centre);
                let width = rect.left() - 12.0 - ui.min_rect().left();
                painted_text(
                    ui,
                    at,
                    Align2::RIGHT_CENTER,
                    name,
                    regular(11.0),
                    t.subdued,
                    width.max(12.0),
                );
            }
            if i.is_multiple_of(columns_every) {
                let at = pos2(rect.left() + centre, rect.bottom() + 11.0);
                let width = step * columns_every as f32;
                painted_text(
                    ui,
                    at,
                    Align2::CENTER_CENTER,
                    name,
                    regular(11.0),
                    t.subdued,
                    width,
                );
            }
        }
        let at = pos2(rect.center().x, rect.bottom() + 28.0);
        ui.painter().text(
            at,
            Align2::CENTER_CENTER,
            "answered class",
            regular(11.0),
            t.subdued,
        );
    }

    /// Tells about the cell under the pointer; returns it when it was clicked.
    fn pointed(&self, response: &Response, rect: Rect, step: f32) -> Option<(usize, usize)> {
        let at = response.hover_pos().or(response.interact_pointer_pos())?;
        if !rect.contains(at) {
            return None;
        }
        let offset = at - rect.min;
        let (row, column) = ((offset.y / step) as usize, (offset.x / step) as usize);
        let count = *self.counts.get(row)?.get(column)?;
        let all: u32 = self.counts[row].iter().sum();
        let (name, answer) = (self.names.get(row)?, self.names.get(column)?);
        let text = if row >= self.taught {
            format!("{name} is not taught yet")
        } else if row == column {
            format!("{name}: {count} of {all} right")
        } else {
            format!("{name} taken for {answer}: {count} of {all}")
        };
        response.clone().on_hover_text_at_pointer(text);
        response.clicked().then_some((row, column))
    }
}
