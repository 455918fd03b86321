//! An open lesson: text and live blocks in one column.

mod ask;
mod figure;
mod runs;
mod text;

pub use text::show_paragraphs;

use std::sync::Arc;

use egui::style::ScrollAnimation;
use egui::{Align, Popup, Ui};

use crate::session::units::{Unit, UnitPart, summary};
use crate::store::export::Format;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::figure::FigureAction;
use crate::ui::widgets::terms::Explained;
use crate::ui::widgets::{self, button, card, ends, faint, primary_button, scroll};

/// Maximum width of text, in points: about eighty characters.
const MAX_TEXT_WIDTH: f32 = 700.0;

/// Draws a column in the centre of the page.
pub(super) fn column<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let available_width = ui.available_width();
    let width = available_width.min(MAX_TEXT_WIDTH);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space((available_width - width) / 2.0);
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing = egui::vec2(8.0, GAP);
            add(ui)
        })
        .inner
    })
    .inner
}

/// Draws the lesson.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Arc<Unit>) {
    let unit = &in_language(cx, unit);
    let figures = &cx.session.learn.units.figures;
    scroll(ui, &unit.name, |ui| {
        if std::mem::take(&mut cx.pages.learn.to_top) {
            let top = egui::Rect::from_min_size(ui.cursor().min, egui::Vec2::ZERO);
            ui.scroll_to_rect_animation(top, Some(Align::TOP), ScrollAnimation::none());
        }
        column(ui, |ui| {
            text::title(ui, &unit.title);
            faint(ui, unit.time());
            // A term is explained only once in each section.
            let mut explained = Explained::default();
            let hidden = cx.session.learn.units.first_hidden_part(unit);
            let shown = hidden.map_or(unit.parts.len(), |(shown, _)| shown);
            for (index, part) in unit.parts.iter().take(shown).enumerate() {
                // An empty part is skipped because it would take space.
                if matches!(part, UnitPart::Expectation(_)) {
                    continue;
                }
                ui.push_id(index, |ui| match part {
                    UnitPart::Text(paragraph) => {
                        if paragraph.is_heading() {
                            explained = Explained::default();
                        }
                        let context = (figures, unit.language);
                        match paragraph.is_pending(figures) {
                            true => {
                                faint(ui, unit.language.text("learn-available-after-runs"));
                            }
                            false => text::paragraph(ui, paragraph, context, &mut explained),
                        }
                    }
                    UnitPart::Runs(block) => runs::show(ui, cx, index, block),
                    UnitPart::AddedTask(teach) => runs::teach(ui, cx, teach),
                    UnitPart::Question(question) => {
                        ask::show(ui, cx, question, figures, unit.language);
                    }
                    UnitPart::Figure(figure) => {
                        let chart = figure.chart(unit, figures, unit.language);
                        figure::show(ui, &figure.title, &chart, unit.language);
                    }
                    UnitPart::Expectation(_) => {}
                });
            }
            match hidden {
                Some((_, message)) => drop(faint(ui, unit.language.text(message))),
                None => lesson_end(ui, cx, unit),
            }
            ui.add_space(40.0);
        });
    });
}

/// Returns the lesson in the window's language, if it is available.
fn in_language(cx: &mut Cx<'_>, unit: &Arc<Unit>) -> Arc<Unit> {
    let language = Language::spoken();
    if unit.language == language {
        return unit.clone();
    }
    let entries = cx.session.learn.units.list.ready().into_iter();
    let units = entries.flat_map(|entries| entries.iter());
    let mut units = units.filter_map(|entry| entry.unit.as_ref().ok());
    let other = units.find(|other| other.name == unit.name && other.language == language);
    // Lessons with the same name but other runs are different lessons.
    let names =
        |unit: &Unit| -> Vec<String> { unit.plans().map(|plan| plan.name.clone()).collect() };
    let Some(other) = other.filter(|other| names(unit) == names(other)).cloned() else {
        return unit.clone();
    };
    let opened = other.clone();
    cx.change(move |session| session.open_unit(Some(opened)));
    other
}

/// Draws the end of a lesson: the progress and a link to the next lesson.
fn lesson_end(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let units = &cx.session.learn.units;
    let format_count = |id, (done, all): (usize, usize)| tr!(id, done, all);
    let done = units.progress(unit);
    let progress = [
        ("learn-questions-answered", (done.answered, done.questions)),
        ("learn-runs-finished", units.run_progress()),
    ];
    let progress = progress.into_iter().filter(|(_, (_, all))| *all > 0);
    let progress: Vec<String> = progress.map(|(key, of)| format_count(key, of)).collect();
    let next = units.next_unit(unit, Language::spoken());
    card(ui, |ui| {
        ends(
            ui,
            |ui| {
                widgets::title(ui, tr!("learn-lesson-end"));
                faint(ui, progress.join(" · "));
            },
            |ui| {
                let label = match &next {
                    Some(next) => tr!("learn-next-lesson", title = next.title.as_str()),
                    None => tr!("learn-end-all-lessons").into(),
                };
                if primary_button(ui, &label, true).clicked() {
                    cx.change(move |session| session.open_unit(next));
                }
            },
        );
        if done.is_complete() {
            save_button(ui, cx, unit);
        }
    });
}

/// Draws the button that saves the summary.
fn save_button(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let menu = button(ui, tr!("learn-save-summary"));
    Popup::menu(&menu).show(|ui| {
        for (format, label) in
            [(Format::Pdf, tr!("figure-save-pdf")), (Format::Png, tr!("figure-save-png"))]
        {
            if ui.button(label).clicked() {
                let page = summary(unit, &cx.session.learn.units);
                let request = FigureAction::Save(format);
                cx.dispatch(UiCommand::ExportFigure(request, Box::new(page)));
            }
        }
    });
}
