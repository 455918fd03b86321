//! The list of all runs with a filter, tags, and a line for each run.

use std::path::Path;
use std::sync::Arc;

use egui::{Key, Modifiers, Popup, Ui, Vec2};

use super::chosen::Listed;
use super::{MOST, Places, actions, line};
use crate::problem::Problem;
use crate::run::about::Search;
use crate::session::Session;
use crate::session::views::{Rows, RunRow};
use crate::session::words::count_text;
use crate::store::export::Format;
use crate::store::table::{Condition, TableRun};
use crate::tr;
use crate::ui::cached::Shared;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, Column, card_of, faint, input, sentence};

/// Maximum number of tags above the list.
const TAGS: usize = 24;

pub(super) struct ListSearch {
    rows: Rows,
    search: Search,
    /// The indices of the matching runs among all rows.
    places: Places,
    /// The tags of all runs.
    tags: Arc<[String]>,
    /// Why the text is not a valid condition, if it resembles one.
    problem: Option<Problem>,
}

pub(super) fn list(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let height = column.rest(ui, 300.0);
    card_of(ui, height, |ui| {
        let places = found(cx, rows);
        let listed = Listed {
            rows,
            places: &places,
        };
        let count = match places.len() == rows.len() {
            true => count_text(rows.len()),
            false => tr!("compare-count-of", n = places.len(), of = rows.len()),
        };
        head(ui, cx, count);
        places_of_runs(ui, cx, listed);
        tags(ui, cx);
        let chosen = chosen(cx, rows, &places);
        let chosen: Vec<&RunRow> = chosen.iter().map(|at| &*rows[*at]).collect();
        keys(ui, cx, listed, &chosen);
        actions::bar(ui, cx, &chosen);
        let measured = chosen.iter().filter(|row| row.is_measured()).count();
        if measured > MOST {
            sentence(ui, tr!("compare-first-runs", n = measured, most = MOST));
        }
        let mut lines = std::mem::take(&mut cx.pages.compare.lines);
        let folder = |at| &listed.row(at).folder;
        lines.show(ui, places.len(), folder, |ui, at| {
            line::line(ui, cx, listed.row(at), listed);
        });
        cx.pages.compare.lines = lines;
        let problem = cx.pages.compare.found.as_ref();
        if let Some(problem) = problem.and_then(|found| found.problem.as_ref()) {
            widgets::problem(ui, problem);
        } else if places.is_empty() {
            faint(ui, tr!("compare-none-found"));
        }
    });
}

/// Returns the indices of the runs that match the search words or conditions (such as `final > 85`). They are computed
/// again only if the runs or the search change.
pub(super) fn found(cx: &mut Cx<'_>, rows: &Rows) -> Places {
    let state = &mut cx.pages.compare;
    let search = Search {
        text: state.filter.clone(),
        tags: state.tag.iter().cloned().collect(),
    };
    if let Some(known) = &state.found
        && Arc::ptr_eq(&known.rows, rows)
        && known.search == search
    {
        return known.places.clone();
    }
    let (conditions, problem) = conditions(&search.text, rows);
    let words = Search {
        text: match conditions.is_empty() {
            true => search.text.clone(),
            false => String::new(),
        },
        tags: search.tags.clone(),
    };
    let is_found = |row: &RunRow| {
        let meets = |run: TableRun<'_>| conditions.iter().all(|one| one.holds(&run));
        let meets = conditions.is_empty() || row.measured().is_some_and(meets);
        meets && (words.is_empty() || words.finds(&row.about, row.made_of()))
    };
    let places: Places = (0..rows.len()).filter(|at| is_found(&rows[*at])).collect();
    state.lines.reordered();
    state.found = Some(ListSearch {
        rows: rows.clone(),
        search,
        places: places.clone(),
        tags: cx.session.tags().into(),
        problem,
    });
    places
}

/// Returns the indices of the selected runs in the list. They are computed again only if the list or the selection
/// changes.
fn chosen(cx: &mut Cx<'_>, rows: &Rows, places: &Places) -> Places {
    let state = &mut cx.pages.compare;
    let inputs = (Shared(places.clone()), state.selection.changes());
    state.chosen.get(inputs, || {
        let is_chosen = |place: &&usize| state.selection.has(&rows[**place].folder);
        places.iter().filter(is_chosen).copied().collect()
    })
}

