//! The columns of the presented runs: the name, the accuracies in large characters, what the run forgot, and its bars.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{
    Align, Align2, CornerRadius, Galley, Label, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder,
    Vec2, WidgetInfo, pos2,
};

use super::{PresentedRun, Step, choice, fitting, question, split};
use crate::problem::listed;
use crate::session::forgetting::best;
use crate::session::words::{number, percent};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};

/// The smallest font size of the bars that is drawn.
const SMALLEST: f32 = 8.0;

/// Draws the columns of all runs side by side.
pub(super) fn all(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    shown: &[PresentedRun<'_>],
    step: Step,
    place: Rect,
    unit: f32,
) {
    let space = unit * 0.5;
    let (names, mut rest) = cut(place, unit * 1.9, space);
    choice::names(ui, cx, shown, names, unit);
    if step.known {
        let (figures, below) = cut(rest, unit * 4.6, unit * 0.3);
        for (shown, place) in shown.iter().zip(split(figures, shown.len(), unit)) {
            numbers(ui, shown, step.task, place, unit);
        }
        let columns = split(below, shown.len(), unit);
        let most = Vec2::new(columns[0].width(), unit * 2.9);
        let said = shown.iter().map(|one| {
            let said = question::forgot(one, step.task).unwrap_or_default();
            words(ui, &said, unit * 0.95, most)
        });
        let said: Vec<Arc<Galley>> = said.collect();
        let high = said.iter().map(|words| words.size().y).fold(0.0, f32::max);
        let (sentences, below) = cut(below, high, space);
        let columns = split(sentences, shown.len(), unit);
        for (words, column) in said.into_iter().zip(columns) {
            if !words.is_empty() {
                put(ui, column, Label::new(words));
            }
        }
        rest = below;
    }
    for (shown, place) in shown.iter().zip(split(rest, shown.len(), unit)) {
        bars(ui, shown, step, place, unit);
    }
}

/// Splits an area into the upper part with this height and the part below, with a space between them.
fn cut(place: Rect, height: f32, space: f32) -> (Rect, Rect) {
    let middle = (place.top() + height).min(place.bottom());
    let (upper, mut lower) = place.split_top_bottom_at_y(middle);
    lower.set_top((middle + space).min(place.bottom()));
    (upper, lower)
}

fn put(ui: &mut Ui, place: Rect, label: Label) {
    ui.scope_builder(UiBuilder::new().max_rect(place), |ui| ui.add(label));
}

/// Draws a run's accuracy on all classes learned so far and on the first task.
fn numbers(ui: &mut Ui, shown: &PresentedRun<'_>, task: usize, place: Rect, unit: f32) {
    let t = tokens(ui);
    let history = shown.run.history;
    let first = history
        .matrix
        .get(task)
        .and_then(|row| row.first().copied());
    let all = history.accuracy.get(task).copied().filter(|_| task > 0);
    let figures = [
        (tr!("present-all-tasks"), all),
        (tr!("present-first-task"), first),
    ];
    let places = split(place, 2, unit * 0.5).into_iter();
    let values = figures.into_iter().filter_map(|(name, value)| {
        let value = value.filter(|value| value.is_finite())?;
        Some((name, percent(value, 0)))
    });
    for ((name, value), place) in values.zip(places) {
        // The font size does not depend on the value, so it does not change between tasks.
        let size = fitting(ui, &percent(1.0, 0), unit * 3.0, place.width());
        ui.scope_builder(UiBuilder::new().max_rect(place), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let value = RichText::new(value).font(semibold(size)).color(t.strong);
            ui.add(Label::new(value).extend());
            let size = fitting(ui, name, unit * 0.9, place.width());
            let colour = t.run(shown.run.shade);
            ui.add(Label::new(RichText::new(name).font(regular(size)).color(colour)).extend());
        });
    }
}

/// Returns text wrapped to this space, with a font size of at most `size`. The font is smaller if the text does not
/// fit; text that does not fit in the smallest font is truncated.
pub(super) fn words(ui: &Ui, text: &str, size: f32, room: Vec2) -> Arc<Galley> {
    let colour = tokens(ui).strong;
    let layout = |share: f32, rows: usize| {
        let font = semibold(size * share);
        let mut job = LayoutJob::simple(text.to_string(), font, colour, room.x);
        job.wrap.max_rows = rows;
        ui.painter().layout_job(job)
    };
    let mut whole = [1.0, 0.85, 0.7]
        .map(|share| layout(share, usize::MAX))
        .into_iter();
    let fits = whole.find(|galley| galley.size().y <= room.y);
    fits.unwrap_or_else(|| {
        let row = layout(0.6, 1).size().y.max(1.0);
        layout(0.6, ((room.y / row) as usize).max(1))
    })
}

