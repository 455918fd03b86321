//! The headline numbers, the accuracy curves and the accuracy matrix of a run.

use egui::{Align, Color32, Layout, RichText, Sense, Ui, Vec2};
use egui_plot::LineStyle;

use super::State;
use crate::metrics::{Expert, Tally};
use crate::session::comparison_run::Companion;
use crate::session::formatting::{format_number, original_label_accuracy};
use crate::session::run_view::RunView;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, Tokens, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, expert_marker};
use crate::ui::widgets::{self, card, card_with_height, faint, icons, matrix as matrices, terms};

/// Draws the headline numbers.
pub fn headline(ui: &mut Ui, run: &RunView) {
    let t = tokens(ui);
    let single_shade = run.shade_alone();
    let header = run.header.as_ref();
    let experts = header.map_or(&[Expert::ANSWER][..], |h| &h.method.experts);
    // The accuracy with the task given is also shown if there is enough space.
    let has_task_given = experts.len() < 3;
    let cards = experts.len() + usize::from(has_task_given) + 1;
    // In a narrow window, the numbers are in several rows, so that no number is truncated.
    let columns = ((ui.available_width() / 185.0) as usize).clamp(1, cards);
    let columns = cards.div_ceil(cards.div_ceil(columns)) as f32;
    let width = (ui.available_width() - (columns - 1.0) * GAP) / columns - 0.01;
    let class_count: usize = (0..run.reports.len()).map(|task| run.class_names(task).len()).sum();
    let rows = Layout::left_to_right(Align::Min).with_main_wrap(true);
    ui.with_layout(rows, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(GAP);
        for &expert in experts.iter().rev() {
            let first = Some(&expert) == experts.last() && class_count > 0;
            // If there is a single expert, its accuracy is that of the run.
            let title = match experts.len() {
                1 => tr!("train-accuracy"),
                _ => expert.title(),
            };
            let label = match first {
                true => tr!("train-accuracy-of-seen", title, n = class_count),
                false => title.to_string(),
            };
            let quality = run.reports.last().map(|r| Tally::new(&r.answers, expert));
            let value =
                run.expert_history(expert).last_accuracy().map(|v| format_number(v * 100.0, 1));
            let term = match experts.len() {
                1 => "accuracy",
                _ => terms::expert_key(expert),
            };
            let colour =
                single_shade.map_or_else(|| t.expert_colour(expert), |shade| t.run_colour(shade));
            let label = (Some((expert, colour)), &*label, term);
            headline_figure(ui, width, label, value, "%", (quality, ""));
        }
        if has_task_given {
            let task_given = run.history.task_given.last().copied().flatten();
            let task_given = task_given.map(|v| format_number(v * 100.0, 1));
            let label = (None, tr!("train-task-given"), "task_given");
            headline_figure(ui, width, label, task_given, "%", (None, ""));
        }
        let measured = run.forgetting.filter(|_| run.reports.len() > 1);
        let forgotten = measured.map(|forgotten| format_number(forgotten * 100.0, 1));
        let label = (None, tr!("train-forgotten-so-far"), "forgetting");
        let details = expert_forgetting(run);
        let (unit, note) = (tr!("train-points"), (None, details.as_str()));
        headline_figure(ui, width, label, forgotten, unit, note);
    });
    if let Some(note) = header.and_then(|header| original_label_accuracy(header, &run.reports)) {
        faint(ui, note);
    }
}

/// Returns the forgetting of the other experts in words.
fn expert_forgetting(run: &RunView) -> String {
    // The headline number is the forgetting of the run's predictions.
    let answering = run.history.answer_expert();
    let others = run.expert_forgetting.iter();
    let others = others.filter(|(expert, _)| *expert != answering && run.reports.len() > 1);
    let parts = others.map(|(expert, share)| {
        let points = format_number(share * 100.0, 1);
        format!("{} {points}", expert.key())
    });
    let parts: Vec<String> = parts.collect();
    parts.join(", ")
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
                let label = widgets::truncated_faint(ui, label);
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
            show_confidence(ui, quality, note);
        });
    });
}

