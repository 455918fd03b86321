//! One run in the list: what it is called and made of, how it stands, what can be done with it.

use egui::{Button, CornerRadius, Link, Modifiers, Popup, RichText, Shape, Ui, Vec2};

use super::chosen::Listed;
use crate::problem::listed;
use crate::session::at_places::doing;
use crate::session::row::made_title;
use crate::session::take_along::TakenAlong;
use crate::session::views::{RunRow, RunState};
use crate::session::words::{percent, time_text};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ProofCommand;
use crate::ui::pages::{Cx, RESUME_ON, resume_on};
use crate::ui::shell::take::{self, TAKE};
use crate::ui::theme::{RADIUS, regular, semibold, tokens};
use crate::ui::widgets::curves::dot;
use crate::ui::widgets::{self, cut};

pub(super) fn line(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    let t = tokens(ui);
    ui.separator();
    let ground = ui.painter().add(Shape::Noop);
    let drawn = ui.horizontal(|ui| {
        show(ui, cx, row);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            title(ui, cx, row, listed);
            made(ui, row);
            stands(ui, cx, row);
            said(ui, cx, row);
            if let RunState::Damaged(problem) = &row.state {
                widgets::problem(ui, problem);
            }
            if let Some(remark) = &row.remark {
                widgets::problem(ui, remark);
            }
            actions(ui, cx, row);
        });
    });
    if cx.pages.compare.selection.has(&row.folder) {
        let mut place = drawn.response.rect.expand(4.0);
        place.set_right(ui.max_rect().right() + 4.0);
        let fill = Shape::rect_filled(place, CornerRadius::same(RADIUS), t.raised);
        ui.painter().set(ground, fill);
    }
}

/// The box that shows it among the others, and the colour it has there.
fn show(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let state = &cx.pages.compare;
    let mut on = state.ticked.contains_key(&row.folder);
    let shade = state.shades.get(&row.folder).copied().filter(|_| on);
    let tick = ui.add_enabled(row.is_measured(), egui::Checkbox::without_text(&mut on));
    if tick
        .accessible_name(tr!("compare-show", name = row.name.as_str()))
        .clicked()
    {
        cx.pages.compare.by_person = true;
        cx.pages.compare.tick(&row.folder);
    }
    if let Some(shade) = shade {
        dot(ui, shade);
    }
}

/// What it is called; a click chooses it.
fn title(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    let t = tokens(ui);
    let here = cx.pages.compare.selection.has(&row.folder);
    let text = RichText::new(row.title()).font(semibold(13.0));
    ui.scope(|ui| {
        ui.spacing_mut().button_padding = Vec2::new(3.0, 1.0);
        let title = Button::selectable(here, text.color(t.strong)).truncate();
        let title = ui.add(title);
        if title.clicked() {
            let keys = ui.input(|i| i.modifiers);
            let selection = &mut cx.pages.compare.selection;
            selection.click(&row.folder, &listed.folders(), keys);
        }
        let adds = ui.ctx().format_modifiers(Modifiers::COMMAND);
        title.on_hover_text(tr!("compare-choose-hint", key = adds));
    });
}

/// What a run with a name of its own is made of.
fn made(ui: &mut Ui, row: &RunRow) {
    let named = !row.about.name.is_empty();
    if let Some(header) = row.header.as_ref().filter(|_| named) {
        cut(ui, made_title(header));
    }
}

fn stands(ui: &mut Ui, cx: &Cx<'_>, row: &RunRow) {
    let mut words = time_text(&row.name);
    if !row.about.place.is_empty() {
        let place = row.about.place.as_str();
        words += &format!(" · {}", tr!("train-at-place", place = place));
    }
    words += &format!(" · {}", state_words(row));
    if let Some(place) = &row.elsewhere {
        words += &format!(" · {}", place.words());
    }
    if row.fixed().is_some() {
        words += &format!(" ({})", tr!("compare-read-only"));
    }
    cut(ui, words).on_hover_text(row.folder.display().to_string());
    if let Some(run) = cx.session.train.away_in(&row.folder) {
        cut(ui, doing(run));
    }
}

fn state_words(row: &RunRow) -> String {
    let last = row.answers().last();
    let accuracy = last.map_or_else(String::new, |a| format!(" · {}", percent(a, 1)));
    let state: String = match &row.state {
        RunState::Finished => tr!("stage-finished").into(),
        RunState::Unfinished(done) => tr!("compare-stopped-after", done = *done, n = row.tasks()),
        RunState::Busy => tr!("compare-busy").into(),
        RunState::Damaged(_) => return tr!("compare-damaged").into(),
    };
    state + &accuracy
}

/// Its tags, and its note's first line.
fn said(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    if !row.about.tags.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            for tag in &row.about.tags {
                let text = RichText::new(format!("#{tag}")).font(regular(12.0));
                let tagged = ui.link(text).on_hover_text(tr!("compare-tag-hint"));
                if tagged.clicked() {
                    cx.pages.compare.tag = Some(tag.clone());
                }
            }
        });
    }
    if let Some(first) = row.about.note.lines().next() {
        cut(ui, first).on_hover_text(&row.about.note);
    }
}

fn actions(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    ui.horizontal_wrapped(|ui| {
        let folder = row.folder.clone();
        let readable = row.header.is_some();
        if readable && ui.link(tr!("compare-open")).clicked() {
            cx.act(UiCommand::Open(folder.clone()));
        }
        if row.is_measured() && ui.link(tr!("compare-predict")).clicked() {
            cx.act(UiCommand::PredictWith(folder.clone()));
        }
        if let Some(header) = &row.header
            && ui.link(tr!("compare-duplicate")).clicked()
        {
            cx.act(UiCommand::Repeat(Box::new(header.config.clone())));
        }
        changes(ui, cx, row);
        proof(ui, cx, row);
    });
}

/// What shows others that the run is what it says.
fn proof(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    if row.header.is_none() || row.state == RunState::Busy {
        return;
    }
    // One more word would not fit beside the others.
    let more = ui.link("…").on_hover_text(tr!("compare-more"));
    let more = more.accessible_name(tr!("compare-more"));
    Popup::menu(&more).show(|ui| {
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
        let added = row
            .header
            .as_ref()
            .and_then(|header| header.added_tasks.last());
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
    });
}

/// What writes into the run's folder; where that can only be read, it says so under the pointer.
fn changes(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let folder = &row.folder;
    let change = |ui: &mut Ui, text: &str| {
        let link = ui.add_enabled(row.fixed().is_none(), Link::new(text));
        match row.fixed() {
            Some(reason) => link.on_disabled_hover_text(reason),
            None => link,
        }
    };
    if matches!(row.state, RunState::Unfinished(_)) {
        if change(ui, tr!("train-resume")).clicked() {
            cx.act(UiCommand::Resume(folder.clone(), None));
        }
        let elsewhere = change(ui, tr!(RESUME_ON));
        resume_on(&elsewhere, cx, folder);
    }
    if cx.session.can_teach(row) && change(ui, tr!("train-teach")).clicked() {
        cx.act(UiCommand::Teach(folder.clone()));
    }
    if change(ui, tr!("compare-name")).clicked() {
        cx.act(UiCommand::Describe(folder.clone()));
    }
    if row.state != RunState::Busy && change(ui, tr!("compare-delete")).clicked() {
        cx.act(UiCommand::Delete(vec![folder.clone()]));
    }
}
