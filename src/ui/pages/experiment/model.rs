//! The PET card: the plugin, its sizes and blocks.

use std::path::Path;

use egui::{Popup, RichText, ScrollArea, Ui};

use super::setting::text;
use super::{number, several, standing, step};
use crate::method::Chosen;
use crate::run::config::{RunConfig, Setting, SettingGroup};
use crate::session::chooser::DialogPurpose;
use crate::session::views::PluginView;
use crate::session::words::number as number_text;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{mono, tokens};
use crate::ui::widgets::{
    self, button, enabled_unless, faint, numbers, segmented, segmented_where, sentence,
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
pub fn pet(ui: &mut Ui, cx: &mut Cx<'_>) {
    let stand = standing(cx, SettingGroup::Pet);
    let title = (tr!("experiment-pet"), "pet");
    let without = without_pet(&cx.session.experiment.draft);
    let without = without.map(|method| tr!("experiment-method-without-pet", method));
    let plugins = cx.session.inventory.plugins.clone();
    let sound = plugins.iter().filter(|plugin| plugin.problem.is_none());
    let list: Vec<&PluginView> = sound.collect();
    let key = cx.session.experiment.draft.pet.clone();
    let chosen = list.iter().copied().find(|plugin| plugin.name == key);
    let end = |ui: &mut Ui, cx: &mut Cx<'_>, open: bool| {
        let words = match &without {
            Some(without) if !open => without.clone(),
            None if !open => in_short(cx, chosen),
            _ => trained(cx),
        };
        widgets::cut(ui, words);
    };
    step(ui, cx, SettingGroup::Pet, stand, title, end, |ui, cx| {
        if let Some(without) = &without {
            sentence(ui, without.as_str());
            return;
        }
        ui.horizontal_wrapped(|ui| {
            choice(ui, cx, &list, &key);
            sizes(ui, cx, chosen);
        });
        start(ui, cx);
        if let Some(plugin) = chosen {
            equations(ui, plugin);
        }
    });
}

/// Returns a summary such as "Adapter · size 5 · blocks 6 · 19,344 trained, 0.5 % of the model".
fn in_short(cx: &Cx<'_>, chosen: Option<&PluginView>) -> String {
    let draft = &cx.session.experiment.draft;
    let title = chosen.map_or(draft.pet.as_str(), |plugin| plugin.title());
    let mut words = vec![title.to_string()];
    if cx.session.experiment.why_idle("pet_size").is_none() {
        words.push(format!("{} {}", tr!("experiment-pet-size"), draft.pet_size));
    }
    words.push(format!("{} {}", tr!("experiment-pet-blocks"), draft.blocks));
    words.extend(draft.pet_start.as_deref().map(starts_from));
    words.push(trained(cx));
    words.retain(|part| !part.is_empty());
    words.join(" · ")
}

/// Returns the method's title if its settings train no PET; otherwise `None`.
fn without_pet(draft: &RunConfig) -> Option<&'static str> {
    let chosen = Chosen::of(draft).ok()?;
    let none = chosen.trains_pet().is_ok_and(|trains| !trains);
    none.then_some(chosen.spec.title)
}

fn trained(cx: &Cx<'_>) -> String {
    let Some(trained) = cx.session.experiment.plan.trained else {
        return String::new();
    };
    let frozen = cx.session.experiment.plan.backbone.as_ref();
    let share = frozen.map(|b| 100.0 * trained as f64 / (b.parameters + trained).max(1) as f64);
    match share {
        Some(share) => {
            let share = number_text(share, if share < 0.1 { 2 } else { 1 });
            tr!("experiment-trainable-parameters-share", n = trained, share)
        }
        None => tr!("experiment-trainable-parameters", n = trained),
    }
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, list: &[&PluginView], chosen: &str) {
    if several::in_place(ui, cx, "pet") {
        return;
    }
    let shown = side_by_side(list, chosen, |p| &p.name);
    let options: Vec<(String, &str)> = shown.iter().map(|p| (p.name.clone(), p.title())).collect();
    let mut value = chosen.to_string();
    let misfits = cx.session.experiment.plan.misfits.clone();
    let reason = |name: &String| {
        let misfit = misfits.iter().find(|(plugin, _)| plugin == name);
        misfit.map(|(_, why)| why.clone())
    };
    if segmented_where(ui, "pet", &options, &mut value, reason) {
        cx.change(move |session| session.choose_pet(&value));
    }
    let more = button(ui, tr!("experiment-pet-more"));
    several::offer(&more, cx, "pet");
    Popup::menu(&more).show(|ui| {
        ui.set_min_width(240.0);
        // The height is limited so that the part below the list remains visible.
        let most = ui.ctx().content_rect().height() * 0.5;
        ScrollArea::vertical().max_height(most).show(ui, |ui| {
            for plugin in list {
                let line = egui::Button::selectable(plugin.name == chosen, plugin.title())
                    .right_text(RichText::new(plugin.origin()).color(tokens(ui).subdued));
                let why = reason(&plugin.name);
                let line = ui.add_enabled(why.is_none(), line);
                if line
                    .on_disabled_hover_text(why.unwrap_or_default())
                    .clicked()
                {
                    let name = plugin.name.clone();
                    cx.change(move |session| session.choose_pet(&name));
                }
            }
        });
        ui.separator();
        let start = ui.button(tr!("experiment-pet-start"));
        if start
            .on_hover_text(tr!("experiment-pet-start-hint"))
            .clicked()
        {
            cx.change(|session| session.pick(DialogPurpose::PetStart));
        }
        if ui.button(tr!("experiment-all-plugins")).clicked() {
            cx.act(UiCommand::Show(Page::Plugins));
        }
    });
}

