//! The confusion matrix over classes or tasks, with a frame around the block of each task. If there are too many
//! classes to distinguish, a cell combines neighbouring classes.

use std::ops::Range;

use egui::{
    Align2, Key, Modifiers, Rect, Response, Role, Sense, Stroke, StrokeKind, TextureHandle, Ui,
    Vec2, WidgetInfo, pos2, vec2,
};
use unicode_width::UnicodeWidthStr;

use super::elided_text::paint_name;
use super::figure_menu::menu;
use super::input::lock_arrows;
use super::matrix::{MAX_TEXTURE_CELLS, paint_texture};
use super::textures::upload_heat_map;
use crate::metrics::{Blocks, Confusion};
use crate::store::figure::{Figure, Heatmap};
use crate::tr;
use crate::ui::theme::{regular, tokens};

/// Maximum number of pairs of classes listed next to the matrix.
const MAX_CONFUSIONS: usize = 6;
/// Minimum width of a frame in points. Narrower frames would cover their content.
const MIN_FRAME_WIDTH: f32 = 3.0;

/// A cell: a range of true classes and a range of predicted classes. The ranges have length 1 if there is enough space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// True classes.
    pub rows: Range<usize>,
    /// Predicted classes.
    pub columns: Range<usize>,
}

impl Cell {
    /// Returns the cell of a single true class and a single predicted class.
    pub fn new(row: usize, column: usize) -> Self {
        Self { rows: row..row + 1, columns: column..column + 1 }
    }
}

/// A confusion matrix that is ready to be painted.
pub struct ConfusionMatrix {
    /// For each true class, how often each class is predicted.
    pub counts: Confusion,
    /// The labels of rows and columns.
    names: Vec<String>,
    /// The width of the widest label in characters; a Chinese character counts as two.
    longest_label: usize,
    /// The blocks of classes that have a frame; none if the rows are tasks.
    frames: Vec<Range<usize>>,
    /// The number of rows of learned classes.
    learned: usize,
    /// The most frequent confusions: true class, predicted class and count.
    pub most_confused: Vec<(usize, usize, u32)>,
    blocks: Blocks,
    texture: TextureHandle,
}

impl ConfusionMatrix {
    /// Prepares a matrix and its texture.
    pub fn new(
        ui: &Ui,
        counts: Confusion,
        names: Vec<String>,
        frames: Vec<Range<usize>>,
        learned: usize,
    ) -> Self {
        let t = tokens(ui);
        let blocks = Blocks::at_most(MAX_TEXTURE_CELLS, counts.classes());
        let n = blocks.count;
        let is_learned = |block: usize| blocks.range(block).start < learned;
        let shares = counts.shares(blocks).into_iter().enumerate();
        let cells = shares.map(|(i, share)| {
            if is_learned(i / n) && is_learned(i % n) {
                // The square root makes single errors visible.
                t.heat_colour(share.sqrt() * 0.92)
            } else {
                t.background
            }
        });
        let texture = upload_heat_map(ui.ctx(), "confusion", n, cells);
        let longest_label = names.iter().map(|name| name.width()).max();
        Self {
            most_confused: counts.most_confused(MAX_CONFUSIONS),
            counts,
            longest_label: longest_label.unwrap_or(1),
            names,
            frames,
            learned,
            blocks,
            texture,
        }
    }

    /// Returns the label of a range of rows or columns.
    pub fn name(&self, range: &Range<usize>) -> String {
        let label = |i: usize| self.names.get(i).map_or("?", String::as_str);
        match range.len() {
            0 | 1 => label(range.start).to_string(),
            _ => format!("{} … {}", label(range.start), label(range.end - 1)),
        }
    }

    /// Paints the matrix with sides of this length. Returns the cell that was clicked.
    pub fn show(&self, ui: &mut Ui, side: f32, selected: Option<&Cell>) -> Option<Cell> {
        let t = tokens(ui);
        let n = self.counts.classes().max(1);
        let gutter = self.gutter(ui);
        let size = vec2(side + gutter, side + 38.0);
        let (area, response) = ui.allocate_exact_size(size, Sense::click());
        let focused = self.focused_cell(ui, &response, selected);
        response.widget_info(|| {
            let name = tr!("figure-confusion");
            let cell = focused.as_ref().map(|cell| self.describe(cell));
            let name = cell.map_or_else(|| name.into(), |cell| format!("{name}: {cell}"));
            WidgetInfo::labeled(Role::Button, true, name)
        });
        let rect = Rect::from_min_size(area.min + vec2(gutter, 0.0), Vec2::splat(side));
        paint_texture(ui.painter(), &self.texture, rect);
        let step = side / n as f32;
        if step >= 7.0 {
            let stroke = Stroke::new(1.0, t.card);
            for i in 1..n {
                let offset = step * i as f32;
                ui.painter().vline(rect.left() + offset, rect.y_range(), stroke);
                ui.painter().hline(rect.x_range(), rect.top() + offset, stroke);
            }
        }
        let cell_rect = |rows: &Range<usize>, columns: &Range<usize>| {
            Rect::from_min_max(
                rect.min + vec2(columns.start as f32 * step, rows.start as f32 * step),
                rect.min + vec2(columns.end as f32 * step, rows.end as f32 * step),
            )
        };
        let is_visible = |frame: &&Range<usize>| frame.len() as f32 * step >= MIN_FRAME_WIDTH;
        for frame in self.frames.iter().filter(is_visible) {
            let stroke = Stroke::new(1.0, t.strong.gamma_multiply(0.75));
            let frame_rect = cell_rect(frame, frame);
            ui.painter().rect_stroke(frame_rect, 0, stroke, StrokeKind::Middle);
        }
        let outlines = [(selected, t.accent), (focused.as_ref(), t.strong)];
        for (cell, colour) in outlines {
            let Some(cell) = cell else { continue };
            let bounds = cell_rect(&cell.rows, &cell.columns);
            let margin = Vec2::splat((MIN_FRAME_WIDTH - bounds.width()).max(0.0) / 2.0);
            let stroke = Stroke::new(2.0, colour);
            let bounds = bounds.expand2(margin);
            ui.painter().rect_stroke(bounds, 0, stroke, StrokeKind::Middle);
        }
        self.labels(ui, rect, step);
        let corner = area.left_bottom() + vec2(12.0, -14.0);
        menu(ui, corner, tr!("figure-confusion"), || self.figure());
        if let Some(cell) = focused {
            response.show_tooltip_text(self.describe(&cell));
            let confirmed = ui.input(|i| i.key_pressed(Key::Enter) || i.key_pressed(Key::Space));
            if response.clicked() && confirmed {
                return Some(cell);
            }
        }
        self.hovered_cell(&response, rect, step)
    }

