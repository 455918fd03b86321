//! Classes as chips that can be dragged between tasks or moved with a menu.

use egui::{
    Align2, DragAndDrop, Id, LayerId, Order, Popup, Rect, Response, Role, ScrollArea, Sense,
    Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
};

use crate::data::scenario::Scenario;
use crate::tr;
use crate::ui::theme::{RADIUS, semibold, tokens};
use crate::ui::widgets::elided_text::{paint_name, shorten_name};
use crate::ui::widgets::{faint, layout_line, paint_box};

/// Height of a chip.
const CHIP_HEIGHT: f32 = 22.0;
/// Maximum width of a chip. A longer name is cut off.
const MAX_CHIP_WIDTH: f32 = 150.0;
/// Maximum number of characters of a dragged name. A longer chip would cover the tasks.
const MAX_DRAGGED_CHARS: usize = 30;
/// The class that is being dragged, as an index among the classes sorted by name.
struct Dragged(usize);

/// The new position of a class.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// The index of the class among the classes sorted by name.
    pub class: usize,
    /// The target task. The number after the last task stands for a new task.
    pub task: usize,
    /// The index in the target task at which the class is inserted.
    pub index: usize,
}

pub(super) fn chip_width(ui: &Ui, name: &str) -> f32 {
    let galley = layout_line(ui, name, semibold(12.5), tokens(ui).strong);
    (galley.size().x + 12.0).min(MAX_CHIP_WIDTH)
}

/// Draws a class as a chip that can be dragged or moved with its menu.
pub(super) fn class_chip(
    ui: &mut Ui,
    view: &str,
    scenario: &Scenario,
    (class, name): (usize, &str),
    task: usize,
) -> (Response, Option<Move>) {
    let t = tokens(ui);
    let size = Vec2::new(chip_width(ui, name), CHIP_HEIGHT);
    let (_, rect) = ui.allocate_space(size);
    // The id depends on the class, so that the class keeps the keyboard focus when it is moved.
    let id = Id::unique((view, class));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    if !ui.is_rect_visible(rect) {
        return (response, None);
    }
    let label = tr!("data-class-in-task", class = name, task = task + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    response.dnd_set_drag_payload(Dragged(class));
    let focused = response.has_focus();
    let is_highlighted = response.hovered() || focused;
    let fill = if is_highlighted { t.raised } else { t.background };
    let line = if focused { t.accent } else { t.line };
    paint_box(ui, rect, 5, fill, line);
    let dragged = response.dragged();
    let colour = if dragged { t.subdued } else { t.strong };
    let text_width = size.x - 10.0;
    let align = Align2::CENTER_CENTER;
    paint_name(ui, rect.center(), align, name, semibold(12.5), colour, text_width);
    let mut moved = None;
    Popup::menu(&response).show(|ui| moved = move_menu(ui, scenario, class, name, task));
    (response.on_hover_text(label), moved)
}

/// Draws the menu with all moves of one class.
fn move_menu(
    ui: &mut Ui,
    scenario: &Scenario,
    class: usize,
    name: &str,
    task: usize,
) -> Option<Move> {
    let position = scenario.class_label(class);
    let index = position - scenario.tasks[task].start;
    let last = scenario.task_count() - 1;
    let moved_to = |task, index| Some(Move { class, task, index });
    let mut moved = None;
    let mut add_item = |ui: &mut Ui, enabled: bool, label: String, target: Option<Move>| {
        if ui.add_enabled(enabled, egui::Button::new(label)).clicked() {
            moved = target;
            // A click with the keyboard does not close a menu automatically.
            ui.close();
        }
    };
    faint(ui, name);
    let earlier = match (index, task) {
        (0, 0) => None,
        (0, _) => moved_to(task - 1, usize::MAX),
        _ => moved_to(task, index - 1),
    };
    let label = tr!("data-move-earlier").into();
    add_item(ui, earlier.is_some(), label, earlier);
    let later = match index + 1 < scenario.tasks[task].len() {
        true => moved_to(task, index + 2),
        false if task < last => moved_to(task + 1, 0),
        false => None,
    };
    add_item(ui, later.is_some(), tr!("data-move-later").into(), later);
    let alone = task == last && scenario.tasks[task].len() == 1;
    let label = tr!("data-move-new").into();
    add_item(ui, !alone, label, moved_to(last + 1, 0));
    ui.separator();
    ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
        for other in (0..=last).filter(|&other| other != task) {
            let label = tr!("data-move-to", task = other + 1);
            add_item(ui, true, label, moved_to(other, usize::MAX));
        }
    });
    moved
}

/// Returns the new position of a class that was dropped on this task. Draws a mark at the position while the class
/// hovers over the task.
pub(super) fn drop_target(
    ui: &Ui,
    area: Rect,
    chips: &[Rect],
    task: usize,
    classes: usize,
) -> Option<Move> {
    let dragged = DragAndDrop::payload::<Dragged>(ui.ctx())?;
    let pointer = ui.ctx().pointer_interact_pos()?;
    if !area.intersect(ui.clip_rect()).contains(pointer) {
        return None;
    }
    let after = |rect: &Rect| {
        pointer.y < rect.top() || (pointer.y <= rect.bottom() && pointer.x < rect.center().x)
    };
    let index = chips.iter().position(after).unwrap_or(classes);
    let line = Stroke::new(2.0, tokens(ui).accent);
    ui.painter().rect_stroke(area, RADIUS, line, StrokeKind::Inside);
    let mark = match chips.get(index) {
        Some(rect) => Some((rect.left() - 2.0, rect.y_range())),
        None => chips.last().map(|rect| (rect.right() + 2.0, rect.y_range())),
    };
    if let Some((x, rows)) = mark {
        ui.painter().vline(x, rows, line);
    }
    if !ui.input(|i| i.pointer.any_released()) {
        return None;
    }
    DragAndDrop::clear_payload(ui.ctx());
    Some(Move { class: dragged.0, task, index })
}

/// Draws the dragged class at the pointer.
pub(super) fn paint_dragged_chip(ui: &Ui, names: &[String]) {
    let Some(dragged) = DragAndDrop::payload::<Dragged>(ui.ctx()) else {
        return;
    };
    let (Some(pointer), Some(name)) = (ui.ctx().pointer_interact_pos(), names.get(dragged.0))
    else {
        return;
    };
    let t = tokens(ui);
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Tooltip, Id::unique("dragged class")));
    let name = shorten_name(name, MAX_DRAGGED_CHARS);
    let galley = painter.layout_no_wrap(name, semibold(12.5), t.strong);
    let rect =
        Rect::from_min_size(pointer + Vec2::new(10.0, 6.0), galley.size() + Vec2::new(12.0, 6.0));
    let line = Stroke::new(1.0, t.accent);
    painter.rect(rect, 5, t.raised, line, StrokeKind::Inside);
    painter.galley(rect.min + Vec2::new(6.0, 3.0), galley, t.strong);
}

/// Scrolls the list while a class is dragged near its upper or lower edge.
pub(super) fn auto_scroll(ui: &Ui) {
    let Some(pointer) = ui.ctx().pointer_interact_pos() else {
        return;
    };
    if !DragAndDrop::has_payload_of_type::<Dragged>(ui.ctx()) {
        return;
    }
    let view = ui.clip_rect();
    let speed = if (view.top()..view.top() + 26.0).contains(&pointer.y) {
        8.0
    } else if (view.bottom() - 26.0..view.bottom()).contains(&pointer.y) {
        -8.0
    } else {
        return;
    };
    ui.scroll_with_delta(Vec2::new(0.0, speed));
    ui.ctx().request_repaint();
}
