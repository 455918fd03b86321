//! The menu *Export model…*: the formats of a run's model for other programs.

use egui::{Popup, Ui};

use crate::export::Format;
use crate::session::Session;
use crate::session::model_export::TakenAlong;
use crate::texts::of_list;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::faint;

/// The message of the button's label.
pub const TAKE: &str = "shell-export-model";

/// Returns the title of a format.
fn title(format: Format) -> &'static str {
    match format {
        Format::Torch => tr!("shell-export-model-torch"),
        Format::Peft => tr!("shell-export-model-peft"),
        Format::Onnx => tr!("shell-export-model-onnx"),
    }
}

/// Draws the formats, each with a sentence.
pub fn forms(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, key, says) in Format::ALL {
        let says = of_list("export", key, "about", says);
        if ui.button(title(*format)).on_hover_text(says).clicked() {
            let taken = taken.clone();
            let pick = move |session: &mut Session| session.pick_model(taken, *format);
            commands.push(UiCommand::change(pick));
        }
        // A justified menu layout would spread the words of a sentence.
        ui.vertical(|ui| faint(ui, says));
    }
}

/// Draws the menu behind three dots.
pub fn behind_dots(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    let open = ui
        .link("…")
        .on_hover_text(tr!(TAKE))
        .accessible_name(tr!(TAKE));
    Popup::menu(&open).show(|ui| forms(ui, taken, commands));
}
