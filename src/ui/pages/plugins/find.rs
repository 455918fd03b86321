//! Find and replace in the text of a plugin.

use std::ops::Range;

use egui::Ui;

use super::code::Code;
use crate::tr;
use crate::ui::widgets::{button, button_if, entered, faint, line_edit};

/// The state of the search bar.
#[derive(Default)]
pub struct Find {
    /// Whether the bar is shown.
    pub on: bool,
    what: String,
    by: String,
    /// The current match.
    seen: Option<Range<usize>>,
}

impl Find {
    /// Returns the matches in a text; empty while the bar is closed.
    pub fn hits(&self, text: &str) -> Vec<Range<usize>> {
        if !self.on || self.what.is_empty() {
            return Vec::new();
        }
        let found = text.match_indices(&self.what);
        found.map(|(at, own)| at..at + own.len()).collect()
    }

    /// Returns the current match while the bar is shown.
    pub fn seen(&self) -> Option<Range<usize>> {
        self.seen.clone().filter(|_| self.on)
    }

    /// Draws the search bar. Returns whether text was replaced.
    pub fn show(&mut self, ui: &mut Ui, code: &mut Code, opened: bool) -> bool {
        let hits = self.hits(&code.text);
        let mut changed = false;
        ui.horizontal_wrapped(|ui| {
            let label = faint(ui, tr!("editor-find-what"));
            let field = ui
                .add(line_edit(&mut self.what, 130.0))
                .labelled_by(label.id);
            if opened {
                field.request_focus();
            }
            let next = entered(ui, &field);
            if next {
                // The focus stays in the field, so that another Enter continues the search instead of replacing the
                // match.
                field.request_focus();
                code.aside = true;
            }
            if button_if(ui, !hits.is_empty(), tr!("editor-find-next")).clicked() || next {
                // The cursor is after the current match, so the search continues from there.
                self.select_next(&hits, code, code.cursor);
            }
            let label = faint(ui, tr!("editor-replace-with"));
            ui.add(line_edit(&mut self.by, 130.0)).labelled_by(label.id);
            if button_if(ui, !hits.is_empty(), tr!("editor-replace")).clicked() {
                changed = self.replace(ui, &hits, code);
            }
            if button_if(ui, !hits.is_empty(), tr!("editor-replace-all")).clicked() {
                let all = code.text.replace(&self.what, &self.by);
                code.replace(ui, 0..code.text.len(), &all);
                changed = true;
            }
            if !self.what.is_empty() {
                faint(ui, tr!("editor-find-count", n = hits.len()));
            }
            if button(ui, tr!("editor-close")).clicked() {
                self.on = false;
            }
        });
        changed
    }

    /// Selects the first match that starts at or after this byte, otherwise the first match of the text.
    fn select_next(&mut self, hits: &[Range<usize>], code: &mut Code, from: usize) {
        let next = hits.iter().find(|hit| hit.start >= from);
        self.seen = next.or(hits.first()).cloned();
        code.go_to.clone_from(&self.seen);
    }

    /// Replaces the current match, or the next match if there is none, and selects the following match. Returns whether
    /// there was a match.
    fn replace(&mut self, ui: &Ui, hits: &[Range<usize>], code: &mut Code) -> bool {
        let in_sight = |hit: &&Range<usize>| {
            self.seen.as_ref() == Some(*hit) && [hit.start, hit.end].contains(&code.cursor)
        };
        let next = || hits.iter().find(|hit| hit.start >= code.cursor);
        let hit = hits.iter().find(in_sight).or_else(next).or(hits.first());
        let Some(hit) = hit.cloned() else {
            return false;
        };
        code.replace(ui, hit.clone(), &self.by);
        let left = self.hits(&code.text);
        let behind = hit.start + self.by.len();
        if left.is_empty() {
            self.seen = None;
        } else {
            self.select_next(&left, code, behind);
        }
        true
    }
}
