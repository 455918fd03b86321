//! The dialog that asks for the images of an added task. It can also undo the last added task.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Sense, Ui, Vec2};

use super::OverlayContext;
use crate::experiment::SourcePreview;
use crate::problem::join_some;
use crate::session::Session;
use crate::session::collection::Purpose;
use crate::session::explanation::sentence as full_sentence;
use crate::session::file_dialog::DialogPurpose;
use crate::session::run_row::title_of;
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::textures::Textures;
use crate::ui::widgets::{self, dialog, headline};

/// Size of the image of a class, in points.
const IMAGE_SIZE: f32 = 32.0;

/// Draws the dialog for the run in the folder `open`, if there is one.
pub(super) fn show(open: &mut Option<PathBuf>, cx: &mut OverlayContext<'_>) {
    let Some(folder) = open.clone() else { return };
    let (session, commands) = (cx.session, &mut *cx.commands);
    let header = session.header_of(&folder);
    let added_task = header.and_then(|header| header.added_tasks.last());
    let task_preview = session.task_preview(&folder);
    let (mut adds_task, mut close) = (false, false);
    let modal = dialog(cx.ctx, "teach", 420.0, |ui| {
        headline(ui, tr!("shell-teach-title"));
        if let Some(header) = header {
            widgets::faint(ui, title_of(header));
        }
        match task_preview {
            None => drop(widgets::sentence(ui, tr!("shell-teach-about"))),
            Some((source, fetch)) => source_preview(ui, cx.textures, source, fetch),
        }
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            let ready = task_preview.and_then(|(_, fetch)| fetch.ready());
            if let Some(preview) = ready {
                let label = tr!("shell-teach-classes", n = preview.classes.len());
                if widgets::primary_button(ui, &label, true).clicked() {
                    // The dialog stays open until the command is executed.
                    commands.push(UiCommand::AddExaminedTask);
                    adds_task = true;
                }
            } else if task_preview.is_none()
                && widgets::primary_button(ui, tr!("shell-teach-collect"), true).clicked()
            {
                commands.push(UiCommand::Collect(Purpose::AddedTask(folder.clone())));
                close = true;
            }
            let choose_label = match task_preview {
                None => tr!("shell-teach-choose-folder"),
                Some(_) => tr!("shell-teach-choose-other-folder"),
            };
            if widgets::button(ui, choose_label).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::AddedTask));
            }
            if let Some(added_task) = added_task.filter(|_| task_preview.is_none()) {
                let text = tr!("shell-teach-undo", classes = join_some(&added_task.classes, 3));
                if widgets::button(ui, &text).clicked() {
                    let run = folder.clone();
                    let undo = move |session: &mut Session| session.undo_added_task(&run);
                    commands.push(UiCommand::change(undo));
                    close = true;
                }
            }
            close |= widgets::button(ui, tr!("shell-cancel")).clicked();
        });
    });
    if close || (modal.should_close() && !adds_task) {
        *open = None;
    }
}

/// Draws the classes found in the selected folder, or an error.
fn source_preview(
    ui: &mut Ui,
    textures: &mut Textures,
    source: &str,
    fetch: &Fetch<Arc<SourcePreview>>,
) {
    widgets::truncated_faint(ui, source).on_hover_text(source);
    match fetch {
        Fetch::Failed(problem) => widgets::problem(ui, problem),
        Fetch::Ready(preview) => class_list(ui, textures, preview),
        Fetch::Nothing | Fetch::Busy => widgets::loading(ui, tr!("shell-teach-checking")),
    }
}

/// Draws a line for each class: an image, the name, and the numbers of training and test images.
fn class_list(ui: &mut Ui, textures: &mut Textures, preview: &SourcePreview) {
    let sum = |count: fn(&(String, usize, usize)) -> usize| {
        preview.classes.iter().map(count).sum::<usize>()
    };
    let summary = tr!(
        "shell-teach-images-found",
        classes = tr!("count-classes", n = preview.classes.len()),
        pictures = tr!("count-images", n = sum(|class| class.1)),
        tests = sum(|class| class.2)
    );
    widgets::sentence(ui, summary);
    let area = egui::ScrollArea::vertical().max_height(220.0);
    area.show(ui, |ui| {
        for (index, (name, train, test)) in preview.classes.iter().enumerate() {
            ui.horizontal(|ui| {
                if let Some((_, image)) = preview.images.iter().find(|(class, _)| *class == index) {
                    let (rect, _) = ui.allocate_exact_size(Vec2::splat(IMAGE_SIZE), Sense::hover());
                    textures.paint_square(ui, image, rect, 4);
                }
                ui.label(name);
                widgets::faint(ui, format!("{train} + {test}"));
            });
        }
        for note in &preview.notes {
            widgets::sentence(ui, full_sentence(&note.translated()));
        }
    });
}