    /// Returns the cell that is selected with the keyboard while the matrix has the focus. The selection starts at the
    /// chosen cell; arrow keys move it, Enter and Space choose the cell.
    fn focused_cell(&self, ui: &Ui, response: &Response, selected: Option<&Cell>) -> Option<Cell> {
        let last = self.blocks.count.checked_sub(1)?;
        if !response.has_focus() {
            return None;
        }
        lock_arrows(ui, response.id);
        let block_index = |range: &Range<usize>| self.blocks.block_of(range.start);
        let stored: Option<[usize; 2]> = ui.data(|data| data.get_temp(response.id));
        let current = stored.unwrap_or_else(|| {
            selected.map_or([0, 0], |cell| [block_index(&cell.rows), block_index(&cell.columns)])
        });
        let press_count = |key| ui.input_mut(|i| i.count_and_consume_key(Modifiers::NONE, key));
        let moved = |from: usize, back, forward| {
            (from + press_count(forward)).saturating_sub(press_count(back))
        };
        let row = moved(current[0], Key::ArrowUp, Key::ArrowDown).min(last);
        let column = moved(current[1], Key::ArrowLeft, Key::ArrowRight).min(last);
        ui.data_mut(|data| data.insert_temp(response.id, [row, column]));
        Some(Cell { rows: self.blocks.range(row), columns: self.blocks.range(column) })
    }

    /// Returns the matrix as a figure for copying and saving.
    fn figure(&self) -> Figure {
        let name = |at: usize| self.names.get(at).cloned().unwrap_or_default();
        let cells = Heatmap::confusion(&self.counts, &name);
        Figure::heatmap(tr!("figure-confusion-title"), cells)
    }

    fn gutter(&self, ui: &Ui) -> f32 {
        let width = self.longest_label as f32 * 6.6 + 14.0;
        width.min(ui.available_width() * 0.25).clamp(22.0, 96.0)
    }

    fn labels(&self, ui: &Ui, rect: Rect, step: f32) {
        let t = tokens(ui);
        let font = || regular(11.0);
        let row_stride = (13.0 / step).ceil().max(1.0) as usize;
        let label_width = (self.longest_label as f32 * 6.6 + 4.0).min(40.0);
        let column_stride = (label_width.max(13.0) / step).ceil().max(1.0) as usize;
        let centre = |i: usize| step * (i as f32 + 0.5);
        for (i, name) in self.names.iter().enumerate().step_by(row_stride) {
            let at = pos2(rect.left() - 8.0, rect.top() + centre(i));
            let width = (rect.left() - 12.0 - ui.min_rect().left()).max(12.0);
            paint_name(ui, at, Align2::RIGHT_CENTER, name, font(), t.subdued, width);
        }
        for (i, name) in self.names.iter().enumerate().step_by(column_stride) {
            let at = pos2(rect.left() + centre(i), rect.bottom() + 11.0);
            let width = step * column_stride as f32;
            let align = Align2::CENTER_CENTER;
            paint_name(ui, at, align, name, font(), t.subdued, width - 4.0);
        }
        let at = pos2(rect.center().x, rect.bottom() + 28.0);
        let align = Align2::CENTER_CENTER;
        ui.painter().text(at, align, tr!("figure-predicted-class"), font(), t.subdued);
    }

    /// Shows a tooltip for the cell below the pointer. Returns the cell if it was clicked.
    fn hovered_cell(&self, response: &Response, rect: Rect, step: f32) -> Option<Cell> {
        let at = response.hover_pos().or(response.interact_pointer_pos())?;
        if !rect.contains(at) {
            return None;
        }
        let offset = at - rect.min;
        let block_range = |distance: f32| {
            let class = ((distance / step) as usize).min(self.counts.classes().checked_sub(1)?);
            Some(self.blocks.range(self.blocks.block_of(class)))
        };
        let cell = Cell { rows: block_range(offset.y)?, columns: block_range(offset.x)? };
        let text = self.describe(&cell);
        response.clone().on_hover_text_at_pointer(text);
        response.clicked().then_some(cell)
    }

    /// Returns a description of a cell in words.
    fn describe(&self, cell: &Cell) -> String {
        let Cell { rows, columns } = cell;
        let (count, all) = (self.counts.count(rows, columns), self.counts.total(rows));
        let (name, answer) = (self.name(rows), self.name(columns));
        if rows.start >= self.learned {
            tr!("figure-class-not-learned", name)
        } else if rows == columns && rows.len() == 1 && !self.frames.is_empty() {
            // A prediction in the right task can be a wrong class.
            tr!("figure-correct-count", name, count, all)
        } else {
            tr!("figure-confused-count", name, answer, count, all)
        }
    }
}
