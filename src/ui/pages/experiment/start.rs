//! The cost of the run and the start button. They are a card at the bottom of the right column, or a row at the bottom
//! of a narrow window.

use egui::{Align, Layout, Response, RichText, Ui};

use super::grid;
use super::problems::blocking_problems;
use crate::experiment::estimate::Basis;
use crate::method::lae;
use crate::problem::Problem;
use crate::run::config::Setting;
use crate::session::estimate::{Estimate, estimate};
use crate::session::explanation;
use crate::session::formatting::{format_bytes, format_duration, format_epochs};
use crate::session::split;
use crate::session::views::Fetch;
use crate::session::window_terms::in_window_terms;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, button_if, card, coloured, faint, primary, sentence};

/// Draws the cost and the start button as a card.
pub fn start_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, headline(cx));
        if cx.session.has_grid() {
            grid::ready(ui, cx);
            start(ui, cx, ui.available_width());
            return;
        }
        sentence(ui, run_size(cx));
        cost_and_warnings(ui, cx);
        first_problem(ui, cx);
        start(ui, cx, ui.available_width());
        other_actions(ui, cx);
    });
}

/// Draws the cost and the start button in one row, for a narrow window.
pub fn start_bar(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let width = (ui.available_width() * 0.4).clamp(130.0, 220.0);
            start(ui, cx, width);
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                widgets::title(ui, headline(cx));
                widgets::truncated_faint(ui, summary(cx));
            });
        });
    });
}

