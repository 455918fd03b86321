//! A code editor for plugins with line numbers, syntax colours, underlined errors and completion.

use std::ops::Range;
use std::sync::Arc;

use egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat};
use egui::text_edit::TextEditState;
use egui::{
    Galley, Id, Key, Modifiers, Pos2, Rect, RichText, ScrollArea, Stroke, TextEdit, Ui, Vec2,
};

use crate::expression::Piece;
use crate::pet::highlight::{Mark, marks};
use crate::session::editor::OpenPlugin;
use crate::session::editor::completion::{Candidate, candidates};
use crate::tr;
use crate::ui::theme::{Tokens, mono, regular, tokens};
use crate::ui::widgets::faint;

/// Font size.
const LETTERS: f32 = 13.0;
/// Width of the line numbers.
const GUTTER: f32 = 40.0;
/// Maximum number of characters, which is the maximum size of a plugin.
const MOST: usize = 64 * 1024;

/// The state of the editor that is kept between frames.
#[derive(Default)]
pub struct Code {
    /// The text as the user typed it.
    pub text: String,
    /// The version of the session's text that `text` was last equal to.
    version: u64,
    /// The first version of the opened text, which identifies the text.
    first: u64,
    /// The cursor, as a byte offset.
    pub cursor: usize,
    /// The range to select in the next frame, in bytes.
    pub go_to: Option<Range<usize>>,
    /// Whether to select `go_to` without taking the focus.
    pub aside: bool,
    /// The index of the selected completion.
    chosen: usize,
    /// The cursor position at which the user closed the completions.
    unwanted: Option<usize>,
    /// A cache of the completions, valid for these versions of text and meaning and this cursor position.
    known: ([u64; 2], usize, Offered),
    /// Number of changes of the text in the editor.
    changes: u64,
    /// The coloured text that was drawn last.
    drawn: MarkedText,
}

/// Completions, with the range of bytes that they would replace.
type Offered = Option<(Range<usize>, Vec<Candidate>)>;

/// A coloured text and the ranges marked in it.
#[derive(Default)]
struct MarkedText {
    job: LayoutJob,
    painted: Painted,
    dark: bool,
}

/// The ranges that are marked in a text, in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Painted {
    /// Errors.
    pub wrong: Vec<Range<usize>>,
    /// Matches of a search.
    pub hits: Vec<Range<usize>>,
    /// The current match.
    pub seen: Option<Range<usize>>,
}

