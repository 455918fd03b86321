//! Actions on the selected runs: a row of links above the list, and a context menu for each run.

use egui::{Button, Link, Popup, Response, TextWrapMode, Ui};

use crate::problem::join_some;
use crate::session::Session;
use crate::session::exports::ModelToExport;
use crate::session::views::{RunRow, RunState};
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::{Cx, RESUME_ON, resume_menu};
use crate::ui::shell::export::{self, MODEL_MENU_TITLE};
use crate::ui::widgets::{self, faint};

/// Returns the actions on a run: the message id of the label, whether the action writes to the run's folder, and the
/// command; `None` if the action is not offered for the run.
fn actions(cx: &Cx<'_>, row: &RunRow) -> [(&'static str, bool, Option<UiCommand>); 7] {
    let folder = || row.folder.clone();
    let settings = row.header.as_ref().map(|header| header.config.clone());
    let open = settings.is_some().then(|| UiCommand::Open(folder()));
    let predict = row.is_measured().then(|| UiCommand::PredictWith(folder()));
    let duplicate = settings.map(|config| UiCommand::LoadSettings(Box::new(config)));
    let resume = is_stopped(row).then(|| UiCommand::Resume(folder(), None));
    let can_add = cx.session.can_add_task(row);
    let add = can_add.then(|| UiCommand::AddTask(folder()));
    let describe = Some(UiCommand::Describe(folder()));
    let is_idle = row.state != RunState::Busy;
    let delete = is_idle.then(|| UiCommand::Delete(vec![folder()]));
    [
        ("compare-open", false, open),
        ("compare-predict", false, predict),
        ("compare-duplicate", false, duplicate),
        ("train-resume-run", true, resume),
        ("train-teach-classes", true, add),
        ("compare-name-run", true, describe),
        ("compare-delete", true, delete),
    ]
}

fn is_stopped(row: &RunRow) -> bool {
    matches!(row.state, RunState::Unfinished(_))
}

/// Returns whether resuming on another device is offered for this run.
fn can_resume_elsewhere(row: &RunRow) -> bool {
    is_stopped(row) && row.read_only_reason().is_none()
}

/// Draws a label that can be clicked if it is enabled.
type Draw = fn(&mut Ui, bool, &str) -> Response;

/// Draws all actions that are offered for this run with `add`. If the run is read-only, actions that write are
/// disabled, and a tooltip gives the reason.
fn show_actions(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, add: Draw) {
    for (id, writes, command) in actions(cx, row) {
        let Some(command) = command else { continue };
        let disabled_reason = row.read_only_reason().filter(|_| writes);
        let response = add(ui, disabled_reason.is_none(), tr!(id));
        let response = match disabled_reason {
            Some(reason) => response.on_disabled_hover_text(reason),
            None => response,
        };
        if response.clicked() {
            cx.dispatch(command);
        }
    }
}

/// Draws the row of actions on the selected runs above the list.
pub(super) fn bar(ui: &mut Ui, cx: &mut Cx<'_>, chosen: &[&RunRow]) {
    ui.separator();
    match chosen {
        [] => drop(faint(ui, tr!("compare-select-runs"))),
        [row] => single_run_actions(ui, cx, row),
        several => multi_run_actions(ui, cx, several),
    }
}

fn single_run_actions(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    ui.horizontal_wrapped(|ui| {
        // A link is not wrapped within its text.
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
        show_actions(ui, cx, row, |ui, enabled, label| ui.add_enabled(enabled, Link::new(label)));
        if can_resume_elsewhere(row) {
            let menu = ui.link(tr!(RESUME_ON));
            Popup::menu(&menu).show(|ui| resume_menu(ui, cx, &row.folder));
        }
        if has_more(row) {
            let more = ui.link("…").on_hover_text(tr!("compare-more"));
            let more = more.accessible_name(tr!("compare-more"));
            Popup::menu(&more).show(|ui| more_entries(ui, cx, row));
        }
    });
}

fn multi_run_actions(ui: &mut Ui, cx: &mut Cx<'_>, chosen: &[&RunRow]) {
    let folders = || chosen.iter().map(|row| row.folder.clone()).collect();
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, tr!("compare-selected", n = chosen.len()));
        let tag = ui.link(tr!("compare-selected-tags"));
        if tag.on_hover_text("F2").clicked() {
            cx.dispatch(UiCommand::Tag(folders()));
        }
        let delete = ui.link(tr!("compare-selected-delete"));
        if delete.on_hover_text(tr!("compare-key-delete")).clicked() {
            cx.dispatch(UiCommand::Delete(folders()));
        }
        if ui.link(tr!("compare-clear-selection")).clicked() {
            cx.pages.compare.select(Vec::new());
        }
    });
}

/// Draws the context menu of a run.
pub(super) fn menu(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    show_actions(ui, cx, row, |ui, enabled, label| ui.add_enabled(enabled, Button::new(label)));
    if can_resume_elsewhere(row) {
        ui.menu_button(tr!(RESUME_ON), |ui| resume_menu(ui, cx, &row.folder));
    }
    if has_more(row) {
        ui.separator();
        more_entries(ui, cx, row);
    }
}

fn has_more(row: &RunRow) -> bool {
    row.header.is_some() && row.state != RunState::Busy
}

/// Draws the menu entries that check, pack or export the run.
fn more_entries(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    if ui.button(tr!("compare-pack-run")).clicked() {
        let folder = row.folder.clone();
        cx.change(move |session| session.pick_pack(folder));
    }
    let checks = [(tr!("compare-check-run"), false), (tr!("compare-retrain"), true)];
    for (label, train) in checks {
        if ui.button(label).clicked() {
            let folder = row.folder.clone();
            let check = move |session: &mut Session| session.check(folder, train);
            cx.dispatch(UiCommand::change_on(Page::Train, check));
        }
    }
    let header = row.header.as_ref();
    let added = header.and_then(|header| header.added_tasks.last());
    if let Some(added) = added.filter(|_| row.read_only_reason().is_none()) {
        let classes = join_some(&added.classes, 3);
        let label = tr!("train-undo-added-task-classes", classes);
        if ui.button(label).clicked() {
            let folder = row.folder.clone();
            cx.change(move |session| session.undo_added_task(&folder));
        }
    }
    if row.is_measured() {
        let run = row.folder.clone();
        let model = ModelToExport { run, task: None };
        ui.menu_button(tr!(MODEL_MENU_TITLE), |ui| {
            export::model_format_entries(ui, &model, cx.commands);
        });
    }
}
