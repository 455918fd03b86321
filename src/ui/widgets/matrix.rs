//! The accuracy matrix: a cell with a number for each pair of tasks, or a texture if there are too many cells to
//! distinguish.

use egui::{
    Align2, Color32, Painter, Rect, Response, Role, Shape, Stroke, TextureHandle, Ui, Vec2, pos2,
    vec2,
};

use super::allocate_named;
use crate::metrics::{Blocks, block_means};
use crate::session::formatting::format_number;
use crate::store::figure::{Figure, Heatmap};
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::theme::{Tokens, regular, tokens};
use crate::ui::widgets::figure_menu::menu;
use crate::ui::widgets::textures::upload_heat_map;

/// Minimum size of cells, in points, that are painted individually.
const MIN_CELL_SIZE: f32 = 6.0;
/// Maximum number of cells per side of a texture. It is finer than a matrix is ever displayed, and far below the limit
/// of every GPU.
pub const MAX_TEXTURE_CELLS: usize = 512;

/// The cached texture of an accuracy matrix, with its inputs: run, number of reports, and whether the theme is dark.
#[derive(Default)]
pub struct MatrixTexture(Cached<(String, usize, bool), TextureHandle>);

impl MatrixTexture {
    fn get(&mut self, ui: &Ui, run: &str, rows: &[Vec<f64>], tasks: usize) -> TextureHandle {
        let key = (run.to_string(), rows.len(), ui.visuals().dark_mode);
        self.0.get(key, || {
            let t = tokens(ui);
            let blocks = Blocks::at_most(MAX_TEXTURE_CELLS, tasks);
            let colour =
                |mean: Option<f64>| mean.map_or(Color32::TRANSPARENT, |m| t.heat_colour(m));
            let cells = block_means(rows, blocks).into_iter().map(colour);
            upload_heat_map(ui.ctx(), "accuracy", blocks.count, cells)
        })
    }
}

/// Paints the accuracy matrix of a run. Row i is after task i and column j is on task j. Cells of future tasks, and
/// cells that could not be measured, are dashed. `texture` caches the texture between frames.
pub fn accuracy(
    ui: &mut Ui,
    (run, rows): (&str, &[Vec<f64>]),
    tasks: usize,
    side: f32,
    texture: &mut MatrixTexture,
) {
    let t = tokens(ui);
    let gutter = 86.0;
    let size = vec2(gutter + side * tasks as f32, side * tasks as f32 + 22.0);
    let (rect, response) = allocate_named(ui, size, Role::Image, tr!("figure-accuracy-matrix"));
    let cell = |row: usize, column: usize| {
        let min = pos2(rect.left() + gutter + side * column as f32, rect.top() + side * row as f32);
        Rect::from_min_size(min, Vec2::splat(side)).shrink(1.0)
    };
    let stride = (26.0 / side).ceil().max(1.0) as usize;
    for row in (0..tasks).step_by(stride) {
        let at = pos2(rect.left() + gutter - 8.0, cell(row, 0).center().y);
        let text = tr!("figure-after-row", n = row + 1);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, regular(11.0), t.subdued);
    }
    if side < MIN_CELL_SIZE {
        let size = Vec2::splat(side * tasks as f32);
        let area = Rect::from_min_size(rect.min + vec2(gutter, 0.0), size);
        paint_texture(ui.painter(), &texture.get(ui, run, rows, tasks), area);
    } else {
        let small = regular(if side < 30.0 { 10.0 } else { 12.0 });
        for (row, column) in (0..tasks).flat_map(|row| (0..=row).map(move |c| (row, c))) {
            let cell_rect = cell(row, column);
            match measured_value(rows, row, column) {
                Some(value) => paint_number_cell(ui, t, cell_rect, value, &small),
                None => paint_dashed_cell(ui, t, cell_rect),
            }
        }
    }
    for column in (0..tasks).step_by(stride) {
        let at = pos2(cell(0, column).center().x, rect.bottom() - 8.0);
        let text = if side >= 46.0 {
            tr!("figure-task-column", n = column + 1)
        } else {
            format!("{}", column + 1)
        };
        ui.painter().text(at, Align2::CENTER_CENTER, text, regular(11.0), t.subdued);
    }
    if side < 46.0 {
        let at = pos2(rect.left() + gutter - 8.0, rect.bottom() - 8.0);
        let align = Align2::RIGHT_CENTER;
        ui.painter().text(at, align, tr!("figure-on-task"), regular(11.0), t.subdued);
    }
    show_accuracy_tooltip(rows, &response, rect, gutter, side);
    // The menu is above the diagonal, where there are no cells.
    let corner = rect.right_top() + vec2(-10.0, 10.0);
    let title = tr!("figure-accuracy-matrix");
    if tasks > 1 {
        ui.push_id(run, |ui| {
            menu(ui, corner, title, || {
                Figure::heatmap(format!("{title}: {run}"), Heatmap::accuracy(rows))
            });
        });
    }
}

/// Returns a value of the matrix; `None` if it was not measured.
fn measured_value(rows: &[Vec<f64>], row: usize, column: usize) -> Option<f64> {
    let value = rows.get(row)?.get(column)?;
    value.is_finite().then_some(*value)
}

/// Fills a rectangle with a texture.
pub fn paint_texture(painter: &Painter, texture: &TextureHandle, rect: Rect) {
    let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    painter.image(texture.id(), rect, uv, Color32::WHITE);
}

fn paint_number_cell(ui: &Ui, t: &Tokens, rect: Rect, value: f64, font: &egui::FontId) {
    let background = t.heat_colour(value);
    let painter = ui.painter();
    painter.rect_filled(rect, 2, background);
    if rect.width() >= 17.0 {
        let text = format!("{:.0}", value * 100.0);
        let text_colour = t.text_colour_on(background);
        let align = Align2::CENTER_CENTER;
        painter.text(rect.center(), align, text, font.clone(), text_colour);
    }
}

fn paint_dashed_cell(ui: &Ui, t: &Tokens, rect: Rect) {
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    let stroke = Stroke::new(1.0, t.line);
    ui.painter().extend(Shape::dashed_line(&corners, stroke, 2.5, 2.5));
}

fn show_accuracy_tooltip(
    rows: &[Vec<f64>],
    response: &Response,
    rect: Rect,
    gutter: f32,
    side: f32,
) {
    let Some(at) = response.hover_pos() else {
        return;
    };
    let offset = at - rect.min - vec2(gutter, 0.0);
    if offset.x < 0.0 {
        return;
    }
    let (row, column) = ((offset.y / side) as usize, (offset.x / side) as usize);
    if let Some(value) = measured_value(rows, row, column) {
        let (column, row, value) = (column + 1, row + 1, format_number(value * 100.0, 1));
        let text = tr!("figure-matrix-cell", column, row, value);
        response.clone().on_hover_text(text);
    }
}
