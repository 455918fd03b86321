//! The menu behind "Take it with you…": as what a run's model is written for other programs.

use egui::{Popup, Ui};

use crate::export::Format;
use crate::session::take_along::TakenAlong;
use crate::texts::of_list;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ProofCommand;
use crate::ui::widgets::faint;

/// The message that names the button.
pub const TAKE: &str = "shell-take";

/// What each form is called here.
fn title(format: Format) -> &'static str {
    match format {
        Format::Torch => tr!("shell-take-torch"),
        Format::Peft => tr!("shell-take-peft"),
        Format::Onnx => tr!("shell-take-onnx"),
    }
}

/// The forms, each with a sentence.
pub fn forms(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, key, says) in Format::ALL {
        let says = of_list("export", key, "about", says);
        if ui.button(title(*format)).on_hover_text(says).clicked() {
            let command = ProofCommand::Take(taken.clone(), *format);
            commands.push(UiCommand::OnProof(command));
        }
        // Menus set their lines to full width, which tears sentences apart.
        ui.vertical(|ui| faint(ui, says));
    }
}

/// A menu of them behind three dots.
pub fn behind_dots(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    let open = ui
        .link("…")
        .on_hover_text(tr!(TAKE))
        .accessible_name(tr!(TAKE));
    Popup::menu(&open).show(|ui| forms(ui, taken, commands));
}
