//! The dialog for the folders of runs. Folders can be opened in addition to the default folder, and closed.

use egui::{Context, RichText, Ui};

use crate::session::Session;
use crate::session::chooser::{DialogPurpose, typed_path};
use crate::session::folders::RunsFolder;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, dialog, faint, link, primary_button, sentence};

/// The state of the dialog, with the path that is being typed.
#[derive(Default)]
pub struct FoldersDialog {
    open: bool,
    typed: String,
}

impl FoldersDialog {
    /// Opens the dialog.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, ctx: &Context, session: &Session, commands: &mut Vec<UiCommand>) {
        if !self.open {
            return;
        }
        let modal = dialog(ctx, "folders-of-runs", 560.0, |ui| {
            let t = tokens(ui);
            let title = RichText::new(tr!("shell-folders-title")).font(semibold(16.0));
            ui.label(title.color(t.strong));
            sentence(ui, tr!("shell-folders-about"));
            for folder in session.compare.folders.list() {
                ui.push_id(&folder.path, |ui| line(ui, folder, commands));
            }
            ui.add_space(4.0);
            self.add(ui, commands);
            if let Some(problem) = session.compare.folders.refused() {
                widgets::problem(ui, problem);
            }
            ui.add_space(4.0);
            button(ui, tr!("shell-close")).clicked()
        });
        if modal.inner || modal.should_close() {
            self.open = false;
        }
    }

    fn add(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let edit = widgets::line_edit(&mut self.typed, f32::INFINITY)
            .hint_text(tr!("shell-folders-path-hint"));
        let path = ui.add(edit).accessible_name(tr!("shell-folders-path"));
        let mut add = widgets::entered(ui, &path);
        ui.horizontal(|ui| {
            let typed = !self.typed.trim().is_empty();
            add |= primary_button(ui, tr!("shell-folders-add"), typed).clicked();
            if button(ui, tr!("shell-choose")).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::Runs));
            }
        });
        if add && !self.typed.trim().is_empty() {
            let path = typed_path(&self.typed);
            commands.push(UiCommand::change(|session| session.add_folder(path)));
            self.typed.clear();
        }
    }
}

fn line(ui: &mut Ui, folder: &RunsFolder, commands: &mut Vec<UiCommand>) {
    ui.separator();
    let path = folder.path.display().to_string();
    widgets::cut(ui, &path).on_hover_text(&path);
    ui.horizontal_wrapped(|ui| {
        let runs = folder.runs;
        faint(
            ui,
            match folder.problem.is_some() {
                true => tr!("shell-folders-missing").to_string(),
                false if folder.read_only => tr!("shell-folders-read-only", n = runs),
                false => tr!("count-runs", n = runs),
            },
        );
        let off = link(ui, tr!("shell-folders-remove"));
        if off
            .on_hover_text(tr!("shell-folders-remove-hint"))
            .clicked()
        {
            let path = folder.path.clone();
            commands.push(UiCommand::change(move |session| session.drop_folder(&path)));
        }
    });
}
