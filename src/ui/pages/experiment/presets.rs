//! The card of presets, which are set-ups that are ready to start.

use egui::{Popup, Response, Ui};

use crate::session::presets::{self, Preset};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, card, faint};

/// Draws the presets. Selecting a preset changes all settings but starts nothing.
pub fn presets_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        widgets::title(ui, tr!("experiment-presets"));
        faint(ui, tr!("experiment-presets-about"));
        let (paper, demos): (Vec<&Preset>, Vec<&Preset>) =
            presets::presets().iter().partition(|preset| preset.paper.is_some());
        for preset in demos {
            let tip = match preset.comparison {
                Some(_) => tr!("experiment-preset-two-runs"),
                None => tr!("experiment-preset-one-run"),
            };
            if preset_button(ui, preset.title(), preset.hint()).on_hover_text(tip).clicked() {
                cx.pages.experiment.choosing_folder = false;
                cx.dispatch(preset.into());
            }
        }
        let (title, hint) = (tr!("experiment-presets-paper"), tr!("experiment-presets-six-pets"));
        let papers = preset_button(ui, title, hint);
        Popup::menu(&papers).show(|ui| {
            for preset in &paper {
                let text = preset_text(preset.title(), preset.hint(), tokens(ui));
                ui.menu_button(text, |ui| pets_menu(ui, cx, preset));
            }
        });
    });
}

fn preset_button(ui: &mut Ui, title: &str, hint: &str) -> Response {
    let button = egui::Button::new(preset_text(title, hint, tokens(ui)))
        .frame_when_inactive(false)
        .min_size(egui::vec2(ui.available_width(), 26.0));
    ui.add(button).accessible_name(title)
}

/// Draws a menu of the PETs in the paper's table, for one of the paper's experiments.
fn pets_menu(ui: &mut Ui, cx: &mut Cx<'_>, preset: &Preset) {
    for (title, pet, size) in presets::PETS {
        if ui.button(title).clicked() {
            cx.pages.experiment.choosing_folder = false;
            let run = preset.with_pet(pet, size);
            cx.dispatch(UiCommand::LoadPreset(preset.name, Box::new(run)));
        }
    }
}

fn preset_text(title: &str, hint: &str, t: &crate::ui::theme::Tokens) -> egui::text::LayoutJob {
    let mut job = egui::text::LayoutJob::default();
    let format = |font, colour| egui::TextFormat::simple(font, colour);
    job.append(title, 0.0, format(regular(13.0), t.text));
    job.append(&format!(" · {hint}"), 0.0, format(regular(12.0), t.subdued));
    job
}
