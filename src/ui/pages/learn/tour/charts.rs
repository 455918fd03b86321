//! The accuracy of both runs on the first task: as curves, and in the accuracy matrices.

use egui::Ui;

use super::look_at;
use super::told::pair;
use crate::palette::Shade;
use crate::session::tour::{OwnRun, Tour, TourStep};
use crate::session::words::percent;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, Tokens, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::stops::stops_called;
use crate::ui::widgets::{self, card, faint, matrix, part, terms};

/// Size of a cell of the matrices.
const CELL: f32 = 30.0;

/// Draws them, and in the comparison the slider for both.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.step == TourStep::Compare {
        card(ui, |ui| slider(ui, cx, tour));
    }
    card(ui, |ui| matrices(ui, tour));
    card(ui, |ui| curves(ui, tour));
}

fn after(task: usize) -> String {
    tr!("tour-after-task", task = task)
}

fn slider(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let all = tour.lae.tasks.len();
    let done = tour.baseline.measured().min(tour.lae.measured());
    let name = tr!("tour-compare-slider");
    if let Some(task) = stops_called(ui, name, after, (all, done), tour.task) {
        look_at(cx, task);
    }
}

/// Returns the displayed runs: name, run, and whether it is drawn behind the other one.
fn shown(tour: &Tour) -> Vec<(&'static str, &OwnRun, bool)> {
    let behind = tour.step == TourStep::Switch && !tour.lae.is_unasked();
    let mut runs = vec![(tr!("tour-baseline-name"), &tour.baseline, behind)];
    if !tour.lae.is_unasked() {
        runs.push((tr!("tour-lae-name"), &tour.lae, false));
    }
    runs
}

fn curves(ui: &mut Ui, tour: &Tour) {
    let t = tokens(ui);
    let runs = shown(tour);
    let tasks = tour.baseline.tasks.len();
    let labels: Vec<String> = (1..=tasks).map(after).collect();
    let classes = tour.baseline.tasks.first().map(|classes| pair(classes));
    let title = tr!("tour-curve-name", classes = classes.unwrap_or_default());
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, &title);
        for (name, run, behind) in &runs {
            let colour = colour_of(t, run, *behind);
            let sign = shade_of(run).sign().letter();
            ui.colored_label(colour, format!("{sign} {name}"));
        }
    });
    let numbers = runs.iter().map(|(name, run, _)| {
        let shares: Vec<String> = run.of_first_task().map(|share| percent(share, 0)).collect();
        format!("{name}: {}", shares.join(", "))
    });
    let numbers: Vec<String> = numbers.collect();
    let series = runs.iter().map(|(name, run, behind)| {
        let points = (0..).zip(run.of_first_task());
        let points = points.map(|(task, share)| [f64::from(task), share * 100.0]);
        Series {
            colour: colour_of(t, run, *behind),
            width: if *behind { 1.6 } else { 2.4 },
            ..Series::of_run(t, shade_of(run), (*name).into(), points)
        }
    });
    Curves {
        id: "tour",
        name: &format!("{title}\n{}", numbers.join(". ")),
        height: if tour.step == TourStep::Compare {
            132.0
        } else {
            170.0
        },
        tasks: &labels,
        series: series.collect(),
        now: (tour.step == TourStep::Compare).then(|| (tour.task, String::new())),
    }
    .show(ui);
}

fn shade_of(run: &OwnRun) -> Shade {
    Shade::of(&run.config.method)
}

fn colour_of(t: &Tokens, run: &OwnRun, behind: bool) -> egui::Color32 {
    let colour = t.run(shade_of(run));
    match behind {
        true => colour.lerp_to_gamma(t.card, 0.5),
        false => colour,
    }
}

fn matrices(ui: &mut Ui, tour: &Tour) {
    let runs = shown(tour);
    let width = (ui.available_width() - GAP) / 2.0;
    let beside = width >= 250.0;
    let tasks = tour.baseline.tasks.len();
    let chart = |ui: &mut Ui, name: &str, run: &OwnRun| {
        ui.strong(name);
        let rows = (name, run.history.matrix.as_slice());
        // Cells of this size are painted one by one, so there is no texture to keep.
        matrix::accuracy(ui, rows, tasks, CELL, &mut matrix::Picture::default());
    };
    terms::title(ui, tr!("tour-matrix-title"));
    if beside {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (name, run, _) in runs {
                part(ui, width, |ui| chart(ui, name, run));
            }
        });
    } else {
        runs.into_iter()
            .for_each(|(name, run, _)| chart(ui, name, run));
    }
    faint(ui, tr!("tour-matrix-hint"));
}
