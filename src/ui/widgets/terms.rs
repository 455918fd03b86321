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
const POPUP_WIDTH: f32 = 360.0;
/// Distance between the dots of the underline, in points.
const DOT_SPACING: f32 = 3.0;

/// The terms that were already explained in a text. Further occurrences are not marked.
#[derive(Default)]
pub struct Explained(Vec<&'static str>);

impl Explained {
    fn insert(&mut self, term: &'static Term) -> bool {
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
    format: TextFormat,
    term: Option<&'static Term>,
}

impl TextSpan {
    /// Returns a part that is not a term.
    pub fn plain(text: String, format: TextFormat) -> Self {
        let term = None;
        Self { text, format, term }
    }
}

/// Splits a text into parts, where each term that is not explained yet is a separate part.
pub fn split_terms(text: &str, format: &TextFormat, explained: &mut Explained) -> Vec<TextSpan> {
    let mut spans = Vec::new();
    let mut position = 0;
    let plain = |text: &str| TextSpan::plain(text.into(), format.clone());
    for (Range { start, end }, term) in Language::spoken().find_terms(text) {
        if !explained.insert(term) {
            continue;
        }
        if position < start {
            spans.push(plain(&text[position..start]));
        }
        let term = Some(term);
        spans.push(TextSpan { term, ..plain(&text[start..end]) });
        position = end;
    }
    if position < text.len() {
        spans.push(plain(&text[position..]));
    }
    spans
}

/// Draws sentences with their terms marked. The text can be selected and copied.
pub fn prose(ui: &mut Ui, spans: &[TextSpan]) -> Response {
    let width = ui.available_width();
    draw_spans(ui, spans, width)
}

/// Returns the layout of sentences, wrapped at this width.
pub fn layout_job(spans: &[TextSpan], width: f32) -> LayoutJob {
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    for span in spans {
        match span.format.font_id.family == mono(1.0).family {
            true => job.append(&span.text, 0.0, span.format.clone()),
            false => subscripts::append(&mut job, &span.text, &span.format),
        }
    }
    job
}

fn draw_spans(ui: &mut Ui, spans: &[TextSpan], width: f32) -> Response {
    let job = layout_job(spans, width);
    let galley = ui.painter().layout_job(job);
    let response = ui.add(Label::new(galley.clone()).selectable(true));
    let origin = response.rect.min.to_vec2();
    let mut start = 0;
    for (index, span) in spans.iter().enumerate() {
        let letters = start..start + span.text.chars().count();
        start = letters.end;
        let Some(term) = span.term else { continue };
        let rows = split_rows(&galley, letters);
        let bounds = rows.iter().fold(Rect::NOTHING, |all, line| all.union(line.rect));
        // A term that is split over two rows reacts to the pointer only in its first row.
        let target = rows.first().map_or(bounds, |line| line.rect).translate(origin);
        let id = response.id.with((index, &term.key));
        let term_response = ui.interact(target, id, Sense::click());
        for row in &rows {
            underline(ui, row.rect.translate(origin), row.baseline + origin.y, &term_response);
        }
        show_explanation(ui, term_response, &span.text, term);
    }
    response
}

/// Draws a sentence with its terms marked.
pub fn sentence(ui: &mut Ui, text: &str) -> Response {
    let format = TextFormat::simple(regular(13.0), tokens(ui).text);
    label(ui, text, &format)
}

/// Draws a text in any style with its terms marked.
pub fn label(ui: &mut Ui, text: &str, format: &TextFormat) -> Response {
    let spans = split_terms(text, format, &mut Explained::default());
    prose(ui, &spans)
}

/// Draws the title of a table column with its terms marked. It is never wrapped.
pub fn column_title(ui: &mut Ui, text: &str, format: &TextFormat) -> Response {
    let spans = split_terms(text, format, &mut Explained::default());
    draw_spans(ui, &spans, f32::INFINITY)
}

/// Draws the title of a card with its terms marked.
pub fn title(ui: &mut Ui, text: &str) -> Response {
    let format = TextFormat::simple(semibold(13.0), tokens(ui).strong);
    label(ui, text, &format)
}

/// Draws the title of a card that is a term.
pub fn term_title(ui: &mut Ui, text: &str, key: &str) -> Response {
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
    let term_response = ui.interact(label.rect, label.id.with(key), Sense::click());
    // The underline is below the text, because a label can be higher than its text.
    let baseline = label.rect.bottom().min(label.rect.center().y + 9.0);
    underline(ui, label.rect, baseline, &term_response);
    let name = Language::spoken().term(key).map_or(&term.name, |term| &term.name);
    show_explanation(ui, term_response, name, term);
    label
}

/// Returns the key of the term for an expert.
pub fn expert_key(expert: Expert) -> &'static str {
    match expert {
        Expert::ONLINE => "online",
        Expert::OFFLINE => "offline",
        Expert::ENSEMBLE => "ensemble",
        _ => "accuracy",
    }
}

/// The part of a term that is in one row.
struct TermRow {
    rect: Rect,
    /// The bottom of its characters, where the underline is drawn.
    baseline: f32,
}

/// Returns the rectangles of a range of characters, one for each row.
fn split_rows(galley: &Galley, letters: Range<usize>) -> Vec<TermRow> {
    let mut rows = Vec::new();
    let mut start = 0;
    for row in &galley.rows {
        let row_range = start..start + row.glyphs.len();
        start = row_range.end + usize::from(row.ends_with_newline);
        let (from, to) = (letters.start.max(row_range.start), letters.end.min(row_range.end));
        if from >= to {
            continue;
        }
        let glyphs = &row.glyphs[from - row_range.start..to - row_range.start];
        let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else {
            continue;
        };
        let row_rect = row.rect();
        let left = row.pos.x + first.pos.x;
        let right = row.pos.x + last.pos.x + last.advance_width;
        rows.push(TermRow {
            rect: Rect::from_x_y_ranges(left..=right, row_rect.y_range()),
            baseline: row.pos.y + first.pos.y + 3.0,
        });
    }
    rows
}

/// Draws the dotted underline of a term, which is brighter on hover.
fn underline(ui: &Ui, rect: Rect, baseline: f32, response: &Response) {
    let t = tokens(ui);
    let highlighted = response.hovered() || response.has_focus();
    let colour = if highlighted { t.accent } else { t.subdued };
    let path = [egui::pos2(rect.left() + 1.0, baseline), egui::pos2(rect.right(), baseline)];
    let painter = ui.painter();
    painter.extend(Shape::dotted_line(&path, colour, DOT_SPACING, 0.7));
    if response.has_focus() {
        let outline = rect.expand2(Vec2::new(2.0, 0.0));
        let stroke = Stroke::new(1.0, t.accent);
        painter.rect_stroke(outline, 3, stroke, StrokeKind::Outside);
    }
}

/// Shows the explanation of a term that is hovered or was clicked.
fn show_explanation(ui: &Ui, response: Response, text: &str, term: &'static Term) {
    let language = Language::spoken();
    let term = language.term(&term.key).unwrap_or(term);
    let name = tr!("glossary-term-meaning", term = text);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.clone()));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_description(term.full_text());
    });
    let popup = Popup::from_toggle_button_response(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .accessible_name(&term.name)
        .width(POPUP_WIDTH);
    let response = response.on_hover_cursor(CursorIcon::Help);
    if popup.is_open() {
        popup.show(|ui| card(ui, term));
    } else {
        popup.show(|_| ());
        response.on_hover_ui(|ui| card(ui, term));
    }
}

