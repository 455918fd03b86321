//! Questions that the user must confirm. If something would be lost, *Cancel* has the focus; otherwise Enter confirms.
//! Escape always cancels. A question that no longer applies closes automatically.

use egui::{Context, Ui};

use crate::problem::join_some;
use crate::run::grid::GridState;
use crate::run::job::{Job, JobId, JobWork};
use crate::session::Session;
use crate::session::clusters::{ClusterGrid, TaskState};
use crate::session::formatting::format_bytes;
use crate::session::grids::grid_title;
use crate::session::tour::Tour;
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
    Access(Vec<String>, Box<UiCommand>),
}

/// The text of a question.
pub struct QuestionText {
    headline: String,
    text: String,
    /// The label of the button that confirms.
    confirm_label: &'static str,
    /// Whether something would be lost permanently.
    is_destructive: bool,
}

impl QuestionText {
    fn new(
        headline: impl Into<String>,
        text: impl Into<String>,
        confirm_label: &'static str,
    ) -> Self {
        Self { headline: headline.into(), text: text.into(), confirm_label, is_destructive: false }
    }

    fn destructive(self) -> Self {
        Self { is_destructive: true, ..self }
    }
}

impl Question {
    /// Returns a second answer, if there is one: the label of its button, and the question that it confirms.
    fn alternative(&self, session: &Session) -> Option<(&'static str, Self)> {
        match self {
            Self::Stop(job) if session.waiting().any(|job| !job.held) => {
                Some((tr!("shell-ask-stop-this"), Self::StopThis(*job)))
            }
            Self::Do(command) if matches!(**command, UiCommand::RestartLesson(false)) => {
                let restart = Self::Do(Box::new(UiCommand::RestartLesson(true)));
                let has_runs = session.learn.lessons.has_runs();
                has_runs.then_some((tr!("shell-ask-restart-train"), restart))
            }
            _ => None,
        }
    }

    /// Returns the text of the question; `None` if the question no longer applies.
    pub fn text(&self, session: &Session) -> Option<QuestionText> {
        match self {
            Self::Stop(job) | Self::StopThis(job) => {
                (session.running_job() == Some(*job)).then(|| {
                    let text = with_queue(session, &stopped_text(session));
                    QuestionText::new(tr!("shell-ask-stop"), text, tr!("shell-ask-stop-yes"))
                })
            }
            Self::Close => close_warning(session),
            Self::Do(command) => warning(session, command),
            Self::Access(places, _) => Some(QuestionText::new(
                tr!("shell-ask-access"),
                tr!("shell-ask-access-what", places = join_some(places, 3)),
                tr!("shell-ask-access-yes"),
            )),
        }
    }
}

/// Returns a text that names the run or grid in progress on this computer and says what is kept when it is stopped.
fn stopped_text(session: &Session) -> String {
    if let Some(grid) = session.train.running_grid() {
        return stopped_grid_text(&grid.state);
    }
    let title = session.train.running().map_or("", |run| &run.title);
    tr!("shell-ask-stop-kept", title)
}

fn stopped_grid_text(grid: &GridState) -> String {
    tr!(
        "shell-ask-stop-grid-kept",
        title = grid_title(&grid.title),
        done = grid.finished_runs(),
        n = grid.lines.len()
    )
}

/// Returns this sentence, followed by what happens to the runs in the queue.
fn with_queue(session: &Session, text: &str) -> String {
    match session.waiting().filter(|job| !job.held).count() {
        0 => text.to_string(),
        n => format!("{text} {}", tr!("shell-ask-queued-runs-wait", n)),
    }
}

/// Returns a text about what closing the window ends and loses; `None` if it ends and loses nothing.
fn close_warning(session: &Session) -> Option<QuestionText> {
    let mut sentences = Vec::new();
    if session.has_active_job() {
        sentences.push(with_queue(session, tr!("shell-ask-close-kept")));
    }
    let saved_count = sentences.len();
    // Drafts are not lost, because the next window restores them.
    let loses_drafts = !session.has_stored_drafts();
    let unsaved_moves = session.unsaved_moves().filter(|_| loses_drafts);
    let collected = session.collection.image_count();
    let losses = [
        unsaved_moves.map(|_| tr!("shell-ask-close-moved").to_string()),
        (loses_drafts && collected > 0).then(|| tr!("shell-ask-close-collected", n = collected)),
        session.is_writing().then(|| tr!("shell-ask-close-writing").to_string()),
        is_in_tour(session).then(|| tr!("shell-ask-close-tour").to_string()),
    ];
    sentences.extend(losses.into_iter().flatten());
    let text = |confirm_label| {
        QuestionText::new(tr!("shell-ask-close"), sentences.join(" "), confirm_label)
    };
    match sentences.len() {
        0 => None,
        n if n == saved_count => Some(text(tr!("shell-ask-close-yes"))),
        _ => Some(text(tr!("shell-ask-close-anyway")).destructive()),
    }
}

fn is_in_tour(session: &Session) -> bool {
    let tour = session.learn.tour.as_ref();
    tour.is_some_and(Tour::has_progress)
}

