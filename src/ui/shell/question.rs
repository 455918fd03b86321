//! Questions: what a person must agree to first. Enter agrees, Escape does not, and a question that
//! has become pointless goes away.

use std::path::PathBuf;

use egui::{Context, RichText};

use crate::counts::counted;
use crate::problem::listed;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::words::bytes_text;
use crate::ui::command::UiCommand;
use crate::ui::theme::{self, semibold};
use crate::ui::widgets::{self, button, dialog, primary_button};

/// Something a person must agree to first.
#[derive(Clone, Debug)]
pub enum Question {
    /// Stop this run? Those that wait in the queue are held there.
    Stop(JobId),
    /// Stop this run and let the next one in the queue begin? Offered beside `Stop`.
    StopThis(JobId),
    /// Close the window although this run is at work?
    Close(JobId),
    /// Delete these runs of the trash for good? So many bytes are theirs.
    Erase(Vec<PathBuf>, u64),
    /// Look at these places of other computers, which somebody's run names? Then this is done.
    Visit(Vec<String>, Box<UiCommand>),
}

impl Question {
    /// Whether there is still something to decide.
    fn stands(&self, session: &Session) -> bool {
        match self {
            Self::Stop(job) | Self::StopThis(job) | Self::Close(job) => {
                session.running_job() == Some(*job)
            }
            Self::Erase(..) | Self::Visit(..) => true,
        }
    }

    /// Headline, explanation, and the words of the button that agrees.
    fn words(&self, waiting: usize) -> (&'static str, String, &'static str) {
        let line = match waiting {
            0 => String::new(),
            n => format!(
                " {} in the queue will wait until you resume it.",
                counted(n, "run")
            ),
        };
        match self {
            Self::Stop(_) | Self::StopThis(_) => {
                let kept =
                    "The finished tasks and epochs are kept; the run can be continued later.";
                ("Stop training?", format!("{kept}{line}"), "Stop and save")
            }
            Self::Close(_) => {
                let kept = "A run is at work. It is stopped and saved, and the next start offers to resume it.";
                (
                    "Close the window?",
                    format!("{kept}{line}"),
                    "Save and close",
                )
            }
            Self::Erase(places, bytes) => {
                let (runs, size) = (counted(places.len(), "run"), bytes_text(*bytes));
                (
                    "Delete for good?",
                    format!("{runs} of {size} cannot be brought back afterwards."),
                    "Delete for good",
                )
            }
            Self::Visit(places, _) => {
                let places = listed(places, 3);
                (
                    "Look on another computer?",
                    format!(
                        "This run names {places}. Merely looking there tells that computer who looks: do so if you trust it."
                    ),
                    "Look there",
                )
            }
        }
    }
}

/// Draws the question. Returns it once it was answered with yes.
pub fn ask(asked: &mut Option<Question>, ctx: &Context, session: &Session) -> Option<Question> {
    if asked
        .as_ref()
        .is_some_and(|question| !question.stands(session))
    {
        *asked = None;
    }
    let mut question = asked.clone()?;
    let waiting = session.waiting().filter(|job| !job.held).count();
    let (headline, text, yes) = question.words(waiting);
    let mut agreed = widgets::enter_alone(ctx);
    let modal = dialog(ctx, "question", 360.0, |ui| {
        let t = theme::tokens(ui);
        ui.label(RichText::new(headline).font(semibold(16.0)).color(t.strong));
        widgets::sentence(ui, text);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            let main = primary_button(ui, yes, true);
            agreed |= main.clicked();
            if ui.memory(|m| m.focused().is_none()) {
                // From there Tab goes on to the other buttons.
                main.request_focus();
            }
            if let Question::Stop(job) = question
                && waiting > 0
                && button(ui, "Stop this one only").clicked()
            {
                (agreed, question) = (true, Question::StopThis(job));
            }
            button(ui, "Cancel").clicked()
        })
        .inner
    });
    if agreed || modal.inner || modal.should_close() {
        *asked = None;
    }
    agreed.then_some(question)
}
