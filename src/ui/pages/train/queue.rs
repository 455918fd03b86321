//! The card of waiting jobs. They can be reordered and removed.

use egui::Ui;

use super::grid;
use super::remote_runs::title_and_buttons;
use crate::run::job::{Job, JobWork};
use crate::session::formatting::format_count;
use crate::session::grids::grid_title;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, faint, icon_button};

/// Height of the buttons of a line.
const BUTTON_SIZE: f32 = 22.0;

/// Draws the card if jobs are waiting.
pub fn card(ui: &mut Ui, cx: &mut Cx<'_>) {
    let waiting: Vec<Job> = cx.session.waiting().cloned().collect();
    let grid = cx.session.train.running_grid().cloned();
    if let Some(grid) = &grid {
        widgets::card(ui, |ui| grid::show_running(ui, cx, grid));
    }
    if waiting.is_empty() {
        return;
    }
    let held = waiting.iter().any(|job| job.held);
    widgets::card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, tr!("train-queue"));
                faint(ui, format_count(waiting.len()));
            },
            |ui| {
                let label = match held {
                    true => tr!("train-queue-resume"),
                    false => tr!("train-queue-pause"),
                };
                if ui.link(label).clicked() {
                    cx.change(move |session| session.hold_queue(!held));
                }
            },
        );
        if held {
            faint(ui, tr!("train-queue-held-hint"));
        }
        for (index, job) in waiting.iter().enumerate() {
            ui.push_id(job.id, |ui| {
                row(ui, cx, job, index, waiting.len());
                if let JobWork::Grid(work) = &job.work {
                    grid::show_waiting(ui, cx, job.id, work.runs);
                }
            });
        }
    });
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, job: &Job, index: usize, count: usize) {
    let (title, number) = (grid_title(&job.title), index + 1);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        faint(ui, format_count(number));
        if job.held {
            faint(ui, tr!("train-on-hold"));
        }
        title_and_buttons(ui, title, 3.0 * BUTTON_SIZE + 18.0, |ui| {
            let mut add_button = |ui: &mut Ui, icon, name: String, enabled: bool, command| {
                let button =
                    ui.add_enabled_ui(enabled, |ui| icon_button(ui, icon, &name, BUTTON_SIZE));
                if button.inner.clicked() {
                    cx.dispatch(command);
                }
            };
            let id = job.id;
            let move_to =
                |index| UiCommand::change(move |session| session.move_in_queue(id, index));
            let name = tr!("train-queue-forward", n = number, title);
            let forward = move_to(index.saturating_sub(1));
            add_button(ui, Icon::Up, name, index > 0, forward);
            let name = tr!("train-queue-back", n = number, title);
            add_button(ui, Icon::Down, name, number < count, move_to(number));
            let remove_name = tr!("train-queue-remove", n = number, title);
            add_button(ui, Icon::Cross, remove_name, true, UiCommand::RemoveJob(job.id));
        });
    });
}
