//! The method card: which method, its own settings as it lists them, and the settings of training.

use egui::{DragValue, Ui, Vec2};

use super::{State, number, standing, wide_number};
use crate::method::{Kind, METHODS, MethodSpec, SettingSpec, named_method};
use crate::problem::listed;
use crate::run::config::{RunConfig, Setting, bounds};
use crate::session::presets::{self, Preset};
use crate::ui::pages::Cx;
use crate::ui::theme::CONTROL;
use crate::ui::widgets::{self, card, faint, field, link, numbers, terms, unless};

/// Draws the method card.
pub fn method(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        let places = [
            "--epochs",
            "--freeze-epochs",
            "--ema",
            "--base-lr",
            "--batch",
            "--micro-batch",
            "--crop-scale",
        ];
        let stand = standing(cx, &places);
        let preset = preset_words(cx);
        let term = cx.session.draft.method.replace('-', "_");
        widgets::ends(
            ui,
            |ui| {
                widgets::standing(ui, stand);
                let title = widgets::title(ui, "Method");
                terms::explain(ui, title, &term);
            },
            |ui| {
                if preset_changed(cx) && link(ui, "Reset").clicked() {
                    reset(cx);
                }
                widgets::cut(ui, preset);
            },
        );
        if let Some(spec) = which(ui, &mut cx.session.draft) {
            cx.session.choose_method(spec);
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            settings(ui, &mut cx.session.draft, &cx.pages.experiment);
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
                rarer(ui, &mut cx.session.draft, &cx.pages.experiment);
            });
        }
    });
}

/// The preset the settings were taken from.
fn taken_from(cx: &Cx<'_>) -> Option<Preset> {
    let name = cx.session.preset.as_ref()?;
    presets::presets()
        .into_iter()
        .find(|preset| preset.name == *name)
}

fn preset_changed(cx: &Cx<'_>) -> bool {
    taken_from(cx).is_some_and(|preset| !presets::matches(&preset, &cx.session.draft))
}

/// "Preset: Letters", or what was changed in it since.
fn preset_words(cx: &Cx<'_>) -> String {
    let draft = &cx.session.draft;
    match taken_from(cx) {
        Some(preset) if preset_changed(cx) => {
            let keys = presets::changed(&preset, draft);
            let keys: Vec<String> = keys.iter().map(|key| key.replace('_', " ")).collect();
            format!("{}, changed: {}", preset.title, listed(&keys, 3))
        }
        Some(preset) => format!("Preset: {}", preset.title),
        None => presets::presets()
            .iter()
            .find(|preset| presets::matches(preset, draft))
            .map_or_else(String::new, |preset| format!("Preset: {}", preset.title)),
    }
}

/// Sets up anew what the preset says.
fn reset(cx: &mut Cx<'_>) {
    if let Some(preset) = taken_from(cx) {
        cx.act(preset.command());
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
                        other = Some(spec);
                    }
                }
            });
        combo.response.accessible_name("Method");
        if let Ok(spec) = chosen {
            for setting in spec.settings {
                if let Kind::Flag(usual) = setting.kind {
                    flag(ui, draft, setting, usual);
                }
            }
        }
    });
    if let Ok(spec) = chosen {
        terms::sentence(ui, &format!("{}.", spec.summary)).on_hover_text(spec.paper);
    }
    other
}

fn flag(ui: &mut Ui, draft: &mut RunConfig, setting: &SettingSpec, usual: bool) {
    let was = match draft.settings.get(setting.key) {
        Some(Setting::Flag(on)) => *on,
        _ => usual,
    };
    let mut on = was;
    boxed(ui, &mut on, setting.title, setting.meaning);
    if on != was {
        put(draft, setting, Setting::Flag(on));
    }
}

/// Keeps a value; the usual one needs no word.
fn put(draft: &mut RunConfig, setting: &SettingSpec, value: Setting) {
    if value == setting.kind.default() {
        draft.settings.remove(setting.key);
    } else {
        draft.settings.insert(setting.key.into(), value);
    }
}

fn boxed(ui: &mut Ui, on: &mut bool, text: &str, hint: &str) {
    let t = crate::ui::theme::tokens(ui);
    let frame = egui::Frame::new()
        .stroke(egui::Stroke::new(1.0, t.line))
        .corner_radius(crate::ui::theme::RADIUS)
        .inner_margin(egui::Margin::symmetric(10, 1));
    widgets::whole(ui, text, |ui| {
        frame.show(ui, |ui| {
            ui.set_min_height(CONTROL - 4.0);
            ui.checkbox(on, text).on_hover_text(hint);
        });
    });
}

fn settings(ui: &mut Ui, draft: &mut RunConfig, state: &State) {
    let own = named_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    field(ui, "Epochs", |ui| {
        let value = numbers::number(&mut draft.epochs, bounds::EPOCHS).speed(0.1);
        unless(ui, state.why_idle("epochs"), |ui| number(ui, value))
    });
    for setting in own {
        own_setting(ui, draft, setting, state.why_idle(setting.key));
    }
    if named_method(&draft.method).is_ok_and(|spec| spec.rate.is_some()) {
        learning_rate(ui, draft, state.why_idle("base_lr"));
    }
    field(ui, "Batch", |ui| {
        let value = numbers::number(&mut draft.batch, bounds::BATCH).speed(0.2);
        number(ui, value)
    });
    at_once(ui, draft);
    field(ui, "Seed", |ui| numbers::seed(ui, "seed", &mut draft.seed));
}

