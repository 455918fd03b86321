//! The energies of the experts on the test images, as histograms.

use egui::{Align2, Rect, Role, Ui, pos2, vec2};

use super::Scene;
use crate::metrics::Expert;
use crate::session::formatting::format_signed;
use crate::session::inside::{Energies, energies};
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{allocate_named, faint, icons, legend_entry};

/// Number of bars of a histogram.
const BINS: usize = 26;
/// Height of a histogram.
const HISTOGRAM_HEIGHT: f32 = 84.0;

/// Draws a histogram for each expert. The scale is the same for all tasks.
pub fn show(ui: &mut Ui, scene: &Scene<'_>) {
    let Some(probe) = scene.current.as_ref().and_then(|now| now.probe.as_ref()) else {
        return;
    };
    if probe.energies.is_empty() {
        let title = &scene.header.method.title;
        faint(ui, tr!("predict-energies-no-logits", method = title));
        return;
    }
    faint(ui, tr!("predict-none-energy-about"));
    let range = range(scene);
    let task = scene.header.tasks.get(scene.task);
    let first = task.map_or(0, |task| task.start);
    for (expert, _) in &probe.energies {
        if let Some(found) = energies(probe, *expert, first, range, BINS) {
            histogram(ui, *expert, &found, range);
        }
    }
    legend(ui, first > 0);
}

/// Returns the lowest and the highest energy of images of learned classes, over all tasks.
fn range(scene: &Scene<'_>) -> (f32, f32) {
    let probes = scene.results.iter().filter_map(|inside| inside.probe.as_ref());
    let values = probes.flat_map(|probe| {
        let is_known = move |index: &usize| probe.labels[*index] < probe.known;
        let each = probe.energies.iter();
        each.flat_map(move |(_, values)| {
            let indices = (0..values.len()).filter(is_known);
            indices.map(|index| values[index])
        })
    });
    let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)));
    if low < high { (low, high) } else { (low.min(0.0) - 1.0, high.max(0.0) + 1.0) }
}

fn histogram(ui: &mut Ui, expert: Expert, found: &Energies, (low, high): (f32, f32)) {
    let t = tokens(ui);
    let size = vec2(ui.available_width(), HISTOGRAM_HEIGHT);
    let description = describe(expert, found, (low, high));
    let (rect, response) = allocate_named(ui, size, Role::Image, &description);
    ui.painter().rect_filled(rect, 4, t.background);
    let inner = Rect::from_min_max(rect.min + vec2(6.0, 18.0), rect.max - vec2(6.0, 16.0));
    let max = found.newest.iter().chain(&found.older).copied().max();
    let max = max.unwrap_or(1).max(1) as f32;
    let width = inner.width() / BINS as f32;
    let series = [
        (&found.older, t.subdued.gamma_multiply(0.75)),
        (&found.newest, t.expert_colour(expert).gamma_multiply(0.8)),
    ];
    for (i, (counts, colour)) in series.into_iter().enumerate() {
        for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let left = inner.left() + width * bin as f32 + width * 0.5 * i as f32;
            let top = inner.bottom() - inner.height() * *count as f32 / max;
            let bar = Rect::from_min_max(pos2(left, top), pos2(left + width * 0.5, inner.bottom()));
            ui.painter().rect_filled(bar, 0, colour);
        }
    }
    let pos = rect.left_top() + vec2(12.0, 10.0);
    icons::marker(ui.painter(), expert, pos, 8.0, t.expert_colour(expert));
    let text = |at, align, label: String, colour| {
        ui.painter().text(at, align, label, regular(11.0), colour);
    };
    let (left, right) = (Align2::LEFT_CENTER, Align2::RIGHT_CENTER);
    let (foot, corner) = (rect.bottom() - 8.0, rect.right_top() + vec2(-8.0, 10.0));
    text(pos + vec2(9.0, 0.0), left, expert.title().into(), t.text);
    text(pos2(inner.left(), foot), left, number(low), t.subdued);
    text(pos2(inner.right(), foot), right, number(high), t.subdued);
    text(corner, right, medians(found), t.subdued);
    response.on_hover_text(description);
}

fn number(value: f32) -> String {
    format_signed(value.into(), 1)
}

fn medians(found: &Energies) -> String {
    match found.medians {
        [Some(new), Some(old)] => {
            let (new, old) = (number(new), number(old));
            tr!("predict-energies-medians", new, old)
        }
        [Some(only), None] | [None, Some(only)] => {
            tr!("predict-energies-median", value = number(only))
        }
        [None, None] => String::new(),
    }
}

fn legend(ui: &mut Ui, older: bool) {
    let t = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        legend_entry(ui, t.strong, tr!("predict-energies-new-classes"));
        if older {
            legend_entry(ui, t.subdued, tr!("predict-energies-old-classes"));
        }
    });
}

/// Describes the non-empty bins of a histogram for screen readers.
fn describe(expert: Expert, found: &Energies, (low, high): (f32, f32)) -> String {
    let width = (high - low) / BINS as f32;
    let bins = |counts: &[usize]| {
        let non_empty = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let parts = non_empty.map(|(bin, count)| {
            let value = number(low + width * bin as f32);
            tr!("predict-energies-bin", n = *count, value)
        });
        let parts: Vec<String> = parts.collect();
        match parts.is_empty() {
            true => tr!("predict-energies-empty").to_string(),
            false => parts.join(", "),
        }
    };
    tr!(
        "predict-energies-described",
        expert = expert.key(),
        medians = medians(found),
        new = bins(&found.newest),
        old = bins(&found.older)
    )
}
