//! The menu behind "Take it with you…": as what a run's model is written for other programs.

use egui::{Popup, Ui};

use crate::export::Format;
use crate::session::take_along::TakenAlong;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ProofCommand;
use crate::ui::widgets::faint;

/// What the button is called.
pub const TAKE: &str = "Take it with you…";

/// What each form is called here.
fn title(format: Format) -> &'static str {
    match format {
        Format::Torch => "For PyTorch",
        Format::Peft => "As LoRA for peft",
        Format::Onnx => "As ONNX",
    }
}

/// The forms, each with a sentence.
pub fn forms(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    ui.set_max_width(280.0);
    for (format, _, says) in Format::ALL {
        if ui.button(title(*format)).on_hover_text(*says).clicked() {
            let command = ProofCommand::Take(taken.clone(), *format);
            commands.push(UiCommand::OnProof(command));
        }
        // Menus set their lines to full width, which tears sentences apart.
        ui.vertical(|ui| faint(ui, *says));
    }
}

/// A menu of them behind three dots.
pub fn behind_dots(ui: &mut Ui, taken: &TakenAlong, commands: &mut Vec<UiCommand>) {
    let open = ui.link("…").on_hover_text(TAKE).accessible_name(TAKE);
    Popup::menu(&open).show(|ui| forms(ui, taken, commands));
}
