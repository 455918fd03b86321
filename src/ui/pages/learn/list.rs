//! The list of lessons: the built-in ones, then a teacher's own. The glossary is below.

use egui::Ui;

use crate::session::Session;
use crate::session::lessons::{self, Lesson, LessonEntry, LessonProgress};
use crate::session::views::Fetch;
use crate::texts::Language;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, card, ends, faint, primary_button, scroll, sentence, subscripts};

use super::lesson::column;
use super::{glossary, tour};
use crate::tr;

/// Draws the list.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if matches!(cx.session.learn.lessons.list, Fetch::Nothing) {
        cx.load(Session::read_lessons);
    }
    let Some(entries) = cx.session.learn.lessons.list.ready() else {
        sentence(ui, tr!("learn-loading-lessons"));
        return;
    };
    scroll(ui, "lessons", |ui| {
        column(ui, |ui| {
            tour::offer_card(ui, cx);
            let chosen = lessons::entries_in_language(entries, Language::spoken());
            let (built_in, custom): (Vec<&LessonEntry>, Vec<&LessonEntry>) =
                chosen.into_iter().partition(|entry| entry.is_built_in);
            for entry in built_in {
                lesson_card(ui, cx, entry);
            }
            ui.add_space(12.0);
            widgets::title_row(ui, tr!("learn-own-lessons"), |ui| {
                cx.change_button(ui, tr!("learn-reload"), Session::read_lessons);
                cx.change_button(ui, tr!("learn-open-folder"), Session::reveal_lessons_folder);
                cx.change_button(ui, tr!("learn-new-lesson"), Session::create_lesson);
            });
            if custom.is_empty() {
                let folder = cx.session.learn.lessons.folder.as_ref();
                let folder = folder.map_or_else(String::new, |path| path.display().to_string());
                faint(ui, tr!("learn-own-lessons-folder", folder));
            }
            for entry in custom {
                lesson_card(ui, cx, entry);
            }
            ui.add_space(12.0);
            glossary::show(ui, cx);
            ui.add_space(40.0);
        });
    });
}

/// Returns the user's progress in a lesson, or its duration if the user has not started it.
fn progress_text(done: LessonProgress, lesson: &Lesson) -> String {
    match done {
        done if done.is_complete() => tr!("learn-all-questions-answered").into(),
        LessonProgress { answered: 0, .. } => lesson.time(),
        LessonProgress { answered, questions } => {
            tr!("learn-questions-answered", done = answered, all = questions)
        }
    }
}

fn lesson_card(ui: &mut Ui, cx: &mut Cx<'_>, entry: &LessonEntry) {
    card(ui, |ui| match &entry.lesson {
        Err(problem) => {
            widgets::title(ui, &entry.name);
            widgets::problem(ui, problem);
        }
        Ok(lesson) => {
            let strong = tokens(ui).strong;
            ends(
                ui,
                |ui| {
                    ui.label(subscripts::layout_job(&lesson.title, semibold(16.0), strong));
                },
                |ui| {
                    let response = primary_button(ui, tr!("learn-open-lesson"), true);
                    // Many buttons have this label, so the accessible name includes the lesson's title.
                    let name = format!("{}: {}", tr!("learn-open-lesson"), lesson.title);
                    response.widget_info(|| {
                        egui::WidgetInfo::labeled(egui::Role::Button, true, name.clone())
                    });
                    if response.clicked() {
                        let lesson = lesson.clone();
                        cx.change(move |session| session.open_lesson(Some(lesson)));
                    }
                    let done = cx.session.learn.lessons.progress(lesson);
                    faint(ui, progress_text(done, lesson));
                },
            );
            if !lesson.about.is_empty() {
                sentence(ui, &lesson.about);
            }
        }
    });
}
