//! The attention of the class token, drawn over the image before and after a task.

use egui::{Color32, Rect, RichText, Role, Sense, TextureId, Ui, Vec2, WidgetInfo, vec2};

use crate::run::inside::{AttentionKind, AttentionMap};
use crate::session::formatting::{format_number, format_percent};
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, sentence};

/// Maximum opacity of a cell that is drawn over the image.
const MAX_OPACITY: f32 = 0.82;
/// Maximum number of positions described in words.
const MAX_POSITIONS: usize = 5;

/// Draws both maps on the same scale. A stronger colour means more attention.
pub fn show(
    ui: &mut Ui,
    texture: TextureId,
    before: Option<&AttentionMap>,
    after: &AttentionMap,
    task: usize,
) {
    let text = match after.kind {
        AttentionKind::Attention => tr!("predict-attention-about"),
        AttentionKind::Length => tr!("predict-attention-feature-length"),
    };
    faint(ui, text);
    let largest = |map: &AttentionMap| map.values.iter().copied().fold(0f32, f32::max);
    let max = before.map_or(0.0, largest).max(largest(after));
    let side = ((ui.available_width() - 8.0) / 2.0).clamp(60.0, 190.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let first = match task {
            0 => tr!("predict-attention-pretrained").into(),
            task => tr!("figure-after-task", task),
        };
        let second = tr!("figure-after-task", task = task + 1);
        for (title, map) in [(first, before), (second, Some(after))] {
            ui.vertical(|ui| {
                ui.set_width(side);
                map_panel(ui, texture, map, (side, max), &title);
            });
        }
    });
    if let Some(before) = before.filter(|before| before.values.len() == after.values.len()) {
        sentence(ui, change_text(before, after));
    }
}

fn map_panel(
    ui: &mut Ui,
    texture: TextureId,
    map: Option<&AttentionMap>,
    (side, max): (f32, f32),
    title: &str,
) {
    let t = tokens(ui);
    ui.spacing_mut().item_spacing.y = 3.0;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    egui::Image::new((texture, rect.size())).paint_at(ui, rect);
    let text =
        map.map_or_else(|| tr!("predict-attention-computing", title), |map| map_text(map, title));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &text));
    if let Some(map) = map {
        for (index, value) in map.values.iter().enumerate() {
            let colour = overlay_colour(t.warning, value / max.max(f32::MIN_POSITIVE));
            let cell_rect = cell(rect, map, index);
            ui.painter().rect_filled(cell_rect, 0, colour);
        }
        if let Some(pos) = response.hover_pos() {
            show_value(&response, map, rect, pos);
        }
    }
    ui.label(RichText::new(title).font(regular(12.0)).color(t.subdued));
    if let Some(map) = map.filter(|map| map.kind == AttentionKind::Attention) {
        let share = format_percent(map.rest.into(), 0);
        let rest = tr!("predict-attention-outside-image", share);
        faint(ui, rest).on_hover_text(tr!("predict-attention-outside-image-hint"));
    }
}

fn overlay_colour(colour: Color32, share: f32) -> Color32 {
    colour.gamma_multiply(share.clamp(0.0, 1.0) * MAX_OPACITY)
}

fn cell(rect: Rect, map: &AttentionMap, index: usize) -> Rect {
    let (columns, rows) = (map.columns.max(1), map.rows.max(1));
    let size = vec2(rect.width() / columns as f32, rect.height() / rows as f32);
    let position = vec2((index % columns) as f32, (index / columns) as f32);
    Rect::from_min_size(rect.min + position * size, size)
}

fn show_value(response: &egui::Response, map: &AttentionMap, rect: Rect, pos: egui::Pos2) {
    let index = (0..map.values.len()).find(|i| cell(rect, map, *i).contains(pos));
    if let Some(index) = index {
        response.clone().on_hover_text_at_pointer(value_text(map, index));
    }
}

fn value_text(map: &AttentionMap, index: usize) -> String {
    let value = f64::from(map.values[index]);
    match map.kind {
        AttentionKind::Attention => {
            tr!("predict-attention-share", share = format_percent(value, 1))
        }
        AttentionKind::Length => tr!("predict-attention-length", value = format_number(value, 2)),
    }
}

/// Describes the positions with the most attention.
fn map_text(map: &AttentionMap, title: &str) -> String {
    let mut order: Vec<usize> = (0..map.values.len()).collect();
    order.sort_by(|a, b| map.values[*b].total_cmp(&map.values[*a]));
    let position_text = |index: usize| {
        tr!(
            "predict-attention-position",
            row = index / map.columns.max(1) + 1,
            column = index % map.columns.max(1) + 1,
            value = value_text(map, index)
        )
    };
    let most: Vec<String> = order.into_iter().take(MAX_POSITIONS).map(position_text).collect();
    let (rows, columns, each) = (map.rows, map.columns, most.join("; "));
    tr!("predict-attention-highest", title, rows, columns, each)
}

/// Returns in words how much attention moved between positions.
fn change_text(before: &AttentionMap, after: &AttentionMap) -> String {
    let pairs = before.values.iter().zip(&after.values);
    let moved: f32 = pairs.map(|(a, b)| (b - a).abs()).sum();
    match after.kind {
        AttentionKind::Attention => {
            let moved = (moved + (after.rest - before.rest).abs()) / 2.0;
            tr!("predict-attention-moved", share = format_percent(moved.into(), 1))
        }
        AttentionKind::Length => {
            let total: f32 = before.values.iter().sum();
            let share = format_percent((moved / total.max(1e-9)).into(), 0);
            tr!("predict-attention-lengths-changed", share)
        }
    }
}
