//! Glossary terms in texts. They have a dotted underline. The explanation is shown on hover and stays open after a
//! click or Enter.

use std::ops::Range;

use egui::text::{LayoutJob, TextFormat};
use egui::{
    Color32, CursorIcon, FontId, Galley, Label, Popup, PopupCloseBehavior, Rect, Response, Role,
    Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
};

use super::subscripts;
use crate::metrics::Expert;
use crate::texts::{Language, Term};
use crate::tr;
use crate::ui::theme::{mono, regular, semibold, tokens};

/// Maximum width of an explanation, in points.
const WIDTH: f32 = 360.0;
/// Distance between the dots of the underline, in points.
const DOTS: f32 = 3.0;

/// The terms that were already explained in a text. Further occurrences are not marked.
#[derive(Default)]
pub struct Explained(Vec<&'static str>);

impl Explained {
    fn first(&mut self, term: &'static Term) -> bool {
        let new = !self.0.contains(&term.key.as_str());
        if new {
            self.0.push(&term.key);
        }
        new
    }
}

/// A part of a text with a single style, which can be a term.
pub struct TextSpan {
    text: String,
    look: TextFormat,
    term: Option<&'static Term>,
}

impl TextSpan {
    /// Returns a part that is not a term.
    pub fn plain(text: String, look: TextFormat) -> Self {
        let term = None;
        Self { text, look, term }
    }
}

/// Splits a text into parts, where each term that is not explained yet is a separate part.
pub fn pieces(text: &str, look: &TextFormat, explained: &mut Explained) -> Vec<TextSpan> {
    let mut pieces = Vec::new();
    let mut done = 0;
    let plain = |text: &str| TextSpan::plain(text.into(), look.clone());
    for (Range { start, end }, term) in Language::spoken().mentions(text) {
        if !explained.first(term) {
            continue;
        }
        if done < start {
            pieces.push(plain(&text[done..start]));
        }
        let term = Some(term);
        pieces.push(TextSpan {
            term,
            ..plain(&text[start..end])
        });
        done = end;
    }
    if done < text.len() {
        pieces.push(plain(&text[done..]));
    }
    pieces
}

/// Draws sentences with their terms marked. The text can be selected and copied.
pub fn prose(ui: &mut Ui, pieces: &[TextSpan]) -> Response {
    let width = ui.available_width();
    laid_out(ui, pieces, width)
}

/// Returns the layout of sentences, wrapped at this width.
pub fn job(pieces: &[TextSpan], width: f32) -> LayoutJob {
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    for piece in pieces {
        match piece.look.font_id.family == mono(1.0).family {
            true => job.append(&piece.text, 0.0, piece.look.clone()),
            false => subscripts::append(&mut job, &piece.text, &piece.look),
        }
    }
    job
}

fn laid_out(ui: &mut Ui, pieces: &[TextSpan], width: f32) -> Response {
    let job = job(pieces, width);
    let galley = ui.painter().layout_job(job);
    let response = ui.add(Label::new(galley.clone()).selectable(true));
    let at = response.rect.min.to_vec2();
    let mut begin = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let letters = begin..begin + piece.text.chars().count();
        begin = letters.end;
        let Some(term) = piece.term else { continue };
        let lines = lines(&galley, letters);
        let whole = lines
            .iter()
            .fold(Rect::NOTHING, |all, line| all.union(line.rect));
        // A term that is split over two rows reacts to the pointer only in its first row.
        let touch = lines.first().map_or(whole, |line| line.rect).translate(at);
        let id = response.id.with((number, &term.key));
        let touched = ui.interact(touch, id, Sense::click());
        for line in &lines {
            dots(ui, line.rect.translate(at), line.foot + at.y, &touched);
        }
        open(ui, touched, &piece.text, term);
    }
    response
}

/// Draws a sentence with its terms marked.
pub fn sentence(ui: &mut Ui, text: &str) -> Response {
    let look = TextFormat::simple(regular(13.0), tokens(ui).text);
    label(ui, text, &look)
}

/// Draws a text in any style with its terms marked.
pub fn label(ui: &mut Ui, text: &str, look: &TextFormat) -> Response {
    let pieces = pieces(text, look, &mut Explained::default());
    prose(ui, &pieces)
}

/// Draws the title of a table column with its terms marked. It is never wrapped.
pub fn head(ui: &mut Ui, text: &str, look: &TextFormat) -> Response {
    let pieces = pieces(text, look, &mut Explained::default());
    laid_out(ui, &pieces, f32::INFINITY)
}

/// Draws the title of a card with its terms marked.
pub fn title(ui: &mut Ui, text: &str) -> Response {
    let look = TextFormat::simple(semibold(13.0), tokens(ui).strong);
    label(ui, text, &look)
}

/// Draws the title of a card that is a term.
pub fn title_of(ui: &mut Ui, text: &str, key: &str) -> Response {
    let label = super::title(ui, text);
    explain(ui, label, key)
}

/// Draws a subdued label that is a term.
pub fn faint(ui: &mut Ui, text: impl Into<String>, key: &str) -> Response {
    let label = super::faint(ui, text.into());
    explain(ui, label, key)
}