/// Draws the explanation of a term: its name, sentences, formula and source.
pub fn card(ui: &mut Ui, term: &Term) {
    let t = tokens(ui);
    ui.set_max_width(POPUP_WIDTH);
    ui.spacing_mut().item_spacing.y = 6.0;
    paragraph(ui, &term.name, semibold(13.5), t.strong);
    paragraph(ui, &term.text, regular(13.0), t.text);
    formula(ui, term);
}

/// Draws the sentences of a term, with other terms marked.
pub fn term_text(ui: &mut Ui, term: &Term, format: &TextFormat) {
    let localised = Language::spoken().term(&term.key);
    let mut explained = Explained(vec![localised.map_or("", |term| &term.key)]);
    let spans = split_terms(&term.text, format, &mut explained);
    prose(ui, &spans);
}

/// Draws the formula and the source of a term.
pub fn formula(ui: &mut Ui, term: &Term) {
    let t = tokens(ui);
    if let Some(formula) = &term.formula {
        paragraph(ui, formula, mono(12.5), t.strong);
    }
    if let Some(source) = &term.source {
        paragraph(ui, source, regular(11.5), t.subdued);
    }
}

fn paragraph(ui: &mut Ui, text: &str, font: FontId, colour: Color32) {
    let text = subscripts::layout_job(text, font, colour);
    ui.add(Label::new(text).wrap().selectable(true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn term_is_explained_at_its_first_occurrence() {
        let mut explained = Explained::default();
        let format = TextFormat::default();
        let mut parts = |text: &str| -> Vec<(String, bool)> {
            let spans = split_terms(text, &format, &mut explained);
            let parts = spans.into_iter();
            parts.map(|span| (span.text, span.term.is_some())).collect()
        };
        let part = |text: &str, term| (text.to_string(), term);
        let expected = [
            part("Each ", false),
            part("batch", true),
            part(" moves the ", false),
            part("PET", true),
            part(", batch after batch.", false),
        ];
        assert_eq!(parts("Each batch moves the PET, batch after batch."), expected);
        assert_eq!(parts("The PET rests."), [part("The PET rests.", false)]);
    }
}
