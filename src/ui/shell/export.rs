//! The menu *Export…* with the formats for exporting a dataset.

use egui::{Popup, Ui};

use crate::data::export::Form;
use crate::session::chooser::DialogPurpose;
use crate::session::data_export::DataExportKind;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::button_if;

/// The formats with the message ids of their names and descriptions.
pub const FORMS: [(Form, &str, &str); 2] = [
    (
        Form::Project,
        "shell-export-teachable-machine",
        "shell-export-teachable-machine-hint",
    ),
    (Form::Folder, "shell-export-zip", "shell-export-zip-hint"),
];

/// Draws the button with its menu. `lacks` is the reason why nothing can be exported yet.
pub fn export(
    ui: &mut Ui,
    kind: DataExportKind,
    lacks: Option<&str>,
    commands: &mut Vec<UiCommand>,
) {
    let enabled = lacks.is_none();
    let open = button_if(ui, enabled, tr!("shell-export"))
        .on_hover_text(tr!("shell-export-hint"))
        .on_disabled_hover_text(lacks.unwrap_or_default());
    Popup::menu(&open).show(|ui| forms(ui, kind, commands));
}

/// Draws a menu entry for each format.
pub fn forms(ui: &mut Ui, kind: DataExportKind, commands: &mut Vec<UiCommand>) {
    for (form, words, tip) in FORMS {
        if ui.button(tr!(words)).on_hover_text(tr!(tip)).clicked() {
            commands.push(UiCommand::pick(DialogPurpose::DataExport(kind, form)));
        }
    }
}