/// Returns what the start button starts, in one line, or why it cannot start. A grid has its own problems.
fn summary(cx: &Cx<'_>) -> String {
    if cx.session.has_grid() {
        return match &cx.session.experiment.grid.view {
            Fetch::Ready(view) => grid::summary(view),
            Fetch::Failed(problem) => problem_sentence(problem),
            Fetch::Busy | Fetch::Nothing => tr!("experiment-grid-searching-runs").into(),
        };
    }
    if let Some(problem) = blocking_problems(cx).first() {
        return problem_sentence(problem);
    }
    let mut parts = vec![run_size(cx)];
    parts.extend(cost(cx).map(|cost| duration_estimate(cost.seconds)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn problem_sentence(problem: &Problem) -> String {
    explanation::sentence(&in_window_terms(problem).what)
}

/// Draws the details that do not fit in the row of a narrow window.
pub fn more(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.has_grid() {
        card(ui, |ui| grid::ready(ui, cx));
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, tr!("experiment-one-run"));
        cost_and_warnings(ui, cx);
        other_actions(ui, cx);
    });
}

/// Draws the estimated cost of the run and warnings about it.
fn cost_and_warnings(ui: &mut Ui, cx: &mut Cx<'_>) {
    if let Some(cost) = cost(cx) {
        ui.scope(|ui| cost_lines(ui, cost));
    }
    memory_warning(ui, cx);
    split_warning(ui, cx);
}

fn headline(cx: &Cx<'_>) -> &'static str {
    if cx.session.has_grid() {
        return tr!("experiment-grid-of-runs");
    }
    let is_ready = cx.session.experiment.plan.problems.is_empty()
        && cx.session.experiment.data.ready().is_some();
    match is_ready {
        true => tr!("experiment-ready"),
        false => tr!("experiment-not-ready"),
    }
}

/// Returns a summary such as "5 tasks × 5 epochs, 6,750 images".
fn run_size(cx: &Cx<'_>) -> String {
    let (plan, draft) = (&cx.session.experiment.plan, &cx.session.experiment.draft);
    if plan.tasks.is_empty() {
        return String::new();
    }
    let mut tasks = tr!("experiment-task-count", n = plan.tasks.len());
    if cx.session.experiment.why_idle("epochs").is_none() {
        tasks = format!("{tasks} × {}", format_epochs(&plan.epochs(draft)));
    }
    let pictures = tr!("experiment-image-count", n = plan.total_training_images(draft));
    format!("{tasks}, {pictures}")
}

fn cost(cx: &Cx<'_>) -> Option<Estimate> {
    let (session, experiment) = (cx.session, &cx.session.experiment);
    let (rows, inventory) = (session.rows(), &session.inventory);
    estimate(&experiment.draft, &experiment.plan, rows, inventory)
}

fn duration_estimate(seconds: f64) -> String {
    let time = format_duration(seconds.max(1.0));
    tr!("experiment-about-time", time)
}

/// Draws the first problem next to the start button, because the list of problems may be scrolled out of view.
fn first_problem(ui: &mut Ui, cx: &Cx<'_>) {
    let problems = blocking_problems(cx);
    let Some(first) = problems.first() else {
        return;
    };
    coloured(ui, problem_sentence(first), |t| t.bad);
    if problems.len() > 1 {
        faint(ui, tr!("experiment-more-problems", n = problems.len() - 1));
    }
}

/// If the GPU has less free memory than a step needs, offers smaller micro-batches, which give the same result.
fn memory_warning(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some((free, fitting)) = cx.session.experiment.plan.memory_shortage else {
        return;
    };
    let message = tr!("experiment-gpu-memory-short", free = format_bytes(free));
    coloured(ui, message, |t| t.warning);
    if let Some(images) = fitting {
        let response = button(ui, tr!("experiment-use-micro-batch", n = images));
        if response.on_hover_text(tr!("experiment-micro-batch-hint")).clicked() {
            let images = Setting::Whole(i64::try_from(images).unwrap_or(i64::MAX));
            cx.set("micro_batch", Some(images));
        }
    }
}

/// Warns if an experiment of the paper has another split here, because its results would not show this.
fn split_warning(ui: &mut Ui, cx: &Cx<'_>) {
    let session = &cx.session;
    let Some(data) = session.experiment.data.ready() else {
        return;
    };
    let preset = session.experiment.preset.as_deref();
    let data = data.dataset.as_ref().into();
    if let Some(message) = split::comparability_warning(&session.experiment.draft, preset, &data) {
        coloured(ui, message, |t| t.warning);
    }
}

/// Adds a tooltip to a disabled button that says why the settings or their grid cannot be trained. A grid without
/// remaining runs has none, because the label of the start button says so.
pub(super) fn explain_disabled(response: Response, cx: &Cx<'_>) -> Response {
    let session = cx.session;
    let reason = if session.has_grid() {
        match &session.experiment.grid.view {
            Fetch::Ready(view) if view.state.refused_runs() == 0 => return response,
            Fetch::Ready(_) | Fetch::Failed(_) => tr!("experiment-fix-problems-first"),
            Fetch::Busy | Fetch::Nothing => tr!("experiment-grid-searching-runs"),
        }
    } else if !blocking_problems(cx).is_empty() {
        tr!("experiment-fix-problems-first")
    } else if session.is_downloading_weights() {
        tr!("experiment-weights-downloading")
    } else {
        tr!("experiment-not-ready")
    };
    response.on_disabled_hover_text(reason)
}

fn start(ui: &mut Ui, cx: &mut Cx<'_>, width: f32) {
    let can_start = cx.session.can_start();
    let label = match cx.session.trains_baseline() {
        _ if cx.session.has_grid() => grid::start_label(cx),
        true => tr!("experiment-start-both").into(),
        false => tr!("experiment-start").into(),
    };
    let start = primary(ui, &label, can_start, width);
    if explain_disabled(start, cx).clicked() {
        cx.dispatch(UiCommand::Start);
    }
}

/// Draws the other actions on the settings.
fn other_actions(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.experiment.draft.method != lae::BASELINE.key {
        let mut train_baseline = cx.session.experiment.with_baseline;
        let check =
            widgets::checkbox(ui, &mut train_baseline, tr!("experiment-train-baseline-too"));
        if check.on_hover_text(tr!("experiment-train-baseline-too-hint")).changed() {
            cx.change(move |session| session.experiment.with_baseline = train_baseline);
        }
    }
    let can_start = cx.session.can_start();
    ui.horizontal_wrapped(|ui| {
        let three = button_if(ui, can_start, tr!("experiment-three-class-orders"));
        let three = explain_disabled(three, cx);
        if three.on_hover_text(tr!("experiment-three-class-orders-hint")).clicked() {
            cx.dispatch(UiCommand::TrainOrders);
        }
        let copy = button(ui, tr!("experiment-copy-command"));
        let copy = copy.on_hover_ui(|ui| {
            ui.set_max_width(ui.spacing().tooltip_width);
            ui.label(cx.session.shell_command().0);
        });
        if copy.clicked() {
            cx.dispatch(UiCommand::CopyCommand);
        }
    });
    if let Some(place) = &cx.session.experiment.machine {
        let place = place.as_str();
        faint(ui, tr!("experiment-trained-at-place", place));
    } else if cx.session.is_training() {
        faint(ui, tr!("experiment-run-will-wait"));
    }
}

fn cost_lines(ui: &mut Ui, cost: Estimate) {
    let t = tokens(ui);
    // The rows contain text instead of inputs, so they can be lower.
    ui.spacing_mut().interact_size.y = 0.0;
    // Draws a sentence in which the value is emphasised.
    let line = |ui: &mut Ui, text: String, value: &str| {
        let (before, after) = text.split_once(value).unwrap_or((&text, ""));
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(4.0, 0.0);
            ui.label(RichText::new(before.trim()).color(t.text));
            ui.label(RichText::new(value).font(semibold(13.0)).color(t.strong));
            ui.label(RichText::new(after.trim()).color(t.text));
        });
    };
    let time = format_duration(cost.seconds.max(1.0));
    let message = match cost.basis {
        Some(Basis::Experiment | Basis::Method) => {
            tr!("experiment-time-from-last-run", time = time.as_str())
        }
        Some(Basis::Backbone | Basis::Device) => {
            tr!("experiment-time-from-other-runs", time = time.as_str())
        }
        Some(Basis::Processor) => tr!("experiment-time-from-speed", time = time.as_str()),
        None => tr!("experiment-time-estimate", time = time.as_str()),
    };
    line(ui, message, &time);
    if let Some(memory) = cost.bytes.map(format_bytes) {
        let message = tr!("experiment-memory-estimate", memory = memory.as_str());
        line(ui, message, &memory);
    }
}