/// Draws the bars of a run: its accuracy on each task, with a mark at the best accuracy so far.
fn bars(ui: &mut Ui, shown: &PresentedRun<'_>, step: Step, place: Rect, unit: f32) {
    let t = tokens(ui);
    let response = ui.allocate_rect(place, Sense::hover());
    let name = tr!("present-bars-about", name = shown.name.as_str());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let columns = split(place, shown.run.header.tasks.len().max(1), 0.0);
    let width = columns[0].width();
    let floor = place.bottom() - unit * 2.8;
    let numbered = |task: usize| match width > unit * 3.2 {
        true => tr!("figure-task-column", n = task + 1),
        false => (task + 1).to_string(),
    };
    let size = fitting(ui, &numbered(columns.len() - 1), unit * 0.8, width * 0.9);
    for (task, column) in columns.iter().enumerate() {
        let is_asked = task == step.task;
        let colour = if is_asked { t.strong } else { t.subdued };
        if size >= SMALLEST {
            let at = pos2(column.center().x, floor + unit * 0.2);
            let (align, font) = (Align2::CENTER_TOP, semibold(size));
            ui.painter().text(at, align, numbered(task), font, colour);
        }
        if width > unit * 2.4 {
            let names = listed(shown.run.header.class_names(task), 4);
            let font = regular(unit * 0.65);
            let mut job = LayoutJob::simple(names, font, colour, width - unit * 0.2);
            job.wrap.max_rows = 2;
            job.halign = Align::Center;
            let galley = ui.painter().layout_job(job);
            let at = pos2(column.center().x, floor + unit * 1.2);
            ui.painter().galley(at, galley, colour);
        }
        let mut column = column.shrink2(Vec2::new(width * 0.11, 0.0));
        column.set_bottom(floor);
        column.set_top((place.top() + unit * 1.3).min(floor));
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
    let signed = fitting(ui, &percent(1.0, 0), unit * 0.95, column.width()) > unit * 0.6;
    let (share, words, widest) = match value {
        Some(value) if signed => (value as f32, percent(value, 0), percent(1.0, 0)),
        Some(value) => (value as f32, number(value * 100.0, 0), number(100.0, 0)),
        None if task == step.task => (0.0, "?".to_string(), "?".to_string()),
        None => return,
    };
    let at = |share: f32| column.bottom() - share * column.height();
    let mut filled = column;
    filled.set_top(at(share));
    let painter = ui.painter();
    painter.rect_filled(filled, CornerRadius::same(6), t.run(shown.run.shade));
    let mut above = at(share);
    if let Some(best) = row.and_then(|row| best(history, row, task)) {
        let best = best as f32;
        // The part of the bar that was lost is drawn in a pale colour below the mark.
        if best - share > 0.005 {
            let mut lost = column;
            (*lost.top_mut(), *lost.bottom_mut()) = (at(best), at(share));
            painter.rect_filled(lost, CornerRadius::ZERO, pale(ui));
            above = at(best);
        }
        let mark = Stroke::new((unit * 0.14).max(2.0), t.strong);
        painter.hline(column.x_range(), at(best), mark);
    }
    let size = fitting(ui, &widest, unit * 0.95, column.width());
    if size >= SMALLEST {
        let (at, font) = (pos2(column.center().x, above - unit * 0.15), semibold(size));
        painter.text(at, Align2::CENTER_BOTTOM, words, font, t.strong);
    }
}

/// Returns the colour of the lost part of a bar.
fn pale(ui: &Ui) -> egui::Color32 {
    tokens(ui).subdued.gamma_multiply(0.4)
}

/// Draws a legend of the bars, the marks and the pale parts.
pub(super) fn legend(ui: &mut Ui, place: Rect, unit: f32) {
    let t = tokens(ui);
    let text = |text: &str| {
        let text = RichText::new(text).font(regular(unit * 0.75));
        Label::new(text.color(t.text)).extend()
    };
    let row = UiBuilder::new()
        .max_rect(place)
        .layout(egui::Layout::left_to_right(Align::Center));
    ui.scope_builder(row, |ui| {
        ui.add(text(tr!("present-legend-bars")));
        for (name, is_mark) in [
            ("present-legend-best", true),
            ("present-legend-lost", false),
        ] {
            ui.add_space(unit * 0.5);
            let size = Vec2::new(unit * 1.4, unit * 0.8);
            let (sample, _) = ui.allocate_exact_size(size, Sense::hover());
            match is_mark {
                true => {
                    let mark = Stroke::new((unit * 0.14).max(2.0), t.strong);
                    ui.painter()
                        .hline(sample.x_range(), sample.center().y, mark);
                }
                false => {
                    ui.painter()
                        .rect_filled(sample, CornerRadius::ZERO, pale(ui));
                }
            }
            ui.add(text(tr!(name)));
        }
    });
}
