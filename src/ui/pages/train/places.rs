//! Cards of the runs at places: the place, the state and the actions.

use egui::Ui;

use super::grid;
use crate::run::event::ControlRequest;
use crate::run::job::{Job, JobId};
use crate::session::grid_at_work::GridAtWork;
use crate::session::grids::grid_title;
use crate::session::remote_jobs::{AtPlace, doing};
use crate::session::run_view::{RunView, Stage};
use crate::session::story;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, at_end, faint, icon_button, truncated};

/// Height of the buttons of a line.
const BUTTON: f32 = 22.0;

/// Draws a card for each place with jobs.
pub fn cards(ui: &mut Ui, cx: &mut Cx<'_>) {
    let session = cx.session;
    for (name, at) in &session.train.places {
        if !at.is_idle() {
            widgets::card(ui, |ui| place(ui, cx, name, at));
        }
    }
}

fn place(ui: &mut Ui, cx: &mut Cx<'_>, name: &str, at: &AtPlace) {
    let waiting: Vec<&Job> = at.queue.jobs().collect();
    let held = waiting.iter().any(|job| job.held);
    widgets::title_row(ui, tr!("train-place-title", place = name), |ui| {
        if held && ui.link(tr!("train-place-start-held")).clicked() {
            let name = name.to_string();
            cx.change(move |session| session.release_held_at(&name));
        }
    });
    if let Some(problem) = at.trouble() {
        let text = story::sentence(&problem.what_said());
        let label = widgets::coloured(ui, text, |t| t.warning);
        label.on_hover_text(problem.said().to_string());
    }
    if let Some(grid) = at.running_grid() {
        ui.push_id((name, "grid"), |ui| running_grid(ui, cx, (name, at), grid));
    } else if let Some(run) = at.running() {
        ui.push_id((name, "running"), |ui| running(ui, cx, name, run));
    }
    for job in waiting {
        ui.push_id((name, job.id), |ui| waits(ui, cx, (name, at), job));
    }
}

/// Draws the line of the run in progress.
fn running(ui: &mut Ui, cx: &mut Cx<'_>, name: &str, run: &RunView) {
    buttons(ui, cx, (name, run.job), (run.title.as_str(), Some(run)));
    faint(ui, doing(run));
}

/// Draws the title of the job in progress and its actions.
fn buttons(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (name, job): (&str, Option<JobId>),
    (title, run): (&str, Option<&RunView>),
) {
    line(ui, title, 3.0, |ui| {
        let (icon, words, wish) = match run.map(|run| run.stage) {
            Some(Stage::Paused) => (Icon::Play, "train-place-resume", ControlRequest::Run),
            _ => (Icon::Pause, "train-place-pause", ControlRequest::Pause),
        };
        let called = |id| tr!(id, place = name, title);
        let shown = cx.session.train.watched();
        if shown.is_none_or(|(shown, _)| shown != name)
            && ui.link(tr!("train-place-show")).clicked()
        {
            let name = name.to_string();
            cx.change(move |session| session.watch(name));
        }
        if icon_button(ui, icon, &called(words), BUTTON).clicked() {
            let name = name.to_string();
            cx.change(move |session| session.wish_at(&name, wish));
        }
        let stop = icon_button(ui, Icon::Stop, &called("train-place-stop"), BUTTON);
        if let Some(job) = job.filter(|_| stop.clicked()) {
            cx.act(UiCommand::StopAt(name.into(), job));
        }
    });
}

/// Draws the grid in progress and the state of its current run.
fn running_grid(ui: &mut Ui, cx: &mut Cx<'_>, (name, at): (&str, &AtPlace), grid: &GridAtWork) {
    let live = at.live.as_deref();
    let title = grid_title(&grid.standing.title);
    buttons(ui, cx, (name, Some(grid.job)), (title, live));
    if let Some(run) = at.running() {
        faint(ui, format!("{} · {}", run.title, doing(run)));
    }
    grid::progress_of(ui, grid, live);
}

/// Draws the line of a job that is waiting at the place or being sent there.
fn waits(ui: &mut Ui, cx: &mut Cx<'_>, (name, at): (&str, &AtPlace), job: &Job) {
    let title = grid_title(&job.title);
    line(ui, title, 1.0, |ui| {
        let words = tr!("train-place-remove", place = name, title);
        if icon_button(ui, Icon::Cross, &words, BUTTON).clicked() {
            cx.act(UiCommand::RemoveJobAt(name.into(), job.id));
        }
    });
    let words = match at.on_the_way.get(&job.id) {
        Some(words) => words.said(),
        None if job.held => tr!("train-on-hold").into(),
        None => tr!("train-place-waiting").into(),
    };
    faint(ui, words);
}

/// Draws a title, with space for this number of buttons after it.
fn line(ui: &mut Ui, title: &str, buttons: f32, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        title_and_buttons(ui, title, buttons * (BUTTON + 6.0) + 12.0, add);
    });
}

/// Draws a title and, at the end of the row, buttons, for which this width is reserved.
pub(super) fn title_and_buttons(
    ui: &mut Ui,
    title: &str,
    reserved: f32,
    add: impl FnOnce(&mut Ui),
) {
    let t = tokens(ui);
    ui.scope(|ui| {
        ui.set_max_width((ui.available_width() - reserved).max(20.0));
        truncated(ui, title, regular(13.0), t.text).on_hover_text(title);
    });
    at_end(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        add(ui);
    });
}
