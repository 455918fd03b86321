//! The dialog that adds and removes tags of several runs at once.

use std::path::PathBuf;

use egui::{Button, RichText, Ui, Vec2};

use super::OverlayContext;
use super::about::{offered, save_or_cancel};
use crate::problem::Result;
use crate::run::about::About;
use crate::session::Session;
use crate::tr;
use crate::ui::widgets::{self, dialog, faint, field, headline};

/// The changes of the tags of some runs.
pub struct Draft {
    runs: Vec<(PathBuf, About)>,
    marks: Vec<Mark>,
    /// The tags to add to all runs, separated by commas.
    added: String,
    /// Whether the field must still be focused.
    fresh: bool,
}

/// A tag that at least one of the runs has.
struct Mark {
    tag: String,
    runs: usize,
    wish: TagAction,
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

impl Mark {
    /// Returns the action that follows after a click. A tag that all runs have cannot be added.
    fn next(&self, of: usize) -> TagAction {
        match self.wish {
            TagAction::Keep if self.runs < of => TagAction::All,
            TagAction::Keep | TagAction::All => TagAction::None,
            TagAction::None => TagAction::Keep,
        }
    }

    /// Returns the label and the tooltip of the tag.
    fn words(&self, of: usize) -> (String, String) {
        let tag = &self.tag;
        let (share, now) = match self.wish {
            TagAction::Keep if self.runs == of => {
                (String::new(), tr!("shell-tags-all-have").into())
            }
            TagAction::Keep => {
                let share = tr!("shell-tags-share", n = self.runs, of);
                let have = tr!("shell-tags-have", share = share.as_str());
                (format!(" · {share}"), have)
            }
            TagAction::All => (
                format!(" · {}", tr!("shell-tags-all")),
                tr!("shell-tags-add-to-all").into(),
            ),
            TagAction::None => (
                format!(" · {}", tr!("shell-tags-none")),
                tr!("shell-tags-remove-from-all").into(),
            ),
        };
        (format!("#{tag}{share}"), now)
    }
}

impl Draft {
    /// Returns a draft for these runs without changes.
    pub fn new(session: &Session, folders: Vec<PathBuf>) -> Self {
        let folders = folders.into_iter();
        let runs = folders.map(|folder| (folder.clone(), session.about(&folder)));
        let runs: Vec<(PathBuf, About)> = runs.collect();
        let mut marks: Vec<Mark> = Vec::new();
        for tag in runs.iter().flat_map(|(_, about)| &about.tags) {
            match marks.iter_mut().find(|mark| mark.tag == *tag) {
                Some(mark) => mark.runs += 1,
                None => marks.push(Mark {
                    tag: tag.clone(),
                    runs: 1,
                    wish: TagAction::Keep,
                }),
            }
        }
        Self {
            runs,
            marks,
            added: String::new(),
            fresh: true,
        }
    }

    /// Returns the new notes of the runs whose tags change.
    fn changed(&self) -> Result<Vec<(PathBuf, About)>> {
        let has = |tag: &String, wish| {
            let mut marks = self.marks.iter();
            marks.any(|mark| mark.tag == *tag && mark.wish == wish)
        };
        let mut changed = Vec::new();
        for (folder, about) in &self.runs {
            let own = about.tags.iter().filter(|tag| !has(tag, TagAction::None));
            let to_all = self.marks.iter().filter(|mark| mark.wish == TagAction::All);
            let tags = own.chain(to_all.map(|mark| &mark.tag)).cloned();
            let next = About {
                tags: tags.chain([self.added.clone()]).collect(),
                ..about.clone()
            };
            let next = next.checked()?;
            if next.tags != about.tags {
                changed.push((folder.clone(), next));
            }
        }
        Ok(changed)
    }
}

/// Draws the dialog if it is open.
pub(super) fn show(open: &mut Option<Draft>, cx: &mut OverlayContext<'_>) {
    let Some(draft) = open else { return };
    let enter = widgets::enter_alone(cx.ctx);
    let modal = dialog(cx.ctx, "tags", 460.0, |ui| {
        headline(ui, tr!("shell-tags-title", n = draft.runs.len()));
        let save = enter | added(ui, draft);
        let known: Vec<String> = draft.marks.iter().map(|mark| mark.tag.clone()).collect();
        offered(ui, &mut draft.added, &known, &cx.session.tags());
        marks(ui, draft);
        save_or_cancel(ui, save, draft.changed(), cx.commands)
    });
    if modal.inner || modal.should_close() {
        *open = None;
    }
}

/// Draws the field for tags to add. Returns whether Enter was pressed.
fn added(ui: &mut Ui, draft: &mut Draft) -> bool {
    let response = field(ui, tr!("shell-tags-field"), |ui| {
        let edit = widgets::line_edit(&mut draft.added, f32::INFINITY);
        ui.add(edit.hint_text(tr!("shell-tags-hint")))
    });
    if std::mem::take(&mut draft.fresh) {
        response.request_focus();
    }
    widgets::entered(ui, &response)
}

/// Draws the tags that at least one of the runs has. A click adds a tag to all runs; another click removes it from all.
fn marks(ui: &mut Ui, draft: &mut Draft) {
    if draft.marks.is_empty() {
        return;
    }
    faint(ui, tr!("shell-tags-current"));
    let of = draft.runs.len();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        for mark in &mut draft.marks {
            let (words, now) = mark.words(of);
            let mut text = RichText::new(words);
            if mark.wish == TagAction::None {
                text = text.strikethrough();
            }
            let chip = Button::selectable(mark.wish != TagAction::Keep, text).corner_radius(12);
            if ui.add(chip).on_hover_text(now).clicked() {
                mark.wish = mark.next(of);
            }
        }
    });
}
