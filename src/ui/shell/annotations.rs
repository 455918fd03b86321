//! The dialog that edits a run's name, tags and note.

use std::path::PathBuf;

use egui::{Margin, TextEdit, Ui, Vec2};

use super::OverlayContext;
use crate::problem::Result;
use crate::run::annotations::Annotations;
use crate::session::Session;
use crate::session::run_row::generated_title;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::widgets::{self, button, chip, dialog, faint, field, headline, primary_button};

/// Maximum number of suggested tags.
const MAX_SUGGESTED_TAGS: usize = 12;

/// The notes on a run that are being edited.
pub struct Draft {
    folder: PathBuf,
    /// A summary of the run's settings.
    settings_summary: String,
    name: String,
    /// The tags, separated by commas.
    tags: String,
    note: String,
    /// Name, tags and note before they were edited.
    initial: [String; 3],
    /// Whether the field for the name must still be focused.
    needs_focus: bool,
}

impl Draft {
    /// Returns the current notes on this run.
    pub fn new(session: &Session, folder: PathBuf) -> Self {
        let about = session.annotations(&folder);
        let tags = about.tags.join(", ");
        Self {
            initial: [about.name.clone(), tags.clone(), about.note.clone()],
            settings_summary: session.header_of(&folder).map_or_else(String::new, generated_title),
            folder,
            name: about.name,
            tags,
            note: about.note,
            needs_focus: true,
        }
    }

    fn is_changed(&self) -> bool {
        [&self.name, &self.tags, &self.note] != self.initial.each_ref()
    }

    fn about(&self) -> Annotations {
        Annotations {
            name: self.name.clone(),
            tags: vec![self.tags.clone()],
            note: self.note.clone(),
            ..Annotations::default()
        }
    }
}

/// Draws the dialog if it is open.
pub(super) fn show(open: &mut Option<Draft>, cx: &mut OverlayContext<'_>) {
    let Some(draft) = open else { return };
    let enter = widgets::enter_without_focus(cx.ctx);
    let modal = dialog(cx.ctx, "about", 460.0, |ui| {
        headline(ui, tr!("shell-run-about-title"));
        faint(ui, &draft.settings_summary);
        let save = enter | fields(ui, draft);
        suggested_tags(ui, &mut draft.tags, &[], &cx.session.tags());
        let about = draft.about().validate();
        let changed = about.map(|about| vec![(draft.folder.clone(), about)]);
        save_or_cancel(ui, save, changed, cx.commands)
    });
    // A click next to the dialog must not discard a note.
    let is_stray_click = modal.backdrop_response.clicked() && draft.is_changed();
    if modal.inner || (modal.should_close() && !is_stray_click) {
        *open = None;
    }
}

/// Draws the bottom row of a dialog: the error, *Save* (with its shortcut) and *Cancel*. If *Save* is pressed or `save`
/// is set, the notes on these runs change. Returns whether to close the dialog.
pub(super) fn save_or_cancel(
    ui: &mut Ui,
    save: bool,
    changed: Result<Vec<(PathBuf, Annotations)>>,
    commands: &mut Vec<UiCommand>,
) -> bool {
    let keys = ui.input_mut(|i| i.consume_shortcut(&keys::SAVE));
    if let Err(problem) = &changed {
        widgets::problem(ui, problem);
    }
    ui.add_space(4.0);
    let buttons = ui.horizontal(|ui| {
        let save = primary_button(ui, tr!("shell-save"), changed.is_ok()).clicked();
        [save, button(ui, tr!("shell-cancel")).clicked()]
    });
    let [saved, cancelled] = buttons.inner;
    let (true, Ok(changed)) = (save | keys | saved, changed) else {
        return cancelled;
    };
    for (folder, about) in changed {
        let describe = |session: &mut Session| session.set_annotations(folder, about);
        commands.push(UiCommand::change(describe));
    }
    true
}

/// Draws the three fields. Returns whether Enter was pressed in a field of a single line.
fn fields(ui: &mut Ui, draft: &mut Draft) -> bool {
    let mut enter = false;
    let mut needs_focus = std::mem::take(&mut draft.needs_focus);
    let inputs = [
        (tr!("shell-run-name"), tr!("shell-run-name-hint"), &mut draft.name),
        (tr!("shell-run-tags"), tr!("shell-run-tags-hint"), &mut draft.tags),
    ];
    for (label, hint, text) in inputs {
        let response =
            field(ui, label, |ui| ui.add(widgets::line_edit(text, f32::INFINITY).hint_text(hint)));
        if std::mem::take(&mut needs_focus) {
            response.request_focus();
        }
        enter |= widgets::is_submitted(ui, &response);
    }
    let shortcut = keys::format_shortcut(ui.ctx(), &keys::SAVE);
    field(ui, tr!("shell-run-note"), |ui| {
        ui.add(
            TextEdit::multiline(&mut draft.note)
                .hint_text(tr!("shell-run-note-hint", keys = shortcut))
                .desired_rows(5)
                .desired_width(f32::INFINITY)
                .margin(Margin::symmetric(9, 6)),
        )
    });
    enter
}

/// Draws tags of other runs, except those in `taken`. A click on a tag adds it to the comma-separated `tags`.
pub(super) fn suggested_tags(
    ui: &mut Ui,
    tags: &mut String,
    taken: &[String],
    all_tags: &[String],
) {
    let typed = Annotations { tags: vec![tags.clone()], ..Annotations::default() };
    let typed = typed.normalised().tags;
    let others = all_tags.iter();
    let others = others.filter(|tag| !typed.contains(tag) && !taken.contains(tag));
    let others: Vec<&String> = others.take(MAX_SUGGESTED_TAGS).collect();
    if others.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        for tag in others {
            if chip(ui, None, tag, &tr!("shell-run-add-tag", tag = tag.as_str())).clicked() {
                let all = typed.iter().chain([tag]);
                *tags = all.map(String::as_str).collect::<Vec<_>>().join(", ");
            }
        }
    });
}
