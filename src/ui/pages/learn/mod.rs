//! The page with the tour, the lessons and the glossary.

mod glossary;
mod lesson;
mod list;
pub mod tour;

pub use lesson::show_paragraphs;

use egui::Ui;

use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets;

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// The state of the tour.
    pub tour: tour::State,
    /// Whether the next frame scrolls to the top of the lesson.
    pub to_top: bool,
    /// The state of the glossary.
    pub glossary: glossary::State,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.learn.tour.is_some() {
        tour::show(ui, cx);
        return;
    }
    let open = cx.session.learn.lessons.open.as_ref();
    let mut close = false;
    ui.horizontal(|ui| match open {
        Some(_) => {
            close = widgets::button(ui, tr!("learn-all-lessons")).clicked();
            restart_button(ui, cx);
        }
        None => {
            widgets::title(ui, tr!("learn-title"));
        }
    });
    if close {
        cx.change(|session| session.open_lesson(None));
    }
    match open.filter(|_| !close) {
        Some(open) => lesson::show(ui, cx, open),
        None => list::show(ui, cx),
    }
}

/// Draws the button that restarts the open lesson. It is enabled if the lesson has answers or runs.
fn restart_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    let is_begun = cx.session.learn.lessons.has_progress();
    let response = widgets::button_if(ui, is_begun, tr!("learn-restart-lesson"));
    let hint = tr!("learn-restart-lesson-hint");
    if response.on_hover_text(hint).clicked() {
        cx.dispatch(UiCommand::RestartLesson(false));
    }
}
