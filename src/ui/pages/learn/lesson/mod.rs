//! An open lesson: text and live blocks in one column.

mod ask;
mod figure;
mod runs;
mod text;

pub use text::show_paragraphs;

use std::sync::Arc;

use egui::style::ScrollAnimation;
use egui::{Align, Popup, Ui};

use crate::session::lessons::{Lesson, LessonPart, summary};
use crate::store::export::Format;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::figure_menu::FigureAction;
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
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, lesson: &Arc<Lesson>) {
    let lesson = &in_language(cx, lesson);
    let figures = &cx.session.learn.lessons.figures;
    scroll(ui, &lesson.key, |ui| {
        if std::mem::take(&mut cx.pages.learn.to_top) {
            let top = egui::Rect::from_min_size(ui.cursor().min, egui::Vec2::ZERO);
            ui.scroll_to_rect_animation(top, Some(Align::TOP), ScrollAnimation::none());
        }
        column(ui, |ui| {
            text::title(ui, &lesson.title);
            faint(ui, lesson.time());
            // A term is explained only once in each section.
            let mut explained = Explained::default();
            let hidden = cx.session.learn.lessons.first_hidden_part(lesson);
            let shown = hidden.map_or(lesson.parts.len(), |(shown, _)| shown);
            for (index, part) in lesson.parts.iter().take(shown).enumerate() {
                // An empty part is skipped because it would take space.
                if matches!(part, LessonPart::Expectation(_)) {
                    continue;
                }
                ui.push_id(index, |ui| match part {
                    LessonPart::Text(paragraph) => {
                        if paragraph.is_heading() {
                            explained = Explained::default();
                        }
                        let context = (figures, lesson.language);
                        match paragraph.is_pending(figures) {
                            true => {
                                faint(ui, lesson.language.text("learn-available-after-runs"));
                            }
                            false => text::paragraph(ui, paragraph, context, &mut explained),
                        }
                    }
                    LessonPart::Runs(block) => runs::show(ui, cx, index, block),
                    LessonPart::AddedTask(teach) => runs::teach(ui, cx, teach),
                    LessonPart::Question(question) => {
                        ask::show(ui, cx, question, figures, lesson.language);
                    }
                    LessonPart::Figure(figure) => {
                        let chart = figure.chart(lesson, figures, lesson.language);
                        figure::show(ui, &figure.title, &chart, lesson.language);
                    }
                    LessonPart::Expectation(_) => {}
                });
            }
            match hidden {
                Some((_, message)) => drop(faint(ui, lesson.language.text(message))),
                None => lesson_end(ui, cx, lesson),
            }
            ui.add_space(40.0);
        });
    });
}

/// Returns the lesson in the window's language, if it is available.
fn in_language(cx: &mut Cx<'_>, lesson: &Arc<Lesson>) -> Arc<Lesson> {
    let language = Language::spoken();
    if lesson.language == language {
        return lesson.clone();
    }
    let entries = cx.session.learn.lessons.list.ready().into_iter();
    let entries = entries.flat_map(|entries| entries.iter());
    let mut lessons = entries.filter_map(|entry| entry.lesson.as_ref().ok());
    let other = lessons.find(|other| other.key == lesson.key && other.language == language);
    // Lessons with the same name but other runs are different lessons.
    let names =
        |lesson: &Lesson| -> Vec<String> { lesson.plans().map(|plan| plan.name.clone()).collect() };
    let Some(other) = other.filter(|other| names(lesson) == names(other)).cloned() else {
        return lesson.clone();
    };
    let opened = other.clone();
    cx.change(move |session| session.open_lesson(Some(opened)));
    other
}

/// Draws the end of a lesson: the progress and a link to the next lesson.
fn lesson_end(ui: &mut Ui, cx: &mut Cx<'_>, lesson: &Lesson) {
    let lessons = &cx.session.learn.lessons;
    let format_count = |id, (done, all): (usize, usize)| tr!(id, done, all);
    let done = lessons.progress(lesson);
    let progress = [
        ("learn-questions-answered", (done.answered, done.questions)),
        ("learn-runs-finished", lessons.run_progress()),
    ];
    let progress = progress.into_iter().filter(|(_, (_, all))| *all > 0);
    let progress: Vec<String> = progress.map(|(key, of)| format_count(key, of)).collect();
    let next = lessons.next_lesson(lesson, Language::spoken());
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
                    cx.change(move |session| session.open_lesson(next));
                }
            },
        );
        if done.is_complete() {
            save_button(ui, cx, lesson);
        }
    });
}

/// Draws the button that saves the summary.
fn save_button(ui: &mut Ui, cx: &mut Cx<'_>, lesson: &Lesson) {
    let menu = button(ui, tr!("learn-save-summary"));
    Popup::menu(&menu).show(|ui| {
        for (format, label) in
            [(Format::Pdf, tr!("figure-save-pdf")), (Format::Png, tr!("figure-save-png"))]
        {
            if ui.button(label).clicked() {
                let page = summary(lesson, &cx.session.learn.lessons);
                let request = FigureAction::Save(format);
                cx.dispatch(UiCommand::ExportFigure(request, Box::new(page)));
            }
        }
    });
}
