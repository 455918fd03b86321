//! The PET card: the plugin, its sizes and blocks.

use std::path::Path;

use egui::{Popup, RichText, ScrollArea, Ui};

use super::setting::text_field;
use super::{group_state, number, step, value_lists};
use crate::method::ConfiguredMethod;
use crate::run::config::{RunConfig, Setting, SettingGroup};
use crate::session::file_dialog::DialogPurpose;
use crate::session::formatting::format_number as number_text;
use crate::session::views::PluginView;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{mono, tokens};
use crate::ui::widgets::{
    self, button, enabled_unless, faint, numbers, segmented, segmented_with_disabled, sentence,
};

/// Number of choices that are shown directly. The menu "More…" contains the others.
const SIDE_BY_SIDE: usize = 4;
/// Returns the first few entries. If the selected entry is not among them, it replaces the last one.
fn side_by_side<'a, T>(list: &'a [T], chosen: &str, name: impl Fn(&T) -> &String) -> Vec<&'a T> {
    let mut shown: Vec<&T> = list.iter().take(SIDE_BY_SIDE).collect();
    let missing = !shown.iter().any(|entry| name(entry) == chosen);
    if let (true, Some(entry)) = (missing, list.iter().find(|entry| name(entry) == chosen)) {
        shown.pop();
        shown.push(entry);
    }
    shown
}

/// Draws the PET card.
pub fn pet_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = group_state(cx, SettingGroup::Pet);
    let title = (tr!("experiment-pet"), "pet");
    let method_title = without_pet(&cx.session.experiment.draft);
    let no_pet_text = method_title.map(|method| tr!("experiment-method-without-pet", method));
    let plugins = cx.session.inventory.plugins.clone();
    let valid = plugins.iter().filter(|plugin| plugin.problem.is_none());
    let list: Vec<&PluginView> = valid.collect();
    let key = cx.session.experiment.draft.pet.clone();
    let chosen = list.iter().copied().find(|plugin| plugin.name == key);
    let end = |ui: &mut Ui, cx: &mut Cx<'_>, open: bool| {
        let summary = match &no_pet_text {
            Some(text) if !open => text.clone(),
            None if !open => short_summary(cx, chosen),
            _ => trained_text(cx),
        };
        widgets::truncated_faint(ui, summary);
    };
    step(ui, cx, SettingGroup::Pet, state, title, end, |ui, cx| {
        if let Some(text) = &no_pet_text {
            sentence(ui, text.as_str());
            return;
        }
        ui.horizontal_wrapped(|ui| {
            choice(ui, cx, &list, &key);
            sizes(ui, cx, chosen);
        });
        show_start(ui, cx);
        if let Some(plugin) = chosen {
            equations(ui, plugin);
        }
    });
}

/// Returns a summary such as "Adapter · size 5 · blocks 6 · 19,344 trained, 0.5 % of the model".
fn short_summary(cx: &Cx<'_>, chosen: Option<&PluginView>) -> String {
    let draft = &cx.session.experiment.draft;
    let title = chosen.map_or(draft.pet.as_str(), |plugin| plugin.title());
    let mut parts = vec![title.to_string()];
    if cx.session.experiment.why_idle("pet_size").is_none() {
        parts.push(format!("{} {}", tr!("experiment-pet-size"), draft.pet_size));
    }
    parts.push(format!("{} {}", tr!("experiment-pet-blocks"), draft.blocks));
    parts.extend(draft.pet_start.as_deref().map(starts_from));
    parts.push(trained_text(cx));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Returns the method's title if its settings train no PET; otherwise `None`.
fn without_pet(draft: &RunConfig) -> Option<&'static str> {
    let chosen = ConfiguredMethod::from_config(draft).ok()?;
    let is_unused = chosen.trains_pet().is_ok_and(|trains| !trains);
    is_unused.then_some(chosen.spec.title)
}

fn trained_text(cx: &Cx<'_>) -> String {
    let Some(trained) = cx.session.experiment.plan.trained_parameters else {
        return String::new();
    };
    let backbone = cx.session.experiment.plan.backbone.as_ref();
    let share = backbone.map(|b| 100.0 * trained as f64 / (b.parameters + trained).max(1) as f64);
    match share {
        Some(share) => {
            let share = number_text(share, if share < 0.1 { 2 } else { 1 });
            tr!("experiment-trainable-parameters-share", n = trained, share)
        }
        None => tr!("experiment-trainable-parameters", n = trained),
    }
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, list: &[&PluginView], chosen: &str) {
    if value_lists::show_in_place(ui, cx, "pet") {
        return;
    }
    let shown = side_by_side(list, chosen, |p| &p.name);
    let options: Vec<(String, &str)> = shown.iter().map(|p| (p.name.clone(), p.title())).collect();
    let mut value = chosen.to_string();
    let incompatible = cx.session.experiment.plan.incompatible_plugins.clone();
    let reason = |name: &String| {
        let found = incompatible.iter().find(|(plugin, _)| plugin == name);
        found.map(|(_, why)| why.clone())
    };
    if segmented_with_disabled(ui, "pet", &options, &mut value, reason) {
        cx.change(move |session| session.choose_pet(&value));
    }
    let more = button(ui, tr!("experiment-pet-more"));
    value_lists::add_context_menu(&more, cx, "pet");
    Popup::menu(&more).show(|ui| {
        ui.set_min_width(240.0);
        // The height is limited so that the part below the list remains visible.
        let max_height = ui.ctx().content_rect().height() * 0.5;
        ScrollArea::vertical().max_height(max_height).show(ui, |ui| {
            for plugin in list {
                let item = egui::Button::selectable(plugin.name == chosen, plugin.title())
                    .right_text(RichText::new(plugin.origin()).color(tokens(ui).subdued));
                let disabled_reason = reason(&plugin.name);
                let item = ui.add_enabled(disabled_reason.is_none(), item);
                if item.on_disabled_hover_text(disabled_reason.unwrap_or_default()).clicked() {
                    let name = plugin.name.clone();
                    cx.change(move |session| session.choose_pet(&name));
                }
            }
        });
        ui.separator();
        let start = ui.button(tr!("experiment-pet-start"));
        if start.on_hover_text(tr!("experiment-pet-start-hint")).clicked() {
            cx.change(|session| session.open_file_dialog(DialogPurpose::PetStart));
        }
        if ui.button(tr!("experiment-all-plugins")).clicked() {
            cx.dispatch(UiCommand::Show(Page::Plugins));
        }
    });
}

