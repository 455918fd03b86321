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
use crate::ui::widgets::{self, enabled_unless, faint};

/// An action on a run.
struct Action {
    /// The message id of the label.
    label: &'static str,
    /// Whether the action writes to the run's folder.
    writes: bool,
    is_offered: bool,
    /// Returns the command; `None` if the run has no header.
    command: fn(&RunRow) -> Option<UiCommand>,
}

/// Returns the actions on a run.
fn actions(cx: &Cx<'_>, row: &RunRow) -> [Action; 7] {
    let action = |label, is_offered, command| Action { label, writes: false, is_offered, command };
    let write = |label, is_offered, command| Action { label, writes: true, is_offered, command };
    let has_settings = row.header.is_some();
    [
        action("compare-open", has_settings, |row| Some(UiCommand::Open(row.folder.clone()))),
        action("compare-predict", row.is_measured(), |row| {
            Some(UiCommand::PredictWith(row.folder.clone()))
        }),
        action("compare-duplicate", has_settings, |row| {
            let header = row.header.as_ref()?;
            Some(UiCommand::LoadSettings(Box::new(header.config.clone())))
        }),
        write("train-resume-run", is_stopped(row), |row| {
            Some(UiCommand::Resume(row.folder.clone(), None))
        }),
        write("train-teach-classes", cx.session.can_add_task(row), |row| {
            Some(UiCommand::AddTask(row.folder.clone()))
        }),
        write("compare-name-run", true, |row| Some(UiCommand::Describe(row.folder.clone()))),
        write("compare-delete", row.state != RunState::Busy, |row| {
            Some(UiCommand::Delete(vec![row.folder.clone()]))
        }),
    ]
}

fn is_stopped(row: &RunRow) -> bool {
    matches!(row.state, RunState::Unfinished(_))
}

/// Returns whether resuming on another device is offered for this run.
fn can_resume_elsewhere(row: &RunRow) -> bool {
    is_stopped(row) && row.read_only_reason().is_none()
}

/// Returns whether one of these runs is read-only, so that they cannot all be changed.
pub(super) fn has_read_only(rows: &[&RunRow]) -> bool {
    rows.iter().any(|row| row.read_only_reason().is_some())
}

/// Draws a label that can be clicked if it is enabled.
type Draw = fn(&mut Ui, bool, &str) -> Response;

/// Draws all actions that are offered for this run with `add`. If the run is read-only, actions that write are
/// disabled, and a tooltip gives the reason.
fn show_actions(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, add: Draw) {
    for action in actions(cx, row).into_iter().filter(|action| action.is_offered) {
        let disabled_reason = row.read_only_reason().filter(|_| action.writes);
        let response = add(ui, disabled_reason.is_none(), tr!(action.label));
        let response = match disabled_reason {
            Some(reason) => response.on_disabled_hover_text(reason),
            None => response,
        };
        let command = response.clicked().then(|| (action.command)(row)).flatten();
        if let Some(command) = command {
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
        let read_only = has_read_only(chosen).then(|| tr!("compare-selected-read-only"));
        let tag = enabled_unless(ui, read_only, |ui| ui.link(tr!("compare-selected-tags")));
        if tag.on_hover_text("F2").clicked() {
            cx.dispatch(UiCommand::Tag(folders()));
        }
        let delete = enabled_unless(ui, read_only, |ui| ui.link(tr!("compare-selected-delete")));
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
