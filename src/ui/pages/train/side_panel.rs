//! The right column: the run and its progress, an explanation in words, the loss and the log.

use std::path::PathBuf;

use egui::{Label, Popup, TextEdit, Ui};

use super::{clusters, comparison, queue, remedies, remote_runs};
use crate::method::epochs_for_task;
use crate::problem::join_some;
use crate::run::event::ControlRequest;
use crate::session::Session;
use crate::session::differences::non_default_settings;
use crate::session::explanation::{Paragraph, explain_run};
use crate::session::formatting::{format_device, format_duration, format_number};
use crate::session::run_row::RunRow;
use crate::session::run_view::{RunView, Stage};
use crate::session::train::Train;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::{Cx, RESUME_ON, resume_menu};
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::losses::{LossUnit, SMOOTHING_WINDOW, losses};
use crate::ui::widgets::{
    self, Column, at_end, button, card, card_with_height, enabled_unless, faint, icon_text_button,
    progress, terms, toggle_link, truncated,
};

/// Draws the right column.
pub fn right_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let Some(run) = cx.session.train.displayed_run().cloned() else {
        return;
    };
    run_card(ui, cx, &run);
    queue::card(ui, cx);
    remote_runs::cards(ui, cx);
    clusters::cards(ui, cx);
    comparison::show(ui, cx, &run);
    if let Some(problem) = &run.problem {
        card(ui, |ui| widgets::problem(ui, problem));
    }
    explanation_card(ui, cx, &run);
    loss(ui, cx, &run);
    log(ui, cx, &run, column);
}

fn run_card(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    card(ui, |ui| {
        let opened = cx.session.train.opened.is_some();
        widgets::ends_in_order(
            ui,
            |ui| {
                let width = ui.available_width() - 200.0;
                ui.scope(|ui| {
                    ui.set_max_width(width);
                    let t = tokens(ui);
                    let title = truncated(ui, &run.title, semibold(13.0), t.strong);
                    title.on_hover_ui(|ui| settings(ui, run));
                });
            },
            |ui| run_buttons(ui, cx, run, opened),
        );
        faint(ui, progress_text(run));
        progress(ui, run.finished_share(), tr!("train-progress"));
        let is_other_run = opened || cx.session.train.watched_machine().is_some();
        if is_other_run
            && cx.session.is_training()
            && ui.link(tr!("train-show-current-run")).clicked()
        {
            cx.change(Session::close_opened_run);
        }
    });
}

/// Draws the name of the run's folder and its settings.
fn settings(ui: &mut Ui, run: &RunView) {
    faint(ui, run.name());
    let config = run.header.as_ref().map(|header| &header.config);
    for (title, value) in config.map_or_else(Vec::new, non_default_settings) {
        ui.label(format!("{title}: {value}"));
    }
}

fn run_buttons(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, opened: bool) {
    if opened || !run.stage.is_live() {
        let folder = run.header.as_ref().map(|h| h.folder.clone());
        let Some(folder) = folder else { return };
        let read_only = cx.session.row(&folder).and_then(RunRow::read_only_reason);
        if run.stage != Stage::Finished {
            let resume = enabled_unless(ui, read_only, |ui| {
                icon_text_button(ui, Icon::Play, tr!("train-resume-run"))
            });
            if resume.clicked() {
                cx.dispatch(UiCommand::Resume(folder.clone(), None));
            }
            let menu = enabled_unless(ui, read_only, |ui| button(ui, tr!(RESUME_ON)));
            Popup::menu(&menu).show(|ui| resume_menu(ui, cx, &folder));
        } else {
            if button(ui, tr!("train-predict-with-run")).clicked() {
                cx.dispatch(UiCommand::PredictWith(folder.clone()));
            }
            let teach = enabled_unless(ui, read_only, |ui| button(ui, tr!("train-teach-classes")));
            if teach.clicked() {
                cx.dispatch(UiCommand::AddTask(folder.clone()));
            }
            if read_only.is_none() {
                undo_added_task_button(ui, cx, run, folder);
            }
        }
        return;
    }
    let paused = run.stage == Stage::Paused;
    let (pause, stop) = control_commands(&cx.session.train);
    let (icon, text) = match paused {
        true => (Icon::Play, tr!("train-resume-run")),
        false => (Icon::Pause, tr!("train-pause-run")),
    };
    if icon_text_button(ui, icon, text).clicked() {
        cx.dispatch(pause);
    }
    let stop_clicked = icon_text_button(ui, Icon::Stop, tr!("train-stop-run")).clicked();
    cx.commands.extend(stop.filter(|_| stop_clicked));
}

