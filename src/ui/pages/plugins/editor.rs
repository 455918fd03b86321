//! The plugin that is being edited: its text on the left, and the result of checking it on the right.

use egui::{RichText, Ui};

use super::code::{Code, Painted};
use super::find::Find;
use super::meaning;
use crate::session::Session;
use crate::session::editor::OpenPlugin;
use crate::tr;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::input::is_below_dialog;
use crate::ui::widgets::{
    self, Column, Fixed, button, button_if, card, card_of, faint, primary_button, sentence,
    two_columns,
};

/// Width of the right column.
const MEANING: f32 = 430.0;

/// The state of the editor that is kept between frames.
#[derive(Default)]
pub struct State {
    pub(super) code: Code,
    find: Find,
}

/// Draws the page while a text is open.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    two_columns(ui, cx, Fixed::Right(MEANING), left, meaning::show);
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let session = cx.session;
    let Some(open) = &session.editor.open else {
        return;
    };
    warnings(ui, cx, open);
    let height = column.rest(ui, 360.0);
    card_of(ui, height, |ui| {
        let opened = head(ui, cx, open);
        let State { code, find } = &mut cx.pages.plugins.editor;
        code.take(ui, open);
        let replaced = find.on && find.show(ui, code, opened);
        let replaced = replaced.then(|| code.text.clone());
        let painted = Painted {
            hits: find.hits(&code.text),
            seen: find.seen(),
            ..Painted::default()
        };
        let room = (column.rest(ui, 330.0) - 48.0).max(260.0);
        let typed = code.show(ui, open, painted, room);
        if let Some(text) = typed.or(replaced) {
            cx.change(move |session| session.edit_plugin(text));
        }
    });
    if open.due().is_some() {
        ui.ctx()
            .request_repaint_after(std::time::Duration::from_millis(520));
    }
}

/// Draws warnings about what prevents saving or needs a decision of the user.
fn warnings(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    if let Some(from) = &open.from {
        card(ui, |ui| {
            widgets::title(ui, tr!("editor-not-installed"));
            let place = from.display().to_string();
            sentence(ui, tr!("editor-not-installed-about", place));
        });
    }
    if let Some(name) = open.hides().filter(|_| !open.allowed) {
        card(ui, |ui| {
            let t = tokens(ui);
            let loud = tr!("editor-overrides-built-in", name);
            ui.label(RichText::new(loud).font(semibold(14.0)).color(t.bad));
            sentence(ui, tr!("editor-overrides-built-in-about"));
            if button(ui, tr!("editor-override-allow", name)).clicked() {
                cx.change(Session::allow_open_plugin);
            }
        });
    }
    if open.theirs.is_some() {
        card(ui, |ui| {
            widgets::title(ui, tr!("editor-changed-on-disk"));
            ui.horizontal_wrapped(|ui| {
                cx.change_button(ui, tr!("editor-reload-file"), |s| s.settle_plugin(true));
                if button(ui, tr!("editor-keep-my-version")).clicked() {
                    cx.change(|session| session.settle_plugin(false));
                }
            });
        });
    }
    if let Some(problem) = &open.problem {
        card(ui, |ui| widgets::problem(ui, problem));
    }
}

/// Draws the plugin's name, state and buttons. Returns whether the search bar was opened.
fn head(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) -> bool {
    let free = !is_below_dialog(ui.ctx());
    let saved = free && ui.input_mut(|input| input.consume_shortcut(&keys::SAVE_FILE));
    let find = free && ui.input_mut(|input| input.consume_shortcut(&keys::FIND));
    let name = open.name.as_deref().unwrap_or(tr!("editor-unnamed"));
    let state = match (&open.file, open.is_changed()) {
        (None, _) => tr!("editor-not-saved-yet"),
        (Some(_), true) => tr!("editor-unsaved-changes"),
        (Some(_), false) => tr!("editor-saved"),
    };
    ui.horizontal_wrapped(|ui| {
        widgets::headline(ui, name);
        faint(ui, state);
    });
    let mut opened = find;
    ui.horizontal_wrapped(|ui| {
        let save = if open.from.is_some() {
            tr!("editor-install")
        } else {
            tr!("editor-save")
        };
        let hint = keys::named(ui.ctx(), &keys::SAVE_FILE);
        if primary_button(ui, save, open.is_changed())
            .on_hover_text(hint)
            .clicked()
            || saved
        {
            cx.change(Session::save_plugin);
        }
        let hint = tr!("editor-use-hint");
        if button_if(ui, open.is_sound(), tr!("plugins-use"))
            .on_hover_text(hint)
            .clicked()
        {
            cx.change(Session::use_plugin);
        }
        cx.change_button(ui, tr!("editor-duplicate"), Session::duplicate_plugin);
        let file = open.file.as_ref();
        if let (true, Some(file)) = (
            button_if(ui, file.is_some(), tr!("editor-show-file")).clicked(),
            file,
        ) {
            let file = file.clone();
            cx.change(move |session| session.reveal(&file));
        }
        let hint = keys::named(ui.ctx(), &keys::FIND);
        opened |= button(ui, tr!("editor-find")).on_hover_text(hint).clicked();
        if button(ui, tr!("editor-close"))
            .on_hover_text(tr!("editor-close-hint"))
            .clicked()
        {
            cx.change(Session::close_plugin);
        }
    });
    if let Some(file) = &open.file {
        widgets::cut(ui, file.display().to_string());
    }
    cx.pages.plugins.editor.find.on |= opened;
    opened
}
