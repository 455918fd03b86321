//! What the class token looks at, drawn over the picture: before a task and after it.

use egui::{
    Color32, CornerRadius, Rect, RichText, Role, Sense, TextureId, Ui, Vec2, WidgetInfo, vec2,
};

use crate::run::inside::{Gaze, GazeKind};
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, sentence};

/// Most of a cell's colour that lies over the picture.
const STRONGEST: f32 = 0.82;
/// Places that are told in words.
const TOLD: usize = 5;

/// Draws both, the stronger the colour the more a place counts; both have one scale.
pub fn show(ui: &mut Ui, texture: TextureId, before: Option<&Gaze>, after: &Gaze, task: usize) {
    let text = match after.kind {
        GazeKind::Attention => {
            "Where the class token looks in the last block, the mean over its heads. Its answer is gathered from there."
        }
        GazeKind::Length => {
            "This network has no class token to look at anything: shown is how long the feature is at each place."
        }
    };
    faint(ui, text);
    let largest = |gaze: &Gaze| gaze.values.iter().copied().fold(0f32, f32::max);
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
        for (title, gaze) in titles.into_iter().zip([before, Some(after)]) {
            ui.vertical(|ui| {
                ui.set_width(side);
                one(ui, texture, gaze, (side, top), &title);
            });
        }
    });
    if let Some(before) = before.filter(|before| before.values.len() == after.values.len()) {
        sentence(ui, change(before, after));
    }
}

fn one(ui: &mut Ui, texture: TextureId, gaze: Option<&Gaze>, (side, top): (f32, f32), title: &str) {
    let t = tokens(ui);
    ui.spacing_mut().item_spacing.y = 3.0;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    egui::Image::new((texture, rect.size())).paint_at(ui, rect);
    let words = gaze.map_or_else(
        || format!("{title}: being looked at"),
        |gaze| in_words(gaze, title),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &words));
    if let Some(gaze) = gaze {
        for (at, value) in gaze.values.iter().enumerate() {
            let colour = over(t.warning, value / top.max(f32::MIN_POSITIVE));
            let place = cell(rect, gaze, at);
            ui.painter().rect_filled(place, CornerRadius::ZERO, colour);
        }
        if let Some(at) = response.hover_pos() {
            tell(&response, gaze, rect, at);
        }
    }
    ui.label(RichText::new(title).font(regular(12.0)).color(t.subdued));
    if let Some(gaze) = gaze.filter(|gaze| gaze.kind == GazeKind::Attention) {
        let rest = format!("{:.0}\u{a0}% not on the picture", gaze.rest * 100.0);
        faint(ui, rest).on_hover_text("On the class token itself, on prompts and prefixes");
    }
}

fn over(colour: Color32, share: f32) -> Color32 {
    colour.gamma_multiply(share.clamp(0.0, 1.0) * STRONGEST)
}

fn cell(rect: Rect, gaze: &Gaze, at: usize) -> Rect {
    let size = vec2(
        rect.width() / gaze.columns.max(1) as f32,
        rect.height() / gaze.rows.max(1) as f32,
    );
    let place = vec2(
        (at % gaze.columns.max(1)) as f32,
        (at / gaze.columns.max(1)) as f32,
    );
    Rect::from_min_size(rect.min + place * size, size)
}

fn tell(response: &egui::Response, gaze: &Gaze, rect: Rect, at: egui::Pos2) {
    let place = (0..gaze.values.len()).find(|i| cell(rect, gaze, *i).contains(at));
    if let Some(place) = place {
        response
            .clone()
            .on_hover_text_at_pointer(value_words(gaze, place));
    }
}

fn value_words(gaze: &Gaze, place: usize) -> String {
    let value = gaze.values[place];
    match gaze.kind {
        GazeKind::Attention => format!("{:.1}\u{a0}% of its attention", value * 100.0),
        GazeKind::Length => format!("length {value:.2}"),
    }
}

/// The places that count most, in words.
fn in_words(gaze: &Gaze, title: &str) -> String {
    let mut order: Vec<usize> = (0..gaze.values.len()).collect();
    order.sort_by(|a, b| gaze.values[*b].total_cmp(&gaze.values[*a]));
    let place = |at: usize| {
        let (row, column) = (at / gaze.columns.max(1) + 1, at % gaze.columns.max(1) + 1);
        format!("row {row}, column {column}: {}", value_words(gaze, at))
    };
    let most: Vec<String> = order.into_iter().take(TOLD).map(place).collect();
    format!(
        "{title}, of {} × {} places most: {}",
        gaze.rows,
        gaze.columns,
        most.join("; ")
    )
}

/// How much moved from some places to others.
fn change(before: &Gaze, after: &Gaze) -> String {
    let pairs = before.values.iter().zip(&after.values);
    let moved: f32 = pairs.map(|(a, b)| (b - a).abs()).sum();
    match after.kind {
        GazeKind::Attention => format!(
            "{:.1}\u{a0}% of the attention moved to another place.",
            (moved + (after.rest - before.rest).abs()) * 50.0
        ),
        GazeKind::Length => {
            let whole: f32 = before.values.iter().sum();
            format!(
                "The lengths changed by {:.0}\u{a0}%.",
                moved / whole.max(1e-9) * 100.0
            )
        }
    }
}
