//! What became of the first task: the figure that tells forgetting at a glance.

use egui::{RichText, Sense, Ui, Vec2};

use crate::counts::counted;
use crate::problem::listed;
use crate::run::event::RunHeader;
use crate::session::views::RunRow;
use crate::session::words::percent;
use crate::ui::theme::{GAP, semibold, tokens};
use crate::ui::widgets::{self, card, faint, sentence, terms};

/// A run's accuracy on its first task: when it was learned, and now.
struct Fate<'a> {
    slot: usize,
    row: &'a RunRow,
    header: &'a RunHeader,
    then: f64,
    now: f64,
}

/// Draws the card; nothing while no ticked run has learned a second task.
pub(super) fn became(ui: &mut Ui, shown: &[(usize, &RunRow)]) {
    let fates: Vec<Fate<'_>> = shown
        .iter()
        .filter_map(|&(slot, row)| fate(slot, row))
        .collect();
    if fates.is_empty() {
        return;
    }
    card(ui, |ui| {
        let title = widgets::title(ui, "What became of task 1");
        terms::explain(ui, title, "catastrophic");
        let same = fates
            .windows(2)
            .all(|pair| first(pair[0].header) == first(pair[1].header));
        if let (true, Some(fate)) = (same, fates.first()) {
            faint(ui, format!("Images of {}.", listed(first(fate.header), 6)));
        }
        let columns = ((ui.available_width() / 190.0) as usize).clamp(1, fates.len().max(1));
        let width = (ui.available_width() - GAP * (columns as f32 - 1.0)) / columns as f32;
        for line in fates.chunks(columns) {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                for fate in line {
                    widgets::part(ui, width, |ui| one(ui, fate));
                }
            });
        }
        if let Some(words) = verdict(&fates) {
            sentence(ui, words);
        }
    });
}

fn fate(slot: usize, row: &RunRow) -> Option<Fate<'_>> {
    let rows = &row.answers().matrix;
    (rows.len() > 1).then_some(())?;
    Some(Fate {
        slot,
        row,
        header: row.header.as_ref()?,
        then: *rows.first()?.first()?,
        now: *rows.last()?.first()?,
    })
}

/// The classes of the first task.
fn first(header: &RunHeader) -> &[String] {
    let range = header.tasks.first().cloned().unwrap_or_default();
    header.class_order.get(range).unwrap_or_default()
}

fn one(ui: &mut Ui, fate: &Fate<'_>) {
    let t = tokens(ui);
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
        ui.painter()
            .circle_filled(rect.center(), 5.0, t.runs[fate.slot]);
        let name = RichText::new(fate.header.short()).color(t.text);
        ui.add(egui::Label::new(name).truncate())
            .on_hover_text(format!("{}\n{}", fate.row.title(), fate.row.name));
    });
    let figure = RichText::new(percent(fate.now, 0));
    ui.label(figure.font(semibold(30.0)).color(t.strong));
    faint(
        ui,
        format!("still right, {} at first", percent(fate.then, 0)),
    );
    if let Some(quality) = fate.row.quality_of_first {
        faint(ui, quality.words());
    }
}

/// "LAE still knows 97 % of task 1, Baseline 66 %."
fn verdict(fates: &[Fate<'_>]) -> Option<String> {
    let mut sorted: Vec<&Fate<'_>> = fates.iter().collect();
    sorted.sort_by(|a, b| b.now.total_cmp(&a.now));
    let [best, .., worst] = sorted.as_slice() else {
        return None;
    };
    let title = |fate: &Fate<'_>| fate.header.short().to_string();
    if title(best) == title(worst) {
        return None;
    }
    let after = counted(best.row.answers().matrix.len(), "task");
    let (first, most) = (title(best), percent(best.now, 0));
    let (last, least) = (title(worst), percent(worst.now, 0));
    Some(match most == least {
        true => {
            format!("After {after} {first} and {last} both still answer {most} of task 1 rightly.")
        }
        false => format!(
            "After {after} {first} still answers {most} of task 1 rightly, {last} only {least}."
        ),
    })
}
