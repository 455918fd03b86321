//! The question which folder a run shall be taught, and whether its last added task shall be undone.

use std::path::Path;

use egui::{Context, RichText};

use crate::problem::listed;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::row::title_of;
use crate::ui::command::UiCommand;
use crate::ui::theme::{self, semibold};
use crate::ui::widgets::{self, dialog};

/// What the person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing yet; a folder may come from the dialog or be dropped.
    Open,
    /// Draw, paste or drop pictures into boxes.
    Gather,
    /// Take the last added task back.
    Undo,
    /// Never mind.
    Cancel,
}

/// Asks about the run in this folder.
pub fn ask(
    ctx: &Context,
    session: &Session,
    folder: &Path,
    commands: &mut Vec<UiCommand>,
) -> Answer {
    let header = session.header_of(folder);
    let added_task = header.and_then(|header| header.added_tasks.last());
    let mut answer = Answer::Open;
    let modal = dialog(ctx, "teach", 420.0, |ui| {
        let t = theme::tokens(ui);
        let title = RichText::new("Teach new classes").font(semibold(16.0));
        ui.label(title.color(t.strong));
        if let Some(header) = header {
            widgets::faint(ui, title_of(header));
        }
        widgets::sentence(
            ui,
            "Draw or gather pictures here, or choose a folder with one subfolder of pictures per class, or drop it on this window: 5 to 50 pictures each will do. They become the run's next task, learned with its own method. No old picture is needed; the new ones are copied into the run.",
        );
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            if widgets::primary_button(ui, "Draw or gather…", true).clicked() {
                answer = Answer::Gather;
            }
            if widgets::button(ui, "Choose a folder…").clicked() {
                commands.push(UiCommand::Pick(DialogPurpose::AddedTask));
            }
            if let Some(added_task) = added_task {
                let text = format!(
                    "Undo the last added task: {}",
                    listed(&added_task.classes, 3)
                );
                if widgets::button(ui, &text).clicked() {
                    answer = Answer::Undo;
                }
            }
            if widgets::button(ui, "Cancel").clicked() {
                answer = Answer::Cancel;
            }
        });
    });
    if modal.should_close() && answer == Answer::Open {
        answer = Answer::Cancel;
    }
    answer
}
