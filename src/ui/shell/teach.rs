//! The dialog that asks for the images of an added task. It can also undo the last added task.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Sense, Ui, Vec2};

use super::OverlayContext;
use crate::experiment::SourcePreview;
use crate::problem::listed;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::collection::Purpose;
use crate::session::row::title_of;
use crate::session::story::sentence as full_sentence;
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::textures::Textures;
use crate::ui::widgets::{self, dialog, headline};

/// Size of the image of a class, in points.
const SIDE: f32 = 32.0;

/// Draws the dialog for the run in the folder `open`, if there is one.
pub(super) fn show(open: &mut Option<PathBuf>, cx: &mut OverlayContext<'_>) {
    let Some(folder) = open.clone() else { return };
    let (session, commands) = (cx.session, &mut *cx.commands);
    let header = session.header_of(&folder);
    let added_task = header.and_then(|header| header.added_tasks.last());
    let lesson = session.task_preview(&folder);
    let (mut adds, mut done) = (false, false);
    let modal = dialog(cx.ctx, "teach", 420.0, |ui| {
        headline(ui, tr!("shell-teach-title"));
        if let Some(header) = header {
            widgets::faint(ui, title_of(header));
        }
        match lesson {
            None => drop(widgets::sentence(ui, tr!("shell-teach-about"))),
            Some((source, found)) => looked_at(ui, cx.textures, source, found),
        }
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            let found = lesson.and_then(|(_, found)| found.ready());
            if let Some(found) = found {
                let words = tr!("shell-teach-classes", n = found.classes.len());
                if widgets::primary_button(ui, &words, true).clicked() {
                    // The dialog stays open until the command is executed.
                    commands.push(UiCommand::AddExaminedTask);
                    adds = true;
                }
            } else if lesson.is_none()
                && widgets::primary_button(ui, tr!("shell-teach-collect"), true).clicked()
            {
                commands.push(UiCommand::Collect(Purpose::AddedTask(folder.clone())));
                done = true;
            }
            let other = match lesson {
                None => tr!("shell-teach-choose-folder"),
                Some(_) => tr!("shell-teach-choose-other-folder"),
            };
            if widgets::button(ui, other).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::AddedTask));
            }
            if let Some(added_task) = added_task.filter(|_| lesson.is_none()) {
                let text = tr!("shell-teach-undo", classes = listed(&added_task.classes, 3));
                if widgets::button(ui, &text).clicked() {
                    let run = folder.clone();
                    let undo = move |session: &mut Session| session.undo_added_task(&run);
                    commands.push(UiCommand::change(undo));
                    done = true;
                }
            }
            done |= widgets::button(ui, tr!("shell-cancel")).clicked();
        });
    });
    if done || (modal.should_close() && !adds) {
        *open = None;
    }
}

/// Draws the classes found in the selected folder, or an error.
fn looked_at(
    ui: &mut Ui,
    textures: &mut Textures,
    source: &str,
    found: &Fetch<Arc<SourcePreview>>,
) {
    widgets::cut(ui, source).on_hover_text(source);
    match found {
        Fetch::Failed(problem) => widgets::problem(ui, problem),
        Fetch::Ready(found) => list(ui, textures, found),
        Fetch::Nothing | Fetch::Busy => widgets::waiting(ui, tr!("shell-teach-checking")),
    }
}

/// Draws a line for each class: an image, the name, and the numbers of training and test images.
fn list(ui: &mut Ui, textures: &mut Textures, found: &SourcePreview) {
    let sum =
        |of: fn(&(String, usize, usize)) -> usize| found.classes.iter().map(of).sum::<usize>();
    let words = tr!(
        "shell-teach-images-found",
        classes = tr!("count-classes", n = found.classes.len()),
        pictures = tr!("count-images", n = sum(|class| class.1)),
        tests = sum(|class| class.2)
    );
    widgets::sentence(ui, words);
    let lines = egui::ScrollArea::vertical().max_height(220.0);
    lines.show(ui, |ui| {
        for (place, (name, train, test)) in found.classes.iter().enumerate() {
            ui.horizontal(|ui| {
                if let Some((_, picture)) = found.pictures.iter().find(|(of, _)| *of == place) {
                    let (rect, _) = ui.allocate_exact_size(Vec2::splat(SIDE), Sense::hover());
                    textures.paint_square(ui, picture, rect, 4);
                }
                ui.label(name);
                widgets::faint(ui, format!("{train} + {test}"));
            });
        }
        for note in &found.notes {
            widgets::sentence(ui, full_sentence(&note.said()));
        }
    });
}
