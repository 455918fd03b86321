//! The presenter's view: one run for a whole room, task by task, in large letters. Before each task
//! it asks the room to guess; then it shows what became of what was learned before.

use egui::{
    Align2, CornerRadius, Key, Modifiers, Rect, RichText, Role, Sense, Ui, Vec2, WidgetInfo, pos2,
};

use crate::problem::listed;
use crate::session::companion::Companion;
use crate::session::run_view::RunView;
use crate::session::words::percent;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{at_end, button, button_if, painted_text, primary_button};

/// What the view remembers between frames.
#[derive(Default)]
pub struct State {
    /// Whether it is shown instead of the pages.
    pub on: bool,
    /// Two steps for each task: the guess, then what came of it.
    step: usize,
    run: String,
}

/// Draws the view over the whole window.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(run) = cx.session.train.shown().cloned() else {
        nothing(ui, cx);
        return;
    };
    let state = &mut cx.pages.present;
    if state.run != run.name() {
        // Another run is told from its beginning.
        (state.step, state.run) = (0, run.name().to_string());
    }
    keys(ui, cx, &run);
    let step = cx.pages.present.step;
    let (task, known) = (step / 2, step % 2 == 1);
    let unit = (ui.available_height() / 26.0).clamp(11.0, 44.0);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = unit * 0.6;
        head(ui, cx, &run, unit);
        let other = cx.session.companion();
        let words = if known {
            told(&run, task, other.as_ref())
        } else {
            asked(&run, task)
        };
        let text = RichText::new(words)
            .font(semibold(unit * 1.5))
            .color(tokens(ui).strong);
        ui.add(egui::Label::new(text).wrap());
        if known {
            figures(ui, &run, task, other.as_ref(), unit);
        }
        // What was known before the guess, or what is known after it.
        let row = if known {
            Some(task)
        } else {
            task.checked_sub(1)
        };
        bars(ui, &run, row, task, unit);
    });
}

fn nothing(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.3);
        let t = tokens(ui);
        let text = "Start a run or open one, then show it to the room.";
        ui.label(RichText::new(text).font(semibold(28.0)).color(t.strong));
        if button(ui, "Leave").clicked() {
            cx.act(UiCommand::Present);
        }
    });
}

/// The last step there is so far: the guess about the task being learned, or the end.
fn last_step(run: &RunView) -> usize {
    let done = run.reports.len();
    (2 * done).min((2 * run.tasks()).saturating_sub(1))
}

fn keys(ui: &Ui, cx: &mut Cx<'_>, run: &RunView) {
    let pressed = |keys: &[Key]| {
        ui.input_mut(|i| keys.iter().any(|key| i.consume_key(Modifiers::NONE, *key)))
    };
    // What a presenter's remote control sends, too.
    let on = pressed(&[Key::ArrowRight, Key::PageDown, Key::Space]);
    let back = pressed(&[Key::ArrowLeft, Key::PageUp]);
    if pressed(&[Key::Escape]) {
        cx.act(UiCommand::Present);
    }
    let state = &mut cx.pages.present;
    state.step = (state.step + usize::from(on)).min(last_step(run));
    state.step = state.step.saturating_sub(usize::from(back));
}

fn head(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, unit: f32) {
    let t = tokens(ui);
    let (step, last) = (cx.pages.present.step, last_step(run));
    ui.horizontal(|ui| {
        let words = format!(
            "{} · task {} of {}",
            run.title,
            step / 2 + 1,
            run.tasks().max(1)
        );
        ui.label(RichText::new(words).font(regular(unit)).color(t.subdued));
        at_end(ui, |ui| {
            let mut to = step;
            if button_if(ui, step > 0, "Back").clicked() {
                to = step - 1;
            }
            let words = if step % 2 == 0 { "Show it" } else { "Next" };
            if primary_button(ui, words, step < last).clicked() {
                to = step + 1;
            }
            cx.pages.present.step = to;
            if button(ui, "Leave").on_hover_text("F11 or Escape").clicked() {
                cx.act(UiCommand::Present);
            }
        });
    });
}

