//! Runs that differ only in class order and seed, as mean ± std.

use std::sync::Arc;

use egui::{RichText, Ui};

use super::FIGURES;
use crate::run::event::RunHeader;
use crate::session::views::{Rows, RunRow, RunState};
use crate::store::Figures;
use crate::store::groups::{kinds, labels};
use crate::store::spread_text;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, card, faint, terms};

/// Kinds of runs that were repeated, worked out when the list is another one.
pub(super) struct Repeated {
    rows: Rows,
    kinds: Arc<[Kind]>,
}

/// Runs of one kind.
struct Kind {
    label: String,
    runs: usize,
    mean: Figures,
    std: Figures,
}

/// Draws the card; nothing while no run was repeated.
pub(super) fn repetitions(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows) {
    let kinds = repeated(&mut cx.pages.compare.repeated, rows);
    if kinds.is_empty() {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::title(ui, "Mean ± std over class orders and seeds");
        faint(ui, "Of all finished runs of the list, ticked or not.");
        egui::Grid::new("repetitions")
            .num_columns(5)
            .spacing([22.0, 7.0])
            .show(ui, |ui| {
                faint(ui, "settings");
                faint(ui, "runs");
                for (head, term) in &FIGURES[..3] {
                    terms::faint(ui, *head, term);
                }
                ui.end_row();
                for kind in &*kinds {
                    ui.label(RichText::new(&kind.label).color(t.text));
                    ui.label(RichText::new(kind.runs.to_string()).color(t.text));
                    let pairs = kind.mean.of_answer().into_iter().zip(kind.std.of_answer());
                    for (mean, std) in pairs {
                        let text = RichText::new(spread_text(mean, std, " ± "));
                        ui.label(text.font(semibold(13.0)).color(t.strong));
                    }
                    ui.end_row();
                }
            });
    });
}

/// The finished runs that were repeated with other class orders or seeds, by kind.
fn repeated<'a>(known: &mut Option<Repeated>, rows: &'a Rows) -> Arc<[Kind]> {
    if let Some(known) = known
        && Arc::ptr_eq(&known.rows, rows)
    {
        return known.kinds.clone();
    }
    let finished = |row: &RunRow| row.state == RunState::Finished;
    let mut repeated = kinds(rows, |row| row.group.as_ref().filter(|_| finished(row)));
    repeated.retain(|kind| kind.len() > 1);
    let first = |kind: &Vec<&'a Arc<RunRow>>| Some((kind[0].header.as_ref()?, kind.len()));
    let firsts: Vec<(&RunHeader, usize)> = repeated.iter().filter_map(first).collect();
    let kind = |(runs, label): (&Vec<&Arc<RunRow>>, String)| {
        let figures: Vec<&Figures> = runs.iter().map(|row| &row.figures).collect();
        let (mean, std) = Figures::mean_and_std(&figures);
        Kind {
            label,
            runs: runs.len(),
            mean,
            std,
        }
    };
    let kinds: Arc<[Kind]> = repeated.iter().zip(labels(&firsts)).map(kind).collect();
    *known = Some(Repeated {
        rows: rows.clone(),
        kinds: kinds.clone(),
    });
    kinds
}