impl Code {
    /// Draws the editor with the search matches marked. Returns the text if the user changed it.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        open: &OpenPlugin,
        mut painted: Painted,
        height: f32,
    ) -> Option<String> {
        let (id, before) = (text_id(), self.changes);
        let offered = self.offered(ui, id, open);
        let completed = offered.as_ref().and_then(|found| self.keys(ui, found));
        if let Some((span, text)) = completed {
            self.replace(ui, span, &text);
        }
        let mistakes = open.mistakes.iter();
        painted.wrong = mistakes.map(|(_, wrong)| wrong.span.clone()).collect();
        let label = faint(ui, tr!("editor-plugin-text")).id;
        let shown = ScrollArea::both()
            .id_salt("text of the plugin")
            .auto_shrink([false, false])
            .max_height(height)
            .min_scrolled_height(height)
            .show(ui, |ui| self.text(ui, id, painted, (height, label)));
        let caret = shown.inner;
        if let (Some(caret), Some((span, found))) = (caret, &offered) {
            let clicked = self.popup(ui, caret, found);
            if let Some(text) = clicked {
                self.replace(ui, span.clone(), &text);
            }
        }
        (self.changes != before).then(|| self.text.clone())
    }

    /// Replaces the typed text by the session's text if that was changed elsewhere.
    pub fn take(&mut self, ui: &Ui, open: &OpenPlugin) {
        let id = text_id();
        if self.first != open.first {
            // The undo history of the previous text is cleared.
            let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
            state.clear_undoer();
            state.store(ui.ctx(), id);
            (self.first, self.version) = (open.first, open.version);
            self.text.clone_from(&open.text);
            self.changes += 1;
            self.cursor = 0;
        }
        if self.version != open.version {
            self.version = open.version;
            if self.text != open.text {
                self.note_undo(ui, id);
                self.text.clone_from(&open.text);
                self.changes += 1;
            }
        }
    }

    /// Adds the text to the undo history before a change that is not typed.
    fn note_undo(&self, ui: &Ui, id: Id) {
        let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
        let range = state.cursor.char_range().unwrap_or_default();
        let mut undoer = state.undoer();
        undoer.add_undo(&(range, self.text.clone()));
        state.set_undoer(undoer);
        state.store(ui.ctx(), id);
    }

    /// Replaces a range of bytes by a text and puts the cursor after the text.
    pub fn replace(&mut self, ui: &Ui, span: Range<usize>, by: &str) {
        if self.text.get(span.clone()).is_none() {
            return;
        }
        self.note_undo(ui, text_id());
        let end = span.start + by.len();
        self.text.replace_range(span, by);
        self.changes += 1;
        self.go_to = Some(end..end);
    }

    /// Returns the completions at the cursor.
    fn offered(&mut self, ui: &Ui, id: Id, open: &OpenPlugin) -> Offered {
        let typing = ui.memory(|memory| memory.has_focus(id));
        if !typing || self.unwanted == Some(self.cursor) {
            return None;
        }
        let now = ([self.changes, open.checked], self.cursor);
        if (self.known.0, self.known.1) != now {
            let found = candidates(&self.text, self.cursor, open.good.as_deref());
            self.known = (now.0, now.1, found);
        }
        self.known.2.clone()
    }

    /// Handles keys while completions are shown: Tab accepts a completion, arrow keys move the selection, Escape closes
    /// the list. Returns the accepted completion.
    fn keys(
        &mut self,
        ui: &Ui,
        (span, found): &(Range<usize>, Vec<Candidate>),
    ) -> Option<(Range<usize>, String)> {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::Escape) {
            self.unwanted = Some(self.cursor);
        }
        if pressed(Key::ArrowDown) {
            self.chosen += 1;
        }
        if pressed(Key::ArrowUp) {
            self.chosen += found.len() - 1;
        }
        self.chosen %= found.len();
        pressed(Key::Tab).then(|| (span.clone(), found[self.chosen].text.clone()))
    }

    /// Draws the text field. Returns the position of the cursor on the screen.
    fn text(
        &mut self,
        ui: &mut Ui,
        id: Id,
        painted: Painted,
        (height, label): (f32, Id),
    ) -> Option<Rect> {
        let (t, dark) = (tokens(ui), ui.visuals().dark_mode);
        let drawn = &mut self.drawn;
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| -> Arc<Galley> {
            let text = text.as_str();
            if drawn.job.text != text || drawn.painted != painted || drawn.dark != dark {
                *drawn = MarkedText {
                    job: coloured(text, &painted, t),
                    painted: painted.clone(),
                    dark,
                };
            }
            ui.fonts_mut(|fonts| fonts.layout_job(drawn.job.clone()))
        };
        let chars = |byte: usize| {
            let before = self.text.get(..self.text.floor_char_boundary(byte));
            CCursor::new(before.unwrap_or_default().chars().count())
        };
        let place = self.go_to.take();
        let place = place.map(|span| CCursorRange::two(chars(span.start), chars(span.end)));
        let aside = std::mem::take(&mut self.aside);
        if let Some(range) = place {
            let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
            state.cursor.set_char_range(Some(range));
            state.store(ui.ctx(), id);
            if !aside {
                ui.memory_mut(|memory| memory.request_focus(id));
            }
        }
        let rows = (height / 17.0).floor().max(4.0) as usize;
        let output = TextEdit::multiline(&mut self.text)
            .id(id)
            .font(mono(LETTERS))
            .frame(egui::Frame::NONE.inner_margin(egui::Margin {
                left: GUTTER as i8 + 8,
                ..egui::Margin::ZERO
            }))
            .desired_width(f32::INFINITY)
            .desired_rows(rows)
            .lock_focus(true)
            .char_limit(MOST)
            .layouter(&mut layouter)
            .show(ui);
        let response = output.response.response.labelled_by(label);
        self.changes += u64::from(response.changed());
        numbers(ui, &output.galley, output.galley_pos, t);
        let cursor = output.cursor_range.or(place)?.primary;
        let byte = self
            .text
            .char_indices()
            .nth(cursor.index.0)
            .map_or(self.text.len(), |(at, _)| at);
        if byte != self.cursor {
            self.cursor = byte;
            self.chosen = 0;
            self.unwanted = None;
        }
        let own = output.galley.pos_from_cursor(cursor);
        let caret = own.translate(output.galley_pos.to_vec2());
        if place.is_some() {
            ui.scroll_to_rect(caret.expand(40.0), None);
        }
        response.has_focus().then_some(caret)
    }

    /// Draws the list of completions below the cursor. Returns the completion that was clicked.
    fn popup(&self, ui: &Ui, caret: Rect, found: &[Candidate]) -> Option<String> {
        let t = tokens(ui);
        let area = egui::Area::new(Id::unique("names offered"))
            .order(egui::Order::Foreground)
            .fixed_pos(caret.left_bottom() + Vec2::new(0.0, 4.0))
            .constrain(true);
        let shown = area.show(ui.ctx(), |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                let mut clicked = None;
                for (place, own) in found.iter().enumerate() {
                    let text = RichText::new(&own.text).font(mono(12.0)).color(t.strong);
                    let about = RichText::new(&own.about).font(regular(11.5));
                    let line = egui::Button::selectable(place == self.chosen, text)
                        .right_text(about.color(t.subdued))
                        .min_size(Vec2::new(320.0, 22.0));
                    if ui.add(line).clicked() {
                        clicked = Some(own.text.clone());
                    }
                }
                faint(ui, tr!("editor-completion-keys"));
                clicked
            })
        });
        shown.inner.inner
    }
}

