//! The menu *Export model…* with the formats for exporting a run's model to other programs.

use egui::{Popup, Ui};

use crate::export::Format;
use crate::session::Session;
use crate::session::model_export::ModelToExport;
use crate::texts::of_list;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::faint;

/// The message id of the menu's title.
pub const TAKE: &str = "shell-export-model";

/// Returns the title of a format.
fn title(format: Format) -> &'static str {
    match format {
        Format::Torch => tr!("shell-export-model-torch"),
        Format::Peft => tr!("shell-export-model-peft"),
        Format::Onnx => tr!("shell-export-model-onnx"),
    }
}

/// Draws a menu entry for each format, with a description.
pub fn forms(ui: &mut Ui, taken: &ModelToExport, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, key, says) in Format::ALL {
        let says = of_list("export", key, "about", says);
        if ui.button(title(*format)).on_hover_text(says).clicked() {
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
    Popup::menu(&open).show(|ui| forms(ui, taken, commands));
}
