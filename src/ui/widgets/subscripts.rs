//! Subscripts in labels and buttons: F_N is drawn with a small, lowered N.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, FontId};

use crate::names::subscripts;

/// Font size of a subscript relative to the text.
const SIZE: f32 = 0.74;
/// Line height of the fonts relative to their size.
const LINE: f32 = 1.21;
/// Difference between the line heights of the text and of a subscript, relative to the text's size. The lines are
/// aligned at the bottom and characters are centred in their line, so subscripts are lowered by half of this
/// difference.
const LOWER: f32 = 0.58;

/// Returns the layout of a text with subscripts, for a label or a button.
pub fn job(text: &str, font: FontId, colour: Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    append(&mut job, text, &TextFormat::simple(font, colour));
    job
}

/// Appends a text with subscripts to a layout. Underscores are kept in the text for copying and screen readers, but are
/// not visible.
pub fn append(job: &mut LayoutJob, text: &str, look: &TextFormat) {
    let size = look.font_id.size;
    let low = |share: f32| {
        let line = look.line_height.unwrap_or(LINE * size);
        TextFormat {
            font_id: FontId::new(size * share, look.font_id.family.clone()),
            line_height: Some((line - LOWER * size).max(1.0)),
            valign: Align::BOTTOM,
            ..look.clone()
        }
    };
    let mut done = 0;
    for range in subscripts(text) {
        let unseen = TextFormat {
            color: Color32::TRANSPARENT,
            ..low(0.1)
        };
        job.append(&text[done..range.start], 0.0, look.clone());
        job.append(&text[range.start..range.start + 1], 0.0, unseen);
        job.append(&text[range.start + 1..range.end], 0.0, low(SIZE));
        done = range.end;
    }
    job.append(&text[done..], 0.0, look.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscript_is_smaller_and_lower_and_the_text_stays() {
        let font = FontId::proportional(15.0);
        let job = job("F_N is 3, base_lr", font, Color32::WHITE);
        assert_eq!(job.text, "F_N is 3, base_lr");
        let sizes: Vec<f32> = job.sections.iter().map(|s| s.format.font_id.size).collect();
        assert_eq!(sizes, [15.0, 1.5, 15.0 * SIZE, 15.0]);
        assert_eq!(job.sections[1].format.color, Color32::TRANSPARENT);
        assert_eq!(job.sections[2].format.valign, Align::BOTTOM);
    }
}
