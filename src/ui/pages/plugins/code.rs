//! A code editor for plugins with line numbers, syntax colours, underlined errors and completion.

use std::ops::Range;
use std::sync::Arc;

use egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat};
use egui::text_edit::TextEditState;
use egui::{
    Galley, Id, Key, Modifiers, Pos2, Rect, RichText, ScrollArea, Stroke, TextEdit, Ui, Vec2,
};

use crate::expression::HighlightKind;
use crate::pet::highlight::{Mark, marks};
use crate::session::editor::OpenPlugin;
use crate::session::editor::completion::{Candidate, candidates};
use crate::tr;
use crate::ui::theme::{Tokens, mono, regular, tokens};
use crate::ui::widgets::faint;

/// Font size.
const FONT_SIZE: f32 = 13.0;
/// Width of the line numbers.
const GUTTER_WIDTH: f32 = 40.0;
/// Maximum number of characters, which is the maximum size of a plugin.
const MAX_CHARS: usize = 64 * 1024;

/// The state of the editor that is kept between frames.
#[derive(Default)]
pub struct CodeEditor {
    /// The text as the user typed it.
    pub text: String,
    /// The version of the session's text that `text` was last equal to.
    version: u64,
    /// The first version of the opened text, which identifies the text.
    first_version: u64,
    /// The cursor, as a byte offset.
    pub cursor: usize,
    /// The range to select in the next frame, in bytes.
    pub go_to: Option<Range<usize>>,
    /// Whether to select `go_to` without taking the focus.
    pub keep_focus: bool,
    /// The index of the selected completion.
    selected: usize,
    /// The cursor position at which the user closed the completions.
    dismissed_at: Option<usize>,
    /// A cache of the completions, valid for these versions of text and meaning and this cursor position.
    cached_completions: ([u64; 2], usize, Completions),
    /// Number of changes of the text in the editor.
    changes: u64,
    /// The coloured text that was drawn last.
    last_drawn: HighlightedText,
}

/// Completions, with the range of bytes that they would replace.
type Completions = Option<(Range<usize>, Vec<Candidate>)>;

/// A coloured text and the ranges marked in it.
#[derive(Default)]
struct HighlightedText {
    job: LayoutJob,
    highlights: Highlights,
    dark: bool,
}

/// The ranges that are marked in a text, in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlights {
    /// Errors.
    pub errors: Vec<Range<usize>>,
    /// Matches of a search.
    pub matches: Vec<Range<usize>>,
    /// The current match.
    pub current_match: Option<Range<usize>>,
}

