//! Questions that the user must confirm. If something would be lost, *Cancel* has the focus; otherwise Enter confirms.
//! Escape always cancels. A question that no longer applies closes automatically.

use egui::{Context, Ui};

use crate::problem::listed;
use crate::run::job::{Job, JobId, JobWork};
use crate::session::Session;
use crate::session::clusters::{OnCluster, TaskState};
use crate::session::grids::grid_title;
use crate::session::tour::Tour;
use crate::session::words::bytes_text;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{self, button, dialog, headline, primary_button};

/// A question that the user must confirm.
pub enum Question {
    /// Stop this run? Waiting runs are then held in the queue.
    Stop(JobId),
    /// Stop this run and start the next one in the queue? This is the second answer of `Stop`.
    StopThis(JobId),
    /// Close the window although a run is in progress or something would be lost?
    Close,
    /// Execute this command, which ends or deletes something (see [`warning`])?
    Do(Box<UiCommand>),
    /// Access these places on other computers, which a run's settings name, and then execute this command?
    Visit(Vec<String>, Box<UiCommand>),
}

/// The text of a question.
pub struct Words {
    headline: String,
    text: String,
    /// The label of the button that confirms.
    yes: &'static str,
    /// Whether something would be lost permanently.
    loses: bool,
}

impl Words {
    fn new(headline: impl Into<String>, text: impl Into<String>, yes: &'static str) -> Self {
        Self {
            headline: headline.into(),
            text: text.into(),
            yes,
            loses: false,
        }
    }

    fn losing(self) -> Self {
        Self {
            loses: true,
            ..self
        }
    }
}

impl Question {
    /// Returns a second answer, if there is one: the label of its button, and the question that it confirms.
    fn other(&self, session: &Session) -> Option<(&'static str, Self)> {
        match self {
            Self::Stop(job) if session.waiting().any(|job| !job.held) => {
                Some((tr!("shell-ask-stop-this"), Self::StopThis(*job)))
            }
            Self::Do(command) if matches!(**command, UiCommand::RestartLesson(false)) => {
                let again = Self::Do(Box::new(UiCommand::RestartLesson(true)));
                let has_runs = session.learn.units.has_runs();
                has_runs.then_some((tr!("shell-ask-restart-train"), again))
            }
            _ => None,
        }
    }

    /// Returns the text of the question; `None` if the question no longer applies.
    pub fn words(&self, session: &Session) -> Option<Words> {
        match self {
            Self::Stop(job) | Self::StopThis(job) => {
                (session.running_job() == Some(*job)).then(|| {
                    let kept = with_queue(session, tr!("shell-ask-stop-kept"));
                    Words::new(tr!("shell-ask-stop"), kept, tr!("shell-ask-stop-yes"))
                })
            }
            Self::Close => closing(session),
            Self::Do(command) => warning(session, command),
            Self::Visit(places, _) => Some(Words::new(
                tr!("shell-ask-access"),
                tr!("shell-ask-access-what", places = listed(places, 3)),
                tr!("shell-ask-access-yes"),
            )),
        }
    }
}

/// Returns this sentence, followed by what happens to the runs in the queue.
fn with_queue(session: &Session, kept: &str) -> String {
    match session.waiting().filter(|job| !job.held).count() {
        0 => kept.to_string(),
        n => format!("{kept} {}", tr!("shell-ask-queued-runs-wait", n)),
    }
}

/// Returns a text about what closing the window ends and loses; `None` if it ends and loses nothing.
fn closing(session: &Session) -> Option<Words> {
    let mut said = Vec::new();
    if session.is_at_work() {
        said.push(with_queue(session, tr!("shell-ask-close-kept")));
    }
    let saved = said.len();
    // Drafts are not lost, because the next window restores them.
    let lost = !session.keeps_drafts();
    let moved = session.unsaved_moves().filter(|_| lost);
    let gathered = session.collection.count();
    let losses = [
        moved.map(|_| tr!("shell-ask-close-moved").to_string()),
        (lost && gathered > 0).then(|| tr!("shell-ask-close-collected", n = gathered)),
        session
            .is_writing()
            .then(|| tr!("shell-ask-close-writing").to_string()),
        is_in_tour(session).then(|| tr!("shell-ask-close-tour").to_string()),
    ];
    said.extend(losses.into_iter().flatten());
    let words = |yes| Words::new(tr!("shell-ask-close"), said.join(" "), yes);
    match said.len() {
        0 => None,
        n if n == saved => Some(words(tr!("shell-ask-close-yes"))),
        _ => Some(words(tr!("shell-ask-close-anyway")).losing()),
    }
}

fn is_in_tour(session: &Session) -> bool {
    let tour = session.learn.tour.as_ref();
    tour.is_some_and(Tour::is_begun)
}

