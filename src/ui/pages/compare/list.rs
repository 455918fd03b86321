//! The list of all runs with a filter, tags, and a line for each run.

use std::path::Path;
use std::sync::Arc;

use egui::{Key, Modifiers, Popup, Ui, Vec2};

use super::selection::Listed;
use super::{MAX_RUNS, RunIndices, SelectedBy, actions, run_line};
use crate::problem::Problem;
use crate::run::annotations::Search;
use crate::session::Session;
use crate::session::formatting::format_count;
use crate::session::views::{Rows, RunRow};
use crate::store::export::Format;
use crate::store::table::{Condition, TableRun};
use crate::tr;
use crate::ui::cached::Shared;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, Column, card_with_height, faint, input, sentence};

/// Maximum number of tags above the list.
const MAX_TAGS: usize = 24;

pub(super) struct ListSearch {
    rows: Rows,
    search: Search,
    /// The indices of the matching runs among all rows.
    indices: RunIndices,
    /// The tags of all runs.
    tags: Arc<[String]>,
    /// Why the text is not a valid condition, if it resembles one.
    problem: Option<Problem>,
}

pub(super) fn list(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let height = column.remaining_height(ui, 300.0);
    card_with_height(ui, height, |ui| {
        let indices = matching_runs(cx, rows);
        let listed = Listed { rows, indices: &indices };
        let count = match indices.len() == rows.len() {
            true => format_count(rows.len()),
            false => tr!("compare-count-of", n = indices.len(), of = rows.len()),
        };
        show_header(ui, cx, count);
        folder_links(ui, cx, listed);
        tag_filter(ui, cx);
        let selected = selected_runs(cx, rows, &indices);
        let selected: Vec<&RunRow> = selected.iter().map(|index| &*rows[*index]).collect();
        handle_keys(ui, cx, listed, &selected);
        actions::bar(ui, cx, &selected);
        let measured = selected.iter().filter(|row| row.is_measured()).count();
        if measured > MAX_RUNS {
            sentence(ui, tr!("compare-first-runs", n = measured, most = MAX_RUNS));
        }
        let mut list_state = std::mem::take(&mut cx.pages.compare.list_state);
        let folder = |index| &listed.row(index).folder;
        list_state.show(ui, indices.len(), folder, |ui, index| {
            run_line::run_row(ui, cx, listed.row(index), listed);
        });
        cx.pages.compare.list_state = list_state;
        let problem = cx.pages.compare.last_search.as_ref();
        if let Some(problem) = problem.and_then(|found| found.problem.as_ref()) {
            widgets::problem(ui, problem);
        } else if indices.is_empty() {
            faint(ui, tr!("compare-none-found"));
        }
    });
}

/// Returns the indices of the runs that match the search words or conditions (such as `final > 85`). They are computed
/// again only if the runs or the search change.
pub(super) fn matching_runs(cx: &mut Cx<'_>, rows: &Rows) -> RunIndices {
    let state = &mut cx.pages.compare;
    let search = Search { text: state.filter.clone(), tags: state.tag.iter().cloned().collect() };
    if let Some(cached) = &state.last_search
        && Arc::ptr_eq(&cached.rows, rows)
        && cached.search == search
    {
        return cached.indices.clone();
    }
    let (conditions, problem) = conditions(&search.text, rows);
    let text_search = Search {
        text: match conditions.is_empty() {
            true => search.text.clone(),
            false => String::new(),
        },
        tags: search.tags.clone(),
    };
    let matches = |row: &RunRow| {
        let meets = |run: TableRun<'_>| conditions.iter().all(|condition| condition.matches(&run));
        let meets_conditions = conditions.is_empty() || row.to_table_run().is_some_and(meets);
        meets_conditions
            && (text_search.is_empty() || text_search.matches(&row.about, row.search_text()))
    };
    let indices: RunIndices = (0..rows.len()).filter(|index| matches(&rows[*index])).collect();
    state.list_state.invalidate();
    state.last_search = Some(ListSearch {
        rows: rows.clone(),
        search,
        indices: indices.clone(),
        tags: cx.session.tags().into(),
        problem,
    });
    indices
}

/// Returns the indices of the selected runs in the list. They are computed again only if the list or the selection
/// changes.
fn selected_runs(cx: &mut Cx<'_>, rows: &Rows, indices: &RunIndices) -> RunIndices {
    let state = &mut cx.pages.compare;
    let inputs = (Shared(indices.clone()), state.selection.changes());
    state.selected_indices.get(inputs, || {
        let is_selected = |index: &&usize| state.selection.contains(&rows[**index].folder);
        indices.iter().filter(is_selected).copied().collect()
    })
}

/// Returns the conditions of a search; none if it consists of words. The Problem explains why a text that resembles a
/// condition is invalid.
fn conditions(text: &str, rows: &Rows) -> (Vec<Condition>, Option<Problem>) {
    if !text.contains(['<', '>', '=', '~']) {
        return (Vec::new(), None);
    }
    let runs: Vec<TableRun<'_>> = rows.iter().filter_map(|row| row.to_table_run()).collect();
    match Condition::parse(text, &runs) {
        Ok(conditions) => (conditions, None),
        // Search words can contain an equals sign.
        Err(problem) => (Vec::new(), Some(problem).filter(|_| text.contains(['<', '>', '~']))),
    }
}

fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, count: String) {
    widgets::ends_in_order(
        ui,
        |ui| {
            widgets::title(ui, tr!("compare-runs"));
            faint(ui, count);
        },
        |ui| {
            let edit = widgets::line_edit(&mut cx.pages.compare.filter, 150.0)
                .hint_text(tr!("compare-filter"));
            ui.add(edit)
                .on_hover_text(tr!("compare-filter-hint"))
                .accessible_name(tr!("compare-filter-name"));
            cx.change_button(ui, tr!("compare-reload"), Session::list_runs);
        },
    );
}

/// Draws the links to the folders of runs and to the exports.
fn folder_links(ui: &mut Ui, cx: &mut Cx<'_>, listed: Listed<'_>) {
    ui.horizontal_wrapped(|ui| {
        let text = match cx.session.compare.folders.list.len() {
            0 => tr!("compare-folders").to_string(),
            n => tr!("compare-folders-of", n),
        };
        if ui.link(text).clicked() {
            cx.dispatch(UiCommand::ShowFolders);
        }
        if ui.link(tr!("compare-deleted")).clicked() {
            cx.dispatch(UiCommand::ShowDeleted);
        }
        let menu = ui.link(tr!("compare-export")).on_hover_text(tr!("compare-export-hint"));
        Popup::menu(&menu).show(|ui| {
            for (format, label, tip) in EXPORT_FORMATS {
                if ui.button(tr!(label)).on_hover_text(tr!(tip)).clicked() {
                    let folders = listed.folders();
                    let mut runs = cx.pages.compare.selection.selected_in(&folders);
                    if runs.is_empty() {
                        runs = folders.into_iter().map(Path::to_path_buf).collect();
                    }
                    cx.change(move |session| session.pick_results(runs, format));
                }
            }
        });
    });
}

/// The export formats, each with the message ids of its name and its description.
const EXPORT_FORMATS: [(Format, &str, &str); 7] = [
    (Format::Html, "compare-report", "compare-report-hint"),
    (Format::Svg, "compare-svg", "compare-svg-hint"),
    (Format::Pdf, "compare-pdf", "compare-pdf-hint"),
    (Format::Png, "compare-png", "compare-png-hint"),
    (Format::Latex, "compare-latex", "compare-latex-hint"),
    (Format::Markdown, "compare-markdown", "compare-markdown-hint"),
    (Format::Csv, "compare-csv", "compare-csv-hint"),
];

/// Draws all tags. A click filters the list by a tag; another click removes the filter.
fn tag_filter(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = &mut cx.pages.compare;
    let tags = state.last_search.as_ref().map(|found| found.tags.clone());
    let tags = tags.unwrap_or_default();
    if state.tag.as_ref().is_some_and(|tag| !tags.contains(tag)) {
        state.tag = None;
    }
    if tags.is_empty() {
        return;
    }
    // The selected tag is always shown, so that its filter can be removed.
    let selected = state.tag.clone();
    let hidden = tags.iter().skip(MAX_TAGS).find(|tag| Some(*tag) == selected.as_ref());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        for tag in tags.iter().take(MAX_TAGS).chain(hidden) {
            let is_active = state.tag.as_ref() == Some(tag);
            let chip = egui::Button::selectable(is_active, format!("#{tag}"));
            if ui.add(chip.corner_radius(12)).clicked() {
                state.tag = (!is_active).then(|| tag.clone());
            }
        }
    });
}

/// Handles Delete, F2 and Ctrl+A unless a text is being edited or a dialog or menu is open.
fn handle_keys(ui: &Ui, cx: &mut Cx<'_>, listed: Listed<'_>, selected: &[&RunRow]) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() || input::is_covered(ctx) {
        return;
    }
    let pressed = |modifiers, key| ui.input_mut(|i| i.consume_key(modifiers, key));
    if ui.input_mut(|i| i.consume_shortcut(&keys::SELECT_ALL)) {
        let all = listed.rows().map(|row| row.folder.clone());
        cx.pages.compare.select(all.collect());
    }
    // Keys do not change runs that the program selected, or read-only runs.
    let is_by_user = cx.pages.compare.selected_by == SelectedBy::User;
    if selected.is_empty() || !is_by_user || actions::has_read_only(selected) {
        return;
    }
    let folders = || selected.iter().map(|row| row.folder.clone()).collect();
    if pressed(Modifiers::NONE, Key::Delete) {
        cx.dispatch(UiCommand::Delete(folders()));
    }
    if pressed(Modifiers::NONE, Key::F2) {
        match selected {
            [row] => cx.dispatch(UiCommand::Describe(row.folder.clone())),
            _ => cx.dispatch(UiCommand::Tag(folders())),
        }
    }
}
