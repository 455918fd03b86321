//! The page of PET plugins: a list, and the selected plugin with its equations, parameters, text and errors. While a
//! plugin is edited, the editor is shown instead.

mod block;
mod code;
mod editor;
mod find;
mod meaning;
mod trial;

use std::time::{Duration, Instant};

use egui::{Label, RichText, Ui};

use crate::session::Session;
use crate::session::views::PluginView;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::pages::experiment;
use crate::ui::theme::{mono, semibold, tokens};
use crate::ui::widgets::{
    self, Column, Fixed, button, card, card_with_height, faint, sentence, two_columns,
};

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    selected: Option<String>,
    editor: editor::State,
    /// When the plugin files were last checked for changes.
    last_check: Option<Instant>,
}

/// The plugins that new ones can be based on: their names, and the message ids of their descriptions.
const EXAMPLES: [(&str, &str); 4] = [
    ("adaptformer", "plugins-based-on-adaptformer"),
    ("vpt deep", "plugins-based-on-prompt"),
    ("lora", "plugins-based-on-lora"),
    ("ssf", "plugins-based-on-ssf"),
];

/// Interval between checks for changed plugin files while the page is shown.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    follow_files(ui, cx);
    if cx.session.editor.open.is_some() {
        return editor::show(ui, cx);
    }
    if cx.session.inventory.plugins.is_empty() {
        widgets::empty_page(ui, tr!("plugins-none"), tr!("plugins-reading"), |ui| {
            cx.change_button(ui, tr!("plugins-none-reload"), Session::read_plugins);
        });
        return;
    }
    two_columns(ui, cx, Fixed::Right(330.0), left_column, right_column);
}

/// Checks regularly whether other programs have changed the plugin files.
fn follow_files(ui: &Ui, cx: &mut Cx<'_>) {
    let last_check = cx.pages.plugins.last_check;
    if last_check.is_none_or(|last| last.elapsed() >= CHECK_INTERVAL) {
        cx.pages.plugins.last_check = Some(Instant::now());
        cx.change(Session::check_plugin_files);
    }
    ui.ctx().request_repaint_after(CHECK_INTERVAL);
}

fn selected_plugin<'p>(cx: &Cx<'_>, list: &'p [PluginView]) -> Option<&'p PluginView> {
    let state = &cx.pages.plugins;
    let name = state.selected.as_ref().unwrap_or(&cx.session.experiment.draft.pet);
    let by_name = |plugin: &&PluginView| plugin.name == *name;
    list.iter().find(by_name).or(list.first())
}

fn left_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let list = cx.session.inventory.plugins.clone();
    let Some(plugin) = selected_plugin(cx, &list) else {
        return;
    };
    unsaved_text_offer(ui, cx);
    card(ui, |ui| {
        let usable = plugin.problem.is_none();
        widgets::ends(
            ui,
            |ui| {
                let title = RichText::new(plugin.title()).font(semibold(18.0));
                ui.label(title.color(tokens(ui).strong));
                faint(ui, plugin.origin());
            },
            |ui| {
                if usable && button(ui, tr!("plugins-use")).clicked() {
                    let name = plugin.name.clone();
                    let choose = move |session: &mut Session| session.choose_pet(&name);
                    cx.dispatch(UiCommand::change_on(Page::Experiment, choose));
                }
                if button(ui, tr!("plugins-copy-edit")).clicked() {
                    let name = plugin.name.clone();
                    cx.change(move |session| session.edit_copy(&name));
                }
                if plugin.path.is_some() && button(ui, tr!("plugins-edit")).clicked() {
                    let name = plugin.name.clone();
                    cx.change(move |session| session.edit_file(&name));
                }
            },
        );
        if let Some(since) = &plugin.since {
            faint(ui, crate::session::explanation::sentence(since));
        }
        if plugin.hides == Some(true) {
            let t = tokens(ui);
            let warning = tr!("plugins-overrides-built-in", name = plugin.title());
            ui.label(RichText::new(warning).font(semibold(14.0)).color(t.warning));
        }
        description(ui, plugin);
        if let Some(problem) = &plugin.problem {
            widgets::problem(ui, problem);
        }
        if let (Some(false), Some(path)) = (plugin.hides, &plugin.path)
            && button(ui, tr!("plugins-override-allow")).clicked()
        {
            let path = path.clone();
            cx.change(move |session| session.allow_plugin(path));
        }
        if !plugin.equations().is_empty() {
            experiment::equations(ui, plugin);
            linear_layers_note(ui, plugin);
        }
    });
    if !plugin.parameters.is_empty() {
        parameters(ui, plugin);
    }
    source(ui, cx, plugin, column);
}

/// Draws the plugin's description, if it has one.
fn description(ui: &mut Ui, plugin: &PluginView) {
    if !plugin.description.trim().is_empty() {
        sentence(ui, plugin.about());
    }
}

