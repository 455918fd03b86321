//! The page with the tour, the lessons and the glossary.

mod glossary;
mod list;
pub mod tour;
mod unit;

pub use unit::words;

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
    let open = cx.session.learn.units.open.as_ref();
    let mut leave = false;
    ui.horizontal(|ui| match open {
        Some(_) => {
            leave = widgets::button(ui, tr!("learn-all-lessons")).clicked();
            start_over(ui, cx);
        }
        None => {
            widgets::title(ui, tr!("learn-title"));
        }
    });
    if leave {
        cx.change(|session| session.open_unit(None));
    }
    match open.filter(|_| !leave) {
        Some(open) => unit::show(ui, cx, open),
        None => list::show(ui, cx),
    }
}

/// Draws the button that restarts the open lesson. It is enabled if the lesson has answers or runs.
fn start_over(ui: &mut Ui, cx: &mut Cx<'_>) {
    let begun = cx.session.learn.units.is_begun();
    let again = widgets::button_if(ui, begun, tr!("learn-restart-lesson"));
    let hint = tr!("learn-restart-lesson-hint");
    if again.on_hover_text(hint).clicked() {
        cx.act(UiCommand::RestartLesson(false));
    }
}
