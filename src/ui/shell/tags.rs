//! The dialog that adds and removes tags of several runs at once.

use std::path::PathBuf;

use egui::{Button, RichText, Ui, Vec2};

use super::OverlayContext;
use super::annotations::{save_or_cancel, suggested_tags};
use crate::problem::Result;
use crate::run::annotations::Annotations;
use crate::session::Session;
use crate::tr;
use crate::ui::widgets::{self, dialog, faint, field, headline};

/// The changes of the tags of some runs.
pub struct Draft {
    runs: Vec<(PathBuf, Annotations)>,
    entries: Vec<TagEntry>,
    /// The tags to add to all runs, separated by commas.
    added: String,
    /// Whether the field must still be focused.
    needs_focus: bool,
}

/// A tag that at least one of the runs has.
struct TagEntry {
    tag: String,
    runs: usize,
    action: TagAction,
}

/// What to do with a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TagAction {
    /// No change.
    Keep,
    /// Add it to all runs.
    All,
    /// Remove it from all runs.
    None,
}

impl TagEntry {
    /// Returns the action that follows after a click. A tag that all runs have cannot be added.
    fn next_action(&self, run_count: usize) -> TagAction {
        match self.action {
            TagAction::Keep if self.runs < run_count => TagAction::All,
            TagAction::Keep | TagAction::All => TagAction::None,
            TagAction::None => TagAction::Keep,
        }
    }

    /// Returns the label and the tooltip of the tag.
    fn label_and_tooltip(&self, of: usize) -> (String, String) {
        let tag = &self.tag;
        let (suffix, tooltip) = match self.action {
            TagAction::Keep if self.runs == of => {
                (String::new(), tr!("shell-tags-all-have").into())
            }
            TagAction::Keep => {
                let share = tr!("shell-tags-share", n = self.runs, of);
                let have = tr!("shell-tags-have", share = share.as_str());
                (format!(" · {share}"), have)
            }
            TagAction::All => {
                (format!(" · {}", tr!("shell-tags-all")), tr!("shell-tags-add-to-all").into())
            }
            TagAction::None => {
                (format!(" · {}", tr!("shell-tags-none")), tr!("shell-tags-remove-from-all").into())
            }
        };
        (format!("#{tag}{suffix}"), tooltip)
    }
}

impl Draft {
    /// Returns a draft for these runs without changes.
    pub fn new(session: &Session, folders: Vec<PathBuf>) -> Self {
        let folders = folders.into_iter();
        let runs = folders.map(|folder| (folder.clone(), session.annotations(&folder)));
        let runs: Vec<(PathBuf, Annotations)> = runs.collect();
        let mut entries: Vec<TagEntry> = Vec::new();
        for tag in runs.iter().flat_map(|(_, about)| &about.tags) {
            match entries.iter_mut().find(|entry| entry.tag == *tag) {
                Some(entry) => entry.runs += 1,
                None => {
                    entries.push(TagEntry { tag: tag.clone(), runs: 1, action: TagAction::Keep });
                }
            }
        }
        Self { runs, entries, added: String::new(), needs_focus: true }
    }

    /// Returns the new notes of the runs whose tags change.
    fn changed(&self) -> Result<Vec<(PathBuf, Annotations)>> {
        let has_action = |tag: &String, action| {
            let mut entries = self.entries.iter();
            entries.any(|entry| entry.tag == *tag && entry.action == action)
        };
        let mut changed = Vec::new();
        for (folder, about) in &self.runs {
            let remaining = about.tags.iter().filter(|tag| !has_action(tag, TagAction::None));
            let added_to_all = self.entries.iter().filter(|entry| entry.action == TagAction::All);
            let tags = remaining.chain(added_to_all.map(|entry| &entry.tag)).cloned();
            let updated =
                Annotations { tags: tags.chain([self.added.clone()]).collect(), ..about.clone() };
            let updated = updated.validate()?;
            if updated.tags != about.tags {
                changed.push((folder.clone(), updated));
            }
        }
        Ok(changed)
    }
}

/// Draws the dialog if it is open.
pub(super) fn show(open: &mut Option<Draft>, cx: &mut OverlayContext<'_>) {
    let Some(draft) = open else { return };
    let enter = widgets::enter_without_focus(cx.ctx);
    let modal = dialog(cx.ctx, "tags", 460.0, |ui| {
        headline(ui, tr!("shell-tags-title", n = draft.runs.len()));
        let save = enter | tags_field(ui, draft);
        let current_tags: Vec<String> =
            draft.entries.iter().map(|entry| entry.tag.clone()).collect();
        suggested_tags(ui, &mut draft.added, &current_tags, &cx.session.tags());
        tag_chips(ui, draft);
        save_or_cancel(ui, save, draft.changed(), cx.commands)
    });
    if modal.inner || modal.should_close() {
        *open = None;
    }
}

/// Draws the field for tags to add. Returns whether Enter was pressed.
fn tags_field(ui: &mut Ui, draft: &mut Draft) -> bool {
    let response = field(ui, tr!("shell-tags-field"), |ui| {
        let edit = widgets::line_edit(&mut draft.added, f32::INFINITY);
        ui.add(edit.hint_text(tr!("shell-tags-hint")))
    });
    if std::mem::take(&mut draft.needs_focus) {
        response.request_focus();
    }
    widgets::is_submitted(ui, &response)
}

/// Draws the tags that at least one of the runs has. A click adds a tag to all runs; another click removes it from all.
fn tag_chips(ui: &mut Ui, draft: &mut Draft) {
    if draft.entries.is_empty() {
        return;
    }
    faint(ui, tr!("shell-tags-current"));
    let run_count = draft.runs.len();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        for entry in &mut draft.entries {
            let (label, tooltip) = entry.label_and_tooltip(run_count);
            let mut text = RichText::new(label);
            if entry.action == TagAction::None {
                text = text.strikethrough();
            }
            let chip = Button::selectable(entry.action != TagAction::Keep, text).corner_radius(12);
            if ui.add(chip).on_hover_text(tooltip).clicked() {
                entry.action = entry.next_action(run_count);
            }
        }
    });
}
