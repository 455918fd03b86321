//! The headline numbers, the accuracy curves and the accuracy matrix of a run.

use egui::{Align, Color32, Layout, RichText, Sense, Ui, Vec2};
use egui_plot::LineStyle;

use super::State;
use crate::metrics::{Expert, Tally};
use crate::session::comparison_run::Companion;
use crate::session::run_view::RunView;
use crate::session::words::{as_they_came, number};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, Tokens, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, sign};
use crate::ui::widgets::{self, card, card_of, faint, icons, matrix as matrices, terms};

/// Draws the headline numbers.
pub fn headline(ui: &mut Ui, run: &RunView) {
    let t = tokens(ui);
    let alone = run.shade_alone();
    let header = run.header.as_ref();
    let experts = header.map_or(&[Expert::ANSWER][..], |h| &h.method.experts);
    // The accuracy with the task given is also shown if there is enough space.
    let with_given = experts.len() < 3;
    let cards = experts.len() + usize::from(with_given) + 1;
    // In a narrow window, the numbers are in several rows, so that no number is truncated.
    let columns = ((ui.available_width() / 185.0) as usize).clamp(1, cards);
    let columns = cards.div_ceil(cards.div_ceil(columns)) as f32;
    let width = (ui.available_width() - (columns - 1.0) * GAP) / columns - 0.01;
    let seen: usize = (0..run.reports.len())
        .map(|task| run.class_names(task).len())
        .sum();
    let rows = Layout::left_to_right(Align::Min).with_main_wrap(true);
    ui.with_layout(rows, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(GAP);
        for &expert in experts.iter().rev() {
            let first = Some(&expert) == experts.last() && seen > 0;
            // If there is a single expert, its accuracy is that of the run.
            let title = match experts.len() {
                1 => tr!("train-accuracy"),
                _ => expert.title(),
            };
            let label = match first {
                true => tr!("train-accuracy-of-seen", title, n = seen),
                false => title.to_string(),
            };
            let quality = run.reports.last().map(|r| Tally::of(&r.answers, expert));
            let value = run.of(expert).last().map(|v| number(v * 100.0, 1));
            let term = match experts.len() {
                1 => "accuracy",
                _ => terms::of_expert(expert),
            };
            let colour = alone.map_or_else(|| t.expert(expert), |shade| t.run(shade));
            let label = (Some((expert, colour)), &*label, term);
            headline_figure(ui, width, label, value, "%", (quality, ""));
        }
        if with_given {
            let given = run.history.task_given.last().copied().flatten();
            let given = given.map(|v| number(v * 100.0, 1));
            let label = (None, tr!("train-task-given"), "task_given");
            headline_figure(ui, width, label, given, "%", (None, ""));
        }
        let told = run.forgotten.filter(|_| run.reports.len() > 1);
        let forgotten = told.map(|forgotten| number(forgotten * 100.0, 1));
        let label = (None, tr!("train-forgotten-so-far"), "forgetting");
        let each = forgotten_by(run);
        let (unit, note) = (tr!("train-points"), (None, each.as_str()));
        headline_figure(ui, width, label, forgotten, unit, note);
    });
    if let Some(words) = header.and_then(|header| as_they_came(header, &run.reports)) {
        faint(ui, words);
    }
}

/// Returns the forgetting of the other experts in words.
fn forgotten_by(run: &RunView) -> String {
    // The headline number is the forgetting of the run's predictions.
    let answering = run.history.answering();
    let told = run.forgotten_by.iter();
    let told = told.filter(|(expert, _)| *expert != answering && run.reports.len() > 1);
    let each = told.map(|(expert, share)| {
        let points = number(share * 100.0, 1);
        format!("{} {points}", expert.name())
    });
    let each: Vec<String> = each.collect();
    each.join(", ")
}

fn headline_figure(
    ui: &mut Ui,
    width: f32,
    (marker, label, term): (Option<(Expert, Color32)>, &str, &str),
    value: Option<String>,
    unit: &str,
    (quality, note): (Option<Tally>, &str),
) {
    let t = tokens(ui);
    widgets::part(ui, width, |ui| {
        card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                if let Some((expert, colour)) = marker {
                    let (rect, _) = ui.allocate_exact_size(Vec2::new(9.0, 16.0), Sense::hover());
                    icons::marker(ui.painter(), expert, rect.center(), 9.0, colour);
                }
                let label = widgets::cut(ui, label);
                terms::explain(ui, label, term);
            });
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                ui.set_height(36.0);
                match value {
                    Some(value) => {
                        ui.label(RichText::new(value).font(semibold(30.0)).color(t.strong));
                        ui.vertical(|ui| {
                            ui.add_space(15.0);
                            ui.label(RichText::new(unit).font(semibold(13.0)).color(t.subdued));
                        });
                    }
                    None => {
                        ui.label(RichText::new("–").font(semibold(30.0)).color(t.subdued));
                    }
                }
            });
            trust(ui, quality, note);
        });
    });
}

