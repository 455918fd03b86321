//! The method card: the method, its own settings, and the training settings.

use egui::Ui;

use super::setting::{show_method_setting, show_run_setting};
use super::{group_state, step, value_lists};
use crate::method::{METHODS, SettingKind, find_method};
use crate::problem::join_some;
use crate::run::config::{Requirement, SETTINGS, SettingGroup, SettingPlace};
use crate::session::formatting::format_epochs;
use crate::session::presets::{self, Preset};
use crate::session::window_terms::title_of;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::CONTROL_HEIGHT;
use crate::ui::widgets::{self, terms, toggle_link};

/// Draws the method card.
pub fn method(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = group_state(cx, SettingGroup::Method);
    let term = cx.session.experiment.draft.method.replace('-', "_");
    let title = (tr!("experiment-method"), term.as_str());
    let end = |ui: &mut Ui, cx: &mut Cx<'_>, open: bool| {
        let (preset, reset) = preset_summary(cx);
        if let Some(reset) = reset
            && ui.link(tr!("experiment-reset-settings")).clicked()
        {
            cx.dispatch(reset.into());
        }
        widgets::truncated_faint(ui, preset);
        if !open {
            widgets::truncated_faint(ui, short_summary(cx));
        }
    };
    step(ui, cx, SettingGroup::Method, state, title, end, |ui, cx| {
        method_menu(ui, cx);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            settings(ui, cx, SettingPlace::First);
        });
        let (show, hide) = (tr!("experiment-more-settings"), tr!("experiment-fewer-settings"));
        toggle_link(ui, &mut cx.pages.experiment.show_advanced, show, hide);
        if cx.pages.experiment.show_advanced {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 12.0;
                settings(ui, cx, SettingPlace::More);
            });
        }
    });
}

/// Returns a summary such as "LAE · 5 epochs".
fn short_summary(cx: &Cx<'_>) -> String {
    let experiment = &cx.session.experiment;
    let draft = &experiment.draft;
    let title = find_method(&draft.method).map_or(draft.method.as_str(), |spec| spec.title);
    match experiment.why_idle("epochs") {
        None => format!("{title} · {}", format_epochs(&experiment.plan.epochs(draft))),
        Some(_) => title.into(),
    }
}

/// Returns the name of the loaded preset, such as "Preset: Letters". If its settings were changed, returns the changes,
/// and the preset for a reset.
fn preset_summary(cx: &Cx<'_>) -> (String, Option<&'static Preset>) {
    let experiment = &cx.session.experiment;
    let (draft, name) = (&experiment.draft, experiment.preset.as_deref());
    let mut candidates = presets::presets().iter();
    let loaded = candidates.clone().find(|preset| Some(preset.name) == name);
    let unchanged = match loaded {
        Some(preset) => presets::matches(preset, draft).then_some(preset),
        None => candidates.find(|preset| presets::matches(preset, draft)),
    };
    match (unchanged, loaded) {
        (Some(preset), _) => (tr!("experiment-preset-title", title = preset.title()), None),
        (None, Some(preset)) => {
            let keys = presets::changed_settings(preset, draft);
            let keys: Vec<String> = keys.iter().map(|key| title_of(key)).collect();
            let (title, keys) = (preset.title(), join_some(&keys, 3));
            let text = tr!("experiment-preset-changed", title, keys);
            (text, Some(preset))
        }
        (None, None) => (String::new(), None),
    }
}

/// Draws the menu of methods, with the description of the selected one.
fn method_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    let key = cx.session.experiment.draft.method.clone();
    let chosen = find_method(&key);
    let title = chosen.as_ref().map_or(tr!("experiment-choose-method"), |spec| spec.title);
    let default_height = ui.spacing().interact_size.y;
    ui.horizontal_wrapped(|ui| {
        // The button has the height of the fields next to it.
        ui.spacing_mut().interact_size.y = CONTROL_HEIGHT;
        if value_lists::show_in_place(ui, cx, "method") {
            return;
        }
        let combo = egui::ComboBox::from_id_salt("method")
            .width(150.0)
            .height(500.0)
            .selected_text(title)
            .show_ui(ui, |ui| {
                for spec in METHODS {
                    let is_selected = spec.key == key;
                    let row = ui.selectable_label(is_selected, spec.title);
                    if row.on_hover_text(spec.summary()).clicked() && !is_selected {
                        cx.change(|session| session.choose_method(spec));
                    }
                }
            });
        let combo = combo.response.accessible_name(tr!("experiment-method"));
        value_lists::add_context_menu(&combo, cx, "method");
        ui.spacing_mut().interact_size.y = default_height;
        if let Ok(spec) = chosen {
            for setting in spec.settings {
                if let SettingKind::Flag(_) = setting.kind {
                    show_method_setting(ui, cx, setting);
                }
            }
        }
    });
    if let Ok(spec) = chosen {
        terms::sentence(ui, &format!("{}.", spec.summary())).on_hover_text(spec.paper);
    }
}

/// Draws the fields of the settings in this place of the card.
fn settings(ui: &mut Ui, cx: &mut Cx<'_>, shown: SettingPlace) {
    let method = find_method(&cx.session.experiment.draft.method).ok();
    for setting in SETTINGS.iter().filter(|setting| setting.spec.placement == shown) {
        let needs = setting.spec.needs;
        if needs == Requirement::Steps && method.is_some_and(|method| method.rate.is_none()) {
            continue;
        }
        show_run_setting(ui, cx, setting);
        // The method's own numbers are next to the epochs, because they are shares of the epochs.
        let is_epochs_row = needs == Requirement::Epochs && shown == SettingPlace::First;
        let epochs_method = method.filter(|_| is_epochs_row);
        for setting in epochs_method.map_or(&[][..], |method| method.settings) {
            if !matches!(setting.kind, SettingKind::Flag(_)) {
                show_method_setting(ui, cx, setting);
            }
        }
    }
}
