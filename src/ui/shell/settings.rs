//! The menu *Settings* of the top bar: theme, language, zoom, animations, log, and folders of runs.

use egui::{Popup, PopupCloseBehavior, Ui};

use crate::logging::Level;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::settings::{Settings, ThemeChoice, ZOOM_RANGE};
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
        let mut reduce_motion = settings.reduce_motion;
        if checkbox(ui, &mut reduce_motion, tr!("settings-reduce-motion")).changed() {
            commands.push(UiCommand::ReduceMotion(reduce_motion));
        }
        ui.separator();
        ui.menu_button(tr!("settings-log-level"), |ui| {
            log_levels(ui, settings.log, commands);
        });
        if ui.button(tr!("settings-folders")).clicked() {
            commands.push(UiCommand::ShowFolders);
            ui.close();
        }
    });
}

/// Draws the buttons for a smaller, the default and a larger zoom.
fn zoom(ui: &mut Ui, commands: &mut Vec<UiCommand>) {
    let current = ui.ctx().zoom_factor();
    let step = |by: f32| ((current + by) * 10.0).round() / 10.0;
    let percent = format!("{:.0}\u{a0}%", current * 100.0);
    ui.horizontal(|ui| {
        for (text, name, to) in [
            ("−", tr!("settings-smaller"), step(-0.1)),
            (&*percent, tr!("settings-reset-size"), 1.0),
            ("+", tr!("settings-larger"), step(0.1)),
        ] {
            let enabled = ZOOM_RANGE.contains(&to) && (to - current).abs() > 0.001;
            let button = button_if(ui, enabled, text).on_hover_text(name);
            if button.accessible_name(name).clicked() {
                commands.push(UiCommand::Zoom(to));
            }
        }
    });
}

pub(super) fn log_levels(ui: &mut Ui, level: Level, commands: &mut Vec<UiCommand>) {
    for (candidate, _, id) in Level::ALL {
        if ui.selectable_label(candidate == level, tr!(id)).clicked() {
            commands.push(UiCommand::LogLevel(candidate));
        }
    }
}
