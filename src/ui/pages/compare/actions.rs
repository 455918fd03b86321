//! What can be done with the chosen runs: a line above the list, and the menu of each run.

use egui::{Button, Link, Popup, TextWrapMode, Ui};

use crate::problem::listed;
use crate::session::take_along::TakenAlong;
use crate::session::views::{RunRow, RunState};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ProofCommand;
use crate::ui::pages::{Cx, RESUME_ON, resume_on};
use crate::ui::shell::take::{self, TAKE};
use crate::ui::widgets::{self, faint, link};

/// What can be done with one run.
struct Action {
    words: &'static str,
    command: UiCommand,
    /// Whether it writes into the run's folder.
    writes: bool,
}

fn actions(cx: &Cx<'_>, row: &RunRow) -> Vec<Action> {
    let folder = || row.folder.clone();
    let mut all = Vec::new();
    let mut add = |id, command, writes| {
        let words = tr!(id);
        all.push(Action {
            words,
            command,
            writes,
        });
    };
    if row.header.is_some() {
        add("compare-open", UiCommand::Open(folder()), false);
    }
    if row.is_measured() {
        add("compare-predict", UiCommand::PredictWith(folder()), false);
    }
    if let Some(header) = &row.header {
        let again = UiCommand::Repeat(Box::new(header.config.clone()));
        add("compare-duplicate", again, false);
    }
    if matches!(row.state, RunState::Unfinished(_)) {
        add("train-resume", UiCommand::Resume(folder(), None), true);
    }
    if cx.session.can_teach(row) {
        add("train-teach", UiCommand::Teach(folder()), true);
    }
    add("compare-name", UiCommand::Describe(folder()), true);
    if row.state != RunState::Busy {
        add("compare-delete", UiCommand::Delete(vec![folder()]), true);
    }
    all
}

/// The line above the list: what can be done with what is chosen.
pub(super) fn bar(ui: &mut Ui, cx: &mut Cx<'_>, chosen: &[&RunRow]) {
    ui.separator();
    match chosen {
        [] => drop(faint(ui, tr!("compare-tick"))),
        [one] => with_one(ui, cx, one),
        several => with_several(ui, cx, several),
    }
}

fn with_one(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    ui.horizontal_wrapped(|ui| {
        // A link of two words is not broken.
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
        for action in actions(cx, row) {
            let fixed = row.fixed().filter(|_| action.writes);
            let link = ui.add_enabled(fixed.is_none(), Link::new(action.words));
            let link = match fixed {
                Some(reason) => link.on_disabled_hover_text(reason),
                None => link,
            };
            if link.clicked() {
                cx.act(action.command);
            }
        }
        if matches!(row.state, RunState::Unfinished(_)) && row.fixed().is_none() {
            let elsewhere = link(ui, tr!(RESUME_ON));
            resume_on(&elsewhere, cx, &row.folder);
        }
        if has_more(row) {
            let more = link(ui, "…").on_hover_text(tr!("compare-more"));
            let more = more.accessible_name(tr!("compare-more"));
            Popup::menu(&more).show(|ui| more_entries(ui, cx, row));
        }
    });
}

fn with_several(ui: &mut Ui, cx: &mut Cx<'_>, chosen: &[&RunRow]) {
    let folders = || chosen.iter().map(|row| row.folder.clone()).collect();
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, tr!("compare-chosen", n = chosen.len()));
        let tag = link(ui, tr!("compare-chosen-tag"));
        if tag.on_hover_text("F2").clicked() {
            cx.act(UiCommand::Tag(folders()));
        }
        let delete = link(ui, tr!("compare-chosen-delete"));
        if delete.on_hover_text(tr!("compare-key-delete")).clicked() {
            cx.act(UiCommand::Delete(folders()));
        }
        let none = link(ui, tr!("compare-chosen-none"));
        if none.on_hover_text(tr!("compare-key-escape")).clicked() {
            cx.pages.compare.choose(Vec::new());
        }
    });
}

/// The menu of a run.
pub(super) fn menu(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    for action in actions(cx, row) {
        let fixed = row.fixed().filter(|_| action.writes);
        if ui
            .add_enabled(fixed.is_none(), Button::new(action.words))
            .clicked()
        {
            cx.act(action.command);
        }
    }
    if has_more(row) {
        ui.separator();
        more_entries(ui, cx, row);
    }
}

fn has_more(row: &RunRow) -> bool {
    row.header.is_some() && row.state != RunState::Busy
}

/// What shows others that the run is what it says, and what takes it elsewhere.
fn more_entries(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let check = |train| ProofCommand::Check(row.folder.clone(), train);
    let entries = [
        (tr!("compare-pack"), ProofCommand::Pack(row.folder.clone())),
        (tr!("compare-check"), check(false)),
        (tr!("compare-train-again"), check(true)),
    ];
    for (words, command) in entries {
        if ui.button(words).clicked() {
            cx.act(UiCommand::OnProof(command));
        }
    }
    let header = row.header.as_ref();
    let added = header.and_then(|header| header.added_tasks.last());
    if let Some(added) = added.filter(|_| row.fixed().is_none()) {
        let words = tr!("train-unlearn-classes", classes = listed(&added.classes, 3));
        if ui.button(words).clicked() {
            cx.act(UiCommand::UndoAddedTask(row.folder.clone()));
        }
    }
    if row.is_measured() {
        let run = row.folder.clone();
        let taken = TakenAlong { run, task: None };
        ui.menu_button(tr!(TAKE), |ui| take::forms(ui, &taken, cx.commands));
    }
}
