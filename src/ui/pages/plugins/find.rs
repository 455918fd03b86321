//! Find and replace in the text of a plugin.

use std::ops::Range;

use egui::Ui;

use super::code::CodeEditor;
use crate::tr;
use crate::ui::widgets::{button, button_if, faint, is_submitted, line_edit};

/// The state of the search bar.
#[derive(Default)]
pub struct FindBar {
    /// Whether the bar is shown.
    pub is_open: bool,
    query: String,
    replacement: String,
    /// The current match.
    current: Option<Range<usize>>,
}

impl FindBar {
    /// Returns the matches in a text; empty while the bar is closed.
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        if !self.is_open || self.query.is_empty() {
            return Vec::new();
        }
        let found = text.match_indices(&self.query);
        found.map(|(start, matched)| start..start + matched.len()).collect()
    }

    /// Returns the current match while the bar is shown.
    pub fn current(&self) -> Option<Range<usize>> {
        self.current.clone().filter(|_| self.is_open)
    }

    /// Draws the search bar. Returns whether text was replaced.
    pub fn show(&mut self, ui: &mut Ui, code: &mut CodeEditor, opened: bool) -> bool {
        let matches = self.matches(&code.text);
        let mut changed = false;
        ui.horizontal_wrapped(|ui| {
            let label = faint(ui, tr!("editor-find-what"));
            let field = ui.add(line_edit(&mut self.query, 130.0)).labelled_by(label.id);
            if opened {
                field.request_focus();
            }
            let next = is_submitted(ui, &field);
            if next {
                // The focus stays in the field, so that another Enter continues the search instead of replacing the
                // match.
                field.request_focus();
                code.keep_focus = true;
            }
            if button_if(ui, !matches.is_empty(), tr!("editor-find-next")).clicked() || next {
                // The cursor is after the current match, so the search continues from there.
                self.select_next(&matches, code, code.cursor);
            }
            let label = faint(ui, tr!("editor-replace-with"));
            ui.add(line_edit(&mut self.replacement, 130.0)).labelled_by(label.id);
            if button_if(ui, !matches.is_empty(), tr!("editor-replace")).clicked() {
                changed = self.replace(ui, &matches, code);
            }
            if button_if(ui, !matches.is_empty(), tr!("editor-replace-all")).clicked() {
                let all = code.text.replace(&self.query, &self.replacement);
                code.replace(ui, 0..code.text.len(), &all);
                changed = true;
            }
            if !self.query.is_empty() {
                faint(ui, tr!("editor-find-count", n = matches.len()));
            }
            if button(ui, tr!("editor-close")).clicked() {
                self.is_open = false;
            }
        });
        changed
    }

    /// Selects the first match that starts at or after this byte, otherwise the first match of the text.
    fn select_next(&mut self, matches: &[Range<usize>], code: &mut CodeEditor, from: usize) {
        let next = matches.iter().find(|hit| hit.start >= from);
        self.current = next.or(matches.first()).cloned();
        code.go_to.clone_from(&self.current);
    }

    /// Replaces the current match, or the next match if there is none, and selects the following match. Returns whether
    /// there was a match.
    fn replace(&mut self, ui: &Ui, matches: &[Range<usize>], code: &mut CodeEditor) -> bool {
        let is_current = |hit: &&Range<usize>| {
            self.current.as_ref() == Some(*hit) && [hit.start, hit.end].contains(&code.cursor)
        };
        let next = || matches.iter().find(|hit| hit.start >= code.cursor);
        let hit = matches.iter().find(is_current).or_else(next).or(matches.first());
        let Some(hit) = hit.cloned() else {
            return false;
        };
        code.replace(ui, hit.clone(), &self.replacement);
        let remaining = self.matches(&code.text);
        let end = hit.start + self.replacement.len();
        if remaining.is_empty() {
            self.current = None;
        } else {
            self.select_next(&remaining, code, end);
        }
        true
    }
}
