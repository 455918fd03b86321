//! The presenter view: a run task by task in large letters, next to another one with equal tasks. Before each task it
//! asks the audience to guess; then it shows what became of the earlier tasks.

mod bars;
mod choice;
mod told;

use egui::{Key, Modifiers, RichText, Ui};

use crate::session::companion::Companion;
use crate::session::run_view::RunView;
use crate::session::words::percent;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{at_end, button, button_if, input, primary_button};

/// State of the view between frames.
#[derive(Default)]
pub struct State {
    /// Whether it is shown instead of the pages.
    pub on: bool,
    /// Two steps for each task: the guess, then the result.
    step: usize,
    run: String,
}

/// Draws the view over the whole window.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    // The keys work whatever has the focus, unless a dialog or list is above the view.
    let below = input::is_covered(ui.ctx());
    if !below && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.act(UiCommand::Present);
    }
    let Some(run) = cx.session.train.shown().cloned() else {
        nothing(ui, cx);
        return;
    };
    let state = &mut cx.pages.present;
    if state.run != run.name() {
        // Another run starts from its first step.
        (state.step, state.run) = (0, run.name().to_string());
    }
    if !below {
        keys(ui, cx, &run);
    }
    let step = cx.pages.present.step;
    let (task, known) = (step / 2, step % 2 == 1);
    let unit = (ui.available_height() / 26.0).clamp(11.0, 44.0);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = unit * 0.5;
        head(ui, cx, &run, unit);
        let other = cx.session.opposite();
        let pair = Pair {
            run: &run,
            other: other.as_ref(),
        };
        let words = if known {
            told::became(&pair, task)
        } else {
            told::asked(&pair, task)
        };
        let text = RichText::new(words)
            .font(semibold(unit * 1.4))
            .color(tokens(ui).strong);
        ui.add(egui::Label::new(text).wrap());
        if known {
            figures(ui, &pair, task, unit);
        }
        // The result before the guess, or the one after it.
        let row = if known {
            Some(task)
        } else {
            task.checked_sub(1)
        };
        bars::show(ui, &pair, (row, task), unit);
    });
}

/// The displayed run and its companion.
struct Pair<'a> {
    run: &'a RunView,
    other: Option<&'a Companion<'a>>,
}

fn nothing(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.3);
        let t = tokens(ui);
        let text = tr!("present-no-run");
        ui.label(RichText::new(text).font(semibold(28.0)).color(t.strong));
        choice::run(ui, cx, None);
        if button(ui, tr!("present-exit")).clicked() {
            cx.act(UiCommand::Present);
        }
    });
}

/// Returns the last step so far: the guess about the current task, or the end.
fn last_step(run: &RunView) -> usize {
    let done = run.reports.len();
    (2 * done).min((2 * run.tasks()).saturating_sub(1))
}

fn keys(ui: &Ui, cx: &mut Cx<'_>, run: &RunView) {
    let pressed = |keys: &[Key]| {
        ui.input_mut(|i| keys.iter().any(|key| i.consume_key(Modifiers::NONE, *key)))
    };
    // A presenter's remote control sends these too.
    let on = pressed(&[Key::ArrowRight, Key::PageDown, Key::Space]);
    let back = pressed(&[Key::ArrowLeft, Key::PageUp]);
    let state = &mut cx.pages.present;
    state.step = (state.step + usize::from(on)).min(last_step(run));
    state.step = state.step.saturating_sub(usize::from(back));
}

fn head(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, unit: f32) {
    let t = tokens(ui);
    let (step, last) = (cx.pages.present.step, last_step(run));
    ui.horizontal(|ui| {
        let words = tr!(
            "present-task-of-tasks",
            task = step / 2 + 1,
            tasks = run.tasks().max(1)
        );
        ui.label(RichText::new(words).font(regular(unit)).color(t.subdued));
        choice::run(ui, cx, Some(run));
        choice::beside(ui, cx);
        at_end(ui, |ui| {
            let mut to = step;
            if button_if(ui, step > 0, tr!("present-back")).clicked() {
                to = step - 1;
            }
            let key = match step % 2 {
                0 => "present-reveal",
                _ => "present-next",
            };
            if primary_button(ui, tr!(key), step < last).clicked() {
                to = step + 1;
            }
            cx.pages.present.step = to;
            let leave = button(ui, tr!("present-exit"));
            if leave.on_hover_text("F11, Esc").clicked() {
                cx.act(UiCommand::Present);
            }
        });
    });
}

/// Draws the figures of a task in very large letters: for each run the accuracy on all classes so far, and on the first
/// task.
fn figures(ui: &mut Ui, pair: &Pair<'_>, task: usize, unit: f32) {
    let t = tokens(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = unit * 2.4;
        for shown in bars::runs(pair) {
            let matrix = &shown.history.matrix;
            let first = matrix.get(task).and_then(|row| row.first().copied());
            let all = shown.history.accuracy.get(task).copied();
            for (key, value) in [("present-all-tasks", all), ("present-first-task", first)] {
                let Some(value) = value.filter(|value| value.is_finite()) else {
                    continue;
                };
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    let figure = RichText::new(percent(value, 0)).font(semibold(unit * 2.6));
                    ui.label(figure.color(t.strong));
                    let name = tr!(key, name = shown.name);
                    let sign = shown.shade.sign().letter();
                    let name = RichText::new(format!("{sign} {name}"));
                    let colour = t.run(shown.shade);
                    ui.label(name.font(regular(unit * 0.85)).color(colour));
                });
            }
        }
    });
}
