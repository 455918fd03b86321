//! The PET plugins: a list, and the chosen one with equation, parameters, text and what is wrong.

use egui::{Label, RichText, Ui};

use crate::session::views::PluginView;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::pages::experiment;
use crate::ui::theme::{mono, semibold, tokens};
use crate::ui::widgets::{
    self, Column, Fixed, button, card, card_of, faint, sentence, two_columns,
};

/// What the page remembers between frames.
#[derive(Default)]
pub struct State {
    chosen: Option<String>,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.inventory.plugins.is_empty() {
        widgets::empty(ui, "No plugins yet", "They are being read", |ui| {
            if button(ui, "Read them again").clicked() {
                cx.act(UiCommand::ReloadPlugins);
            }
        });
        return;
    }
    two_columns(ui, cx, Fixed::Right(330.0), left, right);
}

fn chosen<'p>(cx: &Cx<'_>, list: &'p [PluginView]) -> Option<&'p PluginView> {
    let state = &cx.pages.plugins;
    let name = state
        .chosen
        .as_ref()
        .unwrap_or(&cx.session.experiment.draft.pet);
    let by_name = |plugin: &&PluginView| plugin.name == *name;
    list.iter().find(by_name).or(list.first())
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let list = cx.session.inventory.plugins.clone();
    let Some(plugin) = chosen(cx, &list) else {
        return;
    };
    card(ui, |ui| {
        let usable = plugin.problem.is_none();
        let mut used = false;
        widgets::ends(
            ui,
            |ui| {
                let t = tokens(ui);
                ui.label(
                    RichText::new(&plugin.title)
                        .font(semibold(18.0))
                        .color(t.strong),
                );
                faint(ui, &plugin.origin);
            },
            |ui| {
                used = usable && button(ui, "Use it").clicked();
            },
        );
        if !plugin.about.is_empty() {
            sentence(ui, &plugin.about);
        }
        if let Some(problem) = &plugin.problem {
            widgets::problem(ui, problem);
        }
        if !plugin.equations.is_empty() {
            experiment::equations(ui, plugin);
        }
        if used {
            cx.act(UiCommand::ChoosePet(plugin.name.clone()));
            cx.act(UiCommand::Show(Page::Experiment));
        }
    });
    if !plugin.parameters.is_empty() {
        parameters(ui, plugin);
    }
    source(ui, cx, plugin, column);
}

fn parameters(ui: &mut Ui, plugin: &PluginView) {
    card(ui, |ui| {
        let t = tokens(ui);
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Parameters of each block");
            },
            |ui| {
                let words = match plugin.size {
                    Some((low, usual, high)) => {
                        format!("size r from {low} to {high}, usually {usual}")
                    }
                    None => "no size to choose".into(),
                };
                faint(ui, words);
            },
        );
        egui::Grid::new("parameters")
            .num_columns(3)
            .spacing([28.0, 6.0])
            .show(ui, |ui| {
                for head in ["name", "shape", "begins as"] {
                    faint(ui, head);
                }
                ui.end_row();
                for (name, shape, init) in &plugin.parameters {
                    ui.label(RichText::new(name).font(mono(12.0)).color(t.strong));
                    ui.label(RichText::new(shape).font(mono(12.0)).color(t.text));
                    ui.label(RichText::new(init).color(t.text));
                    ui.end_row();
                }
            });
    });
}

fn source(ui: &mut Ui, cx: &mut Cx<'_>, plugin: &PluginView, column: Column) {
    let height = column.rest(ui, 220.0);
    card_of(ui, height, |ui| {
        let mut copied = false;
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "The file");
            },
            |ui| {
                copied = button(ui, "Copy").clicked();
            },
        );
        if copied {
            cx.act(UiCommand::CopyText(plugin.source.clone()));
        }
        let t = tokens(ui);
        let wide = egui::Frame::new()
            .fill(t.background)
            .corner_radius(6)
            .inner_margin(egui::Margin::symmetric(12, 10));
        wide.show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            egui::ScrollArea::horizontal().show(ui, |ui| {
                let text = RichText::new(&plugin.source).font(mono(12.0)).color(t.text);
                ui.add(Label::new(text).selectable(true).extend());
            });
        });
    });
}

fn right(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let height = column.rest(ui, 0.0);
    let list = cx.session.inventory.plugins.clone();
    let current = chosen(cx, &list).map(|plugin| &plugin.name);
    card_of(ui, height, |ui| {
        let mut reload = false;
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Plugins");
            },
            |ui| {
                reload = button(ui, "Reload").clicked();
            },
        );
        if reload {
            cx.act(UiCommand::ReloadPlugins);
        }
        let t = tokens(ui);
        for plugin in list.iter() {
            let text = if plugin.problem.is_some() {
                RichText::new(format!("{} (has a problem)", plugin.title)).color(t.bad)
            } else {
                RichText::new(&plugin.title)
            };
            let line = egui::Button::selectable(Some(&plugin.name) == current, text)
                .right_text(RichText::new(&plugin.origin).color(t.subdued))
                .min_size(egui::vec2(ui.available_width(), 28.0));
            if ui.add(line).clicked() {
                cx.pages.plugins.chosen = Some(plugin.name.clone());
            }
        }
        ui.add_space(8.0);
        sentence(
            ui,
            "A plugin is a text file: parameters and an equation. Files in ./plugins and in your data folder are found too; a later one of the same name wins.",
        );
    });
}