fn sizes(ui: &mut Ui, cx: &mut Cx<'_>, plugin: Option<&PluginView>) {
    let size = plugin.map_or(Some((1, 5, 256)), PluginView::size);
    let (low, _, high) = size.unwrap_or_default();
    let reason = cx.session.experiment.why_idle("pet_size");
    let mut size = cx.session.experiment.draft.pet_size;
    let label = faint(ui, tr!("experiment-pet-size"));
    if value_lists::show_in_place(ui, cx, "pet_size") {
        return blocks(ui, cx, plugin);
    }
    let mut value = numbers::number(&mut size, low..=high).speed(0.1);
    if reason.is_some() {
        value = value.custom_formatter(|_, _| "–".into());
    }
    let field = enabled_unless(ui, reason.as_deref(), |ui| number(ui, value)).labelled_by(label.id);
    value_lists::add_context_menu(&field, cx, "pet_size");
    if size != cx.session.experiment.draft.pet_size {
        let size = Setting::Whole(i64::try_from(size).unwrap_or(i64::MAX));
        cx.set("pet_size", Some(size));
    }
    blocks(ui, cx, plugin);
}

fn blocks(ui: &mut Ui, cx: &mut Cx<'_>, plugin: Option<&PluginView>) {
    let label = faint(ui, tr!("experiment-pet-blocks"));
    text_field(ui, cx, "blocks", label.id, 84.0);
    if let Some(plugin) = plugin {
        number_fields(ui, cx, plugin);
    }
    if let Some(plugin) = plugin
        && plugin.variants.len() > 1
    {
        let default = &plugin.variants[0].name;
        let chosen = cx.session.experiment.draft.pet_variant.as_ref();
        let mut value = chosen.unwrap_or(default).clone();
        let options: Vec<(String, &str)> =
            plugin.variants.iter().map(|v| (v.name.clone(), v.name.as_str())).collect();
        if segmented(ui, "form", &options, &mut value) {
            let value = (value != *default).then(|| Setting::Text(value.into()));
            cx.set("pet_variant", value);
        }
    }
}

/// Returns words such as "starts from my-adapter".
fn starts_from(path: &str) -> String {
    let folder = Path::new(path).file_name().unwrap_or_default();
    let folder = folder.to_string_lossy();
    tr!("experiment-pet-starts-from", folder)
}

/// Draws the folder of the LoRA that the PET starts from, if one is selected.
fn show_start(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(path) = cx.session.experiment.draft.pet_start.clone() else {
        return;
    };
    ui.horizontal(|ui| {
        faint(ui, starts_from(&path)).on_hover_text(&path);
        if ui.link(tr!("experiment-pet-start-fresh")).clicked() {
            cx.set("pet_start", None);
        }
    });
}

/// Draws fields for the plugin's numbers besides its size.
fn number_fields(ui: &mut Ui, cx: &mut Cx<'_>, plugin: &PluginView) {
    let numbers = plugin.numbers();
    if numbers.is_empty() || value_lists::show_in_place(ui, cx, "pet_set") {
        return;
    }
    let reason = cx.session.experiment.why_idle("pet_set");
    for spec in &numbers {
        let chosen = cx.session.experiment.draft.pet_set.as_deref();
        let mut value = plugin.number(chosen, spec);
        let (label, previous) = (faint(ui, &spec.name), value);
        let drag = numbers::number(&mut value, spec.min..=spec.max);
        let drag = match spec.is_integer {
            true => drag.speed(0.1).max_decimals(0),
            false => drag.speed((spec.max - spec.min) / 500.0),
        };
        let field =
            enabled_unless(ui, reason.as_deref(), |ui| number(ui, drag)).labelled_by(label.id);
        let (least, most, usual) = (spec.min, spec.max, spec.default);
        let range = || tr!("experiment-pet-range", least, most, usual);
        let field = field.on_hover_ui(|ui| _ = ui.label(range()));
        value_lists::add_context_menu(&field, cx, "pet_set");
        if value != previous {
            let value = if spec.is_integer { value.round() } else { value };
            let updated = plugin.with_number(chosen, &spec.name, value);
            let updated = updated.map(|text| Setting::Text(text.into()));
            cx.set("pet_set", updated);
        }
    }
}

/// Draws the plugin's equations in a box.
pub fn equations(ui: &mut Ui, plugin: &PluginView) {
    let t = tokens(ui);
    egui::Frame::new()
        .fill(t.background)
        .corner_radius(6)
        .inner_margin(egui::Margin::symmetric(12, 9))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = 3.0;
            let equations = plugin.equations();
            for (site, equation) in &equations {
                ui.horizontal_wrapped(|ui| {
                    if equations.len() > 1 {
                        ui.label(RichText::new(site).font(mono(12.0)).color(t.subdued));
                    }
                    widgets::selectable(ui, equation, mono(12.0), t.strong);
                });
            }
        });
}
