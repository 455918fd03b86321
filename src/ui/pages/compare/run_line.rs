//! A line of the list: the name, settings and state of one run.

use egui::{Button, Modifiers, Response, RichText, Sense, Shape, Ui, UiBuilder, Vec2};

use super::selection::Listed;
use super::{SelectedBy, actions};
use crate::session::differences::distinguishing_text;
use crate::session::formatting::{format_percent, run_time_text};
use crate::session::remote_jobs::run_status;
use crate::session::run_row::generated_title;
use crate::session::views::{RunRow, RunState};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::theme::{RADIUS, regular, semibold, tokens};
use crate::ui::widgets::curves::dot;
use crate::ui::widgets::{self, truncated_faint};

pub(super) fn run_row(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    ui.separator();
    let background = ui.painter().add(Shape::Noop);
    // Only the title can be focused with the keyboard, not the line.
    let builder = UiBuilder::new().sense(Sense::CLICK);
    let response = ui.scope_builder(builder, |ui| {
        ui.set_min_width(ui.available_width());
        ui.horizontal(|ui| {
            selection_checkbox(ui, cx, row);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                let title = title(ui, cx, row);
                show_settings(ui, row);
                if let Some(settings) = cx.session.compare.distinguishing_settings.get(&row.folder)
                {
                    truncated_faint(ui, distinguishing_text(settings));
                }
                show_state(ui, cx, row);
                show_tags_and_note(ui, cx, row);
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
    let row_response = response.response | response.inner;
    if row_response.double_clicked() && row.header.is_some() {
        cx.dispatch(UiCommand::Open(row.folder.clone()));
    } else if row_response.clicked() {
        handle_click(ui, cx, row, listed);
    }
    row_response.context_menu(|ui| actions::menu(ui, cx, row));
    if cx.pages.compare.selection.contains(&row.folder) {
        let mut rect = row_response.rect.expand(4.0);
        rect.set_right(ui.max_rect().right() + 4.0);
        let fill = Shape::rect_filled(rect, RADIUS, tokens(ui).raised);
        ui.painter().set(background, fill);
    }
}

fn handle_click(ui: &Ui, cx: &mut Cx<'_>, row: &RunRow, listed: Listed<'_>) {
    let modifiers = ui.input(|i| i.modifiers);
    cx.pages.compare.selected_by = SelectedBy::User;
    let selection = &mut cx.pages.compare.selection;
    selection.click(&row.folder, &listed.folders(), modifiers);
}

/// Draws the checkbox that selects the run, with the run's colour.
fn selection_checkbox(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let state = &mut cx.pages.compare;
    let mut checked = state.selection.contains(&row.folder);
    let shade = state.shades.get(&row.folder).copied().filter(|_| checked);
    let response = widgets::checkbox(ui, &mut checked, ());
    if response.accessible_name(tr!("compare-select-run", name = row.name.as_str())).clicked() {
        state.selected_by = SelectedBy::User;
        state.selection.toggle(&row.folder);
    }
    if let Some(shade) = shade {
        dot(ui, shade);
    }
}

fn title(ui: &mut Ui, cx: &Cx<'_>, row: &RunRow) -> Response {
    let t = tokens(ui);
    let is_selected = cx.pages.compare.selection.contains(&row.folder);
    let text = RichText::new(row.title()).font(semibold(13.0));
    ui.scope(|ui| {
        ui.spacing_mut().button_padding = Vec2::new(3.0, 1.0);
        let title = Button::selectable(is_selected, text.color(t.strong)).frame(false);
        let title = ui.add(title.truncate());
        let shortcut = keys::translate_keys(&ui.ctx().format_modifiers(Modifiers::COMMAND));
        let hint = tr!("compare-select-hint", key = shortcut);
        title.on_hover_text(hint)
    })
    .inner
}

/// Draws the run's settings if the run has a name given by the user.
fn show_settings(ui: &mut Ui, row: &RunRow) {
    let has_name = !row.about.name.is_empty();
    if let Some(header) = row.header.as_ref().filter(|_| has_name) {
        truncated_faint(ui, generated_title(header));
    }
}

fn show_state(ui: &mut Ui, cx: &Cx<'_>, row: &RunRow) {
    let mut text = run_time_text(&row.name);
    if !row.about.place.is_empty() {
        let place = row.about.place.as_str();
        text += &format!(" · {}", tr!("train-at-place", place));
    }
    text += &format!(" · {}", state_text(row));
    if let Some(place) = &row.additional_folder {
        text += &format!(" · {}", place.description());
    }
    if row.read_only_reason().is_some() {
        text += &format!(" ({})", tr!("compare-read-only"));
    }
    truncated_faint(ui, text).on_hover_text(row.folder.display().to_string());
    if let Some(run) = cx.session.train.remote_run_in(&row.folder) {
        truncated_faint(ui, run_status(run));
    }
}

fn state_text(row: &RunRow) -> String {
    let last = row.answer_history().last_accuracy();
    let accuracy = last.map_or_else(String::new, |a| format!(" · {}", format_percent(a, 1)));
    let state: String = match &row.state {
        RunState::Finished => tr!("stage-finished").into(),
        RunState::Unfinished(done) => tr!("compare-stopped-after", done = *done, n = row.tasks()),
        RunState::Busy => tr!("compare-running").into(),
        RunState::Damaged(_) => return tr!("compare-damaged").into(),
    };
    state + &accuracy
}

/// Draws the run's tags and the first line of its note.
fn show_tags_and_note(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    if !row.about.tags.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            for tag in &row.about.tags {
                let text = RichText::new(format!("#{tag}")).font(regular(12.0));
                let response = ui.link(text).on_hover_text(tr!("compare-tag-hint"));
                if response.clicked() {
                    cx.pages.compare.tag = Some(tag.clone());
                }
            }
        });
    }
    if let Some(first) = row.about.note.lines().next() {
        truncated_faint(ui, first).on_hover_text(&row.about.note);
    }
}