/// Draws the confidence interval of the headline number, or another note.
fn trust(ui: &mut Ui, quality: Option<Tally>, note: &str) {
    let t = tokens(ui);
    let (words, colour) = match quality {
        None => (note.to_string(), t.subdued),
        Some(quality) if quality.is_guessing() => {
            (tr!("train-no-better-than-guessing").into(), t.warning)
        }
        Some(quality) => (quality.words(), t.subdued),
    };
    let line = widgets::truncated(ui, words, regular(11.0), colour);
    if !note.is_empty() {
        line.on_hover_text(note);
    } else if let Some(quality) = quality {
        let (right, images) = (quality.right, quality.images);
        line.on_hover_text(tr!("train-accuracy-interval", right, n = images));
    }
}

/// Draws the accuracy over all classes learned so far, by task.
pub fn curves(
    ui: &mut Ui,
    run: &RunView,
    beside: Option<&Companion<'_>>,
    height: f32,
    state: &mut State,
) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends_in_order(
            ui,
            |ui| terms::title_of(ui, tr!("train-accuracy-curves"), "accuracy"),
            |ui| choice(ui, run, state),
        );
        let labels = task_labels(run);
        let alone = run.shade_alone();
        let series = run.history.experts().map(|expert| {
            let values = run.of(expert).accuracy.iter().copied().enumerate();
            let series = Series::of_expert(t, expert, values);
            match alone {
                // A single expert is drawn in the colour of the method.
                Some(shade) => {
                    Series::of_run(t, shade, series.line.name, series.line.points.into_iter())
                }
                None => series,
            }
        });
        let series = beside
            .map(|other| ghost(t, other))
            .into_iter()
            .chain(series);
        let now = run.task_now().map(|task| {
            let names = crate::problem::listed(run.class_names(task), 3);
            (task, tr!("train-learning-now", names))
        });
        Curves {
            id: "accuracy",
            name: tr!("train-accuracy-curves-name"),
            height: (height - 62.0).max(170.0),
            tasks: &labels,
            series: series.collect(),
            now,
        }
        .show(ui);
    });
}

/// Returns the accuracy curve of another run, which is a thin line behind those of the displayed run.
fn ghost(t: &Tokens, other: &Companion<'_>) -> Series {
    let points = other.history.accuracy.iter().enumerate();
    let points = points.map(|(task, v)| [task as f64, v * 100.0]);
    Series {
        style: LineStyle::Dashed { length: 3.0 },
        width: 1.6,
        ..Series::of_run(t, other.shade, other.header.short().to_string(), points)
    }
}

/// Returns labels such as "task 1 · 0,1" if the tasks have few classes with short names, otherwise "task 1".
pub fn task_labels(run: &RunView) -> Vec<String> {
    let count = run.tasks();
    let short = (0..count).all(|task| {
        let names = run.class_names(task);
        names
            .iter()
            .map(|name| name.chars().count() + 1)
            .sum::<usize>()
            <= 13
    });
    (0..count)
        .map(|task| {
            let head = tr!("figure-task-column", n = task + 1);
            if short {
                format!("{head} · {}", run.class_names(task).join(","))
            } else if count > 12 {
                format!("{}", task + 1)
            } else {
                head
            }
        })
        .collect()
}

/// Draws the accuracy matrix.
pub fn matrix(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, height: f32) {
    card_of(ui, height, |ui| {
        let top = ui.cursor().top();
        ui.horizontal_wrapped(|ui| {
            terms::title_of(ui, tr!("figure-accuracy-matrix"), "accuracy_matrix");
        });
        let tasks = run.tasks();
        if tasks == 0 {
            faint(ui, tr!("train-matrix-none"));
            return;
        }
        let wide = (ui.available_width() - 88.0) / tasks as f32;
        let high = if height > 0.0 {
            (height - 80.0 - (ui.cursor().top() - top)) / tasks as f32
        } else {
            52.0
        };
        let side = wide.min(high).max(100.0 / tasks as f32).min(52.0);
        let state = &mut cx.pages.train;
        let expert = run.history.nearest(state.expert);
        let whose = format!("{} {}", run.name(), expert.name());
        let rows = (whose.as_str(), &run.of(expert).matrix[..]);
        matrices::accuracy(ui, rows, tasks, side, &mut state.accuracies);
        faint(ui, tr!("train-matrix-hint"));
    });
}

/// Draws the choice of the expert for the matrix, the confusion and the errors, with the markers of the curves.
fn choice(ui: &mut Ui, run: &RunView, state: &mut State) {
    let now = run.history.nearest(state.expert);
    let experts: Vec<Expert> = run.history.experts().collect();
    for &expert in experts.iter().filter(|_| experts.len() > 1) {
        let name = RichText::new(expert.name()).color(sign(ui, expert));
        let chosen = ui.selectable_label(now == expert, name);
        let chosen = chosen.on_hover_text(tr!("train-expert-hint"));
        if chosen.clicked() {
            (state.expert, state.cell) = (expert, None);
        }
    }
}
