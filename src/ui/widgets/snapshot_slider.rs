//! The slider over task snapshots. It has one stop for each task; stops of tasks that are not learned yet are dotted.

use egui::{Align2, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2};

use crate::tr;
use crate::ui::theme::{regular, tokens};

/// Draws a slider with `count` stops; the first `enabled` can be selected. The page handles the arrow keys. Returns
/// the stop that the user selected.
pub fn slider(ui: &mut Ui, count: usize, enabled: usize, selected: usize) -> Option<usize> {
    let label = |task| tr!("figure-after-task", task);
    let name = tr!("shell-state-after-task");
    slider_with_labels(ui, name, label, (count, enabled), selected)
}

/// Draws a slider as [`slider`] does, with this name. `label` returns the label of a stop (from 1).
pub fn slider_with_labels(
    ui: &mut Ui,
    name: &str,
    label: impl Fn(usize) -> String,
    (count, enabled): (usize, usize),
    selected: usize,
) -> Option<usize> {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 46.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), (selected + 1) as f64, name));
    if count == 0 {
        return None;
    }
    let margin = 40.0f32.min(rect.width() / (2.0 * count as f32));
    let y = rect.top() + 14.0;
    let step = (rect.width() - 2.0 * margin) / (count.max(2) - 1) as f32;
    let x = |task: usize| rect.left() + margin + step * task as f32;
    let learned_end = x(enabled.saturating_sub(1));
    let remaining = [pos2(learned_end, y), pos2(x(count - 1), y)];
    ui.painter().extend(Shape::dotted_line(&remaining, t.subdued, 6.0, 1.2));
    let stroke = Stroke::new(3.0, t.accent);
    ui.painter().line_segment([pos2(x(0), y), pos2(learned_end, y)], stroke);
    let stride = (70.0 / step.max(1.0)).ceil().max(1.0) as usize;
    for task in 0..count {
        let at = pos2(x(task), y);
        if task >= enabled {
            ui.painter().circle_stroke(at, 4.0, Stroke::new(1.2, t.subdued));
        } else if task == selected {
            ui.painter().circle_filled(at, 9.0, t.accent);
        } else {
            ui.painter().circle_filled(at, 5.0, t.accent);
        }
        // A label next to the selected stop is omitted if it would overlap the selected label.
        let crowded = task != selected && (task.abs_diff(selected) as f32) * step < 24.0;
        if (task.is_multiple_of(stride) && !crowded) || task == selected {
            let colour = if task == selected { t.strong } else { t.subdued };
            let text = if stride > 1 { format!("{}", task + 1) } else { label(task + 1) };
            let label_position = pos2(at.x, y + 22.0);
            ui.painter().text(label_position, Align2::CENTER_CENTER, text, regular(11.0), colour);
        }
    }
    if response.has_focus() {
        let ring = Stroke::new(1.0, t.accent);
        ui.painter().circle_stroke(pos2(x(selected), y), 12.0, ring);
    }
    let mut new_stop = selected;
    if let Some(at) = response.interact_pointer_pos()
        && (response.clicked() || response.dragged())
    {
        let nearest = ((at.x - rect.left() - margin) / step.max(1.0)).round().max(0.0);
        new_stop = nearest as usize;
        response.request_focus();
    }
    let new_stop = new_stop.min(enabled.saturating_sub(1));
    (new_stop != selected && enabled > 0).then_some(new_stop)
}
