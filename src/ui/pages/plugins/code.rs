//! The text of a plugin as an editor: lines with numbers, colours by what the pieces are, mistakes underlined, names offered
//! while one is typed.

use std::ops::Range;
use std::sync::Arc;

use egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat};
use egui::text_edit::TextEditState;
use egui::{Galley, Id, Key, Modifiers, Pos2, Rect, ScrollArea, Stroke, TextEdit, Ui, Vec2};

use crate::expression::Piece;
use crate::pet::marks::{Mark, marks};
use crate::session::editor::OpenPlugin;
use crate::session::editor::completion::{Candidate, candidates};
use crate::tr;
use crate::ui::theme::{Tokens, mono, regular, tokens};
use crate::ui::widgets::faint;

/// Size of the letters.
const LETTERS: f32 = 13.0;
/// Room for the numbers of lines.
const GUTTER: f32 = 40.0;
/// Most letters: a plugin has at most so many bytes.
const MOST: usize = 64 * 1024;

/// What the editor remembers between frames.
#[derive(Default)]
pub struct Code {
    /// The text as it is typed.
    pub text: String,
    /// The version of the session's text that it was last the same as.
    version: u64,
    /// The version with which that text was opened.
    first: u64,
    /// Where the cursor is, as a byte.
    pub cursor: usize,
    /// Where it shall go, as bytes that are marked.
    pub go_to: Option<Range<usize>>,
    /// Whether it goes there without taking the keys.
    pub aside: bool,
    /// Which of the names offered is chosen.
    chosen: usize,
    /// The cursor at which the person wanted no names.
    unwanted: Option<usize>,
    /// The names that were offered last, and where: text and meaning by their versions, and the cursor.
    known: ([u64; 2], usize, Offered),
    /// How often the text changed here.
    changes: u64,
    /// The text with its colours, as it was drawn last.
    drawn: Drawn,
}

/// Names for the bytes that they would take the place of.
type Offered = Option<(Range<usize>, Vec<Candidate>)>;

/// A text with its colours, and what was painted in it.
#[derive(Default)]
struct Drawn {
    job: LayoutJob,
    painted: Painted,
    dark: bool,
}

/// What is painted in a text, as bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Painted {
    /// Mistakes.
    pub wrong: Vec<Range<usize>>,
    /// What was found.
    pub hits: Vec<Range<usize>>,
    /// The one in sight.
    pub seen: Option<Range<usize>>,
}

impl Code {
    /// Draws it, what was found painted in it; gives the text where it was changed.
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
        painted.wrong = open.mistakes.iter().map(|own| own.span.clone()).collect();
        let label = faint(ui, tr!("editor-text")).id;
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

    /// Takes the session's text where another one than the typed is there.
    pub fn take(&mut self, ui: &Ui, open: &OpenPlugin) {
        let id = text_id();
        if self.first != open.first {
            // What was done to another text is not undone here.
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

    /// Keeps the text as it is for undo, before something else than typing changes it.
    fn note_undo(&self, ui: &Ui, id: Id) {
        let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
        let range = state.cursor.char_range().unwrap_or_default();
        let mut undoer = state.undoer();
        undoer.add_undo(&(range, self.text.clone()));
        state.set_undoer(undoer);
        state.store(ui.ctx(), id);
    }

    /// Puts another text in the place of some bytes, with the cursor behind it.
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

    /// The names that can stand at the cursor.
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

    /// What the keys do while names are offered: Tab takes one, arrows go through them, Escape closes them.
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

    /// The text itself; gives where the cursor is on the screen.
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
                *drawn = Drawn {
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

    /// The names that are offered, below the cursor; gives the one that was clicked.
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
                    let text = egui::RichText::new(&own.text)
                        .font(mono(12.0))
                        .color(t.strong);
                    let about = egui::RichText::new(&own.about)
                        .font(regular(11.5))
                        .color(t.subdued);
                    let line = egui::Button::selectable(place == self.chosen, text)
                        .right_text(about)
                        .min_size(Vec2::new(320.0, 22.0));
                    if ui.add(line).clicked() {
                        clicked = Some(own.text.clone());
                    }
                }
                faint(ui, tr!("editor-offered"));
                clicked
            })
        });
        shown.inner.inner
    }
}

/// The text's own.
fn text_id() -> Id {
    Id::unique("text of the plugin")
}

/// Numbers beside the lines.
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

/// The text with the colours of its pieces.
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

/// A place that can be seen: at least one letter, and on one line at most to its end.
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
        Some(Mark::Equation(Piece::Sign)) => t.text,
    }
}