/// Marks an existing label as a term.
pub fn explain(ui: &mut Ui, label: Response, key: &str) -> Response {
    let Some(term) = Language::English.term(key) else {
        return label;
    };
    let touched = ui.interact(label.rect, label.id.with(key), Sense::click());
    // The underline is below the text, because a label can be higher than its text.
    let foot = label.rect.bottom().min(label.rect.center().y + 9.0);
    dots(ui, label.rect, foot, &touched);
    let name = Language::spoken()
        .term(key)
        .map_or(&term.name, |term| &term.name);
    open(ui, touched, name, term);
    label
}

/// Returns the key of the term for an expert.
pub fn of_expert(expert: Expert) -> &'static str {
    match expert {
        Expert::ONLINE => "online",
        Expert::OFFLINE => "offline",
        Expert::ENSEMBLE => "ensemble",
        _ => "accuracy",
    }
}

/// The part of a term that is in one row.
struct Line {
    rect: Rect,
    /// The bottom of its characters, where the underline is drawn.
    foot: f32,
}

/// Returns the rectangles of a range of characters, one for each row.
fn lines(galley: &Galley, letters: Range<usize>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut begin = 0;
    for row in &galley.rows {
        let here = begin..begin + row.glyphs.len();
        begin = here.end + usize::from(row.ends_with_newline);
        let (from, to) = (letters.start.max(here.start), letters.end.min(here.end));
        if from >= to {
            continue;
        }
        let glyphs = &row.glyphs[from - here.start..to - here.start];
        let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else {
            continue;
        };
        let whole = row.rect();
        let left = row.pos.x + first.pos.x;
        let right = row.pos.x + last.pos.x + last.advance_width;
        lines.push(Line {
            rect: Rect::from_x_y_ranges(left..=right, whole.y_range()),
            foot: row.pos.y + first.pos.y + 3.0,
        });
    }
    lines
}

/// Draws the dotted underline of a term, which is brighter on hover.
fn dots(ui: &Ui, rect: Rect, foot: f32, touched: &Response) {
    let t = tokens(ui);
    let lit = touched.hovered() || touched.has_focus();
    let colour = if lit { t.accent } else { t.subdued };
    let path = [
        egui::pos2(rect.left() + 1.0, foot),
        egui::pos2(rect.right(), foot),
    ];
    let painter = ui.painter();
    painter.extend(Shape::dotted_line(&path, colour, DOTS, 0.7));
    if touched.has_focus() {
        let around = rect.expand2(Vec2::new(2.0, 0.0));
        let line = Stroke::new(1.0, t.accent);
        painter.rect_stroke(around, 3, line, StrokeKind::Outside);
    }
}

/// Shows the explanation of a term that is hovered or was clicked.
fn open(ui: &Ui, touched: Response, words: &str, term: &'static Term) {
    let language = Language::spoken();
    let term = language.term(&term.key).unwrap_or(term);
    let name = tr!("glossary-term-meaning", term = words);
    touched.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.clone()));
    ui.ctx().accesskit_node_builder(touched.id, |node| {
        node.set_description(term.told());
    });
    let popup = Popup::from_toggle_button_response(&touched)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .accessible_name(&term.name)
        .width(WIDTH);
    let touched = touched.on_hover_cursor(CursorIcon::Help);
    if popup.is_open() {
        popup.show(|ui| card(ui, term));
    } else {
        popup.show(|_| ());
        touched.on_hover_ui(|ui| card(ui, term));
    }
}

/// Draws the explanation of a term: its name, sentences, formula and source.
pub fn card(ui: &mut Ui, term: &Term) {
    let t = tokens(ui);
    ui.set_max_width(WIDTH);
    ui.spacing_mut().item_spacing.y = 6.0;
    line(ui, &term.name, semibold(13.5), t.strong);
    line(ui, &term.text, regular(13.0), t.text);
    formula(ui, term);
}

/// Draws the sentences of a term, with other terms marked.
pub fn told_by(ui: &mut Ui, term: &Term, look: &TextFormat) {
    let known = Language::spoken().term(&term.key);
    let mut explained = Explained(vec![known.map_or("", |term| &term.key)]);
    let pieces = pieces(&term.text, look, &mut explained);
    prose(ui, &pieces);
}

/// Draws the formula and the source of a term.
pub fn formula(ui: &mut Ui, term: &Term) {
    let t = tokens(ui);
    if let Some(formula) = &term.formula {
        line(ui, formula, mono(12.5), t.strong);
    }
    if let Some(source) = &term.source {
        line(ui, source, regular(11.5), t.subdued);
    }
}

fn line(ui: &mut Ui, text: &str, font: FontId, colour: Color32) {
    let text = subscripts::job(text, font, colour);
    ui.add(Label::new(text).wrap().selectable(true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_explained_where_it_comes_first() {
        let mut explained = Explained::default();
        let look = TextFormat::default();
        let mut parts = |text: &str| -> Vec<(String, bool)> {
            let pieces = pieces(text, &look, &mut explained);
            let parts = pieces.into_iter();
            parts
                .map(|piece| (piece.text, piece.term.is_some()))
                .collect()
        };
        let part = |text: &str, term| (text.to_string(), term);
        let expected = [
            part("Each ", false),
            part("batch", true),
            part(" moves the ", false),
            part("PET", true),
            part(", batch after batch.", false),
        ];
        assert_eq!(
            parts("Each batch moves the PET, batch after batch."),
            expected
        );
        assert_eq!(parts("The PET rests."), [part("The PET rests.", false)]);
    }
}
