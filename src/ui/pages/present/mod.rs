//! The presentation view. It shows one run, or two runs with the same tasks, task by task in large characters. Before
//! each task it asks the audience to guess; then it shows the accuracies on earlier tasks.

mod choice;
mod column;
mod question;

use std::path::PathBuf;

use egui::{Button, Key, Modifiers, Rect, RichText, Ui, Vec2};

use crate::session::Session;
use crate::session::comparison_run::{Companion, have_same_tasks};
use crate::session::run_row::distinguishing_names;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{at_end, input};

/// The state of the view that is kept between frames.
#[derive(Default)]
pub struct State {
    /// Whether the view is shown instead of the pages.
    pub is_open: bool,
    /// The folders of the presented runs. The first is always shown; next to it is the first of the others with the
    /// same tasks.
    runs: Vec<PathBuf>,
    /// The current step. Each task has two steps: the guess and the result.
    step: usize,
    /// The folder of the run that `step` belongs to.
    presented: PathBuf,
}

impl State {
    /// Opens the view with the runs that are selected on the current page, or closes the view.
    pub fn toggle(&mut self) {
        self.is_open = !self.is_open;
        self.runs.clear();
    }
}

/// A presented run with a name that distinguishes it from the other run.
struct PresentedRun<'a> {
    name: String,
    run: Companion<'a>,
}

/// A step of a presentation.
#[derive(Clone, Copy)]
struct Step {
    /// The task, from 0.
    task: usize,
    /// Whether the result of the task is shown.
    revealed: bool,
}

impl Step {
    /// Returns the task after which the displayed accuracies were measured; `None` if no task is learned.
    fn row(self) -> Option<usize> {
        match self.revealed {
            true => Some(self.task),
            false => self.task.checked_sub(1),
        }
    }
}

/// Draws the view over the whole window. `page` is the page that is covered.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, page: Page) {
    // Keys are handled whichever widget has the focus, unless a dialog or a list is open above the view.
    let is_covered = input::is_covered(ui.ctx());
    let is_escape_free = !is_covered && !input::is_escape_used(ui.ctx());
    if is_escape_free && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.dispatch(UiCommand::Present);
    }
    let session = cx.session;
    if presented_runs(session, &cx.pages.present.runs).is_empty() {
        cx.pages.present.runs = choice::selected_runs(session, &mut cx.pages.compare, page);
    }
    let unit = layout_unit(ui.available_size());
    ui.spacing_mut().item_spacing = Vec2::splat(unit * 0.5);
    let shown = presented_runs(session, &cx.pages.present.runs);
    let Some(PresentedRun { run, .. }) = shown.first() else {
        show_empty_state(ui, cx, unit);
        return;
    };
    let state = &mut cx.pages.present;
    if state.presented != run.header.folder {
        // Another run starts at its first step.
        (state.step, state.presented) = (0, run.header.folder.clone());
    }
    if !is_covered {
        handle_keys(ui, state, run);
    }
    let step = Step { task: state.step / 2, revealed: state.step % 2 == 1 };
    show_header(ui, cx, run, unit);
    let text = match step.revealed {
        true => question::result_text(&shown, step.task),
        false => question::question_text(run, step.task),
    };
    // After a result, the accuracies and bars need more space.
    let height = if step.revealed { 3.6 } else { 5.5 };
    let max_size = Vec2::new(ui.available_width(), unit * height);
    let galley = column::fit_text(ui, &text, unit * 1.4, max_size);
    ui.add(egui::Label::new(galley));
    let mut remaining = ui.available_rect_before_wrap();
    remaining.set_bottom(remaining.bottom() - unit * 0.5);
    if step.row().is_some() {
        let legend = remaining.split_top_bottom_at_y(remaining.bottom() - unit * 1.3);
        remaining = legend.0;
        column::legend(ui, legend.1, unit);
    }
    column::show_columns(ui, cx, &shown, step, remaining, unit);
}

/// Returns the unit of all sizes of the view. The window's height is at least 26 units and its width at least 42 units,
/// but a unit is at least 11 points.
fn layout_unit(size: Vec2) -> f32 {
    (size.y / 26.0).min(size.x / 42.0).max(11.0)
}