fn sizes(ui: &mut Ui, cx: &mut Cx<'_>, plugin: Option<&PluginView>) {
    let size = plugin.map_or(Some((1, 5, 256)), PluginView::size);
    let (low, _, high) = size.unwrap_or_default();
    let why = cx.session.experiment.why_idle("pet_size");
    let mut size = cx.session.experiment.draft.pet_size;
    let label = faint(ui, tr!("experiment-pet-size"));
    if several::in_place(ui, cx, "pet_size") {
        return blocks(ui, cx, plugin);
    }
    let mut value = numbers::number(&mut size, low..=high).speed(0.1);
    if why.is_some() {
        value = value.custom_formatter(|_, _| "–".into());
    }
    let field = enabled_unless(ui, why.as_deref(), |ui| number(ui, value)).labelled_by(label.id);
    several::offer(&field, cx, "pet_size");
    if size != cx.session.experiment.draft.pet_size {
        let size = Setting::Whole(i64::try_from(size).unwrap_or(i64::MAX));
        cx.set("pet_size", Some(size));
    }
    blocks(ui, cx, plugin);
}

fn blocks(ui: &mut Ui, cx: &mut Cx<'_>, plugin: Option<&PluginView>) {
    let label = faint(ui, tr!("experiment-pet-blocks"));
    text(ui, cx, "blocks", label.id, 84.0);
    if let Some(plugin) = plugin {
        own_numbers(ui, cx, plugin);
    }
    if let Some(plugin) = plugin
        && plugin.variants.len() > 1
    {
        let usual = &plugin.variants[0].name;
        let chosen = cx.session.experiment.draft.pet_variant.as_ref();
        let mut value = chosen.unwrap_or(usual).clone();
        let options: Vec<(String, &str)> = plugin
            .variants
            .iter()
            .map(|v| (v.name.clone(), v.name.as_str()))
            .collect();
        if segmented(ui, "form", &options, &mut value) {
            let value = (value != *usual).then(|| Setting::Text(value.into()));
            cx.set("pet_variant", value);
        }
    }
}

/// Returns words such as "starts from my-adapter".
fn starts_from(place: &str) -> String {
    let folder = Path::new(place).file_name().unwrap_or_default();
    let folder = folder.to_string_lossy();
    tr!("experiment-pet-starts-from", folder)
}

/// Draws the folder of the LoRA that the PET starts from, if one is selected.
fn start(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(place) = cx.session.experiment.draft.pet_start.clone() else {
        return;
    };
    ui.horizontal(|ui| {
        faint(ui, starts_from(&place)).on_hover_text(&place);
        if ui.link(tr!("experiment-pet-start-fresh")).clicked() {
            cx.set("pet_start", None);
        }
    });
}

/// Draws fields for the plugin's numbers besides its size.
fn own_numbers(ui: &mut Ui, cx: &mut Cx<'_>, plugin: &PluginView) {
    let numbers = plugin.numbers();
    if numbers.is_empty() || several::in_place(ui, cx, "pet_set") {
        return;
    }
    let why = cx.session.experiment.why_idle("pet_set");
    for own in &numbers {
        let chosen = cx.session.experiment.draft.pet_set.as_deref();
        let mut value = plugin.number(chosen, own);
        let (label, was) = (faint(ui, &own.name), value);
        let drag = numbers::number(&mut value, own.least..=own.most);
        let drag = match own.whole {
            true => drag.speed(0.1).max_decimals(0),
            false => drag.speed((own.most - own.least) / 500.0),
        };
        let field = enabled_unless(ui, why.as_deref(), |ui| number(ui, drag)).labelled_by(label.id);
        let (least, most, usual) = (own.least, own.most, own.usual);
        let range = || tr!("experiment-pet-range", least, most, usual);
        let field = field.on_hover_ui(|ui| _ = ui.label(range()));
        several::offer(&field, cx, "pet_set");
        if value != was {
            let value = if own.whole { value.round() } else { value };
            let all = plugin.with_number(chosen, &own.name, value);
            let all = all.map(|text| Setting::Text(text.into()));
            cx.set("pet_set", all);
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
