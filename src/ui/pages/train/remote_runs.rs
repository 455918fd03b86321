//! Cards of the runs at places: the place, the state and the actions.

use egui::Ui;

use super::grid;
use crate::run::event::ControlRequest;
use crate::run::job::{Job, JobId};
use crate::session::explanation;
use crate::session::grid_progress::GridProgress;
use crate::session::grids::grid_title;
use crate::session::remote_jobs::{MachineJobs, run_status};
use crate::session::run_view::{RunView, Stage};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, at_end, faint, icon_button, truncated};

/// Height of the buttons of a row.
const BUTTON_SIZE: f32 = 22.0;

/// Draws a card for each place with jobs.
pub fn cards(ui: &mut Ui, cx: &mut Cx<'_>) {
    let session = cx.session;
    for (name, jobs) in &session.train.machines {
        if !jobs.is_idle() {
            widgets::card(ui, |ui| machine_card(ui, cx, name, jobs));
        }
    }
}

fn machine_card(ui: &mut Ui, cx: &mut Cx<'_>, name: &str, jobs: &MachineJobs) {
    let waiting: Vec<&Job> = jobs.queue.jobs().collect();
    let has_held = waiting.iter().any(|job| job.held);
    widgets::title_row(ui, tr!("train-place-title", place = name), |ui| {
        if has_held && ui.link(tr!("train-place-start-held")).clicked() {
            let name = name.to_string();
            cx.change(move |session| session.release_machine_jobs(&name));
        }
    });
    if let Some(problem) = jobs.connection_problem() {
        let text = explanation::sentence(&problem.translated_what());
        let label = widgets::coloured(ui, text, |t| t.warning);
        label.on_hover_text(problem.translated().to_string());
    }
    if let Some(grid) = jobs.running_grid() {
        ui.push_id((name, "grid"), |ui| {
            running_grid(ui, cx, (name, jobs), grid);
        });
    } else if let Some(run) = jobs.running() {
        ui.push_id((name, "running"), |ui| running_row(ui, cx, name, run));
    }
    for job in waiting {
        ui.push_id((name, job.id), |ui| waiting_row(ui, cx, (name, jobs), job));
    }
}

/// Draws the line of the run in progress.
fn running_row(ui: &mut Ui, cx: &mut Cx<'_>, name: &str, run: &RunView) {
    job_row(ui, cx, (name, run.job), (run.title.as_str(), Some(run)));
    faint(ui, run_status(run));
}

/// Draws the title of the job in progress and its actions.
fn job_row(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (name, job): (&str, Option<JobId>),
    (title, run): (&str, Option<&RunView>),
) {
    row(ui, title, 3.0, |ui| {
        let (icon, message_id, request) = match run.map(|run| run.stage) {
            Some(Stage::Paused) => (Icon::Play, "train-place-resume", ControlRequest::Run),
            _ => (Icon::Pause, "train-place-pause", ControlRequest::Pause),
        };
        let label = |id| tr!(id, place = name, title);
        let watched = cx.session.train.watched_machine();
        if watched.is_none_or(|(watched, _)| watched != name)
            && ui.link(tr!("train-place-show")).clicked()
        {
            let name = name.to_string();
            cx.change(move |session| session.watch(name));
        }
        if icon_button(ui, icon, &label(message_id), BUTTON_SIZE).clicked() {
            let name = name.to_string();
            cx.change(move |session| session.control_machine_run(&name, request));
        }
        let stop = icon_button(ui, Icon::Stop, &label("train-place-stop"), BUTTON_SIZE);
        if let Some(job) = job.filter(|_| stop.clicked()) {
            cx.dispatch(UiCommand::StopAt(name.into(), job));
        }
    });
}

/// Draws the grid in progress and the state of its current run.
fn running_grid(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (name, jobs): (&str, &MachineJobs),
    grid: &GridProgress,
) {
    let live = jobs.live.as_deref();
    let title = grid_title(&grid.state.title);
    job_row(ui, cx, (name, Some(grid.job)), (title, live));
    if let Some(run) = jobs.running() {
        faint(ui, format!("{} · {}", run.title, run_status(run)));
    }
    grid::show_progress(ui, grid, live);
}

/// Draws the line of a job that is waiting at the place or being sent there.
fn waiting_row(ui: &mut Ui, cx: &mut Cx<'_>, (name, jobs): (&str, &MachineJobs), job: &Job) {
    let title = grid_title(&job.title);
    row(ui, title, 1.0, |ui| {
        let label = tr!("train-place-remove", place = name, title);
        if icon_button(ui, Icon::Cross, &label, BUTTON_SIZE).clicked() {
            cx.dispatch(UiCommand::RemoveJobAt(name.into(), job.id));
        }
    });
    let status = match jobs.uploads.get(&job.id) {
        Some(status) => status.translated(),
        None if job.held => tr!("train-on-hold").into(),
        None => tr!("train-place-waiting").into(),
    };
    faint(ui, status);
}

/// Draws a title, with space for this number of buttons after it.
fn row(ui: &mut Ui, title: &str, buttons: f32, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        title_and_buttons(ui, title, buttons * (BUTTON_SIZE + 6.0) + 12.0, add);
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
