//! The strip of tasks with the classes of each. Classes can be dragged between tasks, here or in the larger view below.
//! A click on a class opens a menu with the same moves, which can be used with the keyboard.

use egui::{
    Align2, Popup, Rect, Role, ScrollArea, Sense, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2,
};

use super::chips::{Move, auto_scroll, chip_width, class_chip, drop_target, paint_dragged_chip};
use super::row;
use super::setting::text_field;
use crate::data::scenario::{ClassOrder, Scenario};
use crate::problem::join_some;
use crate::run::config::Setting;
use crate::session::file_dialog::DialogPurpose;
use crate::session::views::DataView;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{RADIUS, regular, semibold, tokens};
use crate::ui::widgets::{
    allocate_named, button, button_if, faint, paint_border, paint_truncated_text, terms,
};

/// Height of a cell of the strip.
const CELL_HEIGHT: f32 = 48.0;
/// Minimum width of a cell.
const MIN_CELL_WIDTH: f32 = 26.0;
/// Maximum number of class names in a cell; more would not be visible.
const MAX_NAMES: usize = 100;

/// Draws the strip with one cell per task.
pub fn strip(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(scenario) = cx.session.experiment.plan.scenario.clone() else {
        // The size is constant, so that nothing moves while the user types a setting.
        let size = Vec2::new(ui.available_width(), CELL_HEIGHT);
        ui.allocate_exact_size(size, Sense::hover());
        return;
    };
    let data = cx.session.experiment.data.ready().cloned();
    let names = class_names(data.as_deref());
    let count = scenario.task_count() as f32;
    let gap = if count > 10.0 { 3.0 } else { 8.0 };
    let width = ui.available_width();
    let cell = ((width - gap * (count - 1.0)) / count).max(MIN_CELL_WIDTH);
    let mut moved = None;
    ScrollArea::horizontal().id_salt("task strip").show(ui, |ui| {
        let total_size = Vec2::new((cell + gap) * count - gap, CELL_HEIGHT);
        let (strip, _) = ui.allocate_exact_size(total_size, Sense::hover());
        for task in 0..scenario.task_count() {
            let min = strip.min + Vec2::new((cell + gap) * task as f32, 0.0);
            let rect = Rect::from_min_size(min, Vec2::new(cell, CELL_HEIGHT));
            moved = one_cell(ui, cx, &scenario, names, task, rect).or(moved);
        }
    });
    paint_dragged_chip(ui, names);
    apply_move(cx, &scenario, moved);
}

fn class_names(data: Option<&DataView>) -> &[String] {
    data.map_or(&[], |view| &view.classes)
}

fn apply_move(cx: &mut Cx<'_>, scenario: &Scenario, moved: Option<Move>) {
    if let Some(Move { class, task, index }) = moved {
        let position = scenario.class_label(class);
        let scenario = scenario.with_moved_class(position, task, index);
        cx.dispatch(UiCommand::SetTasks(Box::new(scenario)));
    }
}

fn one_cell(
    ui: &mut Ui,
    cx: &Cx<'_>,
    scenario: &Scenario,
    names: &[String],
    task: usize,
    rect: Rect,
) -> Option<Move> {
    let t = tokens(ui);
    let classes = classes_of(scenario, names, task);
    let labels: Vec<&str> = classes.iter().map(|&(_, name)| name).collect();
    let summary = join_some(&labels, 12);
    let name = tr!("data-task-classes", task = task + 1, classes = summary);
    let response = ui.interact(rect, ui.scope_id().with(("task", task)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    paint_border(ui, rect, RADIUS, t.line);
    let text_width = rect.width() - 20.0;
    let images = cx.session.experiment.plan.train_images.get(task);
    let images = images.copied().unwrap_or(0);
    let tip = format!("{name}\n{}", tr!("data-training-images", n = images));
    let mut chips = Vec::new();
    let mut moved = None;
    if rect.width() <= 50.0 {
        let number = format!("{}", task + 1);
        let font = regular(11.0);
        let align = Align2::CENTER_CENTER;
        paint_truncated_text(ui, rect.center(), align, &number, font, t.subdued, 40.0);
    } else {
        let pos = rect.min + Vec2::new(11.0, 13.0);
        let label = tr!("data-task", task = task + 1);
        let align = Align2::LEFT_CENTER;
        paint_truncated_text(ui, pos, align, &label, regular(12.0), t.subdued, text_width);
        let chips_rect = Rect::from_min_max(
            pos2(rect.left() + 7.0, rect.top() + 22.0),
            pos2(rect.right() - 5.0, rect.bottom() - 4.0),
        );
        if fits(ui, &labels, chips_rect.width()) {
            ui.scope_builder(UiBuilder::new().max_rect(chips_rect), |ui| {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 3.0;
                    for &class in &classes {
                        let (chip, chosen_move) = class_chip(ui, "strip", scenario, class, task);
                        chips.push(chip.rect);
                        moved = moved.or(chosen_move);
                    }
                });
            });
        } else {
            let pos = rect.min + Vec2::new(11.0, 33.0);
            let first = &labels[..labels.len().min(MAX_NAMES)];
            let joined = first.join(", ");
            let align = Align2::LEFT_CENTER;
            paint_truncated_text(ui, pos, align, &joined, semibold(12.5), t.strong, text_width);
        }
    }
    response.on_hover_text(tip);
    drop_target(ui, rect, &chips, task, classes.len()).or(moved)
}

