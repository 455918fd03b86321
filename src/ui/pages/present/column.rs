//! The columns of the presented runs: the name, the accuracies in large characters, what the run forgot, and its bars.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{Galley, Label, Rect, RichText, Ui, UiBuilder, Vec2};

use super::{PresentedRun, Step, bars, choice, fitting, question, split};
use crate::session::words::percent;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};

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
        bars::show(ui, shown, step, place, unit);
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