/// The question before a task.
fn asked(run: &RunView, task: usize) -> String {
    let next = listed(run.class_names(task), 6);
    if task >= run.reports.len() && !run.stage.is_live() {
        return format!("The run ended before it learned {next}.");
    }
    if task == 0 {
        return format!("First it learns {next}. Guess: how many pictures will it get right?");
    }
    let first = listed(run.class_names(0), 6);
    let waits = match task >= run.reports.len() {
        true => " It is learning them right now.",
        false => "",
    };
    format!(
        "Now it learns {next}, and sees no picture of {first} any more.{waits} Guess first: how many of those does it still get right afterwards?"
    )
}

/// What came of a task, in one sentence.
fn told(run: &RunView, task: usize, other: Option<&Companion<'_>>) -> String {
    let rows = &run.answers().matrix;
    let first = rows.get(task).and_then(|row| row.first());
    let Some(now) = first else {
        return String::new();
    };
    let names = listed(run.class_names(0), 6);
    let mut words = if task == 0 {
        format!("It gets {} of {names} right.", percent(*now, 0))
    } else {
        format!("Of {names} it still gets {} right.", percent(*now, 0))
    };
    let theirs = other.and_then(|other| Some((other, other.history.matrix.get(task)?.first()?)));
    if let Some((other, theirs)) = theirs {
        words.push_str(&format!(" {}: {}.", other.method, percent(*theirs, 0)));
    }
    words
}

/// The figures of a task in very large letters.
fn figures(ui: &mut Ui, run: &RunView, task: usize, other: Option<&Companion<'_>>, unit: f32) {
    let t = tokens(ui);
    let history = run.answers();
    let all = history.accuracy.get(task).copied();
    let first = history
        .matrix
        .get(task)
        .and_then(|row| row.first().copied());
    let theirs = other.and_then(|other| other.history.accuracy.get(task).copied());
    let method = other.map_or("", |other| other.method.as_str());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = unit * 3.0;
        for (name, value) in [
            ("everything so far".to_string(), all),
            ("task 1".to_string(), first),
            (format!("everything so far, {method}"), theirs),
        ] {
            let Some(value) = value else { continue };
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                let figure = RichText::new(percent(value, 0)).font(semibold(unit * 3.2));
                ui.label(figure.color(t.strong));
                ui.label(
                    RichText::new(name)
                        .font(regular(unit * 0.9))
                        .color(t.subdued),
                );
            });
        }
    });
}

/// One bar for each task, as high as the share of its pictures that is right; `row` is the task
/// after which it was measured.
fn bars(ui: &mut Ui, run: &RunView, row: Option<usize>, asked: usize, unit: f32) {
    let t = tokens(ui);
    let size = Vec2::new(
        ui.available_width(),
        (ui.available_height() - unit).max(60.0),
    );
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let name = "Pictures of each task that are right";
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let tasks = run.tasks().max(1);
    let width = rect.width() / tasks as f32;
    let values = row.and_then(|row| run.answers().matrix.get(row));
    let floor = rect.bottom() - unit * 2.2;
    let (small, large) = (regular(unit * 0.8), semibold(unit));
    for task in 0..tasks {
        let left = rect.left() + width * task as f32;
        let middle = left + width / 2.0;
        let label = pos2(middle, floor + unit);
        let names = listed(run.class_names(task), 4);
        let colour = if task == asked { t.strong } else { t.subdued };
        painted_text(
            ui,
            label,
            Align2::CENTER_CENTER,
            &names,
            small.clone(),
            colour,
            width - 8.0,
        );
        let value = values.and_then(|values| values.get(task).copied());
        let (height, words) = match value {
            Some(value) => (value as f32, percent(value, 0)),
            None if task == asked => (0.0, "?".to_string()),
            None => continue,
        };
        let top = floor - height * (floor - rect.top() - unit * 1.6);
        let bar = Rect::from_min_max(
            pos2(left + width * 0.16, top),
            pos2(left + width * 0.84, floor),
        );
        let fill = if task == 0 { t.accent } else { t.experts[2] };
        ui.painter().rect_filled(bar, CornerRadius::same(6), fill);
        let above = pos2(middle, top - unit * 0.8);
        ui.painter()
            .text(above, Align2::CENTER_CENTER, words, large.clone(), t.strong);
    }
}
