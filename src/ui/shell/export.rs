//! The menus with the formats for exporting a dataset, and for exporting a run's model to other programs.

use egui::{Popup, Ui};

use crate::data::export::Form;
use crate::export::Format;
use crate::session::Session;
use crate::session::chooser::{DataExportKind, DialogPurpose};
use crate::session::exports::ModelToExport;
use crate::texts::of_list;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{button_if, faint};

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

/// The message id of the menu's title.
pub const TAKE: &str = "shell-export-model";

fn model_title(format: Format) -> &'static str {
    match format {
        Format::Torch => tr!("shell-export-model-torch"),
        Format::Peft => tr!("shell-export-model-peft"),
        Format::Onnx => tr!("shell-export-model-onnx"),
    }
}

/// Draws a menu entry for each format, with a description.
pub fn model_forms(ui: &mut Ui, taken: &ModelToExport, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, key, says) in Format::ALL {
        let says = of_list("export", key, "about", says);
        if ui
            .button(model_title(*format))
            .on_hover_text(says)
            .clicked()
        {
            let taken = taken.clone();
            let pick = move |session: &mut Session| session.pick_model(taken, *format);
            commands.push(UiCommand::change(pick));
        }
        // A vertical layout is used because the justified layout of a menu would spread the words of a sentence.
        ui.vertical(|ui| faint(ui, says));
    }
}

/// Draws a link of three dots that opens the menu.
pub fn behind_dots(ui: &mut Ui, taken: &ModelToExport, commands: &mut Vec<UiCommand>) {
    let open = ui
        .link("…")
        .on_hover_text(tr!(TAKE))
        .accessible_name(tr!(TAKE));
    Popup::menu(&open).show(|ui| model_forms(ui, taken, commands));
}
