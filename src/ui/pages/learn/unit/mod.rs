//! An open lesson: text and live blocks in one column.

mod ask;
mod figure;
mod runs;
mod text;

pub use text::words;

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
use crate::ui::widgets::figure::FigureWish;
use crate::ui::widgets::terms::Explained;
use crate::ui::widgets::{self, button, card, ends, faint, primary_button, scroll};

/// Maximum width of text, in points: about eighty characters.
const WIDEST: f32 = 700.0;

/// Draws a column in the centre of the page.
pub(super) fn column<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let room = ui.available_width();
    let width = room.min(WIDEST);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space((room - width) / 2.0);
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
            let hidden = cx.session.learn.units.hidden(unit);
            let shown = hidden.map_or(unit.parts.len(), |(shown, _)| shown);
            for (place, part) in unit.parts.iter().take(shown).enumerate() {
                // An empty part is skipped because it would take space.
                if matches!(part, UnitPart::Expect(_)) {
                    continue;
                }
                ui.push_id(place, |ui| match part {
                    UnitPart::Text(paragraph) => {
                        if paragraph.is_heading() {
                            explained = Explained::default();
                        }
                        let told = (figures, unit.language);
                        match paragraph.waits(figures) {
                            true => {
                                faint(ui, unit.language.text("learn-available-after-runs"));
                            }
                            false => text::paragraph(ui, paragraph, told, &mut explained),
                        }
                    }
                    UnitPart::Runs(block) => runs::show(ui, cx, place, block),
                    UnitPart::Teach(teach) => runs::teach(ui, cx, teach),
                    UnitPart::Ask(question) => ask::show(ui, cx, question, figures, unit.language),
                    UnitPart::Figure(figure) => {
                        let chart = figure.chart(unit, figures, unit.language);
                        figure::show(ui, &figure.title, &chart, unit.language);
                    }
                    UnitPart::Expect(_) => {}
                });
            }
            match hidden {
                Some((_, message)) => drop(faint(ui, unit.language.text(message))),
                None => end(ui, cx, unit),
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
fn end(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let units = &cx.session.learn.units;
    let counted = |id, (done, all): (usize, usize)| tr!(id, done, all);
    let done = units.done(unit);
    let told = [
        ("learn-questions-answered", (done.answered, done.questions)),
        ("learn-runs-finished", units.runs_done()),
    ];
    let told = told.into_iter().filter(|(_, (_, all))| *all > 0);
    let told: Vec<String> = told.map(|(key, of)| counted(key, of)).collect();
    let next = units.next(unit, Language::spoken());
    card(ui, |ui| {
        ends(
            ui,
            |ui| {
                widgets::title(ui, tr!("learn-lesson-end"));
                faint(ui, told.join(" · "));
            },
            |ui| {
                let words = match &next {
                    Some(next) => tr!("learn-next-lesson", title = next.title.as_str()),
                    None => tr!("learn-end-all-lessons").into(),
                };
                if primary_button(ui, &words, true).clicked() {
                    cx.change(move |session| session.open_unit(next));
                }
            },
        );
        if done.is_all() {
            save(ui, cx, unit);
        }
    });
}

/// Draws the button that saves the summary.
fn save(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let menu = button(ui, tr!("learn-save-summary"));
    Popup::menu(&menu).show(|ui| {
        for (format, words) in [
            (Format::Pdf, tr!("figure-save-pdf")),
            (Format::Png, tr!("figure-save-png")),
        ] {
            if ui.button(words).clicked() {
                let page = summary(unit, &cx.session.learn.units);
                let wish = FigureWish::Save(format);
                cx.act(UiCommand::ExportFigure(wish, Box::new(page)));
            }
        }
    });
}
