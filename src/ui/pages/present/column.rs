//! The columns of the presented runs: the name, the accuracies in large characters, what the run forgot, and its bars.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{
    Align, Align2, CornerRadius, Galley, Label, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder,
    Vec2, WidgetInfo, pos2,
};

use super::{PresentedRun, Step, choice, fitting_font_size, question, split_columns};
use crate::problem::join_some;
use crate::session::forgetting::best_accuracy;
use crate::session::formatting::{format_number, format_percent};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};

/// The smallest font size of the bars that is drawn.
const MIN_FONT_SIZE: f32 = 8.0;

/// Draws the columns of all runs side by side.
pub(super) fn show_columns(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    shown: &[PresentedRun<'_>],
    step: Step,
    rect: Rect,
    unit: f32,
) {
    let space = unit * 0.5;
    let (names, mut remaining) = split_top(rect, unit * 1.9, space);
    choice::run_selectors(ui, cx, shown, names, unit);
    if step.revealed {
        let (figures, below) = split_top(remaining, unit * 4.6, unit * 0.3);
        for (shown, rect) in shown.iter().zip(split_columns(figures, shown.len(), unit)) {
            show_accuracies(ui, shown, step.task, rect, unit);
        }
        let columns = split_columns(below, shown.len(), unit);
        let max_size = Vec2::new(columns[0].width(), unit * 2.9);
        let galleys = shown.iter().map(|presented| {
            let text = question::forgetting_text(presented, step.task).unwrap_or_default();
            fit_text(ui, &text, unit * 0.95, max_size)
        });
        let galleys: Vec<Arc<Galley>> = galleys.collect();
        let height = galleys.iter().map(|galley| galley.size().y).fold(0.0, f32::max);
        let (sentences, below) = split_top(below, height, space);
        let columns = split_columns(sentences, shown.len(), unit);
        for (galley, column) in galleys.into_iter().zip(columns) {
            if !galley.is_empty() {
                put_label(ui, column, Label::new(galley));
            }
        }
        remaining = below;
    }
    for (shown, rect) in shown.iter().zip(split_columns(remaining, shown.len(), unit)) {
        bars(ui, shown, step, rect, unit);
    }
}

/// Splits an area into the upper part with this height and the part below, with a space between them.
fn split_top(rect: Rect, height: f32, space: f32) -> (Rect, Rect) {
    let middle = (rect.top() + height).min(rect.bottom());
    let (upper, mut lower) = rect.split_top_bottom_at_y(middle);
    lower.set_top((middle + space).min(rect.bottom()));
    (upper, lower)
}

fn put_label(ui: &mut Ui, rect: Rect, label: Label) {
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| ui.add(label));
}

/// Draws a run's accuracy on all classes learned so far and on the first task.
fn show_accuracies(ui: &mut Ui, shown: &PresentedRun<'_>, task: usize, rect: Rect, unit: f32) {
    let t = tokens(ui);
    let history = shown.run.history;
    let first = history.matrix.get(task).and_then(|row| row.first().copied());
    let overall = history.accuracy.get(task).copied().filter(|_| task > 0);
    let figures = [(tr!("present-all-tasks"), overall), (tr!("present-first-task"), first)];
    let rects = split_columns(rect, 2, unit * 0.5).into_iter();
    let values = figures.into_iter().filter_map(|(name, value)| {
        let value = value.filter(|value| value.is_finite())?;
        Some((name, format_percent(value, 0)))
    });
    for ((name, value), rect) in values.zip(rects) {
        // The font size does not depend on the value, so it does not change between tasks.
        let size = fitting_font_size(ui, &format_percent(1.0, 0), unit * 3.0, rect.width());
        ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let value = RichText::new(value).font(semibold(size)).color(t.strong);
            ui.add(Label::new(value).extend());
            let size = fitting_font_size(ui, name, unit * 0.9, rect.width());
            let colour = t.run_colour(shown.run.shade);
            ui.add(Label::new(RichText::new(name).font(regular(size)).color(colour)).extend());
        });
    }
}

/// Returns text wrapped to this space, with a font size of at most `size`. The font is smaller if the text does not
/// fit; text that does not fit in the smallest font is truncated.
pub(super) fn fit_text(ui: &Ui, text: &str, size: f32, max_size: Vec2) -> Arc<Galley> {
    let colour = tokens(ui).strong;
    let layout = |share: f32, rows: usize| {
        let font = semibold(size * share);
        let mut job = LayoutJob::simple(text.to_string(), font, colour, max_size.x);
        job.wrap.max_rows = rows;
        ui.painter().layout_job(job)
    };
    let mut layouts = [1.0, 0.85, 0.7].map(|share| layout(share, usize::MAX)).into_iter();
    let fits = layouts.find(|galley| galley.size().y <= max_size.y);
    fits.unwrap_or_else(|| {
        let row_height = layout(0.6, 1).size().y.max(1.0);
        layout(0.6, ((max_size.y / row_height) as usize).max(1))
    })
}

