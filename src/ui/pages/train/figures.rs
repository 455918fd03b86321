//! Headline numbers, accuracy curves and the accuracy matrix.

use egui::{RichText, Sense, Ui, Vec2};

use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::session::run_view::RunView;
use crate::session::story::counted;
use crate::ui::app::Cx;
use crate::ui::theme::{GAP, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, legend};
use crate::ui::widgets::{self, card, card_of, faint, icons, matrix as matrices};

/// The numbers on top.
pub fn headline(ui: &mut Ui, run: &RunView) {
    let header = run.header.as_ref();
    let experts = header.map_or(&[Expert::Answer][..], |h| &h.method.experts);
    // Where there is room, the answer to an easier question stands beside the answers.
    let with_given = experts.len() < 3;
    let cards = (experts.len() + usize::from(with_given) + 1) as f32;
    let width = (ui.available_width() - (cards - 1.0) * GAP) / cards;
    let seen: usize = (0..run.reports.len())
        .map(|task| run.class_names(task).len())
        .sum();
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        for &expert in experts.iter().rev() {
            let first = Some(&expert) == experts.last() && seen > 0;
            let label = match first {
                true => format!("{}, {} seen", expert.title(), counted(seen, "class")),
                false => expert.title().to_string(),
            };
            let value = run.of(expert).last().map(|v| format!("{:.1}", v * 100.0));
            number(ui, width, Some(expert), &label, value, "%");
        }
        if with_given {
            let given = run.history.task_given.last().copied().flatten();
            let given = given.map(|v| format!("{:.1}", v * 100.0));
            number(ui, width, None, "With the task given", given, "%");
        }
        let forgotten = (run.reports.len() > 1).then(|| format!("{:.1}", run.forgotten * 100.0));
        number(ui, width, None, "Forgotten so far", forgotten, "points");
    });
}

fn number(
    ui: &mut Ui,
    width: f32,
    expert: Option<Expert>,
    label: &str,
    value: Option<String>,
    unit: &str,
) {
    let t = tokens(ui);
    widgets::part(ui, width, |ui| {
        card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                if let Some(expert) = expert {
                    let (rect, _) = ui.allocate_exact_size(Vec2::new(9.0, 16.0), Sense::hover());
                    icons::marker(ui.painter(), expert, rect.center(), 9.0, t.expert(expert));
                }
                let text = RichText::new(label).font(regular(12.0)).color(t.subdued);
                ui.add(egui::Label::new(text).truncate());
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
        });
    });
}

/// Accuracy over all classes seen so far, by task.
pub fn curves(ui: &mut Ui, run: &RunView, height: f32) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, "Accuracy over all classes seen so far");
            },
            |ui| legend(ui, run.history.experts()),
        );
        let labels = task_labels(run);
        let series = run.history.experts().map(|expert| {
            let values = run.of(expert).accuracy.iter().copied().enumerate();
            Series::of_expert(t, expert, values)
        });
        let now = run.task_now().map(|task| {
            let names = crate::problem::listed(run.class_names(task), 3);
            (task, format!("learning {names} now"))
        });
        Curves {
            id: "accuracy",
            name: "Accuracy over tasks",
            height: (height - 62.0).max(170.0),
            tasks: &labels,
            series: series.collect(),
            now,
            low: None,
        }
        .show(ui);
    });
}

/// "task 1 · 0,1" where the classes are few and short, else "task 1".
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
            let head = format!("task {}", task + 1);
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

/// The accuracy matrix.
pub fn matrix(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, height: f32) {
    card_of(ui, height, |ui| {
        let top = ui.cursor().top();
        ui.horizontal(|ui| {
            widgets::title(ui, "Accuracy by task");
            let answering = run.header.as_ref().map(RunHeader::answering);
            faint(ui, answering.unwrap_or(Expert::Answer).name());
        });
        let tasks = run.tasks();
        if tasks == 0 {
            faint(ui, "Comes with the first task.");
            return;
        }
        let wide = (ui.available_width() - 60.0) / tasks as f32;
        let high = if height > 0.0 {
            (height - 80.0 - (ui.cursor().top() - top)) / tasks as f32
        } else {
            52.0
        };
        let side = wide.min(high).max(100.0 / tasks as f32).min(52.0);
        let rows = (run.name(), &run.answers().matrix[..]);
        matrices::accuracy(ui, rows, tasks, side, &mut cx.pages.train.accuracies);
        faint(ui, "Read down a column to see a task being forgotten.");
    });
}