/// Returns the first of these runs, and the first other run with the same tasks.
fn presented_runs<'a>(session: &'a Session, runs: &[PathBuf]) -> Vec<PresentedRun<'a>> {
    let mut runs = runs.iter().filter_map(|folder| session.results_of(folder));
    let Some(run) = runs.next() else {
        return Vec::new();
    };
    let header = run.header;
    let is_other = |other: &Companion<'_>| {
        other.header.folder != header.folder && have_same_tasks(header, other.header)
    };
    let other = runs.find(is_other).map(|other| other.with_distinct_shade(run.shade));
    let names = match &other {
        Some(other) => distinguishing_names(header, other.header),
        None => (header.short_name().to_string(), String::new()),
    };
    let first = PresentedRun { name: names.0, run };
    let second = other.map(|run| PresentedRun { name: names.1, run });
    [Some(first), second].into_iter().flatten().collect()
}

fn show_empty_state(ui: &mut Ui, cx: &mut Cx<'_>, unit: f32) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.3);
        let text = RichText::new(tr!("present-no-run")).font(semibold(unit * 1.4));
        ui.label(text.color(tokens(ui).strong));
        let width = ui.available_width().min(unit * 24.0);
        let (rect, _) = ui.allocate_exact_size(Vec2::new(width, unit * 2.0), egui::Sense::hover());
        choice::run_selector(ui, cx, None, rect, unit);
        if large_button(ui, tr!("present-exit"), None, unit).clicked() {
            cx.dispatch(UiCommand::Present);
        }
    });
}

/// Returns the last step that can be shown: the guess about the task being trained, or the end of the run.
fn last_step(run: &Companion<'_>) -> usize {
    let done = run.history.matrix.len();
    (2 * done).min((2 * run.header.tasks.len()).saturating_sub(1))
}

fn handle_keys(ui: &Ui, state: &mut State, run: &Companion<'_>) {
    let pressed = |keys: &[Key]| {
        ui.input_mut(|i| keys.iter().any(|key| i.consume_key(Modifiers::NONE, *key)))
    };
    // The remote control of a presenter sends these keys too.
    let forward = pressed(&[Key::ArrowRight, Key::PageDown, Key::Space]);
    let back = pressed(&[Key::ArrowLeft, Key::PageUp]);
    state.step = (state.step + usize::from(forward)).min(last_step(run));
    state.step = state.step.saturating_sub(usize::from(back));
}

fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, run: &Companion<'_>, unit: f32) {
    let t = tokens(ui);
    let (step, last) = (cx.pages.present.step, last_step(run));
    ui.horizontal(|ui| {
        let (task, tasks) = (step / 2 + 1, run.header.tasks.len().max(1));
        let text = tr!("present-task-of-tasks", task, tasks);
        ui.label(RichText::new(text).font(regular(unit)).color(t.subdued));
        at_end(ui, |ui| {
            let mut target = step;
            let back =
                ui.add_enabled_ui(step > 0, |ui| large_button(ui, tr!("present-back"), None, unit));
            if back.inner.clicked() {
                target = step - 1;
            }
            let key = match step % 2 {
                0 => "present-reveal",
                _ => "present-next",
            };
            let forward = ui
                .add_enabled_ui(step < last, |ui| large_button(ui, tr!(key), Some(t.accent), unit));
            if forward.inner.clicked() {
                target = step + 1;
            }
            cx.pages.present.step = target;
            let exit = large_button(ui, tr!("present-exit"), None, unit);
            if exit.on_hover_text("F11, Esc").clicked() {
                cx.dispatch(UiCommand::Present);
            }
        });
    });
}

/// Draws a button with large text. With `fill` it is the main button.
fn large_button(ui: &mut Ui, text: &str, fill: Option<egui::Color32>, unit: f32) -> egui::Response {
    let text = RichText::new(text).font(semibold(unit * 0.8));
    ui.add(match fill {
        Some(fill) => Button::new(text.color(tokens(ui).on_accent)).fill(fill),
        None => Button::new(text),
    })
}

/// Returns the largest font size, at most `size`, at which a line of text fits in this width.
fn fitting_font_size(ui: &Ui, text: &str, size: f32, width: f32) -> f32 {
    let galley =
        ui.painter().layout_no_wrap(text.to_string(), semibold(size), egui::Color32::WHITE);
    size * (width / galley.size().x.max(1.0)).min(1.0)
}

/// Splits an area into equal parts side by side, with this space between them.
fn split_columns(rect: Rect, parts: usize, space: f32) -> Vec<Rect> {
    let width = (rect.width() - space * (parts as f32 - 1.0)) / parts as f32;
    let part = |index: usize| {
        let left = rect.left() + (width + space) * index as f32;
        let size = Vec2::new(width, rect.height());
        Rect::from_min_size(egui::pos2(left, rect.top()), size)
    };
    (0..parts).map(part).collect()
}
