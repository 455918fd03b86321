//! The menus with the formats for exporting a dataset, and for exporting a run's model to other programs.

use egui::{Popup, Ui};

use crate::data::export::ExportFormat;
use crate::export::Format;
use crate::session::Session;
use crate::session::exports::ModelToExport;
use crate::session::file_dialog::{DataExportKind, DialogPurpose};
use crate::texts::translate_entry;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{button_if, faint};

/// The formats with the message ids of their names and descriptions.
pub const DATASET_FORMATS: [(ExportFormat, &str, &str); 2] = [
    (
        ExportFormat::Project,
        "shell-export-teachable-machine",
        "shell-export-teachable-machine-hint",
    ),
    (ExportFormat::Folder, "shell-export-zip", "shell-export-zip-hint"),
];

/// Draws the button that exports the collection, with its menu. `disabled_reason` says why nothing can be exported yet.
pub fn collection_menu(ui: &mut Ui, disabled_reason: Option<&str>, commands: &mut Vec<UiCommand>) {
    let enabled = disabled_reason.is_none();
    let open = button_if(ui, enabled, tr!("shell-export"))
        .on_hover_text(tr!("shell-export-hint"))
        .on_disabled_hover_text(disabled_reason.unwrap_or_default());
    Popup::menu(&open).show(|ui| format_entries(ui, DataExportKind::Collection, commands));
}

/// Draws a menu entry for each format.
pub fn format_entries(ui: &mut Ui, kind: DataExportKind, commands: &mut Vec<UiCommand>) {
    for (form, title, tip) in DATASET_FORMATS {
        if ui.button(tr!(title)).on_hover_text(tr!(tip)).clicked() {
            commands.push(UiCommand::pick(DialogPurpose::DataExport(kind, form)));
        }
    }
}

/// The message id of the menu's title.
pub const MODEL_MENU_TITLE: &str = "shell-export-model";

fn model_title(format: Format) -> &'static str {
    match format {
        Format::Torch => tr!("shell-export-model-torch"),
        Format::Peft => tr!("shell-export-model-peft"),
        Format::Onnx => tr!("shell-export-model-onnx"),
    }
}

/// Draws a menu entry for each format, with a description.
pub fn model_format_entries(ui: &mut Ui, model: &ModelToExport, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, key, description) in Format::ALL {
        let description = translate_entry("export", key, "about", description);
        if ui.button(model_title(*format)).on_hover_text(description).clicked() {
            let model = model.clone();
            let pick = move |session: &mut Session| session.pick_model(model, *format);
            commands.push(UiCommand::change(pick));
        }
        // A vertical layout is used because the justified layout of a menu would spread the words of a sentence.
        ui.vertical(|ui| faint(ui, description));
    }
}

/// Draws a link of three dots that opens the menu.
pub fn model_menu_link(ui: &mut Ui, model: &ModelToExport, commands: &mut Vec<UiCommand>) {
    let open =
        ui.link("…").on_hover_text(tr!(MODEL_MENU_TITLE)).accessible_name(tr!(MODEL_MENU_TITLE));
    Popup::menu(&open).show(|ui| model_format_entries(ui, model, commands));
}
