//! The scores of an expert as horizontal bars, one for each class.

use egui::{Align2, Color32, Rect, Response, Role, Ui, Vec2, pos2};
use unicode_width::UnicodeWidthStr;

use super::allocate_named;
use crate::metrics::Expert;
use crate::session::formatting::format_percent;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::elided_text::paint_name;

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The name of the class.
    pub name: String,
    /// The score, from 0 to 1.
    pub share: f32,
}

/// Paints the bars of an expert. The first bar has the highest score and is emphasised.
pub fn bars(ui: &mut Ui, expert: Expert, bars: &[Bar], faded: bool) {
    let t = tokens(ui);
    let widest = bars.iter().map(|bar| bar.name.width()).max();
    let name_width = (widest.unwrap_or(1) as f32 * 8.0 + 8.0)
        .clamp(20.0, (ui.available_width() * 0.36).max(20.0));
    for (i, bar) in bars.iter().enumerate() {
        let share = f64::from(bar.share);
        let label = format!("{} {}: {}", expert.key(), bar.name, format_percent(share, 0));
        let mut colour = t.expert_colour(expert);
        if i > 0 {
            colour = colour.lerp_to_gamma(t.card, 0.45);
        }
        if faded {
            colour = colour.gamma_multiply(0.45);
        }
        let shares = (bar.share, bar.share);
        let response = meter(ui, (24.0, name_width), &label, shares, colour);
        let at = response.rect.left_center();
        let (align, font) = (Align2::LEFT_CENTER, semibold(13.0));
        paint_name(ui, at, align, &bar.name, font, t.strong, name_width - 6.0);
        response.on_hover_text(format!("{}: {}", bar.name, format_percent(share, 2)));
    }
}

/// Draws a row of this height with a bar, which starts after `left` points, and the share in percent. The bar has the
/// length `bar_share`.
pub fn meter(
    ui: &mut Ui,
    (height, left): (f32, f32),
    label: &str,
    (share, bar_share): (f32, f32),
    colour: Color32,
) -> Response {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), height);
    let (rect, response) = allocate_named(ui, size, Role::Meter, label);
    let track = Rect::from_min_max(
        pos2(rect.left() + left, rect.top() + 4.0),
        pos2(rect.right() - 46.0, rect.bottom() - 4.0),
    );
    let painter = ui.painter();
    painter.rect_filled(track, 4, t.background);
    let mut filled = track;
    filled.set_width((track.width() * bar_share.clamp(0.0, 1.0)).max(2.0));
    painter.rect_filled(filled, 4, colour);
    let (right, text) = (rect.right_center(), format_percent(f64::from(share), 0));
    painter.text(right, Align2::RIGHT_CENTER, text, regular(13.0), t.text);
    response
}
