//! The study of DualPrompt's prompt slots (supplement C of the LAE paper): how often images select the slot of their
//! own task, and the accuracy of each slot alone.

use egui::{Align, Layout, RichText, ScrollArea, Ui};
use egui_plot::{LineStyle, MarkerShape};

use super::figures::task_labels;
use crate::metrics::PromptStudy;
use crate::session::formatting::format_number;
use crate::session::run_view::RunView;
use crate::store::figure::ChartLine;
use crate::tr;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::{self, card, faint};

/// Maximum number of columns of the table. With more tasks, the table is omitted because it would be unreadable.
const MAX_COLUMNS: usize = 40;
/// Height of the chart in points.
const CHART_HEIGHT: f32 = 170.0;

/// Draws the card if the run has a study of its prompt slots.
pub fn show(ui: &mut Ui, run: &RunView) {
    let Some(study) = &run.prompt_study else {
        return;
    };
    card(ui, |ui| {
        widgets::title(ui, tr!("train-prompts-selection"));
        selection(ui, run, study);
        ui.add_space(8.0);
        widgets::title(ui, tr!("train-prompts-accuracy"));
        faint(ui, tr!("train-prompts-hint"));
        ScrollArea::horizontal().show(ui, |ui| table(ui, study));
    });
}

fn selection(ui: &mut Ui, run: &RunView, study: &PromptStudy) {
    let labels = task_labels(run);
    let points = study.selection.iter().enumerate();
    let points = points.map(|(task, v)| [task as f64, v * 100.0]);
    let series = Series {
        line: ChartLine::new(tr!("train-prompts-own"), None, points),
        colour: tokens(ui).accent,
        marker: MarkerShape::Diamond,
        style: LineStyle::Solid,
        width: 2.4,
    };
    Curves {
        id: "prompt-selection",
        name: tr!("train-prompts-name"),
        height: CHART_HEIGHT,
        tasks: &labels,
        series: vec![series],
        current_task: None,
    }
    .show(ui);
}

fn table(ui: &mut Ui, study: &PromptStudy) {
    let t = tokens(ui);
    let tasks = study.last.len();
    let columns = if tasks > MAX_COLUMNS { 0 } else { tasks };
    let header_cell = |ui: &mut Ui, text: String| {
        let text = RichText::new(text).font(regular(11.0)).color(t.subdued);
        cell(ui, text);
    };
    widgets::grid(ui, "prompt-study", None, [14.0, 6.0], |ui| {
        header_cell(ui, tr!("train-prompts-of").into());
        header_cell(ui, tr!("train-prompts-all").into());
        header_cell(ui, tr!("train-prompts-mean").into());
        (1..=columns).for_each(|task| header_cell(ui, tr!("figure-task-column", n = task)));
        ui.end_row();
        for slot in 0..tasks {
            header_cell(ui, tr!("figure-task-column", n = slot + 1));
            let overall = [study.last[slot], study.average[slot]];
            let font = semibold(12.0);
            for value in overall {
                let text = RichText::new(format_number(value * 100.0, 1)).font(font.clone());
                cell(ui, text.color(t.strong));
            }
            for (task, value) in study.tasks[slot].iter().take(columns).enumerate() {
                let font = if task == slot { semibold(12.0) } else { regular(12.0) };
                let text = RichText::new(format_number(value * 100.0, 1)).font(font);
                cell(ui, text.color(t.text));
            }
            ui.end_row();
        }
    });
}

/// Draws a right-aligned cell.
fn cell(ui: &mut Ui, text: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text));
}
