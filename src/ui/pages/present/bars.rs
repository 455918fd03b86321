//! For each task a bar of each run with its accuracy on the task, and a mark at the best accuracy so far.

use egui::{Align2, CornerRadius, Rect, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2};

use super::Pair;
use crate::metrics::History;
use crate::palette::Shade;
use crate::problem::listed;
use crate::session::forgotten::best;
use crate::session::words::percent;
use crate::tr;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::painted_text;

/// A run as displayed.
pub(super) struct Shown<'a> {
    pub(super) name: &'a str,
    pub(super) shade: Shade,
    pub(super) history: &'a History,
}

/// Returns the displayed run, then the companion.
pub(super) fn runs<'a>(pair: &Pair<'a>) -> Vec<Shown<'a>> {
    let header = pair.run.header.as_ref();
    let mut runs = vec![Shown {
        name: header.map_or(pair.run.title.as_str(), |header| header.short()),
        shade: pair.run.shade(),
        history: pair.run.answers(),
    }];
    runs.extend(pair.other.map(|other| Shown {
        name: &other.method,
        shade: other.shade,
        history: other.history,
    }));
    runs
}

/// Draws them; `row` is the task after which they were measured, `asked` the task in the question.
pub(super) fn show(ui: &mut Ui, pair: &Pair<'_>, (row, asked): (Option<usize>, usize), unit: f32) {
    let t = tokens(ui);
    let size = Vec2::new(
        ui.available_width(),
        (ui.available_height() - unit).max(60.0),
    );
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let shown = runs(pair);
    let name = tr!("present-bars-about");
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let tasks = pair.run.tasks().max(1);
    let width = rect.width() / tasks as f32;
    let floor = rect.bottom() - unit * 2.2;
    let high = floor - rect.top() - unit * 1.6;
    for task in 0..tasks {
        let left = rect.left() + width * task as f32;
        let middle = left + width / 2.0;
        let names = listed(pair.run.class_names(task), 4);
        let colour = if task == asked { t.strong } else { t.subdued };
        painted_text(
            ui,
            pos2(middle, floor + unit),
            Align2::CENTER_CENTER,
            &names,
            regular(unit * 0.8),
            colour,
            width - 8.0,
        );
        let each = width * 0.78 / shown.len() as f32;
        for (at, run) in shown.iter().enumerate() {
            let from = left + width * 0.11 + each * at as f32;
            let column = Rect::from_min_max(
                pos2(from + each * 0.04, floor - high),
                pos2(from + each * 0.96, floor),
            );
            bar(ui, run, (row, task, task == asked), column, unit);
        }
    }
}

/// Draws a run's bar of a task.
fn bar(
    ui: &Ui,
    run: &Shown<'_>,
    (row, task, asked): (Option<usize>, usize, bool),
    column: Rect,
    unit: f32,
) {
    let t = tokens(ui);
    let values = row.and_then(|row| run.history.matrix.get(row));
    let value = values.and_then(|values| values.get(task).copied());
    let value = value.filter(|value| value.is_finite());
    let (share, words) = match value {
        Some(value) => (value as f32, percent(value, 0)),
        None if asked => (0.0, "?".to_string()),
        None => return,
    };
    let at = |share: f32| column.bottom() - share * column.height();
    let mut filled = column;
    filled.set_top(at(share));
    let painter = ui.painter();
    painter.rect_filled(filled, CornerRadius::same(6), t.run(run.shade));
    let mut above = at(share);
    if let Some(best) = row.and_then(|row| best(run.history, row, task)) {
        let best = best as f32;
        // The loss remains visible as an outline below the mark.
        if best - share > 0.005 {
            let mut lost = column;
            (*lost.top_mut(), *lost.bottom_mut()) = (at(best), at(share));
            painter.rect_filled(lost, CornerRadius::ZERO, t.line.gamma_multiply(0.6));
            above = at(best);
        }
        let mark = Stroke::new((unit * 0.14).max(2.0), t.strong);
        painter.hline(column.x_range(), at(best), mark);
    }
    painter.text(
        pos2(column.center().x, above - unit * 0.8),
        Align2::CENTER_CENTER,
        words,
        semibold((unit * 0.95).min(column.width() * 0.4).max(9.0)),
        t.strong,
    );
}