/// Returns the warning before a command that ends or deletes something; `None` for other commands.
pub fn warning(session: &Session, command: &UiCommand) -> Option<Words> {
    match command {
        UiCommand::Erase(places, bytes) => {
            let (n, size) = (places.len(), bytes_text(*bytes));
            let text = tr!("shell-ask-delete-what", n, size);
            let words = Words::new(tr!("shell-ask-delete"), text, tr!("shell-ask-delete-yes"));
            Some(words.losing())
        }
        UiCommand::RemoveJob(id) => {
            let job = session.waiting().find(|job| job.id == *id)?;
            removing_grid(job, tr!("shell-ask-remove").into())
        }
        UiCommand::StopAt(place, job) => stopping_at(session, place, *job),
        UiCommand::RemoveJobAt(place, job) => removing_at(session, place, *job),
        UiCommand::CancelOnCluster(folder) => {
            let mut grids = session.train.clusters.grids.iter();
            let grid = grids.find(|grid| grid.folder == *folder && !grid.is_over())?;
            Some(ending_on_cluster(grid))
        }
        UiCommand::PredictFolder(..) | UiCommand::LeaveSheet => {
            let table = &session.unsaved_moves()?.request.csv;
            let table = table.file_name().unwrap_or_default();
            let text = tr!("shell-ask-discard-what", table = table.to_string_lossy());
            let words = Words::new(tr!("shell-ask-discard"), text, tr!("shell-ask-discard-yes"));
            Some(words.losing())
        }
        UiCommand::LeaveTour => is_in_tour(session).then(|| {
            let text = tr!("shell-ask-leave-what");
            Words::new(tr!("shell-ask-leave"), text, tr!("shell-ask-leave-yes")).losing()
        }),
        UiCommand::RestartLesson(_) => session.learn.units.is_begun().then(|| {
            let text = tr!("shell-ask-restart-what");
            let yes = match session.learn.units.has_runs() {
                true => tr!("shell-ask-restart-keep"),
                false => tr!("learn-restart-lesson"),
            };
            Words::new(tr!("shell-ask-restart"), text, yes).losing()
        }),
        UiCommand::DropClosedText => {
            let left = session.editor.left.last()?;
            let name = left.name.as_deref().unwrap_or(tr!("plugins-unnamed"));
            let text = tr!("shell-ask-plugin-what", name);
            let words = Words::new(tr!("shell-ask-plugin"), text, tr!("shell-ask-plugin-yes"));
            Some(words.losing())
        }
        _ => None,
    }
}

/// Returns the warning before a waiting grid is removed; `None` for a single run, which can easily be set up again.
fn removing_grid(job: &Job, headline: String) -> Option<Words> {
    let JobWork::Grid(work) = &job.work else {
        return None;
    };
    let (title, n) = (grid_title(&job.title), work.runs);
    let text = tr!("shell-ask-remove-grid", title, n);
    Some(Words::new(headline, text, tr!("shell-ask-remove-yes")).losing())
}

/// Returns the warning before a job at a place is stopped.
fn stopping_at(session: &Session, place: &str, job: JobId) -> Option<Words> {
    let at = session.train.places.get(place)?;
    let at = (at.job() == Some(job)).then_some(at)?;
    let text = match at.running_grid() {
        Some(grid) => tr!(
            "shell-ask-stop-grid-kept",
            title = grid_title(&grid.standing.title),
            done = grid.standing.done(),
            n = grid.standing.lines.len()
        ),
        None => tr!(
            "shell-ask-stop-at-kept",
            title = at.running()?.title.as_str()
        ),
    };
    let headline = tr!("shell-ask-stop-at", place);
    Some(Words::new(headline, text, tr!("shell-ask-stop-yes")))
}

/// Returns the warning before a job is removed from the queue of a place.
fn removing_at(session: &Session, place: &str, job: JobId) -> Option<Words> {
    let at = session.train.places.get(place)?;
    let job = at.queue.jobs().find(|known| known.id == job)?;
    let headline = tr!("shell-ask-remove-at", place);
    removing_grid(job, headline.clone()).or_else(|| {
        let text = tr!("shell-ask-remove-job", title = job.title.as_str());
        Some(Words::new(headline, text, tr!("shell-ask-remove-yes")).losing())
    })
}

fn ending_on_cluster(grid: &OnCluster) -> Words {
    let text = tr!(
        "shell-ask-grid-stop-what",
        grid = grid.grid.as_str(),
        waiting = grid.count(TaskState::Waiting),
        running = grid.count(TaskState::Running)
    );
    let yes = tr!("shell-ask-grid-stop-yes");
    Words::new(tr!("shell-ask-grid-stop"), text, yes).losing()
}

/// Draws the question. Returns the question when the user confirms it.
pub fn ask(asked: &mut Option<Question>, ctx: &Context, session: &Session) -> Option<Question> {
    let mut question = asked.take()?;
    let words = question.words(session)?;
    let mut agreed = !words.loses && widgets::enter_alone(ctx);
    let modal = dialog(ctx, "question", 360.0, |ui| {
        headline(ui, &words.headline);
        widgets::sentence(ui, &words.text);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            agreed |= answer(ui, words.yes, !words.loses);
            if let Some((words, other)) = question.other(session)
                && button(ui, words).clicked()
            {
                (agreed, question) = (true, other);
            }
            // *Cancel* is the main button if something would be lost.
            answer(ui, tr!("shell-cancel"), words.loses)
        })
        .inner
    });
    if agreed {
        return Some(question);
    }
    if !modal.inner && !modal.should_close() {
        *asked = Some(question);
    }
    None
}

/// Draws a button. The main button gets the focus if no widget has it; Tab then moves to the other buttons. Returns
/// whether the button was clicked.
fn answer(ui: &mut Ui, text: &str, is_main: bool) -> bool {
    if !is_main {
        return button(ui, text).clicked();
    }
    let main = primary_button(ui, text, true);
    if ui.memory(|m| m.focused().is_none()) {
        main.request_focus();
    }
    main.clicked()
}
