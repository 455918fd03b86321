//! The method card: the method, its own settings, and the training settings.

use egui::Ui;

use super::setting::{of_run, own};
use super::{several, standing, step};
use crate::method::{METHODS, SettingKind, named_method};
use crate::problem::listed;
use crate::run::config::{Needs, SETTINGS, SettingGroup, SettingPlace};
use crate::session::plain::title_of;
use crate::session::presets::{self, Preset};
use crate::session::words::epochs_text;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::CONTROL;
use crate::ui::widgets::{self, terms, toggle_link};

/// Draws the method card.
pub fn method(ui: &mut Ui, cx: &mut Cx<'_>) {
    let stand = standing(cx, SettingGroup::Method);
    let term = cx.session.experiment.draft.method.replace('-', "_");
    let title = (tr!("experiment-method"), term.as_str());
    let end = |ui: &mut Ui, cx: &mut Cx<'_>, open: bool| {
        let (preset, reset) = preset_words(cx);
        if let Some(reset) = reset
            && ui.link(tr!("experiment-reset-settings")).clicked()
        {
            cx.act(reset.into());
        }
        widgets::cut(ui, preset);
        if !open {
            widgets::cut(ui, in_short(cx));
        }
    };
    step(ui, cx, SettingGroup::Method, stand, title, end, |ui, cx| {
        which(ui, cx);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            settings(ui, cx, SettingPlace::First);
        });
        let (show, hide) = (
            tr!("experiment-more-settings"),
            tr!("experiment-fewer-settings"),
        );
        toggle_link(ui, &mut cx.pages.experiment.more, show, hide);
        if cx.pages.experiment.more {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 12.0;
                settings(ui, cx, SettingPlace::More);
            });
        }
    });
}

/// Returns a summary such as "LAE · 5 epochs".
fn in_short(cx: &Cx<'_>) -> String {
    let experiment = &cx.session.experiment;
    let draft = &experiment.draft;
    let title = named_method(&draft.method).map_or(draft.method.as_str(), |spec| spec.title);
    match experiment.why_idle("epochs") {
        None => format!("{title} · {}", epochs_text(&experiment.plan.epochs(draft))),
        Some(_) => title.into(),
    }
}

/// Returns the name of the loaded preset, such as "Preset: Letters". If its settings were changed, returns the changes,
/// and the preset for a reset.
fn preset_words(cx: &Cx<'_>) -> (String, Option<&'static Preset>) {
    let experiment = &cx.session.experiment;
    let (draft, name) = (&experiment.draft, experiment.preset.as_deref());
    let mut all = presets::presets().iter();
    let taken = all.clone().find(|preset| Some(preset.name) == name);
    let same = match taken {
        Some(preset) => presets::matches(preset, draft).then_some(preset),
        None => all.find(|preset| presets::matches(preset, draft)),
    };
    match (same, taken) {
        (Some(preset), _) => (tr!("experiment-preset-title", title = preset.title()), None),
        (None, Some(preset)) => {
            let keys = presets::changed(preset, draft);
            let keys: Vec<String> = keys.iter().map(|key| title_of(key)).collect();
            let (title, keys) = (preset.title(), listed(&keys, 3));
            let words = tr!("experiment-preset-changed", title, keys);
            (words, Some(preset))
        }
        (None, None) => (String::new(), None),
    }
}

/// Draws the menu of methods, with the description of the selected one.
fn which(ui: &mut Ui, cx: &mut Cx<'_>) {
    let key = cx.session.experiment.draft.method.clone();
    let chosen = named_method(&key);
    let title = chosen
        .as_ref()
        .map_or(tr!("experiment-choose-method"), |spec| spec.title);
    let low = ui.spacing().interact_size.y;
    ui.horizontal_wrapped(|ui| {
        // The button has the height of the fields next to it.
        ui.spacing_mut().interact_size.y = CONTROL;
        if several::in_place(ui, cx, "method") {
            return;
        }
        let combo = egui::ComboBox::from_id_salt("method")
            .width(150.0)
            .height(500.0)
            .selected_text(title)
            .show_ui(ui, |ui| {
                for spec in METHODS {
                    let picked = spec.key == key;
                    let row = ui.selectable_label(picked, spec.title);
                    if row.on_hover_text(spec.summary()).clicked() && !picked {
                        cx.change(|session| session.choose_method(spec));
                    }
                }
            });
        let combo = combo.response.accessible_name(tr!("experiment-method"));
        several::offer(&combo, cx, "method");
        ui.spacing_mut().interact_size.y = low;
        if let Ok(spec) = chosen {
            for setting in spec.settings {
                if let SettingKind::Flag(_) = setting.kind {
                    own(ui, cx, setting);
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
    let method = named_method(&cx.session.experiment.draft.method).ok();
    for setting in SETTINGS
        .iter()
        .filter(|setting| setting.spec.shown == shown)
    {
        let needs = setting.spec.needs;
        if needs == Needs::Steps && method.is_some_and(|method| method.rate.is_none()) {
            continue;
        }
        of_run(ui, cx, setting);
        // The method's own numbers are next to the epochs, because they are shares of the epochs.
        let beside_epochs = needs == Needs::Epochs && shown == SettingPlace::First;
        let own_here = method.filter(|_| beside_epochs);
        for setting in own_here.map_or(&[][..], |method| method.settings) {
            if !matches!(setting.kind, SettingKind::Flag(_)) {
                own(ui, cx, setting);
            }
        }
    }
}