/// Images of a batch that go through the network at once.
fn at_once(ui: &mut Ui, draft: &mut RunConfig) {
    let hint = "How much of a batch goes through the network at once: fewer images take less memory and give the \
                same result";
    field(ui, "Images at once", |ui| {
        let mut at_once = draft.micro_batch.unwrap_or(0).min(draft.batch);
        let value = or_all(at_once, numbers::number(&mut at_once, 0..=draft.batch)).speed(0.1);
        let response = number(ui, value);
        if response.changed() {
            draft.micro_batch = (at_once > 0).then_some(at_once);
        }
        response
    })
    .on_hover_text(hint);
}

/// A number of which 0 means all, with what it is now.
fn or_all(now: usize, value: DragValue<'_>) -> DragValue<'_> {
    value
        .custom_formatter(move |number, _| match number {
            0.0 => "all".into(),
            n if n == now as f64 => now.to_string(),
            n => format!("{n:.0}"),
        })
        .custom_parser(|text| match text.trim() {
            "all" => Some(0.0),
            text => text.parse().ok(),
        })
}

fn learning_rate(ui: &mut Ui, draft: &mut RunConfig, why: Option<&str>) {
    let hint = "At batch 256; the rate used is this × batch / 256, where the method scales it";
    field(ui, "Base learning rate", |ui| {
        let value = numbers::number(&mut draft.base_lr, bounds::BASE_LR).speed(0.0005);
        unless(ui, why, |ui| wide_number(ui, value, 76.0))
    })
    .on_hover_text(hint);
}

/// A setting of the method's own, other than a flag; its meaning and range under the pointer.
fn own_setting(ui: &mut Ui, draft: &mut RunConfig, setting: &SettingSpec, why: Option<&str>) {
    if matches!(setting.kind, Kind::Flag(_)) {
        return;
    }
    let value = draft.settings.get(setting.key);
    let value = value.and_then(|value| setting.kind.admit(value));
    let mut value = value.unwrap_or_else(|| setting.kind.default());
    let was = value.clone();
    let input = |ui: &mut Ui| -> egui::Response {
        match (setting.kind, &mut value) {
            (Kind::Whole { least, most, .. }, Setting::Whole(n)) => {
                number(ui, numbers::number(n, least..=most).speed(0.1))
            }
            (Kind::Real { least, most, .. }, Setting::Real(x)) => {
                let drag = numbers::number(x, least..=most).speed(0.0001);
                wide_number(ui, drag, 76.0)
            }
            (Kind::Choice(names), Setting::Text(chosen)) => {
                egui::ComboBox::from_id_salt(setting.key)
                    .selected_text(chosen.to_string())
                    .show_ui(ui, |ui| {
                        for name in names {
                            ui.selectable_value(chosen, (*name).into(), *name);
                        }
                    })
                    .response
            }
            (_, Setting::Text(text)) => {
                let mut typed = text.to_string();
                let edit = widgets::line_edit(&mut typed, 76.0).min_size(Vec2::new(76.0, CONTROL));
                let response = ui.add(edit);
                if response.changed() {
                    *text = typed.into();
                }
                response
            }
            (kind, value) => ui.label(format!("{value} ({})", kind.range())),
        }
    };
    let mut title = setting.title.to_string();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let hint = format!("{}: {}", setting.meaning, setting.kind.range());
    field(ui, &title, |ui| unless(ui, why, input)).on_hover_text(hint);
    if value != was {
        put(draft, setting, value);
    }
}

fn rarer(ui: &mut Ui, draft: &mut RunConfig, state: &State) {
    for (i, name) in ["Smallest crop", "Largest crop"].into_iter().enumerate() {
        let hint = "Share of an image's area that a training crop covers";
        field(ui, name, |ui| {
            let value = numbers::number(&mut draft.crop_scale[i], bounds::CROP_SCALE).speed(0.005);
            unless(ui, state.why_idle("crop_scale"), |ui| number(ui, value))
        })
        .on_hover_text(hint);
    }
    limit(ui, "Training images per class", &mut draft.train_limit);
    limit(ui, "Test images per class", &mut draft.test_limit);
    field(ui, "Seed of splits", |ui| {
        numbers::seed(ui, "split seed", &mut draft.split_seed)
    })
    .on_hover_text("Draws the test and validation images, where they are drawn");
    let mirror = "Mirror images at random";
    widgets::whole(ui, mirror, |ui| {
        ui.vertical(|ui| {
            ui.add_space(20.0);
            unless(ui, state.why_idle("flip"), |ui| {
                ui.checkbox(&mut draft.flip, mirror)
            });
        });
    });
}

/// A limit where 0 means none.
fn limit(ui: &mut Ui, name: &str, value: &mut Option<usize>) {
    let mut number_of = value.unwrap_or(0);
    let response = field(ui, name, |ui| {
        let drag = numbers::number(&mut number_of, 0..=*bounds::LIMIT.end());
        number(ui, or_all(value.unwrap_or(0), drag).speed(0.2))
    });
    if response.changed() {
        *value = (number_of > 0).then_some(number_of);
    }
}
