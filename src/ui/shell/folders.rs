//! The dialog for the folders of runs. Folders can be opened in addition to the default folder, and closed.

use egui::Ui;

use super::OverlayContext;
use crate::session::file_dialog::{DialogPurpose, typed_path};
use crate::session::folders::{Folders, RunsFolder};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{self, button, faint, primary_button, sentence, titled_dialog};

/// The state of the dialog, with the path that is being typed.
#[derive(Default)]
pub struct FoldersDialog {
    /// Whether the dialog is open.
    pub open: bool,
    typed: String,
    /// The text that was submitted, and the number of folders before, until a folder is added.
    submitted: Option<(String, usize)>,
}

impl FoldersDialog {
    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        self.clear_added(&cx.session.compare.folders);
        let Self { open, typed, submitted } = self;
        let title = tr!("shell-folders-title");
        titled_dialog(cx.ctx, "folders-of-runs", (title, 560.0), open, |ui| {
            sentence(ui, tr!("shell-folders-about"));
            let folders = &cx.session.compare.folders;
            for folder in &folders.list {
                ui.push_id(&folder.path, |ui| folder_row(ui, folder, cx.commands));
            }
            ui.add_space(4.0);
            if add_field(ui, typed, cx.commands) {
                *submitted = Some((typed.clone(), folders.list.len()));
            }
            if let Some(problem) = &folders.add_problem {
                widgets::problem(ui, problem);
            }
            ui.add_space(4.0);
            button(ui, tr!("shell-close")).clicked()
        });
    }

    /// Clears the field once its folder was added. A path with a mistake is kept, so that the user can correct it.
    fn clear_added(&mut self, folders: &Folders) {
        let Some((text, count)) = &self.submitted else { return };
        if folders.list.len() > *count {
            if self.typed == *text {
                self.typed.clear();
            }
            self.submitted = None;
        }
    }
}

/// Draws the field for the path of another folder, and its buttons. Returns whether the path was submitted.
fn add_field(ui: &mut Ui, typed: &mut String, commands: &mut Vec<UiCommand>) -> bool {
    let edit = widgets::line_edit(typed, f32::INFINITY).hint_text(tr!("shell-folders-path-hint"));
    let path = ui.add(edit).accessible_name(tr!("shell-folders-path"));
    let mut add = widgets::is_submitted(ui, &path);
    let ready = !typed.trim().is_empty();
    ui.horizontal(|ui| {
        add |= primary_button(ui, tr!("shell-folders-add"), ready).clicked();
        if button(ui, tr!("shell-choose")).clicked() {
            commands.push(UiCommand::pick(DialogPurpose::Runs));
        }
    });
    let submitted = add && ready;
    if submitted {
        let path = typed_path(typed);
        commands.push(UiCommand::change(|session| session.add_folder(path)));
    }
    submitted
}

fn folder_row(ui: &mut Ui, folder: &RunsFolder, commands: &mut Vec<UiCommand>) {
    ui.separator();
    let path = folder.path.display().to_string();
    widgets::truncated_faint(ui, &path).on_hover_text(&path);
    ui.horizontal_wrapped(|ui| {
        let runs = folder.runs;
        let summary = match folder.problem.is_some() {
            true => tr!("shell-folders-missing").to_string(),
            false if folder.read_only => tr!("shell-folders-read-only", n = runs),
            false => tr!("count-runs", n = runs),
        };
        faint(ui, summary);
        let remove = ui.link(tr!("shell-folders-remove"));
        if remove.on_hover_text(tr!("shell-folders-remove-hint")).clicked() {
            let path = folder.path.clone();
            commands.push(UiCommand::change(move |session| session.drop_folder(&path)));
        }
    });
}
