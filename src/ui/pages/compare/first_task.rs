//! The card that shows the accuracy on the first task over time, which makes forgetting visible.

use egui::{RichText, Ui};

use crate::palette::Shade;
use crate::problem::listed;
use crate::session::first_task::{FirstTaskResult, first_task_sentences};
use crate::session::views::RunRow;
use crate::session::words::percent;
use crate::tr;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::curves::run_name;
use crate::ui::widgets::{self, card, faint, sentence, terms};

/// The results of a run on its first task.
struct FirstTaskCurve<'a> {
    shade: Shade,
    row: &'a RunRow,
    result: FirstTaskResult<'a>,
}

/// Draws the card if a selected run has learned a second task.
pub(super) fn became(ui: &mut Ui, shown: &[(Shade, &RunRow)]) {
    let shown: Vec<FirstTaskCurve<'_>> = shown
        .iter()
        .filter_map(|&(shade, row)| {
            let result = FirstTaskResult::from_row(row)?;
            Some(FirstTaskCurve { shade, row, result })
        })
        .collect();
    let Some(first) = shown.first() else { return };
    card(ui, |ui| {
        terms::title_of(ui, tr!("compare-first-task-over-time"), "catastrophic");
        let same = shown
            .windows(2)
            .all(|pair| pair[0].result.first() == pair[1].result.first());
        if same {
            images_of(ui, &first.result);
        }
        widgets::in_columns(ui, &shown, 190.0, |ui, shown| one(ui, shown, same));
        let results: Vec<FirstTaskResult<'_>> = shown.iter().map(|shown| shown.result).collect();
        for words in first_task_sentences(&results) {
            sentence(ui, words);
        }
    });
}

/// Draws one run. The classes of its first task are included if the runs differ in them.
fn one(ui: &mut Ui, shown: &FirstTaskCurve<'_>, same: bool) {
    let FirstTaskCurve { shade, row, result } = shown;
    let t = tokens(ui);
    ui.spacing_mut().item_spacing.y = 2.0;
    let tip = format!("{}\n{}", row.title(), row.name);
    run_name(ui, *shade, result.header.short(), &tip);
    let figure = RichText::new(percent(result.now, 0));
    ui.label(figure.font(semibold(30.0)).color(t.strong));
    let text = tr!("compare-still-correct", then = percent(result.then, 0));
    faint(ui, text);
    if !same {
        images_of(ui, result);
    }
    if let Some(quality) = row.quality_of_first {
        faint(ui, quality.words());
    }
}

/// Draws a sentence about the test images of the first task.
fn images_of(ui: &mut Ui, result: &FirstTaskResult<'_>) {
    let words = tr!(
        "compare-images-of-classes",
        names = listed(result.first(), 6)
    );
    faint(ui, words);
}