/// Returns the conditions of a search; none if it consists of words. The Problem explains why a text that resembles a
/// condition is invalid.
fn conditions(text: &str, rows: &Rows) -> (Vec<Condition>, Option<Problem>) {
    if !text.contains(['<', '>', '=', '~']) {
        return (Vec::new(), None);
    }
    let runs: Vec<TableRun<'_>> = rows.iter().filter_map(|row| row.measured()).collect();
    match Condition::read(text, &runs) {
        Ok(conditions) => (conditions, None),
        // Search words can contain an equals sign.
        Err(problem) => (
            Vec::new(),
            Some(problem).filter(|_| text.contains(['<', '>', '~'])),
        ),
    }
}

fn head(ui: &mut Ui, cx: &mut Cx<'_>, count: String) {
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
fn places_of_runs(ui: &mut Ui, cx: &mut Cx<'_>, listed: Listed<'_>) {
    ui.horizontal_wrapped(|ui| {
        let text = match cx.session.compare.folders.list.len() {
            0 => tr!("compare-folders").to_string(),
            n => tr!("compare-folders-of", n),
        };
        if ui.link(text).clicked() {
            cx.act(UiCommand::Folders);
        }
        if ui.link(tr!("compare-deleted")).clicked() {
            cx.act(UiCommand::Deleted);
        }
        let open = ui
            .link(tr!("compare-export"))
            .on_hover_text(tr!("compare-export-hint"));
        Popup::menu(&open).show(|ui| {
            for (format, words, tip) in RESULTS {
                if ui.button(tr!(words)).on_hover_text(tr!(tip)).clicked() {
                    let folders = listed.folders();
                    let mut runs = cx.pages.compare.selection.of(&folders);
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
const RESULTS: [(Format, &str, &str); 7] = [
    (Format::Html, "compare-report", "compare-report-hint"),
    (Format::Svg, "compare-svg", "compare-svg-hint"),
    (Format::Pdf, "compare-pdf", "compare-pdf-hint"),
    (Format::Png, "compare-png", "compare-png-hint"),
    (Format::Latex, "compare-latex", "compare-latex-hint"),
    (
        Format::Markdown,
        "compare-markdown",
        "compare-markdown-hint",
    ),
    (Format::Csv, "compare-csv", "compare-csv-hint"),
];

/// Draws all tags. A click filters the list by a tag; another click removes the filter.
fn tags(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = &mut cx.pages.compare;
    let tags = state.found.as_ref().map(|found| found.tags.clone());
    let tags = tags.unwrap_or_default();
    if state.tag.as_ref().is_some_and(|tag| !tags.contains(tag)) {
        state.tag = None;
    }
    if tags.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        for tag in tags.iter().take(TAGS) {
            let on = state.tag.as_ref() == Some(tag);
            let chip = egui::Button::selectable(on, format!("#{tag}"));
            if ui.add(chip.corner_radius(12)).clicked() {
                state.tag = (!on).then(|| tag.clone());
            }
        }
    });
}

/// Handles Delete, F2 and Ctrl+A unless a text is being edited or a dialog or menu is open.
fn keys(ui: &Ui, cx: &mut Cx<'_>, listed: Listed<'_>, chosen: &[&RunRow]) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() || input::is_covered(ctx) {
        return;
    }
    let pressed = |keys, key| ui.input_mut(|i| i.consume_key(keys, key));
    if ui.input_mut(|i| i.consume_shortcut(&keys::ALL)) {
        let all = listed.rows().map(|row| row.folder.clone());
        cx.pages.compare.choose(all.collect());
    }
    // Keys do not delete runs that the program selected.
    if chosen.is_empty() || !cx.pages.compare.by_person {
        return;
    }
    let folders = || chosen.iter().map(|row| row.folder.clone()).collect();
    if pressed(Modifiers::NONE, Key::Delete) {
        cx.act(UiCommand::Delete(folders()));
    }
    if pressed(Modifiers::NONE, Key::F2) {
        cx.act(match chosen {
            [one] => UiCommand::Describe(one.folder.clone()),
            _ => UiCommand::Tag(folders()),
        });
    }
}
