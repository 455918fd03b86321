//! The loss as a small line: one hump per task.

use egui::{Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2};

use crate::ui::theme::tokens;

/// Paints the values across the available width. Each pixel column shows the mean of its share of
/// the values; changes of task are marked by a hairline.
pub fn sparkline(ui: &mut Ui, height: f32, values: &[(usize, f32)], name: &str) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    if values.len() < 2 {
        return;
    }
    let columns = (rect.width() / 2.0).max(2.0) as usize;
    let per = values.len().div_ceil(columns).max(1);
    let means: Vec<(usize, f32)> = values
        .chunks(per)
        .map(|chunk| {
            let sum: f32 = chunk.iter().map(|(_, loss)| loss).sum();
            (chunk[0].0, sum / chunk.len() as f32)
        })
        .collect();
    let top = means.iter().map(|m| m.1).fold(f32::MIN, f32::max).max(1e-6);
    let x = |i: usize| {
        rect.left() + rect.width() * i as f32 / (means.len().saturating_sub(1)).max(1) as f32
    };
    for (i, pair) in means.windows(2).enumerate() {
        if pair[0].0 != pair[1].0 {
            let line = Stroke::new(1.0, t.line);
            ui.painter().vline(x(i + 1), rect.y_range(), line);
        }
    }
    let points = means
        .iter()
        .enumerate()
        .map(|(i, (_, loss))| {
            pos2(
                x(i),
                rect.bottom() - loss / top * (rect.height() - 4.0) - 1.0,
            )
        })
        .collect();
    ui.painter().line(points, Stroke::new(1.4, t.accent));
    if let Some(at) = response.hover_pos() {
        let share = ((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
        let i = (share * (means.len() - 1) as f32).round() as usize;
        response.on_hover_text(format!("task {} · loss {:.4}", means[i].0 + 1, means[i].1));
    }
}
