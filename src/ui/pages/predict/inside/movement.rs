//! The movement of each block's PET, as bars for each block.

use egui::{Align2, Color32, Rect, Role, Ui, pos2, vec2};

use super::Scene;
use crate::run::inside::Movement;
use crate::session::formatting::format_number;
use crate::session::inside::max_movement;
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{allocate_named, faint, legend_entry};

/// Height of a bar.
const BAR_HEIGHT: f32 = 9.0;
/// Width of the names in points.
const NAMES_WIDTH: f32 = 52.0;
/// Width of the numbers in points.
const NUMBERS_WIDTH: f32 = 40.0;

/// A kind of movement, which has one bar for each block.
struct Row<'a> {
    name: &'static str,
    colour: Color32,
    values: &'a [(usize, f64)],
}

/// Draws the bars. The scale is the same for all tasks.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, movement: &Movement) {
    let t = tokens(ui);
    faint(ui, tr!("predict-movement-about"));
    let since = movement.since_start.iter().map(|(expert, values)| Row {
        name: expert.key(),
        colour: t.expert_colour(*expert),
        values,
    });
    let mut rows: Vec<Row<'_>> = since.collect();
    if !movement.distance.is_empty() {
        rows.push(Row {
            name: tr!("predict-movement-between"),
            colour: t.subdued,
            values: &movement.distance,
        });
    }
    let max = max_movement(scene.results.iter().map(|inside| &inside.movement)).max(1e-9);
    let blocks: Vec<usize> = rows
        .first()
        .map(|row| row.values.iter().map(|(block, _)| *block).collect())
        .unwrap_or_default();
    for block in blocks {
        block_row(ui, block, &rows, max);
    }
    legend(ui, &rows);
    if scene.task == 0 && scene.header.method.experts.len() > 1 {
        faint(ui, tr!("predict-movement-starts-as-copy"));
    }
}

fn block_row(ui: &mut Ui, block: usize, rows: &[Row<'_>], max: f64) {
    let t = tokens(ui);
    let height = (BAR_HEIGHT + 2.0) * rows.len() as f32 + 2.0;
    let size = vec2(ui.available_width(), height.max(14.0));
    let value = |row: &Row<'_>| {
        let entry = row.values.iter().find(|(known, _)| *known == block);
        entry.map_or(0.0, |(_, value)| *value)
    };
    let parts: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row.name, format_number(value(row), 3))).collect();
    let each = parts.join(", ");
    let summary = tr!("predict-movement-described", n = block, each);
    let (rect, response) = allocate_named(ui, size, Role::Meter, &summary);
    let pos = pos2(rect.left(), rect.center().y);
    let name = tr!("predict-movement-block", n = block);
    ui.painter().text(pos, Align2::LEFT_CENTER, name, regular(11.5), t.text);
    for (i, row) in rows.iter().enumerate() {
        let top = rect.top() + 1.0 + (BAR_HEIGHT + 2.0) * i as f32;
        let track = Rect::from_min_max(
            pos2(rect.left() + NAMES_WIDTH, top),
            pos2(rect.right() - NUMBERS_WIDTH, top + BAR_HEIGHT),
        );
        ui.painter().rect_filled(track, 2, t.background);
        let mut filled = track;
        filled.set_width(track.width() * (value(row) / max).clamp(0.0, 1.0) as f32);
        ui.painter().rect_filled(filled, 2, row.colour);
        let pos = pos2(rect.right(), track.center().y);
        let length = format_number(value(row), 2);
        ui.painter().text(pos, Align2::RIGHT_CENTER, length, regular(10.5), t.text);
    }
    response.on_hover_text(summary);
}

fn legend(ui: &mut Ui, rows: &[Row<'_>]) {
    if rows.len() < 2 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        for row in rows {
            legend_entry(ui, row.colour, row.name);
        }
    });
}
