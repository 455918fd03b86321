//! The accuracy of the tour's runs on the first task: as curves and in accuracy matrices.

use egui::Ui;

use super::show_task;
use super::text::first_classes;
use crate::palette::RunStyle;
use crate::session::formatting::format_percent;
use crate::session::tour::{Tour, TourRun, TourStep};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::snapshot_slider::slider_with_labels;
use crate::ui::widgets::{self, card, faint, matrix, part, terms};

/// Size of a cell of the matrices.
const CELL_SIZE: f32 = 26.0;
/// Height of the curves.
const CURVES_HEIGHT: f32 = 230.0;

/// Draws the charts. In the step Compare, a slider selects the task for all of them.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.step == TourStep::Compare {
        card(ui, |ui| slider(ui, cx, tour));
    }
    card(ui, |ui| curves(ui, tour));
    card(ui, |ui| matrices(ui, tour));
}

fn after_task_label(task: usize) -> String {
    tr!("tour-after-task", task)
}

fn slider(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let total = tour.run().view.tasks();
    let done = tour.runs.iter().map(TourRun::measured_tasks).min().unwrap_or(0);
    let name = tr!("tour-compare-slider");
    if let Some(task) = slider_with_labels(ui, name, after_task_label, (total, done), tour.task) {
        show_task(cx, task);
    }
}

/// Returns the requested runs, each with whether it is drawn in the background because another run is being trained.
fn visible_runs(tour: &Tour) -> Vec<(&TourRun, bool)> {
    let requested = tour.runs.iter().filter(|run| !run.is_not_requested());
    let is_training =
        matches!(tour.step, TourStep::Pet | TourStep::Lae) && !tour.run().is_not_requested();
    let is_background = |run: &TourRun| is_training && run.job != tour.run().job;
    requested.map(|run| (run, is_background(run))).collect()
}

fn curves(ui: &mut Ui, tour: &Tour) {
    let t = tokens(ui);
    let series = visible_runs(tour).into_iter().map(|(run, is_background)| {
        let points = (0..).zip(run.first_task_accuracies());
        let points = points.map(|(task, share)| [f64::from(task), share * 100.0]);
        let shade = RunStyle::for_method(&run.config.method);
        let series = Series::from_run(t, shade, run.name().into(), points);
        let (colour, width) = match is_background {
            true => (series.colour.lerp_to_gamma(t.card, 0.35), 2.0),
            false => (series.colour, 3.5),
        };
        Series { colour, width, ..series }
    });
    let series: Vec<Series> = series.collect();
    let labels: Vec<String> = (1..=tour.runs[0].view.tasks()).map(after_task_label).collect();
    let title = tr!("tour-curve-name", classes = first_classes(tour));
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, &title);
        for Series { line, colour, .. } in &series {
            let sign = line.shade.map_or(' ', |shade| shade.marker().symbol());
            ui.colored_label(*colour, format!("{sign} {}", line.name));
        }
    });
    let numbers = tour.runs.iter().filter(|run| !run.is_not_requested()).map(|run| {
        let shares = run.first_task_accuracies().map(|share| format_percent(share, 0));
        format!("{}: {}", run.name(), shares.collect::<Vec<_>>().join(", "))
    });
    let numbers: Vec<String> = numbers.collect();
    Curves {
        id: "tour",
        name: &format!("{title}\n{}", numbers.join(". ")),
        height: CURVES_HEIGHT,
        tasks: &labels,
        series,
        current_task: (tour.step == TourStep::Compare).then(|| (tour.task, String::new())),
    }
    .show(ui);
}

fn matrices(ui: &mut Ui, tour: &Tour) {
    let width = (ui.available_width() - 2.0 * GAP) / 3.0;
    let tasks = tour.runs[0].view.tasks();
    let chart = |ui: &mut Ui, run: &TourRun| {
        ui.strong(run.name());
        let rows = (run.name(), run.view.answer_history().matrix.as_slice());
        // Cells of this size are painted individually, so no texture is kept.
        matrix::accuracy(ui, rows, tasks, CELL_SIZE, &mut matrix::MatrixTexture::default());
    };
    terms::title(ui, tr!("tour-matrix-title"));
    if width >= 238.0 {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (run, _) in visible_runs(tour) {
                part(ui, width, |ui| chart(ui, run));
            }
        });
    } else {
        visible_runs(tour).into_iter().for_each(|(run, _)| chart(ui, run));
    }
    faint(ui, tr!("tour-matrix-hint"));
}
