//! *Several values…*: lists of values for settings, and the card that shows all of them.

use egui::{Popup, PopupCloseBehavior, Response, ScrollArea, Ui};

use super::{NewValue, number, row};
use crate::method::{METHODS, find_method};
use crate::run::config::{RunConfig, SETTINGS, Setting, SettingKind, SettingSpec, setting};
use crate::run::grid::MAX_REPETITIONS;
use crate::session::Session;
use crate::session::file_dialog::DialogPurpose;
use crate::session::grids::{grid_title, may_vary, shipped_grids};
use crate::session::window_terms::title_of;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, button, card, faint, icon_button, is_submitted, numbers};

/// Width of the field for a new value.
const FIELD_WIDTH: f32 = 130.0;

/// Returns the specification of the setting with this key, common or of the method.
fn spec_of(draft: &RunConfig, key: &str) -> Option<&'static SettingSpec> {
    if let Some(common) = setting(key) {
        return Some(&common.spec);
    }
    let method_settings = find_method(&draft.method).map_or(&[][..], |method| method.settings);
    let others = METHODS.iter().flat_map(|method| method.settings);
    method_settings.iter().chain(others).find(|spec| spec.key == key)
}

/// Adds the entry "Several values…" to the context menu of a field.
pub fn add_context_menu(field: &Response, cx: &mut Cx<'_>, key: &'static str) {
    if !may_vary(key) {
        return;
    }
    // A separate id is used because a choice has its own menu.
    let id = field.id.with("several-values");
    Popup::context_menu(field).id(id).show(|ui| {
        if ui.button(tr!("experiment-several-values-of-field")).clicked() {
            cx.change(move |session| session.vary(key));
        }
    });
}

/// Draws the list of values in place of a setting's field if the setting has several values. Returns whether it has.
pub fn show_in_place(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) -> bool {
    if !cx.session.experiment.grid.varying.has(key) {
        return false;
    }
    values_button(ui, cx, key);
    true
}

/// Draws the list of values below the setting's title if the setting has several values. Returns whether it has.
pub fn show_below_title(ui: &mut Ui, cx: &mut Cx<'_>, spec: &SettingSpec) -> bool {
    if !cx.session.experiment.grid.varying.has(spec.key) {
        return false;
    }
    widgets::field(ui, &spec.heading(), |ui| values_button(ui, cx, spec.key));
    true
}

/// Draws a button that shows the values and opens their list.
fn values_button(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) -> Response {
    let several = &cx.session.experiment.grid.varying;
    let count = match key {
        "order" => several.orders.map(|number| tr!("experiment-class-order-count", n = number)),
        "seed" => several.seeds.map(|number| tr!("experiment-seed-count", n = number)),
        _ => None,
    };
    let values = several.axis(key).map(|axis| {
        let texts: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        texts.join(", ")
    });
    let summary = count.or(values).unwrap_or_default();
    let mut short: String = summary.chars().take(24).collect();
    if short != summary {
        short.push('…');
    }
    let response = button(ui, format!("{short} ▾")).on_hover_text(&summary);
    let response = response.accessible_name(tr!("experiment-values-of", setting = title_of(key)));
    Popup::menu(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_min_width(200.0);
        value_menu(ui, cx, key);
    });
    response
}

/// Returns the choices of a setting with their titles; `None` if its values are typed.
fn choices(cx: &Cx<'_>, spec: &SettingSpec) -> Option<Vec<(Setting, String)>> {
    let text = |value: &str, title: &str| (Setting::Text(value.to_string().into()), title.into());
    let inventory = &cx.session.inventory;
    Some(match (spec.key, spec.kind) {
        ("method", _) => METHODS.iter().map(|m| text(m.key, m.title)).collect(),
        ("pet", _) => {
            let valid = inventory.plugins.iter().filter(|p| p.problem.is_none());
            valid.map(|plugin| text(&plugin.name, plugin.title())).collect()
        }
        ("backbone", _) => {
            let backbones = inventory.backbones.iter();
            backbones.map(|view| text(&view.entry.name, &view.entry.name)).collect()
        }
        (_, SettingKind::Flag(_)) => [(true, tr!("experiment-on")), (false, tr!("experiment-off"))]
            .map(|(on, title)| (Setting::Flag(on), title.to_string()))
            .into(),
        (_, SettingKind::Choice(names)) => names.iter().map(|name| text(name, name)).collect(),
        _ => return None,
    })
}

fn value_menu(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) {
    let Some(spec) = spec_of(&cx.session.experiment.draft, key) else {
        return;
    };
    faint(ui, spec.heading());
    repetition_field(ui, cx, key);
    let several = &cx.session.experiment.grid.varying;
    let mut selected = several.axis(key).map_or_else(Vec::new, |axis| axis.values.clone());
    let previous = selected.clone();
    match choices(cx, spec) {
        Some(options) => {
            for (value, title) in options {
                let mut checked = selected.contains(&value);
                if widgets::checkbox(ui, &mut checked, title).changed() {
                    match checked {
                        true => selected.push(value),
                        false => selected.retain(|other| *other != value),
                    }
                }
            }
        }
        None => typed_values(ui, cx, spec, &mut selected),
    }
    if selected != previous {
        let key = key.to_string();
        cx.change(move |session| session.set_values(&key, selected));
    }
    if ui.link(tr!("experiment-use-single-value")).clicked() {
        let first = previous.into_iter().take(1).collect();
        let key = key.to_string();
        cx.change(move |session| session.set_values(&key, first));
        ui.close();
    }
}