/// Returns the commands that pause or resume, and stop, the displayed run in progress. It is the current run on this
/// computer or on a remote machine.
pub fn control_commands(train: &Train) -> (UiCommand, Option<UiCommand>) {
    let Some((place, jobs)) = train.watched_machine() else {
        return (UiCommand::PauseOrResume, Some(UiCommand::Stop));
    };
    let paused = jobs.running().is_some_and(|run| run.stage == Stage::Paused);
    let request = if paused { ControlRequest::Run } else { ControlRequest::Pause };
    let stop = jobs.job().map(|job| UiCommand::StopAt(place.into(), job));
    let place = place.to_string();
    let pause = UiCommand::change(move |session| session.control_machine_run(&place, request));
    (pause, stop)
}

/// Draws the button that undoes the last added task. It asks for a confirmation because the task's images are deleted.
fn undo_added_task_button(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, folder: PathBuf) {
    let header = run.header.as_ref();
    let Some(added) = header.and_then(|header| header.added_tasks.last()) else {
        return;
    };
    let menu = button(ui, tr!("train-undo-added-task"));
    Popup::menu(&menu).show(|ui| {
        let classes = join_some(&added.classes, 3);
        let label = tr!("train-undo-added-task-classes", classes);
        let hint = tr!("train-undo-added-task-hint");
        if ui.button(label).on_hover_text(hint).clicked() {
            cx.change(move |session| session.undo_added_task(&folder));
        }
    });
}

fn progress_text(run: &RunView) -> String {
    let mut parts: Vec<String> = Vec::new();
    match (&run.progress, run.stage) {
        (Some(current), Stage::Running | Stage::Paused) => {
            let task = current.task + 1;
            parts.push(tr!("train-task-of", n = task, of = run.tasks()));
            if let Some(header) = run.header.as_ref().filter(|header| header.trains_weights()) {
                let of = epochs_for_task(header, current.task);
                parts.push(tr!("train-epoch-of", n = current.epoch + 1, of));
            }
            if run.stage == Stage::Paused {
                parts.push(run.stage.label().into());
            } else {
                let rate = format_number(current.images_per_second, 0);
                parts.push(tr!("train-images-per-second", n = rate));
                if let Some(seconds) = current.seconds_left {
                    parts.push(tr!("count-time-left", time = format_duration(seconds)));
                }
            }
        }
        (_, stage) => {
            if run.tasks() > 0 {
                let done = run.reports.len();
                parts.push(tr!("count-of-tasks", done, n = run.tasks()));
            }
            parts.push(stage.label().into());
            if let Some(header) = &run.header {
                parts.push(format_device(&header.device_label()));
                let n = header.trained_parameters;
                parts.push(tr!("train-trainable-parameters", n));
            }
        }
    }
    let place = run.header.as_ref().map(|header| &header.about.place);
    if let Some(place) = place.filter(|place| !place.is_empty()) {
        parts.push(tr!("train-at-place", place = place.as_str()));
    }
    parts.join(" · ")
}

fn explanation_card(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    card(ui, |ui| {
        let title = match run.stage.is_live() {
            true => tr!("train-what-is-happening"),
            false => tr!("train-what-happened"),
        };
        widgets::title(ui, title);
        ui.spacing_mut().item_spacing.y = 12.0;
        let mut explanation = explain_run(run);
        // The explanation of a run in progress is collapsed; that of a finished run is shown completely.
        let is_collapsible = run.stage.is_live() && explanation.len() > 1;
        if is_collapsible && !cx.pages.train.show_explanation {
            explanation.truncate(1);
        }
        for Paragraph { heading: head, text } in explanation {
            let t = tokens(ui);
            let mut job = egui::text::LayoutJob::default();
            let format = |font, colour| egui::TextFormat {
                line_height: Some(20.0),
                ..egui::TextFormat::simple(font, colour)
            };
            job.append(&head, 0.0, format(semibold(13.0), t.strong));
            job.append(&format!(" {text}"), 0.0, format(regular(13.0), t.text));
            ui.add(Label::new(job).wrap());
        }
        if is_collapsible {
            let (more, less) =
                (tr!("train-explanation-show-more"), tr!("train-explanation-show-less"));
            toggle_link(ui, &mut cx.pages.train.show_explanation, more, less);
        }
        remedies::show(ui, cx, run);
    });
}

