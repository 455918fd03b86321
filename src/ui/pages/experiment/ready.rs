//! The cost of the run and the start button. They are a card at the bottom of the right column, or a row at the bottom
//! of a narrow window.

use egui::{Align, Layout, RichText, Ui};

use super::fixes::in_the_way;
use super::grid;
use crate::experiment::estimate::Basis;
use crate::method::lae;
use crate::run::config::Setting;
use crate::session::estimate::{Estimate, estimate};
use crate::session::plain::in_window;
use crate::session::split;
use crate::session::story;
use crate::session::words::{bytes_text, duration_text, epochs_text};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, button_if, card, coloured, faint, primary, sentence};

/// Draws the cost and the start button as a card.
pub fn ready(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, headline(cx));
        if cx.session.has_grid() {
            grid::ready(ui, cx);
            start(ui, cx, ui.available_width());
            return;
        }
        sentence(ui, extent(cx));
        if let Some(cost) = cost(cx) {
            ui.scope(|ui| cost_lines(ui, cost));
        }
        short_of_memory(ui, cx);
        other_split(ui, cx);
        first_problem(ui, cx);
        start(ui, cx, ui.available_width());
        rest(ui, cx);
    });
}

/// Draws the cost and the start button in one row, for a narrow window.
pub fn bar(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let width = (ui.available_width() * 0.4).clamp(130.0, 220.0);
            start(ui, cx, width);
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                let mut words = vec![extent(cx)];
                words.extend(cost(cx).map(|cost| about(cost.seconds)));
                words.retain(|part| !part.is_empty());
                widgets::title(ui, headline(cx));
                if let Some(view) = cx.session.experiment.grid.view.ready()
                    && cx.session.has_grid()
                {
                    widgets::cut(ui, grid::summary(view));
                    return;
                }
                match in_the_way(cx).first() {
                    Some(problem) => widgets::cut(ui, story::sentence(&in_window(problem).what)),
                    None => widgets::cut(ui, words.join(" · ")),
                };
            });
        });
    });
}

/// Draws the details that do not fit in the row of a narrow window.
pub fn more(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.has_grid() {
        card(ui, |ui| grid::ready(ui, cx));
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, tr!("experiment-one-run"));
        if let Some(cost) = cost(cx) {
            ui.scope(|ui| cost_lines(ui, cost));
        }
        short_of_memory(ui, cx);
        other_split(ui, cx);
        rest(ui, cx);
    });
}

