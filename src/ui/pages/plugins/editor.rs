//! The plugin that is being written: its text on the left, what it means on the right.

use egui::{Popup, RichText, Ui};

use super::act;
use super::code::Code;
use super::find::Find;
use super::meaning;
use crate::session::editor::OpenPlugin;
use crate::session::views::Fetch;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::page_commands::PluginCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{
    self, Column, Fixed, button, button_if, card, card_of, faint, primary_button, sentence,
    two_columns,
};

/// Width of what it means.
const MEANING: f32 = 430.0;

/// What the editor remembers between frames.
#[derive(Default)]
pub struct State {
    pub(super) code: Code,
    find: Find,
}

/// Draws the page with the open text.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    two_columns(ui, cx, Fixed::Right(MEANING), left, meaning::show);
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let Some(open) = cx.session.editor.open.clone() else {
        return;
    };
    warnings(ui, cx, &open);
    let height = column.rest(ui, 360.0);
    card_of(ui, height, |ui| {
        let found = head(ui, cx, &open);
        let state = &mut cx.pages.plugins.editor;
        if state.find.on
            && let Some(text) = state.find.show(ui, &mut state.code, found)
        {
            cx.commands
                .push(UiCommand::OnPlugins(PluginCommand::Type(text)));
        }
        let hits = state.find.hits(&state.code.text);
        let room = (column.rest(ui, 330.0) - 48.0).max(260.0);
        let typed = state.code.show(ui, &open, &hits, room);
        if let Some(text) = typed {
            act(cx, PluginCommand::Type(text));
        }
    });
    if open.due().is_some() {
        ui.ctx()
            .request_repaint_after(std::time::Duration::from_millis(520));
    }
}

/// What stands in the way of saving, or has to be decided.
fn warnings(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    if let Some(from) = &open.from {
        card(ui, |ui| {
            widgets::title(ui, "This plugin is not installed yet");
            sentence(
                ui,
                format!(
                    "It lies at {}. What it would do stands beside its text; Install puts a copy among your plugins.",
                    from.display()
                ),
            );
        });
    }
    if let Some(name) = open.hides().filter(|_| !open.allowed) {
        card(ui, |ui| {
            let t = tokens(ui);
            let loud = format!("This would take the place of the built-in {name}");
            ui.label(RichText::new(loud).font(semibold(14.0)).color(t.bad));
            sentence(
                ui,
                "Every run with this name would train this text instead. Give it another name, or allow it: that is kept.",
            );
            if button(ui, format!("Let it take the place of {name}")).clicked() {
                act(cx, PluginCommand::AllowOpen);
            }
        });
    }
    if open.theirs.is_some() {
        card(ui, |ui| {
            widgets::title(ui, "Another program changed this file");
            ui.horizontal_wrapped(|ui| {
                if button(ui, "Take its text").clicked() {
                    act(cx, PluginCommand::Settle(true));
                }
                if button(ui, "Keep mine").clicked() {
                    act(cx, PluginCommand::Settle(false));
                }
            });
        });
    }
    if let Some(problem) = &open.problem {
        card(ui, |ui| widgets::problem(ui, problem));
    }
}

/// Name, state and buttons; whether the bar for finding was opened.
fn head(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) -> bool {
    let saved = ui.input_mut(|input| input.consume_shortcut(&keys::SAVE_FILE));
    let find = ui.input_mut(|input| input.consume_shortcut(&keys::FIND));
    let name = open.name().unwrap_or_else(|| "no name yet".into());
    let state = match (&open.file, open.is_changed()) {
        (None, _) => "not saved yet",
        (Some(_), true) => "changed since it was saved",
        (Some(_), false) => "saved",
    };
    let t = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(name).font(semibold(16.0)).color(t.strong));
        faint(ui, state);
    });
    let mut opened = find;
    ui.horizontal_wrapped(|ui| {
        let save = if open.from.is_some() {
            "Install"
        } else {
            "Save"
        };
        let hint = ui.ctx().format_shortcut(&keys::SAVE_FILE);
        if primary_button(ui, save, open.is_changed())
            .on_hover_text(hint)
            .clicked()
            || saved
        {
            act(cx, PluginCommand::Save);
        }
        let hint = "Saves it and chooses it on Experiment";
        if button_if(ui, open.is_sound(), "Use it")
            .on_hover_text(hint)
            .clicked()
        {
            act(cx, PluginCommand::Use);
        }
        if button(ui, "Duplicate").clicked() {
            act(cx, PluginCommand::Duplicate);
        }
        let file = open.file.as_ref();
        if let (true, Some(file)) = (button_if(ui, file.is_some(), "Show file").clicked(), file) {
            act(cx, PluginCommand::Reveal(file.clone()));
        }
        earlier(ui, cx, open);
        let hint = ui.ctx().format_shortcut(&keys::FIND);
        opened |= button(ui, "Find").on_hover_text(hint).clicked();
        if button(ui, "Close")
            .on_hover_text("Back to the list")
            .clicked()
        {
            act(cx, PluginCommand::Close);
        }
    });
    if let Some(file) = &open.file {
        widgets::cut(ui, file.display().to_string());
    }
    cx.pages.plugins.editor.find.on |= opened;
    opened
}

/// The texts that its file had before.
fn earlier(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    let opener = button_if(ui, open.file.is_some(), "Earlier…");
    if opener.clicked() {
        act(cx, PluginCommand::ReadEarlier);
    }
    Popup::menu(&opener).show(|ui| match &open.earlier {
        Fetch::Ready(texts) if texts.is_empty() => {
            faint(ui, "It had no other text so far");
        }
        Fetch::Ready(texts) => {
            for old in texts.iter().take(20) {
                let words = format!("as it was until {}", old.until);
                if ui.button(words).clicked() {
                    act(cx, PluginCommand::Type(old.text.clone()));
                }
            }
        }
        _ => {
            faint(ui, "reading …");
        }
    });
}
