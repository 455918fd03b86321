//! The values of runs: a bar for each run. With `spread`, a dot for each repetition and a line for mean and standard
//! deviation.

use egui::{
    Align2, CornerRadius, Rect, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, remap_clamp,
};

use crate::metrics::{mean, std_dev};
use crate::session::units::chart::mean_and_spread;
use crate::session::units::{RunValues, number};
use crate::texts::Language;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::painted_text;

/// Height of a row, in points.
const ROW: f32 = 28.0;

/// Draws the rows.
pub(super) fn show(
    ui: &mut Ui,
    rows: &[RunValues<f64>],
    unit: &str,
    spread: bool,
    language: Language,
) {
    let t = tokens(ui);
    let (low, high) = range(rows, spread);
    let name_width = (ui.available_width() * 0.34).min(210.0);
    let value_width = if spread { 110.0 } else { 92.0 };
    for RunValues {
        title,
        shade,
        values,
    } in rows
    {
        let size = Vec2::new(ui.available_width(), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let told = format!("{} {unit}", mean_and_spread(values, language));
        let label = format!("{title}: {}", told.trim());
        response.widget_info(|| WidgetInfo::labeled(Role::Meter, true, &label));
        let left = rect.left_center();
        painted_text(
            ui,
            left,
            Align2::LEFT_CENTER,
            title,
            regular(13.5),
            t.strong,
            name_width - 8.0,
        );
        let right = rect.right_center();
        painted_text(
            ui,
            right,
            Align2::RIGHT_CENTER,
            told.trim(),
            regular(13.0),
            t.text,
            value_width,
        );
        let track = Rect::from_min_max(
            pos2(rect.left() + name_width, rect.top() + 6.0),
            pos2(rect.right() - value_width - 12.0, rect.bottom() - 6.0),
        );
        let at = |value: f64| {
            remap_clamp(
                value as f32,
                low as f32..=high as f32,
                track.left()..=track.right(),
            )
        };
        let painter = ui.painter();
        painter.rect_filled(track, CornerRadius::same(3), t.background);
        let colour = t.run(*shade);
        let Some(centre) = mean(values) else { continue };
        if !spread {
            let (zero, end) = (at(0.0), at(centre));
            let filled = Rect::from_x_y_ranges(
                zero.min(end)..=zero.max(end).max(zero + 2.0),
                track.y_range(),
            );
            painter.rect_filled(filled, CornerRadius::same(3), colour);
            continue;
        }
        if let Some(half) = std_dev(values) {
            let ends = [at(centre - half), at(centre + half)];
            painter.hline(
                ends[0]..=ends[1],
                track.center().y,
                Stroke::new(3.0, colour.gamma_multiply(0.5)),
            );
        }
        for value in values {
            painter.circle_filled(pos2(at(*value), track.center().y), 4.0, colour);
        }
        painter.vline(at(centre), track.y_range(), Stroke::new(2.0, t.strong));
    }
    let size = Vec2::new(ui.available_width(), 14.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let ends = [
        (rect.left() + name_width, Align2::LEFT_CENTER, low),
        (
            rect.right() - value_width - 12.0,
            Align2::RIGHT_CENTER,
            high,
        ),
    ];
    for (x, align, value) in ends {
        let text = number(value, language);
        let at = pos2(x, rect.center().y);
        ui.painter().text(at, align, text, regular(11.0), t.subdued);
    }
}

/// Returns the range of the axis. Bars start at 0; dots start near the lowest value.
fn range(rows: &[RunValues<f64>], spread: bool) -> (f64, f64) {
    let all: Vec<f64> = rows.iter().flat_map(|row| &row.values).copied().collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = 5.0;
    if spread {
        let low = ((least - 1.0) / step).floor() * step;
        return (low, (((most + 1.0) / step).ceil() * step).max(low + step));
    }
    let low = (least / step).floor() * step;
    (low.min(0.0), ((most / step).ceil() * step).max(step))
}