/// Returns whether all classes fit side by side. Stops at the first class that does not fit, because there can be
/// thousands.
fn fits(ui: &Ui, names: &[&str], width: f32) -> bool {
    let mut remaining = width + 3.0;
    names.iter().all(|name| {
        remaining -= chip_width(ui, name) + 3.0;
        remaining >= 0.0
    })
}

/// Returns the classes of a task: the index among the sorted classes, and the name.
fn classes_of<'a>(scenario: &Scenario, names: &'a [String], task: usize) -> Vec<(usize, &'a str)> {
    scenario.class_order[scenario.tasks[task].clone()]
        .iter()
        .filter_map(|&class| Some((class, names.get(class)?.as_str())))
        .collect()
}

/// Draws the larger view of every task with all its classes.
pub fn arrange(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(scenario) = cx.session.experiment.plan.scenario.clone() else {
        faint(ui, tr!("data-tasks-unknown"));
        return;
    };
    let data = cx.session.experiment.data.ready().cloned();
    let names = class_names(data.as_deref());
    faint(ui, tr!("data-arrange-hint"));
    let mut moved = None;
    ScrollArea::vertical().id_salt("arrange").max_height(320.0).auto_shrink([false, true]).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(4.0);
            for task in 0..scenario.task_count() {
                let images = cx.session.experiment.plan.train_images.get(task).copied();
                moved = one_task(ui, &scenario, names, task, images.unwrap_or(0)).or(moved);
            }
            moved = new_task(ui, &scenario).or(moved);
            auto_scroll(ui);
        },
    );
    paint_dragged_chip(ui, names);
    apply_move(cx, &scenario, moved);
}

fn one_task(
    ui: &mut Ui,
    scenario: &Scenario,
    names: &[String],
    task: usize,
    images: usize,
) -> Option<Move> {
    let classes = classes_of(scenario, names, task);
    let mut moved = None;
    let mut chips = Vec::new();
    let frame = egui::Frame::new()
        .stroke(Stroke::new(1.0, tokens(ui).line))
        .corner_radius(RADIUS)
        .inner_margin(egui::Margin::symmetric(8, 6));
    let response = frame.show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let parts = [
            tr!("data-task", task = task + 1),
            tr!("data-classes", n = classes.len()),
            tr!("data-training-images", n = images),
        ];
        faint(ui, parts.join(" · "));
        ui.horizontal_wrapped(|ui| {
            for &class in &classes {
                let (chip, chosen_move) = class_chip(ui, "arrange", scenario, class, task);
                chips.push(chip.rect);
                moved = moved.or(chosen_move);
            }
        });
    });
    drop_target(ui, response.response.rect, &chips, task, classes.len()).or(moved)
}

fn new_task(ui: &mut Ui, scenario: &Scenario) -> Option<Move> {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 28.0);
    let (rect, _) = allocate_named(ui, size, Role::Image, tr!("data-new-task"));
    paint_border(ui, rect, RADIUS, t.line);
    let label = tr!("data-new-task-drop");
    let pos = rect.center();
    let align = Align2::CENTER_CENTER;
    paint_truncated_text(ui, pos, align, label, regular(12.0), t.subdued, size.x);
    drop_target(ui, rect, &[], scenario.task_count(), 0)
}

/// Draws the settings of the strip: classes per task, class order, built-in orders and undo.
pub fn order_settings(ui: &mut Ui, cx: &mut Cx<'_>) {
    row(ui, |ui| {
        let label = terms::faint(ui, tr!("data-classes-per-task"), "task");
        text_field(ui, cx, "classes_per_task", label.id, 100.0);
        ui.add_space(8.0);
        let label = terms::faint(ui, tr!("data-class-order"), "class_order");
        text_field(ui, cx, "order", label.id, 110.0);
        let menu = button(ui, tr!("data-orders"));
        Popup::menu(&menu).show(|ui| orders_menu(ui, cx));
        let undo = button_if(ui, cx.pages.experiment.can_undo, tr!("data-undo"));
        let hint = tr!("data-undo-hint");
        if undo.on_hover_text(hint).clicked() {
            cx.dispatch(UiCommand::Undo);
        }
    });
}

fn orders_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    let names = class_names(cx.session.experiment.data.ready().map(|view| &**view));
    let mut list = vec![("natural".to_string(), tr!("data-order-natural").to_string())];
    let by_number = ClassOrder::natural_order_of(names);
    if by_number != "natural" {
        let label = tr!("data-order-numbers");
        list.push((by_number, label.to_string()));
    }
    for preset in ClassOrder::presets(names.len()) {
        let key = preset.to_string();
        list.push((key.clone(), tr!("data-order-paper", key)));
    }
    for seed in 1..=3 {
        list.push((format!("seed:{seed}"), tr!("data-order-shuffled", seed)));
    }
    for (key, title) in list {
        if ui.button(title).clicked() {
            cx.set("order", Some(Setting::Text(key.into())));
        }
    }
    if ui.button(tr!("data-order-file")).clicked() {
        cx.change(|session| session.open_file_dialog(DialogPurpose::Order));
    }
}
