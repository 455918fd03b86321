//! The right column: the run and its progress, an explanation in words, the loss and the log.

use std::path::PathBuf;

use egui::{Label, Popup, TextEdit, Ui};

use super::{beside, clusters, places, queue, remedies};
use crate::method::epochs_of;
use crate::problem::listed;
use crate::run::event::ControlRequest;
use crate::session::Session;
use crate::session::differences::own_settings;
use crate::session::run_view::{RunView, Stage};
use crate::session::story::{Paragraph, story};
use crate::session::words::{device_text, duration_text, number};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::{Cx, RESUME_ON, resume_on};
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::losses::{SMOOTH, losses};
use crate::ui::widgets::{
    self, Column, at_end, button, card, card_of, faint, icon_text_button, progress, terms,
    toggle_link, truncated,
};

/// Draws the right column.
pub fn right(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let Some(run) = cx.session.train.shown().cloned() else {
        return;
    };
    state(ui, cx, &run);
    queue::card(ui, cx);
    places::cards(ui, cx);
    clusters::cards(ui, cx);
    beside::show(ui, cx, &run);
    if let Some(problem) = &run.problem {
        card(ui, |ui| widgets::problem(ui, problem));
    }
    words(ui, cx, &run);
    loss(ui, cx, &run);
    log(ui, cx, &run, column);
}

fn state(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
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
            |ui| buttons(ui, cx, run, opened),
        );
        faint(ui, where_it_is(run));
        progress(ui, run.done(), tr!("train-progress"));
        let other = opened || cx.session.train.watched().is_some();
        if other && cx.session.is_training() && ui.link(tr!("train-show-current-run")).clicked() {
            cx.change(Session::close_opened);
        }
    });
}

/// Draws the name of the run's folder and its settings.
fn settings(ui: &mut Ui, run: &RunView) {
    faint(ui, run.name());
    let config = run.header.as_ref().map(|header| &header.config);
    for (title, value) in config.map_or_else(Vec::new, own_settings) {
        ui.label(format!("{title}: {value}"));
    }
}

fn buttons(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, opened: bool) {
    if opened || !run.stage.is_live() {
        let folder = run.header.as_ref().map(|h| h.folder.clone());
        let Some(folder) = folder else { return };
        if run.stage != Stage::Finished {
            if icon_text_button(ui, Icon::Play, tr!("train-resume-run")).clicked() {
                cx.act(UiCommand::Resume(folder.clone(), None));
            }
            let elsewhere = button(ui, tr!(RESUME_ON));
            Popup::menu(&elsewhere).show(|ui| resume_on(ui, cx, &folder));
        } else {
            if button(ui, tr!("train-predict-with-run")).clicked() {
                cx.act(UiCommand::PredictWith(folder.clone()));
            }
            if button(ui, tr!("train-teach-classes")).clicked() {
                cx.act(UiCommand::AddTask(folder.clone()));
            }
            unlearn(ui, cx, run, folder);
        }
        return;
    }
    let paused = run.stage == Stage::Paused;
    let (wait, stop) = match cx.session.train.watched() {
        None => (UiCommand::PauseOrResume, Some(UiCommand::Stop)),
        Some((place, at)) => {
            let stop = at.job().map(|job| UiCommand::StopAt(place.into(), job));
            let place = place.to_string();
            let wish = if paused {
                ControlRequest::Run
            } else {
                ControlRequest::Pause
            };
            let wait = UiCommand::change(move |session| session.wish_at(&place, wish));
            (wait, stop)
        }
    };
    let (icon, text) = match paused {
        true => (Icon::Play, tr!("train-resume-run")),
        false => (Icon::Pause, tr!("train-pause-run")),
    };
    if icon_text_button(ui, icon, text).clicked() {
        cx.act(wait);
    }
    let pressed = icon_text_button(ui, Icon::Stop, tr!("train-stop-run")).clicked();
    cx.commands.extend(stop.filter(|_| pressed));
}

/// Draws the button that undoes the last added task. It asks for a confirmation because the task's images are deleted.
fn unlearn(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, folder: PathBuf) {
    let header = run.header.as_ref();
    let Some(taught) = header.and_then(|header| header.added_tasks.last()) else {
        return;
    };
    let opener = button(ui, tr!("train-undo-added-task"));
    Popup::menu(&opener).show(|ui| {
        let classes = listed(&taught.classes, 3);
        let words = tr!("train-undo-added-task-classes", classes);
        let hint = tr!("train-undo-added-task-hint");
        if ui.button(words).on_hover_text(hint).clicked() {
            cx.change(move |session| session.undo_added_task(&folder));
        }
    });
}

