//! The menu *Settings* of the top bar: theme, language, zoom, animations, log, and folders of runs.

use egui::{Popup, PopupCloseBehavior, Ui};

use crate::logging::Level;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::settings::{Settings, ThemeChoice, ZOOMS};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{button_if, checkbox, faint, grid, icon_button, segmented};

/// Draws the button and its menu.
pub(super) fn settings_menu(ui: &mut Ui, settings: &Settings, commands: &mut Vec<UiCommand>) {
    let opener = icon_button(ui, Icon::Gear, tr!("settings-title"), 28.0);
    let menu = Popup::menu(&opener).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| {
        grid(ui, "settings", 2, [16.0, 8.0], |ui| {
            faint(ui, tr!("settings-theme"));
            let mut theme = settings.theme;
            let themes = ThemeChoice::ALL.map(|(choice, id)| (choice, tr!(id)));
            if segmented(ui, "theme", &themes, &mut theme) {
                commands.push(UiCommand::Theme(theme));
            }
            ui.end_row();
            faint(ui, tr!("settings-language"));
            let mut language = settings.language;
            if segmented(ui, "language", &Language::ALL, &mut language) {
                commands.push(UiCommand::SetLanguage(language));
            }
            ui.end_row();
            faint(ui, tr!("settings-size"));
            zoom(ui, commands);
            ui.end_row();
        });
        let mut still = settings.reduce_motion;
        if checkbox(ui, &mut still, tr!("settings-reduce-motion")).changed() {
            commands.push(UiCommand::ReduceMotion(still));
        }
        ui.separator();
        ui.menu_button(tr!("settings-log-level"), |ui| {
            log_levels(ui, settings.log, commands);
        });
        if ui.button(tr!("settings-folders")).clicked() {
            commands.push(UiCommand::Folders);
            ui.close();
        }
    });
}

/// Draws the buttons for a smaller, the default and a larger zoom.
fn zoom(ui: &mut Ui, commands: &mut Vec<UiCommand>) {
    let now = ui.ctx().zoom_factor();
    let step = |by: f32| ((now + by) * 10.0).round() / 10.0;
    let usual = format!("{:.0}\u{a0}%", now * 100.0);
    ui.horizontal(|ui| {
        for (text, name, to) in [
            ("−", tr!("settings-smaller"), step(-0.1)),
            (&*usual, tr!("settings-reset-size"), 1.0),
            ("+", tr!("settings-larger"), step(0.1)),
        ] {
            let can = ZOOMS.contains(&to) && (to - now).abs() > 0.001;
            let button = button_if(ui, can, text).on_hover_text(name);
            if button.accessible_name(name).clicked() {
                commands.push(UiCommand::Zoom(to));
            }
        }
    });
}

pub(super) fn log_levels(ui: &mut Ui, level: Level, commands: &mut Vec<UiCommand>) {
    for (known, _, id) in Level::ALL {
        if ui.selectable_label(known == level, tr!(id)).clicked() {
            commands.push(UiCommand::LogLevel(known));
        }
    }
}