fn loss(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    // A run that was opened again only has the mean loss of each epoch.
    let by_step = !run.losses.is_empty();
    let values: Vec<(usize, f32)> = match by_step {
        true => run.losses.iter().copied().collect(),
        false => run.epoch_losses().collect(),
    };
    let Some((_, last)) = values.last().copied() else {
        return;
    };
    card(ui, |ui| {
        let mut smooth = !cx.pages.train.unsmoothed;
        widgets::ends_in_order(
            ui,
            |ui| terms::term_title(ui, tr!("train-loss-title"), "local_ce"),
            |ui| {
                faint(ui, format_number(f64::from(last), 3));
                if by_step {
                    let hint = tr!("train-smooth-hint", n = SMOOTHING_WINDOW);
                    let checkbox = widgets::checkbox(ui, &mut smooth, tr!("train-smooth"));
                    checkbox.on_hover_text(hint);
                }
            },
        );
        cx.pages.train.unsmoothed = !smooth;
        let first = run.steps.saturating_sub(values.len());
        let (unit, axis_label) = match by_step {
            true => (LossUnit::Step, tr!("train-loss-by-step")),
            false => (LossUnit::Epoch, tr!("train-loss-by-pass")),
        };
        losses(ui, (unit, first), &values, by_step && smooth);
        faint(ui, axis_label);
    });
}

fn log(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, column: Column) {
    if run.log.is_empty() {
        return;
    }
    let open = cx.pages.train.show_log;
    let height = match open {
        true => column.remaining_height(ui, 190.0),
        false => 0.0,
    };
    card_with_height(ui, height, |ui| {
        let state = &mut cx.pages.train;
        let mut copy = false;
        ui.horizontal(|ui| {
            widgets::title(ui, tr!("train-log"));
            at_end(ui, |ui| {
                let (show, hide) = (tr!("train-log-show"), tr!("train-log-hide"));
                toggle_link(ui, &mut state.show_log, show, hide);
                if !open {
                    return;
                }
                if state.filtering {
                    let edit = TextEdit::singleline(&mut state.filter).desired_width(140.0);
                    ui.add(edit).accessible_name(tr!("train-log-filter-name"));
                }
                if ui.link(tr!("train-log-filter")).clicked() {
                    state.filtering = !state.filtering;
                    state.filter.clear();
                }
                copy = ui.link(tr!("train-log-copy")).clicked();
            });
        });
        if !open {
            return;
        }
        let query = state.filter.to_lowercase();
        let lines: Vec<_> =
            run.log.iter().rev().filter(|line| line.text.to_lowercase().contains(&query)).collect();
        if copy {
            let text: Vec<String> =
                lines.iter().rev().map(|l| format!("{} {}", l.time, l.text)).collect();
            cx.dispatch(UiCommand::CopyText(text.join("\n")));
        }
        let scroll_height = (height - 62.0).max(110.0);
        let scroll = egui::ScrollArea::vertical()
            .auto_shrink([false, true])
            .min_scrolled_height(scroll_height)
            .max_height(scroll_height);
        scroll.show_rows(ui, 18.0, lines.len(), |ui, rows| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let t = tokens(ui);
            for line in &lines[rows] {
                let colour = if line.warning { t.warning } else { t.subdued };
                let sign = if line.warning { "! " } else { "" };
                let text = format!("{}  {sign}{}", line.time, line.text);
                truncated(ui, text, regular(12.0), colour).on_hover_text(&line.text);
            }
        });
    });
}