fn where_it_is(run: &RunView) -> String {
    let mut words: Vec<String> = Vec::new();
    match (&run.progress, run.stage) {
        (Some(now), Stage::Running | Stage::Paused) => {
            let task = now.task + 1;
            words.push(tr!("train-task-of", n = task, of = run.tasks()));
            if let Some(header) = &run.header {
                let of = epochs_of(header, now.task);
                words.push(tr!("train-epoch-of", n = now.epoch + 1, of));
            }
            if run.stage == Stage::Paused {
                words.push(run.stage.word().into());
            } else {
                let rate = number(now.images_per_second, 0);
                words.push(tr!("train-images-per-second", n = rate));
                if let Some(left) = now.seconds_left {
                    words.push(tr!("count-time-left", time = duration_text(left)));
                }
            }
        }
        (_, stage) => {
            if run.tasks() > 0 {
                let done = run.reports.len();
                words.push(tr!("count-of-tasks", done, n = run.tasks()));
            }
            words.push(stage.word().into());
            if let Some(header) = &run.header {
                words.push(device_text(&header.computed_on()));
                let n = header.trained_parameters;
                words.push(tr!("train-trainable-parameters", n));
            }
        }
    }
    let place = run.header.as_ref().map(|header| &header.about.place);
    if let Some(place) = place.filter(|place| !place.is_empty()) {
        words.push(tr!("train-at-place", place = place.as_str()));
    }
    words.join(" · ")
}

fn words(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    card(ui, |ui| {
        let title = match run.stage.is_live() {
            true => tr!("train-what-is-happening"),
            false => tr!("train-what-happened"),
        };
        widgets::title(ui, title);
        ui.spacing_mut().item_spacing.y = 12.0;
        let mut story = story(run);
        // The explanation of a run in progress is collapsed; that of a finished run is shown completely.
        let folds = run.stage.is_live() && story.len() > 1;
        if folds && !cx.pages.train.told {
            story.truncate(1);
        }
        for Paragraph { head, text } in story {
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
        if folds {
            let (more, less) = (tr!("train-story-show-more"), tr!("train-story-show-less"));
            toggle_link(ui, &mut cx.pages.train.told, more, less);
        }
        remedies::show(ui, cx, run);
    });
}

fn loss(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    // A run that was opened again only has the mean loss of each epoch.
    let by_step = !run.losses.is_empty();
    let values: Vec<(usize, f32)> = match by_step {
        true => run.losses.iter().copied().collect(),
        false => run.losses_by_pass().collect(),
    };
    let Some((_, last)) = values.last().copied() else {
        return;
    };
    card(ui, |ui| {
        let mut smooth = !cx.pages.train.unsmoothed;
        widgets::ends_in_order(
            ui,
            |ui| terms::title_of(ui, tr!("train-loss-title"), "local_ce"),
            |ui| {
                faint(ui, number(f64::from(last), 3));
                if by_step {
                    let hint = tr!("train-smooth-hint", n = SMOOTH);
                    let checkbox = widgets::checkbox(ui, &mut smooth, tr!("train-smooth"));
                    checkbox.on_hover_text(hint);
                }
            },
        );
        cx.pages.train.unsmoothed = !smooth;
        let first = run.steps.saturating_sub(values.len());
        losses(ui, 118.0, first, &values, by_step && smooth);
        let across = match by_step {
            true => tr!("train-loss-by-step"),
            false => tr!("train-loss-by-pass"),
        };
        faint(ui, across);
    });
}

fn log(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, column: Column) {
    if run.log.is_empty() {
        return;
    }
    let open = cx.pages.train.log;
    let height = match open {
        true => column.rest(ui, 190.0),
        false => 0.0,
    };
    card_of(ui, height, |ui| {
        let state = &mut cx.pages.train;
        let mut copy = false;
        ui.horizontal(|ui| {
            widgets::title(ui, tr!("train-log"));
            at_end(ui, |ui| {
                let (show, hide) = (tr!("train-log-show"), tr!("train-log-hide"));
                toggle_link(ui, &mut state.log, show, hide);
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
        let wanted = state.filter.to_lowercase();
        let lines: Vec<_> = run
            .log
            .iter()
            .rev()
            .filter(|line| line.text.to_lowercase().contains(&wanted))
            .collect();
        if copy {
            let text: Vec<String> = lines
                .iter()
                .rev()
                .map(|l| format!("{} {}", l.time, l.text))
                .collect();
            cx.act(UiCommand::CopyText(text.join("\n")));
        }
        let room = (height - 62.0).max(110.0);
        let scroll = egui::ScrollArea::vertical()
            .auto_shrink([false, true])
            .min_scrolled_height(room)
            .max_height(room);
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
