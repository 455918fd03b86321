//! The attention of the class token, drawn over the image before and after a task.

use egui::{Color32, Rect, RichText, Role, Sense, TextureId, Ui, Vec2, WidgetInfo, vec2};

use crate::run::inside::{AttentionKind, AttentionMap};
use crate::session::words::{number, percent};
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, sentence};

/// Maximum opacity of a cell that is drawn over the image.
const STRONGEST: f32 = 0.82;
/// Maximum number of positions described in words.
const TOLD: usize = 5;

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
    let top = before.map_or(0.0, largest).max(largest(after));
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
                one(ui, texture, map, (side, top), &title);
            });
        }
    });
    if let Some(before) = before.filter(|before| before.values.len() == after.values.len()) {
        sentence(ui, change(before, after));
    }
}

fn one(
    ui: &mut Ui,
    texture: TextureId,
    map: Option<&AttentionMap>,
    (side, top): (f32, f32),
    title: &str,
) {
    let t = tokens(ui);
    ui.spacing_mut().item_spacing.y = 3.0;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    egui::Image::new((texture, rect.size())).paint_at(ui, rect);
    let words = map.map_or_else(
        || tr!("predict-attention-computing", title),
        |map| in_words(map, title),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &words));
    if let Some(map) = map {
        for (at, value) in map.values.iter().enumerate() {
            let colour = over(t.warning, value / top.max(f32::MIN_POSITIVE));
            let place = cell(rect, map, at);
            ui.painter().rect_filled(place, 0, colour);
        }
        if let Some(at) = response.hover_pos() {
            tell(&response, map, rect, at);
        }
    }
    ui.label(RichText::new(title).font(regular(12.0)).color(t.subdued));
    if let Some(map) = map.filter(|map| map.kind == AttentionKind::Attention) {
        let share = percent(map.rest.into(), 0);
        let rest = tr!("predict-attention-outside-image", share);
        faint(ui, rest).on_hover_text(tr!("predict-attention-outside-image-hint"));
    }
}

fn over(colour: Color32, share: f32) -> Color32 {
    colour.gamma_multiply(share.clamp(0.0, 1.0) * STRONGEST)
}

fn cell(rect: Rect, map: &AttentionMap, at: usize) -> Rect {
    let (columns, rows) = (map.columns.max(1), map.rows.max(1));
    let size = vec2(rect.width() / columns as f32, rect.height() / rows as f32);
    let place = vec2((at % columns) as f32, (at / columns) as f32);
    Rect::from_min_size(rect.min + place * size, size)
}

fn tell(response: &egui::Response, map: &AttentionMap, rect: Rect, at: egui::Pos2) {
    let place = (0..map.values.len()).find(|i| cell(rect, map, *i).contains(at));
    if let Some(place) = place {
        response
            .clone()
            .on_hover_text_at_pointer(value_words(map, place));
    }
}

fn value_words(map: &AttentionMap, place: usize) -> String {
    let value = f64::from(map.values[place]);
    match map.kind {
        AttentionKind::Attention => tr!("predict-attention-share", share = percent(value, 1)),
        AttentionKind::Length => tr!("predict-attention-length", value = number(value, 2)),
    }
}

/// Describes the positions with the most attention.
fn in_words(map: &AttentionMap, title: &str) -> String {
    let mut order: Vec<usize> = (0..map.values.len()).collect();
    order.sort_by(|a, b| map.values[*b].total_cmp(&map.values[*a]));
    let place = |at: usize| {
        tr!(
            "predict-attention-position",
            row = at / map.columns.max(1) + 1,
            column = at % map.columns.max(1) + 1,
            value = value_words(map, at)
        )
    };
    let most: Vec<String> = order.into_iter().take(TOLD).map(place).collect();
    let (rows, columns, each) = (map.rows, map.columns, most.join("; "));
    tr!("predict-attention-highest", title, rows, columns, each)
}

/// Returns in words how much attention moved between positions.
fn change(before: &AttentionMap, after: &AttentionMap) -> String {
    let pairs = before.values.iter().zip(&after.values);
    let moved: f32 = pairs.map(|(a, b)| (b - a).abs()).sum();
    match after.kind {
        AttentionKind::Attention => {
            let moved = (moved + (after.rest - before.rest).abs()) / 2.0;
            tr!("predict-attention-moved", share = percent(moved.into(), 1))
        }
        AttentionKind::Length => {
            let whole: f32 = before.values.iter().sum();
            let share = percent((moved / whole.max(1e-9)).into(), 0);
            tr!("predict-attention-lengths-changed", share)
        }
    }
}
