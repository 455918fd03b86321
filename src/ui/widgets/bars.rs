//! The scores of an expert as horizontal bars, one for each class.

use egui::{Align2, Role, Ui, Vec2, pos2};

use super::allocate_named;
use crate::metrics::Expert;
use crate::session::words::percent;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::names::painted_name;

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
    let widest = bars.iter().map(|bar| bar.name.chars().count()).max();
    let name_width = (widest.unwrap_or(1) as f32 * 8.0 + 8.0)
        .clamp(20.0, (ui.available_width() * 0.36).max(20.0));
    for (i, bar) in bars.iter().enumerate() {
        let size = Vec2::new(ui.available_width(), 24.0);
        let share = f64::from(bar.share);
        let label = format!("{} {}: {}", expert.name(), bar.name, percent(share, 0));
        let (rect, response) = allocate_named(ui, size, Role::Meter, &label);
        let mut colour = t.expert(expert);
        if i > 0 {
            colour = colour.lerp_to_gamma(t.card, 0.45);
        }
        if faded {
            colour = colour.gamma_multiply(0.45);
        }
        let at = rect.left_center();
        let (align, font) = (Align2::LEFT_CENTER, semibold(13.0));
        painted_name(ui, at, align, &bar.name, font, t.strong, name_width - 6.0);
        let track = egui::Rect::from_min_max(
            pos2(rect.left() + name_width, rect.top() + 4.0),
            pos2(rect.right() - 46.0, rect.bottom() - 4.0),
        );
        ui.painter().rect_filled(track, 4, t.background);
        let mut filled = track;
        filled.set_width((track.width() * bar.share.clamp(0.0, 1.0)).max(2.0));
        ui.painter().rect_filled(filled, 4, colour);
        let (align, font) = (Align2::RIGHT_CENTER, regular(13.0));
        ui.painter()
            .text(rect.right_center(), align, percent(share, 0), font, t.text);
        response.on_hover_text(format!("{}: {}", bar.name, percent(share, 2)));
    }
}
