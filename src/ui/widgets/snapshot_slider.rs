//! The slider over task snapshots. It has one stop for each task; stops of tasks that are not learned yet are dotted.

use egui::{Align2, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2};

use crate::tr;
use crate::ui::theme::{regular, tokens};

/// Draws a slider with `all` stops, of which the first `done` can be selected. The page handles the arrow keys. Returns
/// the stop that the user selected.
pub fn stops(ui: &mut Ui, all: usize, done: usize, chosen: usize) -> Option<usize> {
    let words = |task| tr!("figure-after-task", task);
    let name = tr!("shell-state-after-task");
    stops_called(ui, name, words, (all, done), chosen)
}

/// Draws a slider as [`stops`] does, with this name. `words` returns the label of a stop (from 1).
pub fn stops_called(
    ui: &mut Ui,
    name: &str,
    words: impl Fn(usize) -> String,
    (all, done): (usize, usize),
    chosen: usize,
) -> Option<usize> {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 46.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), (chosen + 1) as f64, name));
    if all == 0 {
        return None;
    }
    let margin = 40.0f32.min(rect.width() / (2.0 * all as f32));
    let y = rect.top() + 14.0;
    let step = (rect.width() - 2.0 * margin) / (all.max(2) - 1) as f32;
    let x = |task: usize| rect.left() + margin + step * task as f32;
    let reach = x(done.saturating_sub(1));
    let ahead = [pos2(reach, y), pos2(x(all - 1), y)];
    ui.painter()
        .extend(Shape::dotted_line(&ahead, t.subdued, 6.0, 1.2));
    let line = Stroke::new(3.0, t.accent);
    ui.painter()
        .line_segment([pos2(x(0), y), pos2(reach, y)], line);
    let every = (70.0 / step.max(1.0)).ceil().max(1.0) as usize;
    for task in 0..all {
        let at = pos2(x(task), y);
        if task >= done {
            ui.painter()
                .circle_stroke(at, 4.0, Stroke::new(1.2, t.subdued));
        } else if task == chosen {
            ui.painter().circle_filled(at, 9.0, t.accent);
        } else {
            ui.painter().circle_filled(at, 5.0, t.accent);
        }
        // A label next to the selected stop is omitted if it would overlap the selected label.
        let crowded = task != chosen && (task.abs_diff(chosen) as f32) * step < 24.0;
        if (task.is_multiple_of(every) && !crowded) || task == chosen {
            let colour = if task == chosen { t.strong } else { t.subdued };
            let text = if every > 1 {
                format!("{}", task + 1)
            } else {
                words(task + 1)
            };
            let below = pos2(at.x, y + 22.0);
            ui.painter()
                .text(below, Align2::CENTER_CENTER, text, regular(11.0), colour);
        }
    }
    if response.has_focus() {
        let ring = Stroke::new(1.0, t.accent);
        ui.painter().circle_stroke(pos2(x(chosen), y), 12.0, ring);
    }
    let mut wanted = chosen;
    if let Some(at) = response.interact_pointer_pos()
        && (response.clicked() || response.dragged())
    {
        let nearest = ((at.x - rect.left() - margin) / step.max(1.0))
            .round()
            .max(0.0);
        wanted = nearest as usize;
        response.request_focus();
    }
    let wanted = wanted.min(done.saturating_sub(1));
    (wanted != chosen && done > 0).then_some(wanted)
}
