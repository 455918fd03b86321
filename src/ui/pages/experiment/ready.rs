//! What the run will cost, and the button that starts it: a card at the foot of the right column,
//! or a row at the foot of a narrow window.

use egui::{Align, Layout, RichText, Ui};

use super::fixes::in_the_way;
use super::grid;
use crate::counts::counted;
use crate::method::lae;
use crate::run::config::Setting;
use crate::session::estimate::{Estimate, estimate};
use crate::session::plain::in_window;
use crate::session::split;
use crate::session::story;
use crate::session::words::{bytes_text, duration_text, epochs_text};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, button_if, card, faint, primary, sentence};

/// Draws cost and start button as a card.
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

/// The same in one row, for a narrow window.
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

/// What a narrow window has no room for beside the start button.
pub fn more(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.has_grid() {
        card(ui, |ui| grid::ready(ui, cx));
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, "The run");
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
        return "A grid of runs";
    }
    let fine = cx.session.experiment.plan.problems.is_empty()
        && cx.session.experiment.data.ready().is_some();
    if fine { "Ready" } else { "Not ready yet" }
}

/// "5 tasks × 5 epochs, 6,750 pictures".
fn extent(cx: &Cx<'_>) -> String {
    let (plan, draft) = (&cx.session.experiment.plan, &cx.session.experiment.draft);
    if plan.tasks.is_empty() {
        return String::new();
    }
    let tasks = counted(plan.tasks.len(), "task");
    let pictures = counted(plan.images_shown(draft), "picture");
    match cx.session.experiment.why_idle("epochs") {
        None => format!("{tasks} × {}, {pictures}", epochs_text(&plan.epochs(draft))),
        Some(_) => format!("{tasks}, {pictures}"),
    }
}

fn cost(cx: &Cx<'_>) -> Option<Estimate> {
    estimate(
        &cx.session.experiment.draft,
        &cx.session.experiment.plan,
        cx.session.rows(),
    )
}

fn about(seconds: f64) -> String {
    format!("about {}", duration_text(seconds.max(1.0)))
}

/// The first thing to fix, where the start button stands: the list may be out of sight.
fn first_problem(ui: &mut Ui, cx: &Cx<'_>) {
    let list = in_the_way(cx);
    let Some(first) = list.first() else { return };
    let colour = tokens(ui).bad;
    let text = RichText::new(story::sentence(&in_window(first).what)).color(colour);
    ui.add(egui::Label::new(text).wrap());
    if list.len() > 1 {
        faint(ui, format!("and {} more to fix", list.len() - 1));
    }
}

/// Where the card has less free than a step takes: how it fits, with the same result.
fn short_of_memory(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some((free, fitting)) = cx.session.experiment.plan.short else {
        return;
    };
    let words = format!("The card has {} free, which is less.", bytes_text(free));
    let colour = tokens(ui).warning;
    ui.add(egui::Label::new(RichText::new(words).color(colour)).wrap());
    if let Some(images) = fitting {
        let take = button(ui, format!("Take {} at once", counted(images, "image")));
        let hint = "The batch is learned in parts; the result is that of the whole batch";
        if take.on_hover_text(hint).clicked() {
            let images = Setting::Whole(i64::try_from(images).unwrap_or(i64::MAX));
            cx.act(UiCommand::Set("micro_batch", Some(images)));
        }
    }
}

/// That an experiment of the paper is split otherwise here, which no figure can show afterwards.
fn other_split(ui: &mut Ui, cx: &Cx<'_>) {
    let session = &cx.session;
    let Some(data) = session.experiment.data.ready() else {
        return;
    };
    let taken = session.experiment.preset.as_deref();
    if let Some(words) = split::remark(&session.experiment.draft, taken, &data.as_ref().into()) {
        let colour = tokens(ui).warning;
        ui.add(egui::Label::new(RichText::new(words).color(colour)).wrap());
    }
}

fn start(ui: &mut Ui, cx: &mut Cx<'_>, width: f32) {
    let wait = if cx.session.is_downloading_weights() {
        "The weights are still on their way"
    } else {
        "Something is to be fixed first"
    };
    let can_start = cx.session.can_start();
    let words = match cx.session.with_baseline() {
        _ if cx.session.has_grid() => grid::start_words(cx),
        true => "Start both runs".into(),
        false => "Start training".into(),
    };
    let start = primary(ui, &words, can_start, width);
    if start.on_disabled_hover_text(wait).clicked() {
        cx.act(UiCommand::Start);
    }
}

/// What can be done with the settings besides.
fn rest(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.experiment.draft.method != lae::BASELINE.key {
        let hint = "Trains these settings, then the same without anything against forgetting, and compares both";
        let mut beside = cx.session.experiment.beside;
        let check = ui.checkbox(&mut beside, "Baseline beside it");
        if check.on_hover_text(hint).changed() {
            cx.act(UiCommand::Beside(beside));
        }
    }
    let can_start = cx.session.can_start();
    ui.horizontal_wrapped(|ui| {
        let three = button_if(ui, can_start, "Run 3 class orders");
        let hint = "Trains these settings three times, with the paper's class orders where they are known; Compare shows mean ± std";
        if three.on_hover_text(hint).clicked() {
            cx.act(UiCommand::TrainOrders);
        }
        let copy = button(ui, "Copy as command");
        let copy = copy.on_hover_ui(|ui| {
            ui.set_max_width(ui.spacing().tooltip_width);
            ui.label(cx.session.command().0);
        });
        if copy.clicked() {
            cx.act(UiCommand::CopyCommand);
        }
    });
    if let Some(place) = &cx.session.experiment.place {
        faint(
            ui,
            format!("It is trained at {place}; the times are those of this computer."),
        );
    } else if cx.session.is_training() {
        faint(
            ui,
            "A run is at work; a new one waits in the queue behind it.",
        );
    }
}

fn cost_lines(ui: &mut Ui, cost: Estimate) {
    let t = tokens(ui);
    // Lines of text, not rows of inputs.
    ui.spacing_mut().interact_size.y = 0.0;
    let line = |ui: &mut Ui, value: String, rest: &str| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(4.0, 0.0);
            ui.label(RichText::new("about").color(t.text));
            ui.label(RichText::new(value).font(semibold(13.0)).color(t.strong));
            ui.label(RichText::new(rest).color(t.text));
        });
    };
    let source = if cost.measured {
        "(as your last run went)"
    } else {
        "(a rough guess)"
    };
    line(ui, duration_text(cost.seconds.max(1.0)), source);
    if let Some(bytes) = cost.bytes {
        line(ui, bytes_text(bytes), "of memory, pictures apart");
    }
}
