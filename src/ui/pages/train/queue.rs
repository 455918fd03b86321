//! The card of waiting jobs. They can be reordered and removed.

use egui::Ui;

use super::grid;
use super::places::title_and_buttons;
use crate::run::job::{Job, JobWork};
use crate::session::grids::grid_title;
use crate::session::words::count_text;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, faint, icon_button};

/// Height of the buttons of a line.
const BUTTON: f32 = 22.0;

/// Draws the card if jobs are waiting.
pub fn card(ui: &mut Ui, cx: &mut Cx<'_>) {
    let waiting: Vec<Job> = cx.session.waiting().cloned().collect();
    let grid = cx.session.train.running_grid().cloned();
    if let Some(grid) = &grid {
        widgets::card(ui, |ui| grid::at_work(ui, cx, grid));
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
                faint(ui, count_text(waiting.len()));
            },
            |ui| {
                let words = match held {
                    true => tr!("train-queue-resume"),
                    false => tr!("train-queue-pause"),
                };
                if ui.link(words).clicked() {
                    cx.change(move |session| session.hold_queue(!held));
                }
            },
        );
        if held {
            faint(ui, tr!("train-queue-held-hint"));
        }
        for (place, job) in waiting.iter().enumerate() {
            ui.push_id(job.id, |ui| {
                row(ui, cx, job, place, waiting.len());
                if let JobWork::Grid(work) = &job.work {
                    grid::waiting(ui, cx, job.id, work.runs);
                }
            });
        }
    });
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, job: &Job, place: usize, count: usize) {
    let (title, number) = (grid_title(&job.title), place + 1);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        faint(ui, count_text(number));
        if job.held {
            faint(ui, tr!("train-on-hold"));
        }
        title_and_buttons(ui, title, 3.0 * BUTTON + 18.0, |ui| {
            let mut offer = |ui: &mut Ui, icon, name: String, able: bool, command| {
                let button = ui.add_enabled_ui(able, |ui| icon_button(ui, icon, &name, BUTTON));
                if button.inner.clicked() {
                    cx.act(command);
                }
            };
            let id = job.id;
            let move_to =
                |place| UiCommand::change(move |session| session.move_in_queue(id, place));
            let name = tr!("train-queue-forward", n = number, title);
            let before = move_to(place.saturating_sub(1));
            offer(ui, Icon::Up, name, place > 0, before);
            let name = tr!("train-queue-back", n = number, title);
            offer(ui, Icon::Down, name, number < count, move_to(number));
            let out = tr!("train-queue-remove", n = number, title);
            offer(ui, Icon::Cross, out, true, UiCommand::RemoveJob(job.id));
        });
    });
}
