//! The method card: which method, its own settings as it lists them, and the settings of training.

use egui::Ui;

use super::setting::{hint_of, limit, of_run, own};
use super::{State, standing};
use crate::method::{Kind, METHODS, MethodSpec, named_method};
use crate::problem::listed;
use crate::run::config::{Needs, RunConfig, SETTINGS, Setting, SettingGroup, SettingPlace};
use crate::session::plain::title_of;
use crate::session::presets::{self, Preset};
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, card, faint, field, link, terms};

/// Draws the method card.
pub fn method(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        let stand = standing(cx, SettingGroup::Method);
        let (words, reset) = preset_words(cx);
        let term = cx.session.experiment.draft.method.replace('-', "_");
        widgets::ends(
            ui,
            |ui| {
                widgets::standing(ui, stand);
                let title = widgets::title(ui, "Method");
                terms::explain(ui, title, &term);
            },
            |ui| {
                if let Some(reset) = reset
                    && link(ui, "Reset").clicked()
                {
                    cx.act(reset.command());
                }
                widgets::cut(ui, words);
            },
        );
        if let Some(spec) = which(ui, &mut cx.session.experiment.draft) {
            cx.session.choose_method(spec);
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            settings(ui, &mut cx.session.experiment.draft, &cx.pages.experiment);
        });
        if let Some(words) = cx.session.suited() {
            faint(ui, words);
        }
        let more = cx.pages.experiment.more;
        let words = if more {
            "Fewer settings"
        } else {
            "More settings"
        };
        if link(ui, words).clicked() {
            cx.pages.experiment.more = !more;
        }
        if cx.pages.experiment.more {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 12.0;
                rarer(ui, &mut cx.session.experiment.draft, &cx.pages.experiment);
            });
        }
    });
}

/// "Preset: Letters", or what was changed since in the preset that the settings were taken from, with that preset.
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
        (Some(preset), _) => (format!("Preset: {}", preset.title), None),
        (None, Some(preset)) => {
            let keys = presets::changed(preset, draft);
            let keys: Vec<String> = keys.iter().map(|key| title_of(key)).collect();
            let words = format!("{}, changed: {}", preset.title, listed(&keys, 3));
            (words, Some(preset))
        }
        (None, None) => (String::new(), None),
    }
}

/// The choice of a method, with what it does; gives another one that was picked.
fn which(ui: &mut Ui, draft: &mut RunConfig) -> Option<&'static MethodSpec> {
    let mut other = None;
    let chosen = named_method(&draft.method);
    let title = chosen.as_ref().map_or("choose", |spec| spec.title);
    ui.horizontal_wrapped(|ui| {
        let combo = egui::ComboBox::from_id_salt("method")
            .width(150.0)
            .height(500.0)
            .selected_text(title)
            .show_ui(ui, |ui| {
                for spec in METHODS {
                    let picked = spec.key == draft.method;
                    let row = ui.selectable_label(picked, spec.title);
                    if row.on_hover_text(spec.summary).clicked() && !picked {
                        other = Some(*spec);
                    }
                }
            });
        combo.response.accessible_name("Method");
        if let Ok(spec) = chosen {
            for setting in spec.settings {
                if let Kind::Flag(_) = setting.kind {
                    own(ui, draft, setting, None);
                }
            }
        }
    });
    if let Ok(spec) = chosen {
        terms::sentence(ui, &format!("{}.", spec.summary)).on_hover_text(spec.paper);
    }
    other
}

fn settings(ui: &mut Ui, draft: &mut RunConfig, state: &State) {
    let spec = named_method(&draft.method).ok();
    for setting in SETTINGS
        .iter()
        .filter(|setting| setting.spec.shown == SettingPlace::First)
    {
        let why = state.why_idle(setting.spec.key);
        match (setting.spec.key, setting.spec.needs) {
            ("micro_batch", _) => at_once(ui, draft),
            (_, Needs::Steps) if spec.is_some_and(|spec| spec.rate.is_none()) => {}
            _ => of_run(ui, draft, setting, why),
        }
        // Beside the epochs, of which some of them are a share.
        let own_here = spec.filter(|_| setting.spec.needs == Needs::Epochs);
        for setting in own_here.map_or(&[][..], |spec| spec.settings) {
            if !matches!(setting.kind, Kind::Flag(_)) {
                own(ui, draft, setting, state.why_idle(setting.key));
            }
        }
    }
}

/// Images of a batch that go through the network at once: no more than the batch has.
fn at_once(ui: &mut Ui, draft: &mut RunConfig) {
    let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let mut value = draft
        .micro_batch
        .map(|images| Setting::Whole(whole(images)));
    let response = field(ui, &title_of("micro_batch"), |ui| {
        limit(ui, &mut value, whole(draft.batch))
    });
    if response.changed() {
        draft.micro_batch = match value {
            Some(Setting::Whole(images)) => usize::try_from(images).ok(),
            _ => None,
        };
    }
    response.on_hover_text(hint_of("micro_batch"));
}

fn rarer(ui: &mut Ui, draft: &mut RunConfig, state: &State) {
    for setting in SETTINGS
        .iter()
        .filter(|setting| setting.spec.shown == SettingPlace::More)
    {
        of_run(ui, draft, setting, state.why_idle(setting.spec.key));
    }
}
