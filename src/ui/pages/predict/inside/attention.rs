//! What the class token looks at, drawn over the picture: before a task and after it.

use egui::{
    Color32, CornerRadius, Rect, RichText, Role, Sense, TextureId, Ui, Vec2, WidgetInfo, vec2,
};

use crate::run::inside::{AttentionKind, AttentionMap};
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, sentence};

/// Most of a cell's colour that lies over the picture.
const STRONGEST: f32 = 0.82;
/// Places that are told in words.
const TOLD: usize = 5;

/// Draws both, the stronger the colour the more a place counts; both have one scale.
pub fn show(
    ui: &mut Ui,
    texture: TextureId,
    before: Option<&AttentionMap>,
    after: &AttentionMap,
    task: usize,
) {
    let text = match after.kind {
        AttentionKind::Attention => {
            "Where the class token looks in the last block, the mean over its heads. Its answer is gathered from there."
        }
        AttentionKind::Length => {
            "This network has no class token to look at anything: shown is how long the feature is at each place."
        }
    };
    faint(ui, text);
    let largest = |map: &AttentionMap| map.values.iter().copied().fold(0f32, f32::max);
    let top = before.map_or(0.0, largest).max(largest(after));
    let side = ((ui.available_width() - 8.0) / 2.0).clamp(60.0, 190.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let titles = match task {
            0 => ["as pre-trained".to_string(), "after task 1".to_string()],
            task => [
                format!("after task {task}"),
                format!("after task {}", task + 1),
            ],
        };
        for (title, map) in titles.into_iter().zip([before, Some(after)]) {
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
        || format!("{title}: being looked at"),
        |map| in_words(map, title),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &words));
    if let Some(map) = map {
        for (at, value) in map.values.iter().enumerate() {
            let colour = over(t.warning, value / top.max(f32::MIN_POSITIVE));
            let place = cell(rect, map, at);
            ui.painter().rect_filled(place, CornerRadius::ZERO, colour);
        }
        if let Some(at) = response.hover_pos() {
            tell(&response, map, rect, at);
        }
    }
    ui.label(RichText::new(title).font(regular(12.0)).color(t.subdued));
    if let Some(map) = map.filter(|map| map.kind == AttentionKind::Attention) {
        let rest = format!("{:.0}\u{a0}% not on the picture", map.rest * 100.0);
        faint(ui, rest).on_hover_text("On the class token itself, on prompts and prefixes");
    }
}

fn over(colour: Color32, share: f32) -> Color32 {
    colour.gamma_multiply(share.clamp(0.0, 1.0) * STRONGEST)
}

fn cell(rect: Rect, map: &AttentionMap, at: usize) -> Rect {
    let size = vec2(
        rect.width() / map.columns.max(1) as f32,
        rect.height() / map.rows.max(1) as f32,
    );
    let place = vec2(
        (at % map.columns.max(1)) as f32,
        (at / map.columns.max(1)) as f32,
    );
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
    let value = map.values[place];
    match map.kind {
        AttentionKind::Attention => format!("{:.1}\u{a0}% of its attention", value * 100.0),
        AttentionKind::Length => format!("length {value:.2}"),
    }
}

/// The places that count most, in words.
fn in_words(map: &AttentionMap, title: &str) -> String {
    let mut order: Vec<usize> = (0..map.values.len()).collect();
    order.sort_by(|a, b| map.values[*b].total_cmp(&map.values[*a]));
    let place = |at: usize| {
        let (row, column) = (at / map.columns.max(1) + 1, at % map.columns.max(1) + 1);
        format!("row {row}, column {column}: {}", value_words(map, at))
    };
    let most: Vec<String> = order.into_iter().take(TOLD).map(place).collect();
    format!(
        "{title}, of {} × {} places most: {}",
        map.rows,
        map.columns,
        most.join("; ")
    )
}

/// How much moved from some places to others.
fn change(before: &AttentionMap, after: &AttentionMap) -> String {
    let pairs = before.values.iter().zip(&after.values);
    let moved: f32 = pairs.map(|(a, b)| (b - a).abs()).sum();
    match after.kind {
        AttentionKind::Attention => format!(
            "{:.1}\u{a0}% of the attention moved to another place.",
            (moved + (after.rest - before.rest).abs()) * 50.0
        ),
        AttentionKind::Length => {
            let whole: f32 = before.values.iter().sum();
            format!(
                "The lengths changed by {:.0}\u{a0}%.",
                moved / whole.max(1e-9) * 100.0
            )
        }
    }
}
