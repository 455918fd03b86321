//! The accuracy of the tour's runs on the first task: as curves and in accuracy matrices.

use egui::Ui;

use super::look_at;
use super::text::first_classes;
use crate::palette::Shade;
use crate::session::tour::{Tour, TourRun, TourStep};
use crate::session::words::percent;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, Tokens, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::snapshot_slider::stops_called;
use crate::ui::widgets::{self, card, faint, matrix, part, terms};

/// Size of a cell of the matrices.
const CELL: f32 = 26.0;
/// Height of the curves.
const CURVES: f32 = 230.0;

/// Draws the charts. In the step Compare, a slider selects the task for all of them.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.step == TourStep::Compare {
        card(ui, |ui| slider(ui, cx, tour));
    }
    card(ui, |ui| curves(ui, tour));
    card(ui, |ui| matrices(ui, tour));
}

fn after(task: usize) -> String {
    tr!("tour-after-task", task = task)
}

fn slider(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let all = tour.run().tasks.len();
    let done = tour.runs.iter().map(TourRun::measured).min().unwrap_or(0);
    let name = tr!("tour-compare-slider");
    if let Some(task) = stops_called(ui, name, after, (all, done), tour.task) {
        look_at(cx, task);
    }
}

/// Returns the requested runs, each with whether it is drawn in the background because another run is being trained.
fn shown(tour: &Tour) -> Vec<(&TourRun, bool)> {
    let requested = tour.runs.iter().filter(|run| !run.is_unasked());
    let trains = matches!(tour.step, TourStep::Pet | TourStep::Lae) && !tour.run().is_unasked();
    let behind = |run: &TourRun| trains && run.job != tour.run().job;
    requested.map(|run| (run, behind(run))).collect()
}

fn curves(ui: &mut Ui, tour: &Tour) {
    let t = tokens(ui);
    let runs = shown(tour);
    let tasks = tour.runs[0].tasks.len();
    let labels: Vec<String> = (1..=tasks).map(after).collect();
    let title = tr!("tour-curve-name", classes = first_classes(tour));
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, &title);
        for (run, behind) in &runs {
            let colour = colour_of(t, run, *behind);
            let sign = shade_of(run).marker().letter();
            ui.colored_label(colour, format!("{sign} {}", run.name()));
        }
    });
    let numbers = runs.iter().map(|(run, _)| {
        let shares = run.first_task_accuracies().map(|share| percent(share, 0));
        format!("{}: {}", run.name(), shares.collect::<Vec<_>>().join(", "))
    });
    let numbers: Vec<String> = numbers.collect();
    let series = runs.iter().map(|(run, behind)| {
        let points = (0..).zip(run.first_task_accuracies());
        let points = points.map(|(task, share)| [f64::from(task), share * 100.0]);
        Series {
            colour: colour_of(t, run, *behind),
            width: if *behind { 2.0 } else { 3.5 },
            ..Series::of_run(t, shade_of(run), run.name().into(), points)
        }
    });
    Curves {
        id: "tour",
        name: &format!("{title}\n{}", numbers.join(". ")),
        height: CURVES,
        tasks: &labels,
        series: series.collect(),
        now: (tour.step == TourStep::Compare).then(|| (tour.task, String::new())),
    }
    .show(ui);
}

fn shade_of(run: &TourRun) -> Shade {
    Shade::of(&run.config.method)
}

fn colour_of(t: &Tokens, run: &TourRun, behind: bool) -> egui::Color32 {
    let colour = t.run(shade_of(run));
    match behind {
        true => colour.lerp_to_gamma(t.card, 0.35),
        false => colour,
    }
}

fn matrices(ui: &mut Ui, tour: &Tour) {
    let width = (ui.available_width() - 2.0 * GAP) / 3.0;
    let tasks = tour.runs[0].tasks.len();
    let chart = |ui: &mut Ui, run: &TourRun| {
        ui.strong(run.name());
        let rows = (run.name(), run.history.matrix.as_slice());
        // Cells of this size are painted individually, so no texture is kept.
        matrix::accuracy(ui, rows, tasks, CELL, &mut matrix::Picture::default());
    };
    terms::title(ui, tr!("tour-matrix-title"));
    if width >= 238.0 {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (run, _) in shown(tour) {
                part(ui, width, |ui| chart(ui, run));
            }
        });
    } else {
        shown(tour).into_iter().for_each(|(run, _)| chart(ui, run));
    }
    faint(ui, tr!("tour-matrix-hint"));
}
