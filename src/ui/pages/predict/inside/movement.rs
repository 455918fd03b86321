//! The movement of each block's PET, as bars for each block.

use egui::{Align2, Color32, Rect, Role, Ui, pos2, vec2};

use super::Scene;
use crate::run::inside::Movement;
use crate::session::inside::farthest;
use crate::session::words::number;
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{allocate_named, faint, legend_entry};

/// Height of a bar.
const BAR: f32 = 9.0;
/// Width of the names in points.
const NAMES: f32 = 52.0;
/// Width of the numbers in points.
const NUMBERS: f32 = 40.0;

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
        name: expert.name(),
        colour: t.expert(*expert),
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
    let most = farthest(scene.all.iter().map(|inside| &inside.movement)).max(1e-9);
    let blocks: Vec<usize> = rows
        .first()
        .map(|row| row.values.iter().map(|(block, _)| *block).collect())
        .unwrap_or_default();
    for block in blocks {
        one_block(ui, block, &rows, most);
    }
    legend(ui, &rows);
    if scene.task == 0 && scene.header.method.experts.len() > 1 {
        faint(ui, tr!("predict-movement-starts-as-copy"));
    }
}

fn one_block(ui: &mut Ui, block: usize, rows: &[Row<'_>], most: f64) {
    let t = tokens(ui);
    let height = (BAR + 2.0) * rows.len() as f32 + 2.0;
    let size = vec2(ui.available_width(), height.max(14.0));
    let value = |row: &Row<'_>| {
        let found = row.values.iter().find(|(known, _)| *known == block);
        found.map_or(0.0, |(_, value)| *value)
    };
    let each: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.name, number(value(row), 3)))
        .collect();
    let each = each.join(", ");
    let words = tr!("predict-movement-described", n = block, each);
    let (rect, response) = allocate_named(ui, size, Role::Meter, &words);
    let at = pos2(rect.left(), rect.center().y);
    let name = tr!("predict-movement-block", n = block);
    ui.painter()
        .text(at, Align2::LEFT_CENTER, name, regular(11.5), t.text);
    for (i, row) in rows.iter().enumerate() {
        let top = rect.top() + 1.0 + (BAR + 2.0) * i as f32;
        let track = Rect::from_min_max(
            pos2(rect.left() + NAMES, top),
            pos2(rect.right() - NUMBERS, top + BAR),
        );
        ui.painter().rect_filled(track, 2, t.background);
        let mut filled = track;
        filled.set_width(track.width() * (value(row) / most).clamp(0.0, 1.0) as f32);
        ui.painter().rect_filled(filled, 2, row.colour);
        let at = pos2(rect.right(), track.center().y);
        let length = number(value(row), 2);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, length, regular(10.5), t.text);
    }
    response.on_hover_text(words);
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