/// Returns the warning before a command that ends or deletes something; `None` for other commands.
pub fn warning(session: &Session, command: &UiCommand) -> Option<QuestionText> {
    match command {
        UiCommand::Erase(places, bytes) => {
            let (n, size) = (places.len(), format_bytes(*bytes));
            let text = tr!("shell-ask-delete-what", n, size);
            let question =
                QuestionText::new(tr!("shell-ask-delete"), text, tr!("shell-ask-delete-yes"));
            Some(question.destructive())
        }
        UiCommand::RemoveJob(id) => {
            let job = session.waiting().find(|job| job.id == *id)?;
            remove_grid_warning(job, tr!("shell-ask-remove").into())
        }
        UiCommand::StopAt(place, job) => stop_at_warning(session, place, *job),
        UiCommand::RemoveJobAt(place, job) => remove_at_warning(session, place, *job),
        UiCommand::CancelOnCluster(folder) => {
            let mut grids = session.train.clusters.grids.iter();
            let grid = grids.find(|grid| grid.folder == *folder && !grid.has_ended())?;
            Some(cancel_on_cluster_warning(grid))
        }
        UiCommand::PredictFolder(..) | UiCommand::ClosePredictionTable => {
            let table = &session.unsaved_moves()?.request.csv;
            let table = table.file_name().unwrap_or_default();
            let text = tr!("shell-ask-discard-what", table = table.to_string_lossy());
            let question =
                QuestionText::new(tr!("shell-ask-discard"), text, tr!("shell-ask-discard-yes"));
            Some(question.destructive())
        }
        UiCommand::LeaveTour => is_in_tour(session).then(|| {
            let text = tr!("shell-ask-leave-what");
            QuestionText::new(tr!("shell-ask-leave"), text, tr!("shell-ask-leave-yes"))
                .destructive()
        }),
        UiCommand::RestartLesson(_) => session.learn.lessons.has_progress().then(|| {
            let text = tr!("shell-ask-restart-what");
            let confirm_label = match session.learn.lessons.has_runs() {
                true => tr!("shell-ask-restart-keep"),
                false => tr!("learn-restart-lesson"),
            };
            QuestionText::new(tr!("shell-ask-restart"), text, confirm_label).destructive()
        }),
        UiCommand::DiscardClosedText => {
            let plugin = session.editor.closed.last()?;
            let name = plugin.name.as_deref().unwrap_or(tr!("plugins-unnamed"));
            let text = tr!("shell-ask-plugin-what", name);
            let question =
                QuestionText::new(tr!("shell-ask-plugin"), text, tr!("shell-ask-plugin-yes"));
            Some(question.destructive())
        }
        _ => None,
    }
}

/// Returns the warning before a waiting grid is removed; `None` for a single run, which can easily be set up again.
fn remove_grid_warning(job: &Job, headline: String) -> Option<QuestionText> {
    let JobWork::Grid(work) = &job.work else {
        return None;
    };
    let (title, n) = (grid_title(&job.title), work.runs);
    let text = tr!("shell-ask-remove-grid", title, n);
    Some(QuestionText::new(headline, text, tr!("shell-ask-remove-yes")).destructive())
}

/// Returns the warning before a job at a place is stopped.
fn stop_at_warning(session: &Session, place: &str, job: JobId) -> Option<QuestionText> {
    let remote = session.train.machines.get(place)?;
    let remote = (remote.job() == Some(job)).then_some(remote)?;
    let text = match remote.running_grid() {
        Some(grid) => stopped_grid_text(&grid.state),
        None => tr!("shell-ask-stop-at-kept", title = remote.running()?.title.as_str()),
    };
    let headline = tr!("shell-ask-stop-at", place);
    Some(QuestionText::new(headline, text, tr!("shell-ask-stop-yes")))
}

/// Returns the warning before a job is removed from the queue of a place.
fn remove_at_warning(session: &Session, place: &str, job: JobId) -> Option<QuestionText> {
    let remote = session.train.machines.get(place)?;
    let job = remote.queue.jobs().find(|queued| queued.id == job)?;
    let headline = tr!("shell-ask-remove-at", place);
    remove_grid_warning(job, headline.clone()).or_else(|| {
        let text = tr!("shell-ask-remove-job", title = job.title.as_str());
        Some(QuestionText::new(headline, text, tr!("shell-ask-remove-yes")).destructive())
    })
}

fn cancel_on_cluster_warning(grid: &ClusterGrid) -> QuestionText {
    let text = tr!(
        "shell-ask-grid-stop-what",
        grid = grid.grid.as_str(),
        waiting = grid.count(TaskState::Waiting),
        running = grid.count(TaskState::Running)
    );
    let confirm_label = tr!("shell-ask-grid-stop-yes");
    QuestionText::new(tr!("shell-ask-grid-stop"), text, confirm_label).destructive()
}

/// Draws the question. Returns the question when the user confirms it.
pub fn draw_question(
    open_question: &mut Option<Question>,
    ctx: &Context,
    session: &Session,
) -> Option<Question> {
    let mut question = open_question.take()?;
    let text = question.text(session)?;
    let mut confirmed = !text.is_destructive && widgets::enter_without_focus(ctx);
    let modal = dialog(ctx, "question", 360.0, |ui| {
        headline(ui, &text.headline);
        widgets::sentence(ui, &text.text);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            confirmed |= answer_button(ui, text.confirm_label, !text.is_destructive);
            if let Some((label, alternative)) = question.alternative(session)
                && button(ui, label).clicked()
            {
                (confirmed, question) = (true, alternative);
            }
            // *Cancel* is the main button if something would be lost.
            answer_button(ui, tr!("shell-cancel"), text.is_destructive)
        })
        .inner
    });
    if confirmed {
        return Some(question);
    }
    if !modal.inner && !modal.should_close() {
        *open_question = Some(question);
    }
    None
}

/// Draws a button. The main button gets the focus if no widget has it; Tab then moves to the other buttons. Returns
/// whether the button was clicked.
fn answer_button(ui: &mut Ui, text: &str, is_main: bool) -> bool {
    if !is_main {
        return button(ui, text).clicked();
    }
    let main = primary_button(ui, text, true);
    if ui.memory(|m| m.focused().is_none()) {
        main.request_focus();
    }
    main.clicked()
}
