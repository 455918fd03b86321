//! Questions: what a person must agree to first. Enter agrees, Escape does not, and a question that
//! has become pointless goes away.

use std::path::PathBuf;

use egui::{Context, RichText};

use crate::problem::listed;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::words::bytes_text;
use crate::tr;
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
        let with_queue = |kept: &str| match waiting {
            0 => kept.to_string(),
            n => format!("{kept} {}", tr!("shell-ask-queue", n = n)),
        };
        match self {
            Self::Stop(_) | Self::StopThis(_) => (
                tr!("shell-ask-stop"),
                with_queue(tr!("shell-ask-stop-kept")),
                tr!("shell-ask-stop-yes"),
            ),
            Self::Close(_) => (
                tr!("shell-ask-close"),
                with_queue(tr!("shell-ask-close-kept")),
                tr!("shell-ask-close-yes"),
            ),
            Self::Erase(places, bytes) => (
                tr!("shell-ask-erase"),
                tr!(
                    "shell-ask-erase-what",
                    n = places.len(),
                    size = bytes_text(*bytes)
                ),
                tr!("shell-ask-erase-yes"),
            ),
            Self::Visit(places, _) => (
                tr!("shell-ask-visit"),
                tr!("shell-ask-visit-what", places = listed(places, 3)),
                tr!("shell-ask-visit-yes"),
            ),
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
                && button(ui, tr!("shell-ask-stop-this")).clicked()
            {
                (agreed, question) = (true, Question::StopThis(job));
            }
            button(ui, tr!("shell-cancel")).clicked()
        })
        .inner
    });
    if agreed || modal.inner || modal.should_close() {
        *asked = None;
    }
    agreed.then_some(question)
}
