//! Subscripts in labels and buttons: F_N is drawn with a small, lowered N.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, FontId};

use crate::names::find_subscripts;

/// Font size of a subscript relative to the text.
const RELATIVE_SIZE: f32 = 0.74;
/// Line height of the fonts relative to their size.
const LINE_HEIGHT: f32 = 1.21;
/// Difference between the line heights of the text and of a subscript, relative to the text's size. The lines are
/// aligned at the bottom and characters are centred in their line, so subscripts are lowered by half of this
/// difference.
const LOWERING: f32 = 0.58;

/// Returns the layout of a text with subscripts, for a label or a button.
pub fn layout_job(text: &str, font: FontId, colour: Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    append(&mut job, text, &TextFormat::simple(font, colour));
    job
}

/// Appends a text with subscripts to a layout. Underscores are kept in the text for copying and screen readers, but are
/// not visible.
pub fn append(job: &mut LayoutJob, text: &str, format: &TextFormat) {
    let size = format.font_id.size;
    let lowered = |scale: f32| {
        let line_height = format.line_height.unwrap_or(LINE_HEIGHT * size);
        TextFormat {
            font_id: FontId::new(size * scale, format.font_id.family.clone()),
            line_height: Some((line_height - LOWERING * size).max(1.0)),
            valign: Align::BOTTOM,
            ..format.clone()
        }
    };
    let mut end = 0;
    for range in find_subscripts(text) {
        let hidden = TextFormat { color: Color32::TRANSPARENT, ..lowered(0.1) };
        job.append(&text[end..range.start], 0.0, format.clone());
        job.append(&text[range.start..range.start + 1], 0.0, hidden);
        job.append(&text[range.start + 1..range.end], 0.0, lowered(RELATIVE_SIZE));
        end = range.end;
    }
    job.append(&text[end..], 0.0, format.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscript_is_smaller_and_lower() {
        let font = FontId::proportional(15.0);
        let job = layout_job("F_N is 3, base_lr", font, Color32::WHITE);
        assert_eq!(job.text, "F_N is 3, base_lr");
        let sizes: Vec<f32> = job.sections.iter().map(|s| s.format.font_id.size).collect();
        assert_eq!(sizes, [15.0, 1.5, 15.0 * RELATIVE_SIZE, 15.0]);
        assert_eq!(job.sections[1].format.color, Color32::TRANSPARENT);
        assert_eq!(job.sections[2].format.valign, Align::BOTTOM);
    }
}