impl CodeEditor {
    /// Draws the editor with the search matches marked. Returns the text if the user changed it.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        open: &OpenPlugin,
        mut highlights: Highlights,
        height: f32,
    ) -> Option<String> {
        let (id, before) = (text_id(), self.changes);
        let completions = self.completions(ui, id, open);
        let completed = completions.as_ref().and_then(|found| self.handle_keys(ui, found));
        if let Some((span, text)) = completed {
            self.replace(ui, span, &text);
        }
        let errors = open.errors.iter();
        highlights.errors = errors.map(|(_, error)| error.span.clone()).collect();
        let label = faint(ui, tr!("editor-plugin-text")).id;
        let output = ScrollArea::both()
            .id_salt("text of the plugin")
            .auto_shrink([false, false])
            .max_height(height)
            .min_scrolled_height(height)
            .show(ui, |ui| self.text_field(ui, id, highlights, (height, label)));
        let caret = output.inner;
        if let (Some(caret), Some((span, found))) = (caret, &completions) {
            let clicked = self.completion_popup(ui, caret, found);
            if let Some(text) = clicked {
                self.replace(ui, span.clone(), &text);
            }
        }
        (self.changes != before).then(|| self.text.clone())
    }

    /// Replaces the typed text by the session's text if that was changed elsewhere.
    pub fn sync(&mut self, ui: &Ui, open: &OpenPlugin) {
        let id = text_id();
        if self.first_version != open.first_version {
            // The undo history of the previous text is cleared.
            let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
            state.clear_undoer();
            state.store(ui.ctx(), id);
            (self.first_version, self.version) = (open.first_version, open.version);
            self.text.clone_from(&open.text);
            self.changes += 1;
            self.cursor = 0;
        }
        if self.version != open.version {
            self.version = open.version;
            if self.text != open.text {
                self.add_undo(ui, id);
                self.text.clone_from(&open.text);
                self.changes += 1;
            }
        }
    }

    /// Adds the text to the undo history before a change that is not typed.
    fn add_undo(&self, ui: &Ui, id: Id) {
        let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
        let range = state.cursor.char_range().unwrap_or_default();
        let mut undoer = state.undoer();
        undoer.add_undo(&(range, self.text.clone()));
        state.set_undoer(undoer);
        state.store(ui.ctx(), id);
    }

    /// Replaces a range of bytes by a text and puts the cursor after the text.
    pub fn replace(&mut self, ui: &Ui, span: Range<usize>, replacement: &str) {
        if self.text.get(span.clone()).is_none() {
            return;
        }
        self.add_undo(ui, text_id());
        let end = span.start + replacement.len();
        self.text.replace_range(span, replacement);
        self.changes += 1;
        self.go_to = Some(end..end);
    }

    /// Returns the completions at the cursor.
    fn completions(&mut self, ui: &Ui, id: Id, open: &OpenPlugin) -> Completions {
        let typing = ui.memory(|memory| memory.has_focus(id));
        if !typing || self.dismissed_at == Some(self.cursor) {
            return None;
        }
        let key = ([self.changes, open.checked_version], self.cursor);
        if (self.cached_completions.0, self.cached_completions.1) != key {
            let found = candidates(&self.text, self.cursor, open.last_valid.as_deref());
            self.cached_completions = (key.0, key.1, found);
        }
        self.cached_completions.2.clone()
    }

    /// Handles keys while completions are shown: Tab accepts a completion, arrow keys move the selection, Escape closes
    /// the list. Returns the accepted completion.
    fn handle_keys(
        &mut self,
        ui: &Ui,
        (span, found): &(Range<usize>, Vec<Candidate>),
    ) -> Option<(Range<usize>, String)> {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::Escape) {
            self.dismissed_at = Some(self.cursor);
        }
        if pressed(Key::ArrowDown) {
            self.selected += 1;
        }
        if pressed(Key::ArrowUp) {
            self.selected += found.len() - 1;
        }
        self.selected %= found.len();
        pressed(Key::Tab).then(|| (span.clone(), found[self.selected].text.clone()))
    }

    /// Draws the text field. Returns the position of the cursor on the screen.
    fn text_field(
        &mut self,
        ui: &mut Ui,
        id: Id,
        highlights: Highlights,
        (height, label): (f32, Id),
    ) -> Option<Rect> {
        let (t, dark) = (tokens(ui), ui.visuals().dark_mode);
        let last_drawn = &mut self.last_drawn;
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| -> Arc<Galley> {
            let text = text.as_str();
            if last_drawn.job.text != text
                || last_drawn.highlights != highlights
                || last_drawn.dark != dark
            {
                *last_drawn = HighlightedText {
                    job: highlight(text, &highlights, t),
                    highlights: highlights.clone(),
                    dark,
                };
            }
            ui.fonts_mut(|fonts| fonts.layout_job(last_drawn.job.clone()))
        };
        let chars = |byte: usize| {
            let before = self.text.get(..self.text.floor_char_boundary(byte));
            CCursor::new(before.unwrap_or_default().chars().count())
        };
        let selection = self.go_to.take();
        let selection = selection.map(|span| CCursorRange::two(chars(span.start), chars(span.end)));
        let keep_focus = std::mem::take(&mut self.keep_focus);
        if let Some(range) = selection {
            let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
            state.cursor.set_char_range(Some(range));
            state.store(ui.ctx(), id);
            if !keep_focus {
                ui.memory_mut(|memory| memory.request_focus(id));
            }
        }
        let rows = (height / 17.0).floor().max(4.0) as usize;
        let output =
            TextEdit::multiline(&mut self.text)
                .id(id)
                .font(mono(FONT_SIZE))
                .frame(egui::Frame::NONE.inner_margin(egui::Margin {
                    left: GUTTER_WIDTH as i8 + 8,
                    ..egui::Margin::ZERO
                }))
                .desired_width(f32::INFINITY)
                .desired_rows(rows)
                .lock_focus(true)
                .char_limit(MAX_CHARS)
                .layouter(&mut layouter)
                .show(ui);
        let response = output.response.response.labelled_by(label);
        self.changes += u64::from(response.changed());
        paint_line_numbers(ui, &output.galley, output.galley_pos, t);
        let cursor = output.cursor_range.or(selection)?.primary;
        let byte =
            self.text.char_indices().nth(cursor.index.0).map_or(self.text.len(), |(at, _)| at);
        if byte != self.cursor {
            self.cursor = byte;
            self.selected = 0;
            self.dismissed_at = None;
        }
        let cursor_rect = output.galley.pos_from_cursor(cursor);
        let caret = cursor_rect.translate(output.galley_pos.to_vec2());
        if selection.is_some() {
            ui.scroll_to_rect(caret.expand(40.0), None);
        }
        response.has_focus().then_some(caret)
    }

    /// Draws the list of completions below the cursor. Returns the completion that was clicked.
    fn completion_popup(&self, ui: &Ui, caret: Rect, found: &[Candidate]) -> Option<String> {
        let t = tokens(ui);
        let area = egui::Area::new(Id::unique("names offered"))
            .order(egui::Order::Foreground)
            .fixed_pos(caret.left_bottom() + Vec2::new(0.0, 4.0))
            .constrain(true);
        let response = area.show(ui.ctx(), |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                let mut clicked = None;
                for (index, candidate) in found.iter().enumerate() {
                    let text = RichText::new(&candidate.text).font(mono(12.0)).color(t.strong);
                    let description = RichText::new(&candidate.about).font(regular(11.5));
                    let item = egui::Button::selectable(index == self.selected, text)
                        .right_text(description.color(t.subdued))
                        .min_size(Vec2::new(320.0, 22.0));
                    if ui.add(item).clicked() {
                        clicked = Some(candidate.text.clone());
                    }
                }
                faint(ui, tr!("editor-completion-keys"));
                clicked
            })
        });
        response.inner.inner
    }
}

