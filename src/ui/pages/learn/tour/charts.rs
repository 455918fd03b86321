//! The accuracy of the tour's runs on the first task: as curves and in accuracy matrices.

use egui::Ui;

use super::look_at;
use super::text::first_classes;
use crate::palette::Shade;
use crate::session::tour::{Tour, TourRun, TourStep};
use crate::session::words::percent;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, tokens};
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
    tr!("tour-after-task", task)
}

fn slider(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let all = tour.run().view.tasks();
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
    let series = shown(tour).into_iter().map(|(run, behind)| {
        let points = (0..).zip(run.first_task_accuracies());
        let points = points.map(|(task, share)| [f64::from(task), share * 100.0]);
        let shade = Shade::of(&run.config.method);
        let series = Series::of_run(t, shade, run.name().into(), points);
        let (colour, width) = match behind {
            true => (series.colour.lerp_to_gamma(t.card, 0.35), 2.0),
            false => (series.colour, 3.5),
        };
        Series {
            colour,
            width,
            ..series
        }
    });
    let series: Vec<Series> = series.collect();
    let labels: Vec<String> = (1..=tour.runs[0].view.tasks()).map(after).collect();
    let title = tr!("tour-curve-name", classes = first_classes(tour));
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, &title);
        for Series { line, colour, .. } in &series {
            let sign = line.shade.map_or(' ', |shade| shade.marker().letter());
            ui.colored_label(*colour, format!("{sign} {}", line.name));
        }
    });
    let numbers = tour.runs.iter().filter(|run| !run.is_unasked()).map(|run| {
        let shares = run.first_task_accuracies().map(|share| percent(share, 0));
        format!("{}: {}", run.name(), shares.collect::<Vec<_>>().join(", "))
    });
    let numbers: Vec<String> = numbers.collect();
    Curves {
        id: "tour",
        name: &format!("{title}\n{}", numbers.join(". ")),
        height: CURVES,
        tasks: &labels,
        series,
        now: (tour.step == TourStep::Compare).then(|| (tour.task, String::new())),
    }
    .show(ui);
}

fn matrices(ui: &mut Ui, tour: &Tour) {
    let width = (ui.available_width() - 2.0 * GAP) / 3.0;
    let tasks = tour.runs[0].view.tasks();
    let chart = |ui: &mut Ui, run: &TourRun| {
        ui.strong(run.name());
        let rows = (run.name(), run.view.answers().matrix.as_slice());
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
