//! The menu behind "Export…": in which form a data set is written to a file.

use egui::{Popup, Ui};

use crate::data::export::Form;
use crate::session::chooser::DialogPurpose;
use crate::session::data_export::DataExportKind;
use crate::ui::command::UiCommand;
use crate::ui::widgets::button_if;

/// The forms: what each is called, and what is said of it.
pub const FORMS: [(Form, &str, &str); 2] = [
    (
        Form::Project,
        "For Teachable Machine (.tm)",
        "A project with every class: pictures are cut to squares of 224 pixels",
    ),
    (
        Form::Folder,
        "As an image folder (.zip)",
        "One folder per class, with the pictures as they are",
    ),
];

/// Draws the button with its menu; `lacks` says why nothing can be exported yet.
pub fn export(
    ui: &mut Ui,
    kind: DataExportKind,
    lacks: Option<&str>,
    commands: &mut Vec<UiCommand>,
) {
    let enabled = lacks.is_none();
    let open = button_if(ui, enabled, "Export…")
        .on_hover_text("Write the pictures of all classes to one file")
        .on_disabled_hover_text(lacks.unwrap_or_default());
    Popup::menu(&open).show(|ui| {
        for (form, words, tip) in FORMS {
            if ui.button(words).on_hover_text(tip).clicked() {
                commands.push(UiCommand::Pick(DialogPurpose::DataExport(kind, form)));
            }
        }
    });
}