/// Draws the bars of a run: its accuracy on each task, with a mark at the best accuracy so far.
fn bars(ui: &mut Ui, shown: &PresentedRun<'_>, step: Step, rect: Rect, unit: f32) {
    let t = tokens(ui);
    let response = ui.allocate_rect(rect, Sense::hover());
    let name = tr!("present-bars-about", name = shown.name.as_str());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let columns = split_columns(rect, shown.run.header.tasks.len().max(1), 0.0);
    let width = columns[0].width();
    let floor = rect.bottom() - unit * 2.8;
    let task_label = |task: usize| match width > unit * 3.2 {
        true => tr!("figure-task-column", n = task + 1),
        false => (task + 1).to_string(),
    };
    let size = fitting_font_size(ui, &task_label(columns.len() - 1), unit * 0.8, width * 0.9);
    for (task, column) in columns.iter().enumerate() {
        let is_current = task == step.task;
        let colour = if is_current { t.strong } else { t.subdued };
        if size >= MIN_FONT_SIZE {
            let pos = pos2(column.center().x, floor + unit * 0.2);
            let (align, font) = (Align2::CENTER_TOP, semibold(size));
            ui.painter().text(pos, align, task_label(task), font, colour);
        }
        if width > unit * 2.4 {
            let names = join_some(shown.run.header.class_names(task), 4);
            let font = regular(unit * 0.65);
            let mut job = LayoutJob::simple(names, font, colour, width - unit * 0.2);
            job.wrap.max_rows = 2;
            job.halign = Align::Center;
            let galley = ui.painter().layout_job(job);
            let pos = pos2(column.center().x, floor + unit * 1.2);
            ui.painter().galley(pos, galley, colour);
        }
        let mut column = column.shrink2(Vec2::new(width * 0.11, 0.0));
        column.set_bottom(floor);
        column.set_top((rect.top() + unit * 1.3).min(floor));
        bar(ui, shown, (step, task), column, unit);
    }
}

/// Draws the bar of a task. `column` is the area of a bar of 100 %.
fn bar(ui: &Ui, shown: &PresentedRun<'_>, (step, task): (Step, usize), column: Rect, unit: f32) {
    let t = tokens(ui);
    let (history, row) = (shown.run.history, step.row());
    let value = row.and_then(|row| history.matrix.get(row)?.get(task).copied());
    let value = value.filter(|value| value.is_finite());
    // The percent sign is omitted if the bar is too narrow.
    let has_percent_sign =
        fitting_font_size(ui, &format_percent(1.0, 0), unit * 0.95, column.width()) > unit * 0.6;
    let (share, text, widest) = match value {
        Some(value) if has_percent_sign => {
            (value as f32, format_percent(value, 0), format_percent(1.0, 0))
        }
        Some(value) => (value as f32, format_number(value * 100.0, 0), format_number(100.0, 0)),
        None if task == step.task => (0.0, "?".to_string(), "?".to_string()),
        None => return,
    };
    let y_at = |share: f32| column.bottom() - share * column.height();
    let mut filled = column;
    filled.set_top(y_at(share));
    let painter = ui.painter();
    painter.rect_filled(filled, CornerRadius::same(6), t.run_colour(shown.run.shade));
    let mut above = y_at(share);
    if let Some(best) = row.and_then(|row| best_accuracy(history, row, task)) {
        let best = best as f32;
        // The part of the bar that was lost is drawn in a pale colour below the mark.
        if best - share > 0.005 {
            let mut lost = column;
            (*lost.top_mut(), *lost.bottom_mut()) = (y_at(best), y_at(share));
            painter.rect_filled(lost, CornerRadius::ZERO, pale_colour(ui));
            above = y_at(best);
        }
        let mark = Stroke::new((unit * 0.14).max(2.0), t.strong);
        painter.hline(column.x_range(), y_at(best), mark);
    }
    let size = fitting_font_size(ui, &widest, unit * 0.95, column.width());
    if size >= MIN_FONT_SIZE {
        let (pos, font) = (pos2(column.center().x, above - unit * 0.15), semibold(size));
        painter.text(pos, Align2::CENTER_BOTTOM, text, font, t.strong);
    }
}

/// Returns the colour of the lost part of a bar.
fn pale_colour(ui: &Ui) -> egui::Color32 {
    tokens(ui).subdued.gamma_multiply(0.4)
}

/// Draws a legend of the bars, the marks and the pale parts.
pub(super) fn legend(ui: &mut Ui, rect: Rect, unit: f32) {
    let t = tokens(ui);
    let text = |text: &str| {
        let text = RichText::new(text).font(regular(unit * 0.75));
        Label::new(text.color(t.text)).extend()
    };
    let row = UiBuilder::new().max_rect(rect).layout(egui::Layout::left_to_right(Align::Center));
    ui.scope_builder(row, |ui| {
        ui.add(text(tr!("present-legend-bars")));
        for (name, is_mark) in [("present-legend-best", true), ("present-legend-lost", false)] {
            ui.add_space(unit * 0.5);
            let size = Vec2::new(unit * 1.4, unit * 0.8);
            let (sample, _) = ui.allocate_exact_size(size, Sense::hover());
            match is_mark {
                true => {
                    let mark = Stroke::new((unit * 0.14).max(2.0), t.strong);
                    ui.painter().hline(sample.x_range(), sample.center().y, mark);
                }
                false => {
                    ui.painter().rect_filled(sample, CornerRadius::ZERO, pale_colour(ui));
                }
            }
            ui.add(text(tr!(name)));
        }
    });
}
