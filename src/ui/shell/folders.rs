//! The folders that runs are listed from: others are opened beside the usual one, and taken off again.

use egui::{Context, RichText, Ui};

use crate::counts::counted;
use crate::session::Session;
use crate::session::chooser::{DialogPurpose, typed_path};
use crate::session::folders::RunsFolder;
use crate::ui::command::UiCommand;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, dialog, faint, link, primary_button, sentence};

/// Whether the folders are on show, and the path being typed.
#[derive(Default)]
pub struct FoldersDialog {
    open: bool,
    typed: String,
}

impl FoldersDialog {
    /// Opens it.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Draws it while it is open.
    pub fn show(&mut self, ctx: &Context, session: &Session, commands: &mut Vec<UiCommand>) {
        if !self.open {
            return;
        }
        let modal = dialog(ctx, "folders of runs", 560.0, |ui| {
            let t = tokens(ui);
            let title = RichText::new("Other folders of runs").font(semibold(16.0));
            ui.label(title.color(t.strong));
            sentence(
                ui,
                "Runs of these folders stand in all lists beside your own. Nothing in a folder changes by opening it, and the data of its runs are asked for before they are opened.",
            );
            for folder in session.compare.folders.list() {
                ui.push_id(&folder.path, |ui| line(ui, folder, commands));
            }
            ui.add_space(4.0);
            self.add(ui, commands);
            if let Some(problem) = session.compare.folders.refused() {
                widgets::problem(ui, problem);
            }
            ui.add_space(4.0);
            button(ui, "Close").clicked()
        });
        if modal.inner || modal.should_close() {
            self.open = false;
        }
    }

    fn add(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let edit = widgets::line_edit(&mut self.typed, f32::INFINITY)
            .hint_text("Path of a folder that runs lie in, then Enter");
        let path = ui.add(edit).accessible_name("Folder of runs");
        let mut add = widgets::entered(ui, &path);
        ui.horizontal(|ui| {
            let typed = !self.typed.trim().is_empty();
            add |= primary_button(ui, "Add", typed).clicked();
            if button(ui, "Choose…").clicked() {
                commands.push(UiCommand::Pick(DialogPurpose::Runs));
            }
        });
        if add && !self.typed.trim().is_empty() {
            commands.push(UiCommand::AddFolder(typed_path(&self.typed)));
            self.typed.clear();
        }
    }
}

fn line(ui: &mut Ui, folder: &RunsFolder, commands: &mut Vec<UiCommand>) {
    ui.separator();
    let path = folder.path.display().to_string();
    widgets::cut(ui, &path).on_hover_text(&path);
    ui.horizontal_wrapped(|ui| {
        let mut words = counted(folder.runs, "run");
        if folder.read_only {
            words += ", can only be read";
        }
        if folder.problem.is_some() {
            words = "not there any more".into();
        }
        faint(ui, words);
        let off = link(ui, "Take off");
        if off
            .on_hover_text("Its runs are listed no longer; nothing in it is touched")
            .clicked()
        {
            commands.push(UiCommand::DropFolder(folder.path.clone()));
        }
    });
}