fn headline(cx: &Cx<'_>) -> &'static str {
    if cx.session.has_grid() {
        return tr!("experiment-grid-of-runs");
    }
    let fine = cx.session.experiment.plan.problems.is_empty()
        && cx.session.experiment.data.ready().is_some();
    match fine {
        true => tr!("experiment-ready"),
        false => tr!("experiment-not-ready"),
    }
}

/// Returns a summary such as "5 tasks × 5 epochs, 6,750 images".
fn extent(cx: &Cx<'_>) -> String {
    let (plan, draft) = (&cx.session.experiment.plan, &cx.session.experiment.draft);
    if plan.tasks.is_empty() {
        return String::new();
    }
    let mut tasks = tr!("experiment-task-count", n = plan.tasks.len());
    if cx.session.experiment.why_idle("epochs").is_none() {
        tasks = format!("{tasks} × {}", epochs_text(&plan.epochs(draft)));
    }
    let pictures = tr!("experiment-image-count", n = plan.images_shown(draft));
    format!("{tasks}, {pictures}")
}

fn cost(cx: &Cx<'_>) -> Option<Estimate> {
    let (session, experiment) = (cx.session, &cx.session.experiment);
    let (rows, inventory) = (session.rows(), &session.inventory);
    estimate(&experiment.draft, &experiment.plan, rows, inventory)
}

fn about(seconds: f64) -> String {
    let time = duration_text(seconds.max(1.0));
    tr!("experiment-about-time", time)
}

/// Draws the first problem next to the start button, because the list of problems may be scrolled out of view.
fn first_problem(ui: &mut Ui, cx: &Cx<'_>) {
    let list = in_the_way(cx);
    let Some(first) = list.first() else { return };
    let words = story::sentence(&in_window(first).what);
    coloured(ui, words, |t| t.bad);
    if list.len() > 1 {
        faint(ui, tr!("experiment-more-problems", n = list.len() - 1));
    }
}

/// If the GPU has less free memory than a step needs, offers smaller micro-batches, which give the same result.
fn short_of_memory(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some((free, fitting)) = cx.session.experiment.plan.short else {
        return;
    };
    let words = tr!("experiment-gpu-memory-short", free = bytes_text(free));
    coloured(ui, words, |t| t.warning);
    if let Some(images) = fitting {
        let take = button(ui, tr!("experiment-use-micro-batch", n = images));
        if take
            .on_hover_text(tr!("experiment-micro-batch-hint"))
            .clicked()
        {
            let images = Setting::Whole(i64::try_from(images).unwrap_or(i64::MAX));
            cx.set("micro_batch", Some(images));
        }
    }
}

/// Warns if an experiment of the paper has another split here, because its results would not show this.
fn other_split(ui: &mut Ui, cx: &Cx<'_>) {
    let session = &cx.session;
    let Some(data) = session.experiment.data.ready() else {
        return;
    };
    let taken = session.experiment.preset.as_deref();
    let data = data.dataset.as_ref().into();
    if let Some(words) = split::remark(&session.experiment.draft, taken, &data) {
        coloured(ui, words, |t| t.warning);
    }
}

fn start(ui: &mut Ui, cx: &mut Cx<'_>, width: f32) {
    let wait = if cx.session.is_downloading_weights() {
        tr!("experiment-weights-downloading")
    } else {
        tr!("experiment-fix-problems-first")
    };
    let can_start = cx.session.can_start();
    let words = match cx.session.with_baseline() {
        _ if cx.session.has_grid() => grid::start_words(cx),
        true => tr!("experiment-start-both").into(),
        false => tr!("experiment-start").into(),
    };
    let start = primary(ui, &words, can_start, width);
    if start.on_disabled_hover_text(wait).clicked() {
        cx.act(UiCommand::Start);
    }
}

/// Draws the other actions on the settings.
fn rest(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.experiment.draft.method != lae::BASELINE.key {
        let mut beside = cx.session.experiment.beside;
        let check = widgets::checkbox(ui, &mut beside, tr!("experiment-train-baseline-too"));
        if check
            .on_hover_text(tr!("experiment-train-baseline-too-hint"))
            .changed()
        {
            cx.change(move |session| session.experiment.beside = beside);
        }
    }
    let can_start = cx.session.can_start();
    ui.horizontal_wrapped(|ui| {
        let three = button_if(ui, can_start, tr!("experiment-three-class-orders"));
        if three
            .on_hover_text(tr!("experiment-three-class-orders-hint"))
            .clicked()
        {
            cx.act(UiCommand::TrainOrders);
        }
        let copy = button(ui, tr!("experiment-copy-command"));
        let copy = copy.on_hover_ui(|ui| {
            ui.set_max_width(ui.spacing().tooltip_width);
            ui.label(cx.session.command().0);
        });
        if copy.clicked() {
            cx.act(UiCommand::CopyCommand);
        }
    });
    if let Some(place) = &cx.session.experiment.place {
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
    let line = |ui: &mut Ui, words: String, value: &str| {
        let (before, after) = words.split_once(value).unwrap_or((&words, ""));
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(4.0, 0.0);
            ui.label(RichText::new(before.trim()).color(t.text));
            ui.label(RichText::new(value).font(semibold(13.0)).color(t.strong));
            ui.label(RichText::new(after.trim()).color(t.text));
        });
    };
    let time = duration_text(cost.seconds.max(1.0));
    let words = match cost.basis {
        Some(Basis::Experiment | Basis::Method) => {
            tr!("experiment-time-from-last-run", time = time.as_str())
        }
        Some(Basis::Backbone | Basis::Device) => {
            tr!("experiment-time-from-other-runs", time = time.as_str())
        }
        Some(Basis::Processor) => tr!("experiment-time-from-speed", time = time.as_str()),
        None => tr!("experiment-time-estimate", time = time.as_str()),
    };
    line(ui, words, &time);
    if let Some(memory) = cost.bytes.map(bytes_text) {
        let words = tr!("experiment-memory-estimate", memory = memory.as_str());
        line(ui, words, &memory);
    }
}
