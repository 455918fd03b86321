//! The displayed run and another run, current or stored, side by side.

use std::path::PathBuf;

use egui::{Color32, ComboBox, RichText, Sense, Ui, Vec2};

use crate::metrics::History;
use crate::session::comparison_run::SideRun;
use crate::session::run_view::RunView;
use crate::session::views::RunRow;
use crate::session::words::{number, percent};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, card, faint};

/// Draws the card if there is another run to compare with.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let now = cx.session.companion().map(|other| &other.header.folder);
    if now.is_none() && cx.session.companions().next().is_none() {
        return;
    }
    card(ui, |ui| {
        ui.horizontal(|ui| {
            widgets::title(ui, tr!("train-compare-with"));
            choice(ui, cx, now);
        });
        let Some(other) = cx.session.companion() else {
            return;
        };
        let t = tokens(ui);
        let mine = run.header.as_ref();
        let alike = mine.is_none_or(|header| other.has_order_of(header));
        let mine = mine.map_or_else(|| run.title.clone(), |header| header.short().to_string());
        widgets::grid(ui, "beside", 4, [18.0, 6.0], |ui| {
            ui.label("");
            faint(ui, tr!("train-all-classes"));
            faint(ui, tr!("figure-task-column", n = 1));
            faint(ui, tr!("train-compare-forgotten"));
            ui.end_row();
            row(ui, (&mine, t.run(run.shade())), run.answers(), true);
            let name = (other.header.short(), t.run(other.shade));
            row(ui, name, other.history, alike);
        });
        if !alike {
            faint(ui, tr!("train-compare-other-order"));
        }
        if other.live {
            faint(ui, tr!("train-compare-in-progress"));
        }
    });
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, now: Option<&PathBuf>) {
    let title = match now {
        None => tr!("present-no-other-run").into(),
        Some(folder) => {
            let known = cx.session.companions().find(|row| row.folder == *folder);
            known.map_or_else(|| tr!("present-paired-run").into(), RunRow::line)
        }
    };
    let mut chosen = None;
    let combo = ComboBox::from_id_salt("beside")
        .width(ui.available_width())
        .truncate()
        .selected_text(title);
    let shown = combo.show_ui(ui, |ui| {
        let none = ui.selectable_label(now.is_none(), tr!("present-no-other-run"));
        if none.clicked() {
            chosen = Some(SideRun::Nothing);
        }
        for row in cx.session.companions() {
            let here = now == Some(&row.folder);
            if ui.selectable_label(here, row.line()).clicked() {
                chosen = Some(SideRun::Run(row.folder.clone()));
            }
        }
    });
    shown.response.accessible_name(tr!("present-compare-with"));
    if let Some(beside) = chosen {
        cx.change(move |session| session.train.beside = beside);
    }
}

/// Draws a run's name, its accuracy on all classes learned so far, its accuracy on the first task if the displayed run
/// has the same first task, and its forgetting.
fn row(ui: &mut Ui, (name, colour): (&str, Color32), history: &History, alike: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(10.0, 14.0), Sense::hover());
        ui.painter().circle_filled(rect.center(), 4.0, colour);
        ui.label(RichText::new(name).color(tokens(ui).text));
    });
    let first = history.matrix.last().and_then(|row| row.first().copied());
    let first = first.filter(|share| alike && share.is_finite());
    let forgotten = (history.matrix.len() > 1)
        .then(|| history.forgetting())
        .flatten();
    let shown = [
        history.last().map(|share| percent(share, 1)),
        first.map(|share| percent(share, 1)),
        forgotten.map(|points| number(points * 100.0, 1)),
    ];
    for value in shown {
        widgets::title(ui, value.unwrap_or_else(|| "–".into()));
    }
    ui.end_row();
}
