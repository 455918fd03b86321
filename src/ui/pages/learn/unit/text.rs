//! Draws paragraphs with live values in the theme's fonts.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, CornerRadius, Frame, Label, Margin, RichText, Ui};

use crate::session::units::{Figures, NoValue, Paragraph, ParagraphKind, Span};
use crate::texts::Language;
use crate::ui::theme::{RADIUS, Tokens, mono, regular, semibold, tokens};
use crate::ui::widgets::subscripts;
use crate::ui::widgets::terms::{self, Explained, TextSpan};

/// Size of text, in points.
const SIZE: f32 = 15.0;
/// Height of a line of text.
const LINE: f32 = 23.0;

/// Draws the title of a lesson.
pub(super) fn title(ui: &mut Ui, text: &str) {
    let strong = tokens(ui).strong;
    let text = subscripts::job(text, semibold(26.0), strong);
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
            let words = text.filled(figures, language);
            ui.add(Label::new(subscripts::job(&words, semibold(size), t.strong)).wrap());
        }
        ParagraphKind::Text => sentences(ui, text, (figures, language), explained),
        ParagraphKind::Item(deep, number) => {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                ui.add_space(8.0 + 18.0 * deep as f32);
                let mark = number.map_or_else(|| "•".to_string(), |number| format!("{number}."));
                let colour = tokens(ui).subdued;
                let mut job = LayoutJob::default();
                job.append(&mark, 0.0, look(regular(SIZE), colour));
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
            let words = RichText::new(text.filled(figures, language));
            framed(ui, |ui| {
                let label = Label::new(words.font(mono(12.5)).color(tokens(ui).text));
                ui.add(label.wrap().selectable(true));
            });
        }
    }
}

/// Draws paragraphs that are not part of a lesson, such as those of the user guide.
pub fn words(ui: &mut Ui, text: &[Paragraph], figures: &Figures, language: Language) {
    let mut explained = Explained::default();
    for one in text {
        paragraph(ui, one, (figures, language), &mut explained);
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

fn sentences(ui: &mut Ui, text: &Paragraph, told: (&Figures, Language), explained: &mut Explained) {
    let pieces = pieces(tokens(ui), text, told, explained);
    terms::prose(ui, &pieces);
}

/// Returns the height that paragraphs would have.
pub(super) fn height(ui: &Ui, text: &[Paragraph], told: (&Figures, Language)) -> f32 {
    let width = ui.available_width();
    let of = |one: &Paragraph| {
        let pieces = pieces(tokens(ui), one, told, &mut Explained::default());
        let galley = ui.painter().layout_job(terms::job(&pieces, width));
        galley.size().y + ui.spacing().item_spacing.y
    };
    text.iter().map(of).sum()
}

fn pieces(
    t: &Tokens,
    text: &Paragraph,
    (figures, language): (&Figures, Language),
    explained: &mut Explained,
) -> Vec<TextSpan> {
    let mut pieces = Vec::new();
    for span in &text.spans {
        let known = span.live.as_ref().map(|live| live.value(figures));
        let style = match known {
            Some(Ok(_)) => look(semibold(SIZE), t.accent),
            Some(Err(NoValue::NotYet | NoValue::Never(_))) => look(regular(SIZE - 2.0), t.subdued),
            None => plain(span, t),
        };
        let words = span.filled(figures, language);
        if span.live.is_some() || span.code {
            pieces.push(TextSpan::plain(words, style));
        } else {
            pieces.extend(terms::pieces(&words, &style, explained));
        }
    }
    pieces
}

fn look(font: egui::FontId, colour: Color32) -> TextFormat {
    TextFormat {
        line_height: Some(LINE),
        valign: Align::Center,
        ..TextFormat::simple(font, colour)
    }
}

fn plain(span: &Span, t: &Tokens) -> TextFormat {
    let mut style = match (span.code, span.strong) {
        (true, _) => look(mono(SIZE - 2.0), t.strong),
        (_, true) => look(semibold(SIZE), t.strong),
        _ => look(regular(SIZE), t.text),
    };
    if span.code {
        style.background = t.raised;
    }
    style.italics = span.emphasis;
    style
}