/// Draws a field for the number of class orders or seeds.
fn repetition_field(ui: &mut Ui, cx: &mut Cx<'_>, key: &str) {
    let several = &cx.session.experiment.grid.varying;
    let (key, current, hint) = match key {
        "order" => ("order", several.orders, tr!("experiment-class-orders-hint")),
        "seed" => ("seed", several.seeds, tr!("experiment-seeds-hint")),
        _ => return,
    };
    let mut count = current.unwrap_or(0);
    row(ui, |ui| {
        let label = faint(ui, hint);
        let drag = numbers::number(&mut count, 0..=MAX_REPETITIONS).speed(0.1);
        number(ui, drag).labelled_by(label.id);
    });
    if count != current.unwrap_or(0) {
        let number = Some(count).filter(|number| *number > 0);
        cx.change(move |session| session.repeat_rows(key, number));
    }
}

/// Draws the typed values and a field for a new one. Each value is validated like a single value.
fn typed_values(ui: &mut Ui, cx: &mut Cx<'_>, spec: &SettingSpec, values: &mut Vec<Setting>) {
    let mut removed = None;
    for (index, value) in values.iter().enumerate() {
        ui.horizontal(|ui| {
            ui.label(value.to_string());
            let name = tr!("experiment-remove-value", value = value.to_string());
            if icon_button(ui, Icon::Cross, &name, 20.0).clicked() {
                removed = Some(index);
            }
        });
    }
    if let Some(index) = removed {
        values.remove(index);
    }
    let new = cx.pages.experiment.values.entry(spec.key).or_default();
    let submitted = ui.horizontal(|ui| {
        let edit = widgets::line_edit(&mut new.text, FIELD_WIDTH)
            .hint_text(tr!("experiment-another-value"));
        let edit = ui.add(edit).on_hover_text(spec.kind.range().translated());
        let edit = edit.accessible_name(tr!("experiment-another-value"));
        if edit.changed() {
            new.is_rejected = false;
        }
        let pressed_enter = is_submitted(ui, &edit);
        button(ui, tr!("experiment-add-value")).clicked() || pressed_enter
    });
    if submitted.inner && !new.text.trim().is_empty() {
        match parse_value(spec, &new.text, values) {
            Ok(value) => {
                values.push(value);
                *new = NewValue::default();
            }
            Err(_) => new.is_rejected = true,
        }
    }
    if new.is_rejected
        && let Err(error) = parse_value(spec, &new.text, values)
    {
        faint(ui, error);
    }
}

/// Parses a new value. Returns an error if the setting does not accept it.
fn parse_value(spec: &SettingSpec, text: &str, existing: &[Setting]) -> Result<Setting, String> {
    let text = text.trim();
    let parsed = spec.kind.parse(text).filter(|value| {
        setting(spec.key)
            .is_none_or(|common| (common.set)(&mut RunConfig::default(), value.clone()))
    });
    match parsed {
        None => {
            let range = spec.kind.range().translated();
            Err(tr!("experiment-value-invalid", text, range))
        }
        Some(value) if existing.contains(&value) => {
            Err(tr!("experiment-value-already-listed", value = value.to_string()))
        }
        Some(value) => Ok(value),
    }
}

/// Draws the card of all settings with several values, with a link to add one.
pub fn several_values_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("experiment-several-values"));
        let several = cx.session.experiment.grid.varying.clone();
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
                    values_button(ui, cx, key);
                });
            });
        }
        ui.horizontal_wrapped(|ui| {
            let more = button(ui, tr!("experiment-add-setting"));
            let more = more.accessible_name(tr!("experiment-add-setting-name"));
            Popup::menu(&more).show(|ui| settings_menu(ui, cx));
            let open = button(ui, tr!("experiment-grid-open"));
            Popup::menu(&open).show(|ui| grids_menu(ui, cx));
            if !several.is_empty() {
                if button(ui, tr!("experiment-grid-save")).clicked() {
                    cx.change(|session| session.open_file_dialog(DialogPurpose::SaveGrid));
                }
                if ui.link(tr!("experiment-use-single-values")).clicked() {
                    cx.change(Session::close_grid);
                }
            }
        });
    });
}

/// Draws a menu of all settings that can have several values.
fn settings_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_min_width(220.0);
    ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
        for key in keys(&cx.session.experiment.draft) {
            if !cx.session.experiment.grid.varying.has(key) && ui.button(title_of(key)).clicked() {
                cx.change(move |session| session.vary(key));
            }
        }
    });
}

/// Returns the keys of all settings that can have several values: common settings and the method's own.
pub fn keys(draft: &RunConfig) -> impl Iterator<Item = &'static str> {
    let method_settings = find_method(&draft.method).map_or(&[][..], |method| method.settings);
    let common = SETTINGS.iter().map(|known| known.spec.key);
    let common = common.filter(|key| may_vary(key));
    common.chain(method_settings.iter().map(|spec| spec.key))
}

/// Draws a menu of the available grids.
fn grids_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_min_width(280.0);
    if ui.button(tr!("experiment-grid-file")).clicked() {
        cx.change(|session| session.open_file_dialog(DialogPurpose::Grid));
    }
    ui.separator();
    ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
        for (name, title) in shipped_grids() {
            let item = ui.button(grid_title(title)).on_hover_text(*name);
            if item.clicked() {
                cx.change(move |session| session.open_grid((*name).into()));
            }
        }
    });
}