/// Returns the id of the text field.
fn text_id() -> Id {
    Id::unique("text of the plugin")
}

/// Draws the line numbers.
fn paint_line_numbers(ui: &Ui, galley: &Galley, pos: Pos2, t: &Tokens) {
    let visible = ui.clip_rect();
    let mut number = 1;
    let mut is_line_start = true;
    for row in &galley.rows {
        let y = pos.y + row.pos.y;
        if is_line_start && y > visible.top() - 20.0 && y < visible.bottom() {
            let right = Pos2::new(pos.x - 10.0, y + 1.0);
            let text = number.to_string();
            ui.painter().text(right, egui::Align2::RIGHT_TOP, text, mono(11.5), t.subdued);
        }
        is_line_start = row.ends_with_newline;
        number += usize::from(is_line_start);
    }
}

/// Returns the text with syntax colours.
fn highlight(text: &str, highlights: &Highlights, t: &'static Tokens) -> LayoutJob {
    let marked = marks(text);
    let matches = &highlights.matches;
    let errors = highlights.errors.iter();
    let errors: Vec<Range<usize>> = errors.map(|span| visible_span(text, span)).collect();
    let mut bounds: Vec<usize> = vec![0, text.len()];
    let spans = marked.iter().map(|marked| &marked.span);
    for span in spans.chain(&errors).chain(matches) {
        bounds.extend([span.start, span.end]);
    }
    bounds.retain(|at| text.is_char_boundary(*at));
    bounds.sort_unstable();
    bounds.dedup();
    let mut job = LayoutJob::default();
    job.wrap.max_width = f32::INFINITY;
    let mut next = marked.iter().peekable();
    let mut found = matches.iter().peekable();
    for pair in bounds.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        while next.peek().is_some_and(|marked| marked.span.end <= from) {
            next.next();
        }
        let current = next.peek().filter(|marked| marked.span.start <= from);
        while found.peek().is_some_and(|hit| hit.end <= from) {
            found.next();
        }
        let is_error = errors.iter().any(|span| span.start <= from && to <= span.end);
        let mut format =
            TextFormat::simple(mono(FONT_SIZE), mark_colour(current.map(|own| own.mark), t));
        if is_error {
            format.underline = Stroke::new(1.5, t.bad);
            format.background = t.bad.gamma_multiply(0.12);
        }
        if let Some(hit) = found.peek().filter(|hit| hit.start <= from) {
            let is_current = highlights.current_match.as_ref() == Some(*hit);
            let share = if is_current { 0.7 } else { 0.35 };
            format.background = t.warning.gamma_multiply(share);
        }
        job.append(&text[from..to], 0.0, format);
    }
    job
}

/// Returns a range that is visible when underlined: at least one character, without a line break.
fn visible_span(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.min(text.len()));
    if end > start {
        return start..end;
    }
    match text[start..].chars().next() {
        Some(letter) if letter != '\n' => start..start + letter.len_utf8(),
        _ => text.floor_char_boundary(start.saturating_sub(1))..start,
    }
}

fn mark_colour(mark: Option<Mark>, t: &Tokens) -> egui::Color32 {
    match mark {
        None => t.subdued,
        Some(Mark::Comment) => t.subdued,
        Some(Mark::Table) => t.accent,
        Some(Mark::Key) => t.strong,
        Some(Mark::Text) => t.good,
        Some(Mark::Value | Mark::Equation(HighlightKind::Number)) => t.warning,
        Some(Mark::Equation(HighlightKind::Name)) => t.experts[0],
        Some(Mark::Equation(HighlightKind::Function)) => t.experts[1],
        Some(Mark::Equation(HighlightKind::Operator)) => t.text,
    }
}
