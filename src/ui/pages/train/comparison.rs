//! The displayed run and another run, current or stored, side by side.

use std::path::PathBuf;

use egui::{Color32, ComboBox, RichText, Sense, Ui, Vec2};

use crate::metrics::History;
use crate::session::comparison_run::SideRun;
use crate::session::formatting::{format_number, format_percent};
use crate::session::run_view::RunView;
use crate::session::views::RunRow;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, card, faint};

/// Draws the card if there is another run to compare with.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let current = cx.session.companion().map(|other| &other.header.folder);
    if current.is_none() && cx.session.companions().next().is_none() {
        return;
    }
    card(ui, |ui| {
        ui.horizontal(|ui| {
            widgets::title(ui, tr!("train-compare-with"));
            choice(ui, cx, current);
        });
        let Some(other) = cx.session.companion() else {
            return;
        };
        let t = tokens(ui);
        let run_header = run.header.as_ref();
        let has_same_order = run_header.is_none_or(|header| other.has_order_of(header));
        let title =
            run_header.map_or_else(|| run.title.clone(), |header| header.short_name().to_string());
        widgets::grid(ui, "beside", 4, [18.0, 6.0], |ui| {
            ui.label("");
            faint(ui, tr!("train-all-classes"));
            faint(ui, tr!("figure-task-column", n = 1));
            faint(ui, tr!("train-compare-forgotten"));
            ui.end_row();
            row(ui, (&title, t.run_colour(run.shade())), run.answer_history(), true);
            let name = (other.header.short_name(), t.run_colour(other.shade));
            row(ui, name, other.history, has_same_order);
        });
        if !has_same_order {
            faint(ui, tr!("train-compare-other-order"));
        }
        if other.live {
            faint(ui, tr!("train-compare-in-progress"));
        }
    });
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, current: Option<&PathBuf>) {
    let title = match current {
        None => tr!("present-no-other-run").into(),
        Some(folder) => {
            let companion = cx.session.companions().find(|row| row.folder == *folder);
            companion.map_or_else(|| tr!("present-paired-run").into(), RunRow::list_label)
        }
    };
    let mut chosen = None;
    let combo = ComboBox::from_id_salt("beside")
        .width(ui.available_width())
        .truncate()
        .selected_text(title);
    let response = combo.show_ui(ui, |ui| {
        let none = ui.selectable_label(current.is_none(), tr!("present-no-other-run"));
        if none.clicked() {
            chosen = Some(SideRun::Nothing);
        }
        for row in cx.session.companions() {
            let is_current = current == Some(&row.folder);
            if ui.selectable_label(is_current, row.list_label()).clicked() {
                chosen = Some(SideRun::Run(row.folder.clone()));
            }
        }
    });
    response.response.accessible_name(tr!("present-compare-with"));
    if let Some(side_run) = chosen {
        cx.change(move |session| session.train.side_run = side_run);
    }
}

/// Draws a run's name, its accuracy on all classes learned so far, its accuracy on the first task if the displayed run
/// has the same first task, and its forgetting.
fn row(ui: &mut Ui, (name, colour): (&str, Color32), history: &History, has_same_order: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(10.0, 14.0), Sense::hover());
        ui.painter().circle_filled(rect.center(), 4.0, colour);
        ui.label(RichText::new(name).color(tokens(ui).text));
    });
    let first = history.matrix.last().and_then(|row| row.first().copied());
    let first = first.filter(|share| has_same_order && share.is_finite());
    let forgotten = (history.matrix.len() > 1).then(|| history.forgetting()).flatten();
    let values = [
        history.last_accuracy().map(|share| format_percent(share, 1)),
        first.map(|share| format_percent(share, 1)),
        forgotten.map(|points| format_number(points * 100.0, 1)),
    ];
    for value in values {
        widgets::title(ui, value.unwrap_or_else(|| "–".into()));
    }
    ui.end_row();
}