/// Returns the id of the text field.
fn text_id() -> Id {
    Id::unique("text of the plugin")
}

/// Draws the line numbers.
fn numbers(ui: &Ui, galley: &Galley, at: Pos2, t: &Tokens) {
    let visible = ui.clip_rect();
    let mut number = 1;
    let mut begins = true;
    for row in &galley.rows {
        let y = at.y + row.pos.y;
        if begins && y > visible.top() - 20.0 && y < visible.bottom() {
            let right = Pos2::new(at.x - 10.0, y + 1.0);
            let text = number.to_string();
            ui.painter()
                .text(right, egui::Align2::RIGHT_TOP, text, mono(11.5), t.subdued);
        }
        begins = row.ends_with_newline;
        number += usize::from(begins);
    }
}

/// Returns the text with syntax colours.
fn coloured(text: &str, painted: &Painted, t: &'static Tokens) -> LayoutJob {
    let marked = marks(text);
    let hits = &painted.hits;
    let wrong = painted.wrong.iter();
    let wrong: Vec<Range<usize>> = wrong.map(|span| widened(text, span)).collect();
    let mut bounds: Vec<usize> = vec![0, text.len()];
    let all = marked.iter().map(|marked| &marked.span);
    for span in all.chain(&wrong).chain(hits) {
        bounds.extend([span.start, span.end]);
    }
    bounds.retain(|at| text.is_char_boundary(*at));
    bounds.sort_unstable();
    bounds.dedup();
    let mut job = LayoutJob::default();
    job.wrap.max_width = f32::INFINITY;
    let mut next = marked.iter().peekable();
    let mut found = hits.iter().peekable();
    for pair in bounds.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        while next.peek().is_some_and(|marked| marked.span.end <= from) {
            next.next();
        }
        let own = next.peek().filter(|marked| marked.span.start <= from);
        while found.peek().is_some_and(|hit| hit.end <= from) {
            found.next();
        }
        let is_wrong = wrong
            .iter()
            .any(|span| span.start <= from && to <= span.end);
        let mut format = TextFormat::simple(mono(LETTERS), colour(own.map(|own| own.mark), t));
        if is_wrong {
            format.underline = Stroke::new(1.5, t.bad);
            format.background = t.bad.gamma_multiply(0.12);
        }
        if let Some(hit) = found.peek().filter(|hit| hit.start <= from) {
            let in_sight = painted.seen.as_ref() == Some(*hit);
            let share = if in_sight { 0.7 } else { 0.35 };
            format.background = t.warning.gamma_multiply(share);
        }
        job.append(&text[from..to], 0.0, format);
    }
    job
}

/// Returns a range that is visible when underlined: at least one character, without a line break.
fn widened(text: &str, span: &Range<usize>) -> Range<usize> {
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

fn colour(mark: Option<Mark>, t: &Tokens) -> egui::Color32 {
    match mark {
        None => t.subdued,
        Some(Mark::Comment) => t.subdued,
        Some(Mark::Table) => t.accent,
        Some(Mark::Key) => t.strong,
        Some(Mark::Text) => t.good,
        Some(Mark::Value | Mark::Equation(Piece::Number)) => t.warning,
        Some(Mark::Equation(Piece::Name)) => t.experts[0],
        Some(Mark::Equation(Piece::Function)) => t.experts[1],
        Some(Mark::Equation(Piece::Operator)) => t.text,
    }
}
