//! Finding and replacing in the text of a plugin.

use std::ops::Range;

use egui::Ui;

use super::code::Code;
use crate::ui::widgets::{button, button_if, entered, faint, line_edit};

/// What is looked for.
#[derive(Default)]
pub struct Find {
    /// Whether the bar is shown.
    pub on: bool,
    what: String,
    by: String,
}

impl Find {
    /// Where it stands in a text; nothing while the bar is closed.
    pub fn hits(&self, text: &str) -> Vec<Range<usize>> {
        if !self.on || self.what.is_empty() {
            return Vec::new();
        }
        let found = text.match_indices(&self.what);
        found.map(|(at, own)| at..at + own.len()).collect()
    }

    /// The bar; gives the text where something was replaced.
    pub fn show(&mut self, ui: &mut Ui, code: &mut Code, opened: bool) -> Option<String> {
        let hits = self.hits(&code.text);
        let mut text = None;
        ui.horizontal_wrapped(|ui| {
            let label = faint(ui, "find");
            let field = ui
                .add(line_edit(&mut self.what, 130.0))
                .labelled_by(label.id);
            if opened {
                field.request_focus();
            }
            let next = hits.iter().find(|hit| hit.start > code.cursor);
            let next = next.or(hits.first());
            let wanted = button_if(ui, !hits.is_empty(), "Next").clicked() || entered(ui, &field);
            if let (true, Some(next)) = (wanted, next) {
                code.go_to = Some(next.clone());
                code.cursor = next.start;
            }
            let label = faint(ui, "replace by");
            ui.add(line_edit(&mut self.by, 130.0)).labelled_by(label.id);
            if button_if(ui, !hits.is_empty(), "Replace").clicked() {
                let at = hits
                    .iter()
                    .find(|hit| hit.start >= code.cursor.min(hit.end));
                if let Some(hit) = at.or(hits.first()) {
                    let mut new = code.text.clone();
                    new.replace_range(hit.clone(), &self.by);
                    code.cursor = hit.start + self.by.len();
                    text = Some(new);
                }
            }
            if button_if(ui, !hits.is_empty(), "Replace all").clicked() {
                text = Some(code.text.replace(&self.what, &self.by));
            }
            if !self.what.is_empty() {
                let count = match hits.len() {
                    0 => "not there".to_string(),
                    1 => "once".to_string(),
                    many => format!("{many} times"),
                };
                faint(ui, count);
            }
            if button(ui, "Close").clicked() {
                self.on = false;
            }
        });
        text
    }
}
