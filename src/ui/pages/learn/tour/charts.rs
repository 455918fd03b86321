//! What both runs still know of the first task: as curves, and in the accuracy matrices.

use egui::Ui;
use egui_plot::{LineStyle, MarkerShape};

use super::look_at;
use super::matrix::{Shown, matrix};
use super::told::pair;
use crate::session::tour::{OwnRun, Tour, TourStep};
use crate::session::words::percent;
use crate::texts::Language;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, Tokens, tokens};
use crate::ui::widgets::curves::{Curves, Series};
use crate::ui::widgets::stops::stops_called;
use crate::ui::widgets::{self, card, faint, part, terms};

/// Draws them, and in the comparison the slider that moves both.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.step == TourStep::Compare {
        card(ui, |ui| slider(ui, cx, tour));
    }
    let language = cx.session.learn.language;
    card(ui, |ui| matrices(ui, language, tour));
    card(ui, |ui| curves(ui, language, tour));
}

fn after(language: Language, task: usize) -> String {
    language.fill("tour.after", &[("task", &task.to_string())])
}

fn slider(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let language = cx.session.learn.language;
    let all = tour.lae.tasks.len();
    let done = tour.baseline.measured().min(tour.lae.measured());
    let name = language.say("tour.compare.slider");
    let words = |task| after(language, task);
    if let Some(task) = stops_called(ui, name, words, (all, done), tour.task) {
        look_at(cx, task);
    }
}

/// The runs on show: name, run, and whether it lies behind the other one.
fn shown(language: Language, tour: &Tour) -> Vec<(&'static str, &OwnRun, bool)> {
    let behind = tour.step == TourStep::Switch && !tour.lae.is_unasked();
    let mut runs = vec![(language.say("tour.baseline"), &tour.baseline, behind)];
    if !tour.lae.is_unasked() {
        runs.push((language.say("tour.lae"), &tour.lae, false));
    }
    runs
}

fn curves(ui: &mut Ui, language: Language, tour: &Tour) {
    let t = tokens(ui);
    let runs = shown(language, tour);
    let tasks = tour.baseline.tasks.len();
    let labels: Vec<String> = (1..=tasks).map(|task| after(language, task)).collect();
    let classes = tour
        .baseline
        .tasks
        .first()
        .map(|classes| pair(language, classes));
    let title = language.fill("tour.curve", &[("classes", &classes.unwrap_or_default())]);
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, &title);
        for (name, run, behind) in &runs {
            let colour = colour_of(t, run, tour, *behind);
            ui.colored_label(colour, format!("{} {name}", sign_of(run, tour)));
        }
    });
    let numbers = runs.iter().map(|(name, run, _)| {
        let shares: Vec<String> = run.of_first_task().map(|share| percent(share, 0)).collect();
        format!("{name}: {}", shares.join(", "))
    });
    let numbers: Vec<String> = numbers.collect();
    let series = runs.iter().map(|(name, run, behind)| {
        let is_lae = std::ptr::eq(*run, &tour.lae);
        Series {
            name: (*name).into(),
            points: (0..)
                .zip(run.of_first_task())
                .map(|(task, share)| [f64::from(task), share * 100.0])
                .collect(),
            colour: colour_of(t, run, tour, *behind),
            marker: if is_lae {
                MarkerShape::Square
            } else {
                MarkerShape::Circle
            },
            style: match is_lae {
                true => LineStyle::Solid,
                false => LineStyle::Dashed { length: 6.0 },
            },
            width: if *behind { 1.6 } else { 2.4 },
            spread: Vec::new(),
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
        language,
    }
    .show(ui);
}

fn sign_of(run: &OwnRun, tour: &Tour) -> char {
    if std::ptr::eq(run, &tour.lae) {
        '■'
    } else {
        '●'
    }
}

fn colour_of(t: &Tokens, run: &OwnRun, tour: &Tour, behind: bool) -> egui::Color32 {
    match std::ptr::eq(run, &tour.lae) {
        true => t.runs[0],
        false if behind => t.runs[1].lerp_to_gamma(t.card, 0.5),
        false => t.runs[1],
    }
}

fn matrices(ui: &mut Ui, language: Language, tour: &Tour) {
    let runs = shown(language, tour);
    let width = (ui.available_width() - GAP) / 2.0;
    let row = (tour.step == TourStep::Compare).then_some(tour.task);
    let beside = width >= 250.0;
    let chart = |ui: &mut Ui, name: &str, run: &OwnRun| {
        let shown = Shown {
            name,
            language,
            tasks: &tour.baseline.tasks,
            rows: &run.history.matrix,
            row,
        };
        matrix(ui, &shown);
    };
    terms::title(ui, language.say("tour.matrix.title"), language);
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
    faint(ui, language.say("tour.matrix.hint"));
}