/// Draws at which layers the plugin is linear.
fn linear_layers_note(ui: &mut Ui, plugin: &PluginView) {
    if let Some(text) = plugin.folded() {
        faint(ui, text);
    }
}

/// Draws the offer to reopen an unsaved text that was closed.
fn unsaved_text_offer(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(closed) = cx.session.editor.closed.last() else {
        return;
    };
    let unnamed = tr!("plugins-unnamed");
    let name = closed.name.as_deref().unwrap_or(unnamed);
    card(ui, |ui| {
        widgets::title(ui, tr!("plugins-not-saved", name));
        ui.horizontal_wrapped(|ui| {
            cx.change_button(ui, tr!("plugins-continue-editing"), Session::reopen_closed_text);
            if button(ui, tr!("plugins-discard")).clicked() {
                cx.dispatch(UiCommand::DiscardClosedText);
            }
        });
    });
}

fn parameters(ui: &mut Ui, plugin: &PluginView) {
    card(ui, |ui| {
        let t = tokens(ui);
        widgets::title_row(ui, tr!("plugins-parameters-per-block"), |ui| {
            let text = match plugin.size() {
                Some((low, usual, high)) => tr!("plugins-parameters-size", low, high, usual),
                None => tr!("plugins-parameters-no-size").into(),
            };
            faint(ui, text);
        });
        widgets::grid(ui, "parameters", 3, [28.0, 6.0], |ui| {
            for title in
                ["plugins-parameters-name", "plugins-parameters-shape", "plugins-parameters-init"]
            {
                faint(ui, tr!(title));
            }
            ui.end_row();
            for parameter in &plugin.parameters {
                ui.label(RichText::new(&parameter.name).font(mono(12.0)).color(t.strong));
                ui.label(RichText::new(&parameter.shape).font(mono(12.0)).color(t.text));
                ui.label(RichText::new(&parameter.init).color(t.text));
                ui.end_row();
            }
        });
    });
}

fn source(ui: &mut Ui, cx: &mut Cx<'_>, plugin: &PluginView, column: Column) {
    let height = column.remaining_height(ui, 220.0);
    card_with_height(ui, height, |ui| {
        widgets::title_row(ui, tr!("plugins-file"), |ui| {
            if button(ui, tr!("plugins-file-copy")).clicked() {
                cx.dispatch(UiCommand::CopyText(plugin.text.clone()));
            }
        });
        let t = tokens(ui);
        let frame = egui::Frame::new()
            .fill(t.background)
            .corner_radius(6)
            .inner_margin(egui::Margin::symmetric(12, 10));
        frame.show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            egui::ScrollArea::horizontal().show(ui, |ui| {
                let text = RichText::new(&plugin.text).font(mono(12.0)).color(t.text);
                ui.add(Label::new(text).selectable(true).extend());
            });
        });
    });
}

fn right_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let height = column.remaining_height(ui, 0.0);
    let list = cx.session.inventory.plugins.clone();
    let current = selected_plugin(cx, &list).map(|plugin| &plugin.name);
    card_with_height(ui, height, |ui| {
        widgets::title_row(ui, tr!("plugins-title"), |ui| {
            cx.change_button(ui, tr!("plugins-reload"), Session::read_plugins);
            cx.change_button(ui, tr!("plugins-new"), Session::create_plugin);
        });
        let t = tokens(ui);
        for plugin in list.iter() {
            let text = if plugin.problem.is_some() {
                RichText::new(tr!("plugins-with-error", name = plugin.title())).color(t.bad)
            } else {
                RichText::new(plugin.title())
            };
            let item = egui::Button::selectable(Some(&plugin.name) == current, text)
                .right_text(RichText::new(plugin.origin()).color(t.subdued))
                .min_size(egui::vec2(ui.available_width(), 28.0));
            if ui.add(item).clicked() {
                cx.pages.plugins.selected = Some(plugin.name.clone());
            }
        }
        ui.add_space(8.0);
        folders(ui, cx);
    });
}

/// Draws an explanation of plugins, links to examples, and the folder of the user's plugins.
fn folders(ui: &mut Ui, cx: &mut Cx<'_>) {
    sentence(ui, tr!("plugins-about"));
    faint(ui, tr!("plugins-new-based-on"));
    ui.horizontal_wrapped(|ui| {
        for (name, id) in EXAMPLES {
            if ui.link(tr!(id)).clicked() {
                cx.change(move |session| session.edit_copy(name));
            }
        }
    });
    let Some(folder) = cx.session.plugin_folder() else {
        return;
    };
    let path = folder.display().to_string();
    faint(ui, tr!("plugins-folder"));
    let t = tokens(ui);
    widgets::selectable(ui, &path, mono(11.5), t.text);
    ui.horizontal_wrapped(|ui| {
        if button(ui, tr!("plugins-folder-show")).clicked() {
            cx.change(move |session| session.reveal(&folder.join("plugins")));
        }
        if button(ui, tr!("plugins-folder-copy")).clicked() {
            cx.dispatch(UiCommand::CopyText(path));
        }
    });
}
