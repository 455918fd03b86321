//! How the chosen card computes the backbone: the variants it was prepared with, each with its
//! figures, and a way to try again.

use std::time::Duration;

use egui::{Popup, Ui};

use crate::device::{Prepared, Tried};
use crate::run::config::Setting;
use crate::session::views::{BackboneView, DeviceView};
use crate::session::words::number;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ExperimentCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{button, faint};

/// Draws the row, where the settings mean a card.
pub fn card_variant(ui: &mut Ui, cx: &mut Cx<'_>, view: &BackboneView) {
    let Some(device) = cx.session.chosen_card() else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        faint(ui, tr!("experiment-card")).on_hover_text(tr!("experiment-card-hint"));
        if let Some(progress) = cx.session.preparing() {
            ui.spinner();
            faint(ui, progress.words());
            if button(ui, tr!("experiment-card-stop")).clicked() {
                cx.act(UiCommand::OnExperiment(ExperimentCommand::StopPreparing));
            }
            ui.request_repaint_after(Duration::from_millis(200));
            return;
        }
        let found = device.prepared.get(&view.family);
        choice(ui, cx, found);
        let words = match found {
            Some(_) => tr!("experiment-card-again"),
            None => tr!("experiment-card-prepare"),
        };
        // Beside a run at work the figures would be those of half a card.
        let idle = !cx.session.is_training();
        let again = ui.add_enabled_ui(idle, |ui| button(ui, words)).inner;
        if again
            .on_disabled_hover_text(tr!("experiment-card-busy"))
            .clicked()
        {
            let command = ExperimentCommand::PrepareCard(device.key.clone(), view.family.clone());
            cx.act(UiCommand::OnExperiment(command));
        }
        faint(ui, standing(device, found));
    });
}

/// The list of variants behind a button.
fn choice(ui: &mut Ui, cx: &mut Cx<'_>, found: Option<&Prepared>) {
    let wanted = cx.session.experiment.draft.card_variant;
    let automatic = || tr!("experiment-variant-automatic").to_string();
    let name = wanted.map_or_else(automatic, |variant| variant.to_string());
    let open = button(ui, tr!("experiment-variant", name = name));
    Popup::menu(&open).show(|ui| {
        ui.set_min_width(360.0);
        let best = found.and_then(Prepared::best);
        let best = best.map_or_else(
            || tr!("experiment-variant-plain").to_string(),
            |best| best.to_string(),
        );
        let automatic = tr!("experiment-variant-best", best = best);
        if ui.selectable_label(wanted.is_none(), automatic).clicked() {
            cx.act(UiCommand::Set("card_variant", None));
        }
        for tried in found.map_or(&[][..], |found| &found.tried) {
            let right = tried.refused.is_none();
            let line = egui::Button::selectable(wanted == Some(tried.variant), line(tried));
            let line = ui.add_enabled(right, line);
            if line
                .on_disabled_hover_text(tried.refused.clone().unwrap_or_default())
                .clicked()
            {
                let way = Setting::Text(tried.variant.to_string().into());
                cx.act(UiCommand::Set("card_variant", Some(way)));
            }
        }
    });
}

/// "f32 weights, fused attention, pictures as bytes · 41.2 images/s".
fn line(tried: &Tried) -> String {
    let words = tried.variant.words();
    match (tried.speed(), &tried.refused) {
        (Some(speed), _) => {
            let speed = number(speed, 1);
            tr!("experiment-variant-speed", words = words, speed = speed)
        }
        (None, Some(_)) => tr!("experiment-variant-refused", words = words),
        (None, None) => words,
    }
}

/// What is known of the card, in a sentence.
fn standing(device: &DeviceView, found: Option<&Prepared>) -> String {
    let Some(found) = found else {
        return match device.prepared_by_itself {
            true => tr!("experiment-card-later").into(),
            false => tr!("experiment-card-plain").into(),
        };
    };
    let Some(best) = found.best() else {
        return tr!("experiment-card-wrong").into();
    };
    let speed = |variant| found.of(variant).and_then(Tried::speed);
    let plain = found.tried.first().map(|tried| tried.variant);
    match (speed(best), plain.and_then(speed)) {
        (Some(fast), Some(plain)) if fast > plain => {
            tr!("experiment-card-faster", times = number(fast / plain, 2))
        }
        _ => tr!("experiment-card-plain-best").into(),
    }
}
