//! The plugin that is being edited: its text on the left, and the result of checking it on the right.

use egui::{RichText, Ui};

use super::code::{CodeEditor, Highlights};
use super::find::FindBar;
use super::meaning;
use crate::session::Session;
use crate::session::editor::OpenPlugin;
use crate::tr;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::input::is_dialog_open;
use crate::ui::widgets::{
    self, Column, Fixed, button, button_if, card, card_with_height, faint, primary_button,
    sentence, two_columns,
};

/// Width of the right column.
const RESULT_WIDTH: f32 = 430.0;

/// The state of the editor that is kept between frames.
#[derive(Default)]
pub struct State {
    pub(super) code: CodeEditor,
    find: FindBar,
}

/// Draws the page while a text is open.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    two_columns(ui, cx, Fixed::Right(RESULT_WIDTH), left_column, meaning::show);
}

fn left_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let session = cx.session;
    let Some(open) = &session.editor.open else {
        return;
    };
    warnings(ui, cx, open);
    let height = column.remaining_height(ui, 360.0);
    card_with_height(ui, height, |ui| {
        let find_opened = show_header(ui, cx, open);
        let State { code, find } = &mut cx.pages.plugins.editor;
        code.sync(ui, open);
        let replaced = find.is_open && find.show(ui, code, find_opened);
        let replaced = replaced.then(|| code.text.clone());
        let highlights = Highlights {
            matches: find.matches(&code.text),
            current_match: find.current(),
            ..Highlights::default()
        };
        let text_height = (column.remaining_height(ui, 330.0) - 48.0).max(260.0);
        let typed = code.show(ui, open, highlights, text_height);
        if let Some(text) = typed.or(replaced) {
            cx.change(move |session| session.edit_plugin(text));
        }
    });
    if open.time_until_measurement().is_some() {
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(520));
    }
}

/// Draws warnings about what prevents saving or needs a decision of the user.
fn warnings(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    if let Some(from) = &open.install_from {
        card(ui, |ui| {
            widgets::title(ui, tr!("editor-not-installed"));
            let place = from.display().to_string();
            sentence(ui, tr!("editor-not-installed-about", place));
        });
    }
    if let Some(name) = open.replaced_builtin().filter(|_| !open.may_replace_builtin) {
        card(ui, |ui| {
            let t = tokens(ui);
            let warning = tr!("editor-overrides-built-in", name);
            ui.label(RichText::new(warning).font(semibold(14.0)).color(t.bad));
            sentence(ui, tr!("editor-overrides-built-in-about"));
            cx.change_button(ui, &tr!("editor-override-allow", name), Session::allow_open_plugin);
        });
    }
    if open.disk_text.is_some() {
        card(ui, |ui| {
            widgets::title(ui, tr!("editor-changed-on-disk"));
            ui.horizontal_wrapped(|ui| {
                cx.change_button(ui, tr!("editor-reload-file"), |s| s.resolve_conflict(true));
                cx.change_button(ui, tr!("editor-keep-my-version"), |s| s.resolve_conflict(false));
            });
        });
    }
    if let Some(problem) = &open.problem {
        card(ui, |ui| widgets::problem(ui, problem));
    }
}

/// Draws the plugin's name, state and buttons. Returns whether the search bar was opened.
fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) -> bool {
    let accepts_keys = !is_dialog_open(ui.ctx());
    let save_pressed =
        accepts_keys && ui.input_mut(|input| input.consume_shortcut(&keys::SAVE_FILE));
    let find_pressed = accepts_keys && ui.input_mut(|input| input.consume_shortcut(&keys::FIND));
    let name = open.name.as_deref().unwrap_or(tr!("editor-unnamed"));
    let state = match (&open.file, open.has_unsaved_changes()) {
        (None, _) => tr!("editor-not-saved-yet"),
        (Some(_), true) => tr!("editor-unsaved-changes"),
        (Some(_), false) => tr!("editor-saved"),
    };
    ui.horizontal_wrapped(|ui| {
        widgets::headline(ui, name);
        faint(ui, state);
    });
    let mut opened = find_pressed;
    ui.horizontal_wrapped(|ui| {
        let save =
            if open.install_from.is_some() { tr!("editor-install") } else { tr!("editor-save") };
        let hint = keys::format_shortcut(ui.ctx(), &keys::SAVE_FILE);
        if primary_button(ui, save, open.has_unsaved_changes()).on_hover_text(hint).clicked()
            || save_pressed
        {
            cx.change(Session::save_plugin);
        }
        let hint = tr!("editor-use-hint");
        if button_if(ui, open.is_valid(), tr!("plugins-use")).on_hover_text(hint).clicked() {
            cx.change(Session::use_plugin);
        }
        cx.change_button(ui, tr!("editor-duplicate"), Session::duplicate_plugin);
        let file = open.file.as_ref();
        if let (true, Some(file)) =
            (button_if(ui, file.is_some(), tr!("editor-show-file")).clicked(), file)
        {
            let file = file.clone();
            cx.change(move |session| session.reveal(&file));
        }
        let hint = keys::format_shortcut(ui.ctx(), &keys::FIND);
        opened |= button(ui, tr!("editor-find")).on_hover_text(hint).clicked();
        if button(ui, tr!("editor-close")).on_hover_text(tr!("editor-close-hint")).clicked() {
            cx.change(Session::close_plugin);
        }
    });
    if let Some(file) = &open.file {
        widgets::truncated_faint(ui, file.display().to_string());
    }
    cx.pages.plugins.editor.find.is_open |= opened;
    opened
}
