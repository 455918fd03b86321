//! *Several values…*: lists of values for settings, and the card that shows all of them.

use egui::{Popup, PopupCloseBehavior, Response, ScrollArea, Ui};

use super::{NewValue, number, row};
use crate::method::{METHODS, named_method};
use crate::run::config::{RunConfig, SETTINGS, Setting, SettingKind, SettingSpec, setting};
use crate::run::grid::MOST_REPETITIONS;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::grids::{grid_title, may_vary, shipped_grids};
use crate::session::plain::title_of;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, button, card, entered, faint, icon_button, numbers};

/// Width of the field for a new value.
const WIDE: f32 = 130.0;

/// Returns the specification of the setting with this key, common or of the method.
fn spec_of(draft: &RunConfig, key: &str) -> Option<&'static SettingSpec> {
    if let Some(known) = setting(key) {
        return Some(&known.spec);
    }
    let own = named_method(&draft.method).map_or(&[][..], |method| method.settings);
    let others = METHODS.iter().flat_map(|method| method.settings);
    own.iter().chain(others).find(|spec| spec.key == key)
}

/// Adds the entry "Several values…" to the context menu of a field.
pub fn offer(field: &Response, cx: &mut Cx<'_>, key: &'static str) {
    if !may_vary(key) {
        return;
    }
    // A separate id is used because a choice has its own menu.
    let id = field.id.with("several-values");
    Popup::context_menu(field).id(id).show(|ui| {
        if ui
            .button(tr!("experiment-several-values-of-field"))
            .clicked()
        {
            cx.change(move |session| session.vary(key));
        }
    });
}

/// Draws the list of values in place of a setting's field if the setting has several values. Returns whether it has.
pub fn in_place(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) -> bool {
    if !cx.session.experiment.grid.several.has(key) {
        return false;
    }
    values(ui, cx, key);
    true
}

/// Draws the list of values below the setting's title if the setting has several values. Returns whether it has.
pub fn below_title(ui: &mut Ui, cx: &mut Cx<'_>, spec: &SettingSpec) -> bool {
    if !cx.session.experiment.grid.several.has(spec.key) {
        return false;
    }
    widgets::field(ui, &spec.heading(), |ui| values(ui, cx, spec.key));
    true
}

/// Draws a button that shows the values and opens their list.
fn values(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) -> Response {
    let several = &cx.session.experiment.grid.several;
    let counted = match key {
        "order" => several
            .orders
            .map(|number| tr!("experiment-class-order-count", n = number)),
        "seed" => several
            .seeds
            .map(|number| tr!("experiment-seed-count", n = number)),
        _ => None,
    };
    let told = several.of(key).map(|axis| {
        let each: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        each.join(", ")
    });
    let words = counted.or(told).unwrap_or_default();
    let mut short: String = words.chars().take(24).collect();
    if short != words {
        short.push('…');
    }
    let open = button(ui, format!("{short} ▾")).on_hover_text(&words);
    let open = open.accessible_name(tr!("experiment-values-of", setting = title_of(key)));
    Popup::menu(&open)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            ui.set_min_width(200.0);
            list(ui, cx, key);
        });
    open
}

/// Returns the choices of a setting with their titles; `None` if its values are typed.
fn choices(cx: &Cx<'_>, spec: &SettingSpec) -> Option<Vec<(Setting, String)>> {
    let text = |value: &str, title: &str| (Setting::Text(value.to_string().into()), title.into());
    let inventory = &cx.session.inventory;
    Some(match (spec.key, spec.kind) {
        ("method", _) => METHODS.iter().map(|m| text(m.key, m.title)).collect(),
        ("pet", _) => {
            let sound = inventory.plugins.iter().filter(|p| p.problem.is_none());
            sound
                .map(|plugin| text(&plugin.name, plugin.title()))
                .collect()
        }
        ("backbone", _) => {
            let known = inventory.backbones.iter();
            known
                .map(|view| text(&view.entry.name, &view.entry.name))
                .collect()
        }
        (_, SettingKind::Flag(_)) => [(true, tr!("experiment-on")), (false, tr!("experiment-off"))]
            .map(|(on, title)| (Setting::Flag(on), title.to_string()))
            .into(),
        (_, SettingKind::Choice(names)) => names.iter().map(|name| text(name, name)).collect(),
        _ => return None,
    })
}

fn list(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) {
    let Some(spec) = spec_of(&cx.session.experiment.draft, key) else {
        return;
    };
    faint(ui, spec.heading());
    counted(ui, cx, key);
    let several = &cx.session.experiment.grid.several;
    let mut now = several
        .of(key)
        .map_or_else(Vec::new, |axis| axis.values.clone());
    let was = now.clone();
    match choices(cx, spec) {
        Some(all) => {
            for (value, title) in all {
                let mut on = now.contains(&value);
                if widgets::checkbox(ui, &mut on, title).changed() {
                    match on {
                        true => now.push(value),
                        false => now.retain(|known| *known != value),
                    }
                }
            }
        }
        None => typed(ui, cx, spec, &mut now),
    }
    if now != was {
        let key = key.to_string();
        cx.change(move |session| session.set_values(&key, now));
    }
    if ui.link(tr!("experiment-use-single-value")).clicked() {
        let first = was.into_iter().take(1).collect();
        let key = key.to_string();
        cx.change(move |session| session.set_values(&key, first));
        ui.close();
    }
}