/// Draws the confidence interval of the headline number, or another note.
fn show_confidence(ui: &mut Ui, quality: Option<Tally>, note: &str) {
    let t = tokens(ui);
    let (text, colour) = match quality {
        None => (note.to_string(), t.subdued),
        Some(quality) => match quality.chance_note() {
            Some(note) => (note.to_string(), t.warning),
            None => (quality.summary(), t.subdued),
        },
    };
    let label = widgets::truncated(ui, text, regular(11.0), colour);
    if !note.is_empty() {
        label.on_hover_text(note);
    } else if let Some(quality) = quality {
        let (right, images) = (quality.right, quality.images);
        label.on_hover_text(tr!("train-accuracy-interval", right, n = images));
    }
}

/// Draws the accuracy over all classes learned so far, by task.
pub fn curves(
    ui: &mut Ui,
    run: &RunView,
    comparison: Option<&Companion<'_>>,
    height: f32,
    state: &mut State,
) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends_in_order(
            ui,
            |ui| terms::term_title(ui, tr!("train-accuracy-curves"), "accuracy"),
            |ui| expert_choice(ui, run, state),
        );
        let labels = task_labels(run);
        let single_shade = run.shade_alone();
        let series = run.history.experts().map(|expert| {
            let values = run.expert_history(expert).accuracy.iter().copied().enumerate();
            let series = Series::from_expert(t, expert, values);
            match single_shade {
                // A single expert is drawn in the colour of the method.
                Some(shade) => {
                    Series::from_run(t, shade, series.line.name, series.line.points.into_iter())
                }
                None => series,
            }
        });
        let series = comparison.map(|other| comparison_series(t, other)).into_iter().chain(series);
        let current_task = run.current_task().map(|task| {
            let names = crate::problem::join_some(run.class_names(task), 3);
            (task, tr!("train-learning-now", names))
        });
        Curves {
            id: "accuracy",
            name: tr!("train-accuracy-curves-name"),
            height: (height - 62.0).max(170.0),
            tasks: &labels,
            series: series.collect(),
            current_task,
        }
        .show(ui);
    });
}

/// Returns the accuracy curve of another run, which is a thin line behind those of the displayed run.
fn comparison_series(t: &Tokens, other: &Companion<'_>) -> Series {
    let points = other.history.accuracy.iter().enumerate();
    let points = points.map(|(task, v)| [task as f64, v * 100.0]);
    Series {
        style: LineStyle::Dashed { length: 3.0 },
        width: 1.6,
        ..Series::from_run(t, other.shade, other.header.short_name().to_string(), points)
    }
}

/// Returns labels such as "task 1 · 0,1" if the tasks have few classes with short names, otherwise "task 1".
pub fn task_labels(run: &RunView) -> Vec<String> {
    let count = run.tasks();
    let short = (0..count).all(|task| {
        let names = run.class_names(task);
        names.iter().map(|name| name.chars().count() + 1).sum::<usize>() <= 13
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
    card_with_height(ui, height, |ui| {
        let top = ui.cursor().top();
        ui.horizontal_wrapped(|ui| {
            terms::term_title(ui, tr!("figure-accuracy-matrix"), "accuracy_matrix");
        });
        let tasks = run.tasks();
        if tasks == 0 {
            faint(ui, tr!("train-matrix-none"));
            return;
        }
        let max_width = (ui.available_width() - 88.0) / tasks as f32;
        let max_height = if height > 0.0 {
            (height - 80.0 - (ui.cursor().top() - top)) / tasks as f32
        } else {
            52.0
        };
        let side = max_width.min(max_height).max(100.0 / tasks as f32).min(52.0);
        let state = &mut cx.pages.train;
        let expert = run.history.expert_or_answer(state.expert);
        let run_name = format!("{} {}", run.name(), expert.key());
        let rows = (run_name.as_str(), &run.expert_history(expert).matrix[..]);
        matrices::accuracy(ui, rows, tasks, side, &mut state.accuracies);
        faint(ui, tr!("train-matrix-hint"));
    });
}

/// Draws the choice of the expert for the matrix, the confusion and the errors, with the markers of the curves.
fn expert_choice(ui: &mut Ui, run: &RunView, state: &mut State) {
    let current = run.history.expert_or_answer(state.expert);
    let experts: Vec<Expert> = run.history.experts().collect();
    for &expert in experts.iter().filter(|_| experts.len() > 1) {
        let name = RichText::new(expert.key()).color(expert_marker(ui, expert));
        let response = ui.selectable_label(current == expert, name);
        let response = response.on_hover_text(tr!("train-expert-hint"));
        if response.clicked() {
            (state.expert, state.cell) = (expert, None);
        }
    }
}
