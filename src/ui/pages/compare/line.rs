//! A line of the list: the name, settings and state of one run.

use egui::{Button, Modifiers, Response, RichText, Sense, Shape, Ui, UiBuilder, Vec2};

use super::actions;
use super::chosen::Listed;
use crate::session::differences::distinguishing_text;
use crate::session::remote_jobs::doing;
use crate::session::row::made_title;
use crate::session::views::{RunRow, RunState};
use crate::session::words::{percent, time_text};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::theme::{RADIUS, regular, semibold, tokens};
use crate::ui::widgets::curves::dot;
use crate::ui::widgets::{self, cut};

pub(super) fn line(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    ui.separator();
    let ground = ui.painter().add(Shape::Noop);
    // Only the title can be focused with the keyboard, not the line.
    let whole = UiBuilder::new().sense(Sense::CLICK);
    let drawn = ui.scope_builder(whole, |ui| {
        ui.set_min_width(ui.available_width());
        ui.horizontal(|ui| {
            choose(ui, cx, row);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                let title = title(ui, cx, row);
                made(ui, row);
                if let Some(told) = cx.session.compare.distinguishing_settings.get(&row.folder) {
                    cut(ui, distinguishing_text(told));
                }
                stands(ui, cx, row);
                said(ui, cx, row);
                if let RunState::Damaged(problem) = &row.state {
                    widgets::problem(ui, problem);
                }
                if let Some(remark) = &row.remark {
                    widgets::problem(ui, remark);
                }
                title
            })
            .inner
        })
        .inner
    });
    // A click on the title counts as a click on the line.
    let whole = drawn.response | drawn.inner;
    if whole.double_clicked() && row.header.is_some() {
        cx.act(UiCommand::Open(row.folder.clone()));
    } else if whole.clicked() {
        click(ui, cx, row, listed);
    }
    whole.context_menu(|ui| actions::menu(ui, cx, row));
    if cx.pages.compare.selection.has(&row.folder) {
        let mut place = whole.rect.expand(4.0);
        place.set_right(ui.max_rect().right() + 4.0);
        let fill = Shape::rect_filled(place, RADIUS, tokens(ui).raised);
        ui.painter().set(ground, fill);
    }
}

fn click(ui: &Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    let keys = ui.input(|i| i.modifiers);
    cx.pages.compare.by_person = true;
    let selection = &mut cx.pages.compare.selection;
    selection.click(&row.folder, &listed.folders(), keys);
}

/// Draws the checkbox that selects the run, with the run's colour.
fn choose(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let state = &mut cx.pages.compare;
    let mut on = state.selection.has(&row.folder);
    let shade = state.shades.get(&row.folder).copied().filter(|_| on);
    let tick = widgets::checkbox(ui, &mut on, ());
    if tick
        .accessible_name(tr!("compare-select-run", name = row.name.as_str()))
        .clicked()
    {
        state.by_person = true;
        state.selection.toggle(&row.folder);
    }
    if let Some(shade) = shade {
        dot(ui, shade);
    }
}

fn title(ui: &mut Ui, cx: &Cx<'_>, row: &RunRow) -> Response {
    let t = tokens(ui);
    let here = cx.pages.compare.selection.has(&row.folder);
    let text = RichText::new(row.title()).font(semibold(13.0));
    ui.scope(|ui| {
        ui.spacing_mut().button_padding = Vec2::new(3.0, 1.0);
        let title = Button::selectable(here, text.color(t.strong)).frame(false);
        let title = ui.add(title.truncate());
        let adds = keys::translated(&ui.ctx().format_modifiers(Modifiers::COMMAND));
        let hint = tr!("compare-select-hint", key = adds);
        title.on_hover_text(hint)
    })
    .inner
}

/// Draws the run's settings if the run has a name given by the user.
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
        words += &format!(" · {}", tr!("train-at-place", place));
    }
    words += &format!(" · {}", state_words(row));
    if let Some(place) = &row.elsewhere {
        words += &format!(" · {}", place.words());
    }
    if row.read_only_reason().is_some() {
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
        RunState::Busy => tr!("compare-running").into(),
        RunState::Damaged(_) => return tr!("compare-damaged").into(),
    };
    state + &accuracy
}

/// Draws the run's tags and the first line of its note.
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