/// Draws a field for the number of class orders or seeds.
fn counted(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) {
    let several = &cx.session.experiment.grid.several;
    let (key, now, words) = match key {
        "order" => ("order", several.orders, tr!("experiment-class-orders-hint")),
        "seed" => ("seed", several.seeds, tr!("experiment-seeds-hint")),
        _ => return,
    };
    let mut number_now = now.unwrap_or(0);
    row(ui, |ui| {
        let label = faint(ui, words);
        let drag = numbers::number(&mut number_now, 0..=MOST_REPETITIONS).speed(0.1);
        number(ui, drag).labelled_by(label.id);
    });
    if number_now != now.unwrap_or(0) {
        let number = Some(number_now).filter(|number| *number > 0);
        cx.change(move |session| session.repeat_rows(key, number));
    }
}

/// Draws the typed values and a field for a new one. Each value is validated like a single value.
fn typed(ui: &mut Ui, cx: &mut Cx<'_>, spec: &SettingSpec, now: &mut Vec<Setting>) {
    let mut gone = None;
    for (at, value) in now.iter().enumerate() {
        ui.horizontal(|ui| {
            ui.label(value.to_string());
            let name = tr!("experiment-remove-value", value = value.to_string());
            if icon_button(ui, Icon::Cross, &name, 20.0).clicked() {
                gone = Some(at);
            }
        });
    }
    if let Some(at) = gone {
        now.remove(at);
    }
    let new = cx.pages.experiment.values.entry(spec.key).or_default();
    let add = ui.horizontal(|ui| {
        let edit =
            widgets::line_edit(&mut new.text, WIDE).hint_text(tr!("experiment-another-value"));
        let edit = ui.add(edit).on_hover_text(spec.kind.range().said());
        if edit.changed() {
            new.wrong = None;
        }
        let enter = entered(ui, &edit);
        button(ui, tr!("experiment-add-value")).clicked() || enter
    });
    if add.inner && !new.text.trim().is_empty() {
        match admitted(spec, &new.text, now) {
            Ok(value) => {
                now.push(value);
                *new = NewValue::default();
            }
            Err(wrong) => new.wrong = Some(wrong),
        }
    }
    if let Some(wrong) = &new.wrong {
        faint(ui, wrong);
    }
}

/// Parses a new value. Returns an error if the setting does not accept it.
fn admitted(spec: &SettingSpec, text: &str, now: &[Setting]) -> Result<Setting, String> {
    let text = text.trim();
    let taken = spec.kind.parse(text).filter(|value| {
        setting(spec.key).is_none_or(|known| (known.set)(&mut RunConfig::default(), value.clone()))
    });
    match taken {
        None => {
            let range = spec.kind.range().said();
            Err(tr!("experiment-value-invalid", text, range))
        }
        Some(value) if now.contains(&value) => Err(tr!(
            "experiment-value-already-listed",
            value = value.to_string()
        )),
        Some(value) => Ok(value),
    }
}

/// Draws the card of all settings with several values, with a link to add one.
pub fn card_of_several(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("experiment-several-values"));
        let several = cx.session.experiment.grid.several.clone();
        if several.is_empty() {
            faint(ui, tr!("experiment-several-values-about"));
        }
        let mut keys: Vec<&str> = several.axes.iter().map(|axis| axis.key.as_str()).collect();
        keys.extend(several.orders.map(|_| "order"));
        keys.extend(several.seeds.map(|_| "seed"));
        for key in keys {
            ui.push_id(key, |ui| {
                ui.horizontal_wrapped(|ui| {
                    ui.label(title_of(key));
                    values(ui, cx, key);
                });
            });
        }
        ui.horizontal_wrapped(|ui| {
            let more = button(ui, tr!("experiment-add-setting"));
            let more = more.accessible_name(tr!("experiment-add-setting-name"));
            Popup::menu(&more).show(|ui| settings(ui, cx));
            let open = button(ui, tr!("experiment-grid-open"));
            Popup::menu(&open).show(|ui| grids(ui, cx));
            if !several.is_empty() {
                if button(ui, tr!("experiment-grid-save")).clicked() {
                    cx.change(|session| session.pick(DialogPurpose::SaveGrid));
                }
                if ui.link(tr!("experiment-use-single-values")).clicked() {
                    cx.change(Session::close_grid);
                }
            }
        });
    });
}

/// Draws a menu of all settings that can have several values.
fn settings(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_min_width(220.0);
    ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
        for key in keys(&cx.session.experiment.draft) {
            if !cx.session.experiment.grid.several.has(key) && ui.button(title_of(key)).clicked() {
                cx.change(move |session| session.vary(key));
            }
        }
    });
}

/// Returns the keys of all settings that can have several values: common settings and the method's own.
pub fn keys(draft: &RunConfig) -> impl Iterator<Item = &'static str> {
    let own = named_method(&draft.method).map_or(&[][..], |method| method.settings);
    let common = SETTINGS.iter().map(|known| known.spec.key);
    let common = common.filter(|key| may_vary(key));
    common.chain(own.iter().map(|spec| spec.key))
}

/// Draws a menu of the available grids.
fn grids(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_min_width(280.0);
    if ui.button(tr!("experiment-grid-file")).clicked() {
        cx.change(|session| session.pick(DialogPurpose::Grid));
    }
    ui.separator();
    ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
        for (name, title) in shipped_grids() {
            let line = ui.button(grid_title(title)).on_hover_text(*name);
            if line.clicked() {
                cx.change(move |session| session.open_grid((*name).into()));
            }
        }
    });
}
