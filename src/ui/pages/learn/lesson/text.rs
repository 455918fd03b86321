//! Draws paragraphs with live values in the theme's fonts.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, CornerRadius, Frame, Label, Margin, RichText, Ui};

use crate::session::lessons::{Figures, NoValue, Paragraph, ParagraphKind, Span};
use crate::texts::Language;
use crate::ui::theme::{RADIUS, Tokens, mono, regular, semibold, tokens};
use crate::ui::widgets::subscripts;
use crate::ui::widgets::terms::{self, Explained, TextSpan};

/// Size of text, in points.
const FONT_SIZE: f32 = 15.0;
/// Height of a line of text.
const LINE_HEIGHT: f32 = 23.0;

/// Draws the title of a lesson.
pub(super) fn title(ui: &mut Ui, text: &str) {
    let strong = tokens(ui).strong;
    let text = subscripts::layout_job(text, semibold(26.0), strong);
    ui.add(Label::new(text).wrap());
}

/// Draws a paragraph.
pub(super) fn paragraph(
    ui: &mut Ui,
    text: &Paragraph,
    (figures, language): (&Figures, Language),
    explained: &mut Explained,
) {
    match text.kind {
        ParagraphKind::Heading(rank) => {
            let t = tokens(ui);
            let size = if rank <= 1 { 20.0 } else { 17.0 };
            ui.add_space(6.0);
            let heading = text.to_text(figures, language);
            ui.add(Label::new(subscripts::layout_job(&heading, semibold(size), t.strong)).wrap());
        }
        ParagraphKind::Text => sentences(ui, text, (figures, language), explained),
        ParagraphKind::Item(depth, number) => {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                ui.add_space(8.0 + 18.0 * depth as f32);
                let bullet = number.map_or_else(|| "•".to_string(), |number| format!("{number}."));
                let colour = tokens(ui).subdued;
                let mut job = LayoutJob::default();
                job.append(&bullet, 0.0, text_format(regular(FONT_SIZE), colour));
                ui.label(job);
                let width = ui.available_width();
                ui.vertical(|ui| {
                    ui.set_width(width);
                    sentences(ui, text, (figures, language), explained);
                });
            });
        }
        ParagraphKind::Quote => {
            framed(ui, |ui| sentences(ui, text, (figures, language), explained));
        }
        ParagraphKind::Code => {
            let code = RichText::new(text.to_text(figures, language));
            framed(ui, |ui| {
                let label = Label::new(code.font(mono(12.5)).color(tokens(ui).text));
                ui.add(label.wrap().selectable(true));
            });
        }
    }
}

/// Draws paragraphs that are not part of a lesson, such as those of the user guide.
pub fn show_paragraphs(ui: &mut Ui, text: &[Paragraph], figures: &Figures, language: Language) {
    let mut explained = Explained::default();
    for item in text {
        paragraph(ui, item, (figures, language), &mut explained);
    }
}

fn framed(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    Frame::new()
        .fill(tokens(ui).panel)
        .corner_radius(CornerRadius::same(RADIUS))
        .inner_margin(Margin::symmetric(12, 10))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            add(ui);
        });
}

fn sentences(
    ui: &mut Ui,
    text: &Paragraph,
    context: (&Figures, Language),
    explained: &mut Explained,
) {
    let pieces = pieces(tokens(ui), text, context, explained);
    terms::prose(ui, &pieces);
}

/// Returns the height that paragraphs would have.
pub(super) fn height(ui: &Ui, text: &[Paragraph], context: (&Figures, Language)) -> f32 {
    let width = ui.available_width();
    let height_of = |item: &Paragraph| {
        let pieces = pieces(tokens(ui), item, context, &mut Explained::default());
        let galley = ui.painter().layout_job(terms::layout_job(&pieces, width));
        galley.size().y + ui.spacing().item_spacing.y
    };
    text.iter().map(height_of).sum()
}

fn pieces(
    t: &Tokens,
    text: &Paragraph,
    (figures, language): (&Figures, Language),
    explained: &mut Explained,
) -> Vec<TextSpan> {
    let mut pieces = Vec::new();
    for span in &text.spans {
        let value = span.formula.as_ref().map(|live| live.value(figures));
        let style = match value {
            Some(Ok(_)) => text_format(semibold(FONT_SIZE), t.accent),
            Some(Err(NoValue::NotYet | NoValue::Never(_))) => {
                text_format(regular(FONT_SIZE - 2.0), t.subdued)
            }
            None => span_format(span, t),
        };
        let filled = span.to_text(figures, language);
        if span.formula.is_some() || span.code {
            pieces.push(TextSpan::plain(filled, style));
        } else {
            pieces.extend(terms::split_terms(&filled, &style, explained));
        }
    }
    pieces
}

fn text_format(font: egui::FontId, colour: Color32) -> TextFormat {
    TextFormat {
        line_height: Some(LINE_HEIGHT),
        valign: Align::Center,
        ..TextFormat::simple(font, colour)
    }
}

fn span_format(span: &Span, t: &Tokens) -> TextFormat {
    let mut style = match (span.code, span.strong) {
        (true, _) => text_format(mono(FONT_SIZE - 2.0), t.strong),
        (_, true) => text_format(semibold(FONT_SIZE), t.strong),
        _ => text_format(regular(FONT_SIZE), t.text),
    };
    if span.code {
        style.background = t.raised;
    }
    style.italics = span.emphasis;
    style
}
